"""The Laplace evidence: its value from the paper's formula, its gradient from differences."""

import numpy as np
import pytest
from scipy import special

from anchorpbo.duels import Duels
from anchorpbo.inference import evidence_gradient, find_mode, laplace_evidence
from anchorpbo.kernels import RBF, Hamming, Matern32, Matern52, Tanimoto
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.model.fitting import log_posterior
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.priors import Learn, LogNormal
from anchorpbo.reliability import NoiseMap

RNG = np.random.default_rng(8)
ANCHORS = RNG.random((4, 3))
NOISES = {
    "bounded": NoiseMap.bounded(ANCHORS, scale=0.5, strength=2.0),
    "paper": NoiseMap.from_anchors(ANCHORS, scale=0.7),
    "constant": NoiseMap.constant(0.4),
}
LIKELIHOODS = {"probit": Probit(0.4), "paper": Logistic(0.4), "difference": Logistic(0.4, form="difference")}
KERNELS = {
    "one length-scale": RBF(0.4, 2.0),
    "one a dimension": RBF([0.3, 0.5, 0.8], 2.0),
    "matern 3/2": Matern32([0.3, 0.5, 0.8], 2.0),
    "matern 5/2": Matern52(0.4, 1.5),
    "sum of products": Matern32([0.3, 0.4, 0.5]) * RBF(1.0) + RBF(0.2, 0.5),
    "columns": RBF([0.3, 0.4]).on([0, 2]) * Matern52(0.7).on([1]),
}
SIZES = {"fewer duels than designs": (30, 12), "more duels than designs": (6, 25)}


def some_duels(designs, wins, seed=3):
    rng = np.random.default_rng(seed)
    points = rng.random((designs, 3))
    winners = rng.integers(designs, size=wins)
    losers = (winners + rng.integers(1, designs, size=wins)) % designs
    return Duels(points, winners, losers, [[0, 1], [2, 4], [3, 1]])


