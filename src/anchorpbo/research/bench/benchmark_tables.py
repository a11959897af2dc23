"""The tables of the benchmark, each computed from the rows of results.jsonl."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.research.bench.contender import ASK_PAIR, ASK_SINGLE, CONTENDER_NAMES, FIT, INFER, Step, load_contender
from anchorpbo.research.bench.costs import (
    Quantity,
    RoundCosts,
    compute_ratio,
    format_cost,
    format_duration,
    format_ratio,
)
from anchorpbo.research.bench.measurement import Row, find_limit, is_stopped
from anchorpbo.research.bench.process_pool import STOPPED
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable

BOTORCH, OPTUNA, EQUAL, STUDY = "botorch", "optuna", "anchorpbo", "anchorpbo-study"
_CELL_HEADINGS = ("d", "duels", "studies")
_THREADED_STEPS: dict[Step, str] = {"round": "whole round", "between": "between fits"}
_MEDIANS_NOTE = (
    "Medians over the number of studies shown, fewer for a library that was stopped; a ratio divides medians over the "
    "same duels. > marks a run stopped at the time limit; in brackets, a run that was skipped because fewer duels "
    "already took longer than the limit. Not ready in time: the preparation, such as the fit before a step between "
    "fits or Optuna's first suggestion, took longer than the limit, so nothing was timed. A dash: not measured, or "
    "a ratio with neither a time nor a limit."
)


def format_number(value: float | None, form: str = ".3g") -> Cell:
    """Return a number as a cell."""
    return Cell(MISSING_TEXT if value is None else format(value, form))


def make_table(
    title: str, headings: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], note: str = "", left: int = 0
) -> TextTable:
    """Return a table with ``left`` columns aligned left and all others aligned right."""
    align = tuple("l" if column < left else "r" for column in range(len(headings)))
    return TextTable(title, headings, tuple(rows), align, note)


def tabulate_rounds(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate whole rounds: fit, then the next pair."""
    rounds = RoundCosts(rows)
    quantities = [Quantity(name, "round") for name in (BOTORCH, OPTUNA, EQUAL, STUDY)]
    lines = []
    for d, m in _list_cells(rounds, "round"):
        costs = [rounds.cost(quantity, m, d) for quantity in quantities]
        ratios = [
            format_ratio(compute_ratio(costs[0], costs[2])),
            format_ratio(compute_ratio(costs[0], costs[3])),
        ]
        lines.append((*_format_cell(rounds, "round", d, m), *map(format_cost, costs), *ratios))
    headings = (*_CELL_HEADINGS, "BoTorch", "Optuna", "anchorpbo, equal work", "anchorpbo, a study")
    ratios_of = ("BoTorch / equal work", "BoTorch / a study")
    return _make_table_if_any(
        "A whole round: hyper-parameters, then the next pair", (*headings, *ratios_of), lines, _MEDIANS_NOTE
    )


def tabulate_between_fits(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the next pair between two fits."""
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
        cells = (*map(format_cost, (theirs, equal, study)), *map(format_ratio, ratios))
        lines.append((*_format_cell(rounds, "between", d, m), *cells))
    headings = (
        *_CELL_HEADINGS, "BoTorch", "anchorpbo, equal work", "anchorpbo, a study", "BoTorch / equal work",
        "BoTorch / a study", "BoTorch with its fit / equal work", "BoTorch with its fit / a study",
    )  # fmt: skip
    return _make_table_if_any("Between fits: inference, then the next pair", headings, lines, _MEDIANS_NOTE)


def tabulate_parts(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate fit, inference and search separately, at equal work."""
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
                format_cost(theirs),
                format_cost(ours),
                format_ratio(compute_ratio(theirs, ours)),
            ]
        lines.append((*_format_cell(rounds, "round", d, m), *cells))
    headings = tuple(text for name in which for text in (f"{name}: BoTorch", "anchorpbo", "ratio"))
    return _make_table_if_any("The parts, at equal work", (*_CELL_HEADINGS, *headings), lines, _MEDIANS_NOTE)


