"""The scheduler: computes next duels in workers before they are needed.

The next duel is a function of the log. So it can be computed at any time and in any process; prefetching does not
change it. A job computes the next duel of one log. It runs in a worker (`replicas.py`), in a process
(`worker_process.py`) or in a thread. An ask waits for the job of its log: a prefetch if there is one, else a new job
that precedes all prefetches. The scheduler prefetches fewer duels under a higher load (`load.py`), because one of the
two likely next duels is computed in vain.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Condition, Event, Thread
from typing import Protocol

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.scheduler.load import LoadMonitor
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS, Key, ReplicaPool, ReplicaTracker, ReplicaUpdate, warm_up
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess, WorkerTimeoutError
from anchorpbo.errors import AnchorPBOError, RunError, TimeLimitError
from anchorpbo.study import Outcome
from anchorpbo.study.log import LogSnapshot
from anchorpbo.study.replication import NextDuel, has_next_duel, offer, snapshot

LIKELY_OUTCOMES: tuple[Outcome, ...] = ("first", "second")
"""Outcomes whose next duels are prefetched. Ties are rare, and prefetching them would cost 50 % more time."""
MAX_PREFETCH_JOBS = 64
"""Queue length at which prefetching stops."""
MAX_RESULTS = 1024
"""Maximum number of cached results; the least recently used are dropped."""
_MAX_ATTEMPTS = 3
"""Maximum number of attempts to start a process, and to run one job in a process."""
_CHECK_SECONDS = 1.0
"""Seconds between two checks that an idle process is alive."""

_LOG = logging.getLogger("anchorpbo.app.service")


@dataclass(eq=False)
class Job:
    """The computation of a next duel, and its result once it is done."""

    key: Key
    definition: StudyDefinition | None
    """Definition of the study; ``None`` once the job is done."""
    log: LogSnapshot | None
    """The log; ``None`` once the job is done."""
    rank: int
    """Priority: 0 if an ask waits for the job, else the rank of the outcome, most likely first."""
    number: int
    done: Event = field(default_factory=Event)
    result: NextDuel | None = None
    """The next duel; ``None`` until the job is done, and if it failed or was cancelled: the caller then computes it."""
    error: AnchorPBOError | None = None
    """Error that an ask raises instead of computing the duel."""
    attempts: int = 0

    def finish(self, result: NextDuel | None, error: AnchorPBOError | None = None) -> None:
        """Set the result and wake all waiting threads."""
        self.result, self.error = result, error
        self.definition = self.log = None
        self.done.set()


class Scheduler:
    """Scheduler of next duels in workers: asks first, then prefetches. Thread-safe.

    Parameters
    ----------
    workers
        Worker processes. Without any, one thread computes.
    """

    def __init__(self, workers: Sequence[WorkerProcess] = ()) -> None:
        self._workers = list(workers)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        """Jobs by the digest of their logs, including finished ones, least recently used first."""
        self._queue: list[Job] = []
        self._changed = Condition()
        self._load = LoadMonitor(max(len(self._workers), 1))
        self._numbers = count()
        self._warm = Event()
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
        with self._changed:
            prefetch_count = self._load.prefetch_count
        logs = [snapshot(session.optimizer, duel, outcome) for outcome in LIKELY_OUTCOMES[:prefetch_count]]
        with self._changed:
            self._cancel(key, {log.digest for log in logs})
            for rank, log in enumerate(logs, 1):
                if len(self._queue) < MAX_PREFETCH_JOBS:
                    self._get_or_add_job(key, definition, log, rank)

    def fetch(self, key: Key, definition: StudyDefinition, session: ParticipantSession) -> None:
        """Put the next duel into the cache of the session's optimizer. The caller holds the session's lock."""
        optimizer = session.optimizer
        log = snapshot(optimizer)
        if has_next_duel(optimizer, log.digest):
            return
        if not self._warm.is_set():
            return  # compiling takes long after installation; until then the caller computes the duel, interpreted
        with self._changed:
            self._load.record_ask()
            self._cancel(key, {log.digest})
            job = self._get_or_add_job(key, definition, log, 0)
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
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                if not job.done.is_set():
                    job.finish(None)
            self._queue.clear()
            self._changed.notify_all()
        self._warm.set()
        for worker in self._workers:
            worker.close()
        for thread in self._threads:
            thread.join()

    # -- jobs, with `_changed` held -----------------------------------------------------------------------------------

    def _get_or_add_job(self, key: Key, definition: StudyDefinition, log: LogSnapshot, rank: int) -> Job:
        """Return the job of a log; add one if there is none."""
        job = self._jobs.get(log.digest)
        if job is None:
            job = Job(key, definition, log, rank, next(self._numbers))
            if self._closed:
                job.finish(None)
                return job
            self._jobs[log.digest] = job
            self._queue.append(job)
            self._start()
            self._drop_results()
            self._changed.notify()
        self._jobs.move_to_end(log.digest)
        job.rank = min(job.rank, rank)
        return job

    def _cancel(self, key: Key, needed: set[str]) -> None:
        """Cancel a participant's prefetches, except those of needed logs."""
        for job in [job for job in self._queue if job.key == key and job.rank > 0]:
            if job.log is not None and job.log.digest not in needed:
                self._queue.remove(job)
                del self._jobs[job.log.digest]
                job.finish(None)

    def _drop_results(self) -> None:
        for digest, job in list(self._jobs.items()):
            if len(self._jobs) <= MAX_RESULTS:
                return
            if job.done.is_set():
                del self._jobs[digest]

    def _start(self) -> None:
        if not self._threads:
            self._threads = [
                Thread(target=self._work, args=(n,), name=f"scheduler-{n}", daemon=True)
                for n in range(max(len(self._workers), 1))
            ]
            for thread in self._threads:
                thread.start()

    # -- threads, one per worker --------------------------------------------------------------------------------------

    def _work(self, n: int) -> None:
        if n:
            self._warm.wait()
        executor = self._make_executor(n)
        self._warm.set()
        tracker = ReplicaTracker()
        while not self._closed:
            job = self._take(n)
            try:
                if job is not None:
                    self._run(executor, tracker, job)
                else:
                    executor.check()
            except WorkerEndedError as error:
                if job is not None:
                    self._retry(job, isinstance(error, WorkerTimeoutError))
                if not self._closed:
                    _LOG.warning("a worker process ended and is started again: %s", error)
                    self._workers[n].end()
                    executor, tracker = self._make_executor(n), ReplicaTracker()

    def _make_executor(self, n: int) -> Executor:
        """Start a process and return its executor; if that fails, return the executor of this thread."""
        for _ in range(_MAX_ATTEMPTS if self._workers else 0):
            worker = self._workers[n]
            try:
                worker.start()
                worker.wait()
                return _ProcessExecutor(worker)
            except WorkerEndedError as error:
                worker.end()
                if self._closed:
                    return _ThreadExecutor()
                _LOG.warning("a worker process did not start: %s", error)
        if self._workers:
            _LOG.warning("worker processes cannot be started; computing duels in a thread instead")
        return _ThreadExecutor()

    def _take(self, n: int) -> Job | None:
        """Take the most urgent job; prefer jobs whose replica this worker may have, then older jobs."""
        with self._changed:
            if not self._queue and not self._closed:
                self._changed.wait(_CHECK_SECONDS)
            if not self._queue or self._closed:
                return None
            workers = len(self._threads)
            job = min(self._queue, key=lambda one: (one.rank, hash(one.key) % workers != n, one.number))
            self._queue.remove(job)
            return job

    def _retry(self, job: Job, late: bool) -> None:
        """Queue a job again after its process ended; fail it after a time-out or too many attempts."""
        with self._changed:
            job.attempts += 1
            if job.log is None:
                return
            if job.attempts < _MAX_ATTEMPTS and not late:
                self._queue.append(job)
                self._changed.notify()
                return
            self._jobs.pop(job.log.digest, None)
            rule, remedy = "the next duel could not be computed", "see the server's log, or make the study smaller"
            ended = RunError(rule, "processes that ended during the computation", remedy)
            job.finish(None, make_ask_timeout_error() if late else ended)

    def _run(self, executor: Executor, tracker: ReplicaTracker, job: Job) -> None:
        with self._changed:
            log, definition = job.log, job.definition
        if log is None or definition is None:  # cancelled
            return
        result: NextDuel | None = None
        error: AnchorPBOError | None = None
        began = time.monotonic()
        try:
            result = executor.run(tracker.make_update(job.key, definition, log))
        except AnchorPBOError as raised:  # an ask computes the duel itself and raises this error
            error = raised if isinstance(raised, TimeLimitError) else None  # a time limit is final
            tracker.invalidate(job.key)
        except WorkerEndedError:
            raise
        except Exception:  # a bug: an ask raises it again, and other jobs continue
            _LOG.exception("prefetching failed")
            tracker.invalidate(job.key)
        if result is not None and result.digest != log.digest:
            _LOG.error("a worker's replica does not match the log of its participant")
            result = None
            tracker.invalidate(job.key)
        with self._changed:
            self._load.record_duration(time.monotonic() - began)
            if result is None:  # must not be reused
                self._jobs.pop(log.digest, None)
            if not job.done.is_set():
                job.finish(result, error)


def make_ask_timeout_error() -> RunError:
    """Return the error of an ask that exceeds its time limit."""
    rule = f"computing the next duel must take at most {MAX_ASK_SECONDS:g} s"
    return RunError(rule, "one that takes longer", "ask again, and make the study smaller if that does not help")


class Executor(Protocol):
    """Executor of replica updates, in a process or in this thread."""

    def run(self, update: ReplicaUpdate) -> NextDuel:
        """Return the next duel; raise `WorkerEndedError` if the process ended."""

    def check(self) -> None:
        """Raise `WorkerEndedError` if the process ended."""


class _ProcessExecutor:
    def __init__(self, worker: WorkerProcess) -> None:
        self._worker = worker

    def run(self, update: ReplicaUpdate) -> NextDuel:
        return NextDuel.from_dict(self._worker.call("duel", update.to_dict(), MAX_ASK_SECONDS))

    def check(self) -> None:
        if not self._worker.is_alive():
            raise WorkerEndedError("the worker process ended unexpectedly")


class _ThreadExecutor:
    def __init__(self) -> None:
        self._pool = ReplicaPool()

    def run(self, update: ReplicaUpdate) -> NextDuel:
        return self._pool.run(update)

    def check(self) -> None:
        pass
