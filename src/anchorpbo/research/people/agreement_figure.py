"""Figure of predicted against observed agreement of repeated answers: one point per listener, and bands of pairs."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from anchorpbo.research.figures.strategy_styles import BLUE, DASHED, GREY, ORANGE, PAGE, figure, legend_below, use_style
from anchorpbo.research.people.repeat_agreement import TARGETS

LOWEST, HIGHEST = 0.45, 1.0
_COLOURS = dict(zip(TARGETS, (BLUE, ORANGE), strict=True))
_TITLES = {"same session": "same session", "later": "another session"}


@use_style()
def plot_agreement(listeners: pl.DataFrame, bands: pl.DataFrame, model: str = "default", told: int = 1) -> Figure:
    """Plot a model that knows some repetitions: listeners on the left, pairs by predicted agreement on the right.

    Parameters
    ----------
    listeners
        Means of listeners, see `average_listeners`.
    bands
        Means of bands, see `average_bands`.
    model
        Name of the model.
    told
        Number of repetitions that it knows.
    """
    new, panels = figure(1, 2, width=PAGE, height=3.7, sharex=True, sharey=True)
    left, right = panels.flat
    for target, colour in _COLOURS.items():
        own = (pl.col("model") == model) & (pl.col("told") == told) & (pl.col("target") == target)
        people, pairs = listeners.filter(own), bands.filter(own).sort("from")
        left.scatter(people["predicted"], people["observed"], s=16, color=colour, alpha=0.75, linewidths=0.0)
        errors = [pairs["observed"] - pairs["low"], pairs["high"] - pairs["observed"]]
        right.errorbar(
            pairs["predicted"], pairs["observed"], errors, color=colour, marker="o", markersize=4.0, linewidth=1.0
        )
    for axes, title in ((left, "one point per listener"), (right, "pairs by predicted agreement")):
        _finish_panel(axes, title)
    left.set_ylabel("observed agreement")
    handles = [Line2D([], [], color=_COLOURS[name], marker="o", linestyle="", label=_TITLES[name]) for name in TARGETS]
    handles.append(Line2D([], [], color=GREY, linestyle=DASHED, label="predicted = observed"))
    legend_below(new, handles, heading="bars: 95 % intervals over listeners")
    return new


def _finish_panel(axes: Axes, title: str) -> None:
    axes.set_title(title)
    axes.set_xlabel("predicted agreement")
    axes.set_xlim(LOWEST, HIGHEST)
    axes.set_ylim(LOWEST, HIGHEST)
    axes.set_aspect("equal")
    axes.plot([LOWEST, HIGHEST], [LOWEST, HIGHEST], color=GREY, linestyle=DASHED, linewidth=0.8, zorder=1)
