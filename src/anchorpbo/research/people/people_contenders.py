"""The contenders of the benchmark with real people, by name: what predicts answers and what replays orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anchorpbo.research.answers.contenders import CONTENDERS, ContenderEntry, check_packages
from anchorpbo.research.answers.pairwise_gp import PAIRWISE_PACKAGES
from anchorpbo.research.people.answer_predictors import (
    AnswerPredictor,
    BoTorchPredictor,
    ChancePredictor,
    LinearPredictor,
    StudyPredictor,
)

OURS = "default"
"""The contender that all others are compared with."""


@dataclass(frozen=True)
class PeopleContender:
    """A method that predicts answers, replays orders, or both."""

    title: str
    """Name in tables."""
    predictor: AnswerPredictor | None = None
    replay: ContenderEntry | None = None
    packages: tuple[str, ...] = ()
    """Packages that must be installed."""
    effort: float = 1.0
    """Time of an answer relative to ours."""


_FIRST = {"preset_version": 1}
PEOPLE_CONTENDERS: Mapping[str, PeopleContender] = {
    "default": PeopleContender("Default preset", StudyPredictor(), CONTENDERS["default"]),
    "version-1": PeopleContender(
        "Default preset, version 1", StudyPredictor(_FIRST), replace(CONTENDERS["default"], options=_FIRST), effort=0.3
    ),
    "paper": PeopleContender("Paper preset", StudyPredictor({"preset": "paper"}), effort=0.6),
    "botorch-probit": PeopleContender(
        "BoTorch, probit", BoTorchPredictor(), CONTENDERS["botorch-probit"], PAIRWISE_PACKAGES, effort=3.0
    ),
    "linear": PeopleContender("Linear utility", LinearPredictor(1.0), effort=0.01),
    "chance": PeopleContender("Chance", ChancePredictor(), effort=0.01),
    "random": PeopleContender("Random pairs", replay=CONTENDERS["random"], effort=0.1),
    "knock-out": PeopleContender(
        "Knock-out",
        replay=ContenderEntry("Knock-out", "baseline", "own_contenders", "KnockoutContender"),
        effort=0.01,
    ),
}
"""Contenders by name, in the order of the tables. The ridge of 1 was chosen among eight values from 0.01 to 2 on these
data, which favours the linear model; with a ridge of 0.1 its log likelihood is 0.01 to 0.18 lower."""
PREDICTORS = {name: each.predictor for name, each in PEOPLE_CONTENDERS.items() if each.predictor is not None}
REPLAYS = {name: each.replay for name, each in PEOPLE_CONTENDERS.items() if each.replay is not None}


def check_installed(name: str) -> None:
    """Raise if a contender's library is not installed."""
    own = [name for name, each in PEOPLE_CONTENDERS.items() if not each.packages]
    check_packages(PEOPLE_CONTENDERS[name].packages, own)
