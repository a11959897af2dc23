"""Worker processes, one per library, started when needed and killed at a time limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from types import TracebackType
from typing import IO

from anchorpbo.research.bench.benchmark_worker import Answer, Job, peak_megabytes
from anchorpbo.research.bench.simulated_duels import simulate_dataset

THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
STOPPED = "limit"
"""Status of an answer that was stopped at the time limit."""
UNREADY_ERROR = "Unready"
"""Error of an answer whose preparation exceeded the limit."""
LOADING_SECONDS = 600.0
"""Seconds that a library may take to load and compile; separate from the time limit, since they are not measured."""


def make_environment(threads: int) -> dict[str, str]:
    """Return the environment variables for a worker with this many threads; 0 keeps the libraries' defaults."""
    kept = {name: value for name, value in os.environ.items() if name not in THREAD_VARIABLES}
    return {**kept, **(dict.fromkeys(THREAD_VARIABLES, str(threads)) if threads else {})}


class BenchmarkProcess:
    """A worker process in which a library is measured."""

    def __init__(self, threads: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "anchorpbo.research.bench.benchmark_worker", str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=make_environment(threads),
            text=True,
        )
        self._lines: Queue[str] = Queue()
        # Read in a thread: not every system can wait on a pipe with a time limit.
        Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put("")
        stream.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process can take a job."""
        return self._process.poll() is None

    def call(self, job: Job, limit: float) -> Answer:
        """Run a job and return its answer; at the time limit the process is killed.

        The preparation of a step and its timed part each have the full limit.
        """
        stream = self._process.stdin
        assert stream is not None
        parts: list[str] = []
        laps: dict[str, float] = {}
        deadline = perf_counter() + limit
        try:
            print(json.dumps(job), file=stream, flush=True)
            while line := self._lines.get(timeout=max(deadline - perf_counter(), 0.0)):
                message: Answer = json.loads(line)
                if "status" in message:
                    return message
                if "parts" in message:
                    parts, deadline = message["parts"], perf_counter() + limit
                else:
                    laps[message["lap"]] = message["seconds"]
        except Empty:
            megabytes = peak_megabytes(self._process.pid)
            self.end()
            if job["do"] == "step" and not parts:
                return _make_failure(UNREADY_ERROR, "the preparation took too long", limit)
            running = next((part for part in parts if part not in laps), None)
            return {"status": STOPPED, "limit": limit, "laps": laps, "running": running, "megabytes": megabytes}
        except OSError:
            pass
        self.end()
        return _make_failure("ProcessEnded", "the process ended", 0.0)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # the process that would read the buffered input has ended
                self._process.stdin.close()


class BenchmarkPool:
    """The worker processes of a run; a context manager."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._processes: dict[tuple[str, int], BenchmarkProcess] = {}

    def __enter__(self) -> BenchmarkPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def call(self, who: str, threads: int, job: Job) -> Answer:
        """Run a job in the worker process of a library; the process is started if needed."""
        process = self._processes.get((who, threads))
        if process is None or not process.is_alive:
            process = self._processes[who, threads] = BenchmarkProcess(threads)
            if "contender" in job:
                few = simulate_dataset(3, 6, 0).to_plain()
                warmed = process.call({"do": "warm", "contender": job["contender"], "dataset": few}, LOADING_SECONDS)
                if warmed["status"] != "ok":
                    return warmed
        return process.call(job, self.limit)

    def call_fresh(self, threads: int, job: Job) -> Answer:
        """Run a job in a fresh process and end it afterwards."""
        process = BenchmarkProcess(threads)
        try:
            return process.call(job, self.limit)
        finally:
            process.end()

    def end(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.end()
        self._processes.clear()


def _make_failure(error: str, message: str, seconds: float) -> Answer:
    return {"status": "failed", "error": error, "message": message, "seconds": seconds}
