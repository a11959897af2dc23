"""Small charts as SVG text, for a page without scripts.

::

    draw_interval   a utility and its interval, on a line
    draw_slice      along one parameter: mean, band, noise
    draw_plane      over two parameters: heat cells with anchors and duels
    draw_items      items of a catalogue as dots
    draw_gains      expected gain of each duel

Colours are CSS classes, which the page defines for light and dark themes. Heat is the opacity of one colour, which
works in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from anchorpbo.analysis.axes import log_ticks, ticks
from anchorpbo.app.report.descriptions import format_number, format_tick
from anchorpbo.app.service.maps import Axis, Grid, ItemProjection, Plane
from anchorpbo.app.service.views import Design
from anchorpbo.formatting import format_value
from anchorpbo.html import Markup, tag

LETTER_WIDTH = 6.2
"""Approximate width of a letter of a label, in pixels."""
_MAX_LABELS = 12


@dataclass(frozen=True)
class AxisScale:
    """Scale of an axis: maps values to positions in a chart."""

    axis: Axis
    start: float
    end: float

    def __call__(self, value: Any) -> float:
        """Return the position of a value."""
        return self.start + (self.end - self.start) * self.share(value)

    def has(self, value: Any) -> bool:
        """Return whether the axis shows a value; an axis shows only some of many categories."""
        return self.axis.continuous or value in self.axis.values

    def share(self, value: Any) -> float:
        """Return the relative position of a value along the axis, from 0 to 1."""
        values = self.axis.values
        if not self.axis.continuous:
            return (values.index(value) + 0.5) / len(values)
        (low, high), at = self._ends, _to_scale(value, self.axis.log)
        return (at - low) / (high - low) if high > low else 0.5

    @cached_property
    def _ends(self) -> tuple[float, float]:
        values = self.axis.values
        return _to_scale(values[0], self.axis.log), _to_scale(values[-1], self.axis.log)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the positions and labels of the ticks."""
        values = self.axis.values
        if not self.axis.continuous:
            step = math.ceil(len(values) / _MAX_LABELS)
            return [(self(value), format_value(value)) for value in values[::step]]
        if self.axis.log:
            return [(self(value), format_tick(value)) for value in log_ticks(values[0], values[-1])]
        return [(self(value), format_tick(value)) for value in ticks(values[0], values[-1], 5)]


@dataclass(frozen=True)
class Marks:
    """Designs marked on a map."""

    best: Design | None
    anchors: Sequence[Design]
    duels: Sequence[dict[str, Any]]


def draw_interval(utility: float, ends: tuple[float, float], zero: str = "average") -> Markup:
    """Draw a utility and its 90 % interval on a line, with the origin marked."""
    low, high = ends
    first, last = min(low, 0.0), max(high, 0.0)
    pad = 0.06 * ((last - first) or 1.0)

    def x(value: float) -> float:
        return 6 + 348 * (value - first + pad) / (last - first + 2 * pad)

    def within(place: float) -> float:
        return min(max(place, 24.0), 336.0)

    narrow = x(high) - x(low) < 60
    ends_text = f"from {format_number(low)} to {format_number(high)}"
    label = f"Utility {format_number(utility)}, with 90 % probability {ends_text}; 0 is the {zero}."
    return _svg(360, 64, label, [
        _line(4, 32, 356, 32, "grid"),
        _line(x(0.0), 18, x(0.0), 44, "zero"),
        tag("rect", x=x(low), y=26, width=max(x(high) - x(low), 2.0), height=12, rx=6, class_="band"),
        tag("circle", cx=x(utility), cy=32, r=6, class_="mean-dot"),
        _text(within(x(0.0)), 12, zero),
        _text(within(x(low)), 59, format_number(low, 1), "end" if narrow else "middle"),
        _text(within(x(high)), 59, format_number(high, 1), "start" if narrow else "middle"),
    ])  # fmt: skip


def draw_slice(axis: Axis, grid: Grid, value: Any, title: str, reach: tuple[float, float]) -> Markup:
    """Draw a slice along one parameter: expected utility, its 90 % band and, on a separate scale, the noise."""
    width, height = 300, 190
    x = AxisScale(axis, 34, width - 8)
    y = AxisScale(Axis("utility", list(reach), True, False), height - 40, 8)
    utility, low, high, noise = (list(each or []) for each in (grid.utility, grid.low, grid.high, grid.noise))
    parts = [*_draw_axes(x, y, title, ""), _line(x(value), 8, x(value), height - 40, "here")]
    most = 3 * max(noise, default=1.0) or 1.0
    quiet = [
        (x(value), height - 40 - (height - 48) * each / most) for value, each in zip(axis.values, noise, strict=True)
    ]
    places = [x(value) for value in axis.values]
    if axis.continuous:
        up = [(place, y(each)) for place, each in zip(places, high, strict=True)]
        down = [(place, y(each)) for place, each in zip(places, low, strict=True)]
        parts += [tag("polygon", points=_points([*up, *reversed(down)]), class_="band")] if up else []
        parts.append(tag("polyline", points=_points(quiet), class_="noise"))
        mean = [(place, y(each)) for place, each in zip(places, utility, strict=True)]
        parts.append(tag("polyline", points=_points(mean), class_="mean"))
    else:
        parts += [_line(a - 5, b, a + 5, b, "noise") for a, b in quiet]
        for place, middle, below, above in zip(places, utility, low, high, strict=True):
            parts += [_line(place, y(below), place, y(above), "whisker"),
                      tag("circle", cx=place, cy=y(middle), r=4.5, class_="mean-dot")]  # fmt: skip
    return _svg(width, height, f"Expected utility along {axis.name}", parts)


