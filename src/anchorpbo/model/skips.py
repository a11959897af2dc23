"""Skipped questions as evidence of the noise: a pair is skipped more often where judgements are noisier.

::

    n(x)         noise map
    l_k          log((n(x_k) + n(y_k)) / 2), of the two designs of question k
    s_k          1 if question k was skipped, else 0
    b            weight: the increase of the log odds of a skip when the noise is e times as large
    P(s_k = 1) = logistic(alpha + b l_k)

The value is the log likelihood of all s_k, at the alpha that maximises it (a profile likelihood), minus its value for
constant noise. alpha absorbs a constant added to all l_k, so neither the scale of the noise nor the overall share of
skips matters. By the envelope theorem

    dvalue/dtheta = sum_k (s_k - P(s_k = 1)) b dl_k/dtheta
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import expit, log_expit, logit

from anchorpbo.errors import ShapeError
from anchorpbo.numerics.validation import as_points, as_positive, freeze
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array

MAX_STEPS = 100
"""Largest number of Newton steps for alpha."""
INTERCEPT_TOLERANCE = 1e-12
"""Newton's method for alpha ends with a smaller step."""


@final
@dataclass(frozen=True, eq=False)
class SkipEvidence:
    """Log likelihood of which questions were skipped, as a function of the noise map; immutable.

    Parameters
    ----------
    answered, skipped
        Pairs of designs that were answered, (a, 2, d), and that were skipped, (s, 2, d). With none of either, the
        value is 0.
    weight
        Weight b, above 0.
    """

    answered: Array
    skipped: Array
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name in ("answered", "skipped"):
            pairs = np.asarray(getattr(self, name), dtype=np.float64)
            if pairs.ndim != 3 or pairs.shape[1] != 2:
                raise ShapeError(f"{name} must be pairs of designs, (n, 2, d)", pairs.shape, "stack the two designs")
            as_points(name, pairs.reshape(-1, pairs.shape[2]))
            object.__setattr__(self, name, freeze(pairs.copy()))
        if self.answered.shape[2] != self.skipped.shape[2]:
            rule = "answered and skipped must have the same number of coordinates"
            raise ShapeError(rule, f"{self.answered.shape[2]} and {self.skipped.shape[2]}", "use the same space")
        object.__setattr__(self, "weight", as_positive("weight", self.weight))

    def value(self, noise: NoiseMap) -> float:
        """Return the log likelihood of the skips under this noise map, relative to constant noise."""
        return self._evaluate(noise)[0]

    def value_and_gradient(self, noise: NoiseMap) -> tuple[float, Array]:
        """Return the value and its gradient in `NoiseMap.log_parameters`, (p,)."""
        value, residuals, levels = self._evaluate(noise)
        if not len(residuals):
            return value, np.zeros(len(noise.parameter_names))
        slopes = noise.log_parameter_gradients(self._points)
        by_level = self.weight * residuals / (2.0 * levels)
        return value, np.array([by_level @ self._sum_pairs(slopes[name]) for name in noise.parameter_names])

    @property
    def _points(self) -> Array:
        return np.concatenate([self.skipped, self.answered]).reshape(-1, self.skipped.shape[2])

    def _evaluate(self, noise: NoiseMap) -> tuple[float, Array, Array]:
        """Return the value, the residuals s_k - P(s_k = 1), and the mean noise of each pair, the skipped ones first.

        Without skips or without answers the arrays are empty: any noise map explains them perfectly.
        """
        skips, answers = len(self.skipped), len(self.answered)
        if not skips or not answers:
            return 0.0, np.empty(0), np.empty(0)
        levels = 0.5 * self._sum_pairs(noise(self._points))
        logs = np.log(levels)
        offsets = self.weight * (logs - logs.mean())
        share = skips / (skips + answers)
        odds = _find_intercept(offsets, skips, float(logit(share))) + offsets
        value = float(log_expit(odds[:skips]).sum() + log_expit(-odds[skips:]).sum())
        constant = skips * np.log(share) + answers * np.log1p(-share)
        residuals = np.append(np.ones(skips), np.zeros(answers)) - expit(odds)
        return value - float(constant), residuals, levels

    @staticmethod
    def _sum_pairs(values: Array) -> Array:
        """Return the sum over the two designs of each pair, (n,)."""
        return np.asarray(values.reshape(-1, 2).sum(axis=1))


def _find_intercept(offsets: Array, skips: int, start: float) -> float:
    """Return the alpha at which the expected number of skips is the observed one, by Newton's method with bisection."""
    # At these ends every probability is at most, or at least, the observed share.
    lower, upper = start - float(offsets.max()), start - float(offsets.min())
    alpha = start
    for _ in range(MAX_STEPS):
        p = expit(alpha + offsets)
        excess, slope = float(p.sum() - skips), float((p * (1.0 - p)).sum())
        lower, upper = (lower, alpha) if excess > 0.0 else (alpha, upper)
        new = alpha - excess / slope if slope > 0.0 else np.nan
        new = new if lower <= new <= upper else 0.5 * (lower + upper)
        if abs(new - alpha) <= INTERCEPT_TOLERANCE * (1.0 + abs(alpha)):
            return new
        alpha = new
    return alpha
