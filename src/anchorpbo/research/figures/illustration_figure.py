"""The paper's first figure: a user, two surrogates, and the effect of the noise on the acquisition function."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from anchorpbo.errors import InputError
from anchorpbo.problems import TOY_ANCHORS
from anchorpbo.research.experiments.illustration import NOISE_AWARE, RISK_NEUTRAL, fit_affine, measure_agreement
from anchorpbo.research.figures.strategy_styles import (
    BLACK,
    BLUE,
    DASHED,
    GREEN,
    GREY,
    PAGE,
    RED,
    blank,
    format_acquisition,
    format_strategy,
    legend_below,
    use_style,
)
from anchorpbo.typing import Array

STRATEGY_COLOURS = {RISK_NEUTRAL: RED, NOISE_AWARE: BLUE}
_BAND_STDS = 1.96
"""Standard deviations of a 95 % band."""


@use_style()
def plot_illustration(records: pl.DataFrame, *, seed: int = 0, map: str = "bounded", width: float = PAGE) -> Figure:
    """Plot three rows: the user's utility and noise; two surrogates; the acquisition with and without noise.

    Parameters
    ----------
    records
        Records of the experiment ``illustration``.
    seed, map
        Seed and map of the pair of studies.
    width
        Width of the figure in inches.
    """
    studies = {name: _select_study(records, name, seed, map) for name in (RISK_NEUTRAL, NOISE_AWARE)}
    new = blank(width, 6.0)
    panels = new.subplot_mosaic([["utility", "noise"], [RISK_NEUTRAL, NOISE_AWARE], ["acquisition", "acquisition"]])
    _draw_utility(panels["utility"], studies[NOISE_AWARE])
    _draw_noise(panels["noise"], studies[NOISE_AWARE])
    for name, rows in studies.items():
        _draw_surrogate(panels[name], rows, name)
    ends = [axes.get_ylim() for axes in (panels[RISK_NEUTRAL], panels[NOISE_AWARE])]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    for name in studies:
        # Leave room for the numbers above the band.
        panels[name].set_ylim(low, high + 0.14 * (high - low))
    _draw_acquisition(panels["acquisition"], studies[NOISE_AWARE])
    for axes in panels.values():
        axes.set_xlim(0.0, 1.0)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    panels["acquisition"].set_xlabel("design x")
    new.align_ylabels([panels["utility"], panels[RISK_NEUTRAL], panels["acquisition"]])
    legend_below(new, _make_handles(), columns=4)
    return new


def _draw_utility(axes: Axes, rows: pl.DataFrame) -> None:
    x, utility = _list_columns(rows, "grid", "x", "utility")
    axes.plot(*_list_columns(rows, "evaluation", "x", "utility"), ".", color=GREY, markersize=3.5, alpha=0.7)
    axes.plot(x, utility, color=BLACK, linestyle=DASHED)
    _draw_anchors(axes)
    axes.set(title="The user's utility, with noisy evaluations", ylabel="utility")


def _draw_noise(axes: Axes, rows: pl.DataFrame) -> None:
    x, noise = _list_columns(rows, "grid", "x", "noise")
    axes.fill_between(x, noise, color=GREEN, alpha=0.16, linewidth=0)
    axes.plot(x, noise, color=GREEN)
    axes.set_ylim(0.0, 1.12 * noise.max())
    _draw_anchors(axes)
    axes.set(title="The user's true uncertainty", ylabel="noise variance")


def _draw_surrogate(axes: Axes, rows: pl.DataFrame, strategy: str) -> None:
    x, utility, mean, std = _list_columns(rows, "grid", "x", "utility", "mean", "std")
    # Answers determine utilities only up to an affine map, so the closest one is shown.
    a, b = fit_affine(utility, mean)
    middle, half = a + b * mean, _BAND_STDS * abs(b) * std
    axes.fill_between(x, middle - half, middle + half, color=STRATEGY_COLOURS[strategy], alpha=0.16, linewidth=0)
    axes.plot(x, utility, color=BLACK, linestyle=DASHED)
    axes.plot(x, middle, color=STRATEGY_COLOURS[strategy])
    chosen = rows.filter(pl.col("round") > 0)
    asked = np.concatenate(_list_columns(chosen, "duel", "x", "other"))
    axes.plot(asked, np.full(asked.shape, 0.035), "|", color=STRATEGY_COLOURS[strategy], markersize=7,
              markeredgewidth=0.9, transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip
    how = measure_agreement(utility, mean, std)
    aware = "aware of the noise" if strategy == NOISE_AWARE else "vanilla"
    axes.set_title(f"Surrogate after {format_strategy(strategy)} ({aware})")
    axes.text(0.99, 0.97, f"error {how['error']:.2f}, coverage {how['coverage']:.0%}", ha="right", va="top",
              fontsize="small", transform=axes.transAxes)  # fmt: skip
    axes.set_ylabel("utility")


def _draw_acquisition(axes: Axes, rows: pl.DataFrame) -> None:
    x, own, plain, noise = _list_columns(rows, "grid", "x", "acquisition", "plain", "estimated")
    right = axes.twinx()
    right.fill_between(x, noise, color=GREEN, alpha=0.12, linewidth=0)
    right.plot(x, noise, color=GREEN)
    # Drawn in the lower part, clear of the acquisition curves.
    right.set_ylim(0.0, 2.4 * noise.max())
    right.set_yticks([0.0, round(float(noise.max()), 2)])
    right.set_ylabel("estimated noise", color=GREEN)
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    axes.set_zorder(right.get_zorder() + 1)
    axes.patch.set_visible(False)
    for values, colour in ((plain, RED), (own, BLUE)):
        best = int(np.argmax(values))
        axes.plot(x, values, color=colour)
        axes.axvline(x[best], color=colour, linewidth=0.8, linestyle=DASHED)
        axes.plot(x[best], values[best], "o", color=colour, markeredgecolor="white", markersize=6.5)
    low, high = min(own.min(), plain.min()), max(own.max(), plain.max())
    axes.set_ylim(low - 0.08 * (high - low), high + 0.12 * (high - low))
    neutral, aware = format_acquisition(RISK_NEUTRAL), format_acquisition(NOISE_AWARE)
    text = f"Acquisition on the same surrogate: {neutral} and, with the estimated noise, {aware}"
    axes.set(title=text, ylabel="acquisition")


def _draw_anchors(axes: Axes) -> None:
    places = TOY_ANCHORS[:, 0]
    axes.plot(places, np.full(places.shape, 0.03), "^", color=BLACK, markersize=5, clip_on=False,
              transform=axes.get_xaxis_transform())  # fmt: skip


def _make_handles() -> list[Artist]:
    line = [
        Line2D([], [], color=BLACK, linestyle=DASHED, label="true utility"),
        Line2D([], [], color=GREY, marker=".", linestyle="none", label="noisy evaluation (not seen)"),
        Line2D([], [], color=RED, label="vanilla"),
        Line2D([], [], color=BLUE, label="aware of the noise"),
        Line2D([], [], color=BLACK, marker="^", markersize=5, linestyle="none", label="anchor"),
        Line2D([], [], color=BLACK, marker="|", markersize=7, linestyle="none", label="queried design"),
    ]
    noise, band = Line2D([], [], color=GREEN, label="noise"), Patch(color=GREY, alpha=0.3, lw=0, label="95 % band")
    return [*line, noise, band]


def _select_study(records: pl.DataFrame, strategy: str, seed: int, map_: str) -> pl.DataFrame:
    here = (pl.col("strategy") == strategy) & (pl.col("seed") == seed) & (pl.col("map") == map_)
    rows = records.filter(here)
    if not rows.height:
        received = f"no study of {strategy}, seed {seed}, {map_} map"
        raise InputError("the illustration needs records of a pair of studies", received, "run it for that seed")
    return rows


def _list_columns(rows: pl.DataFrame, part: str, *names: str) -> list[Array]:
    of_part = rows.filter(pl.col("part") == part)
    return [of_part[name].cast(pl.Float64).to_numpy() for name in names]
