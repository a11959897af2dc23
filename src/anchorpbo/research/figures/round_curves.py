"""Figures of metrics against rounds: strategies on problems (`plot_curves`), values of one setting (`plot_ablation`).

Both draw a summary: one row per problem, strategy, variant and round, with the columns ``problem``, ``strategy``,
``variant``, ``round``, ``runs``, and ``M_mean`` and ``M_std`` for each metric M. Round 0 follows the initial duels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from anchorpbo.errors import InputError
from anchorpbo.research.figures.strategy_styles import (
    BAND,
    BLACK,
    DASHED,
    GREY,
    PAGE,
    PROBLEM_TITLES,
    STRATEGY_STYLES,
    Dash,
    Panels,
    band,
    figure,
    find_style,
    format_acquisition,
    format_problem,
    format_strategy,
    legend_below,
    use_style,
)

METRIC_LABELS: MappingProxyType[str, str] = MappingProxyType(
    {
        "risk_adjusted": "risk-adjusted best value",
        "value": "best value",
        "pair_noise": "noise of the queried pair",
        "plain_value": "value of the best mean",
        "plain_risk_adjusted": "risk-adjusted, best mean",
        "running_risk_adjusted": "running\nrisk-adjusted best value",
        "running_value": "running\nbest value",
    }
)
"""Titles of metrics; a line break applies in axis labels and becomes a space in tables."""
VARIANT_NAMES: MappingProxyType[str, str] = MappingProxyType(
    {
        "near": "anchors near the optimum",
        "away": "anchors away from the optimum",
        "hallucination": "Hallucination Believer",
        "laplace": "Laplace",
        "ep": "EP",
        "constant": "constant noise",
        "anchored": "anchored noise",
    }
)
"""Titles of variants, in the order of a legend; a numeric variant is a number of anchors."""

_DASHES: tuple[Dash, ...] = ("-", DASHED, (0.0, (1.0, 1.2)), (0.0, (5.0, 1.4, 1.0, 1.4)))
_INFERENCE_NAMES = {"hallucination", "laplace", "ep"}
_TWIN_PAIRS = (("anpei", "ei"), ("rahbo", "ucb"), ("raeubo", "eubo"))


@use_style()
def plot_curves(summary: pl.DataFrame, metrics: Sequence[str], *, width: float = PAGE) -> Figure:
    """Plot every strategy on every problem: problems side by side, metrics below each other.

    For a single problem, the metrics are side by side.

    Parameters
    ----------
    summary
        See the module docstring; one variant per strategy.
    metrics
        Names of metrics, as in `METRIC_LABELS`.
    width
        Width of the figure in inches.
    """
    _check_summary(summary, metrics)
    if summary.select("problem", "strategy", "variant").unique().height > len(_list_cells(summary)):
        raise InputError("curves shows one variant of a strategy", _list_values(summary, "variant"), "use ablation")
    problems = sort_by_order(_list_values(summary, "problem"), PROBLEM_TITLES)
    alone = len(problems) == 1
    shape = (1, len(metrics)) if alone else (len(metrics), len(problems))
    new, panels = figure(*shape, width=width, height=2.8 if alone else None, sharex="col")
    for row, metric in enumerate(metrics):
        for column, problem in enumerate(problems):
            axes = panels[0, row] if alone else panels[row, column]
            for strategy in sort_by_order(_list_values(summary, "strategy"), STRATEGY_STYLES):
                how = find_style(strategy)
                draw_line(axes, _select(summary, problem=problem, strategy=strategy), metric, how.colour, how.dash)
            if alone or column == 0:
                axes.set_ylabel(METRIC_LABELS.get(metric, metric))
            if alone or row == len(metrics) - 1:
                axes.set_xlabel("round")
            if not alone and row == 0:
                axes.set_title(format_problem(problem))
    if alone:
        new.suptitle(format_problem(problems[0]), fontsize="medium")
    finish_rounds(new, panels, summary)
    add_strategy_legend(new, _list_values(summary, "strategy"), _describe_bands(summary))
    return new


@use_style()
def plot_ablation(
    summary: pl.DataFrame,
    metrics: Sequence[str],
    *,
    columns: Literal["problem", "strategy"] | None = None,
    names: Mapping[str, str] = VARIANT_NAMES,
    width: float = PAGE,
) -> Figure:
    """Plot the same strategies under several values of a setting (variants).

    Parameters
    ----------
    summary
        See the module docstring.
    metrics
        Names of metrics, as in `METRIC_LABELS`; one or more rows of panels each.
    columns
        Columns of panels. With problems, a panel shows all strategies, each in its hue, and variants differ in their
        dashes. With strategies, a panel shows one strategy, variants differ in shade and dashes, and problems are rows.
        The default is problems if there are several and no twins (twins share a hue).
    names
        Titles of variants.
    width
        Width of the figure in inches.
    """
    _check_summary(summary, metrics)
    problems = sort_by_order(_list_values(summary, "problem"), PROBLEM_TITLES)
    strategies = sort_by_order(_list_values(summary, "strategy"), STRATEGY_STYLES)
    variants = sort_variants(_list_values(summary, "variant"), names)
    twins = any(a in strategies and b in strategies for a, b in _TWIN_PAIRS)
    if columns is None:
        columns = "problem" if len(problems) > 1 and not twins else "strategy"
    if columns == "problem" and twins:
        rule = "strategies that share a hue cannot share a panel of an ablation"
        raise InputError(rule, ", ".join(strategies), 'use columns="strategy"')
    if columns == "problem":
        new, panels = figure(len(metrics), len(problems), width=width, sharex="col")
        places = [(r, c, m, p, s) for r, m in enumerate(metrics) for c, p in enumerate(problems) for s in strategies]
        rows, heads = (
            [METRIC_LABELS.get(metric, metric) for metric in metrics],
            [format_problem(problem) for problem in problems],
        )
    else:
        grid = [(metric, problem) for metric in metrics for problem in problems]
        new, panels = figure(len(grid), len(strategies), width=width, sharex=True, sharey="row")
        places = [(r, c, m, p, s) for r, (m, p) in enumerate(grid) for c, s in enumerate(strategies)]
        rows = [_label_row(metric, problem, len(problems)) for metric, problem in grid]
        heads = format_strategies(strategies, variants)
    for row, column, metric, problem, strategy in places:
        for number, variant in enumerate(variants):
            data = _select(summary, problem=problem, strategy=strategy, variant=variant)
            draw_line(panels[row, column], data, metric, *_style_variant(strategy, number, variants, columns))
    for axes, name in zip(panels[:, 0], rows, strict=True):
        axes.set_ylabel(name)
    for axes, head in zip(panels[0], heads, strict=True):
        axes.set_title(head)
    for axes in panels[-1]:
        axes.set_xlabel("round")
    finish_rounds(new, panels, summary)
    hues = [
        Line2D([], [], color=find_style(s).colour, label=format_strategy(s)) for s in strategies if columns == "problem"
    ]
    kinds = []
    for number, variant in enumerate(variants):
        colour, dash = _style_variant(None, number, variants, columns)
        kinds.append(Line2D([], [], color=colour, linestyle=dash, label=format_variant(variant, names)))
    handles, wide = _arrange_in_rows(hues, kinds)
    legend_below(new, handles, columns=wide, heading=_describe_bands(summary))
    return new


def draw_line(axes: Axes, rows: pl.DataFrame, metric: str, colour: str, dash: Dash) -> None:
    """Draw a mean with its band from summary rows, if there are any."""
    rows = rows.sort("round")
    if rows.height:
        # Metrics of a duel are null at round 0, which matplotlib needs as NaN.
        x, mean, std = (rows[name].cast(float).to_numpy() for name in ("round", f"{metric}_mean", f"{metric}_std"))
        band(axes, x, mean, std, colour=colour, dash=dash)


def finish_rounds(new: Figure, panels: Panels, summary: pl.DataFrame) -> None:
    """Set limits and ticks of panels over rounds."""
    rounds = summary["round"].to_numpy()
    for axes in panels.flat:
        # Equal limits also for metrics without a value at round 0, so that panels are comparable.
        axes.set_xlim(rounds.min(), max(rounds.max(), rounds.min() + 1))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    new.align_ylabels()


def add_strategy_legend(new: Figure, strategies: Iterable[str], heading: str | None = None) -> None:
    """Add the legend of strategies, each above its risk-neutral twin if both are shown."""
    shown = set(strategies)
    ordered = [strategy for pair in _TWIN_PAIRS for strategy in pair if strategy in shown]
    handles = [
        Line2D([], [], color=find_style(s).colour, linestyle=find_style(s).dash, label=format_strategy(s))
        for s in ordered
    ]
    legend_below(new, handles, columns=min(3, len(handles)), heading=heading)


def sort_by_order(values: Iterable[str], order: Iterable[str]) -> list[str]:
    """Sort values by a given order, with other values last."""
    values, ranks = list(values), {name: rank for rank, name in enumerate(order)}
    return sorted(values, key=lambda value: ranks.get(value, len(ranks)))


def sort_variants(variants: Sequence[str], names: Mapping[str, str] = VARIANT_NAMES) -> list[str]:
    """Sort variants for a legend or table; numbers are sorted by size."""
    return sorted(variants, key=int) if _are_numbers(variants) else sort_by_order(variants, names)


def format_variant(variant: str, names: Mapping[str, str] = VARIANT_NAMES) -> str:
    """Return the name of a variant."""
    if variant.startswith("corner-"):
        return f"corner ({', '.join(variant.removeprefix('corner-'))})"
    return names.get(variant, f"{variant} anchors" if variant.isdigit() else variant or "as in the paper")


def format_strategies(strategies: Iterable[str], variants: Iterable[str]) -> list[str]:
    """Return the paper's names of strategies, without the inference if the variants are inferences."""
    named = format_acquisition if _INFERENCE_NAMES.intersection(variants) else format_strategy
    return [named(strategy) for strategy in strategies]


