"""The queue of jobs: what is taken first, what is cancelled, and what is kept."""

from types import SimpleNamespace

import pytest

from anchorpbo.app.scheduler import jobs
from anchorpbo.app.scheduler.jobs import MAX_ATTEMPTS, MAX_PREFETCH_JOBS, JobInput, JobQueue
from anchorpbo.errors import RunError
from anchorpbo.study.replication import NextDuel

ANA, BEN = ("s", "Ana"), ("s", "Ben")


def wanted(key, digest):
    return JobInput(key, None, SimpleNamespace(digest=digest))


def found(job):
    return NextDuel(job.digest, None, None)


def take_all(queue):
    taken = []
    while (job := queue.take(0, 1, 0.0)) is not None:
        taken.append(job.digest)
    return taken


def test_asks_come_before_prefetches_and_likely_outcomes_before_others():
    queue = JobQueue()
    queue.prefetch(ANA, [wanted(ANA, "a1"), wanted(ANA, "a2")])
    queue.prefetch(BEN, [wanted(BEN, "b1"), wanted(BEN, "b2")])
    queue.need(wanted(("t", "Cleo"), "c"))
    assert take_all(queue) == ["c", "a1", "b1", "a2", "b2"]


def test_a_worker_prefers_the_participants_whose_replicas_it_has():
    queue = JobQueue()
    keys = [("s", f"p{n}") for n in range(40)]
    for n, key in enumerate(keys):
        queue.need(wanted(key, str(n)))
    own = [str(n) for n, key in enumerate(keys) if hash(key) % 2 == 1]
    assert [queue.take(1, 2, 0.0).digest for _ in own] == own
    assert queue.take(1, 2, 0.0) is not None  # others, rather than idling


def test_a_log_has_one_job_in_whatever_state():
    queue = JobQueue()
    queue.prefetch(ANA, [wanted(ANA, "x")])
    job = queue.need(wanted(ANA, "x"))
    assert (job.rank, len(queue), len(queue.waiting)) == (0, 1, 1)
    assert queue.take(0, 1, 0.0) is job
    assert queue.need(wanted(ANA, "x")) is job  # it runs
    queue.finish(job, found(job))
    assert queue.need(wanted(ANA, "x")) is job
    assert job.done.is_set()
    assert job.input is None


@pytest.mark.parametrize("likely", [[], ["a2"]])
def test_prefetches_that_are_no_longer_likely_are_cancelled(likely):
    queue = JobQueue()
    queue.prefetch(ANA, [wanted(ANA, "a1"), wanted(ANA, "a2")])
    queue.prefetch(BEN, [wanted(BEN, "b1")])
    cancelled = [job for job in queue.waiting if job.key == ANA and job.digest not in likely]
    queue.prefetch(ANA, [wanted(ANA, digest) for digest in likely])
    assert [job.digest for job in queue.waiting] == [*likely, "b1"]
    assert all(job.done.is_set() and job.result is None for job in cancelled)
    assert queue.need(wanted(ANA, "a1")) not in cancelled


def test_an_ask_is_not_cancelled():
    queue = JobQueue()
    queue.need(wanted(ANA, "a"))
    queue.prefetch(ANA, [wanted(ANA, "b")])
    assert [job.digest for job in queue.waiting] == ["a", "b"]


def test_prefetching_stops_at_the_limit_and_asks_do_not():
    queue = JobQueue()
    for n in range(MAX_PREFETCH_JOBS + 1):
        key = ("s", f"p{n}")
        queue.prefetch(key, [wanted(key, str(n))])
    assert len(queue.waiting) == MAX_PREFETCH_JOBS
    queue.need(wanted(ANA, "a"))
    assert len(queue.waiting) == MAX_PREFETCH_JOBS + 1


def test_the_oldest_results_are_dropped_and_jobs_that_are_not_done_are_kept(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_RESULTS", 3)
    queue = JobQueue()
    done = [queue.need(wanted(ANA, str(n))) for n in range(3)]
    for _ in done:
        job = queue.take(0, 1, 0.0)
        queue.finish(job, found(job))
    assert queue.need(wanted(ANA, "0")) is done[0]  # used last
    waiting = queue.need(wanted(ANA, "new"))
    assert len(queue) == 3
    assert queue.need(wanted(ANA, "0")) is done[0]
    assert queue.need(wanted(ANA, "new")) is waiting
    assert queue.need(wanted(ANA, "1")) is not done[1]


def test_a_job_without_a_result_is_not_reused():
    queue = JobQueue()
    job = queue.need(wanted(ANA, "a"))
    queue.take(0, 1, 0.0)
    queue.finish(job, None)
    assert job.done.is_set()
    assert queue.need(wanted(ANA, "a")) is not job


def test_a_job_is_repeated_as_often_as_the_limit_says_and_then_fails():
    queue = JobQueue()
    job = queue.need(wanted(ANA, "a"))
    for _ in range(MAX_ATTEMPTS - 1):
        assert queue.take(0, 1, 0.0) is job
        queue.retry(job, timed_out=False)
    assert queue.take(0, 1, 0.0) is job
    assert not job.done.is_set()
    queue.retry(job, timed_out=False)
    assert isinstance(job.error, RunError)
    assert "processes that ended" in str(job.error)
    assert len(queue) == 0


def test_a_job_that_timed_out_is_not_repeated():
    queue = JobQueue()
    job = queue.need(wanted(ANA, "a"))
    queue.take(0, 1, 0.0)
    queue.retry(job, timed_out=True)
    assert "at most 30 s" in str(job.error)
    assert queue.waiting == ()


def test_closing_finishes_all_jobs_and_later_ones_without_results():
    queue = JobQueue()
    running, waiting = queue.need(wanted(ANA, "a")), queue.need(wanted(BEN, "b"))
    assert queue.take(0, 1, 0.0) is running
    queue.close()
    late = queue.need(wanted(BEN, "c"))
    for job in (running, waiting, late):
        assert job.done.is_set()
        assert (job.result, job.error) == (None, None)
    queue.finish(running, found(running))
    assert running.result is None  # whoever waited went on
    queue.retry(running, timed_out=False)
    assert queue.take(0, 1, 0.0) is None
