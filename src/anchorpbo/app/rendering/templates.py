"""Templates: SVG drawings with placeholders, rendered per design.

::

    <svg viewBox="0 0 100 100">
      <rect width="100" height="100" fill="hsl({{ hue }}, 60%, {{ lightness }}%)"/>
      <text x="{{ 10 + margin }}" y="50" text-anchor="{{ "start" if align == "left" else "middle" }}">{{ title }}</text>
    </svg>

A placeholder is part of an attribute value or of a text. It contains an expression over the parameters of the design
(`expressions.py`). `svg.py` lists the allowed elements and attributes; it checks a template at construction, and every
rendered drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from anchorpbo.app.rendering.expressions import Expression, Value
from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.errors import InputError
from anchorpbo.html import escape

MAX_TEMPLATE_BYTES = 100_000
"""Maximum size of a template in bytes."""
MAX_PLACEHOLDERS = 1_000

_PLACEHOLDER = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*+)\}\}", re.DOTALL)
_PLACEHOLDER_MARK = "\ue000"
"""Replaces a placeholder while the rest is checked: a private-use character."""


class Template:
    """An SVG drawing with placeholders. Immutable, so safe to share between threads.

    Parameters
    ----------
    text
        The template.

    Examples
    --------
    >>> template = Template('<svg viewBox="0 0 9 9"><circle r="{{ size / 2 }}"/></svg>')
    >>> template.render({"size": 5})
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="2.5"/></svg>'
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InputError("a template must be text", repr(text), "write <svg ...>...</svg>")
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > MAX_TEMPLATE_BYTES:
            raise InputError(f"a template must have at most {MAX_TEMPLATE_BYTES:,} bytes", f"{size:,}", "simplify it")
        if _PLACEHOLDER_MARK in text:
            raise InputError("a template must not contain the character U+E000", "it does", "leave it out")
        self._text = text
        expressions = _PLACEHOLDER.findall(text)
        if len(expressions) > MAX_PLACEHOLDERS:
            rule = f"a template must have at most {MAX_PLACEHOLDERS:,} placeholders"
            raise InputError(rule, f"{len(expressions):,}", "simplify it")
        self._expressions = tuple(Expression(each.strip()) for each in expressions)
        rest = _PLACEHOLDER.sub(_PLACEHOLDER_MARK, text)
        if "{{" in rest or "}}" in rest:
            raise InputError("placeholders must be written {{ ... }}", "an unmatched {{ or }}", "close each of them")
        self._parts = tuple(sanitize_svg(rest).split(_PLACEHOLDER_MARK))
        if len(self._parts) != len(self._expressions) + 1:
            rule = "placeholders are allowed only in attribute values and in texts"
            raise InputError(rule, "one elsewhere, or in an ignored attribute", "move it")

    @property
    def text(self) -> str:
        """The text of the template."""
        return self._text

    @property
    def names(self) -> frozenset[str]:
        """Parameters that the template uses."""
        return frozenset(chain.from_iterable(each.names for each in self._expressions))

    def check(self, names: Iterable[str]) -> None:
        """Raise if the template uses a parameter that is not in `names`."""
        known = tuple(names)
        for each in self._expressions:
            each.check(known)

    def render(self, design: Mapping[str, Any], prefix: str = "") -> str:
        """Return the drawing of a design, an SVG document.

        Parameters
        ----------
        design
            Values of the parameters.
        prefix
            Prefix of every id, so that one page can hold several drawings.
        """
        values = [escape(format_template_value(each(design))) for each in self._expressions]
        pairs = zip(self._parts, [*values, ""], strict=True)
        return sanitize_svg("".join(chain.from_iterable(pairs)), prefix)

    def __repr__(self) -> str:
        return f"Template({len(self._text)} characters, {', '.join(sorted(self.names))})"


def format_template_value(value: Value) -> str:
    """Format a value for a drawing: numbers to four decimals."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if 0 < abs(value) < 1e-3:
        return f"{value:.4g}"
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
