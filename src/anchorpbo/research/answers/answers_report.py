"""The report of the benchmark: the summary of all studies, tables, targets and figures.

::

    OUT/SET/studies.parquet             one row per study, the source of everything below
    OUT/SET/tables.md                   all tables
    OUT/SET/targets.json                the targets for programs
    OUT/SET/judges.png, .pdf            curves by judge; placements.*, problems-JUDGE.*
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import polars as pl

from anchorpbo.errors import InputError
from anchorpbo.research.answers.answer_tables import ANSWER_TABLES
from anchorpbo.research.answers.problems import SETS, find_set
from anchorpbo.research.answers.study_metrics import STUDY, select, summarise_studies
from anchorpbo.research.answers.study_task import AnswersStudy
from anchorpbo.research.answers.targets import judge_targets
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.figures.output_files import write_files

STUDIES_FILE, TABLES_FILE, TARGETS_FILE = "studies.parquet", "tables.md", "targets.json"


def read_studies(store: RecordStore, problem_set: str, horizon: int) -> pl.DataFrame:
    """Return one row per study of a set in a folder of records, whichever call of the command ran it."""
    records = store.read_kind(AnswersStudy.kind)
    chosen = None if records is None else records.filter(pl.col("problem").is_in(SETS[problem_set]))
    if chosen is None or chosen.is_empty():
        raise InputError("there must be records to read", "none", "run the studies first")
    studies = summarise_studies(chosen, horizon)
    _check_versions(studies)
    return studies


def merge_studies(reports: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the studies of several reports, one row per study: the longest run, and of equally long ones the last."""
    studies = pl.concat(reports, how="diagonal_relaxed").sort("length", maintain_order=True)
    problems, answers = (studies[name].unique().sort().to_list() for name in ("problem", "answers"))
    if not {*problems} <= {*find_set(problems[0])} or len(answers) > 1:
        received = f"{', '.join(problems)} with {', '.join(map(str, answers))} answers"
        raise InputError("reports must be of one set and one number of answers", received, "leave some of them out")
    merged = studies.unique(STUDY, keep="last", maintain_order=True).sort(*STUDY)
    _check_versions(merged)
    return merged


def _check_versions(studies: pl.DataFrame) -> None:
    """Raise if the studies of one contender are of several versions; reports of earlier releases do not name any."""
    if "contender_version" not in studies:
        return
    known = studies.filter(pl.col("contender_version").is_not_null())
    for (contender,), part in known.group_by("contender", maintain_order=True):
        found = part["contender_version"].unique().sort().to_list()
        if len(found) > 1:
            rule = "all studies of a contender must be of one version"
            raise InputError(rule, f"{contender} of {' and '.join(found)}", "run the older studies again")


def render_tables(studies: pl.DataFrame) -> dict[str, str]:
    """Return the non-empty tables as Markdown, by name."""
    found = {name: build(studies) for name, build in ANSWER_TABLES.items()}
    return {name: table.to_markdown() for name, table in found.items() if table is not None}


def write_report(studies: pl.DataFrame, folder: Path) -> list[Path]:
    """Write all files and return their paths."""
    from anchorpbo.research.answers import answer_curves
    from anchorpbo.research.figures import strategy_styles

    buffer = io.BytesIO()
    studies.write_parquet(buffer)
    targets = json.dumps([asdict(target) for target in judge_targets(studies)], indent=1, ensure_ascii=False)
    files = write_files(
        {
            folder / STUDIES_FILE: buffer.getvalue(),
            folder / TABLES_FILE: "\n".join(["# Answers\n", *render_tables(studies).values()]).encode(),
            folder / TARGETS_FILE: targets.encode(),
        }
    )
    figures = {"placements": answer_curves.plot_placements(studies)}
    # Contenders are compared with good anchors, and a part of the benchmark may have others only.
    judged = select(studies, placement="good")["judge"]
    if len(judged):
        figures["judges"] = answer_curves.plot_judges(studies)
    for judge in answer_curves.PROBLEM_JUDGES:
        if judge in judged:
            figures[f"problems-{judge}"] = answer_curves.plot_problems(studies, judge)
    for name, drawn in figures.items():
        files += strategy_styles.save_figure(drawn, folder / name)
    return files
