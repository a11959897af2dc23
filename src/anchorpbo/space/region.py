"""The designs of a space as a part of the unit cube: continuous and gridded coordinates, linear constraints.

Symbols: x (d,) coordinates; `grids[c]` the allowed values of coordinate c, or None where all of [0, 1] is;
lower <= A x <= upper the constraints, an equation where the two are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.sobol import sobol
from anchorpbo.numerics.validation import freeze
from anchorpbo.space.listing import branched, listed
from anchorpbo.space.polytope import TOLERANCE, Polytope, places_of
from anchorpbo.typing import Array, BoolArray, IntArray

POOL = 1024
"""Designs drawn once where constraints make drawing them slow."""
_MIXING = 20
_FEWEST = 64
_NEAR, _CORNERS = 32, 16


@dataclass(frozen=True, eq=False)
class Region:
    """Which coordinates are designs. Immutable; build it by `of` or `cube`."""

    grids: tuple[Array | None, ...]
    """For each coordinate: its allowed values, increasing from 0 to 1, or ``None`` for the whole interval."""
    categorical: frozenset[int]
    """Gridded coordinates whose values have no order."""
    polytope: Polytope
    """The constraints. A gridded coordinate in one of them has an even grid."""

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
        """Constraints lower <= rows x <= upper, any of them left out; checks, unless told not to, for a design."""
        if rows is None or not len(rows):
            return cls(tuple(grids), frozenset(categorical), Polytope.cube(len(grids)))
        lower = np.full(len(rows), -np.inf) if lower is None else lower
        upper = np.full(len(rows), np.inf) if upper is None else upper
        region = cls(tuple(grids), frozenset(categorical), Polytope.of(rows, lower, upper))
        if check and not region.polytope.meets(region.places):
            remedy = "loosen one of them, or widen the range of a parameter in it"
            raise InputError("the constraints must leave at least one design", "none that meets them all", remedy)
        return region

    @classmethod
    def cube(cls, dimension: int) -> Region:
        """All of the unit cube."""
        return cls.of((None,) * dimension)

    @property
    def A(self) -> Array:  # noqa: N802
        """Constraints, (c, d); rows have length 1."""
        return self.polytope.A

    @property
    def lower(self) -> Array:
        """(c,), -infinity where there is none."""
        return self.polytope.lower

    @property
    def upper(self) -> Array:
        """(c,), infinity where there is none."""
        return self.polytope.upper

    @property
    def dimension(self) -> int:
        """Coordinates, d."""
        return len(self.grids)

    @cached_property
    def free(self) -> IntArray:
        """Continuous coordinates."""
        return np.array([c for c, grid in enumerate(self.grids) if grid is None], dtype=np.intp)

    @cached_property
    def gridded(self) -> IntArray:
        """The others."""
        return np.array(list(self._tables), dtype=np.intp)

    @cached_property
    def places(self) -> Array:
        """Steps of each grid, (d,); 0 for continuous coordinates."""
        return places_of(self.grids)

    @property
    def constrained(self) -> bool:
        """Whether there are linear constraints."""
        return len(self.polytope) > 0

    def contains(self, X: Array) -> BoolArray:
        """Which rows of X, (n, d), in the cube and on their grids, meet the constraints, (n,)."""
        return self.polytope.contains(X)

    def snapped(self, X: Array) -> Array:
        """The same, (n, d), with gridded coordinates moved to the nearest allowed value, the lower of two."""
        X = np.clip(X, 0.0, 1.0)
        for c, grid in self._tables.items():
            above = np.clip(np.searchsorted(grid, X[:, c]), 1, len(grid) - 1)
            up = grid[above] - X[:, c] < X[:, c] - grid[above - 1]
            X[:, c] = grid[np.where(up, above, above - 1)]
        return X

    def binned(self, X: Array) -> Array:
        """Cut [0, 1] into one bin for each allowed value, so that all of them are equally frequent."""
        X = X.copy()
        for c, grid in self._tables.items():
            X[:, c] = grid[np.minimum((X[:, c] * len(grid)).astype(np.intp), len(grid) - 1)]
        return X

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Designs, (n, d), spread over the region by scrambled Sobol' points.

        Where constraints leave fewer, there are fewer; and at most `POOL` where all coordinates have grids, too.
        """
        if not self.constrained:
            return self.binned(sobol(n, self.dimension, rng))
        order = rng.permutation(len(self._pool))
        rows = np.resize(order, n) if len(self.free) else order[:n]
        return self.polytope.stirred(self._pool[rows], self.free, 2 if n <= len(order) else _MIXING, rng)

    def neighbours(self, x: Array) -> Array:
        """Designs, (k, d), that one step in a gridded coordinate leads to.

        An ordered coordinate steps by 1, 2, 4, ... places of its grid, a categorical one to any other value. Where a
        step breaks a constraint, another gridded coordinate steps against it, or the continuous ones make room.
        """
        steps = {c: self._steps(x, c) for c in self._tables}
        found = np.concatenate([x[None, :][:0], *(branched(x[None], c, values) for c, values in steps.items())])
        if not self.constrained:
            return found
        fine = self.contains(found)
        moved = np.repeat(list(steps), [len(values) for values in steps.values()])
        further = [branched(found[~fine & (moved != c)], c, values) for c, values in steps.items()]
        every = np.concatenate([found[fine], self.repaired(found[~fine]), *further])
        return np.asarray(np.unique(every[self.contains(every)], axis=0))

    def repaired(self, X: Array) -> Array:
        """Those rows of X that become designs by moving their continuous coordinates, so moved."""
        if not self.constrained:
            return X
        if len(self.free):
            X = self.polytope.projected(X[self.polytope.mendable(X, self.free)], self.free)
        return X[self.contains(X)]

    def nearest(self, x: Array) -> Array:
        """A design, (d,), near to x: on the grids, then by its continuous coordinates, then by all of them."""
        snapped = self.snapped(x[None])
        moved = self.repaired(snapped)
        if len(moved):
            return np.asarray(moved[0])
        found = self.polytope.nearest(snapped[0], self.places)
        return snapped[0] if found is None else np.asarray(self.snapped(found[None])[0])

    def ends_if_alike(self, spot: float) -> tuple[Array, Array] | None:
        """The least and the largest of each coordinate, (d,) each, where no two designs look different.

        That is, where each continuous coordinate has less than `spot` of play, and no other has any. ``None`` as soon
        as one has more, so that most regions need a single pair of linear programs.
        """
        if len(self.polytope.involved) < self.dimension:
            return None
        ends = np.empty((2, self.dimension))
        for c, grid in enumerate(self.grids):
            corners = [self.polytope.corner(sign * np.eye(self.dimension)[c], self.places) for sign in (1.0, -1.0)]
            if corners[0] is None or corners[1] is None:
                return None
            ends[:, c] = corners[0][c], corners[1][c]
            if ends[1, c] - ends[0, c] >= (spot if grid is None else TOLERANCE):
                return None
        return ends[0], ends[1]

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> dict[int, Array]:
        return {c: grid for c, grid in enumerate(self.grids) if grid is not None}

    def _steps(self, x: Array, column: int) -> Array:
        """Values, (k,), one step away in a gridded coordinate."""
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
        """Designs to start from, drawn once: projected Sobol' points, well stirred."""
        every = listed(self.grids, self.polytope, POOL)
        if every is not None:
            return freeze(every)
        rng = np.random.default_rng(0)
        spread = self.binned(sobol(4 * POOL, self.dimension, rng))
        found = self.repaired(spread)
        if len(np.unique(found, axis=0)) < _FEWEST:
            found = np.concatenate([found, self._rounded_pool(spread, rng)])
        distinct = np.unique(found, axis=0)
        chosen = distinct[rng.permutation(len(distinct))[:POOL]]
        return freeze(self.polytope.stirred(chosen, self.free, _MIXING, rng))

    def _rounded_pool(self, spread: Array, rng: np.random.Generator) -> Array:
        """Designs where a grid point at random hardly ever meets the constraints, such as whole numbers of a given sum.

        Points between the places are easy to find; each leads to the design nearest to it, which leads to others.
        """
        between = self.polytope.involved
        starts = self.polytope.projected(spread[:_NEAR], between)
        starts = self.polytope.stirred(starts[self.contains(starts)], between, _MIXING, rng)
        near = [self.polytope.nearest(x, self.places) for x in starts]
        corners = [self.polytope.corner(rng.standard_normal(self.dimension), self.places) for _ in range(_CORNERS)]
        found = self.snapped(np.array([x for x in near + corners if x is not None]))
        found = found[self.contains(found)]
        return np.concatenate([found, *(self.neighbours(x) for x in found)])
