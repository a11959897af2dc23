"""What the answers so far amount to: the design to take, how sure that is, and whether to go on.

Symbols: f the utility, m(x) its posterior mean, n(x) the noise, rho = `risk_weight`; u designs seen, that is compared
in at least one informative duel.

    recommended   argmax over what was seen (or the whole space) of m(x) - rho n(x)
    utility       f(x) - average of f over the designs seen, or f(x) - f(reference)

Utilities have no origin: answers tell differences only. The exception is the paper's form of the logistic likelihood,
where f itself shows, and the utility is f(x).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.acquisition.confidence import RAHBO
from anchorpbo.errors import NotFittedError
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import Posterior
from anchorpbo.search import maximise
from anchorpbo.space import Design, DesignSpace
from anchorpbo.typing import Array

DRAWS = 4096
"""Joint draws of the utilities, by which probabilities of being the best are counted."""
CREDIBLE = 0.9
_WIDTH = 1.6448536269514722
"""Standard deviations on either side of a 90 % interval."""


@dataclass(frozen=True)
class Recommendation:
    """The design to take, and how sure that is. Plain data, safe to share."""

    design: Design
    utility: float
    """Expected utility, relative to `reference`."""
    interval: tuple[float, float]
    """Where that utility lies with 90 % probability."""
    reference: str
    """What the utility is relative to, in words."""
    noise: float
    """How noisily the user judges this design: a variance (probit) or a level (logistic), in units of utility."""
    p_best: float
    """Probability that no design seen so far is better."""
    credible_set: tuple[Design, ...]
    """The fewest designs seen that hold the best of them with 90 % probability, the likeliest first."""
    credible_probabilities: tuple[float, ...]
    """Probability of each of them to be the best."""
    risk_weight: float
    """What a unit of noise was taken to cost, in utility."""


def recommendation(
    model: PreferenceGP,
    space: DesignSpace,
    risk_weight: float,
    seed: int,
    *,
    everywhere: bool = False,
    reference: Array | None = None,
) -> Recommendation:
    """What a model recommends.

    Parameters
    ----------
    model
        Conditioned on at least one duel.
    space
        Where its designs come from.
    risk_weight
        rho.
    seed
        Of the draws.
    everywhere
        Whether designs that were never shown may be recommended.
    reference
        Coordinates, (d,), of a design that utilities are relative to; by default the average of the designs seen.
    """
    posterior, seen = model.posterior, model.posterior.points
    x = _best(model, space, risk_weight, seed, everywhere)
    mean, std, words = _relative(model, x, reference)
    best = _best_of(posterior, seen, x, seed)
    order = np.argsort(-best.shares, kind="stable")
    count = int(np.searchsorted(np.cumsum(best.shares[order]), CREDIBLE * best.shares.sum()) + 1)
    return Recommendation(
        design=space.decode(x),
        utility=mean,
        interval=(mean - _WIDTH * std, mean + _WIDTH * std),
        reference=words,
        noise=float(model.noise(x[None])[0]),
        p_best=best.of_x,
        credible_set=tuple(space.decode(seen[i]) for i in order[:count]),
        credible_probabilities=tuple(float(best.shares[i]) for i in order[:count]),
        risk_weight=risk_weight,
    )


def _best(model: PreferenceGP, space: DesignSpace, risk_weight: float, seed: int, everywhere: bool) -> Array:
    posterior, seen = model.posterior, model.posterior.points
    # The mean less the noise's cost is RAHBO without its exploration.
    bound = RAHBO(exploration=0.0, risk_aversion=risk_weight).bind(posterior, model.noise)
    candidates = seen
    if everywhere and space.candidates is not None:
        candidates = space.candidates
    elif everywhere and space.region is not None:
        found = maximise(bound, space.region, np.random.default_rng([seed, 2]), extra=seen).x
        candidates = np.concatenate([seen, space.nearest(found)[None]])
    return np.asarray(candidates[int(np.argmax(bound(candidates)))])


def _relative(model: PreferenceGP, x: Array, reference: Array | None) -> tuple[float, float, str]:
    """Mean and standard deviation of the utility of x relative to what the words say."""
    posterior, seen = model.posterior, model.posterior.points
    likelihood = model.likelihood
    if reference is not None:
        others, weights, words = np.array([x, reference]), np.array([1.0, -1.0]), "the reference design"
    elif isinstance(likelihood, Logistic) and likelihood.form == "paper":
        others, weights, words = x[None], np.ones(1), "zero: this likelihood has an origin"
    else:
        u = len(seen)
        others, weights = np.vstack([x, seen]), np.append(1.0, np.full(u, -1.0 / u))
        words = f"the average of the {u} designs compared so far: utility has no origin of its own"
    variance = float(weights @ posterior.covariance(others) @ weights)
    return float(weights @ posterior.mean(others)), float(np.sqrt(max(variance, 0.0))), words


@dataclass(frozen=True, eq=False)
class _BestOf:
    shares: Array
    """Probability of each design seen to be the best of them, (u,)."""
    of_x: float
    """Probability that none of them is better than x."""


def _best_of(posterior: Posterior, seen: Array, x: Array, seed: int) -> _BestOf:
    draws = posterior.sample(np.vstack([seen, x]), DRAWS, np.random.default_rng([seed, 3]))
    winners = draws[:, :-1].argmax(axis=1)
    shares = np.bincount(winners, minlength=len(seen)) / DRAWS
    own = (seen == x).all(axis=1)
    if own.any():
        return _BestOf(shares, float(shares[int(np.argmax(own))]))
    return _BestOf(shares, float((draws[:, -1] >= draws[:, :-1].max(axis=1)).mean()))


def check_answers(informative: int) -> None:
    """Raise unless there is something to recommend by."""
    if not informative:
        rule = "a recommendation needs at least one answer that is not a skip"
        raise NotFittedError(rule, None, "ask a duel and tell its outcome first")
