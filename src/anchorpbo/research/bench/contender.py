"""The libraries that are measured: the interface that each implements, and their registry.

A new library is a subclass of `Contender` and a line in `_CONTENDER_CLASSES`; its module is loaded when it is needed.
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
"""What a user waits for: the next pair after a fit of the hyper-parameters; the next pair between two fits; the next
single design between two fits."""
TIMED_STEPS: tuple[Step, ...] = ("round", "between", "single")
StepParts: TypeAlias = Mapping[str, Callable[[], object]]
"""The parts of a step in their order; each is timed, and the step takes what they take together."""

FIT, INFER, ASK_PAIR, ASK_SINGLE, ASK = "fit", "infer", "ask_pair", "ask_single", "ask"
RESTARTS, RAW_SAMPLES = 8, 256
"""Of the search for the largest acquisition, as BoTorch's tutorials have them."""
EXPLORATION = 2.0
"""Standard deviations above the mean in an upper confidence bound."""


class Contender(ABC):
    """A library in one configuration, measured in a process of its own."""

    name: ClassVar[str]
    """Of the records."""
    library: ClassVar[str]
    """What ``--only`` calls it."""
    title: ClassVar[str]
    """Of tables and legends."""
    packages: ClassVar[tuple[str, ...]] = ()
    """What must be installed."""
    modules: ClassVar[tuple[str, ...]] = ()
    """What a round imports, beyond what the module of the contender does."""
    performs: ClassVar[tuple[Step, ...]] = TIMED_STEPS
    """The steps it has."""

    @abstractmethod
    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Bring duels into the library's own form, and do all that a step needs and that is not to be timed.

        Called before every single timing.
        """

    @abstractmethod
    def parts(self, step: Step) -> StepParts:
        """Return the parts of a step to time, by name."""


class SeparableContender(Contender):
    """A library whose fit, inference and search can be timed one by one."""

    @abstractmethod
    def fit(self) -> None:
        """Learn the hyper-parameters from the duels prepared: d length-scales and an output scale."""

    @abstractmethod
    def infer(self) -> None:
        """Compute the posterior at the present hyper-parameters."""

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
"""Of the contenders, in the order of tables."""
MEASURED_LIBRARIES = ("anchorpbo", "botorch", "optuna")


def load_contender(name: str) -> type[Contender]:
    """Return the class of a contender."""
    if name not in _CONTENDER_CLASSES:
        raise UnknownNameError.of("a contender", name, _CONTENDER_CLASSES)
    module, kind = _CONTENDER_CLASSES[name]
    return cast(type[Contender], getattr(import_module(f"anchorpbo.research.bench.{module}"), kind))


def select_contenders(only: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the contenders of some libraries, by default all; raises if one is not installed."""
    only = [library.lower() for library in only]
    for library in only:
        if library not in MEASURED_LIBRARIES:
            raise UnknownNameError.of("a library to measure", library, MEASURED_LIBRARIES)
    names = tuple(name for name in CONTENDER_NAMES if not only or load_contender(name).library in only)
    needed = dict.fromkeys(package for name in names for package in load_contender(name).packages)
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise UnsupportedError(
            "a comparison needs the other libraries",
            f"a Python without {', '.join(missing)}",
            'pip install "anchorpbo[bench]", or measure this library alone with --only anchorpbo',
        )
    return names
