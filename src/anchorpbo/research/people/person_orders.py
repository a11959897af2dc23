"""Anchored against constant noise for single persons, who ordered and scored ten kinds of sushi.

Each person has ordered ten kinds and scored the same kinds from 0 to 4. A model learns from some of their pairs:

    5, 15      pairs of the order, the first five disjoint
    15 + 15    15 pairs of the order and 15 pairs of unequal scores, which may contradict them

and predicts the other pairs of the order (``"orders"``) and of unequal scores (``"scores"``). Pairs of one order never
contradict each other. Orders and scores do: a score is a second answer of the same person about the same kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anchorpbo.problems import sushi_items, sushi_orders, sushi_scores
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.noise_comparison import MAP_MODELS, compare_maps
from anchorpbo.research.people.order_replay import draw_users
from anchorpbo.research.people.population_orders import ANCHORS_OF_TEN, make_designs, tabulate_results
from anchorpbo.research.people.sushi_anchor_sets import choose_anchor_kinds
from anchorpbo.typing import IntArray

PERSONS = 300
PERSON_TOLD = ("5", "15", "15 + 15")
PERSON_ANCHORS = ("eaten", "sold", "least-eaten")
"""Definitions of a person's anchors: three of the ten kinds. Scores do not define anchors: they would tell answers."""
_SEED = 21


@dataclass(frozen=True, eq=False)
class PersonSplit:
    """Pairs of one person's kinds, (n, 2) each: the preferred kind first."""

    told: IntArray
    orders: IntArray
    """Pairs of the order to predict."""
    scores: IntArray
    """Pairs of unequal scores to predict."""


def split_person(ranks: IntArray, scores: IntArray, told: str, rng: np.random.Generator) -> PersonSplit:
    """Split the pairs of a person.

    Parameters
    ----------
    ranks
        Rank of each kind in the order, (n,), 0 for the best.
    scores
        Score of each kind, (n,).
    told
        Name of `PERSON_TOLD`.
    rng
        Generator of the split; the same generator gives nested splits.
    """
    n = len(ranks)
    paired = rng.permutation(n).reshape(-1, 2)
    disjoint = {tuple(sorted(pair)) for pair in paired.tolist()}
    every = list(combinations(range(n), 2))
    rest = [every[i] for i in rng.permutation(len(every)) if every[i] not in disjoint]
    by_order = np.array([*sorted(disjoint), *rest])
    by_order = np.where((ranks[by_order[:, 0]] < ranks[by_order[:, 1]])[:, None], by_order, by_order[:, ::-1])
    by_score = np.array([every[i] for i in rng.permutation(len(every))])
    difference = scores[by_score[:, 0]] - scores[by_score[:, 1]]
    by_score = np.where((difference > 0)[:, None], by_score, by_score[:, ::-1])[difference != 0]
    first = int(told.partition(" ")[0])
    second = int(told.rpartition(" ")[2]) if "+" in told else 0
    return PersonSplit(np.vstack([by_order[:first], by_score[:second]]), by_order[first:], by_score[second:])


@dataclass(frozen=True)
class PersonTask(ExperimentTask):
    """The predictions of all noise maps for some people; one row per person, told, anchors, target and noise map."""

    kind: ClassVar[str] = "person"
    start: int
    """Position of the first person in the draw of `draw_users`."""
    stop: int
    """Position after the last person."""

    def prepare(self) -> None:
        """Load the orders and scores, or raise if they are missing."""
        sushi_orders("b")
        sushi_items()

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        return 2.0 * (self.stop - self.start)

    def run(self) -> RecordColumns:
        """Fit all maps of each person and predict."""
        orders, scores = sushi_orders("b"), sushi_scores()
        columns: dict[str, list[Any]] = {}
        for user in draw_users(self.stop)[self.start :].tolist():
            kinds = np.sort(orders[user])
            # The place of each kind in the order, for kinds sorted by number.
            ranks = np.argsort(orders[user])
            designs = make_designs("catalogue", kinds)
            for told in PERSON_TOLD:
                split = split_person(ranks, scores[user, kinds], told, np.random.default_rng([_SEED, user]))
                parts = {
                    name: pairs for name, pairs in (("orders", split.orders), ("scores", split.scores)) if len(pairs)
                }
                asked = np.vstack(list(parts.values()))
                ends = np.cumsum([len(pairs) for pairs in parts.values()])
                for anchors in PERSON_ANCHORS:
                    chosen = choose_anchor_kinds(anchors, kinds, ANCHORS_OF_TEN)
                    told_pairs = split.told[:, 0], split.told[:, 1]
                    results = compare_maps(designs, chosen, told_pairs, (asked[:, 0], asked[:, 1]), tuple(MAP_MODELS))
                    rows = tabulate_results(results, np.repeat(np.arange(len(parts)), np.diff([0, *ends])))
                    # The targets take the place of people in these rows.
                    rows["target"] = [list(parts)[target] for target in rows.pop("person")]
                    size = len(rows["target"])
                    rows |= {
                        name: [value] * size for name, value in (("person", user), ("told", told), ("anchors", anchors))
                    }
                    for name, values in rows.items():
                        columns.setdefault(name, []).extend(values)
        return columns


def make_person_tasks(people: int = PERSONS, block: int = 10) -> list[PersonTask]:
    """Return the tasks of the first people, with this many people per task."""
    return [PersonTask(start, min(start + block, people)) for start in range(0, people, block)]


def list_persons(records: pl.DataFrame) -> pl.DataFrame:
    """Return the records with the columns that name a setting, as `summarise_maps` needs them."""
    return records.with_columns(
        level=pl.lit("person"), sample=pl.lit("b"), representation=pl.lit("catalogue"), pairs=pl.lit("random")
    )
