"""Jobs of the scheduler: `JobQueue`, which orders them by priority and keeps their results.

::

    need, prefetch ──> waiting ── take ──> running ── finish ──> done, with a result or an error
                          │                   │
                          │                   └── retry ──> waiting, or done with an error
                          └── cancelled, or the queue closed ──> done, without a result

A job computes the next duel of one log. A log has at most one job, because the next duel is a function of the log.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Condition, Event

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS, Key
from anchorpbo.errors import AnchorPBOError, RunError
from anchorpbo.study.log import LogSnapshot
from anchorpbo.study.replication import NextDuel

MAX_PREFETCH_JOBS = 64
"""Number of waiting jobs at which prefetching stops."""
MAX_RESULTS = 1024
"""Maximum number of jobs with their results; the least recently used are dropped."""
MAX_ATTEMPTS = 3
"""Maximum number of attempts to run one job in a process."""


@dataclass(frozen=True)
class JobInput:
    """Task of a job: to compute the next duel of a participant's log."""

    key: Key
    definition: StudyDefinition
    log: LogSnapshot


@dataclass(eq=False)
class Job:
    """The computation of a next duel, and its result once it is done."""

    key: Key
    digest: str
    """Digest of the log."""
    input: JobInput | None
    """``None`` once the job is done, which frees memory."""
    rank: int
    """Priority: 0 if an ask waits for the job, else the rank of the outcome, most likely first."""
    number: int
    """Position in the order of creation."""
    attempts: int = 0
    done: Event = field(default_factory=Event)
    result: NextDuel | None = None
    """The next duel; ``None`` until the job is done, and if it failed or was cancelled: the caller then computes it."""
    error: AnchorPBOError | None = None
    """Error that an ask raises instead of computing the duel."""


class JobQueue:
    """Jobs by the digests of their logs. Thread-safe."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        """All jobs, least recently used first."""
        self._waiting: list[Job] = []
        self._changed = Condition()
        self._numbers = count()
        self._closed = False

    def __len__(self) -> int:
        """Return the number of jobs in all states."""
        return len(self._jobs)

    @property
    def waiting(self) -> tuple[Job, ...]:
        """The jobs that no worker has taken yet."""
        with self._changed:
            return tuple(self._waiting)

    # -- for asks -----------------------------------------------------------------------------------------------------

    def need(self, wanted: JobInput) -> Job:
        """Return the job of a log that an ask waits for, and cancel the participant's other prefetches."""
        with self._changed:
            self._cancel(wanted.key, {wanted.log.digest})
            return self._get_or_add(wanted, 0)

    def find(self, digest: str) -> NextDuel | None:
        """Return the result of the job of a log with this digest, if it is done."""
        with self._changed:
            job = self._jobs.get(digest)
            return None if job is None else job.result

    def prefetch(self, key: Key, likely: Sequence[JobInput]) -> None:
        """Add jobs for a participant's likely logs, most likely first, and cancel their other prefetches."""
        with self._changed:
            self._cancel(key, {each.log.digest for each in likely})
            for rank, each in enumerate(likely, 1):
                if len(self._waiting) < MAX_PREFETCH_JOBS:
                    self._get_or_add(each, rank)

    def close(self) -> None:
        """Finish all jobs without results, and every later one too."""
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                self._finish(job, None, None)
            self._waiting.clear()
            self._changed.notify_all()

    # -- for workers --------------------------------------------------------------------------------------------------

    def take(self, worker: int, workers: int, seconds: float) -> Job | None:
        """Take the most urgent job; prefer jobs whose replica this worker may have, then older jobs.

        Returns ``None`` if there is none within `seconds`.
        """
        with self._changed:
            if not self._waiting and not self._closed:
                self._changed.wait(seconds)
            if not self._waiting:
                return None
            job = min(self._waiting, key=lambda one: (one.rank, hash(one.key) % workers != worker, one.number))
            self._waiting.remove(job)
            return job

    def finish(self, job: Job, result: NextDuel | None, error: AnchorPBOError | None = None) -> None:
        """Set the result of a job; a job without a result is not reused."""
        with self._changed:
            if result is None:
                self._drop(job)
            self._finish(job, result, error)

    def retry(self, job: Job, timed_out: bool) -> None:
        """Queue a job again after its process ended; fail it after a time-out or too many attempts."""
        with self._changed:
            job.attempts += 1
            if job.done.is_set():
                return
            if job.attempts < MAX_ATTEMPTS and not timed_out:
                self._waiting.append(job)
                self._changed.notify()
                return
            self._drop(job)
            rule, remedy = "the next duel could not be computed", "see the server's log, or make the study smaller"
            ended = RunError(rule, "processes that ended during the computation", remedy)
            self._finish(job, None, make_ask_timeout_error() if timed_out else ended)

    # -- with the lock held -------------------------------------------------------------------------------------------

    def _get_or_add(self, wanted: JobInput, rank: int) -> Job:
        digest = wanted.log.digest
        job = self._jobs.get(digest)
        if job is None:
            job = Job(wanted.key, digest, wanted, rank, next(self._numbers))
            if self._closed:
                self._finish(job, None, None)
                return job
            self._jobs[digest] = job
            self._waiting.append(job)
            self._drop_results()
            self._changed.notify()
        self._jobs.move_to_end(digest)
        job.rank = min(job.rank, rank)
        return job

    def _cancel(self, key: Key, needed: set[str]) -> None:
        """Cancel a participant's waiting prefetches, except those of needed logs."""
        for job in [job for job in self._waiting if job.key == key and job.rank > 0 and job.digest not in needed]:
            self._waiting.remove(job)
            self._drop(job)
            self._finish(job, None, None)

    def _drop_results(self) -> None:
        for job in list(self._jobs.values()):
            if len(self._jobs) <= MAX_RESULTS:
                return
            if job.done.is_set():
                self._drop(job)

    def _drop(self, job: Job) -> None:
        """Forget a job, unless another one has taken its place."""
        if self._jobs.get(job.digest) is job:
            del self._jobs[job.digest]

    def _finish(self, job: Job, result: NextDuel | None, error: AnchorPBOError | None) -> None:
        """Set the result of a job that is not done, and wake all threads that wait for it."""
        if not job.done.is_set():
            job.result, job.error, job.input = result, error, None
            job.done.set()


def make_ask_timeout_error() -> RunError:
    """Return the error of an ask that exceeds its time limit."""
    rule = f"computing the next duel must take at most {MAX_ASK_SECONDS:g} s"
    return RunError(rule, "one that takes longer", "ask again, and make the study smaller if that does not help")
