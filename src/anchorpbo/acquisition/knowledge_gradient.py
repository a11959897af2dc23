"""The knowledge gradient of a duel: how much its answer is expected to raise the best posterior mean [Frazier2008].

Symbols: m is the posterior mean, n the noise, v = Var(f(x) - f(y)), s^2 = v + n(x) + n(y) and z = (m(x) - m(y)) / s. A
probit user answers "x" with probability Phi(z). After that answer the mean at a design a, and its product with the
probability of the answer, are in closed form

    m(a) + Cov(f(a), f(x) - f(y)) phi(z) / (s Phi(z))
    E[f(a); x wins] = Phi(z) m(a) + Cov(f(a), f(x) - f(y)) phi(z) / s

and similarly for a design b after "y". The knowledge gradient is the maximum over a and b of

    V(x, a, y, b) = E[f(a); x wins] + E[f(b); y wins]
                  = Phi(z) m(a) + Phi(-z) m(b) + phi(z) / s Cov(f(a) - f(b), f(x) - f(y))

less the present maximum of m, which does not depend on the duel and is left out. The noise map enters through s: a duel
that the user cannot judge changes little. V with a = x and b = y is EUCO. No duel is worth more than the best EUBO.

With a lapse probability l the answer is random with probability l and then changes nothing: both probabilities become
(1 - l) Phi + l / 2, and phi becomes (1 - l) phi.

The search maximises V over the duel and both choices at once ("one-shot" [Balandat2020]): an item is (x, a, y, b), each
design of the duel followed by the design that is best if it wins. The value is exact for a Gaussian posterior and two
answers; it does not count ties.

References
----------
[Frazier2008] P. I. Frazier, W. B. Powell and S. Dayanik. A knowledge-gradient policy for sequential information
    collection. SIAM Journal on Control and Optimization 47(5), 2410-2439, 2008.
[Balandat2020] M. Balandat, B. Karrer, D. R. Jiang, S. Daulton, B. Letham, A. G. Wilson and E. Bakshy. BoTorch: a
    framework for efficient Monte-Carlo Bayesian optimization. NeurIPS 2020.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition.base import Acquisition
from anchorpbo.acquisition.bound_acquisition import BoundAcquisition, BoundDuels, ScreenedDuels, select_largest
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.normal import cdf, density
from anchorpbo.numerics.validation import as_floats, as_points, as_share
from anchorpbo.posterior import Posterior
from anchorpbo.posterior.moments import DesignMoments, OutcomeMoments
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, IntArray

_CHUNK = 2048
"""Number of duels that are compared with all choices at once, which limits the memory."""


@dataclass(frozen=True)
class KnowledgeGradient(Acquisition):
    """Knowledge gradient of a duel, for probit answers."""

    lapse: float = 0.0
    """Probability of a random answer; a study sets it to that of its likelihood."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lapse", as_share("lapse", self.lapse))

    def with_lapse(self, lapse: float) -> KnowledgeGradient:
        """Return this acquisition for answers with a lapse probability."""
        return replace(self, lapse=lapse)

    @property
    def needs_probit(self) -> bool:
        """Whether the value models the answer: true."""
        return True

    def bind(self, posterior: Posterior, noise: NoiseMap, incumbent: float | None = None) -> BoundKnowledgeGradient:
        """Return V as a function of items (x, a, y, b), (n, 4, d); the incumbent is not used."""
        return BoundKnowledgeGradient(posterior, noise, self.lapse)


