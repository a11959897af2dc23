"""The token that the owner of a server signs in with.

::

    ANCHORPBO_TOKEN                  the token, if the variable is set
    a file in the data folder        else the token in it, created at the first start, so that browsers stay signed in
    neither                          a token for this start only: in a demo, or if the folder is not writable
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anchorpbo.app.cli.database import default_folder
from anchorpbo.errors import InputError

FILE_NAME = "token"
MIN_LENGTH = 16
VARIABLE = "ANCHORPBO_TOKEN"


@dataclass(frozen=True)
class Token:
    """The owner's token and its origin."""

    value: str
    is_given: bool = False
    """Whether it was given in the environment; then it is not printed."""
    path: Path | None = None
    """File that holds it."""


def find_token(*, keep: bool) -> Token:
    """Find the token to serve with; a new one is stored if `keep` is set and the folder is writable."""
    given = os.environ.get(VARIABLE)
    if given:
        _check(VARIABLE, given, "leave it out to have one generated")
        return Token(given, is_given=True)
    path = default_folder() / FILE_NAME
    with suppress(OSError):
        if keep:
            return Token(_read_or_create(path), path=path)
    return Token(secrets.token_urlsafe(32))


def _read_or_create(path: Path) -> str:
    """Read the token from a file that only this user can read, creating it if needed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        new = path.with_name(f".{FILE_NAME}-{secrets.token_hex(4)}")
        # The file is created atomically, because another server may start at the same time.
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        try:
            os.link(new, path)
        finally:
            new.unlink()
    token = path.read_text("utf-8", errors="replace").strip()
    _check(str(path), token, "remove the file to have a new one generated")
    return token


def _check(where: str, token: str, remedy: str) -> None:
    if len(token) < MIN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        rule = f"{where} must be {MIN_LENGTH} or more letters, digits and signs"
        raise InputError(rule, f"{len(token)} characters", remedy)
