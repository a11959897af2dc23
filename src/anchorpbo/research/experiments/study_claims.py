"""What the paper says of its studies, and what the runs say of that.

A claim that one thing is larger than another agrees when the 95 % interval of the paired difference is above zero,
differs when it is below, and is open when zero is inside. "Competitive" is taken to mean: not worse by more than a
tenth of the range of the problem's utility, which the interval must exclude. "Does not improve" differs when the
interval is on the better side of zero, agrees when it excludes a tenth of the range, and is open else. Intervals are of
one claim each: of a hundred that hold for no reason, a few are expected to agree.

The paper says both that risk-averse strategies improve and that ANPEI is the exception. Both can be true if ANPEI gains
less on its twin than RAHBO and RAEUBO do on theirs, so that is its claim in Figure 2 and in the ranks; that ANPEI gains
at all, and that it does not, are given as our readings. What the paper measures is its metric; other readings of its
text are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from anchorpbo.research.experiments import run_metrics
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.paired_comparisons import (
    TITLES,
    WORDS,
    Claims,
    above_minus_margin,
    add_constant_noise,
    below_margin,
    compare,
    compare_anpei,
    compare_with_all,
    compare_with_twins,
    improves,
    improves_over_all_rounds,
    is_competitive,
    is_one_of,
    make_claim,
    margin_of,
    mark_as_ours,
    not_ahead,
    problems_of,
    rows_of,
    twin_sides,
    value_sides,
    with_all_strategies,
)
from anchorpbo.research.experiments.run_metrics import RoundRange
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS
from anchorpbo.research.experiments.verdicts import OURS, Claim

GAINS: Mapping[str, RoundRange] = {"risk_adjusted": "last", "value": "last", "pair_noise": "all"}
"""The paper's metrics, and the rounds over which a risk-averse strategy is compared with its twin."""
WITHOUT_ANPEI = ("rahbo", "raeubo")
"""The risk-averse strategies that the paper makes no exception for."""
ROUNDING = 1e-6
"""Changes no larger than this come from where a search for x*_t ends."""
UNCHANGED = "nothing changed"
"""The variant of the sensitivity experiment in which nothing is changed."""


def main(records: pl.DataFrame) -> Claims:
    """Figure 2 and what the text says of it."""
    top, middle, bottom = (f"Figure 2, {row}" for row in ("top", "middle", "bottom"))
    for problem in problems_of(records):
        yield from compare_with_twins(records, problem, "risk_adjusted", top, WITHOUT_ANPEI)
        yield from mark_as_ours(compare_with_twins(records, problem, "risk_adjusted", top, ["anpei"]))
        yield from mark_as_ours(compare_with_twins(records, problem, "running_risk_adjusted", top))
        yield from mark_as_ours(
            compare_with_twins(records, problem, "risk_adjusted", top, claim=improves_over_all_rounds)
        )
        yield from mark_as_ours(compare_with_twins(add_constant_noise(records), problem, "constant_noise", top))
        yield from compare_with_twins(records, problem, "value", middle, WITHOUT_ANPEI, claim=is_competitive)
        yield from mark_as_ours(compare_with_twins(records, problem, "value", middle, ["anpei"], claim=is_competitive))
        for metric in ("running_value", "plain_value"):
            yield from mark_as_ours(compare_with_twins(records, problem, metric, middle, claim=is_competitive))
        yield from compare_with_twins(records, problem, "pair_noise", bottom)
    for problem in ("hartmann3", "hartmann4"):
        yield from compare_anpei(records, problem, "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "raeubo", (), "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "rahbo", ("raeubo",), "risk_adjusted", top)


def ackley6(records: pl.DataFrame) -> Claims:
    """Only RAEUBO is said to stay competitive in six dimensions."""
    where, problem, metric = "Figure S3", "ackley6", "risk_adjusted"
    yield from compare_with_twins(records, problem, metric, where, ["raeubo"], claim=is_competitive)
    margin = margin_of(problem)
    for averse in ("anpei", "rahbo"):
        pair = f"{averse.upper()} is not competitive with {TWINS[averse].upper()} on {TITLES[problem]}"
        text, rows = f"{pair} ({WORDS[metric]}): worse by {margin:.2g}", rows_of(records, problem)
        yield from compare(text, where, rows, metric, *twin_sides(averse), lambda gap: gap.below(-margin))
    yield from mark_as_ours(compare_with_twins(records, problem, "pair_noise", where))
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
    """A figure of which the text says nothing; Figure 2's claims, as our reading."""
    for metric in ("risk_adjusted", "pair_noise"):
        yield from mark_as_ours(compare_with_twins(records, "hartmann3", metric, "Figure S5"))


