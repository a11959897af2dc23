"""Gradient-based local search in the continuous coordinates, with the discrete ones held fixed.

Without constraints, all items are improved at once by `projected_bfgs`, so that each evaluation is one call on all of
them. With constraints, each item is improved separately by SLSQP, which supports constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anchorpbo.acquisition import BoundAcquisition
from anchorpbo.search.evaluation import check_finite
from anchorpbo.search.projected_bfgs import ProjectedBFGS
from anchorpbo.search.starts import is_duel
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint


@dataclass(frozen=True, eq=False)
class LocalOptima:
    """Results of local searches from n starts."""

    ends: Array
    """Last items, (n, *item_shape)."""
    values: Array
    """(n,)."""
    ended: BoolArray
    """Whether each search ended at a maximum, (n,), rather than being given up or reaching its limit of steps."""
    converged: bool
    """Whether no search reached its limit of steps."""


class LocalSearch:
    """Local search for the maximum of an acquisition function; `evaluations` counts the items evaluated.

    A search ends when its next step promises a gain below `tolerance`, in units of the spread of known values, (n,).
    """

    def __init__(self, bound: BoundAcquisition, region: Region, values: Array, tolerance: float) -> None:
        self.bound: BoundAcquisition = bound
        self.region: Region = region
        self.tolerance: float = tolerance
        self.evaluations: int = 0
        # Gains are measured in units of the spread of the values, because values such as those of EI can be tiny.
        best = float(values.max())
        spread = best - float(np.median(values))
        # A spread within rounding error cannot serve as a scale.
        self.scale: float = spread if spread > 1e-12 * abs(best) else abs(best) or 1.0

    def run(self, starts: Array, values: Array, steps: int) -> LocalOptima:
        """Search from starts, (n, *item_shape), with known values, (n,)."""
        if not len(self.region.continuous) or not len(starts):
            return LocalOptima(starts, values, np.ones(len(starts), dtype=np.bool_), True)
        return self._run_slsqp(starts, steps) if self.region.is_constrained else self._run_bfgs(starts, steps)

    def _slopes(self, items: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and their gradients in the continuous coordinates, (n, p)."""
        values, gradient = self.bound.slopes(items)
        check_finite(values)
        self.evaluations += len(values)
        return values, self._get_continuous(gradient)

    def _get_continuous(self, items: Array) -> Array:
        """Return the continuous coordinates of items, (n, p)."""
        region = self.region
        return (items[..., region.continuous] if len(region.discrete) else items).reshape(len(items), -1)

    def _set_continuous(self, items: Array, to: Array) -> Array:
        """Return items, (n, *item_shape), with other continuous coordinates, (n, p)."""
        region = self.region
        if not len(region.discrete):
            return to.reshape(items.shape)
        items = items.copy()
        items[..., region.continuous] = to.reshape(*items.shape[:-1], -1)
        return items

    def _run_bfgs(self, starts: Array, steps: int) -> LocalOptima:
        symmetric = starts.ndim == 3 and is_duel(starts.shape[1])
        optimizer = ProjectedBFGS(self._get_continuous(starts), self.tolerance * self.scale, symmetric)
        for _ in range(steps):
            rows = optimizer.active_rows
            if not len(rows):
                break
            optimizer.tell(rows, *self._slopes(self._set_continuous(starts[rows], optimizer.trial[rows])))
        ends = self._set_continuous(starts, optimizer.x)
        return LocalOptima(ends, optimizer.values, optimizer.ended, not len(optimizer.active_rows))

    def _run_slsqp(self, starts: Array, steps: int) -> LocalOptima:
        runs = [self._run_slsqp_once(start[None], steps) for start in starts]
        ends = np.concatenate([end for end, _ in runs])
        values = self.bound.values(ends)
        check_finite(values)
        self.evaluations += len(values)
        ended = np.array([converged for _, converged in runs])
        return LocalOptima(ends, values, ended, bool(ended.all()))

    def _run_slsqp_once(self, start: Array, steps: int) -> tuple[Array, bool]:
        """Improve one item, (1, *item_shape); return it and whether the search converged."""
        from scipy import optimize  # imported here because it is slow to load

        region, free, item = self.region, self.region.continuous, start.copy()
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
            constraints=_split_constraints(rows, lower, upper),
            options={"maxiter": steps, "ftol": 1e-9},
        )
        item[..., free] = np.clip(result.x, 0.0, 1.0).reshape(shape)
        # SLSQP meets constraints only up to its own tolerance.
        ends = region.repair(item.reshape(designs.shape))
        return (ends.reshape(item.shape), bool(result.success)) if len(ends) == len(designs) else (start, False)


def _split_constraints(rows: Array, lower: Array, upper: Array) -> list[LinearConstraint]:
    """Return the equations and the inequalities as separate constraints, as SLSQP requires."""
    from scipy.optimize import LinearConstraint

    equal = lower == upper
    return [LinearConstraint(rows[k], lower[k], upper[k]) for k in (equal, ~equal) if k.any()]
