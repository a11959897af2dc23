"""Expected likelihoods against simulation and against each other."""

import mpmath as mp
import numpy as np
import pytest

from anchorpbo.likelihoods import Likelihood, Logistic, Probit


@pytest.mark.parametrize("likelihood", [Probit(0.3), Logistic(0.5)], ids=str)
@pytest.mark.parametrize("tie", [False, True])
def test_expected_probability_is_the_mean_over_margins(likelihood: Likelihood, tie: bool) -> None:
    rng, n = np.random.default_rng(0), 100_000
    for mean, variance in ((-1.0, 0.5), (0.3, 4.0), (2.0, 25.0)):
        g = mean + np.sqrt(variance) * rng.standard_normal(n)
        simulated = np.exp(likelihood.log_prob(g, np.full(n, tie)).value)
        got = np.exp(likelihood.log_marginal(np.array([mean]), np.array([variance]), np.array([tie])).value)[0]
        assert abs(simulated.mean() - got) < 5 * simulated.std() / np.sqrt(n)


@pytest.mark.parametrize("likelihood", [Probit(0.3), Logistic(0.5)], ids=str)
def test_expected_probabilities_add_up(likelihood: Likelihood) -> None:
    mean = np.array([-40.0, -3.0, 0.0, 0.1, 8.0, 500.0])
    for variance in (0.0, 1e-8, 1.0, 1e4, 1e8):
        wide = np.full(6, variance)
        first, second, tie = (
            np.exp(likelihood.log_marginal(m, wide, np.full(6, tied)).value)
            for m, tied in ((mean, False), (-mean, False), (mean, True))
        )
        np.testing.assert_allclose(first + second + tie, 1.0, atol=1e-12)


@pytest.mark.parametrize("g", [-90.0, -30.0, -2.0, 0.0, 5.0, 30.0])
def test_logistic_mixture_holds_in_the_tails(g: float) -> None:
    """log s(g) from the mixture of probits, at variance 0, where s(g) itself is down to 1e-39."""
    with mp.workdps(50):
        truth = float(-mp.log1p(mp.exp(-mp.mpf(g))))
    got = Logistic(0.0).log_marginal(np.array([g]), np.zeros(1), np.array([False]))
    assert got.value[0] == pytest.approx(truth, rel=1e-9, abs=1e-12)


def test_wide_margins_leave_only_their_sign() -> None:
    """Under N(mean, variance) with a huge variance every link is Phi(mean / std)."""
    wide = np.array([1e12])
    for likelihood in (Probit(0.0), Logistic(0.0)):
        got = likelihood.log_marginal(np.array([1e6]), wide, np.array([False])).value[0]
        assert got == pytest.approx(float(mp.log(mp.ncdf(1))), rel=1e-6)


def test_mixed_outcomes_are_those_of_each_alone() -> None:
    mean, variance, tied = np.array([0.3, -1.0, 2.0]), np.array([1.0, 0.0, 9.0]), np.array([True, False, True])
    for likelihood in (Probit(0.3), Logistic(0.5)):
        mixed = np.array(likelihood.log_marginal(mean, variance, tied))
        for k in range(3):
            alone = likelihood.log_marginal(mean[[k]], variance[[k]], tied[[k]])
            np.testing.assert_array_equal(mixed[:, k], np.array(alone)[:, 0])


@pytest.mark.parametrize("variance", [0.0, 4.0, 30.0])
@pytest.mark.parametrize("mean", [-150.0, -600.0, -1e4, -1e6])
def test_far_to_the_left_a_logistic_is_an_exponential(mean, variance):
    """E exp(g) = exp(mean + variance / 2), to which log s(g) = g - log(1 + e^g) adds nothing there."""
    no = np.array([False])
    value, d1, d2, rest = Logistic(0.0).log_marginal(np.array([mean]), np.array([variance]), no)
    assert value[0] == pytest.approx(mean + 0.5 * variance, rel=1e-9)
    assert d1[0] == pytest.approx(1.0, rel=1e-6)
    assert d2[0] == pytest.approx(0.0, abs=1e-6)
    assert rest[0] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("mean", [-200.0, 200.0])
def test_a_logistic_tie_far_out_has_the_tail_of_rao_and_kupper(mean):
    tau, g, tie = 0.7, np.array([mean]), np.array([True])
    exact = Logistic(tau).log_prob(g, tie)
    expected = Logistic(tau).log_marginal(g, np.zeros(1), tie)
    assert expected.value[0] == pytest.approx(exact.value[0], rel=1e-12)
    assert expected.d1[0] == pytest.approx(exact.d1[0], rel=1e-12)


def test_the_two_regimes_meet():
    """Just on either side of where the exponential takes over, nothing jumps."""
    variance = 9.0
    edge = -60.0 - variance - 8.0 * 3.0
    values = Logistic(0.0).log_marginal(edge + np.array([-1e-6, 1e-6]), np.full(2, variance), np.zeros(2, dtype=bool))
    for part in values:
        assert part[0] == pytest.approx(part[1], abs=1e-5)


@pytest.mark.parametrize("likelihood", [Probit(0.5), Logistic(0.5)], ids=["probit", "logistic"])
@pytest.mark.parametrize("variance", [1e2, 1e4, 1e8, 1e12, 1e16])
def test_what_a_tie_leaves_of_a_wide_margin_is_the_tie_itself(likelihood, variance):
    """Under a flat prior the margin given a tie has the likelihood's own variance, by quadrature."""
    g = np.linspace(-60.0, 60.0, 200_001)
    weight = np.exp(likelihood.log_prob(g, np.ones(len(g), dtype=bool)).value)
    own = (weight * g**2).sum() / weight.sum()
    left = likelihood.log_marginal(np.zeros(1), np.array([variance]), np.array([True])).variance_ratio[0] * variance
    assert left == pytest.approx(own, rel=2 * own / variance + 1e-6)
