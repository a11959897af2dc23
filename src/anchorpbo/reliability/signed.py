"""A reliability in [-1, 1] with negative anchors: designs that the user cannot judge.

::

    X_-          negative anchors, (k, d)
    q+(x)        bounded reliability of the anchors; 0 without anchors
    q-(x)        bounded reliability of the negative anchors
    q(x) = q+(x) - q-(x)
    dq/dx = dq+/dx - dq-/dx

Near a negative anchor the noise is above its scale. Where both kinds of anchors are near, they cancel.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.reliability.base import Reliability
from anchorpbo.reliability.bounded import BoundedReliability
from anchorpbo.typing import Array


@final
@dataclass(frozen=True, eq=False)
class SignedReliability(Reliability):
    """The reliability of the anchors minus that of the negative anchors.

    Parameters
    ----------
    good
        Bounded reliability of the designs the user knows well; ``None`` for none.
    poor
        Bounded reliability of the designs the user cannot judge.
    """

    good: BoundedReliability | None
    poor: BoundedReliability
    anchors: Array = field(init=False, repr=False)
    """Designs the user knows well, (n, d); n may be 0."""
    negative: Array = field(init=False, repr=False)
    """Designs the user cannot judge, (k, d)."""
    bandwidth: float = field(init=False, repr=False)
    """Bandwidth of the anchors; of the negative anchors if there are no others."""

    def __post_init__(self) -> None:
        if not isinstance(self.poor, BoundedReliability) or not isinstance(self.good, BoundedReliability | None):
            given = self.poor if isinstance(self.good, BoundedReliability | None) else self.good
            remedy = "build it with NoiseMap.bounded(anchors, negative=...)"
            raise InputError("both parts must be a BoundedReliability", repr(given)[:80], remedy)
        negative = self.poor.anchors
        anchors = np.empty((0, negative.shape[1])) if self.good is None else self.good.anchors
        check_columns(anchors, negative)
        anchors.setflags(write=False)
        object.__setattr__(self, "anchors", anchors)
        object.__setattr__(self, "negative", negative)
        object.__setattr__(self, "bandwidth", (self.poor if self.good is None else self.good).bandwidth)

    def value(self, X: Array) -> Array:
        """Return q, (n,), at the rows of X, (n, d)."""
        against = self.poor.value(X)
        return -against if self.good is None else self.good.value(X) - against

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        """Return q, (n,), and its gradient in x, (n, d)."""
        against, slope = self.poor.value_and_gradient(X)
        if self.good is None:
            return -against, -slope
        value, gradient = self.good.value_and_gradient(X)
        return value - against, gradient - slope


def check_columns(anchors: Array, negative: Array) -> None:
    """Raise unless anchors, (n, d), and negative anchors, (k, d), have the same number of coordinates."""
    if anchors.shape[1] != negative.shape[1]:
        rule = f"negative anchors must have the {anchors.shape[1]} coordinates of the anchors"
        raise InputError(rule, f"{negative.shape[1]} of them", "give both the same coordinates")
