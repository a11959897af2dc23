"""HTML of spaces, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.formatting import format_count
from anchorpbo.html import Markup, join, note, sheet, table
from anchorpbo.space.catalogue import Catalogue
from anchorpbo.space.parameters import Boolean, Categorical, Constant, Integer, Ordinal, Parameter, Real
from anchorpbo.space.space import Space
from anchorpbo.space.values import Value, short_repr

ROWS, COLUMNS = 5, 8
"""Largest number of rows and columns of a catalogue that are shown."""
_MAX_VALUES = 12


def space_html(space: Space) -> str:
    """Return a table of the parameters of a space, one per row."""
    return sheet(f"Space of {format_count(len(space.parameters), 'parameter')}", space_table(space))


def space_table(space: Space) -> Markup:
    """Return the table of a space without a heading."""
    rows = [(name, _format_kind(parameter), _format_range(parameter)) for name, parameter in space.parameters.items()]
    limits = [note(f"Constraint: {constraint}") for constraint in space.constraints]
    return join([table(("parameter", "kind", "values"), rows), *limits])


def catalogue_html(catalogue: Catalogue) -> str:
    """Return the first items of a catalogue and the roles of its columns."""
    return sheet(f"Catalogue of {len(catalogue)} items", catalogue_table(catalogue))


def catalogue_table(catalogue: Catalogue) -> Markup:
    """Return the table of a catalogue without a heading."""
    names = catalogue.names[:COLUMNS]
    items = [catalogue[row] for row in range(min(ROWS, len(catalogue)))]
    left = [(len(catalogue) - len(items), "items"), (len(catalogue.names) - len(names), "columns")]
    more = " and ".join(f"{count} more {what}" for count, what in left if count)
    cells = [["" if item[name] is None else item[name] for name in names] for item in items]
    return join([table(names, cells), note(f"… {more}" if more else ""), note(_roles(catalogue))])


def _roles(catalogue: Catalogue) -> str:
    named = [
        (f"{len(names)} {role}" if len(names) > COLUMNS else f"{role} {', '.join(names)}")
        for role, names in catalogue.roles.items()
        if names
    ]
    return "; ".join([f"key {catalogue.key}", *named])


def _format_kind(parameter: Parameter) -> str:
    log = isinstance(parameter, Real | Integer) and parameter.log
    return type(parameter).__name__.lower() + ", logarithmic" * log


def _format_range(parameter: Parameter) -> str:
    if isinstance(parameter, Real | Integer):
        step = parameter.step if isinstance(parameter, Real) else None
        ends = f"{short_repr(parameter.low)} to {short_repr(parameter.high)}"
        return ends if step is None else f"{ends} in steps of {short_repr(step)}"
    if isinstance(parameter, Boolean):
        return "yes or no"
    if isinstance(parameter, Constant):
        return _format_value(parameter.value)
    return _format_values(parameter.values) if isinstance(parameter, Categorical | Ordinal) else repr(parameter)


def _format_values(values: Sequence[Value]) -> str:
    some = list(map(_format_value, values if len(values) <= _MAX_VALUES else [*values[:3], values[-1]]))
    return ", ".join(some if len(some) == len(values) else [*some[:3], "…", some[3]])


def _format_value(value: Value) -> str:
    return value if isinstance(value, str) else short_repr(value)
