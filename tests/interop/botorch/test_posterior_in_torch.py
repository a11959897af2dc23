"""The posterior of the bridge is that of the numpy model, with the gradient autograd should find."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from interop_models import SETTINGS, conditioned, designs, some_duels
from torch.autograd import gradcheck

import anchorpbo as ap
from anchorpbo.errors import UnsupportedError
from anchorpbo.interop.botorch import AnchoredPairwiseModel
from anchorpbo.kernels import Kernel, Stationary

KERNELS = {
    "rbf": ap.RBF(0.4, 2.0),
    "matern32": ap.Matern32([0.4, 0.6, 1.0]),
    "matern52": ap.Matern52(0.5, 3.0),
    "sum": ap.RBF(0.4) + ap.Matern52(0.9, 2.0),
    "product": ap.RBF(0.4, 2.0) * ap.Matern32(0.9),
    "columns": ap.RBF(0.4).on([0, 2]) + ap.Matern52(0.3).on([1]),
}


class RationalQuadratic(Stationary):
    """1 / (1 + r^2 / 2), one method, as a user would write it."""

    def shape(self, r2):
        return 1.0 / (1.0 + 0.5 * r2), -0.5 / (1.0 + 0.5 * r2) ** 2


@dataclass(frozen=True)
class Quadratic(Kernel):
    """(1 + x.y)^2: not stationary, so the variance itself has a slope."""

    parameter_names = ()
    log_parameters = np.empty(0)

    def __call__(self, X, Y):
        return (1.0 + X @ Y.T) ** 2

    def paired(self, X, Y):
        return (1.0 + (X * Y).sum(axis=1)) ** 2

    def diagonal(self, X):
        return self.paired(X, X)

    def input_gradient(self, X, Y, A):
        return (2.0 * A * (1.0 + X @ Y.T)) @ Y

    def paired_gradient(self, X, Y, a):
        return (2.0 * a * (1.0 + (X * Y).sum(axis=1)))[:, None] * Y

    def diagonal_gradient(self, X, a):
        return 2.0 * self.paired_gradient(X, X, a)

    def with_log_parameters(self, theta):
        return self

    def parameter_gradient(self, X, A):
        return np.empty(0)

    def check_dimension(self, dimension):
        pass


def moments(model, X):
    posterior = model.posterior(X)
    return posterior.mean, posterior.distribution.covariance_matrix


@pytest.mark.parametrize("shape", [(1,), (4,), (5, 2), (2, 3, 4)])
@pytest.mark.parametrize("kind", SETTINGS)
def test_moments_are_those_of_the_numpy_posterior_for_every_inference_and_batch_shape(kind, shape):
    theirs, X = conditioned(kind), designs(*shape)
    mean, covariance = moments(AnchoredPairwiseModel(theirs), X)
    assert mean.shape == (*shape, 1)
    assert covariance.shape == (*shape, shape[-1])
    flat = X.reshape(-1, *X.shape[-2:]).numpy()
    expected = np.stack([theirs.posterior.covariance(x) for x in flat]).reshape(covariance.shape)
    np.testing.assert_allclose(covariance.numpy(), expected, rtol=0, atol=1e-12)
    expected = np.stack([theirs.posterior.mean(x) for x in flat]).reshape(mean.shape)
    np.testing.assert_allclose(mean.numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", SETTINGS)
def test_mean_and_covariance_have_the_gradient_of_finite_differences_for_every_inference(kind):
    model = AnchoredPairwiseModel(conditioned(kind))
    for shape in ((3,), (2, 2)):
        X = designs(*shape, seed=1).requires_grad_()
        assert gradcheck(lambda X: moments(model, X), (X,))


KERNELS |= {"rational-quadratic": RationalQuadratic(0.4, 2.0), "quadratic": Quadratic()}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_mean_and_covariance_have_the_gradient_of_finite_differences_for_every_kernel(kernel):
    model = AnchoredPairwiseModel(conditioned("ep", kernel))
    for shape in ((3,), (2, 2), (2, 1)):
        X = designs(*shape, seed=2).requires_grad_()
        assert gradcheck(lambda X: moments(model, X), (X,))


def test_the_gradient_is_also_there_for_one_design_twice_and_at_a_design_compared():
    model = AnchoredPairwiseModel(conditioned("ep", ap.Matern52(0.5, 3.0)))
    compared = model.datapoints[:1]
    X = torch.stack([compared, compared]).reshape(1, 2, 3).requires_grad_()
    assert gradcheck(lambda X: moments(model, X), (X,))


def test_categorical_coordinates_have_no_slope():
    theirs = ap.PreferenceGP(ap.RBF(0.5, 2.0, categorical=[1]), learn=None).condition(some_duels())
    X = designs(4).requires_grad_()
    AnchoredPairwiseModel(theirs).posterior(X).mean.sum().backward()
    assert (X.grad[:, 1] == 0).all()
    assert (X.grad[:, [0, 2]] != 0).all()


def test_a_kernel_without_a_gradient_has_values_and_says_so_when_a_gradient_is_asked_for():
    bits = np.random.default_rng(0).integers(0, 2, (8, 6)).astype(float)
    duels = ap.Duels(bits, [0, 1, 2], [3, 4, 5])
    theirs = ap.PreferenceGP(ap.Tanimoto(2.0), learn=None).condition(duels)
    model, X = AnchoredPairwiseModel(theirs), torch.tensor(bits[:4])
    np.testing.assert_allclose(model.posterior(X).mean[:, 0], theirs.posterior.mean(bits[:4]), atol=1e-12)
    X.requires_grad_()
    with torch.no_grad():
        model.posterior(X)
    with pytest.raises(UnsupportedError, match=r"kernel has one; received Tanimoto.*optimize_acqf_discrete"):
        model.posterior(X)


def test_the_variance_of_a_mixture_counts_how_its_draws_differ():
    theirs, X = conditioned("hallucination-mixture"), designs(5)
    spread = theirs.posterior.spread @ theirs.posterior.kernel(theirs.posterior.points, X.numpy())
    assert (spread**2).sum() > 0.1
    draws = theirs.posterior.sample(X.numpy(), 100_000, np.random.default_rng(0))
    posterior = AnchoredPairwiseModel(theirs).posterior(X)
    np.testing.assert_allclose(posterior.variance[:, 0], draws.var(axis=0), rtol=0.03)
    np.testing.assert_allclose(posterior.mean[:, 0], draws.mean(axis=0), atol=0.03)


def test_a_mixture_over_hyper_parameters_has_the_moments_of_ours():
    theirs = ap.PreferenceGP(ap.RBF([0.4, 0.6, 0.5], 3.0), inference="ep", noise=0.3, integration="simplex").fit(
        some_duels()
    )
    assert len(theirs.components) == 6
    model, X = AnchoredPairwiseModel(theirs), designs(5)
    posterior = model.posterior(X)
    np.testing.assert_allclose(posterior.mean[:, 0], theirs.posterior.mean(X.numpy()), atol=1e-9)
    covariance = posterior.distribution.covariance_matrix
    np.testing.assert_allclose(covariance, theirs.posterior.covariance(X.numpy()), atol=1e-8)
    assert gradcheck(lambda X: moments(model, X), (X.requires_grad_(),))


def test_the_prior_before_any_duel():
    theirs = ap.PreferenceGP(ap.RBF(0.4, 2.0), learn=None).condition(ap.Duels.empty(3))
    model, X = AnchoredPairwiseModel(theirs), designs(2, 2).requires_grad_()
    posterior = model.posterior(X)
    assert (posterior.mean == 0).all()
    np.testing.assert_allclose(posterior.variance.detach(), 2.0)
    assert gradcheck(lambda X: moments(model, X)[1], (X,))
    assert model.best_f == 0.0
