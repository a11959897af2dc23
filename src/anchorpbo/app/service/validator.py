"""Validation of untrusted input, in worker processes that can be killed.

::

    define        a request for a study       ──> its definition
    preview       a request for a study       ──> a preview; nothing is stored
    export        an export                   ──> its definition, entries and participants
    catalogue     a CSV file                  ──> its columns with suggested roles
    comparisons   a CSV file and a space      ──> the comparisons in it

Each task is a function from plain data to plain data, see `TASKS`. Its running time depends on the input, and an
integer search cannot be interrupted in a thread; so the tasks run in processes.
"""

from __future__ import annotations

import logging
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from queue import Empty, LifoQueue
from threading import Lock
from typing import Any

import numpy as np

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.validation import check_space_size, raise_input_errors
from anchorpbo.app.rendering.cards import Card, CardRow, make_card
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, WorkerTimeoutError
from anchorpbo.app.service.catalogues import CatalogueView, ColumnView, read_catalogue
from anchorpbo.app.service.imports import ImportedStudy, read_export
from anchorpbo.app.service.layouts import ConstraintObject, JSONObject
from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import RunError, TimeLimitError, at_field
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.space import DesignSpace, space_from_dict
from anchorpbo.space.constraints import as_constraints
from anchorpbo.space.space import CHECK_SECONDS
from anchorpbo.study.comparisons import read_comparisons
from anchorpbo.study.events import Preferred

IMPORT_SECONDS = 60.0
"""Time limit for reading an export or a table, in seconds."""
VALIDATOR_PROCESSES = 2
"""Number of processes: two, so that the validation of a study does not wait for an import."""
MAX_REQUESTS = 16
"""Maximum number of requests in validation or waiting for it; the remaining threads serve duels."""
MAX_COMPARISONS = 10_000
"""Maximum number of comparisons in one table."""
_GRACE_SECONDS = 1.0
"""Extra seconds before the process is killed, so that the solver can raise its more specific error first."""

_LOG = logging.getLogger("anchorpbo.app.service")


@dataclass(frozen=True)
class StudyPreview:
    """Preview of the study that a valid request would create."""

    ok: bool
    """Always true: an invalid study raises an error."""
    dimension: int
    """Number of varying parameters, or of a catalogue's feature columns."""
    designs: int | None
    """Number of distinct designs; null if it is infinite or too large to count."""
    constraints: list[ConstraintObject]
    """Constraints of the space, in the form used in requests."""
    card: Card
    """Card of the design at the centre of the space."""


class Validator:
    """Validator of studies, exports and tables, in separate worker processes. Safe to use from several threads.

    Parameters
    ----------
    workers
        Worker processes, started on demand. Without any, the calling thread validates.
    """

    def __init__(self, workers: Sequence[WorkerProcess] = ()) -> None:
        self._workers = list(workers)
        # The last one used comes first, so that another process starts only when this one is busy.
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)
        self._requests = 0
        self._lock = Lock()

    def define(self, request: Any, folder: str | None = None) -> StudyDefinition:
        """Validate a request for a study and return its definition, see `StudyDefinition.from_request`."""
        result = self._run("define", request, _time_limit_of(request), "a study")
        definition = StudyDefinition.from_dict(result["definition"], trusted=True)
        return replace(definition, anchors=tuple(result["anchors"]), folder=folder)

    def preview(self, request: Mapping[str, Any]) -> StudyPreview:
        """Return a preview of the study that a request would create, without creating it."""
        result = self._run("preview", request, _time_limit_of(request), "a study")
        rows = [CardRow(**row) for row in result["card"]["rows"]]
        return StudyPreview(**result | {"card": Card(**result["card"] | {"rows": rows})})

    def read_export(self, layout: Any) -> ImportedStudy:
        """Read an export and validate everything in it, see `anchorpbo.app.service.imports`."""
        result = self._run("export", layout, IMPORT_SECONDS, "an export")
        definition = StudyDefinition.from_dict(result["definition"], trusted=True)
        return ImportedStudy(definition, [Entry.from_dict(one) for one in result["entries"]], result["participants"])

    def read_catalogue(self, data: bytes) -> CatalogueView:
        """Read a CSV file and suggest a role per column."""
        result = self._run("catalogue", b64encode(data).decode(), IMPORT_SECONDS, "a table")
        return CatalogueView(**result | {"columns": [ColumnView(**one) for one in result["columns"]]})

    def read_comparisons(self, table: Any, definition: StudyDefinition) -> list[Preferred]:
        """Read comparisons from a CSV file or records; raise unless every design belongs to the study's space."""
        if isinstance(table, BytesIO):
            data = {"csv": b64encode(table.getvalue()).decode(), "space": definition.engine["space"]}
            result = self._run("comparisons", data, IMPORT_SECONDS, "a table")
            return [Preferred(*one) for one in result]
        with raise_input_errors("a table of comparisons"):
            return read_comparisons(table, definition.space, MAX_COMPARISONS)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()

    # -- internals ----------------------------------------------------------------------------------------------------

    def _run(self, task: str, data: Any, seconds: float, what: str) -> Any:
        if not self._workers:
            return _run_in_thread(task, data, seconds)
        with self._lock:
            if self._requests >= MAX_REQUESTS:
                rule = f"at most {MAX_REQUESTS} requests may wait for validation"
                raise RunError(rule, "one more", "try again in a moment")
            self._requests += 1
        try:
            worker = self._idle.get(timeout=seconds)
        except Empty:
            rule = f"validation must begin within {seconds:g} s"
            raise RunError(rule, "earlier requests that take longer", "try again in a moment") from None
        else:
            try:
                return self._call(worker, task, data, seconds, what)
            finally:
                self._idle.put(worker)
        finally:
            with self._lock:
                self._requests -= 1

    def _call(self, worker: WorkerProcess, task: str, data: Any, seconds: float, what: str) -> Any:
        try:
            if not worker.is_alive():
                worker.end()
                worker.start()
            worker.wait()
        except WorkerEndedError as error:
            worker.end()
            _LOG.warning("a validation process did not start; validating in a thread instead: %s", error)
            return _run_in_thread(task, data, seconds)
        try:
            return worker.call(task, data, seconds)
        except WorkerTimeoutError as error:
            worker.end()
            rule = f"checking {what} must take at most {seconds:g} s"
            remedy = "use fewer constraints and parameters" if what == "a study" else "make it smaller, or split it"
            raise TimeLimitError(rule, "one that takes longer", remedy) from error
        except WorkerEndedError as error:
            worker.end()
            rule, remedy = f"{what} could not be checked", "make it smaller, and see the server's log"
            raise RunError(rule, "a process that ended during the check", remedy) from error