@dataclass(frozen=True, eq=False)
class BoundKnowledgeGradient(BoundDuels):
    """The knowledge gradient as a function V of items (x, a, y, b), (n, 4, d)."""

    lapse: float = 0.0
    """Probability of a random answer."""

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of an item, (4, d)."""
        return (4, self.posterior.dimension)

    def values(self, X: Array) -> Array:
        """Return V, (n,), of items X, (n, 4, d)."""
        noise, total = self.noise.values(self._flatten_duels(X)), np.zeros(len(X))
        noise = noise[::2] + noise[1::2]
        for weight, posterior in self.posterior.components:
            here = OutcomeMoments.of(posterior, X)
            outcomes = _Outcomes.of(here.mean[:, 0] - here.mean[:, 2], here.variance + noise, self.lapse)
            total += weight * outcomes.value(here)
        return total

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return V, (n,), and its gradient, (n, 4, d), of items X, (n, 4, d)."""
        noise, noise_slopes = self.noise.slopes(self._flatten_duels(X))
        noise = noise[::2] + noise[1::2]
        total, gradient, by_noise = np.zeros(len(X)), np.zeros(X.shape), np.zeros(len(X))
        for weight, posterior in self.posterior.components:
            here = OutcomeMoments.of(posterior, X, slopes=True)
            outcomes = _Outcomes.of(here.mean[:, 0] - here.mean[:, 2], here.variance + noise, self.lapse)
            by_mean, by_variance = outcomes.partials(here)
            total += weight * outcomes.value(here)
            gradient += weight * here.gradient(by_mean, by_variance, outcomes.slope)
            by_noise += weight * by_variance
        gradient[:, ::2] += by_noise[:, None, None] * noise_slopes.reshape(len(X), 2, X.shape[2])
        return total, gradient

    def score_pairs(self, pairs: npt.ArrayLike, choices: npt.ArrayLike) -> Array:
        """Return the knowledge gradient of pairs, (n, 2, d), if the user then chooses among `choices`, (k, d).

        Unlike V, it is the gain over the present best mean of the choices, so it is never below 0.
        """
        duels, designs = as_floats("pairs", pairs), as_points("choices", choices, self.posterior.dimension)
        if duels.ndim != 3 or duels.shape[1:] != (2, self.posterior.dimension):
            rule = f"pairs must have shape (n, 2, {self.posterior.dimension})"
            raise ShapeError(rule, duels.shape, "give two designs per row")
        if not len(designs):
            raise InputError("choices must have at least one design", "none", "give the designs that may be chosen")
        first = len(designs) + 2 * np.arange(len(duels))
        together = np.concatenate([designs, duels.reshape(-1, designs.shape[1])])
        now = float(self.posterior.mean(designs).max())
        return _Choices.of(self, together, first, first + 1, len(designs)).values - now

    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        """Return the best duels of designs, with the best choices a and b among them."""
        first, second = np.triu_indices(len(designs), 1)
        choices = _Choices.of(self, designs, first, second)
        rows, values = select_largest(choices.values, count, np.arange(len(first)), np.arange(len(first)))
        kept = rows[:, 0]
        items = np.stack([first, choices.if_first, second, choices.if_second], axis=1)[kept]
        return ScreenedDuels(designs[items], values, items[:, ::2])

    def get_duels(self, items: Array) -> Array:
        """Return x and y, (n, 2, d)."""
        return items[:, ::2]

    def fix_first(self, champion: Array) -> KnowledgeGradientChallengers:
        """Return V as a function of (a, y, b) for x = `champion`, (d,)."""
        return KnowledgeGradientChallengers(self.posterior, self.noise, self, champion)

    def complete(self, items: Array, designs: Array) -> Array:
        """Return the items with the best choices a and b among the present ones and designs, (n, d)."""
        together = np.concatenate([items.reshape(-1, items.shape[2]), designs])
        first = np.arange(0, 4 * len(items), 4)
        choices = _Choices.of(self, together, first, first + 2)
        return together[np.stack([first, choices.if_first, first + 2, choices.if_second], axis=1)]

    def _flatten_duels(self, X: Array) -> Array:
        """Return x and y of each item in alternating rows, (2 n, d)."""
        return X[:, ::2].reshape(-1, X.shape[2])


