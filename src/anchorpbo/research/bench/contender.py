"""The interface of a measured library, and the registry of contenders.

To add a library, subclass `Contender` and add a line to `_CONTENDER_CLASSES`; its module is loaded when it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar, Literal, TypeAlias, cast

from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.research.bench.dataset import DuelDataset

Step = Literal["round", "between", "single"]
"""A step that a user waits for.

round: the next pair, after a fit of the hyper-parameters. between: the next pair, between two fits. single: the next
single design, between two fits.
"""
TIMED_STEPS: tuple[Step, ...] = ("round", "between", "single")
StepParts: TypeAlias = Mapping[str, Callable[[], object]]
"""The parts of a step in order; each is timed, and the time of the step is their sum."""

FIT, INFER, ASK_PAIR, ASK_SINGLE, ASK = "fit", "infer", "ask_pair", "ask_single", "ask"
RESTARTS, RAW_SAMPLES = 8, 256
"""Restarts and raw samples of the acquisition search, as in BoTorch's tutorials."""
EXPLORATION = 2.0
"""Standard deviations above the mean in an upper confidence bound."""


class Contender(ABC):
    """A library in one configuration, measured in a process of its own."""

    name: ClassVar[str]
    """Name in the results."""
    library: ClassVar[str]
    """Name for ``--only``."""
    title: ClassVar[str]
    """Name in tables and legends."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages that must be installed."""
    modules: ClassVar[tuple[str, ...]] = ()
    """Modules that a round imports, besides those the contender's own module imports."""
    performs: ClassVar[tuple[Step, ...]] = TIMED_STEPS
    """Steps that the library supports."""

    @abstractmethod
    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Convert the duels to the library's format and do everything that a step needs but that is not timed.

        It is called before every timing.
        """

    @abstractmethod
    def parts(self, step: Step) -> StepParts:
        """Return the parts of a step to time, by name."""


class SeparableContender(Contender):
    """A library whose fit, inference and search can be timed separately."""

    @abstractmethod
    def fit(self) -> None:
        """Fit the hyper-parameters to the prepared duels: d length-scales and an output scale."""

    @abstractmethod
    def infer(self) -> None:
        """Compute the posterior at the current hyper-parameters."""

    @abstractmethod
    def ask_pair(self) -> None:
        """Find the pair with the largest expected utility of the best option (EUBO)."""

    @abstractmethod
    def ask_single(self) -> None:
        """Find the design with the largest upper confidence bound."""

    def parts(self, step: Step) -> StepParts:
        """Return fit or inference, then the search."""
        every: dict[Step, StepParts] = {
            "round": {FIT: self.fit, ASK_PAIR: self.ask_pair},
            "between": {INFER: self.infer, ASK_PAIR: self.ask_pair},
            "single": {INFER: self.infer, ASK_SINGLE: self.ask_single},
        }
        return every[step]


_CONTENDER_CLASSES = {
    "botorch": ("botorch_contender", "BoTorchContender"),
    "optuna": ("optuna_contender", "OptunaContender"),
    "anchorpbo": ("anchorpbo_contenders", "EqualWorkContender"),
    "anchorpbo-study": ("anchorpbo_contenders", "StudyContender"),
}
CONTENDER_NAMES = tuple(_CONTENDER_CLASSES)
"""Names of the contenders, in the order of the tables."""
MEASURED_LIBRARIES = ("anchorpbo", "botorch", "optuna")


def load_contender(name: str) -> type[Contender]:
    """Return the class of a contender."""
    if name not in _CONTENDER_CLASSES:
        raise UnknownNameError.of("a contender", name, _CONTENDER_CLASSES)
    module, kind = _CONTENDER_CLASSES[name]
    return cast(type[Contender], getattr(import_module(f"anchorpbo.research.bench.{module}"), kind))


def select_contenders(only: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the contenders of some libraries, by default of all; raises if one is not installed."""
    only = [library.lower() for library in only]
    for library in only:
        if library not in MEASURED_LIBRARIES:
            raise UnknownNameError.of("a library to measure", library, MEASURED_LIBRARIES)
    names = tuple(name for name in CONTENDER_NAMES if not only or load_contender(name).library in only)
    needed = dict.fromkeys(package for name in names for package in load_contender(name).packages)
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise UnsupportedError(
            "a comparison needs the other libraries installed",
            f"a Python without {', '.join(missing)}",
            'pip install "anchorpbo[bench]", or measure only this library with --only anchorpbo',
        )
    return names
