"""The use cases of the app: each one reads the journal, decides, appends to the journal and returns plain data."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH, MAX_TEXT_LENGTH, StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession, count_by_participant, duel_to_data
from anchorpbo.app.definition.validation import check_json, check_text, raise_input_errors
from anchorpbo.app.rendering.cards import Card, make_card
from anchorpbo.app.rendering.pictures import EmbeddedPicture, decode_picture
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service.agreement import Agreement, ParticipantModel, compute_agreement
from anchorpbo.app.service.maps import Map, make_map
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.validator import Validator
from anchorpbo.app.service.views import (
    AnswerView,
    Design,
    DuelView,
    JSONObject,
    ParticipantView,
    RecommendationView,
    StudySummary,
    StudyView,
    UndoView,
    format_time,
)
from anchorpbo.app.storage.base import Storage, StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry, EntryType, make_entry
from anchorpbo.errors import ConflictError, InputError, UnknownStudyError
from anchorpbo.study import Duel
from anchorpbo.study.duel import parse_outcome

MAX_PROPOSALS = 50
MAX_RESPONSE_MS = 7 * 24 * 3600 * 1000
"""Maximum response time in milliseconds: one week."""
_ALPHABET = string.ascii_lowercase + string.digits


class StudyService:
    """The use cases on all studies of one storage. Safe to use from several threads."""

    def __init__(
        self, storage: Storage, *, scheduler: Scheduler | None = None, validator: Validator | None = None
    ) -> None:
        self.storage = storage
        self.validator = Validator() if validator is None else validator
        self.memberships = Memberships(storage)
        self._sessions = SessionCache(storage, self.memberships)
        self._scheduler = scheduler

    # -- studies ------------------------------------------------------------------------------------------------------

    def create(self, request: Mapping[str, Any], folder: str | None = None, *, trusted: bool = False) -> StudyView:
        """Create a study from a request (see `StudyDefinition`); a trusted request is validated in this process."""
        define = StudyDefinition.from_request if trusted else self.validator.define
        definition = define(request, folder)
        marks = [make_entry("anchor_added", OWNER, {"design": design}) for design in definition.anchors]
        return self._store(definition, [make_entry("created", OWNER, {"name": definition.name}), *marks])

    def studies(self) -> list[StudySummary]:
        """Return all studies, newest first."""
        return [StudySummary.from_info(info) for info in self.storage.studies()]

    def show(self, id: str) -> StudyView:
        """Return one study."""
        return StudyView.from_definition(self.storage.study(id), self.definition(id), self.memberships.active(id))

    def pictures(self, id: str) -> Mapping[str, str]:
        """Return the data URLs of a study's embedded pictures by name."""
        return self._sessions.pictures(id)

    def picture(self, id: str, name: str) -> EmbeddedPicture | None:
        """Return an embedded picture of a study, or ``None`` if there is none with this name."""
        address = self.pictures(id).get(name)
        return None if address is None else decode_picture(name, address)

    def cards(self, id: str, designs: Sequence[Mapping[str, Any]]) -> list[Card]:
        """Return the cards of designs."""
        self.check_participant(id)  # the cache may hold a study that another process has deleted
        return self._make_cards(id, [self._check_design(id, design) for design in designs])

    def delete(self, id: str) -> None:
        """Delete a study permanently."""
        self.storage.delete(id)
        self._sessions.forget(id)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def ask(self, id: str, participant: str = OWNER) -> DuelView:
        """Return the pending duel; if there is none, ask the next one."""

        def decide(session: ParticipantSession) -> Decision[DuelView]:
            if session.pending is not None:
                return [], self._view_duel(id, session, session.pending)
            if self._scheduler is not None:
                self._scheduler.fetch((id, participant), self.definition(id), session)
            duel = session.optimizer.ask()
            return [make_entry("asked", participant, duel_to_data(duel))], self._view_duel(id, session, duel)

        _, duel = self._sessions.transact(id, participant, decide, read_first=False)
        self._schedule(id, participant)
        return duel

    def answer(
        self, id: str, duel_id: str, outcome: str, response_ms: int | None = None, participant: str = OWNER
    ) -> AnswerView:
        """Record an answer. Idempotent: repeating an answer changes nothing; a different one raises `ConflictError`."""
        outcome = parse_outcome(outcome)
        if response_ms is not None and not 0 <= response_ms <= MAX_RESPONSE_MS:
            raise InputError("response_ms must be from 0 to one week", response_ms, "leave it out if it is unknown")

        def decide(session: ParticipantSession) -> Decision[AnswerView]:
            earlier = session.answers.get(duel_id)
            if earlier is not None:
                if earlier.outcome != outcome:
                    rule = f"this duel was already answered with {earlier.outcome!r}"
                    raise ConflictError(rule, repr(outcome), "continue with the next duel, or undo that answer first")
                return [], AnswerView(duel_id, outcome, len(session.optimizer), True, earlier.number)
            duel = session.pending
            if duel is None or duel.id != duel_id:
                if session.find_duel(duel_id) is None:
                    raise UnknownStudyError("no duel with this id was asked", repr(duel_id), "ask for one first")
                raise ConflictError("this duel is no longer pending", repr(duel_id), "ask for the pending one")
            data = {"duel_id": duel.id, "first": duel.first, "second": duel.second, "outcome": outcome}
            entry = make_entry("answered", participant, data, response_ms)
            session.validate(entry)
            informative = len(session.optimizer) + (outcome != "skip")
            return [entry], AnswerView(duel_id, outcome, informative, False, 0)

        written, view = self._sessions.transact(id, participant, decide, read_first=False)
        return replace(view, event=written[0].number) if written else view

    def undo(self, id: str, participant: str = OWNER, event: int | None = None) -> UndoView:
        """Undo the last answer or change of anchors.

        With its number in `event`, the request is idempotent: sending it twice undoes one event.
        """

        def decide(session: ParticipantSession) -> Decision[tuple[Entry, bool]]:
            undone = None if event is None else session.find_undone(event)
            if undone is not None:
                return [], (undone, True)
            if session.last_entry is None:
                raise ConflictError("there is nothing to undo", "no answers and no anchors", "answer first")
            if event not in (None, session.last_entry.number):
                remedy = f"undo event {session.last_entry.number} first, or see the history"
                raise ConflictError("only the last event can be undone", event, remedy)
            return [make_entry("undone", participant, {"event": session.last_entry.number})], (
                session.last_entry,
                False,
            )

        _, (undone, repeated) = self._sessions.transact(id, participant, decide)
        session = self.session(id, participant)
        with session.lock:
            pending = None if session.pending is None else self._view_duel(id, session, session.pending)
        self._schedule(id, participant)
        return UndoView(undone.to_dict(), pending, repeated)

    def comment(self, id: str, words: str, event: int | None = None, participant: str = OWNER) -> JSONObject:
        """Record a comment on an entry of the journal, or on the study."""
        words = check_text("a comment", words, MAX_TEXT_LENGTH, required=True)
        if event is not None and not any(entry.number == event for entry in self.storage.entries(id)):
            raise UnknownStudyError("a comment must refer to an event of the study", event, "see the history")
        entry = make_entry("commented", participant, {"text": words, "event": event})
        (written,), _ = self._sessions.transact(id, participant, lambda session: ([entry], None))
        return written.to_dict()

    def history(self, id: str, participant: str | None = None) -> list[JSONObject]:
        """Return the journal, oldest entry first, with undone entries marked."""
        self.check_participant(id, participant)
        entries = self.storage.entries(id, participant)
        undone = {entry.data.get("event") for entry in entries if entry.type == "undone"}
        return [entry.to_dict() | {"stands": entry.number not in undone} for entry in entries]

    # -- anchors ------------------------------------------------------------------------------------------------------

    def anchors(self, id: str, participant: str = OWNER) -> list[Design]:
        """Return the anchors of a participant, designs that they can judge well."""
        return self._sessions.read(id, participant, lambda session: session.optimizer.anchors)

    def add_anchor(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> list[Design]:
        """Add an anchor, a design that the participant can judge well; return all anchors."""
        return self._change_anchor(id, "anchor_added", design, participant)

    def remove_anchor(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> list[Design]:
        """Remove an anchor; return the remaining ones."""
        return self._change_anchor(id, "anchor_removed", design, participant)

    def propose_anchors(self, id: str, n: int, participant: str = OWNER) -> list[Design]:
        """Return `n` designs spread over the space, as candidates for anchors."""
        if not 1 <= n <= MAX_PROPOSALS:
            raise InputError(f"n must be from 1 to {MAX_PROPOSALS}", n, "ask for fewer")
        return self._sessions.read(id, participant, lambda session: session.optimizer.propose_anchors(n))

    def has_begun(self, id: str, participant: str = OWNER) -> bool:
        """Return whether this participant was asked a duel."""
        return self._sessions.read(
            id, participant, lambda session: session.pending is not None or bool(session.answers)
        )

    # -- results ------------------------------------------------------------------------------------------------------

    def recommendation(self, id: str, participant: str = OWNER, risk_weight: float | None = None) -> RecommendationView:
        """Return the design recommended by this participant's answers."""

        def compute(session: ParticipantSession) -> RecommendationView:
            fields = vars(session.optimizer.recommend(risk_weight))
            fields |= {name: list(fields[name]) for name in ("interval", "credible_set", "credible_probabilities")}
            return RecommendationView(**fields, answers=len(session.optimizer))

        return self._sessions.read(id, participant, compute)

    def map(
        self, id: str, participant: str = OWNER, at: Mapping[str, Any] | None = None,
        x: str | None = None, y: str | None = None, strongest: bool = False,
    ) -> Map:  # fmt: skip
        """Return grids for plots, see `anchorpbo.app.service.maps`."""
        design = None if at is None else self._check_design(id, at)
        return self._sessions.read(id, participant, lambda session: make_map(session, design, x, y, strongest))

    def answers(self, id: str, participant: str = OWNER) -> int:
        """Return the number of informative answers of this participant that were not undone."""
        return self._sessions.read(id, participant, lambda session: len(session.optimizer))

    def convergence(self, id: str, participant: str = OWNER) -> list[float | None]:
        """Return the expected gain of each answered duel, in the order of the answers."""

        def compute(session: ParticipantSession) -> list[float | None]:
            return [event.get("gain") for event in session.optimizer.history if event["type"] == "answered"]

        return self._sessions.read(id, participant, compute)

    def agreement(self, id: str) -> Agreement:
        """Return the agreement between participants."""
        models = [self._sessions.read(id, name, ParticipantModel.from_session) for name in self.memberships.active(id)]
        return compute_agreement(models)

    # -- exports and imports ------------------------------------------------------------------------------------------

    def export(self, id: str) -> JSONObject:
        """Return the whole study as plain data for `import_study`."""
        info, kept = self.storage.study(id), self.storage.definition(id)
        kept.pop("folder", None)
        study = {
            "id": info.id,
            "created": format_time(info.created),
            "participants": self.storage.participants(id),
            **kept,
        }
        return {
            "format": "anchorpbo-journal",
            "version": 1,
            "study": study,
            "events": [entry.to_dict() for entry in self.storage.entries(id)],
        }

    def import_study(self, layout: Any) -> StudyView:
        """Create a study with a new id from an export; a replay validates everything in it."""
        imported = self.validator.read_export(layout)
        view = self._store(imported.definition, imported.entries)
        for name in imported.participants:
            self.storage.add_participant(view.id, name)
        return self.show(view.id)

    def import_comparisons(self, id: str, table: Any, participant: str = OWNER) -> int:
        """Import all past comparisons of a table or none; see `anchorpbo.study.comparisons` for the columns."""
        comparisons = self.validator.read_comparisons(table, self.definition(id))
        entries = [
            make_entry("answered", participant, {
                "duel_id": None, "first": one.winner, "second": one.loser,
                "outcome": "tie" if one.tie else "first", "imported": True,
            })
            for one in comparisons
        ]  # fmt: skip

        def decide(session: ParticipantSession) -> Decision[int]:
            # The designs were validated when the table was read; only the outcomes may still be rejected.
            for entry in {entry.data["outcome"]: entry for entry in entries}.values():
                session.validate(entry)
            return entries, len(entries)

        return self._sessions.transact(id, participant, decide)[1]

    # -- participants -------------------------------------------------------------------------------------------------

    def invite(self, id: str, name: str) -> ParticipantView:
        """Add a participant, who gets separate anchors and duels."""
        name = check_text("a participant's name", name, MAX_NAME_LENGTH, required=True)
        self.storage.add_participant(id, name)
        if not self.memberships.get(id, name).active:
            self._record_membership(id, "invited", name)
        return ParticipantView.from_counts(name, count_by_participant(self.storage.entries(id, name)))

    def remove(self, id: str, name: str) -> None:
        """Remove a participant and revoke their link; their entries stay in the journal.

        If they are invited again, they continue from there with a new link.
        """
        if name == OWNER:
            raise InputError("the owner cannot be removed", repr(name), "delete the study instead")
        if name not in self.storage.participants(id):
            self.check_participant(id, name)
        if self.memberships.get(id, name).active:
            self._record_membership(id, "removed", name)
        self._sessions.forget(id, name)

    def relink(self, id: str, name: str) -> ParticipantView:
        """Give a participant a new link and revoke the old one."""
        self.check_participant(id, name)
        if name == OWNER:
            raise InputError("the owner has no link", repr(name), "choose a participant")
        self._record_membership(id, "relinked", name)
        return ParticipantView.from_counts(name, count_by_participant(self.storage.entries(id, name)))

    def participants(self, id: str) -> list[ParticipantView]:
        """Return the participants with their numbers of answers and anchors."""
        counts = count_by_participant(self.storage.entries(id))
        return [ParticipantView.from_counts(name, counts) for name in self.memberships.active(id)]

    def check_participant(self, id: str, participant: str | None = None) -> None:
        """Raise unless the study exists and the participant, if given, is active in it."""
        self.memberships.check(id, participant)

    # -- internals ----------------------------------------------------------------------------------------------------

    def definition(self, id: str) -> StudyDefinition:
        """Return the definition of a study, without its pictures."""
        return self._sessions.definition(id)

    def session(self, id: str, participant: str) -> ParticipantSession:
        """Return the session of a participant, which may lag behind the journal."""
        return self._sessions.session(id, participant)

    def _change_anchor(self, id: str, kind: EntryType, design: Mapping[str, Any], participant: str) -> list[Design]:
        entry = make_entry(kind, participant, {"design": self._check_design(id, design)})

        def decide(session: ParticipantSession) -> Decision[None]:
            # Adding an anchor is idempotent, because a request may be sent twice.
            marked = entry.data["design"] in session.optimizer.anchors
            if marked and kind == "anchor_added":
                return [], None
            if not marked and kind == "anchor_removed":
                raise UnknownStudyError(
                    "only an anchor can be removed", entry.data["design"], "choose one of the anchors"
                )
            session.validate(entry)
            return [entry], None

        self._sessions.transact(id, participant, decide)
        self._schedule(id, participant)
        return self.anchors(id, participant)

    def _record_membership(self, id: str, kind: EntryType, name: str) -> None:
        """Record the removal, invitation or new link of a participant."""
        self._sessions.transact(id, OWNER, lambda session: ([make_entry(kind, OWNER, {"name": name})], None))

    def _schedule(self, id: str, participant: str) -> None:
        """Schedule the duels that may be asked next."""
        if self._scheduler is not None:
            session = self.session(id, participant)
            with session.lock:
                self._scheduler.prefetch((id, participant), self.definition(id), session)

    def _check_design(self, id: str, design: Mapping[str, Any]) -> Design:
        """Validate an untrusted design."""
        check_json("a design", design)
        with raise_input_errors("a design"):
            return self.definition(id).space.check(design)

    def _store(self, definition: StudyDefinition, entries: Sequence[Entry]) -> StudyView:
        info = StudyInfo("".join(secrets.choice(_ALPHABET) for _ in range(12)), definition.name, datetime.now(UTC))
        self.storage.create(info, definition.to_dict(), entries)
        return self.show(info.id)

    def _view_duel(self, id: str, session: ParticipantSession, duel: Duel) -> DuelView:
        return DuelView.from_session(session, duel, self._make_cards(id, [duel.first, duel.second]))

    def _make_cards(self, id: str, designs: Sequence[Design]) -> list[Card]:
        return [make_card(self.definition(id).display, one, f"d{n}-") for n, one in enumerate(designs)]
