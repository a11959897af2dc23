"""The hallucination's chain against other samplers, its diagnostics and its two spaces."""

from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.inference import Hallucination, PolyaGamma
from anchorpbo.inference.chain import MAX_SWEEPS, MIN_EFFECTIVE_SAMPLES, MIN_SWEEPS, Schedule
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior import LATENTS


def five_duels(where="auto", ties=()):
    points = np.array([[0.0], [0.15], [0.4], [0.7]])
    duels = Duels(points, [0, 1, 2, 0, 3][: 5 - len(ties)], [1, 2, 3, 2, 1][: 5 - len(ties)], list(ties) or None)
    likelihood = Probit(0.5 if ties else 0.0)
    rows = likelihood.rows(duels, np.array([0.1, 0.4, 0.2, 0.9])[: len(duels.points)])
    return LATENTS[where](rows, RBF(0.3, 2.0)(duels.points, duels.points)), likelihood


def rejection(latent, likelihood, n=1_500_000):
    C = latent.rows.margin_covariance(latent.kernel_matrix)
    z = np.random.default_rng(11).multivariate_normal(np.zeros(len(C)), C + np.eye(len(C)), size=n, method="cholesky")
    inside = np.where(latent.rows.tied, np.abs(z) < likelihood.tau, z > likelihood.tau)
    return z[inside.all(axis=1)]


@pytest.mark.parametrize("ties", [(), ([0, 3],)], ids=["wins only", "with a tie"])
@pytest.mark.parametrize("where", ["duel", "point"])
def test_gibbs_agrees_with_a_rejection_sampler_in_five_dimensions(where, ties):
    latent, likelihood = five_duels(where, ties)
    assert len(latent.rows) == 5
    truth = rejection(latent, likelihood)
    assert len(truth) > 5_000
    inferred = Hallucination(draws=20_000, thin=2).infer(latent, likelihood, np.random.default_rng(1))
    z = inferred.sites.linear
    assert np.all(np.where(latent.rows.tied, np.abs(z) <= likelihood.tau, z >= likelihood.tau))
    n = 1 / (1 / len(truth) + 1 / min(inferred.info.effective_samples, len(z)))
    std = truth.std(axis=0)
    assert np.all(np.abs(z.mean(axis=0) - truth.mean(axis=0)) < 4 * std / np.sqrt(n))
    assert np.all(np.abs(z.var(axis=0) - truth.var(axis=0)) < 4 * std**2 * np.sqrt(3 / n))
    np.testing.assert_allclose(np.corrcoef(z.T), np.corrcoef(truth.T), atol=4 / np.sqrt(n) + 0.01)


def test_both_spaces_run_the_same_chain():
    draws = []
    for where in ("duel", "point"):
        latent, likelihood = five_duels(where, ([0, 3],))
        draws.append(Hallucination(sweeps=50).infer(latent, likelihood, np.random.default_rng(4)).sites.linear)
    np.testing.assert_allclose(*draws, atol=1e-9)


def test_a_warm_start_leaves_the_distribution_as_it_is():
    latent, likelihood = five_duels()
    rng = np.random.default_rng(5)
    warm = Hallucination(sweeps=1000).infer(latent, likelihood, rng).state
    # Many short chains from one warm start: what they end at must be the target, not the start.
    ends = np.array([Hallucination(sweeps=60).infer(latent, likelihood, rng, warm).sites.linear for _ in range(1500)])
    truth = rejection(latent, likelihood)
    error = truth.std(axis=0) * np.sqrt(1 / len(ends) + 1 / len(truth))
    assert np.all(np.abs(ends.mean(axis=0) - truth.mean(axis=0)) < 4 * error)


def around_an_optimum(noise=3e-3, duels=24):
    """Duels of distinct designs that crowd together, answered by a judge of little noise: a slow chain."""
    rng = np.random.default_rng(3)
    points = 0.5 + 0.15 * rng.standard_normal((2 * duels, 2))
    distance = ((points - 0.5) ** 2).sum(axis=1).reshape(duels, 2) + 0.03 * rng.standard_normal((duels, 2))
    pairs = np.arange(2 * duels).reshape(duels, 2)
    winners, losers = np.take_along_axis(pairs, np.argsort(distance, axis=1), axis=1).T
    data = Duels(points, winners, losers)
    rows = Probit().rows(data, np.full(len(data.points), noise))
    return LATENTS["auto"](rows, RBF(0.3)(data.points, data.points))


@cache
def textbook_chains(n=1000, sweeps=400):
    """Ends of independent chains that update one coordinate after the other by inversion, all at once: (n, m)."""
    latent, rng = around_an_optimum(), np.random.default_rng(8)
    Q = np.linalg.inv(latent.rows.margin_covariance(latent.kernel_matrix) + np.eye(len(latent.rows)))
    z = np.ones((n, len(Q)))
    for _ in range(sweeps):
        for j, Q_j in enumerate(Q):
            mean, std = z[:, j] - z @ Q_j / Q_j[j], Q_j[j] ** -0.5
            z[:, j] = mean - std * ndtri(rng.random(n) * ndtr(mean / std))
    return z