def anchor_quality(records: pl.DataFrame) -> Claims:
    """Anchors near the optimum are said to speed it up."""
    for problem in problems_of(records):
        for averse in TWINS:
            rows = rows_of(records, problem).filter(is_one_of([averse]))
            for metric in ("risk_adjusted", "value"):
                what = f"{averse.upper()}'s {WORDS[metric]} on {TITLES[problem]}, mean of all rounds"
                text, near, away = f"Anchors near the optimum raise {what}", *value_sides("anchors", "near", "away")
                yield from compare(text, "Figure 3, top", rows, metric, near, away, Interval.above, "all")


def anchor_count(records: pl.DataFrame) -> Claims:
    """More anchors are said to help, early above all."""
    moments: tuple[tuple[RoundRange, str], ...] = (
        ("early", "in the first third of the rounds"),
        ("last", "in the end"),
    )
    where, metric, sides = "Figure 3, middle", "risk_adjusted", value_sides("told", 50, 5)
    for averse in TWINS:
        rows = records.filter(is_one_of([averse]))
        for when, words in moments:
            text = f"50 anchors instead of 5 raise {averse.upper()}'s {WORDS[metric]} {words}"
            yield from compare(text, where, rows, metric, *sides, Interval.above, when)
        early, late = (run_metrics.pair_differences(rows, metric, *sides, when) for when, _ in moments)
        gap = run_metrics.average_differences(early, less=late)
        if gap is not None:
            what = f"{averse.upper()}'s {WORDS[metric]}"
            text = f"50 anchors instead of 5 raise {what} more in the first third than in the end"
            yield make_claim(text, where, gap, Interval.above)


def inference(records: pl.DataFrame) -> Claims:
    """The noise model is said to go with any posterior approximation."""
    for averse in TWINS:
        rows = records.filter(is_one_of([averse]))
        for other, name in (("laplace", "Laplace"), ("ep", "EP")):
            text = f"{averse.upper()} with {name} is competitive with Hallucination Believer"
            sides = value_sides("inference", other, "hallucination")
            judge = above_minus_margin("hartmann3")
            yield from mark_as_ours(compare(text, OURS, rows, "risk_adjusted", *sides, judge))


def ranking(records: pl.DataFrame) -> Claims:
    """Mean ranks in the end; 0 is best, so that less is better."""
    ranked, where = run_metrics.add_ranks(records), "Figure S2"
    for problem in problems_of(records):
        rows = rows_of(ranked, problem)
        for averse in WITHOUT_ANPEI:
            text = f"{averse.upper()} is ahead of {TWINS[averse].upper()} on {TITLES[problem]} by"
            sides = twin_sides(averse)
            yield from compare(f"{text} risk-adjusted rank", where, rows, "risk_adjusted_rank", *sides, Interval.below)
            running = f"{text} running risk-adjusted rank", where, rows, "running_risk_adjusted_rank"
            yield from mark_as_ours(compare(*running, *sides, Interval.below))
        yield from compare_anpei(ranked, problem, "risk_adjusted_rank", where)
        text = f"ANPEI is not ahead of EI on {TITLES[problem]} by risk-adjusted rank"
        yield from mark_as_ours(compare(text, where, rows, "risk_adjusted_rank", *twin_sides("anpei"), not_ahead))
        if problem == "hartmann3":
            yield from compare_with_all(ranked, problem, "rahbo", (), "value_rank", where)
        else:
            text = f"The risk-neutral strategies rank better on {TITLES[problem]} by best value"
            paired, sides = with_all_strategies(rows, STRATEGIES), (is_one_of(TWINS), is_one_of(TWINS.values()))
            yield from compare(text, where, paired, "value_rank", *sides, Interval.above)


def time(records: pl.DataFrame) -> Claims:
    """Ratios of the seconds an ask, by their geometric means."""
    logs = records.with_columns(pl.col("seconds").log().alias("log_seconds"))
    pairs, singles = is_one_of(["eubo", "raeubo"]), is_one_of(["ei", "ucb", "anpei", "rahbo"])
    for problem in problems_of(records):
        rows = with_all_strategies(rows_of(logs, problem), STRATEGIES)
        for one, other, text in (
            (is_one_of(TWINS), is_one_of(TWINS.values()), "Risk-averse strategies take longer than risk-neutral ones"),
            (pairs, singles, "EUBO and RAEUBO, which optimise pairs, take longer than the others"),
        ):
            yield from _ratio(f"{text}, {TITLES[problem]}", rows, one, other)
    for problem in ("hartmann4", "sushi"):
        text = f"An ask takes longer on {TITLES[problem]} than on Hartmann 3D"
        rows = with_all_strategies(logs, STRATEGIES)
        yield from _ratio(text, rows, *value_sides("problem", problem, "hartmann3"))


