"""Drawings that are safe to put into a page: SVG of known elements and attributes only.

A drawing comes from whoever made the study, and is shown to others. So it is not searched for what is bad: it is
parsed, whatever is not on the lists below is refused, and what is shown is written anew from what was parsed. Nothing
on the lists can run a program, load anything from elsewhere or change the page around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from anchorpbo.errors import InputError
from anchorpbo.html import escape

NAMESPACE = "http://www.w3.org/2000/svg"
MAX_DRAWING_CHARACTERS = 400_000
"""Characters of a drawing."""
MAX_ELEMENTS, MAX_DEPTH = 5_000, 32


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELEMENTS = _split(
    "svg g rect circle ellipse line polyline polygon path text tspan defs linearGradient radialGradient stop clipPath "
    "title"
)
PRESENTATION_ATTRIBUTES = _split(
    "clip-path clip-rule color display dominant-baseline fill fill-opacity fill-rule font-family font-size font-style "
    "font-variant font-weight letter-spacing opacity shape-rendering stop-color stop-opacity stroke stroke-dasharray "
    "stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor "
    "text-decoration vector-effect visibility word-spacing"
)
"""Attributes that may also stand in a ``style`` attribute, which is taken apart into them."""
ATTRIBUTES = PRESENTATION_ATTRIBUTES | _split(
    "aria-hidden aria-label clipPathUnits cx cy d dx dy fr fx fy gradientTransform gradientUnits height href id "
    "lengthAdjust offset pathLength points preserveAspectRatio r role rotate rx ry spreadMethod textLength transform "
    "viewBox width x x1 x2 y y1 y2"
)
CSS_FUNCTIONS = _split("color-mix hsl hsla lab lch matrix oklab oklch rgb rgba rotate scale skewX skewY translate url")
"""Functions that the value of an attribute may call."""
_IGNORED_ATTRIBUTES = frozenset({"class", "version", "baseProfile", "xml:space"})
"""Attributes that drawing programs write and that mean nothing here."""
_TEXT_ELEMENTS = frozenset({"text", "tspan", "title"})
_FREE_TEXT_ATTRIBUTES = frozenset({"aria-label"})
_ID = r"[A-Za-z_][\w.-]*"
_REFERENCE = re.compile(rf"url\(\s*(['\"]?)#({_ID})\1\s*\)", re.ASCII)
_NAME_SEPARATORS = re.compile(r"[\s,()]")
_MAX_FUNCTION_NAME = 32


def sanitize_svg(text: str, prefix: str = "") -> str:
    """Rewrite a drawing from allowed elements and attributes, or raise an error that names what is not allowed.

    Parameters
    ----------
    text
        An SVG document.
    prefix
        Put before every id in it, and before every reference to one: two drawings in a page must not share ids.

    Examples
    --------
    >>> sanitize_svg('<svg viewBox="0 0 2 2"><circle r="1" style="fill:red"/></svg>')
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle r="1" fill="red"/></svg>'
    """
    if not isinstance(text, str) or len(text) > MAX_DRAWING_CHARACTERS:
        received = f"{len(text):,}" if isinstance(text, str) else repr(text)
        raise InputError(
            f"a drawing must be text of at most {MAX_DRAWING_CHARACTERS:,} characters", received, "simplify it"
        )
    if prefix and not re.fullmatch(_ID, prefix, re.ASCII):
        raise InputError("prefix must be letters, digits, - and _, a letter first", repr(prefix), "choose another")
    writer = _Writer(prefix)
    parser = expat.ParserCreate()
    parser.ordered_attributes, parser.buffer_text = True, True
    parser.StartElementHandler, parser.EndElementHandler = writer.start, writer.end
    parser.CharacterDataHandler = writer.text
    parser.StartDoctypeDeclHandler, parser.ProcessingInstructionHandler = writer.doctype, writer.instruction
    try:
        parser.Parse(text.strip(), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise InputError("a drawing must be well-formed XML", error, "mend it") from error
    return "".join(writer.parts)


@dataclass
class _Writer:
    """Checks what a parser finds, and writes it."""

    prefix: str
    parts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    """Elements that have begun."""
    elements: int = 0
    in_tag: bool = False
    """Whether the last tag lacks its end."""

    def start(self, name: str, pairs: list[str]) -> None:
        """An element begins."""
        self.elements += 1
        self._check_place(name)
        self._finish_tag()
        attributes = _check_attributes(dict(zip(pairs[::2], pairs[1::2], strict=True)))
        if not self.open:
            if "viewBox" not in attributes:
                raise InputError("svg must have a viewBox, so that it can be fitted", "none", 'add viewBox="0 0 w h"')
            attributes = {"xmlns": NAMESPACE, **attributes}
        written = "".join(f' {key}="{escape(self._prefix_ids(key, value))}"' for key, value in attributes.items())
        self.parts.append(f"<{name}{written}")
        self.open.append(name)
        self.in_tag = True

    def end(self, name: str) -> None:
        """An element ends."""
        self.open.pop()
        self.parts.append("/>" if self.in_tag else f"</{name}>")
        self.in_tag = False

    def text(self, data: str) -> None:
        """Text between elements."""
        if self.open[-1] not in _TEXT_ELEMENTS:
            if data.strip():
                rule = f"text may stand in {', '.join(sorted(_TEXT_ELEMENTS))} only"
                raise InputError(rule, f"{data.strip()!r} in {self.open[-1]}", "put it into a text element")
            return
        self._finish_tag()
        self.parts.append(escape(data))

    def doctype(self, *_: Any) -> None:
        """A declaration of the document's type, which can define entities."""
        raise InputError("a drawing must have no DOCTYPE and no entities", "a DOCTYPE", "leave it out")

    def instruction(self, target: str, _: str) -> None:
        """An instruction to the program that reads it."""
        raise InputError("a drawing must have no processing instructions", f"<?{target}", "leave it out")

    def _finish_tag(self) -> None:
        """End the tag that was begun, as something stands in its element."""
        if self.in_tag:
            self.parts.append(">")
        self.in_tag = False

    def _check_place(self, name: str) -> None:
        if name not in ELEMENTS:
            rule = f"a drawing may have the elements {', '.join(sorted(ELEMENTS))}"
            raise InputError(rule, f"<{name}>", "leave it out")
        if not self.open and name != "svg":
            raise InputError("the outermost element of a drawing must be svg", f"<{name}>", "put it into an svg")
        if self.open and self.open[-1] == "title":
            raise InputError("a title must be text alone", f"<{name}> in it", "leave the element out")
        if self.elements > MAX_ELEMENTS or len(self.open) >= MAX_DEPTH:
            rule = f"a drawing must have at most {MAX_ELEMENTS:,} elements, nested at most {MAX_DEPTH} deep"
            raise InputError(rule, "more", "simplify it")

    def _prefix_ids(self, key: str, value: str) -> str:
        """Prefix the ids in the value of an attribute."""
        if not self.prefix:
            return value
        if key == "id":
            return self.prefix + value
        if key == "href":
            return f"#{self.prefix}{value[1:]}"
        return value if key in _FREE_TEXT_ATTRIBUTES else _REFERENCE.sub(rf"url(#{self.prefix}\2)", value)