def _style_variant(
    strategy: str | None, number: int, variants: Sequence[str], columns: Literal["problem", "strategy"]
) -> tuple[str, Dash]:
    """Return colour and dash of a variant, for a strategy or for the legend."""
    colour, dash = GREY if strategy is None else find_style(strategy).colour, _DASHES[number % len(_DASHES)]
    if columns == "problem":
        return BLACK if strategy is None else colour, dash
    # Numbers are ordered, which shades show; dashes would make noisy curves hard to read.
    toned = mix_tone(colour, 1.0 - 2.0 * number / (len(variants) - 1) if len(variants) > 1 else 0.0)
    return toned, "-" if _are_numbers(variants) else dash


def mix_tone(colour: str, lightness: float) -> str:
    """Mix a colour with white (lightness up to 1) or with black (down to -1); 0 returns the colour itself."""
    other, share = (1.0, 0.6 * lightness) if lightness > 0 else (0.0, -0.5 * lightness)
    red, green, blue = ((1.0 - share) * part + share * other for part in to_rgb(colour))
    return to_hex((red, green, blue))


def _arrange_in_rows(first: Sequence[Line2D], second: Sequence[Line2D]) -> tuple[list[Line2D], int]:
    """Return the handles in the order that puts the second row below the first, and the number of columns."""
    if not first:
        return list(second), min(len(second), 4)
    columns = max(len(first), len(second))
    blank = Line2D([], [], linestyle="none", label=" ")
    above, below = ([*row, *[blank] * (columns - len(row))] for row in (first, second))
    return [handle for pair in zip(above, below, strict=True) for handle in pair], columns


