"""The paper's experiments that consist of simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from anchorpbo.research.experiments import run_metrics
from anchorpbo.research.experiments import study_claims as claims_of
from anchorpbo.research.experiments.anchor_placement import list_corners
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS, SimulatedStudy
from anchorpbo.research.experiments.verdicts import Claim

RISK_AVERSE_STRATEGIES = tuple(TWINS)


@dataclass(frozen=True, eq=False)
class StudyExperiment(Experiment):
    """Simulated studies that differ in problem, strategy, perhaps one more setting, and the seed."""

    name: str
    description: str
    arms: tuple[SimulatedStudy, ...]
    """Studies to compare; seed and rounds are filled in."""
    seeds: int = 30
    rounds: int = 150
    quick_seeds: int = 3
    quick_rounds: int = 15
    variant: pl.Expr = field(default_factory=lambda: pl.lit(""))
    """Expression over the record columns that names how arms of one problem and strategy differ."""
    make_claims: Callable[[pl.DataFrame], Iterable[Claim]] = field(kw_only=True)
    """Function that judges the paper's claims, given the records with a column ``variant``."""
    is_divisible: bool = True

    def make_tasks(self, size: ExperimentSize) -> Sequence[ExperimentTask]:
        """Return the studies seed by seed, so that an unfinished experiment is still paired."""
        seeds, rounds = (self.quick_seeds, self.quick_rounds) if size.quick else (self.seeds, self.rounds)
        seeds, rounds = size.seeds or seeds, size.rounds or rounds
        return [replace(arm, seed=seed, rounds=rounds) for seed in range(seeds) for arm in self.arms]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean and standard deviation of every metric at every round."""
        return run_metrics.summarise_rounds(self._label_variants(records))

    def summarise_final(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean and standard deviation over runs of each metric's final value."""
        return run_metrics.summarise_final_values(self._label_variants(records))

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge the paper's claims on these studies."""
        return list(self.make_claims(self._label_variants(records)))

    def _label_variants(self, records: pl.DataFrame) -> pl.DataFrame:
        return run_metrics.add_running_best(records).with_columns(self.variant.cast(pl.String).alias("variant"))


class GainExperiment(StudyExperiment):
    """Gains of risk-averse strategies on their twins under each variant."""

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return one row per problem, variant, strategy and metric: the mean paired difference with its interval."""
        return run_metrics.summarise_gains(self._label_variants(records), TWINS, claims_of.GAIN_METRICS)

    def summarise_final(self, records: pl.DataFrame) -> pl.DataFrame:
        """The same."""
        return self.summarise(records)


class RankExperiment(StudyExperiment):
    """Mean rank of each strategy over the runs of the main experiment."""

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean and standard deviation of the rank by both metrics, at every round."""
        names = ("risk_adjusted_rank", "value_rank")
        means = [pl.col(name).mean().alias(f"{name}_mean") for name in names]
        stds = [pl.col(name).std().alias(f"{name}_std") for name in names]
        by = ["problem", "strategy", "round"]
        return (
            run_metrics.add_ranks(run_metrics.add_running_best(records))
            .group_by(by)
            .agg(pl.len().alias("runs"), *means, *stds)
            .sort(by)
        )


