"""Results on disk: one line of JSON per measurement, appended as soon as it is made, and a description of the machine.

::

    OUT/machine.json     processor, system and releases (rows of another machine or release are rejected), and the calls
                         of the command that measured something
    OUT/results.jsonl    one row per measurement: its key, settings, numbers and call

A run that is killed loses the current measurement; a partly written line is dropped.
"""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import threadpoolctl

from anchorpbo import __version__
from anchorpbo.errors import InputError
from anchorpbo.research.bench.measurement import Measurement, Row, find_stop_limit
from anchorpbo.study.files import save_bytes

MACHINE_FILE, RESULTS_FILE = "machine.json", "results.jsonl"
CALLS_KEY = "calls"
"""Key of the calls in ``machine.json``."""


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a results file; empty if the file does not exist."""
    rows: list[Row] = []
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:  # cut off when a run was killed
                continue
    return rows


class Results:
    """The results of a folder."""

    def __init__(
        self, folder: Path, machine: dict[str, Any], *, resume: bool = False, call: dict[str, Any] | None = None
    ) -> None:
        """Open a folder, or create it.

        Parameters
        ----------
        folder
            Folder of the files.
        machine
            Description of this machine, by `inspect_machine`.
        resume
            Whether to keep existing results; without it, a folder with results raises an error.
        call
            Arguments and date of the command; stored in every new row.
        """
        self.folder, self._path = folder, folder / RESULTS_FILE
        rows = read_rows(self._path)
        if rows and not resume:
            rule, remedy = "a folder with results is not overwritten", "add --resume to continue, or change --out"
            raise InputError(rule, str(folder), remedy)
        kept = _read_json(folder / MACHINE_FILE) if rows else {}
        self._calls: list[dict[str, Any]] = kept.pop(CALLS_KEY, [])
        self._machine, self._call = machine, call
        if rows and kept != machine:
            rule = "the results of a folder must come from one machine, the same releases and the same benchmark"
            raise InputError(rule, f"others in {folder}", "change --out")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            rule = f"the folder {str(folder)!r} must be writable"
            raise InputError(rule, error, "choose another --out") from error
        self._describe()
        self.rows: list[Row] = rows
        if rows:  # drops a line that was cut off
            text = "".join(_format_line(row) for row in rows)
            save_bytes(self._path, text.encode(), "choose another --out")

    def _describe(self) -> None:
        text = json.dumps({**self._machine, **({CALLS_KEY: self._calls} if self._calls else {})}, indent=1)
        save_bytes(self.folder / MACHINE_FILE, f"{text}\n".encode(), "choose another --out")

    def has(self, measurement: Measurement, limit: float = 0.0) -> bool:
        """Return whether a measurement is done and none of its runs was stopped at a smaller limit than this."""
        stops = [find_stop_limit(row) for row in self.rows if row["key"] == measurement.key]
        return any(stop is None or stop >= limit for stop in stops)

    def add(self, measurement: Measurement, found: dict[str, Any]) -> Row:
        """Append the row of a measurement and return it."""
        row = {"key": measurement.key, **measurement.settings, **found}
        if self._call is not None:
            row["call"] = self._call
            if self._call not in self._calls:
                self._calls.append(self._call)
                self._describe()
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_format_line(row))
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        return row


def _read_json(path: Path) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return plain


def _format_line(row: Row) -> str:
    return json.dumps(row) + "\n"


BENCHMARK_REVISION = 2
"""Revision of the benchmark, raised when a measurement changes, so that old and new rows are not mixed."""
VERSIONED_PACKAGES = ("numpy", "scipy", "numba", "torch", "gpytorch", "botorch", "optuna", "optuna-dashboard")


def inspect_machine() -> dict[str, Any]:
    """Return the processor, memory, system and releases that the numbers depend on."""
    import numpy  # noqa: F401  # loads the BLAS that is inspected

    # Other libraries in this process may have loaded OpenMP, which has no version.
    pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    blas = sorted({f"{pool['internal_api']} {pool['version']}" for pool in pools})
    return {
        "processor": _read_entry("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory": _read_memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": blas,
        "benchmark": BENCHMARK_REVISION,
        "anchorpbo": __version__,
        **{name: found for name in VERSIONED_PACKAGES if (found := _find_version(name)) is not None},
    }


def format_machine(about: dict[str, Any]) -> str:
    """Describe the machine in one or two sentences."""
    releases = ", ".join(f"{name} {about[name]}" for name in ("anchorpbo", *VERSIONED_PACKAGES) if name in about)
    memory = f", {about['memory']} of memory" if about["memory"] else ""
    where = f"{about['processor']}, {about['cores']} cores{memory}, {about['system']}, Python {about['python']}"
    return f"{where}. {releases}; BLAS of numpy and scipy: {', '.join(about['blas'])}."


def _read_memory() -> str | None:
    kilobytes = _read_entry("/proc/meminfo", "MemTotal")
    return None if kilobytes is None else f"{int(kilobytes.split()[0]) / 1024**2:.0f} GB"


def _read_entry(path: str, name: str) -> str | None:
    """Return the value of a name in a file of lines "name: value", or ``None``."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), None)


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
