"""Calibration: predicted probabilities of answers against observed ones.

Symbols: p1, p2 the predicted probabilities that the first, or the second, design of a duel is chosen; the favourite is
the likelier of the two, and p = max(p1, p2) / (p1 + p2) is its probability, given that the user chooses at all: ties
and skips are left out.

::

    log loss     mean of -log P(answer)         log 2 for a coin
    Brier score  mean of (p - [favourite won])^2    1/4 for a coin
    interval     of a share of k among n: Jeffreys', see `anchorpbo.numerics.shares`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.typing import Array, BoolArray

MAX_BINS, MIN_BIN_ANSWERS = 5, 8
"""Largest number of bins, and smallest number of answers per bin."""


@dataclass(frozen=True)
class Bin:
    """Answers with similar predicted probabilities."""

    predicted: float
    """Mean of p."""
    observed: float
    """Share of favourites that were chosen."""
    low: float
    high: float
    """Upper end of the 90 % interval of that share; `low` is the lower end."""
    count: int


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities of the favourites, and how often they were chosen."""

    predicted: tuple[float, ...]
    """p, from 0.5 to 1."""
    chosen: tuple[bool, ...]
    """Whether the favourite was chosen."""
    bins: tuple[Bin, ...]
    """Bins with about equally many answers, in increasing order of p."""
    how: str
    """How the answers were predicted, in words."""

    @property
    def log_loss(self) -> float:
        """Mean of -log of the probability of the observed answer."""
        p, won = np.array(self.predicted), np.array(self.chosen)
        # An answer that was predicted to be impossible gets a large loss, but not an infinite one.
        return float(-np.log(np.maximum(np.where(won, p, 1.0 - p), np.finfo(float).eps)).mean())

    @property
    def brier(self) -> float:
        """Mean squared difference between the prediction and the observed answer."""
        return float(((np.array(self.predicted) - np.array(self.chosen)) ** 2).mean())

    @property
    def accuracy(self) -> float:
        """Share of favourites that were chosen."""
        return float(np.mean(self.chosen))


def summarise_predictions(winner: Array, loser: Array, how: str) -> Calibration:
    """Return the calibration of predictions.

    Parameters
    ----------
    winner, loser
        Predicted probabilities of the winner and of the loser, (n,) each.
    how
        How they were predicted, in words.
    """
    if not len(winner):
        rule = "calibration needs answers with a winner, and others to predict them from"
        raise InputError(rule, "too few", "tell at least two")
    sure = np.maximum(winner, loser) / (winner + loser)
    # If both designs are equally likely, count every other favourite as chosen, as half of them would be.
    even = winner == loser
    chosen = np.where(even, np.cumsum(even) % 2 == 1, winner > loser)
    return Calibration(tuple(sure.tolist()), tuple(chosen.tolist()), _bins(sure, chosen), how)


def _bins(sure: Array, chosen: BoolArray) -> tuple[Bin, ...]:
    order = np.argsort(sure, kind="stable")
    parts = np.array_split(order, min(max(len(sure) // MIN_BIN_ANSWERS, 1), MAX_BINS))
    return tuple(_bin(sure[part], chosen[part]) for part in parts)


def _bin(sure: Array, chosen: BoolArray) -> Bin:
    n, k = len(chosen), int(chosen.sum())
    return Bin(float(sure.mean()), k / n, *jeffreys_interval(k, n), n)
