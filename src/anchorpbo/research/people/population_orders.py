"""Anchored against constant noise for a population: one utility of the kinds of sushi for all people.

The noise is then the disagreement between people. A model learns from disjoint pairs of kinds of some people, five of
each, and predicts those of others.

    random     the ten kinds of a person are paired at random: if a person's utility of a kind is the population's plus
               an independent error, the answers are independent, and their probabilities are those of the model
    adjacent   first and second, third and fourth, ... of the order: more informative, but chosen by the answers

People are divided into folds, and the people told are drawn from the other folds: five folds for many people told,
whose sets are almost the same, and 25 for few, whose sets differ. Intervals are then over people or over folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from anchorpbo.duels import Duels
from anchorpbo.errors import UnknownNameError
from anchorpbo.problems import sushi_catalogue, sushi_items, sushi_orders
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.people.calibration import score_brier, score_log_likelihood
from anchorpbo.research.people.noise_comparison import (
    CONSTANT,
    MAP_MODELS,
    DesignModel,
    MapResult,
    compare_maps,
    fit_map,
)
from anchorpbo.research.people.sushi_anchor_sets import ANCHOR_SETS, choose_anchor_kinds
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array, IntArray

SEED = 20
FEW_FOLDS, MANY_FOLDS = 5, 25
"""Numbers of folds for many and for few people told."""
MANY_TOLD = 1000
ANCHORS_OF_HUNDRED, ANCHORS_OF_TEN = 13, 3
POPULATION_TOLD = (40, 4000)
"""Numbers of people that a model learns from."""
POPULATION_ANCHORS = ("representatives", "eaten", "sold", "least-eaten")
"""Definitions of anchors that are compared; of the ten kinds of sample a, all but the representatives."""
PairRule = Literal["random", "adjacent"]
REPRESENTATIONS: Mapping[str, str] = {"points": "4 numbers", "catalogue": "7 features", "kinds": "kinds"}
"""Representations of the kinds by name, with their names in tables.