def tabulate_single_designs(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the next single design between two fits."""
    rounds = RoundCosts(rows)
    lines = []
    for d, m in _list_cells(rounds, "single"):
        search = rounds.cost(Quantity(BOTORCH, "single", ASK_SINGLE), m, d)
        theirs, equal, study = (rounds.cost(Quantity(name, "single"), m, d) for name in (BOTORCH, EQUAL, STUDY))
        ratios = (compute_ratio(theirs, equal), compute_ratio(search, study), compute_ratio(theirs, study))
        cells = (*map(format_cost, (search, theirs, equal, study)), *map(format_ratio, ratios))
        lines.append((*_format_cell(rounds, "single", d, m), *cells))
    headings = (
        *_CELL_HEADINGS, "BoTorch UCB, search", "with inference", "anchorpbo UCB, with inference",
        "anchorpbo RAHBO by HB, a study", "with inference / UCB", "search / RAHBO", "with inference / RAHBO",
    )  # fmt: skip
    return _make_table_if_any("A single design between fits", headings, lines, _MEDIANS_NOTE)


def tabulate_threads(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate times with one thread and with each library's default number of threads."""
    rounds = RoundCosts(rows)
    lines = []
    for m, d in sorted({(row["m"], row["d"]) for row in rounds.rows if row["threads"] == 0}):
        for step, name in _THREADED_STEPS.items():
            for count in (1, 0):
                theirs, equal, study = (
                    rounds.cost(Quantity(each, step), m, d, count) for each in (BOTORCH, EQUAL, STUDY)
                )
                cells = (
                    *map(format_cost, (theirs, equal, study)),
                    format_ratio(compute_ratio(theirs, equal)),
                )
                label, place = "one" if count else "default", _format_cell(rounds, step, d, m, count)
                lines.append((Cell(name), Cell(label), *place, *cells, format_ratio(compute_ratio(theirs, study))))
    headings = (
        "what", "threads", *_CELL_HEADINGS, "BoTorch", "anchorpbo, equal work", "anchorpbo, a study",
        "BoTorch / equal work", "BoTorch / a study",
    )  # fmt: skip
    return _make_table_if_any("One thread, and the libraries' own choice", headings, lines, _MEDIANS_NOTE, left=2)


def _list_cells(rounds: RoundCosts, step: Step) -> list[tuple[int, int]]:
    """Return the (dimension, number of duels) pairs at which a step was measured."""
    return sorted({(row["d"], row["m"]) for row in rounds.rows if row["step"] == step and row["threads"] == 1})


def _format_cell(rounds: RoundCosts, step: Step, d: int, m: int, threads: int = 1) -> tuple[Cell, Cell, Cell]:
    return Cell(str(d)), Cell(f"{m:,}"), Cell(str(rounds.studies(step, m, d, threads)))


def _make_table_if_any(
    title: str, headings: tuple[str, ...], lines: list[tuple[Cell, ...]], note: str = "", left: int = 0
) -> TextTable | None:
    return make_table(title, headings, lines, note, left) if lines else None


_CASE_TITLES = {
    "many_duels": "Many duels on few designs",
    "catalogue": "A long list with numbers",
    "fingerprints": "A list of fingerprints",
    "many_designs": "Many designs, by inducing points",
    "inducing_error": "Inducing points against the exact answer",
    "studies_at_once": "Studies at once",
}


def tabulate_memory(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the peak memory of a fresh process."""
    found = [row for row in rows if row["section"] == "memory"]
    names = [name for name in CONTENDER_NAMES if any(row["contender"] == name for row in found)]
    lines = []
    for m in sorted({row["m"] for row in found}):
        cells = []
        for name in names:
            same = [row for row in reversed(found) if row["m"] == m and row["contender"] == name]
            row = max(same, key=lambda row: row["status"] == "ok", default=None)  # the latest that ended well
            cells.append(Cell(MISSING_TEXT) if row is None else _format_megabytes(row))
        lines.append((Cell(f"{m:,}" if m else "loaded only"), *cells))
    headings = ("duels", *(load_contender(name).title for name in names))
    note = "MB of 2^20 bytes, one whole round in four dimensions. > is the memory reached at the time limit."
    return make_table("Peak memory", headings, lines, note) if lines else None


def _format_megabytes(row: Row) -> Cell:
    if row["status"] == "failed":
        return Cell(f"not ready in {find_limit(row):g} s" if is_stopped(row) else "failed")
    if row["megabytes"] is None:
        return Cell(MISSING_TEXT)
    return Cell(f"{'> ' if row['status'] == STOPPED else ''}{row['megabytes']:.0f}")


def tabulate_startup(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the median run time of fresh processes."""
    found = [row for row in rows if row["section"] == "startup"]
    if not found:
        return None
    row = max(reversed(found), key=lambda row: row.get("repeats", 0))  # the latest of the longest
    medians = {name: statistics.median(times) for name, times in row["seconds"].items() if times}
    words = {
        "python": "Python alone",
        "numpy": "import numpy",
        "anchorpbo": "import numpy, anchorpbo",
        "stack": "import numpy, scipy.linalg, scipy.optimize, scipy.special, numba",
        "first ask": "anchorpbo's first ask",
        "first ask, cold": "the same after a fresh installation",
        "botorch": "import botorch",
        "botorch first ask": "BoTorch's first ask",
    }
    lines = []
    for name, text in words.items():
        if name in medians:
            over = medians[name] / medians["stack"]
            lines.append((Cell(text), Cell(format_duration(medians[name])), Cell(f"{over:.2f}")))
    note = (
        "A fresh process from its start to its end. An ask comes after ten duels in three dimensions. A fresh "
        "installation has no machine code yet."
    )
    headings = ("program", "time", "over the import of numpy, scipy and numba")
    return make_table("Starting", headings, lines, note, left=1)


def tabulate_growth(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate every number of every growth case."""
    lines = []
    for row in _select_cases(rows):
        if row["case"] == "inferences" and row["status"] == "ok":
            continue
        case = _CASE_TITLES.get(row["case"], str(row["case"]))
        if row["status"] != "ok":
            text = f"> {row['limit']:g} s" if row["status"] == STOPPED else f"failed: {row['error']}"
            lines.append((Cell(case), Cell(""), Cell(text)))
            continue
        for name, value in row["found"].items():
            lines.append((Cell(case), *_format_growth_number(name, value)))
        if row["megabytes"] is not None:
            lines.append((Cell(case), Cell("peak memory"), Cell(f"{row['megabytes']:.0f} MB")))
    return make_table("Growth", ("case", "what", "found"), lines, left=2) if lines else None


def _select_cases(rows: Sequence[Row]) -> list[Row]:
    """Return one row per case; prefer successful rows, then full-size ones, then the latest."""
    best: dict[str, Row] = {}
    for row in rows:
        if row["section"] == "growth":
            rivals = (row, best.get(row["case"], row))
            best[row["case"]] = max(rivals, key=lambda each: (each["status"] == "ok", not each["quick"]))
    return list(best.values())


def tabulate_inferences(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the time of fit and inference of every inference method, one column per number of duels."""
    found = [row for row in _select_cases(rows) if row["case"] == "inferences" and row["status"] == "ok"]
    if not found:
        return None
    times: dict[tuple[str, str], dict[int, float]] = {}
    for name, value in found[-1]["found"].items():
        model, what, m = name.split("/")
        times.setdefault((model, what), {})[int(m)] = value
    sizes = sorted({m for row in times.values() for m in row})
    words = {"fit": "fit and inference", "infer": "inference"}
    lines = [
        (Cell(model), Cell(words[what]), *(Cell(format_duration(row[m])) for m in sizes))
        for (model, what), row in times.items()
    ]
    headings = ("model", "what", *(f"{m} duels" for m in sizes))
    note = "Four dimensions, five anchors, two starts of every fit."
    return make_table("Inferences", headings, lines, note, left=2)


def _format_growth_number(name: str, value: float) -> tuple[Cell, Cell]:
    if name.endswith("_seconds"):
        return Cell(name.removesuffix("_seconds").replace("_", " ")), Cell(format_duration(value))
    text = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    return Cell(name.replace("_", " ")), Cell(text)


def tabulate_values(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate the values that both searches found, under BoTorch's acquisition function."""
    lines = []
    for (d, m), row in sorted(_select_rows(rows).items()):
        well = _list_successes(row)
        found = [[_compute_gain(answer, name) for answer in well] for name in ("pair", "single")]
        apart = max((answer["mean_difference"] for answer in well), default=None)
        cells = [
            format_number(number, ".1e")
            for number in (apart, *_find_least_and_median(found[0]), *_find_least_and_median(found[1]))
        ]
        for name in ("evidence", "objective"):
            differences = [_subtract(answer, name) for answer in well if f"{name}_ours" in answer]
            cells += [format_number(number, "+.2f") for number in _find_least_and_median(differences)]
        lines.append((Cell(str(d)), Cell(f"{m:,}"), _format_studies(row), *cells))
    headings = (
        "d", "duels", "studies", "largest difference of posterior means", "pair: least gain", "median",
        "design: least gain", "median", "evidence of our fit less that of theirs: least", "median",
        "BoTorch's objective at our fit less at theirs: least", "median",
    )  # fmt: skip
    note = (
        "A gain is BoTorch's acquisition value at our design minus that at BoTorch's design, divided by the size of "
        "the latter. BoTorch's objective is the function its fit maximises, priors included. Studies that ran out of "
        "time or whose fit failed are left out. A dash: not measured."
    )
    return make_table("The values found, BoTorch as the referee", headings, lines, note) if lines else None


def list_gains(rows: Sequence[Row]) -> list[float]:
    """Return the relative gain of every search compared, for pairs and single designs."""
    well = [answer for row in _select_rows(rows).values() for answer in _list_successes(row)]
    return [_compute_gain(answer, name) for answer in well for name in ("pair", "single")]


def _select_rows(rows: Sequence[Row]) -> dict[tuple[int, int], Row]:
    """Return one row per (dimension, duels): the row with most studies compared, then the latest."""
    best: dict[tuple[int, int], Row] = {}
    for row in rows:
        if row["section"] == "values":
            where = row["d"], row["m"]
            best[where] = max(row, best.get(where, row), key=lambda each: len(_list_successes(each)))
    return best


def _list_successes(row: Row) -> list[Row]:
    return [answer for answer in row["runs"] if answer["status"] == "ok"]


def _format_studies(row: Row) -> Cell:
    """Return the number of studies compared, then the numbers stopped and failed."""
    stopped = [find_limit(answer) for answer in row["runs"] if is_stopped(answer)]
    failed = len(row["runs"]) - len(_list_successes(row)) - len(stopped)
    remarks = [f"{len(stopped)} out of time at {max(stopped):g} s"] if stopped else []
    remarks += [f"{failed} failed"] if failed else []
    return Cell(", ".join([f"{len(_list_successes(row))} of {len(row['runs'])}", *remarks]))


def _find_least_and_median(numbers: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the least number and the median."""
    return (min(numbers), statistics.median(numbers)) if numbers else (None, None)


def _subtract(answer: Row, name: str) -> float:
    return float(answer[f"{name}_ours"]) - float(answer[f"{name}_theirs"])


def _compute_gain(answer: Row, name: str) -> float:
    return _subtract(answer, name) / max(abs(float(answer[f"{name}_theirs"])), 1e-12)


def tabulate_failures(rows: Sequence[Row]) -> TextTable | None:
    """Tabulate how often BoTorch's fit raised an error."""
    rounds = RoundCosts(rows)
    lines = []
    for m in rounds.sizes:
        found = [rounds.cost(Quantity("botorch", "round"), m, d) for d in rounds.dimensions]
        costs = [cost for cost in found if cost is not None]
        if costs:
            stopped = sum(cost.limit is not None for cost in costs)
            counts = (m, sum(cost.tried for cost in costs), sum(cost.failed for cost in costs), stopped)
            lines.append(tuple(Cell(f"{count:,}") for count in counts))
    headings = ("duels", "rounds tried", "fit raised an error", "stopped at the limit")
    note = "The last column counts dimensions, including those skipped because fewer duels already took too long."
    return make_table("BoTorch's fits", headings, lines, note) if lines else None
