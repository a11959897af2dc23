"""A participant's session: the state of one participant in a study, replayed from their events in its journal.

::

    Asked                                          the duel is pending until it is answered
    Answered                                       the optimizer records it; the duel is no longer pending
    Preferred, AnchorAdded, AnchorRemoved          the optimizer records it
    AnchorNamed                                    the anchor's name changes; the optimizer does not know it
    Undone                                         the optimizer undoes its last event; the duel of an undone answer is
                                                   pending again
    others                                         nothing changes

A session only holds state. The use cases in `anchorpbo.app.service` decide and write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock, Semaphore

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.events import AnchorNamed, Asked, StudyEvent, Undone, read_event
from anchorpbo.app.storage.journal import Entry, is_informative, list_standing
from anchorpbo.errors import InputError, RunError
from anchorpbo.space import Design
from anchorpbo.study import Duel, Optimizer
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Event, Judgement, Preferred

MAX_REQUESTS_PER_PARTICIPANT = 16
"""Maximum number of requests that hold or wait for one session's lock, so that other participants get their turn."""


@dataclass(frozen=True)
class NamedMark:
    """A marked design: whether its participant could judge it well, and what they call it."""

    design: Design
    name: str | None
    """``None`` for a mark without a name."""
    judgement: Judgement = "yes"


class ParticipantSession:
    """State of one participant in a study: the optimizer, the pending duel and the answers that were not undone."""

    def __init__(self, definition: StudyDefinition, name: str) -> None:
        self.name = name
        self.optimizer: Optimizer = definition.make_optimizer(name)
        self.seen: int = 0
        """Number of the last entry that was replayed."""
        self.pending: Duel | None = None
        """The duel that was asked and is not answered yet."""
        self.events: dict[int, Event] = {}
        """The optimizer's events by the numbers of their entries, oldest first."""
        self.answers: dict[str, int] = {}
        """Numbers of the answers among them, by duel id."""
        self.response_ms: dict[int, int] = {}
        """Response times in milliseconds, as far as they are known, by the numbers of their answers' entries."""
        self.undone: set[int] = set()
        """Numbers of the events that were undone."""
        self.lock = RLock()
        """Held by every request that reads, decides and writes, and by the scheduler."""
        self._slots = Semaphore(MAX_REQUESTS_PER_PARTICIPANT)
        self._asked: dict[str, Duel] = {}
        self._namings: dict[int, AnchorNamed] = {}

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
    def last_number(self) -> int | None:
        """Number of the event that the next undo removes, ``None`` if there is none."""
        return next(reversed(self.events), None)

    @property
    def anchors(self) -> list[NamedMark]:
        """The anchors among the marks."""
        return [one for one in self.marks if one.judgement == "yes"]

    @property
    def marks(self) -> list[NamedMark]:
        """All marked designs of the optimizer, whatever the judgement, with their names.

        The newest entry that marks or names a design counts; a mark that was undone does not.
        """
        marks = {number: event for number, event in self.events.items() if isinstance(event, AnchorAdded)}
        names = {_make_key(event.design): event.name for _, event in sorted((marks | self._namings).items())}
        return [
            NamedMark(mark.design, names.get(_make_key(mark.design)), mark.judgement)
            for mark in self.optimizer.anchor_marks
        ]

    def find_duel(self, duel_id: str) -> Duel | None:
        """Return the duel with this id, pending or not, or ``None`` if it was never asked."""
        return self._asked.get(duel_id)

    def replay(self, entries: Iterable[Entry]) -> None:
        """Apply entries of this participant in order."""
        for entry in entries:
            try:
                self.apply(read_event(entry, self.optimizer.space, self._asked), entry.number, entry.response_ms)
            except (KeyError, TypeError) as error:
                rule = f"entry {entry.number} of type {entry.type} must be complete"
                raise InputError(rule, f"a missing or invalid {error}", "import a complete export") from error

    def replay_untrusted(self, entries: Iterable[Entry]) -> None:
        """Apply entries from an untrusted source; raise unless this study could have asked each of their duels."""
        for entry in entries:
            self.replay([entry])
            if entry.type == "asked" and self.pending is not None:
                if not isinstance(self.pending.why, str):
                    raise InputError("why must be a text", repr(self.pending.why), "import a complete export")
                self.optimizer.validate(Answered.of(self.pending, "skip"))

    @property
    def seconds(self) -> list[float | None]:
        """Response time of each event of the optimizer in seconds; ``None`` where unknown."""
        times = [self.response_ms.get(number) for number in self.events]
        return [None if each is None else each / 1000.0 for each in times]

    def apply(self, event: StudyEvent, number: int, response_ms: int | None = None) -> None:
        """Apply an event of this participant, whose entry has this number and this response time."""
        match event:
            case Asked(duel):
                self._asked[duel.id] = self.pending = duel
            case Undone(undone):
                self._undo(undone, number)
            case AnchorNamed():
                self._namings[number] = event
            case Answered() | Preferred() | AnchorAdded() | AnchorRemoved():
                self.optimizer.record(event)
                self.events[number] = event
                if isinstance(event, Answered):
                    self.answers[event.duel] = number
                    self.pending = None
                    if response_ms is not None:
                        self.response_ms[number] = response_ms
        self.seen = number

    def _undo(self, undone: int, number: int) -> None:
        if undone != self.last_number:
            rule = f"entry {number} must undo the last entry that was not undone"
            raise InputError(rule, undone, "import a complete export")
        self.optimizer.undo()
        event = self.events.pop(undone)
        self.undone.add(undone)
        self.response_ms.pop(undone, None)
        if isinstance(event, Answered):
            del self.answers[event.duel]
            self.pending = self._asked[event.duel]


def _make_key(design: Design) -> str:
    """Return a text that is the same for equal designs of one space."""
    return json.dumps(design, sort_keys=True)


def count_by_participant(entries: Iterable[Entry]) -> dict[str, tuple[int, int]]:
    """Count the informative answers and the anchors per participant from the journal, without a replay."""
    answers: dict[str, int] = {}
    anchors: dict[str, set[frozenset[tuple[str, object]]]] = {}
    for entry in list_standing(entries):
        who = entry.participant
        answers[who] = answers.get(who, 0) + is_informative(entry.type, entry.data)
        theirs = anchors.setdefault(who, set())
        if entry.type in ("anchor_added", "anchor_removed"):
            design = frozenset(entry.data["design"].items())  # 1 and 1.0 are equal, as in other programs
            theirs.discard(design)
            if entry.type == "anchor_added" and entry.data.get("judgement", "yes") == "yes":
                theirs.add(design)
    return {who: (count, len(anchors[who])) for who, count in answers.items()}
