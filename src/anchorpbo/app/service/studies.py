"""The use cases. Each reads the journal, decides, and adds to the journal; what it returns is plain data.

Nothing is remembered that storage does not hold: raters are replays that are kept up with it, so that several
processes can serve the same studies.
"""

from __future__ import annotations

import json
import random
import secrets
import string
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TypeVar

from anchorpbo.app.definition.definition import LONGEST_NAME, LONGEST_TEXT, OPTIONS, Definition, text
from anchorpbo.app.definition.plain import check_plain, refusing
from anchorpbo.app.definition.rater import Rater, counts, duel_data
from anchorpbo.app.rendering.cards import Card, make_card
from anchorpbo.app.rendering.pictures import Picture, sent_picture
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service.agreement import Agreement, Side, agreement
from anchorpbo.app.service.checks import Checks
from anchorpbo.app.service.maps import Map, draw_map
from anchorpbo.app.service.people import People
from anchorpbo.app.service.views import (
    AnswerView,
    Design,
    DuelView,
    JSONObject,
    ParticipantView,
    RecommendationView,
    StudyLine,
    StudyView,
    UndoView,
)
from anchorpbo.app.storage.base import Storage, StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry, EntryType
from anchorpbo.errors import AnchorPBOError, ConflictError, InputError, RunError, UnknownStudyError
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.study import Duel
from anchorpbo.study.duel import parse_outcome

T = TypeVar("T")

MOST_RATERS = 256
"""Kept up with the journal; others are replayed when they are needed."""
MOST_PICTURES = 4
"""Studies whose pictures are kept in memory, up to 8 MB each."""
MOST_PROPOSALS = 50
LONGEST_RESPONSE = 7 * 24 * 3600 * 1000
"""Milliseconds; a week."""
RETRY_SECONDS = 10.0
"""Seconds for which a write is tried again while other processes write for the same participant."""
_MAX_BACKOFF_SECONDS = 0.05
_ALPHABET = string.ascii_lowercase + string.digits

Decision = tuple[Sequence[Entry], T]
"""Entries to add, and what to return once they are."""


