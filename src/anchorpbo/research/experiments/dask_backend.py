"""The backend that runs tasks on an existing Dask cluster."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from anchorpbo.errors import RunError, UnsupportedError
from anchorpbo.research.experiments.experiment import ExperimentTask
from anchorpbo.research.experiments.records import ExperimentRecord
from anchorpbo.research.experiments.runner import Backend, TaskOutcome, try_task

CONNECT_SECONDS = 15.0
"""Seconds to wait for the scheduler to answer, and then for its first worker."""
_RESUME_REMEDY = "fix the cluster, then run again with --resume"


class DaskBackend(Backend):
    """The workers of a Dask scheduler. A task whose worker dies is run again by another worker."""

    def __init__(self, address: str, patience: float | None = None) -> None:
        if not re.fullmatch(r"(\w+://)?[^\s/]+:\d+", address):
            rule = "a Dask scheduler must answer at the address given"
            raise RunError(rule, repr(address), "write tcp://host:8786, or leave --dask out")
        self.address, self.patience = address, CONNECT_SECONDS if patience is None else patience

    def run(self, tasks: Sequence[ExperimentTask]) -> Iterator[TaskOutcome]:
        """Yield tasks as they end; closing the iterator cancels the others."""
        if not tasks:
            return
        distributed = _import_distributed()
        client = self._client(distributed)
        try:
            # The key identifies the task, so a cluster that lost a worker recognises it.
            futures = {client.submit(try_task, task, key=task.key, pure=False): task for task in tasks}
            left = len(tasks)
            for future in distributed.as_completed(futures, loop=client.loop):
                yield TaskOutcome(futures[future], *_receive_result(future))
                future.release()
                left -= 1
            if left:  # a scheduler that stops loses its pending tasks
                raise RunError("the Dask scheduler lost tasks", f"{left} runs that are missing from it", _RESUME_REMEDY)
        finally:
            client.close()

    def _client(self, distributed: Any) -> Any:
        quiet = logging.getLogger("distributed")
        level = quiet.level
        quiet.setLevel(logging.CRITICAL)  # errors are reported once, below
        try:
            client = distributed.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            rule = "a Dask scheduler must answer at the address given"
            remedy = "start one with `dask scheduler`, check the address, or leave --dask out"
            raise RunError(rule, f"{self.address!r} ({type(error).__name__})", remedy) from error
        finally:
            quiet.setLevel(level)
        try:
            client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError as error:
            client.close()
            remedy = f"start some with `dask worker {self.address} --nthreads 1`"
            raise RunError("a Dask cluster must have workers", "none", remedy) from error
        return client


def _receive_result(future: Any) -> tuple[ExperimentRecord | None, str | None]:
    try:
        record, failure = future.result()
    except (Exception, CancelledError) as error:  # a worker may fail to unpickle or import, or die
        rule = "the cluster must stay up, and its workers must have anchorpbo installed"
        raise RunError(rule, f"{type(error).__name__}: {error}", _RESUME_REMEDY) from error
    return record, failure


def _import_distributed() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        remedy = 'pip install "anchorpbo[dask]"'
        raise UnsupportedError("--dask needs the package distributed", "it is not installed", remedy) from error
    return distributed
