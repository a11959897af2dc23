"""The unit of an experiment: one piece of work that needs no other, such as one study with a simulated user.

A task is a frozen dataclass of plain settings. What it computes follows from these alone: they hold its seed, and
neither the order of the tasks nor the process that runs one has a say. Its key is a digest of the settings, so that
experiments that need the same task share its record.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from anchorpbo.typing import Array

Columns = Mapping[str, Array | Sequence[Any]]
"""What a task found: columns of equal length, a row a round, a size or whatever it went through."""


@dataclass(frozen=True)
class Task(ABC):
    """What to run. Fields are numbers, texts, booleans or ``None``, and become columns of the record."""

    kind: ClassVar[str]
    """What sort of task it is; part of the key."""

    @abstractmethod
    def run(self) -> Columns:
        """Do the work."""

    def prepare(self) -> None:  # noqa: B027
        """Fetch what the task needs, or raise; called before any task of an experiment starts."""

    @property
    def effort(self) -> float:
        """How long it takes, in any unit that the tasks of an experiment share; for the time that is left."""
        return 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """All that the result follows from."""
        return {"kind": self.kind, **asdict(self)}

    @property
    def key(self) -> str:
        """The name of its record."""
        text = json.dumps(self.settings, sort_keys=True, allow_nan=False)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"
