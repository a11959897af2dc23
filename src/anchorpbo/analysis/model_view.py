"""A common view of a study, a model of arrays, or a noise map."""

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
from anchorpbo.typing import Array

Source: TypeAlias = Optimizer | PreferenceGP | NoiseMap


@dataclass(frozen=True)
class Comparison:
    """Two designs and the outcome of their comparison."""

    first: Design
    second: Design
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class ModelView:
    """Space, model, noise, anchors and duels of a study, a model or a noise map."""

    space: DesignSpace
    """Design space; for arrays, a space of parameters x1, x2, ... from 0 to 1."""
    model: PreferenceGP | None
    """Model of the utility; ``None`` before the first answer."""
    noise: NoiseMap
    anchors: tuple[Design, ...]
    duels: tuple[Comparison, ...]
    """Comparisons, including skips."""
    recommend: Callable[[], Design | None]
    """Function that returns the recommended design, ``None`` before the first answer; it may take a moment."""
    negative_anchors: tuple[Design, ...] = ()
    """Designs the user cannot judge well."""

    @classmethod
    def of(cls, source: Source) -> ModelView:
        """Return the view of a study, a fitted model or a noise map."""
        if isinstance(source, Optimizer):
            return _view_study(source)
        if isinstance(source, PreferenceGP):
            return _view_model(source)
        if isinstance(source, NoiseMap):
            return _view_noise(source)
        rule = "source must be an Optimizer, a PreferenceGP or a NoiseMap"
        raise InputError(rule, type(source).__name__, "give the study itself")

    @property
    def base_design(self) -> Design:
        """The recommended design; before the first answer, the design in the middle of the space."""
        best = self.recommend()
        d = self.space.dimension
        return self.space.decode(self.space.nearest(np.full(d, 0.5))) if best is None else best


def read_comparisons(history: list[dict[str, Any]]) -> tuple[Comparison, ...]:
    """Return the comparisons in a study's history, including unsolicited preferences."""
    found = []
    for event in history:
        if event["type"] == "answered":
            found.append(Comparison(event["first"], event["second"], event["outcome"]))
        elif event["type"] == "preferred":
            found.append(Comparison(event["winner"], event["loser"], "tie" if event["tie"] else "first"))
    return tuple(found)


def is_informative(event: Mapping[str, Any]) -> bool:
    """Return whether an event of a history is an informative answer: a comparison that is not a skip."""
    return bool(event["type"] == "preferred" or (event["type"] == "answered" and event["outcome"] != "skip"))


def _view_study(study: Optimizer) -> ModelView:
    answered = len(study) > 0
    return ModelView(
        study.space,
        study.model if answered else None,
        study.noise_map,
        tuple(study.anchors),
        read_comparisons(study.history),
        (lambda: study.recommended) if answered else _recommend_nothing,
        tuple(study.negative_anchors),
    )


def _view_model(model: PreferenceGP) -> ModelView:
    duels = model.duels.expand_repeats()
    if duels.bounds != (0.0, 1.0):
        rule = "a model of arrays can be drawn only if its designs lie in the unit cube"
        raise UnsupportedError(rule, f"designs within {duels.bounds}", "create a study of a Catalogue of them")
    space = _cube(duels.dimension)
    outcomes: list[Outcome] = ["tie" if tied else "first" for tied in duels.tied.tolist()]
    designs = [space.decode(x) for x in duels.points]
    told = tuple(
        Comparison(designs[a], designs[b], outcome)
        for a, b, outcome in zip(duels.first.tolist(), duels.second.tolist(), outcomes, strict=True)
    )
    best = designs[int(np.argmax(model.posterior.mean(duels.points)))]
    anchors, negative = (_decode_inside(space, each) for each in (model.noise.anchors, model.noise.negative))
    return ModelView(space, model, model.noise, anchors, told, lambda: dict(best), negative)


def _view_noise(noise: NoiseMap) -> ModelView:
    if noise.anchors is None:
        rule = "a noise map without anchors is the same everywhere"
        raise UnsupportedError(rule, repr(noise), "draw one that has anchors, or a study")
    space = _cube(noise.anchors.shape[1])
    anchors, negative = (_decode_inside(space, each) for each in (noise.anchors, noise.negative))
    return ModelView(space, None, noise, anchors, (), _recommend_nothing, negative)


def _cube(dimension: int) -> Space:
    return Space({f"x{i + 1}": Real(0, 1) for i in range(dimension)})


def _decode_inside(space: Space, anchors: Array | None) -> tuple[Design, ...]:
    """Return the anchors inside the cube as designs; anchors of an array may lie outside."""
    if anchors is None:
        return ()
    return tuple(space.decode(x) for x in anchors if ((x >= 0.0) & (x <= 1.0)).all())


def _recommend_nothing() -> None:
    return None
