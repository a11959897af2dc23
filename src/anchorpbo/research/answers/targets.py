"""Targets of the benchmark: what the default preset must show, what it shows, and by how much it misses.

::

    area                without anchors, for every judge, the area less that of the best peer: interval above -0.03
    reach               without anchors, the mean curve reaches by answer 20 where BoTorch (probit) is after 40
    good anchors        with good anchors, the same by answer 14, for each heteroscedastic judge
    misleading          with misleading anchors, at most a tenth of the area without anchors is lost
    three dimensions    on draws in three dimensions, a sure judge: mean last share at least 0.93
    coverage            of the studies told to stop, at least 0.9 are within 0.1 of the best; sure and constant judges
    stopping            at least half of the studies with a sure judge are told to stop within 60 answers

The best peer of a judge is the one with the largest mean area on the same studies. Differences are over the studies
that both contenders have. A target is not judged before all its problems and peers have been run with ten seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from anchorpbo.research.answers import study_metrics
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES
from anchorpbo.research.answers.plan import HETEROSCEDASTIC, STOPPING_ANSWERS, STOPPING_JUDGES, meets_judge
from anchorpbo.research.answers.problems import find_set
from anchorpbo.research.answers.study_metrics import average_by_seed, compare, pair_studies, select
from anchorpbo.research.experiments.confidence_intervals import (
    MIN_SEEDS,
    Interval,
    bootstrap_ratio,
    compute_exact_interval,
)

OURS, ANCHORED, REFERENCE = "default", "default-anchors", "botorch-probit"
"""The contenders that targets are about, and the one they are compared with."""
AREA_MARGIN = 0.03
REACH_BY, REACH_BY_WITH_ANCHORS = 20, 14
"""Answers by which the reference's last share must be reached."""
LARGEST_LOSS = 0.1
DRAWS_3D, DRAWS_SHARE = "gp3", 0.93
STOP_MARGIN, COVERAGE, STOPPED = 0.1, 0.9, 0.5


@dataclass(frozen=True)
class Target:
    """A target with the result under one setting."""

    text: str
    """What must be shown, in one sentence."""
    setting: str
    goal: str
    found: str = "–"
    interval: str = "–"
    """The 95 % interval of the number found, or a dash. Areas are judged by it, all others by the number."""
    met: bool | None = None
    """``None`` if the target is not judged: its studies have not been run, or it is only reported."""
    missed_by: str = ""
    """How far the result is from the goal; empty if it is met."""
    missing: str = ""
    """Which studies have not been run; empty if none is missing."""

    @property
    def verdict(self) -> str:
        """The verdict for tables."""
        if self.missing:
            return f"not run: {self.missing}"
        if self.met is None:
            return "reported"
        return "met" if self.met else f"missed: {self.missed_by}"


Rule = Callable[[pl.DataFrame, Sequence[str]], Iterator[Target]]


def judge_targets(studies: pl.DataFrame, problems: Sequence[str] | None = None) -> list[Target]:
    """Return all targets.

    Parameters
    ----------
    studies
        One row per study.
    problems
        The problems that must have been run; by default all of the set that the studies belong to.
    """
    if problems is None:
        problems = find_set(studies["problem"][0])
    rules: tuple[Rule, ...] = (
        _judge_areas, _judge_reach, _judge_reach_with_anchors, _judge_misleading_anchors, _judge_draws,
        _judge_coverage, _judge_stopping,
    )  # fmt: skip
    return [target for rule in rules for target in rule(studies, problems)]


def list_peers() -> list[str]:
    """Return the names of other libraries and published methods."""
    return [name for name, entry in CONTENDERS.items() if entry.kind == "peer"]


def find_missing(studies: pl.DataFrame, problems: Sequence[str]) -> str:
    """Return which of the problems or seeds the studies lack, in words; empty if they are complete."""
    absent = [name for name in problems if name not in studies["problem"]]
    if len(absent) == len(problems):
        return "no studies"
    if absent:
        return f"no studies of {', '.join(absent)}"
    seeds = len(average_by_seed(studies.with_columns(one=pl.lit(1.0)), "one"))
    return "" if seeds >= MIN_SEEDS else f"{seeds} of at least {MIN_SEEDS} seeds with all problems"


