"""Checks of what comes from outside, in processes that can be killed.

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

from anchorpbo.app.definition.definition import Definition
from anchorpbo.app.definition.plain import refusing
from anchorpbo.app.rendering.cards import Card, CardRow, make_card
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, WorkerTimeoutError
from anchorpbo.app.service.catalogues import CatalogueView, ColumnView, read_catalogue
from anchorpbo.app.service.imports import Import, read_export
from anchorpbo.app.service.views import JSONObject
from anchorpbo.app.storage.journal import Entry
from anchorpbo.errors import RunError, TimeLimitError
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.space import DesignSpace, space_from_dict
from anchorpbo.space.constraints import as_constraints
from anchorpbo.space.space import CHECK_LIMIT
from anchorpbo.study.comparisons import read_comparisons
from anchorpbo.study.events import Preferred

IMPORT_LIMIT = 60.0
"""Seconds that reading an export or a table may take."""
PROCESSES = 2
"""So that whoever checks a study need not wait for an import."""
MOST_WAITING = 16
"""Requests that are checked or wait for it: more would leave no thread to those who compare designs."""
MOST_COMPARISONS = 10_000
"""In one table."""
_GRACE = 1.0
"""Extra seconds before the process is killed, so that the solver's own time-limit error comes first: it says more."""

_LOG = logging.getLogger("anchorpbo.app.service")


@dataclass(frozen=True)
class CheckedStudy:
    """A study that could be made."""

    ok: bool
    """Always true: what is wrong comes as a problem."""
    dimension: int
    """Parameters that vary, or columns that tell items apart."""
    designs: int | None
    """How many different ones there are; ``None`` where they are endless, or more than can be counted."""
    constraints: list[JSONObject]
    """Those of the space, as a study takes them."""
    card: Card
    """The design in the middle, as people will see it."""


class Checks:
    """Has things checked in processes of its own. Safe to use from several threads.

    Parameters
    ----------
    workers
        Processes to check in, started when they are needed; without any, whoever calls does it.
    """

    def __init__(self, workers: Sequence[WorkerProcess] = ()) -> None:
        self._workers = list(workers)
        # The last one used first: another is only started when this one is busy.
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)
        self._inside = 0
        self._lock = Lock()

    def define(self, request: Any, folder: str | None = None) -> Definition:
        """The definition that someone asks for, see `Definition.from_request`."""
        found = self._run("define", request, _limit_of(request), "a study")
        definition = Definition.from_dict(found["definition"], trusted=True)
        return replace(definition, anchors=tuple(found["anchors"]), folder=folder)

    def preview(self, request: Mapping[str, Any]) -> CheckedStudy:
        """Describe the study that a request would make, without making it."""
        found = self._run("preview", request, _limit_of(request), "a study")
        rows = [CardRow(**row) for row in found["card"]["rows"]]
        return CheckedStudy(**found | {"card": Card(**found["card"] | {"rows": rows})})

    def export(self, layout: Any) -> Import:
        """An export and everything in it, see `anchorpbo.app.service.imports`."""
        found = self._run("export", layout, IMPORT_LIMIT, "an export")
        definition = Definition.from_dict(found["definition"], trusted=True)
        return Import(definition, [Entry.from_dict(one) for one in found["entries"]], found["participants"])

    def catalogue(self, data: bytes) -> CatalogueView:
        """A CSV file and what its columns could be."""
        found = self._run("catalogue", b64encode(data).decode(), IMPORT_LIMIT, "a table")
        return CatalogueView(**found | {"columns": [ColumnView(**one) for one in found["columns"]]})

    def comparisons(self, table: Any, definition: Definition) -> list[Preferred]:
        """The comparisons of a CSV file, or of records; each of their designs is one of the study."""
        if isinstance(table, BytesIO):
            data = {"csv": b64encode(table.getvalue()).decode(), "space": definition.engine["space"]}
            found = self._run("comparisons", data, IMPORT_LIMIT, "a table")
            return [Preferred(*one) for one in found]
        with refusing("a table of comparisons"):
            return read_comparisons(table, definition.space, MOST_COMPARISONS)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _run(self, task: str, data: Any, seconds: float, what: str) -> Any:
        if not self._workers:
            return _run_here(task, data, seconds)
        with self._lock:
            if self._inside >= MOST_WAITING:
                rule = f"at most {MOST_WAITING} requests to check something may be under way"
                raise RunError(rule, "one more", "try again in a moment")
            self._inside += 1
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
                self._inside -= 1

    def _call(self, worker: WorkerProcess, task: str, data: Any, seconds: float, what: str) -> Any:
        try:
            if not worker.is_alive():
                worker.end()
                worker.start()
            worker.wait()
        except WorkerEndedError as problem:
            worker.end()
            _LOG.warning("a process for checks did not start, and they are made in a thread: %s", problem)
            return _run_here(task, data, seconds)
        try:
            return worker.call(task, data, seconds)
        except WorkerTimeoutError as problem:
            worker.end()
            rule = f"checking {what} must take at most {seconds:g} s"
            remedy = "use fewer constraints and parameters" if what == "a study" else "make it smaller, or split it"
            raise TimeLimitError(rule, "one that takes longer", remedy) from problem
        except WorkerEndedError as problem:
            worker.end()
            rule, remedy = f"{what} could not be checked", "make it smaller, and see the server's log"
            raise RunError(rule, "a process that ended while at it", remedy) from problem


