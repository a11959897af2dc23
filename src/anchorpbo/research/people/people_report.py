"""The report of the benchmark with real people: means over people, paired differences, and tables.

::

    OUT/people/predictions.csv      one row per data set, target, number of answers told, contender and measure
    OUT/people/replays.csv          one row per sample, contender and measure
    OUT/people/consistency.csv      one row per measure
    OUT/people/agreement.csv        one row per listener, model, number of repetitions told and target
    OUT/people/agreement-bands.csv  one row per band of the predicted agreement, model, repetitions told and target
    OUT/people/contradictions.csv   one row per definition of anchors and measure
    OUT/people/population.csv       one row per setting, definition of anchors, noise map and measure
    OUT/people/simulated.csv        likewise
    OUT/people/person.csv           likewise
    OUT/people/tables.md            tables, computed from these files
    OUT/people/agreement.png, .pdf  predicted against observed agreement

People are independent: means have 95 % t intervals over people. ``gap`` is the mean difference of the default preset
less the contender over the people of both, with its interval; people who lack a measure do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from anchorpbo.errors import InputError
from anchorpbo.research.answers.study_metrics import list_present
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.strategy_styles import save_figure
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable, keep_together
from anchorpbo.research.people.agreement_figure import plot_agreement
from anchorpbo.research.people.answer_consistency import ConsistencyTask
from anchorpbo.research.people.answer_prediction import MEASURES, PREDICTION_SIZES, PredictionTask, average_by_person
from anchorpbo.research.people.evidence_tables import EVIDENCE_TABLES
from anchorpbo.research.people.noise_report import summarise_maps
from anchorpbo.research.people.order_replay import ReplayTask, measure_users
from anchorpbo.research.people.people_contenders import OURS, PEOPLE_CONTENDERS
from anchorpbo.research.people.person_orders import PersonTask, list_persons
from anchorpbo.research.people.population_orders import (
    PopulationTask,
    SimulatedPopulationTask,
    list_population,
    list_simulated,
)
from anchorpbo.research.people.repeat_agreement import AgreementTask, average_bands, average_listeners
from anchorpbo.research.people.score_contradictions import ContradictionTask

PEOPLE_FOLDER, TABLES_FILE = "people", "tables.md"
AGREEMENT_FIGURE = "agreement"
NOISE_SUMMARIES = ("population", "simulated", "person")
"""Summaries of comparisons of noise maps."""
Tables = Mapping[str, tuple[str, Callable[[pl.DataFrame], TextTable]]]
Summaries = Mapping[str, pl.DataFrame]
"""Summaries by the name of their file."""


# -- summaries ---------------------------------------------------------------------------------------------------------


def summarise_people(store: RecordStore, answers: int) -> dict[str, pl.DataFrame]:
    """Return the summaries of all records in a folder, whichever call of the command ran them.

    Parameters
    ----------
    store
        Folder of records.
    answers
        Number of answers of a replay; shorter ones are left out.
    """
    found = {}
    predictions, replays, consistency = (
        store.read_kind(task.kind) for task in (PredictionTask, ReplayTask, ConsistencyTask)
    )
    if predictions is not None:
        found["predictions"] = compare_people(average_by_person(predictions), ("dataset", "target", "told"))
    if replays is not None:
        found["replays"] = compare_people(measure_users(replays, answers), ("sample",))
    if consistency is not None:
        most = consistency.filter(pl.col("listeners") == pl.col("listeners").max())
        found["consistency"] = most.select("measure", "people", "mean", "low", "high")
    found |= _summarise_evidence(store)
    if not found:
        raise InputError("there must be records to read", "none", "run the benchmark first")
    return found


def _summarise_evidence(store: RecordStore) -> dict[str, pl.DataFrame]:
    """Return the summaries of the page on the evidence for anchors."""
    found: dict[str, pl.DataFrame] = {}
    agreement, contradictions = (store.read_kind(task.kind) for task in (AgreementTask, ContradictionTask))
    if agreement is not None:
        found |= {"agreement": average_listeners(agreement), "agreement-bands": average_bands(agreement)}
    if contradictions is not None:
        most = contradictions.filter(pl.col("persons") == pl.col("persons").max())
        found["contradictions"] = most.select("anchors", "measure", "people", "pairs", "mean", "low", "high")
    comparisons: dict[str, tuple[type[ExperimentTask], Callable[[pl.DataFrame], pl.DataFrame]]] = {
        "population": (PopulationTask, list_population),
        "simulated": (SimulatedPopulationTask, list_simulated),
        "person": (PersonTask, list_persons),
    }
    for name, (task, list_settings) in comparisons.items():
        records = store.read_kind(task.kind)
        if records is not None:
            found[name] = summarise_maps(list_settings(records))
    return found


def compare_people(people: pl.DataFrame, group: Sequence[str]) -> pl.DataFrame:
    """Return the mean of each measure and the paired difference of the default preset less the contender.

    Parameters
    ----------
    people
        One row per group, contender and person, with a column per measure.
    group
        Columns of the group, such as the data set.
    """
    measures = [name for name in people.columns if name not in (*group, "contender", "person")]
    ours = people.filter(pl.col("contender") == OURS).drop("contender")
    paired = people.join(ours, on=[*group, "person"], how="left", suffix="_ours", maintain_order="left")
    rows = []
    for key, part in paired.sort(*group, maintain_order=True).group_by(*group, "contender", maintain_order=True):
        for measure in measures:
            values = part[measure].drop_nulls().to_numpy()
            gaps = (part[f"{measure}_ours"] - part[measure]).drop_nulls().to_numpy()
            if len(values):
                compared = key[-1] != OURS and len(gaps)
                rows.append(
                    (*key, measure, len(values), *_bounds(values), *(_bounds(gaps) if compared else [None] * 3))
                )
    names = [*group, "contender", "measure", "people", "mean", "low", "high", "gap", "gap_low", "gap_high"]
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


def _bounds(values: np.ndarray) -> tuple[float, float, float]:
    over = Interval.of_mean(values)
    return over.mean, over.low, over.high


# -- tables ------------------------------------------------------------------------------------------------------------


def tabulate_predictions(summary: pl.DataFrame, measure: str) -> TextTable:
    """Return a measure of the predictions: a row per data set, target and number of answers, a column per contender."""
    rows = []
    part = summary.filter(pl.col("measure") == measure)
    contenders = _list_contenders(part)
    order = {name: number for number, name in enumerate(PREDICTION_SIZES)}
    settings = part.select("dataset", "target", "told").unique().rows()
    for dataset, target, told in sorted(settings, key=lambda each: (order[each[0]], each[1] != "retest", each[2])):
        setting = part.filter(pl.col("dataset") == dataset, pl.col("target") == target, pl.col("told") == told)
        values = {row["contender"]: row for row in setting.to_dicts()}
        best = max(row["mean"] for row in values.values())
        cells = [_describe_prediction(values.get(name), best) for name in contenders]
        people = max(row["people"] for row in values.values())
        data = dataset if target == "rest" else f"{dataset}, {target}"
        rows.append((Cell(data), Cell(str(told)), Cell(str(people)), *cells))
    headings = ("data", "told", "people", *(PEOPLE_CONTENDERS[name].title for name in contenders))
    note = (
        "Told: number of answers that the model knows. Means over people; the largest of a row is bold. In brackets, "
        "the difference of the default preset less the contender, paired by person, with its 95 % interval."
    )
    title = {"log_likelihood": "Mean log likelihood of an answer", "accuracy": "Share of answers predicted"}[measure]
    return TextTable(title, headings, tuple(rows), ("l", "r", "r", *("r" * len(contenders))), note)


def _describe_prediction(row: Mapping[str, float] | None, best: float) -> Cell:
    if row is None:
        return Cell(MISSING_TEXT)
    return Cell(f"{row['mean']:.3f}{_format_gap(row, 3)}", row["mean"] == best)


_REPLAY_COLUMNS: Mapping[str, tuple[str, int]] = {
    "area": ("area", 2),
    "share_5": ("share after 5", 2),
    "share_9": ("after 9", 2),
    "share_20": ("after 20", 2),
    "answers": ("answers to the best", 1),
    "found": ("found", 2),
    "stopped": ("told to stop", 2),
    "right": ("right then", 2),
}
"""Heading and number of decimals by measure."""


def tabulate_replays(summary: pl.DataFrame) -> TextTable:
    """Return the replays: a row per sample and contender."""
    shown = [name for name in _REPLAY_COLUMNS if name in summary["measure"]]
    rows = []
    for sample in sorted(summary["sample"].unique().to_list()):
        for contender in _list_contenders(summary):
            part = summary.filter(pl.col("sample") == sample, pl.col("contender") == contender)
            values = {row["measure"]: row for row in part.to_dicts()}
            if values:
                cells = [_describe_replay(values.get(name), _REPLAY_COLUMNS[name][1], name) for name in shown]
                head = (sample, PEOPLE_CONTENDERS[contender].title, str(values["area"]["people"]))
                rows.append((*map(Cell, head), *cells))
    headings = ("sample", "contender", "people", *(_REPLAY_COLUMNS[name][0] for name in shown))
    note = (
        "Share of the recommended kind: 1 is the person's favourite of ten, 0 the median, -1 the last; the area is its "
        "mean over all answers. Answers to the best: the answer from which on the favourite is recommended. In "
        "brackets, the difference of the default preset less the contender, paired by person, with its 95 % interval."
    )
    align = ("l", "l", "r", *("r" * len(shown)))
    return TextTable("Replays of orders of ten kinds of sushi", headings, tuple(rows), align, note)


def _describe_replay(row: Mapping[str, float] | None, decimals: int, measure: str) -> Cell:
    if row is None:
        return Cell(MISSING_TEXT)
    gap = _format_gap(row, decimals) if measure in ("area", "answers") else ""
    return Cell(f"{row['mean']:.{decimals}f}{gap}")


def tabulate_consistency(summary: pl.DataFrame) -> TextTable:
    """Return the consistency: a row per measure."""
    rows = [
        (Cell(row["measure"]), Cell(f"{row['mean']:.3f}"), Cell(f"{row['low']:.3f} to {row['high']:.3f}"))
        for row in summary.to_dicts()
    ]
    return TextTable(
        "Consistency of listeners", ("measure", "share", "95 % interval"), tuple(rows), ("l", "r", "r"),
        f"{summary['people'].to_numpy().max()} listeners who compared the same pairs up to five times.",
    )  # fmt: skip


def _list_contenders(summary: pl.DataFrame) -> list[str]:
    return list_present(summary, "contender", tuple(PEOPLE_CONTENDERS))


def _format_gap(row: Mapping[str, float | None], decimals: int) -> str:
    gap, low, high = row["gap"], row["gap_low"], row["gap_high"]
    # The difference of one person has no interval.
    if gap is None or low is None or high is None or not np.isfinite(low):
        return ""
    return " " + keep_together(f"({Interval(gap, low, high).format_half_width(decimals, signed=True)})")


PEOPLE_TABLES: dict[str, tuple[str, Callable[[pl.DataFrame], TextTable]]] = {
    **{
        f"people-{measure.replace('_', '-')}": ("predictions", partial(tabulate_predictions, measure=measure))
        for measure in MEASURES
    },
    "people-replays": ("replays", tabulate_replays),
    "people-consistency": ("consistency", tabulate_consistency),
}
"""Tables of the page on answers by name: the summary each is made from, and the function that makes it."""


# -- files -------------------------------------------------------------------------------------------------------------


def render_people_tables(summaries: Summaries) -> dict[str, str]:
    """Return the tables of the page on answers as Markdown, by name."""
    return _render(summaries, PEOPLE_TABLES)


def render_evidence_tables(summaries: Summaries) -> dict[str, str]:
    """Return the tables of the page on the evidence for anchors as Markdown, by name."""
    return _render(summaries, EVIDENCE_TABLES)


def _render(summaries: Summaries, tables: Tables) -> dict[str, str]:
    return {
        name: build(summaries[source]).to_markdown() for name, (source, build) in tables.items() if source in summaries
    }


def write_people_report(summaries: Summaries, folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    tables = [*render_people_tables(summaries).values(), *render_evidence_tables(summaries).values()]
    text = "\n".join(["# Real people\n", *tables])
    files = {folder / f"{name}.csv": summary.write_csv().encode() for name, summary in summaries.items()}
    written = write_files({**files, folder / TABLES_FILE: text.encode()})
    if "agreement" in summaries and "agreement-bands" in summaries:
        picture = plot_agreement(summaries["agreement"], summaries["agreement-bands"])
        written += save_figure(picture, folder / AGREEMENT_FIGURE)
    return written


def add_to_report(summaries: Summaries, folder: Path) -> list[Path]:
    """Write summaries beside those of a report, whose files of the same names are replaced; return all paths."""
    return write_people_report({**read_summaries(folder), **summaries}, folder)


def read_summaries(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the summaries of a report."""
    sources = dict.fromkeys(source for source, _ in [*PEOPLE_TABLES.values(), *EVIDENCE_TABLES.values()])
    types = {"told": pl.String} | dict.fromkeys(("low", "high"), pl.Float64)
    found = {name: path for name in sources if (path := folder / f"{name}.csv").exists()}
    return {
        name: pl.read_csv(path, schema_overrides=types if name in NOISE_SUMMARIES else None)
        for name, path in found.items()
    }
