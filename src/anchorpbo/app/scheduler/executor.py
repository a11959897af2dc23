"""Execution of jobs: `ReplicaExecutor` sends updates to a pool of replicas, in a worker process or in this thread."""

from __future__ import annotations

from anchorpbo.app.scheduler.jobs import JobInput
from anchorpbo.app.scheduler.replicas import MAX_ASK_SECONDS, ReplicaPool, ReplicaTracker, ReplicaUpdate
from anchorpbo.app.scheduler.worker_process import WorkerEndedError, WorkerProcess
from anchorpbo.study.replication import NextDuel


class ReplicaExecutor:
    """Executor of jobs in one pool of replicas, with a record of what the pool contains. Not thread-safe.

    Parameters
    ----------
    worker
        Worker process that has the pool; ``None`` for a pool in this process. A process that is started again has an
        empty pool and needs a new executor.
    """

    def __init__(self, worker: WorkerProcess | None = None) -> None:
        self._worker = worker
        self._pool = None if worker is not None else ReplicaPool()
        self._tracker = ReplicaTracker()

    def run(self, job: JobInput) -> NextDuel:
        """Return the next duel.

        Raises the error of the computation, `RuntimeError` if the replica does not match the log, or `WorkerEndedError`
        if the process ended.
        """
        try:
            result = self._run(self._tracker.make_update(job.key, job.definition, job.log))
            if result.digest != job.log.digest:
                raise RuntimeError("a worker's replica does not match the log of its participant")
        except BaseException:
            self._tracker.invalidate(job.key)  # its state is uncertain
            raise
        return result

    def check(self) -> None:
        """Raise `WorkerEndedError` if the process ended."""
        if self._worker is not None and not self._worker.is_alive():
            raise WorkerEndedError("the worker process ended unexpectedly")

    def _run(self, update: ReplicaUpdate) -> NextDuel:
        if self._pool is not None:
            return self._pool.run(update)
        assert self._worker is not None
        return NextDuel.from_dict(self._worker.call("duel", update.to_dict(), MAX_ASK_SECONDS))