def draw_plane(plane: Plane, numbers: Sequence[Sequence[float]], names: tuple[str, str], marks: Marks) -> Markup:
    """Draw a heat map over two parameters, with designs marked on it."""
    width, height = 640, 460
    left = max([34.0, *(14 + LETTER_WIDTH * len(text) for _, text in AxisScale(plane.y, 0, 1).ticks())])
    left = min(left, 150.0) + 18
    x, y = AxisScale(plane.x, left, width - 76), AxisScale(plane.y, height - 44, 10)
    flat = [each for row in numbers for each in row]
    low, high = min(flat), max(flat)
    across, up = _cell_edges(x), _cell_edges(y)
    cells = [
        tag("rect", x=across[i], y=up[j + 1], width=across[i + 1] - across[i], height=up[j] - up[j + 1], class_="heat",
            fill_opacity=_shade(value, low, high))
        for j, row in enumerate(numbers) for i, value in enumerate(row)
    ]  # fmt: skip

    def at(design: Design) -> tuple[float, float] | None:
        across, up = design[plane.x.name], design[plane.y.name]
        return (x(across), y(up)) if x.has(across) and y.has(up) else None

    parts = [
        tag("g", *cells, class_="cells"),
        *_draw_axes(x, y, *names),
        *_draw_marks(at, marks),
        *_draw_colour_key(low, high, width, height),
    ]
    return _svg(width, height, f"Map over {names[0]} and {names[1]}", parts)


def draw_items(
    items: ItemProjection, numbers: Sequence[float], key: str, describe: Callable[[Design], str], marks: Marks
) -> Markup:
    """Draw the items of a catalogue as dots shaded by a number, with similar items close together."""
    width, height = 640, 460
    xs, ys = [item.x for item in items.items], [item.y for item in items.items]
    x = AxisScale(Axis("", [min(xs), max(xs)], True, False), 24, width - 96)
    y = AxisScale(Axis("", [min(ys), max(ys)], True, False), height - 24, 24)
    places = {item.design[key]: (x(item.x), y(item.y)) for item in items.items}
    low, high = min(numbers), max(numbers)
    dots = [
        tag("g", tag("title", f"{describe(item.design)}: {format_number(value)}"),
            tag("circle", cx=x(item.x), cy=y(item.y), r=6.5, class_="under"),
            tag("circle", cx=x(item.x), cy=y(item.y), r=6.5, class_="heat dot", fill_opacity=_shade(value, low, high)))
        for item, value in zip(items.items, numbers, strict=True)
    ]  # fmt: skip

    def at(design: Design) -> tuple[float, float] | None:
        return places.get(design[key])

    lines = [_line(*a, *b, "duel") for a, b in _ends(at, marks.duels)]
    rings = [tag("circle", cx=p[0], cy=p[1], r=10.5, class_="ring") for p in map(at, marks.anchors) if p is not None]
    star = at(marks.best) if marks.best is not None else None
    parts = [*lines, *dots, *rings, *([_draw_star(*star)] if star else []), *_draw_colour_key(low, high, width, height)]
    return _svg(width, height, "Map of the items", parts)


def draw_gains(gains: Sequence[float | None], enough: float) -> Markup:
    """Draw the expected gain of each duel as a share; gains below `enough` are grey."""
    width, height, left, bottom = 640, 220, 52.0, 178.0
    most = max([enough * 1.5, *(gain for gain in gains if gain is not None)]) * 1.08
    y = AxisScale(Axis("", [0.0, most], True, False), bottom, 10)
    step = (width - 10 - left) / max(len(gains), 1)
    parts: list[Markup] = []
    for value in ticks(0.0, most, 4):
        parts += [
            _line(left, y(value), width - 10, y(value), "grid"),
            _text(left - 6, y(value) + 4, f"{100 * value:g} %", "end"),
        ]
    for n, gain in enumerate(gains):
        if gain is not None:
            words = tag("title", f"Comparison {n + 1}: {100 * gain:.1f} %")
            kind = "bar" if gain >= enough else "bar small"
            parts.append(tag("rect", words, x=left + step * (n + 0.18), y=y(gain), width=step * 0.64,
                             height=bottom - y(gain), class_=kind))  # fmt: skip
    parts.append(_line(left, y(enough), width - 10, y(enough), "enough"))
    labels = ticks(1, max(len(gains), 1), 12) if len(gains) > 1 else [1.0]
    whole = [int(value) for value in labels if value == int(value) and value >= 1]
    parts += [_text(left + step * (value - 0.5), bottom + 17, str(value)) for value in whole]
    parts.append(_text((left + width) / 2, height - 6, "Comparison", kind="name"))
    return _svg(width, height, "Expected gain of each comparison", parts)


