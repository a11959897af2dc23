"""Figure of mean ranks of strategies against rounds; 0 is the best rank."""

from __future__ import annotations

from types import MappingProxyType

import polars as pl
from matplotlib.figure import Figure

from anchorpbo.errors import InputError
from anchorpbo.research.figures.round_curves import add_strategy_legend, finish_rounds, sort_by_order
from anchorpbo.research.figures.strategy_styles import (
    PAGE,
    PROBLEM_TITLES,
    STRATEGY_STYLES,
    figure,
    find_style,
    format_problem,
    use_style,
)

RANK_COLUMNS: MappingProxyType[str, str] = MappingProxyType(
    {"risk_adjusted_rank_mean": "risk-averse", "value_rank_mean": "risk-neutral"}
)
"""Columns of the summary and the setting that each ranks by; one row of the figure each."""


@use_style()
def plot_ranks(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot ranks, with problems side by side: by risk-adjusted best value above, by best value below.

    Parameters
    ----------
    summary
        One row per problem, strategy and round, with the columns ``problem``, ``strategy``, ``round``,
        ``risk_adjusted_rank_mean`` and ``value_rank_mean``.
    width
        Width of the figure in inches.
    """
    missing = [name for name in ("problem", "strategy", "round", *RANK_COLUMNS) if name not in summary.columns]
    if missing or not summary.height:
        received = f"none of {', '.join(missing)}" if missing else "no rows"
        raise InputError(
            "ranks need rows of a summary with their columns", received, "see anchorpbo.research.figures.rank_figure"
        )
    problems = sort_by_order(summary["problem"].unique(maintain_order=True), PROBLEM_TITLES)
    strategies = sort_by_order(summary["strategy"].unique(maintain_order=True), STRATEGY_STYLES)
    # For a single problem, draw the two panels side by side: a panel as wide as the page would be flat.
    alone = len(problems) == 1
    shape = (1, 2) if alone else (2, len(problems))
    new, panels = figure(*shape, width=width, height=2.8 if alone else None, sharex=True, sharey=True)
    for row, (column_name, setting) in enumerate(RANK_COLUMNS.items()):
        for column, problem in enumerate(problems):
            axes = panels[0, row] if alone else panels[row, column]
            for strategy in strategies:
                here = (pl.col("problem") == problem) & (pl.col("strategy") == strategy)
                rows, how = summary.filter(here).sort("round"), find_style(strategy)
                axes.plot(
                    rows["round"].to_numpy(),
                    rows[column_name].cast(float).to_numpy(),
                    color=how.colour,
                    linestyle=how.dash,
                )
            if alone or column == 0:
                axes.set_ylabel(f"{setting}: mean rank\n(0 is best)")
            if alone or row == 1:
                axes.set_xlabel("round")
            if not alone and row == 0:
                axes.set_title(format_problem(problem))
    if alone:
        new.suptitle(format_problem(problems[0]), fontsize="medium")
    finish_rounds(new, panels, summary)
    # All panels share the axis: better ranks are up, and every possible rank fits.
    panels[0, 0].set_ylim(len(strategies) - 1 + 0.15, -0.15)
    panels[0, 0].set_yticks(range(len(strategies)))
    add_strategy_legend(new, strategies)
    return new
