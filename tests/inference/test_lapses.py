"""Inference with lapses: against brute force, on contradictory answers, and the evidences."""

from functools import cache
from itertools import product

import brute_force as oracle
import numpy as np
import pytest
from scipy import integrate, special

from anchorpbo.duels import Duels
from anchorpbo.inference import (
    EP,
    Hallucination,
    Laplace,
    PolyaGamma,
    ep_evidence,
    evidence_gradient,
    find_mode,
    laplace_evidence,
)
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.posterior import LATENTS, InducingLatent, choose_inducing_points, posterior_from_sites

KERNEL = RBF(oracle.LENGTHSCALE, oracle.OUTPUTSCALE)
PRIOR_STD = np.sqrt(oracle.OUTPUTSCALE)
LIKELIHOODS = {
    "probit": Probit,
    "logistic-paper": Logistic,
    "logistic-difference": lambda *args, **options: Logistic(*args, form="difference", **options),
}
TIES = {"wins only": (), "with a tie": ((0, 2),)}
TAU, LAPSE = 0.4, 0.15
CLIPPED_ERROR = {"probit": 0.07, "logistic-difference": 0.09, "logistic-paper": 0.22}
"""Error of EP in prior standard deviations; the noise is smallest in the paper's form."""

every_likelihood = pytest.mark.parametrize("name", LIKELIHOODS)
every_tie = pytest.mark.parametrize("ties", TIES.values(), ids=TIES)


@cache
def truth(name, ties):
    return oracle.integrate(name, ties, TAU if ties else 0.0, lapse=LAPSE)


def problem(name, ties, where="auto"):
    duels = Duels(oracle.POINTS, oracle.WINNERS, oracle.LOSERS, [list(t) for t in ties] or None)
    likelihood = LIKELIHOODS[name](TAU if ties else 0.0, lapse=LAPSE)
    return LATENTS[where](likelihood.rows(duels, oracle.NOISE), KERNEL(duels.points, duels.points)), likelihood


def infer(inference, name, ties, where="auto", seed=7):
    latent, likelihood = problem(name, ties, where)
    inferred = inference.infer(latent, likelihood, np.random.default_rng(seed))
    return posterior_from_sites(KERNEL, oracle.POINTS, latent, inferred.sites), inferred.info


def test_the_sum_over_all_patterns_of_lapses_is_the_mixture():
    """The oracle by enumeration: 2^5 patterns, each with a quadrature."""
    patterns = list(product([False, True], repeat=5))
    parts = [oracle.integrate("probit", nodes=61, lapse=LAPSE, lapsed=pattern) for pattern in patterns]
    logs = np.array([part.log_evidence for part in parts])
    whole = truth("probit", ())
    assert special.logsumexp(logs) == pytest.approx(whole.log_evidence, abs=1e-9)
    mean = np.exp(logs - special.logsumexp(logs)) @ np.array([part.mean for part in parts])
    np.testing.assert_allclose(mean, whole.mean, atol=1e-9)


@every_likelihood
@every_tie
@pytest.mark.parametrize("where", ["duel", "point"])
def test_ep_is_closer_to_the_truth_than_laplace(name, ties, where):
    """These five or six answers contradict each other, so that two or three sites are clipped."""
    posterior, info = infer(EP(), name, ties, where)
    laplace, _ = infer(Laplace(), name, ties, where)
    exact = truth(name, ties)
    assert info.converged
    error, rough = (np.abs(each.mean(oracle.POINTS) - exact.mean).max() for each in (posterior, laplace))
    assert error < rough
    assert error < CLIPPED_ERROR[name] * PRIOR_STD
    assert np.abs(posterior.covariance(oracle.POINTS) - exact.covariance).max() < CLIPPED_ERROR[name] * PRIOR_STD**2


@every_likelihood
@every_tie
def test_many_draws_are_within_monte_carlo_error(name, ties):
    sampler = Hallucination(draws=4000) if name == "probit" else PolyaGamma(draws=4000)
    posterior, info = infer(sampler, name, ties)
    exact = truth(name, ties)
    assert info.converged
    assert info.effective_samples > 400
    error = np.sqrt(np.diag(exact.covariance) / info.effective_samples)
    assert np.all(np.abs(posterior.mean(oracle.POINTS) - exact.mean) < 4 * error)
    variance = np.diag(exact.covariance)
    assert np.all(
        np.abs(posterior.variance(oracle.POINTS) - variance) < 4 * variance * np.sqrt(2 / info.effective_samples)
    )


