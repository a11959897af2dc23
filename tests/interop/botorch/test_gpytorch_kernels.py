"""GPyTorch's kernels as ours, and a fitted `PairwiseGP` with anchors."""

import numpy as np
import pytest
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import PairwiseGP
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from botorch.models.pairwise_gp import PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize
from gpytorch.kernels import LinearKernel, MaternKernel, PeriodicKernel, RBFKernel, RQKernel, ScaleKernel
from interop_models import ANCHORS, NOISE, designs, some_duels

import anchorpbo as ap
from anchorpbo.errors import InputError, UnsupportedError
from anchorpbo.interop.botorch import AnchoredPairwiseModel, NoiseMap, duels_to_tensors, kernel_from_gpytorch


def scaled(kernel, scale):
    return ScaleKernel(kernel).double().initialize(outputscale=scale)


def rbf(lengthscale=0.4, **options):
    return RBFKernel(**options).double().initialize(lengthscale=torch.tensor(lengthscale, dtype=torch.float64))


def matern(nu, lengthscale=0.6, **options):
    return MaternKernel(nu, **options).double().initialize(lengthscale=lengthscale)


KERNELS = {
    "rbf": rbf(),
    "rbf-ard": rbf([[0.2, 0.5, 1.0]], ard_num_dims=3),
    "matern32": matern(1.5),
    "matern52": scaled(matern(2.5), 3.0),
    "columns": scaled(rbf(active_dims=(0, 2)), 2.0),
    "sum": scaled(rbf(active_dims=(0,)), 2.0) + scaled(matern(2.5, active_dims=(1, 2)), 0.5),
    "product": scaled(rbf() * matern(1.5, active_dims=(1,)), 1.5),
    "scaled-sum": scaled(scaled(rbf(), 2.0) + matern(2.5), 3.0),
}


@pytest.mark.parametrize("theirs", KERNELS.values(), ids=KERNELS)
def test_a_kernel_taken_over_is_the_same_covariance(theirs):
    X, Y = designs(6), designs(5, seed=1)
    ours = kernel_from_gpytorch(theirs)(X.numpy(), Y.numpy())
    np.testing.assert_allclose(ours, theirs(X, Y).to_dense().detach(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "theirs", [PeriodicKernel(), LinearKernel(), MaternKernel(0.5), scaled(RQKernel(), 2.0), rbf() + PeriodicKernel()]
)
def test_other_kernels_are_refused(theirs):
    with pytest.raises(UnsupportedError, match=r"can be converted; received .*use AnchoredPairwiseModel"):
        kernel_from_gpytorch(theirs)


def test_batches_of_kernels_are_refused():
    with pytest.raises(UnsupportedError, match="received a batch of RBFKernel"):
        kernel_from_gpytorch(RBFKernel(batch_shape=torch.Size([2])))


@pytest.mark.parametrize("link", [PairwiseProbitLikelihood, PairwiseLogitLikelihood])
def test_a_fitted_pairwise_gp_is_the_same_model_under_its_own_noise(link):
    low, wide = torch.tensor([80.0, 10.0, -1.0], dtype=torch.float64), torch.tensor([16.0, 10.0, 2.0])
    points, comparisons = duels_to_tensors(some_duels(20))
    # With mistakes, so that no margin is as clear as BoTorch's likelihoods clamp it.
    comparisons[::3] = comparisons[::3].flip(-1)
    bounds = torch.stack([low, low + wide])
    theirs = PairwiseGP(low + wide * points, comparisons, link(), input_transform=Normalize(3, bounds=bounds))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(theirs.likelihood, theirs))
    ours, X = AnchoredPairwiseModel.from_pairwise_gp(theirs), low + wide * designs(4, 3)
    here, there = ours.posterior(X), theirs.posterior(X)
    np.testing.assert_allclose(here.mean, there.mean.detach(), atol=1e-4)
    np.testing.assert_allclose(
        here.distribution.covariance_matrix, there.distribution.covariance_matrix.detach(), atol=1e-4
    )
    assert ours.preference_gp.kernel.outputscale == pytest.approx(theirs.covar_module.outputscale.item())


def test_anchors_can_be_added_to_a_fitted_pairwise_gp():
    theirs = PairwiseGP(*duels_to_tensors(some_duels()))
    ours = AnchoredPairwiseModel.from_pairwise_gp(theirs, NoiseMap.bounded(torch.tensor(ANCHORS)), inference="ep")
    kernel = kernel_from_gpytorch(theirs.covar_module)
    noise = ap.NoiseMap.bounded(ANCHORS)
    expected = ap.PreferenceGP(kernel, inference="ep", noise=noise, learn=None).condition(some_duels())
    X = designs(4)
    np.testing.assert_allclose(ours.posterior(X).mean[:, 0], expected.posterior.mean(X.numpy()), atol=1e-12)


def test_anchors_under_a_logit_likelihood_keep_utilities_free_of_an_origin():
    theirs = PairwiseGP(*duels_to_tensors(some_duels()), PairwiseLogitLikelihood())
    ours = AnchoredPairwiseModel.from_pairwise_gp(theirs, NOISE)
    kernel, link = kernel_from_gpytorch(theirs.covar_module), ap.Logistic(form="difference")
    expected = ap.PreferenceGP(kernel, link, noise=NOISE, learn=None).condition(some_duels())
    X = designs(4)
    np.testing.assert_allclose(ours.posterior(X).mean[:, 0], expected.posterior.mean(X.numpy()), atol=1e-12)
    paper = AnchoredPairwiseModel.from_pairwise_gp(theirs, NOISE, likelihood="logistic")
    assert (paper.posterior(X).mean - ours.posterior(X).mean).abs().max() > 0.01


def test_other_models_are_refused():
    with pytest.raises(InputError, match="must be a PairwiseGP with a probit or a logit likelihood"):
        AnchoredPairwiseModel.from_pairwise_gp(ap.PreferenceGP(), NOISE)
    theirs = PairwiseGP(5.0 * duels_to_tensors(some_duels())[0], duels_to_tensors(some_duels())[1])
    with pytest.raises(InputError, match="datapoints must be in the unit cube after the transform"):
        AnchoredPairwiseModel.from_pairwise_gp(theirs)
