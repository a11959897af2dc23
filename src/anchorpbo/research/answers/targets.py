"""Targets of the benchmark: what the default preset must show, what it shows, and by how much it misses.

::

    area                without anchors, for every judge, the area less that of the best peer: interval above -0.03
    half                without anchors, the mean curve reaches the last share of BoTorch (probit) by answer 20
    good anchors        with good anchors, the same by answer 14, for each heteroscedastic judge
    misleading          with misleading anchors, at most a tenth of the area without anchors is lost
    three dimensions    on draws in three dimensions, a sure judge: mean last share at least 0.93
    coverage            of the studies told to stop, at least 0.9 are within 0.1 of the best; sure and constant judges
    stopping            at least half of the studies with a sure judge are told to stop within 60 answers

The best peer of a judge is the one with the largest mean area on the same studies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from anchorpbo.research.answers import study_metrics
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES
from anchorpbo.research.answers.plan import HETEROSCEDASTIC
from anchorpbo.research.answers.study_metrics import compare, pair_studies, select
from anchorpbo.research.experiments.confidence_intervals import Interval, bootstrap_ratio

OURS, ANCHORED, REFERENCE = "default", "default-anchors", "botorch-probit"
"""The contenders that targets are about, and the one they are compared with."""
AREA_MARGIN = 0.03
HALF, WITH_ANCHORS = 20, 14
"""Answers by which the reference's last share must be reached."""
LARGEST_LOSS = 0.1
DRAWS_3D, DRAWS_SHARE = "gp3", 0.93
STOP_MARGIN, COVERAGE, STOP_ANSWERS, STOPPED = 0.1, 0.9, 60, 0.5
COVERED_JUDGES = ("sure", "constant-low", "constant-high")


@dataclass(frozen=True)
class Target:
    """A target with the result under one setting."""

    text: str
    """What must be shown, in one sentence."""
    setting: str
    goal: str
    found: str
    interval: str
    """The 95 % interval of the number found, or a dash."""
    met: bool
    missed_by: str = ""
    """How far the result is from the goal; empty if it is met."""


def judge_targets(studies: pl.DataFrame) -> list[Target]:
    """Return all targets for which there are studies."""
    rules = (_compare_areas, _reach_half, _reach_with_anchors, _lose_little, _climb_draws, _cover, _stop_early)
    return [target for rule in rules for target in rule(studies)]


def list_peers() -> list[str]:
    """Return the names of other libraries and published methods."""
    return [name for name, entry in CONTENDERS.items() if entry.kind == "peer"]


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


def _compare_areas(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"Without anchors, the area less that of the best peer has its interval above {-AREA_MARGIN:g}."
    for judge in JUDGES:
        found = find_best_peer(studies, judge)
        if found is not None:
            peer, gap = found
            yield Target(
                text, f"{judge}; best peer: {CONTENDERS[peer].title}", f"> {-AREA_MARGIN:g}", f"{gap.mean:+.3f}",
                gap.format_bounds(), bool(gap.low > -AREA_MARGIN), _format_miss(-AREA_MARGIN - gap.low),
            )  # fmt: skip


def _reach_half(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"Without anchors, the mean curve reaches the last share of BoTorch's EUBO by answer {HALF}."
    for judge in JUDGES:
        yield from _reach(studies, text, judge, OURS, HALF)


def _reach_with_anchors(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"With good anchors, the mean curve reaches the last share of BoTorch's EUBO by answer {WITH_ANCHORS}."
    for judge in HETEROSCEDASTIC:
        yield from _reach(studies, text, judge, ANCHORED, WITH_ANCHORS)


def _reach(studies: pl.DataFrame, text: str, judge: str, contender: str, limit: int) -> Iterator[Target]:
    """Judge when the mean curve reaches the reference's last share; the interval is that of the gap at the limit."""
    ours, theirs = (select(studies, judge=judge, contender=name, placement="good") for name in (contender, REFERENCE))
    both = pair_studies(ours, theirs, "area").select("problem", "seed")
    ours, theirs = (each.join(both, on=["problem", "seed"], how="semi") for each in (ours, theirs))
    if not both.height:
        return
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
    yield Target(
        text, judge, f"≤ {limit}", "never" if at is None else f"{at}",
        f"gap at {limit}: {gap.format_bounds()}", at is not None and at <= limit,
        late if at is None or at > limit else "",
    )  # fmt: skip


def _lose_little(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"With misleading anchors, at most {LARGEST_LOSS:.0%} of the area without anchors is lost."
    for judge in JUDGES:
        placement = "misleading" if judge in HETEROSCEDASTIC else "good"
        pairs = pair_studies(
            select(studies, judge=judge, contender=ANCHORED, placement="misleading"),
            select(studies, judge=judge, contender=OURS, placement=placement),
            "area",
        )
        told, alone = (study_metrics.average_by_seed(pairs, name) for name in ("area", "area_other"))
        if len(told):
            ratio, low, high = bootstrap_ratio(told, alone)
            loss = 1.0 - ratio
            interval = f"{1.0 - high:+.3f} to {1.0 - low:+.3f}"
            met = loss <= LARGEST_LOSS
            yield Target(
                text, judge, f"≤ {LARGEST_LOSS:g}", f"{loss:.3f}", interval, met, _format_miss(loss - LARGEST_LOSS)
            )


def _climb_draws(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"Draws in three dimensions, a sure judge, no anchors: mean last share at least {DRAWS_SHARE:g}."
    rows = select(studies, problem=DRAWS_3D, judge="sure", contender=OURS, placement="good")
    if rows.height:
        last = int(rows["answers"].to_numpy().max())
        share = study_metrics.estimate_mean(study_metrics.add_share_after(rows, last), f"share_{last}")
        assert share is not None
        met, miss = share.mean >= DRAWS_SHARE, _format_miss(DRAWS_SHARE - share.mean)
        yield Target(text, DRAWS_3D, f"≥ {DRAWS_SHARE:g}", f"{share.mean:.3f}", share.format_bounds(), met, miss)


def _cover(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"Of the studies told to stop, the share within {STOP_MARGIN:g} of the best is at least {COVERAGE:g}."
    for judge in JUDGES:
        rows = select(studies, judge=judge, contender=OURS).filter(pl.col("stop_answer").is_not_null())
        if rows.height:
            covered = float((rows["stop_share"] >= 1.0 - STOP_MARGIN).to_numpy().mean())
            required = judge in COVERED_JUDGES
            goal = f"≥ {COVERAGE:g}" if required else "reported"
            met, miss = not required or covered >= COVERAGE, _format_miss(COVERAGE - covered) if required else ""
            yield Target(text, f"{judge}; {rows.height} studies", goal, f"{covered:.3f}", "–", met, miss)


def _stop_early(studies: pl.DataFrame) -> Iterator[Target]:
    text = f"At least half of the studies with a sure judge are told to stop within {STOP_ANSWERS} answers."
    # Shorter studies cannot show that a study is not told to stop in time.
    rows = select(studies, judge="sure", contender=OURS).filter(pl.col("length") >= STOP_ANSWERS)
    if rows.height:
        told = float((rows["stop_answer"] <= STOP_ANSWERS).fill_null(value=False).to_numpy().mean())
        setting = f"sure; {rows.height} studies"
        yield Target(text, setting, f"≥ {STOPPED:g}", f"{told:.3f}", "–", told >= STOPPED, _format_miss(STOPPED - told))


def _format_miss(miss: float) -> str:
    return f"{miss:.3f}" if miss > 0.0 else ""
