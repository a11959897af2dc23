"""Check questions: pairs whose answers discriminate best between the anchored noise map and a constant one.

Symbols: p_a(k), p_0(k) are the probabilities that the first design of pair k is chosen, under the model with the
anchored noise map and under that with constant noise, both fitted to the answers so far (`MapComparison`); H(p) is the
entropy of an answer.

::

    value of pair k = H((p_a + p_0) / 2) - H(p_a) / 2 - H(p_0) / 2        mutual information of answer and model

The candidates are the pairs of up to seven anchors, and the pairs of up to seven designs far from all anchors. Under
the anchored map answers about the former are quiet and answers about the latter are noisy. A pair may be asked up to
four times, each time with the sides swapped, but not among the last five questions, whose answers are remembered:
answers to one pair that agree or differ are evidence about the noise whatever the utilities are.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from scipy.special import entr

from anchorpbo.reliability import NoiseMap
from anchorpbo.space import DesignSpace
from anchorpbo.space.base import Columns
from anchorpbo.space.subset_selection import distances
from anchorpbo.study.anchor_validation import MEDIAN_STRENGTH, MIN_ANSWERS, MapComparison
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.repeats import REMEMBERED_ANSWERS, make_pair_key
from anchorpbo.typing import Array

MAX_DESIGNS = 7
"""Largest number of anchors, and of designs far from them, in the candidates."""
MIN_DESIGNS = 5
"""Smallest number of reliable designs; if there are fewer anchors, designs near them are added."""
MAX_ASKED = 4
"""Number of times a pair is asked before all pairs were asked as often. A skip counts as this many."""
POOL = 400
"""Number of random designs among which the designs far from the anchors are chosen."""
FAR_APART = 0.5
"""Distance from which two designs count as far apart: a larger one makes no difference."""


def select_check(data: StudyData, comparison: MapComparison, space: DesignSpace, seed: int) -> Array:
    """Return the next pair to ask, (2, d).

    Parameters
    ----------
    data
        The log so far.
    comparison
        The two models; its noise map must have anchors.
    space
        The design space.
    seed
        Seed of the study: the candidates depend on it and on the anchors only.
    """
    candidates = list_candidates(comparison.noise, space, np.random.default_rng([seed, 10]))
    asked = Counter(make_pair_key(pair) for pair in data.pairs)
    asked.update({make_pair_key(pair): MAX_ASKED for pair in data.skipped})  # a skipped pair is not asked again
    remembered = {make_pair_key(pair) for pair in data.pairs[-REMEMBERED_ANSWERS:]}
    counts = np.array([asked[make_pair_key(pair)] for pair in candidates])
    forgotten = np.array([make_pair_key(pair) not in remembered for pair in candidates])
    allowed = counts < MAX_ASKED if counts.min() < MAX_ASKED else counts == counts.min()
    candidates = candidates[allowed & forgotten if (allowed & forgotten).any() else allowed]
    rng = np.random.default_rng([seed, 11, data.events])
    if len(comparison.duels) < MIN_ANSWERS:
        pair = candidates[int(rng.integers(len(candidates)))]
    else:
        pair = candidates[int(np.argmax(compute_values(comparison, candidates)))]
    shown = (entry.points for entry in reversed(data.entries))
    last = next((each for each in shown if make_pair_key(each) == make_pair_key(pair)), None)
    if last is not None:
        return np.asarray(last[::-1])
    return np.asarray(pair[::-1] if rng.integers(2) else pair)


def compute_values(comparison: MapComparison, pairs: Array) -> Array:
    """Return the mutual information, (n,), of the answer to each pair, (n, 2, d), and of the model that is right."""
    p_anchored, p_constant = (
        comparison.make_model(strength).fit(comparison.duels).prob_choose(pairs[:, 0], pairs[:, 1])
        for strength in (MEDIAN_STRENGTH, 0.0)
    )
    entropies = [_entropy(p) for p in (0.5 * (p_anchored + p_constant), p_anchored, p_constant)]
    return np.asarray(entropies[0] - 0.5 * (entropies[1] + entropies[2]))


def list_candidates(noise: NoiseMap, space: DesignSpace, rng: np.random.Generator) -> Array:
    """Return the pairs of reliable designs and the pairs of unreliable ones, (n, 2, d)."""
    assert noise.anchors is not None
    pool = np.unique([space.nearest(x) for x in space.sample(POOL, rng)], axis=0)
    pool = pool[~(pool[:, None] == noise.anchors).all(axis=2).any(axis=1)]
    order = np.argsort(noise.reliability(pool), kind="stable")
    anchors = noise.anchors[:MAX_DESIGNS]
    reliable = np.concatenate([anchors, pool[order[::-1][: max(MIN_DESIGNS - len(anchors), 0)]]])
    unreliable = _select_distant(pool[order[: max(len(order) // 4, 1)]], noise.anchors, MAX_DESIGNS, space.columns)
    return np.array([pair for group in (reliable, unreliable) for pair in combinations(group, 2)])


def _select_distant(pool: Array, anchors: Array, n: int, columns: Columns) -> Array:
    """Return up to n designs of the pool, each far from the anchors and from those before it."""
    if not len(pool):
        return pool
    distance = distances(pool, anchors, columns).min(axis=1)
    chosen = [int(np.argmax(distance))]
    while len(chosen) < min(n, len(pool)):
        apart = distances(pool, pool[chosen], columns).min(axis=1)
        chosen.append(int(np.argmax(np.minimum(apart, FAR_APART) * distance)))
    return np.asarray(pool[chosen])


def _entropy(p: Array) -> Array:
    return np.asarray(entr(p) + entr(1.0 - p))
