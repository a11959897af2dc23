"""``anchorpbo duel``: compare designs in a terminal. Every answer is stored before the next duel is asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.text import Text

from anchorpbo.app.cli.database import find_study, format_db_option, open_service
from anchorpbo.app.cli.terminal import KeyReader, make_console, make_duel_table, make_printable, print_recommendation
from anchorpbo.app.report.descriptions import DesignDescriber
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.duels import MAX_RESPONSE_MS
from anchorpbo.app.service.views.duels import DuelView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import (
    AnchorPBOError,
    ConflictError,
    DataError,
    InfeasibleError,
    InputError,
    NothingLeftError,
)
from anchorpbo.formatting import format_count
from anchorpbo.space import Catalogue, Design, Integer, Parameter, Real, Space
from anchorpbo.study import Outcome
from anchorpbo.study.events import Judgement, parse_judgement
from anchorpbo.study.explanations import name_sides

ANSWERS: dict[str, Outcome] = {
    "1": "first", "left": "first", "2": "second", "right": "second", "=": "tie", "t": "tie", "tie": "tie",
    "s": "skip", "skip": "skip",
}  # fmt: skip
COMMANDS = {
    "u": "undo", "a": "anchor", "r": "recommend", "?": "help", "h": "help", "q": "quit",
    "undo": "undo", "anchor": "anchor", "recommend": "recommend", "help": "help", "quit": "quit",
}  # fmt: skip
MARKED: dict[Judgement, str] = {
    "yes": "Marked as an anchor",
    "no": "Marked as hard to judge",
    "unsure": "It will not be suggested again",
}
"""Confirmation of each judgement."""
HELP = """\
  1 or left     design 1 is better           u   undo the last answer or anchor
  2 or right    design 2 is better           a   mark a design that you know well
  = or t        equally good                 r   recommend a design
  s             skip: cannot say             q   quit; all answers are stored"""
PROPOSALS = 3
"""Number of designs that are proposed as anchors at a time."""
_PROMPT = "1 or 2?  = equal  s skip  u undo  a anchor  r recommend  ? help  q quit"
_OUTCOMES: dict[Outcome, str] = {
    "first": "design 1 is better", "second": "design 2 is better", "tie": "equally good", "skip": "skipped",
}  # fmt: skip
_JUDGEMENTS = {"y": "yes", "n": "no", "u": "unsure"}
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")


def run(
    db: str | None, study: str, participant: str, console: Console | None = None, keys: KeyReader | None = None
) -> None:
    """Ask duels and record answers until the participant quits."""
    console = make_console() if console is None else console
    keys = KeyReader(console) if keys is None else keys
    with open_service(db, prefetch=keys.is_terminal) as studies:
        id = find_study(studies, study)
        session = Session(studies, id, participant, console, keys)
        try:
            session.play()
        except KeyboardInterrupt:
            console.print()
        again = f"anchorpbo duel {id}" + ("" if participant == OWNER else f" --participant {shlex.quote(participant)}")
        again += format_db_option(db)
        stored = format_count(session.stored, "answer")
        console.print(Text(f"{stored} stored in this session. Continue with {make_printable(again)}"))


class Session:
    """One session of one participant at the terminal."""

    def __init__(self, studies: StudyService, id: str, participant: str, console: Console, keys: KeyReader) -> None:
        self.studies, self.id, self.participant = studies, id, participant
        self.console, self.keys = console, keys
        self.stored = 0
        """Answers stored in this session, without undone ones."""

    def play(self) -> None:
        """Ask until the participant quits or no duel is left."""
        self._welcome()
        while True:
            try:
                with self.console.status("Choosing two designs"):
                    duel = self.studies.duels.ask(self.id, self.participant)
            except NothingLeftError as error:
                self._print_error(error)
                return
            self._show(duel)
            if not self._read_answer(duel):
                return

    def _welcome(self) -> None:
        view = self.studies.show(self.id)
        self.console.print(Text(make_printable(view.name), "bold"))
        if view.description:
            self.console.print(Text(make_printable(view.description)))
        if not self.studies.anchors.list_designs(self.id, self.participant):
            self.console.print("No anchors yet: press a to mark a design that you know well.")
        if {"template", "svg", "image", "smiles"} & set(view.display):
            self.console.print(Text("The designs have pictures, which anchorpbo serve shows.", "dim"))
        if "clip" in view.display:
            self.console.print(Text("The designs are sounds or videos, which anchorpbo serve plays.", "dim"))

    def _show(self, duel: DuelView) -> None:
        why = name_sides(duel.why, "Design 1", "design 2")
        self.console.print(Text(f"\nDuel {duel.answers + 1}. {why} {duel.progress.sentence}", "cyan"))
        self.console.print(make_duel_table(duel.cards), soft_wrap=False)
        self.console.print(Text(_PROMPT, "dim"))

    def _read_answer(self, duel: DuelView) -> bool:
        """Read keys until the duel is answered or the last answer undone; return False to quit."""
        began, undisturbed = perf_counter(), True
        while True:
            key = self.keys.read_key()
            command = COMMANDS.get(key or "")
            if key is None or command == "quit":
                return False
            try:
                if key in ANSWERS:
                    took = min(round(1e3 * (perf_counter() - began)), MAX_RESPONSE_MS)
                    self._answer(duel, ANSWERS[key], took if undisturbed else None)
                    return True
                if command == "undo":
                    self._undo()
                    return True
                if command is None and key:
                    self.console.print(Text(f"{make_printable(key)!r} is not one of the keys:"))
                self._other(command, duel)
            except ConflictError as error:  # answered elsewhere, or nothing to undo
                self._print_error(error)
                return True
            except DataError:
                raise
            except AnchorPBOError as error:
                self._print_error(error)
            undisturbed = False  # the response time is no longer meaningful
            self.console.print(Text(_PROMPT, "dim"))

    def _answer(self, duel: DuelView, outcome: Outcome, took: int | None) -> None:
        self.studies.duels.answer(self.id, duel.id, outcome, took, self.participant)
        self.stored += 1
        self.console.print(Text(f"-> {_OUTCOMES[outcome]}"))

    def _undo(self) -> None:
        event = self.studies.duels.undo(self.id, self.participant).event
        answered = event["type"] == "answered"
        self.stored -= answered and self.stored > 0
        what = f"the last answer, {_OUTCOMES[event['outcome']]}" if answered else "the last change of anchors"
        self.console.print(Text(f"Undone: {what}."))

    def _other(self, command: str | None, duel: DuelView) -> None:
        if command == "recommend":
            best = self.studies.results.recommend(self.id, self.participant)
            print_recommendation(self.console, self.studies, self.id, best)
        elif command == "anchor":
            known = self._read_anchor(duel)
            if known is not None:
                design, name = known
                self._mark(design, name)
        else:
            self.console.print(Text(HELP))

    # -- anchors ------------------------------------------------------------------------------------------------------

    def _read_anchor(self, duel: DuelView) -> tuple[Design, str | None] | None:
        """Read the design to mark as an anchor and its name, if it has one; None to cancel."""
        answer = self.keys.read_line(
            "Which do you know well: 1, 2, v for other values, or p for proposals? Its name may follow 1, 2 or v, "
            "as in: 1 my usual. Then Enter; only Enter for none:"
        )
        if not answer:
            return None
        which, _, name = answer.partition(" ")
        if which in ("1", "2"):
            return (duel.first if which == "1" else duel.second), name.strip() or None
        if which.lower() == "p":
            self._offer_proposals()
            return None
        if which.lower() != "v":
            raise InputError("an anchor must be 1, 2, v or p", repr(answer), "press a again")
        design = self._read_design(duel.first)
        return None if design is None else (design, name.strip() or None)

    def _mark(self, design: Design, name: str | None = None, judgement: Judgement = "yes") -> None:
        marks = self.studies.anchors.add(self.id, design, self.participant, name, judgement)
        self.console.print(Text(f"{MARKED[judgement]}; {format_count(marks.count(), 'anchor')} now."))

    def _offer_proposals(self) -> None:
        """Ask about a few designs, one at a time, whether the participant could judge them well."""
        describer = DesignDescriber(self.studies.definition(self.id))
        for one in self.studies.anchors.propose(self.id, PROPOSALS, self.participant):
            self.console.print(Text(make_printable(describer.describe(one.design)), "bold"))
            self.console.print(Text(one.sentence))
            answer = self.keys.read_line("Could you judge this one well: y yes, n no, u not sure? Only Enter to stop:")
            if not answer:
                return
            self._mark(one.design, judgement=parse_judgement(_JUDGEMENTS.get(answer.casefold(), answer)))

    def _read_design(self, model: Mapping[str, Any]) -> Design | None:
        space = self.studies.definition(self.id).space
        if isinstance(space, Catalogue):
            value = self.keys.read_line(f"{make_printable(space.key)}:")
            return None if not value else space.check({space.key: _convert_like(value, model[space.key])})
        assert isinstance(space, Space)
        describer = DesignDescriber(self.studies.definition(self.id))
        design: Design = {}
        for parameter in self.studies.show(self.id).space["parameters"]:
            name = parameter["name"]
            if parameter["kind"] == "constant":
                design[name] = model[name]
                continue
            label, unit = make_printable(describer.label(name)), make_printable(describer.units.get(name, ""))
            text = self.keys.read_line(f"{label} ({_format_range(parameter)} {unit}".rstrip() + "):")
            if not text:
                self.console.print("Nothing was marked.")
                return None
            given = _parse_value(parameter, text)
            design[name] = _snap(space.parameters[name], given)
            if design[name] != given:
                self.console.print(Text(f"{label} set to {design[name]} {unit}".rstrip() + ", the nearest step."))
        return space.check(design)

    def _print_error(self, error: AnchorPBOError) -> None:
        text = str(error)
        if isinstance(error, InfeasibleError) and error.value is not None:
            text = DesignDescriber(self.studies.definition(self.id)).describe_violation(error.value)
        self.console.print(Text(make_printable(text), "yellow"))


def _format_range(parameter: Mapping[str, Any]) -> str:
    if "values" in parameter:
        return ", ".join(make_printable(value) for value in parameter["values"])
    return f"{parameter['low']:g} to {parameter['high']:g}" if "low" in parameter else "yes or no"


def _parse_value(parameter: Mapping[str, Any], text: str) -> Any:
    """Parse a value; return invalid text unchanged, so that the space rejects it."""
    if "values" in parameter:
        return next((value for value in parameter["values"] if str(value).casefold() == text.casefold()), text)
    if parameter["kind"] == "boolean":
        word = text.casefold()
        return True if word in _YES else False if word in _NO else text
    return _convert_like(text, 0.0)


def _snap(parameter: Parameter, value: Any) -> Any:
    """Return the nearest value of a parameter with steps to a number within its range, and others unchanged."""
    if not isinstance(parameter, Integer | Real) or (isinstance(parameter, Real) and parameter.step is None):
        return value
    if not isinstance(value, float) or not parameter.low <= value <= parameter.high:
        return value
    return parameter.decode(parameter.encode(value))  # type: ignore[arg-type]  # an integer's takes any number


def _convert_like(text: str, model: Any) -> Any:
    """Convert text to the type of another value if possible."""
    try:
        return type(model)(text) if isinstance(model, int | float) and not isinstance(model, bool) else text
    except ValueError:
        return text
