"""What the paper says of its studies, and what the runs say of that.

A claim that one thing is larger than another agrees when the 95 % interval of the paired difference is above zero,
differs when it is below, and is open when zero is inside. "Competitive" is taken to mean: not worse by more than a
tenth of the range of the problem's utility, which the interval must exclude. "Does not improve" and "is not ahead"
differ when the interval is on the better side of zero, agree when it excludes a tenth of the range, or half a rank, and
are open else. Intervals are of one claim each: of a hundred that hold for no reason, a few are expected to agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import polars as pl

from anchorpbo.experiments import measures
from anchorpbo.experiments.measures import When
from anchorpbo.experiments.paper import Claim, Verdict
from anchorpbo.experiments.statistics import Interval
from anchorpbo.experiments.trial import STRATEGIES, TWINS
from anchorpbo.problems import problem_of

MARGIN = 0.1
"""Of a problem's range of utilities: what still counts as competitive."""
_WORDS = {
    "risk_adjusted": "risk-adjusted best value",
    "value": "best value",
    "pair_noise": "noise of the queried pairs",
    "own_risk_adjusted": "risk-adjusted best value, risk-neutral strategies taking the noise for constant,",
    "plain_value": "best value where the mean is largest",
}
_TITLES = {
    "hartmann3": "Hartmann 3D",
    "hartmann4": "Hartmann 4D",
    "ackley6": "Ackley 6D",
    "sushi": "Sushi 4D",
    "candy": "Candy 2D",
}

RANK_MARGIN = 0.5
"""Places among six that still count as level."""
ROUNDING = 1e-6
"""Changes no larger than this come from where a search for x*_t ends."""
AS_IN_MAIN = "as in main"
"""The variant of the sensitivity experiment in which nothing is changed."""

Claims = Iterator[Claim]
Judge = Callable[[Interval], Verdict]


def main(records: pl.DataFrame) -> Claims:
    """Figure 2 and what the text says of it."""
    where = "Figure 2, section 6"
    for problem in _problems(records):
        yield from _twins(records, problem, "risk_adjusted", where)
        yield from _twins(_measured_apart(records), problem, "own_risk_adjusted", where)
        for metric in ("value", "plain_value"):
            for averse in TWINS:
                yield from _competitive(records, problem, averse, metric, where)
        yield from _twins(records, problem, "pair_noise", where)
    for problem in ("hartmann3", "hartmann4"):
        yield from _sensitive_anpei(records, problem, where)
    yield from _best(records, "sushi", "raeubo", (), "risk_adjusted", where)
    yield from _best(records, "sushi", "rahbo", ("raeubo",), "risk_adjusted", where)


def ackley6(records: pl.DataFrame) -> Claims:
    """Only RAEUBO is said to stay competitive in six dimensions."""
    where, problem, metric = "section 6, Ackley figure", "ackley6", "risk_adjusted"
    yield from _competitive(records, problem, "raeubo", metric, where)
    for averse in ("anpei", "rahbo"):
        text = f"{averse.upper()} falls behind {TWINS[averse].upper()} on {_TITLES[problem]} ({_WORDS[metric]})"
        yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), Interval.below)
    yield from _twins(records, problem, "pair_noise", where)


def candy(records: pl.DataFrame) -> Claims:
    """Risk-averse strategies are said to win on both metrics, RAEUBO excepted."""
    where, problem = "section 6, Candy figure", "candy"
    for metric in ("risk_adjusted", "value"):
        yield from _twins(records, problem, metric, where, but="raeubo")
        text = f"RAEUBO does not improve on EUBO on {_TITLES[problem]} ({_WORDS[metric]})"
        yield from _compared(text, where, _of(records, problem), metric, *_twin("raeubo"), _not_far_above(problem))
    yield from _twins(records, problem, "pair_noise", where)


def five_anchors(records: pl.DataFrame) -> Claims:
    """Few anchors are said to be enough."""
    for metric in ("risk_adjusted", "pair_noise"):
        yield from _twins(records, "hartmann3", metric, "five-anchor figure, which has no text")


def anchor_quality(records: pl.DataFrame) -> Claims:
    """Anchors near the optimum are said to speed it up."""
    for problem in _problems(records):
        for averse in TWINS:
            rows = _of(records, problem).filter(_among([averse]))
            for metric in ("risk_adjusted", "value"):
                what = f"{averse.upper()}'s {_WORDS[metric]} on {_TITLES[problem]}, mean of all rounds"
                text, near, far = f"Anchors near the optimum raise {what}", *_either("anchors", "near", "away")
                yield from _compared(text, "Figure 3, top", rows, metric, near, far, Interval.above, "all")


def anchor_count(records: pl.DataFrame) -> Claims:
    """More anchors are said to help, early above all."""
    moments: tuple[tuple[When, str], ...] = (("early", "in the first third of the rounds"), ("last", "in the end"))
    for averse in TWINS:
        rows = records.filter(_among([averse]))
        for when, words in moments:
            text = f"50 anchors instead of 5 raise {averse.upper()}'s {_WORDS['risk_adjusted']} {words}"
            many, few = _either("told", 50, 5)
            yield from _compared(text, "Figure 3, middle", rows, "risk_adjusted", many, few, Interval.above, when)


