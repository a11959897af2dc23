"""Simulated users of the benchmark, and the anchors they mark.

A judge perceives the utility of a design with a normal error of standard deviation s(x) and chooses the design that
seems better: P(x1 beats x2) = Phi((f(x1) - f(x2)) / sqrt(s(x1)^2 + s(x2)^2)). R is the range of the utility.

::

    sure          s = 0
    constant-low  s = 0.05 R
    constant-high s = 0.15 R
    believed      s^2 = (0.3 R)^2 exp(-3 q(x)): the bounded noise map of the default preset, from the judge's anchors
    linear        s = 0.3 R times the distance to the nearest anchor, as a share of the largest such distance
    slips         s = 0, but one answer in ten is reversed, whatever the pair

The anchors are five designs that the judge knows well, drawn from 200 random designs: from the best fifth (``good``),
from all of them (``random``) or from the worst fifth (``misleading``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from anchorpbo.errors import UnknownNameError
from anchorpbo.research.answers.problems import JudgedProblem
from anchorpbo.study import BoundedNoise
from anchorpbo.study.plan import make_default_plan
from anchorpbo.typing import Array, BoolArray

LOW_NOISE, HIGH_NOISE, LARGEST_NOISE = 0.05, 0.15, 0.3
"""Standard deviations of a judgement, as shares of the range of the utility."""
MAP_STRENGTH = 3.0
"""Strength of the noise map that the judge ``believed`` follows."""
SLIPS = 0.1
"""Share of reversed answers."""
ANCHORS, ANCHOR_POOL = 5, 200
PLACEMENTS = ("good", "random", "misleading")
"""Where the judge's anchors lie."""
_DISTANCE_DESIGNS = 1024
"""Number of random designs that give the largest distance to an anchor."""

Deviation = Callable[[Array], Array]
"""Function from designs, (n, d), to the standard deviations of their judgements, (n,)."""


def place_anchors(problem: JudgedProblem, placement: str, seed: int) -> Array:
    """Return the anchors of a judge, (5, d)."""
    if placement not in PLACEMENTS:
        raise UnknownNameError.of("a placement", placement, PLACEMENTS)
    rng = np.random.default_rng([seed, 105])
    pool = problem.space.sample(ANCHOR_POOL, rng)
    pool = pool[np.sort(np.unique(pool, axis=0, return_index=True)[1])]
    order = np.argsort(-problem.utility(pool), kind="stable")
    fifth = max(len(pool) // 5, ANCHORS)
    among = {"good": order[:fifth], "random": order, "misleading": order[-fifth:]}[placement]
    return np.asarray(pool[rng.choice(among, ANCHORS, replace=False)])


@dataclass(frozen=True, eq=False)
class NoisyJudge:
    """A simulated user."""

    problem: JudgedProblem
    deviation: Deviation
    slips: float = 0.0
    """Probability that an answer is reversed."""

    def prob_first(self, pair: Array) -> float:
        """Return the probability that the first design of a pair, (2, d), is chosen."""
        first, second = self.problem.utility(pair).tolist()
        spread = float(np.sqrt((self.deviation(pair) ** 2).sum()))
        margin = first - second
        # Without noise the better design is chosen, and equal designs are a coin flip.
        chosen = float(special.ndtr(margin / spread)) if spread > 0.0 else 0.5 * (1.0 + float(np.sign(margin)))
        return (1.0 - self.slips) * chosen + self.slips * (1.0 - chosen)

    def prefers_first(self, pair: Array, level: float) -> bool:
        """Return whether the first design of a pair, (2, d), is chosen; `level` is a uniform random number."""
        return level < self.prob_first(pair)


def make_judge(name: str, problem: JudgedProblem, anchors: Array) -> NoisyJudge:
    """Return the judge of a name who knows these anchors, (n, d), well."""
    if name not in _DEVIATIONS:
        raise UnknownNameError.of("a judge", name, _DEVIATIONS)
    return NoisyJudge(problem, _DEVIATIONS[name](problem, anchors), SLIPS if name == "slips" else 0.0)


def draw_judge(name: str, problem: JudgedProblem, placement: str, seed: int) -> tuple[NoisyJudge, Array]:
    """Return a judge of a problem, and the anchors, (5, d), that this judge knows well."""
    anchors = place_anchors(problem, placement, seed)
    return make_judge(name, problem, anchors), anchors


def _constant(share: float) -> Callable[[JudgedProblem, Array], Deviation]:
    return lambda problem, _: lambda X: np.full(len(X), share * problem.range)


def _believed(problem: JudgedProblem, anchors: Array) -> Deviation:
    rule = BoundedNoise(scale=(LARGEST_NOISE * problem.range) ** 2, strength=MAP_STRENGTH)
    noise = rule(anchors, make_default_plan(problem.space, "eubo").metric)
    return lambda X: np.sqrt(noise(X))


def _linear(problem: JudgedProblem, anchors: Array) -> Deviation:
    categorical = np.isin(np.arange(problem.space.dimension), problem.space.columns.categorical)
    designs = problem.space.sample(_DISTANCE_DESIGNS, np.random.default_rng(0))
    largest = float(_nearest_distance(designs, anchors, categorical).max())
    return lambda X: LARGEST_NOISE * problem.range * _nearest_distance(X, anchors, categorical) / largest


def _nearest_distance(X: Array, anchors: Array, categorical: BoolArray) -> Array:
    """Return the distance to the nearest anchor, (n,); different categories are a distance of 1 apart."""
    gaps = np.abs(X[:, None] - anchors)
    gaps[:, :, categorical] = gaps[:, :, categorical] > 0.0
    return np.asarray(np.sqrt((gaps**2).sum(axis=2)).min(axis=1))


_DEVIATIONS: dict[str, Callable[[JudgedProblem, Array], Deviation]] = {
    "sure": _constant(0.0),
    "constant-low": _constant(LOW_NOISE),
    "constant-high": _constant(HIGH_NOISE),
    "believed": _believed,
    "linear": _linear,
    "slips": _constant(0.0),
}
JUDGES = tuple(_DEVIATIONS)
"""Names of the judges."""
