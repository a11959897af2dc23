"""Catalogues from CSV files: the columns of a file, and a suggested role per column.

A file of molecules needs no more than a name and a SMILES per row: RDKit computes the fingerprints, by which molecules
are compared, and its other columns are shown. Otherwise designs are compared by columns of numbers and categories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Literal, NoReturn

from anchorpbo.analysis.axes import Cell
from anchorpbo.app.definition.validation import check_json, check_table_size, raise_input_errors
from anchorpbo.app.service.fingerprints import MAX_SHOWN_CHARACTERS, compute_fingerprints, has_rdkit
from anchorpbo.app.service.layouts import CatalogueObject, DisplayObject, JSONObject
from anchorpbo.errors import InputError
from anchorpbo.formatting import truncate
from anchorpbo.space import Catalogue
from anchorpbo.space.column_roles import find_identifiers
from anchorpbo.space.table import Table, get_cells

MAX_HEADER_BYTES = 100_000
ColumnKind = Literal["number", "category", "text", "image", "clip", "link", "smiles", "fingerprint"]
_IMAGE = re.compile(r"[^/\\]+\.(png|jpe?g|gif|webp)", re.IGNORECASE)
_CLIP = re.compile(r"[^/\\]+\.(wav|mp3|ogg|oga|ogv|opus|mp4|m4a|m4v|webm)", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+")
_SMILES_NAME = re.compile(r".*smiles.*|structure", re.IGNORECASE)
_ENCODING_NOTE = "The file is not in UTF-8 and was read as Windows-1252: check letters with accents."
_SHOWN_FAULTS = 3
"""Number of faults of a table of molecules that an error names."""
_MAX_CATEGORIES = 20
"""Maximum number of distinct texts in a column of categories."""


@dataclass(frozen=True)
class ColumnView:
    """Column of a CSV file, with its suggested role."""

    name: str
    kind: ColumnKind
    examples: list[Cell]
    distinct: int


@dataclass(frozen=True)
class CatalogueView:
    """Catalogue read from a CSV file, with a suggested space and display."""

    rows: int
    columns: list[ColumnView]
    space: CatalogueObject
    display: DisplayObject
    notes: list[str]
    """Sentences about the file that the user should read."""
    draws_molecules: bool
    """Whether the server has RDKit."""


def read_catalogue(data: bytes) -> CatalogueView:
    """Read a CSV file and suggest a space and a display."""
    header = data[: data.find(b"\n")] if b"\n" in data else data
    if len(header) > MAX_HEADER_BYTES:
        rule = f"the line of column names must be at most {MAX_HEADER_BYTES} bytes long"
        raise InputError(rule, f"{len(header)} bytes", "put the names on a separate line, or leave columns out")
    with raise_input_errors("a catalogue"):
        return _read(data)


def _read(data: bytes) -> CatalogueView:
    table = Table.from_csv(BytesIO(data), check_size=check_table_size)
    if not len(table):
        raise InputError("a catalogue must have one row per design", "no rows below the names", "add some")
    columns = [_describe_column(name, list(get_cells(cells))) for name, cells in table.columns.items()]
    notes = [_ENCODING_NOTE] if table.encoding == "cp1252" else []
    catalogue = None
    if has_rdkit() and any(one.kind == "smiles" for one in columns):
        try:
            catalogue, fingerprints = _make_molecules(table, columns)
            columns.append(fingerprints)
        except InputError as error:
            if not any(_find_features(table, columns)):
                raise
            notes.append(f"Molecules are not compared: {error}")
    if catalogue is None:
        catalogue = _make_items(table, columns)
    space = catalogue.to_dict()
    check_json("a catalogue", space)
    display = _make_display(columns, catalogue.key)
    return CatalogueView(len(catalogue), columns, space, display, notes, has_rdkit())


def _make_molecules(table: Table, columns: list[ColumnView]) -> tuple[Catalogue, ColumnView]:
    """Return the catalogue whose items are compared by fingerprints, and the column of these."""
    smiles = next(one.name for one in columns if one.kind == "smiles")
    name = "fingerprint"
    while name in table.columns:
        name += "_"
    cells = [None if cell is None else str(cell) for cell in get_cells(table.columns[smiles])]
    key = next((one for one in table.columns if one.strip().lower() == "id"), None)
    bits, faults = compute_fingerprints(cells)
    if key is not None:
        faults = [*faults, *_find_bad_ids(table, key)]
    if faults:
        _raise_faults(table, key, faults)
    more = replace(table, columns={**table.columns, name: tuple(bits)})
    catalogue = Catalogue(more, features=[], fingerprint=name, key=key)
    return catalogue, ColumnView(name, "fingerprint", list[Cell](bits[:5]), len(set(bits)))


def _find_bad_ids(table: Table, key: str) -> Iterator[tuple[int, str]]:
    """Find the rows without an id, and those that repeat the id of an earlier row."""
    seen: dict[Cell, int] = {}
    for row, cell in enumerate(get_cells(table.columns[key])):
        if cell is None or cell == "":
            yield row, "no id"
        elif cell in seen:
            first = f"{table.noun} {table.lines[seen[cell]]}"
            yield row, f"the id {truncate(str(cell), MAX_SHOWN_CHARACTERS)!r} of {first} again"
        else:
            seen[cell] = row


def _raise_faults(table: Table, key: str | None, faults: Iterable[tuple[int, str]]) -> NoReturn:
    """Raise an error that names the first faults by row."""
    texts = [f"{fault} in {table.noun} {table.lines[row]}" for row, fault in sorted(faults)]
    more = f" and {len(texts) - _SHOWN_FAULTS} more" if len(texts) > _SHOWN_FAULTS else ""
    rule = f"every row must have {'' if key is None else 'an id of its own and '}the SMILES of a molecule"
    remedy = "correct the row, or leave it out" if len(texts) == 1 else "correct these rows, or leave them out"
    raise InputError(rule, ", ".join(texts[:_SHOWN_FAULTS]) + more, remedy)


def _make_items(table: Table, columns: list[ColumnView]) -> Catalogue:
    """Return the catalogue whose items are compared by columns of numbers and categories."""
    features, categories = _find_features(table, columns)
    if features or categories:
        return Catalogue(table, features=features, categories=categories)
    rule = "a catalogue must have a column of numbers or categories that tells its items apart"
    has_molecules = any(one.kind == "smiles" for one in columns)
    remedy = (
        'add one, or install RDKit on the server: pip install "anchorpbo[molecules]"' if has_molecules else "add one"
    )
    raise InputError(rule, ", ".join(table.columns), remedy)


def _find_features(table: Table, columns: list[ColumnView]) -> tuple[list[str], list[str]]:
    """Return the columns of numbers and of categories that tell items apart; an id does not describe its item."""
    ids = find_identifiers(table, ())
    varying = [one for one in columns if one.distinct > 1 and one.name not in ids]
    features = [one.name for one in varying if one.kind == "number"]
    return features, [one.name for one in varying if one.kind == "category" and one.distinct <= _MAX_CATEGORIES]


def _describe_column(name: str, cells: list[Any]) -> ColumnView:
    filled = [cell for cell in cells if cell is not None]
    texts = [cell for cell in filled if isinstance(cell, str)]
    distinct = len(set(map(str, filled)))
    kind: ColumnKind = "text"
    if texts and _SMILES_NAME.fullmatch(name.strip()):
        kind = "smiles"
    elif len(filled) < len(cells) or not cells:
        kind = "text"  # a column with gaps can be shown, but cannot be a feature
    elif not texts:
        kind = "number"
    elif len(texts) == len(cells):
        if all(_IMAGE.fullmatch(cell) for cell in texts):
            kind = "image"
        elif all(_CLIP.fullmatch(cell) for cell in texts):
            kind = "clip"
        elif all(_LINK.fullmatch(cell) for cell in texts):
            kind = "link"
        elif distinct <= min(_MAX_CATEGORIES, max(len(cells) // 2, 1)):
            kind = "category"
    return ColumnView(name, kind, list(dict.fromkeys(filled))[:5], distinct)


def _make_display(columns: list[ColumnView], key: str) -> JSONObject:
    display: JSONObject = {"title": key}
    for kind in ("image", "clip", "link", "smiles"):
        named = next((one.name for one in columns if one.kind == kind), None)
        if named is not None:
            display[kind] = named
    return display
