"""Contract of likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import integrate

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.likelihoods import Likelihood, LogMarginal, Terms
from anchorpbo.testing.contract import (
    Contract,
    differentiate,
    ensure,
    ensure_close,
    ensure_finite,
    ensure_immutable,
    ensure_raises,
    ensure_same_bits,
    ensure_shape,
    pickle_and_load,
)
from anchorpbo.typing import Array, BoolArray

_NEAR = np.concatenate([np.linspace(-12.0, 12.0, 49), [-0.01, 0.01, 1e-9]])
_FAR = np.array([10.0, 30.0, 37.5, 40.0, 100.0, 300.0, 1e3])
_GRID = np.sort(np.concatenate([_NEAR, _FAR, -_FAR]))
"""Margins, including the far tails."""
_LAPSES = (1e-3, 0.1, 0.6)
"""Lapse probabilities."""
_STEP = 1e-3
"""Step of finite differences, in units of max(1, |g|)."""


class LikelihoodContract(Contract):
    """Checks of a likelihood at several tie thresholds and lapse probabilities.

    Parameters
    ----------
    likelihood
        The likelihood.
    thresholds
        Tie thresholds to check, in addition to 0 and the default.
    tolerance
        Allowed error of `log_marginal`, absolute in log Z and relative in its derivatives.
    """

    prerequisites: ClassVar[tuple[str, ...]] = ("check_log_win_returns_terms", "check_symmetric", "check_shapes")

    def __init__(
        self, likelihood: Likelihood, thresholds: tuple[float, ...] = (1e-2, 2.0), tolerance: float = 1e-8
    ) -> None:
        super().__init__(likelihood)
        self.likelihood: Likelihood = likelihood
        self.tolerance: float = tolerance
        self._given_thresholds = thresholds

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        """The positive tie thresholds of the checks, the default first."""
        return (self.likelihood.default_threshold, *self._given_thresholds)

    def check_log_win_returns_terms(self) -> None:
        """`log_win` returns `Terms` of four float arrays with the shape of z, finite near 0."""
        rule = "log_win must return Terms of four float arrays with the shape of z"
        for m in (3, 1, 0):
            z = np.linspace(-1.0, 1.0, m)
            try:
                terms = self.likelihood.log_win(z)
            except Exception as error:
                raise AssertionError(f"{rule}; it raised {error!r}") from error
            ensure(isinstance(terms, Terms), f"{rule}; it returned a {type(terms).__name__}")
            for part, array in terms._asdict().items():
                found = np.shape(array)
                ensure(found == z.shape, f"{rule}; {part} has shape {found} at z of shape {z.shape}")
                ensure(isinstance(array, np.ndarray), f"{rule}; {part} is a {type(array).__name__}")
                ensure(array.dtype == np.float64, f"{rule}; {part} holds {array.dtype}")
                ensure_finite(f"{part} of log_win", array, {"z": z})

    def check_symmetric(self) -> None:
        """The link is symmetric: F(z) + F(-z) = 1."""
        z = _GRID
        total = np.exp(self.likelihood.log_win(z).value) + np.exp(self.likelihood.log_win(-z).value)
        ensure_close("F(z) + F(-z)", total, np.ones_like(z), atol=1e-12, at={"z": z})

    def check_probabilities_add_up(self) -> None:
        """The probabilities of first, second and tie add up to one (of first and second, if tau is 0)."""
        g = _GRID
        for likelihood in self._all():
            first, second = (np.exp(likelihood.log_prob(m, _wins(g)).value) for m in (g, -g))
            total = first + second
            if likelihood.tau > 0:
                total += np.exp(likelihood.log_prob(g, _ties(g)).value)
            what = f"the sum of probabilities at tau = {likelihood.tau}"
            ensure_close(what, total, np.ones_like(g), atol=1e-12, at={"g": g})

    def check_first_and_second_are_alike(self) -> None:
        """A tie has the same probability at -g and g, and the better design is more likely to win."""
        g = _GRID
        for name, likelihood, tied in self._outcomes():
            here = likelihood.log_prob(g, tied)
            if tied.any():
                mirrored = likelihood.log_prob(-g, tied).value
                ensure_close(f"the log probability of {name}, at -g,", mirrored, here.value, 1e-13, 1e-13, {"g": g})
            else:
                worst = int(np.argmin(here.d1))
                what = f"d1 of the log probability of {name}"
                ensure(here.d1[worst] >= 0.0, f"{what} must be at least 0; it is {here.d1[worst]} at g = {g[worst]}")

    def check_log_concave(self) -> None:
        """Without lapses d2 <= 0 everywhere, and the values are concave."""
        g = _GRID
        middle = 0.5 * (g[1:] + g[:-1])
        for name, given, tied in self._outcomes():
            likelihood = given.with_lapse(0.0)
            here = likelihood.log_prob(g, tied)
            worst = int(np.argmax(here.d2))
            what = f"the log probability of {name}"
            ensure(here.d2[worst] <= 0.0, f"d2 of {what} must be at most 0; it is {here.d2[worst]} at g = {g[worst]}")
            below = 0.5 * (here.value[1:] + here.value[:-1])
            bulge = likelihood.log_prob(middle, tied[1:]).value - below
            rounding = 1e-13 + 1e-14 * np.abs(below)
            ensure((bulge >= -rounding).all(), f"{what} must be concave; it is not near g = {middle[np.argmin(bulge)]}")

    def check_derivatives(self) -> None:
        """d1, d2 and d3 are the derivatives of value, d1 and d2."""
        g = _GRID
        step = _STEP * np.maximum(1.0, np.abs(g))
        for name, likelihood, tied in self._outcomes():
            here = likelihood.log_prob(g, tied)

            def terms(t: float, likelihood: Likelihood = likelihood, tied: BoolArray = tied) -> Array:
                return np.array(likelihood.log_prob(g + t * step, tied))

            slopes = differentiate(terms, step)
            for order in (1, 2, 3):
                rounding = (
                    _bound_rounding(here, order, likelihood.tau)
                    + _bound_rounding(here, order - 1, likelihood.tau) / step
                )
                what = f"d{order} of the log probability of {name}"
                ensure_close(what, here[order], slopes[order - 1], 1e-5, rounding, {"g": g})

    def check_threshold_derivatives(self) -> None:
        """`log_prob_by_threshold` and its d1, d2 are the derivatives of `log_prob` and its d1, d2 in tau."""
        g = _GRID
        for name, likelihood, tied in self._outcomes():
            tau = likelihood.tau
            if tau == 0.0:
                continue
            step = _STEP * tau

            def terms(t: float, likelihood: Likelihood = likelihood, tied: BoolArray = tied, h: float = step) -> Array:
                return np.array(likelihood.with_threshold(likelihood.tau + t * h).log_prob(g, tied))

            slopes, here = differentiate(terms, step), likelihood.log_prob(g, tied)
            by_tau = likelihood.log_prob_by_threshold(g, tied)
            for order, part in enumerate(("value", "d1", "d2")):
                rounding = _bound_rounding(here, order, tau) / step
                what = f"{part} of the derivative in tau of the log probability of {name}"
                ensure_close(what, by_tau[order], slopes[order], 1e-5, rounding, {"g": g})

    def check_log_marginal(self) -> None:
        """`log_marginal` agrees with adaptive quadrature, at variances from 0 to 1e4."""
        for name, likelihood, _ in self._outcomes(self.likelihood.default_threshold):
            tie = "tie" in name
            for variance in (0.0, 1e-8, 1.0, 30.0, 1e4):
                means = np.array([-30.0, -4.0, 0.0, 0.7, 25.0])
                tied = np.full(len(means), tie)
                got = likelihood.log_marginal(means, np.full(len(means), variance), tied)
                truth = _quadrature(likelihood, means, variance, tie)
                what, at = f"the log expected probability of {name} and variance {variance}", {"mean": means}
                ensure_close(what, got.value, truth[0], self.tolerance, self.tolerance, at)
                ensure_close(f"d1 of {what}", got.d1, truth[1], 10 * self.tolerance, self.tolerance, at)
                ensure_close(f"d2 of {what}", got.d2, truth[2], 100 * self.tolerance, 10 * self.tolerance, at)

    def check_log_marginal_leaves_a_variance(self) -> None:
        """-1 / variance <= d2 <= 0 without lapses: an answer never increases the margin's variance."""
        means = _GRID
        for name, likelihood, tied in self._outcomes():
            for variance in (1e-8, 1.0, 1e4, 1e8):
                d2 = likelihood.with_lapse(0.0).log_marginal(means, np.full_like(means, variance), tied).d2
                what = f"d2 of the log expected probability of {name} and variance {variance}"
                top, low = int(np.argmax(d2)), int(np.argmin(d2))
                ensure(d2[top] <= 0.0, f"{what} must be at most 0; it is {d2[top]} at mean = {means[top]}")
                ensure(
                    -d2[low] * variance <= 1.0 + 1e-9,
                    f"{what} must be at least {-1.0 / variance}; it is {d2[low]} at mean = {means[low]}",
                )

    def check_lapse(self) -> None:
        """A lapse mixes every answer with a random one: p' = (1 - lapse) p + lapse / (number of possible answers)."""
        g, means = _NEAR, np.array([-30.0, -4.0, -1.0, 0.0, 0.7, 25.0])
        for name, given, grid in self._outcomes():
            tied, attentive = grid[: len(g)], given.with_lapse(0.0)
            count = 3 if attentive.tau > 0 else 2
            for lapse in _LAPSES:
                likelihood = attentive.with_lapse(lapse)
                p, mixed = np.exp(attentive.log_prob(g, tied).value), likelihood.log_prob(g, tied).value
                what = f"the log probability of {name} with lapse {lapse}"
                ensure_close(what, mixed, np.log((1.0 - lapse) * p + lapse / count), 1e-12, 1e-12, {"g": g})
                step = _STEP * np.maximum(1.0, np.abs(g))
                slopes = differentiate(lambda t, x=likelihood, h=step, y=tied: np.array(x.log_prob(g + t * h, y)), step)  # type: ignore[misc]
                here = likelihood.log_prob(g, tied)
                for order in (1, 2, 3):
                    rounding = (1.0 + np.abs(attentive.log_prob(g, tied).d1) ** order) / min(1.0, attentive.tau or 1.0)
                    ensure_close(f"d{order} of {what}", here[order], slopes[order - 1], 1e-5, 1e-9 * rounding, {"g": g})
                for variance in (1e-8, 1.0, 30.0):
                    spread, ties = np.full(len(means), variance), tied[: len(means)]
                    alone = np.array(attentive.log_marginal(means, spread, ties)[:3])
                    truth, got = _mix_naively(alone, lapse, count), likelihood.log_marginal(means, spread, ties)
                    which, at = f"{what} and variance {variance}", {"mean": means}
                    for part in range(3):
                        ensure_close(f"term {part} of {which}", got[part], truth[part], 1e-9, 1e-9, at)
                    ensure((got.variance_ratio > 0.0).all(), f"variance_ratio must be above 0 for {which}")
                    ratio = 1.0 + variance * truth[2]
                    ensure_close(f"variance_ratio of {which}", got.variance_ratio, ratio, 1e-8, 1e-8, at)
        ensure_same_bits(
            "log_win with lapses", self.likelihood.with_lapse(0.3).log_win(g).value, self.likelihood.log_win(g).value
        )
        for wrong in (-0.1, 1.0):
            ensure_raises(InputError, f"a lapse of {wrong}", lambda x=wrong: self.likelihood.with_lapse(x))  # type: ignore[misc]

    def check_coefficients(self) -> None:
        """Coefficients are finite and positive, and their gradients agree with finite differences."""
        first, second = (np.ravel(n) for n in np.meshgrid([1e-3, 0.2, 1.0, 30.0], [1e-2, 0.7, 1.0, 5.0]))
        values = np.array(self.likelihood.coefficients(first, second))
        ensure_shape("the coefficients", values, (2, len(first)))
        ensure((values > 0).all(), "coefficients must be above 0")
        gradients = self.likelihood.scale_rows(first, second)
        step_first, step_second = 1e-3 * first, 1e-3 * second
        in_first = differentiate(
            lambda t: np.array(self.likelihood.coefficients(first + t * step_first, second)), step_first
        )
        in_second = differentiate(
            lambda t: np.array(self.likelihood.coefficients(first, second + t * step_second)), step_second
        )
        rounding = 1e-12 * values / np.minimum(step_first, step_second)
        ensure_close("first_by_first", gradients.first_by_first, in_first[0], 1e-8, rounding[0])
        ensure_close("second_by_first", gradients.second_by_first, in_first[1], 1e-8, rounding[1])
        ensure_close("first_by_second", gradients.first_by_second, in_second[0], 1e-8, rounding[0])
        ensure_close("second_by_second", gradients.second_by_second, in_second[1], 1e-8, rounding[1])

    def check_rows(self) -> None:
        """The rows of D hold the coefficients of the designs' noises, even for a design against itself."""
        duels = Duels([[0.1], [0.5], [0.9]], winners=[0, 2, 1], losers=[1, 0, 1], ties=[[2, 1]])
        noise = np.array([0.5, 1.0, 2.0])
        rows = self.likelihood.rows(duels, noise)
        a, b = self.likelihood.coefficients(noise[duels.first], noise[duels.second])
        dense = np.zeros((4, 3))
        for k in range(4):
            dense[k, duels.first[k]] += a[k]
            dense[k, duels.second[k]] -= b[k]
        ensure_close("the matrix D", rows.D.toarray(), dense, rtol=1e-15)
        ensure(rows.tied.tolist() == [False, False, False, True], "ties must come after the wins")

    def check_for_duels(self) -> None:
        """An open threshold becomes the default with ties and 0 without; 0 with ties raises `IncompatibleError`."""
        wins, ties = Duels([[0.0], [1.0]], [0], [1]), Duels([[0.0], [1.0]], [], [], [[0, 1]])
        fixed = self.likelihood.with_threshold(0.7)
        none = self.likelihood.with_threshold(0.0)
        default = self.likelihood.default_threshold
        ensure(default > 0, "default_threshold must be above 0")
        ensure(fixed.for_duels(wins).tau == 0.7 == fixed.for_duels(ties).tau, "a given threshold must be kept")
        ensure(none.for_duels(wins).tau == 0.0, "a threshold of 0 must be kept without ties")
        ensure_raises(IncompatibleError, "for_duels with ties and threshold 0", lambda: none.for_duels(ties))
        if self.likelihood.tie_threshold is None:
            ensure(self.likelihood.for_duels(wins).tau == 0.0, "an open threshold without ties must become 0")
            ensure(self.likelihood.for_duels(ties).tau == default, "an open threshold with ties must be the default")

    def check_finite_at_extreme_margins(self) -> None:
        """All terms are finite at margins of plus and minus a million."""
        g = np.array([-1e6, -1e4, 1e4, 1e6])
        for name, likelihood, tied in self._outcomes():
            what = f"the log probability of {name}"
            _ensure_terms_finite(what, likelihood.log_prob(g, tied[:4]), {"g": g})
            if likelihood.tau > 0:
                by_tau = likelihood.log_prob_by_threshold(g, tied[:4])
                _ensure_terms_finite(f"the derivative in tau of {what}", by_tau, {"g": g})
            for variance in (0.0, 1.0, 1e8):
                terms = likelihood.log_marginal(g, np.full(4, variance), tied[:4])
                what = f"the log expected probability of {name} and variance {variance}"
                _ensure_terms_finite(what, terms, {"mean": g})

    def check_shapes(self) -> None:
        """Terms are (m,), even without duels."""
        for m in (0, 1, 3):
            g = np.linspace(-1.0, 1.0, m)
            for name, likelihood, _ in self._outcomes(self.likelihood.default_threshold):
                tied = np.full(m, "tie" in name)
                for terms in (
                    likelihood.log_prob(g, tied),
                    likelihood.log_marginal(g, np.ones(m), tied),
                    likelihood.log_prob_by_threshold(g, tied) if likelihood.tau > 0 else likelihood.log_prob(g, tied),
                ):
                    for part, array in terms._asdict().items():
                        ensure_shape(f"{part} of {name}", array, (m,))

    def check_outcomes_may_be_mixed(self) -> None:
        """Mixed wins and ties have the same terms as separate ones."""
        g = np.linspace(-3.0, 3.0, 8)
        tied = np.arange(8) % 2 == 0
        likelihood = self.likelihood.with_threshold(self.thresholds[0])
        for name in ("log_prob", "log_prob_by_threshold"):
            method = getattr(likelihood, name)
            mixed, ties, wins = method(g, tied), method(g, _ties(g)), method(g, _wins(g))
            for part in range(4):
                alone = np.where(tied, ties[part], wins[part])
                ensure_close(f"{name} of mixed outcomes", mixed[part], alone, 1e-14, 1e-14, {"g": g})

    def check_immutable(self) -> None:
        """No field can be set; `with_threshold` returns a new object, and raises `InputError` if it is negative."""
        ensure_immutable(self.likelihood)
        before = self.likelihood.tie_threshold
        ensure(self.likelihood.with_threshold(1.25).tau == 1.25, "with_threshold must set the threshold")
        ensure(self.likelihood.tie_threshold == before, "with_threshold must not change the likelihood")
        ensure_raises(InputError, "a negative threshold", lambda: self.likelihood.with_threshold(-1.0))

    def check_pickles(self) -> None:
        """A pickled likelihood equals the original."""
        copy = pickle_and_load(self.likelihood)
        ensure(copy == self.likelihood, "a pickled likelihood must equal the original")
        ensure_same_bits("a pickled likelihood", copy.log_win(_GRID).value, self.likelihood.log_win(_GRID).value)

    # -- internals ----------------------------------------------------------------------------------------------------

    def _all(self, *thresholds: float) -> Iterator[Likelihood]:
        yield self.likelihood.with_threshold(0.0)
        for tau in thresholds or self.thresholds:
            yield self.likelihood.with_threshold(tau)

    def _outcomes(self, *thresholds: float) -> Iterator[tuple[str, Likelihood, BoolArray]]:
        """Yield a win at every threshold, and a tie at every threshold above 0, with masks for the grid."""
        for likelihood in self._all(*thresholds):
            yield f"a win at tau = {likelihood.tau}", likelihood, _wins(_GRID)
            if likelihood.tau > 0:
                yield f"a tie at tau = {likelihood.tau}", likelihood, _ties(_GRID)


