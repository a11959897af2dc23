"""Climbing in the continuous coordinates, the others held where they are.

Without constraints all items climb at once (`ascent`), so that each evaluation is one call on all of them. With
constraints each item climbs alone, by SLSQP, which keeps to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.acquisition import Bound
from anchorpbo.search.ascent import Ascent
from anchorpbo.search.evaluate import check_finite
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

TOLERANCE = 1e-9
"""A climb has ended where the next step promises less, in units of the spread of the values."""


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where climbs from n items have come."""

    ends: Array
    """(n, *item_shape)."""
    values: Array
    """(n,)."""
    ended: BoolArray
    """Which are maxima; the others were given up or ran out of steps, (n,)."""
    converged: bool
    """Whether none ran out of steps."""


class Climb:
    """Counts what it evaluates."""

    def __init__(self, bound: Bound, region: Region, values: Array) -> None:
        self.bound: Bound = bound
        self.region: Region = region
        self.evaluations: int = 0
        # In units of their spread: what is a small gain depends on it, and EI is small.
        best = float(values.max())
        spread = best - float(np.median(values))
        # Values that differ by rounding alone have no spread to speak of.
        self.scale: float = spread if spread > 1e-12 * abs(best) else abs(best) or 1.0

    def run(self, starts: Array, values: Array, steps: int) -> Climbed:
        """Climb from starts, (n, *item_shape), of known values, (n,)."""
        if not len(self.region.free) or not len(starts):
            return Climbed(starts, values, np.ones(len(starts), dtype=np.bool_), True)
        return self._within(starts, steps) if self.region.constrained else self._freely(starts, steps)

    def _slopes(self, items: Array) -> tuple[Array, Array]:
        """Values, (n,), and their gradients in the continuous coordinates, (n, p)."""
        values, gradient = self.bound.slopes(items)
        check_finite(values)
        self.evaluations += len(values)
        return values, self._moving(gradient)

    def _moving(self, items: Array) -> Array:
        """The continuous coordinates of items, (n, p)."""
        region = self.region
        return (items[..., region.free] if len(region.gridded) else items).reshape(len(items), -1)

    def _moved(self, items: Array, to: Array) -> Array:
        """Items, (n, *item_shape), with other continuous coordinates, (n, p)."""
        region = self.region
        if not len(region.gridded):
            return to.reshape(items.shape)
        items = items.copy()
        items[..., region.free] = to.reshape(*items.shape[:-1], -1)
        return items

    def _freely(self, starts: Array, steps: int) -> Climbed:
        ascent = Ascent(self._moving(starts), TOLERANCE * self.scale, designs=starts.ndim - 1)
        for _ in range(steps):
            rows = ascent.under_way
            if not len(rows):
                break
            ascent.tell(rows, *self._slopes(self._moved(starts[rows], ascent.trial[rows])))
        ends = self._moved(starts, ascent.x)
        return Climbed(ends, ascent.values, ascent.ended, not len(ascent.under_way))

    def _within(self, starts: Array, steps: int) -> Climbed:
        found = [self._alone(start[None], steps) for start in starts]
        ends = np.concatenate([end for end, _ in found])
        values = self.bound.values(ends)
        check_finite(values)
        self.evaluations += len(values)
        ended = np.array([converged for _, converged in found])
        return Climbed(ends, values, ended, bool(ended.all()))

    def _alone(self, start: Array, steps: int) -> tuple[Array, bool]:
        """One item, (1, *item_shape)."""
        from scipy import optimize  # loaded when it is needed: it takes a while

        region, free, item = self.region, self.region.free, start.copy()
        shape = start[..., free].shape
        designs = start.reshape(-1, region.dimension)

        def loss(flat: Array) -> tuple[float, Array]:
            item[..., free] = flat.reshape(shape)
            values, gradient = self._slopes(item)
            return float(values[0]) / -self.scale, gradient[0] / -self.scale

        # lower - A_fixed x_fixed <= A_free x_free <= upper - A_fixed x_fixed, for each design of the item.
        fixed = designs.copy()
        fixed[:, free] = 0.0
        offset = (fixed @ region.A.T).ravel()
        rows = np.asarray(np.kron(np.eye(len(designs)), region.A[:, free]), dtype=np.float64)
        lower, upper = (np.tile(side, len(designs)) - offset for side in (region.lower, region.upper))
        result = optimize.minimize(
            loss,
            start[..., free].reshape(-1),
            jac=True,
            method="SLSQP",
            bounds=optimize.Bounds(0.0, 1.0),
            constraints=_linear(rows, lower, upper),
            options={"maxiter": steps, "ftol": 1e-9},
        )
        item[..., free] = np.clip(result.x, 0.0, 1.0).reshape(shape)
        # SLSQP keeps to constraints up to its own tolerance.
        ends = region.repaired(item.reshape(designs.shape))
        return (ends.reshape(item.shape), bool(result.success)) if len(ends) == len(designs) else (start, False)


def _linear(rows: Array, lower: Array, upper: Array) -> list[LinearConstraint]:
    """Equations and inequalities apart, as SLSQP wants them."""
    from scipy.optimize import LinearConstraint

    equal = lower == upper
    return [LinearConstraint(rows[k], lower[k], upper[k]) for k in (equal, ~equal) if k.any()]
