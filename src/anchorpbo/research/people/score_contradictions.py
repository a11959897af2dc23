"""How often people's scores contradict their orders, among kinds of sushi they know well and elsewhere; no model.

Each person ordered ten kinds and scored the same kinds from 0 to 4. A pair of kinds with unequal scores is contradicted
if the kind with the lower score comes first in the order. Pairs are grouped by the number of anchors among their two
kinds. Familiar kinds have other scores than unfamiliar ones, and a difference of 4 is contradicted less often than one
of 1. So groups are compared within each of the ten pairs of scores s, with the weights of Mantel and Haenszel:

    difference = sum_s W_s (c_2s / n_2s - c_0s / n_0s) / sum_s W_s          W_s = n_2s n_0s / (n_2s + n_0s)
    ratio      = sum_s c_2s n_0s / (n_2s + n_0s) / sum_s c_0s n_2s / (n_2s + n_0s)

with n_gs pairs, c_gs of them contradicted, in group g: both kinds (2) or none (0).

Well-known kinds are also liked. To tell the two apart, the contradiction of a pair (1 or 0) is regressed on measures of
its kinds, averaged over the two and in standard deviations, with an intercept per pair of scores. The slope is the
change of the probability per standard deviation.

Intervals are bootstrap intervals over people and kinds: a pair counts as often as its person and each of its kinds have
been drawn, so that neither a few people nor a few kinds decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anchorpbo.problems import sushi_items, sushi_orders, sushi_scores
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.population_orders import ANCHORS_OF_HUNDRED
from anchorpbo.research.people.sushi_anchor_sets import choose_anchor_kinds, measure_kinds
from anchorpbo.typing import Array, BoolArray, IntArray

PERSONS = 5000
RESAMPLES = 500
CONTRADICTION_ANCHORS = ("representatives", "eaten", "sold", "liked")
REGRESSORS = (("eaten",), ("sold",), ("liked",), ("eaten", "liked"), ("sold", "liked"))
"""Measures of a pair that are regressors together."""
SLOPES = "slopes"
"""Mark of the rows with slopes, in place of a definition of anchors."""
GROUPS = ("none", "one", "both")
"""Groups of pairs by the number of anchors among their two kinds."""
MEASURES = (*GROUPS, "difference", "ratio")
_LEVELS = 5


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs of kinds that a person ordered and scored unequally."""

    people: IntArray
    """Person of each pair, (n,)."""
    first: IntArray
    """Kind that comes first in the order, (n,)."""
    second: IntArray
    """Kind that comes later, (n,)."""
    strata: IntArray
    """Number of the pair of scores, whichever comes first, (n,)."""
    contradicted: BoolArray
    """Whether the kind that comes later has the higher score, (n,)."""

    @classmethod
    def of(cls, orders: IntArray, scores: IntArray) -> ScoredPairs:
        """List the pairs of unequal scores.

        Parameters
        ----------
        orders
            Kinds of each person, (people, n), the best first.
        scores
            Scores of all kinds, (people, kinds), from 0 to 4; -1 for kinds that a person did not score.
        """
        i, j = np.array(list(combinations(range(orders.shape[1]), 2))).T
        own = np.take_along_axis(scores, orders, axis=1)
        better, worse = own[:, i], own[:, j]
        used = (better != worse) & (better >= 0) & (worse >= 0)
        strata = _LEVELS * np.minimum(better, worse) + np.maximum(better, worse)
        people = np.broadcast_to(np.arange(len(orders))[:, None], used.shape)
        return cls(people[used], orders[:, i][used], orders[:, j][used], strata[used], (better < worse)[used])

    def draw_weights(self, kinds: int, rng: np.random.Generator) -> Array:
        """Draw how often each pair counts, (n,), if people and kinds are drawn with replacement."""
        people = int(self.people.max()) + 1
        of_people, of_kinds = (np.bincount(rng.integers(n, size=n), minlength=n) for n in (people, kinds))
        return np.asarray(of_people[self.people] * of_kinds[self.first] * of_kinds[self.second], dtype=np.float64)


