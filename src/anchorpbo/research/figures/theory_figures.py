"""Figures of the paper's theory against simulation: consistency, anchor processes, concentration, one step, time.

Each function draws the summary of the experiment with its name; `tabulate_violations` tabulates that of `one_step`.
Bands are `strategy_styles.BAND` standard deviations over seeds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from anchorpbo.acquisition.best_option import lambert_constant
from anchorpbo.research.experiments.one_step import INEQUALITIES, describe_posteriors, format_percent
from anchorpbo.research.figures.strategy_styles import (
    BAND,
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
    Dash,
    Panels,
    band,
    figure,
    legend_below,
    use_style,
)
from anchorpbo.research.figures.text_table import Cell, TextTable

DOTTED: Dash = (0.0, (1.0, 1.2))
_ESTIMATOR_COLOURS = {
    "density": BLUE,
    "density, h by rate": SKY,
    "k(0) = 1": RED,
    "k(0) = 1, h in [1, 2]": ORANGE,
}
_PROCESS_COLOURS = {"iid": BLACK, "hard core": BLUE, "soft core": GREEN, "clustered": RED}
_DELTA_COLOURS = (BLUE, GREEN, ORANGE, PINK)
_FORM_COLOURS = {"paper": RED, "difference": BLUE}
_AVERSION_DASHES: tuple[Dash, ...] = ("-", DASHED, DOTTED)
_SIZE_COLOURS = (SKY, BLUE, GREEN, ORANGE, RED)


@use_style()
def plot_consistency(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot error, bandwidth and leave-one-out ratio against the number of anchors, and errors against the dimension."""
    new, panels = figure(2, 3, width=width)
    anchors, dimension = (summary.filter(pl.col("panel") == name) for name in ("anchors", "dimension"))
    for axes, measure, label in zip(
        panels[0], ("mse", "bandwidth", "ratio"), ("MSE", "bandwidth h", "ISE at LOO h / least"), strict=True
    ):
        _draw_estimators(axes, anchors.filter(pl.col("measure") == measure))
        axes.set(xscale="log", yscale="log", xlabel="anchors n", ylabel=label)
    _draw_reference_slope(panels[0, 0], anchors)
    panels[0, 2].axhline(1.0, color=GREY, linewidth=0.8)
    _set_ticks(panels[0, 1], "y", (0.7, 1, 1.5, 2, 3))
    _set_ticks(panels[0, 2], "y", (1, 1.5, 2, 3))
    labels = ("MSE", "relative MSE", "bandwidth h")
    for axes, measure, label in zip(panels[1], ("mse", "relative", "bandwidth"), labels, strict=True):
        _draw_estimators(axes, dimension.filter(pl.col("measure") == measure))
        axes.set(yscale="log", xlabel="dimension d", ylabel=label)
    panels[1, 1].axhline(1.0, color=GREY, linewidth=0.8)
    _set_ticks(panels[1, 2], "y", (0.1, 0.2, 0.5, 1))
    handles: list[Artist] = [_make_handle(name, colour) for name, colour in _ESTIMATOR_COLOURS.items()]
    variances = _list_values(dimension, "variance")
    handles += [_make_handle(f"variance {v:g} (below)", GREY, _choose_dash(i)) for i, v in enumerate(variances)]
    _finish(new, panels, handles, summary, columns=3)
    return new


