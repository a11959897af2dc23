"""What the paper says of its studies, and what the runs say of that.

A claim that one thing is larger than another agrees when the 95 % interval of the paired difference is above zero,
differs when it is below, and is open when zero is inside. "Competitive" is taken to mean: not worse by more than a
tenth of the range of the problem's utility, which the interval must exclude. "Does not improve" differs when the
interval is on the better side of zero, agrees when it excludes a tenth of the range, and is open else. Intervals are of
one claim each: of a hundred that hold for no reason, a few are expected to agree.

The paper says both that risk-averse strategies improve and that ANPEI is the exception. Both can be true if ANPEI gains
less on its twin than RAHBO and RAEUBO do on theirs, so that is its claim wherever the paper speaks of all three; that
ANPEI gains at all is told as our reading. What the paper measures is its metric; other readings of its text are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from anchorpbo.experiments import measures
from anchorpbo.experiments.comparisons import (
    TITLES,
    WORDS,
    Claims,
    above_minus_margin,
    add_own_metric,
    below_margin,
    compare,
    compare_anpei,
    compare_over_all_rounds,
    compare_with_all,
    compare_with_twins,
    compare_within_margin,
    direction_of,
    has_value,
    is_one_of,
    make_claim,
    mark_as_ours,
    problems_of,
    rows_of,
    twin_sides,
    with_all_strategies,
)
from anchorpbo.experiments.measures import When
from anchorpbo.experiments.paper import OURS, Claim
from anchorpbo.experiments.statistics import Interval
from anchorpbo.experiments.trial import STRATEGIES, TWINS

GAINS: Mapping[str, When] = {"risk_adjusted": "last", "value": "last", "pair_noise": "all"}
"""The paper's metrics, and the rounds over which a risk-averse strategy is compared with its twin."""
STEADY = ("rahbo", "raeubo")
"""The risk-averse strategies that the paper makes no exception for."""
ROUNDING = 1e-6
"""Changes no larger than this come from where a search for x*_t ends."""
AS_IN_MAIN = "as in main"
"""The variant of the sensitivity experiment in which nothing is changed."""


def main(records: pl.DataFrame) -> Claims:
    """Figure 2 and what the text says of it."""
    top, middle, bottom = (f"Figure 2, {row}" for row in ("top", "middle", "bottom"))
    for problem in problems_of(records):
        yield from compare_with_twins(records, problem, "risk_adjusted", top, STEADY)
        yield from mark_as_ours(compare_with_twins(records, problem, "risk_adjusted", top, ["anpei"]))
        yield from mark_as_ours(compare_with_twins(records, problem, "running_risk_adjusted", top))
        yield from mark_as_ours(compare_over_all_rounds(records, problem, "risk_adjusted", top))
        yield from mark_as_ours(compare_with_twins(add_own_metric(records), problem, "own_risk_adjusted", top))
        yield from compare_within_margin(records, problem, "value", middle, STEADY)
        yield from mark_as_ours(compare_within_margin(records, problem, "value", middle, ["anpei"]))
        for metric in ("running_value", "plain_value"):
            yield from mark_as_ours(compare_within_margin(records, problem, metric, middle))
        yield from compare_with_twins(records, problem, "pair_noise", bottom)
    for problem in ("hartmann3", "hartmann4"):
        yield from compare_anpei(records, problem, "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "raeubo", (), "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "rahbo", ("raeubo",), "risk_adjusted", top)


def ackley6(records: pl.DataFrame) -> Claims:
    """Only RAEUBO is said to stay competitive in six dimensions."""
    where, problem, metric = "Figure S3", "ackley6", "risk_adjusted"
    yield from compare_within_margin(records, problem, metric, where, ["raeubo"])
    for averse in ("anpei", "rahbo"):
        text = f"{averse.upper()} falls behind {TWINS[averse].upper()} on {TITLES[problem]} ({WORDS[metric]})"
        yield from compare(text, where, rows_of(records, problem), metric, *twin_sides(averse), Interval.below)
    yield from compare_with_twins(records, problem, "pair_noise", where)
    for each in ("risk_adjusted", "value"):
        yield from mark_as_ours(compare_with_all(records, problem, "raeubo", (), each, where))


def candy(records: pl.DataFrame) -> Claims:
    """Risk-averse strategies are said to win on both metrics, RAEUBO excepted."""
    where, problem = "Figure S4", "candy"
    for metric in ("risk_adjusted", "value"):
        yield from compare_with_twins(records, problem, metric, where, ["anpei", "rahbo"])
        text = f"RAEUBO does not improve on EUBO on {TITLES[problem]} ({WORDS[metric]})"
        yield from compare(text, where, rows_of(records, problem), metric, *twin_sides("raeubo"), below_margin(problem))
    yield from compare_with_twins(records, problem, "pair_noise", where)


