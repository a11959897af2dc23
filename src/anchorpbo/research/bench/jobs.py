"""What a child process can be asked to do: plain settings in, plain numbers out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from time import perf_counter
from typing import Any

from anchorpbo.research.bench.comparisons import Comparisons
from anchorpbo.research.bench.contender import Contender
from anchorpbo.research.bench.names import contender
from anchorpbo.research.bench.peak import peak_megabytes

Job = dict[str, Any]
Answer = dict[str, Any]
Tell = Callable[[dict[str, Any]], None]
"""Takes a note on the way: that preparation is over (``parts``), or that a part is (``lap``, ``seconds``)."""

_contenders: dict[str, Contender] = {}


def _nobody(note: dict[str, Any]) -> None:
    pass


def perform(job: Job, tell: Tell = _nobody) -> Answer:
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


def _contender(name: str) -> Contender:
    if name not in _contenders:
        _contenders[name] = contender(name)()
    return _contenders[name]


def _load(job: Job, tell: Tell) -> Answer:
    """Import what a round of a library needs."""
    for module in _contender(job["contender"]).modules:
        import_module(module)
    return {"megabytes": peak_megabytes()}


def _warm(job: Job, tell: Tell) -> Answer:
    """Do every step once, so that no timing has imports and compilation in it."""
    library, given = _contender(job["contender"]), Comparisons.from_plain(job["given"])
    for step in library.performs:
        with suppress(Exception):  # a fit of so few duels may fail
            library.prepare(given, step)
            for part in library.parts(step).values():
                part()
    return {}


def _step(job: Job, tell: Tell) -> Answer:
    """Time a step once, part by part."""
    library = _contender(job["contender"])
    library.prepare(Comparisons.from_plain(job["given"]), job["step"])
    laps: dict[str, float] = {}
    parts = library.parts(job["step"])
    tell({"parts": list(parts)})
    for name, part in parts.items():
        began = perf_counter()
        part()
        laps[name] = perf_counter() - began
        tell({"lap": name, "seconds": laps[name]})
    return {"seconds": sum(laps.values()), "laps": laps, "megabytes": peak_megabytes()}


def _referee(job: Job, tell: Tell) -> Answer:
    from anchorpbo.research.bench.referee import judge

    return judge(Comparisons.from_plain(job["given"]))


def _growth(job: Job, tell: Tell) -> Answer:
    from anchorpbo.research.bench.cases import CASES

    return {"found": CASES[job["case"]](job["quick"]), "megabytes": peak_megabytes()}


JOBS: dict[str, Callable[[Job, Tell], Answer]] = {
    "load": _load, "warm": _warm, "step": _step, "referee": _referee, "growth": _growth,
}  # fmt: skip
"""By name."""
