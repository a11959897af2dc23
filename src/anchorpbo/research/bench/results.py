"""Results on disk: a line of JSON for every measurement, added as soon as it is made.

::

    OUT/machine.json     what the numbers depend on; lines of another machine or release are not added to these; and
                         the calls of the command that measured something
    OUT/results.jsonl    a line a measurement: its key, its settings, what was found, the call it comes from

A run that is killed loses the measurement under way; a line it had begun to write is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.stopped import stopped_at
from anchorpbo.study.files import save_bytes

MACHINE, RESULTS = "machine.json", "results.jsonl"
CALLS = "calls"
"""What ``machine.json`` calls them."""


def read_rows(path: Path) -> list[Row]:
    """The lines of a file of results; without a file, none."""
    rows: list[Row] = []
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:  # cut off by the end of a run
                continue
    return rows


class Results:
    """The results of a folder."""

    def __init__(
        self, folder: Path, machine: dict[str, Any], *, resume: bool = False, call: dict[str, Any] | None = None
    ) -> None:
        """Open a folder, or make it.

        Parameters
        ----------
        folder
            Where the files go.
        machine
            What `machine` says of this one.
        resume
            Whether results that are there are kept; without it a folder that has some is refused.
        call
            What the command was called with, and when; goes into every new line.
        """
        self.folder, self._path = folder, folder / RESULTS
        rows = read_rows(self._path)
        if rows and not resume:
            rule, remedy = "a folder with results is not written over", "add --resume to go on, or change --out"
            raise InputError(rule, str(folder), remedy)
        kept = _read(folder / MACHINE) if rows else {}
        self._calls: list[dict[str, Any]] = kept.pop(CALLS, [])
        self._machine, self._call = machine, call
        if rows and kept != machine:
            rule = "the results of a folder must come from one machine, the same releases and the same benchmark"
            raise InputError(rule, f"others in {folder}", "change --out")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            rule = f"the folder {str(folder)!r} must be one that can be written to"
            raise InputError(rule, problem, "choose another --out") from problem
        self._describe()
        self.rows: list[Row] = rows
        if rows:  # without a line that was cut off
            text = "".join(_line(row) for row in rows)
            save_bytes(self._path, text.encode(), "choose another --out")

    def _describe(self) -> None:
        text = json.dumps({**self._machine, **({CALLS: self._calls} if self._calls else {})}, indent=1)
        save_bytes(self.folder / MACHINE, f"{text}\n".encode(), "choose another --out")

    def has(self, measurement: Measurement, limit: float = 0.0) -> bool:
        """Whether a measurement has been made, and nothing in it was stopped at a smaller limit than this."""
        stops = [stopped_at(row) for row in self.rows if row["key"] == measurement.key]
        return any(stop is None or stop >= limit for stop in stops)

    def of(self, measurements: Sequence[Measurement]) -> list[Row]:
        """The lines of measurements, of those that have one."""
        keys = {each.key for each in measurements}
        return [row for row in self.rows if row["key"] in keys]

    def add(self, measurement: Measurement, found: dict[str, Any]) -> Row:
        """Keep what was found."""
        row = {"key": measurement.key, **measurement.settings, **found}
        if self._call is not None:
            row["call"] = self._call
            if self._call not in self._calls:
                self._calls.append(self._call)
                self._describe()
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(row))
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        return row


def _read(path: Path) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return plain


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"
