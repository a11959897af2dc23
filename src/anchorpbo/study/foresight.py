"""A study's log for another process, and what that process found to follow from it.

What follows from a log is a function of it, so that it does not matter where it is computed: a study that takes a
`Foreseen` goes on as if it had computed it itself, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anchorpbo.study.duel import Duel
from anchorpbo.study.events import event_to_dict
from anchorpbo.study.record import Entry


@dataclass(frozen=True, eq=False)
class Trail:
    """A log, as it was at some time or would be after one more answer."""

    study: str
    """Digest of what the study was made with."""
    entries: tuple[Entry, ...]

    def __len__(self) -> int:
        """Events."""
        return len(self.entries)

    @property
    def digest(self) -> str:
        """Of the study and all its events: all that follows from the log follows from what this names."""
        return self.entries[-1].digest if self.entries else self.study

    def shared(self, other: Trail) -> int:
        """How many events two logs of one study have in common, from the first on."""
        # A digest is of all events up to its own; and logs mostly differ in their last events.
        for count in range(min(len(self), len(other)), 0, -1):
            if self.entries[count - 1].digest == other.entries[count - 1].digest:
                return count
        return 0

    def events(self, start: int = 0) -> list[dict[str, Any]]:
        """Events as JSON holds them, without the first few."""
        return [event_to_dict(entry.event) for entry in self.entries[start:]]


@dataclass(frozen=True, eq=False)
class Foreseen:
    """What follows from a log."""

    digest: str
    """Of the log, see `Trail`."""
    duel: Duel
    """The next one."""
    learnt: Mapping[str, Any] | None
    """Hyper-parameters that it was chosen by; ``None`` for the duels to start with."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; numbers come back as they were."""
        return {"digest": self.digest, "duel": vars(self.duel), "learnt": self.learnt}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Foreseen:
        """What `to_dict` gave."""
        return cls(data["digest"], Duel(**data["duel"]), data["learnt"])
