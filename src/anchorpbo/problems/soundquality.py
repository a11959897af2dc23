"""Comparisons of eight audio reproduction modes by 40 listeners (Choisel and Wickelmaier 2007).

Each listener compared all 28 pairs of modes for four pieces of music, three times before and twice after another
experiment. The repeated answers show how consistent people are. Within a repetition the file lists the pairs in a fixed
order, so the order in which they were asked is not known.
"""

import csv
from dataclasses import dataclass
from functools import cache

import numpy as np

from anchorpbo.numerics.validation import freeze
from anchorpbo.problems.answers import PairAnswers
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.space import Catalogue
from anchorpbo.typing import BoolArray, IntArray

_MODES = {
    "Mono": (1, 1),
    "PhantomMono": (1, 2),
    "Stereo": (2, 2),
    "WideStereo": (2, 2),
    "Matrix": (2, 4),
    "Upmix1": (2, 5),
    "Upmix2": (2, 5),
    "Original": (5, 5),
}
"""Modes, each with the number of recorded channels and the number of loudspeakers that play them."""


@dataclass(frozen=True, eq=False)
class RepeatedAnswers:
    """The answers of one listener to the pairs of modes for one piece of music, each pair several times."""

    material: str
    """Piece of music."""
    answers: PairAnswers
    after: BoolArray
    """Whether an answer was given after the other experiment, (m,)."""
    repetitions: IntArray
    """Repetition of an answer, from 1, before and after separately, (m,)."""
    pair_numbers: IntArray
    """Number of the pair of modes, equal for answers to the same pair, (m,)."""

    def __post_init__(self) -> None:
        for name in ("after", "repetitions", "pair_numbers"):
            freeze(getattr(self, name))


@cache
def soundquality_modes(described: bool = True) -> Catalogue:
    """Return the eight modes as a catalogue with the mode as a category.

    Parameters
    ----------
    described
        Whether the numbers of recorded channels and of loudspeakers are features.
    """
    records = [{"mode": mode, "channels": n, "loudspeakers": m} for mode, (n, m) in _MODES.items()]
    return Catalogue(records, ["channels", "loudspeakers"] if described else [], ["mode"], key="mode")


@cache
def soundquality_answers(described: bool = True) -> tuple[RepeatedAnswers, ...]:
    """Return the answers by listener and piece of music; see `soundquality_modes` for the argument."""
    blocks: dict[tuple[str, str], list[dict[str, str]]] = {}
    with fetch_data_file("soundquality/soundquality.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            blocks.setdefault((row["listener"], row["material"]), []).append(row)
    catalogue = soundquality_modes(described)
    return tuple(_make_answers(*key, rows, catalogue) for key, rows in blocks.items())


def _make_answers(listener: str, material: str, rows: list[dict[str, str]], catalogue: Catalogue) -> RepeatedAnswers:
    encoded = {mode: catalogue.encode({"mode": mode}) for mode in _MODES}
    pairs = np.array([[encoded[row["first"]], encoded[row["second"]]] for row in rows])
    answers = PairAnswers(listener, catalogue, pairs, np.array([row["answer"] == "first" for row in rows]))
    numbers: dict[tuple[str, str], int] = {}
    return RepeatedAnswers(
        material,
        answers,
        np.array([row["time"] == "after" for row in rows]),
        np.array([int(row["repetition"]) for row in rows]),
        np.array([numbers.setdefault((row["first"], row["second"]), len(numbers)) for row in rows]),
    )
