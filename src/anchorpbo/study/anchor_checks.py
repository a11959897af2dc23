"""Check questions: pairs that show whether answers near the anchors are more consistent than elsewhere.

::

    reliable pairs      the pairs of up to seven anchors; designs near them are added if there are fewer than five
    unreliable pairs    the pairs of up to seven designs far from all anchors and from each other

Under the noise map of the anchors, answers about the former are quiet and answers about the latter are noisy. Every
pair is asked once, in random order, before any is asked again with the sides swapped; none of the last five pairs is
asked again, because their answers are remembered. Few designs in many pairs are asked on purpose: answers that no
utility explains are evidence about the noise, and each further design has a utility that can explain some.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np

from anchorpbo.reliability import NoiseMap
from anchorpbo.space import DesignSpace
from anchorpbo.space.base import Columns
from anchorpbo.space.subset_selection import distances
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.repeats import REMEMBERED_ANSWERS, make_pair_key
from anchorpbo.typing import Array

MAX_DESIGNS = 7
"""Largest number of anchors, and of designs far from them, in the candidates."""
MIN_DESIGNS = 5
"""Smallest number of reliable designs; if there are fewer anchors, designs near them are added."""
NEAR_DESIGNS, NEAR_RELIABILITY = 100, 0.5
"""Number of designs drawn around the anchors to be added to them, and the smallest reliability of a design added."""
POOL = 400
"""Number of random designs among which the designs far from the anchors are chosen."""
FAR_APART = 0.5
"""Distance from which two designs count as far apart: a larger one makes no difference."""


def select_check(data: StudyData, noise: NoiseMap, space: DesignSpace, seed: int) -> Array:
    """Return the next pair to ask, (2, d).

    Parameters
    ----------
    data
        The log so far.
    noise
        The noise map, which must have anchors.
    space
        The design space.
    seed
        Seed of the study: the candidates depend on it and on the anchors only.
    """
    pairs = list_candidates(noise, space, np.random.default_rng([seed, 10]))
    asked = Counter(make_pair_key(pair) for pair in data.pairs)
    remembered = {make_pair_key(pair) for pair in data.pairs[-REMEMBERED_ANSWERS:]}
    skipped = {make_pair_key(pair) for pair in data.skipped}
    # Skipped pairs are the last resort, then remembered ones.
    ranks = [(key in skipped, key in remembered, asked[key]) for key in map(make_pair_key, pairs)]
    rng, first = np.random.default_rng([seed, 11, data.events]), min(ranks)
    pair = pairs[int(rng.choice([k for k, rank in enumerate(ranks) if rank == first]))]
    shown = (entry.points for entry in reversed(data.entries))
    last = next((each for each in shown if make_pair_key(each) == make_pair_key(pair)), None)
    if last is not None:
        return np.asarray(last[::-1])
    return np.asarray(pair[::-1] if rng.integers(2) else pair)


def list_candidates(noise: NoiseMap, space: DesignSpace, rng: np.random.Generator) -> Array:
    """Return the pairs of reliable designs and the pairs of unreliable ones, (n, 2, d)."""
    assert noise.anchors is not None
    pool = np.unique([space.nearest(x) for x in space.sample(POOL, rng)], axis=0)
    pool = pool[~(pool[:, None] == noise.anchors).all(axis=2).any(axis=1)]
    order = np.argsort(noise.reliability(pool), kind="stable")
    anchors = noise.anchors[:MAX_DESIGNS]
    near = _select_near(noise, pool, MIN_DESIGNS - len(anchors), space, rng) if len(anchors) < MIN_DESIGNS else pool[:0]
    reliable = np.concatenate([anchors, near])
    unreliable = _select_distant(pool[order[: max(len(order) // 4, 1)]], noise.anchors, MAX_DESIGNS, space.columns)
    return np.array([pair for group in (reliable, unreliable) for pair in combinations(group, 2)])


def _select_near(noise: NoiseMap, pool: Array, n: int, space: DesignSpace, rng: np.random.Generator) -> Array:
    """Return n designs of reliability 1/2 or more that are apart, or the most reliable ones if there are fewer."""
    assert noise.anchors is not None
    assert noise.bandwidth is not None
    steps = rng.standard_normal((NEAR_DESIGNS, pool.shape[1]))
    steps *= noise.bandwidth * rng.uniform(0.3, 1.1, (NEAR_DESIGNS, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
    around = noise.anchors[rng.integers(len(noise.anchors), size=NEAR_DESIGNS)] + steps
    designs = np.unique(np.concatenate([pool, [space.nearest(np.clip(x, 0.0, 1.0)) for x in around]]), axis=0)
    designs = designs[~(designs[:, None] == noise.anchors).all(axis=2).any(axis=1)]
    order = np.argsort(-noise.reliability(designs), kind="stable")
    enough = max(int(np.count_nonzero(noise.reliability(designs) >= NEAR_RELIABILITY)), n)
    return _select_distant(designs[order[:enough]], noise.anchors, n, space.columns)


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
