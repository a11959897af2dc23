"""Summaries of the studies of anchors: shares, means and paired differences with 95 % intervals.

::

    share of verdicts   Jeffreys' interval
    median              with the quartiles instead of an interval
    mean                t interval over seeds; the mean over problems comes first, over seeds that have all of them
    gap                 the same for the difference of two arms with one problem and seed
    ratio               (none - learnt/false) / (none - fixed/false) of the areas, bootstrap interval over seeds
    area                mean over the answers of the share of the recommended design, at least FLOOR

A summary covers the longest studies of a kind in the folder, and, of the maps, those of the judge `JUDGE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.research.anchors.anchored_experts import PADDED
from anchorpbo.research.anchors.anchors_plan import CHECKS, JUDGE, LEARNT_JUDGE, METRIC_ARMS
from anchorpbo.research.anchors.validation_power import CASES
from anchorpbo.research.answers.study_metrics import FLOOR
from anchorpbo.research.experiments.confidence_intervals import Interval, bootstrap_ratio
from anchorpbo.typing import Array

LEVEL = 0.95
"""Level of the intervals of shares."""
ALL = "all"
"""Name of the mean over all problems."""
NONE, FIXED_TRUE, LEARNT_TRUE, FIXED_FALSE, LEARNT_FALSE = (
    "fixed/none", "fixed/true", "learnt/true", "fixed/false", "learnt/false",
)  # fmt: skip
CONTRASTS: Mapping[str, tuple[str, str]] = {
    "fixed/true - none": (FIXED_TRUE, NONE),
    "learnt/true - none": (LEARNT_TRUE, NONE),
    "learnt/true - fixed/true": (LEARNT_TRUE, FIXED_TRUE),
    "fixed/false - none": (FIXED_FALSE, NONE),
    "learnt/false - none": (LEARNT_FALSE, NONE),
    "learnt/false - fixed/false": (LEARNT_FALSE, FIXED_FALSE),
}
"""Paired differences of areas, by name: the arm and the one that is subtracted."""
RATIO = "loss ratio"
MAP_ERROR = "map_error"
METRIC_MEASURES = ("log_score", MAP_ERROR, "last")
RISK_MEASURES = ("risk_adjusted", "value", "noise")
RISK_BASELINE = "paper"
BOUNDS = ("mean", "low", "high")


# -- validation --------------------------------------------------------------------------------------------------------


def list_experts(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per expert of the longest studies: the verdict on the anchors, and the share reached."""
    longest = records.filter(pl.col("answers") == pl.col("answers").max())
    columns = ["checks", "repeats", "case", "problem", "seed", "answers", "bayes_factor", "verdict", "share"]
    order = pl.col("case").replace_strict({case: at for at, case in enumerate(CASES)})
    return longest.select(columns).sort("checks", "repeats", order, "problem", "seed")