def five_anchors(records: pl.DataFrame) -> Claims:
    """Few anchors are said to be enough."""
    where, problem = "Figure S5", "hartmann3"
    yield from compare_with_twins(records, problem, "risk_adjusted", where, STEADY)
    yield from mark_as_ours(compare_with_twins(records, problem, "risk_adjusted", where, ["anpei"]))
    yield from compare_with_twins(records, problem, "pair_noise", where)


def anchor_quality(records: pl.DataFrame) -> Claims:
    """Anchors near the optimum are said to speed it up."""
    for problem in problems_of(records):
        for averse in TWINS:
            rows = rows_of(records, problem).filter(is_one_of([averse]))
            for metric in ("risk_adjusted", "value"):
                what = f"{averse.upper()}'s {WORDS[metric]} on {TITLES[problem]}, mean of all rounds"
                text, near, away = f"Anchors near the optimum raise {what}", *has_value("anchors", "near", "away")
                yield from compare(text, "Figure 3, top", rows, metric, near, away, Interval.above, "all")


def anchor_count(records: pl.DataFrame) -> Claims:
    """More anchors are said to help, early above all."""
    moments: tuple[tuple[When, str], ...] = (("early", "in the first third of the rounds"), ("last", "in the end"))
    for averse in TWINS:
        rows = records.filter(is_one_of([averse]))
        for when, words in moments:
            text = f"50 anchors instead of 5 raise {averse.upper()}'s {WORDS['risk_adjusted']} {words}"
            many, few = has_value("told", 50, 5)
            yield from compare(text, "Figure 3, middle", rows, "risk_adjusted", many, few, Interval.above, when)


def inference(records: pl.DataFrame) -> Claims:
    """The noise model is said to go with any posterior approximation."""
    for averse in TWINS:
        rows = records.filter(is_one_of([averse]))
        for other, name in (("laplace", "Laplace"), ("ep", "EP")):
            text = f"{averse.upper()} with {name} is competitive with Hallucination Believer"
            sides = has_value("inference", other, "hallucination")
            judge = above_minus_margin("hartmann3")
            yield from mark_as_ours(compare(text, OURS, rows, "risk_adjusted", *sides, judge))


def ranking(records: pl.DataFrame) -> Claims:
    """Mean ranks in the end; 0 is best, so that less is better."""
    ranked, where = measures.ranks(records), "Figure S2"
    for problem in problems_of(records):
        rows = rows_of(ranked, problem)
        for rank, words in (("risk_adjusted_rank", "risk-adjusted rank"), ("running_risk_adjusted_rank", "running")):
            for averse in STEADY:
                by = f"by {words}{' risk-adjusted rank' * (words == 'running')}"
                text = f"{averse.upper()} is ahead of {TWINS[averse].upper()} on {TITLES[problem]} {by}"
                found = compare(text, where, rows, rank, *twin_sides(averse), Interval.below)
                yield from found if rank == "risk_adjusted_rank" else mark_as_ours(found)
        yield from compare_anpei(ranked, problem, "risk_adjusted_rank", where)
        if problem == "hartmann3":
            yield from compare_with_all(ranked, problem, "rahbo", (), "value_rank", where)
        else:
            text = f"The risk-neutral strategies rank better on {TITLES[problem]} by best value"
            averse_ones, plain_ones, all_ones = (
                is_one_of(TWINS),
                is_one_of(TWINS.values()),
                with_all_strategies(rows, STRATEGIES),
            )
            yield from compare(text, where, all_ones, "value_rank", averse_ones, plain_ones, Interval.above)


def time(records: pl.DataFrame) -> Claims:
    """Ratios of the seconds an ask, by their geometric means."""
    logs = records.with_columns(pl.col("seconds").log().alias("log_seconds"))
    pairs, singles = is_one_of(["eubo", "raeubo"]), is_one_of(["ei", "ucb", "anpei", "rahbo"])
    for problem in problems_of(records):
        for one, other, text in (
            (is_one_of(TWINS), is_one_of(TWINS.values()), "Risk-averse strategies take longer than risk-neutral ones"),
            (pairs, singles, "EUBO and RAEUBO, which optimise pairs, take longer than the others"),
        ):
            gap = measures.difference(
                with_all_strategies(rows_of(logs, problem), STRATEGIES), "log_seconds", one, other, "all"
            )
            if gap is not None:
                mean, low, high = (math.exp(log) for log in (gap.mean, gap.low, gap.high))
                found = f"{text}, {TITLES[problem]}", "Table S1", f"{mean:.2f} times"
                yield Claim(*found, f"{low:.2f} to {high:.2f}", gap.above())