def disagreement(draws, truth):
    """Worst difference of means, of spreads, and Kolmogorov-Smirnov distance over judgements and wide directions.

    Each in units of its standard error.
    """
    wide = np.linalg.eigh(np.cov(truth.T))[1][:, -5:]
    mine, theirs = (np.column_stack([z, z @ wide, np.log((z**2).sum(axis=1))]) for z in (draws, truth))
    n = 1 / (1 / len(mine) + 1 / len(theirs))
    std = theirs.std(axis=0)
    means = np.abs(mine.mean(axis=0) - theirs.mean(axis=0)) / std * np.sqrt(n)
    kurtosis = np.mean(((theirs - theirs.mean(axis=0)) / std) ** 4, axis=0)
    spreads = np.abs(np.log(mine.var(axis=0) / theirs.var(axis=0))) / np.sqrt((kurtosis - 1) / n)
    steps = np.sort(np.concatenate([mine, theirs]), axis=0)
    gaps = [
        np.abs(
            np.searchsorted(np.sort(a), s, "right") / len(a) - np.searchsorted(np.sort(b), s, "right") / len(b)
        ).max()
        for a, b, s in zip(mine.T, theirs.T, steps.T, strict=True)
    ]
    return max(means.max(), spreads.max()), max(gaps) * np.sqrt(n)


@pytest.mark.parametrize("where", ["duel", "point"])
def test_the_default_chain_is_long_enough_where_chains_are_slow(where):
    latent = around_an_optimum()
    latent = LATENTS[where](latent.rows, latent.kernel_matrix)
    inferred = [Hallucination().infer(latent, Probit(), np.random.default_rng([seed, 2])) for seed in range(1000)]
    assert np.mean([each.info.converged for each in inferred]) > 0.99
    moments, kolmogorov = disagreement(np.array([each.sites.linear for each in inferred]), textbook_chains())
    # By chance one of the 30 is beyond these with probability 0.002 and 0.01.
    assert moments < 4.0
    assert kolmogorov < 2.1


def test_five_sweeps_would_not_be():
    latent = around_an_optimum()
    few = Hallucination(sweeps=5)
    z = np.array([few.infer(latent, Probit(), np.random.default_rng([seed, 2])).sites.linear for seed in range(1000)])
    moments, kolmogorov = disagreement(z, textbook_chains())
    assert moments > 8.0
    assert kolmogorov > 3.0


def test_single_draws_agree_with_a_rejection_sampler():
    latent, likelihood = five_duels(ties=([0, 3],))
    draws = [Hallucination().infer(latent, likelihood, np.random.default_rng([seed, 3])) for seed in range(1000)]
    moments, kolmogorov = disagreement(np.array([each.sites.linear for each in draws]), rejection(latent, likelihood))
    assert moments < 4.0
    assert kolmogorov < 2.1


def test_a_chain_doubles_until_it_has_settled():
    quick, slow, slowest = (around_an_optimum(noise) for noise in (1.0, 3e-3, 1e-7))
    infos = [
        Hallucination().infer(latent, Probit(), np.random.default_rng(0)).info for latent in (quick, slow, slowest)
    ]
    assert [info.converged for info in infos] == [True, True, False]
    assert infos[0].iterations == MIN_SWEEPS
    assert infos[1].iterations in {2 * MIN_SWEEPS, 4 * MIN_SWEEPS, 8 * MIN_SWEEPS, MAX_SWEEPS}
    assert infos[2].iterations == MAX_SWEEPS
    for info in infos:
        assert info.converged == (info.effective_samples >= MIN_EFFECTIVE_SAMPLES)


def test_sweeps_are_as_many_as_asked_for():
    latent, likelihood = five_duels()
    for sweeps in (1, 7, 1000):
        assert (
            Hallucination(sweeps=sweeps).infer(latent, likelihood, np.random.default_rng(0)).info.iterations == sweeps
        )
    info = Hallucination(sweeps=30, draws=11, thin=4).infer(latent, likelihood, np.random.default_rng(0)).info
    assert info.iterations == 30 + 10 * 4


def test_the_draws_of_a_mixture_are_states_of_one_chain():
    latent, likelihood = five_duels()
    many = Hallucination(sweeps=30, draws=4, thin=3).infer(latent, likelihood, np.random.default_rng(6))
    for k, draw in enumerate(many.sites.linear):
        one = Hallucination(sweeps=30 + 3 * k).infer(latent, likelihood, np.random.default_rng(6))
        np.testing.assert_allclose(one.sites.linear, draw, rtol=1e-9)
    np.testing.assert_array_equal(many.state, many.sites.linear[-1])


