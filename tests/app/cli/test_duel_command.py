"""``anchorpbo duel``: the loop in a terminal, driven by lines."""

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from anchorpbo.app.cli import duel as module
from anchorpbo.app.cli.commands import app
from anchorpbo.app.cli.terminal import KeyReader
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.duels import DuelService
from anchorpbo.app.storage import open_storage
from anchorpbo.app.storage.journal import OWNER

TEA = {
    "name": "Tea",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "minutes", "kind": "real", "low": 1.0, "high": 8.0},
            {"name": "spoons", "kind": "integer", "low": 1, "high": 4},
            {"name": "sort", "kind": "categorical", "values": ["green", "black"]},
            {"name": "milk", "kind": "boolean"},
        ],
        "constraints": [],
    },
    "display": {"labels": {"minutes": "Time"}, "units": {"minutes": "min"}},
}
BEANS = {
    "name": "Beans",
    "space": {
        "kind": "catalogue",
        "columns": [
            {"name": "bean", "values": ["Sidamo", "Nyeri", "Huila"]},
            {"name": "acidity", "values": [8, 9, 6]},
        ],
        "features": ["acidity"],
        "key": "bean",
    },
    "display": {"title": "bean"},
}


class Terminal:
    """A study in a file, and hands to answer it."""

    def __init__(self, folder, request=TEA):
        self.db = str(folder / "studies.db")
        self.id = self.look(lambda studies: studies.create(request).id)

    def look(self, use):
        storage = open_storage(self.db)
        try:
            return use(StudyService(storage))
        finally:
            storage.close()

    def play(self, *lines, options=()):
        text = "".join(f"{line}\n" for line in lines)
        result = CliRunner().invoke(app, ["duel", self.id, "--db", self.db, *options], input=text)
        assert result.exit_code == 0, result.output
        return result.stdout

    def answers(self, participant=OWNER):
        events = self.look(lambda studies: studies.history(self.id, participant))
        return [event for event in events if event["type"] == "answered" and event["stands"]]

    def outcomes(self):
        return [event["outcome"] for event in self.answers()]


@pytest.fixture
def terminal(tmp_path):
    return Terminal(tmp_path)


def test_all_answers_are_understood_and_stored(terminal):
    output = terminal.play("1", "left", "2", "RIGHT", "=", "t", "s", "q", "1")
    assert terminal.outcomes() == ["first", "first", "second", "second", "tie", "tie", "skip"]
    assert "7 answers stored" in output


def test_two_designs_are_shown_side_by_side_with_why_and_how_far(terminal):
    output = terminal.play("q")
    assert "Time" in output
    assert " min" in output
    assert "To start with, two quite different ones" in output
    assert "more to get a first idea" in output
    duel = terminal.look(lambda studies: studies.duels.ask(terminal.id))
    rows = {row.label: row.value for row in duel.cards[0].rows}
    others = {row.label: row.value for row in duel.cards[1].rows}
    for label, value in rows.items():
        line = next(line for line in output.splitlines() if f" {label} " in line and "mark" not in line)
        assert line.lstrip().startswith("*") == (value != others[label])


def test_the_end_of_the_input_ends_it(terminal):
    assert "1 answer stored" in terminal.play("1")


def test_it_goes_on_with_the_duel_that_is_out(terminal):
    terminal.play("q")
    out = terminal.look(lambda studies: studies.duels.ask(terminal.id)).id
    terminal.play("2")
    assert terminal.answers()[0]["duel_id"] == out


def test_an_answer_is_taken_back(terminal):
    output = terminal.play("1", "u", "2", "q")
    assert terminal.outcomes() == ["second"]
    assert "Undone: the last answer, design 1 is better." in output
    assert "1 answer stored" in output


def test_with_nothing_to_take_back_it_says_so_and_goes_on(terminal):
    output = terminal.play("u", "1", "q")
    assert "nothing to undo" in output
    assert terminal.outcomes() == ["first"]


