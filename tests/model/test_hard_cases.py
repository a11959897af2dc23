"""Finite and sensible where things degenerate, and never a warning (pytest turns them into errors)."""

import numpy as np
import pytest

import anchorpbo as ap

RNG = np.random.default_rng(0)
P = RNG.random((6, 3))
TWIN = np.vstack([P, np.clip(P[:1] + 1e-12, 0.0, 1.0)])


def five_hundred(flipped):
    rng = np.random.default_rng(1)
    points = rng.random((1000, 3))
    first, second = np.arange(1000).reshape(2, 500)
    f = -((points - 0.3) ** 2).sum(axis=1)
    wins = (f[first] > f[second]) ^ (rng.random(500) < flipped)
    return ap.Duels(points, np.where(wins, first, second), np.where(wins, second, first))


CASES = {
    "no duel": ap.Duels.empty(3),
    "one duel": ap.Duels(P, [0], [1]),
    "one duel 200 times": ap.Duels(P, [0] * 200, [1] * 200),
    "100 times each way": ap.Duels(P, [0, 1] * 100, [1, 0] * 100),
    "a design against itself": ap.Duels(np.vstack([P, P[:1]]), [0, 1], [6, 2]),
    "designs 1e-12 apart": ap.Duels(TWIN, [0, 6, 0, 6] * 10, [6, 0, 2, 3] * 10),
    "ties": ap.Duels(P, [0, 1], [2, 3], [[0, 1], [2, 2], [4, 5]]),
}
NOISES = {
    "constant": ap.NoiseMap.constant(1.0),
    "tiny": ap.NoiseMap.constant(1e-6),
    "huge": ap.NoiseMap.constant(1e6),
    "a ratio of 1e6": ap.NoiseMap.bounded(P[:2], bandwidth=0.25, strength=14.0),
    "the paper's": ap.NoiseMap.from_anchors(P[:4]),
}
KERNELS = {
    "customary": ap.RBF(0.3),
    "shortest and largest": ap.RBF(0.03, 1e4),
    "longest and smallest": ap.RBF(10.0, 1e-2),
    "rough and uneven": ap.Matern32([0.03, 0.3, 10.0], 5.0),
}
INFERENCES = {
    "probit laplace": ("probit", "laplace"),
    "probit ep": ("probit", "ep"),
    "probit hallucination": ("probit", ap.Hallucination(sweeps=50)),
    "probit hallucinations": ("probit", ap.Hallucination(sweeps=20, draws=5)),
    "logistic laplace": ("logistic", "laplace"),
    "logistic ep": ("logistic", "ep"),
    "logistic polya-gamma": ("logistic", ap.PolyaGamma(sweeps=5, draws=3)),
    "difference laplace": (ap.Logistic(form="difference"), "laplace"),
}
X = RNG.random((20, 3))


def check(model, duels):
    posterior, rng = model.posterior, np.random.default_rng(0)
    outputscale = model.kernel.outputscale
    variance = posterior.variance(X)
    numbers = [
        posterior.mean(X),
        posterior.covariance(X),
        posterior.sample(X, 3, rng),
        posterior.mean_gradient(X),
        posterior.variance_gradient(X),
        posterior.mean(duels.points),
        model.log_evidence,
        model.posterior_after(X[0], X[1]).mean(X),
    ]
    assert all(np.isfinite(number).all() for number in numbers)
    # Log-concave answers never widen the prior; a mixture of a few draws may look as if, by Monte Carlo error.
    slack = 1e-6 if posterior.draws is None else 0.5
    assert np.all((variance >= 0) & (variance <= outputscale * (1 + slack)))
    for probability in (posterior.prob_prefer(X, X[::-1]), model.prob_choose(X, X[::-1])):
        assert np.all((probability >= 0) & (probability <= 1 + 1e-12))
    np.testing.assert_array_equal(posterior.prob_prefer(X, X), 0.5)
    assert model.log_evidence <= 1e-9
    # Bound acquisitions are what a search will see of all this.
    noise = model.noise
    pairs = np.stack([X, X[::-1]], axis=1)
    for acquisition, items in (
        (ap.acquisition.ANPEI(), X),
        (ap.acquisition.RAHBO(), X),
        (ap.acquisition.RAEUBO(), pairs),
    ):
        value, gradient = acquisition.bind(posterior, noise).value_and_gradient(items)
        assert np.isfinite(value).all()
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("duels", CASES.values(), ids=CASES)
@pytest.mark.parametrize(("likelihood", "inference"), INFERENCES.values(), ids=INFERENCES)
def test_condition_is_finite_and_sensible(duels, noise, kernel, likelihood, inference):
    check(ap.PreferenceGP(kernel, likelihood, inference, noise).condition(duels), duels)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("duels", CASES.values(), ids=CASES)
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_fit_is_finite_and_sensible(duels, noise, likelihood):
    check(ap.PreferenceGP(ap.RBF([0.3, 0.3, 0.3]), likelihood, noise=noise).fit(duels), duels)


@pytest.mark.slow
@pytest.mark.parametrize("flipped", [0.0, 0.3], ids=["consistent", "three in ten wrong"])
@pytest.mark.parametrize("noise", [NOISES["constant"], NOISES["a ratio of 1e6"]], ids=["constant", "a ratio of 1e6"])
@pytest.mark.parametrize("inference", ["laplace", "ep", ap.Hallucination(sweeps=100)], ids=["laplace", "ep", "hb"])
def test_five_hundred_duels(inference, noise, flipped):
    duels = five_hundred(flipped)
    model = ap.PreferenceGP(ap.RBF(0.3), "probit", inference, noise).condition(duels)
    check(model, duels)
    assert inference != "laplace" or model.info.converged


@pytest.mark.slow
@pytest.mark.parametrize("flipped", [0.0, 0.3], ids=["consistent", "three in ten wrong"])
def test_five_hundred_duels_of_the_logistic_link(flipped):
    duels = five_hundred(flipped)
    noise = ap.NoiseMap.bounded(P[:2], bandwidth=0.25, strength=3.0)
    model = ap.PreferenceGP(ap.RBF(0.3), "logistic", "laplace", noise, learn=["lengthscale"], starts=1).fit(duels)
    check(model, duels)
    assert model.info.converged


def test_contradictions_cancel():
    model = ap.PreferenceGP(ap.RBF(0.3), inference="ep", noise=0.5).condition(CASES["100 times each way"])
    assert abs(np.subtract(*model.posterior.mean(P[:2]))) < 1e-9
    variance = model.posterior.covariance(P[:2])
    assert variance[0, 0] + variance[1, 1] - 2 * variance[0, 1] < 0.02  # but much was learnt: they are equal


def test_repeating_an_answer_makes_it_surer():
    probabilities = [
        ap.PreferenceGP(ap.RBF(0.3), inference="ep")
        .condition(ap.Duels(P, [0] * n, [1] * n))
        .posterior.prob_prefer(P[:1], P[1:2])[0]
        for n in (1, 5, 200)
    ]
    assert probabilities == sorted(probabilities)
    assert probabilities[-1] > 0.999


def test_no_duel_gives_the_prior():
    model = ap.PreferenceGP(ap.RBF(0.3, 2.0)).condition(CASES["no duel"])
    np.testing.assert_array_equal(model.posterior.mean(X), 0.0)
    np.testing.assert_array_equal(model.posterior.variance(X), 2.0)
    assert model.log_evidence == 0.0
