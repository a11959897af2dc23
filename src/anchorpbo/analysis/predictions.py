"""Calibration of the model: predicted answers against observed ones.

Symbols: p1, p2 the predicted probabilities that the first, or the second, design of a duel is chosen; the favourite is
the likelier of the two, and p = max(p1, p2) / (p1 + p2) is its probability, given that the user chooses at all: ties
and skips are left out.

::

    study    sequential: each answer is predicted from those before it, hyper-parameters included
    model    leave-one-out: each duel is predicted from all others, at the hyper-parameters fitted to all of them

    log loss     mean of -log P(answer)         log 2 for a coin
    Brier score  mean of (p - [favourite won])^2    1/4 for a coin
    interval     of a share of k among n: Jeffreys', the quantiles of Beta(k + 1/2, n - k + 1/2)
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv

from anchorpbo.analysis.model_view import is_informative
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.model import PreferenceGP
from anchorpbo.space import Design
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

MAX_BINS, MIN_BIN_ANSWERS = 5, 8
"""Largest number of bins, and smallest number of answers per bin."""
MAX_PREDICTIONS = 200
"""Largest number of answers that are predicted; if there are more, an even selection of them."""
SEQUENTIAL = "each answer predicted from those before it"
LEAVE_ONE_OUT = "each answer predicted from all others"
_TAIL_PROBABILITY = 0.05


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


def calibration(source: Optimizer | PreferenceGP) -> Calibration:
    """Predict a study's answers, each from those before it, or a model's duels, each from the others."""
    if isinstance(source, Optimizer):
        return _summarise(*_predict_sequentially(source), SEQUENTIAL)
    if isinstance(source, PreferenceGP):
        return _summarise(*_predict_left_out(source), LEAVE_ONE_OUT)
    rule = "calibration needs an Optimizer or a PreferenceGP"
    raise InputError(rule, type(source).__name__, "give the study itself")


def _predict_sequentially(study: Optimizer) -> tuple[Array, Array]:
    """Return the predicted probabilities of the winner and of the loser before each answer, (n,) each."""
    pairs = [_get_winner_and_loser(event) for event in study.history]
    # The first informative answer cannot be predicted.
    start = next((i for i, told in enumerate(map(is_informative, study.history), 1) if told), len(pairs))
    wanted = _select_evenly([i for i, pair in enumerate(pairs) if pair is not None and i >= start])
    found = []
    # The replay has one stage more than there are events: stage i is the study before event i.
    for stage, i in zip(study.replay(), range(len(pairs)), strict=False):
        pair = pairs[i]
        if pair is not None and i in wanted:
            found.append(_probabilities(stage.model, *(study.space.encode(design)[None] for design in pair)))
    return _columns(found)


def _predict_left_out(model: PreferenceGP) -> tuple[Array, Array]:
    duels = model.duels.expand_repeats()
    found = []
    for k in sorted(_select_evenly(range(len(duels.winners)))):
        others = Duels(duels.points, np.delete(duels.winners, k), np.delete(duels.losers, k), duels.ties, duels.bounds)
        without = copy(model).condition(others) if len(others) else None
        pair = duels.points[[duels.winners[k]]], duels.points[[duels.losers[k]]]
        found.append((0.5, 0.5) if without is None else _probabilities(without, *pair))
    return _columns(found)


def _select_evenly(numbers: Sequence[int]) -> set[int]:
    """Return all numbers if they are few, else an even selection."""
    places = np.unique(np.linspace(0, len(numbers) - 1, min(len(numbers), MAX_PREDICTIONS)).round().astype(int))
    return {numbers[place] for place in places.tolist()}


def _get_winner_and_loser(event: dict[str, Any]) -> tuple[Design, Design] | None:
    """Return the two designs of a comparison, if it had a winner."""
    if event["type"] == "preferred" and not event["tie"]:
        return event["winner"], event["loser"]
    if event["type"] == "answered" and event["outcome"] in ("first", "second"):
        loser = "second" if event["outcome"] == "first" else "first"
        return event[event["outcome"]], event[loser]
    return None


def _probabilities(model: PreferenceGP, winner: Array, loser: Array) -> tuple[float, float]:
    return float(model.prob_choose(winner, loser)[0]), float(model.prob_choose(loser, winner)[0])


def _columns(found: list[tuple[float, float]]) -> tuple[Array, Array]:
    pairs = np.array(found, dtype=float).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _summarise(winner: Array, loser: Array, how: str) -> Calibration:
    if not len(winner):
        rule = "calibration needs answers with a winner, and others to predict them from"
        raise InputError(rule, "too few", "tell at least two")
    sure = np.maximum(winner, loser) / (winner + loser)
    # If both designs are equally likely, count every other favourite as chosen, as half of them would be.
    even = winner == loser
    chosen = np.where(even, np.cumsum(even) % 2 == 1, winner > loser)
    return Calibration(tuple(sure.tolist()), tuple(chosen.tolist()), _bins(sure, chosen), how)


def _bins(sure: Array, chosen: Array) -> tuple[Bin, ...]:
    order = np.argsort(sure, kind="stable")
    parts = np.array_split(order, min(max(len(sure) // MIN_BIN_ANSWERS, 1), MAX_BINS))
    return tuple(_bin(sure[part], chosen[part]) for part in parts)


def _bin(sure: Array, chosen: Array) -> Bin:
    n, k = len(chosen), int(chosen.sum())
    low, high = (float(betaincinv(k + 0.5, n - k + 0.5, q)) for q in (_TAIL_PROBABILITY, 1.0 - _TAIL_PROBABILITY))
    return Bin(float(sure.mean()), k / n, low if k else 0.0, high if k < n else 1.0, n)