def find_best_peer(studies: pl.DataFrame, judge: str) -> tuple[str, Interval] | None:
    """Return the peer with the largest mean area on the studies it shares with ours, and our paired difference."""
    ours = select(studies, judge=judge, contender=OURS, placement="good")
    found: dict[str, tuple[float, Interval]] = {}
    for peer in list_peers():
        theirs = select(studies, judge=judge, contender=peer, placement="good")
        gap = compare(ours, theirs, "area")
        if gap is not None:
            # Relative to ours, so that a peer that was run on fewer studies is not favoured by easy ones.
            found[peer] = (-gap.mean, gap)
    if not found:
        return None
    best = max(found, key=lambda peer: found[peer][0])
    return best, found[best][1]


def _find_missing_peers(studies: pl.DataFrame, judge: str, problems: Sequence[str]) -> str:
    """Return which studies of the peers that meet a judge are missing; all of them without studies of ours."""
    ours = select(studies, judge=judge, contender=OURS, placement="good")
    missing = {}
    for peer in (peer for peer in list_peers() if meets_judge(peer, judge)):
        theirs = select(studies, judge=judge, contender=peer, placement="good")
        missing[peer] = find_missing(pair_studies(ours, theirs, "area"), problems)
    if all(missing.values()):
        return next(iter(missing.values()))
    return "; ".join(f"{CONTENDERS[peer].title}: {text}" for peer, text in missing.items() if text)