def inference(records: pl.DataFrame) -> Claims:
    """The noise model is said to go with any posterior approximation."""
    for averse in TWINS:
        rows = records.filter(_among([averse]))
        for other, name in (("laplace", "Laplace"), ("ep", "EP")):
            text = f"{averse.upper()} with {name} is competitive with Hallucination Believer"
            sides = _either("inference", other, "hallucination")
            yield from _compared(
                text, "ours, on section 6: setup", rows, "risk_adjusted", *sides, _not_far_below("hartmann3")
            )


def ranking(records: pl.DataFrame) -> Claims:
    """Mean ranks in the end; 0 is best, so that less is better."""
    ranked, where = measures.ranks(records), "ranking figure"
    for problem in _problems(records):
        rows = _of(ranked, problem)
        for averse, plain in TWINS.items():
            verb, judge = ("is not ahead", _not_ahead) if averse == "anpei" else ("is ahead", Interval.below)
            text = f"{averse.upper()} {verb} of {plain.upper()} on {_TITLES[problem]} by risk-adjusted rank"
            yield from _compared(text, where, rows, "risk_adjusted_rank", *_twin(averse), judge)
        if problem == "hartmann3":
            yield from _best(ranked, problem, "rahbo", (), "value_rank", where)
        else:
            text = f"The risk-neutral strategies rank better on {_TITLES[problem]} by best value"
            averse_ones, plain_ones, all_ones = _among(TWINS), _among(TWINS.values()), _whole(rows, STRATEGIES)
            yield from _compared(text, where, all_ones, "value_rank", averse_ones, plain_ones, Interval.above)


def time(records: pl.DataFrame) -> Claims:
    """Ratios of the seconds an ask, by their geometric means."""
    logs = records.with_columns(pl.col("seconds").log().alias("log_seconds"))
    pairs, singles = _among(["eubo", "raeubo"]), _among(["ei", "ucb", "anpei", "rahbo"])
    for problem in _problems(records):
        for one, other, text in (
            (_among(TWINS), _among(TWINS.values()), "Risk-averse strategies take longer than risk-neutral ones"),
            (pairs, singles, "EUBO and RAEUBO, which optimise pairs, take longer than the others"),
        ):
            gap = measures.difference(_whole(_of(logs, problem), STRATEGIES), "log_seconds", one, other, "all")
            if gap is not None:
                mean, low, high = (math.exp(log) for log in (gap.mean, gap.low, gap.high))
                found = f"{text}, {_TITLES[problem]}", "computation-time table", f"{mean:.2f} times"
                yield Claim(*found, f"{low:.2f} to {high:.2f}", gap.above())


def anchor_placement(records: pl.DataFrame) -> Claims:
    """Figure 2's claims again at every place of the anchors."""
    yield from ()


def sensitivity(labelled: pl.DataFrame) -> Claims:
    """Figure 2's claims again, and which settings that the paper does not give move them.

    The column `variant` names the setting that was changed. It moves a claim when the difference of the differences,
    paired by seed, is not zero; the claim depends on it when its verdict there is another.
    """
    for problem in _problems(labelled):
        for averse in TWINS:
            for metric in ("risk_adjusted", "value", "pair_noise"):
                yield from _moved(_of(labelled, problem), problem, averse, metric)


def _moved(rows: pl.DataFrame, problem: str, averse: str, metric: str) -> Claims:
    side, judge, when = _direction(metric)
    found = {
        str(variant): measures.gaps(rows.filter(pl.col("variant") == variant), metric, *_twin(averse), when)
        for variant in rows["variant"].unique(maintain_order=True)
    }
    base = found.pop(AS_IN_MAIN, None)
    usual = None if base is None else measures.mean_gap(base)
    if base is None or usual is None:
        return
    moved, verdicts = [], {judge(usual)}
    for variant, gaps in found.items():
        here, change = measures.mean_gap(gaps), measures.mean_gap(gaps, less=base)
        if here is not None and change is not None and (change.low > ROUNDING or change.high < -ROUNDING):
            verdicts.add(judge(here))
            moved.append(f"{variant}: {here.mean:+.3f} ({here.said()}), {judge(here)}")
    text = f"{averse.upper()}'s {_WORDS[metric]} is {side} {TWINS[averse].upper()}'s on {_TITLES[problem]}"
    where = f"moved by {'; '.join(moved)}" if moved else "moved by none of the settings tried"
    yield Claim(text, where, f"{usual.mean:+.3f}", usual.said(), "depends" if len(verdicts) > 1 else judge(usual))


# -- parts -------------------------------------------------------------------------------------------------------------


def _compared(
    text: str,
    where: str,
    rows: pl.DataFrame,
    metric: str,
    one: pl.Expr,
    other: pl.Expr,
    judge: Judge,
    when: When = "last",
) -> Claims:
    """A claim on a paired difference; none where there are no runs to compare."""
    gap = measures.difference(rows, metric, one, other, when)
    if gap is not None:
        yield Claim(text, where, f"{gap.mean:+.3f}", gap.said(), judge(gap))


