"""Approximations for many duels: inducing points, and a subsample of duels to fit hyper-parameters to.

The exact posterior of m duels on u designs costs O(min(m, u)^3), and a fit of the hyper-parameters computes it about a
hundred times. If both m and u exceed `MAX_EXACT`, the posterior uses inducing points and the hyper-parameters are
fitted to a subsample of the duels. docs/decisions/0015-inducing-points.md measures the loss of accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.inference import Hallucination, Inference
from anchorpbo.numerics.validation import as_integer

MAX_EXACT = 2000
"""Largest number of duels, or of designs, at which ``"auto"`` is exact."""
MAX_INDUCING_POINTS = 1000
"""Largest number of inducing points that ``"auto"`` takes."""
RESIDUAL_TOLERANCE = 1e-4
"""Residual share of the margins' prior variance below which ``"auto"`` adds no more inducing points."""
MAX_FIT_DUELS = 500
"""Number of duels that hyper-parameters are fitted to if the posterior is not exact."""

InducingChoice = int | Literal["auto"] | None
"""Number of inducing points; ``None`` for the exact posterior."""


@dataclass(frozen=True)
class Approximation:
    """Size and loss of an approximate posterior or fit."""

    designs: int | None
    """Number of inducing points, which represent all designs compared; ``None`` for an exact posterior."""
    left_out: float
    """Share of the margins' prior variance that the inducing points leave out: 0.001 is a thousandth."""
    learnt_from: int | None
    """Number of duels that the hyper-parameters were fitted to; ``None`` if no fit was made."""

    def __str__(self) -> str:
        parts = [] if self.learnt_from is None else [f"hyper-parameters learnt from {self.learnt_from} duels"]
        if self.designs is not None:
            parts = [f"{self.designs} inducing points leave out {self.left_out:.2g} of the prior variance", *parts]
        return ", ".join(parts)


@dataclass(frozen=True)
class InducingRule:
    """Rule that sets the number of inducing points and the residual variance below which no more are added."""

    choice: InducingChoice = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.choice, str) and self.choice != "auto":
            remedy = 'write inducing="auto", a number, or None for the exact posterior'
            raise InputError('inducing must be a number, "auto" or None', repr(self.choice), remedy)
        if not isinstance(self.choice, str | None):
            object.__setattr__(self, "choice", as_integer("inducing", self.choice, 1))

    def check(self, inference: Inference) -> None:
        """Raise if a number of inducing points is given and the inference does not support them."""
        if isinstance(self.choice, str | None):
            return
        if isinstance(inference, Hallucination):
            remedy = 'use inference="ep", or inducing=None'
            rule, received = "Hallucination Believer draws from the exact prior", f"inducing={self.choice}"
            raise IncompatibleError(rule, received, remedy)
        if inference.latent != "auto":
            rule = f'an inference with latent="{inference.latent}" is exact'
            raise IncompatibleError(rule, f"inducing={self.choice}", "leave one of the two out")

    def exceeds_exact(self, duels: Duels, inference: Inference) -> bool:
        """Return whether these duels are too many for an exact posterior and an exact evidence."""
        if isinstance(self.choice, str):
            return inference.latent == "auto" and min(len(duels), len(duels.points)) > MAX_EXACT
        return self.choice is not None

    def applies(self, duels: Duels, inference: Inference) -> bool:
        """Return whether the posterior of these duels uses inducing points."""
        return self.exceeds_exact(duels, inference) and not isinstance(inference, Hallucination)

    @property
    def max_designs(self) -> int:
        """Largest number of inducing points."""
        return self.choice if isinstance(self.choice, int) else MAX_INDUCING_POINTS

    @property
    def tolerance(self) -> float:
        """Residual share of the margins' prior variance below which no more are added; 0 if their number is given."""
        return RESIDUAL_TOLERANCE if isinstance(self.choice, str) else 0.0


def subsample_duels(duels: Duels, count: int) -> Duels:
    """Draw at most `count` of the duels, wins and ties alike; one more duel changes few of those drawn.

    The sample is random and not evenly spaced: a table of comparisons may repeat a pattern, such as one ranking after
    the other, and then every tenth row may be of the same kind.
    """
    if len(duels) <= count:
        return duels
    # A duel's random number does not depend on later duels; the duels with the lowest numbers are drawn.
    drawn = np.sort(np.argsort(np.random.default_rng(0).random(len(duels)), kind="stable")[:count])
    wins, ties = np.split(drawn, [int(np.searchsorted(drawn, len(duels.winners)))])
    ties = duels.ties[ties - len(duels.winners)]
    return Duels(duels.points, duels.winners[wins], duels.losers[wins], ties, duels.bounds)
