"""Posterior densities that plots of findings show."""

from __future__ import annotations

import numpy as np

from anchorpbo.numerics.shares import GridPosterior
from anchorpbo.study.audit.finding import Density

_SHARES = np.linspace(0.0, 1.0, 401)[1:-1]


def share_density(k: int, n: int, reference: float | None, label: str) -> Density:
    """Return the posterior of a share of k among n under Jeffreys' prior, Beta(k + 1/2, n - k + 1/2)."""
    log_density = (k - 0.5) * np.log(_SHARES) + (n - k - 0.5) * np.log1p(-_SHARES)
    return Density.of(GridPosterior.from_log_density(_SHARES, log_density), reference, label)
