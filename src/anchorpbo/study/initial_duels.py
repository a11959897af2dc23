"""Initial duels, before the model selects: a knockout among anchors, and pairs of designs spread over the space.

The knockout finds out whether the anchors are good designs, and which is the best of them. The first anchor meets a
design from another part of the space. If it wins, the winner meets the next anchor, and so on; if it loses, the anchors
are probably not better than other designs, and the knockout ends.
"""

from __future__ import annotations

import numpy as np

from anchorpbo.errors import NothingLeftError
from anchorpbo.space import DesignSpace, Region
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.typing import Array, BoolArray, IntArray

MAX_PAIRS = 64
"""Largest number of initial pairs; after the last one, the first follows again."""
MAX_KNOCKOUT_ANCHORS = 5
"""Largest number of anchors in the knockout."""
MIN_DISTANCE = 0.25
"""Smallest difference of the designs of a pair in one coordinate, unless a category differs."""


def generate_initial_pairs(space: DesignSpace, seed: int) -> Array:
    """Generate distinct pairs of different designs, (n, 2, d); already the first few are spread over the space."""
    rng = np.random.default_rng([seed, 0])
    duel_filter, points = DuelFilter.for_space(space), _sample_cube(space, rng)
    if points is not None:
        pairs = np.array([space.nearest(x) for x in points]).reshape(-1, 2, space.dimension)
    else:
        designs = np.array([space.nearest(x) for x in space.sample(2 * MAX_PAIRS, rng)])
        pairs = designs[_order_pairs(len(designs))]
    apart = ~duel_filter.is_near(pairs[:, 0], pairs[:, 1], MIN_DISTANCE)
    return pairs[apart if apart.any() else duel_filter.allows_pairs(pairs)]


def has_initial_pairs(space: DesignSpace, seed: int) -> bool:
    """Return whether `generate_initial_pairs` finds any; mostly without generating all of them, which is slow."""
    points = _sample_cube(space, np.random.default_rng([seed, 0]))
    if points is not None:
        pairs, near = points.reshape(-1, 2, space.dimension), DuelFilter.for_space(space).is_near
        if any(not near(space.nearest(first), space.nearest(second), MIN_DISTANCE) for first, second in pairs):
            return True
    return len(generate_initial_pairs(space, seed)) > 0


def _sample_cube(space: DesignSpace, rng: np.random.Generator) -> Array | None:
    """Sample the cube, (2 n, d), with the two designs of a pair adjacent; ``None`` if the space is not the cube."""
    if space.region is None or space.region.is_constrained or space.candidates is not None:
        return None
    # Sobol' points of 2 d coordinates, so that the two designs of a duel are spread jointly.
    return Region.of(space.region.grids * 2).sample(MAX_PAIRS, rng).reshape(-1, space.dimension)


def _order_pairs(n: int) -> IntArray:
    """Return up to `MAX_PAIRS` pairs of n numbers, (k, 2): neighbours 0-1, 2-3, ... first, then ever wider steps."""
    first, second = np.triu_indices(n, 1)
    # Among the pairs of one step, those that share no number come first.
    order = np.lexsort((first, first // (second - first) % 2, second - first))
    return np.stack([first, second], axis=1)[order[:MAX_PAIRS]]


def select_initial_pair(pairs: Array, number: int, duel_filter: DuelFilter) -> Array:
    """Return the pair of this number, (2, d), or the next pair that the filter allows."""
    order = np.roll(np.arange(len(pairs)), -number)
    for rule in (duel_filter, *duel_filter.relax()):
        allowed = rule.allows_pairs(pairs[order])
        if allowed.any():
            return np.asarray(pairs[order[int(np.argmax(allowed))]])
    raise NothingLeftError("a duel needs two designs that look different", "only pending ones", "ask for fewer")


def select_knockout_pair(pairs: Array, data: StudyData, duel_filter: DuelFilter) -> Array | None:
    """Return the next pair of the knockout among the anchors, (2, d), or ``None`` if it has ended.

    Parameters
    ----------
    pairs
        Initial pairs, (n, 2, d): the first opponent is one of their designs.
    data
        The log so far. Anchors that have been compared do not enter the knockout.
    duel_filter
        Filter of the pairs that may be asked.
    """
    if len(data):
        if data.champion is None or not _are_among(data.champion[None], data.anchors).any():
            return None
        opponents = data.champion[None]
    else:
        designs = pairs.reshape(-1, pairs.shape[2])
        elsewhere = designs[~_are_among(designs, data.anchors)]
        opponents = elsewhere if len(elsewhere) else designs
    for anchor in _list_remaining_anchors(data):
        allowed = duel_filter.allows_challengers(anchor, opponents)
        far = ~duel_filter.is_near(opponents, anchor, MIN_DISTANCE)
        for choice in (allowed & far, allowed):
            if choice.any():
                return np.array([anchor, opponents[int(np.argmax(choice))]])
    return None


def select_knockout_challenger(
    data: StudyData, champion: Array, pending: Array, duel_filter: DuelFilter
) -> Array | None:
    """Return the next anchor, (d,), to compare with a champion, (d,), or ``None`` if the knockout has ended.

    Parameters
    ----------
    data
        The log so far.
    champion
        The design to compare with.
    pending
        Designs, (n, d), that await a comparison with it.
    duel_filter
        Filter of the pairs that may be asked.
    """
    anchors = _list_remaining_anchors(data)
    has_begun = len(anchors) < min(len(data.anchors), MAX_KNOCKOUT_ANCHORS)
    if has_begun and not _are_among(champion[None], data.anchors).any():
        return None
    anchors = anchors[~_are_among(anchors, np.array([champion, *pending]))]
    allowed = duel_filter.allows_challengers(champion, anchors)
    return np.asarray(anchors[int(np.argmax(allowed))]) if allowed.any() else None


def _list_remaining_anchors(data: StudyData) -> Array:
    """Return the anchors of the knockout, (k, d), that have not been compared; none after as many duels as anchors."""
    anchors = data.anchors[:MAX_KNOCKOUT_ANCHORS]
    if len(data) >= len(anchors):
        return anchors[:0]
    return anchors[~_are_among(anchors, data.pairs.reshape(-1, anchors.shape[1]))]


def _are_among(X: Array, designs: Array) -> BoolArray:
    """Return whether each design of X, (n, d), is one of the designs, (k, d)."""
    return np.asarray((X[:, None] == designs[None]).all(axis=2).any(axis=1))


def select_initial_challenger(pairs: Array, champion: Array, shown: Array, duel_filter: DuelFilter) -> Array:
    """Return the first design of the pairs, (d,), that is far from a champion, (d,), and not yet shown, (n, d).

    If none is far, return one that looks different; if all have been shown, return one of those.
    """
    designs = pairs.reshape(-1, pairs.shape[2])
    new = ~duel_filter.is_same(designs[:, None], shown[None]).any(axis=1)
    far = ~duel_filter.is_near(designs, champion, MIN_DISTANCE)
    for rule in (duel_filter, *duel_filter.relax()):
        allowed = rule.allows_challengers(champion, designs)
        for choice in (allowed & new & far, allowed & new, allowed):
            if choice.any():
                return np.asarray(designs[int(np.argmax(choice))])
    raise NothingLeftError("a duel needs two designs that look different", "only pending ones", "ask for fewer")
