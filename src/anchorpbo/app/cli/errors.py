"""Errors of a command: one sentence and an exit code, never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from anchorpbo.errors import AnchorPBOError, DataError, RunError, UnsupportedError

USAGE_ERROR = 2
"""Exit code of a wrong command line."""


@contextmanager
def report_errors(failure: int = USAGE_ERROR) -> Iterator[None]:
    """Print an error of this library and exit.

    Parameters
    ----------
    failure
        Exit code if the error is in a file, a database, a port or the installation instead of the command line.
    """
    try:
        yield
    except AnchorPBOError as error:
        typer.echo(f"anchorpbo: {error}", err=True)
        raise typer.Exit(
            failure if isinstance(error, DataError | RunError | UnsupportedError) else USAGE_ERROR
        ) from None


@contextmanager
def require_extra(what: str, extra: str) -> Iterator[None]:
    """Turn a missing package into an error that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "anchorpbo":
            raise
        raise UnsupportedError(f"{what} needs more packages", error, f'pip install "anchorpbo[{extra}]"') from None
