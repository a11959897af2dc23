"""Put finished files in place: all of each or, after a crash or on a full disk, what was there before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from anchorpbo.errors import InputError


def with_ending(stem: Path, ending: str) -> Path:
    """The file of a stem; what follows a dot in the stem's name stays."""
    return stem.with_name(f"{stem.name}.{ending}")


def write_files(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files that belong together and return their paths; folders are made where there are none.

    Parameters
    ----------
    contents
        What each is to hold. None is replaced before all are written in full.
    """
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.new") for path in contents}
    try:
        try:
            for path, content in contents.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                drafts[path].write_bytes(content)
            for path, draft in drafts.items():
                draft.replace(path)
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
    except OSError as problem:
        rule = "figures and tables need a folder where files can be written"
        raise InputError(rule, problem, "choose another") from problem
    return list(contents)