def _run_in_thread(task: str, data: Any, seconds: float) -> Any:
    """Run a task in this thread, which cannot be killed; the time limit applies only to integer searches."""
    with time_limit(seconds):
        return TASKS[task](data)


def _time_limit_of(request: Any) -> float:
    """Return the time limit of a request for a study, in seconds; with a catalogue, the limit of a table."""
    space = request.get("space") if isinstance(request, Mapping) else None
    is_table = isinstance(space, Mapping) and space.get("kind") == "catalogue"
    return IMPORT_SECONDS if is_table else CHECK_SECONDS + _GRACE_SECONDS


# -- tasks ------------------------------------------------------------------------------------------------------------


def _define(request: Any) -> JSONObject:
    definition = StudyDefinition.from_request(request)
    return {"definition": definition.to_dict(), "anchors": list(definition.anchors)}


def _preview(request: Mapping[str, Any]) -> JSONObject:
    definition = StudyDefinition.from_request({**request, "space": _parse_constraints(request["space"])})
    space = definition.space
    with time_limit(CHECK_SECONDS):
        middle = space.decode(space.nearest(np.full(space.dimension, 0.5)))
    constraints = space.to_dict()["constraints"] if definition.catalogue is None else []
    shown = make_card(definition.display, middle, "middle-", definition.decimals)
    return asdict(StudyPreview(True, space.dimension, _count_designs(space), constraints, shown))


def _parse_constraints(space: Mapping[str, Any]) -> dict[str, Any]:
    """Return the space with textual constraints parsed to the form of `Linear.to_dict`."""
    check_space_size(space)
    given, parameters = space.get("constraints"), space.get("parameters")
    if not isinstance(given, list) or not isinstance(parameters, list):
        return dict(space)
    names = [one["name"] for one in parameters if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
    read = []
    for number, one in enumerate(given):
        with at_field("space.constraints"), at_field(number, one):
            read.append(as_constraints(one, names)[0].to_dict() if isinstance(one, str) else one)
    return {**space, "constraints": read}


def _count_designs(space: DesignSpace) -> int | None:
    """Return the number of distinct designs; ``None`` if it is infinite or, under constraints, too large to list."""
    if space.candidates is not None:
        return len(space.candidates)
    assert space.region is not None  # catalogues, which have none, returned above
    sizes = [0 if grid is None else len(grid) for grid in space.region.grids]
    endless, constrained = 0 in sizes, len(space.region.polytope.constrained_coordinates) > 0
    return None if endless or constrained else math.prod(sizes)


def _export(layout: Any) -> JSONObject:
    result = read_export(layout)
    return {
        "definition": result.definition.to_dict(),
        "entries": [entry.to_dict() for entry in result.entries],
        "participants": list(result.participants),
    }


def _catalogue(data: str) -> JSONObject:
    return asdict(read_catalogue(b64decode(data)))


def _comparisons(data: Mapping[str, Any]) -> list[list[Any]]:
    with raise_input_errors("a table of comparisons"):
        space = space_from_dict(data["space"], checked=True)
        result = read_comparisons(BytesIO(b64decode(data["csv"])), space, MAX_COMPARISONS)
    return [[one.winner, one.loser, one.tie] for one in result]


TASKS: dict[str, Callable[[Any], Any]] = {
    "define": _define,
    "preview": _preview,
    "export": _export,
    "catalogue": _catalogue,
    "comparisons": _comparisons,
}


def load_tasks() -> dict[str, Callable[[Any], Any]]:
    """Return the tasks of a worker process, see `anchorpbo.app.scheduler.worker_main`."""
    return TASKS
