"""The formulas of both links, evaluated naively, and the rules of their arguments."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError, InputError, UnknownNameError
from anchorpbo.likelihoods import LIKELIHOODS, Likelihood, Logistic, Probit, resolve_likelihood
from anchorpbo.typing import Array

G = np.linspace(-5.0, 5.0, 41)
WIN, TIE = np.zeros(41, dtype=bool), np.ones(41, dtype=bool)
POINTS = np.random.default_rng(0).uniform(size=(4, 2))
NOISE = np.array([0.3, 1.0, 2.5, 0.7])
DUELS = Duels(POINTS, winners=[0, 2, 3], losers=[1, 0, 2], ties=[[3, 1]])
PAIRS = [(0, 1), (2, 0), (3, 2), (3, 1)]
UTILITY = np.array([1.2, -0.4, 0.3, 2.0])


def margins(likelihood: Likelihood, utility: Array = UTILITY, noise: Array = NOISE) -> Array:
    return likelihood.rows(DUELS, noise).margins(utility)


class TestProbit:
    def test_margin_divides_by_the_root_of_both_variances(self) -> None:
        expected = [(UTILITY[i] - UTILITY[j]) / np.sqrt(NOISE[i] + NOISE[j]) for i, j in PAIRS]
        np.testing.assert_allclose(margins(Probit()), expected, rtol=1e-14)

    @pytest.mark.parametrize("tau", [0.0, 0.3, 1.5])
    def test_win(self, tau: float) -> None:
        np.testing.assert_allclose(Probit(tau).log_prob(G, WIN).value, np.log(ndtr(G - tau)), rtol=1e-12, atol=1e-14)

    @pytest.mark.parametrize("tau", [0.01, 0.3, 1.5])
    def test_tie(self, tau: float) -> None:
        expected = np.log(ndtr(tau - G) - ndtr(-tau - G))
        np.testing.assert_allclose(Probit(tau).log_prob(G, TIE).value, expected, rtol=1e-9)

    def test_default_threshold_ties_one_in_four_equals(self) -> None:
        tau = Probit().default_threshold
        assert ndtr(tau) - ndtr(-tau) == pytest.approx(0.25, abs=0.02)

    def test_judgement_is_of_utilities_with_noise(self) -> None:
        """P(f_w + eps_w > f_l + eps_l), by simulation."""
        rng, n = np.random.default_rng(1), 200_000
        noisy = UTILITY[:, None] + np.sqrt(NOISE)[:, None] * rng.standard_normal((4, n))
        p = np.exp(Probit().log_prob(margins(Probit()), np.zeros(4, dtype=bool)).value)
        for k, (i, j) in enumerate(PAIRS):
            assert np.mean(noisy[i] > noisy[j]) == pytest.approx(p[k], abs=5 * 0.5 / np.sqrt(n))

    def test_expected_win_has_the_closed_form(self) -> None:
        mean, variance = np.array([-1.0, 0.2, 3.0]), np.array([0.0, 2.0, 1e4])
        got = Probit(0.3).log_marginal(mean, variance, np.zeros(3, dtype=bool)).value
        np.testing.assert_allclose(got, np.log(ndtr((mean - 0.3) / np.sqrt(1.0 + variance))), rtol=1e-12)


class TestLogistic:
    def test_margin_of_the_paper_has_each_utility_in_units_of_its_own_level(self) -> None:
        expected = [UTILITY[i] / NOISE[i] - UTILITY[j] / NOISE[j] for i, j in PAIRS]
        np.testing.assert_allclose(margins(Logistic()), expected, rtol=1e-13)

    def test_margin_of_the_difference_form_divides_by_the_mean_level(self) -> None:
        expected = [(UTILITY[i] - UTILITY[j]) / ((NOISE[i] + NOISE[j]) / 2.0) for i, j in PAIRS]
        np.testing.assert_allclose(margins(Logistic(form="difference")), expected, rtol=1e-13)

    @pytest.mark.parametrize("form", ["paper", "difference"])
    @pytest.mark.parametrize("tau", [0.0, 0.5, 1.5])
    def test_win(self, form: str, tau: float) -> None:
        got = Logistic(tau, form).log_prob(G, WIN).value
        np.testing.assert_allclose(got, np.log(1.0 / (1.0 + np.exp(-(G - tau)))), rtol=1e-12)

    @pytest.mark.parametrize("tau", [0.01, 0.5, 1.5])
    def test_tie(self, tau: float) -> None:
        """Rao and Kupper's product is the difference of two logistic functions."""
        got = Logistic(tau).log_prob(G, TIE).value
        np.testing.assert_allclose(got, np.log(expit(G + tau) - expit(G - tau)), rtol=1e-10)
        np.testing.assert_allclose(got, np.log((1 - np.exp(-2 * tau)) * expit(tau + G) * expit(tau - G)), rtol=1e-12)

    def test_default_threshold_ties_one_in_four_equals(self) -> None:
        tau = Logistic().default_threshold
        assert expit(tau) - expit(-tau) == pytest.approx(0.25, abs=0.02)

    def test_paper_form_is_not_invariant_to_a_shift(self) -> None:
        """Two equally good designs are a coin flip only at f = 0; above, the quieter one is favoured."""
        equal, likelihood = np.zeros(4), Logistic()
        assert not margins(likelihood, equal).any()
        above, below = margins(likelihood, equal + 3.0), margins(likelihood, equal - 3.0)
        quieter = np.array([NOISE[i] < NOISE[j] for i, j in PAIRS])
        assert ((above > 0) == quieter).all()
        np.testing.assert_array_equal(below, -above)

    def test_difference_form_is_invariant_to_a_shift(self) -> None:
        likelihood = Logistic(form="difference")
        np.testing.assert_allclose(margins(likelihood, UTILITY + 64.0), margins(likelihood), rtol=1e-12)
        assert not margins(likelihood, np.full(4, 7.0)).any()

    def test_probit_is_invariant_to_a_shift(self) -> None:
        np.testing.assert_allclose(margins(Probit(), UTILITY + 64.0), margins(Probit()), rtol=1e-12)

    def test_worse_design_may_be_sure_to_win_in_the_paper_form(self) -> None:
        """The counterexample to the one-step lemma: levels (1/e, 1), utilities (20, 50.9)."""
        duels = Duels([[0.0], [1.0]], winners=[0], losers=[1])
        rows = Logistic().rows(duels, np.array([np.exp(-1.0), 1.0]))
        g = rows.margins(np.array([20.0, 50.9]))
        assert np.exp(Logistic().log_prob(g, np.array([False])).value)[0] == pytest.approx(0.97, abs=0.005)

    def test_mixture_of_probits_is_the_logistic_function(self) -> None:
        _, scales, log_weights = Logistic().outcomes.parts
        assert np.exp(log_weights).sum() == pytest.approx(1.0, abs=1e-13)
        np.testing.assert_allclose(ndtr(G[:, None] / scales) @ np.exp(log_weights), expit(G), rtol=1e-11)