def test_response_times_are_recorded_unless_something_came_between(terminal):
    terminal.play("1", "?", "2", "q")
    first, second = terminal.answers()
    assert 0 <= first["response_ms"] < 60_000
    assert second["response_ms"] is None


def test_one_of_the_two_becomes_an_anchor(terminal):
    duel = terminal.look(lambda studies: studies.duels.ask(terminal.id))
    assert "1 anchor now" in terminal.play("a", "2", "q")
    assert terminal.look(lambda studies: studies.anchors.list_designs(terminal.id)) == [duel.second]


def test_a_name_may_follow_the_number_of_an_anchor(terminal):
    terminal.play("a", "1 my usual", "q")
    (anchor,) = terminal.look(lambda studies: studies.anchors.show(terminal.id)).anchors
    assert anchor.name == "my usual"


def test_proposals_are_answered_by_yes_no_or_not_sure(terminal):
    output = terminal.play("a", "p", "y", "n", "u", "a", "p", "yes", "", "q")
    assert "One of a few designs that cover the space" in output
    assert output.count("Could you judge this one well") == 5
    assert "1 anchor now" in output
    assert "2 anchors now" in output
    marks = terminal.look(lambda studies: studies.anchors.show(terminal.id)).anchors
    assert [one.judgement for one in marks] == ["yes", "no", "unsure", "yes"]
    assert len({str(one.design) for one in marks}) == 4
    assert "judgement must be one of no, unsure, yes" in terminal.play("a", "p", "perhaps", "q")
    assert len(terminal.look(lambda studies: studies.anchors.show(terminal.id)).anchors) == 4


def test_values_become_an_anchor(terminal):
    terminal.play("a", "v", "3.5", "2", "GREEN", "yes", "1", "q")
    assert terminal.look(lambda studies: studies.anchors.list_designs(terminal.id)) == [
        {"minutes": 3.5, "spoons": 2, "sort": "green", "milk": True}
    ]
    assert terminal.outcomes() == ["first"]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["a", "v", "99", "2", "green", "yes"], "minutes"),
        (["a", "v", "soon", "2", "green", "yes"], "minutes"),
        (["a", "v", "3", "2", "red", "yes"], "sort"),
        (["a", "v", "3", "2", "green", "perhaps"], "milk"),
        (["a", "x"], "must be 1, 2, v or p"),
        (["a", "v", ""], "Nothing was marked"),
        (["a", ""], ""),
    ],
)
def test_what_is_no_design_marks_nothing_and_the_duel_goes_on(terminal, lines, says):
    output = terminal.play(*lines, "2", "q")
    assert says in output
    assert terminal.look(lambda studies: studies.anchors.list_designs(terminal.id)) == []
    assert terminal.outcomes() == ["second"]


def test_a_value_between_steps_is_set_to_the_nearest_one_and_told(tmp_path):
    stepped = {"name": "minutes", "kind": "real", "low": 1.0, "high": 8.0, "step": 0.5}
    parameters = [stepped, *TEA["space"]["parameters"][1:]]
    terminal = Terminal(tmp_path, {**TEA, "space": {**TEA["space"], "parameters": parameters}})
    output = terminal.play("a", "v", "3.1", "2.6", "green", "yes", "q")
    assert "Time set to 3.0 min, the nearest step." in output
    assert "spoons set to 3, the nearest step." in output
    (anchor,) = terminal.look(lambda studies: studies.anchors.list_designs(terminal.id))
    assert (anchor["minutes"], anchor["spoons"]) == (3.0, 3)


def test_a_violated_constraint_is_told_in_labels_and_units(tmp_path):
    space = {**TEA["space"], "constraints": ["minutes <= 6"]}
    terminal = Terminal(tmp_path, {**TEA, "space": space})
    output = terminal.play("a", "v", "7", "2", "green", "yes", "q")
    assert "Time may be at most 6 min; here it is 7." in " ".join(output.split())


