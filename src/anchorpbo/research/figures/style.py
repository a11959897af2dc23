"""One look for all figures of the experiments: how strategies are drawn and called, and how a figure is saved.

Sizes, colours, panels and bands are those of `anchorpbo.plots.matplotlib_style`. A risk-averse strategy and its
risk-neutral twin share a hue; the risk-averse one is solid, the risk-neutral one dashed.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import MappingProxyType

from matplotlib.figure import Figure

from anchorpbo.errors import UnknownNameError
from anchorpbo.plots.colours import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, YELLOW
from anchorpbo.plots.matplotlib_style import (
    BAND,
    DASHED,
    DPI,
    PAGE,
    SETTINGS,
    Dash,
    Panels,
    band,
    blank,
    figure,
    legend_below,
    use_style,
)
from anchorpbo.research.figures.files import with_ending, write_files

__all__ = [
    "BAND",
    "BLACK",
    "BLUE",
    "DASHED",
    "DPI",
    "GREEN",
    "GREY",
    "LOOKS",
    "ORANGE",
    "PAGE",
    "PINK",
    "RED",
    "SETTINGS",
    "SKY",
    "TITLES",
    "YELLOW",
    "Dash",
    "Look",
    "Panels",
    "band",
    "blank",
    "figure",
    "label",
    "legend_below",
    "look",
    "save",
    "short",
    "title",
    "use_style",
]  # fmt: skip


@dataclass(frozen=True)
class Look:
    """How a strategy is drawn and what it is called."""

    label: str
    colour: str
    dash: Dash


LOOKS: MappingProxyType[str, Look] = MappingProxyType(
    {
        "ei": Look("HB-EI", RED, DASHED),
        "ucb": Look("HB-UCB", BLUE, DASHED),
        "eubo": Look("Laplace-EUBO", GREEN, DASHED),
        "anpei": Look("HB-ANPEI", RED, "-"),
        "rahbo": Look("HB-RAHBO", BLUE, "-"),
        "raeubo": Look("Laplace-RAEUBO", GREEN, "-"),
    }
)
"""By strategy, in the order of legends and tables."""
TITLES: MappingProxyType[str, str] = MappingProxyType(
    {
        "hartmann3": "Hartmann 3D",
        "hartmann4": "Hartmann 4D",
        "ackley6": "Ackley 6D",
        "sushi": "Sushi 4D",
        "sushi4": "Sushi 4D",
        "candy": "Candy 2D",
        "candy2": "Candy 2D",
    }
)


def look(strategy: str) -> Look:
    """How a strategy of the paper is drawn."""
    if strategy not in LOOKS:
        raise UnknownNameError.of("strategy", strategy, LOOKS)
    return LOOKS[strategy]


def label(strategy: str) -> str:
    """The paper's name of a strategy, with the inference it goes with."""
    return look(strategy).label


def short(strategy: str) -> str:
    """The name of a strategy's acquisition alone, such as EI."""
    return look(strategy).label.rpartition("-")[2]


def title(problem: str) -> str:
    """A problem's name as a heading: ``"hartmann3"`` is Hartmann 3D; others stay as they are."""
    return TITLES.get(problem.lower(), problem)


@use_style()
def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PNG and PDF beside each other and return their paths.

    The same data, drawn anew, give the same bytes. A save that fails leaves what was there.

    Parameters
    ----------
    stem
        Folder and name without the ending.
    """
    png, pdf = BytesIO(), BytesIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    return write_files({with_ending(stem, "png"): png.getvalue(), with_ending(stem, "pdf"): pdf.getvalue()})
