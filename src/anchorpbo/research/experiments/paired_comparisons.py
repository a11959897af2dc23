"""Ways to compare runs, each of which makes claims: against a twin, within a margin, with all others.

Claims are on differences paired by seed, see `anchorpbo.research.experiments.study_claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import polars as pl

from anchorpbo.problems import problem_of
from anchorpbo.research.experiments import run_metrics
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.run_metrics import RoundRange
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS
from anchorpbo.research.experiments.verdicts import Claim, Reading, Verdict

MARGIN = 0.1
"""Largest loss that still counts as competitive, as a share of the problem's range of utilities."""
RANK_MARGIN = 0.5
"""Largest difference of mean ranks, among six strategies, that still counts as equal."""
WORDS = {
    "risk_adjusted": "risk-adjusted best value",
    "value": "best value",
    "pair_noise": "noise of the queried pairs",
    "constant_noise": "risk-adjusted best value, risk-neutral strategies taking the noise for constant,",
    "plain_value": "best value where the mean is largest",
    "running_risk_adjusted": "running risk-adjusted best value",
    "running_value": "running best value",
}
TITLES = {
    "hartmann3": "Hartmann 3D",
    "hartmann4": "Hartmann 4D",
    "ackley6": "Ackley 6D",
    "sushi": "Sushi 4D",
    "candy": "Candy 2D",
}

Claims = Iterator[Claim]
Judge = Callable[[Interval], Verdict]


def compare(
    text: str,
    where: str,
    rows: pl.DataFrame,
    metric: str,
    one: pl.Expr,
    other: pl.Expr,
    judge: Judge,
    when: RoundRange = "last",
) -> Claims:
    """Yield a claim on a paired difference, or nothing if there are no runs to compare."""
    gap = run_metrics.compare_pairs(rows, metric, one, other, when)
    if gap is not None:
        yield make_claim(text, where, gap, judge)


def make_claim(
    text: str, where: str, gap: Interval, judge: Judge, setting: str = "", reading: Reading = "paper"
) -> Claim:
    """Return a claim on a difference, with the verdict of a rule."""
    return Claim(text, where, f"{gap.mean:+.3f}", gap.said(), judge(gap), setting, reading)


def mark_as_ours(claims: Claims) -> Claims:
    """Mark claims as our readings."""
    return (replace(claim, reading="ours") for claim in claims)


TwinClaim = Callable[[str, str, str], tuple[str, Judge, RoundRange]]
"""Maps a risk-averse strategy, a metric and a problem to the claim's text, its rule and the rounds it is about."""


def improves(averse: str, metric: str, problem: str) -> tuple[str, Judge, RoundRange]:
    """The claim that a risk-averse strategy is better than its twin: less noisy, or higher in the end."""
    side, judge, when = _SIDES.get(metric, ("above", Interval.above, "last"))
    text = f"{averse.upper()}'s {WORDS[metric]} is {side} {TWINS[averse].upper()}'s on {TITLES[problem]}"
    return text, judge, when


_SIDES: dict[str, tuple[str, Judge, RoundRange]] = {"pair_noise": ("below", Interval.below, "all")}


def improves_over_all_rounds(averse: str, metric: str, problem: str) -> tuple[str, Judge, RoundRange]:
    """The claim that the mean of all rounds is higher, which rewards speed."""
    text = f"{averse.upper()}'s {WORDS[metric]}, mean of all rounds, is above {TWINS[averse].upper()}'s on"
    return f"{text} {TITLES[problem]}", Interval.above, "all"


def is_competitive(averse: str, metric: str, problem: str) -> tuple[str, Judge, RoundRange]:
    """The claim that a risk-averse strategy is not worse than its twin by the margin."""
    pair = f"{averse.upper()} is competitive with {TWINS[averse].upper()} on {TITLES[problem]}"
    text = f"{pair} ({WORDS[metric]}): not worse by {margin_of(problem):.2g}"
    return text, above_minus_margin(problem), "last"


def compare_with_twins(
    records: pl.DataFrame,
    problem: str,
    metric: str,
    where: str,
    strategies: Iterable[str] = TWINS,
    claim: TwinClaim = improves,
) -> Claims:
    """Compare risk-averse strategies, each with its risk-neutral twin."""
    for averse in strategies:
        text, judge, when = claim(averse, metric, problem)
        yield from compare(text, where, rows_of(records, problem), metric, *twin_sides(averse), judge, when)


