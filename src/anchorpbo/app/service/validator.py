"""Validation of what comes from outside, in processes that can be killed.

::

    define        a request for a study       ──> its definition
    preview       a request for a study       ──> what it would be, nothing is kept
    export        an export                   ──> its definition, entries and participants
    catalogue     a CSV file                  ──> its columns and what each could be
    comparisons   a CSV file, and a space     ──> the comparisons in it

Each is a function from plain data to plain data, see `TASKS`: how long it takes depends on what was sent, and a search
among whole numbers cannot be interrupted in a thread.
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
from anchorpbo.app.definition.validation import raise_input_errors
from anchorpbo.app.rendering.cards import Card, CardRow, make_card
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, WorkerTimeoutError
from anchorpbo.app.service.catalogues import CatalogueView, ColumnView, read_catalogue
from anchorpbo.app.service.imports import ImportedStudy, read_export
from anchorpbo.app.service.views import JSONObject
from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import RunError, TimeLimitError
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.space import DesignSpace, space_from_dict
from anchorpbo.space.constraints import as_constraints
from anchorpbo.space.space import CHECK_SECONDS
from anchorpbo.study.comparisons import read_comparisons
from anchorpbo.study.events import Preferred

IMPORT_SECONDS = 60.0
"""Seconds that reading an export or a table may take."""
VALIDATOR_PROCESSES = 2
"""Two, so that the validation of a study need not wait for an import."""
MAX_REQUESTS = 16
"""Requests that are validated or wait for it: more would leave no thread to those who compare designs."""
MAX_COMPARISONS = 10_000
"""In one table."""
_GRACE_SECONDS = 1.0
"""Extra seconds before the process is killed, so that the solver's own time-limit error comes first: it says more."""

_LOG = logging.getLogger("anchorpbo.app.service")


@dataclass(frozen=True)
class StudyPreview:
    """A valid request for a study, and what it would make."""

    ok: bool
    """Always true: an invalid study raises an error."""
    dimension: int
    """Parameters that vary, or columns that tell items apart."""
    designs: int | None
    """Number of different designs; ``None`` where it is infinite, or too large to count."""
    constraints: list[JSONObject]
    """Constraints of the space, in the form that a request takes."""
    card: Card
    """The design in the middle, as people will see it."""


class Validator:
    """Validates studies, exports and tables in processes of its own. Safe to use from several threads.

    Parameters
    ----------
    workers
        Processes to validate in, started when they are needed; without any, the calling thread does it.
    """

    def __init__(self, workers: Sequence[WorkerProcess] = ()) -> None:
        self._workers = list(workers)
        # The last one used first: another is only started when this one is busy.
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
        """Describe the study that a request would make, without making it."""
        result = self._run("preview", request, _time_limit_of(request), "a study")
        rows = [CardRow(**row) for row in result["card"]["rows"]]
        return StudyPreview(**result | {"card": Card(**result["card"] | {"rows": rows})})

    def read_export(self, layout: Any) -> ImportedStudy:
        """Read an export and validate everything in it, see `anchorpbo.app.service.imports`."""
        result = self._run("export", layout, IMPORT_SECONDS, "an export")
        definition = StudyDefinition.from_dict(result["definition"], trusted=True)
        return ImportedStudy(definition, [Entry.from_dict(one) for one in result["entries"]], result["participants"])

    def read_catalogue(self, data: bytes) -> CatalogueView:
        """Read a CSV file and suggest what its columns could be."""
        result = self._run("catalogue", b64encode(data).decode(), IMPORT_SECONDS, "a table")
        return CatalogueView(**result | {"columns": [ColumnView(**one) for one in result["columns"]]})

    def read_comparisons(self, table: Any, definition: StudyDefinition) -> list[Preferred]:
        """Read the comparisons of a CSV file, or of records; each of their designs must be one of the study."""
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

    # -- inside -------------------------------------------------------------------------------------------------------

    def _run(self, task: str, data: Any, seconds: float, what: str) -> Any:
        if not self._workers:
            return _run_in_thread(task, data, seconds)
        with self._lock:
            if self._requests >= MAX_REQUESTS:
                rule = f"at most {MAX_REQUESTS} requests to check something may be under way"
                raise RunError(rule, "one more", "try again in a moment")
            self._requests += 1
        try:
            worker = self._idle.get(timeout=seconds)
        except Empty:
            rule = f"a check must begin within {seconds:g} s"
            raise RunError(rule, "others that take longer", "try again in a moment") from None
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
            _LOG.warning("a process for checks did not start, and they are made in a thread: %s", error)
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
            raise RunError(rule, "a process that ended while at it", remedy) from error


def _run_in_thread(task: str, data: Any, seconds: float) -> Any:
    """Check in this thread, which nobody can kill: the limit reaches searches among whole numbers alone."""
    with time_limit(seconds):
        return TASKS[task](data)


def _time_limit_of(request: Any) -> float:
    """Seconds that a request for a study may take: with a catalogue in it, it is a table."""
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
    shown = make_card(definition.display, middle, "middle-")
    return asdict(StudyPreview(True, space.dimension, _count_designs(space), constraints, shown))


def _parse_constraints(space: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the constraints of a space that are text to what `Linear.to_dict` returns."""
    given, parameters = space.get("constraints"), space.get("parameters")
    if not isinstance(given, list) or not isinstance(parameters, list):
        return dict(space)
    names = [one["name"] for one in parameters if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
    read = [as_constraints(one, names)[0].to_dict() if isinstance(one, str) else one for one in given]
    return {**space, "constraints": read}


def _count_designs(space: DesignSpace) -> int | None:
    """Count the different designs; ``None`` where they are endless, or constraints leave more than can be listed."""
    if space.candidates is not None:
        return len(space.candidates)
    assert space.region is not None  # a list has candidates
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
    """Tasks of a worker process, see `anchorpbo.app.scheduler.worker_main`."""
    return TASKS
