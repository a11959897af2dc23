"""The process in which a library is measured: ``python -m anchorpbo.research.bench.child THREADS``.

Reads jobs from its input, a line of JSON each, and answers each with a line, after notes on how far it is. THREADS is a
number, or 0 for the libraries' own choice; the parent has set the variables that BLAS and OpenMP read when they are
loaded.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec


def main() -> None:
    """Answer until the input ends."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threads = int(sys.argv[1])
    torch_is_loaded = False
    from anchorpbo.research.bench.jobs import perform

    for line in sys.stdin:
        job = json.loads(line)
        if threads and not torch_is_loaded and _needs_torch(job):
            import torch

            torch.set_num_threads(threads)
            torch_is_loaded = True

        def tell(message: dict[str, object]) -> None:
            print(json.dumps(message), file=answers, flush=True)

        with _tier(job):
            tell(perform(job, tell))


def _is_ours(job: dict[str, object]) -> bool:
    return str(job.get("contender", "")).startswith("anchorpbo") or job["do"] == "growth"


def _needs_torch(job: dict[str, object]) -> bool:
    # Our own side is measured in a process that has never seen torch.
    return not _is_ours(job) and find_spec("torch") is not None


def _tier(job: dict[str, object]) -> AbstractContextManager[None]:
    """Machine code from the first call on: what is measured is not how long it takes to come."""
    if not _is_ours(job):
        return nullcontext()
    from anchorpbo.numerics.tiering import compile_eagerly

    return compile_eagerly()


if __name__ == "__main__":
    main()
