"""Sanitized drawings: SVG with allowed elements and attributes only, safe to embed in a page.

The creator of a study provides a drawing, and other people see it. So the drawing is parsed, everything outside the
allowlists below is rejected, and the output is written from the parsed elements. Nothing on the allowlists can run a
script, load external resources or change the page around it.
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
"""Maximum number of characters of a drawing."""
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
"""Attributes that are also allowed in a ``style`` attribute, which is split into them."""
ATTRIBUTES = PRESENTATION_ATTRIBUTES | _split(
    "aria-hidden aria-label clipPathUnits cx cy d dx dy fr fx fy gradientTransform gradientUnits height href id "
    "lengthAdjust offset pathLength points preserveAspectRatio r role rotate rx ry spreadMethod textLength transform "
    "viewBox width x x1 x2 y y1 y2"
)
CSS_FUNCTIONS = _split("color-mix hsl hsla lab lch matrix oklab oklch rgb rgba rotate scale skewX skewY translate url")
"""Functions allowed in attribute values."""
_IGNORED_ATTRIBUTES = frozenset({"class", "version", "baseProfile", "xml:space"})
"""Attributes that drawing programs write and that have no effect here; they are dropped."""
_TEXT_ELEMENTS = frozenset({"text", "tspan", "title"})
_FREE_TEXT_ATTRIBUTES = frozenset({"aria-label"})
_ID = r"[A-Za-z_][\w.-]*"
_REFERENCE = re.compile(rf"url\(\s*(['\"]?)#({_ID})\1\s*\)", re.ASCII)
_NAME_SEPARATORS = re.compile(r"[\s,()]")
_MAX_FUNCTION_NAME = 32


def sanitize_svg(text: str, prefix: str = "") -> str:
    """Return a drawing with allowed elements and attributes only; raise an error that names any other.

    Parameters
    ----------
    text
        An SVG document.
    prefix
        Prefix of every id and of every reference to an id, so that two drawings in a page do not share ids.

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
        raise InputError("a drawing must be well-formed XML", error, "correct it") from error
    return "".join(writer.parts)


@dataclass
class _Writer:
    """Handler of parser events that checks and writes elements."""

    prefix: str
    parts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    """Names of the open elements, outermost first."""
    elements: int = 0
    in_tag: bool = False
    """Whether the last start tag is still open."""

    def start(self, name: str, pairs: list[str]) -> None:
        """Handle the start of an element."""
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
        """Handle the end of an element."""
        self.open.pop()
        self.parts.append("/>" if self.in_tag else f"</{name}>")
        self.in_tag = False

    def text(self, data: str) -> None:
        """Handle text."""
        if self.open[-1] not in _TEXT_ELEMENTS:
            if data.strip():
                rule = f"text is allowed only in {', '.join(sorted(_TEXT_ELEMENTS))}"
                raise InputError(rule, f"{data.strip()!r} in {self.open[-1]}", "put it into a text element")
            return
        self._finish_tag()
        self.parts.append(escape(data))

    def doctype(self, *_: Any) -> None:
        """Raise on a document type declaration, which can define entities."""
        raise InputError("a drawing must have no DOCTYPE and no entities", "a DOCTYPE", "leave it out")

    def instruction(self, target: str, _: str) -> None:
        """Raise on a processing instruction."""
        raise InputError("a drawing must have no processing instructions", f"<?{target}", "leave it out")

    def _finish_tag(self) -> None:
        """Close the open start tag before content is written."""
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
            raise InputError("a title must contain only text", f"<{name}> in it", "leave the element out")
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
    """Return the allowed attributes; drop the ignored ones, and split a style into attributes."""
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
    """Raise if a value could refer to something outside the drawing."""
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
    # Browsers read attributes as CSS, in which a backslash escapes a letter and could hide a function name.
    wrong = next((sign for sign in "\\:;@{}<>" if sign in value), None)
    if wrong:
        raise InputError(f"the value of {name} must not contain {wrong}", repr(value), "leave it out")
    # Check the name before each bracket. A single regular expression would take quadratic time on a long path.
    for part in value.split("(")[:-1]:
        function = _NAME_SEPARATORS.split(part.rstrip()[-_MAX_FUNCTION_NAME:])[-1]
        if function not in CSS_FUNCTIONS:
            rule = f"{name} may call only the functions {', '.join(sorted(CSS_FUNCTIONS))}"
            raise InputError(rule, f"{function!r} in {value}", "leave it out")
    if re.search(r"url\s*\(", _REFERENCE.sub("", value)):
        raise InputError(f"url in {name} must be url(#id) with an id of the same drawing", repr(value), "leave it out")