def _are_numbers(variants: Sequence[str]) -> bool:
    return all(variant.isdigit() for variant in variants)


def _label_row(metric: str, problem: str, problems: int) -> str:
    name = METRIC_LABELS.get(metric, metric)
    return name if problems == 1 else f"{format_problem(problem)}\n{name}"


def _describe_bands(summary: pl.DataFrame) -> str:
    fewest, most = int(summary["runs"].to_numpy().min()), int(summary["runs"].to_numpy().max())
    return f"mean ± {BAND:g} std over {most if fewest == most else f'{fewest} to {most}'} run{'s'[: most != 1]}"


def _check_summary(summary: pl.DataFrame, metrics: Sequence[str]) -> None:
    needed = ["problem", "strategy", "variant", "round", "runs"]
    needed += [f"{metric}_{part}" for metric in metrics for part in ("mean", "std")]
    missing = [name for name in needed if name not in summary.columns]
    if missing or not metrics or not summary.height:
        received = f"none of {', '.join(missing)}" if missing else f"{summary.height} rows and {len(metrics)} metrics"
        raise InputError(
            "curves need rows of a summary with their columns", received, "see anchorpbo.research.figures.round_curves"
        )


def _list_cells(summary: pl.DataFrame) -> pl.DataFrame:
    return summary.select("problem", "strategy").unique()


def _list_values(summary: pl.DataFrame, column: str) -> list[str]:
    return summary[column].unique(maintain_order=True).to_list()


def _select(summary: pl.DataFrame, **where: str) -> pl.DataFrame:
    return summary.filter(*(pl.col(name) == value for name, value in where.items()))