class Studies:
    """All studies of one storage. Safe to use from several threads."""

    def __init__(self, storage: Storage, *, ahead: Scheduler | None = None, checks: Checks | None = None) -> None:
        self.storage = storage
        self.checks = Checks() if checks is None else checks
        self.people = People(storage)
        self._ahead = ahead
        self._definitions: OrderedDict[str, Definition] = OrderedDict()
        self._pictures: OrderedDict[str, Mapping[str, str]] = OrderedDict()
        self._raters: OrderedDict[tuple[str, str], Rater] = OrderedDict()
        self._lock = Lock()

    # -- studies ------------------------------------------------------------------------------------------------------

    def create(self, request: Mapping[str, Any], folder: str | None = None, *, trusted: bool = False) -> StudyView:
        """Make a study, see `Definition` for what it takes; a trusted request is checked in this process."""
        definition = Definition.from_request(request, folder) if trusted else self.checks.define(request, folder)
        marks = [_entry("anchor_added", OWNER, {"design": design}) for design in definition.anchors]
        return self._keep(definition, [_entry("created", OWNER, {"name": definition.name}), *marks])

    def studies(self) -> list[StudyLine]:
        """All studies, the newest first."""
        return [StudyLine(one.id, one.name, _iso(one.created), _iso(one.updated or one.created), one.answers)
                for one in self.storage.studies()]  # fmt: skip

    def show(self, id: str) -> StudyView:
        """One study."""
        info, definition = self.storage.study(id), self.definition(id)
        return StudyView(
            id=info.id,
            name=info.name,
            description=definition.description,
            example=definition.example,
            created=_iso(info.created),
            updated=_iso(info.updated or info.created),
            answers=info.answers,
            participants=self.people.present(id),
            space=dict(definition.engine["space"]),
            display=definition.words,
            options={name: definition.engine.get(name) for name in OPTIONS},
        )

    def pictures(self, id: str) -> Mapping[str, str]:
        """Data URLs of the pictures that were sent with a study, by their names."""
        with self._lock:
            if id in self._pictures:
                self._pictures.move_to_end(id)
                return self._pictures[id]
        found: Mapping[str, str] = self.storage.definition(id)["display"].get("pictures", {})
        with self._lock:
            return _remember(self._pictures, id, found, MOST_PICTURES)

    def picture(self, id: str, name: str) -> Picture | None:
        """A picture that was sent with a study."""
        address = self.pictures(id).get(name)
        return None if address is None else sent_picture(name, address)

    def cards(self, id: str, designs: Sequence[Mapping[str, Any]]) -> list[Card]:
        """Designs as people see them."""
        self.check(id)  # a definition is remembered, also of a study that another process has deleted
        return self._cards(id, [self._checked(id, design) for design in designs])

    def delete(self, id: str) -> None:
        """Forget a study for good."""
        self.storage.delete(id)
        with self._lock:
            self._definitions.pop(id, None)
            self._pictures.pop(id, None)
            for key in [key for key in self._raters if key[0] == id]:
                del self._raters[key]

    # -- the loop -----------------------------------------------------------------------------------------------------

    def ask(self, id: str, participant: str = OWNER) -> DuelView:
        """The duel that is out; where there is none, the next one."""

        def decide(rater: Rater) -> Decision[DuelView]:
            if rater.pending is not None:
                return [], self._duel(id, rater, rater.pending)
            if self._ahead is not None:
                self._ahead.fetch((id, participant), self.definition(id), rater)
            duel = rater.optimizer.ask()
            return [_entry("asked", participant, duel_data(duel))], self._duel(id, rater, duel)

        _, duel = self._write(id, participant, decide, read_first=False)
        self._look_ahead(id, participant)
        return duel

    def answer(
        self, id: str, duel_id: str, outcome: str, response_ms: int | None = None, participant: str = OWNER
    ) -> AnswerView:
        """Record an answer. The same answer again changes nothing; another one to the same duel is refused."""
        outcome = parse_outcome(outcome)
        if response_ms is not None and not 0 <= response_ms <= LONGEST_RESPONSE:
            raise InputError("response_ms must be from 0 to a week", response_ms, "leave it out where it is unknown")

        def decide(rater: Rater) -> Decision[AnswerView]:
            earlier = rater.answers.get(duel_id)
            if earlier is not None:
                if earlier.outcome != outcome:
                    rule = f"this duel was answered before, with {earlier.outcome!r}: one answer counts"
                    raise ConflictError(rule, repr(outcome), "go on with the next duel, or undo that answer first")
                return [], AnswerView(duel_id, outcome, len(rater.optimizer), True, earlier.number)
            duel = rater.pending
            if duel is None or duel.id != duel_id:
                if rater.was_asked(duel_id) is None:
                    raise UnknownStudyError("a duel must have been asked", repr(duel_id), "ask for one first")
                raise ConflictError("this duel is no longer asked", repr(duel_id), "ask for the one that is")
            data = {"duel_id": duel.id, "first": duel.first, "second": duel.second, "outcome": outcome}
            entry = _entry("answered", participant, data, response_ms)
            rater.rehearse(entry)
            informative = len(rater.optimizer) + (outcome != "skip")
            return [entry], AnswerView(duel_id, outcome, informative, False, 0)

        written, view = self._write(id, participant, decide, read_first=False)
        return replace(view, event=written[0].number) if written else view

    def undo(self, id: str, participant: str = OWNER, event: int | None = None) -> UndoView:
        """Take back the last answer or change of anchors.

        Where its number is given, this and no other: a request that is sent twice takes back one event.
        """

        def decide(rater: Rater) -> Decision[tuple[Entry, bool]]:
            before = None if event is None else rater.was_undone(event)
            if before is not None:
                return [], (before, True)
            if rater.last is None:
                raise ConflictError("there is nothing to take back", "no answers and no anchors", "answer first")
            if event not in (None, rater.last.number):
                remedy = f"take back event {rater.last.number} first, or see the history"
                raise ConflictError("only the last event that stands can be taken back", event, remedy)
            return [_entry("undone", participant, {"event": rater.last.number})], (rater.last, False)

        undone, repeated = self._act(id, participant, decide)
        rater = self.rater(id, participant)
        with rater.lock:
            pending = None if rater.pending is None else self._duel(id, rater, rater.pending)
        self._look_ahead(id, participant)
        return UndoView(undone.to_dict(), pending, repeated)

    def comment(self, id: str, words: str, event: int | None = None, participant: str = OWNER) -> JSONObject:
        """Keep a remark, about an entry of the journal or about the study."""
        words = text("a comment", words, LONGEST_TEXT, needed=True)
        if event is not None and not any(entry.number == event for entry in self.storage.entries(id)):
            raise UnknownStudyError("a comment must be about an event there is", event, "see the history")
        entry = _entry("commented", participant, {"text": words, "event": event})
        (written,), _ = self._write(id, participant, lambda rater: ([entry], None))
        return written.to_dict()

    def history(self, id: str, participant: str | None = None) -> list[JSONObject]:
        """The journal, oldest first; entries that were taken back say so."""
        self.check(id, participant)
        entries = self.storage.entries(id, participant)
        undone = {entry.data.get("event") for entry in entries if entry.type == "undone"}
        return [entry.to_dict() | {"stands": entry.number not in undone} for entry in entries]

    # -- anchors ------------------------------------------------------------------------------------------------------

    def anchors(self, id: str, participant: str = OWNER) -> list[Design]:
        """Designs this participant knows well."""
        return self._look(id, participant, lambda rater: rater.optimizer.anchors)

    def add_anchor(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> list[Design]:
        """Mark a design as well known."""
        return self._mark(id, "anchor_added", design, participant)

    def remove_anchor(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> list[Design]:
        """Take a mark back."""
        return self._mark(id, "anchor_removed", design, participant)

    def propose_anchors(self, id: str, n: int, participant: str = OWNER) -> list[Design]:
        """Designs to ask about, spread over the space: could you judge this one well, yes or no."""
        if not 1 <= n <= MOST_PROPOSALS:
            raise InputError(f"n must be from 1 to {MOST_PROPOSALS}", n, "ask for fewer")
        return self._look(id, participant, lambda rater: rater.optimizer.propose_anchors(n))

    def has_begun(self, id: str, participant: str = OWNER) -> bool:
        """Whether this participant was asked about a pair."""
        return self._look(id, participant, lambda rater: rater.pending is not None or bool(rater.answers))

    # -- results ------------------------------------------------------------------------------------------------------

    def recommendation(self, id: str, participant: str = OWNER, risk_weight: float | None = None) -> RecommendationView:
        """The design to take, by what this participant said."""

        def look(rater: Rater) -> RecommendationView:
            found = vars(rater.optimizer.recommend(risk_weight))
            found |= {name: list(found[name]) for name in ("interval", "credible_set", "credible_probabilities")}
            return RecommendationView(**found, answers=len(rater.optimizer))

        return self._look(id, participant, look)

    def map(
        self, id: str, participant: str = OWNER, at: Mapping[str, Any] | None = None,
        x: str | None = None, y: str | None = None, strongest: bool = False,
    ) -> Map:  # fmt: skip
        """Grids for plots, see `anchorpbo.app.service.maps`."""
        here = None if at is None else self._checked(id, at)
        return self._look(id, participant, lambda rater: draw_map(rater, here, x, y, strongest))

    def answers(self, id: str, participant: str = OWNER) -> int:
        """Informative answers of this participant that stand."""
        return self._look(id, participant, lambda rater: len(rater.optimizer))

    def convergence(self, id: str, participant: str = OWNER) -> list[float | None]:
        """What each duel was expected to bring, in the order of the answers that stand."""

        def look(rater: Rater) -> list[float | None]:
            return [event.get("gain") for event in rater.optimizer.history if event["type"] == "answered"]

        return self._look(id, participant, look)

    def agreement(self, id: str) -> Agreement:
        """How far participants agree."""
        return agreement([self._look(id, name, Side.of) for name in self.people.present(id)])

    # -- coming and going ---------------------------------------------------------------------------------------------

    def export(self, id: str) -> JSONObject:
        """The whole study as plain data, from which `import_study` makes it again."""
        info, kept = self.storage.study(id), self.storage.definition(id)
        kept.pop("folder", None)
        study = {"id": info.id, "created": _iso(info.created), "participants": self.storage.participants(id), **kept}
        return {
            "format": "anchorpbo-journal",
            "version": 1,
            "study": study,
            "events": [entry.to_dict() for entry in self.storage.entries(id)],
        }

    def import_study(self, layout: Any) -> StudyView:
        """Make a study from an export, under a new id; everything in it is checked by replaying it."""
        found = self.checks.export(layout)
        view = self._keep(found.definition, found.entries)
        for name in found.participants:
            self.storage.add_participant(view.id, name)
        return self.show(view.id)

    def import_comparisons(self, id: str, table: Any, participant: str = OWNER) -> int:
        """Take in past comparisons, see `anchorpbo.study.comparisons` for the columns; all of them, or none."""
        found = self.checks.comparisons(table, self.definition(id))
        entries = [
            _entry("answered", participant, {
                "duel_id": None, "first": one.winner, "second": one.loser,
                "outcome": "tie" if one.tie else "first", "imported": True,
            })
            for one in found
        ]  # fmt: skip

        def decide(rater: Rater) -> Decision[int]:
            # Their designs were checked as they were read; what is left to refuse is a kind of outcome.
            for entry in {entry.data["outcome"]: entry for entry in entries}.values():
                rater.rehearse(entry)
            return entries, len(entries)

        return self._act(id, participant, decide)

    # -- people -------------------------------------------------------------------------------------------------------

    def invite(self, id: str, name: str) -> ParticipantView:
        """Let someone take part, with anchors and duels of their own."""
        name = text("a participant's name", name, LONGEST_NAME, needed=True)
        self.storage.add_participant(id, name)
        if not self.people.standing(id, name).present:
            self._manage(id, "invited", name)
        return self._participant(name, counts(self.storage.entries(id, name)))

    def remove(self, id: str, name: str) -> None:
        """Let someone take part no longer: their link is void, and what they said stays in the journal.

        Where they are invited again they go on from there, by another link.
        """
        if name == OWNER:
            raise InputError("the owner cannot be removed", repr(name), "delete the study instead")
        if name not in self.storage.participants(id):
            self.check(id, name)
        if self.people.standing(id, name).present:
            self._manage(id, "removed", name)
        with self._lock:
            self._raters.pop((id, name), None)

    def relink(self, id: str, name: str) -> ParticipantView:
        """Give someone another link; the one they had is void."""
        self.check(id, name)
        if name == OWNER:
            raise InputError("the owner has no link", repr(name), "choose a participant")
        self._manage(id, "relinked", name)
        return self._participant(name, counts(self.storage.entries(id, name)))

    def participants(self, id: str) -> list[ParticipantView]:
        """Who takes part and how far they are."""
        found = counts(self.storage.entries(id))
        return [self._participant(name, found) for name in self.people.present(id)]

    def check(self, id: str, participant: str | None = None) -> None:
        """Raise unless there is such a study, and someone of this name takes part in it."""
        if participant not in (None, *self.people.present(id)):
            raise UnknownStudyError("a participant must take part in the study", repr(participant), "invite them first")

    # -- inside -------------------------------------------------------------------------------------------------------

    def definition(self, id: str) -> Definition:
        """What a study was made with."""
        with self._lock:
            if id in self._definitions:
                self._definitions.move_to_end(id)
                return self._definitions[id]
        definition = Definition.from_dict(self.storage.definition(id), trusted=True).without_pictures()
        with self._lock:
            return _remember(self._definitions, id, definition, MOST_RATERS)

    def rater(self, id: str, participant: str) -> Rater:
        """A participant's side of a study, as far as it was read."""
        with self._lock:
            if (id, participant) in self._raters:
                self._raters.move_to_end((id, participant))
                return self._raters[id, participant]
        self.check(id, participant)
        rater = Rater(self.definition(id), participant)
        with self._lock:
            return _remember(self._raters, (id, participant), rater, MOST_RATERS)

    def _look(self, id: str, participant: str, look: Callable[[Rater], T]) -> T:
        """What a rater says, having read all there is."""
        return self._act(id, participant, lambda rater: ([], look(rater)))

    def _act(self, id: str, participant: str, decide: Callable[[Rater], Decision[T]]) -> T:
        """What was decided, once it is written."""
        return self._write(id, participant, decide)[1]

    def _write(
        self, id: str, participant: str, decide: Callable[[Rater], Decision[T]], *, read_first: bool = True
    ) -> tuple[list[Entry], T]:
        """Read on, decide, write; again from the start where another process wrote in between.

        What mostly leads to an entry need not read first: storage takes an entry only from those who know all there is.
        """
        rater = self.rater(id, participant)
        with rater.turn(), time_limit(MAX_ASK_SECONDS):
            if not read_first and rater.seen:
                try:
                    entries, result = decide(rater)
                    if entries:
                        written = self.storage.append(id, entries, rater.seen)
                        rater.read(written)
                        return written, result
                except RunError:
                    raise
                except AnchorPBOError:  # perhaps by what has changed in the meantime
                    pass
            end, backoff = time.monotonic() + RETRY_SECONDS, 0.001
            while True:
                rater.read(self.storage.entries(id, participant, rater.seen))
                entries, result = decide(rater)
                if not entries:
                    return [], result
                try:
                    written = self.storage.append(id, entries, rater.seen)
                except ConflictError as error:
                    # Another process was faster. Random pauses, so that two do not overtake each other in step.
                    if time.monotonic() >= end:
                        rule = "too many others act for this participant"
                        raise ConflictError(rule, participant, "try again") from error
                    time.sleep(random.uniform(0.0, backoff))
                    backoff = min(2.0 * backoff, _MAX_BACKOFF_SECONDS)
                    continue
                rater.read(written)
                return written, result

    def _mark(self, id: str, kind: EntryType, design: Mapping[str, Any], participant: str) -> list[Design]:
        entry = _entry(kind, participant, {"design": self._checked(id, design)})

        def decide(rater: Rater) -> Decision[None]:
            # Marking twice does no harm, as a request may be sent twice.
            marked = entry.data["design"] in rater.optimizer.anchors
            if marked and kind == "anchor_added":
                return [], None
            if not marked and kind == "anchor_removed":
                raise UnknownStudyError("only an anchor can be removed", entry.data["design"], "see those there are")
            rater.rehearse(entry)
            return [entry], None

        self._act(id, participant, decide)
        self._look_ahead(id, participant)
        return self.anchors(id, participant)

    def _manage(self, id: str, kind: EntryType, name: str) -> None:
        """Note what the owner did about a participant."""
        self._act(id, OWNER, lambda rater: ([_entry(kind, OWNER, {"name": name})], None))

    def _look_ahead(self, id: str, participant: str) -> None:
        """Have the duels computed that may be asked next."""
        if self._ahead is not None:
            rater = self.rater(id, participant)
            with rater.lock:
                self._ahead.prefetch((id, participant), self.definition(id), rater)

    def _checked(self, id: str, design: Mapping[str, Any]) -> Design:
        """A design of this study, whoever sent it."""
        check_plain("a design", design)
        with refusing("a design"):
            return self.definition(id).space.check(design)

    def _keep(self, definition: Definition, entries: Sequence[Entry]) -> StudyView:
        info = StudyInfo("".join(secrets.choice(_ALPHABET) for _ in range(12)), definition.name, datetime.now(UTC))
        self.storage.create(info, definition.to_dict(), entries)
        return self.show(info.id)

    def _duel(self, id: str, rater: Rater, duel: Duel) -> DuelView:
        return DuelView(
            id=duel.id,
            first=duel.first,
            second=duel.second,
            why=duel.why,
            answers=len(rater.optimizer),
            progress=rater.optimizer.progress(duel),
            cards=self._cards(id, [duel.first, duel.second]),
            last=None if rater.last is None else rater.last.number,
        )

    def _cards(self, id: str, designs: Sequence[Design]) -> list[Card]:
        return [make_card(self.definition(id).display, one, f"d{n}-") for n, one in enumerate(designs)]

    @staticmethod
    def _participant(name: str, found: Mapping[str, tuple[int, int]]) -> ParticipantView:
        return ParticipantView(name, *found.get(name, (0, 0)), None)


def _entry(kind: EntryType, participant: str, data: Mapping[str, Any], response_ms: int | None = None) -> Entry:
    # As it will be read back, so that what was rehearsed is what is kept: JSON has lists and no tuples.
    return Entry(kind, participant, datetime.now(UTC), json.loads(json.dumps(data)), response_ms)


def _iso(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


def _remember(kept: OrderedDict[Any, T], key: Any, value: T, most: int) -> T:
    """Keep a value, unless another thread was faster, and forget what was not used for longest."""
    value = kept.setdefault(key, value)
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return value
