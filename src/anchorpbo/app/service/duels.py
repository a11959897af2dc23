"""The use cases of duels: ask, answer and undo, and the import of past comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from anchorpbo.app.definition.events import Asked, Undone
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.cards import CardService
from anchorpbo.app.service.duel_chooser import DuelChooser
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.validator import Validator
from anchorpbo.app.service.views.duels import AnswerView, DuelView, UndoView
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.storage.journal import OWNER, Entry
from anchorpbo.errors import AnchorPBOError, ConflictError, InputError, UnknownStudyError
from anchorpbo.study import Duel, Outcome
from anchorpbo.study.duel import parse_outcome
from anchorpbo.study.events import Answered, Preferred
from anchorpbo.study.replication import offer

MAX_RESPONSE_MS = 7 * 24 * 3600 * 1000
"""Maximum response time in milliseconds: one week."""


class DuelService:
    """Duels of the participants of all studies of one storage. Safe to use from several threads."""

    def __init__(
        self, storage: Storage, sessions: SessionCache, chooser: DuelChooser, cards: CardService, validator: Validator
    ) -> None:
        self._storage, self._sessions, self._chooser = storage, sessions, chooser
        self._cards, self._validator = cards, validator

    def ask(self, id: str, participant: str = OWNER, again: int | None = None, *, check: bool = False) -> DuelView:
        """Return the pending duel; if there is none, ask the next one.

        With the number of an answer's event in `again`, its duel is asked once more, instead of the pending one; with
        `check`, the next duel that checks the anchors.
        """
        if check and again is not None:
            raise InputError("ask either again or a check of the anchors", "both", "leave one of them out")

        def decide(session: ParticipantSession) -> Decision[DuelView]:
            if check:
                duel = session.optimizer.ask_anchor_check()
            else:
                duel = self._chooser.choose(id, session) if again is None else _repeat_duel(session, again)
            # A request to ask a duel again, or to check the anchors, may be sent twice.
            asked = [] if duel == session.pending else [Asked(duel)]
            return Decision(asked, lambda written: self._view_duel(id, session, duel))

        duel = self._sessions.transact(id, participant, decide, read_first=False)
        self._chooser.prefetch(id, participant)
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
            following = self._chooser.find_prefetched(id, session, duel, outcome) if ask else None
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
            self._chooser.prefetch(id, participant)
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
                (undone, *_) = self._storage.entries(id, participant, number - 1)
                pending = None if session.pending is None else self._view_duel(id, session, session.pending)
                return UndoView(undone.to_dict(), pending, repeated)

            return Decision([] if repeated else [Undone(number)], view)

        view = self._sessions.transact(id, participant, decide)
        self._chooser.prefetch(id, participant)
        return view

    def import_comparisons(self, id: str, table: Any, participant: str = OWNER) -> int:
        """Import all past comparisons of a table or none; see `anchorpbo.study.comparisons` for the columns."""
        comparisons = self._validator.read_comparisons(table, self._sessions.definition(id))

        def decide(session: ParticipantSession) -> Decision[int]:
            # The designs were validated when the table was read; only ties may still be rejected.
            for one in {one.tie: one for one in comparisons}.values():
                session.optimizer.validate(one)
            return Decision(comparisons, len)

        return self._sessions.transact(id, participant, decide)

    def has_begun(self, id: str, participant: str = OWNER) -> bool:
        """Return whether this participant was asked a duel."""
        return self._sessions.read(
            id, participant, lambda session: session.pending is not None or bool(session.answers)
        )

    def count_answers(self, id: str, participant: str = OWNER) -> int:
        """Return the number of informative answers of this participant that were not undone."""
        return self._sessions.read(id, participant, lambda session: len(session.optimizer))

    def _view_duel(self, id: str, session: ParticipantSession, duel: Duel) -> DuelView:
        return DuelView.from_session(session, duel, self._cards.make(id, [duel.first, duel.second]))


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