def _check_attributes(given: dict[str, str]) -> dict[str, str]:
    """Check attributes; drop those that only drawing programs need, and split a style into attributes."""
    found: dict[str, str] = {}
    for name, value in given.items():
        if name == "xmlns":
            if value != NAMESPACE:
                raise InputError(f"xmlns must be {NAMESPACE}", value, "leave it out")
        elif name == "style":
            continue
        elif name not in _IGNORED_ATTRIBUTES and not name.startswith("xmlns:"):
            plain = "href" if name == "xlink:href" else name
            if plain not in ATTRIBUTES:
                rule = f"a drawing may have the attributes {', '.join(sorted(ATTRIBUTES))}"
                raise InputError(rule, name, "leave it out")
            found[plain] = value
    found |= _parse_style(given.get("style", ""))
    for name, value in found.items():
        _check_value(name, value)
    return found


def _parse_style(style: str) -> dict[str, str]:
    """Split a style attribute into its properties."""
    found: dict[str, str] = {}
    for declaration in filter(str.strip, style.split(";")):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name not in PRESENTATION_ATTRIBUTES:
            rule = f"a style may have {', '.join(sorted(PRESENTATION_ATTRIBUTES))}"
            raise InputError(rule, name, "leave it out")
        found[name] = value
    return found


def _check_value(name: str, value: str) -> None:
    """Raise where a value could lead out of the drawing."""
    if name == "id":
        if not re.fullmatch(_ID, value, re.ASCII):
            raise InputError("an id must be letters, digits, . - and _, a letter first", repr(value), "rename it")
        return
    if name == "href":
        if not re.fullmatch(f"#{_ID}", value, re.ASCII):
            raise InputError('href must be "#" and an id of the same drawing', repr(value), "leave it out")
        return
    if name in _FREE_TEXT_ATTRIBUTES:
        return
    # Attributes are read as CSS, where a backslash hides a letter.
    wrong = next((sign for sign in "\\:;@{}<>" if sign in value), None)
    if wrong:
        raise InputError(f"the value of {name} must not contain {wrong}", repr(value), "leave it out")
    # What stands before each bracket. Not by one expression: it would look at a long path once for each of its signs.
    for part in value.split("(")[:-1]:
        function = _NAME_SEPARATORS.split(part.rstrip()[-_MAX_FUNCTION_NAME:])[-1]
        if function not in CSS_FUNCTIONS:
            rule = f"before a bracket in {name} may stand {', '.join(sorted(CSS_FUNCTIONS))}"
            raise InputError(rule, f"{function!r} in {value}", "leave it out")
    if re.search(r"url\s*\(", _REFERENCE.sub("", value)):
        raise InputError(f"url in {name} must be url(#id) with an id of the same drawing", repr(value), "leave it out")
