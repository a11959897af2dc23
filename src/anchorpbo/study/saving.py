"""A study as JSON: what it was made with, what was said, and the hyper-parameters that are in force.

::

    {"format": "anchorpbo-study", "version": 1,
     "study": {"space": ..., "anchors": [...], "strategy": ..., "preset": ..., "seed": ..., ...},
     "events": [{"type": "answered", ...}, ...],
     "learnt": {"log_parameters": {"lengthscale[0]": ..., ...}, "noise": {"scale": ...}, "tie_threshold": null} or null}

`version` counts changes of this layout. A file of an older version is brought up to date step by step by `MIGRATIONS`;
one of a newer version is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from anchorpbo.errors import InputError

FORMAT = "anchorpbo-study"
VERSION = 1

Layout = dict[str, Any]

MIGRATIONS: dict[int, Callable[[Layout], Layout]] = {}
"""For each old version, the step to the next."""


def write(layout: Mapping[str, Any]) -> str:
    """The text of a study."""
    return json.dumps({"format": FORMAT, "version": VERSION, **layout}, indent=1, allow_nan=False, ensure_ascii=False)


def read(text: str) -> Layout:
    """The study of a text, in the present layout."""
    try:
        layout = json.loads(text)
    except (TypeError, ValueError, RecursionError) as problem:
        remedy = "pass all of the text that to_json gave, or use load for the path of a file"
        raise InputError("a study must be JSON", f"{problem}", remedy) from problem
    if not isinstance(layout, dict) or layout.get("format") != FORMAT:
        rule = f'a study must be an object with "format": "{FORMAT}"'
        raise InputError(rule, repr(layout), "pass the text that to_json gave")
    return _migrated(layout)


def save_text(path: str | PathLike[str], text: str) -> None:
    """Put a text where a file is or is to be, see `save_bytes`."""
    # Names may hold what UTF-8 cannot, such as half of a surrogate pair.
    save_bytes(path, text.encode("utf-8", errors="surrogatepass"))


def save_bytes(path: str | PathLike[str], data: bytes, remedy: str = "choose another path") -> None:
    """Put data where a file is or is to be: all of it or, after a crash or on a full disk, what was there before."""
    target = _as_path(path)
    try:
        target = target.resolve()  # so that a link stays one
        draft = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as problem:
        rule = f"the path {str(target)!r} must be a place where files can be written"
        raise InputError(rule, problem, f"{remedy}; what was there is unchanged") from problem


def load_text(path: str | PathLike[str]) -> str:
    """The text of a file."""
    try:
        return _as_path(path).read_text("utf-8", errors="surrogatepass")
    except (OSError, ValueError) as problem:
        raise InputError(f"the path {str(path)!r} must lead to a file of text", problem, "check it") from problem


def _as_path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise InputError("path must be that of a file", repr(path), 'write "study.json"')
    return Path(path)


def _migrated(layout: Layout) -> Layout:
    version = layout.get("version")
    if (
        not isinstance(version, int)
        or isinstance(version, bool)
        or not min(MIGRATIONS, default=VERSION) <= version <= VERSION
    ):
        rule = f"a study must be of a version up to {VERSION}, which is as far as this release reads"
        raise InputError(rule, repr(version), "update anchorpbo")
    while version < VERSION:
        layout = {**MIGRATIONS[version](layout), "version": version + 1}
        version += 1
    for key, kind in (("study", dict), ("events", list)):
        if not isinstance(layout.get(key), kind):
            remedy = "pass the text that to_json gave"
            raise InputError(f'a study must have "{key}"', repr(layout.get(key)), remedy)
    return layout
