"""One view of whatever knows something about designs: a study, a model of arrays, or a noise map alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from anchorpbo.errors import InputError, UnsupportedError
from anchorpbo.model import PreferenceGP
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Design, DesignSpace, Real, Space
from anchorpbo.study import Optimizer, Outcome
from anchorpbo.study.recommendation import find_recommended_design
from anchorpbo.typing import Array

Source: TypeAlias = Optimizer | PreferenceGP | NoiseMap


@dataclass(frozen=True)
class Compared:
    """Two designs and what the user said of them."""

    first: Design
    second: Design
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of designs, whoever knows it."""

    space: DesignSpace
    """Where designs come from; of arrays, parameters x1, x2, ... from 0 to 1."""
    model: PreferenceGP | None
    """Of the utility; ``None`` before the first answer."""
    noise: NoiseMap
    anchors: tuple[Design, ...]
    duels: tuple[Compared, ...]
    """Skips included."""
    recommend: Callable[[], Design | None]
    """The design to take, where there are answers; it may take a moment."""

    @classmethod
    def of(cls, source: Source) -> Known:
        """The view of a study, a model that was fitted, or a noise map."""
        if isinstance(source, Optimizer):
            return _of_study(source)
        if isinstance(source, PreferenceGP):
            return _of_model(source)
        if isinstance(source, NoiseMap):
            return _of_noise(source)
        rule = "what is drawn must be an Optimizer, a PreferenceGP or a NoiseMap"
        raise InputError(rule, type(source).__name__, "give the study itself")

    @property
    def middle(self) -> Design:
        """The recommended design, or before the first answer the one in the middle of the space."""
        best = self.recommend()
        d = self.space.dimension
        return self.space.decode(self.space.nearest(np.full(d, 0.5))) if best is None else best


def compared(history: list[dict[str, Any]]) -> tuple[Compared, ...]:
    """The comparisons of a study's history, those that nobody asked for included."""
    found = []
    for event in history:
        if event["type"] == "answered":
            found.append(Compared(event["first"], event["second"], event["outcome"]))
        elif event["type"] == "preferred":
            found.append(Compared(event["winner"], event["loser"], "tie" if event["tie"] else "first"))
    return tuple(found)


def is_informative(event: Mapping[str, Any]) -> bool:
    """Whether an event of a history is an answer that counts: a comparison, and no skip."""
    return bool(event["type"] == "preferred" or (event["type"] == "answered" and event["outcome"] != "skip"))


def _of_study(study: Optimizer) -> Known:
    known = len(study) > 0
    return Known(
        study.space,
        study.model if known else None,
        study.noise_map,
        tuple(study.anchors),
        compared(study.history),
        (lambda: find_recommended_design(study.model, study.space, study.plan.risk_weight)) if known else _nothing,
    )


def _of_model(model: PreferenceGP) -> Known:
    duels = model.duels.unmerged()
    if duels.bounds != (0.0, 1.0):
        rule = "arrays can be drawn where designs lie in the unit cube"
        raise UnsupportedError(rule, f"designs within {duels.bounds}", "make a study of a Catalogue of them")
    space = _cube(duels.dimension)
    outcomes: list[Outcome] = ["tie" if tied else "first" for tied in duels.tied.tolist()]
    designs = [space.decode(x) for x in duels.points]
    told = tuple(
        Compared(designs[a], designs[b], outcome)
        for a, b, outcome in zip(duels.first.tolist(), duels.second.tolist(), outcomes, strict=True)
    )
    best = designs[int(np.argmax(model.posterior.mean(duels.points)))]
    return Known(space, model, model.noise, _inside(space, model.noise.anchors), told, lambda: dict(best))


def _of_noise(noise: NoiseMap) -> Known:
    if noise.anchors is None:
        rule = "a noise map without anchors is the same everywhere"
        raise UnsupportedError(rule, repr(noise), "draw one that has anchors, or a study")
    space = _cube(noise.anchors.shape[1])
    return Known(space, None, noise, _inside(space, noise.anchors), (), _nothing)


def _cube(dimension: int) -> Space:
    return Space({f"x{i + 1}": Real(0, 1) for i in range(dimension)})


def _inside(space: Space, anchors: Array | None) -> tuple[Design, ...]:
    """Anchors that can be shown: those of an array may lie outside the cube."""
    if anchors is None:
        return ()
    return tuple(space.decode(x) for x in anchors if ((x >= 0.0) & (x <= 1.0)).all())


def _nothing() -> None:
    return None
