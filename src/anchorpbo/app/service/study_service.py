"""The use cases of the app: each one reads the journal, decides, appends to the journal and returns plain data."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from anchorpbo.app.definition.definition import (
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    StudyDefinition,
    check_anchor_name,
    check_edits,
)
from anchorpbo.app.definition.events import (
    AnchorNamed,
    Asked,
    Commented,
    Created,
    Edited,
    Invited,
    Relinked,
    Removed,
    StudyEvent,
    Undone,
    make_entry,
)
from anchorpbo.app.definition.session import NamedAnchor, ParticipantSession, count_by_participant
from anchorpbo.app.definition.validation import check_json, check_text, raise_input_errors
from anchorpbo.app.rendering.cards import Card, make_card
from anchorpbo.app.rendering.pictures import EmbeddedPicture, decode_picture
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service.agreement import Agreement, ParticipantModel, compute_agreement
from anchorpbo.app.service.clips import ClipLibrary
from anchorpbo.app.service.figures import FigureName, FigureOptions, make_figure
from anchorpbo.app.service.layouts import CommentObject, Design, EventObject, JSONObject
from anchorpbo.app.service.maps import Map, make_map
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.shared_pairs import SHARED_DUEL, choose_shared_pair, is_shared, list_answered_pairs
from anchorpbo.app.service.validator import Validator
from anchorpbo.app.service.views import (
    AnchorsView,
    AnswerView,
    AssessmentView,
    DuelView,
    ParticipantView,
    RecommendationView,
    StudySummary,
    StudyView,
    UndoView,
    format_time,
)
from anchorpbo.app.storage.base import Storage, StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry, list_standing
from anchorpbo.errors import AnchorPBOError, ConflictError, InputError, UnknownStudyError
from anchorpbo.plots.plot import Plot
from anchorpbo.study import Duel, Outcome
from anchorpbo.study.duel import parse_outcome
from anchorpbo.study.events import AnchorAdded, AnchorRemoved, Answered, Preferred
from anchorpbo.study.replication import NextDuel, offer, snapshot

MAX_PROPOSALS = 50
MAX_RESPONSE_MS = 7 * 24 * 3600 * 1000
"""Maximum response time in milliseconds: one week."""
_COPY = " (copy)"
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
        self.clips = ClipLibrary(storage, self.definition)
        self._scheduler = scheduler

    # -- studies ------------------------------------------------------------------------------------------------------

    def create(self, request: Mapping[str, Any], folder: str | None = None, *, trusted: bool = False) -> StudyView:
        """Create a study from a request (see `StudyDefinition`); a trusted request is validated in this process."""
        define = StudyDefinition.from_request if trusted else self.validator.define
        definition = define(request, folder)
        return self._store_new(definition, [Created(definition.name), *map(AnchorAdded, definition.anchors)])

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

    def edit(self, id: str, changes: Mapping[str, Any]) -> StudyView:
        """Change the texts of a study or its share of shared pairs, or archive it; see `check_edits`."""
        edits = check_edits(changes)

        def decide(session: ParticipantSession) -> Decision[None]:
            info, definition = self.storage.study(id), self.definition(id)
            now = {
                "name": info.name, "question": definition.question, "description": definition.description,
                "archived": False, "shared_pairs": definition.shared_pairs, **info.edits,
            }  # fmt: skip
            changed = {name: value for name, value in edits.items() if now[name] != value}
            return Decision([Edited(changed)] if changed else [], lambda written: None)

        self._sessions.transact(id, OWNER, decide)
        return self.show(id)

    def duplicate(self, id: str) -> StudyView:
        """Create a study with the same definition and the owner's anchors, without answers and participants."""
        stored = self.storage.definition(id)
        info, anchors = self.storage.study(id), self.named_anchors(id).anchors
        name = f"{info.name[: MAX_NAME_LENGTH - len(_COPY)]}{_COPY}"
        edited = {key: value for key, value in info.edits.items() if key in ("question", "description", "shared_pairs")}
        definition = StudyDefinition.from_dict(stored | edited | {"name": name}, trusted=True)
        copy = self._store_new(definition, [Created(name), *(AnchorAdded(one.design, one.name) for one in anchors)])
        if definition.clips:
            with self.delete_on_error(copy.id):
                self.clips.copy(id, copy.id)
        return copy

    def delete(self, id: str) -> None:
        """Delete a study permanently."""
        self.storage.delete(id)
        self._sessions.forget(id)

    @contextmanager
    def delete_on_error(self, id: str) -> Iterator[None]:
        """Delete a new study if its clips cannot be stored: all or nothing."""
        try:
            yield
        except BaseException:
            self.delete(id)
            raise

    # -- the loop -----------------------------------------------------------------------------------------------------

    def ask(self, id: str, participant: str = OWNER, again: int | None = None) -> DuelView:
        """Return the pending duel; if there is none, ask the next one.

        With the number of an answer's event in `again`, its duel is asked once more, instead of the pending one.
        """

        def decide(session: ParticipantSession) -> Decision[DuelView]:
            duel = self._choose_duel(id, session) if again is None else _repeat_duel(session, again)
            # A request to ask a duel again may be sent twice.
            asked = [] if duel == session.pending else [Asked(duel)]
            return Decision(asked, lambda written: self._view_duel(id, session, duel))

        duel = self._sessions.transact(id, participant, decide, read_first=False)
        self._schedule(id, participant)
        return duel

    def answer(
        self, id: str, duel_id: str, outcome: str, response_ms: int | None = None, participant: str = OWNER,
        *, ask: bool = False,
    ) -> AnswerView:  # fmt: skip
        """Record an answer, and optionally ask the next duel.

        Idempotent: repeating an answer changes nothing; a different one raises `ConflictError`. The answer stays
        recorded if the next duel cannot be asked; the next `ask` then says why.
        """
        outcome = parse_outcome(outcome)
        if response_ms is not None and not 0 <= response_ms <= MAX_RESPONSE_MS:
            raise InputError("response_ms must be from 0 to one week", response_ms, "leave it out if it is unknown")

        def decide(session: ParticipantSession) -> Decision[AnswerView]:
            number = session.answers.get(duel_id)
            if number is not None:
                return _confirm_answer(session, number, outcome)
            duel = _find_pending(session, duel_id)
            event = Answered.of(duel, outcome)
            session.optimizer.validate(event)
            following = self._find_prefetched(id, session, duel, outcome) if ask else None
            asked = [] if following is None else [Asked(following.duel)]

            def view(written: Sequence[Entry]) -> AnswerView:
                shown = None
                if following is not None:
                    offer(session.optimizer, following)
                    with suppress(AnchorPBOError):
                        shown = self._view_duel(id, session, following.duel)
                return AnswerView(duel_id, outcome, len(session.optimizer), False, written[0].number, shown)

            return Decision([event, *asked], view, response_ms)

        view = self._sessions.transact(id, participant, decide, read_first=False)
        if view.next is not None:
            self._schedule(id, participant)
        elif ask:
            with suppress(AnchorPBOError):
                view = replace(view, next=self.ask(id, participant))
        return view

    def undo(self, id: str, participant: str = OWNER, event: int | None = None) -> UndoView:
        """Undo the last answer or change of anchors.

        With its number in `event`, the request is idempotent: sending it twice undoes one event.
        """

        def decide(session: ParticipantSession) -> Decision[UndoView]:
            repeated = event in session.undone
            number = event if repeated else session.last_number
            if number is None:
                raise ConflictError("there is nothing to undo", "no answers and no anchors", "answer first")
            if event not in (None, number):
                remedy = f"undo event {number} first, or see the history"
                raise ConflictError("only the last event can be undone", event, remedy)

            def view(written: Sequence[Entry]) -> UndoView:
                (undone, *_) = self.storage.entries(id, participant, number - 1)
                pending = None if session.pending is None else self._view_duel(id, session, session.pending)
                return UndoView(undone.to_dict(), pending, repeated)

            return Decision([] if repeated else [Undone(number)], view)

        view = self._sessions.transact(id, participant, decide)
        self._schedule(id, participant)
        return view

    def comment(self, id: str, words: str, event: int | None = None, participant: str = OWNER) -> CommentObject:
        """Record a comment on an entry of the journal, or on the study."""
        words = check_text("a comment", words, MAX_TEXT_LENGTH, required=True)
        if event is not None and not any(entry.number == event for entry in self.storage.entries(id)):
            raise UnknownStudyError("a comment must refer to an event of the study", event, "see the history")
        decision = Decision([Commented(words, event)], lambda written: written[0].to_dict())
        return self._sessions.transact(id, participant, lambda session: decision)

    def history(self, id: str, participant: str | None = None) -> list[EventObject]:
        """Return the journal, oldest entry first, with undone entries marked."""
        self.check_participant(id, participant)
        entries = self.storage.entries(id, participant)
        standing = {entry.number for entry in list_standing(entries)}
        return [entry.to_dict() | {"stands": entry.number in standing} for entry in entries]

    # -- anchors ------------------------------------------------------------------------------------------------------

    def anchors(self, id: str, participant: str = OWNER) -> list[Design]:
        """Return the anchors of a participant, designs that they can judge well."""
        return self._sessions.read(id, participant, lambda session: session.optimizer.anchors)

    def named_anchors(self, id: str, participant: str = OWNER) -> AnchorsView:
        """Return the anchors of a participant with their names."""
        return self._sessions.read(id, participant, AnchorsView.from_session)

    def add_anchor(
        self, id: str, design: Mapping[str, Any], participant: str = OWNER, name: str | None = None
    ) -> AnchorsView:
        """Add an anchor, a design that the participant can judge well; return all anchors.

        Idempotent: an anchor that is marked again stays as it is, except for a new name. The pending duel stays.
        """
        design, name = self._check_design(id, design), check_anchor_name(name)

        def decide(found: NamedAnchor | None) -> AnchorAdded | AnchorNamed | None:
            if found is None:
                return AnchorAdded(design, name)
            return None if name in (None, found.name) else AnchorNamed(design, name)

        return self._change_anchor(id, design, participant, decide)

    def rename_anchor(
        self, id: str, design: Mapping[str, Any], name: str | None, participant: str = OWNER
    ) -> AnchorsView:
        """Change the name of an anchor, or remove the name; return all anchors."""
        design, name = self._check_design(id, design), check_anchor_name(name)

        def decide(found: NamedAnchor | None) -> AnchorNamed | None:
            if found is None:
                raise UnknownStudyError("only an anchor can be named", design, "choose one of the anchors")
            return None if name == found.name else AnchorNamed(design, name)

        return self._change_anchor(id, design, participant, decide)

    def remove_anchor(self, id: str, design: Mapping[str, Any], participant: str = OWNER) -> AnchorsView:
        """Remove an anchor; return the remaining ones. The pending duel stays."""
        design = self._check_design(id, design)

        def decide(found: NamedAnchor | None) -> AnchorRemoved:
            if found is None:
                raise UnknownStudyError("only an anchor can be removed", design, "choose one of the anchors")
            return AnchorRemoved(design)

        return self._change_anchor(id, design, participant, decide)

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

    def assessment(self, id: str, participant: str = OWNER) -> AssessmentView:
        """Return whether this participant can stop, and which of their answers contradict the others."""

        def compute(session: ParticipantSession) -> AssessmentView:
            return AssessmentView.from_assessment(session, session.optimizer.assess(session.pending))

        return self._sessions.read(id, participant, compute)

    def map(
        self, id: str, participant: str = OWNER, at: Mapping[str, Any] | None = None,
        x: str | None = None, y: str | None = None, strongest: bool = False,
    ) -> Map:  # fmt: skip
        """Return grids for plots, see `anchorpbo.app.service.maps`."""
        design = None if at is None else self._check_design(id, at)
        return self._sessions.read(id, participant, lambda session: make_map(session, design, x, y, strongest))

    def figure(self, id: str, name: FigureName, participant: str = OWNER, options: FigureOptions | None = None) -> Plot:
        """Return a figure, see `anchorpbo.app.service.figures`."""
        options = FigureOptions() if options is None else options
        if options.at is not None:
            options = replace(options, at=self._check_design(id, options.at))
        display = self.definition(id).display
        return self._sessions.read(id, participant, lambda session: make_figure(session, display, name, options))

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
        names = self.memberships.active(id)
        models = [self._sessions.read(id, name, ParticipantModel.from_session) for name in names]
        answers = list_answered_pairs(self.storage.entries(id), self.definition(id).space)
        return compute_agreement(models, answers)

    # -- exports and imports ------------------------------------------------------------------------------------------

    def export(self, id: str) -> JSONObject:
        """Return the whole study as plain data for `import_study`."""
        info, kept = self.storage.study(id), self.storage.definition(id)
        kept.pop("folder", None)
        kept |= {name: value for name, value in info.edits.items() if name != "archived"}
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

        def decide(session: ParticipantSession) -> Decision[int]:
            # The designs were validated when the table was read; only ties may still be rejected.
            for one in {one.tie: one for one in comparisons}.values():
                session.optimizer.validate(one)
            return Decision(comparisons, len)

        return self._sessions.transact(id, participant, decide)

    # -- participants -------------------------------------------------------------------------------------------------

    def invite(self, id: str, name: str) -> ParticipantView:
        """Add a participant, who gets separate anchors and duels."""
        name = check_text("a participant's name", name, MAX_NAME_LENGTH, required=True)
        self.storage.add_participant(id, name)
        if not self.memberships.get(id, name).active:
            self._record_membership(id, Invited(name))
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
            self._record_membership(id, Removed(name))
        self._sessions.forget(id, name)

    def relink(self, id: str, name: str) -> ParticipantView:
        """Give a participant a new link and revoke the old one."""
        self.check_participant(id, name)
        if name == OWNER:
            raise InputError("the owner has no link", repr(name), "choose a participant")
        self._record_membership(id, Relinked(name))
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

    def _change_anchor(
        self, id: str, design: Design, participant: str,
        choose: Callable[[NamedAnchor | None], AnchorAdded | AnchorRemoved | AnchorNamed | None],
    ) -> AnchorsView:  # fmt: skip
        """Record the event that is chosen for the anchor at a design, if any; return all anchors."""

        def decide(session: ParticipantSession) -> Decision[AnchorsView]:
            event = choose(next((one for one in session.anchors if one.design == design), None))
            if isinstance(event, AnchorAdded | AnchorRemoved):
                session.optimizer.validate(event)
            return Decision([] if event is None else [event], lambda written: AnchorsView.from_session(session))

        view = self._sessions.transact(id, participant, decide)
        self._schedule(id, participant)
        return view

    def _record_membership(self, id: str, event: Removed | Invited | Relinked) -> None:
        """Record the removal, invitation or new link of a participant."""
        self._sessions.transact(id, OWNER, lambda session: Decision([event], lambda written: None))

    def _choose_duel(self, id: str, session: ParticipantSession) -> Duel:
        """Return the pending duel, or else the next one."""
        if session.pending is not None:
            return session.pending
        shared = self._find_shared_duel(id, session)
        if shared is not None:
            return shared
        if self._scheduler is not None:
            self._scheduler.fetch((id, session.name), self.definition(id), session)
        return session.optimizer.ask()

    def _find_prefetched(self, id: str, session: ParticipantSession, duel: Duel, outcome: Outcome) -> NextDuel | None:
        """Return the next duel after an answer, if it is already computed and not a shared pair instead."""
        if self._scheduler is None or self._is_next_shared(id, len(session.answers) + 1):
            return None
        return self._scheduler.find(snapshot(session.optimizer, duel, outcome))

    def _is_next_shared(self, id: str, answered: int) -> bool:
        """Return whether the next question is about a shared pair, after this number of answers."""
        share = self.storage.study(id).edits.get("shared_pairs", self.definition(id).shared_pairs)
        return is_shared(answered, share)

    def _find_shared_duel(self, id: str, session: ParticipantSession) -> Duel | None:
        """Return the duel of a pair that another participant has answered, if it is time for one and there is one."""
        if not self._is_next_shared(id, len(session.answers)):
            return None
        others = [name for name in self.memberships.active(id) if name != session.name]
        if not others:
            return None
        pair = choose_shared_pair(self.storage.entries(id), self.definition(id).space, session.name, others)
        return None if pair is None else session.optimizer.ask_pair(*pair, why=SHARED_DUEL)

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

    def _store_new(self, definition: StudyDefinition, events: Sequence[StudyEvent]) -> StudyView:
        """Store a new study with events of its owner."""
        return self._store(definition, [make_entry(event, OWNER) for event in events])

    def _store(self, definition: StudyDefinition, entries: Sequence[Entry]) -> StudyView:
        info = StudyInfo("".join(secrets.choice(_ALPHABET) for _ in range(12)), definition.name, datetime.now(UTC))
        self.storage.create(info, definition.to_dict(), entries)
        return self.show(info.id)

    def _view_duel(self, id: str, session: ParticipantSession, duel: Duel) -> DuelView:
        return DuelView.from_session(session, duel, self._make_cards(id, [duel.first, duel.second]))

    def _make_cards(self, id: str, designs: Sequence[Design]) -> list[Card]:
        definition = self.definition(id)
        display, decimals = definition.display, definition.decimals
        cards = [make_card(display, one, f"d{n}-", decimals) for n, one in enumerate(designs)]
        if "clip" not in display:
            return cards
        kinds = self.clips.kinds(id)
        return [replace(card, clip_kind=kinds.get(card.clip or "")) for card in cards]


