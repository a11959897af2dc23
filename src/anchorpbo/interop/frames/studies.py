"""What was said in a study: its comparisons, or all of its events.

::

    winner.dose, loser.dose, ..., tie     comparisons_to_frame; Optimizer.import_comparisons reads it
    winner, loser, tie                    the same of a catalogue, by its key

    event, type                           history_to_frame; history_from_frame reads it
    duel, first.dose, second.dose, ...    of answers, with their outcome and gain
    winner.dose, loser.dose, ..., tie     of preferences that nobody asked for
    design.dose, ...                      of anchors that were added or removed

In a history a cell is empty where an event has no such thing, and items of a catalogue go by their key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.interop.frames.designs import Designs, columns_for, flat, space_of
from anchorpbo.interop.frames.libraries import LibraryName, as_table, library_named
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study import Optimizer
from anchorpbo.study.events import Answered, Event, Preferred, event_from_dict, event_to_dict, list_designs

_PARTS = {
    "answered": ("first", "second"),
    "preferred": ("winner", "loser"),
    "anchor_added": ("design",),
    "anchor_removed": ("design",),
}
"""Designs of each type of event."""
_OTHERS = {"answered": ("duel", "outcome", "gain"), "preferred": ("tie",), "anchor_added": (), "anchor_removed": ()}
"""The rest of it."""


def comparisons_to_frame(optimizer: Optimizer, library: LibraryName = "pandas") -> Any:
    """All that a study learnt from, asked for or not, as a frame that `Optimizer.import_comparisons` reads.

    Parameters
    ----------
    optimizer
        The study.
    library
        Of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    made, rows = library_named(library), []
    space = space_of(optimizer, made)
    for data in optimizer.history:
        compared = _compared(event_from_dict(data, space))
        if compared is not None:
            winner, loser, tie = compared
            rows.append({**flat("winner", winner, space), **flat("loser", loser, space), "tie": tie})
    names = [*_names("winner", space), *_names("loser", space), "tie"]
    return made.frame({name: [row[name] for row in rows] for name in names})


def history_to_frame(optimizer: Optimizer, library: LibraryName = "pandas") -> Any:
    """All events of a study, the oldest first.

    Parameters
    ----------
    optimizer
        The study.
    library
        Of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``.
    """
    made, rows = library_named(library), []
    space = space_of(optimizer, made)
    for number, data in enumerate(optimizer.history):
        row = {"event": number, "type": data["type"]}
        for name, value in data.items():
            row |= flat(name, value, space) if isinstance(value, Mapping) else {name: value}
        rows.append(row)
    kinds = [kind for kind in _PARTS if any(row["type"] == kind for row in rows)]
    names = ["event", "type"]
    for kind in kinds:
        names += [name for part in _PARTS[kind] for name in _names(part, space)] + list(_OTHERS[kind])
    return made.frame({name: [row.get(name) for row in rows] for name in dict.fromkeys(names)})


def history_from_frame(frame: Any, space: DesignSpace) -> list[dict[str, Any]]:
    """The events of a frame that `history_to_frame` made, as `Optimizer.history` has them, every design checked.

    Parameters
    ----------
    frame
        A DataFrame of pandas or polars, a Table of pyarrow, or anything with Arrow's PyCapsule interface.
    space
        Where the designs come from.
    """
    if not isinstance(space, DesignSpace):
        raise InputError("space must be a Space or a Catalogue", repr(space), "give that of the study")
    table = as_table(frame)
    if "type" not in table.columns:
        raise InputError("a history must have a column type", ", ".join(table.columns), "use history_to_frame")
    designs = Designs(table, space)
    return [event_to_dict(_event(designs, row)) for row in range(len(table))]


def _event(designs: Designs, row: int) -> Event:
    kind = designs.cells["type"][row]
    data = {name: designs.cells[name][row] for name in _OTHERS.get(kind, ()) if name in designs.cells}
    data |= {part: designs.at(row, columns_for(designs.space, part)) for part in _PARTS.get(kind, ())}
    try:
        return event_from_dict({"type": kind, **data}, designs.space)
    except InputError as problem:
        raise InputError(f"row {row}: {problem.rule}", problem.received, problem.remedy) from problem


def _compared(event: Event) -> tuple[Design, Design, bool] | None:
    """Winner, loser and whether it was a tie; ``None`` where nothing was compared."""
    if isinstance(event, Preferred):
        return event.winner, event.loser, event.tie
    if not isinstance(event, Answered) or event.outcome == "skip":
        return None
    first, second = list_designs(event)
    return (second, first, False) if event.outcome == "second" else (first, second, event.outcome == "tie")


def _names(part: str, space: DesignSpace) -> list[str]:
    return list(columns_for(space, part).values())
