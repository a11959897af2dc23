"""Put finished files in place: all of each or, after a crash or on a full disk, what was there before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anchorpbo.errors import InputError
from anchorpbo.study.files import save_bytes

_REMEDY = "free some space, or choose another folder, and write the report again"


def with_ending(stem: Path, ending: str) -> Path:
    """The file of a stem; what follows a dot in the stem's name stays."""
    return stem.with_name(f"{stem.name}.{ending}")


def write_files(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files and return their paths; folders are made where there are none."""
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError("figures and tables need a folder of their own", problem, _REMEDY) from problem
        save_bytes(path, content, _REMEDY)
    return list(contents)
