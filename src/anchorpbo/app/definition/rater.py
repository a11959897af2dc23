"""One participant's side of a study: a replay of their entries in its journal, kept up with it.

::

    asked        the duel is out until it is answered
    answered     told to the optimizer; the duel is no longer out
    undone       what it names is taken back; the duel of an answer is out again
    commented    only kept

A rater decides nothing and writes nothing: `anchorpbo.app.service.studies` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock, Semaphore
from typing import Any

from anchorpbo.app.definition.definition import Definition
from anchorpbo.app.storage.journal import Entry, is_informative
from anchorpbo.errors import InputError, RunError
from anchorpbo.space import DesignSpace
from anchorpbo.study import Duel, Optimizer
from anchorpbo.study.duel import Outcome, parse_outcome

MOST_WAITING = 16
"""Requests for one participant: more would keep everyone else waiting."""


@dataclass(frozen=True)
class Answer:
    """An answer that stands."""

    number: int
    """Of its entry."""
    duel: Duel
    outcome: Outcome


class Rater:
    """What one participant was asked and said."""

    def __init__(self, definition: Definition, name: str) -> None:
        self.name = name
        self.optimizer: Optimizer = definition.optimizer(name)
        self.seen: int = 0
        """Number of the last entry that was read."""
        self.pending: Duel | None = None
        """The duel that is out."""
        self.answers: dict[str, Answer] = {}
        """Answers that stand, by duel."""
        self.lock = RLock()
        """Held by whoever reads, decides and writes, and by whoever looks ahead."""
        self._room = Semaphore(MOST_WAITING)
        self._asked: dict[str, Duel] = {}
        self._standing: list[Entry] = []
        self._undone: dict[int, Entry] = {}

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn to read, decide and write; not behind too many others."""
        if not self._room.acquire(blocking=False):
            raise RunError("too many requests wait for this participant", MOST_WAITING, "try again in a moment")
        try:
            with self.lock:
                yield
        finally:
            self._room.release()

    @property
    def last(self) -> Entry | None:
        """The entry that an undo would take back."""
        return self._standing[-1] if self._standing else None

    @property
    def standing(self) -> tuple[Entry, ...]:
        """Entries that the optimizer knows of: answers and changes of anchors, without those taken back."""
        return tuple(self._standing)

    def was_undone(self, number: int) -> Entry | None:
        """The entry of this number, where it was taken back."""
        return self._undone.get(number)

    def was_asked(self, duel_id: str) -> Duel | None:
        """The duel of this id, whether it is still out or not."""
        return self._asked.get(duel_id)

    def read(self, entries: Iterable[Entry]) -> None:
        """Take in entries of this participant, in their order."""
        for entry in entries:
            try:
                self._take(entry)
            except (KeyError, TypeError) as problem:
                rule = f"entry {entry.number} of type {entry.type} must be complete"
                raise InputError(rule, f"trouble with {problem}", "import a complete export") from problem
            self.seen = entry.number

    def vet(self, entries: Iterable[Entry]) -> None:
        """Take in entries that may come from anywhere: a duel in them must be one that this study asks."""
        for entry in entries:
            self.read([entry])
            if entry.type == "asked" and self.pending is not None:
                if not isinstance(self.pending.why, str):
                    raise InputError("why must be a text", repr(self.pending.why), "import a complete export")
                self.rehearse(replace(entry, type="answered", data={**entry.data, "outcome": "skip"}))

    def rehearse(self, entry: Entry) -> None:
        """Raise where an answer or a change of anchors would not be taken in; nothing changes."""
        data = entry.data
        if entry.type == "anchor_added":
            self.optimizer.add_anchor(data["design"])
        elif entry.type == "anchor_removed":
            self.optimizer.remove_anchor(data["design"])
        else:
            self._tell(entry)
        self.optimizer.undo()

    def _take(self, entry: Entry) -> None:
        data = entry.data
        if entry.type == "asked":
            duel = duel_of(data, self.optimizer.space)
            self._asked[duel.id], self.pending = duel, duel
        elif entry.type == "answered":
            self._answer(entry)
        elif entry.type == "anchor_added":
            self.optimizer.add_anchor(data["design"])
            self._standing.append(entry)
        elif entry.type == "anchor_removed":
            self.optimizer.remove_anchor(data["design"])
            self._standing.append(entry)
        elif entry.type == "undone":
            self._undo(entry)

    def _answer(self, entry: Entry) -> None:
        duel = self._tell(entry)
        if duel is not None:
            self.answers[duel.id] = Answer(entry.number, duel, parse_outcome(entry.data["outcome"]))
            self.pending = None
        self._standing.append(entry)

    def _tell(self, entry: Entry) -> Duel | None:
        """Tell the optimizer of an answer; return the duel, where it was one of ours."""
        data, outcome = entry.data, parse_outcome(entry.data["outcome"])
        if data.get("imported"):
            if outcome == "skip":
                raise InputError("a comparison from elsewhere must have an outcome", "skip", "leave it out")
            winner, loser = (data["second"], data["first"]) if outcome == "second" else (data["first"], data["second"])
            self.optimizer.tell_preference(winner, loser, tie=outcome == "tie")
            return None
        duel = self._asked[data["duel_id"]]
        space = self.optimizer.space
        if (space.check(data["first"]), space.check(data["second"])) != (duel.first, duel.second):
            raise InputError("an answer must be to the duel as it was asked", repr(duel.id), "import a complete export")
        self.optimizer.tell(duel, outcome)
        return duel

    def _undo(self, entry: Entry) -> None:
        last = self.last
        if last is None or entry.data["event"] != last.number:
            rule = f"entry {entry.number} must take back the last one that stands"
            raise InputError(rule, entry.data["event"], "import a complete export")
        self.optimizer.undo()
        self._standing.pop()
        self._undone[last.number] = last
        if last.type == "answered" and not last.data.get("imported"):
            self.pending = self.answers.pop(last.data["duel_id"]).duel


def duel_data(duel: Duel) -> dict[str, Any]:
    """A duel as an ``asked`` entry holds it."""
    return {"duel_id": duel.id, "first": duel.first, "second": duel.second, "why": duel.why, "gain": duel.gain}


def duel_of(data: Mapping[str, Any], space: DesignSpace) -> Duel:
    """The duel of an ``asked`` entry, its numbers as the space has them: JavaScript writes 1.0 as 1."""
    first, second = (space.check(data[side]) for side in ("first", "second"))
    gain = data["gain"]
    return Duel(data["duel_id"], first, second, data["why"], None if gain is None else float(gain))


def counts(entries: Iterable[Entry]) -> dict[str, tuple[int, int]]:
    """Informative answers and anchors of each participant, by the journal alone: no replay is needed to count."""
    entries = list(entries)
    undone = {entry.data.get("event") for entry in entries if entry.type == "undone"}
    found: dict[str, tuple[int, int]] = {}
    for entry in entries:
        answers, anchors = found.get(entry.participant, (0, 0))
        if entry.number not in undone:
            answers += is_informative(entry.type, entry.data)
            anchors += (entry.type == "anchor_added") - (entry.type == "anchor_removed")
        found[entry.participant] = answers, anchors
    return found
