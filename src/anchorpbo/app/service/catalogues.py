"""Catalogues from CSV files: the columns of a file, and a suggested role per column.

A file of molecules needs no more than a name and a SMILES per row: RDKit computes the fingerprints, by which molecules
are compared, and its other columns are shown. Without RDKit, or without SMILES, columns of numbers and categories are
compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal

from anchorpbo.app.definition.validation import check_json, check_table_size, raise_input_errors
from anchorpbo.app.rendering.molecules import compute_fingerprints, has_rdkit
from anchorpbo.app.service.views import JSONObject
from anchorpbo.errors import InputError
from anchorpbo.space import Catalogue
from anchorpbo.space.table import Table, get_cells

MAX_HEADER_BYTES = 100_000
ColumnKind = Literal["number", "category", "text", "image", "link", "smiles", "fingerprint"]
_IMAGE = re.compile(r"[^/\\]+\.(png|jpe?g|gif|webp)", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+")
_SMILES_NAME = re.compile(r".*smiles.*|structure", re.IGNORECASE)
_MAX_CATEGORIES = 20
"""Maximum number of distinct texts in a column of categories."""


@dataclass(frozen=True)
class ColumnView:
    """Column of a CSV file, with its suggested role."""

    name: str
    kind: ColumnKind
    examples: list[Any]
    distinct: int


@dataclass(frozen=True)
class CatalogueView:
    """Catalogue read from a CSV file, with a suggested space and display."""

    rows: int
    columns: list[ColumnView]
    space: JSONObject
    display: JSONObject


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
    smiles = next((one.name for one in columns if one.kind == "smiles" and "smiles" in one.name.lower()), None)
    # A column of this name must tell the rows apart; the error names the first row that does not.
    key = next((name for name in table.columns if name.strip().lower() == "id"), None)
    if smiles is not None and has_rdkit():
        name, table = _add_fingerprints(table, smiles)
        columns.append(_describe_fingerprints(name, table))
        catalogue = Catalogue(table, features=[], fingerprint=name, key=key)
    else:
        catalogue = _choose_features(table, columns, key)
    space = catalogue.to_dict()
    check_json("a catalogue", space)
    return CatalogueView(len(catalogue), columns, space, _make_display(columns, catalogue.key))


def _choose_features(table: Table, columns: list[ColumnView], key: str | None) -> Catalogue:
    """Return the catalogue whose items are told apart by columns of numbers and categories."""
    varying = [one for one in columns if one.distinct > 1 and one.name != key]
    features = [one.name for one in varying if one.kind == "number"]
    categories = [one.name for one in varying if one.kind == "category" and one.distinct <= _MAX_CATEGORIES]
    if features or categories:
        return Catalogue(table, features=features, categories=categories, key=key)
    rule = "a catalogue must have a column of numbers or categories that tells its items apart"
    molecules = any(one.kind == "smiles" for one in columns)
    remedy = 'add one, or install RDKit on the server: pip install "anchorpbo[molecules]"' if molecules else "add one"
    raise InputError(rule, ", ".join(table.columns), remedy)


def _add_fingerprints(table: Table, smiles: str) -> tuple[str, Table]:
    """Return the name of a new column with the fingerprints of molecules, and the table with it."""
    name = "fingerprint"
    while name in table.columns:
        name += "_"
    cells, places = get_cells(table.columns[smiles]), [f"{table.noun} {line}" for line in table.lines]
    for cell, place in zip(cells, places, strict=True):
        if cell is None:
            rule, remedy = "every row must have a SMILES", "fill it in, or leave out the row"
            raise InputError(rule, f"an empty cell in {place}", remedy)
    bits = compute_fingerprints(list(map(str, cells)), places)
    return name, Table({**table.columns, name: tuple(bits)}, table.lines, table.noun)


def _describe_fingerprints(name: str, table: Table) -> ColumnView:
    bits = list(get_cells(table.columns[name]))
    return ColumnView(name, "fingerprint", bits[:5], len(set(bits)))


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
        elif all(_LINK.fullmatch(cell) for cell in texts):
            kind = "link"
        elif distinct <= min(_MAX_CATEGORIES, max(len(cells) // 2, 1)):
            kind = "category"
    return ColumnView(name, kind, list(dict.fromkeys(filled))[:5], distinct)


def _make_display(columns: list[ColumnView], key: str) -> JSONObject:
    display: JSONObject = {"title": key}
    for kind in ("image", "link", "smiles"):
        named = next((one.name for one in columns if one.kind == kind), None)
        if named is not None:
            display[kind] = named
    return display