# -- parts ------------------------------------------------------------------------------------------------------------


def _svg(width: float, height: float, words: str, parts: Sequence[Markup]) -> Markup:
    return tag("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=words, class_="chart")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _text(
    x: float, y: float, text: str, anchor: str = "middle", kind: str | None = None, turn: str | None = None
) -> Markup:
    return tag("text", text, x=x, y=y, text_anchor=anchor, class_=kind, transform=turn)


def _draw_axes(x: AxisScale, y: AxisScale, across: str, up: str) -> list[Markup]:
    """Return axes with ticks and names."""
    parts = [_line(x.start, y.start, x.end, y.start, "axis")]
    room = abs(x.end - x.start)
    marks = x.ticks()
    longest = max((int(room / max(len(marks), 1) / LETTER_WIDTH)), 3)
    for place, text in marks:
        parts += [
            _line(place, y.start, place, y.start + 4, "axis"),
            _text(place, y.start + 16, _truncate(text, longest)),
        ]
    for place, text in y.ticks():
        parts += [
            _line(x.start - 4, place, x.start, place, "axis"),
            _text(x.start - 7, place + 4, _truncate(text, 20), "end"),
        ]
    parts.append(_text((x.start + x.end) / 2, y.start + 33, _truncate(across, int(room / LETTER_WIDTH)), kind="name"))
    if up:
        middle = (y.start + y.end) / 2
        parts.append(_text(12, middle, _truncate(up, 60), kind="name", turn=f"rotate(-90 12 {middle:.1f})"))
    return parts


def _draw_marks(at: Callable[[Design], tuple[float, float] | None], marks: Marks) -> list[Markup]:
    """Draw duels (winners full, losers hollow), anchors and the recommended design, if they have a position."""

    # There may be thousands, so each coordinate is formatted only once.
    def format_place(design: Design) -> tuple[str, str] | None:
        place = at(design)
        return None if place is None else (f"{place[0]:.4g}", f"{place[1]:.4g}")

    places = [(format_place(duel["first"]), format_place(duel["second"])) for duel in marks.duels]
    parts = [
        Markup(f'<line x1="{a[0]}" y1="{a[1]}" x2="{b[0]}" y2="{b[1]}" class="duel"></line>')
        for a, b in places
        if a is not None and b is not None
    ]
    kinds = {"first": ("won", "lost"), "second": ("lost", "won")}
    for duel, ends in zip(marks.duels, places, strict=True):
        for end, kind in zip(ends, kinds.get(duel["outcome"], ("even", "even")), strict=True):
            if end is not None:
                parts.append(Markup(f'<circle cx="{end[0]}" cy="{end[1]}" r="4.5" class="{kind}"></circle>'))
    for x, y in filter(None, map(at, marks.anchors)):
        parts.append(tag("polygon", points=_points([(x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y)]), class_="anchor"))
    best = None if marks.best is None else at(marks.best)
    return parts if best is None else [*parts, _draw_star(*best)]


def _ends(
    at: Callable[[Design], tuple[float, float] | None], duels: Sequence[dict[str, Any]]
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    both = [(at(duel["first"]), at(duel["second"])) for duel in duels]
    return [(a, b) for a, b in both if a is not None and b is not None]


def _draw_star(x: float, y: float) -> Markup:
    corners = [
        (x + size * math.sin(n * math.pi / 5), y - size * math.cos(n * math.pi / 5))
        for n, size in enumerate((11.0, 4.6) * 5)
    ]
    return tag("polygon", points=_points(corners), class_="best")


def _draw_colour_key(low: float, high: float, width: float, height: float) -> list[Markup]:
    """Draw the colour key at the right."""
    x, top, tall, steps = width - 62.0, 10.0, height - 54.0, 24
    cells = [
        tag("rect", x=x, y=top + tall * (steps - n - 1) / steps, width=12, height=tall / steps + 0.2, class_="heat",
            fill_opacity=_shade(n, 0, steps - 1))
        for n in range(steps)
    ]  # fmt: skip
    scale = AxisScale(Axis("", [low, high], True, False), top + tall, top)
    return [
        *cells,
        *(_text(x + 18, scale(value) + 4, format_tick(value), "start") for value in ticks(low, high, 5)),
    ]


def _shade(value: float, low: float, high: float) -> float:
    return round(0.04 + 0.92 * ((value - low) / (high - low) if high > low else 0.5), 3)


def _cell_edges(scale: AxisScale) -> list[float]:
    """Return the borders of the cells around the values of an axis."""
    if not scale.axis.continuous:
        count = len(scale.axis.values)
        return [scale.start + (scale.end - scale.start) * n / count for n in range(count + 1)]
    places = [scale(value) for value in scale.axis.values]
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    return [scale.start, *middles, scale.end]


def _to_scale(value: float, log: bool) -> float:
    return math.log(value) if log else float(value)


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _truncate(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else f"{text[: max(max_length - 1, 1)]}…"