class TimeExperiment(StudyExperiment):
    """Seconds per ask in the runs of the main experiment."""

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return mean and standard deviation over all asks."""
        seconds = pl.col("seconds")
        by = ["problem", "strategy"]
        columns = [
            seconds.count().alias("asks"),
            seconds.mean().alias("seconds_mean"),
            seconds.std().alias("seconds_std"),
        ]
        return records.group_by(by).agg(*columns, seconds.median().alias("seconds_median")).sort(by)

    def summarise_final(self, records: pl.DataFrame) -> pl.DataFrame:
        """The same."""
        return self.summarise(records)


HARTMANN = {"hartmann3": 3, "hartmann4": 4}
"""Dimensions by problem."""


def _list_main_arms() -> tuple[SimulatedStudy, ...]:
    places = {"hartmann3": "away", "hartmann4": "away", "sushi": "own"}
    return tuple(SimulatedStudy(problem, s, 0, anchors=place) for problem, place in places.items() for s in STRATEGIES)


MAIN_EXPERIMENT = StudyExperiment(
    "main",
    "Figure 2: Hartmann3, Hartmann4 and Sushi, six strategies.",
    _list_main_arms(),
    make_claims=claims_of.judge_main,
)
RANKING_EXPERIMENT = RankExperiment(
    "ranking", "Mean ranks over the runs of main.", _list_main_arms(), make_claims=claims_of.judge_ranking
)
TIME_EXPERIMENT = TimeExperiment(
    "time", "The computation-time table, over the runs of main.", _list_main_arms(), make_claims=claims_of.judge_time
)
ACKLEY6_EXPERIMENT = StudyExperiment(
    "ackley6",
    "Ackley in six dimensions, six strategies.",
    tuple(SimulatedStudy("ackley6", s, 0) for s in STRATEGIES),
    seeds=20,
    rounds=100,
    make_claims=claims_of.judge_ackley6,
)
CANDY_EXPERIMENT = StudyExperiment(
    "candy",
    "The Candy data, six strategies.",
    tuple(SimulatedStudy("candy", s, 0, anchors="own") for s in STRATEGIES),
    seeds=20,
    rounds=100,
    make_claims=claims_of.judge_candy,
)
FIVE_ANCHORS_EXPERIMENT = StudyExperiment(
    "five-anchors",
    "Hartmann3 with five anchors, six strategies.",
    tuple(SimulatedStudy("hartmann3", s, 0, count=5) for s in STRATEGIES),
    seeds=20,
    rounds=100,
    make_claims=claims_of.judge_five_anchors,
)
ANCHOR_QUALITY_EXPERIMENT = StudyExperiment(
    "anchor-quality",
    "Anchors near the optimum against anchors away from it, on Hartmann3 and Hartmann4.",
    tuple(
        SimulatedStudy(problem, s, 0, anchors=place)
        for problem in HARTMANN
        for s in RISK_AVERSE_STRATEGIES
        for place in ("away", "near")
    ),
    variant=pl.col("anchors"),
    make_claims=claims_of.judge_anchor_quality,
)
ANCHOR_COUNT_EXPERIMENT = StudyExperiment(
    "anchor-count",
    "A user with 50 scattered anchors; the method knows 5, 10, 20 or all of them; Hartmann3.",
    tuple(
        SimulatedStudy("hartmann3", s, 0, anchors="scattered", count=50, told=told)
        for s in RISK_AVERSE_STRATEGIES
        for told in (5, 10, 20, 50)
    ),
    variant=pl.col("told"),
    make_claims=claims_of.judge_anchor_count,
)
INFERENCE_EXPERIMENT = StudyExperiment(
    "inference",
    "Hallucination Believer, Laplace and EP under the probit likelihood, on Hartmann3.",
    tuple(
        SimulatedStudy("hartmann3", s, 0, inference=inference, likelihood="probit")
        for s in ("rahbo", "raeubo")
        for inference in ("hallucination", "laplace", "ep")
    ),
    seeds=20,
    rounds=100,
    variant=pl.col("inference"),
    make_claims=claims_of.judge_inference,
)

ANCHOR_PLACEMENT_EXPERIMENT = GainExperiment(
    "anchor-placement",
    "Ours: anchors around every corner of the cube and away from the optimum; Hartmann3 and Hartmann4, six strategies.",
    tuple(
        SimulatedStudy(problem, s, 0, anchors=place)
        for problem, dimension in HARTMANN.items()
        for place in ("away", *list_corners(dimension))
        for s in STRATEGIES
    ),
    seeds=20,
    rounds=100,
    quick_seeds=2,
    quick_rounds=5,
    variant=pl.col("anchors"),
    make_claims=claims_of.judge_anchor_placement,
)

_FARTHEST_CORNER: dict[str, Any] = {"anchors": "far"}
_ALTERNATIVES: dict[str, dict[str, Any]] = {
    "baselines see the map": {"baseline": "anchored"},
    "probit user": {"judge": "probit"},
    "difference user": {"judge": "difference"},
    "user without noise": {"judge": "exact"},
    "wider prior": {"outputscale": 10.0},
    "one length-scale a dimension": {"ard": True},
    "kernel is a density": {"profile": "gaussian-density"},
    "utility below zero": {"offset": -4.0},
    "farthest corner": _FARTHEST_CORNER,
    "farthest corner, settings of HB's code": {**_FARTHEST_CORNER, "ard": True, "judge": "exact"},
}
"""Settings that the paper does not specify, changed one at a time; the last one combines the farthest corner with the
length-scales and the user of the public code of Hallucination Believer."""
_PENALTY = {"ANPEI penalises the variance": {"penalty": "variance"}}
_BELOW_ZERO = {"utility below zero": {"offset": -1.0}}
"""Moves the utilities of Sushi and Candy from [0, 1] to [-1, 0]."""


def _list_sensitivity_arms() -> Iterator[SimulatedStudy]:
    for problem, place, strategies, others in (
        *((problem, "away", STRATEGIES, _ALTERNATIVES) for problem in HARTMANN),
        *((problem, "away", ("ei", "anpei"), _PENALTY) for problem in HARTMANN),
        *((problem, "own", STRATEGIES, _BELOW_ZERO) for problem in ("sushi", "candy")),
    ):
        for strategy in strategies:
            plain = SimulatedStudy(problem, strategy, 0, anchors=place)
            yield plain
            yield from (replace(plain, **settings) for settings in others.values())


def _name_variants() -> pl.Expr:
    label: Any = pl
    # Variants with most settings first: a combination contains the settings of others.
    everything = {**_ALTERNATIVES, **_PENALTY}.items()
    for name, settings in sorted(everything, key=lambda each: -len(each[1])):
        label = label.when([pl.col(column) == value for column, value in settings.items()]).then(pl.lit(name))
    label = label.when(pl.col("offset") == _BELOW_ZERO["utility below zero"]["offset"])
    found: pl.Expr = label.then(pl.lit("utility below zero")).otherwise(pl.lit(claims_of.UNCHANGED))
    return found


SENSITIVITY_EXPERIMENT = GainExperiment(
    "sensitivity",
    "Ours: settings that the paper does not specify, changed one at a time; Hartmann3, Hartmann4, Sushi, Candy.",
    tuple(dict.fromkeys(_list_sensitivity_arms())),
    seeds=20,
    rounds=100,
    quick_seeds=2,
    quick_rounds=5,
    variant=_name_variants(),
    make_claims=claims_of.judge_sensitivity,
)
