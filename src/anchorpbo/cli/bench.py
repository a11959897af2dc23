"""``anchorpbo bench``: measure this library beside others and write what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console

from anchorpbo.bench import report
from anchorpbo.bench.machine import described, machine
from anchorpbo.bench.measurement import Measurement
from anchorpbo.bench.plan import Extent, planned
from anchorpbo.bench.results import Results
from anchorpbo.bench.workers import Workers
from anchorpbo.cli.progress import Bar
from anchorpbo.errors import RunError


def run(
    what: Sequence[str], extent: Extent, limit: float, out: Path, *, resume: bool, console: Console | None = None
) -> None:
    """Measure what has no result yet, then write tables and figures."""
    console = Console(highlight=False, soft_wrap=True) if console is None else console
    measurements, here = planned(what, extent), machine()
    results = Results(out, here, resume=resume)
    left = [each for each in measurements if not results.has(each)]
    console.print(described(here))
    if len(left) < len(measurements):
        console.print(f"{len(measurements) - len(left)} of {len(measurements)} measurements are there already.")
    began = perf_counter()
    _measure(left, results, limit, console)
    console.print(f"{len(left)} measurements in {(perf_counter() - began) / 60:.1f} minutes.")
    for path in report.write(results.rows, here, out):
        console.print(f"  {path}")


def _measure(measurements: Sequence[Measurement], results: Results, limit: float, console: Console) -> None:
    ended = 0
    try:
        with Workers(limit) as workers, Bar(measurements, console, "measurements") as bar:
            for each in measurements:
                results.add(each, each.run(workers, results.rows))
                bar.advance(each)
                ended += 1
    except KeyboardInterrupt:
        rule, remedy = "all measurements must end", "the finished ones are kept: go on with --resume"
        raise RunError(rule, f"an interrupt after {ended} of {len(measurements)}", remedy) from None
