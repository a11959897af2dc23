"""A participant's session: the state of one participant in a study, replayed from their entries in its journal.

::

    asked                          the duel is pending until it is answered
    answered                       the answer goes to the optimizer; the duel is no longer pending
    anchor_added, anchor_removed   the change goes to the optimizer
    anchor_named                   the anchor's name changes; the optimizer does not know names
    undone                         the named entry is undone; the duel of an undone answer is pending again
    commented                      the comment is only stored

A session only holds state. The use cases in `anchorpbo.app.service` decide and write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock, Semaphore
from typing import Any

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.storage.journal import Entry, is_informative
from anchorpbo.errors import InputError, RunError
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study import Duel, Optimizer
from anchorpbo.study.duel import Outcome, parse_outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Event, Preferred

MAX_REQUESTS_PER_PARTICIPANT = 16
"""Maximum number of requests that hold or wait for one session's lock, so that other participants get their turn."""


@dataclass(frozen=True)
class RecordedAnswer:
    """An answer that was not undone."""

    number: int
    """Number of its entry."""
    duel: Duel
    outcome: Outcome


@dataclass(frozen=True)
class NamedAnchor:
    """An anchor and what its participant calls it."""

    design: Design
    name: str | None
    """``None`` for an anchor without a name."""


class ParticipantSession:
    """State of one participant in a study: the optimizer, the pending duel and the answers that were not undone."""

    def __init__(self, definition: StudyDefinition, name: str) -> None:
        self.name = name
        self.optimizer: Optimizer = definition.make_optimizer(name)
        self.seen: int = 0
        """Number of the last entry that was replayed."""
        self.pending: Duel | None = None
        """The duel that was asked and is not answered yet."""
        self.answers: dict[str, RecordedAnswer] = {}
        """Answers that were not undone, by duel id."""
        self.lock = RLock()
        """Held by every request that reads, decides and writes, and by the scheduler."""
        self._slots = Semaphore(MAX_REQUESTS_PER_PARTICIPANT)
        self._asked: dict[str, Duel] = {}
        self._active: list[Entry] = []
        self._namings: list[Entry] = []
        self._undone: dict[int, Entry] = {}

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """Hold the lock; raise `RunError` if too many requests wait for it."""
        if not self._slots.acquire(blocking=False):
            raise RunError(
                "too many requests wait for this participant", MAX_REQUESTS_PER_PARTICIPANT, "try again in a moment"
            )
        try:
            with self.lock:
                yield
        finally:
            self._slots.release()

    @property
    def last_entry(self) -> Entry | None:
        """The entry that the next undo removes."""
        return self._active[-1] if self._active else None

    @property
    def active_entries(self) -> tuple[Entry, ...]:
        """Entries that the optimizer has seen: answers and changes of anchors that were not undone."""
        return tuple(self._active)

    @property
    def anchors(self) -> list[NamedAnchor]:
        """The anchors of the optimizer, with their names.

        The newest entry that marks or names a design counts; a mark that was undone does not.
        """
        space, names = self.optimizer.space, dict[str, str | None]()
        marks = [entry for entry in self._active if entry.type == "anchor_added"]
        for entry in sorted([*marks, *self._namings], key=lambda entry: entry.number):
            names[_make_key(space.check(entry.data["design"]))] = entry.data.get("name")
        return [NamedAnchor(design, names.get(_make_key(design))) for design in self.optimizer.anchors]

    def find_undone(self, number: int) -> Entry | None:
        """Return the entry with this number if it was undone, else ``None``."""
        return self._undone.get(number)

    def find_duel(self, duel_id: str) -> Duel | None:
        """Return the duel with this id, pending or not, or ``None`` if it was never asked."""
        return self._asked.get(duel_id)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Apply entries of this participant in order."""
        for entry in entries:
            try:
                self._apply(entry)
            except (KeyError, TypeError) as error:
                rule = f"entry {entry.number} of type {entry.type} must be complete"
                raise InputError(rule, f"a missing or invalid {error}", "import a complete export") from error
            self.seen = entry.number

    def replay_untrusted(self, entries: Iterable[Entry]) -> None:
        """Apply entries from an untrusted source; raise unless this study could have asked each of their duels."""
        for entry in entries:
            self.replay([entry])
            if entry.type == "asked" and self.pending is not None:
                if not isinstance(self.pending.why, str):
                    raise InputError("why must be a text", repr(self.pending.why), "import a complete export")
                self.optimizer.validate(Answered.of(self.pending, "skip"))

    def validate(self, entry: Entry) -> None:
        """Raise if an answer or a change of anchors would be rejected; the session does not change."""
        self.optimizer.validate(self._read_event(entry))

    def _apply(self, entry: Entry) -> None:
        if entry.type == "asked":
            duel = duel_from_data(entry.data, self.optimizer.space)
            self._asked[duel.id], self.pending = duel, duel
        elif entry.type == "undone":
            self._undo(entry)
        elif entry.type == "anchor_named":
            self.optimizer.space.check(entry.data["design"])
            self._namings.append(entry)
        elif entry.type in ("answered", "anchor_added", "anchor_removed"):
            event = self._read_event(entry)
            self.optimizer.record(event)
            self._active.append(entry)
            if isinstance(event, Answered):
                self.answers[event.duel] = RecordedAnswer(entry.number, self._asked[event.duel], event.outcome)
                self.pending = None

    def _read_event(self, entry: Entry) -> Event:
        """Return the event of an answer or a change of anchors."""
        data = entry.data
        if entry.type != "answered":
            kind = AnchorAdded if entry.type == "anchor_added" else AnchorRemoved
            return kind(data["design"])
        outcome = parse_outcome(data["outcome"])
        if data.get("imported"):
            if outcome == "skip":
                raise InputError("a comparison from elsewhere must have an outcome", "skip", "leave it out")
            winner, loser = (data["second"], data["first"]) if outcome == "second" else (data["first"], data["second"])
            return Preferred(winner, loser, outcome == "tie")
        duel, space = self._asked[data["duel_id"]], self.optimizer.space
        if (space.check(data["first"]), space.check(data["second"])) != (duel.first, duel.second):
            raise InputError("an answer must have the designs of its duel", repr(duel.id), "import a complete export")
        return Answered.of(duel, outcome)

    def _undo(self, entry: Entry) -> None:
        last = self.last_entry
        if last is None or entry.data["event"] != last.number:
            rule = f"entry {entry.number} must undo the last entry that was not undone"
            raise InputError(rule, entry.data["event"], "import a complete export")
        self.optimizer.undo()
        self._active.pop()
        self._undone[last.number] = last
        if last.type == "answered" and not last.data.get("imported"):
            self.pending = self.answers.pop(last.data["duel_id"]).duel


def _make_key(design: Design) -> str:
    """Return a text that is the same for equal designs of one space."""
    return json.dumps(design, sort_keys=True)


def duel_to_data(duel: Duel) -> dict[str, Any]:
    """Convert a duel to the data of an ``asked`` entry."""
    return {"duel_id": duel.id, "first": duel.first, "second": duel.second, "why": duel.why, "gain": duel.gain}


def duel_from_data(data: Mapping[str, Any], space: DesignSpace) -> Duel:
    """Convert the data of an ``asked`` entry to a duel. The space sets the number types: JavaScript writes 1.0 as 1."""
    first, second = (space.check(data[side]) for side in ("first", "second"))
    gain = data["gain"]
    return Duel(data["duel_id"], first, second, data["why"], None if gain is None else float(gain))


def count_by_participant(entries: Iterable[Entry]) -> dict[str, tuple[int, int]]:
    """Count the informative answers and the anchors per participant from the journal, without a replay."""
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