@every_likelihood
@every_tie
def test_the_evidence_of_ep_is_closer_to_the_truth_than_that_of_laplace(name, ties):
    latent, likelihood = problem(name, ties)
    sites = EP().infer(latent, likelihood, np.random.default_rng(0)).sites
    exact = truth(name, ties).log_evidence
    error = abs(ep_evidence(latent, likelihood, sites) - exact)
    assert error < 0.2
    rough = abs(laplace_evidence(find_mode(latent, likelihood)) - exact)
    assert error < 0.3 * rough < 0.3


# -- EP's evidence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lapse", [0.0, 0.1])
@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("likelihood", [Probit(0.4), Logistic(0.4, form="difference")], ids=["probit", "logistic"])
def test_ep_evidence_of_one_duel_is_exact(likelihood: Likelihood, tie, lapse):
    likelihood = likelihood.with_lapse(lapse)
    duels = Duels([[0.1], [0.6]], *([[], [], [[0, 1]]] if tie else [[0], [1]]))
    latent = LATENTS["auto"](likelihood.rows(duels, np.array([0.3, 0.5])), RBF(0.3, 4.0)(duels.points, duels.points))
    variance = float(latent.rows.margin_covariance(RBF(0.3, 4.0)(duels.points, duels.points))[0, 0])
    cdf = special.ndtr if isinstance(likelihood, Probit) else special.expit

    def integrand(g):
        p = cdf(g + 0.4) - cdf(g - 0.4) if tie else cdf(g - 0.4)
        return ((1 - lapse) * p + lapse / 3) * np.exp(-0.5 * g * g / variance) / np.sqrt(2 * np.pi * variance)

    exact = integrate.quad(integrand, -60, 60, points=[0.0], limit=500, epsabs=1e-13)[0]
    sites = EP().infer(latent, likelihood, np.random.default_rng(0)).sites
    assert ep_evidence(latent, likelihood, sites) == pytest.approx(np.log(exact), abs=1e-7)


@every_likelihood
@every_tie
def test_ep_evidence_without_lapses_is_closer_than_laplace(name, ties):
    duels = Duels(oracle.POINTS, oracle.WINNERS, oracle.LOSERS, [list(t) for t in ties] or None)
    likelihood = LIKELIHOODS[name](TAU if ties else 0.0)
    exact = oracle.integrate(name, ties, likelihood.tau).log_evidence
    for where in ("duel", "point"):
        latent = LATENTS[where](likelihood.rows(duels, oracle.NOISE), KERNEL(duels.points, duels.points))
        sites = EP().infer(latent, likelihood, np.random.default_rng(0)).sites
        error = abs(ep_evidence(latent, likelihood, sites) - exact)
        assert error < 0.02
        assert error < 0.5 * abs(laplace_evidence(find_mode(latent, likelihood)) - exact)


def test_ep_evidence_prefers_lapses_for_contradictory_answers_and_none_for_consistent_ones():
    points = np.linspace(0, 1, 9)[:, None]
    pairs = np.array([(i, j) for i in range(9) for j in range(i + 2, 9)])
    flipped = pairs.copy()
    flipped[::9] = flipped[::9, ::-1]
    scores = {}
    for kind, answers in (("consistent", pairs), ("contradictory", flipped)):
        duels = Duels(points, answers[:, 1], answers[:, 0])
        for lapse in (0.0, 0.15):
            likelihood = Probit(0.0, lapse=lapse)
            latent = LATENTS["auto"](likelihood.rows(duels, np.full(9, 0.05)), RBF(0.5, 4.0)(points, points))
            sites = EP().infer(latent, likelihood, np.random.default_rng(0)).sites
            scores[kind, lapse] = ep_evidence(latent, likelihood, sites)
    assert scores["consistent", 0.0] > scores["consistent", 0.15] + 1.0
    assert scores["contradictory", 0.15] > scores["contradictory", 0.0] + 1.0


# -- contradictory answers --------------------------------------------------------------------------------------------


