"""Slices: expected utility along each parameter, its 90 % band, anchors and designs compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anchorpbo.analysis import ComparedDesign, ModelView, list_compared_designs
from anchorpbo.analysis.grids import Slice, as_space, compute_slices
from anchorpbo.analysis.model_view import Source
from anchorpbo.formatting import format_fixed
from anchorpbo.numerics.validation import as_integer
from anchorpbo.plots.colours import BLUE, GREY, INKS, ORANGE, RED, Theme
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.space import Design
from anchorpbo.study.recommendation import check_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_COLUMNS = 3
"""Largest number of panels side by side, unless another is chosen."""
_THROUGH_LABEL = "through this design"
_SAME_NOISE = 1e-6
"""Relative difference below which noise is the same."""
_NOISE_SHARE = 1 / 3
"""Share of a panel's height that the noise takes up."""


def utility_slices(
    source: Source,
    at: Mapping[str, Any] | None = None,
    parameters: Sequence[str] | None = None,
    *,
    columns: int = MAX_COLUMNS,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw the expected utility along each parameter, with the others as in one design, and its 90 % band.

    Dots are the designs compared, at their own expected utility: they leave the line if their other parameters differ.
    Filled dots won at least half of their comparisons. Diamonds at the bottom are anchors. The dotted line is the
    noise, with its axis at the right, unless the noise is the same everywhere.

    Parameters
    ----------
    source
        A study with at least one answer, or a fitted `PreferenceGP`.
    at
        The design that all slices go through; by default the recommended one.
    parameters
        Names of the parameters to draw; by default all.
    columns
        Largest number of panels side by side.
    labels, units, backend, theme
        See `anchorpbo.plots`.
    """
    view = ModelView.of(source)
    check_answers(0 if view.model is None else 1)
    space = as_space(view.space)
    here = view.base_design if at is None else space.check(at)
    words = ParameterLabels.of(space, labels, units)
    return draw(make_slices(view, here, words, parameters, columns), backend, theme)


def make_slices(
    view: ModelView,
    at: Design,
    labels: ParameterLabels,
    parameters: Sequence[str] | None = None,
    columns: int = MAX_COLUMNS,
) -> SlicesPlot:
    """Return the plot of the slices through a complete design."""
    columns = as_integer("columns", columns, 1)
    found = compute_slices(view, at, parameters)
    return SlicesPlot(found, at, list_compared_designs(view), view.anchors, labels, columns)


@dataclass(frozen=True)
class SlicesPlot(Plot):
    """Plot with one panel per parameter."""

    slices: Sequence[Slice]
    at: Design
    compared: Sequence[ComparedDesign]
    anchors: Sequence[Design]
    labels: ParameterLabels
    columns: int = MAX_COLUMNS

    @property
    def description(self) -> str:
        """The range of the expected utility along each parameter, and where it is highest."""
        return " ".join(map(self._describe_slice, self.slices))

    def _describe_slice(self, one: Slice) -> str:
        utility = [*(one.grid.utility or ())]
        best = one.axis.values[int(np.argmax(utility))]
        reach = f"from {format_fixed(min(utility), 2)} to {format_fixed(max(utility), 2)}"
        name = one.axis.name
        return f"{self.labels.label(name)}: expected utility {reach}, highest at {self.labels.value(name, best)}."

    @property
    def grid(self) -> tuple[int, int]:
        """Numbers of rows and columns of panels."""
        columns = min(self.columns, len(self.slices))
        return math.ceil(len(self.slices) / columns), columns

    @property
    def noise_reach(self) -> tuple[float, float] | None:
        """Range of the axis of the noise in all panels; ``None`` if the noise is the same everywhere."""
        noise = [value for one in self.slices for value in one.grid.noise or ()]
        if not noise or max(noise) - min(noise) <= _SAME_NOISE * max(noise):
            return None
        return 0.0, max(noise) / _NOISE_SHARE

    @property
    def reach(self) -> tuple[float, float]:
        """Range of the utility over all panels."""
        ends = [value for one in self.slices for side in (one.grid.low, one.grid.high) for value in side or ()]
        ends += [one.utility for one in self.compared]
        room = 0.08 * ((max(ends) - min(ends)) or 1.0)
        return min(ends) - 1.5 * room, max(ends) + room

    def marks(self, one: Slice) -> list[tuple[float, ComparedDesign]]:
        """Return the designs compared, with their positions in a panel."""
        places = self.labels.positions(one.axis)
        found = [(places.of(each.design[one.axis.name]), each) for each in self.compared]
        return [(place, each) for place, each in found if place is not None]

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure, with hover texts."""
        from anchorpbo.plots import plotly_style as style

        (rows, columns), noise = self.grid, self.noise_reach
        figure = style.panels(
            theme, rows, columns, height=90 + 240 * rows, horizontal_spacing=0.04, vertical_spacing=0.3 / rows,
            specs=[[{"secondary_y": True}] * columns] * rows,
        )  # fmt: skip
        for number, one in enumerate(self.slices):
            place = {"row": number // columns + 1, "col": number % columns + 1}
            for trace in self._traces(one, theme):
                figure.add_trace(trace.update(showlegend=number == 0), **place)
            figure.update_xaxes(style.axis(self.labels.positions(one.axis), self.labels.title(one.axis.name)), **place)
            utility = {"range": self.reach, "showticklabels": place["col"] == 1}
            figure.update_yaxes(utility, title_text="utility" if place["col"] == 1 else "", secondary_y=False, **place)
            if noise is not None:
                at_right = place["col"] == columns or number == len(self.slices) - 1
                figure.add_trace(self._noise_trace(one).update(showlegend=number == 0), secondary_y=True, **place)
                scale = {
                    "range": noise,
                    "showgrid": False,
                    "showticklabels": at_right,
                    "tickmode": "auto",
                    "nticks": 5,
                }
                figure.update_yaxes(scale, title_text="noise" if at_right else "", secondary_y=True, **place)
        return figure

    def _noise_trace(self, one: Slice) -> Any:
        from anchorpbo.plots import plotly_style as style

        x, noise = self.labels.positions(one.axis).every, [*(one.grid.noise or ())]
        hover = [
            style.lines([self.labels.line(one.axis.name, value), f"noise {n:.3g}"])
            for value, n in zip(one.axis.values, noise, strict=True)
        ]
        if not one.axis.continuous:
            return style.dots(x, noise, "noise", hover=hover, symbol="line-ew-open", size=9, color=GREY)
        return style.line(x, noise, "noise", colour=GREY, width=1.5, dash="dot", hover=hover)

    def _traces(self, one: Slice, theme: Theme) -> list[Any]:
        from anchorpbo.plots import plotly_style as style

        places, name, ink = self.labels.positions(one.axis), one.axis.name, INKS[theme]
        traces = self._curve(one)
        here = places.of(self.at[name])
        if here is not None:
            look: dict[str, Any] = {"colour": RED, "width": 1.5, "dash": "dot"}
            hover = [style.lines([_THROUGH_LABEL, self.labels.line(name, self.at[name])])] * 2
            traces.append(style.line([here, here], self.reach, _THROUGH_LABEL, hover=hover, **look))
        for preferred, words, fill in ((True, "preferred", GREY), (False, "less preferred", ink.fill)):
            some = [(place, each) for place, each in self.marks(one) if each.preferred == preferred]
            hover = [style.lines([*self.labels.design(s.design), f"utility {s.utility:.2f}"]) for _, s in some]
            x, y = [place for place, _ in some], [each.utility for _, each in some]
            edge = {"color": GREY, "width": 1}
            traces.append(style.dots(x, y, words, hover=hover, color=fill, size=6, line=edge))
        if self.anchors:
            at = [(places.of(anchor[name]), anchor) for anchor in self.anchors]
            inside = [(place, anchor) for place, anchor in at if place is not None]
            hover = [style.lines(self.labels.anchor(anchor)) for _, anchor in inside]
            foot = [self.reach[0]] * len(inside)
            traces.append(style.anchor_marks([place for place, _ in inside], foot, hover, ink.text))
        return traces

    def _curve(self, one: Slice) -> list[Any]:
        """Return mean and interval: a line in its band, or for categories a stroke on a bar each."""
        from anchorpbo.plots import plotly_style as style

        x = self.labels.positions(one.axis).every
        mean, low, high = ([*(side or ())] for side in (one.grid.utility, one.grid.low, one.grid.high))
        hover = [
            style.lines([self.labels.line(one.axis.name, value), f"utility {m:.2f} ({a:.2f} to {b:.2f})"])
            for value, m, a, b in zip(one.axis.values, mean, low, high, strict=True)
        ]
        if one.axis.continuous:
            return [
                style.area(x, low, high, "90 % interval", colour=BLUE),
                style.line(x, mean, "expected utility", colour=BLUE, hover=hover),
            ]
        ends = {
            "type": "data", "symmetric": False, "color": style.fade(BLUE), "thickness": 12, "width": 0,
            "array": [b - m for b, m in zip(high, mean, strict=True)],
            "arrayminus": [m - a for a, m in zip(low, mean, strict=True)],
        }  # fmt: skip
        look: dict[str, Any] = {"symbol": "line-ew-open", "size": 22, "color": BLUE, "line": {"width": 3}}
        return [style.dots(x, mean, "expected utility", hover=hover, ends=ends, **look)]

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        rows, columns = self.grid
        with style.use_style(theme):
            figure, panels = style.figure(
                rows, columns, width=style.PAGE * max(columns, 2) / MAX_COLUMNS, height=1.9 * rows + 0.5, sharey=True
            )
            for axes in panels.flat[len(self.slices) :]:
                axes.set_visible(False)
            for axes, one in zip(panels.flat, self.slices, strict=False):
                self._panel(axes, one)
            for axes in panels[:, 0]:
                axes.set(ylabel="utility", ylim=self.reach)
            shown = list(panels.flat[: len(self.slices)])
            if self.noise_reach is not None:
                shown += self._add_noise(shown)
            handles = {str(h.get_label()): h for axes in shown for h in axes.get_legend_handles_labels()[0]}
            style.legend_below(figure, list(handles.values()), columns=3)
        return figure

    def _add_noise(self, panels: Sequence[Axes]) -> list[Axes]:
        """Draw the noise on an axis of its own at the right of each panel; return these axes."""
        columns, added = self.grid[1], []
        for number, (axes, one) in enumerate(zip(panels, self.slices, strict=True)):
            right = axes.twinx()
            x = self.labels.positions(one.axis).every
            right.plot(
                x,
                [*(one.grid.noise or ())],
                ":" if one.axis.continuous else "_",
                color=GREY,
                linewidth=1.0,
                label="noise",
            )
            right.set(ylim=self.noise_reach)
            right.grid(visible=False)
            if (number + 1) % columns and number + 1 < len(panels):
                right.tick_params(right=False, labelright=False)
            else:
                right.set(ylabel="noise")
            added.append(right)
        return added

    def _panel(self, axes: Axes, one: Slice) -> None:
        from anchorpbo.plots import matplotlib_style as style

        places, name = self.labels.positions(one.axis), one.axis.name
        x = places.every
        mean, low, high = ([*(side or ())] for side in (one.grid.utility, one.grid.low, one.grid.high))
        if one.axis.continuous:
            axes.fill_between(x, low, high, color=BLUE, alpha=0.18, linewidth=0, label="90 % interval")
            axes.plot(x, mean, color=BLUE, label="expected utility")
        else:
            axes.vlines(x, low, high, color=BLUE, alpha=0.3, linewidth=5)
            axes.plot(x, mean, "_", color=BLUE, markersize=12, markeredgewidth=1.6)
        here = places.of(self.at[name])
        if here is not None:
            axes.axvline(here, color=RED, linewidth=1.0, linestyle=":", label=_THROUGH_LABEL, zorder=1.8)
        for preferred, words, face in ((True, "preferred", GREY), (False, "less preferred", style.ink().fill)):
            some = [(place, each.utility) for place, each in self.marks(one) if each.preferred == preferred]
            x, y = [place for place, _ in some], [utility for _, utility in some]
            style.marks(axes, x, y, "o", words, colour=GREY, size=2.8, fill=face, width=0.6)
        if self.anchors:
            at = [places.of(anchor[name]) for anchor in self.anchors]
            inside = [place for place in at if place is not None]
            foot = [self.reach[0]] * len(inside)
            style.marks(axes, inside, foot, "D", "anchor", colour=ORANGE, size=4.5, edge=style.ink().text, width=0.5)
        style.set_axis(axes, "x", places, self.labels.title(name))
