"""The use cases of the app: each one reads the journal, decides, appends to the journal and returns plain data.

`StudyService` has the use cases of studies themselves, and one attribute per topic with the others::

    cards           cards of designs, and the pictures on them
    clips           audio and video clips
    duels           ask, answer, undo, import past comparisons
    anchors         show, add, rename, remove, propose
    results         recommendation, assessment, map, figures, expected gains, agreement
    participants    show, invite, remove, replace a link
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from anchorpbo.app.definition.definition import MAX_NAME_LENGTH, MAX_TEXT_LENGTH, StudyDefinition, check_edits
from anchorpbo.app.definition.events import Commented, Created, Edited, StudyEvent, make_entry
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.definition.validation import check_text
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.service.anchors import AnchorService
from anchorpbo.app.service.cards import CardService
from anchorpbo.app.service.clips import ClipLibrary
from anchorpbo.app.service.duel_chooser import DuelChooser
from anchorpbo.app.service.duels import DuelService
from anchorpbo.app.service.layouts import CommentObject, EventObject, JSONObject
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.participants import ParticipantService
from anchorpbo.app.service.results import ResultService
from anchorpbo.app.service.session_cache import Decision, SessionCache
from anchorpbo.app.service.validator import Validator
from anchorpbo.app.service.views.studies import StudySummary, StudyView, format_time
from anchorpbo.app.storage.base import Storage, StudyInfo
from anchorpbo.app.storage.journal import OWNER, Entry, list_standing
from anchorpbo.errors import UnknownStudyError
from anchorpbo.study.events import AnchorAdded

_COPY = " (copy)"
_ALPHABET = string.ascii_lowercase + string.digits


class StudyService:
    """The use cases on all studies of one storage. Safe to use from several threads.

    Parameters
    ----------
    storage
        The storage.
    scheduler
        Scheduler that computes duels ahead; without one, they are computed when they are asked.
    validator
        Validator of untrusted input; by default one that validates in this process.
    """

    def __init__(
        self, storage: Storage, *, scheduler: Scheduler | None = None, validator: Validator | None = None
    ) -> None:
        self.storage = storage
        self.validator = Validator() if validator is None else validator
        self.memberships = Memberships(storage)
        self.sessions = SessionCache(storage, self.memberships)
        chooser = DuelChooser(storage, self.sessions, self.memberships, scheduler)
        self.clips = ClipLibrary(storage, self.sessions.definition)
        self.cards = CardService(self.sessions, self.memberships, self.clips)
        self.duels = DuelService(storage, self.sessions, chooser, self.cards, self.validator)
        self.anchors = AnchorService(self.sessions, chooser)
        self.results = ResultService(self.sessions, self.memberships)
        self.participants = ParticipantService(storage, self.sessions, self.memberships)

    def create(self, request: Mapping[str, Any], folder: str | None = None, *, trusted: bool = False) -> StudyView:
        """Create a study from a request (see `StudyDefinition`); a trusted request is validated in this process."""
        define = StudyDefinition.from_request if trusted else self.validator.define
        definition = define(request, folder)
        return self._store_new(definition, [Created(definition.name), *map(AnchorAdded, definition.anchors)])

    def list_studies(self) -> list[StudySummary]:
        """Return all studies, newest first."""
        return [StudySummary.from_info(info) for info in self.storage.studies()]

    def show(self, id: str) -> StudyView:
        """Return one study."""
        return StudyView.from_definition(self.storage.study(id), self.definition(id), self.memberships.active(id))

    def definition(self, id: str) -> StudyDefinition:
        """Return the definition of a study, without its pictures."""
        return self.sessions.definition(id)

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

        self.sessions.transact(id, OWNER, decide)
        return self.show(id)

    def duplicate(self, id: str) -> StudyView:
        """Create a study with the same definition and the owner's anchors, without answers and participants."""
        stored = self.storage.definition(id)
        info, anchors = self.storage.study(id), self.anchors.show(id).anchors
        name = f"{info.name[: MAX_NAME_LENGTH - len(_COPY)]}{_COPY}"
        edited = {key: value for key, value in info.edits.items() if key in ("question", "description", "shared_pairs")}
        definition = StudyDefinition.from_dict(stored | edited | {"name": name}, trusted=True)
        copy = self._store_new(
            definition, [Created(name), *(AnchorAdded(one.design, one.name, one.judgement) for one in anchors)]
        )
        if definition.clips:
            with self.delete_on_error(copy.id):
                self.clips.copy(id, copy.id)
        return copy

    def delete(self, id: str) -> None:
        """Delete a study permanently."""
        self.storage.delete(id)
        self.sessions.forget(id)

    @contextmanager
    def delete_on_error(self, id: str) -> Iterator[None]:
        """Delete a new study if its clips cannot be stored: all or nothing."""
        try:
            yield
        except BaseException:
            self.delete(id)
            raise

    def comment(self, id: str, words: str, event: int | None = None, participant: str = OWNER) -> CommentObject:
        """Record a comment on an entry of the journal, or on the study."""
        words = check_text("a comment", words, MAX_TEXT_LENGTH, required=True)
        if event is not None and not any(entry.number == event for entry in self.storage.entries(id)):
            raise UnknownStudyError("a comment must refer to an event of the study", event, "see the history")
        decision = Decision([Commented(words, event)], lambda written: written[0].to_dict())
        return self.sessions.transact(id, participant, lambda session: decision)

    def history(self, id: str, participant: str | None = None) -> list[EventObject]:
        """Return the journal, oldest entry first, with undone entries marked."""
        self.memberships.check(id, participant)
        entries = self.storage.entries(id, participant)
        standing = {entry.number for entry in list_standing(entries)}
        return [entry.to_dict() | {"stands": entry.number in standing} for entry in entries]

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

    def _store_new(self, definition: StudyDefinition, events: Sequence[StudyEvent]) -> StudyView:
        """Store a new study with events of its owner."""
        return self._store(definition, [make_entry(event, OWNER) for event in events])

    def _store(self, definition: StudyDefinition, entries: Sequence[Entry]) -> StudyView:
        info = StudyInfo("".join(secrets.choice(_ALPHABET) for _ in range(12)), definition.name, datetime.now(UTC))
        self.storage.create(info, definition.to_dict(), entries)
        return self.show(info.id)
