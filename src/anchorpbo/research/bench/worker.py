"""What a child process can be asked to do: plain settings in, plain numbers out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from time import perf_counter
from typing import Any

from anchorpbo.research.bench.contender import Contender
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.research.bench.names import load_contender
from anchorpbo.research.bench.peak import peak_megabytes

Job = dict[str, Any]
Answer = dict[str, Any]
SendNote = Callable[[dict[str, Any]], None]
"""Takes a note on the way: that preparation is over (``parts``), or that a part is (``lap``, ``seconds``)."""

_contenders: dict[str, Contender] = {}


def _ignore_note(note: dict[str, Any]) -> None:
    pass


def perform_job(job: Job, tell: SendNote = _ignore_note) -> Answer:
    """Do a job; an error becomes a part of the answer, with the time until it came."""
    began = perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {"status": "ok", **JOBS[job["do"]](job, tell)}
    except Exception as problem:
        text = " ".join(str(problem).split())[:200]
        seconds = perf_counter() - began
        return {"status": "failed", "error": type(problem).__name__, "message": text, "seconds": seconds}


def _load_contender(name: str) -> Contender:
    if name not in _contenders:
        _contenders[name] = load_contender(name)()
    return _contenders[name]


def _do_load(job: Job, tell: SendNote) -> Answer:
    """Import what a round of a library needs."""
    for module in _load_contender(job["contender"]).modules:
        import_module(module)
    return {"megabytes": peak_megabytes()}


def _do_warm(job: Job, tell: SendNote) -> Answer:
    """Do every step once, so that no timing has imports and compilation in it."""
    library, given = _load_contender(job["contender"]), DuelDataset.from_plain(job["given"])
    for step in library.performs:
        with suppress(Exception):  # a fit of so few duels may fail
            library.prepare(given, step)
            for part in library.parts(step).values():
                part()
    return {}


def _do_step(job: Job, tell: SendNote) -> Answer:
    """Time a step once, part by part."""
    library = _load_contender(job["contender"])
    library.prepare(DuelDataset.from_plain(job["given"]), job["step"])
    laps: dict[str, float] = {}
    parts = library.parts(job["step"])
    tell({"parts": list(parts)})
    for name, part in parts.items():
        began = perf_counter()
        part()
        laps[name] = perf_counter() - began
        tell({"lap": name, "seconds": laps[name]})
    return {"seconds": sum(laps.values()), "laps": laps, "megabytes": peak_megabytes()}


def _do_referee(job: Job, tell: SendNote) -> Answer:
    from anchorpbo.research.bench.value_comparison import compare_values

    return compare_values(DuelDataset.from_plain(job["given"]))


def _do_growth(job: Job, tell: SendNote) -> Answer:
    from anchorpbo.research.bench.cases import GROWTH_CASES

    return {"found": GROWTH_CASES[job["case"]](job["quick"]), "megabytes": peak_megabytes()}


JOBS: dict[str, Callable[[Job, SendNote], Answer]] = {
    "load": _do_load, "warm": _do_warm, "step": _do_step, "referee": _do_referee, "growth": _do_growth,
}  # fmt: skip
"""By name."""
