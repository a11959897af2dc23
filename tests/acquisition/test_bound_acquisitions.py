"""Acquisitions as functions of designs: the chain rule, the incumbent, and what is refused."""

import numpy as np
import pytest
from acquisition_study import study

from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB, DesignAcquisition, Partials, best_mean
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.kernels import RBF, Matern52
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.testing import DesignAcquisitionContract

KERNELS = [RBF(0.4), Matern52([0.3, 0.5, 0.9], outputscale=2.0)]
SINGLE = [EI(), EI(log=True), ANPEI(3.0), ANPEI(3.0, penalty="variance"), UCB(), RAHBO(2.0, 3.0)]
PAIRS = [EUBO(), RAEUBO(3.0)]


def central_differences(function, X, h=1e-5):
    gradient = np.zeros_like(X)
    for index in np.ndindex(X.shape[1:]):
        for sign in (1.0, -1.0):
            moved = X.copy()
            moved[:, *index] += sign * h
            gradient[:, *index] += sign * function(moved) / (2.0 * h)
    return gradient


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern52"])
@pytest.mark.parametrize("acquisition", [*SINGLE, *PAIRS], ids=repr)
def test_gradient_in_x_agrees_with_central_differences(acquisition, kernel):
    bound = acquisition.bind(*study(kernel))
    X = np.random.default_rng(1).random((20, *bound.item_shape))
    value, gradient = bound.value_and_gradient(X)
    assert value.shape == (20,)
    assert gradient.shape == X.shape
    expected = central_differences(bound, X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("acquisition", [*SINGLE, *PAIRS], ids=repr)
def test_values_are_those_of_the_moments(acquisition):
    posterior, noise = study(RBF(0.4))
    bound = acquisition.bind(posterior, noise, 0.1)
    X = np.random.default_rng(2).random((9, *bound.item_shape))
    if acquisition in PAIRS:
        joint = [posterior.covariance(pair) for pair in X]
        std = np.sqrt([C[0, 0] + C[1, 1] - 2.0 * C[0, 1] for C in joint])
        moments = (posterior.mean(X[:, 0]), posterior.mean(X[:, 1]), std, noise(X[:, 0]), noise(X[:, 1]))
    else:
        moments = (posterior.mean(X), np.sqrt(posterior.variance(X)), noise(X), 0.1)
    np.testing.assert_allclose(bound(X), acquisition.partials(*moments).value, rtol=1e-9)
    assert np.array_equal(bound(X), bound.value_and_gradient(X)[0])


@pytest.mark.parametrize(
    ("averse", "neutral"), [(ANPEI(0.0), EI()), (RAHBO(2.0, 0.0), UCB(2.0)), (RAEUBO(0.0), EUBO())], ids=repr
)
def test_no_risk_aversion_is_the_neutral_acquisition_bit_for_bit(averse, neutral):
    posterior, noise = study(Matern52(0.4))
    ours, theirs = averse.bind(posterior, noise), neutral.bind(posterior, noise)
    X = np.random.default_rng(3).random((50, *ours.item_shape))
    for mine, other in zip(ours.value_and_gradient(X), theirs.value_and_gradient(X), strict=True):
        assert mine.tobytes() == other.tobytes()


@pytest.mark.parametrize("acquisition", PAIRS, ids=repr)
def test_equal_designs_have_the_value_of_one_and_a_finite_gradient(acquisition):
    posterior, noise = study(RBF(0.4))
    x = np.random.default_rng(4).random((5, 3))
    value, gradient = acquisition.bind(posterior, noise).value_and_gradient(np.stack([x, x], axis=1))
    expected = posterior.mean(x) - getattr(acquisition, "risk_aversion", 0.0) * noise(x)
    np.testing.assert_allclose(value, expected, atol=1e-7)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("acquisition", SINGLE, ids=repr)
def test_a_utility_known_for_certain_has_a_finite_gradient(acquisition):
    kernel = RBF(0.4)
    points = np.array([[0.2, 0.2], [0.8, 0.7]])
    root = np.linalg.inv(np.linalg.cholesky(kernel(points, points)))
    posterior = GaussianPosterior(kernel, points, np.array([1.0, -1.0]), root)
    noise = NoiseMap.from_anchors(points, bandwidth=1.0)
    assert posterior.variance(points).max() < 1e-14
    value, gradient = acquisition.bind(posterior, noise, 2.0).value_and_gradient(points)
    assert np.isfinite(value).all()
    assert np.isfinite(gradient).all()


def test_the_incumbent_is_the_best_mean_of_the_designs_asked_about():
    posterior, noise = study(RBF(0.4))
    best = posterior.mean(posterior.points).max()
    assert best_mean(posterior) == best
    assert EI().bind(posterior, noise).incumbents == (best,)
    assert EI().bind(posterior, noise, 0.25).incumbents == (0.25,)


@pytest.mark.parametrize("acquisition", [*SINGLE, *PAIRS], ids=repr)
def test_acquisitions_work_before_any_duel(acquisition):
    posterior = GaussianPosterior.prior(RBF(0.4), 2)
    assert best_mean(posterior) == 0.0
    bound = acquisition.bind(posterior, NoiseMap.constant(0.5))
    value, gradient = bound.value_and_gradient(np.random.default_rng(5).random((4, *bound.item_shape)))
    assert np.isfinite(value).all()
    assert np.isfinite(gradient).all()


def test_pairs_ignore_the_incumbent():
    posterior, noise = study(RBF(0.4))
    X = np.random.default_rng(6).random((3, 2, 3))
    assert np.array_equal(EUBO().bind(posterior, noise, 7.0)(X), EUBO().bind(posterior, noise)(X))


def test_a_metric_without_a_gradient_still_gives_values():
    posterior, _ = study(RBF(0.4))
    noise = NoiseMap.from_anchors(posterior.points[:2], bandwidth=1.0, metric="hamming")
    bound = RAHBO().bind(posterior, noise)
    assert np.isfinite(bound(posterior.points)).all()
    with pytest.raises(UnsupportedError, match="a gradient needs a SmoothMetric"):
        bound.value_and_gradient(posterior.points)


def test_pairs_are_refused_where_single_designs_are_scored():
    with pytest.raises(ShapeError, match=r"scores single designs, so X must have shape \(n, 3\); received \(4, 2, 3\)"):
        EI().bind(*study(RBF(0.4)))(np.zeros((4, 2, 3)))


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 2), (4, 3, 3), (2, 3), (1, 4, 2, 3)])
def test_other_shapes_are_refused_where_pairs_are_scored(shape):
    bound = EUBO().bind(*study(RBF(0.4)))
    for score in (bound, bound.value_and_gradient):
        with pytest.raises(ShapeError, match=r"pairs of designs, so X must have shape \(n, 2, 3\).*give two designs"):
            score(np.zeros(shape))


