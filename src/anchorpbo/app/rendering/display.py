"""The display of a study: templates, pictures, labels, units and hidden columns of its designs.

::

    template   an SVG with placeholders, rendered per design (`anchorpbo.app.rendering.templates`)
    svg        column of a catalogue that holds a drawing
    image      column with the names of image files in the catalogue's folder, or of embedded pictures
    pictures   {name in the image column: data URL}, embedded in the study (`anchorpbo.app.rendering.pictures`)
    smiles     column with SMILES of molecules, drawn if RDKit is installed
    clip       column with the names of audio and video clips (`anchorpbo.app.rendering.clips`), uploaded one by one
    link       column with URLs
    title      column shown as the heading of the card
    labels     {parameter: label}
    units      {parameter: unit}
    hidden     columns that are not shown
    hide_values   whether cards show no values while designs are compared or marked, so that people judge by eye or ear
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anchorpbo.app.rendering.clips import check_clip_name
from anchorpbo.app.rendering.pictures import check_picture
from anchorpbo.app.rendering.templates import Template
from anchorpbo.errors import InputError, UnknownNameError, at_field
from anchorpbo.space import Catalogue, DesignSpace

COLUMN_KEYS = ("svg", "image", "smiles", "clip", "link", "title")
DISPLAY_KEYS = ("template", *COLUMN_KEYS, "pictures", "labels", "units", "hidden", "hide_values")
_SHOWN_WITHOUT_VALUES = ("template", "svg", "image", "smiles", "clip", "title")
"""Keys of which one is needed if values are hidden; otherwise a card would be empty."""
MAX_PICTURES_CHARACTERS = 8_000_000
"""Maximum total number of characters of a study's pictures, which are kept in memory."""
MAX_LABEL_CHARACTERS = 200


def check_display(display: Mapping[str, Any], space: DesignSpace) -> dict[str, Any]:
    """Return a valid display without empty values, or raise."""
    names = tuple(space.names)
    kept = {key: value for key, value in display.items() if value not in (None, "", {}, []) and value is not False}
    for key, value in kept.items():
        if key not in DISPLAY_KEYS:
            raise UnknownNameError.of("a key of display", key, DISPLAY_KEYS)
        if key == "template":
            with at_field(key):
                Template(value).check(names)
        elif key in COLUMN_KEYS:
            _check_column(key, value, space)
        elif key == "hide_values":
            _check_hide_values(value, kept)
        elif key == "hidden":
            if not isinstance(value, list):
                raise InputError("display.hidden must be a list of columns", repr(value), "write [...]")
            for name in value:
                _check_name("display.hidden", name, names)
        elif key == "pictures":
            _check_pictures(value, kept.get("image"), space)
        else:
            _check_labels(key, value, names)
    return kept


def _check_labels(key: str, texts: Any, names: tuple[str, ...]) -> None:
    if not isinstance(texts, Mapping):
        raise InputError(f"display.{key} must be an object", repr(texts), "write {parameter: text}")
    for name, text in texts.items():
        _check_name(f"display.{key}", name, names)
        if not isinstance(text, str) or len(text) > MAX_LABEL_CHARACTERS:
            raise InputError(
                f"display.{key} must hold short texts", repr(text), f"use at most {MAX_LABEL_CHARACTERS} characters"
            )


def _check_column(key: str, column: Any, space: DesignSpace) -> None:
    if not isinstance(space, Catalogue):
        raise InputError(f"display.{key} needs a catalogue", repr(column), "use a template for a space")
    _check_name(f"display.{key}", column, tuple(space.names))
    if key == "clip":
        for clip in list_clip_names(space, column):
            check_clip_name(clip)


def list_clip_names(space: Catalogue, column: str) -> list[str]:
    """Return the distinct names of clips in a column, in the order of the items; an empty cell names none."""
    return list(dict.fromkeys(str(item[column]) for item in space.items if item[column] is not None))


def _check_hide_values(value: Any, display: Mapping[str, Any]) -> None:
    if value is not True:
        raise InputError("display.hide_values must be true or false", repr(value), "choose one of them")
    if not any(key in display for key in _SHOWN_WITHOUT_VALUES):
        rule = "values can be hidden only if designs have a drawing, a picture, a clip or a title"
        raise InputError(rule, "cards that would be empty", "show the values, or add one of these")


def _check_pictures(pictures: Any, column: Any, space: DesignSpace) -> None:
    if not isinstance(pictures, Mapping) or column is None or not isinstance(space, Catalogue):
        rule = "display.pictures must be an object and needs display.image, the column with their names"
        raise InputError(rule, repr(pictures)[:60], "write {name: data URL} and set display.image")
    named = {str(item[column]) for item in space.items} if column in space.names else set()
    for name, address in pictures.items():
        if name not in named:
            rule = f"the name of a picture must occur in the column {column!r}"
            raise InputError(rule, repr(name), "leave it out, or correct its name")
        check_picture(name, address)
    if (size := sum(map(len, pictures.values()))) > MAX_PICTURES_CHARACTERS:
        rule = f"the pictures of a study must have at most {MAX_PICTURES_CHARACTERS / 1e6:g} MB in total"
        raise InputError(rule, f"{size / 1e6:.1f} MB", "make them smaller, or keep them in a folder of the server")


def _check_name(what: str, name: Any, names: tuple[str, ...]) -> None:
    if name not in names:
        raise UnknownNameError.of(what, name, names)
