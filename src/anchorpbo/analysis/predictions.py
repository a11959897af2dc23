"""Calibration of the model: predicted answers against observed ones.

`anchorpbo.study.calibration` has the symbols and the scores.

::

    study    sequential: each answer is predicted from those before it, hyper-parameters included
    model    leave-one-out: each duel is predicted from all others, at the hyper-parameters fitted to all of them
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from anchorpbo.analysis.model_view import is_informative
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.model import PreferenceGP
from anchorpbo.space import Design
from anchorpbo.study import Optimizer
from anchorpbo.study.calibration import Calibration, summarise_predictions
from anchorpbo.typing import Array

MAX_PREDICTIONS = 200
"""Largest number of answers that are predicted; if there are more, an even selection of them."""
SEQUENTIAL = "each answer predicted from those before it"
LEAVE_ONE_OUT = "each answer predicted from all others"


def calibration(source: Optimizer | PreferenceGP) -> Calibration:
    """Predict a study's answers, each from those before it, or a model's duels, each from the others."""
    if isinstance(source, Optimizer):
        return summarise_predictions(*_predict_sequentially(source), SEQUENTIAL)
    if isinstance(source, PreferenceGP):
        return summarise_predictions(*_predict_left_out(source), LEAVE_ONE_OUT)
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
