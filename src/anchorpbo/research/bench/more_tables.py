"""The tables of memory, start-up, growth and inferences."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.names import CONTENDERS, load_contender
from anchorpbo.research.bench.process_pool import STOPPED
from anchorpbo.research.bench.stopped import find_limit, is_stopped
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable

_CASE_TITLES = {
    "many_duels": "Many duels on few designs",
    "catalogue": "A long list with numbers",
    "fingerprints": "A list of fingerprints",
    "many_designs": "Many designs, by inducing designs",
    "inducing_error": "Inducing designs against the exact answer",
    "studies_at_once": "Studies at once",
}


def tabulate_memory(rows: Sequence[Row]) -> TextTable | None:
    """Peaks of a fresh process."""
    found = [row for row in rows if row["section"] == "memory"]
    names = [name for name in CONTENDERS if any(row["contender"] == name for row in found)]
    lines = []
    for m in sorted({row["m"] for row in found}):
        cells = []
        for name in names:
            same = [row for row in reversed(found) if row["m"] == m and row["contender"] == name]
            row = max(same, key=lambda row: row["status"] == "ok", default=None)  # the latest that ended well
            cells.append(Cell(MISSING_TEXT) if row is None else _format_megabytes(row))
        lines.append((Cell(f"{m:,}" if m else "loaded only"), *cells))
    headings = ("duels", *(load_contender(name).title for name in names))
    note = "MB of 2^20 bytes, one whole round in four dimensions. > is what it had reached at the time limit."
    return texts.make_table("Peak memory", headings, lines, note) if lines else None


def _format_megabytes(row: Row) -> Cell:
    if row["status"] == "failed":
        return Cell(f"not ready in {find_limit(row):g} s" if is_stopped(row) else "failed")
    if row["megabytes"] is None:
        return Cell(MISSING_TEXT)
    return Cell(f"{'> ' if row['status'] == STOPPED else ''}{row['megabytes']:.0f}")


def tabulate_startup(rows: Sequence[Row]) -> TextTable | None:
    """Medians of fresh processes."""
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
            lines.append((Cell(text), Cell(texts.format_duration(medians[name])), Cell(f"{over:.2f}")))
    note = (
        "A fresh process from its start to its end. An ask comes after ten duels in three dimensions. A fresh "
        "installation has no machine code yet."
    )
    headings = ("program", "time", "over the import of numpy, scipy and numba")
    return texts.make_table("Starting", headings, lines, note, left=1)


def tabulate_growth(rows: Sequence[Row]) -> TextTable | None:
    """Every number of every case."""
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
            lines.append((Cell(case), *_format_number(name, value)))
        if row["megabytes"] is not None:
            lines.append((Cell(case), Cell("peak memory"), Cell(f"{row['megabytes']:.0f} MB")))
    return texts.make_table("Growth", ("case", "what", "found"), lines, left=2) if lines else None


def _select_cases(rows: Sequence[Row]) -> list[Row]:
    """A line a case: rather one that ended well, and not a quick one; the latest of these."""
    best: dict[str, Row] = {}
    for row in rows:
        if row["section"] == "growth":
            rivals = (row, best.get(row["case"], row))
            best[row["case"]] = max(rivals, key=lambda each: (each["status"] == "ok", not each["quick"]))
    return list(best.values())


def tabulate_inferences(rows: Sequence[Row]) -> TextTable | None:
    """Fit and inference by every inference, a column a number of duels."""
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
        (Cell(model), Cell(words[what]), *(Cell(texts.format_duration(row[m])) for m in sizes))
        for (model, what), row in times.items()
    ]
    headings = ("model", "what", *(f"{m} duels" for m in sizes))
    note = "Four dimensions, five anchors, two starts of every fit."
    return texts.make_table("Inferences", headings, lines, note, left=2)


def _format_number(name: str, value: float) -> tuple[Cell, Cell]:
    if name.endswith("_seconds"):
        return Cell(name.removesuffix("_seconds").replace("_", " ")), Cell(texts.format_duration(value))
    text = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    return Cell(name.replace("_", " ")), Cell(text)
