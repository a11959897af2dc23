"""The scheduler: computes next duels in workers before they are needed.

The next duel is a function of the log. So it can be computed at any time and in any process; prefetching does not
change it. An ask waits for the job of its log (`jobs.py`): a prefetch if there is one, else a new job that precedes all
prefetches. One thread per worker takes jobs and runs them (`executor.py`) in a worker process (`worker_process.py`), or
in the thread itself. The scheduler prefetches fewer duels under a higher load (`load.py`), because one of the two
likely next duels is computed in vain.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from threading import Event, Lock, Thread

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.scheduler.executor import ReplicaExecutor
from anchorpbo.app.scheduler.jobs import Job, JobInput, JobQueue, make_ask_timeout_error
from anchorpbo.app.scheduler.load import LoadMonitor
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS, Key, warm_up
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, WorkerTimeoutError
from anchorpbo.errors import AnchorPBOError, TimeLimitError
from anchorpbo.study import Outcome
from anchorpbo.study.log import LogSnapshot
from anchorpbo.study.replication import NextDuel, has_next_duel, offer, snapshot

LIKELY_OUTCOMES: tuple[Outcome, ...] = ("first", "second")
"""Outcomes whose next duels are prefetched. Ties are rare, and prefetching them would cost 50 % more time."""
_MAX_STARTS = 3
"""Maximum number of attempts to start a process."""
_CHECK_SECONDS = 1.0
"""Seconds between two checks that an idle process is alive."""

_LOG = logging.getLogger(__name__)


class Scheduler:
    """Scheduler of next duels in workers: asks first, then prefetches. Thread-safe.

    Parameters
    ----------
    workers
        Worker processes. Without any, one thread computes.
    """

    def __init__(self, workers: Sequence[WorkerProcess] = ()) -> None:
        self._workers = list(workers)
        self._jobs = JobQueue()
        self._lock = Lock()
        """Held to use the load monitor and to start threads."""
        self._load = LoadMonitor(max(len(self._workers), 1))
        self._warm = Event()
        """Set once the first worker has loaded or compiled its code."""
        self._closed = False
        self._threads: list[Thread] = []
        if self._workers:
            self._start()
        else:
            self._warm.set()

    # -- for use cases ------------------------------------------------------------------------------------------------

    def prefetch(self, key: Key, definition: StudyDefinition, session: ParticipantSession) -> None:
        """Add jobs for the duels after each likely answer to the pending one. The caller holds the session's lock."""
        duel = session.pending
        if duel is None:
            return
        with self._lock:
            prefetch_count = self._load.prefetch_count
        logs = [snapshot(session.optimizer, duel, outcome) for outcome in LIKELY_OUTCOMES[:prefetch_count]]
        self._start()
        self._jobs.prefetch(key, [JobInput(key, definition, log) for log in logs])

    def find(self, log: LogSnapshot) -> NextDuel | None:
        """Return the next duel of a log if a job has computed it."""
        found = self._jobs.find(log.digest)
        if found is not None:
            with self._lock:
                self._load.record_ask()
        return found

    def fetch(self, key: Key, definition: StudyDefinition, session: ParticipantSession) -> None:
        """Put the next duel into the cache of the session's optimizer. The caller holds the session's lock."""
        optimizer = session.optimizer
        log = snapshot(optimizer)
        if has_next_duel(optimizer, log.digest):
            return
        if not self._warm.is_set():
            return  # compiling takes long after installation; until then the caller computes the duel, interpreted
        with self._lock:
            self._load.record_ask()
        self._start()
        job = self._jobs.need(JobInput(key, definition, log))
        if not job.done.wait(MAX_ASK_SECONDS):
            raise make_ask_timeout_error()
        if job.error is not None:
            raise job.error
        if job.result is not None:
            offer(optimizer, job.result)

    def warm_up(self) -> None:
        """Load or compile the code that a duel needs before the first ask; worker processes do so at their start."""
        if not self._workers:
            Thread(target=warm_up, name="warm-up", daemon=True).start()

    def close(self) -> None:
        """Cancel all jobs and end the workers; waiting asks then compute their duels themselves."""
        with self._lock:
            self._closed = True
        self._jobs.close()
        self._warm.set()
        for worker in self._workers:
            worker.close()
        for thread in self._threads:
            thread.join()

    # -- threads, one per worker --------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Start the threads unless they run."""
        with self._lock:
            if self._threads or self._closed:
                return
            self._threads = [
                Thread(target=self._work, args=(n,), name=f"scheduler-{n}", daemon=True)
                for n in range(max(len(self._workers), 1))
            ]
            for thread in self._threads:
                thread.start()

    def _work(self, n: int) -> None:
        """Run jobs until the scheduler closes; start the process again when it ends."""
        if n:
            self._warm.wait()
        executor = self._make_executor(n)
        self._warm.set()
        while not self._closed:
            job = self._jobs.take(n, len(self._threads), _CHECK_SECONDS)
            try:
                if job is not None:
                    self._run(executor, job)
                else:
                    executor.check()
            except WorkerEndedError as error:
                if job is not None:
                    self._jobs.retry(job, isinstance(error, WorkerTimeoutError))
                if not self._closed:
                    _LOG.warning("a worker process ended and is started again: %s", error)
                    self._workers[n].end()
                    executor = self._make_executor(n)

    def _make_executor(self, n: int) -> ReplicaExecutor:
        """Start a process and return its executor; if that fails, return the executor of this thread."""
        for _ in range(_MAX_STARTS if self._workers else 0):
            worker = self._workers[n]
            try:
                worker.start()
                worker.wait()
                return ReplicaExecutor(worker)
            except WorkerEndedError as error:
                worker.end()
                if self._closed:
                    return ReplicaExecutor()
                _LOG.warning("a worker process did not start: %s", error)
        if self._workers:
            _LOG.warning("worker processes cannot be started; computing duels in a thread instead")
        return ReplicaExecutor()

    def _run(self, executor: ReplicaExecutor, job: Job) -> None:
        """Run a job and set its result; raise `WorkerEndedError` if the process ended."""
        given = job.input
        result: NextDuel | None = None
        error: AnchorPBOError | None = None
        if given is None:  # the queue was closed
            return
        began = time.monotonic()
        try:
            result = executor.run(given)
        except WorkerEndedError:
            raise
        except TimeLimitError as raised:  # is final
            error = raised
        except AnchorPBOError:  # an ask computes the duel itself and raises this error
            pass
        except Exception:  # a bug: an ask raises it again, and other jobs continue
            _LOG.exception("a next duel could not be computed in a worker")
        with self._lock:
            self._load.record_duration(time.monotonic() - began)
        self._jobs.finish(job, result, error)
