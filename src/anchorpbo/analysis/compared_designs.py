"""Designs that were compared, with their estimated utility and their wins, losses and ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.analysis.model_view import ModelView
from anchorpbo.space import Design
from anchorpbo.study.recommendation import estimate_utilities


@dataclass(frozen=True)
class ComparedDesign:
    """A design that was compared in an informative duel."""

    design: Design
    utility: float
    interval: tuple[float, float]
    wins: int
    losses: int
    ties: int

    @property
    def preferred(self) -> bool:
        """Whether the design won at least half of its comparisons; a tie counts as half."""
        return self.wins >= self.losses


def list_compared_designs(view: ModelView) -> list[ComparedDesign]:
    """Return the designs compared in informative duels, in the order of their first comparison."""
    if view.model is None:
        return []
    tally: dict[bytes, list[int]] = {}
    designs: dict[bytes, Design] = {}
    for duel in view.duels:
        if duel.outcome == "skip":
            continue
        for side, design in (("first", duel.first), ("second", duel.second)):
            key = view.space.locate(design).tobytes()
            designs.setdefault(key, design)
            place = 2 if duel.outcome == "tie" else int(duel.outcome != side)
            tally.setdefault(key, [0, 0, 0])[place] += 1
    points = np.array([np.frombuffer(key) for key in designs]).reshape(-1, view.space.dimension)
    found = estimate_utilities(view.model, view.space, points, None)
    return [
        ComparedDesign(design, one.utility, one.interval, *tally[key])
        for (key, design), one in zip(designs.items(), found, strict=True)
    ]
