"""One look for all figures: sizes, colours, names, bands, and how a figure is saved.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart. A risk-averse strategy and its
risk-neutral twin share a hue; the risk-averse one is solid, the risk-neutral one dashed. Nothing here changes a global
setting of matplotlib, nor do a user's own settings change a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from anchorpbo.errors import UnknownNameError
from anchorpbo.figures.files import with_ending, write_files

Dash: TypeAlias = Literal["-"] | tuple[float, tuple[float, ...]]
"""A line style: solid, or an offset and the lengths of dashes and gaps in line widths."""
Panels: TypeAlias = npt.NDArray[Any]
"""Axes, (rows, columns)."""

PAGE = 7.0
"""Width of a page in inches."""
BAND = 0.2
"""Half the height of a band in standard deviations, as in the paper."""
DPI = 150

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK, GREY = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#767676",
)  # fmt: skip

SETTINGS: MappingProxyType[Any, Any] = MappingProxyType(
    {
        "font.family": "DejaVu Sans",  # comes with matplotlib, so that figures are the same everywhere
        "font.size": 8.0,
        "axes.titlesize": 8.5,
        "axes.labelsize": 8.0,
        "axes.linewidth": 0.6,
        "axes.edgecolor": "#444444",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.formatter.useoffset": False,
        "grid.color": "#E6E6E6",
        "grid.linewidth": 0.5,
        "xtick.labelsize": 7.0,
        "ytick.labelsize": 7.0,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "xtick.color": "#444444",
        "ytick.color": "#444444",
        "xtick.labelcolor": "#000000",
        "ytick.labelcolor": "#000000",
        "legend.fontsize": 7.5,
        "legend.frameon": False,
        "legend.handlelength": 2.6,
        "lines.linewidth": 1.2,
        "lines.dash_capstyle": "butt",
        "figure.constrained_layout.h_pad": 0.05,
        "figure.constrained_layout.w_pad": 0.05,
        "pdf.fonttype": 42,  # TrueType, whole letters that can be searched and that publishers accept
        "savefig.dpi": DPI,
    }
)


@dataclass(frozen=True)
class Look:
    """How a strategy is drawn and what it is called."""

    label: str
    colour: str
    dash: Dash


DASHED: Dash = (0.0, (3.2, 1.6))
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


@contextmanager
def styled() -> Iterator[None]:
    """The settings of our figures, for as long as one is drawn; also ``@styled()``."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


@styled()
def blank(width: float, height: float) -> Figure:
    """A figure without panels, for layouts that are no grid; sizes in inches."""
    new = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(new)
    return new


@styled()
def figure(
    rows: int = 1, columns: int = 1, *, width: float = PAGE, height: float | None = None, **options: Any
) -> tuple[Figure, Panels]:
    """An empty figure and its axes, (rows, columns).

    Parameters
    ----------
    rows, columns
        Panels.
    width, height
        In inches; by default a page wide, and as high as readable panels need.
    options
        Passed to `Figure.subplots`, such as ``sharex="col"``.
    """
    new = blank(width, 1.75 * rows + 0.55 if height is None else height)
    return new, new.subplots(rows, columns, squeeze=False, **options)


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


@styled()
def band(
    axes: Axes,
    x: npt.ArrayLike,
    mean: npt.ArrayLike,
    std: npt.ArrayLike,
    *,
    colour: str,
    dash: Dash = "-",
    label: str | None = None,
    width: float = BAND,
    **line: Any,
) -> Line2D:
    """Draw a mean as a line with a band of so many standard deviations (`width`) either side of it; return the line.

    Where the mean is missing (NaN) there is nothing; where only the deviation is, there is no band.
    """
    x, mean, std = (np.asarray(values, float) for values in (x, mean, std))
    axes.fill_between(x, mean - width * std, mean + width * std, color=colour, alpha=0.16, linewidth=0, zorder=1.5)
    return axes.plot(x, mean, color=colour, linestyle=dash, label=label, **line)[0]


@styled()
def legend_below(
    figure: Figure, handles: Sequence[Artist], *, columns: int | None = None, heading: str | None = None
) -> None:
    """One legend for all panels, under them.

    Parameters
    ----------
    handles
        Artists with labels, down one column after the other.
    columns
        By default one for each.
    heading
        A line above them, such as what the bands are.
    """
    names = [str(handle.get_label()) for handle in handles]
    columns = len(handles) if columns is None else columns
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, title=heading, title_fontsize="small",
    )  # fmt: skip


@styled()
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
