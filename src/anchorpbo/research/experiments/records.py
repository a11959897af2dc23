"""Records on disk: one Parquet file a task, written when the task ends and whole or not at all.

::

    OUT/anchorpbo.json              which release made this folder
    OUT/records/KEY.parquet         a task: its columns, its settings, and version, machine and time of the run

A folder is read by the release that made it and no other, since a setting may mean another thing there.
"""

from __future__ import annotations

import io
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version as version_of
from pathlib import Path
from time import time
from typing import Any

import numpy as np
import polars as pl

from anchorpbo import __version__
from anchorpbo.errors import InputError
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.study.files import save_bytes

LAYOUT = 2
"""Counts changes of what is in a record."""
MEASURED_COLUMNS = ("seconds", "took", "machine")
"""Columns that two runs of one task differ in; all others are equal to the last bit."""
MARKER_FILE = "anchorpbo.json"
_MARKER = {"version": __version__, "layout": LAYOUT}
_DRAFT_SECONDS = 600.0
"""Seconds after which a draft is taken for that of a run that was killed."""


@dataclass(frozen=True, eq=False)
class ExperimentRecord:
    """The columns that a task computed, its settings, and the version, machine and time of the run."""

    task: ExperimentTask
    columns: RecordColumns
    version: str
    machine: str
    took: float
    """Seconds, all told."""

    def frame(self) -> pl.DataFrame:
        """Return the columns computed, then settings and circumstances, the same in each row."""
        found = pl.DataFrame({name: _to_plain(column) for name, column in self.columns.items()})
        about = {**self.task.settings, "key": self.task.key, "version": self.version, "machine": self.machine}
        constants = [_make_literal(value).alias(name) for name, value in {**about, "took": self.took}.items()]
        return found.with_columns(constants)


def _make_literal(value: Any) -> pl.Expr:
    # As wide as whole numbers of arrays are, so that records of several tasks go together.
    return pl.lit(value, dtype=pl.Int64) if isinstance(value, int) and not isinstance(value, bool) else pl.lit(value)


def _to_plain(column: Any) -> Any:
    return column if not isinstance(column, np.ndarray) or column.ndim == 1 else column.tolist()


class RecordStore:
    """The records of a folder."""

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        """Open a folder, or make it.

        Parameters
        ----------
        folder
            Where records, figures and tables go.
        resume
            Whether records that are there are kept and used; without it a folder that has some is refused.
        """
        self.folder: Path = folder
        self.records: Path = folder / "records"
        try:
            there = any(self.records.glob("*.parquet"))
            self._check_mark(there)
            if there and not resume:
                rule = "a folder with results is not written over"
                remedy = "add --resume to keep them and run what is missing, or change --out"
                raise InputError(rule, str(folder), remedy)
            self.records.mkdir(parents=True, exist_ok=True)
            self._clear_drafts()
        except OSError as error:
            rule = f"the folder {str(folder)!r} must be one that can be written to"
            raise InputError(rule, error, "choose another --out") from error
        ours = json.dumps(_MARKER).encode()
        save_bytes(self.folder / MARKER_FILE, ours, "free some space, or choose another --out")

    def has(self, task: ExperimentTask) -> bool:
        """Whether the record of a task is there and whole."""
        path = self._path(task)
        if not path.exists():
            return False
        try:
            rows = pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError):
            return False
        return "key" in rows.columns and len(rows) > 0 and bool(rows["key"][0] == task.key)

    def put(self, record: ExperimentRecord) -> None:
        """Keep a record."""
        buffer = io.BytesIO()
        record.frame().write_parquet(buffer)
        remedy = "free some space, or choose another --out, and run again with --resume"
        save_bytes(self._path(record.task), buffer.getvalue(), remedy)

    def read(self, tasks: Iterable[ExperimentTask]) -> pl.DataFrame:
        """Return the rows of the tasks that are done."""
        frames = [pl.read_parquet(self._path(task)) for task in tasks if self.has(task)]
        if not frames:
            raise InputError("there must be records to read", "none", "run the experiment first")
        return pl.concat(frames, how="diagonal_relaxed")

    def _path(self, task: ExperimentTask) -> Path:
        return self.records / f"{task.key}.parquet"

    def _clear_drafts(self) -> None:
        """Remove what a killed run left half written; what is younger may be another run's that goes on."""
        for draft in self.records.glob(".*.new"):
            if draft.stat().st_mtime < time() - _DRAFT_SECONDS:
                draft.unlink(missing_ok=True)

    def _check_mark(self, there: bool) -> None:
        mark = self.folder / MARKER_FILE
        try:
            found = json.loads(mark.read_text("utf-8")) if mark.exists() else None if there else _MARKER
        except (OSError, ValueError):
            found = None
        if found != _MARKER:
            rule = f"an output folder must come from anchorpbo {__version__}, layout {LAYOUT}"
            received = f"{self.folder}, made by {found or 'something that left no mark'}"
            raise InputError(rule, received, "choose another --out")


@cache
def describe_machine() -> str:
    """Return the machine as JSON: what numbers and times may depend on."""
    about = {
        "system": platform.platform(),
        "processor": _read_processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version_of(name) for name in ("numpy", "scipy", "numba")},
    }
    return json.dumps(about)


def _read_processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
