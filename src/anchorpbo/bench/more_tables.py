"""The tables of memory, start-up, growth and growth laws."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from anchorpbo.bench import texts
from anchorpbo.bench.contender import ASK_PAIR, ASK_SINGLE, FIT, INFER, Step
from anchorpbo.bench.laws import power_law, steepest
from anchorpbo.bench.measurement import Row
from anchorpbo.bench.names import NAMES, contender
from anchorpbo.bench.summary import Quantity, Ratio, Rounds, ratio
from anchorpbo.bench.workers import LIMIT
from anchorpbo.figures.text_table import MISSING, Cell, TextTable

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
"""What laws are fitted to, in words."""
_COMPARED: tuple[tuple[str, str, str, Step, str | None], ...] = (
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
COMPARISONS: dict[str, tuple[Quantity, Quantity]] = {
    f"{words}, {side}": (Quantity("botorch", step, part), Quantity(name, step, part))
    for words, name, side, step, part in _COMPARED
}
"""Theirs and ours, in words."""
_GROWTH = {
    "many_duels": "Many duels on few designs",
    "catalogue": "A long list with numbers",
    "fingerprints": "A list of fingerprints",
    "many_designs": "Many designs, by inducing designs",
    "inducing_error": "Inducing designs against the exact answer",
    "studies_at_once": "Studies at once",
}


def memory(rows: Sequence[Row]) -> TextTable | None:
    """Peaks of a fresh process."""
    found = [row for row in rows if row["section"] == "memory"]
    names = [name for name in NAMES if any(row["contender"] == name for row in found)]
    lines = []
    for m in sorted({row["m"] for row in found}):
        cells = []
        for name in names:
            row = next((row for row in found if row["m"] == m and row["contender"] == name), None)
            cells.append(Cell(MISSING) if row is None else _megabytes(row))
        lines.append((Cell(f"{m:,}" if m else "loaded only"), *cells))
    headings = ("duels", *(contender(name).title for name in names))
    note = "MB of 2^20 bytes, one whole round in four dimensions. > is what it had reached at the time limit."
    return texts.table("Peak memory", headings, lines, note) if lines else None


def _megabytes(row: Row) -> Cell:
    if row["status"] == "failed":
        return Cell("failed")
    if row["megabytes"] is None:
        return Cell(MISSING)
    return Cell(f"{'> ' if row['status'] == LIMIT else ''}{row['megabytes']:.0f}")


def startup(rows: Sequence[Row]) -> TextTable | None:
    """Medians of fresh processes."""
    found = [row for row in rows if row["section"] == "startup"]
    if not found:
        return None
    medians = {name: statistics.median(times) for name, times in found[-1]["seconds"].items() if times}
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
            lines.append((Cell(text), Cell(texts.duration(medians[name])), Cell(f"{over:.2f}")))
    note = (
        "A fresh process from its start to its end. An ask comes after ten duels in three dimensions. A fresh "
        "installation has no machine code yet."
    )
    headings = ("program", "time", "over the import of numpy, scipy and numba")
    return texts.table("Starting", headings, lines, note, left=1)


def growth(rows: Sequence[Row]) -> TextTable | None:
    """Every number of every case."""
    lines = []
    for row in rows:
        if row["section"] != "growth" or (row["case"] == "inferences" and row["status"] == "ok"):
            continue
        case = _GROWTH.get(row["case"], str(row["case"]))
        if row["status"] != "ok":
            text = f"> {row['limit']:g} s" if row["status"] == LIMIT else f"failed: {row['error']}"
            lines.append((Cell(case), Cell(""), Cell(text)))
            continue
        for name, value in row["found"].items():
            lines.append((Cell(case), *_number(name, value)))
        if row["megabytes"] is not None:
            lines.append((Cell(case), Cell("peak memory"), Cell(f"{row['megabytes']:.0f} MB")))
    return texts.table("Growth", ("case", "what", "found"), lines, left=2) if lines else None


def inferences(rows: Sequence[Row]) -> TextTable | None:
    """Fit and inference by every inference, a column a number of duels."""
    found = [
        row for row in rows if row["section"] == "growth" and row["case"] == "inferences" and row["status"] == "ok"
    ]
    if not found:
        return None
    times: dict[tuple[str, str], dict[int, float]] = {}
    for name, value in found[-1]["found"].items():
        model, what, m = name.split("/")
        times.setdefault((model, what), {})[int(m)] = value
    sizes = sorted({m for row in times.values() for m in row})
    words = {"fit": "fit and inference", "infer": "inference"}
    lines = [
        (Cell(model), Cell(words[what]), *(Cell(texts.duration(row[m])) for m in sizes))
        for (model, what), row in times.items()
    ]
    headings = ("model", "what", *(f"{m} duels" for m in sizes))
    note = "Four dimensions, five anchors, two starts of every fit."
    return texts.table("Inferences", headings, lines, note, left=2)


def _number(name: str, value: float) -> tuple[Cell, Cell]:
    if name.endswith("_seconds"):
        return Cell(name.removesuffix("_seconds").replace("_", " ")), Cell(texts.duration(value))
    text = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    return Cell(name.replace("_", " ")), Cell(text)


def laws(rows: Sequence[Row]) -> TextTable | None:
    """Exponents, and the steepest step beyond them."""
    rounds = Rounds(rows)
    lines = []
    for d in rounds.dimensions:
        for words, quantity in QUANTITIES.items():
            costs = rounds.costs(quantity, d)
            law = power_law(costs)
            step = None if law is None else steepest(costs, law)
            if law is None or step is None:
                continue
            sizes = sorted(costs)
            lines.append(
                (
                    Cell(words), Cell(str(d)), Cell(f"{law.exponent:.2f}"), Cell(texts.duration(law(100))),
                    Cell(f"{sizes[0]:,} to {sizes[-1]:,}"), Cell(f"{step.smaller:,} to {step.larger:,}"),
                    Cell(f"{step.ratio:.2f}"), Cell(f"{step.expected:.2f}"),
                )
            )  # fmt: skip
    headings = (
        "what", "d", "exponent", "by the law at 100 duels", "measured", "steepest step", "cost grows by",
        "by the law",
    )  # fmt: skip
    note = "Cost as a power of the number of duels, fitted from 50 duels on; steps are between neighbouring sizes."
    return texts.table("Growth laws", headings, lines, note, left=1) if lines else None


def extremes(rows: Sequence[Row]) -> TextTable | None:
    """The smallest and the largest ratio of every comparison, and where."""
    rounds = Rounds(rows)
    lines = []
    for words, (theirs, ours) in COMPARISONS.items():
        found = [
            (times.value, f"{m:,} duels, d = {d}")
            for d in rounds.dimensions
            for m in rounds.sizes
            if (times := ratio(rounds.cost(theirs, m, d), rounds.cost(ours, m, d))) is not None and not times.at_least
        ]
        if found:
            ends = ((texts.times(Ratio(value)), Cell(where)) for value, where in (min(found), max(found)))
            lines.append((Cell(words), *(cell for end in ends for cell in end)))
    headings = ("BoTorch over anchorpbo", "smallest", "where", "largest", "where")
    note = "Of the sizes at which both finished."
    return texts.table("The smallest and the largest ratios", headings, lines, note, left=1) if lines else None