def test_numbers_that_are_not_finite_are_refused():
    bound = EI().bind(*study(RBF(0.4)))
    with pytest.raises(InputError, match=r"X must be finite; received nan at index \(0, 1\)"):
        bound(np.array([[0.1, np.nan, 0.2]]))


def test_an_incumbent_that_is_no_number_is_refused():
    posterior, noise = study(RBF(0.4))
    with pytest.raises(InputError, match="incumbent must be finite; received nan"):
        EI().bind(posterior, noise, np.nan)
    with pytest.raises(InputError, match=r"incumbent must be one number; received an array of shape \(3,\)"):
        EI().bind(posterior, noise, np.zeros(3))


def test_anchors_of_another_space_are_refused():
    posterior, _ = study(RBF(0.4))
    noise = NoiseMap.from_anchors(np.zeros((2, 5)), bandwidth=1.0)
    with pytest.raises(ShapeError, match="anchors must have the 3 coordinates of the posterior's designs; received 5"):
        RAEUBO().bind(posterior, noise)


@pytest.mark.parametrize("acquisition", [UCB(0.0), RAHBO(0.0, 3.0)], ids=repr)
def test_what_needs_no_standard_deviation_never_asks_for_the_covariance(acquisition):
    posterior, noise = study(RBF(0.4))
    X = np.random.default_rng(5).random((6, 3))
    expected = posterior.mean(X) - getattr(acquisition, "risk_aversion", 0.0) * noise(X)
    blind = GaussianPosterior(posterior.kernel, posterior.points, posterior.beta, np.full_like(posterior.root, np.nan))
    bound = acquisition.bind(blind, noise)
    value, gradient = bound.value_and_gradient(X)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_array_equal(bound(X), value)
    np.testing.assert_allclose(gradient, central_differences(bound, X), rtol=1e-5, atol=1e-7)


def test_an_acquisition_says_that_it_needs_no_standard_deviation_by_an_attribute():
    class Mean(DesignAcquisition):
        needs_std = False

        def partials(self, mean, std, noise, incumbent):
            return Partials(mean, np.ones_like(mean), np.zeros_like(mean), np.zeros_like(mean))

    posterior, noise = study(RBF(0.4))
    X = np.random.default_rng(6).random((4, 3))
    bound = Mean().bind(posterior, noise)
    np.testing.assert_array_equal(bound(X), posterior.mean(X))
    np.testing.assert_allclose(bound.value_and_gradient(X)[1], posterior.mean_gradient(X), rtol=1e-9)


def test_a_false_claim_to_need_no_standard_deviation_fails_the_contract():
    class Claims(UCB):
        needs_std = False

    with pytest.raises(AssertionError, match="std"):
        DesignAcquisitionContract(Claims(2.0)).check("check_needs_std")
    DesignAcquisitionContract(UCB(0.0)).check("check_needs_std")
