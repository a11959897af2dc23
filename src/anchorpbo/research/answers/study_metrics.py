"""Metrics of the benchmark, from its records: one row per study, mean curves, and paired differences.

::

    share               share of the way from a median design to the best, of the recommended design, after each answer
    area                mean share over all answers; shares below FLOOR count as FLOOR, because a few very bad
                        recommendations would decide a mean
    reach_80            number of answers after which the recommended design is, and stays, at least 80 % of the way;
                        null if it is not at the last answer
    stop_answer         first answer after which the contender tells the user to stop, with stop_share; null if never
    length              number of answers that were given; has_rule: whether the contender has a stopping rule
    contender_version   version of the preset, or releases of the other library's packages

Means are over problems first, with equal weights, then over seeds: a seed is a block of studies, and intervals are t
intervals over seeds. Differences are between studies that share problem, judge, placement and seed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.typing import Array

FLOOR = -1.0
"""Smallest share that counts in a mean: as far below a median design as the best is above it."""
LEVELS = (80, 90, 95)
"""Percentages of the way from a median design to the best."""
STUDY = ("problem", "judge", "placement", "contender", "seed")
"""Settings of a study."""


def summarise_studies(records: pl.DataFrame, horizon: int) -> pl.DataFrame:
    """Return one row per study with at least `horizon` answers, with all its shares in one column.

    Shares and levels end at the horizon; the stopping rule, times, failures and the column `right` cover all answers.
    Of several runs of a study, the longest counts: a contender does not know how many answers will follow, so that the
    shorter ones are its beginning.
    """
    records = records.filter(pl.col("answers") >= horizon)
    records = records.filter(pl.col("answers") == pl.col("answers").max().over(*STUDY))
    share, answer, near = pl.col("share"), pl.col("answer"), pl.col("answer") <= horizon
    reached = {}
    for level in LEVELS:
        below = answer.filter(near, share < level / 100).max().fill_null(0)
        reached[f"reach_{level}"] = pl.when(below < horizon).then(below + 1).cast(pl.Int64)
    stop = pl.col("stop").cast(pl.Boolean).fill_null(value=False)
    versions = {"contender_version": pl.col("contender_version").first()} if "contender_version" in records else {}
    return (
        records.sort(*STUDY, "answer")
        .group_by(*STUDY, maintain_order=True)
        .agg(
            answers=pl.lit(horizon, pl.Int64),
            shares=share.filter(near).cast(pl.Float32),
            area=share.filter(near).clip(FLOOR).mean(),
            **reached,
            length=answer.max(),
            has_rule=pl.col("stop").is_not_null().any(),
            stop_answer=answer.filter(stop).first(),
            stop_share=share.filter(stop).first(),
            right=pl.col("right").mean(),
            failures=pl.col("failures").max(),
            seconds=pl.col("seconds").median(),
            recommend_seconds=pl.col("recommend_seconds").median(),
            **versions,
        )
    )


def add_share_after(studies: pl.DataFrame, answers: int, *, clip: bool = True) -> pl.DataFrame:
    """Add the column ``share_N``: the share after N answers, or after the last one if there are fewer."""
    share = pl.col("shares").list.get(pl.min_horizontal(pl.lit(answers), pl.col("answers")) - 1).cast(pl.Float64)
    return studies.with_columns((share.clip(FLOOR) if clip else share).alias(f"share_{answers}"))


def select(studies: pl.DataFrame, **settings: str) -> pl.DataFrame:
    """Return the studies with these settings."""
    return studies.filter(*(pl.col(name) == value for name, value in settings.items()))


def average_by_seed(studies: pl.DataFrame, metric: str) -> Array:
    """Return the mean of a metric over the problems of each seed, (seeds,); only seeds with all problems count."""
    problems = studies["problem"].n_unique()
    blocks = studies.group_by("seed").agg(pl.col("problem").n_unique().alias("problems"), pl.col(metric).mean())
    return blocks.filter(pl.col("problems") == problems).sort("seed")[metric].to_numpy()


def estimate_mean(studies: pl.DataFrame, metric: str) -> Interval | None:
    """Return the mean of a metric with its interval over seeds; ``None`` without studies."""
    values = average_by_seed(studies, metric)
    return Interval.of_mean(values) if len(values) else None


def pair_studies(one: pl.DataFrame, other: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the studies that both have, by problem, judge and seed: the metric ``M`` of one, ``M_other`` of the other.

    Placements are not compared: a study without anchors may be the partner of one with misleading anchors.
    """
    keys = ["problem", "judge", "seed"]
    return one.select(*keys, metric).join(other.select(*keys, metric), on=keys, suffix="_other")


def compare(one: pl.DataFrame, other: pl.DataFrame, metric: str) -> Interval | None:
    """Return the mean paired difference of a metric with its interval over seeds; ``None`` without pairs."""
    pairs = pair_studies(one, other, metric).with_columns(gap=pl.col(metric) - pl.col(f"{metric}_other"))
    return estimate_mean(pairs, "gap")


def average_curve(studies: pl.DataFrame) -> Array:
    """Return the mean share after each answer with its interval, (n, 3): mean, low, high."""
    if not studies.height:
        return np.empty((0, 3))
    found = []
    for answer in range(1, int(studies["answers"].to_numpy().min()) + 1):
        estimate = estimate_mean(add_share_after(studies, answer), f"share_{answer}")
        assert estimate is not None
        found.append((estimate.mean, estimate.low, estimate.high))
    return np.array(found)


def find_answer(curve: Array, share: float) -> int | None:
    """Return the first answer after which a mean curve, (n,), is at least a share; ``None`` if it never is."""
    reached = np.flatnonzero(curve >= share)
    return int(reached[0]) + 1 if len(reached) else None


def restricted_mean(studies: pl.DataFrame, level: int) -> float:
    """Return the mean number of answers to a level; a study that does not reach it counts with all its answers."""
    reached = studies.select(pl.col(f"reach_{level}").fill_null(pl.col("answers")))
    return float(reached.to_series().to_numpy().mean())


def share_reached(studies: pl.DataFrame, level: int) -> float:
    """Return the share of studies that reach a level."""
    return float(studies[f"reach_{level}"].is_not_null().to_numpy().mean())


def list_present(studies: pl.DataFrame, column: str, order: Sequence[str]) -> list[str]:
    """Return the values of a column, in a given order; other values last."""
    found = studies[column].unique().to_list()
    return [*(value for value in order if value in found), *sorted(set(found) - set(order))]