def contradictory(seed, duels, noise, share):
    rng = np.random.default_rng(seed)
    points = rng.random((2 * duels // 3, 2))
    utility = 3.0 * np.sin(4.0 * points[:, 0]) + 3.0 * points[:, 1]
    pairs = np.array([rng.choice(len(points), 2, replace=False) for _ in range(duels)])
    swap = (utility[pairs[:, 0]] < utility[pairs[:, 1]]) ^ (rng.random(duels) < share)
    pairs[swap] = pairs[swap, ::-1]
    made = Duels(points, pairs[:, 0], pairs[:, 1])
    return made, np.full(len(made.points), noise)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [1.0, 0.05, 0.002])
@pytest.mark.parametrize("likelihood", [Probit(lapse=0.1), Logistic(form="difference", lapse=0.02)], ids=str)
def test_ep_and_laplace_converge_on_contradictory_answers(likelihood, noise, seed):
    duels, noises = contradictory(seed, 40, noise, 0.25)
    likelihood = likelihood.for_duels(duels)
    for where in ("duel", "point"):
        latent = LATENTS[where](likelihood.rows(duels, noises), RBF(0.4, 8.0)(duels.points, duels.points))
        for inference in (Laplace(), EP()):
            inferred = inference.infer(latent, likelihood, np.random.default_rng(0))
            assert inferred.info.converged, (inference, where, inferred.info)
            assert (inferred.sites.precision >= 0).all()


def test_ep_at_inducing_points_is_that_at_all_designs():
    """With as many inducing points as designs; the noise is small enough for sequential updates."""
    duels, noise = contradictory(0, 40, 0.05, 0.25)
    likelihood, kernel = Probit(0.0, lapse=0.1), RBF(0.4, 8.0)
    rows = likelihood.rows(duels, noise)
    inducing = InducingLatent(rows, choose_inducing_points(kernel, duels.points, rows, len(duels.points), 0.0))
    exact = LATENTS["point"](rows, kernel(duels.points, duels.points))
    sites = [EP().infer(latent, likelihood, np.random.default_rng(0)).sites for latent in (inducing, exact)]
    means = [latent.solve(each).margin_means for latent, each in zip((inducing, exact), sites, strict=True)]
    np.testing.assert_allclose(means[0], means[1], atol=1e-4)


def test_a_refuted_answer_moves_the_mean_less_with_lapses():
    """Nine answers say one thing, one says the opposite: without lapses it counts as much as each of them."""
    duels = Duels([[0.1], [0.9]], [0] * 9 + [1], [1] * 9 + [0])
    gaps = {}
    for lapse in (0.0, 0.1):
        likelihood = Probit(0.0, lapse=lapse)
        latent = LATENTS["auto"](likelihood.rows(duels, np.full(2, 0.02)), RBF(0.3, 4.0)(duels.points, duels.points))
        inferred = EP().infer(latent, likelihood, np.random.default_rng(0))
        mean = posterior_from_sites(RBF(0.3, 4.0), duels.points, latent, inferred.sites).mean(duels.points)
        gaps[lapse] = mean[0] - mean[1]
    assert gaps[0.1] > 3 * gaps[0.0] > 0


@pytest.mark.parametrize("where", ["duel", "point"])
@pytest.mark.parametrize("likelihood", [Probit(0.3, lapse=0.1), Logistic(0.3, form="difference", lapse=0.1)], ids=str)
def test_the_evidence_gradient_is_that_of_the_clipped_evidence(likelihood, where):
    duels, noise = contradictory(2, 30, 1.0, 0.25)
    duels = Duels(duels.points, duels.winners, duels.losers, [[0, 1], [2, 5]])
    noise = noise[: len(duels.points)]

    def evidence(K, tau):
        changed = likelihood.with_threshold(tau)
        return laplace_evidence(find_mode(LATENTS[where](changed.rows(duels, noise), K), changed))

    K = RBF(0.4, 8.0)(duels.points, duels.points)
    latent = LATENTS[where](likelihood.rows(duels, noise), K)
    mode = find_mode(latent, likelihood)
    assert (mode.terms.d2 > 0).sum() >= 2  # some curvatures are clipped
    gradient = evidence_gradient(latent, likelihood, mode)
    change = RBF(0.6, 8.0)(duels.points, duels.points) - K
    steps = 1e-5 * np.array([1.0, -1.0])
    numeric = np.subtract(*[evidence(K + step * change, likelihood.tau) for step in steps]) / 2e-5
    assert float((gradient.by_kernel * change).sum()) == pytest.approx(numeric, rel=1e-4)
    numeric = np.subtract(*[evidence(K, likelihood.tau + step) for step in steps]) / 2e-5
    assert gradient.by_threshold == pytest.approx(numeric, rel=1e-4)


@pytest.mark.parametrize("likelihood", [Probit(0.0, lapse=0.1), Logistic(0.0, lapse=0.1)], ids=str)
def test_the_compiled_newton_finds_the_mode_of_the_general_one(likelihood, monkeypatch):
    duels, noise = contradictory(1, 25, 0.3, 0.25)
    latent = LATENTS["duel"](likelihood.rows(duels, noise), RBF(0.4, 8.0)(duels.points, duels.points))
    quick = find_mode(latent, likelihood)
    monkeypatch.setattr("anchorpbo.inference.laplace.MAX_COMPILED_DUELS", 0)
    slow = find_mode(latent, likelihood)
    np.testing.assert_allclose(quick.margins, slow.margins, atol=1e-7)
    assert quick.residual < 1e-8
