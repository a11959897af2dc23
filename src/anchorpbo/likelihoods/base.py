"""The interface of likelihoods: a link function, and how noise scales the rows.

Symbols: g are margins (m,), tau >= 0 is the tie threshold in margin units, and F is the link's distribution function
(Phi for probit, the logistic function s for logistic). With g = D f for D from `rows`,

    first wins   F(g - tau)          tie   F(g + tau) - F(g - tau)          second wins   F(-g - tau)

F is symmetric, F(-z) = 1 - F(z), so the three probabilities add up to one. Its density F' is log-concave, so all three
are log-concave in g. With tau = 0 there are no ties and the probability of a win is F(g).

With probability `lapse` the user slips: the answer is random, each possible one with the same probability, 1/2 without
ties and 1/3 with them. `anchorpbo.likelihoods.lapse` has the formulas; with lapses the probabilities are not
log-concave. A judge who gives the opposite of their answer in a share q of all duels has a lapse probability of 2 q.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Self, final

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.likelihoods.lapse import LapseMixture
from anchorpbo.likelihoods.outcomes import LogMarginal, Outcomes, Terms
from anchorpbo.likelihoods.quadrature import Quadrature
from anchorpbo.numerics.validation import as_non_negative
from anchorpbo.typing import Array, BoolArray


class RowScaling(NamedTuple):
    """Entries of the rows D_k = a_k e_first - b_k e_second and their derivatives in the two noises, (m,) each."""

    first: Array
    """a."""
    second: Array
    """b."""
    first_by_first: Array
    """da / dnoise_first."""
    first_by_second: Array
    second_by_first: Array
    second_by_second: Array


@dataclass(frozen=True)
class Likelihood(ABC):
    """A link function and the rule by which noise scales the rows; immutable.

    A new likelihood implements `scale_rows` and `log_win`. Ties and expectations are computed by quadrature, unless
    `closed_form` provides formulas for them.
    """

    closed_form: ClassVar[Outcomes | None] = None
    """Formulas for ties and expectations; ``None`` for quadrature."""

    tie_threshold: float | None = None
    """Tie threshold tau; ``None`` means 0 if there are no ties, otherwise learnt, starting at `default_threshold`."""

    lapse: float = field(default=0.0, kw_only=True)
    """Probability of a lapse, a random answer; at least 0 and below 1."""

    def __post_init__(self) -> None:
        if self.tie_threshold is not None:
            object.__setattr__(self, "tie_threshold", as_non_negative("tie_threshold", self.tie_threshold))
        object.__setattr__(self, "lapse", as_non_negative("lapse", self.lapse))
        if self.lapse >= 1.0:
            raise InputError("lapse must be a probability below 1", self.lapse, "0.05 is one random answer in twenty")

    @abstractmethod
    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        """Return the two entries of each row, above 0, and their derivatives in the two designs' noises, (m,) each."""

    @abstractmethod
    def log_win(self, z: Array) -> Terms:
        """Return log F(z) and its first three derivatives, finite in both tails, for z = g - tau, (m,).

        F is the link without lapses, whatever `lapse`.
        """

    # -- derived from these two ---------------------------------------------------------------------------------------

    @final
    @property
    def outcomes(self) -> Outcomes:
        """Tie probabilities and expectations, by `closed_form` or by quadrature of `log_win`."""
        return Quadrature(self.log_win) if self.closed_form is None else self.closed_form

    @final
    @property
    def default_threshold(self) -> float:
        """Initial tau, which gives about one tie in four between designs of equal utility."""
        return self.outcomes.default_threshold

    @final
    @property
    def tau(self) -> float:
        """Tie threshold as a number."""
        return 0.0 if self.tie_threshold is None else self.tie_threshold

    @final
    def with_threshold(self, tau: float) -> Self:
        """Return this likelihood with another tie threshold."""
        return replace(self, tie_threshold=tau)

    @final
    def with_lapse(self, lapse: float) -> Self:
        """Return this likelihood with another lapse probability."""
        return replace(self, lapse=lapse)

    @final
    @property
    def chance(self) -> float:
        """Probability of each answer in a lapse: 1/2 without ties, 1/3 with a positive threshold."""
        return 1.0 / 3.0 if self.tau > 0.0 else 0.5

    @final
    def for_duels(self, duels: Duels) -> Self:
        """Return this likelihood with a tie threshold that is positive if these duels include ties."""
        has_ties = len(duels.ties) > 0
        if self.tie_threshold is None:
            return self.with_threshold(self.default_threshold if has_ties else 0.0)
        if has_ties and self.tie_threshold == 0.0:
            raise IncompatibleError(
                "a likelihood with tie_threshold 0 cannot explain ties",
                f"{len(duels.ties)} of them",
                "give it a positive tie_threshold, or leave it out to have one learnt",
            )
        return self

    @final
    def coefficients(self, noise_first: Array, noise_second: Array) -> tuple[Array, Array]:
        """Return the two entries of each row D_k = a_k e_first - b_k e_second, (m,) each."""
        with np.errstate(all="ignore"):  # the derivatives may overflow when the entries do not
            scaling = self.scale_rows(noise_first, noise_second)
        return scaling.first, scaling.second

    @final
    def compute_utility_unit(self, noise: float) -> float:
        """Return the square of the utility difference that changes the margin by 1, if both designs have this noise.

        For probit it is the variance of a duel's noise.
        """
        level = np.full(1, noise)
        per_utility = float(self.coefficients(level, level)[0][0])
        # Limited so that its square is finite and positive.
        return min(max(per_utility, 1e-100), 1e100) ** -2

    @final
    def rows(self, duels: Duels, noise: Array) -> Rows:
        """Return the matrix D of these duels, given the noise at their designs, (u,)."""
        first, second = duels.first, duels.second
        a, b = self.coefficients(noise[first], noise[second])
        return Rows(first, second, a, b, duels.tied, len(duels.points), duels.counts)

    @final
    def log_prob(self, g: Array, tied: BoolArray) -> Terms:
        """Return log p(outcome | g) and three derivatives in g."""
        terms, mixture = self._log_attentive(g, tied), self._lapse_mixture
        return terms if mixture is None else mixture.mix_terms(terms)

    @final
    def log_prob_by_threshold(self, g: Array, tied: BoolArray) -> Terms:
        """Return the derivative of `log_prob` in tau, and its first two derivatives in g."""
        wins, mixture = self.log_win(g - self.tau), self._lapse_mixture
        by_tau = Terms(-wins.d1, -wins.d2, -wins.d3, np.zeros_like(g))
        if tied.any():
            by_tau = _merge(tied, by_tau, self.outcomes.log_tie_by_threshold(g, np.full_like(g, self.tau)))
        return by_tau if mixture is None else mixture.mix_slopes(self._log_attentive(g, tied), by_tau)

    @final
    def log_marginal(self, mean: Array, variance: Array, tied: BoolArray) -> LogMarginal:
        """Return log E p(outcome | g) under g ~ N(mean, variance), its derivatives, and the change of Var(g)."""
        marginal, mixture = self.outcomes.log_marginal(mean, variance, tied, self.tau), self._lapse_mixture
        return marginal if mixture is None else mixture.mix_marginal(marginal, variance)

    @property
    def _lapse_mixture(self) -> LapseMixture | None:
        """Mixture of attentive answers and lapses; ``None`` without lapses."""
        return LapseMixture(self.lapse, self.chance) if self.lapse > 0.0 else None

    def _log_attentive(self, g: Array, tied: BoolArray) -> Terms:
        """Return log p(outcome | g) without lapses, and three derivatives in g."""
        if not tied.any():
            return self.log_win(g - self.tau)
        return _merge(tied, self.log_win(g - self.tau), self.outcomes.log_tie(g, np.full_like(g, self.tau)))


def _merge(tied: BoolArray, wins: Terms, ties: Terms) -> Terms:
    return Terms(*(np.where(tied, tie, win) for win, tie in zip(wins, ties, strict=True)))
