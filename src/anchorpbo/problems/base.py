"""Test problems: utilities on the unit cube with a known optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.validation import as_points, as_vector
from anchorpbo.space import Real, Space
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Problem:
    """A utility to maximise: maps designs (n, d) in the unit cube to values (n,)."""

    name: str
    dimension: int
    utility: Callable[[Array], Array]
    optimum: Array
    """A best design, (d,)."""
    maximum: float
    """The utility of the best design."""
    minimum: float
    """The smallest utility on the cube."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "optimum", as_vector("optimum", self.optimum))
        if self.optimum.shape != (self.dimension,):
            raise ShapeError(f"optimum must have shape ({self.dimension},)", self.optimum.shape, "give one best design")
        if not self.minimum < self.maximum:
            received = (self.minimum, self.maximum)
            raise InputError("minimum must be below maximum", received, "negate a function to minimise")

    @classmethod
    def on_box(
        cls,
        name: str,
        formula: Callable[[Array], Array],
        box: npt.ArrayLike,
        *,
        optimum: npt.ArrayLike,
        maximum: float,
        minimum: float,
    ) -> Problem:
        """Return the problem of a utility on a box, (d, 2) bounds, scaled to the unit cube; `optimum` is in the box."""
        lower, upper = as_points("box", box, 2).T
        utility = partial(_utility_on_box, formula, lower, upper)
        best = (as_vector("optimum", optimum) - lower) / (upper - lower)
        return cls(name, len(lower), utility, best, maximum, minimum)

    @property
    def space(self) -> Space:
        """The unit cube as a design space with parameters x1, x2, ..."""
        return Space({f"x{c + 1}": Real(0.0, 1.0) for c in range(self.dimension)})

    def __call__(self, X: npt.ArrayLike) -> Array:
        """Return the utilities, (n,), of designs X, (n, d)."""
        return self.utility(as_points("X", X, self.dimension))

    def share(self, X: npt.ArrayLike) -> Array:
        """Return the utilities of designs X, (n, d), scaled to 0 for the worst design and 1 for the best, (n,)."""
        return (self(X) - self.minimum) / (self.maximum - self.minimum)


def _utility_on_box(formula: Callable[[Array], Array], lower: Array, upper: Array, X: Array) -> Array:
    # A module-level function instead of a closure, so that problems can be pickled for other processes.
    return formula(lower + X * (upper - lower))
