"""Findings of an audit, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.shares import GridPosterior, Interval
from anchorpbo.study.audit.selection import select_evenly
from anchorpbo.study.calibration import Calibration

FindingLevel = Literal["good", "note", "warning", "unknown"]
"""``"unknown"`` if there are not enough answers to say."""
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
    """What the value is, for an axis."""

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
    """``"warning"`` if the study has this fault, ``"note"`` if it may have it, ``"good"`` if nothing points to it."""
    data: FindingData | None = field(default=None, repr=False)
    """What the plot of the finding shows; ``None`` without a plot."""

    @property
    def title(self) -> str:
        """Name of the finding for people."""
        return self.name.replace("_", " ").capitalize()


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
        # Ties can be counted from the first answer on.
        if all(finding.level == "unknown" or finding.name == "ties" for finding in self.findings):
            return "There are not enough answers yet to say whether they can be trusted."
        names = [finding.title.lower() for finding in self.warnings]
        if names:
            return f"{len(names)} of {len(self)} checks found a problem: {', '.join(names)}."
        unknown = sum(finding.level == "unknown" for finding in self.findings)
        rest = f"; {unknown} need more answers" if unknown else ""
        return f"No check found a problem with these answers{rest}."

    def __str__(self) -> str:
        width = max(len(finding.title) for finding in self.findings)
        return "\n".join([self.sentence, *(f"{one.title:<{width}}  {one.sentence}" for one in self.findings)])

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import audit_html

        return audit_html(self)
