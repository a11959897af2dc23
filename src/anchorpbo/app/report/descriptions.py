"""Descriptions of designs, settings and events in a report, and its number and time formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.service.layouts import Design, JSONObject
from anchorpbo.formatting import format_fixed, format_value, round_significant
from anchorpbo.html import Markup, join, tag
from anchorpbo.space import Catalogue

EVENT_PREFIXES = {
    "created": "Study created",
    "edited": "Study edited",
    "anchor_added": "Anchor added: ",
    "anchor_removed": "Anchor removed: ",
    "anchor_named": "Anchor named: ",
    "answered": "",
}
"""Types of events listed in a history, with the first words of their lines."""
_JUDGEMENT_PREFIXES = {"no": "Marked as hard to judge: ", "unsure": "Marked as unsure: "}
"""First words of the lines of marks that are not anchors."""
_OUTCOME_TEXTS = {"first": "A preferred", "second": "B preferred", "tie": "equal", "skip": "skipped"}
_KIND_TEXTS = {"real": "number", "categorical": "category", "ordinal": "ordered", "boolean": "yes or no"}
"""Kinds of parameters that the New page calls by other names."""


class DesignDescriber:
    """Describer of a study's designs, with its labels and units."""

    def __init__(self, definition: StudyDefinition) -> None:
        display = definition.display
        self.catalogue: Catalogue | None = definition.catalogue
        self.labels: Mapping[str, str] = display.get("labels", {})
        self.units: Mapping[str, str] = display.get("units", {})
        self._unit_counts = Counter(filter(None, self.units.values()))
        self._decimals = definition.decimals
        special = (display[key] for key in ("svg", "image", "smiles", "clip", "link", "title") if key in display)
        self._short_labels: dict[str, str] = {}
        self._hidden = {*display.get("hidden", ()), *special}
        self._title: str | None = display.get("title", self.catalogue.key if self.catalogue is not None else None)

    def label(self, name: str) -> str:
        """Return the label of a parameter."""
        return self.labels.get(name, name)

    def label_with_unit(self, name: str) -> str:
        """Return the label of a parameter with its unit, for an axis."""
        return f"{self.label(name)} ({self.units[name]})" if self.units.get(name) else self.label(name)

    def format_value(self, name: str, value: Any) -> str:
        """Format a value with its unit."""
        return f"{format_value(value, self._decimals.get(name))} {self.units.get(name, '')}".rstrip()

    def describe(self, design: Design) -> str:
        """Describe a design on one line: its title, or its values."""
        if self._title is not None and design.get(self._title) is not None:
            return str(design[self._title])
        shown = [item for item in design.items() if item[0] not in self._hidden and item[1] is not None]
        return " · ".join([self._describe_value(name, value) for name, value in shown])

    def describe_difference(self, design: Design, other: Design) -> str:
        """Describe on one line how a design differs from another, or return its title if it has one."""
        if self._title is not None:
            return self.describe(design)
        shown = [item for item in design.items() if item[0] not in self._hidden and item[1] != other[item[0]]]
        return " · ".join([f"{self._short_label(name)} {self.format_value(name, value)}" for name, value in shown])

    def describe_constraint(self, constraint: Mapping[str, Any]) -> str:
        """Describe a linear constraint in labels and units."""
        lower, upper = constraint.get("lower"), constraint.get("upper")
        total, unit = self._describe_sum(constraint["coefficients"])
        if lower is not None and upper is not None and lower != upper:
            return f"{_format_float(lower)} ≤ {total} ≤ {_format_float(upper)}{unit}"
        sign = "=" if lower == upper else "≤" if lower is None else "≥"
        end = constraint["lower"] if upper is None else upper
        return f"{total} {sign} {_format_float(end)}{unit}"

    def describe_violation(self, violation: Mapping[str, Any]) -> str:
        """Describe the value of an `InfeasibleError` in labels and units; `results-words.js` writes the same."""
        total, unit = self._describe_sum(violation["coefficients"])
        return f"{total} {_describe_ends(violation)}{unit}; here it is {_format_float(violation['total'])}."

    def _describe_sum(self, coefficients: Mapping[str, float]) -> tuple[str, str]:
        """Describe a weighted sum of parameters, and return its unit after a space; it is empty unless all have one."""
        units = {self.units.get(name, "") for name in coefficients}
        unit = f" {next(iter(units))}".rstrip() if len(units) == 1 else ""
        signs = ["− " if weight < 0 else "+ " if number else "" for number, weight in enumerate(coefficients.values())]
        sizes = ["" if abs(weight) == 1 else f"{_format_float(abs(weight))} × " for weight in coefficients.values()]
        names = map(self._short_label, coefficients)
        return " ".join(sign + size + name for sign, size, name in zip(signs, sizes, names, strict=True)), unit

    def _short_label(self, name: str) -> str:
        """Return the label of a parameter without its explanation."""
        if name not in self._short_labels:
            self._short_labels[name] = re.split("[,;(]", self.label(name))[0].strip() or self.label(name)
        return self._short_labels[name]

    def _describe_value(self, name: str, value: Any) -> str:
        if isinstance(value, bool):
            return f"{'' if value else 'no '}{self._short_label(name).lower()}"
        text = self.format_value(name, value)
        # A unit says what a number is, unless several have it.
        is_named = not isinstance(value, int | float) or self._unit_counts[self.units.get(name, "")] == 1
        return text if is_named else f"{self._short_label(name)} {text}"