def central_differences(generative, duels, learn, step=1e-5):
    theta, slopes = generative.theta, []
    for index in range(len(theta)):
        move = np.zeros(len(theta))
        move[index] = step
        up, down = (log_posterior(generative.at(theta + s * move), duels, learn, None).value for s in (1, -1))
        slopes.append((up - down) / (2 * step))
    return np.array(slopes)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS.values(), ids=LIKELIHOODS)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_gradient_in_every_hyper_parameter(kernel, likelihood, noise, size):
    duels, generative = some_duels(*size), GenerativeModel(kernel, noise, likelihood)
    learn = {"lengthscale": Learn((0.01, 10), LogNormal(0.5, 0.7)), "tie_threshold": Learn((0.01, 5), LogNormal(1, 1))}
    analytic = log_posterior(generative, duels, learn, None).gradient
    numeric = central_differences(generative, duels, learn)
    assert len(analytic) == len(generative.names)
    np.testing.assert_allclose(analytic, numeric, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("likelihood", [Probit(), Logistic()], ids=["probit", "logistic"])
@pytest.mark.parametrize("kernel", [Tanimoto(2.0), Hamming([0.3, 0.5, 1.0, 2.0], 2.0)], ids=["tanimoto", "hamming"])
def test_gradient_on_a_catalogue(kernel, likelihood):
    rng = np.random.default_rng(1)
    bits = rng.integers(2, size=(12, 4)).astype(float)
    winners, losers = rng.integers(12, size=(2, 20))
    duels = Duels(bits, winners, losers)
    noise = NoiseMap.bounded(bits[:2], scale=0.6, metric="hamming")
    generative = GenerativeModel(kernel, noise, likelihood.for_duels(duels))
    analytic = log_posterior(generative, duels, {}, None).gradient
    np.testing.assert_allclose(analytic, central_differences(generative, duels, {}), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_value_is_the_papers_formula(size):
    """exp(-S(f_MAP)) det(I + L Lambda)^(-1/2), eq. laplace-evidence, with every matrix written out."""
    duels = some_duels(*size)
    kernel, noise, likelihood = RBF(0.6, 1.5), NOISES["bounded"], Probit(0.4)
    generative = GenerativeModel(kernel, noise, likelihood)
    latent = generative.latent(duels)
    mode = find_mode(latent, likelihood)
    K, n = kernel(duels.points, duels.points), noise(duels.points)
    f = K @ latent.dual_to_points(mode.dual)
    log_likelihood, Lambda = 0.0, np.zeros_like(K)
    for w, x in zip(duels.winners, duels.losers, strict=True):
        scale = np.sqrt(n[w] + n[x])
        z = (f[w] - f[x]) / scale - 0.4
        log_likelihood += special.log_ndtr(z)
        h = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) / special.ndtr(z)
        Lambda[np.ix_([w, x], [w, x])] += (h * h + h * z) / scale**2 * np.array([[1, -1], [-1, 1]])
    for i, j in duels.ties:
        scale = np.sqrt(n[i] + n[j])
        g = (f[i] - f[j]) / scale
        p = lambda g: special.ndtr(0.4 - g) - special.ndtr(-0.4 - g)  # noqa: E731
        log_likelihood += np.log(p(g))
        second = (np.log(p(g + 1e-4)) - 2 * np.log(p(g)) + np.log(p(g - 1e-4))) / 1e-8
        Lambda[np.ix_([i, j], [i, j])] += -second / scale**2 * np.array([[1, -1], [-1, 1]])
    expected = (
        log_likelihood - 0.5 * f @ np.linalg.solve(K, f) - 0.5 * np.linalg.slogdet(np.eye(len(K)) + K @ Lambda)[1]
    )
    assert laplace_evidence(mode) == pytest.approx(expected, abs=1e-5)


def test_both_latent_vectors_give_the_same_gradient():
    duels, generative = some_duels(10, 12), GenerativeModel(RBF(0.4), NOISES["bounded"], Probit(0.4))
    gradients = []
    for where in ("duel", "point"):
        latent = generative.latent(duels, where)
        gradients.append(evidence_gradient(latent, generative.likelihood, find_mode(latent, generative.likelihood)))
    duel, point = gradients
    np.testing.assert_allclose(duel.by_kernel, point.by_kernel, atol=1e-9)
    np.testing.assert_allclose(duel.by_coef_first, point.by_coef_first, atol=1e-9)
    np.testing.assert_allclose(duel.by_coef_second, point.by_coef_second, atol=1e-9)
    assert duel.by_threshold == pytest.approx(point.by_threshold, abs=1e-9)


def test_what_is_not_wanted_is_left_out_and_the_rest_is_the_same():
    duels, generative = some_duels(10, 12), GenerativeModel(RBF([0.4, 0.5, 0.6]), NOISES["bounded"], Probit(0.4))
    everything = log_posterior(generative, duels, {}, None).gradient
    for names in ({"outputscale"}, {"noise_scale", "noise_strength"}, {"tie_threshold"}, set()):
        wanted = np.array([name in names for name in generative.names])
        some = log_posterior(generative, duels, {}, None, wanted).gradient
        np.testing.assert_array_equal(some[wanted], everything[wanted])
        noise = np.array([name.startswith("noise") for name in generative.names])
        assert wanted[noise].any() or not some[noise].any()


def test_a_warm_start_does_not_change_the_evidence():
    duels, generative = some_duels(10, 12), GenerativeModel(RBF(0.4), NOISES["bounded"], Probit(0.4))
    cold = log_posterior(generative, duels, {}, None)
    warm = log_posterior(generative, duels, {}, cold.margins + 0.5)
    assert warm.value == pytest.approx(cold.value, abs=1e-11)
    np.testing.assert_allclose(warm.gradient, cold.gradient, atol=1e-9)
