"""The token of a server: what its owner signs in with.

::

    ANCHORPBO_TOKEN                  where it is set, this one
    a file in the data folder        else this one, made at the first start and kept, so that browsers stay signed in
    none of them                     for a demo, and where the folder cannot be written to, one for this start alone
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anchorpbo.app.cli.opening import default_folder
from anchorpbo.errors import InputError

FILE = "token"
SHORTEST = 16
VARIABLE = "ANCHORPBO_TOKEN"


@dataclass(frozen=True)
class Token:
    """The owner's token and its origin."""

    value: str
    is_given: bool = False
    """Whether whoever started the server knows it: then it is not printed."""
    path: Path | None = None
    """The file it is kept in."""


def find_token(*, kept: bool) -> Token:
    """The token to serve with; one that is made now is kept if that is wanted and possible."""
    given = os.environ.get(VARIABLE)
    if given:
        _check(VARIABLE, given, "leave it out, and one is made for you")
        return Token(given, is_given=True)
    path = default_folder() / FILE
    with suppress(OSError):
        if kept:
            return Token(_kept(path), path=path)
    return Token(secrets.token_urlsafe(32))


def _kept(path: Path) -> str:
    """The token in a file that only this user can read; made where there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        new = path.with_name(f".{FILE}-{secrets.token_hex(4)}")
        # Whole or not there at all, also for another server that starts at this moment.
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        try:
            os.link(new, path)
        finally:
            new.unlink()
    token = path.read_text("utf-8", errors="replace").strip()
    _check(str(path), token, "remove the file, and another one is made")
    return token


def _check(where: str, token: str, remedy: str) -> None:
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        rule = f"{where} must be {SHORTEST} or more letters, digits and signs"
        raise InputError(rule, f"{len(token)} characters", remedy)
