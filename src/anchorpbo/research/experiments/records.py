"""Records on disk: one Parquet file per task, written atomically when the task ends.

::

    OUT/anchorpbo.json              the release that created this folder
    OUT/records/KEY.parquet         a task: its columns, its settings, and version, machine and time of the run

A folder can be read only by the release that created it, because the meaning of a setting may change.
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
"""Version of the record format."""
MEASURED_COLUMNS = ("seconds", "recommend_seconds", "took", "machine")
"""Columns in which two runs of one task differ; all others are equal to the last bit."""
MARKER_FILE = "anchorpbo.json"
_MARKER = {"version": __version__, "layout": LAYOUT}
_DRAFT_SECONDS = 600.0
"""Age in seconds after which a temporary file is assumed to come from a killed run."""


@dataclass(frozen=True, eq=False)
class ExperimentRecord:
    """The columns that a task computed, its settings, and the version, machine and time of the run."""

    task: ExperimentTask
    columns: RecordColumns
    version: str
    machine: str
    took: float
    """Total seconds."""

    def frame(self) -> pl.DataFrame:
        """Return the computed columns, then settings, version, machine and time, repeated in each row."""
        found = pl.DataFrame({name: _to_plain(column) for name, column in self.columns.items()})
        about = {**self.task.settings, "key": self.task.key, "version": self.version, "machine": self.machine}
        constants = [_make_literal(value).alias(name) for name, value in {**about, "took": self.took}.items()]
        return found.with_columns(constants)


def _make_literal(value: Any) -> pl.Expr:
    # As wide as the integers of arrays, so that records of several tasks can be concatenated.
    return pl.lit(value, dtype=pl.Int64) if isinstance(value, int) and not isinstance(value, bool) else pl.lit(value)


def _to_plain(column: Any) -> Any:
    return column if not isinstance(column, np.ndarray) or column.ndim == 1 else column.tolist()


class RecordStore:
    """The records of a folder."""

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        """Open a folder, or create it.

        Parameters
        ----------
        folder
            Folder for records, figures and tables.
        resume
            Whether to keep and use existing records; without it, a folder with records raises an error.
        """
        self.folder: Path = folder
        self.records: Path = folder / "records"
        try:
            there = any(self.records.glob("*.parquet"))
            self._check_mark(there)
            if there and not resume:
                rule = "a folder with results is not overwritten"
                remedy = "add --resume to keep them and run the missing tasks, or change --out"
                raise InputError(rule, str(folder), remedy)
            self.records.mkdir(parents=True, exist_ok=True)
            self._clear_drafts()
        except OSError as error:
            rule = f"the folder {str(folder)!r} must be writable"
            raise InputError(rule, error, "choose another --out") from error
        ours = json.dumps(_MARKER).encode()
        save_bytes(self.folder / MARKER_FILE, ours, "free some space, or choose another --out")

    def has(self, task: ExperimentTask) -> bool:
        """Return whether the record of a task exists and is complete."""
        path = self._path(task)
        if not path.exists():
            return False
        try:
            rows = pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError):
            return False
        return "key" in rows.columns and len(rows) > 0 and bool(rows["key"][0] == task.key)

    def put(self, record: ExperimentRecord) -> None:
        """Write a record."""
        buffer = io.BytesIO()
        record.frame().write_parquet(buffer)
        remedy = "free some space, or choose another --out, and run again with --resume"
        save_bytes(self._path(record.task), buffer.getvalue(), remedy)

    def read(self, tasks: Iterable[ExperimentTask]) -> pl.DataFrame:
        """Return the rows of the finished tasks."""
        frames = [pl.read_parquet(self._path(task)) for task in tasks if self.has(task)]
        if not frames:
            raise InputError("there must be records to read", "none", "run the experiment first")
        return pl.concat(frames, how="diagonal_relaxed")

    def read_kind(self, kind: str) -> pl.DataFrame | None:
        """Return the rows of all tasks of a kind, whichever call ran them; ``None`` without any."""
        paths = [path for path in sorted(self.records.glob("*.parquet")) if path.stem.rpartition("-")[0] == kind]
        frames = [pl.read_parquet(path) for path in paths]
        return pl.concat(frames, how="diagonal_relaxed") if frames else None

    def _path(self, task: ExperimentTask) -> Path:
        return self.records / f"{task.key}.parquet"

    def _clear_drafts(self) -> None:
        """Remove temporary files of killed runs; newer ones may belong to another run in progress."""
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
            received = f"{self.folder}, created by {found or 'an unknown program'}"
            raise InputError(rule, received, "choose another --out")


@cache
def describe_machine() -> str:
    """Return a JSON description of the machine, on which numbers and times may depend."""
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
