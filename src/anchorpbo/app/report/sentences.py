"""What a report calls things: designs, settings, events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.report.charts import number
from anchorpbo.app.service.views import Design, JSONObject
from anchorpbo.formatting import format_fixed, format_value, round_significant
from anchorpbo.html import Markup, join, tag
from anchorpbo.space import Catalogue

WHAT = {
    "created": "Study made",
    "anchor_added": "Anchor marked: ",
    "anchor_removed": "Anchor no longer: ",
    "answered": "",
}
"""Events that a history lists, by their type."""
_OUTCOMES = {"first": "first preferred", "second": "second preferred", "tie": "equal", "skip": "skipped"}


class Words:
    """How a study speaks of its designs."""

    def __init__(self, definition: StudyDefinition) -> None:
        display = definition.display
        self.catalogue: Catalogue | None = definition.catalogue
        self.labels: Mapping[str, str] = display.get("labels", {})
        self.units: Mapping[str, str] = display.get("units", {})
        special = (display[key] for key in ("svg", "image", "smiles", "link", "title") if key in display)
        self._shorts: dict[str, str] = {}
        self._left_out = {*display.get("hidden", ()), *special}
        self._title: str | None = display.get("title", self.catalogue.key if self.catalogue is not None else None)

    def label(self, name: str) -> str:
        """What people call a parameter."""
        return self.labels.get(name, name)

    def with_unit(self, name: str) -> str:
        """The same with its unit, for an axis."""
        return f"{self.label(name)} ({self.units[name]})" if self.units.get(name) else self.label(name)

    def value(self, name: str, value: Any) -> str:
        """A value with its unit."""
        return f"{format_value(value)} {self.units.get(name, '')}".rstrip()

    def brief(self, design: Design) -> str:
        """A design in a line: its title, or its values."""
        if self._title is not None and design.get(self._title) is not None:
            return str(design[self._title])
        told = [item for item in design.items() if item[0] not in self._left_out and item[1] is not None]
        return " · ".join([self._in_brief(name, value) for name, value in told])

    def differences(self, design: Design, other: Design) -> str:
        """Where a design differs from another, in a line; its title where it has one."""
        if self._title is not None:
            return self.brief(design)
        told = [item for item in design.items() if item[0] not in self._left_out and item[1] != other[item[0]]]
        return " · ".join([f"{self._short(name)} {self.value(name, value)}" for name, value in told])

    def _short(self, name: str) -> str:
        """What people call a parameter, without what explains it."""
        if name not in self._shorts:
            self._shorts[name] = re.split("[,;(]", self.label(name))[0].strip() or self.label(name)
        return self._shorts[name]

    def _in_brief(self, name: str, value: Any) -> str:
        if isinstance(value, bool):
            return f"{'' if value else 'no '}{self._short(name).lower()}"
        if isinstance(value, int | float) and not self.units.get(name):
            return f"{self._short(name)} {format_value(value)}"
        return self.value(name, value)


def what(event: JSONObject, words: Words) -> Markup:
    """An event in a line."""
    kind = event["type"]
    if kind == "commented":
        return tag("q", event["text"])
    if kind != "answered":
        return join([WHAT[kind], words.brief(event["design"]) if "design" in event else ""])
    first, second = event["first"], event["second"]
    if event["outcome"] in ("first", "second"):
        won, lost = (first, second) if event["outcome"] == "first" else (second, first)
        return join([tag("b", words.brief(won)), " over ", words.differences(lost, won)])
    return join([words.brief(first), " and ", words.differences(second, first)])


def outcome(event: JSONObject) -> str:
    """How a comparison went."""
    if event["type"] != "answered":
        return ""
    return _OUTCOMES.get(event["outcome"], str(event["outcome"])) + (", imported" if event.get("imported") else "")


def took(response_ms: int | None) -> str:
    """How long an answer took."""
    if response_ms is None:
        return ""
    return (
        f"{format_fixed(response_ms / 1000, 1)} s"
        if response_ms < 60_000
        else f"{format_fixed(response_ms / 60_000, 0)} min"
    )


def option(value: Any) -> str:
    """A setting: a name with its own settings in brackets, or a number."""
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{key.replace('_', ' ')} {option(each)}"
            for key, each in value.items()
            if key != "class" and each is not None
        )
        name = str(value.get("class", ""))
        return f"{name} ({inner})" if name and inner else name or inner
    return f"{value:g}" if isinstance(value, float) else str(value)


def parameter(parameter: Mapping[str, Any]) -> str:
    """What a parameter can be."""
    kind = str(parameter.get("kind", ""))
    if "values" in parameter:
        return f"{kind}: {', '.join(map(format_value, parameter['values']))}"
    if "low" in parameter:
        step = f", in steps of {format_value(parameter['step'])}" if parameter.get("step") else ""
        log = ", on a logarithmic scale" if parameter.get("log") else ""
        return f"{kind}, {format_value(parameter['low'])} to {format_value(parameter['high'])}{step}{log}"
    return f"{kind}: {format_value(parameter['value'])}" if "value" in parameter else kind


def constraint(constraint: Mapping[str, Any]) -> str:
    """A linear constraint."""
    if "coefficients" not in constraint:
        return str(dict(constraint))
    total = " + ".join(
        f"{value:g} × {name}" if value != 1 else name for name, value in constraint["coefficients"].items()
    )
    low, high = constraint.get("lower"), constraint.get("upper")
    return ("" if low is None else f"{low:g} ≤ ") + total + ("" if high is None else f" ≤ {high:g}")


def percent(share: float) -> str:
    """A share."""
    return "under 1 %" if 0 < share < 0.01 else f"{format_fixed(100 * share, 0)} %"


def noise(value: float) -> str:
    """How unsteady a judgement is: above 0, however small."""
    return number(value) if value >= 0.01 else f"{round_significant(value, 1):.1g}"


def day(iso: str) -> str:
    """The date of a time."""
    return iso[:10]


def time(iso: str) -> str:
    """A time to the minute."""
    return iso[:16].replace("T", " ")