def compare_anpei(records: pl.DataFrame, problem: str, metric: str, where: str) -> Claims:
    """Compare ANPEI's gap to its twin with the mean of RAHBO's and RAEUBO's."""
    rows, lower = rows_of(records, problem), metric.endswith("rank")
    anpei, rahbo, raeubo = (run_metrics.pair_differences(rows, metric, *twin_sides(averse)) for averse in TWINS)
    others = rahbo.join(raeubo, on="seed", suffix="_too").select(
        "seed", (0.5 * (pl.col("gap") + pl.col("gap_too"))).alias("gap")
    )
    gap = run_metrics.average_differences(anpei, less=others)
    if gap is not None:
        by = " by risk-adjusted rank" if lower else ""
        text = f"ANPEI gains less on its twin than RAHBO and RAEUBO on theirs on {TITLES[problem]}{by}"
        yield make_claim(text, where, gap, Interval.above if lower else Interval.below)


def compare_with_all(
    records: pl.DataFrame, problem: str, strategy: str, except_for: tuple[str, ...], metric: str, where: str
) -> Claims:
    """Compare a strategy with all others except some; the claim shows the nearest of those that decide the verdict."""
    lower = metric.endswith("rank")
    rows = with_all_strategies(rows_of(records, problem), STRATEGIES)
    judge: Judge = Interval.below if lower else Interval.above
    gaps = {
        other: run_metrics.compare_pairs(rows, metric, is_one_of([strategy]), is_one_of([other]))
        for other in STRATEGIES
        if other not in (strategy, *except_for)
    }
    found = {other: gap for other, gap in gaps.items() if gap is not None}
    if not found:
        return
    verdicts = {other: judge(gap) for other, gap in found.items()}
    order: tuple[Verdict, ...] = ("differs", "open", "agrees")
    verdict = next(each for each in order if each in verdicts.values())
    deciding = [other for other in found if verdicts[other] == verdict]
    rival = min(deciding, key=lambda other: -found[other].mean if lower else found[other].mean)
    place = f"second to {except_for[0].upper()}" if except_for else "the best"
    words = "rank by best value" if lower else WORDS[metric]
    text = f"{strategy.upper()} is {place} on {TITLES[problem]} ({words}); its nearest rival is {rival.upper()}"
    yield Claim(text, where, f"{found[rival].mean:+.3f}", found[rival].said(), verdict)


def add_constant_noise(records: pl.DataFrame) -> pl.DataFrame:
    """Add the metric for which risk-neutral strategies take the noise for constant also in x*_t."""
    plain = pl.col("strategy").is_in(list(TWINS.values()))
    own = pl.when(plain).then(pl.col("plain_risk_adjusted")).otherwise(pl.col("risk_adjusted"))
    return records.with_columns(own.alias("constant_noise"))


def problems_of(records: pl.DataFrame) -> list[str]:
    """The problems that records are of, in the order of the paper."""
    there = set(records["problem"].unique())
    return [name for name in TITLES if name in there]


def rows_of(records: pl.DataFrame, problem: str) -> pl.DataFrame:
    """The records of one problem."""
    return records.filter(pl.col("problem") == problem)


def with_all_strategies(rows: pl.DataFrame, strategies: Iterable[str]) -> pl.DataFrame:
    """The seeds with which all of these strategies were run: a mean over some of them would be of other things."""
    names = list(strategies)
    ran = pl.col("strategy").filter(pl.col("strategy").is_in(names)).n_unique().over("seed")
    return rows.filter(ran == len(names))


def is_one_of(strategies: Iterable[str]) -> pl.Expr:
    """Return a filter for rows of these strategies."""
    return pl.col("strategy").is_in(list(strategies))


def twin_sides(averse: str) -> tuple[pl.Expr, pl.Expr]:
    """Return two filters: rows of a risk-averse strategy, and rows of its twin."""
    return is_one_of([averse]), is_one_of([TWINS[averse]])


def value_sides(setting: str, one: str | int, other: str | int) -> tuple[pl.Expr, pl.Expr]:
    """Return two filters: rows in which a setting has one value, and rows in which it has the other."""
    return pl.col(setting) == one, pl.col(setting) == other


def not_ahead(gap: Interval) -> Verdict:
    """The rule that a rank is not ahead of another, where less is better: not by half a place."""
    return Interval(-gap.mean, -gap.high, -gap.low).not_above(RANK_MARGIN)


def margin_of(problem: str) -> float:
    """Return the largest loss that still counts as competitive, in units of the problem's utility."""
    of = problem_of(problem)
    return MARGIN * (of.maximum - of.minimum)


def above_minus_margin(problem: str) -> Judge:
    """The rule that a difference is not below zero by the margin."""
    return lambda gap: gap.above(-margin_of(problem))


def below_margin(problem: str) -> Judge:
    """The rule that a difference is not above zero, and by the margin at most."""
    return lambda gap: gap.not_above(margin_of(problem))
