"""The worker process in which a library is measured: ``python -m anchorpbo.research.bench.benchmark_worker THREADS``.

It reads jobs from standard input, one line of JSON per job. For each job it writes progress notes, then one line with
the answer. THREADS is a number, or 0 for the library's default; the parent process sets the variables that BLAS and
OpenMP read when they are loaded. A worker for another library loads only the duels from this one.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from anchorpbo.research.bench.contender import Contender, load_contender
from anchorpbo.research.bench.dataset import DuelDataset

Job = dict[str, Any]
Answer = dict[str, Any]
SendNote = Callable[[dict[str, Any]], None]
"""Callback for progress notes: preparation is finished (``parts``), or a part is (``lap``, ``seconds``)."""

_contenders: dict[str, Contender] = {}


def _ignore_note(note: dict[str, Any]) -> None:
    pass


def perform_job(job: Job, send_note: SendNote = _ignore_note) -> Answer:
    """Do a job and return its answer; an error becomes an answer with the time until it was raised."""
    began = perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"status": "ok", **JOBS[job["do"]](job, send_note)}
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        seconds = perf_counter() - began
        return {"status": "failed", "error": type(error).__name__, "message": text, "seconds": seconds}


def _load_contender(name: str) -> Contender:
    if name not in _contenders:
        _contenders[name] = load_contender(name)()
    return _contenders[name]


def _do_load(job: Job, send_note: SendNote) -> Answer:
    """Import the modules that a round of a library needs."""
    for module in _load_contender(job["contender"]).modules:
        import_module(module)
    return {"megabytes": peak_megabytes()}


def _do_warm(job: Job, send_note: SendNote) -> Answer:
    """Do every step once, so that no timing includes imports or compilation."""
    library, dataset = _load_contender(job["contender"]), DuelDataset.from_plain(job["dataset"])
    for step in library.performs:
        with suppress(Exception):  # a fit to so few duels may fail
            library.prepare(dataset, step)
            for part in library.parts(step).values():
                part()
    return {}


def _do_step(job: Job, send_note: SendNote) -> Answer:
    """Time a step once, part by part."""
    library = _load_contender(job["contender"])
    library.prepare(DuelDataset.from_plain(job["dataset"]), job["step"])
    laps: dict[str, float] = {}
    parts = library.parts(job["step"])
    send_note({"parts": list(parts)})
    for name, part in parts.items():
        began = perf_counter()
        part()
        laps[name] = perf_counter() - began
        send_note({"lap": name, "seconds": laps[name]})
    return {"seconds": sum(laps.values()), "laps": laps, "megabytes": peak_megabytes()}


def _do_referee(job: Job, send_note: SendNote) -> Answer:
    from anchorpbo.research.bench.value_comparison import compare_values

    return compare_values(DuelDataset.from_plain(job["dataset"]))


def _do_growth(job: Job, send_note: SendNote) -> Answer:
    from anchorpbo.research.bench.growth import GROWTH_CASES

    return {"found": GROWTH_CASES[job["case"]](job["quick"]), "megabytes": peak_megabytes()}


JOBS: dict[str, Callable[[Job, SendNote], Answer]] = {
    "load": _do_load, "warm": _do_warm, "step": _do_step, "referee": _do_referee, "growth": _do_growth,
}  # fmt: skip
"""By name."""


def peak_megabytes(pid: int | None = None) -> float | None:
    """Return the peak memory of a process, by default this one, in MB of 2^20 bytes; ``None`` if unknown.

    On Linux it is read from /proc for any process. `getrusage` would be wrong there: it includes the memory that the
    parent held when it started this process.
    """
    try:
        lines = Path(f"/proc/{'self' if pid is None else pid}/status").read_text("utf-8").splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)
    except OSError:
        return _read_rusage() if pid is None else None


def _read_rusage() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (1024**2 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Answer jobs until the input ends."""
    # Output printed by a library must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threads = int(sys.argv[1])
    torch_is_loaded = False
    for line in sys.stdin:
        job = json.loads(line)
        if threads and not torch_is_loaded and _needs_torch(job):
            import torch

            torch.set_num_threads(threads)
            torch_is_loaded = True

        def send_note(message: dict[str, object]) -> None:
            print(json.dumps(message), file=answers, flush=True)

        with _compile_eagerly(job):
            send_note(perform_job(job, send_note))


def _uses_anchorpbo(job: dict[str, object]) -> bool:
    return str(job.get("contender", "")).startswith("anchorpbo") or job["do"] == "growth"


def _needs_torch(job: dict[str, object]) -> bool:
    # This library is measured in a process that never imports torch.
    return not _uses_anchorpbo(job) and find_spec("torch") is not None


def _compile_eagerly(job: dict[str, object]) -> AbstractContextManager[None]:
    """Return a context that compiles at the first call, so that no timing includes interpreted code."""
    if not _uses_anchorpbo(job):
        return nullcontext()
    from anchorpbo.numerics.tiering import compile_eagerly

    return compile_eagerly()


if __name__ == "__main__":
    main()
