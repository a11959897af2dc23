"""Processes that compute next duels and check what comes from outside, each at the end of two pipes.

::

    here ── a task, a line of JSON ──> worker        one at a time
         <─ what was found, a line of JSON ──

A call has a time limit: a worker that exceeds it, or hangs, is killed.

A worker needs nothing but its pipes, and ends when they close: by itself, however this process ends. It is started as a
program of its own and not by `multiprocessing`, which would run the caller's main module in it.

Nothing heavy is imported here, so that a server can start its workers first and load what it needs while they do.
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

MOST_WORKERS = 8
"""When nobody says how many: each takes some 170 MB, and few servers have more to do at once."""
PATIENCE = 1.0
"""Seconds that a worker may take to end."""
START_LIMIT = 120.0
"""Seconds that one may take to start: a new installation has to compile first."""
_PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from anchorpbo.app.scheduler.worker import main; main(sys.argv[1])"
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
_SECRET = ("ANCHORPBO_DB", "ANCHORPBO_TOKEN")


class EndedError(Exception):
    """A worker ended, or could not be started."""


class LateError(EndedError):
    """A worker took longer than it may, and was killed."""


class Worker:
    """One process, started when it is first needed and again after it ended. One thread talks to it at a time.

    Parameters
    ----------
    module
        Module with the tasks it can do: its function ``load_tasks`` loads what they need and returns them by name.
    """

    def __init__(self, module: str = "anchorpbo.app.scheduler.desk") -> None:
        self._module = module
        self.ready = Event()
        """Set once it has loaded all it needs."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def is_alive(self) -> bool:
        """Whether it was started and has not ended."""
        process = self._process
        return process is not None and process.poll() is None

    def start(self) -> None:
        """Start it, unless it runs; it is of use as soon as it says so, see `wait`."""
        with self._lock:
            if self._closed:
                raise EndedError("closed")
            if self._process is not None:
                return
            if not sys.executable:
                raise EndedError("there is no Python to start")
            command = [sys.executable, "-c", _PROGRAM, self._module, *(os.path.abspath(path) for path in sys.path)]
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=_environment(),
                    # Ctrl-C is meant for the server, which then ends its workers.
                    start_new_session=os.name == "posix",
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
            except OSError as problem:
                raise EndedError(str(problem)) from problem

    def wait(self) -> None:
        """Wait until it is of use."""
        if not self.ready.is_set():
            with self._time_limit(START_LIMIT):
                self._read()
            self.ready.set()

    def call(self, task: str, data: Any, seconds: float) -> Any:
        """Have a task done and wait for what was found, for so long at most: then the process is killed.

        Raises what the task refused, and `EndedError` where the process ended meanwhile.
        """
        line = json.dumps({"task": task, "data": data})
        with self._time_limit(seconds):
            self._write(line)
            reply = self._read()
        if "refused" in reply:
            raise _refused(reply["refused"])
        if "found" not in reply:
            raise RuntimeError(reply.get("failed", "a worker gave an odd reply"))
        return reply["found"]

    def end(self, patience: float = 0.0) -> None:
        """End it, at once or when it has had some time to do so by itself."""
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
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def close(self) -> None:
        """End it for good."""
        self._closed = True
        self.end(PATIENCE)

    @contextmanager
    def _time_limit(self, seconds: float) -> Iterator[None]:
        """Kill the process after some time, which ends all waiting for its pipes."""
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
        except EndedError as problem:
            if late.is_set():
                raise LateError(f"it took longer than {seconds:g} s") from problem
            raise
        finally:
            timer.cancel()

    def _write(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise EndedError("ended")
        try:
            process.stdin.write(line.encode("ascii") + b"\n")
            process.stdin.flush()
        except (OSError, ValueError) as problem:
            raise EndedError(str(problem)) from problem

    def _read(self) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdout is None:
            raise EndedError("ended")
        try:
            line = process.stdout.readline()
            reply: dict[str, Any] = json.loads(line)
        except (OSError, ValueError) as problem:
            raise EndedError("it closed its pipe" if isinstance(problem, ValueError) else str(problem)) from problem
        return reply


def refusal(error: errors.AnchorPBOError) -> dict[str, Any]:
    """An error as JSON holds it."""
    received = None if error.received is None else str(error.received)
    return {"kind": type(error).__name__, "rule": error.rule, "received": received, "remedy": error.remedy}


def _refused(reply: Mapping[str, Any]) -> errors.AnchorPBOError:
    """The error that a worker met."""
    kind = getattr(errors, reply["kind"], errors.AnchorPBOError)
    error: errors.AnchorPBOError = kind(reply["rule"], reply["received"], reply["remedy"])
    return error


def _environment() -> dict[str, str]:
    """For a worker: one thread for BLAS, and nothing that would let it in anywhere."""
    kept = {name: value for name, value in os.environ.items() if name not in _SECRET}
    return kept | dict.fromkeys(_ONE_THREAD, "1")


def start_workers(count: int | None = None) -> list[Worker]:
    """So many workers, by default one less than there are processors; the first of them is started.

    The others follow when it is ready: what had to be compiled, or read from a cold disk, is then there for them.
    """
    workers = [Worker() for _ in range(default_count() if count is None else count)]
    if workers:
        with suppress(EndedError):  # whoever needs it tries again, and does without
            workers[0].start()
    return workers


def default_count() -> int:
    """One processor is left to those who are waiting."""
    return min(max(_processors() - 1, 1), MOST_WORKERS)


def _processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
