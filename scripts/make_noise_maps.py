"""Draw the maps of docs/noise-models.md into docs/images/noise-maps.png, at the same anchors.

python scripts/make_noise_maps.py
"""

from pathlib import Path

import numpy as np

import anchorpbo as ap
from anchorpbo.plots import matplotlib_style as style
from anchorpbo.plots.colours import ORANGE
from anchorpbo.reliability import EuclideanMetric, NoiseCorrection

TARGET = Path(__file__).parents[1] / "docs" / "images" / "noise-maps.png"
ANCHORS = np.array([[0.12, 0.2], [0.2, 0.24], [0.15, 0.3], [0.22, 0.16], [0.6, 0.75]])
NEGATIVE = np.array([[0.85, 0.3]])
GRID = 61


def list_maps() -> dict[str, ap.NoiseMap]:
    """Return the maps by title."""
    bounded = ap.NoiseMap.bounded
    correction = NoiseCorrection(np.array([[0.16, 0.23], [0.85, 0.85]]), 0.3, EuclideanMetric(), np.array([4.0, 0.4]))
    return {
        "paper": ap.NoiseMap.from_anchors(ANCHORS),
        "bounded": bounded(ANCHORS),
        "negative anchor": bounded(ANCHORS, negative=NEGATIVE),
        "bandwidth per dimension": bounded(ANCHORS, "loo-per-dimension"),
        "adaptive": bounded(ANCHORS, adaptive=True),
        "metric of length-scales": bounded(ANCHORS, metric=EuclideanMetric(lengthscales=(1.0, 4.0))),
        "learnt correction": bounded(ANCHORS).with_correction(correction),
        "constant": ap.NoiseMap.constant(1.0),
    }


def main() -> None:
    """Write the picture."""
    ends = np.linspace(0.0, 1.0, GRID)
    points = np.array([[x, y] for y in ends for x in ends])
    maps = list_maps()
    with style.use_style("light"):
        figure, panels = style.figure(2, 4, width=8.0, height=4.3, sharex=True, sharey=True)
        for axes, (title, noise) in zip([one for row in panels for one in row], maps.items(), strict=True):
            levels = np.log10(noise(points)).reshape(GRID, GRID)
            shown = axes.imshow(levels, origin="lower", extent=(0, 1, 0, 1), cmap="inferno", vmin=-1.4, vmax=1.4)
            if noise.anchors is not None:
                axes.plot(*ANCHORS.T, "D", color=ORANGE, markersize=4, markeredgecolor="white", markeredgewidth=0.6)
            if noise.negative is not None:
                axes.plot(*NEGATIVE.T, "X", color="black", markersize=6, markeredgecolor="white", markeredgewidth=0.6)
            axes.set_title(title, fontsize=8, loc="left")
            axes.grid(visible=False)
            axes.set(xticks=[0, 1], yticks=[0, 1])
        figure.colorbar(shown, ax=[one for row in panels for one in row], label="log10 of the noise", shrink=0.8)
        figure.savefig(TARGET, dpi=150)


if __name__ == "__main__":
    main()
