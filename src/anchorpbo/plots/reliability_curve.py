"""Curve of the reliability along the only parameter of a space, with the anchors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis.grids import Slice
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, INKS, ORANGE, Theme
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plot import Plot
from anchorpbo.space import Design

_TITLE = "reliability"
_REACH = (0.0, 1.08)


@dataclass(frozen=True)
class ReliabilityCurve(Plot):
    """Plot with one panel; the anchors are at a reliability of 1."""

    slice: Slice
    anchors: Sequence[Design]
    labels: ParameterLabels

    @property
    def description(self) -> str:
        """The parameter, the range of the reliability, and the number of anchors."""
        low, high = (format_fixed(end(self.values), 2) for end in (min, max))
        marks = f"{len(self.anchors)} {'anchor' if len(self.anchors) == 1 else 'anchors'}"
        return f"Reliability along {self.labels.label(self.slice.axis.name)}, from {low} to {high}, with {marks}."

    @property
    def values(self) -> list[float]:
        """The reliability at each value of the parameter."""
        return [*(self.slice.grid.reliability or ())]

    def _marks(self) -> list[tuple[float, Design]]:
        """Return the anchors with their positions."""
        places = self.labels.positions(self.slice.axis)
        found = [(places.of(anchor[self.slice.axis.name]), anchor) for anchor in self.anchors]
        return [(place, anchor) for place, anchor in found if place is not None]

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure, with hover texts."""
        from anchorpbo.plots import plotly_style as style

        axis, places = self.slice.axis, self.labels.positions(self.slice.axis)
        figure = style.panels(theme, height=360)
        hover = [
            style.lines([self.labels.line(axis.name, value), f"{_TITLE} {number:.3g}"])
            for value, number in zip(axis.values, self.values, strict=True)
        ]
        curve = style.line(places.every, self.values, _TITLE, colour=BLUE, hover=hover)
        # With the values of the axis, so that a page can tell which design was clicked.
        curve.update(mode="lines" if axis.continuous else "markers", marker={"size": 10})
        curve.update(meta={"axes": {axis.name: axis.values}})
        figure.add_trace(curve)
        marks = self._marks()
        if marks:
            told = [style.lines(self.labels.anchor(anchor)) for _, anchor in marks]
            x, y = [place for place, _ in marks], [1.0] * len(marks)
            figure.add_trace(style.anchor_marks(x, y, told, INKS[theme].text))
        figure.update_xaxes(style.axis(places, self.labels.title(axis.name)))
        figure.update_yaxes(title_text=_TITLE, range=_REACH)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        axis, places = self.slice.axis, self.labels.positions(self.slice.axis)
        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=2.6)
            axes.plot(places.every, self.values, "-" if axis.continuous else "o", color=BLUE, label=_TITLE)
            x = [place for place, _ in self._marks()]
            style.marks(axes, x, [1.0] * len(x), "D", "anchor", colour=ORANGE, size=5.0, edge=style.ink().text)
            style.set_axis(axes, "x", places, self.labels.title(axis.name))
            axes.set(ylabel=_TITLE, ylim=_REACH)
            style.legend_below(figure, axes.get_legend_handles_labels()[0])
        return figure
