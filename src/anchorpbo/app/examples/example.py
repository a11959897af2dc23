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
    """The definition of a study, and a simulated expert who answers its duels.

    The simulated expert has a utility, and a noise per design: the standard deviation of their impression of it. The
    noise is small near the suggested anchors and grows with the distance from them.
    """

    key: str
    """Key in `EXAMPLES`."""
    title: str
    """Title shown to people."""
    description: str
    """Instructions for the expert: the question of each duel, and which designs to mark as anchors."""
    space: DesignSpace
    """Space of the designs."""
    display: Mapping[str, Any]
    """How designs are shown, see `anchorpbo.app.examples`."""
    suggested_anchors: tuple[Design, ...]
    """Designs that many people can judge well."""
    utility: DesignFunction = field(repr=False)
    """The expert's utility of a validated design, scaled to a standard deviation of about 1 over the designs."""
    noise: DesignFunction = field(repr=False)
    """The standard deviation of the expert's impression of a validated design."""
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
        """Return the simulated expert's utility of a design, without noise."""
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
            Random generator for the errors of the impressions.
        tie
            The answer is a tie if the impressions differ by less than this.
        """
        impressions = []
        for design in (first, second):
            checked = self.space.check(design)
            impressions.append(self.utility(checked) + self.noise(checked) * rng.standard_normal())
        if abs(impressions[0] - impressions[1]) < tie:
            return "tie"
        return "first" if impressions[0] > impressions[1] else "second"


def bump(value: float, best: float, width: float) -> float:
    """Return a Gaussian bump: 1 at the best value, 0.6 one width away, near 0 far from it."""
    return math.exp(-0.5 * ((value - best) / width) ** 2)


def make_noise(distance: DesignFunction, least: float, most: float, reach: float) -> DesignFunction:
    """Return a noise that grows from `least` at the anchors to nearly `most` at twice the reach."""

    def noise(design: Design) -> float:
        return most - (most - least) * bump(distance(design), 0.0, reach)

    return noise
