"""Figures of cost against duels and of BoTorch's time over ours, one panel per dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from matplotlib.transforms import Affine2D

from anchorpbo.research.bench.contender import ASK_PAIR, FIT, INFER
from anchorpbo.research.bench.costs import Quantity, RoundCosts, compute_ratio
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.figures.strategy_styles import (
    BLUE,
    DASHED,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    RED,
    SKY,
    Dash,
    figure,
    format_problem,
    legend_below,
    use_style,
)  # fmt: skip

Points: TypeAlias = Sequence[tuple[int, float]]
"""Pairs (number of duels, cost)."""
Bounds: TypeAlias = Sequence[tuple[int, float, bool]]
"""Triples (number of duels, lower bound of the cost, whether the bound is assumed because the run was skipped)."""
# A bar at the bound, and an arrow up from it.
_STROKES = (((-0.25, 0.0), (0.25, 0.0)), ((0.0, 0.0), (0.0, 1.0)), ((-0.3, 0.6), (0.0, 1.0), (0.3, 0.6)))
_SHAPE = Path.make_compound_path(*(Path(stroke) for stroke in _STROKES))
_ARROW: dict[str, Any] = {
    "marker": _SHAPE, "markersize": 15.0, "fillstyle": "none", "markeredgewidth": 1.1, "linestyle": "",
    "clip_on": False,
}  # fmt: skip
_IN_LEGEND = {**_ARROW, "marker": _SHAPE.transformed(Affine2D().translate(0.0, -0.5)), "markersize": 8.0}
_TRIED, _ASSUMED = "bound", "assumed bound"
"""Names of the arrows among the drawn lines of a panel."""


@dataclass(frozen=True)
class CostCurve:
    """One line of a figure."""

    label: str
    colour: str
    dash: Dash
    quantity: Quantity
    rival: Quantity | None = None
    """The numerator of a ratio; ``None`` for a cost."""


COST_CURVES = (
    CostCurve("BoTorch, whole round", RED, "-", Quantity("botorch", "round")),
    CostCurve("BoTorch, between fits", RED, DASHED, Quantity("botorch", "between")),
    CostCurve("Optuna, a suggestion", ORANGE, "-", Quantity("optuna", "round")),
    CostCurve("anchorpbo at equal work, whole round", GREEN, "-", Quantity("anchorpbo", "round")),
    CostCurve("anchorpbo at equal work, between fits", GREEN, DASHED, Quantity("anchorpbo", "between")),
    CostCurve("anchorpbo, a study's ask with a fit", BLUE, "-", Quantity("anchorpbo-study", "round")),
    CostCurve("anchorpbo, a study's ask between fits", BLUE, DASHED, Quantity("anchorpbo-study", "between")),
    CostCurve("anchorpbo, RAHBO by HB between fits", PINK, DASHED, Quantity("anchorpbo-study", "single")),
)
RATIO_CURVES = (
    CostCurve("whole round", GREEN, "-", Quantity("anchorpbo", "round"), Quantity("botorch", "round")),
    CostCurve("between fits", GREEN, DASHED, Quantity("anchorpbo", "between"), Quantity("botorch", "between")),
    CostCurve("fit", RED, "-", Quantity("anchorpbo", "round", FIT), Quantity("botorch", "round", FIT)),
    CostCurve("inference", ORANGE, "-", Quantity("anchorpbo", "between", INFER), Quantity("botorch", "between", INFER)),
    CostCurve(
        "search of a pair", SKY, "-", Quantity("anchorpbo", "round", ASK_PAIR), Quantity("botorch", "round", ASK_PAIR)
    ),
    CostCurve(
        "a study's ask with a fit", BLUE, "-", Quantity("anchorpbo-study", "round"), Quantity("botorch", "round")
    ),
)


@use_style()
def plot_costs(rows: Sequence[Row]) -> Figure:
    """Plot seconds per step against the number of duels; a stopped step is an arrow up from the limit."""
    rounds = RoundCosts(rows)
    new, panels = figure(1, len(rounds.dimensions), height=3.6, sharey=True)
    drawn: dict[str, Line2D] = {}
    for axes, d in zip(panels[0], rounds.dimensions, strict=True):
        beside = Counter[int]()
        for curve in COST_CURVES:
            found = [(m, cost) for m in rounds.sizes if (cost := rounds.cost(curve.quantity, m, d)) is not None]
            points = [(m, cost.seconds) for m, cost in found if cost.seconds is not None]
            least = [
                (m, cost.limit, cost.assumed) for m, cost in found if cost.seconds is None and cost.limit is not None
            ]
            if points or least:
                drawn[curve.label] = _draw_curve(axes, curve, points, least, beside)
        _finish_axes(axes, rounds, d)
    panels[0, 0].set_ylabel("time")
    panels[0, 0].yaxis.set_major_formatter(FuncFormatter(_format_seconds))
    _add_legend(new, COST_CURVES, drawn, "stopped at the time limit", 2)
    return new


@use_style()
def plot_ratios(rows: Sequence[Row]) -> Figure:
    """Plot the ratio of BoTorch's time to ours against the number of duels; an arrow is a lower bound."""
    rounds = RoundCosts(rows)
    new, panels = figure(1, len(rounds.dimensions), height=3.2, sharey=True)
    drawn: dict[str, Line2D] = {}
    for axes, d in zip(panels[0], rounds.dimensions, strict=True):
        beside = Counter(rounds.costs(Quantity("botorch", "between"), d).keys())  # sizes that already have a point
        for curve in RATIO_CURVES:
            assert curve.rival is not None
            both = [(m, rounds.cost(curve.rival, m, d), rounds.cost(curve.quantity, m, d)) for m in rounds.sizes]
            found = [(m, times) for m, theirs, ours in both if (times := compute_ratio(theirs, ours)) is not None]
            points = [(m, times.value) for m, times in found if not times.at_least]
            least = [(m, times.value, times.assumed) for m, times in found if times.at_least]
            if found:
                drawn[curve.label] = _draw_curve(axes, curve, points, least, beside)
        axes.axhline(1.0, color=GREY, linewidth=0.7)
        _finish_axes(axes, rounds, d)
    panels[0, 0].set_ylabel("time of BoTorch / time of anchorpbo")
    panels[0, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ×"))
    _add_legend(new, RATIO_CURVES, drawn, "at least", 3)
    return new


def _draw_curve(axes: Axes, curve: CostCurve, points: Points, least: Bounds, beside: Counter[int]) -> Line2D:
    """Draw a curve, and an arrow for every lower bound; arrows at the same size are drawn side by side."""
    for m, value, assumed in least:
        colour, name = (GREY, _ASSUMED) if assumed else (curve.colour, _TRIED)
        axes.plot(m * 1.2 ** beside[m], value, color=colour, gid=name, **_ARROW)
        beside[m] += 1
    x, y = ([point[i] for point in points] for i in (0, 1))
    return axes.plot(x, y, color=curve.colour, linestyle=curve.dash, marker="o", markersize=2.6, label=curve.label)[0]


def _add_legend(
    new: Figure, curves: Iterable[CostCurve], drawn: Mapping[str, Line2D], arrow: str, columns: int
) -> None:
    handles = [drawn[curve.label] for curve in curves if curve.label in drawn]
    there = {line.get_gid() for axes in new.axes for line in axes.get_lines()}
    if _TRIED in there:
        handles.append(Line2D([], [], color="black", label=arrow, **_IN_LEGEND))
    if _ASSUMED in there:
        handles.append(Line2D([], [], color=GREY, label="the same, assumed and not tried", **_IN_LEGEND))
    legend_below(new, handles, columns=columns)


def _finish_axes(axes: Axes, rounds: RoundCosts, d: int) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(format_problem(f"hartmann{d}") if d != 6 else "Hartmann 6D")
    axes.set_xlabel("duels")
    axes.set_xticks(rounds.sizes, [f"{m:,}" for m in rounds.sizes], rotation=45, ha="right", rotation_mode="anchor")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(10.0, numticks=12))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _format_seconds(seconds: float, _: int) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{1e3 * seconds:g} ms"
