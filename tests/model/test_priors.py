"""Priors of hyper-parameters."""

import numpy as np
import pytest
from scipy import stats

from anchorpbo import Learn, LogNormal
from anchorpbo.errors import InputError
from anchorpbo.model.fitting import compute_log_priors

X = np.log([0.2, 0.5, 1.3])


@pytest.mark.parametrize("shared", [0.0, 0.6])
def test_density_is_that_of_a_shared_factor_times_a_factor_of_each_hyper_parameter(shared):
    prior = LogNormal(0.4, 0.3, shared)
    covariance = 0.3**2 * np.eye(3) + shared**2
    expected = stats.multivariate_normal(np.full(3, np.log(0.4)), covariance)
    terms, gradient = prior.log_density(X)
    centre = prior.log_density(np.log(np.full(3, 0.4)))[0].sum()
    assert terms.sum() - centre == pytest.approx(expected.logpdf(X) - expected.logpdf(expected.mean), rel=1e-12)
    np.testing.assert_allclose(gradient, -np.linalg.solve(covariance, X - expected.mean), rtol=1e-12)


def test_one_hyper_parameter_has_the_total_spread():
    prior = LogNormal(0.4, 0.3, 0.4)
    assert prior.total_spread == pytest.approx(0.5)
    terms, gradient = prior.log_density(X[:1])
    plain_terms, plain_gradient = LogNormal(0.4, 0.5).log_density(X[:1])
    np.testing.assert_allclose([terms, gradient], [plain_terms, plain_gradient], rtol=1e-12)


def test_only_hyper_parameters_with_one_specification_share_a_factor():
    """The second length-scale has a specification of its own, so it does not share the factor of the others."""
    names = ["lengthscale[0]", "lengthscale[1]", "lengthscale[2]", "outputscale"]
    shared, own = LogNormal(0.4, 0.3, 0.6), LogNormal(1.0, 0.5)
    learn = {"lengthscale": Learn((0.01, 10.0), shared), "lengthscale[1]": Learn((0.01, 10.0), own)}
    theta = np.append(X, 2.0)
    terms, gradient = compute_log_priors(names, theta, learn)
    for found, together, alone in zip(
        (terms, gradient), shared.log_density(X[[0, 2]]), own.log_density(X[[1]]), strict=True
    ):
        np.testing.assert_array_equal(found, [together[0], alone[0], together[1], 0.0])


@pytest.mark.parametrize("shared", [-0.1, np.nan, np.inf])
def test_a_shared_spread_that_is_not_a_spread_is_refused(shared):
    with pytest.raises(InputError, match="shared must be"):
        LogNormal(0.4, 0.3, shared)
