"""The contenders of the benchmark: the interface, and the registry of names.

A contender is one method of one library. It sees designs as coordinates in the unit cube, (d,), and answers; the study
task (`anchorpbo.research.answers.study_task`) plays it against a judge.

To add a preset of ours, add one line with the options of `Optimizer` to `CONTENDERS`; to add a library, subclass
`Contender` in a module of its own, which is imported only when it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.metadata import version as version_of
from importlib.util import find_spec
from typing import Any, Literal, cast

import numpy as np

from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.research.answers.pairwise_gp import PAIRWISE_PACKAGES
from anchorpbo.space import DesignSpace
from anchorpbo.study.initial_duels import generate_initial_pairs
from anchorpbo.study.plan import PRESET_VERSIONS
from anchorpbo.typing import Array

INITIAL_PAIRS, DEFAULT_INITIAL = 5, 3
"""Number of initial duels of contenders that have none of their own, and of the default preset."""


class Contender(ABC):
    """A method that asks for comparisons of two designs and recommends a design.

    Parameters
    ----------
    space
        The design space.
    anchors
        Coordinates, (n, d), of the designs that the user knows well; ``None`` for a method that is not told.
    seed
        Seed of everything random. Contenders with one seed have the same initial duels if they accept given ones.
    """

    def __init__(self, space: DesignSpace, anchors: Array | None, seed: int) -> None:
        self.space, self.anchors, self.seed = space, anchors, seed
        self.failures = 0
        """Number of errors of the library that the contender worked around."""

    @abstractmethod
    def ask(self) -> Array:
        """Return the next pair of designs to compare, (2, d)."""

    @abstractmethod
    def tell(self, pair: Array, first_won: bool) -> None:
        """Record the answer to a pair, (2, d), which may be another pair than the one asked for."""

    @abstractmethod
    def recommend(self) -> Array:
        """Return the design that the user should take, (d,)."""

    def stops(self) -> bool | None:
        """Return whether the user is told to stop now, or ``None`` for a method without a stopping rule."""
        return None


def list_initial_pairs(space: DesignSpace, seed: int, count: int = INITIAL_PAIRS) -> Array:
    """Return the initial duels of a study of ours with this seed, (count, 2, d): pairs of Sobol' designs."""
    return generate_initial_pairs(space, seed)[:count]


class AnswerLog:
    """The designs compared so far, and who won, as indices of designs."""

    def __init__(self, dimension: int) -> None:
        self.points: Array = np.empty((0, dimension))
        """Distinct designs, (u, d)."""
        self.winners: list[int] = []
        self.losers: list[int] = []

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self.winners)

    def add(self, pair: Array, first_won: bool) -> tuple[int, int]:
        """Add an answer and return the indices of the winner and the loser."""
        first, second = (self._find(x) for x in pair)
        winner, loser = (first, second) if first_won else (second, first)
        self.winners.append(winner)
        self.losers.append(loser)
        return winner, loser

    def _find(self, x: Array) -> int:
        same = np.flatnonzero((self.points == x).all(axis=1))
        if len(same):
            return int(same[0])
        self.points = np.vstack([self.points, x])
        return len(self.points) - 1


# -- registry ----------------------------------------------------------------------------------------------------------

Kind = Literal["ours", "peer", "baseline"]
"""ours: presets of this library. peer: another library or a published method. baseline: a method to be beaten."""


@dataclass(frozen=True)
class ContenderEntry:
    """A contender by name: its class, as module and name, and its options."""

    title: str
    """Name in tables and legends."""
    kind: Kind
    module: str
    class_name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the class."""
    anchored: bool = False
    """Whether the method is told the judge's anchors."""
    packages: tuple[str, ...] = ()
    """Packages that must be installed."""

    def make(self, space: DesignSpace, anchors: Array, seed: int) -> Contender:
        """Create the contender for one study."""
        module = import_module(f"anchorpbo.research.answers.{self.module}")
        contender = getattr(module, self.class_name)
        return cast(Contender, contender(space, anchors if self.anchored else None, seed, **self.options))

    @property
    def version(self) -> str:
        """Version of the preset, such as ``default 2``, or the releases of the packages; empty for a baseline."""
        if self.kind == "baseline":
            return ""
        if self.packages:
            # Without the build, such as +cpu.
            return ", ".join(f"{package} {version_of(package).partition('+')[0]}" for package in self.packages)
        preset = self.options.get("preset", "default")
        return f"{preset} {self.options.get('preset_version', PRESET_VERSIONS[preset])}"

    @property
    def missing_packages(self) -> list[str]:
        """Packages that are not installed."""
        return [package for package in self.packages if find_spec(package) is None]


def _ours(title: str, anchored: bool = False, evaluates_stop: bool = False, **options: Any) -> ContenderEntry:
    options = {"evaluates_stop": evaluates_stop, **options}
    return ContenderEntry(title, "ours", "own_contenders", "OptimizerContender", options, anchored)


_botorch = partial(
    ContenderEntry, kind="peer", module="botorch_contender", class_name="BoTorchContender",
    packages=PAIRWISE_PACKAGES,
)  # fmt: skip

CONTENDERS: dict[str, ContenderEntry] = {
    "default": _ours("Default preset", evaluates_stop=True),
    "default-anchors": _ours("Default preset, anchors", anchored=True),
    "version-1": _ours("Default preset, version 1", preset_version=1),
    "version-1-anchors": _ours("Default preset, version 1, anchors", anchored=True, preset_version=1),
    "hb-ei": replace(_ours("HB-EI", strategy="ei", inference="hallucination", preset_version=1), kind="peer"),
    "paper": _ours("Paper preset", preset="paper"),
    "paper-anchors": _ours("Paper preset, anchors", anchored=True, preset="paper"),
    "botorch-probit": _botorch("BoTorch EUBO, probit", options={"link": "probit"}),
    "botorch-probit-3": _botorch(
        "BoTorch EUBO, probit, three initial pairs", options={"link": "probit", "initial": DEFAULT_INITIAL}
    ),
    "botorch-logit": _botorch("BoTorch EUBO, logit", options={"link": "logit"}),
    "optuna": ContenderEntry(
        "Optuna dashboard", "peer", "optuna_contender", "OptunaContender",
        packages=("optuna", "optuna_dashboard", *PAIRWISE_PACKAGES),
    ),
    "glisp": ContenderEntry(
        "GLISp", "peer", "glisp_contender", "GLISpContender", packages=("glis", "pyDOE", "pyswarm")
    ),
    "random": ContenderEntry("Random pairs", "baseline", "own_contenders", "RandomContender"),
}  # fmt: skip
"""Contenders by name, in the order of the tables."""


def get_contender(name: str) -> ContenderEntry:
    """Return the contender of a name."""
    if name not in CONTENDERS:
        raise UnknownNameError.of("a contender", name, CONTENDERS)
    return CONTENDERS[name]


def check_installed(names: Sequence[str]) -> None:
    """Raise if a contender's library is not installed."""
    packages = [package for name in names for package in get_contender(name).packages]
    check_packages(packages, [name for name, entry in CONTENDERS.items() if not entry.packages])


def check_packages(packages: Sequence[str], own: Sequence[str]) -> None:
    """Raise if a package is not installed; the error names the contenders that need none."""
    missing = [package for package in dict.fromkeys(packages) if find_spec(package) is None]
    if missing:
        raise UnsupportedError(
            "a comparison needs the other libraries installed",
            f"a Python without {', '.join(missing)}",
            f'pip install "anchorpbo[bench]", or run only this library with --contenders {",".join(own)}',
        )