def test_the_reason_of_a_duel_names_the_designs_by_their_numbers(terminal):
    output = " ".join(terminal.play("1", "1", "2", "1", "2", "1", "2", "q").split())
    assert "The first " not in output
    assert "Design 1 " in output or "Both are" in output or "Neither is" in output


def test_an_item_of_a_catalogue_is_named_by_its_key(tmp_path):
    terminal = Terminal(tmp_path, BEANS)
    output = terminal.play("a", "v", "Huila", "a", "v", "Nobody", "q")
    assert [one["bean"] for one in terminal.look(lambda studies: studies.anchors.list_designs(terminal.id))] == [
        "Huila"
    ]
    assert "Nobody" in output


def test_a_short_list_can_be_compared_to_the_end(tmp_path):
    terminal = Terminal(tmp_path, BEANS)
    terminal.play(*["1"] * 8)
    assert 3 <= len(terminal.answers()) <= 8


def test_a_recommendation_needs_an_answer(terminal):
    output = terminal.play("r", "1", "r", "q")
    before, _, after = output.partition("-> design 1 is better")
    assert "Recommended" not in before
    assert "Recommended after 1 answer" in after


def test_help_comes_on_demand_and_for_what_means_nothing(terminal):
    assert "quit; all answers are stored" in terminal.play("?", "q")
    output = terminal.play("maybe", "1", "q")
    assert "'maybe' is not one of the keys" in output
    assert terminal.outcomes() == ["first"]


def test_participants_answer_for_themselves(terminal):
    terminal.look(lambda studies: studies.participants.invite(terminal.id, "Ana Lee"))
    output = terminal.play("2", "q", options=["--participant", "Ana Lee"])
    assert "--participant 'Ana Lee'" in output
    assert terminal.answers() == []
    assert len(terminal.answers("Ana Lee")) == 1


def test_a_stranger_is_told_what_to_do(terminal):
    result = CliRunner().invoke(app, ["duel", terminal.id, "--db", terminal.db, "--participant", "Bo"], input="1\n")
    assert result.exit_code == 2
    assert "invite them first" in result.stderr


def test_an_answer_given_elsewhere_is_told_of(terminal, monkeypatch):
    answer = DuelService.answer

    def late(self, id, duel_id, outcome, *rest):
        monkeypatch.setattr(DuelService, "answer", answer)
        terminal.look(lambda studies: studies.duels.answer(id, duel_id, "tie"))
        return answer(self, id, duel_id, outcome, *rest)

    monkeypatch.setattr(DuelService, "answer", late)
    output = terminal.play("1", "2", "q")
    assert "already answered with 'tie'" in output
    assert terminal.outcomes() == ["tie", "second"]


class Interrupted(KeyReader):
    def read_key(self):
        pressed = super().read_key()
        if pressed == "^c":
            raise KeyboardInterrupt
        return pressed


def test_ctrl_c_leaves_with_all_answers_stored(terminal):
    console = Console(file=io.StringIO(), width=100)
    module.run(terminal.db, terminal.id, OWNER, console, Interrupted(console, io.StringIO("1\n^c\n2\n")))
    assert "1 answer stored" in console.file.getvalue()
    assert terminal.outcomes() == ["first"]


@pytest.mark.parametrize(
    ("pressed", "meant"), [("1", "1"), ("\x1b[D", "left"), ("\x1b[C", "right"), ("Q", "q"), ("\r", "")]
)
def test_keys_of_a_terminal(monkeypatch, pressed, meant):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("anchorpbo.app.cli.terminal.typer.getchar", lambda: pressed)
    assert KeyReader(Console(), Terminal()).read_key() == meant


def test_names_cannot_steer_the_terminal(tmp_path):
    odd = {**TEA, "name": "x\x1b[2J", "description": "[red]y[/red]", "display": {"labels": {"minutes": "\x1b]0;z"}}}
    output = Terminal(tmp_path, odd).play("q")
    assert "\x1b" not in output
    assert "[red]y[/red]" in output
