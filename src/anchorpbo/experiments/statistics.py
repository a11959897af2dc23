"""Means with confidence intervals, over seeds.

::

    interval    mean +- t_{n-1, 0.975} s / sqrt(n)

Strategies are compared in pairs: runs of one seed share their anchors, their first duels and the user's luck, so that
the difference of two runs varies less than either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from anchorpbo.experiments.experiment import Verdict


@dataclass(frozen=True)
class Interval:
    """A mean and where it lies with 95 % confidence."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Interval:
        """Of independent values, (n,); without bounds where there is one."""
        sample = np.asarray(values, dtype=np.float64)
        mean, n = float(sample.mean()), len(sample)
        half = float(stdtrit(n - 1, 0.975)) * float(sample.std(ddof=1)) / np.sqrt(n) if n > 1 else np.inf
        return cls(mean, mean - half, mean + half)

    def said(self, digits: int = 3) -> str:
        """The bounds, for a table."""
        return f"{self.low:+.{digits}f} to {self.high:+.{digits}f}"

    def above(self, threshold: float = 0.0) -> Verdict:
        """On the claim that the mean is above a threshold."""
        return "agrees" if self.low > threshold else "differs" if self.high < threshold else "open"

    def below(self, threshold: float = 0.0) -> Verdict:
        """On the claim that the mean is below a threshold."""
        return "agrees" if self.high < threshold else "differs" if self.low > threshold else "open"

    def not_above(self) -> Verdict:
        """On the claim that the mean is not above zero, which holds as long as nothing else is seen."""
        return "differs" if self.low > 0.0 else "agrees"

    def not_below(self) -> Verdict:
        """On the claim that the mean is not below zero, which holds as long as nothing else is seen."""
        return "differs" if self.high < 0.0 else "agrees"
