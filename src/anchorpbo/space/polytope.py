"""Linear constraints on coordinates, and the points of the unit cube that meet them.

Symbols: lower <= A x <= upper for x (d,) in the unit cube, an equation if both are equal. `places`, (d,), is 0 for a
continuous coordinate and n - 1 for a discrete one with the n values 0, 1 / (n - 1), ..., 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.errors import TimeLimitError
from anchorpbo.numerics.deadline import current_deadline
from anchorpbo.numerics.validation import freeze
from anchorpbo.typing import Array, BoolArray, IntArray

FEASIBILITY_TOLERANCE = 1e-9
"""Largest accepted violation of a constraint, in units of its row's length."""
_MAX_PROJECTIONS = 300
_TIME_LIMIT_REACHED = 1
"""Status of a result of `scipy.optimize.milp` that ran out of time."""


def count_steps(grids: Sequence[Array | None]) -> Array:
    """Count the steps of each grid, (d,); 0 for continuous coordinates."""
    return np.array([0.0 if grid is None else len(grid) - 1.0 for grid in grids])


@dataclass(frozen=True, eq=False)
class Polytope:
    """The points of the unit cube that meet linear constraints."""

    A: Array
    """Constraints, (c, d); rows have length 1."""
    lower: Array
    """Lower ends, (c,); -infinity for none."""
    upper: Array
    """Upper ends, (c,); infinity for none."""

    @classmethod
    def of(cls, rows: Array, lower: Array, upper: Array) -> Polytope:
        """Create a polytope with rows scaled to length 1; no row may be 0."""
        length = np.linalg.norm(rows, axis=1)
        return cls(freeze(rows / length[:, None]), freeze(lower / length), freeze(upper / length))

    @classmethod
    def cube(cls, dimension: int) -> Polytope:
        """Return the unit cube, without constraints."""
        return cls(freeze(np.empty((0, dimension))), freeze(np.empty(0)), freeze(np.empty(0)))

    def __len__(self) -> int:
        return len(self.A)

    @cached_property
    def constrained_coordinates(self) -> IntArray:
        """Coordinates that occur in a constraint."""
        return np.flatnonzero(self.A.any(axis=0))

    def contains(self, X: Array) -> BoolArray:
        """Return which rows of X, (n, d), meet the constraints, (n,)."""
        values = X @ self.A.T
        return np.asarray(
            ((values >= self.lower - FEASIBILITY_TOLERANCE) & (values <= self.upper + FEASIBILITY_TOLERANCE)).all(
                axis=1
            )
        )

    def are_repairable(self, X: Array, free: IntArray) -> BoolArray:
        """Return which rows of X, (n,), meet all constraints that do not involve the free coordinates."""
        fixed = (self.A[:, free] == 0.0).all(axis=1)
        values = X @ self.A[fixed].T
        return np.asarray(
            (
                (values >= self.lower[fixed] - FEASIBILITY_TOLERANCE)
                & (values <= self.upper[fixed] + FEASIBILITY_TOLERANCE)
            ).all(axis=1)
        )

    def project(self, X: Array, free: IntArray) -> Array:
        """Project the coordinates `free` onto each constraint and the cube in turn, repeatedly; may not converge."""
        X = X.copy()
        pull = np.zeros_like(self.A)
        pull[:, free] = self.A[:, free]
        length = (pull**2).sum(axis=1)
        todo = np.flatnonzero(~self.contains(X))
        for _ in range(_MAX_PROJECTIONS):
            if not len(todo):
                break
            moved = X[todo]
            for k in np.flatnonzero(length > FEASIBILITY_TOLERANCE**2):
                value = moved @ self.A[k]
                moved += ((np.clip(value, self.lower[k], self.upper[k]) - value) / length[k])[:, None] * pull[k]
            X[todo] = np.clip(moved, 0.0, 1.0)
            todo = todo[~self.contains(X[todo])]
        return X

    def hit_and_run(self, X: Array, free: IntArray, steps: int, rng: np.random.Generator) -> Array:
        """Sample by hit-and-run: move each row of X along random lines in the coordinates `free`."""
        X, basis = X.copy(), self._directions(free)
        for _ in range(steps if basis.shape[1] and len(X) else 0):
            direction = np.zeros_like(X)
            direction[:, free] = rng.standard_normal((len(X), basis.shape[1])) @ basis.T
            behind, ahead = self._find_room(X, direction)
            step = behind + rng.random(len(X)) * (ahead - behind)
            moved = np.clip(X + step[:, None] * direction, 0.0, 1.0)
            fine = self.contains(moved)  # rounding at a face can lead outside; then the row does not move
            X[fine] = moved[fine]
        return X

    def _find_room(self, X: Array, direction: Array) -> tuple[Array, Array]:
        """Return how far each row of X can move backwards and forwards along a direction, (n,) each."""
        values, slopes = X @ self.A.T, direction @ self.A.T
        first = np.concatenate([self.lower - values, -X], axis=1)
        second = np.concatenate([self.upper - values, 1.0 - X], axis=1)
        slopes = np.concatenate([slopes, direction], axis=1)
        moving = np.abs(slopes) > FEASIBILITY_TOLERANCE
        slopes = np.where(moving, slopes, 1.0)
        first, second = np.where(moving, first / slopes, -np.inf), np.where(moving, second / slopes, np.inf)
        behind = np.minimum(first, second).max(axis=1)
        ahead = np.maximum(first, second).min(axis=1)
        return np.minimum(behind, 0.0), np.maximum(ahead, 0.0)

    def _directions(self, free: IntArray) -> Array:
        """Return orthonormal directions of the coordinates `free`, (free, k), along which all equations still hold."""
        equations = self.A[self.equations][:, free]
        if not len(equations):
            return np.eye(len(free))
        _, sizes, V = np.linalg.svd(equations)
        rank = int((sizes > FEASIBILITY_TOLERANCE).sum())
        return np.asarray(V[rank:].T)

    @cached_property
    def equations(self) -> BoolArray:
        """Whether each constraint is an equation, (c,): written as such, or forced to one value by the others."""
        play = [self.extent(a, np.zeros(self.A.shape[1]), np.ones(self.A.shape[1])) for a in self.A]
        return np.array(
            [ends is not None and ends[1] - ends[0] <= FEASIBILITY_TOLERANCE for ends in play], dtype=np.bool_
        )

    def extent(self, a: Array, least: Array, most: Array) -> tuple[float, float] | None:
        """Return the smallest and largest a @ x for least <= x <= most, (d,) each; ``None`` if there is no such x."""
        ends = [self._solve(sign * a, np.zeros_like(a), least, most) for sign in (1.0, -1.0)]
        if ends[0] is None or ends[1] is None:
            return None
        return float(a @ ends[0]), float(a @ ends[1])

    def coordinate_extent(self, c: int, least: Array, most: Array) -> tuple[float, float] | None:
        """Return the smallest and largest x_c, as `extent`."""
        return self.extent(np.eye(len(least))[c], least, most)

    def quick_extent(self, c: int, least: Array, most: Array) -> tuple[float, float]:
        """Bound x_c by one constraint at a time: fast, but too wide if several constraints act together."""
        a = self.A[:, c]
        rows = np.abs(a) > FEASIBILITY_TOLERANCE
        A = self.A[rows]
        A[:, c] = 0.0
        low = (np.minimum(A * least, A * most)).sum(axis=1)
        high = (np.maximum(A * least, A * most)).sum(axis=1)
        first, second = (self.lower[rows] - high) / a[rows], (self.upper[rows] - low) / a[rows]
        return (
            float(np.minimum(first, second).max(initial=least[c])),
            float(np.maximum(first, second).min(initial=most[c])),
        )

    def is_feasible(self, places: Array) -> bool:
        """Return whether any point meets the constraints."""
        return self.find_vertex(np.zeros(len(places)), places) is not None

    def find_vertex(self, direction: Array, places: Array) -> Array | None:
        """Return the vertex, (d,), that minimises direction @ x; ``None`` if no point is feasible."""
        return self._solve(direction, places, np.zeros(len(places)), np.ones(len(places)))

    def nearest(self, x: Array, places: Array) -> Array | None:
        """Return a point, (d,), at the smallest L1 distance from x; only coordinates in constraints move."""
        at, n = self.constrained_coordinates, len(self.constrained_coordinates)
        # Minimise the sum of s subject to s >= x - y and s >= y - x for each coordinate y.
        wide = Polytope(
            np.block(
                [
                    [self.A[:, at], np.zeros((len(self), n))],
                    [np.eye(n), np.eye(n)],
                    [np.eye(n), -np.eye(n)],
                ]
            ),
            np.concatenate([self.lower, x[at], np.full(n, -np.inf)]),
            np.concatenate([self.upper, np.full(n, np.inf), x[at]]),
        )
        cost, grid = np.repeat([0.0, 1.0], n), np.concatenate([places[at], np.zeros(n)])
        try:
            found = wide.find_vertex(cost, grid)
        except TimeLimitError:  # its message counts the rows added here
            raise self._time_limit_error(places) from None
        if found is None:
            return None
        y = x.copy()
        y[at] = found[:n]
        return y

    def _solve(self, cost: Array, places: Array, least: Array, most: Array) -> Array | None:
        """Minimise cost @ x, least <= x <= most, as a mixed-integer program in x times its places.

        Raise at the time limit instead of returning the best point so far: results must not depend on the machine.
        """
        from scipy import optimize  # imported here because it is slow to load

        whole = places > 0
        unit = np.where(whole, places, 1.0)
        limit = current_deadline()
        result = optimize.milp(
            cost / unit,
            integrality=whole.astype(np.intp),
            bounds=optimize.Bounds(least * unit, most * unit),
            constraints=optimize.LinearConstraint(self.A / unit, self.lower, self.upper) if len(self) else None,
            options={} if np.isinf(limit.seconds_left) else {"time_limit": limit.seconds_left},
        )
        if result.status == _TIME_LIMIT_REACHED:
            raise self._time_limit_error(places)
        if result.x is None:
            return None
        return np.clip(np.where(whole, np.round(result.x), result.x) / unit, least, most)

    def _time_limit_error(self, places: Array) -> TimeLimitError:
        rule = f"finding a design that meets the constraints must take at most {current_deadline().seconds:g} s"
        received = f"{len(self)} constraints on {len(places)} parameters, {(places > 0).sum()} of them discrete"
        return TimeLimitError(rule, received, "use fewer constraints, or fewer discrete parameters in them")
