"""Figures of the gains of risk-averse strategies on their risk-neutral twins: by distance of the anchors, by setting.

Both draw a table of `run_metrics.summarise_gains`: one row per problem, variant, strategy and metric, with the mean
paired difference, its 95 % interval, and the mean distance of the anchors from the optimum.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from anchorpbo.errors import InputError
from anchorpbo.research.experiments.simulated_study import TWINS
from anchorpbo.research.figures.round_curves import METRIC_LABELS, format_variant, sort_by_order, sort_variants
from anchorpbo.research.figures.strategy_styles import (
    BLACK,
    GREY,
    PAGE,
    PROBLEM_TITLES,
    STRATEGY_STYLES,
    figure,
    find_style,
    format_acquisition,
    format_problem,
    legend_below,
    use_style,
)

GAIN_COLUMNS = ("problem", "variant", "strategy", "metric", "distance", "mean", "low", "high")
SEED_PLACEMENT = "away"
"""The variant with anchors drawn by the seed."""


@use_style()
def plot_gain_by_distance(summary: pl.DataFrame, *, metric: str = "risk_adjusted", width: float = PAGE) -> Figure:
    """Plot the gain against the distance of the anchors from the optimum: one row per problem, one column per strategy.

    Filled circles are corners of the cube; the open square is the mean over clusters drawn by the seed. Bars are 95 %
    intervals; the line is a least-squares fit through the corners.

    Parameters
    ----------
    summary
        See the module docstring; the variant is the placement of the anchors.
    metric
        Metric of the gain.
    width
        Width of the figure in inches.
    """
    shown, problems, strategies = _select_gains(summary, metric)
    new, panels = figure(len(problems), len(strategies), width=width, sharex="row", sharey="row")
    for row, problem in enumerate(problems):
        for column, strategy in enumerate(strategies):
            axes = panels[row, column]
            found = shown.filter(pl.col("problem") == problem, pl.col("strategy") == strategy)
            _draw_zero(axes, horizontal=True)
            for place, marker in (
                (found.filter(pl.col("variant") != SEED_PLACEMENT), "o"),
                (_select_seed_placement(found), "s"),
            ):
                _draw_points(axes, place, find_style(strategy).colour, marker)
            _draw_fit(axes, found.filter(pl.col("variant") != SEED_PLACEMENT))
            if row == 0:
                axes.set_title(_format_pair(strategy))
            if row == len(problems) - 1:
                axes.set_xlabel("distance of the anchors\nfrom the optimum")
        panels[row, 0].set_ylabel(f"{format_problem(problem)}\ngain")
    handles = [
        Line2D([], [], color=GREY, marker="o", linestyle="none", label="anchors around a corner"),
        Line2D([], [], color=GREY, marker="s", markerfacecolor="none", linestyle="none", label="drawn by the seed"),
        Line2D([], [], color=GREY, linestyle=":", label="fit through the corners"),
    ]
    legend_below(new, handles, columns=3, heading=_describe_gain(shown, metric))
    return new


@use_style()
def plot_gain_forest(summary: pl.DataFrame, *, metric: str = "risk_adjusted", width: float = PAGE) -> Figure:
    """Plot the gain under each setting: one block per problem, one row per setting, one column per strategy.

    Parameters
    ----------
    summary
        See the module docstring; the variant is the setting.
    metric
        Metric of the gain.
    width
        Width of the figure in inches.
    """
    shown, problems, strategies = _select_gains(summary, metric)
    rows = [
        (problem, variant)
        for problem in problems
        for variant in sort_variants(
            shown.filter(pl.col("problem") == problem)["variant"].unique(maintain_order=True).to_list()
        )
    ]
    blocks = [problems.index(problem) for problem, _ in rows]
    heights = np.arange(len(rows)) + 0.8 * np.array(blocks)
    new, panels = figure(1, len(strategies), width=width, height=0.24 * (heights[-1] + 3.0), sharey=True)
    for axes, strategy in zip(panels[0], strategies, strict=True):
        _draw_zero(axes, horizontal=False)
        for height, (problem, variant) in zip(heights, rows, strict=True):
            here = pl.col("problem") == problem, pl.col("variant") == variant, pl.col("strategy") == strategy
            found = shown.filter(*here)
            if found.height:
                mean, low, high = (float(found[name][0]) for name in ("mean", "low", "high"))
                axes.plot([low, high], [height, height], color=find_style(strategy).colour, linewidth=1.2)
                axes.plot([mean], [height], "o", color=find_style(strategy).colour, markersize=3.5)
        axes.set_title(_format_pair(strategy))
        axes.set_xlabel("gain")
    firsts = [i for i, (problem, _) in enumerate(rows) if i == 0 or rows[i - 1][0] != problem]
    names = [
        f"{format_problem(p)}: {format_variant(v)}" if i in firsts else format_variant(v)
        for i, (p, v) in enumerate(rows)
    ]
    panels[0, 0].set_yticks(heights, names)
    panels[0, 0].set_ylim(heights[-1] + 0.7, -0.7)
    legend_below(
        new,
        [Line2D([], [], color=BLACK, marker="o", label="mean and 95 % interval")],
        heading=_describe_gain(shown, metric),
    )
    return new


def _draw_points(axes: Axes, rows: pl.DataFrame, colour: str, marker: str) -> None:
    if rows.height:
        x, mean, low, high = (rows[name].to_numpy() for name in ("distance", "mean", "low", "high"))
        fill = "none" if marker == "s" else colour
        axes.errorbar(
            x, mean, [mean - low, high - mean], color=colour, linestyle="none", linewidth=0.8,
            marker=marker, markersize=5 if marker == "s" else 3.5, markerfacecolor=fill,
        )  # fmt: skip


def _draw_fit(axes: Axes, rows: pl.DataFrame) -> None:
    if rows.height > 2:
        x, y = rows["distance"].to_numpy(), rows["mean"].to_numpy()
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, np.polyval(np.polyfit(x, y, 1), ends), color=GREY, linestyle=":")


def _select_seed_placement(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("variant") == SEED_PLACEMENT)


def _draw_zero(axes: Axes, *, horizontal: bool) -> None:
    (axes.axhline if horizontal else axes.axvline)(0.0, color=GREY, linewidth=0.6)


def _format_pair(strategy: str) -> str:
    return f"{format_acquisition(strategy)} on {format_acquisition(TWINS[strategy])}"


def _describe_gain(shown: pl.DataFrame, metric: str) -> str:
    seeds = shown["seeds"].to_numpy()
    least, most = int(seeds.min()), int(seeds.max())
    runs = most if least == most else f"{least} to {most}"
    return f"gain: mean paired difference of the {METRIC_LABELS[metric]} over {runs} seeds"


def _select_gains(summary: pl.DataFrame, metric: str) -> tuple[pl.DataFrame, list[str], list[str]]:
    missing = [name for name in GAIN_COLUMNS if name not in summary.columns]
    shown = summary if missing else summary.filter(pl.col("metric") == metric)
    if missing or not shown.height:
        received = f"none of {', '.join(missing)}" if missing else f"no rows of {metric}"
        raise InputError(
            "gains need rows of a summary with their columns", received, "see anchorpbo.research.figures.gain_figures"
        )
    problems = sort_by_order(shown["problem"].unique(maintain_order=True), PROBLEM_TITLES)
    return shown, problems, sort_by_order(shown["strategy"].unique(maintain_order=True), STRATEGY_STYLES)
