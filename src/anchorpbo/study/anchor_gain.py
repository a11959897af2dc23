"""Expected gain of one more anchor: how much more the next answers are expected to tell about the best design.

Symbols: f the utility; c candidates, the designs that may be the best, and the design x that would become an anchor;
u designs compared, whose answers the anchor may sharpen; mu and S the present mean and covariance of f at them.

    row      d = e_i - e_j, a comparison of designs i and j
    s        variance of its noise under a noise map: 1 / (a b) with the coefficients a and b of its margin
    V        d' S d, variance of the difference of the two utilities
    h        phi(z)^2 / (Phi(z) Phi(-z)) with z = d' mu / sqrt(s + V); 2 / pi for an even comparison

An answer moves the posterior mean. Averaged over the two answers, its variance is that of a Gaussian observation of
d' f with a precision omega, exactly if the answers are probit and f is Gaussian:

    omega = h / (s + (1 - h) V)                                                                                  (1)
    S after an answer = S - (S d) (S d)' h / (s + V)                                                             (2)

With S_0 the covariance after the planned answers under the present noise map, and S_1 that under the map with the
anchor, the values of information and the gain are

    VOI_k = E max(mu + e_k) - max mu,      e_k ~ N(0, S - S_k)
    gain  = (VOI_1 - VOI_0) / (E max f - max mu)

The denominator is the present expected loss: how much worse the design of best mean is than the best one. S_1 also
re-weights past answers: an answer near the anchor becomes more precise by the difference of (1) under the two maps,
with V the variance without that answer. The mean stays at mu: as for a future answer, the gain averages over
where a more precise answer would move it. Hyper-parameters and z are those of the present model, and ties and lapses
count as other answers.

A lower noise gives a smaller S_1 by (1) and (2), so the gain is at least 0 and grows with the strength of the anchor
(docs/decisions/0048-anchor-proposals.md). The expectations use antithetic draws, and the draws of S_1 are those of S_0
plus independent ones, so that no estimate is below 0 either. In the paper's map, which averages over the anchors, a new
anchor raises the noise near the others. The gain leaves that out: it counts only what becomes more precise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.likelihoods import Likelihood
from anchorpbo.numerics.linalg import square_root
from anchorpbo.numerics.normal import hazard
from anchorpbo.posterior import Posterior
from anchorpbo.reliability import BoundedReliability, DensityReliability, NoiseMap, Reliability, SignedReliability
from anchorpbo.study.plan import Plan
from anchorpbo.typing import Array, IntArray

PLANNED_ANSWERS = 10
"""Number of comparisons that the gain looks ahead."""
DRAWS = 2048
"""Number of antithetic pairs of draws behind an expected maximum."""
PLANNED_DESIGNS = 5
"""Number of promising designs in these comparisons."""
MAX_COMPARED_DESIGNS = 300
"""Largest number of designs compared whose answers the gain re-weights: those of best mean."""
_EVEN = 2.0 / np.pi
"""h of an even comparison."""


@dataclass(frozen=True, eq=False)
class AnchorOutlook:
    """State of a study before another anchor is marked.

    Parameters
    ----------
    posterior
        Present posterior of the utility; the prior before the first answer.
    likelihood
        Likelihood of the answers.
    duels
        The informative answers so far.
    plan
        Plan of the study, whose noise rule gives the map of the first anchor.
    noise
        Present noise map, fitted if there are answers.
    anchors, negative
        Coordinates of the anchors, (n, d), and of the negative anchors, (k, d).
    candidates
        Coordinates of designs that may be the best, (c, d).
    planned
        Row numbers of the candidates in the planned comparisons, the most promising first; one more than are used, in
        case the anchor is one of them.
    """

    posterior: Posterior
    likelihood: Likelihood
    duels: Duels
    plan: Plan
    noise: NoiseMap
    anchors: Array
    negative: Array
    candidates: Array
    planned: Sequence[int]

    def noise_with(self, x: Array) -> NoiseMap:
        """Return the noise map with one more anchor at x, (d,), and all else as in the present one."""
        score = add_to_reliability(self.noise.score, x)
        if score is not None:
            return replace(self.noise, score=score)
        found, noise = self.plan.noise_map(np.vstack([self.anchors, x]), self.negative), self.noise
        both = found.strength_matters and noise.strength_matters
        found = found.with_parameters(scale=noise.scale, strength=noise.strength if both else None)
        return found.with_correction(noise.correction)


def add_to_reliability(score: Reliability, x: Array) -> Reliability | None:
    """Return a reliability with one more anchor at x, (d,), and the same bandwidth and metric.

    ``None`` if it has no anchors yet, or is of a class of its own: then the noise rule of the plan decides.
    """
    if isinstance(score, BoundedReliability):
        factors = None if score.factors is None else np.append(score.factors, 1.0)
        return replace(score, anchors=np.vstack([score.anchors, x]), factors=factors)
    if isinstance(score, SignedReliability):
        first = BoundedReliability(x[None], score.poor.bandwidth, score.poor.metric)
        good = first if score.good is None else add_to_reliability(score.good, x)
        return SignedReliability(good, score.poor) if isinstance(good, BoundedReliability) else None
    if isinstance(score, DensityReliability):
        return replace(score, anchors=np.vstack([score.anchors, x]))
    return None


def compute_gains(outlook: AnchorOutlook, X: Array, seed: int) -> list[float]:
    """Return the gain of an anchor at each design of X, (n, d): a share of the present expected loss, from 0 to 1.

    The gain of a design does not depend on the others.
    """
    posterior, candidates = outlook.posterior, outlook.candidates
    first, second, counts, compared = _list_answers(outlook)
    points = np.vstack([candidates, compared, X])
    mean, S, c, u = posterior.mean(points), posterior.covariance(points), len(candidates), len(compared)
    unit = _find_link_variance(outlook.likelihood)
    gains = []
    for number, x in enumerate(X):
        # x is one of the candidates, or a row of its own after the designs compared.
        same = np.flatnonzero((candidates == x).all(axis=1))
        own = [] if len(same) else [c + u + number]
        rows, at = np.array([*range(c + u), *own]), int(same[0]) if len(same) else c + u
        here, covariance = mean[rows], S[np.ix_(rows, rows)]
        now, later = (
            _PairNoise(outlook.likelihood, unit, noise(points[rows]))
            for noise in (outlook.noise, outlook.noise_with(x))
        )
        pairs = plan_pairs(at, outlook.planned)
        information = np.array([_weigh(here, covariance, pair, now) for pair in pairs])
        sharper = _sharpen_answers(here, covariance, c + first, c + second, counts, (now, later))
        matrices = (
            covariance,
            update_by_answers(covariance, pairs, now, information),
            update_by_answers(sharper, pairs, later, information),
        )
        best = np.array([*range(c), *([] if len(same) else [at])])  # designs that may be the best
        present, before, after = (matrix[np.ix_(best, best)] for matrix in matrices)
        gains.append(compute_gain(here[best], present, before, after, np.random.default_rng([seed, 9])))
    return gains


def compute_gain(mean: Array, now: Array, before: Array, after: Array, rng: np.random.Generator) -> float:
    """Return (VOI_1 - VOI_0) / (E max f - max mu) from means, (c,), and covariances S, S_0 and S_1, (c, c)."""
    best = int(np.argmax(mean))
    mean = mean - mean[best]
    # Relative to the design of best mean, so that a constant added to f, which no answer tells, adds no variance.
    now, before, after = (S - S[best] - S[:, best, None] + S[best, best] for S in (now, before, after))
    loss = _expect_rise(mean[None], _draw(now, rng))
    if not loss > 0.0:
        return 0.0
    learnt, more = _draw(now - before, rng), _draw(before - after, rng)
    rise = 0.5 * (_expect_rise(mean + learnt, more) + _expect_rise(mean - learnt, more))
    return min(rise / loss, 1.0)


def _expect_rise(means: Array, moved: Array) -> float:
    """Return the average of max(m + e) - max m over the rows m of means and e of moved, (n, c) each.

    Antithetic: max(m + e) + max(m - e) is at least 2 max m for every e.
    """
    up, down = (means + moved).max(axis=1), (means - moved).max(axis=1)
    return float((0.5 * (up + down) - means.max(axis=1)).mean())


def _draw(covariance: Array, rng: np.random.Generator) -> Array:
    """Return draws of N(0, covariance), (draws, c); negative eigenvalues count as 0."""
    root = square_root(0.5 * (covariance + covariance.T))
    return np.asarray(rng.standard_normal((DRAWS, root.shape[1])) @ root.T)


# -- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _PairNoise:
    """Variance of the noise of comparisons, in squared units of utility."""

    likelihood: Likelihood
    unit: float
    noise: Array
    """Noise at the designs, (n,)."""

    def __call__(self, first: IntArray, second: IntArray) -> Array:
        """Return s of the comparisons of pairs of designs, (m,)."""
        a, b = self.likelihood.coefficients(self.noise[first], self.noise[second])
        with np.errstate(over="ignore", divide="ignore"):
            return np.asarray(self.unit / (a * b))


def _find_link_variance(likelihood: Likelihood) -> float:
    """Return the variance of the Gaussian noise with the information of an even answer: 1 for probit."""
    slope = float(likelihood.log_win(np.zeros(1)).d1[0])
    return _EVEN / slope**2


def answer_information(mean: Array, variance: Array, noise: Array) -> Array:
    """Return h of comparisons whose differences of utilities have these means and variances, (m,)."""
    z = mean / np.sqrt(noise + variance)
    return np.asarray(hazard(z) * hazard(-z))


def answer_precision(noise: Array, variance: Array, information: Array) -> Array:
    """Return omega = h / (s + (1 - h) V), (m,), see (1)."""
    return np.asarray(information / (noise + (1.0 - information) * variance))


def variance_without(noise: Array, variance: Array, information: Array) -> Array:
    """Return V without an answer, (m,), from the variance with it: the inverse of (1) and 1 / V' = 1 / V + omega.

    It is the positive root of (1 - h) V^2 + (s - V') V - V' s = 0.
    """
    kept, gap = 1.0 - information, variance - noise
    return np.asarray((gap + np.sqrt(gap**2 + 4.0 * kept * variance * noise)) / (2.0 * kept))


def update_by_answers(S: Array, pairs: Sequence[tuple[int, int]], noise: _PairNoise, information: Array) -> Array:
    """Return the covariance, (n, n), expected after answers to pairs of designs, one after the other, see (2)."""
    for (i, j), h in zip(pairs, information, strict=True):
        Sd = S[:, i] - S[:, j]
        s = float(noise(np.array([i]), np.array([j]))[0])
        S = S - np.outer(Sd, Sd) * (h / (s + Sd[i] - Sd[j]))
    return S


def plan_pairs(x: int, planned: Sequence[int]) -> list[tuple[int, int]]:
    """Return the planned comparisons as pairs of row numbers: x with promising designs, then those with each other.

    If there are too few pairs they are repeated.
    """
    others = [row for row in planned if row != x][:PLANNED_DESIGNS]
    with_x = [(x, row) for row in others]
    among = [(others[i], others[j]) for j in range(1, len(others)) for i in range(j)]
    pairs = [*with_x, *among[: max(PLANNED_ANSWERS - len(with_x), 0)]]
    return [pairs[k % len(pairs)] for k in range(PLANNED_ANSWERS)] if pairs else []


def _weigh(mean: Array, S: Array, pair: tuple[int, int], noise: _PairNoise) -> float:
    i, j = pair
    V, s = S[i, i] - 2.0 * S[i, j] + S[j, j], noise(np.array([i]), np.array([j]))
    return float(answer_information(np.array([mean[i] - mean[j]]), np.array([max(V, 0.0)]), s)[0])


def _sharpen_answers(
    mean: Array, S: Array, first: IntArray, second: IntArray, counts: Array, noises: Sequence[_PairNoise]
) -> Array:
    """Return the covariance with the answers so far as precise as under the second map instead of the first."""
    before, after = (noise(first, second) for noise in noises)
    some = np.flatnonzero(after < before * (1.0 - 1e-9))
    if not len(some):
        return S
    first, second, before, after = first[some], second[some], before[some], after[some]
    V = np.maximum(S[first, first] - 2.0 * S[first, second] + S[second, second], 0.0)
    h = answer_information(mean[first] - mean[second], V, before)
    without = variance_without(before, V, h)
    more = counts[some] * (answer_precision(after, without, h) - answer_precision(before, without, h))
    A = np.zeros_like(S)
    for sign, rows, columns in ((1, first, first), (1, second, second), (-1, first, second), (-1, second, first)):
        np.add.at(A, (rows, columns), sign * more)
    return np.asarray(np.linalg.solve(np.eye(len(S)) + S @ A, S))


def _list_answers(outlook: AnchorOutlook) -> tuple[IntArray, IntArray, Array, Array]:
    """Return both designs of each answer as row numbers, (m,) each, how often it was given, and the designs, (u, d)."""
    duels = outlook.duels
    points = duels.points
    counts = np.ones(len(duels)) if duels.counts is None else duels.counts
    if len(points) <= MAX_COMPARED_DESIGNS:
        return duels.first, duels.second, counts, points
    kept = np.sort(np.argsort(-outlook.posterior.mean(points), kind="stable")[:MAX_COMPARED_DESIGNS])
    place = np.full(len(points), -1)
    place[kept] = np.arange(len(kept))
    both = (place[duels.first] >= 0) & (place[duels.second] >= 0)
    return place[duels.first][both], place[duels.second][both], counts[both], points[kept]