def _wins(g: Array) -> BoolArray:
    return np.zeros(len(g), dtype=np.bool_)


def _ties(g: Array) -> BoolArray:
    return np.ones(len(g), dtype=np.bool_)


def _bound_rounding(terms: Terms, order: int, tau: float) -> Array:
    """Return a bound on rounding errors of a term, from cancelling powers of d1 and the ends of a tie, 2 tau apart."""
    powers = np.abs(terms.value) if order == 0 else np.abs(terms.d1) ** order
    return np.asarray(1e-14 * (1.0 + powers) / (min(1.0, tau) if tau > 0 else 1.0) + 1e-12)


def _ensure_terms_finite(what: str, terms: Terms | LogMarginal, at: Mapping[str, Array]) -> None:
    for part, array in terms._asdict().items():
        ensure_finite(f"{part} of {what}", array, at)


def _mix_naively(attentive: Array, lapse: float, count: int) -> Array:
    """Return log Z' and two derivatives, (3, n), from those of log Z, with Z' = (1 - lapse) Z + lapse / count."""
    value, slope, curve = attentive
    Z = (1.0 - lapse) * np.exp(value)
    total = Z + lapse / count
    first, second = Z * slope / total, Z * (curve + slope**2) / total
    return np.array([np.log(total), first, second - first**2])


