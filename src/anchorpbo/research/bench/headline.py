"""The main numbers in a paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.costs import Quantity, Ratio, RoundCosts
from anchorpbo.research.bench.law_tables import list_ratios
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.value_tables import list_gains

_HEADLINE_RATIOS = {
    "A whole round at equal work": "whole round, equal work",
    "a study's ask with a fit": "whole round, a study",
    "a study's ask between fits, neither with a fit": "between fits, a study",
}


def format_headline(rows: Sequence[Row]) -> str | None:
    """The smallest and the largest ratios, how near the values are, and what BoTorch did not finish."""
    rounds = RoundCosts(rows)
    ranges = {words: each for words, name in _HEADLINE_RATIOS.items() if (each := list_ratios(rounds, name))}
    if not ranges:
        return None
    parts = [f"{words}: {_format_ends(each)}" for words, each in ranges.items()]
    sentences = [f"How many times longer BoTorch takes, where both finished. {'; '.join(parts)}."]
    if found := list_gains(rows):
        sentences.append(
            f"By BoTorch's own measure the designs found are as good as its own to {max(-min(found), 1e-16):.0e} of "
            f"the value in all {len(found)} searches compared."
        )
    return " ".join([*sentences, *_describe_unfinished(rounds)])


def _format_ends(found: Sequence[tuple[float, str]]) -> str:
    (least, where), (most, there) = min(found), max(found)
    return f"{texts.format_ratio(Ratio(least)).text} ({where}) to {texts.format_ratio(Ratio(most)).text} ({there})"


def _describe_unfinished(rounds: RoundCosts) -> list[str]:
    places = [(m, d) for m in rounds.sizes for d in rounds.dimensions]
    costs = {place: rounds.cost(Quantity("botorch", "round"), *place) for place in places}
    stopped = [f"{m:,} duels in {d}-D" for (m, d), cost in costs.items() if cost is not None and not cost.times]
    if not stopped:
        return []
    return [f"Not measured, for BoTorch had not finished a round within the time limit: {', '.join(stopped)}."]
