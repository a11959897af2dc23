"""The designs of a space as a part of the unit cube: continuous and discrete coordinates, linear constraints.

Symbols: x (d,) coordinates; `grids[c]` the allowed values of coordinate c, or None if all of [0, 1] is allowed;
lower <= A x <= upper the constraints, an equation if both are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.sobol import sobol
from anchorpbo.numerics.validation import freeze
from anchorpbo.space.enumeration import add_coordinate, enumerate_designs
from anchorpbo.space.polytope import FEASIBILITY_TOLERANCE, Polytope, count_steps
from anchorpbo.typing import Array, BoolArray, IntArray

POOL_SIZE = 1024
"""Number of designs drawn once if constraints make sampling slow."""
_HIT_AND_RUN_STEPS = 20
_MIN_POOL_SIZE = 64
_NEAREST_STARTS, _VERTEX_STARTS = 32, 16


@dataclass(frozen=True, eq=False)
class Region:
    """The coordinates that are designs. Immutable; create it by `of` or `cube`."""

    grids: tuple[Array | None, ...]
    """For each coordinate: its allowed values, increasing from 0 to 1, or ``None`` for the whole interval."""
    categorical: frozenset[int]
    """Gridded coordinates whose values have no order."""
    polytope: Polytope
    """The constraints. A discrete coordinate in a constraint has an evenly spaced grid."""

    @classmethod
    def of(
        cls,
        grids: Sequence[Array | None],
        categorical: Sequence[int] = (),
        rows: Array | None = None,
        lower: Array | None = None,
        upper: Array | None = None,
        *,
        check: bool = True,
    ) -> Region:
        """Create a region with constraints lower <= rows x <= upper; raise if it is empty, unless `check` is false."""
        if rows is None or not len(rows):
            return cls(tuple(grids), frozenset(categorical), Polytope.cube(len(grids)))
        lower = np.full(len(rows), -np.inf) if lower is None else lower
        upper = np.full(len(rows), np.inf) if upper is None else upper
        region = cls(tuple(grids), frozenset(categorical), Polytope.of(rows, lower, upper))
        if check and not region.polytope.is_feasible(region.places):
            remedy = "loosen one of them, or widen the range of a parameter in it"
            raise InputError("the constraints must leave at least one design", "none that meets them all", remedy)
        return region

    @classmethod
    def cube(cls, dimension: int) -> Region:
        """Return the whole unit cube."""
        return cls.of((None,) * dimension)

    @property
    def A(self) -> Array:  # noqa: N802
        """Constraints, (c, d); rows have length 1."""
        return self.polytope.A

    @property
    def lower(self) -> Array:
        """Lower ends, (c,); -infinity for none."""
        return self.polytope.lower

    @property
    def upper(self) -> Array:
        """Upper ends, (c,); infinity for none."""
        return self.polytope.upper

    @property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return len(self.grids)

    @cached_property
    def continuous(self) -> IntArray:
        """Continuous coordinates."""
        return np.array([c for c, grid in enumerate(self.grids) if grid is None], dtype=np.intp)

    @cached_property
    def discrete(self) -> IntArray:
        """Coordinates that only take the values of a grid."""
        return np.array(list(self._tables), dtype=np.intp)

    @cached_property
    def places(self) -> Array:
        """Steps of each grid, (d,); 0 for continuous coordinates."""
        return count_steps(self.grids)

    @property
    def is_constrained(self) -> bool:
        """Whether there are linear constraints."""
        return len(self.polytope) > 0

    def contains(self, X: Array) -> BoolArray:
        """Return which rows of X, (n, d), meet the constraints, (n,); they must be in the cube and on their grids."""
        return self.polytope.contains(X)

    def snap(self, X: Array) -> Array:
        """Move discrete coordinates of X, (n, d), to the nearest allowed value, the lower of two."""
        X = np.clip(X, 0.0, 1.0)
        for c, grid in self._tables.items():
            above = np.clip(np.searchsorted(grid, X[:, c]), 1, len(grid) - 1)
            up = grid[above] - X[:, c] < X[:, c] - grid[above - 1]
            X[:, c] = grid[np.where(up, above, above - 1)]
        return X

    def assign_bins(self, X: Array) -> Array:
        """Map discrete coordinates from equal bins of [0, 1] to allowed values, so that all are equally frequent."""
        X = X.copy()
        for c, grid in self._tables.items():
            X[:, c] = grid[np.minimum((X[:, c] * len(grid)).astype(np.intp), len(grid) - 1)]
        return X

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Return designs, (n, d), spread over the region by scrambled Sobol' points.

        There are fewer if constraints leave fewer, and at most `POOL_SIZE` if in addition all coordinates have grids.
        """
        if not self.is_constrained:
            return self.assign_bins(sobol(n, self.dimension, rng))
        order = rng.permutation(len(self._pool))
        rows = np.resize(order, n) if len(self.continuous) else order[:n]
        return self.polytope.hit_and_run(
            self._pool[rows], self.continuous, 2 if n <= len(order) else _HIT_AND_RUN_STEPS, rng
        )

    def neighbours(self, x: Array) -> Array:
        """Return the designs, (k, d), that are one step away in a discrete coordinate.

        An ordered coordinate steps by 1, 2, 4, ... grid values, a categorical one to any other value. If a step breaks
        a constraint, another discrete coordinate steps in the opposite direction, or the continuous ones are moved.
        """
        steps = {c: self._steps(x, c) for c in self._tables}
        found = np.concatenate([x[None, :][:0], *(add_coordinate(x[None], c, values) for c, values in steps.items())])
        if not self.is_constrained:
            return found
        fine = self.contains(found)
        moved = np.repeat(list(steps), [len(values) for values in steps.values()])
        further = [add_coordinate(found[~fine & (moved != c)], c, values) for c, values in steps.items()]
        every = np.concatenate([found[fine], self.repair(found[~fine]), *further])
        return np.asarray(np.unique(every[self.contains(every)], axis=0))

    def repair(self, X: Array) -> Array:
        """Move continuous coordinates of the rows of X to meet the constraints; drop rows for which this fails."""
        if not self.is_constrained:
            return X
        if len(self.continuous):
            X = self.polytope.project(X[self.polytope.are_repairable(X, self.continuous)], self.continuous)
        return X[self.contains(X)]

    def nearest(self, x: Array) -> Array:
        """Return a design, (d,), near x: snapped to the grids, then repaired in continuous or else all coordinates."""
        on_grid = self.snap(x[None])
        moved = self.repair(on_grid)
        if len(moved):
            return np.asarray(moved[0])
        found = self.polytope.nearest(on_grid[0], self.places)
        return on_grid[0] if found is None else np.asarray(self.snap(found[None])[0])

    def bounds_if_alike(self, least_difference: float) -> tuple[Array, Array] | None:
        """Return the bounds of each coordinate, (d,) each, if no two designs look different, else ``None``.

        Designs look the same if each continuous coordinate varies by less than `least_difference`, and no other varies.
        The check ends at the first coordinate that varies more, so most regions need one pair of linear programs.
        """
        if len(self.polytope.constrained_coordinates) < self.dimension:
            return None
        ends = np.empty((2, self.dimension))
        for c, grid in enumerate(self.grids):
            corners = [self.polytope.find_vertex(sign * np.eye(self.dimension)[c], self.places) for sign in (1.0, -1.0)]
            if corners[0] is None or corners[1] is None:
                return None
            ends[:, c] = corners[0][c], corners[1][c]
            if ends[1, c] - ends[0, c] >= (least_difference if grid is None else FEASIBILITY_TOLERANCE):
                return None
        return ends[0], ends[1]

    # -- helpers -------------------------------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> dict[int, Array]:
        return {c: grid for c, grid in enumerate(self.grids) if grid is not None}

    def _steps(self, x: Array, column: int) -> Array:
        """Return the values, (k,), one step away in a discrete coordinate."""
        grid = self._tables[column]
        here = int(np.abs(grid - x[column]).argmin())
        if column in self.categorical:
            return np.asarray(np.delete(grid, here))
        strides = 2 ** np.arange((len(grid) - 1).bit_length())
        there = np.concatenate([here - strides, here + strides])
        values: Array = grid[there[(there >= 0) & (there < len(grid))]]
        return values

    @cached_property
    def _pool(self) -> Array:
        """Designs to sample from, drawn once: projected Sobol' points, mixed by hit-and-run."""
        every = enumerate_designs(self.grids, self.polytope, POOL_SIZE)
        if every is not None:
            return freeze(every)
        rng = np.random.default_rng(0)
        spread = self.assign_bins(sobol(4 * POOL_SIZE, self.dimension, rng))
        found = self.repair(spread)
        if len(np.unique(found, axis=0)) < _MIN_POOL_SIZE:
            found = np.concatenate([found, self._rounded_pool(spread, rng)])
        distinct = np.unique(found, axis=0)
        chosen = distinct[rng.permutation(len(distinct))[:POOL_SIZE]]
        return freeze(self.polytope.hit_and_run(chosen, self.continuous, _HIT_AND_RUN_STEPS, rng))

    def _rounded_pool(self, spread: Array, rng: np.random.Generator) -> Array:
        """Return designs if random grid points seldom meet the constraints, such as integers with a given sum.

        Points between the grid values are easy to find; from each, the nearest design and its neighbours are taken.
        """
        between = self.polytope.constrained_coordinates
        starts = self.polytope.project(spread[:_NEAREST_STARTS], between)
        starts = self.polytope.hit_and_run(starts[self.contains(starts)], between, _HIT_AND_RUN_STEPS, rng)
        near = [self.polytope.nearest(x, self.places) for x in starts]
        vertices = [
            self.polytope.find_vertex(rng.standard_normal(self.dimension), self.places) for _ in range(_VERTEX_STARTS)
        ]
        found = self.snap(np.array([x for x in near + vertices if x is not None]))
        found = found[self.contains(found)]
        return np.concatenate([found, *(self.neighbours(x) for x in found)])
