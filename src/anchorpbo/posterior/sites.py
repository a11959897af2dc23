"""Gaussian sites: what an inference makes of the duels.

    site k on margin g_k:   exp(b_k g_k - w_k g_k^2 / 2),    precision w = 1 / v,  b = w t

for a target t and a variance v. They are stored as (w, b): a confident logistic duel has w = 0, where t and v would be
NaN and infinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Sites:
    """Natural parameters of the sites, or of s draws of them."""

    precision: Array
    """w >= 0: (m,), or (s, m) where it differs between draws."""
    linear: Array
    """b = w t: (m,), or (s, m); zero where w is."""

    @property
    def draws(self) -> int:
        """How many draws there are; one for a plain set."""
        return 1 if self.linear.ndim == 1 else len(self.linear)

    @property
    def shares_precision(self) -> bool:
        """Whether all draws have the same precisions."""
        return self.precision.ndim == 1

    def draw(self, index: int) -> Sites:
        """One draw as a plain set of sites."""
        precision = self.precision if self.shares_precision else self.precision[index]
        return Sites(precision, self.linear if self.linear.ndim == 1 else self.linear[index])

    @cached_property
    def root(self) -> Array:
        """W^1/2, the square roots of the precisions."""
        return np.sqrt(self.precision)

    @property
    def scaled_target(self) -> Array:
        """W^1/2 t = b / W^1/2, zero where w is: both underflow together."""
        root = self.root
        return self.linear / np.where(root > 0.0, root, np.inf)
