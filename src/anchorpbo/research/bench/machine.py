"""The machine and the releases that numbers come from; no name of the machine, and no paths."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import threadpoolctl

from anchorpbo import __version__

BENCHMARK_REVISION = 2
"""Of the benchmark: raised when what is measured changes, so that lines from before and after are not mixed."""
VERSIONED_PACKAGES = ("numpy", "scipy", "numba", "torch", "gpytorch", "botorch", "optuna", "optuna-dashboard")


def inspect_machine() -> dict[str, Any]:
    """What the numbers depend on."""
    import numpy  # noqa: F401  # its BLAS is what is asked for

    # Other libraries of this process may have brought OpenMP, which has no version.
    pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    blas = sorted({f"{pool['internal_api']} {pool['version']}" for pool in pools})
    return {
        "processor": _read_entry("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory": _read_memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": blas,
        "benchmark": BENCHMARK_REVISION,
        "anchorpbo": __version__,
        **{name: found for name in VERSIONED_PACKAGES if (found := _find_version(name)) is not None},
    }


def format_machine(about: dict[str, Any]) -> str:
    """In a sentence or two."""
    releases = ", ".join(f"{name} {about[name]}" for name in ("anchorpbo", *VERSIONED_PACKAGES) if name in about)
    memory = f", {about['memory']} of memory" if about["memory"] else ""
    where = f"{about['processor']}, {about['cores']} cores{memory}, {about['system']}, Python {about['python']}"
    return f"{where}. {releases}; BLAS of numpy and scipy: {', '.join(about['blas'])}."


def _read_memory() -> str | None:
    kilobytes = _read_entry("/proc/meminfo", "MemTotal")
    return None if kilobytes is None else f"{int(kilobytes.split()[0]) / 1024**2:.0f} GB"


def _read_entry(path: str, name: str) -> str | None:
    """What a file of lines "name: value" says."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), None)


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