def describe_event(event: JSONObject, describer: DesignDescriber, draw: Callable[[Design], Markup]) -> Markup:
    """Describe an event on one line, with the drawings of its designs."""
    kind = event["type"]
    if kind == "commented":
        return tag("q", event["text"])
    if kind != "answered":
        if "design" not in event:
            return join([EVENT_PREFIXES[kind]])
        what = describe_anchor(event["design"], event.get("name"), describer)
        prefix = _JUDGEMENT_PREFIXES.get(event.get("judgement", "yes"), EVENT_PREFIXES[kind])
        return join([prefix, draw(event["design"]), what])
    first, second = event["first"], event["second"]
    if event["outcome"] in ("first", "second"):
        won, lost = (first, second) if event["outcome"] == "first" else (second, first)
        winner, loser = tag("b", describer.describe(won)), describer.describe_difference(lost, won)
        return join([draw(won), winner, " over ", draw(lost), loser])
    texts = describer.describe(first), describer.describe_difference(second, first)
    return join([draw(first), texts[0], " and ", draw(second), texts[1]])


def describe_anchor(design: Design, name: str | None, describer: DesignDescriber) -> str:
    """Describe an anchor on one line: its name, if it has one, and its design."""
    return describer.describe(design) if name is None else f"“{name}”: {describer.describe(design)}"


def describe_outcome(event: JSONObject) -> str:
    """Describe the outcome of a comparison."""
    if event["type"] != "answered":
        return ""
    return _OUTCOME_TEXTS.get(event["outcome"], str(event["outcome"])) + (", imported" if event.get("imported") else "")


def format_duration(response_ms: int | None) -> str:
    """Format a response time."""
    if response_ms is None:
        return ""
    return (
        f"{format_fixed(response_ms / 1000, 1)} s"
        if response_ms < 60_000
        else f"{format_fixed(response_ms / 60_000, 0)} min"
    )


def describe_option(value: Any) -> str:
    """Describe a setting: a number, or a name with its settings in brackets."""
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{key.replace('_', ' ')} {describe_option(each)}"
            for key, each in value.items()
            if key != "class" and each is not None
        )
        name = str(value.get("class", ""))
        return f"{name} ({inner})" if name and inner else name or inner
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe_parameter(parameter: Mapping[str, Any]) -> str:
    """Describe the values of a parameter."""
    kind = _KIND_TEXTS.get(parameter["kind"], parameter["kind"])
    if "values" in parameter:
        return f"{kind}: {', '.join(map(format_value, parameter['values']))}"
    if "low" in parameter:
        step = f", in steps of {format_value(parameter['step'])}" if parameter.get("step") else ""
        log = ", on a logarithmic scale" if parameter.get("log") else ""
        return f"{kind}, {format_value(parameter['low'])} to {format_value(parameter['high'])}{step}{log}"
    return f"{kind}: {format_value(parameter['value'])}" if "value" in parameter else kind


def _describe_ends(violation: Mapping[str, Any]) -> str:
    lower, upper = violation["lower"], violation["upper"]
    if lower == upper:
        return f"must be exactly {_format_float(upper)}"
    if lower is None:
        return f"may be at most {_format_float(upper)}"
    if upper is None:
        return f"must be at least {_format_float(lower)}"
    return f"must be from {_format_float(lower)} to {_format_float(upper)}"


def _format_float(value: float) -> str:
    return format_value(float(value))


def format_number(value: float, digits: int = 2) -> str:
    """Format a number with few digits, a proper minus, halves away from zero; `results-words.js` writes the same."""
    if abs(value) >= 1e5:
        return _minus(f"{round_significant(value, 2):.1e}")
    places = 0 if abs(value) >= 100 else min(digits, 1) if abs(value) >= 10 else digits
    text = format_fixed(value, places)
    return _minus(text if float(text) else text.lstrip("-"))


def format_percent(share: float) -> str:
    """Format a share as a percentage."""
    return "under 1 %" if 0 < share < 0.01 else f"{format_fixed(100 * share, 0)} %"


def format_noise(value: float) -> str:
    """Format a noise, so that it never looks like 0."""
    return format_number(value) if value >= 0.01 else f"{round_significant(value, 1):.1g}"


def format_date(iso: str) -> str:
    """Format the date of a time."""
    return iso[:10]


def format_minute(iso: str) -> str:
    """Format a time to the minute."""
    return iso[:16].replace("T", " ")


def _minus(text: str) -> str:
    return f"−{text[1:]}" if text.startswith("-") else text