def _quadrature(likelihood: Likelihood, mean: Array, variance: float, tie: bool) -> Array:
    """Return log Z and its first two derivatives in the means, (3, n), by adaptive quadrature of `log_prob`.

    The random answers of lapses are added to the quadrature of the attentive ones, which are log-concave.

    With g = mean + s t, the integrand is exp(h(t)), h = log p(g) - t^2 / 2, and -h'' >= 1: twelve units on each side of
    its mode are enough. The first panels have the widths of the mode, of one standard deviation, and of the link.
    """
    if likelihood.lapse > 0.0:
        attentive = _quadrature(likelihood.with_lapse(0.0), mean, variance, tie)
        return _mix_naively(attentive, likelihood.lapse, 3 if likelihood.tau > 0 else 2)
    s, tied = float(np.sqrt(variance)), np.full(len(mean), tie)

    def terms(t: float | Array) -> Array:
        value, d1, d2, _ = likelihood.log_prob(mean + s * t, tied)
        return np.array([value - 0.5 * np.square(t), d1, d2])

    if s == 0.0:
        return terms(0.0)
    top = _tops(terms, s, np.abs(mean) / s + 12.0)
    height, _, curvature = terms(top)
    width = 1.0 / np.sqrt(1.0 - variance * curvature)
    ends, link = np.outer([-6.0, -1.5, 1.5, 6.0], width), np.array([-8.0, 0.0, 8.0]) / s
    every = np.concatenate([(top + ends).ravel(), np.subtract.outer(link, mean / s).ravel(), top - 12.0, top + 12.0])
    points = np.unique(every[(every >= top.min() - 12.0) & (every <= top.max() + 12.0)])

    def integrand(t: float) -> Array:
        value, d1, d2 = terms(t)
        return np.asarray(np.exp(value - height) * np.array([np.ones_like(d1), d1, d2 + d1 * d1]))

    accuracy = 1e-12 * float(width.min())
    (total, slope, curve), *_ = integrate.quad_vec(
        integrand, points[0], points[-1], points=points.tolist(), epsabs=accuracy, epsrel=1e-12, norm="max"
    )
    slope = slope / total
    return np.array([height + np.log(total) - 0.5 * np.log(2.0 * np.pi), slope, curve / total - slope**2])


def _tops(terms: Callable[[Array], Array], s: float, reach: Array) -> Array:
    """Return the mode of each concave h, by bisection of its slope s d1 - t."""
    lower, upper = -reach, reach.copy()
    for _ in range(60):
        middle = 0.5 * (lower + upper)
        rising = s * terms(middle)[1] > middle
        lower, upper = np.where(rising, middle, lower), np.where(rising, upper, middle)
    return lower