class TestThresholds:
    @pytest.mark.parametrize("likelihood", [Probit(), Logistic()])
    def test_open_threshold_is_zero_without_ties(self, likelihood: Likelihood) -> None:
        assert likelihood.tau == 0.0
        assert likelihood.for_duels(Duels(POINTS, [0], [1])).tie_threshold == 0.0

    @pytest.mark.parametrize("likelihood", [Probit(), Logistic()])
    def test_open_threshold_is_customary_with_ties(self, likelihood: Likelihood) -> None:
        assert likelihood.for_duels(DUELS).tie_threshold == likelihood.default_threshold

    def test_zero_cannot_explain_ties(self) -> None:
        message = (
            "a likelihood with tie_threshold 0 cannot explain ties; received 1 of them; "
            "give it a positive tie_threshold, or leave it out to have one learnt"
        )
        with pytest.raises(IncompatibleError, match=message):
            Probit(0.0).for_duels(DUELS)

    @pytest.mark.parametrize("tau", [-0.1, np.nan, np.inf, "0.1", True])
    def test_thresholds_are_at_least_zero(self, tau: object) -> None:
        with pytest.raises(InputError, match="tie_threshold must be a finite number of at least 0"):
            Probit(tau)  # type: ignore[arg-type]

    def test_another_threshold_keeps_the_form(self) -> None:
        assert Logistic(form="difference").with_threshold(0.7) == Logistic(0.7, "difference")


class TestNames:
    def test_names_give_the_default_objects(self) -> None:
        assert resolve_likelihood("probit") == Probit()
        assert resolve_likelihood("logistic") == Logistic()
        given = Logistic(0.2)
        assert resolve_likelihood(given) is given
        assert set(LIKELIHOODS) == {"probit", "logistic"}

    def test_unknown_names(self) -> None:
        with pytest.raises(UnknownNameError, match="likelihood must be one of logistic, probit; received 'cauchy'"):
            resolve_likelihood("cauchy")
        with pytest.raises(UnknownNameError, match="form must be one of difference, paper; received 'ratio'"):
            Logistic(form="ratio")
