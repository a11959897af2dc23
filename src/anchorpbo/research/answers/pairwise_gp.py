"""BoTorch's `PairwiseGP` on arrays, seeded.

Symbols: X, (u, d), points in the unit cube; (w, l), (m, 2), rows of the winner and the loser of each answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from anchorpbo.research.answers.seeding import seed_numpy
from anchorpbo.typing import Array

PAIRWISE_PACKAGES = ("torch", "gpytorch", "botorch")
PairwiseLink = Literal["probit", "logit"]
"""Name of the likelihood of an answer."""


def make_pairwise_gp(
    points: Array, winners: Sequence[int], losers: Sequence[int], link: PairwiseLink, kernel: Any = None
) -> Any:
    """Return the model of some answers; without a kernel, it has BoTorch's initial hyper-parameters."""
    import torch
    from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
    from botorch.models.pairwise_gp import PairwiseGP

    likelihood = {"probit": PairwiseProbitLikelihood, "logit": PairwiseLogitLikelihood}[link]
    comparisons = torch.tensor([winners, losers]).T
    return PairwiseGP(torch.tensor(points), comparisons, likelihood=likelihood(), covar_module=kernel)


def fit_pairwise_gp(model: Any) -> None:
    """Fit the hyper-parameters by Laplace evidence with BoTorch's priors; raises `ModelFittingError` if that fails."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.pairwise_gp import PairwiseLaplaceMarginalLogLikelihood

    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))


def joint_posterior(model: Any, X: Array) -> tuple[Array, Array]:
    """Return the mean, (..., n), and the covariance, (..., n, n), of the utilities at X, (..., n, d)."""
    import torch

    with torch.no_grad():
        posterior = model.posterior(torch.tensor(X))
        return posterior.mean[..., 0].numpy(), posterior.distribution.covariance_matrix.numpy()


@contextmanager
def seed_torch(*seed: int) -> Iterator[None]:
    """Seed torch, and numpy, from which `PairwiseGP` draws the start of its search for the mode."""
    import torch

    with torch.random.fork_rng(), seed_numpy(*seed):
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        yield
