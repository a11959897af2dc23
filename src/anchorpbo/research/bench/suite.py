"""The sections of the benchmark and the measurements of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.bench.contender import TIMED_STEPS, load_contender
from anchorpbo.research.bench.growth import GROWTH_CASES, GrowthCase
from anchorpbo.research.bench.measurement import Measurement
from anchorpbo.research.bench.process_costs import PROGRAMS, PeakMemory, StartupTime
from anchorpbo.research.bench.rounds import RoundTiming
from anchorpbo.research.bench.simulated_duels import BENCHMARK_PROBLEMS
from anchorpbo.research.bench.value_comparison import ValueComparison

SIZES, DIMENSIONS = (10, 25, 50, 100, 150, 300, 1000), (3, 4, 6)
QUICK_SIZES, QUICK_DIMENSIONS = (10, 20), (3,)
THREADED_SIZES = ((25, 4), (150, 4), (300, 4))
"""Pairs (duels, dimension) that are also measured with the libraries' default number of threads."""
MEMORY_SIZES, MEMORY_DIMENSION = (0, 10, 50, 100, 150, 1000), 4
MAX_VALUE_DUELS = 300
"""Largest number of duels at which values are compared; beyond it, BoTorch's fit does not finish in time."""
VALUE_SEEDS = 3


@dataclass(frozen=True)
class SuiteExtent:
    """Contenders, sizes and dimensions to measure."""

    contenders: tuple[str, ...]
    sizes: tuple[int, ...] | None = None
    """Numbers of duels; ``None`` for `SIZES`."""
    dimensions: tuple[int, ...] | None = None
    """Dimensions; ``None`` for `DIMENSIONS`."""
    quick: bool = False
    """Whether the defaults of the two above are small ones that take about two minutes."""
    options: frozenset[str] = field(init=False, default=frozenset())
    """The command-line options among the two above that were given."""

    def __post_init__(self) -> None:
        values = {"--sizes": self.sizes, "--dimensions": self.dimensions}
        object.__setattr__(self, "options", frozenset(name for name, value in values.items() if value))
        sizes = self.sizes or (QUICK_SIZES if self.quick else SIZES)
        dimensions = self.dimensions or (QUICK_DIMENSIONS if self.quick else DIMENSIONS)
        for d in dimensions:
            if d not in BENCHMARK_PROBLEMS:
                raise UnknownNameError.of("a dimension of the benchmark", d, map(str, BENCHMARK_PROBLEMS))
        object.__setattr__(self, "sizes", tuple(sorted({as_integer("a size", m, 2) for m in sizes})))
        object.__setattr__(self, "dimensions", tuple(sorted(set(dimensions))))


def plan_rounds(extent: SuiteExtent) -> list[Measurement]:
    """Plan every step at every size and dimension, then the comparison of values if BoTorch is measured."""
    assert extent.sizes is not None
    assert extent.dimensions is not None
    most = 2 if extent.quick else None
    cells = [(m, d, 1) for m in extent.sizes for d in extent.dimensions]
    cells += [(m, d, 0) for m, d in THREADED_SIZES if m in extent.sizes and d in extent.dimensions]
    # Large sizes come last, so that an unfinished run has complete small ones.
    cells.sort(key=lambda cell: cell[0])
    planned: list[Measurement] = [
        RoundTiming(step, m, d, threads, extent.contenders, most) for m, d, threads in cells for step in TIMED_STEPS
    ]
    if {"anchorpbo", "botorch"} <= set(extent.contenders):
        seeds = 1 if extent.quick else VALUE_SEEDS
        planned += [
            ValueComparison(m, d, seeds if m < MAX_VALUE_DUELS else 1)
            for m in extent.sizes
            for d in extent.dimensions
            if m <= MAX_VALUE_DUELS
        ]
    return planned


def plan_memory(extent: SuiteExtent) -> list[Measurement]:
    """Plan the peak memory of every library at every size, smallest first."""
    sizes = extent.sizes or ()
    kept = (0, *sizes[:1]) if extent.quick else tuple(m for m in MEMORY_SIZES if m == 0 or m in sizes)
    d = MEMORY_DIMENSION
    return [
        PeakMemory(name, m, d) for m in kept for name in extent.contenders if "round" in load_contender(name).performs
    ]


def plan_startup(extent: SuiteExtent) -> list[Measurement]:
    """Plan the start-up time of the programs that can run."""
    there = {load_contender(name).library for name in extent.contenders}
    names = tuple(name for name in PROGRAMS if "botorch" not in name or "botorch" in there)
    return [StartupTime(names, 1 if extent.quick else 9)]


def plan_growth(extent: SuiteExtent) -> list[Measurement]:
    """Plan the growth cases, if this library is measured."""
    ours = any(load_contender(name).library == "anchorpbo" for name in extent.contenders)
    return [GrowthCase(case, extent.quick) for case in GROWTH_CASES] if ours else []


SECTIONS: dict[str, Callable[[SuiteExtent], list[Measurement]]] = {
    "startup": plan_startup,
    "growth": plan_growth,
    "rounds": plan_rounds,
    "memory": plan_memory,
}
"""Sections by name, in the order of a run."""


def plan_measurements(what: Sequence[str], extent: SuiteExtent) -> list[Measurement]:
    """Return the measurements of some sections, by default of all."""
    for name in what:
        if name not in SECTIONS:
            raise UnknownNameError.of("a part of the benchmark", name, SECTIONS)
    _check_options(what, extent)
    return [each for name, section in SECTIONS.items() if not what or name in what for each in section(extent)]


def _check_options(what: Sequence[str], extent: SuiteExtent) -> None:
    if what and not {"rounds", "memory"} & set(what) and extent.options:
        rule = "--sizes and --dimensions apply to rounds and memory only"
        raise InputError(rule, ", ".join(sorted(extent.options)), f"leave it out for {' and '.join(what)}")
    if "memory" in what:
        known = {str(m) for m in MEMORY_SIZES if m}
        if "--sizes" in extent.options and not extent.quick and (other := set(map(str, extent.sizes or ())) - known):
            rule = f"memory is measured at {', '.join(sorted(known, key=int))} duels"
            raise InputError(rule, f"--sizes {','.join(sorted(other, key=int))}", "choose from these sizes")
        if "--dimensions" in extent.options and extent.dimensions != (MEMORY_DIMENSION,):
            rule = f"memory is measured in {MEMORY_DIMENSION} dimensions only"
            raise InputError(rule, "--dimensions", f"leave it out, or write --dimensions {MEMORY_DIMENSION}")
    if "growth" in what and not plan_growth(extent):
        raise InputError("growth measures this library only", "--only without it", "add anchorpbo to --only")
