"""The interface of inferences, which compute Gaussian sites from duels."""

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
    """Diagnostics of an inference."""

    method: str
    """Name of the inference."""
    converged: bool
    """Whether the inference met its tolerance."""
    iterations: int
    """Number of Newton steps, EP passes or Gibbs sweeps."""
    residual: float = 0.0
    """Final residual: the Newton decrement (Laplace) or the largest change of a moment (EP); 0 for samplers."""
    effective_samples: float | None = None
    """Effective sample size of a sampler's draws (of the chain, for a single draw)."""


@dataclass(frozen=True, eq=False)
class InferenceResult:
    """Result of an inference: sites, diagnostics, and a starting point for the next call."""

    sites: Sites
    info: Info
    state: Array
    """Final state, (m,); a later call on the same duels may start from it."""


@dataclass(frozen=True)
class Inference(ABC):
    """An algorithm that computes sites from the likelihood of the margins; immutable."""

    latent: str = field(default="auto", kw_only=True)
    """Latent vector: ``"duel"`` (margins), ``"point"`` (utilities), or ``"auto"`` for the smaller one."""

    def __post_init__(self) -> None:
        if not isinstance(self.latent, str) or self.latent not in LATENTS:
            raise UnknownNameError.of("latent", self.latent, LATENTS)

    def check(self, likelihood: Likelihood) -> None:  # noqa: B027 (most inferences accept any likelihood)
        """Raise `IncompatibleError` if this inference cannot work with the likelihood."""

    @abstractmethod
    def infer(
        self, latent: LatentGaussian, likelihood: Likelihood, rng: np.random.Generator, start: Array | None = None
    ) -> InferenceResult:
        """Return the sites of the duels in `latent`.

        Parameters
        ----------
        latent
            Rows and prior covariance, see `anchorpbo.posterior.latent`.
        likelihood
            Likelihood with a known tie threshold.
        rng
            The only source of randomness; deterministic inferences do not use it.
        start
            The `state` of an earlier result, (m,). It affects the speed but not the result; for samplers, it affects
            the draw but not its distribution.
        """


def as_start(latent: LatentGaussian, start: Array) -> Array:
    """Return a copy of `start`, with one finite number per duel."""
    margins, m = as_vector("start", start).copy(), len(latent.rows)
    if len(margins) != m:
        raise ShapeError(f"start must have one entry for each of the {m} duels", margins.shape, "leave it out")
    return margins
