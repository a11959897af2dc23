"""Climbing in the continuous coordinates, the others held where they are.

Without constraints one L-BFGS-B run on the stacked variables of all items maximises the sum of their values, so that
each evaluation is one call on all of them. With constraints each item climbs alone, by SLSQP, which keeps to them.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from anchorpbo.acquisition import Bound
from anchorpbo.search.evaluate import check_finite
from anchorpbo.space.region import Region
from anchorpbo.typing import Array


class Climb:
    """Counts what it evaluates."""

    def __init__(self, bound: Bound, region: Region, values: Array) -> None:
        self.bound, self.region, self.evaluations = bound, region, 0
        # In units of their spread: both methods take numbers far below 1 for converged, and EI is small.
        best = float(values.max())
        spread = best - float(np.median(values))
        # Values that differ by rounding alone have no spread to speak of.
        self.scale = spread if spread > 1e-12 * abs(best) else abs(best) or 1.0

    def run(self, starts: Array, steps: int) -> tuple[Array, bool]:
        """Climb from starts, (n, *item_shape), to as many ends, and say whether it converged."""
        if not len(self.region.free) or not len(starts):
            return starts, True
        if not self.region.constrained:
            return self._freely(starts, steps)
        ends = [self._within(start[None], steps) for start in starts]
        return np.concatenate([end for end, _ in ends]), all(converged for _, converged in ends)

    def _loss(self, items: Array) -> tuple[float, Array]:
        """Negative sum of the values, and its gradient in the continuous coordinates."""
        values, gradient = self.bound.value_and_gradient(items)
        check_finite(values)
        self.evaluations += len(values)
        return -float(values.sum()) / self.scale, -gradient[..., self.region.free].ravel() / self.scale

    def _freely(self, starts: Array, steps: int) -> tuple[Array, bool]:
        free, items = self.region.free, starts.copy()
        shape = starts[..., free].shape

        def loss(flat: Array) -> tuple[float, Array]:
            items[..., free] = flat.reshape(shape)
            return self._loss(items)

        result = optimize.minimize(
            loss,
            starts[..., free].ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=optimize.Bounds(0.0, 1.0),
            options={"maxiter": steps, "ftol": 1e-7, "gtol": 1e-4},
        )
        items[..., free] = np.clip(result.x, 0.0, 1.0).reshape(shape)
        return items, bool(result.success)

    def _within(self, start: Array, steps: int) -> tuple[Array, bool]:
        """One item, (1, *item_shape)."""
        region, free, item = self.region, self.region.free, start.copy()
        shape = start[..., free].shape
        designs = start.reshape(-1, region.dimension)

        def loss(flat: Array) -> tuple[float, Array]:
            item[..., free] = flat.reshape(shape)
            return self._loss(item)

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


def _linear(rows: Array, lower: Array, upper: Array) -> list[optimize.LinearConstraint]:
    """Equations and inequalities apart, as SLSQP wants them."""
    equal = lower == upper
    return [optimize.LinearConstraint(rows[k], lower[k], upper[k]) for k in (equal, ~equal) if k.any()]