def _find_pending(session: ParticipantSession, duel_id: str) -> Duel:
    """Return the pending duel; raise unless it has this id."""
    if session.pending is not None and session.pending.id == duel_id:
        return session.pending
    if session.find_duel(duel_id) is None:
        raise UnknownStudyError("no duel with this id was asked", repr(duel_id), "ask for one first")
    raise ConflictError("this duel is no longer pending", repr(duel_id), "ask for the pending one")


def _confirm_answer(session: ParticipantSession, number: int, outcome: Outcome) -> Decision[AnswerView]:
    """Return the decision on an answer that was recorded before, which changes nothing; raise if it was another one."""
    event = session.events[number]
    assert isinstance(event, Answered)
    if event.outcome != outcome:
        rule = f"this duel was already answered with {event.outcome!r}"
        raise ConflictError(rule, repr(outcome), "continue with the next duel, or undo that answer first")
    view = AnswerView(event.duel, outcome, len(session.optimizer), True, number)
    return Decision([], lambda written: view)


def _repeat_duel(session: ParticipantSession, number: int) -> Duel:
    """Return the duel of the answer with this entry number once more."""
    if not isinstance(session.events.get(number), Answered | Preferred):
        raise UnknownStudyError("no answer with this number was given, or it was undone", number, "see the history")
    return session.optimizer.ask_again(list(session.events).index(number))
