"""Verdicts on the paper's claims about its studies.

A claim that A is larger than B agrees if the 95 % interval of the paired difference is above zero, differs if it is
below, and is open if it contains zero. "Competitive" means not worse by more than a tenth of the range of the problem's
utility: the interval must exclude such a loss. "Does not improve" differs if the interval is on the better side of
zero, agrees if it excludes a tenth of the range, and is open otherwise. Intervals are not corrected for multiple
claims: among a hundred claims without any effect, a few are expected to agree.

The paper says both that risk-averse strategies improve and that ANPEI is the exception. Both can be true if ANPEI gains
less on its twin than RAHBO and RAEUBO do on theirs, so this is its claim in Figure 2 and in the ranks. The claims that
ANPEI gains, and that it does not, are our readings. Claims measured by the paper's own metric have the reading "paper";
other readings of its text are "ours".
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from anchorpbo.research.experiments import run_metrics
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.paired_comparisons import (
    METRIC_NAMES,
    PROBLEM_TITLES,
    Claims,
    add_constant_noise,
    claim_competitiveness,
    claim_improvement,
    claim_mean_improvement,
    compare,
    compare_anpei,
    compare_with_all,
    compare_with_twins,
    compute_margin,
    filter_strategies,
    filter_twins,
    filter_values,
    judge_not_ahead,
    keep_complete_seeds,
    list_problems,
    make_below_margin_rule,
    make_claim,
    make_margin_rule,
    mark_as_ours,
    select_problem,
)
from anchorpbo.research.experiments.run_metrics import RoundRange
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS
from anchorpbo.research.experiments.verdicts import OWN_ITEM, Claim

GAIN_METRICS: Mapping[str, RoundRange] = {"risk_adjusted": "last", "value": "last", "pair_noise": "all"}
"""The paper's metrics, with the rounds over which a risk-averse strategy is compared with its twin."""
WITHOUT_ANPEI = ("rahbo", "raeubo")
"""The risk-averse strategies without ANPEI, the paper's exception."""
SEARCH_TOLERANCE = 1e-6
"""Changes up to this size come from the tolerance of the search for x*_t."""
UNCHANGED = "nothing changed"
"""The sensitivity experiment's variant with unchanged settings."""