def test_the_traced_coordinates_are_the_slowest():
    slowness = np.random.default_rng(0).permutation(40).astype(float)
    assert set(slowness[Schedule(None, 1, 1).choose_traced(slowness)]) == set(range(24, 40))
    assert len(Schedule(None, 1, 1).choose_traced(slowness[:3])) == 3


def test_one_draw_has_unit_variance_sites_inside_the_box():
    latent, likelihood = five_duels()
    inferred = Hallucination().infer(latent, likelihood, np.random.default_rng(0))
    assert inferred.sites.linear.shape == (5,)
    np.testing.assert_array_equal(inferred.sites.precision, np.ones(5))
    assert np.all(inferred.sites.linear > 0)
    assert inferred.info.converged
    assert inferred.info.iterations == MIN_SWEEPS


def test_a_chain_that_is_too_short_says_so():
    latent, likelihood = five_duels()
    info = Hallucination(sweeps=10).infer(latent, likelihood, np.random.default_rng(0)).info
    assert info.effective_samples < MIN_EFFECTIVE_SAMPLES
    assert not info.converged


def test_effective_samples_fall_when_the_noise_does():
    duels = Duels([[0.0], [0.1], [0.2]], [0, 1, 0] * 6, [1, 2, 2] * 6)
    effective = []
    for noise in (1.0, 1e-4):
        rows = Probit().rows(duels, np.full(3, noise))
        latent = LATENTS["auto"](rows, RBF(0.3)(duels.points, duels.points))
        chain = Hallucination(sweeps=1000)
        effective.append(chain.infer(latent, Probit(), np.random.default_rng(0)).info.effective_samples)
    assert effective[1] < 0.5 * effective[0]


@pytest.mark.parametrize(
    ("inference", "likelihood", "message"),
    [
        (Hallucination(), Logistic(), "Hallucination Believer needs the probit likelihood; received Logistic; use"),
        (PolyaGamma(), Probit(), "Polya-Gamma sampling needs the logistic likelihood; received Probit; use"),
    ],
    ids=["hallucination", "polya-gamma"],
)
def test_the_wrong_link_is_refused(inference, likelihood, message):
    with pytest.raises(IncompatibleError, match=message):
        inference.check(likelihood)


@pytest.mark.parametrize("field", ["sweeps", "draws", "thin"])
@pytest.mark.parametrize("sampler", [Hallucination, PolyaGamma])
@pytest.mark.parametrize("value", [0, -3, 1.5, True])
def test_schedules_are_whole_numbers_from_one(sampler, field, value):
    with pytest.raises(InputError, match=f"{field} must be a whole number of at least 1; received {value!r}"):
        sampler(**{field: value})


def test_a_start_of_another_length_is_refused():
    latent, likelihood = five_duels()
    with pytest.raises(InputError, match="start must have one entry for each of the 5 duels"):
        Hallucination().infer(latent, likelihood, np.random.default_rng(0), np.zeros(4))


def test_rows_of_a_design_against_itself_are_plain_half_normals():
    rows = Rows(np.array([0]), np.array([0]), np.ones(1), np.ones(1), np.array([False]), 1)
    latent = LATENTS["auto"](rows, np.array([[1.0]]))
    z = Hallucination(draws=20_000, thin=1).infer(latent, Probit(), np.random.default_rng(0)).sites.linear[:, 0]
    assert z.mean() == pytest.approx(np.sqrt(2 / np.pi), abs=4 * z.std() / np.sqrt(len(z)))


@pytest.mark.parametrize("outputscale", [1.0, 1e2, 1e4])
def test_hallucinations_survive_repeated_duels_of_little_noise(outputscale):
    """More duels than designs, so point space, where 1 - D S D' has no digits left. One duel alone is half-normal."""
    duels = Duels([[0.1, 0.1], [0.9, 0.9], [0.2, 0.8], [0.7, 0.3]], [0] * 5 + [2], [1] * 5 + [3])
    rows = Probit().rows(duels, np.full(4, 1e-6))
    kernel = RBF(0.1, outputscale)
    latent = LATENTS["auto"](rows, kernel(duels.points, duels.points))
    z = Hallucination(draws=4000, thin=2).infer(latent, Probit(), np.random.default_rng(0)).sites.linear[:, -1]
    sigma = np.sqrt(rows.margin_covariance(latent.kernel_matrix)[-1, -1] + 1.0)
    assert z.mean() == pytest.approx(sigma * np.sqrt(2 / np.pi), abs=4 * z.std() / np.sqrt(2000))


def test_effective_samples_are_never_more_than_the_draws():
    latent, likelihood = five_duels()
    assert Hallucination(draws=50).infer(latent, likelihood, np.random.default_rng(0)).info.effective_samples <= 50
