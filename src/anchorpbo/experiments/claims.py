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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import polars as pl

from anchorpbo.experiments import measures
from anchorpbo.experiments.measures import When
from anchorpbo.experiments.paper import OURS, Claim, Reading, Verdict
from anchorpbo.experiments.statistics import Interval
from anchorpbo.experiments.trial import STRATEGIES, TWINS
from anchorpbo.problems import problem_of

MARGIN = 0.1
"""Of a problem's range of utilities: what still counts as competitive."""
GAINS: Mapping[str, When] = {"risk_adjusted": "last", "value": "last", "pair_noise": "all"}
"""The paper's metrics, and the rounds over which a risk-averse strategy is compared with its twin."""
STEADY = ("rahbo", "raeubo")
"""The risk-averse strategies that the paper makes no exception for."""
_WORDS = {
    "risk_adjusted": "risk-adjusted best value",
    "value": "best value",
    "pair_noise": "noise of the queried pairs",
    "own_risk_adjusted": "risk-adjusted best value, risk-neutral strategies taking the noise for constant,",
    "plain_value": "best value where the mean is largest",
    "running_risk_adjusted": "running risk-adjusted best value",
    "running_value": "running best value",
}
_TITLES = {
    "hartmann3": "Hartmann 3D",
    "hartmann4": "Hartmann 4D",
    "ackley6": "Ackley 6D",
    "sushi": "Sushi 4D",
    "candy": "Candy 2D",
}

ROUNDING = 1e-6
"""Changes no larger than this come from where a search for x*_t ends."""
AS_IN_MAIN = "as in main"
"""The variant of the sensitivity experiment in which nothing is changed."""

Claims = Iterator[Claim]
Judge = Callable[[Interval], Verdict]


def main(records: pl.DataFrame) -> Claims:
    """Figure 2 and what the text says of it."""
    top, middle, bottom = (f"Figure 2, {row}" for row in ("top", "middle", "bottom"))
    for problem in _problems(records):
        yield from _twins(records, problem, "risk_adjusted", top, STEADY)
        yield from _ours(_twins(records, problem, "risk_adjusted", top, ["anpei"]))
        yield from _ours(_twins(records, problem, "running_risk_adjusted", top))
        yield from _ours(_over_all_rounds(records, problem, "risk_adjusted", top))
        yield from _ours(_twins(_measured_apart(records), problem, "own_risk_adjusted", top))
        yield from _competitive(records, problem, "value", middle, STEADY)
        yield from _ours(_competitive(records, problem, "value", middle, ["anpei"]))
        for metric in ("running_value", "plain_value"):
            yield from _ours(_competitive(records, problem, metric, middle))
        yield from _twins(records, problem, "pair_noise", bottom)
    for problem in ("hartmann3", "hartmann4"):
        yield from _sensitive_anpei(records, problem, "risk_adjusted", top)
    yield from _best(records, "sushi", "raeubo", (), "risk_adjusted", top)
    yield from _best(records, "sushi", "rahbo", ("raeubo",), "risk_adjusted", top)


def ackley6(records: pl.DataFrame) -> Claims:
    """Only RAEUBO is said to stay competitive in six dimensions."""
    where, problem, metric = "Figure S3", "ackley6", "risk_adjusted"
    yield from _competitive(records, problem, metric, where, ["raeubo"])
    for averse in ("anpei", "rahbo"):
        text = f"{averse.upper()} falls behind {TWINS[averse].upper()} on {_TITLES[problem]} ({_WORDS[metric]})"
        yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), Interval.below)
    yield from _twins(records, problem, "pair_noise", where)
    for each in ("risk_adjusted", "value"):
        yield from _ours(_best(records, problem, "raeubo", (), each, where))


def candy(records: pl.DataFrame) -> Claims:
    """Risk-averse strategies are said to win on both metrics, RAEUBO excepted."""
    where, problem = "Figure S4", "candy"
    for metric in ("risk_adjusted", "value"):
        yield from _twins(records, problem, metric, where, ["anpei", "rahbo"])
        text = f"RAEUBO does not improve on EUBO on {_TITLES[problem]} ({_WORDS[metric]})"
        yield from _compared(text, where, _of(records, problem), metric, *_twin("raeubo"), _not_far_above(problem))
    yield from _twins(records, problem, "pair_noise", where)


