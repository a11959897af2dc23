"""Tasks on a Dask cluster that is there already."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from anchorpbo.errors import RunError, UnsupportedError
from anchorpbo.experiments.runner import Backend, Ended, attempt
from anchorpbo.experiments.task import Task

PATIENCE = 15.0
"""Seconds to wait for a scheduler to answer, and for its first worker."""


class Dask(Backend):
    """The workers of a scheduler. A task whose worker dies is done again by another."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        self.address, self.patience = address, patience

    def run(self, tasks: Sequence[Task]) -> Iterator[Ended]:
        """Yield tasks as they end; closing the iterator takes the others back from the cluster."""
        distributed = _distributed()
        client = self._client(distributed)
        try:
            # The key names the task, so that a cluster that lost a worker knows it for the same one.
            futures = {client.submit(attempt, task, key=task.key, pure=False): task for task in tasks}
            for future in distributed.as_completed(futures, loop=client.loop):
                if future.status == "error":
                    problem = future.exception()
                    rule = "workers must stay alive and have anchorpbo installed"
                    raise RunError(rule, f"{type(problem).__name__}: {problem}", "mend that, then run with --resume")
                yield Ended(futures[future], *future.result())
                future.release()
        finally:
            client.close()

    def _client(self, distributed: Any) -> Any:
        quiet = logging.getLogger("distributed")
        level = quiet.level
        quiet.setLevel(logging.CRITICAL)  # what goes wrong is said once, below
        try:
            client = distributed.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as problem:
            rule = "a Dask scheduler must answer at the address given"
            remedy = "start one with `dask scheduler`, check the address, or leave --dask out"
            raise RunError(rule, f"{self.address!r} ({type(problem).__name__})", remedy) from problem
        finally:
            quiet.setLevel(level)
        try:
            client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError as problem:
            client.close()
            remedy = f"start some with `dask worker {self.address}`"
            raise RunError("a Dask cluster must have workers", "none", remedy) from problem
        return client


def _distributed() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as problem:
        remedy = 'pip install "anchorpbo[dask]"'
        raise UnsupportedError("--dask needs the package distributed", "it is not installed", remedy) from problem
    return distributed
