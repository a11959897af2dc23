"""Gaussian sites: the Gaussian factors by which an inference approximates the likelihood of the duels.

    site k on margin g_k:   exp(b_k g_k - w_k g_k^2 / 2),    precision w = 1 / v,  b = w t

for a target t and a variance v. Sites are stored as (w, b), because a confident logistic duel has w = 0, for which t
and v would be NaN and infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Sites:
    """Natural parameters of the sites, one per duel, or of s draws of them."""

    precision: Array
    """Precisions w >= 0, (m,), or (s, m) if they differ between draws."""
    linear: Array
    """Linear terms b = w t, (m,), or (s, m); 0 where w is 0."""

    @property
    def draws(self) -> int:
        """Number of draws; 1 for a single set of sites."""
        return 1 if self.linear.ndim == 1 else len(self.linear)

    @property
    def shares_precision(self) -> bool:
        """Whether all draws have the same precisions."""
        return self.precision.ndim == 1

    def draw(self, index: int) -> Sites:
        """Return one draw as a single set of sites."""
        precision = self.precision if self.shares_precision else self.precision[index]
        return Sites(precision, self.linear if self.linear.ndim == 1 else self.linear[index])

    @cached_property
    def root(self) -> Array:
        """Square roots of the precisions, W^1/2."""
        return np.sqrt(self.precision)

    @property
    def scaled_target(self) -> Array:
        """Scaled targets W^1/2 t = b / W^1/2, 0 where w is 0, since both underflow together."""
        root = self.root
        return self.linear / np.where(root > 0.0, root, np.inf)
