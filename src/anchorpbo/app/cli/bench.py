"""``anchorpbo bench``: benchmark this library beside others and write the results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from anchorpbo.app.cli.execution import make_console
from anchorpbo.app.cli.progress import ProgressBar
from anchorpbo.errors import InputError, RunError
from anchorpbo.research.bench import benchmark_report
from anchorpbo.research.bench.measurement import Measurement, Row, is_stopped, list_answers
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.results import Results, format_machine, inspect_machine
from anchorpbo.research.bench.suite import SECTIONS, SuiteExtent, plan_measurements


def run(what: Sequence[str], extent: SuiteExtent, limit: float, out: Path, *, resume: bool) -> None:
    """Run the measurements without a result, then write tables and figures."""
    console = make_console()
    if out == Path():  # an empty --out, too
        raise InputError("the results need a separate folder", "the current folder", "write --out bench")
    measurements = plan_measurements(what, extent)
    if extent.quick:
        console.print("A quick look: about two minutes for all of it; too noisy to quote.")
    here = inspect_machine()
    results = Results(out, here, resume=resume, call=_call(what, extent, limit))
    left = [each for each in measurements if not results.has(each, limit)]
    console.print(format_machine(here))
    if len(left) < len(measurements):
        console.print(f"{len(measurements) - len(left)} of {len(measurements)} measurements are done already.")
    began = perf_counter()
    _measure(left, results, limit, console)
    console.print(f"{len(left)} measurements in {(perf_counter() - began) / 60:.1f} minutes.")
    for path in benchmark_report.write_report(results.rows, here, out):
        console.print(f"  {path}")


def _call(what: Sequence[str], extent: SuiteExtent, limit: float) -> dict[str, Any]:
    """Return the arguments and the date of this call, for the results file."""
    assert extent.sizes is not None
    assert extent.dimensions is not None
    return {
        "sections": [name for name in SECTIONS if not what or name in what],
        "sizes": list(extent.sizes),
        "dimensions": list(extent.dimensions),
        "contenders": list(extent.contenders),
        "limit": limit,
        "quick": extent.quick,
        "date": datetime.now(UTC).date().isoformat(),
    }


def _measure(measurements: Sequence[Measurement], results: Results, limit: float, console: Console) -> None:
    ended = 0
    told: set[str] = set()
    try:
        with BenchmarkPool(limit) as workers, ProgressBar(measurements, console, "measurements") as bar:
            for each in measurements:
                _print_failures(results.add(each, each.run(workers, results.rows)), told, console)
                bar.advance(each)
                ended += 1
    except KeyboardInterrupt:
        rule = f"stopped by an interrupt after {ended} of {len(measurements)} measurements"
        raise RunError(rule, remedy="these are kept; continue with the same command and --resume") from None


def _print_failures(row: Row, told: set[str], console: Console) -> None:
    """Print each failure message once."""
    for name, answer in list_answers(row):
        if answer["status"] == "failed" and not is_stopped(answer):
            text = f"{name}: {answer['error']}: {answer['message']}"
            if text not in told:
                told.add(text)
                console.print(text, markup=False)
