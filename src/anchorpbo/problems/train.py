"""Choices of 235 people between two train journeys (Ben-Akiva, Bolduc and Bradley 1993; stated preferences).

A journey has four attributes: the price in cents of guilders, the time in minutes, the number of changes, and the
comfort, from 0 (best) to 2 (worst). Each person compared variants of a journey of their own, 5 to 19 pairs.
"""

import csv
from functools import cache

import numpy as np

from anchorpbo.problems.answers import PairAnswers
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.space import Integer, Space

_ATTRIBUTES = ("price", "time", "change", "comfort")


@cache
def train_answers() -> tuple[PairAnswers, ...]:
    """Return the answers of each person, in the order in which they were asked.

    The space of a person ranges over the journeys that this person was shown, as a study of this person would.
    """
    people: dict[str, list[dict[str, str]]] = {}
    with fetch_data_file("train/train.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            people.setdefault(row["id"], []).append(row)
    return tuple(_make_answers(person, rows) for person, rows in people.items())


def _make_answers(person: str, rows: list[dict[str, str]]) -> PairAnswers:
    rows = sorted(rows, key=lambda row: int(row["choiceid"]))
    pairs = [[{name: int(row[f"{name}{side}"]) for name in _ATTRIBUTES} for side in (1, 2)] for row in rows]
    space = Space({name: _make_range([design[name] for pair in pairs for design in pair]) for name in _ATTRIBUTES})
    encoded = np.array([[space.encode(design) for design in pair] for pair in pairs])
    return PairAnswers(person, space, encoded, np.array([row["choice"] == "choice1" for row in rows]))


def _make_range(values: list[int]) -> Integer:
    low, high = min(values), max(values)
    # A parameter must have two values; the second is never shown to people whose journeys agree in this attribute.
    return Integer(low, max(high, low + 1))
