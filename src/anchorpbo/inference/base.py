"""What every inference does: turn duels, seen as margins, into Gaussian sites."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from anchorpbo.errors import ShapeError, UnknownNameError
from anchorpbo.likelihoods import Likelihood
from anchorpbo.numerics.validation import as_vector
from anchorpbo.posterior import LATENTS, LatentGaussian, Sites
from anchorpbo.typing import Array


@dataclass(frozen=True)
class Info:
    """What an inference did, and whether to trust it."""

    method: str
    """Name of the inference."""
    converged: bool
    """Whether it met its own tolerance."""
    iterations: int
    """Newton steps, EP passes or Gibbs sweeps."""
    residual: float = 0.0
    """What was left at the end: a scaled gradient norm, the largest change of a moment; 0 for samplers."""
    effective_samples: float | None = None
    """Effective sample size of a sampler's draws; of the chain, for a single draw."""


@dataclass(frozen=True, eq=False)
class InferenceResult:
    """Result of an inference: sites, how they came about, and where to start next time."""

    sites: Sites
    info: Info
    state: Array
    """Where the inference ended, (m,); a later call on the same duels may start from it."""


@dataclass(frozen=True)
class Inference(ABC):
    """A way from margins to sites; immutable."""

    latent: str = field(default="auto", kw_only=True)
    """Latent vector to solve for: ``"duel"`` (margins), ``"point"`` (utilities), or ``"auto"`` for the smaller."""

    def __post_init__(self) -> None:
        if not isinstance(self.latent, str) or self.latent not in LATENTS:
            raise UnknownNameError.of("latent", self.latent, LATENTS)

    def check(self, likelihood: Likelihood) -> None:  # noqa: B027 (most inferences take any likelihood)
        """Raise `IncompatibleError` if this inference cannot work with the likelihood."""

    @abstractmethod
    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Sites for the duels behind `latent`.

        Parameters
        ----------
        latent
            The rows and the prior covariance, see `anchorpbo.posterior.latent`.
        likelihood
            With its tie threshold settled.
        rng
            The only source of randomness; deterministic inferences leave it alone.
        start
            The `state` of an earlier result, (m,). It changes the speed, not the answer; of samplers, the draw, not
            its distribution.
        """


def as_start(latent: LatentGaussian, start: Array) -> Array:
    """Return a copy of `start`, one finite number for each duel."""
    margins, m = as_vector("start", start).copy(), len(latent.rows)
    if len(margins) != m:
        raise ShapeError(f"start must have one entry for each of the {m} duels", margins.shape, "leave it out")
    return margins
