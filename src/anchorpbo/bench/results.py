"""Results on disk: a line of JSON for every measurement, added as soon as it is made.

::

    OUT/machine.json     what the numbers depend on; lines of another machine or release are not added to these
    OUT/results.jsonl    a line a measurement: its key, its settings, what was found

A run that is killed loses the measurement under way; a line it had begun to write is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anchorpbo.bench.measurement import Measurement, Row
from anchorpbo.errors import InputError
from anchorpbo.study.saving import save_bytes

MACHINE, RESULTS = "machine.json", "results.jsonl"


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

    def __init__(self, folder: Path, machine: dict[str, Any], *, resume: bool = False) -> None:
        """Open a folder, or make it.

        Parameters
        ----------
        folder
            Where the files go.
        machine
            What `machine` says of this one.
        resume
            Whether results that are there are kept; without it a folder that has some is refused.
        """
        self.folder, self._path = folder, folder / RESULTS
        rows = read_rows(self._path)
        if rows and not resume:
            rule, remedy = "a folder with results is not written over", "add --resume to go on, or change --out"
            raise InputError(rule, str(folder), remedy)
        mark = folder / MACHINE
        if rows and (not mark.exists() or json.loads(mark.read_text("utf-8")) != machine):
            rule = "the results of a folder must come from one machine and the same releases"
            raise InputError(rule, f"others in {folder}", "change --out")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            rule = f"the folder {str(folder)!r} must be one that can be written to"
            raise InputError(rule, problem, "choose another --out") from problem
        save_bytes(mark, (json.dumps(machine, indent=1) + "\n").encode(), "choose another --out")
        self.rows: list[Row] = rows
        if rows:  # without a line that was cut off
            text = "".join(_line(row) for row in rows)
            save_bytes(self._path, text.encode(), "choose another --out")

    def has(self, measurement: Measurement) -> bool:
        """Whether a measurement has been made."""
        return any(row["key"] == measurement.key for row in self.rows)

    def of(self, measurements: Sequence[Measurement]) -> list[Row]:
        """The lines of measurements, of those that have one."""
        keys = {each.key for each in measurements}
        return [row for row in self.rows if row["key"] in keys]

    def add(self, measurement: Measurement, found: dict[str, Any]) -> Row:
        """Keep what was found."""
        row = {"key": measurement.key, **measurement.settings, **found}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(row))
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        return row


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"
