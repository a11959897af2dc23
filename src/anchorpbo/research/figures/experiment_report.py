"""The report of an experiment: its summary, figures, tables and claims.

::

    OUT/NAME/summary.parquet            the numbers behind figures and tables
    OUT/NAME/*.png, *.pdf               figures
    OUT/NAME/*.md, *.tex                tables; claims.md and claims.tex hold the paper's claims
    OUT/NAME/claims.json                the claims for programs
    OUT/overview.md, overview.tex       one row per figure, table and proposition of the paper, over all experiments
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from anchorpbo.research.experiments.experiment import Experiment
from anchorpbo.research.experiments.run_metrics import RUNNING_METRICS
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.research.figures import (
    experiment_tables,
    gain_figures,
    illustration_figure,
    rank_figure,
    round_curves,
    strategy_styles,
    text_table,
    theory_figures,
)
from anchorpbo.research.figures.output_files import write_files
from anchorpbo.research.figures.text_table import TextTable

FIGURE_METRICS = ("risk_adjusted", "value", "pair_noise")
"""The rows of the main figure."""


Plot = Callable[[pl.DataFrame], Figure]
Tabulate = Callable[[pl.DataFrame], TextTable]


@dataclass(frozen=True)
class ReportContents:
    """The figures and tables of an experiment, by file name."""

    figures: Mapping[str, Plot] = field(default_factory=dict)
    """Figures drawn from the summary."""
    tables: Mapping[str, Tabulate] = field(default_factory=dict)
    """Tables made from the final values."""
    details: Mapping[str, Plot] = field(default_factory=dict)
    """Figures drawn from the records, which need more than the summary."""


_FINAL_TABLES: dict[str, Tabulate] = {
    "final": partial(experiment_tables.tabulate_final_values, metrics=(*FIGURE_METRICS, *RUNNING_METRICS))
}
_STUDY_CONTENTS = ReportContents(
    {
        "curves": partial(round_curves.plot_curves, metrics=FIGURE_METRICS),
        "running": partial(round_curves.plot_curves, metrics=tuple(RUNNING_METRICS)),
    },
    _FINAL_TABLES,
)
_ABLATION_CONTENTS = ReportContents(
    {"curves": partial(round_curves.plot_ablation, metrics=FIGURE_METRICS)}, _FINAL_TABLES
)
REPORT_CONTENTS: dict[str, ReportContents] = {
    "illustration": ReportContents(details={"illustration": illustration_figure.plot_illustration}),
    "main": _STUDY_CONTENTS,
    "ackley6": _STUDY_CONTENTS,
    "candy": _STUDY_CONTENTS,
    "five-anchors": _STUDY_CONTENTS,
    "anchor-quality": _ABLATION_CONTENTS,
    "anchor-count": _ABLATION_CONTENTS,
    "inference": _ABLATION_CONTENTS,
    "anchor-placement": ReportContents(
        {"placement": gain_figures.plot_gain_by_distance}, {"gains": experiment_tables.tabulate_gains}
    ),
    "sensitivity": ReportContents(
        {"gains": gain_figures.plot_gain_forest}, {"gains": experiment_tables.tabulate_gains}
    ),
    "ranking": ReportContents({"ranks": rank_figure.plot_ranks}),
    "time": ReportContents(tables={"time": experiment_tables.tabulate_times}),
    "anchor-process": ReportContents({"anchor_process": theory_figures.plot_anchor_process}),
    "consistency": ReportContents({"consistency": theory_figures.plot_consistency}),
    "concentration": ReportContents({"concentration": theory_figures.plot_concentration}),
    "one-step": ReportContents(
        {"one_step": theory_figures.plot_one_step}, {"violations": theory_figures.tabulate_violations}
    ),
    "kde-time": ReportContents({"kde_time": theory_figures.plot_kde_time}),
}
"""Contents by name of the experiment."""


@dataclass(frozen=True, eq=False)
class WrittenReport:
    """The files and the claims of a written report."""

    files: list[Path]
    claims: list[Claim]


def write_report(experiment: Experiment, records: pl.DataFrame, folder: Path) -> WrittenReport:
    """Write the report of an experiment.

    Parameters
    ----------
    experiment
        The experiment.
    records
        The rows of its tasks.
    folder
        Folder of its files.
    """
    summary, final, claims = (
        experiment.summarise(records),
        experiment.summarise_final(records),
        experiment.judge_claims(records),
    )
    # A partial experiment may have nothing to compare.
    pictures = REPORT_CONTENTS[experiment.name] if summary.height else ReportContents()
    buffer = io.BytesIO()
    summary.write_parquet(buffer)
    files = write_files({folder / "summary.parquet": buffer.getvalue()})
    drawn = {name: draw(summary) for name, draw in pictures.figures.items()}
    drawn |= {name: draw(records) for name, draw in pictures.details.items()}
    for name, figure in drawn.items():
        files += strategy_styles.save_figure(figure, folder / name)
    for name, build in pictures.tables.items():
        files += text_table.save_table(build(final), folder / name)
    if claims:
        files += text_table.save_table(
            experiment_tables.tabulate_claims(claims, _describe_size(records)), folder / "claims"
        )
        plain = json.dumps([asdict(claim) for claim in claims], indent=1)
        files += write_files({folder / "claims.json": plain.encode()})
    return WrittenReport(files, claims)


def read_claims(out: Path) -> list[Claim]:
    """Return the claims of all reports in a folder, in the order of `REPORT_CONTENTS`."""
    found = []
    for name in REPORT_CONTENTS:
        path = out / name / "claims.json"
        if path.exists():
            found += [Claim(**each) for each in json.loads(path.read_text("utf-8"))]
    return found


def write_overview(out: Path) -> list[Path]:
    """Write the overview of all reports in a folder."""
    table = experiment_tables.tabulate_overview(read_claims(out))
    return text_table.save_table(table, out / "overview") if table.rows else []


def _describe_size(records: pl.DataFrame) -> str:
    """Return the number of runs as text."""
    runs, seeds = records["key"].n_unique(), records["seed"].n_unique()
    rounds = f" of {records['rounds'].to_numpy().max()} rounds" if "rounds" in records.columns else ""
    return f"{runs} runs{rounds} with {seeds} seeds"