def select_main(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the share of checks of the study of 100 experts a case, and without repeats."""
    return rows.filter((pl.col("checks") - CHECKS).abs() < 1e-9, pl.col("repeats") == 0.0)


def summarise_validation(experts: pl.DataFrame) -> pl.DataFrame:
    """Return the shares of verdicts, the median Bayes factor, and the mean share reached, by shares of checks and case.

    ``below_one`` is the share of Bayes factors below 1.
    """
    keys, rows = ["checks", "repeats", "case"], []
    for key, part in experts.group_by(keys, maintain_order=True):
        n, factors = len(part), part["bayes_factor"].to_numpy()
        counts = {name: int((part["verdict"] == name).sum()) for name in ("supported", "open", "contradicted")}
        counts["below_one"] = int((factors < 1.0).sum())
        rows += [(*key, name, n, k / n, *jeffreys_interval(k, n, LEVEL)) for name, k in counts.items()]
        quartiles = np.quantile(factors, [0.5, 0.25, 0.75]).tolist()
        rows.append((*key, "bayes_factor", n, *quartiles))
        rows.append((*key, "share", n, *_bounds(part["share"].clip(FLOOR).to_numpy())))
    return _frame(rows, [*keys, "measure", "experts", "value", "low", "high"])


# -- noise maps --------------------------------------------------------------------------------------------------------


def list_map_studies(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per study: its arm, area, last share, log score and spread of the log noise."""
    keys = ["problem", "noise", "told", "low", "high", "answers", "seed"]
    return (
        records.sort(*keys, "answer")
        .group_by(keys, maintain_order=True)
        .agg(
            area=pl.col("share").clip(FLOOR).mean(),
            last=pl.col("share").clip(FLOOR).last(),
            log_score=pl.col("log_score").last(),
            log_noise_spread=pl.col("log_noise_spread").last(),
            map_error=pl.col("map_error").last(),
        )
        .with_columns(arm=pl.col("noise") + "/" + pl.col("told"))
    )


def select_learnt(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the problems without irrelevant dimensions, and of these the longest studies."""
    return _select_longest(rows.filter(~pl.col("problem").is_in(list(PADDED))))


def select_metric(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the problems with irrelevant dimensions, and of these the longest studies."""
    return _select_longest(rows.filter(pl.col("problem").is_in(list(PADDED)), *_of_judge(JUDGE)))


def summarise_learnt(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the areas of the arms, their paired differences, and the ratio of losses, by problem and over all."""
    part, rows = studies.filter(*_of_judge(LEARNT_JUDGE)), []
    for problem, own in _by_problem(part):
        areas = {arm: average_by_seed(own.filter(pl.col("arm") == arm), "area") for arm in _arms(own)}
        rows += [(problem, "area", arm, len(values), *_bounds(_values(values))) for arm, values in areas.items()]
        for name, (one, other) in CONTRASTS.items():
            gaps = _gaps(areas, one, other)
            if len(gaps):
                rows.append((problem, "gap", name, len(gaps), *_bounds(gaps)))
        shared = sorted(set.intersection(*(set(areas.get(arm, {})) for arm in (NONE, FIXED_FALSE, LEARNT_FALSE))))
        if shared:
            none, fixed, learnt = (np.array([areas[arm][seed] for seed in shared]) for arm in _LOSS_ARMS)
            # Without any loss the ratio is not a number.
            with np.errstate(divide="ignore", invalid="ignore"):
                rows.append((problem, "ratio", RATIO, len(shared), *bootstrap_ratio(none - learnt, none - fixed)))
    return _frame(rows, ["problem", "measure", "arm", "seeds", *BOUNDS])


_LOSS_ARMS = (NONE, FIXED_FALSE, LEARNT_FALSE)


def summarise_flatness(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the mean standard deviation of the log noise over designs, by judge and arm."""
    rows = []
    for key, part in studies.sort("low", "high", descending=[True, False]).group_by(
        ["low", "high", "arm"], maintain_order=True
    ):
        values = _values(average_by_seed(part, "log_noise_spread"))
        if key[2] != NONE and len(values):
            rows.append((*key, len(values), *_bounds(values)))
    # "low" and "high" are the judge's, so the bounds of the interval have other names.
    return _frame(rows, ["judge_low", "judge_high", "arm", "seeds", "mean", "interval_low", "interval_high"])


def summarise_curves(records: pl.DataFrame) -> pl.DataFrame:
    """Return the mean share after each answer over problems and seeds, with its interval, by arm."""
    part, rows = records.filter(*_of_judge(LEARNT_JUDGE)), []
    part = part.with_columns(arm=pl.col("noise") + "/" + pl.col("told"), share=pl.col("share").clip(FLOOR))
    for key, own in part.sort("arm", "answer", maintain_order=True).group_by(["arm", "answer"], maintain_order=True):
        values = _values(average_by_seed(own, "share"))
        if len(values):
            rows.append((*key, len(values), *_bounds(values)))
    return _frame(rows, ["arm", "answer", "seeds", *BOUNDS])


def summarise_metric(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the paired gains of the map in the learnt metric, by problem and over those of one dimension."""
    fixed, learnt = ("/".join(arm) for arm in METRIC_ARMS)
    dimensions = studies["problem"].str.split("in").list.last()
    parts = [*_by_problem(studies, mean=False)]
    parts += [
        (f"{d} dimensions", studies.filter(dimensions == d)) for d in sorted(dimensions.unique().to_list(), key=int)
    ]
    rows = []
    for name, part in parts:
        for measure in METRIC_MEASURES:
            found = {arm: average_by_seed(part.filter(pl.col("arm") == arm), measure) for arm in (fixed, learnt)}
            gaps = _gaps(found, fixed, learnt) if measure == MAP_ERROR else _gaps(found, learnt, fixed)
            if len(gaps):
                means = (float(_values(found[arm]).mean()) for arm in (fixed, learnt))
                rows.append((name, measure, len(gaps), *means, *_bounds(gaps)))
    return _frame(rows, ["problems", "measure", "seeds", "fixed", "learnt", *BOUNDS])


def average_by_seed(studies: pl.DataFrame, measure: str) -> dict[int, float]:
    """Return the mean of a measure over the problems, by seed; only seeds with all problems count."""
    problems = studies["problem"].n_unique()
    blocks = studies.group_by("seed").agg(pl.col("problem").n_unique().alias("problems"), pl.col(measure).mean())
    rows = blocks.filter(pl.col("problems") == problems, pl.col(measure).is_not_null()).sort("seed")
    return dict(zip(rows["seed"].to_list(), rows[measure].to_list(), strict=True))


def _of_judge(judge: tuple[float, float]) -> list[pl.Expr]:
    return [pl.col("low") == judge[0], pl.col("high") == judge[1]]


def _select_longest(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("answers") == pl.col("answers").max())


def _by_problem(studies: pl.DataFrame, *, mean: bool = True) -> Iterable[tuple[str, pl.DataFrame]]:
    """Yield the studies of each problem, then all of them if `mean`."""
    order = {name: number for number, name in enumerate(PADDED)}
    problems = sorted(studies["problem"].unique().to_list(), key=lambda name: (order.get(name, -1), name))
    for problem in problems:
        yield problem, studies.filter(pl.col("problem") == problem)
    if mean and len(problems) > 1:
        yield ALL, studies


def _arms(studies: pl.DataFrame) -> list[str]:
    order = (NONE, FIXED_TRUE, LEARNT_TRUE, FIXED_FALSE, LEARNT_FALSE)
    return sorted(studies["arm"].unique().to_list(), key=lambda arm: (order.index(arm) if arm in order else 9, arm))


def _gaps(found: Mapping[str, Mapping[int, float]], one: str, other: str) -> Array:
    """Return the differences of two arms over the seeds that both have."""
    first, second = found.get(one, {}), found.get(other, {})
    return np.array([first[seed] - second[seed] for seed in sorted({*first} & {*second})])


# -- the risk-adjusted value, and times --------------------------------------------------------------------------------


def summarise_risk(records: pl.DataFrame) -> pl.DataFrame:
    """Return the values of the longest studies, means over the last rounds, and the differences to `RISK_BASELINE`."""
    longest = records.filter(pl.col("rounds") == pl.col("rounds").max())
    studies = longest.group_by("preset", "seed").agg(*(pl.col(name).mean() for name in RISK_MEASURES))
    rounds, rows = int(longest["rounds"].to_numpy().max()), []
    for measure in RISK_MEASURES:
        found = {
            preset: dict(part.sort("seed").select("seed", measure).iter_rows())
            for (preset,), part in studies.sort("preset").group_by(["preset"], maintain_order=True)
        }
        for preset, values in found.items():
            gaps = _gaps(found, preset, RISK_BASELINE)
            gap = _bounds(gaps) if preset != RISK_BASELINE and len(gaps) else (None, None, None)
            rows.append((preset, measure, rounds, len(values), *_bounds(_values(values)), *gap))
    return _frame(rows, ["preset", "measure", "rounds", "seeds", *BOUNDS, "gap", "gap_low", "gap_high"])


def summarise_asks(records: pl.DataFrame) -> pl.DataFrame:
    """Return the median processor time of an ask, and its quartiles, by noise map and whether it fits."""
    longest, rows = records.filter(pl.col("answers") == pl.col("answers").max()), []
    for key, part in longest.sort("answers", "noise", "fits").group_by(
        ["answers", "noise", "fits"], maintain_order=True
    ):
        rows.append((*key, len(part), *np.quantile(part["milliseconds"].to_numpy(), [0.5, 0.25, 0.75]).tolist()))
    return _frame(rows, ["answers", "noise", "fits", "asks", "median", "low", "high"])


def _bounds(values: Array) -> tuple[float, float, float]:
    over = Interval.of_mean(values)
    return over.mean, over.low, over.high


def _values(found: Mapping[int, float]) -> Array:
    return np.array(list(found.values()))


def _frame(rows: list[tuple[Any, ...]], names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
