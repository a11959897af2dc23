"""The report of ``anchorpbo bench anchors``: summaries, tables and figures.

::

    OUT/anchors/experts.csv      one row per simulated expert: the verdict on the anchors
    OUT/anchors/validation.csv   one row per shares of checks and repeats, case and measure
    OUT/anchors/learnt.csv       one row per problem and arm, paired difference or ratio of areas
    OUT/anchors/curves.csv       one row per arm and answer
    OUT/anchors/flatness.csv     one row per judge and arm
    OUT/anchors/metric.csv       one row per problem, or dimension, and measure
    OUT/anchors/ackley.csv       one row per preset and measure
    OUT/anchors/maps.csv         one row per truth, map and measure
    OUT/anchors/audit.csv        one row per number of answers, fault and finding
    OUT/anchors/ask.csv          one row per noise map and sort of ask
    OUT/anchors/tables.md        tables, computed from these files
    OUT/anchors/factors.png, .pdf and curves.png, .pdf
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from anchorpbo.errors import InputError
from anchorpbo.research.anchors.anchors_figures import plot_arms, plot_factors
from anchorpbo.research.anchors.anchors_summary import (
    list_experts,
    list_map_studies,
    select_learnt,
    select_metric,
    summarise_asks,
    summarise_curves,
    summarise_flatness,
    summarise_learnt,
    summarise_metric,
    summarise_risk,
    summarise_validation,
)
from anchorpbo.research.anchors.anchors_tables import (
    tabulate_areas,
    tabulate_asks,
    tabulate_checks,
    tabulate_contrasts,
    tabulate_flatness,
    tabulate_metric,
    tabulate_risk,
    tabulate_validation,
)
from anchorpbo.research.anchors.ask_cost import AskTask
from anchorpbo.research.anchors.audit_power import AuditTask, format_power, summarise_power
from anchorpbo.research.anchors.map_accuracy import MapAccuracyTask, summarise_maps, tabulate_maps
from anchorpbo.research.anchors.map_studies import MapStudy
from anchorpbo.research.anchors.risk_adjusted import RiskStudy
from anchorpbo.research.anchors.validation_power import ValidationStudy
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.strategy_styles import save_figure
from anchorpbo.research.figures.text_table import TextTable

ANCHORS_FOLDER, TABLES_FILE = "anchors", "tables.md"
Summaries = Mapping[str, pl.DataFrame]
"""Summaries by the name of their file."""


def _to_markdown(tabulate: Callable[[pl.DataFrame], TextTable]) -> Callable[[pl.DataFrame], str]:
    return lambda summary: tabulate(summary).to_markdown()


def _describe_power(power: pl.DataFrame) -> str:
    note = (
        "Share of simulated studies in which the audit warns of a finding, with its 90 % interval. A row of the fault "
        "none has rates of false alarms. Questions: random pairs, or those that the default preset asks. Noise: its "
        "standard deviation; 0.2, 0.35 and 0.6 make one answer in 13, in eight and in five to random pairs wrong."
    )
    return f"**Warnings of the audit**\n\n{format_power(power)}\n\n{note}\n"


TABLES: dict[str, tuple[str, Callable[[pl.DataFrame], str]]] = {
    "validation": ("validation", _to_markdown(tabulate_validation)),
    "checks": ("validation", _to_markdown(tabulate_checks)),
    "areas": ("learnt", _to_markdown(tabulate_areas)),
    "contrasts": ("learnt", _to_markdown(tabulate_contrasts)),
    "flatness": ("flatness", _to_markdown(tabulate_flatness)),
    "metric": ("metric", _to_markdown(tabulate_metric)),
    "map-error": ("maps", _to_markdown(tabulate_maps)),
    "map-loss": ("maps", _to_markdown(partial(tabulate_maps, measure="loss"))),
    "ackley": ("ackley", _to_markdown(tabulate_risk)),
    "audit": ("audit", _describe_power),
    "ask": ("ask", _to_markdown(tabulate_asks)),
}
"""Tables by name: the summary each is made from, and the function that makes it."""
FIGURES: dict[str, tuple[str, str, Callable[[pl.DataFrame], Figure]]] = {
    "factors": ("experts", "Bayes factors of simulated experts", plot_factors),
    "curves": ("curves", "Share of the recommended design with true, false and no anchors", plot_arms),
}
"""Figures by the name of their file: the summary each is made from, its title, and the function that makes it."""
FILES = (
    "experts", "validation", "learnt", "curves", "flatness", "metric", "ackley", "maps", "audit", "ask",
)  # fmt: skip
"""Names of the summaries."""


def summarise_anchors(store: RecordStore) -> dict[str, pl.DataFrame]:
    """Return the summaries of all records in a folder, whichever call of the command ran them."""
    found: dict[str, pl.DataFrame] = {}
    experts, maps = store.read_kind(ValidationStudy.kind), store.read_kind(MapStudy.kind)
    if experts is not None:
        found["experts"] = list_experts(experts)
        found["validation"] = summarise_validation(found["experts"])
    if maps is not None:
        learnt, metric = select_learnt(maps), select_metric(maps)
        studies = list_map_studies(learnt)
        found |= {"learnt": summarise_learnt(studies), "curves": summarise_curves(learnt)}
        found |= {"flatness": summarise_flatness(studies), "metric": summarise_metric(list_map_studies(metric))}
    others: dict[str, tuple[str, Callable[[pl.DataFrame], pl.DataFrame]]] = {
        "ackley": (RiskStudy.kind, summarise_risk),
        "maps": (MapAccuracyTask.kind, summarise_maps),
        "audit": (AuditTask.kind, summarise_power),
        "ask": (AskTask.kind, summarise_asks),
    }
    for name, (kind, summarise) in others.items():
        records = store.read_kind(kind)
        if records is not None:
            found[name] = summarise(records)
    found = {name: summary for name, summary in found.items() if not summary.is_empty()}
    if not found:
        raise InputError("there must be records to read", "none", "run the benchmark first")
    return found


def render_tables(summaries: Summaries) -> dict[str, str]:
    """Return the tables as Markdown, by name."""
    return {name: render(summaries[source]) for name, (source, render) in TABLES.items() if source in summaries}


def write_anchors_report(summaries: Summaries, folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    text = "\n".join(["# Anchors\n", *render_tables(summaries).values()])
    files = {folder / f"{name}.csv": summary.write_csv().encode() for name, summary in summaries.items()}
    written = write_files({**files, folder / TABLES_FILE: text.encode()})
    for name, (source, _, plot) in FIGURES.items():
        if source in summaries:
            written += save_figure(plot(summaries[source]), folder / name)
    return written


def add_to_anchors_report(summaries: Summaries, folder: Path) -> list[Path]:
    """Write summaries beside those of a report, whose files of the same names are replaced; return all paths."""
    return write_anchors_report({**read_anchors_summaries(folder), **summaries}, folder)


def read_anchors_summaries(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the summaries of a report."""
    return {
        name: pl.read_csv(path, infer_schema_length=None) for name in FILES if (path := folder / f"{name}.csv").exists()
    }
