"""Worker processes, which compute next duels and validate untrusted input, connected by two pipes each.

::

    parent ── a task, a line of JSON ──> worker        one at a time
           <─ its result, a line of JSON ──

A call has a time limit: a worker that exceeds it is killed.

A worker needs only its pipes and exits when they close, however the parent ends. It is started as a separate program
instead of by `multiprocessing`, which would run the caller's main module in it.

This module imports nothing heavy, so that a server can start its workers first and load its own code meanwhile.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Lock, Timer
from typing import Any

from anchorpbo import errors

MAX_WORKERS = 8
"""Largest default number of workers: each needs about 170 MB, and few servers need more of them."""
EXIT_SECONDS = 1.0
"""Time limit for a worker to exit, in seconds."""
START_SECONDS = 120.0
"""Time limit for a worker to start, in seconds; after installation it has to compile first."""
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:]; from anchorpbo.app.scheduler.worker_main import main; main(sys.argv[1])"
)
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
_SECRET_VARIABLES = ("ANCHORPBO_DB", "ANCHORPBO_TOKEN")


class WorkerEndedError(Exception):
    """A worker process ended, or could not be started."""


class WorkerTimeoutError(WorkerEndedError):
    """A worker process exceeded its time limit and was killed."""


class WorkerProcess:
    """One process, started on demand and restarted after it ended. Serves one thread at a time.

    Parameters
    ----------
    module
        Module with the tasks: its function ``load_tasks`` loads their code and returns them by name.
    """

    def __init__(self, module: str = "anchorpbo.app.scheduler.replicas") -> None:
        self._module = module
        self.ready = Event()
        """Set once the process has loaded its code."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process id, or ``None`` without a process."""
        return None if self._process is None else self._process.pid

    def is_alive(self) -> bool:
        """Return whether the process was started and has not ended."""
        process = self._process
        return process is not None and process.poll() is None

    def start(self) -> None:
        """Start the process unless it runs, without waiting for it; see `wait`."""
        with self._lock:
            if self._closed:
                raise WorkerEndedError("closed")
            if self._process is not None:
                return
            if not sys.executable:
                raise WorkerEndedError("no Python executable was found")
            command = [sys.executable, "-c", _PROGRAM, self._module, *(os.path.abspath(path) for path in sys.path)]
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=_make_environment(),
                    # Only the server receives Ctrl-C; it then ends its workers.
                    start_new_session=os.name == "posix",
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
            except OSError as error:
                raise WorkerEndedError(str(error)) from error

    def wait(self) -> None:
        """Wait until the process is ready."""
        if not self.ready.is_set():
            with self._time_limit(START_SECONDS):
                self._read()
            self.ready.set()

    def call(self, task: str, data: Any, seconds: float) -> Any:
        """Run a task in the process and return its result; kill the process after `seconds`.

        Raises the error of the task, or `WorkerEndedError` if the process ended meanwhile.
        """
        line = json.dumps({"task": task, "data": data})
        with self._time_limit(seconds):
            self._write(line)
            reply = self._read()
        if "error" in reply:
            raise _error_from_dict(reply["error"])
        if "result" not in reply:
            raise RuntimeError(reply.get("failure", "a worker sent an invalid reply"))
        return reply["result"]

    def end(self, seconds: float = 0.0) -> None:
        """End the process; kill it if it does not exit within `seconds`."""
        with self._lock:
            process, self._process = self._process, None
            self.ready.clear()
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def close(self) -> None:
        """End the process permanently."""
        self._closed = True
        self.end(EXIT_SECONDS)

    @contextmanager
    def _time_limit(self, seconds: float) -> Iterator[None]:
        """Kill the process after `seconds`, which also ends all waiting on its pipes."""
        process, late = self._process, Event()

        def kill() -> None:
            late.set()
            if process is not None:
                process.kill()

        timer = Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        except WorkerEndedError as error:
            if late.is_set():
                raise WorkerTimeoutError(f"the worker took longer than {seconds:g} s") from error
            raise
        finally:
            timer.cancel()

    def _write(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise WorkerEndedError("ended")
        try:
            process.stdin.write(line.encode("ascii") + b"\n")
            process.stdin.flush()
        except (OSError, ValueError) as error:
            raise WorkerEndedError(str(error)) from error

    def _read(self) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdout is None:
            raise WorkerEndedError("ended")
        try:
            line = process.stdout.readline()
            reply: dict[str, Any] = json.loads(line)
        except (OSError, ValueError) as error:
            raise WorkerEndedError(
                "the worker closed its pipe" if isinstance(error, ValueError) else str(error)
            ) from error
        return reply


def error_to_dict(error: errors.AnchorPBOError) -> dict[str, Any]:
    """Convert an error to JSON data."""
    received = None if error.received is None else str(error.received)
    kind = type(error).__name__
    parts = {"kind": kind, "rule": error.rule, "received": received, "remedy": error.remedy}
    return parts | {"value": error.value, "field": error.field}


def _error_from_dict(data: Mapping[str, Any]) -> errors.AnchorPBOError:
    """Read an error from JSON data."""
    kind = getattr(errors, data["kind"], errors.AnchorPBOError)
    error: errors.AnchorPBOError = kind(
        data["rule"], data["received"], data["remedy"], value=data["value"], field=data["field"]
    )
    return error


def _make_environment() -> dict[str, str]:
    """Return the environment of a worker: one thread for BLAS, and no secrets."""
    kept = {name: value for name, value in os.environ.items() if name not in _SECRET_VARIABLES}
    return kept | dict.fromkeys(_THREAD_VARIABLES, "1")


def start_workers(count: int | None = None) -> list[WorkerProcess]:
    """Create worker processes, by default one fewer than the processors, and start the first one.

    The others start when it is ready, because compiled code and disk caches are then available to them.
    """
    workers = [WorkerProcess() for _ in range(choose_worker_count() if count is None else count)]
    if workers:
        with suppress(WorkerEndedError):  # the caller that needs it tries again, and computes in a thread if that fails
            workers[0].start()
    return workers


def choose_worker_count() -> int:
    """Return the default number of workers, which leaves one processor to the server."""
    return min(max(_count_processors() - 1, 1), MAX_WORKERS)


def _count_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
