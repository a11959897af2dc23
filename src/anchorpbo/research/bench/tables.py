"""The tables of rounds: everything in them is computed from the lines of the results."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.contender import ASK_PAIR, ASK_SINGLE, FIT, INFER, Step
from anchorpbo.research.bench.costs import Quantity, RoundCosts, compute_ratio
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.figures.text_table import Cell, TextTable

BOTORCH, OPTUNA, EQUAL, STUDY = "botorch", "optuna", "anchorpbo", "anchorpbo-study"
_CELL_HEADINGS = ("d", "duels", "studies")
_THREADED_STEPS: dict[Step, str] = {"round": "whole round", "between": "between fits"}
_MEDIANS_NOTE = (
    "Medians over so many studies, fewer for a library that was stopped; a ratio is one of medians over the same "
    "duels. > is the time limit, at which it was stopped; in brackets, not tried, since fewer duels had taken "
    "longer. Not ready in time: what comes before, such as the fit between fits or Optuna's first suggestion, "
    "took longer than the limit, so that there was nothing to time. A dash: not measured, or a ratio without a "
    "time or a limit to form it from."
)


def tabulate_rounds(rows: Sequence[Row]) -> TextTable | None:
    """Fit and the next pair."""
    rounds = RoundCosts(rows)
    quantities = [Quantity(name, "round") for name in (BOTORCH, OPTUNA, EQUAL, STUDY)]
    lines = []
    for d, m in _list_cells(rounds, "round"):
        costs = [rounds.cost(quantity, m, d) for quantity in quantities]
        ratios = [
            texts.format_ratio(compute_ratio(costs[0], costs[2])),
            texts.format_ratio(compute_ratio(costs[0], costs[3])),
        ]
        lines.append((*_format_cell(rounds, "round", d, m), *map(texts.format_cost, costs), *ratios))
    headings = (*_CELL_HEADINGS, "BoTorch", "Optuna", "anchorpbo, equal work", "anchorpbo, a study")
    ratios_of = ("BoTorch / equal work", "BoTorch / a study")
    return _make_table_if_any(
        "A whole round: hyper-parameters, then the next pair", (*headings, *ratios_of), lines, _MEDIANS_NOTE
    )


def tabulate_between_fits(rows: Sequence[Row]) -> TextTable | None:
    """The next pair between two fits."""
    rounds = RoundCosts(rows)
    lines = []
    for d, m in _list_cells(rounds, "between"):
        full = rounds.cost(Quantity(BOTORCH, "round"), m, d)
        theirs, equal, study = (rounds.cost(Quantity(name, "between"), m, d) for name in (BOTORCH, EQUAL, STUDY))
        ratios = (
            compute_ratio(theirs, equal),
            compute_ratio(theirs, study),
            compute_ratio(full, equal),
            compute_ratio(full, study),
        )
        cells = (*map(texts.format_cost, (theirs, equal, study)), *map(texts.format_ratio, ratios))
        lines.append((*_format_cell(rounds, "between", d, m), *cells))
    headings = (
        *_CELL_HEADINGS, "BoTorch", "anchorpbo, equal work", "anchorpbo, a study", "BoTorch / equal work", "BoTorch / a study",
        "BoTorch with its fit / equal work", "BoTorch with its fit / a study",
    )  # fmt: skip
    return _make_table_if_any("Between fits: inference, then the next pair", headings, lines, _MEDIANS_NOTE)


def tabulate_parts(rows: Sequence[Row]) -> TextTable | None:
    """Fit, inference and search one by one, at equal work."""
    rounds = RoundCosts(rows)
    which: dict[str, tuple[Step, str]] = {
        "fit": ("round", FIT), "inference": ("between", INFER), "search of a pair": ("round", ASK_PAIR),
        "search of a design": ("single", ASK_SINGLE),
    }  # fmt: skip
    lines = []
    for d, m in _list_cells(rounds, "round"):
        cells: list[Cell] = []
        for step, part in which.values():
            theirs, ours = (rounds.cost(Quantity(name, step, part), m, d) for name in (BOTORCH, EQUAL))
            cells += [
                texts.format_cost(theirs),
                texts.format_cost(ours),
                texts.format_ratio(compute_ratio(theirs, ours)),
            ]
        lines.append((*_format_cell(rounds, "round", d, m), *cells))
    headings = tuple(text for name in which for text in (f"{name}: BoTorch", "anchorpbo", "ratio"))
    return _make_table_if_any("The parts, at equal work", (*_CELL_HEADINGS, *headings), lines, _MEDIANS_NOTE)


def tabulate_single_designs(rows: Sequence[Row]) -> TextTable | None:
    """The next single design between two fits."""
    rounds = RoundCosts(rows)
    lines = []
    for d, m in _list_cells(rounds, "single"):
        search = rounds.cost(Quantity(BOTORCH, "single", ASK_SINGLE), m, d)
        theirs, equal, study = (rounds.cost(Quantity(name, "single"), m, d) for name in (BOTORCH, EQUAL, STUDY))
        ratios = (compute_ratio(theirs, equal), compute_ratio(search, study), compute_ratio(theirs, study))
        cells = (*map(texts.format_cost, (search, theirs, equal, study)), *map(texts.format_ratio, ratios))
        lines.append((*_format_cell(rounds, "single", d, m), *cells))
    headings = (
        *_CELL_HEADINGS, "BoTorch UCB, search", "with inference", "anchorpbo UCB, with inference",
        "anchorpbo RAHBO by HB, a study", "with inference / UCB", "search / RAHBO", "with inference / RAHBO",
    )  # fmt: skip
    return _make_table_if_any("A single design between fits", headings, lines, _MEDIANS_NOTE)


def tabulate_threads(rows: Sequence[Row]) -> TextTable | None:
    """One thread and the libraries' own choice."""
    rounds = RoundCosts(rows)
    lines = []
    for m, d in sorted({(row["m"], row["d"]) for row in rounds.rows if row["threads"] == 0}):
        for step, name in _THREADED_STEPS.items():
            for count in (1, 0):
                theirs, equal, study = (
                    rounds.cost(Quantity(each, step), m, d, count) for each in (BOTORCH, EQUAL, STUDY)
                )
                cells = (
                    *map(texts.format_cost, (theirs, equal, study)),
                    texts.format_ratio(compute_ratio(theirs, equal)),
                )
                label, place = "one" if count else "default", _format_cell(rounds, step, d, m, count)
                lines.append(
                    (Cell(name), Cell(label), *place, *cells, texts.format_ratio(compute_ratio(theirs, study)))
                )
    headings = (
        "what", "threads", *_CELL_HEADINGS, "BoTorch", "anchorpbo, equal work", "anchorpbo, a study",
        "BoTorch / equal work", "BoTorch / a study",
    )  # fmt: skip
    return _make_table_if_any("One thread, and the libraries' own choice", headings, lines, _MEDIANS_NOTE, left=2)


def _list_cells(rounds: RoundCosts, step: Step) -> list[tuple[int, int]]:
    """Dimensions and numbers of duels at which a step was measured."""
    return sorted({(row["d"], row["m"]) for row in rounds.rows if row["step"] == step and row["threads"] == 1})


def _format_cell(rounds: RoundCosts, step: Step, d: int, m: int, threads: int = 1) -> tuple[Cell, Cell, Cell]:
    return Cell(str(d)), Cell(f"{m:,}"), Cell(str(rounds.studies(step, m, d, threads)))


def _make_table_if_any(
    title: str, headings: tuple[str, ...], lines: list[tuple[Cell, ...]], note: str = "", left: int = 0
) -> TextTable | None:
    return texts.make_table(title, headings, lines, note, left) if lines else None
