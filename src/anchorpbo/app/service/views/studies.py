"""Views of studies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from anchorpbo.app.definition.definition import OPTIONS, StudyDefinition
from anchorpbo.app.service.layouts import DisplayObject, OptionsObject, SpaceObject
from anchorpbo.app.storage.base import StudyInfo
from anchorpbo.study.serialization import ADDED_OPTIONS

_QUESTION = re.compile(r"[^?\n]{1,110}\?")


@dataclass(frozen=True)
class StudySummary:
    """Summary of a study, as in the list of studies."""

    id: str
    name: str
    created: str
    updated: str
    answers: int
    archived: bool

    @classmethod
    def from_info(cls, info: StudyInfo) -> StudySummary:
        """Return the summary of a stored study."""
        updated = info.updated or info.created
        archived = bool(info.edits.get("archived", False))
        return cls(info.id, info.name, format_time(info.created), format_time(updated), info.answers, archived)


def find_question(description: str) -> str:
    """Return the question that a description begins with, or an empty text."""
    found = _QUESTION.match(description)
    return found[0] if found else ""


@dataclass(frozen=True)
class StudyView:
    """Study with its definition and its progress."""

    id: str
    name: str
    question: str
    """Question of each duel; empty for the default one. By default, the question that the description begins with."""
    description: str
    example: str | None
    created: str
    updated: str
    answers: int
    archived: bool
    shared_pairs: float
    """Share of questions about pairs that another participant has answered."""
    participants: list[str]
    space: SpaceObject
    display: DisplayObject
    options: OptionsObject

    @classmethod
    def from_definition(cls, info: StudyInfo, definition: StudyDefinition, participants: list[str]) -> StudyView:
        """Return the view of a stored study with its definition."""
        description = info.edits.get("description", definition.description)
        return cls(
            id=info.id,
            name=info.name,
            question=info.edits.get("question", definition.question) or find_question(description),
            description=description,
            example=definition.example,
            created=format_time(info.created),
            updated=format_time(info.updated or info.created),
            answers=info.answers,
            archived=bool(info.edits.get("archived", False)),
            shared_pairs=info.edits.get("shared_pairs", definition.shared_pairs),
            participants=participants,
            space=dict(definition.engine["space"]),
            display=definition.display_without_pictures,
            options={name: (ADDED_OPTIONS | dict(definition.engine)).get(name) for name in OPTIONS},
        )


def format_time(time: datetime) -> str:
    """Format a time in UTC as ISO 8601, to the second."""
    return time.astimezone(UTC).isoformat(timespec="seconds")
