"""The tables of rounds: everything in them is computed from the lines of the results."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.bench import texts
from anchorpbo.bench.contender import ASK_PAIR, ASK_SINGLE, FIT, INFER, Step
from anchorpbo.bench.measurement import Row
from anchorpbo.bench.summary import Quantity, Rounds, ratio
from anchorpbo.figures.text_table import MISSING, Cell, TextTable

BOTORCH, OPTUNA, EQUAL, STUDY = "botorch", "optuna", "anchorpbo", "anchorpbo-study"
_THREADED: dict[Step, str] = {"round": "whole round", "between": "between fits"}
_MEDIANS = (
    "Medians; a ratio is one of medians over the same duels. > is the time limit, at which it was stopped; in "
    "brackets, not tried, since fewer duels had taken longer."
)


def whole(rows: Sequence[Row]) -> TextTable | None:
    """Fit and the next pair."""
    rounds = Rounds(rows)
    quantities = [Quantity(name, "round") for name in (BOTORCH, OPTUNA, EQUAL, STUDY)]
    lines = []
    for d, m in _places(rounds, "round"):
        costs = [rounds.cost(quantity, m, d) for quantity in quantities]
        ratios = [texts.times(ratio(costs[0], costs[2])), texts.times(ratio(costs[0], costs[3]))]
        lines.append((*_place(d, m), *map(texts.cost, costs), *ratios))
    headings = ("d", "duels", "BoTorch", "Optuna", "anchorpbo, equal work", "anchorpbo, a study")
    ratios_of = ("BoTorch / equal work", "BoTorch / a study")
    return _table("A whole round: hyper-parameters, then the next pair", (*headings, *ratios_of), lines, _MEDIANS)


def between(rows: Sequence[Row]) -> TextTable | None:
    """The next pair between two fits."""
    rounds = Rounds(rows)
    lines = []
    for d, m in _places(rounds, "between"):
        full = rounds.cost(Quantity(BOTORCH, "round"), m, d)
        theirs, equal, study = (rounds.cost(Quantity(name, "between"), m, d) for name in (BOTORCH, EQUAL, STUDY))
        cells = (
            *map(texts.cost, (theirs, equal, study)),
            *map(texts.times, (ratio(theirs, equal), ratio(full, equal))),
        )
        lines.append((*_place(d, m), *cells, texts.times(ratio(full, study))))
    headings = ("d", "duels", "BoTorch", "anchorpbo, equal work", "anchorpbo, a study", "BoTorch / equal work")
    whole_ratios = ("BoTorch with its fit / equal work", "BoTorch with its fit / a study")
    return _table("Between fits: inference, then the next pair", (*headings, *whole_ratios), lines, _MEDIANS)


def parts(rows: Sequence[Row]) -> TextTable | None:
    """Fit, inference and search one by one, at equal work."""
    rounds = Rounds(rows)
    which: dict[str, tuple[Step, str]] = {
        "fit": ("round", FIT), "inference": ("between", INFER), "search of a pair": ("round", ASK_PAIR),
        "search of a design": ("single", ASK_SINGLE),
    }  # fmt: skip
    lines = []
    for d, m in _places(rounds, "round"):
        cells: list[Cell] = []
        for step, part in which.values():
            theirs, ours = (rounds.cost(Quantity(name, step, part), m, d) for name in (BOTORCH, EQUAL))
            cells += [texts.cost(theirs), texts.cost(ours), texts.times(ratio(theirs, ours))]
        lines.append((*_place(d, m), *cells))
    headings = tuple(text for name in which for text in (f"{name}: BoTorch", "anchorpbo", "ratio"))
    return _table("The parts, at equal work", ("d", "duels", *headings), lines, _MEDIANS)


def single(rows: Sequence[Row]) -> TextTable | None:
    """The next single design between two fits."""
    rounds = Rounds(rows)
    lines = []
    for d, m in _places(rounds, "single"):
        search = rounds.cost(Quantity(BOTORCH, "single", ASK_SINGLE), m, d)
        theirs, equal, study = (rounds.cost(Quantity(name, "single"), m, d) for name in (BOTORCH, EQUAL, STUDY))
        ratios = (ratio(theirs, equal), ratio(search, study), ratio(theirs, study))
        lines.append((*_place(d, m), *map(texts.cost, (search, theirs, equal, study)), *map(texts.times, ratios)))
    headings = (
        "d", "duels", "BoTorch UCB, search", "with inference", "anchorpbo UCB, with inference",
        "anchorpbo RAHBO by HB, a study", "with inference / UCB", "search / RAHBO", "with inference / RAHBO",
    )  # fmt: skip
    return _table("A single design between fits", headings, lines, _MEDIANS)


def threads(rows: Sequence[Row]) -> TextTable | None:
    """One thread and the libraries' own choice."""
    rounds = Rounds(rows)
    lines = []
    for m, d in sorted({(row["m"], row["d"]) for row in rounds.rows if row["threads"] == 0}):
        for step, name in _THREADED.items():
            for count in (1, 0):
                theirs, equal, study = (
                    rounds.cost(Quantity(each, step), m, d, count) for each in (BOTORCH, EQUAL, STUDY)
                )
                cells = (*map(texts.cost, (theirs, equal, study)), texts.times(ratio(theirs, equal)))
                label = "one" if count else "default"
                lines.append((Cell(name), Cell(label), *_place(d, m), *cells, texts.times(ratio(theirs, study))))
    headings = (
        "what", "threads", "d", "duels", "BoTorch", "anchorpbo, equal work", "anchorpbo, a study",
        "BoTorch / equal work", "BoTorch / a study",
    )  # fmt: skip
    return _table("One thread, and the libraries' own choice", headings, lines, _MEDIANS, left=2)


