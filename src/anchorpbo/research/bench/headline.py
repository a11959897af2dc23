"""The main numbers in a paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.research.bench import texts
from anchorpbo.research.bench.law_tables import ratios
from anchorpbo.research.bench.measurement import Row
from anchorpbo.research.bench.summary import Quantity, Ratio, Rounds
from anchorpbo.research.bench.value_tables import gains

_COMPARED = {
    "A whole round at equal work": "whole round, equal work",
    "a study's ask with a fit": "whole round, a study",
    "a study's ask between fits, neither with a fit": "between fits, a study",
}


def headline(rows: Sequence[Row]) -> str | None:
    """The smallest and the largest ratios, how near the values are, and what BoTorch did not finish."""
    rounds = Rounds(rows)
    ranges = {words: each for words, name in _COMPARED.items() if (each := ratios(rounds, name))}
    if not ranges:
        return None
    parts = [f"{words}: {_ends(each)}" for words, each in ranges.items()]
    sentences = [f"How many times longer BoTorch takes, where both finished. {'; '.join(parts)}."]
    if found := gains(rows):
        sentences.append(
            f"By BoTorch's own measure the designs found are as good as its own to {max(-min(found), 1e-16):.0e} of "
            f"the value in all {len(found)} searches compared."
        )
    return " ".join([*sentences, *_unfinished(rounds)])


def _ends(found: Sequence[tuple[float, str]]) -> str:
    (least, where), (most, there) = min(found), max(found)
    return f"{texts.times(Ratio(least)).text} ({where}) to {texts.times(Ratio(most)).text} ({there})"


def _unfinished(rounds: Rounds) -> list[str]:
    places = [(m, d) for m in rounds.sizes for d in rounds.dimensions]
    costs = {place: rounds.cost(Quantity("botorch", "round"), *place) for place in places}
    stopped = [f"{m:,} duels in {d}-D" for (m, d), cost in costs.items() if cost is not None and not cost.times]
    if not stopped:
        return []
    return [f"Not measured, for BoTorch had not finished a round within the time limit: {', '.join(stopped)}."]
