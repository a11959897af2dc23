"""Styles and names of strategies and problems in all figures, and saving of figures.

Sizes, colours, panels and bands come from `anchorpbo.plots.matplotlib_style`. A risk-averse strategy and its
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
from anchorpbo.research.experiments.paired_comparisons import PROBLEM_TITLES
from anchorpbo.research.figures.output_files import add_ending, write_files

__all__ = [
    "BAND", "BLACK", "BLUE", "DASHED", "DPI", "GREEN", "GREY", "ORANGE", "PAGE", "PINK", "PROBLEM_TITLES", "RED",
    "SETTINGS", "SKY", "STRATEGY_STYLES", "YELLOW", "Dash", "Panels", "StrategyStyle", "band", "blank", "figure",
    "find_style", "format_acquisition", "format_problem", "format_strategy", "legend_below", "save_figure", "use_style",
]  # fmt: skip


@dataclass(frozen=True)
class StrategyStyle:
    """Label, colour and dash of a strategy."""

    label: str
    colour: str
    dash: Dash


STRATEGY_STYLES: MappingProxyType[str, StrategyStyle] = MappingProxyType(
    {
        "ei": StrategyStyle("HB-EI", RED, DASHED),
        "ucb": StrategyStyle("HB-UCB", BLUE, DASHED),
        "eubo": StrategyStyle("Laplace-EUBO", GREEN, DASHED),
        "anpei": StrategyStyle("HB-ANPEI", RED, "-"),
        "rahbo": StrategyStyle("HB-RAHBO", BLUE, "-"),
        "raeubo": StrategyStyle("Laplace-RAEUBO", GREEN, "-"),
    }
)
"""Styles by strategy, in the order of legends and tables."""


def find_style(strategy: str) -> StrategyStyle:
    """Return the style of a strategy of the paper."""
    if strategy not in STRATEGY_STYLES:
        raise UnknownNameError.of("strategy", strategy, STRATEGY_STYLES)
    return STRATEGY_STYLES[strategy]


def format_strategy(strategy: str) -> str:
    """Return the paper's name of a strategy, with its inference."""
    return find_style(strategy).label


def format_acquisition(strategy: str) -> str:
    """Return the name of a strategy's acquisition function, such as EI."""
    return find_style(strategy).label.rpartition("-")[2]


def format_problem(problem: str) -> str:
    """Return the title of a problem, such as Hartmann 3D for ``"hartmann3"``; unknown names are returned unchanged."""
    return PROBLEM_TITLES.get(problem.lower(), problem)


@use_style()
def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PNG and PDF, and return their paths.

    The same data give the same bytes. If writing fails, the previous files stay.

    Parameters
    ----------
    stem
        Folder and name without the ending.
    """
    png, pdf = BytesIO(), BytesIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    return write_files({add_ending(stem, "png"): png.getvalue(), add_ending(stem, "pdf"): pdf.getvalue()})
