"""What a library has to do to be measured. A new one is a subclass and a line in ``names.py``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Literal, TypeAlias

from anchorpbo.research.bench.dataset import DuelDataset

Step = Literal["round", "between", "single"]
"""What a user waits for: the next pair after a fit of the hyper-parameters; the next pair between two fits; the next
single design between two fits."""
STEPS: tuple[Step, ...] = ("round", "between", "single")
StepParts: TypeAlias = Mapping[str, Callable[[], object]]
"""The parts of a step in their order; each is timed, and the step takes what they take together."""

FIT, INFER, ASK_PAIR, ASK_SINGLE, ASK = "fit", "infer", "ask_pair", "ask_single", "ask"
RESTARTS, RAW_SAMPLES = 8, 256
"""Of the search for the largest acquisition, as BoTorch's tutorials have them."""
EXPLORATION = 2.0
"""Standard deviations above the mean in an upper confidence bound."""


class Contender(ABC):
    """A library, set up in one way. Lives in a process of its own."""

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
    performs: ClassVar[tuple[Step, ...]] = STEPS
    """The steps it has."""

    @abstractmethod
    def prepare(self, given: DuelDataset, step: Step) -> None:
        """Bring duels into the library's own form, and do all that a step needs and that is not to be timed.

        Called before every single timing.
        """

    @abstractmethod
    def parts(self, step: Step) -> StepParts:
        """What to time."""


class SeparableContender(Contender):
    """A library whose fit, inference and search can be timed one by one."""

    @abstractmethod
    def fit(self) -> None:
        """Learn the hyper-parameters from the duels prepared: d length-scales and an output scale."""

    @abstractmethod
    def infer(self) -> None:
        """The posterior at hyper-parameters that are there."""

    @abstractmethod
    def ask_pair(self) -> None:
        """The pair with the largest expected utility of its better half (EUBO)."""

    @abstractmethod
    def ask_single(self) -> None:
        """The design with the largest upper confidence bound."""

    def parts(self, step: Step) -> StepParts:
        """Fit and inference in front of the search."""
        every: dict[Step, StepParts] = {
            "round": {FIT: self.fit, ASK_PAIR: self.ask_pair},
            "between": {INFER: self.infer, ASK_PAIR: self.ask_pair},
            "single": {INFER: self.infer, ASK_SINGLE: self.ask_single},
        }
        return every[step]
