"""Maps of one participant's utility for the results page, from the grids of `anchorpbo.analysis`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import ModelView
from anchorpbo.analysis.axes import Axis
from anchorpbo.analysis.grids import (
    Grid,
    ItemProjection,
    Plane,
    ProjectedItem,
    Slice,
    as_space,
    compute_plane,
    compute_slices,
    project_items,
)
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.layouts import AnsweredDuel, Design
from anchorpbo.space import Catalogue
from anchorpbo.study.events import Answered, Preferred

__all__ = ["Axis", "Grid", "ItemProjection", "Map", "Plane", "ProjectedItem", "Slice", "make_map"]


@dataclass(frozen=True)
class Map:
    """Map of one participant's utility: the data of the plots on the results page."""

    answers: int
    at: Design | None
    slices: list[Slice]
    plane: Plane | None
    items: ItemProjection | None
    anchors: list[Design]
    anchor_names: list[str | None]
    """Names of the anchors, in their order; null without a name."""
    duels: list[AnsweredDuel]
    """Duels that were not undone: first, second, outcome."""


def make_map(
    session: ParticipantSession, at: Design | None, x: str | None, y: str | None, strongest: bool = False
) -> Map:
    """Return the map of one participant's utility through a design, by default the recommended one or the centre.

    The plane is over `x` and `y`, or over the two `strongest` parameters; by default over the first two.
    """
    optimizer = session.optimizer
    duels = [_make_duel(event) for event in session.events.values() if isinstance(event, Answered | Preferred)]
    answers, known = len(optimizer), ModelView.of(optimizer)
    space, anchors, names = known.space, list(known.anchors), [one.name for one in session.anchors]
    if isinstance(space, Catalogue):
        return Map(answers, None, [], None, project_items(known, space), anchors, names, duels)
    here = as_space(space).check(at) if at is not None else known.base_design
    along = compute_slices(known, here)
    if strongest and len(along) > 1:
        x, y = _find_strongest(along)
    return Map(answers, here, along, compute_plane(known, here, x, y), None, anchors, names, duels)


def _make_duel(event: Answered | Preferred) -> dict[str, Any]:
    if isinstance(event, Answered):
        return {"first": event.first, "second": event.second, "outcome": event.outcome}
    return {"first": event.winner, "second": event.loser, "outcome": "tie" if event.tie else "first"}


def _find_strongest(along: list[Slice]) -> tuple[str, str]:
    """Return the two parameters with the largest effect on the utility, numbers first, in the order of the space."""

    def reach(one: Slice) -> float:
        utility = one.grid.utility or [0.0]
        return float(max(utility) - min(utility))

    smooth = [one for one in along if one.axis.continuous]
    among = smooth if len(smooth) > 1 else along
    names = [one.axis.name for one in among]
    x, y = sorted((one.axis.name for one in sorted(among, key=reach, reverse=True)[:2]), key=names.index)
    return x, y
