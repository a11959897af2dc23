"""Figures of the benchmark: mean share of the recommended design against the number of answers.

Bands are 95 % intervals over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from anchorpbo.research.answers.answer_tables import PROBLEMS, title_contender
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS
from anchorpbo.research.answers.plan import HETEROSCEDASTIC
from anchorpbo.research.answers.study_metrics import average_curve, list_present, select
from anchorpbo.research.answers.targets import ANCHORED, OURS
from anchorpbo.research.figures.strategy_styles import (
    BLACK,
    BLUE,
    DASHED,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PINK,
    RED,
    SKY,
    YELLOW,
    Dash,
    figure,
    legend_below,
    use_style,
)

COLUMNS = 3
"""Panels in a row."""
LOWEST, HIGHEST = -0.3, 1.02
"""Limits of the share in a panel."""
MIN_BAND_SEEDS = 5
"""Smallest number of seeds for which a band is drawn; with fewer it would fill the panel."""
PROBLEM_JUDGES = ("sure", "linear")
"""Judges of the figures by problem."""


@dataclass(frozen=True)
class LineStyle:
    """Colour and dash of a line."""

    colour: str
    dash: Dash = "-"


CONTENDER_STYLES: dict[str, LineStyle] = {
    "default": LineStyle(BLUE),
    "default-anchors": LineStyle(BLUE, DASHED),
    "version-1": LineStyle(YELLOW),
    "version-1-anchors": LineStyle(YELLOW, DASHED),
    "hb-ei": LineStyle(RED),
    "paper": LineStyle(SKY),
    "paper-anchors": LineStyle(SKY, DASHED),
    "botorch-probit": LineStyle(ORANGE),
    "botorch-probit-3": LineStyle(ORANGE, (0.0, (1.0, 1.5))),
    "botorch-logit": LineStyle(ORANGE, DASHED),
    "optuna": LineStyle(GREEN),
    "glisp": LineStyle(PINK),
    "random": LineStyle(GREY),
}
"""Styles by contender; others are black and dashed."""
PLACEMENT_STYLES: dict[str, LineStyle] = {
    "good": LineStyle(GREEN), "random": LineStyle(YELLOW), "misleading": LineStyle(RED),
}  # fmt: skip


@use_style()
def plot_judges(studies: pl.DataFrame) -> Figure:
    """Plot all contenders, one panel per judge; the judge's anchors are good."""
    good = select(studies, placement="good")
    judges = list_present(good, "judge", JUDGES)
    return _plot_contenders({judge: select(good, judge=judge) for judge in judges})


@use_style()
def plot_problems(studies: pl.DataFrame, judge: str) -> Figure:
    """Plot all contenders with one judge, one panel per problem."""
    part = select(studies, placement="good", judge=judge)
    return _plot_contenders({name: select(part, problem=name) for name in list_present(part, "problem", PROBLEMS)})


@use_style()
def plot_placements(studies: pl.DataFrame) -> Figure:
    """Plot the default preset with the anchors of each placement and without, one panel per judge."""
    judges = list_present(studies, "judge", JUDGES)
    new, panels = _make_panels(judges)
    placements = list_present(studies, "placement", PLACEMENTS)
    for judge, axes in zip(judges, panels, strict=True):
        for placement in placements:
            style = PLACEMENT_STYLES[placement]
            told = select(studies, judge=judge, contender=ANCHORED, placement=placement)
            _draw(axes, told, style)
            if judge in HETEROSCEDASTIC:
                # The judge's noise depends on the placement, so each has a curve without anchors of its own.
                alone = select(studies, judge=judge, contender=OURS, placement=placement)
                _draw(axes, alone, LineStyle(style.colour, DASHED))
        if judge not in HETEROSCEDASTIC:
            _draw(axes, select(studies, judge=judge, contender=OURS, placement="good"), LineStyle(BLACK, DASHED))
    lines = {f"{name} anchors": PLACEMENT_STYLES[name] for name in placements}
    _finish(new, {**lines, "without anchors": LineStyle(BLACK, DASHED)})
    return new


def _plot_contenders(parts: Mapping[str, pl.DataFrame]) -> Figure:
    """Plot all contenders, one panel per part."""
    new, panels = _make_panels(list(parts))
    shown: dict[str, LineStyle] = {}
    for axes, part in zip(panels, parts.values(), strict=True):
        for name in list_present(part, "contender", tuple(CONTENDERS)):
            style = CONTENDER_STYLES.get(name, LineStyle(BLACK, DASHED))
            shown[title_contender(name)] = style
            _draw(axes, select(part, contender=name), style)
    _finish(new, shown)
    return new


def _make_panels(titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    columns = min(COLUMNS, len(titles))
    rows = -(-len(titles) // columns)
    new, panels = figure(rows, columns, width=PAGE, height=2.3 * rows + 0.9, sharex=True, sharey=True)
    for axes in panels.flat[len(titles) :]:
        axes.set_visible(False)
    for number, (title, axes) in enumerate(zip(titles, panels.flat, strict=False)):
        axes.set_title(title)
        axes.set_ylim(LOWEST, HIGHEST)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        if number % columns == 0:
            axes.set_ylabel("mean share")
        if number + columns >= len(titles):
            axes.set_xlabel("answers")
            axes.tick_params(labelbottom=True)
    return new, list(panels.flat[: len(titles)])


def _draw(axes: Axes, studies: pl.DataFrame, style: LineStyle) -> None:
    """Draw a mean curve with its band, if there are studies."""
    curve = average_curve(studies)
    if len(curve):
        answers = range(1, len(curve) + 1)
        axes.plot(answers, curve[:, 0], color=style.colour, linestyle=style.dash)
        if studies["seed"].n_unique() >= MIN_BAND_SEEDS:
            axes.fill_between(answers, curve[:, 1], curve[:, 2], color=style.colour, alpha=0.12, linewidth=0.0)


def _finish(new: Figure, lines: Mapping[str, LineStyle]) -> None:
    handles = [Line2D([], [], color=each.colour, linestyle=each.dash, label=name) for name, each in lines.items()]
    legend_below(new, handles, columns=min(4, max(len(handles), 1)), heading="mean and 95 % interval over seeds")
