"""Abstract plot that two libraries can draw: plotly for the screen, matplotlib for paper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, Literal, get_args

from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.plots.colours import INKS, Theme

Backend = Literal["plotly", "matplotlib"]


class Plot(ABC):
    """Data and texts of a plot, and how either library draws them. Statistics are computed elsewhere."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Description of the plot in a sentence or two, for people who cannot see it."""

    @abstractmethod
    def plotly(self, theme: Theme) -> Any:
        """Return a `plotly.graph_objects.Figure`."""

    @abstractmethod
    def matplotlib(self, theme: Theme) -> Any:
        """Return a `matplotlib.figure.Figure` that pyplot does not manage."""


def draw(plot: Plot, backend: Backend, theme: Theme) -> Any:
    """Draw a plot with one of the two libraries and return its figure.

    Parameters
    ----------
    plot
        The plot.
    backend
        ``"plotly"`` or ``"matplotlib"``.
    theme
        ``"light"``, ``"dark"``, or ``"auto"``: with plotly a transparent figure that is legible on any background, with
        matplotlib a light one, for paper.
    """
    if backend not in get_args(Backend):
        raise UnknownNameError.of("backend", backend, get_args(Backend))
    if theme not in INKS:
        raise UnknownNameError.of("theme", theme, INKS)
    if find_spec(backend) is None:
        raise UnsupportedError(f"this figure needs {backend}", "none installed", 'pip install "anchorpbo[plots]"')
    return plot.plotly(theme) if backend == "plotly" else plot.matplotlib(theme)
