"""Common style of plotly figures: panels, axes in the units of their parameters, colours for light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log10
from typing import Any, Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from anchorpbo.plots.axis_positions import AxisPositions
from anchorpbo.plots.colours import INKS, ORANGE, RED, Theme, choose_colour_scale
from anchorpbo.plots.parameter_labels import NEGATIVE_ANCHOR

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


def text(words: str) -> str:
    """Escape text for a figure: plotly interprets a few HTML elements in every text."""
    return escape(words, quote=False)


def lines(words: Sequence[str]) -> str:
    """Join several texts as the lines of a hover text."""
    return "<br>".join(map(text, words))


def panels(theme: Theme, rows: int = 1, columns: int = 1, *, height: int = 360, **options: Any) -> go.Figure:
    """Return an empty figure with panels; options are those of `make_subplots`."""
    ink = INKS[theme]
    figure = make_subplots(rows, columns, **options)
    figure.update_layout(
        template="none",
        paper_bgcolor=ink.ground,
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 13, "color": ink.text},
        height=height,
        margin={"l": 60, "r": 20, "t": 40, "b": 90},
        showlegend=True,
        # At the bottom: plotly's buttons are at the top.
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0, "font": {"size": 12}},
        hoverlabel={"align": "left"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": ink.line, "activecolor": ink.text},
    )
    axis = {
        "gridcolor": ink.grid, "linecolor": ink.line, "tickcolor": ink.line, "zeroline": False, "showline": True,
        "ticks": "outside", "ticklen": 4, "automargin": True, "title": {"standoff": 8},
    }  # fmt: skip
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure


def axis(places: AxisPositions, title: str) -> dict[str, Any]:
    """Return the settings of an axis along a parameter."""
    settings: dict[str, Any] = {"title": {"text": text(title), "standoff": 8}, "range": list(places.ends)}
    if places.labels is not None:
        labels = list(map(text, places.labels))
        settings |= {"tickmode": "array", "tickvals": places.ticks, "ticktext": labels}
    if places.axis.log:
        settings |= {"type": "log", "range": [log10(end) for end in places.ends]}
    return settings if places.axis.continuous else settings | {"showgrid": False}


def dots(
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    *,
    hover: Sequence[str] | None = None,
    ends: Any = None,
    **marker: Any,
) -> go.Scatter:
    """Return marks; `hover` has their hover texts, `ends` the intervals of y, `marker` their style."""
    hovering = {"hoverinfo": "skip"} if hover is None else {"hovertext": hover, "hoverinfo": "text"}
    return go.Scatter(x=x, y=y, mode="markers", name=name, marker=marker, error_y=ends, **hovering)


def line(
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    *,
    colour: str,
    width: float = 2.5,
    dash: str = "solid",
    hover: Sequence[str] | None = None,
) -> go.Scatter:
    """Return a line, interrupted at ``None``."""
    hovering = {"hoverinfo": "skip"} if hover is None else {"hovertext": hover, "hoverinfo": "text"}
    look = {"color": colour, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=look, **hovering)


def area(x: Sequence[Any], low: Sequence[float], high: Sequence[float], name: str, *, colour: str) -> go.Scatter:
    """Return the area between two lines."""
    around = {"x": [*x, *x[::-1]], "y": [*high, *low[::-1]]}
    look = {"fill": "toself", "fillcolor": fade(colour), "mode": "lines", "line": {"width": 0}}
    return go.Scatter(name=name, hoverinfo="skip", **around, **look)


def best_mark(x: Sequence[Any], y: Sequence[Any], hover: Sequence[str]) -> go.Scatter:
    """Return the mark of the recommended design."""
    edge = {"color": "white", "width": 1}
    return dots(x, y, "recommended", hover=hover, symbol="star", size=15, color=RED, line=edge)


def anchor_marks(
    x: Sequence[Any], y: Sequence[Any], hover: Sequence[str], edge: str, *, face: str = ORANGE, name: str = "anchor"
) -> go.Scatter:
    """Return the marks of the anchors."""
    look = {"symbol": "diamond", "size": 9, "color": face, "line": {"color": edge, "width": 1 if face == ORANGE else 2}}
    return mark_as("anchors", dots(x, y, name, hover=hover, **look).update(cliponaxis=False))


def negative_marks(
    x: Sequence[Any],
    y: Sequence[Any],
    hover: Sequence[str],
    face: str,
    *,
    edge: str = "white",
    name: str = NEGATIVE_ANCHOR,
) -> go.Scatter:
    """Return the marks of the negative anchors: crosses."""
    look = {"symbol": "x", "size": 10, "color": face, "line": {"color": edge, "width": 1}}
    return mark_as("anchors", dots(x, y, name, hover=hover, **look).update(cliponaxis=False))


def mark_as(marks: Literal["anchors", "duels"], trace: go.Scatter) -> go.Scatter:
    """Return a trace whose metadata say what it marks, so that a page can hide it."""
    return trace.update(meta={"marks": marks})


def colour_scale(what: str, values: Any, prefix: Literal["z", "c"] = "z") -> dict[str, Any]:
    """Return the colours, their range and the colour bar of a map; `prefix` is ``"c"`` for the colours of marks."""
    scale = choose_colour_scale(what, values)
    bar = {"title": {"text": what, "side": "right"}, "thickness": 14, "outlinewidth": 0}
    return {"colorscale": scale.name, "colorbar": bar, f"{prefix}min": scale.low, f"{prefix}max": scale.high}


def remark(figure: go.Figure, words: str, **place: Any) -> None:
    """Add a small text at the upper right, above the panels."""
    at = {"x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", "align": "right"} | place
    figure.add_annotation(text=words, xref="paper", yref="paper", showarrow=False, font={"size": 11}, **at)


def fade(colour: str) -> str:
    """Return a colour made transparent."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"
