"""Maximising an acquisition over the unit cube: many cheap looks, then a few careful climbs.

1. Score scrambled Sobol' points (of d coordinates, or 2 d for a duel), landmarks (the anchors, around which a narrow
   quiet region may lie that no Sobol' point hits, and the best designs asked about) and any extra items. For duels,
   also score the designs of the best ones in new combinations: two good halves seldom meet by chance.
2. Choose starts: the best and a spread of good ones (`starts`).
3. Climb from all starts together: one L-BFGS-B run on the stacked variables maximises the sum of their values, so that
   each evaluation is one call on all of them.
4. Polish the best alone, since in the sum the others have set the step lengths and the end.

The result is never worse than the best item of step 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize

from anchorpbo.acquisition import Bound
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.numerics.checks import as_floats, as_generator, whole
from anchorpbo.numerics.sobol import sobol
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.search.evaluate import check_bound, check_finite, values_of
from anchorpbo.search.starts import landmarks, recombined, spread_starts
from anchorpbo.typing import Array

CLIMB_STEPS = 30
POLISH_STEPS = 100
"""Iterations of L-BFGS-B, together and alone."""
# Encoding to the unit cube and back may overshoot its faces by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class CubeInfo:
    """How a search of the cube went."""

    evaluations: int
    """Items scored, those of every gradient included."""
    raw_value: float
    """Best value before climbing."""
    refined_value: float
    """Best value after climbing."""
    converged: bool
    """Whether the last climb ended at a maximum rather than at its limit of steps."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best item of the cube."""

    x: Array
    """A design, (d,), or a pair, (2, d)."""
    value: float
    info: CubeInfo


def maximise(
    bound: Bound,
    dimension: int,
    rng: np.random.Generator,
    *,
    raw: int = 512,
    restarts: int = 8,
    extra: npt.ArrayLike | None = None,
) -> Found:
    """The design, or the pair of designs, of the unit cube where an acquisition is largest.

    Parameters
    ----------
    bound
        What ``acquisition.bind(posterior, noise)`` returns.
    dimension
        Coordinates of a design, d.
    rng
        Scrambles the Sobol' points; everything else is determined.
    raw
        How many of them; best a power of two.
    restarts
        How many climbs.
    extra
        Further items to consider, (n, d) or (n, 2, d), such as the incumbent.
    """
    _check(bound, dimension, raw, restarts)
    rng = as_generator(rng)
    with one_blas_thread(len(bound.posterior.points)):
        items, values = _screen(bound, sobol(raw, math.prod(bound.item_shape), rng), extra)
        starts = spread_starts(items.reshape(len(items), -1, dimension), values, restarts)
        climb = _Climb.of(bound, values)
        together, _ = climb.run(items[starts], CLIMB_STEPS)
        # The best of the starts and of the ends: the sum of all values may rise while that of the best start falls.
        candidates = np.concatenate([items[starts], together])
        scores = np.concatenate([values[starts], values_of(bound, together)])
        polished, converged = climb.run(candidates[[np.argmax(scores)]], POLISH_STEPS)
        candidates = np.concatenate([candidates, polished])
        scores = np.concatenate([scores, values_of(bound, polished)])
    best = int(np.argmax(scores))
    evaluations = len(items) + climb.evaluations + len(together) + len(polished)
    info = CubeInfo(evaluations, float(scores[0]), float(scores[len(starts) :].max()), converged)
    return Found(candidates[best].copy(), float(scores[best]), info)


def _screen(bound: Bound, flat: Array, extra: npt.ArrayLike | None) -> tuple[Array, Array]:
    """Items, (n, *item_shape), and their values, (n,), from Sobol' points, (raw, d or 2 d)."""
    items = np.concatenate([flat.reshape(-1, *bound.item_shape), landmarks(bound)])
    if extra is not None:
        items = np.concatenate([_extra(extra, bound.item_shape), items])
    values = values_of(bound, items)
    if len(bound.item_shape) == 1:
        return items, values
    more = recombined(items, values)
    return np.concatenate([items, more]), np.concatenate([values, values_of(bound, more)])


class _Climb:
    """L-BFGS-B on stacked items; counts what it evaluates."""

    def __init__(self, bound: Bound, scale: float) -> None:
        self.bound, self.scale, self.evaluations = bound, scale, 0

    @classmethod
    def of(cls, bound: Bound, values: Array) -> _Climb:
        """Measure values in units of their spread: L-BFGS-B takes numbers far below 1 for converged; EI is small."""
        best = float(values.max())
        spread = best - float(np.median(values))
        # Values that differ by rounding alone have no spread to speak of.
        return cls(bound, spread if spread > 1e-12 * abs(best) else abs(best) or 1.0)

    def run(self, starts: Array, steps: int) -> tuple[Array, bool]:
        """Climb from starts, (n, *item_shape), to as many ends, and say whether it converged."""

        def loss(flat: Array) -> tuple[float, Array]:
            values, gradient = self.bound.value_and_gradient(flat.reshape(starts.shape))
            check_finite(values)
            self.evaluations += len(values)
            return -float(values.sum()) / self.scale, -gradient.ravel() / self.scale

        result = optimize.minimize(
            loss,
            starts.ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=optimize.Bounds(0.0, 1.0),
            options={"maxiter": steps, "ftol": 1e-10, "gtol": 1e-6},
        )
        return np.clip(result.x, 0.0, 1.0).reshape(starts.shape), bool(result.success)


def _check(bound: Bound, dimension: int, raw: int, restarts: int) -> None:
    check_bound(bound)
    if dimension != bound.posterior.dimension:
        rule = f"dimension must be the {bound.posterior.dimension} of the posterior's designs"
        raise ShapeError(rule, dimension, "search the cube the duels came from")
    whole("raw", raw, 1)
    whole("restarts", restarts, 1)
    remedy = "search a list of designs with maximise_over instead"
    if not bound.posterior.kernel.differentiable:
        name = type(bound.posterior.kernel).__name__
        raise UnsupportedError("a search of the cube needs a kernel with a gradient in x", name, remedy)
    try:
        bound.noise.value_and_gradient(np.full((1, dimension), 0.5))
    except UnsupportedError as problem:
        rule = "a search of the cube needs a noise map with a gradient"
        raise UnsupportedError(rule, bound.noise, remedy) from problem


def _extra(extra: npt.ArrayLike, item_shape: tuple[int, ...]) -> Array:
    items = as_floats("extra", extra)
    if items.shape[1:] != item_shape or items.ndim != 1 + len(item_shape):
        rule = f"extra must have shape (n, {', '.join(map(str, item_shape))})"
        raise ShapeError(rule, items.shape, "give one item a row")
    outside = items[(items < -_ROUNDING) | (items > 1.0 + _ROUNDING)]
    if outside.size:
        raise InputError("extra must lie in the unit cube", outside[0], "scale the designs first")
    return np.clip(items, 0.0, 1.0)