def _direction(metric: str) -> tuple[str, Judge, When]:
    """What a risk-averse strategy is claimed to do against its twin, and over which rounds."""
    return ("below", Interval.below, "all") if metric == "pair_noise" else ("above", Interval.above, "last")


def _twins(records: pl.DataFrame, problem: str, metric: str, where: str, but: str = "") -> Claims:
    """Each risk-averse strategy against its risk-neutral twin."""
    side, judge, when = _direction(metric)
    for averse, plain in TWINS.items():
        if averse != but:
            text = f"{averse.upper()}'s {_WORDS[metric]} is {side} {plain.upper()}'s on {_TITLES[problem]}"
            yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), judge, when)


def _competitive(records: pl.DataFrame, problem: str, averse: str, metric: str, where: str) -> Claims:
    plain = TWINS[averse].upper()
    within = f"not worse by {_margin(problem):.2g}"
    text = f"{averse.upper()} is competitive with {plain} on {_TITLES[problem]} ({_WORDS[metric]}): {within}"
    yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), _not_far_below(problem))


def _sensitive_anpei(records: pl.DataFrame, problem: str, where: str) -> Claims:
    """Gaps to the twins: ANPEI's less the mean of RAHBO's and RAEUBO's."""
    rows = _of(records, problem)
    anpei, rahbo, raeubo = (measures.gaps(rows, "risk_adjusted", *_twin(averse)) for averse in TWINS)
    others = rahbo.join(raeubo, on="seed", suffix="_too").select(
        "seed", (0.5 * (pl.col("gap") + pl.col("gap_too"))).alias("gap")
    )
    gap = measures.mean_gap(anpei, less=others)
    if gap is not None:
        text = f"ANPEI loses more against its twin than RAHBO and RAEUBO against theirs on {_TITLES[problem]}"
        yield Claim(text, where, f"{gap.mean:+.3f}", gap.said(), gap.below())


def _best(records: pl.DataFrame, problem: str, strategy: str, but: tuple[str, ...], metric: str, where: str) -> Claims:
    """A strategy must be ahead of each of the others, but for those of `but`; the nearest is shown."""
    lower = metric.endswith("rank")
    rows = _whole(_of(records, problem), STRATEGIES)
    judge: Judge = Interval.below if lower else Interval.above
    gaps = {
        other: measures.difference(rows, metric, _among([strategy]), _among([other]))
        for other in STRATEGIES
        if other not in (strategy, *but)
    }
    found = {other: gap for other, gap in gaps.items() if gap is not None}
    if not found:
        return
    rival = min(found, key=lambda other: -found[other].mean if lower else found[other].mean)
    verdicts = {judge(gap) for gap in found.values()}
    verdict: Verdict = "differs" if "differs" in verdicts else "open" if "open" in verdicts else "agrees"
    place = f"second to {but[0].upper()}" if but else "the best"
    words = "rank by best value" if lower else _WORDS[metric]
    text = f"{strategy.upper()} is {place} on {_TITLES[problem]} ({words}); its nearest rival is {rival.upper()}"
    yield Claim(text, where, f"{found[rival].mean:+.3f}", found[rival].said(), verdict)


def _measured_apart(records: pl.DataFrame) -> pl.DataFrame:
    """With the metric as it is when risk-neutral strategies take the noise for constant also in x*_t."""
    plain = pl.col("strategy").is_in(list(TWINS.values()))
    own = pl.when(plain).then(pl.col("plain_risk_adjusted")).otherwise(pl.col("risk_adjusted"))
    return records.with_columns(own.alias("own_risk_adjusted"))


def _problems(records: pl.DataFrame) -> list[str]:
    there = set(records["problem"].unique())
    return [name for name in _TITLES if name in there]


def _of(records: pl.DataFrame, problem: str) -> pl.DataFrame:
    return records.filter(pl.col("problem") == problem)


def _whole(rows: pl.DataFrame, strategies: Iterable[str]) -> pl.DataFrame:
    """The seeds with which all of these strategies were run: a mean over some of them would be of other things."""
    names = list(strategies)
    ran = pl.col("strategy").filter(pl.col("strategy").is_in(names)).n_unique().over("seed")
    return rows.filter(ran == len(names))


def _among(strategies: Iterable[str]) -> pl.Expr:
    return pl.col("strategy").is_in(list(strategies))


def _twin(averse: str) -> tuple[pl.Expr, pl.Expr]:
    return _among([averse]), _among([TWINS[averse]])


def _either(setting: str, one: str | int, other: str | int) -> tuple[pl.Expr, pl.Expr]:
    return pl.col(setting) == one, pl.col(setting) == other


def _margin(problem: str) -> float:
    of = problem_of(problem)
    return MARGIN * (of.maximum - of.minimum)


def _not_far_below(problem: str) -> Judge:
    return lambda gap: gap.above(-_margin(problem))


def _not_far_above(problem: str) -> Judge:
    return lambda gap: gap.not_above(_margin(problem))


def _not_ahead(gap: Interval) -> Verdict:
    return gap.not_below(RANK_MARGIN)
