"""Intervals of shares, densities on grids, and the logistic posterior of one number."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta, norm

from anchorpbo.numerics.shares import GridPosterior, jeffreys_interval, logit_posterior

GRID = np.linspace(-8.0, 8.0, 4001)


@pytest.mark.parametrize(("k", "n"), [(3, 10), (1, 40), (39, 40)])
def test_the_interval_of_a_share_has_the_quantiles_of_a_beta_distribution(k, n):
    assert jeffreys_interval(k, n) == pytest.approx(beta(k + 0.5, n - k + 0.5).ppf([0.05, 0.95]))


def test_the_interval_of_none_and_of_all_reaches_the_end():
    assert jeffreys_interval(0, 7)[0] == 0.0
    assert jeffreys_interval(7, 7)[1] == 1.0
    assert jeffreys_interval(0, 0) == (0.0, 1.0)


def test_a_normal_density_on_a_grid_has_the_quantiles_of_the_normal_distribution():
    posterior = GridPosterior.from_log_density(GRID, norm(1.0, 0.5).logpdf(GRID) + 7.0)
    assert posterior.median == pytest.approx(1.0, abs=1e-4)
    assert posterior.interval() == pytest.approx(norm(1.0, 0.5).ppf([0.05, 0.95]), abs=1e-3)
    assert posterior.highest_interval() == pytest.approx(posterior.interval(), abs=5e-3)


def test_the_shortest_interval_of_a_falling_density_begins_at_its_end():
    x = np.linspace(0.0, 20.0, 4001)
    low, high = GridPosterior.from_log_density(x, -x).highest_interval()
    assert low == 0.0
    assert high == pytest.approx(np.log(10.0), abs=1e-3)


def test_an_increasing_function_keeps_the_quantiles():
    posterior = GridPosterior.from_log_density(GRID, norm.logpdf(GRID)).map_values(np.exp)
    assert posterior.median == pytest.approx(1.0, abs=1e-3)
    assert posterior.interval() == pytest.approx(np.exp(norm.ppf([0.05, 0.95])), rel=2e-3)


def test_without_offset_the_logistic_posterior_is_that_of_a_share():
    y = np.arange(12) < 9
    posterior = logit_posterior(np.ones(12), np.zeros(12), y, GRID).map_values(expit)
    assert posterior.interval() == pytest.approx(jeffreys_interval(9, 12), abs=2e-3)


def test_the_logistic_posterior_is_the_likelihood_times_the_root_of_the_information():
    rng = np.random.default_rng(0)
    x, offset, y = rng.normal(size=5), rng.normal(size=5), rng.random(5) < 0.5
    found = logit_posterior(x, offset, y, GRID)
    naive = []
    for b in GRID:
        p = [1.0 / (1.0 + np.exp(-(o + b * each))) for o, each in zip(offset, x, strict=True)]
        likelihood = np.prod([each if won else 1.0 - each for each, won in zip(p, y, strict=True)])
        naive.append(likelihood * np.sqrt(sum(each**2 * q * (1.0 - q) for each, q in zip(x, p, strict=True))))
    naive = np.array(naive) / (np.sum(naive) * (GRID[1] - GRID[0]))
    np.testing.assert_allclose(found.density, naive, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.82])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(share):
    hits = np.random.default_rng(0).binomial(40, share, size=4000)
    found = np.array([jeffreys_interval(int(k), 40, 0.9) for k in range(41)])[hits]
    assert np.mean((found[:, 0] <= share) & (share <= found[:, 1])) == pytest.approx(0.9, abs=0.045)
