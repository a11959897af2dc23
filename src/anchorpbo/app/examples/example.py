"""Example studies: a definition, and a simulated expert who answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from anchorpbo.space import Design, DesignSpace

DesignFunction = Callable[[Design], float]


@dataclass(frozen=True, eq=False)
class Example:
    """A study that is ready to be made, and someone to answer it.

    The one who answers has a utility, and a noise for each design: the standard deviation of how far off their
    impression of it is. It is small near the suggested anchors and grows with the distance from them.
    """

    key: str
    """Its name in `EXAMPLES`."""
    title: str
    """Title, for people."""
    description: str
    """What the expert compares, and what to mark as anchors."""
    space: DesignSpace
    """Space of the designs."""
    display: Mapping[str, Any]
    """How designs are shown, see `anchorpbo.app.examples`."""
    suggested_anchors: tuple[Design, ...]
    """Designs that many people can judge well."""
    utility: DesignFunction = field(repr=False)
    """The hidden taste, of designs that the space has checked; about one standard deviation between designs is 1."""
    noise: DesignFunction = field(repr=False)
    """The standard deviation of an impression, of designs that the space has checked."""
    options: Mapping[str, Any] = field(default_factory=lambda: {"preset": "default", "seed": 0})
    """Options of the `Optimizer`; names and numbers only."""

    @property
    def definition(self) -> dict[str, Any]:
        """Definition of the study, ready for JSON; a new dict each time."""
        return {
            "name": self.title,
            "description": self.description,
            "example": self.key,
            "space": self.space.to_dict(),
            "anchors": [],
            "display": deepcopy(dict(self.display)),
            "options": dict(self.options),
        }

    def judge(self, design: Mapping[str, Any]) -> float:
        """Return how much the simulated expert likes a design, without noise."""
        return float(self.utility(self.space.check(design)))

    def answer(
        self, first: Mapping[str, Any], second: Mapping[str, Any], rng: np.random.Generator, tie: float = 0.0
    ) -> Literal["first", "second", "tie"]:
        """Return which of two designs the simulated expert says they prefer.

        Parameters
        ----------
        first, second
            Designs.
        rng
            For the errors of their impressions.
        tie
            Impressions that differ by less are called equal.
        """
        impressions = []
        for design in (first, second):
            checked = self.space.check(design)
            impressions.append(self.utility(checked) + self.noise(checked) * rng.standard_normal())
        if abs(impressions[0] - impressions[1]) < tie:
            return "tie"
        return "first" if impressions[0] > impressions[1] else "second"


def bump(value: float, best: float, width: float) -> float:
    """1 at the best value, 0.6 a width away, 0 far from it."""
    return math.exp(-0.5 * ((value - best) / width) ** 2)


def make_noise(distance: DesignFunction, least: float, most: float, reach: float) -> DesignFunction:
    """Make a noise that is least at distance 0 from the anchors, and nearly the most beyond twice the reach."""

    def noise(design: Design) -> float:
        return most - (most - least) * bump(distance(design), 0.0, reach)

    return noise
