"""Every shipped likelihood keeps the contract, and the contract catches likelihoods that do not."""

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.likelihoods import Likelihood, Logistic, LogMarginal, Probit, RowScaling, Terms
from anchorpbo.likelihoods.logistic import LogisticOutcomes
from anchorpbo.testing import LikelihoodContract
from anchorpbo.typing import Array, BoolArray

CONTRACTS = {
    "probit": LikelihoodContract(Probit()),
    "probit-with-threshold": LikelihoodContract(Probit(0.5), thresholds=(1e-3, 8.0)),
    "logistic": LikelihoodContract(Logistic()),
    "logistic-difference": LikelihoodContract(Logistic(form="difference"), thresholds=(1e-3, 8.0)),
}


@pytest.mark.parametrize("check", LikelihoodContract.checks())
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())
def test_shipped_likelihood(contract: LikelihoodContract, check: str) -> None:
    contract.check(check)


# -- likelihoods that break the contract ------------------------------------------------------------------------------


class WrongCurvature(Logistic):
    """d2 of a win is twice what it is."""

    def log_win(self, z: Array) -> Terms:
        value, d1, d2, d3 = super().log_win(z)
        return Terms(value, d1, 2.0 * d2, d3)


class Clamped(Probit):
    """Margins cut at 30, as some public code does: no slope beyond."""

    closed_form = None

    def log_win(self, z: Array) -> Terms:
        return super().log_win(np.clip(z, -30.0, 30.0))


class NaiveProbit(Probit):
    """log(Phi(z)) by its definition: minus infinity in the left tail."""

    def log_win(self, z: Array) -> Terms:
        with np.errstate(divide="ignore"):
            from scipy.special import ndtr

            return Terms(np.log(ndtr(z)), *super().log_win(z)[1:])


class UnshiftedWin(Probit):
    """A win stays Phi(g) whatever tau: a learnt tau would run away."""

    def log_prob(self, g: Array, tied: BoolArray) -> Terms:
        wins, ties = self.log_win(g), super().log_prob(g, tied)
        return Terms(*(np.where(tied, tie, win) for win, tie in zip(wins, ties, strict=True)))


class ForgetsVariance(Logistic):
    """Expected under a margin that is known."""

    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray) -> LogMarginal:
        return super().log_marginal(mean, np.zeros_like(variance), tied)


class WrongThresholdSlope(Logistic):
    """The normalising constant's derivative in tau is left out."""

    class Outcomes(LogisticOutcomes):
        def log_tie_by_threshold(self, g: Array, tau: Array) -> Terms:
            value, *rest = super().log_tie_by_threshold(g, tau)
            return Terms(value - 2.0 / np.expm1(2.0 * tau), *rest)

    closed_form = Outcomes()


class SwappedGradients(Logistic):
    """Derivatives in the other design's noise."""

    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        first, second, a, b, c, d = super().scale_rows(noise_first, noise_second)
        return RowScaling(first, second, b, a, d, c)


class ToleratesTies(Probit):
    """Explains ties with a threshold of 0."""

    def for_duels(self, duels: Duels) -> "ToleratesTies":
        return self


@pytest.mark.parametrize(
    ("likelihood", "check"),
    [
        (WrongCurvature(), "check_derivatives"),
        (Clamped(), "check_derivatives"),
        (Clamped(), "check_log_concave"),
        (NaiveProbit(), "check_finite_at_extreme_margins"),
        (UnshiftedWin(), "check_probabilities_add_up"),
        (ForgetsVariance(), "check_log_marginal"),
        (WrongThresholdSlope(), "check_threshold_derivatives"),
        (SwappedGradients(), "check_coefficients"),
        (ToleratesTies(), "check_for_duels"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Likelihood) else value,
)
def test_broken_likelihood_is_caught(likelihood: Likelihood, check: str) -> None:
    with pytest.raises(AssertionError):
        LikelihoodContract(likelihood).check(check)