``"points"`` are the four numbers of `sushi_items`, ``"catalogue"`` those with style and groups as categories, and
``"kinds"`` the four numbers with an independent part of the utility for each kind.
"""


def draw_pairs(orders: IntArray, rule: PairRule, rng: np.random.Generator) -> IntArray:
    """Return five disjoint pairs of each order, (people, 5, 2): the preferred kind first.

    Parameters
    ----------
    orders
        Kinds of each person, (people, 10), the best first.
    rule
        How the kinds are paired.
    rng
        Generator of the pairs.
    """
    ranks = np.tile(np.arange(orders.shape[1]), (len(orders), 1))
    if rule == "random":
        ranks = rng.permuted(ranks, axis=1)
    pairs = np.sort(ranks.reshape(len(orders), -1, 2), axis=2)
    return np.take_along_axis(orders, pairs.reshape(len(orders), -1), axis=1).reshape(pairs.shape)


def make_designs(representation: str, kinds: IntArray) -> DesignModel:
    """Return kinds of sushi in a representation of `REPRESENTATIONS`."""
    if representation == "catalogue":
        catalogue = sushi_catalogue(kinds.tolist())
        plan = Optimizer(catalogue).plan
        return DesignModel(catalogue.points, plan.kernel, plan.metric, plan.learn)
    points = sushi_items().points[kinds]
    return DesignModel.of_kinds(points) if representation == "kinds" else DesignModel.of_coordinates(points)


@dataclass(frozen=True)
class PopulationTask(ExperimentTask):
    """The predictions of all noise maps for a fold; one row per noise map and person asked."""

    kind: ClassVar[str] = "population"
    sample: Literal["a", "b"]
    representation: str
    pairs: PairRule
    anchors: str
    """Name of `ANCHOR_SETS`."""
    told: int
    """Number of people to learn from."""
    fold: int
    folds: int = FEW_FOLDS
    asked: int = 1000
    """Largest number of people to predict."""

    def __post_init__(self) -> None:
        for noun, name, known in (
            ("a representation", self.representation, REPRESENTATIONS),
            ("a definition of anchors", self.anchors, ANCHOR_SETS),
        ):
            if name not in known:
                raise UnknownNameError.of(noun, name, known)

    def prepare(self) -> None:
        """Load the orders and the kinds, or raise if they are missing."""
        sushi_orders(self.sample)
        sushi_items()

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        return 1.0 + self.told / 1000

    def run(self) -> RecordColumns:
        """Fit all maps and predict."""
        orders = sushi_orders(self.sample)
        kinds = np.unique(orders)
        pairs = np.searchsorted(kinds, draw_pairs(orders, self.pairs, np.random.default_rng(SEED)))
        count = ANCHORS_OF_HUNDRED if len(kinds) > ANCHORS_OF_HUNDRED else ANCHORS_OF_TEN
        anchors = choose_anchor_kinds(self.anchors, kinds, count)
        return compare_fold(make_designs(self.representation, kinds), anchors, pairs, self)


@dataclass(frozen=True)
class SimulatedPopulationTask(ExperimentTask):
    """As `PopulationTask`, with simulated answers to the same pairs: what the study finds if the truth is known.

    The utility of a kind is the posterior mean given all answers. The errors of people have the variance of a bounded
    noise map of the most eaten kinds, scaled to a mean of 1 over all answers, as constant noise has.
    """

    kind: ClassVar[str] = "simulated"
    truth: float
    """Strength of the map of the errors; 0 for constant noise."""
    fold: int
    told: int = 4000
    folds: int = FEW_FOLDS
    asked: int = 1000

    def prepare(self) -> None:
        """Load the orders and the kinds, or raise if they are missing."""
        sushi_orders("b")
        sushi_items()

    @property
    def effort(self) -> float:
        """Seconds, roughly."""
        return 6.0

    def run(self) -> RecordColumns:
        """Simulate the answers, fit all maps and predict."""
        kinds = np.arange(len(sushi_items().points))
        designs = make_designs("kinds", kinds)
        pairs = draw_pairs(sushi_orders("b"), "random", np.random.default_rng(SEED))
        anchors = choose_anchor_kinds("eaten", kinds, ANCHORS_OF_HUNDRED)
        pairs = simulate_answers(designs, anchors, pairs, self.truth, np.random.default_rng([SEED, 1]))
        return compare_fold(designs, anchors, pairs, self)


def simulate_answers(
    designs: DesignModel, anchors: IntArray, pairs: IntArray, strength: float, rng: np.random.Generator
) -> IntArray:
    """Return the same pairs as people with errors of known variance answer them, the preferred kind first.

    Parameters
    ----------
    designs
        Kinds.
    anchors
        Anchors of the noise map of the errors.
    pairs
        Pairs that people answered, (people, n, 2), the preferred kind first.
    strength
        Strength of the map.
    rng
        Generator of the errors.
    """
    duels = Duels(designs.points, *_list_answers(pairs), bounds=None)
    utility = fit_map(designs, CONSTANT, anchors, duels).posterior.mean(designs.points)
    bounded = MAP_MODELS["bounded"].make(designs.points[anchors], designs.metric, designs.points)
    noise = bounded.with_parameters(strength=strength)
    variances = noise(designs.points)[pairs]
    errors = np.sqrt(variances / variances.mean()) * rng.standard_normal(pairs.shape)
    swapped = np.diff(utility[pairs] + errors, axis=2) > 0.0
    return np.where(swapped, pairs[..., ::-1], pairs)


def compare_fold(
    designs: DesignModel, anchors: IntArray, pairs: IntArray, task: PopulationTask | SimulatedPopulationTask
) -> RecordColumns:
    """Return the results of all noise maps for a fold, given the pairs of all people, (people, n, 2)."""
    told, asked = split_people(len(pairs), task.fold, task.folds, task.told, task.asked)
    results = compare_maps(designs, anchors, _list_answers(pairs[told]), _list_answers(pairs[asked]))
    return tabulate_results(results, np.repeat(asked, pairs.shape[1]))


def split_people(people: int, fold: int, folds: int, told: int, asked: int) -> tuple[IntArray, IntArray]:
    """Return the people to learn from and those to predict, at most so many."""
    order = np.random.default_rng(SEED).permutation(people)
    inside = np.arange(people) % folds == fold
    # Few people to learn from are others in each fold.
    return np.roll(order[~inside], -fold * told)[:told], order[inside][:asked]


def _list_answers(pairs: IntArray) -> tuple[IntArray, IntArray]:
    flat = pairs.reshape(-1, 2)
    return flat[:, 0], flat[:, 1]


def tabulate_results(results: list[MapResult], people: Array) -> dict[str, Any]:
    """Return columns with one row per noise map and person, in the order of their first answers.

    Parameters
    ----------
    results
        Results of the noise maps.
    people
        Person of each answer asked, (n,).
    """
    rows = []
    unique, firsts = np.unique(people, return_index=True)
    order = unique[np.argsort(firsts)]
    for result in results:
        for person in order:
            p = result.p[people == person]
            scores = float(score_log_likelihood(p).mean()), float(score_brier(p).mean())
            about = result.strength, result.log_bayes_factor, result.profile.tolist()
            rows.append((result.name, int(person), *scores, p.tolist(), *about))
    names = ("map", "person", "log_likelihood", "brier", "p", "strength", "log_bayes_factor", "profile")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def make_population_tasks(
    told: Sequence[int] = POPULATION_TOLD,
    folds: int | None = None,
    asked: int = 1000,
    anchors: Sequence[str] = POPULATION_ANCHORS,
) -> list[PopulationTask]:
    """Return the tasks of the population: sample b in all representations, and sample a.

    Parameters
    ----------
    told
        Numbers of people to learn from.
    folds
        Number of folds to run; ``None`` for all.
    asked
        Largest number of people to predict per fold.
    anchors
        Names of `ANCHOR_SETS`.
    """
    settings: list[tuple[Literal["a", "b"], str, PairRule, int]] = []
    settings += [("b", name, "random", count) for name in REPRESENTATIONS for count in told]
    settings += [("b", "kinds", "adjacent", max(told))]
    settings += [("a", "kinds", "random", count) for count in told]
    return [
        PopulationTask(sample, representation, pairs, name, count, fold, total, asked)
        for (sample, representation, pairs, count), name in product(settings, anchors)
        if sample == "b" or name != "representatives"
        for total in [FEW_FOLDS if count >= MANY_TOLD else MANY_FOLDS]
        for fold in range(total if folds is None else folds)
    ]


TRUTHS = (0.0, 0.5, 1.0, 3.0)
"""Strengths of simulated errors."""


def make_simulated_tasks(told: int = max(POPULATION_TOLD), folds: int = FEW_FOLDS) -> list[SimulatedPopulationTask]:
    """Return the tasks with simulated answers."""
    return [SimulatedPopulationTask(truth, fold, told) for fold in range(folds) for truth in TRUTHS]


def list_simulated(records: pl.DataFrame) -> pl.DataFrame:
    """Return the records with the columns that name a setting, as `summarise_maps` needs them."""
    return records.with_columns(
        level=pl.lit("simulated"), sample=pl.lit("b"), representation=pl.lit("kinds"), pairs=pl.lit("random"),
        target=pl.format("strength {}", "truth"), told=pl.col("told").cast(pl.String), anchors=pl.lit("eaten"),
    )  # fmt: skip


def list_population(records: pl.DataFrame) -> pl.DataFrame:
    """Return the records with the columns that name a setting, as `summarise_maps` needs them."""
    return records.with_columns(
        level=pl.lit("population"), target=pl.lit("orders"), told=pl.col("told").cast(pl.String)
    )
