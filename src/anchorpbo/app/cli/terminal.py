"""The terminal: prints designs and recommendations, reads keys and lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TextIO

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anchorpbo.app.rendering.cards import Card, CardRow
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.views.results import RecommendationView
from anchorpbo.formatting import format_count, format_probability

_MAX_CONTENDERS = 4


def make_console() -> Console:
    """Return a console that does not highlight numbers and wraps lines only on a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def make_printable(text: object) -> str:
    """Replace control characters, so that imported names cannot control the terminal."""
    return "".join(character if character.isprintable() else " " for character in str(text))


def make_duel_table(cards: Sequence[Card]) -> Table:
    """Return a table of two designs; rows in which they differ are marked and bold."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("")
    table.add_column("")
    for number, card in enumerate(cards, start=1):
        table.add_column(Text(format_heading(number, card)), overflow="fold")
    for first, second in zip(_rows(cards[0]), _rows(cards[1]), strict=False):
        differ = first.value != second.value
        style = "bold" if differ else "dim"
        values = (Text(_value(row), style) for row in (first, second))
        table.add_row("*" if differ else "", Text(make_printable(first.label), style), *values)
    return table


def make_design_table(card: Card) -> Table:
    """Return a table of one design."""
    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column()
    table.add_column(overflow="fold")
    for row in _rows(card):
        table.add_row(Text(make_printable(row.label)), Text(_value(row), "bold"))
    return table


def format_heading(number: int, card: Card) -> str:
    """Format the heading of one side of a duel."""
    return f"{number}" if card.title is None else f"{number}  {make_printable(card.title)}"


def print_recommendation(console: Console, studies: StudyService, id: str, found: RecommendationView) -> None:
    """Print the recommended design with its probabilities."""
    best, *others = studies.cards.show(id, [found.design, *(one for one in found.credible_set if one != found.design)])
    title = "" if best.title is None else f": {make_printable(best.title)}"
    console.print(Text(f"Recommended after {format_count(found.answers, 'answer')}{title}", "bold"))
    console.print(make_design_table(best), soft_wrap=False)
    low, high = found.interval
    reference = make_printable(found.reference)
    console.print(
        Text(f"Utility {found.utility:.2f}, with 90 % probability {low:.2f} to {high:.2f}, over {reference}.")
    )
    gap = f"{100 * found.margin:g} % of the gap between a median design and the best"
    console.print(Text(f"It is within {gap} with {format_probability(found.p_within)} probability."))
    sure = format_probability(found.p_within_compared)
    console.print(Text(f"It is {sure} sure that nothing you compared is noticeably better."))
    cost = "Designs judged less surely must be clearly better" if found.risk_weight else "It does not count"
    noise = f"The noise of your judgement is {found.noise:.2f}."
    console.print(Text(f"{noise} {cost} (--risk-weight {found.risk_weight:g})."))
    chances = dict(zip(map(str, found.credible_set), found.credible_probabilities, strict=True))
    rest = [one for one in found.credible_set if one != found.design]
    if others:
        number = len(found.credible_set)
        console.print(Text(f"The best is among {number} of them with 90 % probability. Next in line:"))
    for design, card in list(zip(rest, others, strict=True))[:_MAX_CONTENDERS]:
        console.print(Text(f"  {100 * chances[str(design)]:3.0f} %  {_difference(best, card)}"))


def _difference(best: Card, card: Card) -> str:
    """Describe a design by its title or by the rows in which it differs from the best one."""
    if card.title is not None:
        return make_printable(card.title)
    there = {row.name: row.value for row in best.rows}
    return " · ".join(f"{_short(row.label)} {_value(row)}" for row in card.rows if row.value != there.get(row.name))


def _short(label: str) -> str:
    """Shorten a label to the part before the first comma, semicolon or parenthesis."""
    return make_printable(re.split("[,;(]", label)[0].strip() or label)


def _rows(card: Card) -> list[CardRow]:
    extra = (("image", card.image), ("link", card.link))
    return card.rows + [CardRow(name, name, value, "") for name, value in extra if value is not None]


def _value(row: CardRow) -> str:
    return make_printable(f"{row.value} {row.unit}" if row.unit else row.value)


# -- keys -------------------------------------------------------------------------------------------------------------

_SEQUENCES = {
    "\x1b[D": "left", "\x1bOD": "left", "\xe0K": "left", "\x00K": "left",
    "\x1b[C": "right", "\x1bOC": "right", "\xe0M": "right", "\x00M": "right",
}  # fmt: skip
"""Escape sequences of the arrow keys."""


class KeyReader:
    """Reader of keys from a terminal or lines from a stream; returns ``None`` at the end."""

    def __init__(self, console: Console, stream: TextIO | None = None) -> None:
        self.console, self.stream = console, sys.stdin if stream is None else stream
        self.is_terminal = self.stream.isatty()

    def read_key(self) -> str | None:
        """Read one key, or one line of a stream, in lower case."""
        if not self.is_terminal:
            return self._read_stream()
        try:
            pressed = typer.getchar()
        except EOFError:
            return None
        return _SEQUENCES.get(pressed, pressed).strip().lower()

    def read_line(self, prompt: str) -> str | None:
        """Print a prompt and read a line."""
        self.console.print(Text(prompt), end=" " if self.is_terminal else "\n")
        if not self.is_terminal:
            return self._read_stream(lower=False)
        try:
            return input().strip()
        except EOFError:
            return None

    def _read_stream(self, *, lower: bool = True) -> str | None:
        line = self.stream.readline()
        if not line:
            return None
        return line.strip().lower() if lower else line.strip()
