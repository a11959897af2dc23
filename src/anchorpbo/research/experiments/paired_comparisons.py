"""Claims on differences paired by seed: against a risk-neutral twin, within a margin, against all other strategies.

`anchorpbo.research.experiments.study_claims` states the rules of the verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import polars as pl

from anchorpbo.problems import get_problem
from anchorpbo.research.experiments import run_metrics
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.run_metrics import RoundRange
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS
from anchorpbo.research.experiments.verdicts import Claim, Reading, Verdict

MARGIN = 0.1
"""Largest loss that still counts as competitive, as a share of the problem's range of utilities."""
RANK_MARGIN = 0.5
"""Largest difference of mean ranks, among six strategies, that still counts as equal."""
METRIC_NAMES = {
    "risk_adjusted": "risk-adjusted best value",
    "value": "best value",
    "pair_noise": "noise of the queried pairs",
    "constant_noise": "risk-adjusted best value, risk-neutral strategies taking the noise for constant,",
    "plain_value": "best value where the mean is largest",
    "running_risk_adjusted": "running risk-adjusted best value",
    "running_value": "running best value",
}
PROBLEM_TITLES = {
    "hartmann3": "Hartmann 3D",
    "hartmann4": "Hartmann 4D",
    "ackley6": "Ackley 6D",
    "sushi": "Sushi 4D",
    "candy": "Candy 2D",
}

Claims = Iterator[Claim]
VerdictRule = Callable[[Interval], Verdict]


def compare(
    text: str,
    where: str,
    rows: pl.DataFrame,
    metric: str,
    one: pl.Expr,
    other: pl.Expr,
    judge: VerdictRule,
    when: RoundRange = "last",
) -> Claims:
    """Yield a claim on a paired difference, or nothing if there are no runs to compare."""
    gap = run_metrics.compare_pairs(rows, metric, one, other, when)
    if gap is not None:
        yield make_claim(text, where, gap, judge)


def make_claim(
    text: str, where: str, gap: Interval, judge: VerdictRule, setting: str = "", reading: Reading = "paper"
) -> Claim:
    """Return a claim on a difference, with the verdict of a rule."""
    return Claim(text, where, f"{gap.mean:+.3f}", gap.format_bounds(), judge(gap), setting, reading)


def mark_as_ours(claims: Claims) -> Claims:
    """Mark claims as our readings."""
    return (replace(claim, reading="ours") for claim in claims)


TwinClaim = Callable[[str, str, str], tuple[str, VerdictRule, RoundRange]]
"""Maps a risk-averse strategy, a metric and a problem to the claim's text, its rule and the rounds it is about."""


def claim_improvement(averse: str, metric: str, problem: str) -> tuple[str, VerdictRule, RoundRange]:
    """Return the claim that a risk-averse strategy beats its twin: less noise, or a higher final value."""
    side, judge, when = _METRIC_RULES.get(metric, ("above", Interval.judge_above, "last"))
    text = f"{averse.upper()}'s {METRIC_NAMES[metric]} is {side} {TWINS[averse].upper()}'s on {PROBLEM_TITLES[problem]}"
    return text, judge, when


_METRIC_RULES: dict[str, tuple[str, VerdictRule, RoundRange]] = {"pair_noise": ("below", Interval.judge_below, "all")}


def claim_mean_improvement(averse: str, metric: str, problem: str) -> tuple[str, VerdictRule, RoundRange]:
    """Return the claim that the mean of all rounds is higher, which rewards speed."""
    text = f"{averse.upper()}'s {METRIC_NAMES[metric]}, mean of all rounds, is above {TWINS[averse].upper()}'s on"
    return f"{text} {PROBLEM_TITLES[problem]}", Interval.judge_above, "all"


def claim_competitiveness(averse: str, metric: str, problem: str) -> tuple[str, VerdictRule, RoundRange]:
    """Return the claim that a risk-averse strategy is not worse than its twin by the margin."""
    pair = f"{averse.upper()} is competitive with {TWINS[averse].upper()} on {PROBLEM_TITLES[problem]}"
    text = f"{pair} ({METRIC_NAMES[metric]}): not worse by {compute_margin(problem):.2g}"
    return text, make_margin_rule(problem), "last"


def compare_with_twins(
    records: pl.DataFrame,
    problem: str,
    metric: str,
    where: str,
    strategies: Iterable[str] = TWINS,
    claim: TwinClaim = claim_improvement,
) -> Claims:
    """Compare each risk-averse strategy with its risk-neutral twin."""
    for averse in strategies:
        text, judge, when = claim(averse, metric, problem)
        yield from compare(text, where, select_problem(records, problem), metric, *filter_twins(averse), judge, when)


