"""The largest memory a process has had."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_megabytes(pid: int | None = None) -> float | None:
    """Of a process, by default this one, in MB of 2^20 bytes; ``None`` where the system does not say.

    Linux tells it of any process. `getrusage` is no substitute there: it counts what the parent held when it started
    this process.
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