@dataclass(frozen=True, eq=False)
class KnowledgeGradientChallengers(BoundDuels):
    """The knowledge gradient of duels with a given design, as a function of (a, y, b), (n, 3, d)."""

    whole: BoundKnowledgeGradient
    champion: Array
    """The fixed design x, (d,)."""

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of an item, (3, d)."""
        return (3, self.posterior.dimension)

    def values(self, X: Array) -> Array:
        """Return V, (n,), of items X, (n, 3, d)."""
        return self.whole.values(self._prepend_champion(X))

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return V, (n,), and its gradient, (n, 3, d), of items X, (n, 3, d)."""
        values, gradient = self.whole.slopes(self._prepend_champion(X))
        return values, np.ascontiguousarray(gradient[:, 1:])

    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        """Return the best duels of the champion, which has row number -1, and one of the designs."""
        together = np.concatenate([designs, self.champion[None]])
        rows = np.arange(len(designs))
        choices = _Choices.of(self.whole, together, np.full(len(designs), len(designs)), rows)
        kept = select_largest(choices.values, count, rows, rows)[0][:, 0]
        items = np.stack([choices.if_first, rows, choices.if_second], axis=1)[kept]
        pairs = np.stack([np.full(len(kept), -1), kept], axis=1)
        return ScreenedDuels(together[items], choices.values[kept], pairs)

    def get_duels(self, items: Array) -> Array:
        """Return the champion and y, (n, 2, d)."""
        return self._prepend_champion(items)[:, ::2]

    def fix_first(self, champion: Array) -> BoundAcquisition:
        """Return the same function for another champion."""
        return self.whole.fix_first(champion)

    def complete(self, items: Array, designs: Array) -> Array:
        """Return the items with the best choices a and b among the present ones and designs, (n, d)."""
        return self.whole.complete(self._prepend_champion(items), designs)[:, 1:]

    def _prepend_champion(self, X: Array) -> Array:
        return np.concatenate([np.broadcast_to(self.champion, (len(X), 1, X.shape[2])), X], axis=1)


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Probabilities of the two answers, and how much an answer moves the means; arrays of one shape."""

    z: Array
    s: Array
    first: Array
    """Probability that x wins, Phi(z) without lapses."""
    second: Array
    """Probability that y wins, Phi(-z) without lapses."""
    slope: Array
    """The derivative of V in Cov(f(a) - f(b), f(x) - f(y)), phi(z) / s without lapses."""

    @classmethod
    def of(cls, margin: Array, variance: Array, lapse: float) -> _Outcomes:
        """Return the outcomes for m(x) - m(y), s^2 and a lapse probability."""
        s = np.sqrt(variance)
        z, informed, chance = margin / s, 1.0 - lapse, 0.5 * lapse
        return cls(z, s, informed * cdf(z) + chance, informed * cdf(-z) + chance, informed * density(z) / s)

    def value(self, here: OutcomeMoments) -> Array:
        """Return V, (n,)."""
        return self.first * here.mean[:, 1] + self.second * here.mean[:, 3] + self.slope * here.covariance

    def partials(self, here: OutcomeMoments) -> tuple[Array, Array]:
        """Return the derivatives of V in the four means, (n, 4), and in s^2, (n,)."""
        by_mean = np.empty(here.mean.shape)
        # dV/dm(x): the probabilities and phi(z) / s depend on z.
        by_mean[:, 0] = self.slope * (here.mean[:, 1] - here.mean[:, 3] - self.z * here.covariance / self.s)
        by_mean[:, 1], by_mean[:, 2], by_mean[:, 3] = self.first, -by_mean[:, 0], self.second
        return by_mean, -0.5 / self.s * (self.z * by_mean[:, 0] + self.slope * here.covariance / self.s)


@dataclass(frozen=True, eq=False)
class _Choices:
    """The best choices among designs after either outcome of some duels."""

    values: Array
    """V, (k,)."""
    if_first: IntArray
    """Row number of the best a, (k,)."""
    if_second: IntArray
    """Row number of the best b, (k,)."""

    @classmethod
    def of(
        cls,
        bound: BoundKnowledgeGradient,
        designs: Array,
        first: IntArray,
        second: IntArray,
        count: int | None = None,
    ) -> _Choices:
        """Return the best choices for duels of two of the designs, (n, d), with row numbers (k,) each.

        Only the first `count` designs may be chosen; by default all.
        """
        noise = bound.noise.values(designs)
        parts = [
            _weigh(weight, DesignMoments.of(posterior, designs), noise, bound.lapse, first, second)
            for weight, posterior in bound.posterior.components
        ]
        means, covariances, in_first, in_second, in_covariance = (np.array(each) for each in zip(*parts, strict=True))
        means, covariances = means[:, :count], np.ascontiguousarray(covariances[:, :, :count])
        # At least one chunk, so that no duels have no choices.
        chunks = [slice(start, start + _CHUNK) for start in range(0, max(len(first), 1), _CHUNK)]
        chosen = [
            _choose(means, covariances, first[k], second[k], in_first[:, k], in_second[:, k], in_covariance[:, k])
            for k in chunks
        ]
        return cls(*(np.concatenate(each) for each in zip(*chosen, strict=True)))


def _weigh(
    weight: float, here: DesignMoments, noise: Array, lapse: float, first: IntArray, second: IntArray
) -> tuple[Array, Array, Array, Array, Array]:
    """Return means, (n,), covariances, (n, n), and the weights of m(a), m(b) and the covariance in V, (k,) each."""
    covariance = here.covariance
    variance = here.variance[first] + here.variance[second] - 2.0 * covariance[first, second]
    total = np.maximum(variance, 0.0) + noise[first] + noise[second]
    outcomes = _Outcomes.of(here.mean[first] - here.mean[second], total, lapse)
    return here.mean, covariance, weight * outcomes.first, weight * outcomes.second, weight * outcomes.slope


def _choose(
    means: Array, covariances: Array, first: IntArray, second: IntArray, in_first: Array, in_second: Array,
    in_covariance: Array,
) -> tuple[Array, IntArray, IntArray]:  # fmt: skip
    """Return the value and the best choices of each duel; the leading axis of the moments is that of the components."""
    if_x, if_y = np.zeros((2, len(first), means.shape[1]))
    # Sums in a fixed order, not matrix products, whose rounding differs between machines.
    for p, covariance in enumerate(covariances):
        moved = in_covariance[p][:, None] * (covariance[first] - covariance[second])
        if_x += in_first[p][:, None] * means[p] + moved
        if_y += in_second[p][:, None] * means[p] - moved
    a, b = if_x.argmax(axis=1), if_y.argmax(axis=1)
    rows = np.arange(len(first))
    return if_x[rows, a] + if_y[rows, b], a, b
