"""The hallucination's chain against a rejection sampler, its diagnostics and its two spaces."""

import numpy as np
import pytest

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.inference import Hallucination, PolyaGamma
from anchorpbo.inference.chain import ENOUGH
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior import SPACES


def five_duels(where="auto", ties=()):
    points = np.array([[0.0], [0.15], [0.4], [0.7]])
    duels = Duels(points, [0, 1, 2, 0, 3][: 5 - len(ties)], [1, 2, 3, 2, 1][: 5 - len(ties)], list(ties) or None)
    likelihood = Probit(0.5 if ties else 0.0)
    rows = likelihood.rows(duels, np.array([0.1, 0.4, 0.2, 0.9])[: len(duels.points)])
    return SPACES[where](rows, RBF(0.3, 2.0)(duels.points, duels.points)), likelihood


def rejection(space, likelihood, n=1_500_000):
    C = space.rows.margin_covariance(space.kernel_matrix)
    z = np.random.default_rng(11).multivariate_normal(np.zeros(len(C)), C + np.eye(len(C)), size=n, method="cholesky")
    inside = np.where(space.rows.tied, np.abs(z) < likelihood.tau, z > likelihood.tau)
    return z[inside.all(axis=1)]


@pytest.mark.parametrize("ties", [(), ([0, 3],)], ids=["wins only", "with a tie"])
@pytest.mark.parametrize("where", ["duel", "point"])
def test_gibbs_agrees_with_a_rejection_sampler_in_five_dimensions(where, ties):
    space, likelihood = five_duels(where, ties)
    assert len(space.rows) == 5
    truth = rejection(space, likelihood)
    assert len(truth) > 5_000
    inferred = Hallucination(draws=20_000, thin=2).infer(space, likelihood, np.random.default_rng(1))
    z = inferred.sites.linear
    assert np.all(np.where(space.rows.tied, np.abs(z) <= likelihood.tau, z >= likelihood.tau))
    n = 1 / (1 / len(truth) + 1 / min(inferred.info.effective_samples, len(z)))
    std = truth.std(axis=0)
    assert np.all(np.abs(z.mean(axis=0) - truth.mean(axis=0)) < 4 * std / np.sqrt(n))
    assert np.all(np.abs(z.var(axis=0) - truth.var(axis=0)) < 4 * std**2 * np.sqrt(3 / n))
    np.testing.assert_allclose(np.corrcoef(z.T), np.corrcoef(truth.T), atol=4 / np.sqrt(n) + 0.01)


def test_both_spaces_run_the_same_chain():
    draws = []
    for where in ("duel", "point"):
        space, likelihood = five_duels(where, ([0, 3],))
        draws.append(Hallucination(sweeps=50).infer(space, likelihood, np.random.default_rng(4)).sites.linear)
    np.testing.assert_allclose(*draws, atol=1e-9)


def test_a_warm_start_leaves_the_distribution_as_it_is():
    space, likelihood = five_duels()
    rng = np.random.default_rng(5)
    warm = Hallucination(sweeps=1000).infer(space, likelihood, rng).state
    # Many short chains from one warm start: what they end at must be the target, not the start.
    ends = np.array([Hallucination(sweeps=60).infer(space, likelihood, rng, warm).sites.linear for _ in range(1500)])
    truth = rejection(space, likelihood)
    error = truth.std(axis=0) * np.sqrt(1 / len(ends) + 1 / len(truth))
    assert np.all(np.abs(ends.mean(axis=0) - truth.mean(axis=0)) < 4 * error)


def test_one_draw_has_unit_variance_sites_inside_the_box():
    space, likelihood = five_duels()
    inferred = Hallucination().infer(space, likelihood, np.random.default_rng(0))
    assert inferred.sites.linear.shape == (5,)
    np.testing.assert_array_equal(inferred.sites.precision, np.ones(5))
    assert np.all(inferred.sites.linear > 0)
    assert inferred.info.converged
    assert inferred.info.iterations == 1000


def test_a_chain_that_is_too_short_says_so():
    space, likelihood = five_duels()
    info = Hallucination(sweeps=10).infer(space, likelihood, np.random.default_rng(0)).info
    assert info.effective_samples < ENOUGH
    assert not info.converged


def test_effective_samples_fall_when_the_noise_does():
    duels = Duels([[0.0], [0.1], [0.2]], [0, 1, 0] * 6, [1, 2, 2] * 6)
    effective = []
    for noise in (1.0, 1e-4):
        rows = Probit().rows(duels, np.full(3, noise))
        space = SPACES["auto"](rows, RBF(0.3)(duels.points, duels.points))
        effective.append(Hallucination().infer(space, Probit(), np.random.default_rng(0)).info.effective_samples)
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
    space, likelihood = five_duels()
    with pytest.raises(InputError, match="start must have one entry for each of the 5 duels"):
        Hallucination().infer(space, likelihood, np.random.default_rng(0), np.zeros(4))


def test_rows_of_a_design_against_itself_are_plain_half_normals():
    rows = Rows(np.array([0]), np.array([0]), np.ones(1), np.ones(1), np.array([False]), 1)
    space = SPACES["auto"](rows, np.array([[1.0]]))
    z = Hallucination(draws=20_000, thin=1).infer(space, Probit(), np.random.default_rng(0)).sites.linear[:, 0]
    assert z.mean() == pytest.approx(np.sqrt(2 / np.pi), abs=4 * z.std() / np.sqrt(len(z)))


@pytest.mark.parametrize("outputscale", [1.0, 1e2, 1e4])
def test_hallucinations_survive_repeated_duels_of_little_noise(outputscale):
    """More duels than designs, so point space, where 1 - D S D' has no digits left. One duel alone is half-normal."""
    duels = Duels([[0.1, 0.1], [0.9, 0.9], [0.2, 0.8], [0.7, 0.3]], [0] * 5 + [2], [1] * 5 + [3])
    rows = Probit().rows(duels, np.full(4, 1e-6))
    kernel = RBF(0.1, outputscale)
    space = SPACES["auto"](rows, kernel(duels.points, duels.points))
    z = Hallucination(draws=4000, thin=2).infer(space, Probit(), np.random.default_rng(0)).sites.linear[:, -1]
    sigma = np.sqrt(rows.margin_covariance(space.kernel_matrix)[-1, -1] + 1.0)
    assert z.mean() == pytest.approx(sigma * np.sqrt(2 / np.pi), abs=4 * z.std() / np.sqrt(2000))


def test_effective_samples_are_never_more_than_the_draws():
    space, likelihood = five_duels()
    assert Hallucination(draws=50).infer(space, likelihood, np.random.default_rng(0)).info.effective_samples <= 50
