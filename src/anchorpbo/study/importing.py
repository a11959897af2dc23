"""Comparisons from elsewhere: a CSV file, a data frame or records, one row a comparison or one row a ranked design.

::

    winner, loser                       items of a catalogue, by the values of its key column
    winner.dose, loser.dose, ...        parameters of a space, or columns of a catalogue, one pair of columns each
    tie                                 optional: whether the two were found equal instead

    rank                                of a ranking: 1 is best, equal ranks are ties
    ranking                             optional: which ranking a row belongs to, where there are several
    dose, ...                           the ranked design, by its parameters, or by the key of a catalogue

A ranking of k designs gives k - 1 comparisons, of each design with the next: the others follow from these, and would
count the same judgement twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from os import PathLike
from typing import Any, NamedTuple

from anchorpbo.errors import InputError
from anchorpbo.space import Boolean, Catalogue, Categorical, Design, DesignSpace, Ordinal, Parameter, Space
from anchorpbo.space.tables import Table, cell_of

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False, "none": False}


class Comparison(NamedTuple):
    """One design preferred to another, or found equal."""

    winner: Design
    loser: Design
    tie: bool


def comparisons(source: Any, space: DesignSpace) -> list[Comparison]:
    """All comparisons of a table, in its order, every design checked; see the head of this module.

    Parameters
    ----------
    source
        Path of a CSV file, a pandas or polars data frame, or a list of dicts.
    space
        Where the designs come from.
    """
    table = _table(source)
    found = list(_ranked(table, space) if "rank" in table.columns else _paired(table, space))
    if not found:
        raise InputError("a table of comparisons must hold at least one", f"{len(table)} rows", "add comparisons")
    return found


def _table(source: Any) -> Table:
    if isinstance(source, str | PathLike):
        return Table.from_csv(source)
    if isinstance(source, list | tuple):
        return Table.from_records(source)
    return Table.from_frame(source)


def _paired(table: Table, space: DesignSpace) -> Iterator[Comparison]:
    sides = [_columns(table, side, space) for side in ("winner", "loser")]
    known = {"tie", *(name for side in sides for name in side.values())}
    _refuse_others(table, known)
    for row in range(len(table)):
        winner, loser = (_design(table, row, side, space) for side in sides)
        yield Comparison(winner, loser, _truth(table, row) if "tie" in table.columns else False)


def _ranked(table: Table, space: DesignSpace) -> Iterator[Comparison]:
    columns = {name: name for name in table.columns if name not in ("rank", "ranking")}
    ranks = table.numbers("rank")
    groups: dict[Any, list[int]] = {}
    for row in range(len(table)):
        group = cell_of(table.columns["ranking"], row) if "ranking" in table.columns else None
        groups.setdefault(group, []).append(row)
    for rows in groups.values():
        rows.sort(key=lambda row: float(ranks[row]))
        for better, worse in pairwise(rows):
            winner, loser = (_design(table, row, columns, space) for row in (better, worse))
            yield Comparison(winner, loser, bool(ranks[better] == ranks[worse]))


def _columns(table: Table, side: str, space: DesignSpace) -> dict[str, str]:
    """Names of parameters and the columns that hold them, for the winner or the loser."""
    if isinstance(space, Catalogue) and side in table.columns:
        return {space.key: side}
    found = {name.removeprefix(f"{side}."): name for name in table.columns if name.startswith(f"{side}.")}
    if not found:
        example = f"{side}" if isinstance(space, Catalogue) else f"{side}.{next(iter(_names(space)))}"
        rule = f"a table of comparisons must have columns for the {side}, such as {example}, or a column rank"
        raise InputError(rule, ", ".join(table.columns), "rename the columns")
    return found


def _names(space: DesignSpace) -> tuple[str, ...]:
    return space.names if isinstance(space, Space | Catalogue) else ()


def _refuse_others(table: Table, known: set[str]) -> None:
    others = [name for name in table.columns if name not in known]
    if others:
        rule = "every column of a table of comparisons must have a meaning: winner, loser or tie"
        raise InputError(rule, ", ".join(others), "drop or rename it")


def _design(table: Table, row: int, columns: Mapping[str, str], space: DesignSpace) -> Design:
    parameters: Mapping[str, Parameter] = space.parameters if isinstance(space, Space) else {}
    cells = {name: cell_of(table.columns[column], row) for name, column in columns.items()}
    design = {name: _value(parameters.get(name), cell) for name, cell in cells.items()}
    try:
        return space.check(design)
    except InputError as problem:
        raise InputError(
            f"{table.noun} {table.lines[row]}: {problem.rule}", problem.received, problem.remedy
        ) from problem


def _value(parameter: Parameter | None, cell: Any) -> Any:
    """A cell as a value of its parameter: text files cannot tell 7 from "7", nor true from "true"."""
    if isinstance(parameter, Boolean) and not isinstance(cell, bool):
        return _WORDS.get(str(cell).strip().lower(), cell)
    if isinstance(parameter, Categorical | Ordinal):
        matching = [value for value in parameter.values if str(value) == str(cell)]
        return matching[0] if len(matching) == 1 else cell
    return cell


def _truth(table: Table, row: int) -> bool:
    cell = cell_of(table.columns["tie"], row)
    word = str(cell).strip().lower()
    if word not in _WORDS:
        table.refuse(row, "tie", "must be true or false")
    return _WORDS[word]
