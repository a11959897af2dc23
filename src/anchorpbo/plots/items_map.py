"""Map of the items of a catalogue: similar items lie close together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anchorpbo.analysis.grids import ItemProjection
from anchorpbo.analysis.model_view import Comparison
from anchorpbo.plots.colours import GREY, INKS, ORANGE, RED, Theme, choose_colour_scale
from anchorpbo.plots.parameter_labels import NEGATIVE_ANCHOR, ParameterLabels
from anchorpbo.plots.plane_map import describe_values
from anchorpbo.plots.plot import Plot
from anchorpbo.space import Design

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]
AXIS_TITLES = ("where items differ most", "where they differ next")


@dataclass(frozen=True, eq=False)
class ItemsMap(Plot):
    """Map with one coloured dot per item."""

    what: str
    items: ItemProjection
    values: Any
    """One value per item."""
    key: str
    best: Design | None
    anchors: Sequence[Design]
    duels: Sequence[Comparison]
    labels: ParameterLabels
    negative_anchors: Sequence[Design] = ()

    @property
    def description(self) -> str:
        """The number of items, the range of the values, and the number of marks."""
        found = describe_values(self.values, self.anchors, self.best, self.negative_anchors)
        return f"{self.what.capitalize()} of {self.items.shown} items, {found}"

    def places(self, designs: Sequence[Design]) -> list[Place]:
        """Return the positions of designs that are shown."""
        found = {item.design[self.key]: (item.x, item.y) for item in self.items.items}
        return [found[design[self.key]] for design in designs if design[self.key] in found]

    def describe(self, design: Design) -> list[str]:
        """Return the lines of an item; those of an anchor or a negative anchor say so."""
        if design[self.key] in {anchor[self.key] for anchor in self.anchors}:
            return self.labels.anchor(design)
        is_negative = design[self.key] in {anchor[self.key] for anchor in self.negative_anchors}
        return self.labels.negative_anchor(design) if is_negative else self.labels.design(design)

    def _find_marks(self) -> tuple[list[Place], list[Place]]:
        """Return the positions of the anchors and of the recommended design."""
        return self.places(self.anchors), self.places([] if self.best is None else [self.best])

    def title(self) -> str:
        """Return a title with the number of items shown, if not all are."""
        shown, total = self.items.shown, self.items.total
        return "" if shown == total else f"{shown:,} of {total:,} items, with all that were compared or marked"

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure; hover texts describe the items."""
        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=480)
        pairs = self._pairs()
        if pairs:
            x, y = ([place for a, b in pairs for place in (a[side], b[side], None)] for side in (0, 1))
            joined = style.line(x, y, "compared", colour="rgba(128,128,128,0.5)", width=1)
            figure.add_trace(style.mark_as("duels", joined))
        hover = [
            style.lines([*self.describe(item.design), f"{self.what} {value:.3g}"])
            for item, value in zip(self.items.items, self.values, strict=True)
        ]
        x, y = ([getattr(item, side) for item in self.items.items] for side in ("x", "y"))
        look: dict[str, Any] = {
            "size": 10,
            "line": {"color": GREY, "width": 1},
            **style.colour_scale(self.what, self.values, "c"),
        }
        every = style.dots(x, y, "item", hover=hover, color=self.values, **look)
        # With the keys, so that a page can tell which item was clicked.
        keys = [item.design[self.key] for item in self.items.items]
        figure.add_trace(every.update(showlegend=False, customdata=keys))
        anchors, best = self._find_marks()
        if anchors:
            ring: dict[str, Any] = {"symbol": "circle-open", "size": 16, "color": ORANGE, "line": {"width": 3}}
            figure.add_trace(style.mark_as("anchors", style.dots(*_columns(anchors), "anchor", **ring)))
        negative = self.places(self.negative_anchors)
        if negative:
            cross: dict[str, Any] = {"symbol": "x-thin", "size": 14, "line": {"color": INKS[theme].text, "width": 3}}
            traces = style.dots(*_columns(negative), NEGATIVE_ANCHOR, **cross)
            figure.add_trace(style.mark_as("anchors", traces))
        if best:
            hover = [style.lines(["recommended", *self.labels.design(self.best or {})])]
            figure.add_trace(style.best_mark(*_columns(best), hover))
        figure.update_xaxes(title_text=AXIS_TITLES[0], showticklabels=False, ticks="")
        figure.update_yaxes(title_text=AXIS_TITLES[1], showticklabels=False, ticks="")
        if self.title():
            style.remark(figure, self.title())
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=3.9)
            for a, b in self._pairs():
                axes.plot([a[0], b[0]], [a[1], b[1]], color=GREY, alpha=0.6, linewidth=0.5, zorder=1)
            x, y = ([getattr(item, side) for item in self.items.items] for side in ("x", "y"))
            edge = style.ink().line
            scale = choose_colour_scale(self.what, self.values)
            colours = {"c": self.values, "cmap": scale.name, "vmin": scale.low, "vmax": scale.high}
            dots = axes.scatter(x, y, **colours, s=22, edgecolors=edge, linewidths=0.3, zorder=2)
            bar = figure.colorbar(dots, ax=axes, label=self.what, pad=0.02)
            bar.outline.set_visible(False)
            self._rings(axes)
            axes.set(xlabel=AXIS_TITLES[0], ylabel=AXIS_TITLES[1], xticks=[], yticks=[])
            axes.set_title(self.title(), fontsize=7, loc="right")
            handles, _ = axes.get_legend_handles_labels()
            if handles:
                style.legend_below(figure, handles)
        return figure

    def _rings(self, axes: Axes) -> None:
        from anchorpbo.plots import matplotlib_style as style

        anchors, best = self._find_marks()
        if anchors:
            style.marks(axes, *_columns(anchors), "o", "anchor", colour=ORANGE, size=8, fill="none", width=1.5)
        negative = self.places(self.negative_anchors)
        if negative:
            style.marks(axes, *_columns(negative), "x", NEGATIVE_ANCHOR, colour=style.ink().text, size=7, width=1.8)
        if best:
            style.marks(axes, *_columns(best), "*", "recommended", colour=RED, size=10, edge="white")

    def _pairs(self) -> list[tuple[Place, Place]]:
        sides = [self.places([duel.first, duel.second]) for duel in self.duels if duel.outcome != "skip"]
        return [(pair[0], pair[1]) for pair in sides if len(pair) == 2]


def _columns(places: Sequence[Place]) -> tuple[list[float], list[float]]:
    return [x for x, _ in places], [y for _, y in places]
