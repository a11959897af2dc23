"""Atomic writing of files, and reading them."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from anchorpbo.errors import InputError


def save_text(path: str | PathLike[str], text: str) -> None:
    """Write a text to a file atomically, see `save_bytes`."""
    # Names may contain characters that UTF-8 cannot encode, such as half of a surrogate pair.
    save_bytes(path, text.encode("utf-8", errors="surrogatepass"))


def save_bytes(path: str | PathLike[str], data: bytes, remedy: str = "choose another path") -> None:
    """Write data to a file atomically: a crash or a full disk leaves the old file unchanged."""
    target = _as_path(path)
    try:
        target = target.resolve()  # follows a symbolic link, so that it remains one
        draft = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        rule = f"the path {str(target)!r} must be writable"
        raise InputError(rule, error, f"{remedy}; the old file is unchanged") from error


def load_text(path: str | PathLike[str]) -> str:
    """Read the text of a file."""
    try:
        return _as_path(path).read_text("utf-8", errors="surrogatepass")
    except (OSError, ValueError) as error:
        raise InputError(f"the path {str(path)!r} must be that of a text file", error, "check it") from error


def _as_path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise InputError("path must be that of a file", repr(path), 'write "study.json"')
    return Path(path)