def _judge_areas(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = f"Without anchors, the area less that of the best peer has its interval above {-AREA_MARGIN:g}."
    goal = f"> {-AREA_MARGIN:g}"
    for judge in JUDGES:
        missing, found = _find_missing_peers(studies, judge, problems), find_best_peer(studies, judge)
        if missing or found is None:
            yield Target(text, judge, goal, missing=missing)
            continue
        peer, gap = found
        yield Target(
            text, f"{judge}; best peer: {CONTENDERS[peer].title}", goal, f"{gap.mean:+.3f}",
            gap.format_bounds(), bool(gap.low > -AREA_MARGIN), _format_miss(-AREA_MARGIN - gap.low),
        )  # fmt: skip


def _judge_reach(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = f"Without anchors, the mean share after {REACH_BY} answers is that of BoTorch's EUBO after 40."
    return (_reach(studies, problems, text, judge, OURS, REACH_BY) for judge in JUDGES)


def _judge_reach_with_anchors(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = (
        f"With good anchors, the mean share after {REACH_BY_WITH_ANCHORS} answers is that of BoTorch's EUBO after 40."
    )
    return (_reach(studies, problems, text, judge, ANCHORED, REACH_BY_WITH_ANCHORS) for judge in HETEROSCEDASTIC)


def _reach(studies: pl.DataFrame, problems: Sequence[str], text: str, judge: str, contender: str, limit: int) -> Target:
    """Judge when the mean curve reaches the reference's last share; the interval is that of the gap at the limit."""
    ours, theirs = (select(studies, judge=judge, contender=name, placement="good") for name in (contender, REFERENCE))
    both = pair_studies(ours, theirs, "area").select("problem", "seed")
    if missing := find_missing(both, problems):
        return Target(text, judge, f"≤ {limit}", missing=missing)
    ours, theirs = (each.join(both, on=["problem", "seed"], how="semi") for each in (ours, theirs))
    goal, curve = study_metrics.average_curve(theirs)[-1, 0], study_metrics.average_curve(ours)[:, 0]
    at = study_metrics.find_answer(curve, goal)
    last = int(theirs["answers"].to_numpy().max())
    gap = compare(
        study_metrics.add_share_after(ours, limit).rename({f"share_{limit}": "after"}),
        study_metrics.add_share_after(theirs, last).rename({f"share_{last}": "after"}),
        "after",
    )
    assert gap is not None
    late = f"not within {len(curve)}" if at is None else f"{at - limit} answers"
    return Target(
        text, judge, f"≤ {limit}", "never" if at is None else f"{at}",
        f"gap at {limit}: {gap.format_bounds()}", at is not None and at <= limit,
        late if at is None or at > limit else "",
    )  # fmt: skip


def _judge_misleading_anchors(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = f"With misleading anchors, at most {LARGEST_LOSS:.0%} of the area without anchors is lost."
    goal = f"≤ {LARGEST_LOSS:g}"
    for judge in JUDGES:
        placement = "misleading" if judge in HETEROSCEDASTIC else "good"
        pairs = pair_studies(
            select(studies, judge=judge, contender=ANCHORED, placement="misleading"),
            select(studies, judge=judge, contender=OURS, placement=placement),
            "area",
        )
        if missing := find_missing(pairs, problems):
            yield Target(text, judge, goal, missing=missing)
            continue
        told, alone = (average_by_seed(pairs, name) for name in ("area", "area_other"))
        ratio, low, high = bootstrap_ratio(told, alone)
        loss = 1.0 - ratio
        interval = f"{1.0 - high:+.3f} to {1.0 - low:+.3f}"
        miss = _format_miss(loss - LARGEST_LOSS)
        yield Target(text, judge, goal, f"{loss:.3f}", interval, loss <= LARGEST_LOSS, miss)


def _judge_draws(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    if DRAWS_3D not in problems:
        return
    text = f"Draws in three dimensions, a sure judge, no anchors: mean last share at least {DRAWS_SHARE:g}."
    rows = select(studies, problem=DRAWS_3D, judge="sure", contender=OURS, placement="good")
    goal = f"≥ {DRAWS_SHARE:g}"
    if missing := find_missing(rows, [DRAWS_3D]):
        yield Target(text, DRAWS_3D, goal, missing=missing)
        return
    last = int(rows["answers"].to_numpy().max())
    share = study_metrics.estimate_mean(study_metrics.add_share_after(rows, last), f"share_{last}")
    assert share is not None
    met, miss = share.mean >= DRAWS_SHARE, _format_miss(DRAWS_SHARE - share.mean)
    yield Target(text, DRAWS_3D, goal, f"{share.mean:.3f}", share.format_bounds(), met, miss)


def _judge_coverage(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = f"Of the studies told to stop, the share within {STOP_MARGIN:g} of the best is at least {COVERAGE:g}."
    for judge in JUDGES:
        required = judge in STOPPING_JUDGES
        goal = f"≥ {COVERAGE:g}" if required else "reported"
        rows = select(studies, judge=judge, contender=OURS, placement="good").filter("has_rule")
        # Shorter studies would leave out those told to stop late.
        rows = _select_long(rows) if required else rows
        if missing := find_missing(rows, problems):
            yield Target(text, judge, goal, missing=_add_length(missing) if required else missing)
            continue
        stopped = rows.filter(pl.col("stop_answer").is_not_null())
        setting = f"{judge}; {stopped.height} of {rows.height} studies"
        if not stopped.height:
            miss = "no study is told to stop"
            yield Target(text, setting, goal, met=False if required else None, missed_by=miss if required else "")
            continue
        within = int((stopped["stop_share"] >= 1.0 - STOP_MARGIN).to_numpy().sum())
        covered, (low, high) = within / stopped.height, compute_exact_interval(within, stopped.height)
        met, miss = (covered >= COVERAGE, _format_miss(COVERAGE - covered)) if required else (None, "")
        yield Target(text, setting, goal, f"{covered:.3f}", f"{low:.2f} to {high:.2f}", met, miss)


def _judge_stopping(studies: pl.DataFrame, problems: Sequence[str]) -> Iterator[Target]:
    text = f"At least half of the studies with a sure judge are told to stop within {STOPPING_ANSWERS} answers."
    goal = f"≥ {STOPPED:g}"
    rows = _select_long(select(studies, judge="sure", contender=OURS, placement="good").filter("has_rule"))
    if missing := find_missing(rows, problems):
        yield Target(text, "sure", goal, missing=_add_length(missing))
        return
    told = float((rows["stop_answer"] <= STOPPING_ANSWERS).fill_null(value=False).to_numpy().mean())
    met, miss = told >= STOPPED, _format_miss(STOPPED - told)
    yield Target(text, f"sure; {rows.height} studies", goal, f"{told:.3f}", met=met, missed_by=miss)


def _select_long(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the studies that are long enough to judge the stopping rule."""
    return studies.filter(pl.col("length") >= STOPPING_ANSWERS)


def _add_length(missing: str) -> str:
    return f"{missing} with {STOPPING_ANSWERS} answers"


def _format_miss(miss: float) -> str:
    return f"{miss:.3f}" if miss > 0.0 else ""