def five_anchors(records: pl.DataFrame) -> Claims:
    """Few anchors are said to be enough."""
    where, problem = "Figure S5", "hartmann3"
    yield from _twins(records, problem, "risk_adjusted", where, STEADY)
    yield from _ours(_twins(records, problem, "risk_adjusted", where, ["anpei"]))
    yield from _twins(records, problem, "pair_noise", where)


def anchor_quality(records: pl.DataFrame) -> Claims:
    """Anchors near the optimum are said to speed it up."""
    for problem in _problems(records):
        for averse in TWINS:
            rows = _of(records, problem).filter(_among([averse]))
            for metric in ("risk_adjusted", "value"):
                what = f"{averse.upper()}'s {_WORDS[metric]} on {_TITLES[problem]}, mean of all rounds"
                text, near, away = f"Anchors near the optimum raise {what}", *_either("anchors", "near", "away")
                yield from _compared(text, "Figure 3, top", rows, metric, near, away, Interval.above, "all")


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
            judge = _not_far_below("hartmann3")
            yield from _ours(_compared(text, OURS, rows, "risk_adjusted", *sides, judge))


def ranking(records: pl.DataFrame) -> Claims:
    """Mean ranks in the end; 0 is best, so that less is better."""
    ranked, where = measures.ranks(records), "Figure S2"
    for problem in _problems(records):
        rows = _of(ranked, problem)
        for rank, words in (("risk_adjusted_rank", "risk-adjusted rank"), ("running_risk_adjusted_rank", "running")):
            for averse in STEADY:
                by = f"by {words}{' risk-adjusted rank' * (words == 'running')}"
                text = f"{averse.upper()} is ahead of {TWINS[averse].upper()} on {_TITLES[problem]} {by}"
                found = _compared(text, where, rows, rank, *_twin(averse), Interval.below)
                yield from found if rank == "risk_adjusted_rank" else _ours(found)
        yield from _sensitive_anpei(ranked, problem, "risk_adjusted_rank", where)
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
                found = f"{text}, {_TITLES[problem]}", "Table S1", f"{mean:.2f} times"
                yield Claim(*found, f"{low:.2f} to {high:.2f}", gap.above())


def anchor_placement(labelled: pl.DataFrame) -> Claims:
    """Figure 2's main claim by the place of the anchors, and whether the gain falls with their distance.

    The column `variant` names the place. Settings are chosen by distance, before any result: drawn by the seed, the
    mean of all corners, the corner nearest to the optimum and that farthest from it.
    """
    for problem in _problems(labelled):
        rows = _of(labelled, problem)
        for averse, plain in TWINS.items():
            found = _gaps_by_place(rows, averse)
            text = f"{averse.upper()}'s {_WORDS['risk_adjusted']} is above {plain.upper()}'s on {_TITLES[problem]}"
            for setting, gaps in _placements(found).items():
                gap = measures.mean_gap(gaps)
                if gap is not None:
                    yield _judged(text, OURS, gap, Interval.above, setting, "ours")
            slope = _slope(found)
            if slope is not None:
                what = f"The gain of {averse.upper()} falls with the distance of the anchors, {_TITLES[problem]}"
                yield _judged(what, OURS, slope, Interval.below, "slope over the corners", "ours")


def sensitivity(labelled: pl.DataFrame) -> Claims:
    """Figure 2's claims again, and which settings that the paper does not give move them.

    The column `variant` names the setting that was changed. It moves a claim, and has a row of its own, when the
    difference of the differences, paired by seed, is not zero.
    """
    for problem in _problems(labelled):
        for averse in TWINS:
            for metric in GAINS:
                yield from _ours(_moved(_of(labelled, problem), problem, averse, metric))


