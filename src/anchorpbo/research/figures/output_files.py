"""Atomic writing of files: after a crash or on a full disk, the previous file stays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anchorpbo.errors import InputError
from anchorpbo.study.files import save_bytes

_WRITE_REMEDY = "free some space, or choose another folder, and write the report again"


def add_ending(stem: Path, ending: str) -> Path:
    """Return a stem with an ending; a dot in the stem's name is kept."""
    return stem.with_name(f"{stem.name}.{ending}")


def write_files(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files and return their paths; missing folders are created."""
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError("figures and tables need a writable folder", error, _WRITE_REMEDY) from error
        save_bytes(path, content, _WRITE_REMEDY)
    return list(contents)
