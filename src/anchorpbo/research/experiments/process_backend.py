"""The backend that runs tasks in worker processes on this machine, one per core."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

from anchorpbo.errors import RunError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.runner import Backend, TaskOutcome, try_task


class ProcessBackend(Backend):
    """A pool of worker processes, by default one per core."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = _count_cores() if workers is None else as_integer("workers", workers, 1)

    def run(self, tasks: Sequence[ExperimentTask]) -> Iterator[TaskOutcome]:
        """Yield tasks as they end; closing the iterator ends the workers at once."""
        if not tasks:
            return
        # Spawn, because a forked process would inherit BLAS threads in an unknown state.
        context = multiprocessing.get_context("spawn")
        lifeline, held = context.Pipe(duplex=False)
        workers = min(self.workers, len(tasks))
        pool = ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(lifeline,))
        try:
            futures = {pool.submit(try_task, task): task for task in tasks}
            for future in as_completed(futures):
                yield TaskOutcome(futures[future], *future.result())
        except BrokenProcessPool as error:
            remedy = "check that there is enough memory, then run again with --resume"
            raise RunError("worker processes must stay alive", "one was killed", remedy) from error
        finally:
            held.close()  # the workers wait for this and exit
            lifeline.close()
            pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(lifeline: Connection) -> None:
    """Set up a worker that exits with its parent process, even if the parent was killed."""
    # Ctrl-C reaches the whole process group; only the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with, args=(lifeline,), daemon=True).start()


def _exit_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()  # nothing is ever sent
    except (EOFError, OSError):
        os._exit(1)


def _count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
