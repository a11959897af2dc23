"""Sums that compiled loops share; an array's own methods would load a part of numba's compiler."""

from anchorpbo.numerics.jit import compiled
from anchorpbo.typing import Array


@compiled
def dot(x: Array, y: Array) -> float:
    """x' y."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total
