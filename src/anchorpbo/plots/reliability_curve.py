"""Curve of the reliability along the only parameter of a space, with the anchors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis.grids import Slice
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, INKS, ORANGE, Theme
from anchorpbo.plots.parameter_labels import NEGATIVE_ANCHOR, ParameterLabels
from anchorpbo.plots.plot import Plot
from anchorpbo.space import Design

_TITLE = "reliability"
_REACH, _SIGNED_REACH = (0.0, 1.08), (-1.08, 1.08)


@dataclass(frozen=True)
class ReliabilityCurve(Plot):
    """Plot with one panel; the anchors are at a reliability of 1."""

    slice: Slice
    anchors: Sequence[Design]
    labels: ParameterLabels
    negative_anchors: Sequence[Design] = ()

    @property
    def description(self) -> str:
        """The parameter, the range of the reliability, and the number of anchors."""
        low, high = (format_fixed(end(self.values), 2) for end in (min, max))
        marks = f"{len(self.anchors)} {'anchor' if len(self.anchors) == 1 else 'anchors'}"
        marks += f" and {len(self.negative_anchors)} {NEGATIVE_ANCHOR}" if self.negative_anchors else ""
        return f"Reliability along {self.labels.label(self.slice.axis.name)}, from {low} to {high}, with {marks}."

    @property
    def values(self) -> list[float]:
        """The reliability at each value of the parameter."""
        return [*(self.slice.grid.reliability or ())]

    @property
    def reach(self) -> tuple[float, float]:
        """Ends of the axis of the reliability; -1 to 1 if some values are negative."""
        return _SIGNED_REACH if min(self.values, default=0.0) < 0.0 else _REACH

    def _marks(self, anchors: Sequence[Design]) -> list[tuple[float, Design]]:
        """Return anchors with their positions."""
        places = self.labels.positions(self.slice.axis)
        found = [(places.of(anchor[self.slice.axis.name]), anchor) for anchor in anchors]
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
        marks = self._marks(self.anchors)
        if marks:
            told = [style.lines(self.labels.anchor(anchor)) for _, anchor in marks]
            x, y = [place for place, _ in marks], [1.0] * len(marks)
            figure.add_trace(style.anchor_marks(x, y, told, INKS[theme].text))
        negative = self._marks(self.negative_anchors)
        if negative:
            told = [style.lines(self.labels.negative_anchor(anchor)) for _, anchor in negative]
            x, y = [place for place, _ in negative], [-1.0] * len(negative)
            figure.add_trace(style.negative_marks(x, y, told, INKS[theme].text))
        figure.update_xaxes(style.axis(places, self.labels.title(axis.name)))
        figure.update_yaxes(title_text=_TITLE, range=self.reach)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        axis, places = self.slice.axis, self.labels.positions(self.slice.axis)
        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=2.6)
            axes.plot(places.every, self.values, "-" if axis.continuous else "o", color=BLUE, label=_TITLE)
            x = [place for place, _ in self._marks(self.anchors)]
            style.marks(axes, x, [1.0] * len(x), "D", "anchor", colour=ORANGE, size=5.0, edge=style.ink().text)
            x = [place for place, _ in self._marks(self.negative_anchors)]
            style.marks(axes, x, [-1.0] * len(x), "X", NEGATIVE_ANCHOR, colour=style.ink().text, size=5.5)
            style.set_axis(axes, "x", places, self.labels.title(axis.name))
            axes.set(ylabel=_TITLE, ylim=self.reach)
            style.legend_below(figure, axes.get_legend_handles_labels()[0])
        return figure
