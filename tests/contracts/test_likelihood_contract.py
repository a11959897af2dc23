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
    "probit-with-lapses": LikelihoodContract(Probit(lapse=0.05)),
    "logistic": LikelihoodContract(Logistic()),
    "logistic-with-lapses": LikelihoodContract(Logistic(form="difference", lapse=0.2)),
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


class LapsesToTheWinner(Probit):
    """A lapse is a win, whatever the answer."""

    def log_prob(self, g: Array, tied: BoolArray) -> Terms:
        terms = self.with_lapse(0.0).log_prob(g, tied) if self.lapse else super().log_prob(g, tied)
        return Terms(np.log((1 - self.lapse) * np.exp(terms.value) + self.lapse), *terms[1:]) if self.lapse else terms


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
        (LapsesToTheWinner(), "check_lapse"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Likelihood) else value,
)
def test_broken_likelihood_is_caught(likelihood: Likelihood, check: str) -> None:
    with pytest.raises(AssertionError):
        LikelihoodContract(likelihood).check(check)


# -- mistakes in a first likelihood -----------------------------------------------------------------------------------


class OwnLink(Likelihood):
    """A link whose ties and expectations come from quadrature of its log_win."""

    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        return Probit().scale_rows(noise_first, noise_second)

    def log_win(self, z: Array) -> Terms:
        return Logistic().log_win(z)


class ScalarTerms(OwnLink):
    """One number per term."""

    def log_win(self, z: Array) -> Terms:
        return Terms(*(float(np.sum(term)) for term in super().log_win(z)))  # type: ignore[arg-type]


class PlainTuple(OwnLink):
    """The right terms in a tuple."""

    def log_win(self, z: Array) -> Terms:
        return tuple(super().log_win(z))  # type: ignore[return-value]


class ThreeTerms(OwnLink):
    """The third derivative is missing."""

    def log_win(self, z: Array) -> Terms:
        return Terms(*super().log_win(z)[:3])  # type: ignore[call-arg]


class ColumnTerms(OwnLink):
    """The second derivative is a column."""

    def log_win(self, z: Array) -> Terms:
        value, d1, d2, d3 = super().log_win(z)
        return Terms(value, d1, d2[:, None], d3)


class Gumbel(OwnLink):
    """F(z) = exp(-exp(-z)), which is log-concave and not symmetric."""

    def log_win(self, z: Array) -> Terms:
        e = np.exp(-z)
        return Terms(-e, e, -e, e)


class Undefined(OwnLink):
    """The first derivative is NaN at z = 0."""

    def log_win(self, z: Array) -> Terms:
        value, d1, d2, d3 = super().log_win(z)
        return Terms(value, d1 * z / z, d2, d3)


class WidensTheMargin(Logistic):
    """An expected probability of a tie whose second derivative is above 0."""

    class Outcomes(LogisticOutcomes):
        def log_marginal(self, mean: Array, variance: Array, tied: BoolArray, tau: float) -> LogMarginal:
            here = super().log_marginal(mean, variance, tied, tau)
            return here._replace(d2=np.where(mean == 2.0, 0.5, here.d2))

    closed_form = Outcomes()


RULE = "log_win must return Terms of four float arrays with the shape of z"


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (ScalarTerms(), f"check_log_win_returns_terms: {RULE}; value has shape () at z of shape (3,)"),
        (PlainTuple(), f"check_log_win_returns_terms: {RULE}; it returned a tuple"),
        (ThreeTerms(), f"check_log_win_returns_terms: {RULE}; it raised TypeError("),
        (ColumnTerms(), f"check_log_win_returns_terms: {RULE}; d2 has shape (3, 1) at z of shape (3,)"),
        (Undefined(), "check_log_win_returns_terms: d1 of log_win must be finite; it is nan at z = 0.0"),
        (Gumbel(), "check_symmetric: F(z) + F(-z) must be 1.0 within 1e-12; it is "),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Likelihood) else "",
)
def test_a_mistake_in_log_win_is_the_only_failure_reported(likelihood: Likelihood, message: str) -> None:
    with pytest.raises(AssertionError) as failure:
        LikelihoodContract(likelihood).check_all()
    head, only, note = str(failure.value).splitlines()
    assert head.startswith(f"1 of {len(LikelihoodContract.checks())} checks failed for {type(likelihood).__name__}(")
    assert only.strip().startswith(message)
    assert note.strip() == "The remaining checks depend on it and were not run."


def test_an_asymmetric_link_is_reported_with_the_z_where_it_fails() -> None:
    with pytest.raises(AssertionError, match=r"F\(z\) \+ F\(-z\) must be 1.0 .* at z = -?\d"):
        LikelihoodContract(Gumbel()).check("check_symmetric")


def test_a_wrong_derivative_is_reported_with_its_margin() -> None:
    with pytest.raises(AssertionError, match=r"d2 of the log probability of a win at tau = 0.0 .* at g = -?\d"):
        LikelihoodContract(WrongCurvature()).check("check_derivatives")


@pytest.mark.filterwarnings("error")
def test_a_derivative_that_is_nan_is_reported_once_and_without_warnings() -> None:
    with pytest.raises(AssertionError) as failure:
        LikelihoodContract(Undefined()).check("check_derivatives")
    assert "d1 of the log probability of a win at tau = 0.0 must be finite; it is nan at g = 0.0" in str(failure.value)


def test_a_growing_variance_is_reported_with_mean_and_value() -> None:
    with pytest.raises(AssertionError, match=r"d2 of the log expected probability of a win .* is 0.5 at mean = 2.0"):
        LikelihoodContract(WidensTheMargin()).check("check_log_marginal_leaves_a_variance")
