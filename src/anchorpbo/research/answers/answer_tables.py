"""Tables of the benchmark, from the studies' summary (`anchorpbo.research.answers.study_metrics`).

Each function returns ``None`` if there are no studies for its table. Unless a table is about placements, the judge's
anchors are good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl

from anchorpbo.research.answers import study_metrics
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS
from anchorpbo.research.answers.plan import HETEROSCEDASTIC
from anchorpbo.research.answers.problems import SETS
from anchorpbo.research.answers.study_metrics import LEVELS, compare, list_present, select
from anchorpbo.research.answers.targets import ANCHORED, OURS, Target, judge_targets
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable, keep_together

PROBLEMS = tuple(name for problems in SETS.values() for name in problems)
SHOWN_ANSWERS = (15, 25, 40)
"""Numbers of answers after which tables show shares."""

Describe = Callable[[pl.DataFrame], str]
"""Function from the studies of one cell to its text."""


def title_contender(name: str) -> str:
    """Return the name of a contender in tables and legends."""
    return CONTENDERS[name].title if name in CONTENDERS else name


def tabulate_areas(studies: pl.DataFrame) -> TextTable | None:
    """Return the mean area by contender and judge; the best of a judge is bold."""
    note = (
        "Mean share of the recommended design over all answers: 0 is a median design, 1 the best. ± is half of the "
        "95 % interval over seeds; the largest mean of a judge is bold."
    )
    good = _select_good(studies)
    judges, contenders = list_present(good, "judge", JUDGES), list_present(good, "contender", tuple(CONTENDERS))
    columns = []
    for judge in judges:
        parts = (select(good, contender=name, judge=judge) for name in contenders)
        columns.append(_mark_best([study_metrics.estimate_mean(part, "area") for part in parts], _format_mean))
    rows = [(Cell(title_contender(name)), *cells) for name, *cells in zip(contenders, *columns, strict=True)]
    return _make_table("Area under the curve", ["contender", *judges], rows, 1, note)


def tabulate_shares(studies: pl.DataFrame) -> TextTable | None:
    """Return the mean shares after some answers by contender and judge."""
    shown = _choose_answers(studies)
    title = f"Mean share after {' / '.join(map(str, shown))} answers"
    return _tabulate(title, studies, partial(_describe_shares, shown=shown), "Shares below -1 count as -1.")


def tabulate_medians(studies: pl.DataFrame) -> TextTable | None:
    """Return the median of the unclipped last share by contender and judge."""
    note = "Medians over all studies, without a floor, and in brackets the share of studies that end below 0."
    return _tabulate("Median share after the last answer", studies, _describe_median, note)


def tabulate_reach(studies: pl.DataFrame) -> TextTable | None:
    """Return the restricted mean numbers of answers to each level by contender and judge."""
    title = f"Answers to {' / '.join(map(str, LEVELS))} %"
    note = (
        "Mean number of answers after which the recommended design stays at that level; studies that never do count "
        "with all their answers. In brackets, the percentages of studies that do."
    )
    return _tabulate(title, studies, _describe_reach, note)


def tabulate_differences(studies: pl.DataFrame) -> TextTable | None:
    """Return the paired differences of area between our presets and every other contender, by judge."""
    good = _select_good(studies)
    judges, rows = list_present(good, "judge", JUDGES), []
    for ours in (OURS, ANCHORED):
        for other in list_present(good, "contender", tuple(CONTENDERS)):
            gaps = [_compare(good, judge, ours, other) for judge in judges]
            if other not in (OURS, ANCHORED) and any(gap is not None for gap in gaps):
                cells = [Cell(_format_gap(gap), gap is not None and gap.low > 0.0) for gap in gaps]
                rows.append((Cell(title_contender(ours)), Cell(title_contender(other)), *cells))
    return _make_table(
        "Paired differences of area", ["ours", "less", *judges], rows, 2,
        "95 % intervals over seeds, paired by problem and seed; bold if the interval is above 0.",
    )  # fmt: skip


def tabulate_placements(studies: pl.DataFrame) -> TextTable | None:
    """Return what anchors change: area with anchors less area without, by placement and judge."""
    judges, rows = list_present(studies, "judge", JUDGES), []
    for placement in list_present(studies, "placement", PLACEMENTS):
        gaps = []
        for judge in judges:
            told = select(studies, judge=judge, contender=ANCHORED, placement=placement)
            alone = select(
                studies, judge=judge, contender=OURS, placement=placement if judge in HETEROSCEDASTIC else "good"
            )
            gaps.append(compare(told, alone, "area"))
        if any(gap is not None for gap in gaps):
            rows.append((Cell(placement), *(Cell(_format_gap(gap)) for gap in gaps)))
    return _make_table(
        "Area with anchors less area without", ["anchors", *judges], rows, 1,
        "Default preset, paired by problem and seed, with 95 % intervals over seeds.",
    )  # fmt: skip


def tabulate_problems(studies: pl.DataFrame) -> TextTable | None:
    """Return the mean area by problem, judge and contender; the best of a row is bold."""
    good = _select_good(studies)
    contenders, rows = list_present(good, "contender", tuple(CONTENDERS)), []
    for problem in list_present(good, "problem", PROBLEMS):
        for judge in list_present(good, "judge", JUDGES):
            part = select(good, problem=problem, judge=judge)
            found = [study_metrics.estimate_mean(select(part, contender=name), "area") for name in contenders]
            if part.height:
                rows.append((Cell(problem), Cell(judge), *_mark_best(found)))
    return _make_table(
        "Area by problem", ["problem", "judge", *map(title_contender, contenders)], rows, 2,
        "Means over seeds; the largest of a row is bold.",
    )  # fmt: skip


def tabulate_losses(studies: pl.DataFrame) -> TextTable | None:
    """Return the settings in which a contender is ahead of our preset: the interval of the difference is below 0."""
    rows = [
        (Cell(title_contender(ours)), Cell(title_contender(other)), Cell(judge), Cell(problem), Cell(_format_gap(gap)))
        for ours, other, judge, problem, gap in sorted(list_losses(studies), key=lambda loss: loss[4].mean)
    ]
    return _make_table(
        "Where we lose", ["ours", "behind", "judge", "problem", "difference of area"], rows, 4,
        "All settings in which the 95 % interval of the paired difference lies below 0, the largest loss first.",
    )  # fmt: skip


def list_losses(studies: pl.DataFrame) -> Iterator[tuple[str, str, str, str, Interval]]:
    """Yield ours, the contender ahead, judge, problem (or "all") and the difference of area."""
    good = _select_good(studies)
    for ours in (OURS, ANCHORED):
        for other in list_present(good, "contender", tuple(CONTENDERS)):
            if other in (OURS, ANCHORED) and not (ours == ANCHORED and other == OURS):
                continue
            for judge in list_present(good, "judge", JUDGES):
                for problem in ("all", *list_present(good, "problem", PROBLEMS)):
                    part = good if problem == "all" else select(good, problem=problem)
                    gap = _compare(part, judge, ours, other)
                    if gap is not None and gap.high < 0.0:
                        yield ours, other, judge, problem, gap


def tabulate_costs(studies: pl.DataFrame) -> TextTable | None:
    """Return times, failures and right answers by contender."""
    rows = []
    for name in list_present(studies, "contender", tuple(CONTENDERS)):
        part = select(studies, contender=name)
        ask, recommend = (part[column].to_numpy() for column in ("seconds", "recommend_seconds"))
        failed = int((part["failures"] > 0).to_numpy().sum())
        cells = [
            f"{part.height:,}", f"{1e3 * ask.mean():.0f} ms", f"{1e3 * recommend.mean():.0f} ms",
            f"{failed:,}", f"{int(part['failures'].to_numpy().sum()):,}",
        ]  # fmt: skip
        rows.append((Cell(title_contender(name)), *map(Cell, cells)))
    return _make_table(
        "Studies, times and failures", ["contender", "studies", "ask", "recommend", "failed studies", "failures"],
        rows, 1, "Mean over studies of the median times of a study, beside other work on the machine.",
    )  # fmt: skip


def tabulate_targets(targets: Sequence[Target]) -> TextTable | None:
    """Return the targets with their results."""
    rows = [
        (
            Cell("" if before is not None and before.text == each.text else each.text), Cell(each.setting),
            Cell(each.goal), Cell(each.found), Cell(each.interval), Cell(each.verdict, each.met is False),
        )
        for before, each in zip([None, *targets], targets, strict=False)
    ]  # fmt: skip
    return _make_table("Targets", ["target", "setting", "goal", "result", "95 % interval", ""], rows, 6, "")


ANSWER_TABLES: dict[str, Callable[[pl.DataFrame], TextTable | None]] = {
    "targets": lambda studies: tabulate_targets(judge_targets(studies)),
    "areas": tabulate_areas,
    "shares": tabulate_shares,
    "medians": tabulate_medians,
    "reach": tabulate_reach,
    "differences": tabulate_differences,
    "placements": tabulate_placements,
    "losses": tabulate_losses,
    "problems": tabulate_problems,
    "costs": tabulate_costs,
}
"""Tables by name, in the order of the report."""


# -- cells -------------------------------------------------------------------------------------------------------------


def _tabulate(title: str, studies: pl.DataFrame, describe: Describe, note: str) -> TextTable | None:
    """Return a table of contenders by judges."""
    good = _select_good(studies)
    judges, rows = list_present(good, "judge", JUDGES), []
    for name in list_present(good, "contender", tuple(CONTENDERS)):
        parts = [select(good, contender=name, judge=judge) for judge in judges]
        cells = [Cell(describe(part) if part.height else MISSING_TEXT) for part in parts]
        rows.append((Cell(title_contender(name)), *cells))
    return _make_table(title, ["contender", *judges], rows, 1, note)


def _make_table(
    title: str, headings: Sequence[str], rows: Sequence[tuple[Cell, ...]], left: int, note: str
) -> TextTable | None:
    """Return a table whose first columns are text, or ``None`` without rows."""
    align = ("l",) * left + ("r",) * (len(headings) - left)
    return TextTable(title, tuple(headings), tuple(rows), align, note) if rows else None


def _select_good(studies: pl.DataFrame) -> pl.DataFrame:
    return select(studies, placement="good")


def _choose_answers(studies: pl.DataFrame) -> tuple[int, ...]:
    """Return the answers to show; of short studies only the last."""
    last = int(studies["answers"].to_numpy().max()) if studies.height else 0
    return SHOWN_ANSWERS if last >= SHOWN_ANSWERS[-1] else (last,)


def _compare(studies: pl.DataFrame, judge: str, one: str, other: str) -> Interval | None:
    return compare(select(studies, judge=judge, contender=one), select(studies, judge=judge, contender=other), "area")


def _describe_shares(part: pl.DataFrame, shown: Sequence[int]) -> str:
    found = [study_metrics.estimate_mean(study_metrics.add_share_after(part, n), f"share_{n}") for n in shown]
    return keep_together(" / ".join(MISSING_TEXT if each is None else f"{each.mean:.2f}" for each in found))


def _describe_median(part: pl.DataFrame) -> str:
    last = part["shares"].list.last().to_numpy()
    return f"{np.median(last):.2f} ({np.mean(last < 0.0):.0%})"


def _describe_reach(part: pl.DataFrame) -> str:
    means = " / ".join(f"{study_metrics.restricted_mean(part, level):.0f}" for level in LEVELS)
    shares = " / ".join(f"{100 * study_metrics.share_reached(part, level):.0f}" for level in LEVELS)
    return f"{keep_together(means)} {keep_together(f'({shares})')}"


def _format_mean(found: Interval) -> str:
    return keep_together(found.format_half_width())


def _format_gap(gap: Interval | None) -> str:
    return MISSING_TEXT if gap is None else keep_together(gap.format_half_width(signed=True))


def _mark_best(
    found: Sequence[Interval | None], describe: Callable[[Interval], str] = lambda each: f"{each.mean:.2f}"
) -> list[Cell]:
    """Return a cell for each mean; the largest is bold."""
    best = max((each.mean for each in found if each is not None), default=0.0)
    return [Cell(MISSING_TEXT) if each is None else Cell(describe(each), each.mean == best) for each in found]
