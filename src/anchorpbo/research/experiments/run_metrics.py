"""Metrics of simulated studies: values by round, final values, paired differences, gains and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import polars as pl

from anchorpbo.research.experiments.confidence_intervals import Interval

RUNNING_METRICS: Mapping[str, str] = {"running_risk_adjusted": "risk_adjusted", "running_value": "value"}
"""Running maxima, and the metric of the current round that each is the maximum of."""
ROUND_METRICS = (
    "risk_adjusted", "value", "pair_noise", "plain_value", "plain_risk_adjusted", *RUNNING_METRICS, "seconds",
)  # fmt: skip
FINAL_ROUNDS = 10
"""Number of last rounds averaged in a final value: a hallucination is a single draw, so a single round is noisy."""

RoundRange = Literal["last", "early", "all"]
"""The last `FINAL_ROUNDS` rounds, the first third, or all of them."""
_ROUND_FILTERS: dict[RoundRange, pl.Expr] = {
    "last": pl.col("round") > pl.col("rounds") - FINAL_ROUNDS,
    "early": pl.col("round") <= pl.col("rounds") / 3,
    "all": pl.lit(True),
}


def add_running_best(records: pl.DataFrame) -> pl.DataFrame:
    """Add the running best of both values, run by run."""
    largest = [pl.col(current).cum_max().over("key").alias(name) for name, current in RUNNING_METRICS.items()]
    return records.with_row_index("row").sort("key", "round").with_columns(largest).sort("row").drop("row")


def summarise_rounds(records: pl.DataFrame) -> pl.DataFrame:
    """Return mean and standard deviation over seeds of every metric, by problem, strategy, variant and round."""
    by = ["problem", "strategy", "variant", "round"]
    means = [pl.col(name).mean().alias(f"{name}_mean") for name in ROUND_METRICS]
    stds = [pl.col(name).std().alias(f"{name}_std") for name in ROUND_METRICS]
    return records.group_by(by).agg(pl.len().alias("runs"), *means, *stds).sort(by)


def summarise_final_values(records: pl.DataFrame) -> pl.DataFrame:
    """Return mean and standard deviation over runs of each metric, averaged over the last rounds (noise: all)."""
    by = ["problem", "strategy", "variant"]
    runs = records.group_by([*by, "seed"]).agg(
        pl.col("rounds").first().alias("round"),
        *(
            pl.col(name).filter(_ROUND_FILTERS["all" if name == "pair_noise" else "last"]).mean()
            for name in ROUND_METRICS
        ),
    )
    means = [pl.col(name).mean().alias(f"{name}_mean") for name in ROUND_METRICS]
    stds = [pl.col(name).std().alias(f"{name}_std") for name in ROUND_METRICS]
    return runs.group_by([*by, "round"]).agg(pl.len().alias("runs"), *means, *stds).sort(by)


def average_rounds(records: pl.DataFrame, metric: str, when: RoundRange = "last") -> pl.DataFrame:
    """Return the mean of a metric over some rounds of each run: the columns seed and the metric."""
    return records.filter(_ROUND_FILTERS[when]).group_by("seed").agg(pl.col(metric).mean().alias(metric)).sort("seed")


def pair_differences(
    records: pl.DataFrame, metric: str, one: pl.Expr, other: pl.Expr, when: RoundRange = "last"
) -> pl.DataFrame:
    """Return the metric of ``one`` minus that of ``other`` by seed: the columns seed and gap."""
    left, right = (average_rounds(records.filter(chosen), metric, when) for chosen in (one, other))
    both = left.join(right, on="seed", suffix="_other").drop_nulls().sort("seed")
    return both.select("seed", (pl.col(metric) - pl.col(f"{metric}_other")).alias("gap"))


def compare_pairs(
    records: pl.DataFrame, metric: str, one: pl.Expr, other: pl.Expr, when: RoundRange = "last"
) -> Interval | None:
    """Return the mean of `pair_differences` with its interval, or ``None`` without pairs."""
    return average_differences(pair_differences(records, metric, one, other, when))


def average_differences(found: pl.DataFrame, less: pl.DataFrame | None = None) -> Interval | None:
    """Return the mean gap, or the mean of ``found`` minus ``less`` by seed; ``None`` without gaps."""
    if less is not None:
        both = found.join(less, on="seed", suffix="_less")
        found = both.select("seed", (pl.col("gap") - pl.col("gap_less")).alias("gap"))
    return Interval.of_mean(found["gap"].to_numpy()) if len(found) else None


def summarise_gains(records: pl.DataFrame, twins: Mapping[str, str], metrics: Mapping[str, RoundRange]) -> pl.DataFrame:
    """Return metrics of risk-averse strategies minus those of their twins, one row per problem, variant and pair.

    Parameters
    ----------
    records
        Records with a column ``variant``.
    twins
        Risk-averse strategies, each with its risk-neutral twin.
    metrics
        Metrics to compare, each with its rounds.
    """
    return pl.DataFrame(list(_iterate_gains(records, twins, metrics)), _GAIN_SCHEMA)


_GAIN_SCHEMA = {
    **dict.fromkeys(("problem", "variant", "strategy", "metric"), pl.String),
    "distance": pl.Float64, "seeds": pl.Int64, **dict.fromkeys(("mean", "low", "high"), pl.Float64),
}  # fmt: skip


def _iterate_gains(
    records: pl.DataFrame, twins: Mapping[str, str], metrics: Mapping[str, RoundRange]
) -> Iterator[dict[str, Any]]:
    for (problem, variant), rows in records.group_by("problem", "variant", maintain_order=True):
        for averse, plain in twins.items():
            for metric, when in metrics.items():
                found = pair_differences(rows, metric, pl.col("strategy") == averse, pl.col("strategy") == plain, when)
                gap = average_differences(found)
                if gap is not None:
                    yield {
                        "problem": problem, "variant": variant, "strategy": averse, "metric": metric,
                        "distance": float(rows["anchor_distance"].to_numpy().mean()), "seeds": len(found), **vars(gap),
                    }  # fmt: skip


def add_ranks(records: pl.DataFrame) -> pl.DataFrame:
    """Add the rank of each strategy within problem, seed and round; 0 is best, and equal values share a rank."""
    places = [
        (pl.col(metric).rank("average", descending=True).over("problem", "seed", "round") - 1.0).alias(f"{metric}_rank")
        for metric in ("risk_adjusted", "value", *RUNNING_METRICS)
    ]
    return records.with_columns(places)
