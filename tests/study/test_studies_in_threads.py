"""Studies in several threads work at the same time, and each as if it were alone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from anchorpbo import Catalogue, Optimizer, Real, Space
from anchorpbo.acquisition import UCB, DesignAcquisition, Partials
from anchorpbo.space import DesignSpace

TIMEOUT = 60.0


@dataclass(frozen=True)
class Meeting(DesignAcquisition):
    """UCB that does not go on before as many others are asked for a value."""

    barrier: threading.Barrier
    met: threading.Event = field(default_factory=threading.Event)

    def partials(self, mean, std, noise, incumbent) -> Partials:
        if not self.met.is_set():
            self.met.set()
            self.barrier.wait(TIMEOUT)  # raises BrokenBarrierError where nobody comes
        return UCB().partials(mean, std, noise, incumbent)


def catalogue() -> Catalogue:
    return Catalogue([{"name": f"item {i}", "a": i % 7, "b": (3 * i) % 11} for i in range(40)])


def told(space: DesignSpace, acquisition: DesignAcquisition, seed: int) -> Optimizer:
    study = Optimizer(space, strategy=acquisition, seed=seed)
    for _ in range(6):
        duel = study.ask() if len(study) < study.plan.initial else None
        if duel is not None:
            study.tell(duel, "first" if len(study) % 2 else "second")
    return study


@pytest.mark.parametrize("space", [Space(x=Real(0, 1), y=Real(0, 1)), catalogue()], ids=["region", "list"])
def test_two_studies_are_inside_ask_at_once_and_ask_what_they_would_alone(space: DesignSpace) -> None:
    barrier = threading.Barrier(2)
    together = [told(space, Meeting(barrier), seed) for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        duels = list(pool.map(lambda study: study.ask(), together))
    for seed, duel in zip((1, 2), duels, strict=True):
        alone = told(space, UCB(), seed).ask()
        assert (duel.first, duel.second) == (alone.first, alone.second)


def test_many_studies_in_a_few_threads_ask_what_they_would_alone() -> None:
    space = catalogue()
    studies, twins = ([told(space, UCB(), seed) for seed in range(8)] for _ in range(2))
    with ThreadPoolExecutor(4) as pool:
        duels = list(pool.map(lambda study: study.ask(), studies))
    assert [(d.first, d.second) for d in duels] == [(d.first, d.second) for d in (twin.ask() for twin in twins)]
