"""Findings of an audit, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.shares import GridPosterior, Interval
from anchorpbo.study.audit.selection import select_evenly
from anchorpbo.study.calibration import Calibration

FindingLevel = Literal["good", "note", "warning", "unknown"]
"""What the answers say about a fault of the size that matters; docs/trust.md has these sizes.

``"warning"``: they show the fault. ``"note"``: they point to it, but too weakly for a warning. ``"good"``: they exclude
it. ``"unknown"``: they neither show nor exclude it.
"""
LEVEL_TEXTS: Mapping[FindingLevel, str] = {
    "good": "fine", "note": "worth a look", "warning": "problem", "unknown": "cannot tell yet",
}  # fmt: skip
"""The levels in words, for people."""
CURVE_POINTS = 101
"""Number of points of a curve."""
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Density:
    """Posterior density of a finding's value."""

    x: Numbers
    y: Numbers
    reference: float | None
    """Value of a study without the fault; ``None`` if there is no such value."""
    label: str
    """Name of the value, for an axis."""

    @classmethod
    def of(cls, posterior: GridPosterior, reference: float | None, label: str) -> Density:
        """Return a posterior at few values."""
        kept = select_evenly(np.arange(len(posterior.x)), CURVE_POINTS)
        return cls(tuple(posterior.x[kept].tolist()), tuple(posterior.density[kept].tolist()), reference, label)


@dataclass(frozen=True)
class Simulated:
    """An observed number among those of simulated users who answer as the model expects."""

    observed: float
    values: Numbers
    """Simulated numbers, in increasing order."""
    label: str


@dataclass(frozen=True)
class Course:
    """An observed number over the study, and the expected one."""

    observed: Numbers
    """Mean around each answer."""
    expected: Numbers
    """Mean of what the model expects around each answer; empty without an expectation."""
    label: str


FindingData: TypeAlias = Density | Simulated | Course | Calibration


@dataclass(frozen=True)
class Finding:
    """One finding of an audit. Plain data, safe to share."""

    name: str
    value: float | None
    """The number; ``None`` if there are not enough answers for one."""
    interval: Interval
    """90 % interval of the value; its whole range if nothing is known."""
    sentence: str
    """The finding in words, with its numbers."""
    level: FindingLevel
    """What the answers say about a fault of the size that matters, see `FindingLevel`."""
    data: FindingData | None = field(default=None, repr=False)
    """Data of the plot of the finding; ``None`` without a plot."""
    fault: str = ""
    """The fault in a few words, for the sentence of the audit; empty if the title says it."""

    @property
    def title(self) -> str:
        """Name of the finding for people."""
        return self.name.replace("_", " ").capitalize()

    @property
    def level_text(self) -> str:
        """The level in words."""
        return LEVEL_TEXTS[self.level]


@dataclass(frozen=True)
class Audit:
    """All findings about the answers of a study. Plain data, safe to share.

    Iterate over the findings, or get one by its name: ``audit["side_bias"]``. ``str(audit)`` is the whole report.
    """

    findings: tuple[Finding, ...]
    answers: int
    """Number of informative answers."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise UnknownNameError.of("a finding", name, [finding.name for finding in self.findings])

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings of the level ``"warning"``."""
        return tuple(finding for finding in self.findings if finding.level == "warning")

    @property
    def sentence(self) -> str:
        """The audit in a sentence."""
        notes, unknown = self._list_names("note"), self._list_names("unknown")
        # Ties can be counted from the first answer on, and response times explain other findings.
        told = {finding.level for finding in self.findings if finding.name not in ("ties", "response_time")}
        if told <= {"unknown"} and not notes:
            return "There are not enough answers yet to say whether they can be trusted."
        faults = [finding.fault or finding.title.lower() for finding in self.warnings]
        parts = [f"{len(faults)} of {len(self)} checks found a problem: {', '.join(faults)}"]
        if not faults:
            parts = ["No check found a problem" if notes or unknown else f"All {len(self)} checks are fine"]
        parts += [f"worth a look: {', '.join(notes)}"] if notes else []
        parts += [f"cannot tell yet: {', '.join(unknown)}"] if unknown else []
        return f"{'; '.join(parts)}."

    def _list_names(self, level: FindingLevel) -> list[str]:
        return [finding.title.lower() for finding in self.findings if finding.level == level]

    def __str__(self) -> str:
        width, wide = max(len(finding.title) for finding in self.findings), max(map(len, LEVEL_TEXTS.values()))
        lines = [f"{one.title:<{width}}  {one.level_text:<{wide}}  {one.sentence}" for one in self.findings]
        return "\n".join([self.sentence, *lines])

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import audit_html

        return audit_html(self)