def compare_groups(pairs: ScoredPairs, is_anchor: BoolArray, weights: Array) -> dict[str, float]:
    """Return the contradicted share of each group, and the difference and the ratio of both against none.

    Parameters
    ----------
    pairs
        All pairs.
    is_anchor
        Whether a kind is an anchor, (kinds,).
    weights
        How often each pair counts, (n,).
    """
    width = _LEVELS * _LEVELS
    codes = width * (is_anchor[pairs.first].astype(np.intp) + is_anchor[pairs.second]) + pairs.strata
    shape = len(GROUPS), width
    n = np.bincount(codes, weights, minlength=shape[0] * width).reshape(shape)
    c = np.bincount(codes, weights * pairs.contradicted, minlength=shape[0] * width).reshape(shape)
    inverse = np.divide(1.0, n[0] + n[2], out=np.zeros(width), where=n[0] + n[2] > 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = c.sum(axis=1) / n.sum(axis=1)
        difference = ((c[2] * n[0] - c[0] * n[2]) @ inverse) / ((n[0] * n[2]) @ inverse)
        ratio = ((c[2] * n[0]) @ inverse) / ((c[0] * n[2]) @ inverse)
    return dict(zip(MEASURES, [*shares.tolist(), float(difference), float(ratio)], strict=True))


def estimate_slopes(
    pairs: ScoredPairs, measures: Mapping[str, Array], names: Sequence[str], weights: Array
) -> dict[str, float]:
    """Return the slopes of the probability of a contradiction in measures of the pair, by name.

    Parameters
    ----------
    pairs
        All pairs.
    measures
        Measures of the kinds, (kinds,) each.
    names
        Names of the measures that are regressors together.
    weights
        How often each pair counts, (n,).
    """
    sizes = np.bincount(pairs.strata, weights)
    inverse = np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0.0)

    def centre(values: Array) -> Array:
        return np.asarray(values - (np.bincount(pairs.strata, weights * values) * inverse)[pairs.strata])

    columns = [0.5 * (measures[name][pairs.first] + measures[name][pairs.second]) for name in names]
    # The unit is the standard deviation over all pairs, and the same in every resample.
    Z = np.column_stack([centre(column / column.std()) for column in columns])
    weighted = Z * weights[:, None]
    # A resample of few people may have equal measures: then the shortest solution counts.
    slopes = np.linalg.pinv(Z.T @ weighted, hermitian=True) @ (weighted.T @ pairs.contradicted)
    return dict(zip(names, slopes.tolist(), strict=True))


def summarise_contradictions(
    pairs: ScoredPairs, sets: Mapping[str, IntArray], measures: Mapping[str, Array], resamples: int = RESAMPLES
) -> pl.DataFrame:
    """Return one row per definition of anchors and measure, then one per regression and slope, with 95 % intervals."""
    kinds = len(next(iter(measures.values())))
    once, rng = np.ones(len(pairs.people)), np.random.default_rng(0)
    draws = [pairs.draw_weights(kinds, rng) for _ in range(resamples)]
    people, rows = len(np.unique(pairs.people)), []

    def add(name: str, found: Mapping[str, float], resampled: Sequence[Mapping[str, float]], label: str = "{}") -> None:
        for measure, value in found.items():
            values = np.array([each[measure] for each in resampled])
            finite = values[np.isfinite(values)]
            low, high = np.quantile(finite, [0.025, 0.975]).tolist() if len(finite) else (np.nan, np.nan)
            rows.append((name, label.format(measure), people, len(once), value, low, high))

    for name, anchors in sets.items():
        chosen = np.isin(np.arange(kinds), anchors)
        found, *resampled = [compare_groups(pairs, chosen, weights) for weights in [once, *draws]]
        add(name, found, resampled)
    for names in REGRESSORS:
        slopes, *resampled = [estimate_slopes(pairs, measures, names, weights) for weights in [once, *draws]]
        add(SLOPES, slopes, resampled, f"{{}} given {', '.join(names)}")
    return pl.DataFrame(rows, schema=["anchors", "measure", "people", "pairs", "mean", "low", "high"], orient="row")


@dataclass(frozen=True)
class ContradictionTask(ExperimentTask):
    """The contradictions of some people; one row per definition of anchors and measure, and per slope."""

    kind: ClassVar[str] = "contradiction"
    persons: int
    """Number of people, in the order of the file."""

    def prepare(self) -> None:
        """Load the orders and kinds, or raise if they are missing."""
        sushi_orders("b")
        sushi_items()

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        return 0.02 * self.persons

    def run(self) -> RecordColumns:
        """Count the contradictions."""
        kinds = np.arange(len(sushi_items().points))
        sets = {name: choose_anchor_kinds(name, kinds, ANCHORS_OF_HUNDRED) for name in CONTRADICTION_ANCHORS}
        pairs = ScoredPairs.of(sushi_orders("b")[: self.persons], sushi_scores()[: self.persons])
        found: dict[str, Any] = summarise_contradictions(pairs, sets, measure_kinds()).to_dict(as_series=False)
        return found
