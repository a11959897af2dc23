"""Map over two parameters, with anchors, duels and the recommended design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anchorpbo.analysis.grids import Plane
from anchorpbo.analysis.model_view import Comparison
from anchorpbo.formatting import format_fixed, truncate
from anchorpbo.plots.axis_positions import AxisPositions
from anchorpbo.plots.colours import ORANGE, RED, Theme, choose_colour_scale
from anchorpbo.plots.parameter_labels import NEGATIVE_ANCHOR, ParameterLabels
from anchorpbo.plots.plot import Plot
from anchorpbo.space import Design

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_TITLE_LETTERS = 70
"""Number of letters that fit above a map."""
_LEGEND_COLUMNS = 3
"""Largest number of columns of the legend on paper, which is as wide as the figure."""
Place = tuple[float, float]
Placed = tuple[Place, Design]
"""A design and its position."""
MARK_COLOUR = "#222222"
"""Colour of marks with a white edge, which show on any background."""
BESIDE_LABEL = "anchor at other values"
"""Label of the anchors that differ from the plane in the parameters that are not on the axes."""


@dataclass(frozen=True, eq=False)
class PlaneMap(Plot):
    """Map with one coloured cell per pair of values."""

    what: str
    plane: Plane
    values: Any
    """Values, with one row per value of y."""
    at: Design
    best: Design | None
    anchors: Sequence[Design]
    duels: Sequence[Comparison]
    labels: ParameterLabels
    negative_anchors: Sequence[Design] = ()

    @property
    def description(self) -> str:
        """The two parameters, the range of the values, and the number of marks."""
        names = " and ".join(self.labels.label(axis.name) for axis in (self.plane.x, self.plane.y))
        found = describe_values(self.values, self.anchors, self.best, self.negative_anchors)
        return f"{self.what.capitalize()} over {names}, {found}"

    @property
    def x(self) -> AxisPositions:
        """Across."""
        return self.labels.positions(self.plane.x)

    @property
    def y(self) -> AxisPositions:
        """Up."""
        return self.labels.positions(self.plane.y)

    def place(self, design: Design) -> Place | None:
        """Return the position of a design, ``None`` if it is not shown."""
        x, y = self.x.of(design[self.plane.x.name]), self.y.of(design[self.plane.y.name])
        return None if x is None or y is None else (x, y)

    def locate_designs(self, designs: Sequence[Design]) -> list[Placed]:
        """Return the designs that are shown, with their positions."""
        found = [(self.place(design), design) for design in designs]
        return [(place, design) for place, design in found if place is not None]

    def list_pairs(self) -> list[tuple[Placed, Placed, bool]]:
        """Return the winner and loser of each duel, and whether it was a tie; skips are left out."""
        pairs = []
        for duel in self.duels:
            if duel.outcome != "skip":
                sides = (duel.second, duel.first) if duel.outcome == "second" else (duel.first, duel.second)
                found = self.locate_designs(sides)
                if len(found) == 2:
                    pairs.append((found[0], found[1], duel.outcome == "tie"))
        return pairs

    def list_anchors(self) -> list[tuple[str, list[Placed], str, str]]:
        """Return name, positions, colour and edge of the anchors: those in the plane, and those beside it, hollow."""
        inside, beside = self._split(self.anchors)
        return [(BESIDE_LABEL, beside, "white", ORANGE), ("anchor", inside, ORANGE, MARK_COLOUR)]

    def list_negative_anchors(self) -> list[tuple[str, list[Placed], str, str]]:
        """Return the same of the negative anchors."""
        inside, beside = self._split(self.negative_anchors)
        hollow = (f"{NEGATIVE_ANCHOR}, at other values", beside, "white", MARK_COLOUR)
        return [hollow, (NEGATIVE_ANCHOR, inside, MARK_COLOUR, "white")]

    def _split(self, designs: Sequence[Design]) -> tuple[list[Placed], list[Placed]]:
        """Return the designs in the plane, and those that differ from it in other parameters."""
        names = (self.plane.x.name, self.plane.y.name)
        rest = {name: value for name, value in self.at.items() if name not in names}
        found: dict[bool, list[Placed]] = {True: [], False: []}
        for place, design in self.locate_designs(designs):
            found[all(design[name] == value for name, value in rest.items())].append((place, design))
        return found[True], found[False]

    def others(self) -> str:
        """Return the values of the parameters that are not on the axes."""
        names = (self.plane.x.name, self.plane.y.name)
        rest = {name: value for name, value in self.at.items() if name not in names}
        return truncate(", ".join(self.labels.design(rest)), _MAX_TITLE_LETTERS)

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure, a heat map with hover texts."""
        import plotly.graph_objects as go

        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=460)
        cells = {"x": self.x.edges, "y": self.y.edges, "z": self.values, "text": self._hover_texts()}
        # With the values of both axes, so that a page can tell which design was clicked.
        meta = {"axes": {axis.name: axis.values for axis in (self.plane.x, self.plane.y)}}
        figure.add_trace(go.Heatmap(**cells, **style.colour_scale(self.what, self.values), hoverinfo="text", meta=meta))
        figure.add_traces(self._duel_traces())
        for name, anchors, face, edge in self.list_anchors():
            if anchors:
                hover = [style.lines(self.labels.anchor(design)) for _, design in anchors]
                figure.add_trace(style.anchor_marks(*_columns(anchors), hover, edge, face=face, name=name))
        for name, anchors, face, edge in self.list_negative_anchors():
            if anchors:
                hover = [style.lines(self.labels.negative_anchor(design)) for _, design in anchors]
                figure.add_trace(style.negative_marks(*_columns(anchors), hover, face, edge=edge, name=name))
        for place, design in self.locate_designs([] if self.best is None else [self.best]):
            hover = [style.lines(["recommended", *self.labels.design(design)])]
            figure.add_trace(style.best_mark([place[0]], [place[1]], hover))
        figure.update_xaxes(style.axis(self.x, self.labels.title(self.plane.x.name)), showgrid=False)
        figure.update_yaxes(style.axis(self.y, self.labels.title(self.plane.y.name)), showgrid=False)
        if self.others():
            style.remark(figure, style.text(f"at {self.others()}"))
        return figure

    def _hover_texts(self) -> list[list[str]]:
        """Return the hover text of each cell."""
        from anchorpbo.plots import plotly_style as style

        across, up = (
            [self.labels.line(axis.name, value) for value in axis.values] for axis in (self.plane.x, self.plane.y)
        )
        return [
            [style.lines([a, b, f"{self.what} {value:.3g}"]) for a, value in zip(across, row, strict=True)]
            for b, row in zip(up, self.values, strict=True)
        ]

    def _duel_traces(self) -> list[Any]:
        from anchorpbo.plots import plotly_style as style

        pairs, traces = self.list_pairs(), []
        for tied, name, dash in ((False, "compared", "solid"), (True, "tie", "dot")):
            some = [(a[0], b[0]) for a, b, tie in pairs if tie == tied]
            x, y = ([place for a, b in some for place in (a[side], b[side], None)] for side in (0, 1))
            if some:
                joined = style.line(x, y, name, colour="rgba(255,255,255,0.55)", width=1, dash=dash)
                traces.append(style.mark_as("duels", joined.update(showlegend=False)))
        for name, places, face, edge in self._sides(pairs):
            if places:
                look: dict[str, Any] = {"color": face, "size": 7, "line": {"color": edge, "width": 1.2}}
                hover = [style.lines([name, *self.labels.design(design)]) for _, design in places]
                traces.append(style.mark_as("duels", style.dots(*_columns(places), name, hover=hover, **look)))
        return traces

    def _sides(self, pairs: Sequence[tuple[Placed, Placed, bool]]) -> list[tuple[str, list[Placed], str, str]]:
        """Return name, positions, colour and edge of the designs compared; ties are among the less preferred."""
        # Winners are filled and losers hollow, as in slices, the app and reports.
        won = [a for a, _, tie in pairs if not tie]
        rest = [side for a, b, tie in pairs for side in ((a, b) if tie else (b,))]
        return [("less preferred", rest, "white", MARK_COLOUR), ("preferred", won, MARK_COLOUR, "white")]

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=3.9)
            scale = choose_colour_scale(self.what, self.values)
            colours = {"cmap": scale.name, "vmin": scale.low, "vmax": scale.high}
            cells = axes.pcolormesh(self.x.edges, self.y.edges, self.values, **colours, rasterized=True)
            bar = figure.colorbar(cells, ax=axes, label=self.what, pad=0.02)
            bar.outline.set_visible(False)
            axes.grid(False)
            self._marks(axes)
            style.set_axis(axes, "x", self.x, self.labels.title(self.plane.x.name))
            style.set_axis(axes, "y", self.y, self.labels.title(self.plane.y.name))
            axes.set(xlim=(self.x.edges[0], self.x.edges[-1]), ylim=(self.y.edges[0], self.y.edges[-1]))
            if self.others():
                axes.set_title(style.text(f"at {self.others()}"), fontsize=7, loc="right")
            handles, _ = axes.get_legend_handles_labels()
            if handles:
                style.legend_below(figure, handles, columns=min(len(handles), _LEGEND_COLUMNS))
        return figure

    def _marks(self, axes: Axes) -> None:
        from anchorpbo.plots import matplotlib_style as style

        pairs = self.list_pairs()
        for a, b, tie in pairs:
            dash = ":" if tie else "-"
            (left, bottom), (right, top) = a[0], b[0]
            axes.plot([left, right], [bottom, top], color="white", alpha=0.55, linewidth=0.6, linestyle=dash)
        best = self.locate_designs([] if self.best is None else [self.best])
        styles = [(name, places, "o", 3.8, face, edge) for name, places, face, edge in self._sides(pairs)]
        styles += [(name, places, "D", 5.0, face, edge) for name, places, face, edge in self.list_anchors()]
        styles += [(name, places, "X", 6.0, face, edge) for name, places, face, edge in self.list_negative_anchors()]
        styles.append(("recommended", best, "*", 12.0, RED, "white"))
        for name, places, marker, size, face, edge in styles:
            if places:
                style.marks(axes, *_columns(places), marker, name, colour=face, size=size, edge=edge)


def describe_values(
    values: Any, anchors: Sequence[Design], best: Design | None, negative: Sequence[Design] = ()
) -> str:
    """Return the range of the values of a map and the number of its marks, in words."""
    low, high = format_fixed(float(np.min(values)), 2), format_fixed(float(np.max(values)), 2)
    marks = f"{len(anchors)} {'anchor' if len(anchors) == 1 else 'anchors'}"
    more = [f"{len(negative)} {NEGATIVE_ANCHOR}"] if negative else []
    more += [] if best is None else ["the recommended design"]
    return f"from {low} to {high}, with {' and '.join([', '.join([marks, *more[:-1]]), *more[-1:]])}."


def _columns(placed: Sequence[Placed]) -> tuple[list[float], list[float]]:
    return [x for (x, _), _ in placed], [y for (_, y), _ in placed]
