"""Power laws of cost in the number of duels, and the tables of laws and of extreme ratios.

Cost = a m^b is fitted by least squares in the logarithms; the step that exceeds the law most is reported with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anchorpbo.research.bench.benchmark_tables import make_table
from anchorpbo.research.bench.contender import ASK_PAIR, ASK_SINGLE, FIT, INFER, Step
from anchorpbo.research.bench.costs import Quantity, Ratio, RoundCosts, compute_ratio, format_duration, format_ratio
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.figures.text_table import Cell, TextTable

MIN_FIT_DUELS = 50
"""Smallest number of duels in a fit; below it, costs that do not depend on the duels dominate."""


@dataclass(frozen=True)
class PowerLaw:
    """Cost = factor m^exponent."""

    factor: float
    exponent: float

    def __call__(self, m: float) -> float:
        """Return the cost of m duels."""
        return float(self.factor * m**self.exponent)


@dataclass(frozen=True)
class CostStep:
    """A step in cost between neighbouring sizes."""

    smaller: int
    larger: int
    ratio: float
    """Cost at the larger size over cost at the smaller."""
    expected: float
    """The same ratio by the law."""


def fit_power_law(costs: Mapping[int, float], smallest: int = MIN_FIT_DUELS) -> PowerLaw | None:
    """Return the law fitted to costs by number of duels, or ``None`` for fewer than two sizes."""
    sizes = sorted(m for m in costs if m >= smallest)
    if len(sizes) < 2:
        return None
    exponent, offset = np.polyfit(np.log(sizes), np.log([costs[m] for m in sizes]), 1)
    return PowerLaw(float(np.exp(offset)), float(exponent))


def find_steepest_step(costs: Mapping[int, float], law: PowerLaw) -> CostStep | None:
    """Return the step between neighbouring sizes that exceeds the law most."""
    sizes = sorted(costs)
    steps = [
        CostStep(small, large, costs[large] / costs[small], law(large) / law(small)) for small, large in pairwise(sizes)
    ]
    return max(steps, key=lambda step: step.ratio / step.expected, default=None)


QUANTITIES: dict[str, Quantity] = {
    "BoTorch, whole round": Quantity("botorch", "round"),
    "BoTorch, fit": Quantity("botorch", "round", FIT),
    "BoTorch, inference": Quantity("botorch", "between", INFER),
    "BoTorch, search of a pair": Quantity("botorch", "round", ASK_PAIR),
    "BoTorch, search of a design": Quantity("botorch", "single", ASK_SINGLE),
    "Optuna, a suggestion": Quantity("optuna", "round"),
    "anchorpbo at equal work, whole round": Quantity("anchorpbo", "round"),
    "anchorpbo at equal work, fit": Quantity("anchorpbo", "round", FIT),
    "anchorpbo at equal work, inference": Quantity("anchorpbo", "between", INFER),
    "anchorpbo at equal work, search of a pair": Quantity("anchorpbo", "round", ASK_PAIR),
    "anchorpbo at equal work, search of a design": Quantity("anchorpbo", "single", ASK_SINGLE),
    "anchorpbo, a study's ask with a fit": Quantity("anchorpbo-study", "round"),
    "anchorpbo, a study's ask between fits": Quantity("anchorpbo-study", "between"),
    "anchorpbo, RAHBO by HB between fits": Quantity("anchorpbo-study", "single"),
}
"""Quantities to which laws are fitted, by title."""
_RATIO_ROWS: tuple[tuple[str, str, str, Step, str | None], ...] = (
    ("whole round", "anchorpbo", "equal work", "round", None),
    ("fit", "anchorpbo", "equal work", "round", FIT),
    ("search of a pair", "anchorpbo", "equal work", "round", ASK_PAIR),
    ("between fits", "anchorpbo", "equal work", "between", None),
    ("inference", "anchorpbo", "equal work", "between", INFER),
    ("single design between fits", "anchorpbo", "equal work", "single", None),
    ("search of a design", "anchorpbo", "equal work", "single", ASK_SINGLE),
    ("whole round", "anchorpbo-study", "a study", "round", None),
    ("between fits", "anchorpbo-study", "a study", "between", None),
    ("single design between fits", "anchorpbo-study", "a study", "single", None),
)
COMPARED_QUANTITIES: dict[str, tuple[Quantity, Quantity]] = {
    f"{words}, {side}": (Quantity("botorch", step, part), Quantity(name, step, part))
    for words, name, side, step, part in _RATIO_ROWS
}
"""Pairs (BoTorch's quantity, ours) by title."""


def tabulate_laws(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate exponents, and the step that exceeds each law most."""
    rounds = RoundCosts(rows)
    lines = []
    for d in rounds.dimensions:
        for words, quantity in QUANTITIES.items():
            costs = rounds.costs(quantity, d)
            law = fit_power_law(costs)
            step = None if law is None else find_steepest_step(costs, law)
            if law is None or step is None:
                continue
            sizes = sorted(costs)
            lines.append(
                (
                    Cell(words), Cell(str(d)), Cell(f"{law.exponent:.2f}"),
                    Cell(f"{_compute_last_exponent(costs):.2f}"),
                    Cell(format_duration(law(100))),
                    Cell(f"{sizes[0]:,} to {sizes[-1]:,}"), Cell(f"{step.smaller:,} to {step.larger:,}"),
                    Cell(f"{step.ratio:.2f}"), Cell(f"{step.expected:.2f}"),
                )
            )  # fmt: skip
    headings = (
        "what", "d", "exponent", "of the last step", "by the law at 100 duels", "measured", "steepest step",
        "cost grows by", "by the law",
    )  # fmt: skip
    note = "Cost as a power of the number of duels, fitted from 50 duels on; steps are between neighbouring sizes."
    return make_table("Growth laws", headings, lines, note, left=1) if lines else None


def _compute_last_exponent(costs: dict[int, float]) -> float:
    """Return the exponent of the law through the two largest sizes."""
    small, large = sorted(costs)[-2:]
    return math.log(costs[large] / costs[small]) / math.log(large / small)


def tabulate_extremes(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the smallest and the largest ratio of every comparison, and their sizes."""
    rounds = RoundCosts(rows)
    lines = []
    for words in COMPARED_QUANTITIES:
        if found := list_ratios(rounds, words):
            ends = ((format_ratio(Ratio(value)), Cell(where)) for value, where in (min(found), max(found)))
            lines.append((Cell(words), *(cell for end in ends for cell in end)))
    headings = ("BoTorch over anchorpbo", "smallest", "where", "largest", "where")
    note = "Over the sizes at which both finished."
    return make_table("The smallest and the largest ratios", headings, lines, note, left=1) if lines else None


def list_ratios(rounds: RoundCosts, words: str) -> list[tuple[float, str]]:
    """Return the ratios of a comparison with their sizes, for the sizes at which both finished."""
    theirs, ours = COMPARED_QUANTITIES[words]
    return [
        (times.value, f"{m:,} duels, d = {d}")
        for d in rounds.dimensions
        for m in rounds.sizes
        if (times := compute_ratio(rounds.cost(theirs, m, d), rounds.cost(ours, m, d))) is not None
        and not times.at_least
    ]