def _moved(rows: pl.DataFrame, problem: str, averse: str, metric: str) -> Claims:
    side, judge, when = _direction(metric)
    found = {
        str(variant): measures.gaps(rows.filter(pl.col("variant") == variant), metric, *_twin(averse), when)
        for variant in rows["variant"].unique(maintain_order=True).sort()
    }
    base = found.pop(AS_IN_MAIN, None)
    usual = None if base is None else measures.mean_gap(base)
    if base is None or usual is None:
        return
    text = f"{averse.upper()}'s {_WORDS[metric]} is {side} {TWINS[averse].upper()}'s on {_TITLES[problem]}"
    yield _judged(text, OURS, usual, judge, AS_IN_MAIN)
    for variant, gaps in found.items():
        here, change = measures.mean_gap(gaps), measures.mean_gap(gaps, less=base)
        if here is not None and change is not None and (change.low > ROUNDING or change.high < -ROUNDING):
            yield _judged(text, OURS, here, judge, variant)


def _gaps_by_place(rows: pl.DataFrame, averse: str) -> dict[str, tuple[float, pl.DataFrame]]:
    """How far each place is from the optimum, and the gains there, seed by seed."""
    found = {}
    for (place,), part in rows.group_by("variant", maintain_order=True):
        gaps = measures.gaps(part, "risk_adjusted", *_twin(averse))
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
        yield _judged(text, where, gap, judge)


def _judged(text: str, where: str, gap: Interval, judge: Judge, setting: str = "", reading: Reading = "paper") -> Claim:
    return Claim(text, where, f"{gap.mean:+.3f}", gap.said(), judge(gap), setting, reading)


def _ours(claims: Claims) -> Claims:
    """Marks claims as another reading than the paper's."""
    return (replace(claim, reading="ours") for claim in claims)


def _direction(metric: str) -> tuple[str, Judge, When]:
    """What a risk-averse strategy is claimed to do against its twin, and over which rounds."""
    return ("below", Interval.below, "all") if metric == "pair_noise" else ("above", Interval.above, "last")


def _twins(records: pl.DataFrame, problem: str, metric: str, where: str, strategies: Iterable[str] = TWINS) -> Claims:
    """Risk-averse strategies, each against its risk-neutral twin."""
    side, judge, when = _direction(metric)
    for averse in strategies:
        text = f"{averse.upper()}'s {_WORDS[metric]} is {side} {TWINS[averse].upper()}'s on {_TITLES[problem]}"
        yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), judge, when)


def _over_all_rounds(records: pl.DataFrame, problem: str, metric: str, where: str) -> Claims:
    for averse, plain in TWINS.items():
        text = (
            f"{averse.upper()}'s {_WORDS[metric]}, mean of all rounds, is above {plain.upper()}'s on {_TITLES[problem]}"
        )
        yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), Interval.above, "all")


def _competitive(
    records: pl.DataFrame, problem: str, metric: str, where: str, strategies: Iterable[str] = TWINS
) -> Claims:
    for averse in strategies:
        within = f"not worse by {_margin(problem):.2g}"
        pair = f"{averse.upper()} is competitive with {TWINS[averse].upper()}"
        text = f"{pair} on {_TITLES[problem]} ({_WORDS[metric]}): {within}"
        yield from _compared(text, where, _of(records, problem), metric, *_twin(averse), _not_far_below(problem))


def _sensitive_anpei(records: pl.DataFrame, problem: str, metric: str, where: str) -> Claims:
    """Gaps to the twins: ANPEI's less the mean of RAHBO's and RAEUBO's."""
    rows, lower = _of(records, problem), metric.endswith("rank")
    anpei, rahbo, raeubo = (measures.gaps(rows, metric, *_twin(averse)) for averse in TWINS)
    others = rahbo.join(raeubo, on="seed", suffix="_too").select(
        "seed", (0.5 * (pl.col("gap") + pl.col("gap_too"))).alias("gap")
    )
    gap = measures.mean_gap(anpei, less=others)
    if gap is not None:
        by = " by risk-adjusted rank" if lower else ""
        text = f"ANPEI gains less on its twin than RAHBO and RAEUBO on theirs on {_TITLES[problem]}{by}"
        yield _judged(text, where, gap, Interval.above if lower else Interval.below)


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