def _ratio(text: str, logs: pl.DataFrame, one: pl.Expr, other: pl.Expr) -> Claims:
    gap = run_metrics.compare_pairs(logs, "log_seconds", one, other, "all")
    if gap is not None:
        mean, low, high = (math.exp(log) for log in (gap.mean, gap.low, gap.high))
        yield Claim(text, "Table S1", f"{mean:.2f} times", f"{low:.2f} to {high:.2f}", gap.above())


def anchor_placement(labelled: pl.DataFrame) -> Claims:
    """Figure 2's main claim by the place of the anchors, and whether the gain falls with their distance.

    The column `variant` names the place. Settings are chosen by distance alone: the centre drawn by the seed, the
    mean of all corners, the corner nearest to the optimum and that farthest from it.
    """
    for problem in problems_of(labelled):
        rows = rows_of(labelled, problem)
        for averse, plain in TWINS.items():
            found = _gaps_by_place(rows, averse)
            text = f"{averse.upper()}'s {WORDS['risk_adjusted']} is above {plain.upper()}'s on {TITLES[problem]}"
            for setting, gaps in _placements(found).items():
                gap = run_metrics.average_differences(gaps)
                if gap is not None:
                    yield make_claim(text, OURS, gap, Interval.above, setting, "ours")
            corners = [each for place, each in found.items() if place.startswith("corner-")]
            if len(corners) > 2:
                gains = [at_corner["gap"].to_numpy().mean() for _, at_corner in corners]
                slope = Interval.of_slope([distance for distance, _ in corners], gains)
                if min(len(at_corner) for _, at_corner in corners) < 2:  # one run says nothing of a corner
                    slope = Interval(slope.mean, -math.inf, math.inf)
                what = f"The gain of {averse.upper()} falls with the distance of the anchors, {TITLES[problem]}"
                yield make_claim(what, OURS, slope, Interval.below, f"slope over {len(corners)} corners", "ours")


def sensitivity(labelled: pl.DataFrame) -> Claims:
    """Figure 2's claims again, ANPEI's as those of the others, and which settings that the paper leaves open move them.

    The column `variant` names the setting that was changed. It moves a claim, and has a row of its own, when the
    difference of the differences, paired by seed, is not zero.
    """
    for problem in problems_of(labelled):
        for averse in TWINS:
            for metric in GAINS:
                yield from mark_as_ours(_moved(rows_of(labelled, problem), problem, averse, metric))


def _moved(rows: pl.DataFrame, problem: str, averse: str, metric: str) -> Claims:
    text, judge, when = (is_competitive if metric == "value" else improves)(averse, metric, problem)
    found = {
        str(variant): run_metrics.pair_differences(
            rows.filter(pl.col("variant") == variant), metric, *twin_sides(averse), when
        )
        for variant in rows["variant"].unique(maintain_order=True).sort()
    }
    base = found.pop(UNCHANGED, None)
    usual = None if base is None else run_metrics.average_differences(base)
    if base is None or usual is None:
        return
    yield make_claim(text, OURS, usual, judge, UNCHANGED)
    for variant, gaps in found.items():
        here, change = run_metrics.average_differences(gaps), run_metrics.average_differences(gaps, less=base)
        if here is not None and change is not None and (change.low > ROUNDING or change.high < -ROUNDING):
            yield make_claim(text, OURS, here, judge, variant)


def _gaps_by_place(rows: pl.DataFrame, averse: str) -> dict[str, tuple[float, pl.DataFrame]]:
    """How far each place is from the optimum, and the gains there, seed by seed."""
    found = {}
    for (place,), part in rows.group_by("variant", maintain_order=True):
        gaps = run_metrics.pair_differences(part, "risk_adjusted", *twin_sides(averse))
        if len(gaps):
            found[str(place)] = part["anchor_distance"].to_numpy().mean(), gaps
    return found


def _placements(found: Mapping[str, tuple[float, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    corners = {place: each for place, each in found.items() if place.startswith("corner-")}
    settings = {} if "away" not in found else {"centre drawn by the seed": found["away"][1]}
    if corners:
        every = pl.concat([gaps for _, gaps in corners.values()])
        settings["mean of the corners"] = every.group_by("seed").agg(pl.col("gap").mean()).sort("seed")
        for words, choose in (("nearest", min), ("farthest", max)):
            distance, gaps = choose(corners.values(), key=lambda each: each[0])
            settings[f"{words} corner, anchors {distance:.2f} away"] = gaps
    return settings
