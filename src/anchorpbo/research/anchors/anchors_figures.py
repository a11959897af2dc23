"""Figures of the studies of anchors: Bayes factors of simulated experts, and curves with true and false anchors."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from anchorpbo.research.anchors.anchors_summary import select_main
from anchorpbo.research.anchors.anchors_tables import ARM_TITLES, CASE_TITLES
from anchorpbo.research.anchors.validation_power import CASES
from anchorpbo.research.figures.strategy_styles import (
    BLACK,
    BLUE,
    DASHED,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    RED,
    Dash,
    figure,
    legend_below,
    use_style,
)
from anchorpbo.study.anchor_validation import CONTRADICTED_FACTOR, SUPPORTED_FACTOR

LOWEST, HIGHEST = 1e-4, 1e8
"""Bayes factors beyond these are drawn at the edge."""
MIN_BAND_SEEDS = 5
"""Smallest number of seeds for which a band is drawn."""
ARM_STYLES: dict[str, tuple[str, Dash]] = {
    "fixed/none": (BLACK, DASHED),
    "fixed/true": (BLUE, DASHED),
    "learnt/true": (BLUE, "-"),
    "fixed/false": (RED, DASHED),
    "learnt/false": (RED, "-"),
}
_COLOURS = {"supported": GREEN, "open": GREY, "contradicted": ORANGE}


@use_style()
def plot_factors(experts: pl.DataFrame) -> Figure:
    """Plot the Bayes factor of each expert, one strip per case; the bar is the median."""
    part = select_main(experts)
    cases = [case for case in CASES if case in set(part["case"])]
    new, panels = figure(1, 1, width=PAGE, height=1.2 + 0.75 * len(cases))
    (axes,) = panels.flat
    for at, case in enumerate(cases):
        own = part.filter(pl.col("case") == case).sort("problem", "seed")
        factors = np.clip(own["bayes_factor"].to_numpy(), LOWEST, HIGHEST)
        heights = at + np.random.default_rng(at).uniform(-0.25, 0.25, len(own))
        colours = [_COLOURS[verdict] for verdict in own["verdict"]]
        axes.scatter(factors, heights, s=11, c=colours, alpha=0.8, linewidths=0.0)
        axes.plot([np.median(factors)] * 2, [at - 0.34, at + 0.34], color=BLACK, linewidth=1.6)
    for factor in (CONTRADICTED_FACTOR, SUPPORTED_FACTOR):
        axes.axvline(factor, color=GREY, linestyle=DASHED, linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.1), max(high, 10.0))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda factor, _: f"{factor:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Bayes factor of anchored against constant noise")
    axes.set_yticks(range(len(cases)), [CASE_TITLES[case] for case in cases])
    axes.set_ylim(len(cases) - 0.5, -0.5)
    handles = [Line2D([], [], color=colour, marker="o", linestyle="", label=name) for name, colour in _COLOURS.items()]
    handles.append(Line2D([], [], color=BLACK, label="median"))
    legend_below(new, handles, heading="one point per simulated expert")
    return new


@use_style()
def plot_arms(curves: pl.DataFrame) -> Figure:
    """Plot the mean share of the recommended design against the number of answers, one curve per arm."""
    new, panels = figure(1, 1, width=PAGE, height=3.6)
    (axes,) = panels.flat
    handles = []
    for arm, (colour, dash) in ARM_STYLES.items():
        own = curves.filter(pl.col("arm") == arm).sort("answer")
        if own.is_empty():
            continue
        axes.plot(own["answer"], own["mean"], color=colour, linestyle=dash)
        if own["seeds"].to_numpy().min() >= MIN_BAND_SEEDS:
            axes.fill_between(own["answer"], own["low"], own["high"], color=colour, alpha=0.1, linewidth=0.0)
        handles.append(Line2D([], [], color=colour, linestyle=dash, label=ARM_TITLES[arm]))
    axes.set_xlabel("answers")
    axes.set_ylabel("mean share")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    legend_below(new, handles, columns=3, heading="mean and 95 % interval over seeds")
    return new
