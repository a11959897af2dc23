"""What someone answers: a key in a terminal, a line anywhere else."""

from __future__ import annotations

import sys
from typing import TextIO

import typer
from rich.console import Console
from rich.text import Text

_SEQUENCES = {
    "\x1b[D": "left", "\x1bOD": "left", "\xe0K": "left", "\x00K": "left",
    "\x1b[C": "right", "\x1bOC": "right", "\xe0M": "right", "\x00M": "right",
}  # fmt: skip
"""What terminals send for the arrow keys."""


class Keys:
    """Reads answers; ``None`` where there are no more."""

    def __init__(self, console: Console, stream: TextIO | None = None) -> None:
        self.console, self.stream = console, sys.stdin if stream is None else stream
        self.is_terminal = self.stream.isatty()

    def key(self) -> str | None:
        """One answer, in lower case."""
        if not self.is_terminal:
            return self._line()
        try:
            pressed = typer.getchar()
        except EOFError:
            return None
        return _SEQUENCES.get(pressed, pressed).strip().lower()

    def line(self, prompt: str) -> str | None:
        """A line of text, its case kept."""
        self.console.print(Text(prompt), end=" " if self.is_terminal else "\n")
        if not self.is_terminal:
            return self._line(lower=False)
        try:
            return input().strip()
        except EOFError:
            return None

    def _line(self, *, lower: bool = True) -> str | None:
        line = self.stream.readline()
        if not line:
            return None
        return line.strip().lower() if lower else line.strip()