def anchor_placement(labelled: pl.DataFrame) -> Claims:
    """Figure 2's main claim by the place of the anchors, and whether the gain falls with their distance.

    The column `variant` names the place. Settings are chosen by distance, before any result: drawn by the seed, the
    mean of all corners, the corner nearest to the optimum and that farthest from it.
    """
    for problem in problems_of(labelled):
        rows = rows_of(labelled, problem)
        for averse, plain in TWINS.items():
            found = _gaps_by_place(rows, averse)
            text = f"{averse.upper()}'s {WORDS['risk_adjusted']} is above {plain.upper()}'s on {TITLES[problem]}"
            for setting, gaps in _placements(found).items():
                gap = measures.mean_gap(gaps)
                if gap is not None:
                    yield make_claim(text, OURS, gap, Interval.above, setting, "ours")
            slope = _slope(found)
            if slope is not None:
                what = f"The gain of {averse.upper()} falls with the distance of the anchors, {TITLES[problem]}"
                yield make_claim(what, OURS, slope, Interval.below, "slope over the corners", "ours")


def sensitivity(labelled: pl.DataFrame) -> Claims:
    """Figure 2's claims again, and which settings that the paper does not give move them.

    The column `variant` names the setting that was changed. It moves a claim, and has a row of its own, when the
    difference of the differences, paired by seed, is not zero.
    """
    for problem in problems_of(labelled):
        for averse in TWINS:
            for metric in GAINS:
                yield from mark_as_ours(_moved(rows_of(labelled, problem), problem, averse, metric))


def _moved(rows: pl.DataFrame, problem: str, averse: str, metric: str) -> Claims:
    side, judge, when = direction_of(metric)
    found = {
        str(variant): measures.gaps(rows.filter(pl.col("variant") == variant), metric, *twin_sides(averse), when)
        for variant in rows["variant"].unique(maintain_order=True).sort()
    }
    base = found.pop(AS_IN_MAIN, None)
    usual = None if base is None else measures.mean_gap(base)
    if base is None or usual is None:
        return
    text = f"{averse.upper()}'s {WORDS[metric]} is {side} {TWINS[averse].upper()}'s on {TITLES[problem]}"
    yield make_claim(text, OURS, usual, judge, AS_IN_MAIN)
    for variant, gaps in found.items():
        here, change = measures.mean_gap(gaps), measures.mean_gap(gaps, less=base)
        if here is not None and change is not None and (change.low > ROUNDING or change.high < -ROUNDING):
            yield make_claim(text, OURS, here, judge, variant)


def _gaps_by_place(rows: pl.DataFrame, averse: str) -> dict[str, tuple[float, pl.DataFrame]]:
    """How far each place is from the optimum, and the gains there, seed by seed."""
    found = {}
    for (place,), part in rows.group_by("variant", maintain_order=True):
        gaps = measures.gaps(part, "risk_adjusted", *twin_sides(averse))
        if len(gaps):
            found[str(place)] = part["anchor_distance"].to_numpy().mean(), gaps
    return found


def _placements(found: Mapping[str, tuple[float, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    corners = {place: each for place, each in found.items() if place.startswith("corner-")}
    settings = {} if "away" not in found else {"drawn by the seed": found["away"][1]}
    if corners:
        every = pl.concat([gaps for _, gaps in corners.values()])
        settings["mean of the corners"] = every.group_by("seed").agg(pl.col("gap").mean()).sort("seed")
        for words, choose in (("nearest", min), ("farthest", max)):
            distance, gaps = choose(corners.values(), key=lambda each: each[0])
            settings[f"{words} corner, {distance:.2f} away"] = gaps
    return settings


def _slope(found: Mapping[str, tuple[float, pl.DataFrame]]) -> Interval | None:
    """The mean over seeds of the least-squares slope of the gain in the distance, over the corners."""
    corners = [
        gaps.with_columns(pl.lit(distance).alias("distance"))
        for place, (distance, gaps) in found.items()
        if place.startswith("corner-")
    ]
    if len(corners) < 2:
        return None
    slopes = (
        pl.concat(corners)
        .group_by("seed")
        .agg((pl.cov("gap", "distance") / pl.col("distance").var()).alias("slope"))
        .drop_nulls()
    )
    return Interval.of(slopes["slope"].to_numpy()) if len(slopes) else None