def compare_anpei(records: pl.DataFrame, problem: str, metric: str, where: str) -> Claims:
    """Compare ANPEI's gap to its twin with the mean of RAHBO's and RAEUBO's."""
    rows, lower = select_problem(records, problem), metric.endswith("rank")
    anpei, rahbo, raeubo = (run_metrics.pair_differences(rows, metric, *filter_twins(averse)) for averse in TWINS)
    others = rahbo.join(raeubo, on="seed", suffix="_too").select(
        "seed", (0.5 * (pl.col("gap") + pl.col("gap_too"))).alias("gap")
    )
    gap = run_metrics.average_differences(anpei, less=others)
    if gap is not None:
        by = " by risk-adjusted rank" if lower else ""
        text = f"ANPEI gains less on its twin than RAHBO and RAEUBO on theirs on {PROBLEM_TITLES[problem]}{by}"
        yield make_claim(text, where, gap, Interval.judge_above if lower else Interval.judge_below)


def compare_with_all(
    records: pl.DataFrame, problem: str, strategy: str, except_for: tuple[str, ...], metric: str, where: str
) -> Claims:
    """Compare a strategy with all others except some; the claim shows the closest one that decides the verdict."""
    lower = metric.endswith("rank")
    rows = keep_complete_seeds(select_problem(records, problem), STRATEGIES)
    judge: VerdictRule = Interval.judge_below if lower else Interval.judge_above
    gaps = {
        other: run_metrics.compare_pairs(rows, metric, filter_strategies([strategy]), filter_strategies([other]))
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
    words = "rank by best value" if lower else METRIC_NAMES[metric]
    text = f"{strategy.upper()} is {place} on {PROBLEM_TITLES[problem]} ({words}); its nearest rival is {rival.upper()}"
    yield Claim(text, where, f"{found[rival].mean:+.3f}", found[rival].format_bounds(), verdict)


def add_constant_noise(records: pl.DataFrame) -> pl.DataFrame:
    """Add the metric in which risk-neutral strategies assume constant noise for x*_t too."""
    plain = pl.col("strategy").is_in(list(TWINS.values()))
    own = pl.when(plain).then(pl.col("plain_risk_adjusted")).otherwise(pl.col("risk_adjusted"))
    return records.with_columns(own.alias("constant_noise"))


def list_problems(records: pl.DataFrame) -> list[str]:
    """Return the problems of the records, in the order of the paper."""
    there = set(records["problem"].unique())
    return [name for name in PROBLEM_TITLES if name in there]


def select_problem(records: pl.DataFrame, problem: str) -> pl.DataFrame:
    """Return the records of one problem."""
    return records.filter(pl.col("problem") == problem)


def keep_complete_seeds(rows: pl.DataFrame, strategies: Iterable[str]) -> pl.DataFrame:
    """Keep the seeds with runs of all these strategies, so that their means are comparable."""
    names = list(strategies)
    ran = pl.col("strategy").filter(pl.col("strategy").is_in(names)).n_unique().over("seed")
    return rows.filter(ran == len(names))


def filter_strategies(strategies: Iterable[str]) -> pl.Expr:
    """Return a filter for rows of these strategies."""
    return pl.col("strategy").is_in(list(strategies))


def filter_twins(averse: str) -> tuple[pl.Expr, pl.Expr]:
    """Return two filters: rows of a risk-averse strategy, and rows of its twin."""
    return filter_strategies([averse]), filter_strategies([TWINS[averse]])


def filter_values(setting: str, one: str | int, other: str | int) -> tuple[pl.Expr, pl.Expr]:
    """Return two filters: rows in which a setting has one value, and rows in which it has the other."""
    return pl.col(setting) == one, pl.col(setting) == other


def judge_not_ahead(gap: Interval) -> Verdict:
    """Judge that a rank is not ahead of another by `RANK_MARGIN`; a smaller rank is better."""
    return Interval(-gap.mean, -gap.high, -gap.low).judge_not_above(RANK_MARGIN)


def compute_margin(problem: str) -> float:
    """Return the largest loss that still counts as competitive, in units of the problem's utility."""
    of = get_problem(problem)
    return MARGIN * (of.maximum - of.minimum)


def make_margin_rule(problem: str) -> VerdictRule:
    """Return the rule that a difference is not below zero by more than the margin."""
    return lambda gap: gap.judge_above(-compute_margin(problem))


def make_below_margin_rule(problem: str) -> VerdictRule:
    """Return the rule that a difference is not above zero; it agrees if the interval excludes the margin."""
    return lambda gap: gap.judge_not_above(compute_margin(problem))
