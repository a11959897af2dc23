"""Studies in a dictionary, for tests and for trying the app."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from anchorpbo.app.storage.base import (
    ClipInfo,
    Storage,
    StudyInfo,
    check_clip_total,
    duplicate_study_error,
    replaced_clip_error,
    stale_write_error,
    unknown_participant_error,
    unknown_study_error,
)
from anchorpbo.app.storage.changes import Callbacks
from anchorpbo.app.storage.journal import Entry
from anchorpbo.app.storage.rows import (
    EntryRow,
    as_count,
    as_json,
    as_name,
    as_study_id,
    as_text,
    as_utc,
    count_answers,
    make_clip,
    make_rows,
    make_rows_of_one,
    merge_edits,
)


@dataclass
class _StoredStudy:
    """A stored study. Callers share nothing mutable with it: rows are frozen, data is text."""

    name: str
    created: datetime
    definition: str
    rows: list[EntryRow]
    participants: list[str] = field(init=False)
    clips: dict[str, tuple[ClipInfo, bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.participants = list(dict.fromkeys(row.participant for row in self.rows))

    def info(self, id: str) -> StudyInfo:
        updated, edits = self.rows[-1].time if self.rows else None, merge_edits({}, self.rows)
        answers = count_answers(enumerate(self.rows, 1))
        return StudyInfo(id, edits.get("name", self.name), self.created, answers, updated, edits)


class MemoryStorage(Storage):
    """A store of studies that lasts until the process ends. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._studies: dict[str, _StoredStudy] = {}
        self._secrets: dict[str, bytes] = {}
        self._callbacks = Callbacks()

    def create(self, info: StudyInfo, definition: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Store a new study."""
        id = as_name("a study's id", info.id)
        study = _StoredStudy(
            as_text("a study's name", info.name),
            as_utc("when a study was created", info.created),
            as_json("a study's definition", definition),
            make_rows(entries),
        )
        with self._lock:
            if id in self._studies:
                raise duplicate_study_error(id)
            self._studies[id] = study
        self._callbacks.call()

    def studies(self) -> list[StudyInfo]:
        """Return all studies, newest first."""
        with self._lock:
            infos = [study.info(id) for id, study in self._studies.items()]
        return sorted(infos, key=lambda info: (info.created, info.id), reverse=True)

    def study(self, id: str) -> StudyInfo:
        """Return one study."""
        with self._lock:
            return self._find(id).info(id)

    def definition(self, id: str) -> dict[str, Any]:
        """Return the definition of a study."""
        with self._lock:
            text = self._find(id).definition
        definition: dict[str, Any] = json.loads(text)
        return definition

    def participants(self, id: str) -> list[str]:
        """Return the participants."""
        with self._lock:
            return list(self._find(id).participants)

    def add_participant(self, id: str, name: str) -> None:
        """Add a participant."""
        name = as_name("a participant's name", name)
        with self._lock:
            study = self._find(id)
            if name not in study.participants:
                study.participants.append(name)
        self._callbacks.call()

    def entries(self, id: str, participant: str | None = None, after: int = 0) -> list[Entry]:
        """Return entries of the journal."""
        after = as_count("after", after)
        if participant is not None:
            as_text("a participant's name", participant)
        with self._lock:
            rows = list(enumerate(self._find(id).rows[after:], after + 1))
        return [row.to_entry(number) for number, row in rows if participant is None or row.participant == participant]

    def last_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of the last entry of each of these studies."""
        names = [as_study_id(id) for id in ids]
        with self._lock:
            return {id: len(self._studies[id].rows) for id in names if id in self._studies}

    def append(self, id: str, entries: Sequence[Entry], seen: int) -> list[Entry]:
        """Append entries of one participant."""
        rows, seen = make_rows_of_one(entries), as_count("seen", seen)
        with self._lock:
            study = self._find(id)
            if not rows:
                return []
            participant = rows[0].participant
            if participant not in study.participants:
                raise unknown_participant_error(participant)
            last = max(
                (number for number, row in enumerate(study.rows, 1) if row.participant == participant), default=0
            )
            if last > seen:
                raise stale_write_error(participant, last, seen)
            first = len(study.rows) + 1
            study.rows.extend(rows)
        self._callbacks.call()
        return [row.to_entry(number) for number, row in enumerate(rows, first)]

    def delete(self, id: str) -> None:
        """Delete a study."""
        with self._lock:
            self._find(id)
            del self._studies[id]
        self._callbacks.call()

    def put_clip(self, id: str, name: str, type: str, content: bytes, max_total: int) -> ClipInfo:
        """Store a clip."""
        clip = make_clip(name, type, content)
        with self._lock:
            clips = self._find(id).clips
            others = sum(one.size for one, _ in clips.values() if one.name != name)
            check_clip_total(name, others + clip.size, max_total)
            clips[name] = clip, content
        self._callbacks.call()
        return clip

    def clips(self, id: str) -> list[ClipInfo]:
        """Return the clips of a study by name."""
        with self._lock:
            return [clip for _, (clip, _) in sorted(self._find(id).clips.items())]

    def read_clip(self, id: str, clip: ClipInfo, start: int, stop: int) -> bytes:
        """Return some bytes of a clip."""
        start, stop = as_count("start", start), as_count("stop", stop)
        with self._lock:
            stored, content = self._find(id).clips.get(clip.name, (None, b""))
        if stored != clip:
            raise replaced_clip_error(clip.name)
        return content[start:stop]

    def secret(self, name: str) -> bytes:
        """Return the secret with this name, 32 random bytes."""
        name = as_name("a secret's name", name)
        with self._lock:
            return self._secrets.setdefault(name, secrets.token_bytes(32))

    def watch(self, on_change: Callable[[], None]) -> AbstractContextManager[None]:
        """Call a function after each change, in the thread that made it, until the context exits."""
        return self._callbacks.add(on_change)

    def close(self) -> None:
        """End all notifications; memory needs no closing."""
        self._callbacks.clear()

    def _find(self, id: str) -> _StoredStudy:
        study = self._studies.get(as_study_id(id))
        if study is None:
            raise unknown_study_error(id)
        return study
