"""Under constant noise our Laplace posterior is that of BoTorch's `PairwiseGP`, which shares no code with it."""

import numpy as np
import pytest
import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from interop_models import designs, some_duels

import anchorpbo as ap
from anchorpbo.interop.botorch import AnchoredPairwiseModel, duels_to_tensors

LENGTHS, SCALE = [0.4, 0.5, 0.8], 1.5
LINKS = {"probit": PairwiseProbitLikelihood, "logistic": PairwiseLogitLikelihood}
KERNELS = {
    "rbf": (ap.RBF(LENGTHS, SCALE), lambda: RBFKernel(ard_num_dims=3)),
    "matern52": (ap.Matern52(LENGTHS, SCALE), lambda: MaternKernel(nu=2.5, ard_num_dims=3)),
}


def pairwise_gp(duels, kernel, link):
    """At our hyper-parameters, without the jitter and the merging of near designs that are there by default."""
    covariance = ScaleKernel(kernel()).double()
    covariance.base_kernel.lengthscale = torch.tensor(LENGTHS, dtype=torch.float64)
    covariance.outputscale = SCALE
    points, comparisons = duels_to_tensors(duels)
    settings = {"consolidate_atol": 0.0, "jitter": 1e-14, "xtol": 1e-12}
    return PairwiseGP(points, comparisons, LINKS[link](), covariance, **settings)


@pytest.fixture(params=[(link, kernel, seed) for link in LINKS for kernel in KERNELS for seed in (0, 1)], ids=str)
def both(request):
    link, name, seed = request.param
    ours, theirs = KERNELS[name]
    duels = some_duels(20, seed)
    model = ap.PreferenceGP(ours, link, "laplace", noise=1.0, learn=None).condition(duels)
    other = pairwise_gp(duels, theirs, link)
    margins = other.D @ other.utility
    clamp = 3.0 * np.sqrt(2.0) if link == "probit" else 8.0
    assert margins.abs().max() < clamp  # otherwise BoTorch's likelihood is another
    return AnchoredPairwiseModel(model), other


def test_mean_and_covariance_agree(both):
    ours, theirs = both
    X = designs(6, 4, seed=3)
    here, there = ours.posterior(X), theirs.posterior(X)
    np.testing.assert_allclose(here.mean, there.mean.detach(), rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        here.distribution.covariance_matrix, there.distribution.covariance_matrix.detach(), rtol=0, atol=1e-11
    )


def test_evidences_agree(both):
    ours, theirs = both
    theirs.train()
    mll = PairwiseLaplaceMarginalLogLikelihood(theirs.likelihood, theirs)
    evidence = mll(theirs(theirs.unconsolidated_datapoints), theirs.unconsolidated_comparisons)
    assert evidence.item() == pytest.approx(ours.preference_gp.log_evidence, abs=1e-10)


def test_expected_utilities_of_the_best_option_and_their_gradients_agree(both):
    ours, theirs = both
    X = designs(20, 2, seed=4)
    values, slopes = [], []
    for model in (ours, theirs):
        here = X.clone().requires_grad_()
        value = AnalyticExpectedUtilityOfBestOption(pref_model=model)(here)
        value.sum().backward()
        values.append(value.detach())
        slopes.append(here.grad)
    np.testing.assert_allclose(*values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(*slopes, rtol=0, atol=1e-9)
