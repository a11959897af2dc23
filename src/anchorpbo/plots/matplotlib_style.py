"""Common style of matplotlib figures: sizes, fonts, panels, bands, axes in the units of their parameters.

No global setting of matplotlib is changed, and the user's own settings do not change a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
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
from matplotlib.ticker import NullFormatter

from anchorpbo.plots.axis_positions import AxisPositions
from anchorpbo.plots.colours import INKS, Ink, Theme

Dash: TypeAlias = Literal["-"] | tuple[float, tuple[float, ...]]
"""A line style: solid, or an offset and the lengths of dashes and gaps in line widths."""
Panels: TypeAlias = npt.NDArray[Any]
"""Axes, (rows, columns)."""

PAGE = 7.0
"""Width of a page in inches."""
BAND = 0.2
"""Half the height of a band, in standard deviations, as in the paper."""
DPI = 150
_MAX_LEVEL_LETTERS = 24
"""Number of letters of horizontal labels that fit under a panel."""
_MAX_SLANTED_LABELS = 4
"""Largest number of slanted labels; more labels are vertical."""

DASHED: Dash = (0.0, (3.2, 1.6))

SETTINGS: MappingProxyType[Any, Any] = MappingProxyType(
    {
        "font.family": "DejaVu Sans",  # part of matplotlib, so that figures are the same everywhere
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
        "pdf.fonttype": 42,  # TrueType: text is searchable, and publishers accept it
        "savefig.dpi": DPI,
    }
)


_DARK_INK = INKS["dark"]
DARK_SETTINGS: MappingProxyType[Any, Any] = MappingProxyType(
    {
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), _DARK_INK.ground),
        **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), _DARK_INK.text),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), _DARK_INK.line),
        "grid.color": _DARK_INK.grid,
    }
)
_theme: ContextVar[Theme] = ContextVar("theme", default="light")


def text(words: str) -> str:
    """Escape text for a figure: matplotlib reads the text between two dollar signs as a formula."""
    return words.replace("$", r"\$")


@contextmanager
def use_style(theme: Theme | None = None) -> Iterator[None]:
    """Apply the style of our figures while one is drawn; also usable as ``@use_style()``.

    Parameters
    ----------
    theme
        Theme; ``None`` for the theme of the surrounding figure, else light.
    """
    before = _theme.set(_theme.get() if theme is None else theme)
    try:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(SETTINGS)
            if _theme.get() == "dark":
                matplotlib.rcParams.update(DARK_SETTINGS)
            yield
    finally:
        _theme.reset(before)


def ink() -> Ink:
    """Return the colours of text, lines and grids in the theme of the present figure."""
    return INKS["dark" if _theme.get() == "dark" else "light"]


class NotebookFigure(Figure):
    """A figure that notebooks show, even without pyplot."""

    def _repr_png_(self) -> bytes:
        png = BytesIO()
        self.savefig(png, format="png", dpi=DPI)
        return png.getvalue()


@use_style()
def blank(width: float, height: float) -> Figure:
    """Return a figure without panels, for layouts that are not a grid; sizes in inches."""
    new = NotebookFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(new)
    return new


@use_style()
def figure(
    rows: int = 1, columns: int = 1, *, width: float = PAGE, height: float | None = None, **options: Any
) -> tuple[Figure, Panels]:
    """Return an empty figure and its axes, (rows, columns).

    Parameters
    ----------
    rows, columns
        Numbers of panels.
    width, height
        Size in inches; by default as wide as a page, and as high as readable panels need.
    options
        Passed to `Figure.subplots`, such as ``sharex="col"``.
    """
    new = blank(width, 1.75 * rows + 0.55 if height is None else height)
    return new, new.subplots(rows, columns, squeeze=False, **options)


@use_style()
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
    """Draw a mean as a line with a band of `width` standard deviations on either side; return the line.

    Nothing is drawn where the mean is missing (NaN), and no band where only the deviation is missing.
    """
    x, mean, std = (np.asarray(values, float) for values in (x, mean, std))
    axes.fill_between(x, mean - width * std, mean + width * std, color=colour, alpha=0.16, linewidth=0, zorder=1.5)
    return axes.plot(x, mean, color=colour, linestyle=dash, label=label, **line)[0]


@use_style()
def legend_below(
    figure: Figure, handles: Sequence[Artist], *, columns: int | None = None, heading: str | None = None
) -> None:
    """Draw one legend for all panels, below them.

    Parameters
    ----------
    handles
        Artists with labels, ordered column by column.
    columns
        Number of columns; by default one per handle.
    heading
        Line above the legend, such as the meaning of the bands.
    """
    names = [str(handle.get_label()) for handle in handles]
    columns = len(handles) if columns is None else columns
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, title=heading, title_fontsize="small",
    )  # fmt: skip


def marks(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    shape: str,
    label: str,
    *,
    colour: str,
    size: float,
    edge: str | None = None,
    fill: str | None = None,
    width: float = 0.7,
) -> None:
    """Draw marks over everything else, also across the frame; `fill` is their colour if it differs from the line's."""
    if not len(x):
        return
    drawn = axes.plot(
        x, y, shape, label=label, color=colour, markersize=size, markeredgecolor=colour if edge is None else edge,
        markerfacecolor=colour if fill is None else fill, markeredgewidth=width, clip_on=False, zorder=3,
    )  # fmt: skip
    # Marks may cross the frame, but do not take up space in the layout.
    drawn[0].set_in_layout(False)


def set_axis(axes: Axes, which: Literal["x", "y"], places: AxisPositions, title: str) -> None:
    """Set the values, the scale and the title of an axis to those of a parameter."""
    low, high = places.ends
    axes.set(**{f"{which}label": text(title)})
    if places.axis.log:
        axes.set(**{f"{which}scale": "log"})
    axes.set(**{f"{which}lim": (low, high)})
    side = axes.xaxis if which == "x" else axes.yaxis
    if places.labels is None:
        return
    side.set_ticks(places.ticks or [], labels=list(map(text, places.labels)))
    side.set_minor_formatter(NullFormatter())
    if not places.axis.continuous:
        side.grid(False)
        if which == "x" and max(map(len, places.labels)) * len(places.labels) > _MAX_LEVEL_LETTERS:
            axes.tick_params("x", labelrotation=30 if len(places.labels) <= _MAX_SLANTED_LABELS else 90)