def judge_main(records: pl.DataFrame) -> Claims:
    """Judge Figure 2 and the text about it."""
    top, middle, bottom = (f"Figure 2, {row}" for row in ("top", "middle", "bottom"))
    for problem in list_problems(records):
        yield from compare_with_twins(records, problem, "risk_adjusted", top, WITHOUT_ANPEI)
        yield from mark_as_ours(compare_with_twins(records, problem, "risk_adjusted", top, ["anpei"]))
        yield from mark_as_ours(compare_with_twins(records, problem, "running_risk_adjusted", top))
        yield from mark_as_ours(
            compare_with_twins(records, problem, "risk_adjusted", top, claim=claim_mean_improvement)
        )
        yield from mark_as_ours(compare_with_twins(add_constant_noise(records), problem, "constant_noise", top))
        yield from compare_with_twins(records, problem, "value", middle, WITHOUT_ANPEI, claim=claim_competitiveness)
        yield from mark_as_ours(
            compare_with_twins(records, problem, "value", middle, ["anpei"], claim=claim_competitiveness)
        )
        for metric in ("running_value", "plain_value"):
            yield from mark_as_ours(compare_with_twins(records, problem, metric, middle, claim=claim_competitiveness))
        yield from compare_with_twins(records, problem, "pair_noise", bottom)
    for problem in ("hartmann3", "hartmann4"):
        yield from compare_anpei(records, problem, "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "raeubo", (), "risk_adjusted", top)
    yield from compare_with_all(records, "sushi", "rahbo", ("raeubo",), "risk_adjusted", top)


def judge_ackley6(records: pl.DataFrame) -> Claims:
    """Judge that only RAEUBO stays competitive in six dimensions."""
    where, problem, metric = "Figure S3", "ackley6", "risk_adjusted"
    yield from compare_with_twins(records, problem, metric, where, ["raeubo"], claim=claim_competitiveness)
    margin = compute_margin(problem)
    for averse in ("anpei", "rahbo"):
        pair = f"{averse.upper()} is not competitive with {TWINS[averse].upper()} on {PROBLEM_TITLES[problem]}"
        text, rows = f"{pair} ({METRIC_NAMES[metric]}): worse by {margin:.2g}", select_problem(records, problem)
        yield from compare(text, where, rows, metric, *filter_twins(averse), lambda gap: gap.judge_below(-margin))
    yield from mark_as_ours(compare_with_twins(records, problem, "pair_noise", where))
    for each in ("risk_adjusted", "value"):
        yield from mark_as_ours(compare_with_all(records, problem, "raeubo", (), each, where))


def judge_candy(records: pl.DataFrame) -> Claims:
    """Judge that risk-averse strategies except RAEUBO win on both metrics."""
    where, problem = "Figure S4", "candy"
    for metric in ("risk_adjusted", "value"):
        yield from compare_with_twins(records, problem, metric, where, ["anpei", "rahbo"])
        text = f"RAEUBO does not improve on EUBO on {PROBLEM_TITLES[problem]} ({METRIC_NAMES[metric]})"
        yield from compare(
            text,
            where,
            select_problem(records, problem),
            metric,
            *filter_twins("raeubo"),
            make_below_margin_rule(problem),
        )
    yield from compare_with_twins(records, problem, "pair_noise", where)


def judge_five_anchors(records: pl.DataFrame) -> Claims:
    """Judge Figure 2's claims, as our reading, for a figure that the text does not mention."""
    for metric in ("risk_adjusted", "pair_noise"):
        yield from mark_as_ours(compare_with_twins(records, "hartmann3", metric, "Figure S5"))


def judge_anchor_quality(records: pl.DataFrame) -> Claims:
    """Judge that anchors near the optimum speed up convergence."""
    for problem in list_problems(records):
        for averse in TWINS:
            rows = select_problem(records, problem).filter(filter_strategies([averse]))
            for metric in ("risk_adjusted", "value"):
                what = f"{averse.upper()}'s {METRIC_NAMES[metric]} on {PROBLEM_TITLES[problem]}, mean of all rounds"
                text, near, away = f"Anchors near the optimum raise {what}", *filter_values("anchors", "near", "away")
                yield from compare(text, "Figure 3, top", rows, metric, near, away, Interval.judge_above, "all")


def judge_anchor_count(records: pl.DataFrame) -> Claims:
    """Judge that more anchors help, especially early."""
    moments: tuple[tuple[RoundRange, str], ...] = (
        ("early", "in the first third of the rounds"),
        ("last", "in the end"),
    )
    where, metric, sides = "Figure 3, middle", "risk_adjusted", filter_values("told", 50, 5)
    for averse in TWINS:
        rows = records.filter(filter_strategies([averse]))
        for when, words in moments:
            text = f"50 anchors instead of 5 raise {averse.upper()}'s {METRIC_NAMES[metric]} {words}"
            yield from compare(text, where, rows, metric, *sides, Interval.judge_above, when)
        early, late = (run_metrics.pair_differences(rows, metric, *sides, when) for when, _ in moments)
        gap = run_metrics.average_differences(early, less=late)
        if gap is not None:
            what = f"{averse.upper()}'s {METRIC_NAMES[metric]}"
            text = f"50 anchors instead of 5 raise {what} more in the first third than in the end"
            yield make_claim(text, where, gap, Interval.judge_above)


def judge_inference(records: pl.DataFrame) -> Claims:
    """Judge that the noise model works with any posterior approximation."""
    for averse in TWINS:
        rows = records.filter(filter_strategies([averse]))
        for other, name in (("laplace", "Laplace"), ("ep", "EP")):
            text = f"{averse.upper()} with {name} is competitive with Hallucination Believer"
            sides = filter_values("inference", other, "hallucination")
            judge = make_margin_rule("hartmann3")
            yield from mark_as_ours(compare(text, OWN_ITEM, rows, "risk_adjusted", *sides, judge))


def judge_ranking(records: pl.DataFrame) -> Claims:
    """Judge final mean ranks; 0 is best."""
    ranked, where = run_metrics.add_ranks(records), "Figure S2"
    for problem in list_problems(records):
        rows = select_problem(ranked, problem)
        for averse in WITHOUT_ANPEI:
            text = f"{averse.upper()} is ahead of {TWINS[averse].upper()} on {PROBLEM_TITLES[problem]} by"
            sides = filter_twins(averse)
            yield from compare(
                f"{text} risk-adjusted rank", where, rows, "risk_adjusted_rank", *sides, Interval.judge_below
            )
            running = f"{text} running risk-adjusted rank", where, rows, "running_risk_adjusted_rank"
            yield from mark_as_ours(compare(*running, *sides, Interval.judge_below))
        yield from compare_anpei(ranked, problem, "risk_adjusted_rank", where)
        text = f"ANPEI is not ahead of EI on {PROBLEM_TITLES[problem]} by risk-adjusted rank"
        yield from mark_as_ours(
            compare(text, where, rows, "risk_adjusted_rank", *filter_twins("anpei"), judge_not_ahead)
        )
        if problem == "hartmann3":
            yield from compare_with_all(ranked, problem, "rahbo", (), "value_rank", where)
        else:
            text = f"The risk-neutral strategies rank better on {PROBLEM_TITLES[problem]} by best value"
            paired, sides = (
                keep_complete_seeds(rows, STRATEGIES),
                (filter_strategies(TWINS), filter_strategies(TWINS.values())),
            )
            yield from compare(text, where, paired, "value_rank", *sides, Interval.judge_above)


def judge_time(records: pl.DataFrame) -> Claims:
    """Judge ratios of seconds per ask, by their geometric means."""
    logs = records.with_columns(pl.col("seconds").log().alias("log_seconds"))
    pairs, singles = filter_strategies(["eubo", "raeubo"]), filter_strategies(["ei", "ucb", "anpei", "rahbo"])
    for problem in list_problems(records):
        rows = keep_complete_seeds(select_problem(logs, problem), STRATEGIES)
        for one, other, text in (
            (
                filter_strategies(TWINS),
                filter_strategies(TWINS.values()),
                "Risk-averse strategies take longer than risk-neutral ones",
            ),
            (pairs, singles, "EUBO and RAEUBO, which optimise pairs, take longer than the others"),
        ):
            yield from _judge_ratio(f"{text}, {PROBLEM_TITLES[problem]}", rows, one, other)
    for problem in ("hartmann4", "sushi"):
        text = f"An ask takes longer on {PROBLEM_TITLES[problem]} than on Hartmann 3D"
        rows = keep_complete_seeds(logs, STRATEGIES)
        yield from _judge_ratio(text, rows, *filter_values("problem", problem, "hartmann3"))


def _judge_ratio(text: str, logs: pl.DataFrame, one: pl.Expr, other: pl.Expr) -> Claims:
    gap = run_metrics.compare_pairs(logs, "log_seconds", one, other, "all")
    if gap is not None:
        mean, low, high = (math.exp(log) for log in (gap.mean, gap.low, gap.high))
        yield Claim(text, "Table S1", f"{mean:.2f} times", f"{low:.2f} to {high:.2f}", gap.judge_above())


def judge_anchor_placement(labelled: pl.DataFrame) -> Claims:
    """Judge Figure 2's main claim per placement of the anchors, and whether the gain falls with their distance.

    The column `variant` names the placement. Settings are chosen only by distance: the centre drawn by the seed, the
    mean of all corners, the corner nearest to the optimum and the corner farthest from it.
    """
    for problem in list_problems(labelled):
        rows = select_problem(labelled, problem)
        for averse, plain in TWINS.items():
            found = _compare_by_placement(rows, averse)
            metric, title = METRIC_NAMES["risk_adjusted"], PROBLEM_TITLES[problem]
            text = f"{averse.upper()}'s {metric} is above {plain.upper()}'s on {title}"
            for setting, gaps in _choose_placements(found).items():
                gap = run_metrics.average_differences(gaps)
                if gap is not None:
                    yield make_claim(text, OWN_ITEM, gap, Interval.judge_above, setting, "ours")
            corners = [each for place, each in found.items() if place.startswith("corner-")]
            if len(corners) > 2:
                gains = [at_corner["gap"].to_numpy().mean() for _, at_corner in corners]
                slope = Interval.of_slope([distance for distance, _ in corners], gains)
                if min(len(at_corner) for _, at_corner in corners) < 2:  # too few runs for a corner's gain
                    slope = Interval(slope.mean, -math.inf, math.inf)
                what = f"The gain of {averse.upper()} falls with the distance of the anchors, {PROBLEM_TITLES[problem]}"
                yield make_claim(
                    what, OWN_ITEM, slope, Interval.judge_below, f"slope over {len(corners)} corners", "ours"
                )


def judge_sensitivity(labelled: pl.DataFrame) -> Claims:
    """Judge Figure 2's claims, ANPEI's like the others, and the effect of settings that the paper leaves open.

    The column `variant` names the changed setting. A setting gets its own claim if it changes the gain: the difference
    of the differences, paired by seed, is significantly different from zero.
    """
    for problem in list_problems(labelled):
        for averse in TWINS:
            for metric in GAIN_METRICS:
                yield from mark_as_ours(_judge_changes(select_problem(labelled, problem), problem, averse, metric))


def _judge_changes(rows: pl.DataFrame, problem: str, averse: str, metric: str) -> Claims:
    text, judge, when = (claim_competitiveness if metric == "value" else claim_improvement)(averse, metric, problem)
    found = {
        str(variant): run_metrics.pair_differences(
            rows.filter(pl.col("variant") == variant), metric, *filter_twins(averse), when
        )
        for variant in rows["variant"].unique(maintain_order=True).sort()
    }
    base = found.pop(UNCHANGED, None)
    usual = None if base is None else run_metrics.average_differences(base)
    if base is None or usual is None:
        return
    yield make_claim(text, OWN_ITEM, usual, judge, UNCHANGED)
    for variant, gaps in found.items():
        here, change = run_metrics.average_differences(gaps), run_metrics.average_differences(gaps, less=base)
        if (
            here is not None
            and change is not None
            and (change.low > SEARCH_TOLERANCE or change.high < -SEARCH_TOLERANCE)
        ):
            yield make_claim(text, OWN_ITEM, here, judge, variant)


def _compare_by_placement(rows: pl.DataFrame, averse: str) -> dict[str, tuple[float, pl.DataFrame]]:
    """Return the distance of each placement from the optimum, and the gains there by seed."""
    found = {}
    for (place,), part in rows.group_by("variant", maintain_order=True):
        gaps = run_metrics.pair_differences(part, "risk_adjusted", *filter_twins(averse))
        if len(gaps):
            found[str(place)] = part["anchor_distance"].to_numpy().mean(), gaps
    return found


def _choose_placements(found: Mapping[str, tuple[float, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    corners = {place: each for place, each in found.items() if place.startswith("corner-")}
    settings = {} if "away" not in found else {"centre drawn by the seed": found["away"][1]}
    if corners:
        every = pl.concat([gaps for _, gaps in corners.values()])
        settings["mean of the corners"] = every.group_by("seed").agg(pl.col("gap").mean()).sort("seed")
        for words, choose in (("nearest", min), ("farthest", max)):
            distance, gaps = choose(corners.values(), key=lambda each: each[0])
            settings[f"{words} corner, anchors {distance:.2f} away"] = gaps
    return settings
