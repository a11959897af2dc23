"""``anchorpbo duel``: the whole loop in a terminal. Every answer is stored before the next question is asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.text import Text

from anchorpbo.app.cli.keys import Keys
from anchorpbo.app.cli.looks import duel_table, make_console, plain, print_recommendation
from anchorpbo.app.cli.opening import found, opened, option
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.study_service import MAX_RESPONSE_MS
from anchorpbo.app.service.views import DuelView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import AnchorPBOError, ConflictError, DataError, InputError, NothingLeftError
from anchorpbo.formatting import format_count
from anchorpbo.space import Catalogue, Design
from anchorpbo.study import Outcome

ANSWERS: dict[str, Outcome] = {
    "1": "first", "left": "first", "2": "second", "right": "second", "=": "tie", "t": "tie", "tie": "tie",
    "s": "skip", "skip": "skip",
}  # fmt: skip
COMMANDS = {
    "u": "undo", "a": "anchor", "r": "recommend", "?": "help", "h": "help", "q": "quit",
    "undo": "undo", "anchor": "anchor", "recommend": "recommend", "help": "help", "quit": "quit",
}  # fmt: skip
HELP = """\
  1 or left     the first is better          u   undo the last answer or anchor
  2 or right    the second is better         a   mark a design that you know well
  = or t        they are alike               r   recommend a design
  s             skip: cannot say             q   quit; all answers are stored"""
_PROMPT = "1 or 2?  = alike  s skip  u undo  a anchor  r recommend  ? help  q quit"
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")


def run(db: str | None, study: str, participant: str, console: Console | None = None, keys: Keys | None = None) -> None:
    """Ask and record until someone quits."""
    console = make_console() if console is None else console
    keys = Keys(console) if keys is None else keys
    with opened(db, look_ahead=keys.is_terminal) as studies:
        id = found(studies, study)
        session = Session(studies, id, participant, console, keys)
        try:
            session.play()
        except KeyboardInterrupt:
            console.print()
        again = f"anchorpbo duel {id}" + ("" if participant == OWNER else f" --participant {shlex.quote(participant)}")
        again += option(db)
        console.print(
            Text(f"{format_count(session.stored, 'answer')} stored in this sitting. Go on with {plain(again)}")
        )


class Session:
    """One sitting of one participant."""

    def __init__(self, studies: StudyService, id: str, participant: str, console: Console, keys: Keys) -> None:
        self.studies, self.id, self.participant = studies, id, participant
        self.console, self.keys = console, keys
        self.stored = 0
        """Answers in this sitting, without those taken back."""

    def play(self) -> None:
        """Ask until someone quits or there is nothing left to ask."""
        self._welcome()
        while True:
            try:
                with self.console.status("Choosing two designs"):
                    duel = self.studies.ask(self.id, self.participant)
            except NothingLeftError as problem:
                self._say(problem)
                return
            self._show(duel)
            if not self._answered(duel):
                return

    def _welcome(self) -> None:
        view = self.studies.show(self.id)
        self.console.print(Text(plain(view.name), "bold"))
        if view.description:
            self.console.print(Text(plain(view.description)))
        if not self.studies.anchors(self.id, self.participant):
            self.console.print("No anchors yet: with a you mark designs that you know well.")
        if {"template", "svg", "image", "smiles"} & set(view.display):
            self.console.print(Text("Its designs have pictures; anchorpbo serve shows them.", "dim"))

    def _show(self, duel: DuelView) -> None:
        self.console.print(Text(f"\nDuel {duel.answers + 1}. {duel.why} {duel.progress.sentence}", "cyan"))
        self.console.print(duel_table(duel.cards), soft_wrap=False)
        self.console.print(Text(_PROMPT, "dim"))

    def _answered(self, duel: DuelView) -> bool:
        """Read keys until the duel is answered or taken back; False to leave."""
        began, undisturbed = perf_counter(), True
        while True:
            key = self.keys.key()
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
                    self.console.print(Text(f"{plain(key)!r} means nothing here:"))
                self._other(command, duel)
            except ConflictError as problem:  # answered elsewhere, or nothing to take back
                self._say(problem)
                return True
            except DataError:
                raise
            except AnchorPBOError as problem:
                self._say(problem)
            undisturbed = False  # how long it took to decide is no longer known
            self.console.print(Text(_PROMPT, "dim"))

    def _answer(self, duel: DuelView, outcome: Outcome, took: int | None) -> None:
        words = {"first": "1 is better", "second": "2 is better", "tie": "alike", "skip": "skipped"}
        self.studies.answer(self.id, duel.id, outcome, took, self.participant)
        self.stored += 1
        self.console.print(Text(f"-> {words[outcome]}"))

    def _undo(self) -> None:
        event = self.studies.undo(self.id, self.participant).event
        answered = event["type"] == "answered"
        self.stored -= answered and self.stored > 0
        what = f"the answer {event['outcome']!r}" if answered else "the last change of anchors"
        self.console.print(Text(f"Taken back: {what}."))

    def _other(self, command: str | None, duel: DuelView) -> None:
        if command == "recommend":
            best = self.studies.recommendation(self.id, self.participant)
            print_recommendation(self.console, self.studies, self.id, best)
        elif command == "anchor":
            design = self._known_design(duel)
            if design is not None:
                anchors = self.studies.add_anchor(self.id, design, self.participant)
                self.console.print(Text(f"Marked; {format_count(len(anchors), 'anchor')} now."))
        else:
            self.console.print(Text(HELP))

    # -- anchors ------------------------------------------------------------------------------------------------------

    def _known_design(self, duel: DuelView) -> Design | None:
        """The design that someone knows well; None where they think better of it."""
        answer = self.keys.line(
            "Which do you know well: 1, 2, or v for values of your own? Then Enter, alone for none:"
        )
        if not answer:
            return None
        if answer in ("1", "2"):
            return duel.first if answer == "1" else duel.second
        if answer.lower() != "v":
            raise InputError("an anchor must be 1, 2 or v", repr(answer), "press a again")
        return self._entered(duel.first)

    def _entered(self, model: Mapping[str, Any]) -> Design | None:
        space = self.studies.definition(self.id).space
        if isinstance(space, Catalogue):
            value = self.keys.line(f"{plain(space.key)}:")
            return None if not value else space.check({space.key: _like(value, model[space.key])})
        view = self.studies.show(self.id)
        labels, units = view.display.get("labels", {}), view.display.get("units", {})
        design: Design = {}
        for parameter in view.space["parameters"]:
            name = parameter["name"]
            if parameter["kind"] == "constant":
                design[name] = model[name]
                continue
            unit = f" {units[name]}" if name in units else ""
            text = self.keys.line(f"{plain(labels.get(name, name))} ({_offered(parameter)}{plain(unit)}):")
            if not text:
                self.console.print("Nothing was marked.")
                return None
            design[name] = _read(parameter, text)
        return space.check(design)

    def _say(self, problem: AnchorPBOError) -> None:
        self.console.print(Text(plain(problem), "yellow"))


def _offered(parameter: Mapping[str, Any]) -> str:
    if "values" in parameter:
        return ", ".join(plain(value) for value in parameter["values"])
    return f"{parameter['low']:g} to {parameter['high']:g}" if "low" in parameter else "yes or no"


def _read(parameter: Mapping[str, Any], text: str) -> Any:
    """The value that a text stands for; what it cannot stand for is left to the space to refuse."""
    if "values" in parameter:
        return next((value for value in parameter["values"] if str(value).casefold() == text.casefold()), text)
    if parameter["kind"] == "boolean":
        word = text.casefold()
        return True if word in _YES else False if word in _NO else text
    return _like(text, 0 if parameter["kind"] == "integer" else 0.0)


def _like(text: str, model: Any) -> Any:
    """A text as a value of the same type as another one, where it can be."""
    try:
        return type(model)(text) if isinstance(model, int | float) and not isinstance(model, bool) else text
    except ValueError:
        return text
