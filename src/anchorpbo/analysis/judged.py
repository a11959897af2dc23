"""The designs that were compared: what is known of each, and how it fared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.analysis.known import Known
from anchorpbo.space import Design
from anchorpbo.study.recommendation import estimate_utilities


@dataclass(frozen=True)
class Seen:
    """A design that was compared in an informative duel."""

    design: Design
    utility: float
    interval: tuple[float, float]
    wins: int
    losses: int
    ties: int

    @property
    def preferred(self) -> bool:
        """Whether it won at least half of its comparisons, a tie counting half."""
        return self.wins >= self.losses


def seen(known: Known) -> list[Seen]:
    """All of them, in the order in which they were first compared."""
    if known.model is None:
        return []
    tally: dict[bytes, list[int]] = {}
    designs: dict[bytes, Design] = {}
    for duel in known.duels:
        if duel.outcome == "skip":
            continue
        for side, design in (("first", duel.first), ("second", duel.second)):
            key = known.space.locate(design).tobytes()
            designs.setdefault(key, design)
            place = 2 if duel.outcome == "tie" else int(duel.outcome != side)
            tally.setdefault(key, [0, 0, 0])[place] += 1
    points = np.array([np.frombuffer(key) for key in designs]).reshape(-1, known.space.dimension)
    found = estimate_utilities(known.model, known.space, points, None)
    return [
        Seen(design, one.utility, one.interval, *tally[key])
        for (key, design), one in zip(designs.items(), found, strict=True)
    ]
