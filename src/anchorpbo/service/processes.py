"""Processes that compute next duels, each a `Desk` at the end of two pipes.

::

    here ── an errand, a line of JSON ──> worker        one at a time
         <─ what was found, a line of JSON ──

A worker needs nothing but its pipes, and ends when they close: by itself, however this process ends. It is started as a
program of its own and not by `multiprocessing`, which would run the caller's main module in it.

Nothing heavy is imported here, so that a server can start its workers first and load what it needs while they do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Lock
from typing import Any

MOST_WORKERS = 8
"""When nobody says how many: each takes some 170 MB, and few servers have more to do at once."""
PATIENCE = 1.0
"""Seconds that a worker may take to end."""
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from anchorpbo.service.worker import main; main()"
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
_SECRET = ("ANCHORPBO_DB", "ANCHORPBO_TOKEN")


class EndedError(Exception):
    """A worker ended, or could not be started."""


class Worker:
    """One process, started when it is first needed and again after it ended. One thread talks to it at a time."""

    def __init__(self) -> None:
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
            command = [sys.executable, "-c", _PROGRAM, *(os.path.abspath(path) for path in sys.path)]
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
            self._read()
            self.ready.set()

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the reply."""
        self._write(json.dumps(request))
        return self._read()

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
