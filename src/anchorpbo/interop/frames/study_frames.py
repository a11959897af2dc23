"""Frames of a study: its comparisons, or all of its events.

::

    winner.dose, loser.dose, ..., tie     comparisons_to_frame; Optimizer.import_comparisons reads it
    winner, loser, tie                    the same for a catalogue, by its key

    event, type                           history_to_frame; history_from_frame reads it
    duel, first.dose, second.dose, ...    answers, with outcome and gain
    winner.dose, loser.dose, ..., tie     preferences that were not asked for
    design.dose, ...                      anchors that were added or removed

In a history, a cell is empty if its event has no such field; items of a catalogue are given by their key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.interop.frames.design_table import DesignTable, flatten_design, get_space, name_columns
from anchorpbo.interop.frames.frame_libraries import LibraryName, as_table, get_library
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study import Optimizer
from anchorpbo.study.events import Answered, Event, Preferred, event_from_dict, event_to_dict, list_designs

_DESIGN_FIELDS = {
    "answered": ("first", "second"),
    "preferred": ("winner", "loser"),
    "anchor_added": ("design",),
    "anchor_removed": ("design",),
}
"""Fields that hold a design, by type of event."""
_OTHER_FIELDS = {
    "answered": ("duel", "outcome", "gain"),
    "preferred": ("tie",),
    "anchor_added": (),
    "anchor_removed": (),
}
"""Other fields, by type of event."""


def comparisons_to_frame(optimizer: Optimizer, library: LibraryName = "pandas") -> Any:
    """Return all comparisons of a study, asked or imported, as a frame for `Optimizer.import_comparisons`.

    Parameters
    ----------
    optimizer
        The study.
    library
        Library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    frames, rows = get_library(library), []
    space = get_space(optimizer, frames)
    for data in optimizer.history:
        compared = _read_comparison(event_from_dict(data, space))
        if compared is not None:
            winner, loser, tie = compared
            rows.append(
                {**flatten_design("winner", winner, space), **flatten_design("loser", loser, space), "tie": tie}
            )
    names = [*_list_columns("winner", space), *_list_columns("loser", space), "tie"]
    return frames.make_frame({name: [row[name] for row in rows] for name in names})


def history_to_frame(optimizer: Optimizer, library: LibraryName = "pandas") -> Any:
    """Return all events of a study as a frame, oldest first.

    Parameters
    ----------
    optimizer
        The study.
    library
        Library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    frames, rows = get_library(library), []
    space = get_space(optimizer, frames)
    for number, data in enumerate(optimizer.history):
        row = {"event": number, "type": data["type"]}
        for name, value in data.items():
            row |= flatten_design(name, value, space) if isinstance(value, Mapping) else {name: value}
        rows.append(row)
    kinds = [kind for kind in _DESIGN_FIELDS if any(row["type"] == kind for row in rows)]
    names = ["event", "type"]
    for kind in kinds:
        names += [name for part in _DESIGN_FIELDS[kind] for name in _list_columns(part, space)]
        names += _OTHER_FIELDS[kind]
    return frames.make_frame({name: [row.get(name) for row in rows] for name in dict.fromkeys(names)})


def history_from_frame(frame: Any, space: DesignSpace) -> list[dict[str, Any]]:
    """Return the events of a frame of `history_to_frame`, in the form of `Optimizer.history`; validate every design.

    Parameters
    ----------
    frame
        A DataFrame of pandas or polars, a Table of pyarrow, or anything with Arrow's PyCapsule interface.
    space
        Space of the designs.
    """
    if not isinstance(space, DesignSpace):
        raise InputError("space must be a Space or a Catalogue", repr(space), "give that of the study")
    table = as_table(frame)
    if "type" not in table.columns:
        raise InputError("a history must have a column type", ", ".join(table.columns), "use history_to_frame")
    designs = DesignTable(table, space)
    return [event_to_dict(_read_event(designs, row)) for row in range(len(table))]


def _read_event(designs: DesignTable, row: int) -> Event:
    kind = designs.cells["type"][row]
    data = {name: designs.cells[name][row] for name in _OTHER_FIELDS.get(kind, ()) if name in designs.cells}
    data |= {part: designs.at(row, name_columns(designs.space, part)) for part in _DESIGN_FIELDS.get(kind, ())}
    try:
        return event_from_dict({"type": kind, **data}, designs.space)
    except InputError as error:
        raise error.about(f"row {row}") from error


def _read_comparison(event: Event) -> tuple[Design, Design, bool] | None:
    """Return winner, loser and whether they tied; ``None`` if the event is not a comparison."""
    if isinstance(event, Preferred):
        return event.winner, event.loser, event.tie
    if not isinstance(event, Answered) or event.outcome == "skip":
        return None
    first, second = list_designs(event)
    return (second, first, False) if event.outcome == "second" else (first, second, event.outcome == "tie")


def _list_columns(part: str, space: DesignSpace) -> list[str]:
    return list(name_columns(space, part).values())
