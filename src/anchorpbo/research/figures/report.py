"""What an experiment leaves behind for people: its summary, figures, tables and claims.

::

    OUT/NAME/summary.parquet            the numbers behind the rest
    OUT/NAME/*.png, *.pdf               figures
    OUT/NAME/*.md, *.tex                tables; claims.md and claims.tex hold the paper's claims
    OUT/NAME/claims.json                the same for programs
    OUT/overview.md, overview.tex       a row a figure, table and proposition of the paper, over all experiments
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
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.research.figures import curves, gains, illustration, ranks, style, tables, text_table, theory
from anchorpbo.research.figures.files import write_files
from anchorpbo.research.figures.text_table import TextTable

METRICS = ("risk_adjusted", "value", "pair_noise")
"""The rows of the main figure."""
RUNNING = ("running_risk_adjusted", "running_value")


Draw = Callable[[pl.DataFrame], Figure]
Tabulate = Callable[[pl.DataFrame], TextTable]


@dataclass(frozen=True)
class Pictures:
    """How an experiment is shown, by the names of the files."""

    figures: Mapping[str, Draw] = field(default_factory=dict)
    """Drawn from the summary."""
    tables: Mapping[str, Tabulate] = field(default_factory=dict)
    """Made from the final values."""
    details: Mapping[str, Draw] = field(default_factory=dict)
    """Drawn from the records, where the summary has too little."""


_FINALS: dict[str, Tabulate] = {"final": partial(tables.final_table, metrics=(*METRICS, *RUNNING))}
_STUDY = Pictures(
    {"curves": partial(curves.curves, metrics=METRICS), "running": partial(curves.curves, metrics=RUNNING)}, _FINALS
)
_ABLATION = Pictures({"curves": partial(curves.ablation, metrics=METRICS)}, _FINALS)
PICTURES: dict[str, Pictures] = {
    "illustration": Pictures(details={"illustration": illustration.illustration}),
    "main": _STUDY,
    "ackley6": _STUDY,
    "candy": _STUDY,
    "five-anchors": _STUDY,
    "anchor-quality": _ABLATION,
    "anchor-count": _ABLATION,
    "inference": _ABLATION,
    "anchor-placement": Pictures({"placement": gains.placement}, {"gains": tables.gains_table}),
    "sensitivity": Pictures({"gains": gains.forest}, {"gains": tables.gains_table}),
    "ranking": Pictures({"ranks": ranks.ranks}),
    "time": Pictures(tables={"time": tables.time_table}),
    "anchor-process": Pictures({"anchor_process": theory.anchor_process}),
    "consistency": Pictures({"consistency": theory.consistency}),
    "concentration": Pictures({"concentration": theory.concentration}),
    "one-step": Pictures({"one_step": theory.one_step}, {"violations": theory.violations}),
    "kde-time": Pictures({"kde_time": theory.kde_time}),
}
"""By the name of the experiment."""


@dataclass(frozen=True, eq=False)
class Report:
    """What was written, and what it says."""

    files: list[Path]
    claims: list[Claim]


def write(experiment: Experiment, records: pl.DataFrame, folder: Path) -> Report:
    """Write the report of an experiment.

    Parameters
    ----------
    experiment
        Whose.
    records
        The rows of its tasks.
    folder
        Where its files go.
    """
    summary, final, claims = (
        experiment.summarise(records),
        experiment.summarise_final(records),
        experiment.judge_claims(records),
    )
    # A part of an experiment may have nothing to compare.
    pictures = PICTURES[experiment.name] if summary.height else Pictures()
    buffer = io.BytesIO()
    summary.write_parquet(buffer)
    files = write_files({folder / "summary.parquet": buffer.getvalue()})
    drawn = {name: draw(summary) for name, draw in pictures.figures.items()}
    drawn |= {name: draw(records) for name, draw in pictures.details.items()}
    for name, figure in drawn.items():
        files += style.save(figure, folder / name)
    for name, build in pictures.tables.items():
        files += text_table.save(build(final), folder / name)
    if claims:
        files += text_table.save(tables.claims_table(claims, _size(records)), folder / "claims")
        plain = json.dumps([asdict(claim) for claim in claims], indent=1)
        files += write_files({folder / "claims.json": plain.encode()})
    return Report(files, claims)


def read_claims(out: Path) -> list[Claim]:
    """The claims of all experiments whose reports are in a folder, in the order of `PICTURES`."""
    found = []
    for name in PICTURES:
        path = out / name / "claims.json"
        if path.exists():
            found += [Claim(**each) for each in json.loads(path.read_text("utf-8"))]
    return found


def write_overview(out: Path) -> list[Path]:
    """Write what all reports of a folder say of the paper together."""
    table = tables.overview_table(read_claims(out))
    return text_table.save(table, out / "overview") if table.rows else []


def _size(records: pl.DataFrame) -> str:
    """How many runs there are, in words."""
    runs, seeds = records["key"].n_unique(), records["seed"].n_unique()
    rounds = f" of {records['rounds'].to_numpy().max()} rounds" if "rounds" in records.columns else ""
    return f"{runs} runs{rounds} with {seeds} seeds"
