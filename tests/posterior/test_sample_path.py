"""Sample paths have the distribution of the utility at their support, and its conditional mean elsewhere."""

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.inference import Hallucination
from anchorpbo.kernels import RBF, Matern52
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.testing.contract import differentiate_items

DRAWS = 4000


def make_posterior(kernel, inference="ep"):
    points = np.random.default_rng(1).random((6, 2))
    model = PreferenceGP(kernel, "probit", inference, learn=None)
    return model.condition(Duels(points, [0, 2, 4, 0], [1, 3, 5, 5])).posterior


@pytest.mark.parametrize("kernel", [RBF(0.4, 3.0), Matern52([0.3, 0.8], 2.0)], ids=repr)
def test_draws_have_the_mean_and_covariance_of_the_posterior_at_the_support(kernel):
    posterior, rng = make_posterior(kernel), np.random.default_rng(2)
    support = rng.random((5, 2))
    draws = np.array([posterior.sample_path(support, rng).values(support) for _ in range(DRAWS)])
    covariance = posterior.covariance(support)
    std = np.sqrt(np.diagonal(covariance))
    assert (np.abs(draws.mean(axis=0) - posterior.mean(support)) < 4.5 * std / np.sqrt(DRAWS)).all()
    # The standard error of a covariance is sqrt((V_ii V_jj + V_ij^2) / n).
    error = np.sqrt((np.outer(std, std) ** 2 + covariance**2) / DRAWS)
    assert (np.abs(np.cov(draws.T) - covariance) < 4.5 * error).all()


def test_a_path_between_support_designs_is_the_conditional_mean():
    posterior, rng = make_posterior(RBF(0.4, 3.0)), np.random.default_rng(3)
    support, X = rng.random((7, 2)), rng.random((9, 2))
    path = posterior.sample_path(support, rng)
    given = np.linalg.solve(posterior.covariance(support), path.values(support) - posterior.mean(support))
    expected = posterior.mean(X) + posterior.covariance(X, support) @ given
    np.testing.assert_allclose(path.values(X), expected, rtol=1e-4, atol=1e-4)


def test_a_path_has_its_gradient():
    posterior, rng = make_posterior(Matern52([0.3, 0.8], 2.0)), np.random.default_rng(4)
    path, X = posterior.sample_path(rng.random((20, 2)), rng), rng.random((6, 2))
    values, gradient = path.slopes(X)
    np.testing.assert_allclose(values, path.values(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gradient, differentiate_items(path.values, X), rtol=1e-5, atol=1e-5)


def test_the_mean_path_is_the_posterior_mean():
    posterior, X = make_posterior(RBF(0.4, 3.0)), np.random.default_rng(5).random((6, 2))
    np.testing.assert_array_equal(posterior.mean_path.values(X), posterior.mean(X))


def test_equal_support_designs_and_an_empty_posterior_are_fine():
    posterior = Posterior.prior(RBF(0.3, 2.0), 2)
    path = posterior.sample_path(np.full((3, 2), 0.5), np.random.default_rng(0))
    assert np.ptp(path.values(np.full((3, 2), 0.5))) < 1e-3
    none = posterior.sample_path(np.empty((0, 2)), np.random.default_rng(0))
    assert none.values(np.zeros((1, 2))).tolist() == [0.0]


def test_a_path_of_a_mixture_is_of_one_component():
    posterior = make_posterior(RBF(0.4, 3.0), Hallucination(draws=3))
    far, rng = np.array([[0.2, 0.9]]), np.random.default_rng(6)
    paths = [posterior.sample_path(np.empty((0, 2)), rng) for _ in range(30)]
    means = {round(float(path.values(far)[0]), 9) for path in paths}
    expected = {round(float((posterior.kernel(far, posterior.points) @ beta)[0]), 9) for beta, _ in posterior.parts}
    assert means == expected
