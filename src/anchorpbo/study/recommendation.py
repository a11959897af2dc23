"""Recommendations and estimates of utilities.

Symbols: f the utility, m(x) its posterior mean, n(x) the noise, rho = `risk_weight`; u designs seen, that is, compared
in at least one informative duel.

    recommended   argmax over the whole space (or the designs seen) of m(x) - rho n(x)
    utility       f(x) - average of f over the designs compared, or f(x) - f(reference)

Utilities have no natural zero, because answers reveal only differences. The exception is the paper's form of the
logistic likelihood, which depends on f itself; then the utility is f(x).

Designs that differ by at most one step in every parameter count as one design (`anchorpbo.study.design_groups`): their
probabilities of being the best are added, the recommended design represents its group, and any other group is
represented by its likeliest member. Without steps every design is a group of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anchorpbo.acquisition.confidence import RAHBO
from anchorpbo.errors import InputError, NotFittedError
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import PreferenceGP
from anchorpbo.numerics.normal import mixture_quantile
from anchorpbo.posterior import LinearFunctional, Posterior
from anchorpbo.search import maximise
from anchorpbo.search.evaluation import evaluate
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.design_groups import find_near, group_designs
from anchorpbo.study.optimality import (
    DEFAULT_MARGIN,
    StoppingCalibration,
    compute_p_within,
    compute_p_within_compared,
    drop_designs,
)
from anchorpbo.typing import Array, IntArray

POSTERIOR_DRAWS = 4096
"""Number of joint posterior draws of the utilities that estimate the probabilities of being the best."""
MAX_SAMPLED_DESIGNS = 1000
"""Largest number of designs in these draws: the cost grows with its cube."""
CREDIBLE_PROBABILITY = 0.9
"""Probability that the credible set contains the best design."""
ReferenceKind = Literal["average", "design", "origin"]
_INTERVAL_WIDTH = 1.6448536269514722
"""Half the width of a 90 % interval of a normal distribution, in standard deviations."""
_INTERVAL_ENDS = (0.05, 0.95)
"""Probabilities below the two ends of an interval."""


@dataclass(frozen=True)
class Estimate:
    """Estimated utility and noise of a design. Plain data, safe to share.

    Parameters
    ----------
    design
        The design.
    utility
        Expected utility, relative to `reference`.
    interval
        90 % credible interval of the utility, from quantiles of the posterior: a normal distribution, or a mixture of
        them if the hyper-parameters are integrated over.
    reference
        What the utility is relative to, in words.
    noise
        How noisily the user judges the design: a variance (probit) or a level (logistic), in units of utility.
    relative_to
        The kind of reference: ``"average"`` of the designs compared, a ``"design"``, or the ``"origin"`` of the
        paper's logistic likelihood.
    """

    design: Design
    utility: float
    interval: tuple[float, float]
    reference: str
    noise: float
    relative_to: ReferenceKind

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import estimate_html

        return estimate_html(self)


@dataclass(frozen=True)
class Recommendation(Estimate):
    """The recommended design and its uncertainty. Plain data, safe to share.

    Parameters
    ----------
    design, utility, interval, reference, noise, relative_to
        See `Estimate`.
    p_best
        Probability that none of the designs compared is better. Designs within one step of it count as the same
        design. Similar designs further apart share this probability, so it falls as they accumulate: look at
        `p_within` first.
    credible_set
        The smallest set of designs compared that contains the best of them with 90 % probability, the likeliest first,
        with one design for each group of designs within one step of it.
    credible_probabilities
        Probability of each of these designs, with its group, to be the best.
    risk_weight
        Cost of a unit of noise that was used, in utility.
    p_within
        Probability that its utility, or that of a compared design within one step of it, is within `margin` of the
        best over the space; with the default preset it is calibrated, see `anchorpbo.study.optimality`.
    margin
        Margin of `p_within`, as a share of the gap between a median design and the best.
    p_within_compared
        Probability that none of the designs compared is better by more than this margin; at least `p_within`.
    """

    p_best: float
    credible_set: tuple[Design, ...]
    credible_probabilities: tuple[float, ...]
    risk_weight: float
    p_within: float
    margin: float
    p_within_compared: float

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.design}: utility {self.utility:.2f} ({low:.2f} to {high:.2f}) over {self.reference}"


def compute_recommendation(
    model: PreferenceGP,
    space: DesignSpace,
    risk_weight: float,
    seed: int,
    *,
    everywhere: bool = False,
    reference: Array | None = None,
    excluded: Array | None = None,
    margin: float = DEFAULT_MARGIN,
    calibration: StoppingCalibration | None = None,
) -> Recommendation:
    """Compute the recommendation of a model.

    Parameters
    ----------
    model
        Model conditioned on at least one duel.
    space
        The design space.
    risk_weight
        Cost of a unit of noise in utility, rho.
    seed
        Seed of the posterior draws.
    everywhere
        Whether designs that were never shown may be recommended.
    reference
        Coordinates, (d,), of the design that utilities are relative to; by default the average of the designs seen.
    excluded
        Coordinates, (n, d), of designs that must not be recommended.
    margin
        Margin of `Recommendation.p_within`.
    calibration
        Map from the posterior probability of being within the margin to a frequency; ``None`` for no change. It is not
        used if the space is a list all of whose designs have been compared.
    """
    posterior, seen = model.posterior, drop_designs(model.designs, excluded)
    if not len(seen):
        rule = "at least one design that was compared must remain to recommend"
        raise InputError(rule, f"all {len(model.designs)} of them excluded", "exclude fewer")
    x = find_recommended_point(model, space, risk_weight, seed, everywhere=everywhere, excluded=excluded)
    (estimate,) = estimate_utilities(model, space, x[None], reference)
    best = _compute_best_probabilities(posterior, seen, x, seed, space)
    count = int(np.searchsorted(np.cumsum(best.shares), CREDIBLE_PROBABILITY * best.shares.sum()) + 1)
    p_within = estimate_p_within(model, space, x, seed, excluded=excluded, margin=margin, calibration=calibration)
    group = np.vstack([x, _find_same(seen, x, space)])
    p_within_compared = compute_p_within_compared(
        posterior, space, seen[_find_likely_best(posterior, seen)], group, margin, seed
    )
    return Recommendation(
        **vars(estimate),
        p_best=best.of_x,
        credible_set=tuple(map(space.decode, best.designs[:count])),
        credible_probabilities=tuple(best.shares[:count].tolist()),
        risk_weight=risk_weight,
        p_within=p_within,
        margin=margin,
        p_within_compared=max(p_within_compared, p_within),  # the former is not calibrated (decision 39)
    )


def estimate_p_within(
    model: PreferenceGP,
    space: DesignSpace,
    x: Array,
    seed: int,
    *,
    excluded: Array | None = None,
    margin: float = DEFAULT_MARGIN,
    calibration: StoppingCalibration | None = None,
) -> float:
    """Estimate `Recommendation.p_within` of a design x, (d,); see `compute_recommendation` for the other arguments."""
    same = _find_same(drop_designs(model.designs, excluded), x, space)
    p_within = compute_p_within(model.posterior, space, x, margin, seed, excluded, same)
    if calibration is None or _has_compared_all(model, space, excluded):
        return p_within
    return float(calibration(p_within, len(model.duels), margin, compute_signal_to_noise(model, x)))


def _find_same(seen: Array, x: Array, space: DesignSpace) -> Array:
    """Return the other designs seen, (k, d), that count as the same design as x, (d,)."""
    return drop_designs(find_near(seen, x, space), x[None])


def _has_compared_all(model: PreferenceGP, space: DesignSpace, excluded: Array | None) -> bool:
    """Return whether the space is a list all of whose designs, but the excluded ones, have been compared."""
    if space.candidates is None:
        return False
    available = drop_designs(space.candidates, excluded)
    return len(available) <= len(model.designs) and not len(drop_designs(available, model.designs))


def compute_signal_to_noise(model: PreferenceGP, x: Array) -> float:
    """Return the prior variance of the utility at x, (d,), over the noise variance of a duel far from all anchors."""
    variance = float(model.kernel.diagonal(x[None])[0])
    return variance / model.likelihood.compute_utility_unit(model.noise.scale)


def find_recommended_point(
    model: PreferenceGP,
    space: DesignSpace,
    risk_weight: float,
    seed: int,
    *,
    everywhere: bool = False,
    excluded: Array | None = None,
) -> Array:
    """Return the coordinates, (d,), of the design of `compute_recommendation`."""
    posterior, seen = model.posterior, model.designs
    # The mean minus the cost of noise is RAHBO without exploration.
    bound = RAHBO(exploration=0.0, risk_aversion=risk_weight).bind(posterior, model.noise)
    candidates = seen
    if everywhere and space.candidates is not None:
        candidates = space.candidates
    elif everywhere and space.region is not None:
        result = maximise(bound, space.region, np.random.default_rng([seed, 2]), extra=posterior.points).x
        candidates = np.concatenate([seen, space.nearest(result)[None]])
    candidates = drop_designs(candidates, excluded)
    return np.asarray(candidates[int(np.argmax(evaluate(bound, candidates)))])


def estimate_utilities(model: PreferenceGP, space: DesignSpace, X: Array, reference: Array | None) -> list[Estimate]:
    """Estimate the utilities of designs X, (n, d), relative to one, (d,), or to the average of those compared."""
    origin = _make_origin(model, reference)
    numbers = (*_compute_intervals(origin, X), model.noise(X))
    return [
        Estimate(space.decode(x), mean, (low, high), origin.words, noise, origin.kind)
        for x, mean, low, high, noise in zip(X, *(each.tolist() for each in numbers), strict=True)
    ]


def compute_intervals(model: PreferenceGP, X: Array) -> tuple[Array, Array, Array]:
    """Return utilities and the ends of their 90 % intervals, (n,) each, relative to the average of those compared."""
    return _compute_intervals(_make_origin(model, None), X)


def _compute_intervals(origin: _Origin, X: Array) -> tuple[Array, Array, Array]:
    parts = [_relate_utilities(part, X) for part in origin.total.components]
    if len(parts) == 1:
        ((mean, std),) = parts
        return mean, mean - _INTERVAL_WIDTH * std, mean + _INTERVAL_WIDTH * std
    weights = np.array([weight for weight, _ in origin.total.posterior.components])
    means, stds = (np.array(each) for each in zip(*parts, strict=True))
    low, high = (mixture_quantile(p, weights, means, stds) for p in _INTERVAL_ENDS)
    return weights @ means, low, high


def _relate_utilities(total: LinearFunctional, X: Array) -> tuple[Array, Array]:
    """Return the mean and standard deviation, (n,) each, of f(x) minus a sum of utilities."""
    marginals = total.posterior.at(X)
    variance = marginals.variance - 2.0 * total.covariance(X) + total.variance
    return marginals.mean - total.mean, np.sqrt(np.maximum(variance, 0.0))


@dataclass(frozen=True, eq=False)
class _Origin:
    """The reference that utilities are relative to."""

    total: LinearFunctional
    words: str
    kind: ReferenceKind


def _make_origin(model: PreferenceGP, reference: Array | None) -> _Origin:
    likelihood, seen = model.likelihood, model.designs
    if reference is not None:
        return _Origin(model.posterior.functional(reference[None], np.ones(1)), "the reference design", "design")
    if isinstance(likelihood, Logistic) and likelihood.form == "paper":
        nothing = model.posterior.functional(seen[:0], np.empty(0))
        return _Origin(nothing, "zero: this likelihood has an origin", "origin")
    words = f"the average of the {len(seen)} designs compared so far: utility has no natural zero"
    return _Origin(model.average, words, "average")


@dataclass(frozen=True, eq=False)
class _BestProbabilities:
    designs: Array
    """Representatives of the groups of the designs seen, (k, d), the likeliest first."""
    shares: Array
    """Probability of each group to contain the best design seen, (k,)."""
    of_x: float
    """Probability that none of the designs seen is better than x or a design in one group with it."""


def _compute_best_probabilities(
    posterior: Posterior, seen: Array, x: Array, seed: int, space: DesignSpace
) -> _BestProbabilities:
    among = _find_likely_best(posterior, seen)
    draws = posterior.sample(np.vstack([seen[among], x]), POSTERIOR_DRAWS, np.random.default_rng([seed, 3]))
    winners = among[draws[:, :-1].argmax(axis=1)]
    shares = np.bincount(winners, minlength=len(seen)) / POSTERIOR_DRAWS
    likely = np.argsort(-shares, kind="stable")
    ordered = np.vstack([x, seen[likely]])
    groups = group_designs(ordered, space)
    with_x = np.zeros(len(seen), dtype=np.bool_)
    with_x[likely[groups[1:] == 0]] = True
    rows, first = np.unique(groups[1:], return_index=True)
    totals = np.asarray(np.bincount(groups[1:], weights=shares[likely])[rows], dtype=np.float64)
    order = np.lexsort((likely[first], -totals))  # of equally likely groups, the one seen first
    if (seen == x).all(axis=1).any():
        of_x = float(shares[with_x].sum())
    else:
        inside, outside = draws[:, np.append(with_x[among], True)], draws[:, np.append(~with_x[among], False)]
        of_x = float((inside.max(axis=1) >= outside.max(axis=1, initial=-np.inf)).mean())
    return _BestProbabilities(ordered[rows[order]], totals[order], of_x)


def _find_likely_best(posterior: Posterior, seen: Array) -> IntArray:
    """Return the row numbers of the designs likeliest to beat the best mean, or of all if there are few."""
    every = np.arange(len(seen))
    if len(seen) <= MAX_SAMPLED_DESIGNS:
        return every
    best = posterior.points[int(np.argmax(posterior.means))]
    better = posterior.prob_prefer(seen, np.broadcast_to(best, seen.shape))
    # In the original order: for equal probabilities the selection must not reorder the designs.
    return np.sort(np.argsort(-better, kind="stable")[:MAX_SAMPLED_DESIGNS])


def check_answers(informative: int) -> None:
    """Raise if there is no informative answer yet."""
    if not informative:
        rule = "the model needs at least one answer that is not a skip"
        raise NotFittedError(rule, None, "ask a duel and tell its outcome first")