@use_style()
def plot_anchor_process(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot the error against the number of anchors, one panel per radius, with independent anchors in each."""
    errors = summary.filter(pl.col("measure") == "mse")
    radii = [radius for radius in _list_values(errors, "radius") if radius > 0]
    new, panels = figure(1, len(radii), width=width, height=2.5, sharey=True)
    for axes, radius in zip(panels[0], radii, strict=True):
        for process, colour in _PROCESS_COLOURS.items():
            own = errors.filter(pl.col("process") == process, pl.col("radius") == (0.0 if process == "iid" else radius))
            _draw_line(axes, own, "n", "mean", colour)
        axes.set(xscale="log", yscale="log", xlabel="anchors n", title=f"radius {radius:g} standard deviations")
    panels[0, 0].set_ylabel("MSE")
    handles = [_make_handle(name, colour) for name, colour in _PROCESS_COLOURS.items()]
    _finish(new, panels, handles, errors, columns=4)
    return new


@use_style()
def plot_concentration(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot the tightness of the bounds and the coverage of the uniform bound's stochastic part, one row per dimension.

    The first two columns show the (1 - delta) quantile of the error over the bound: below 1 the bound holds. The
    pointwise bound is shown at the point where it is tightest.
    """
    dimensions, deltas = [int(d) for d in _list_values(summary, "d")], _list_values(summary, "delta")
    fits = [int(n) for n in _list_values(summary, "fitted_on") if n > 0]
    new, panels = figure(len(dimensions), 3, width=width, sharex=True, sharey="col")
    for row, d in enumerate(dimensions):
        of = summary.filter(pl.col("d") == d)
        for colour, delta in zip(_DELTA_COLOURS, deltas, strict=False):
            cells = of.filter(pl.col("delta") == delta)
            pointwise = cells.filter(pl.col("bound") == "pointwise").group_by("n").agg(pl.col("tightness").max())
            _draw_line(panels[row, 0], pointwise, "n", "tightness", colour)
            for number, fitted_on in enumerate(fits):
                fitted = cells.filter(pl.col("fitted_on") == fitted_on)
                uniform, part = (fitted.filter(pl.col("bound") == b) for b in ("uniform", "stochastic part"))
                _draw_line(panels[row, 1], uniform, "n", "tightness", colour, _choose_dash(number))
                _draw_line(panels[row, 2], part, "n", "coverage", colour, _choose_dash(number))
            panels[row, 2].axhline(1.0 - delta, color=colour, linewidth=0.6, alpha=0.6)
        for axes in panels[row, :2]:
            axes.axhline(1.0, color=GREY, linewidth=0.8)
            axes.set_ylim(0.0, 1.1)
        panels[row, 0].set_ylabel(f"d = {d}\nerror quantile / bound")
        panels[row, 2].set_ylabel("coverage")
    for axes, name in zip(panels[0], ("pointwise bound", "uniform bound", "its stochastic part alone"), strict=True):
        axes.set_title(name)
    for axes in panels[-1]:
        axes.set(xscale="log", xlabel="anchors n")
    handles = [_make_handle(f"δ = {delta:g}", colour) for delta, colour in zip(deltas, _DELTA_COLOURS, strict=False)]
    handles += [_make_handle(f"c₃, c₄ fitted on n = {n}", GREY, _choose_dash(i)) for i, n in enumerate(fits)]
    new.align_ylabels()
    legend_below(new, handles, columns=3)
    return new


@use_style()
def plot_one_step(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot the largest loss, the share of violations of lemma and proposition, and the smallest sufficient constant."""
    new, panels = figure(2, 2, width=width)
    known = summary.filter(pl.col("inequality") == "pointwise, hardest")
    posteriors = summary.filter(pl.col("inequality").is_in(["lemma", "proposition"]))
    around, shifted = posteriors.filter(pl.col("offset") == 0.0), posteriors.filter(pl.col("spread") == 1.0)
    for name, colour in _FORM_COLOURS.items():
        for dash, alpha in zip(_AVERSION_DASHES, _list_values(summary, "risk_aversion"), strict=False):
            mine = (pl.col("form") == name, pl.col("risk_aversion") == alpha)
            _draw_line(panels[0, 0], known.filter(*mine), "spread", "constant", colour, dash)
            for axes, inequality in ((panels[0, 1], "lemma"), (panels[1, 0], "proposition")):
                cells = shifted.filter(*mine, pl.col("inequality") == inequality)
                _draw_line(axes, cells, "offset", "share", colour, dash)
            cells = around.filter(*mine, pl.col("inequality") == "proposition")
            _draw_line(panels[1, 1], cells, "spread", "constant", colour, dash)
    for axes in (panels[0, 0], panels[1, 1]):
        axes.axhline(lambert_constant(), color=GREY, linewidth=0.8)
    panels[0, 0].set(xscale="log", yscale="log", xlabel="largest utility |f|", ylabel="largest loss")
    panels[0, 0].set_title("one duel of known utilities")
    for axes, name in ((panels[0, 1], "lemma"), (panels[1, 0], "proposition")):
        axes.set_xscale("symlog", linthresh=1.0)
        axes.set(xlabel="mean utility", ylabel="share that violate it", title=f"{name} with λₘₐₓC", ylim=(-0.02, None))
        axes.xaxis.set_major_locator(FixedLocator([-100, -10, -1, 0, 1, 10, 100]))
        axes.xaxis.set_minor_locator(NullLocator())
    panels[1, 1].set(xscale="log", yscale="log", xlabel="spread of utilities", ylabel="least constant")
    panels[1, 1].set_title("proposition, mean utility 0")
    _set_ticks(panels[1, 1], "y", (0.2, 0.5, 1, 2))
    _set_ticks(panels[1, 1], "x", (1, 3, 10))
    handles: list[Artist] = [_make_handle(f"{name} form", colour) for name, colour in _FORM_COLOURS.items()]
    handles.append(_make_handle("λₘₐₓC", GREY, width=0.8))
    alphas = _list_values(summary, "risk_aversion")
    handles += [
        _make_handle(f"α = {alpha:g}", BLACK, dash) for dash, alpha in zip(_AVERSION_DASHES, alphas, strict=False)
    ]
    _finish(new, panels, handles, summary, columns=6, what="shares: ", rest="; losses and constants: the largest")
    return new


def tabulate_violations(summary: pl.DataFrame) -> TextTable:
    """Tabulate violations of the one-step inequalities and the smallest sufficient constant, one row per setting."""
    rows = []
    for inequality in INEQUALITIES:
        own = summary.filter(pl.col("inequality") == inequality)
        for cells in own.partition_by("form", "risk_aversion", maintain_order=True):
            usual = cells.filter(pl.col("offset") == 0.0, pl.col("spread") == 1.0).row(0, named=True)
            most, worst = (cells.sort(column).row(-1, named=True) for column in ("share", "constant"))
            head = (inequality, usual["form"], f"{usual['risk_aversion']:g}")
            shares = (format_percent(usual["share"]), format_percent(most["share"]))
            constants = (f"{usual['constant']:.3g}", f"{worst['constant']:.3g}", describe_posteriors(worst))
            rows.append(tuple(map(Cell, (*head, *shares, *constants))))
    usual_beliefs = "mean utility 0, spread 1"
    return TextTable(
        "Violations of the guarantees of one step, and the least constant without any",
        (
            "Inequality", "Form", "Alpha", f"Violated at {usual_beliefs}", "At most", f"Constant at {usual_beliefs}",
            "At most", "Where",
        ),
        tuple(rows),
        (*"ll", *"rrrrr", "l"),
        f"Lemma and proposition allow {lambert_constant():.3f}, V >= U allows 0.",
    )  # fmt: skip


@use_style()
def plot_kde_time(summary: pl.DataFrame, *, width: float = PAGE) -> Figure:
    """Plot the CPU time of the noise map against the numbers of anchors and of designs, with a line of slope 1."""
    times = summary.filter(pl.col("measure") == "seconds").with_columns(
        mean=1e3 * pl.col("mean"), std=1e3 * pl.col("std")
    )
    new, panels = figure(1, 2, width=width, height=2.5, sharey=True)
    for axes, x, other, symbol in zip(panels[0], ("anchors", "designs"), ("designs", "anchors"), "NM", strict=True):
        sizes = _list_values(times, other)
        for colour, size in zip(_SIZE_COLOURS, sizes, strict=False):
            _draw_line(axes, times.filter(pl.col(other) == size), x, "mean", colour)
        least = times.filter(pl.col(other) == sizes[0]).sort(x)
        at, lowest = (least[name].cast(float).to_numpy() for name in (x, "mean"))
        axes.plot(at, 0.6 * lowest[0] * at / at[0], color=GREY, linestyle=DOTTED, linewidth=1.0)
        axes.set(xscale="log", yscale="log", xlabel=f"{x} {symbol}")
        _set_ticks(axes, "x", at.tolist())
    panels[0, 0].set_ylabel("CPU milliseconds")
    labels = [f"{size:g} of the other" for size in _list_values(times, "designs")]
    handles = [_make_handle(label, colour) for label, colour in zip(labels, _SIZE_COLOURS, strict=False)]
    handles.append(_make_handle("slope 1", GREY, DOTTED, 1.0))
    _finish(new, panels, handles, times, columns=3)
    return new


def _draw_estimators(axes: Axes, rows: pl.DataFrame) -> None:
    for name, colour in _ESTIMATOR_COLOURS.items():
        for number, variance in enumerate(_list_values(rows, "variance")):
            own = rows.filter(pl.col("estimator") == name, pl.col("variance") == variance)
            _draw_line(axes, own, "x", "mean", colour, _choose_dash(number))


def _draw_reference_slope(axes: Axes, anchors: pl.DataFrame) -> None:
    """Draw a line with the proposition's slope below the error with the proposition's bandwidth."""
    own = anchors.filter(pl.col("estimator") == "density, h by rate", pl.col("measure") == "mse").sort("x")
    x, y = (own[name].cast(float).to_numpy() for name in ("x", "mean"))
    axes.plot(x, 0.45 * y[-1] * (x / x[-1]) ** -0.8, color=GREY, linestyle=DOTTED, linewidth=1.0)
    middle = x.size // 2
    height = 0.45 * y[-1] * (x[middle] / x[-1]) ** -0.8
    axes.annotate(
        "$n^{-4/5}$", (x[middle], height), xytext=(-4, -4), textcoords="offset points", color=GREY, ha="right", va="top"
    )


def _draw_line(axes: Axes, rows: pl.DataFrame, x: str, y: str, colour: str, dash: Dash = "-") -> None:
    """Draw a mean with its band, or only a line if the summary has no deviation, with one marker per value."""
    rows = rows.sort(x)
    if rows.is_empty():
        return
    at, values = (rows[name].cast(float).to_numpy() for name in (x, y))
    spread = y in ("mean", "share") and "std" in rows.columns
    std = rows["std"].cast(float).to_numpy() if spread else np.full(values.size, np.nan)
    band(axes, at, values, std, colour=colour, dash=dash, marker="o", markersize=2.2)


def _set_ticks(axes: Axes, which: str, at: Sequence[float]) -> None:
    """Set the ticks of a logarithmic axis that spans less than a power of ten."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(FixedLocator(list(at)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def _finish(
    new: Figure,
    panels: Panels,
    handles: Sequence[Artist],
    summary: pl.DataFrame,
    columns: int,
    what: str = "",
    rest: str = "",
) -> None:
    for axes in panels.flat:
        axes.margins(x=0.03)
    new.align_ylabels()
    seeds = int(summary["seeds"].drop_nulls().to_numpy().max())
    legend_below(new, handles, columns=columns, heading=f"{what}mean ± {BAND:g} std over {seeds} seeds{rest}")


def _make_handle(label: str, colour: str, dash: Dash = "-", width: float = 1.3) -> Line2D:
    return Line2D([], [], color=colour, linestyle=dash, linewidth=width, label=label)


def _choose_dash(number: int) -> Dash:
    return ("-", DASHED, DOTTED)[number % 3]


def _list_values(rows: pl.DataFrame, column: str) -> list[float]:
    return [float(value) for value in rows[column].drop_nulls().unique(maintain_order=True).to_list()]