def failures(rows: Sequence[Row]) -> TextTable | None:
    """How often BoTorch's fit raised an error."""
    rounds = Rounds(rows)
    lines = []
    for m in rounds.sizes:
        found = [rounds.cost(Quantity(BOTORCH, "round"), m, d) for d in rounds.dimensions]
        costs = [cost for cost in found if cost is not None]
        if costs:
            stopped = sum(cost.limit is not None for cost in costs)
            counts = (m, sum(cost.tried for cost in costs), sum(cost.failed for cost in costs), stopped)
            lines.append(tuple(Cell(str(count)) for count in counts))
    headings = ("duels", "rounds tried", "fit raised an error", "stopped at the limit")
    return _table(
        "BoTorch's fits",
        headings,
        lines,
        "The last column counts dimensions, also those left out because fewer duels had taken too long.",
    )


def values(rows: Sequence[Row]) -> TextTable | None:
    """What both searches found, judged by BoTorch."""
    lines = []
    for row in sorted((row for row in rows if row["section"] == "values"), key=lambda row: (row["d"], row["m"])):
        well = [answer for answer in row["runs"] if answer["status"] == "ok"]
        cells: list[Cell] = [Cell(MISSING)] * 6
        if well:
            gaps = [_gap(answer, "pair") for answer in well], [_gap(answer, "single") for answer in well]
            evidence = [answer["evidence_ours"] - answer["evidence_theirs"] for answer in well]
            largest = max(answer["mean_difference"] for answer in well)
            numbers = [largest, min(gaps[0]), statistics.median(gaps[0]), min(gaps[1]), statistics.median(gaps[1])]
            cells = [*(texts.number(number, ".1e") for number in numbers)]
            cells.append(texts.number(statistics.median(evidence), "+.2f"))
        lines.append((*_place(row["d"], row["m"]), Cell(f"{len(well)} of {len(row['runs'])}"), *cells))
    headings = (
        "d", "duels", "studies", "largest difference of posterior means", "pair: least gain", "median",
        "design: least gain", "median", "evidence of our fit less that of theirs",
    )  # fmt: skip
    note = (
        "A gain is BoTorch's acquisition at what we found less that at its own find, over the size of the latter; "
        "studies without a fit by BoTorch are left out."
    )
    return _table("The values found, BoTorch as the referee", headings, lines, note)


def _gap(answer: Row, name: str) -> float:
    ours, theirs = float(answer[f"{name}_ours"]), float(answer[f"{name}_theirs"])
    return (ours - theirs) / max(abs(theirs), 1e-12)


def _places(rounds: Rounds, step: Step) -> list[tuple[int, int]]:
    """Dimensions and numbers of duels at which a step was measured."""
    return sorted({(row["d"], row["m"]) for row in rounds.rows if row["step"] == step and row["threads"] == 1})


def _place(d: int, m: int) -> tuple[Cell, Cell]:
    return Cell(str(d)), Cell(f"{m:,}")


def _table(
    title: str, headings: tuple[str, ...], lines: list[tuple[Cell, ...]], note: str = "", left: int = 0
) -> TextTable | None:
    return texts.table(title, headings, lines, note, left) if lines else None