def _run_here(task: str, data: Any, seconds: float) -> Any:
    """Check in this thread, which nobody can kill: the limit reaches searches among whole numbers alone."""
    with time_limit(seconds):
        return TASKS[task](data)


def _limit_of(request: Any) -> float:
    """Seconds that a request for a study may take: with a catalogue in it, it is a table."""
    space = request.get("space") if isinstance(request, Mapping) else None
    is_table = isinstance(space, Mapping) and space.get("kind") == "catalogue"
    return IMPORT_LIMIT if is_table else CHECK_LIMIT + _GRACE


# -- tasks ------------------------------------------------------------------------------------------------------------


def _define(request: Any) -> JSONObject:
    definition = Definition.from_request(request)
    return {"definition": definition.to_dict(), "anchors": list(definition.anchors)}


def _preview(request: Mapping[str, Any]) -> JSONObject:
    definition = Definition.from_request({**request, "space": _with_constraints_read(request["space"])})
    space = definition.space
    with time_limit(CHECK_LIMIT):
        middle = space.decode(space.nearest(np.full(space.dimension, 0.5)))
    constraints = space.to_dict()["constraints"] if definition.catalogue is None else []
    shown = make_card(definition.display, middle, "middle-")
    return asdict(CheckedStudy(True, space.dimension, _number_of(space), constraints, shown))


def _with_constraints_read(space: Mapping[str, Any]) -> dict[str, Any]:
    """The same space, where constraints that are text have become what `Linear.to_dict` gives."""
    given, parameters = space.get("constraints"), space.get("parameters")
    if not isinstance(given, list) or not isinstance(parameters, list):
        return dict(space)
    names = [one["name"] for one in parameters if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
    read = [as_constraints(one, names)[0].to_dict() if isinstance(one, str) else one for one in given]
    return {**space, "constraints": read}


def _number_of(space: DesignSpace) -> int | None:
    """Different designs; ``None`` where they are endless, or constraints leave more than can be listed."""
    if space.candidates is not None:
        return len(space.candidates)
    assert space.region is not None  # a list has candidates
    sizes = [0 if grid is None else len(grid) for grid in space.region.grids]
    endless, constrained = 0 in sizes, len(space.region.polytope.involved) > 0
    return None if endless or constrained else math.prod(sizes)


def _export(layout: Any) -> JSONObject:
    found = read_export(layout)
    return {
        "definition": found.definition.to_dict(),
        "entries": [entry.to_dict() for entry in found.entries],
        "participants": list(found.participants),
    }


def _catalogue(data: str) -> JSONObject:
    return asdict(read_catalogue(b64decode(data)))


def _comparisons(data: Mapping[str, Any]) -> list[list[Any]]:
    with refusing("a table of comparisons"):
        space = space_from_dict(data["space"], checked=True)
        found = read_comparisons(BytesIO(b64decode(data["csv"])), space, MOST_COMPARISONS)
    return [[one.winner, one.loser, one.tie] for one in found]


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
