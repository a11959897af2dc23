"""Designs and recommendations in a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anchorpbo.app.rendering.cards import Card, CardRow
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.views import RecommendationView
from anchorpbo.formatting import format_count

_CONTENDERS = 4


def make_console() -> Console:
    """A console for sentences: numbers in them are not coloured, and they are broken for people's eyes alone."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def plain(text: object) -> str:
    """Text that cannot steer the terminal: names come from imported files too."""
    return "".join(character if character.isprintable() else " " for character in str(text))


def duel_table(cards: Sequence[Card]) -> Table:
    """Two designs side by side; rows in which they differ are marked and bold, others are dim."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("")
    table.add_column("")
    for number, card in enumerate(cards, start=1):
        table.add_column(Text(heading(number, card)), overflow="fold")
    for first, second in zip(_rows(cards[0]), _rows(cards[1]), strict=False):
        differ = first.value != second.value
        style = "bold" if differ else "dim"
        values = (Text(_value(row), style) for row in (first, second))
        table.add_row("*" if differ else "", Text(plain(first.label), style), *values)
    return table


def design_table(card: Card) -> Table:
    """One design."""
    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column()
    table.add_column(overflow="fold")
    for row in _rows(card):
        table.add_row(Text(plain(row.label)), Text(_value(row), "bold"))
    return table


def heading(number: int, card: Card) -> str:
    """What a side of a duel is called."""
    return f"{number}" if card.title is None else f"{number}  {plain(card.title)}"


def print_recommendation(console: Console, studies: StudyService, id: str, found: RecommendationView) -> None:
    """The design to take, and how sure that is."""
    best, *others = studies.cards(id, [found.design, *(one for one in found.credible_set if one != found.design)])
    title = "" if best.title is None else f": {plain(best.title)}"
    console.print(Text(f"Recommended after {format_count(found.answers, 'answer')}{title}", "bold"))
    console.print(design_table(best), soft_wrap=False)
    low, high = found.interval
    reference = plain(found.reference)
    console.print(
        Text(f"Utility {found.utility:.2f}, with 90 % probability {low:.2f} to {high:.2f}, over {reference}.")
    )
    console.print(Text(f"It is the best of the designs compared with {100 * found.p_best:.0f} % probability."))
    cost = f"where a unit of noise costs {found.risk_weight:g}" if found.risk_weight else "which counts for nothing"
    console.print(Text(f"The noise of your judgement there is {found.noise:.2f}, {cost} (--risk-weight)."))
    chances = dict(zip(map(str, found.credible_set), found.credible_probabilities, strict=True))
    rest = [one for one in found.credible_set if one != found.design]
    if others:
        number = len(found.credible_set)
        console.print(Text(f"The best is among {number} of them with 90 % probability. Next in line:"))
    for design, card in list(zip(rest, others, strict=True))[:_CONTENDERS]:
        console.print(Text(f"  {100 * chances[str(design)]:3.0f} %  {_difference(best, card)}"))


def _difference(best: Card, card: Card) -> str:
    """What a design is called or, without a name, where it differs."""
    if card.title is not None:
        return plain(card.title)
    there = {row.name: row.value for row in best.rows}
    return " · ".join(f"{_short(row.label)} {_value(row)}" for row in card.rows if row.value != there.get(row.name))


def _short(label: str) -> str:
    """What people call a parameter, without what explains it."""
    return plain(re.split("[,;(]", label)[0].strip() or label)


def _rows(card: Card) -> list[CardRow]:
    extra = (("image", card.image), ("link", card.link))
    return card.rows + [CardRow(name, name, value, "") for name, value in extra if value is not None]


def _value(row: CardRow) -> str:
    return plain(f"{row.value} {row.unit}" if row.unit else row.value)
