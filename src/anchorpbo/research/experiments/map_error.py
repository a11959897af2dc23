"""How far an estimated noise map is from the true one, whose reliability is a density that is known."""

from __future__ import annotations

import numpy as np

from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array


def normal_density(X: Array, mean: float, variance: float) -> Array:
    """Return the density, (n,), of a normal of independent coordinates at the rows of X, (n, d)."""
    exponents = np.square(X - mean).sum(axis=1) / (2.0 * variance)
    return np.asarray(np.exp(-exponents - 0.5 * X.shape[1] * np.log(2.0 * np.pi * variance)))


def squared_errors(anchors: Array, bandwidth: float, profile: str, X: Array, density: Array) -> Array:
    """Return (exp(-q^) - exp(-q))^2, (n,), at the rows of X, where q is ``density``."""
    noise = NoiseMap.from_anchors(anchors, bandwidth, profile=profile)
    return np.square(noise(X) - np.exp(-density))
