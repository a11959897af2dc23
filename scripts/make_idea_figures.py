"""Draw the figures of docs/idea.md: noise from anchors, information in an answer, choice of the next pair.

python scripts/make_idea_figures.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtr

import anchorpbo as ap
from anchorpbo.problems import TOY, TOY_ANCHORS
from anchorpbo.research.figures.strategy_styles import (
    BLACK,
    BLUE,
    DASHED,
    DPI,
    GREEN,
    GREY,
    ORANGE,
    RED,
    figure,
    legend_below,
    use_style,
)

FOLDER = Path(__file__).parents[1] / "docs" / "images"
ANCHORS = [[0.18, 0.30], [0.30, 0.22], [0.27, 0.42], [0.38, 0.34], [0.72, 0.78]]
GRID = np.linspace(0.0, 1.0, 201)
DUELS = 24


@use_style()
def noise() -> Figure:
    """Draw anchors, reliability and noise."""
    new, panels = figure(1, 3, height=2.5, sharex=True, sharey=True)
    known = ap.NoiseMap.bounded(ANCHORS, bandwidth=0.15)
    X = np.stack(np.meshgrid(GRID, GRID), axis=-1).reshape(-1, 2)
    fields = (None, known.reliability(X), known(X))
    titles = ("1  Mark what you know well", "2  Reliability q(x)", "3  Noise n(x)")
    for axes, field, title in zip(panels[0], fields, titles, strict=True):
        axes.grid(False)
        axes.set(title=title, xlabel="a parameter", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        if field is not None:
            image = axes.imshow(
                field.reshape(len(GRID), -1), origin="lower", extent=(0, 1, 0, 1), vmin=0, vmax=1, cmap="cividis"
            )
            new.colorbar(image, ax=axes, shrink=0.75, pad=0.03)
        axes.plot(*np.array(ANCHORS).T, "o", color="white", markeredgecolor=BLACK, markersize=5)
    panels[0, 0].set_ylabel("another one")
    return new


@use_style()
def answers() -> Figure:
    """Draw the probability of an answer, and the posterior after several answers, by distance from the anchors."""
    new, panels = figure(1, 2, height=2.5)
    difference, counts = np.linspace(-4, 4, 201), np.arange(9)
    points = np.array([[0.0], [1.0]])
    cases = (
        ("both near anchors", ap.NoiseMap.bounded(points, 0.1), BLUE, "-"),
        ("one near, one far", ap.NoiseMap.bounded(points[:1], 0.1), GREEN, "-"),
        ("both far from all anchors", ap.NoiseMap.constant(1.0), RED, DASHED),
    )
    for label, noise, colour, dash in cases:
        spread = float(np.sqrt(noise(points).sum()))
        panels[0, 0].plot(difference, ndtr(difference / spread), color=colour, linestyle=dash)
        sure = [_sureness(spread, count) for count in counts]
        panels[0, 1].plot(counts, sure, marker="o", markersize=3, color=colour, linestyle=dash, label=label)
    panels[0, 0].set(xlabel="how much better the first design is", ylabel="P(user picks the first)", ylim=(0, 1.02))
    panels[0, 1].set(xlabel="answers, all for the first", ylabel="P(the first is better)", ylim=(0.48, 1.02))
    legend_below(new, panels[0, 1].get_lines())
    return new


def _sureness(spread: float, answers: int) -> float:
    """Return the posterior probability that the first design is better after this many wins, by quadrature.

    The prior variance of the difference of utilities is 2.
    """
    d = np.linspace(-8.0, 8.0, 4001)
    weight = np.exp(-0.25 * d**2) * ndtr(d / spread) ** answers
    return float((weight * (d > 0)).sum() / (weight * (d != 0)).sum())


def _study() -> tuple[ap.Duels, ap.NoiseMap]:
    """Return answers of a user on the toy problem, and the noise map of its anchors."""
    rng, noise = np.random.default_rng(6), ap.NoiseMap.bounded(TOY_ANCHORS, scale=3.0)
    X = rng.uniform(size=(2 * DUELS, 1))
    margins = (TOY(X[:DUELS]) - TOY(X[DUELS:])) / np.sqrt(noise(X[:DUELS]) + noise(X[DUELS:]))
    wins = margins + rng.standard_normal(DUELS) > 0
    rows = np.arange(DUELS)
    return ap.Duels(X, np.where(wins, rows, rows + DUELS), np.where(wins, rows + DUELS, rows)), noise


@use_style()
def pair() -> Figure:
    """Draw the acquisition function over pairs, with and without risk aversion."""
    new, panels = figure(1, 2, height=3.2, sharey=True)
    duels, noise = _study()
    model = ap.PreferenceGP(ap.RBF(0.12, outputscale=4.0), inference="ep", noise=noise).condition(duels)
    pairs = np.stack(np.meshgrid(GRID, GRID, indexing="ij"), axis=-1).reshape(-1, 2, 1)
    strategies = (
        ("EUBO asks for the best of two", ap.acquisition.EUBO()),
        ("RAEUBO minds the noise as well", ap.acquisition.RAEUBO(risk_aversion=2.0)),
    )
    for axes, (title, acquisition) in zip(panels[0], strategies, strict=True):
        values = acquisition.bind(model.posterior, model.noise)(pairs).reshape(len(GRID), -1)
        axes.grid(False)
        axes.imshow(values, origin="lower", extent=(0, 1, 0, 1), cmap="cividis", aspect="equal")
        i, j = np.unravel_index(np.argmax(values), values.shape)
        _mark(axes, GRID[j], GRID[i])
        axes.set(title=title, xlabel="first design", xlim=(0, 1), ylim=(0, 1))
        for x in TOY_ANCHORS[:, 0]:
            axes.axvline(x, color=ORANGE, linewidth=0.8)
            axes.axhline(x, color=ORANGE, linewidth=0.8)
    panels[0, 0].set_ylabel("second design")
    handles = [
        panels[0, 0].plot([], [], "o", color=RED, markeredgecolor="white", label="the pair that is asked")[0],
        panels[0, 0].plot([], [], color=ORANGE, label="anchors")[0],
        panels[0, 0].plot([], [], "s", color=GREY, label="brighter: worth more")[0],
    ]
    legend_below(new, handles)
    return new


def _mark(axes: Axes, first: float, second: float) -> None:
    # A pair is the same in either order.
    for x, y in ((first, second), (second, first)):
        axes.plot(x, y, "o", color=RED, markeredgecolor="white", markersize=7, zorder=3)


def main(folder: Path) -> None:
    """Draw all figures."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (noise, answers, pair):
        make().savefig(folder / f"idea-{make.__name__}.png", dpi=DPI, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
