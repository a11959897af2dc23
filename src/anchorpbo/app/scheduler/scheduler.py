"""The next duel, computed while the participant still thinks about this one, for each answer, and not in this thread.

The next duel is a function of the log, so that it may be computed at any time and anywhere: what is computed here is
only ever sooner there, never different. Jobs go to desks (`desk.py`), of which there is one in each
worker process (`processes.py`), or one in a thread. Whoever needs a duel waits for its job: the one that
looks ahead, where there is one, else a new one that goes before all that look ahead. Where desks are busy with duels
that are needed, fewer are computed ahead (`anchorpbo.app.scheduler.demand`): of two that might be, one is in vain.
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
from anchorpbo.app.scheduler.demand import Demand
from anchorpbo.app.scheduler.desk import ASK_LIMIT, Desk, Errand, Key, Sent, warm_up
from anchorpbo.app.scheduler.processes import EndedError, LateError, Worker
from anchorpbo.errors import AnchorPBOError, RunError, TimeLimitError
from anchorpbo.study import Outcome
from anchorpbo.study.foresight import Foreseen, Trail

LIKELY: tuple[Outcome, ...] = ("first", "second")
"""What most answers are. Ties are rare, and to look at them too would take half as much time again from everyone."""
MOST_WAITING = 64
"""Jobs that look ahead: beyond this there is enough to do with duels that are asked for now."""
MOST_FOUND = 1024
"""Results that are kept until someone needs them."""
_ATTEMPTS = 3
"""Processes, one after another, that may end before they are of use, or during one job."""
_WATCH = 1.0
"""Seconds between two looks at whether an idle process is still there."""

_LOG = logging.getLogger("anchorpbo.app.service")


@dataclass(eq=False)
class Job:
    """Something to compute, and then what was found."""

    key: Key
    definition: StudyDefinition | None
    """Definition of the study; ``None`` once the job is done."""
    trail: Trail | None
    """The log; ``None`` once the job is done."""
    rank: int
    """0 where someone waits, else how unlikely it is to be needed."""
    number: int
    done: Event = field(default_factory=Event)
    found: Foreseen | None = None
    """Still none, when it is done, where it was refused or given up: whoever needs it computes it, or hears why not."""
    problem: AnchorPBOError | None = None
    """Why nobody is to compute it."""
    attempts: int = 0

    def finish(self, found: Foreseen | None, problem: AnchorPBOError | None = None) -> None:
        """Tell whoever waits."""
        self.found, self.problem = found, problem
        self.definition = self.trail = None
        self.done.set()


class Ahead:
    """Looks ahead, and computes what is needed now. Safe to use from several threads.

    Parameters
    ----------
    workers
        Processes to compute in; without any, one thread does.
    """

    def __init__(self, workers: Sequence[Worker] = ()) -> None:
        self._workers = list(workers)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        """By the digest of their logs: done ones, the oldest first forgotten, and others."""
        self._queue: list[Job] = []
        self._changed = Condition()
        self._demand = Demand(max(len(self._workers), 1))
        self._numbers = count()
        self._warm = Event()
        self._closed = False
        self._threads: list[Thread] = []
        if self._workers:
            self._start()
        else:
            self._warm.set()

    # -- for those who need duels -------------------------------------------------------------------------------------

    def prepare(self, key: Key, definition: StudyDefinition, rater: ParticipantSession) -> None:
        """Compute, at leisure, what would be asked after each likely answer to the duel that is out.

        Whoever calls has the rater's turn.
        """
        duel = rater.pending
        if duel is None:
            return
        with self._changed:
            ahead = self._demand.ahead
        trails = [rater.optimizer.trail(duel, outcome) for outcome in LIKELY[:ahead]]
        with self._changed:
            self._give_up(key, {trail.digest for trail in trails})
            for rank, trail in enumerate(trails, 1):
                if len(self._queue) < MOST_WAITING:
                    self._job(key, definition, trail, rank)

    def fetch(self, key: Key, definition: StudyDefinition, rater: ParticipantSession) -> None:
        """See to it that the rater's optimizer knows the next duel. Whoever calls has the rater's turn."""
        optimizer = rater.optimizer
        trail = optimizer.trail()
        if optimizer.knows(trail.digest):
            return
        if not self._warm.is_set():
            return  # a new installation takes long to compile; whoever needs the duel has it interpreted meanwhile
        with self._changed:
            self._demand.record_ask()
            self._give_up(key, {trail.digest})
            job = self._job(key, definition, trail, 0)
        if not job.done.wait(ASK_LIMIT):
            raise ask_limit_error()
        if job.problem is not None:
            raise job.problem
        if job.found is not None:
            optimizer.accept(job.found)

    def warm_up(self) -> None:
        """Load, or compile, what a duel needs before anyone asks for one; processes do so by themselves."""
        if not self._workers:
            Thread(target=warm_up, name="warm-up", daemon=True).start()

    def close(self) -> None:
        """Stop: whatever waits is given up, and whoever needs a duel computes it."""
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

    def _job(self, key: Key, definition: StudyDefinition, trail: Trail, rank: int) -> Job:
        """The job for a log: one there is, or a new one."""
        job = self._jobs.get(trail.digest)
        if job is None:
            job = Job(key, definition, trail, rank, next(self._numbers))
            if self._closed:
                job.finish(None)
                return job
            self._jobs[trail.digest] = job
            self._queue.append(job)
            self._start()
            self._forget()
            self._changed.notify()
        self._jobs.move_to_end(trail.digest)
        job.rank = min(job.rank, rank)
        return job

    def _give_up(self, key: Key, needed: set[str]) -> None:
        """Leave out what nobody needs any longer of a participant: answers that were not given."""
        for job in [job for job in self._queue if job.key == key and job.rank > 0]:
            if job.trail is not None and job.trail.digest not in needed:
                self._queue.remove(job)
                del self._jobs[job.trail.digest]
                job.finish(None)

    def _forget(self) -> None:
        for digest, job in list(self._jobs.items()):
            if len(self._jobs) <= MOST_FOUND:
                return
            if job.done.is_set():
                del self._jobs[digest]

    def _start(self) -> None:
        if not self._threads:
            self._threads = [
                Thread(target=self._work, args=(n,), name=f"ahead-{n}", daemon=True)
                for n in range(max(len(self._workers), 1))
            ]
            for thread in self._threads:
                thread.start()

    # -- the threads, one for each desk -------------------------------------------------------------------------------

    def _work(self, n: int) -> None:
        if n:
            self._warm.wait()
        desk = self._desk(n)
        self._warm.set()
        sent = Sent()
        while not self._closed:
            job = self._take(n)
            try:
                if job is not None:
                    self._run(desk, sent, job)
                else:
                    desk.check()
            except EndedError as problem:
                if job is not None:
                    self._put_back(job, isinstance(problem, LateError))
                if not self._closed:
                    _LOG.warning("a process that computes duels ended and is started again: %s", problem)
                    self._workers[n].end()
                    desk, sent = self._desk(n), Sent()

    def _desk(self, n: int) -> AnyDesk:
        """The desk of a process that is ready; where none gets that far, one in this thread."""
        for _ in range(_ATTEMPTS if self._workers else 0):
            worker = self._workers[n]
            try:
                worker.start()
                worker.wait()
                return _Remote(worker)
            except EndedError as problem:
                worker.end()
                if self._closed:
                    return _Local()
                _LOG.warning("a process that computes duels did not start: %s", problem)
        if self._workers:
            _LOG.warning("duels are computed in a thread, as processes cannot be started")
        return _Local()

    def _take(self, n: int) -> Job | None:
        """The most urgent job; of equally urgent ones, one whose log this desk is likely to have, then the oldest."""
        with self._changed:
            if not self._queue and not self._closed:
                self._changed.wait(_WATCH)
            if not self._queue or self._closed:
                return None
            desks = len(self._threads)
            job = min(self._queue, key=lambda one: (one.rank, hash(one.key) % desks != n, one.number))
            self._queue.remove(job)
            return job

    def _put_back(self, job: Job, late: bool) -> None:
        """Have a job done by another process; but not by one after another, if it is what ends or keeps them."""
        with self._changed:
            job.attempts += 1
            if job.trail is None:
                return
            if job.attempts < _ATTEMPTS and not late:
                self._queue.append(job)
                self._changed.notify()
                return
            self._jobs.pop(job.trail.digest, None)
            rule, remedy = "the next duel could not be computed", "see the server's log, or make the study smaller"
            job.finish(None, ask_limit_error() if late else RunError(rule, "processes that ended while at it", remedy))

    def _run(self, desk: AnyDesk, sent: Sent, job: Job) -> None:
        with self._changed:
            trail, definition = job.trail, job.definition
        if trail is None or definition is None:  # given up
            return
        found: Foreseen | None = None
        problem: AnchorPBOError | None = None
        began = time.monotonic()
        try:
            found = desk.run(sent.errand(job.key, definition, trail))
        except AnchorPBOError as refused:  # whoever needs the duel computes it and hears of it
            problem = refused if isinstance(refused, TimeLimitError) else None  # but not where that takes too long
            sent.drop(job.key)
        except EndedError:
            raise
        except Exception:  # a mistake of ours: whoever needs the duel meets it again, but the others go on
            _LOG.exception("looking ahead failed")
            sent.drop(job.key)
        if found is not None and found.digest != trail.digest:
            _LOG.error("looking ahead lost its way in the log of a participant")
            found = None
            sent.drop(job.key)
        with self._changed:
            self._demand.record_duration(time.monotonic() - began)
            if found is None:  # not to be looked up again
                self._jobs.pop(trail.digest, None)
            if not job.done.is_set():
                job.finish(found, problem)


def ask_limit_error() -> RunError:
    """The error of an ask that exceeds its time limit."""
    rule = f"the next duel must be there within {ASK_LIMIT:g} s"
    return RunError(rule, "one that takes longer", "ask again, and make the study smaller if that does not help")


class AnyDesk(Protocol):
    """Runs errands, here or elsewhere."""

    def run(self, errand: Errand) -> Foreseen:
        """What was found; raises `EndedError` where it ended meanwhile."""

    def check(self) -> None:
        """Raise `EndedError` where it ended."""


class _Remote:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def run(self, errand: Errand) -> Foreseen:
        return Foreseen.from_dict(self._worker.call("duel", errand.to_dict(), ASK_LIMIT))

    def check(self) -> None:
        if not self._worker.is_alive():
            raise EndedError("by itself")


class _Local:
    def __init__(self) -> None:
        self._desk = Desk()

    def run(self, errand: Errand) -> Foreseen:
        return self._desk.run(errand)

    def check(self) -> None:
        pass
