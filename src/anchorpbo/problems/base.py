"""A test problem: a utility on the unit cube whose best design is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy.typing as npt

from anchorpbo.numerics.checks import as_points, as_vector
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Problem:
    """A utility to be maximised, designs (n, d) in the unit cube to values (n,)."""

    name: str
    dimension: int
    utility: Callable[[Array], Array]
    optimum: Array
    """The best design, (d,)."""
    maximum: float
    """Its utility."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "optimum", as_vector("optimum", self.optimum))

    def __call__(self, X: npt.ArrayLike) -> Array:
        """Utilities, (n,), of designs X, (n, d)."""
        return self.utility(as_points("X", X, self.dimension))
