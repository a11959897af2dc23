"""How an error ends a command: one sentence and an exit code, never a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from anchorpbo.errors import AnchorPBOError, DataError, RunError, UnsupportedError

MISTAKE = 2
"""Exit code where another command line would help."""


@contextmanager
def errors_in_a_sentence(failure: int = MISTAKE) -> Iterator[None]:
    """Print an error of this library and stop.

    Parameters
    ----------
    failure
        Exit code where it is not the command line that is wrong but a file, a database, a port or an installation.
    """
    try:
        yield
    except AnchorPBOError as problem:
        typer.echo(f"anchorpbo: {problem}", err=True)
        raise typer.Exit(failure if isinstance(problem, DataError | RunError | UnsupportedError) else MISTAKE) from None


@contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Say which extra to install where a package of others is missing."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] == "anchorpbo":
            raise
        raise UnsupportedError(f"{what} needs more packages", problem, f'pip install "anchorpbo[{extra}]"') from None
