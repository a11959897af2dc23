"""Surprising answers: those that all other answers of the study make improbable.

Symbols: Z_k is the probability of answer k given all other answers, lambda the lapse probability and c the probability
of one answer in a lapse (`anchorpbo.likelihoods.lapse`). The answer was a lapse with probability

    P(lapse | answers) = lambda c / Z_k

An answer is surprising if Z_k < c, that is, if it is less probable than a random answer. Its probability of a lapse is
then above lambda.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.model import PreferenceGP
from anchorpbo.space import Design
from anchorpbo.study.events import Answered, Event, Preferred
from anchorpbo.typing import Array, BoolArray


@dataclass(frozen=True)
class Surprise:
    """A surprising answer. Plain data, safe to share.

    Parameters
    ----------
    event
        Index of the answer in `Optimizer.history`.
    duel
        Id of the duel; ``None`` for a preference that was not asked for.
    winner, loser
        The two designs; of a tie, the first and the second.
    tie
        Whether the two were judged equal.
    probability
        Probability of this answer given all others.
    p_lapse
        Probability that this answer was a lapse; 0 if the likelihood has none.
    sentence
        The same in a sentence.
    """

    event: int
    duel: str | None
    winner: Design
    loser: Design
    tie: bool
    probability: float
    p_lapse: float
    sentence: str


def find_surprises(model: PreferenceGP, events: Sequence[Event], tied: BoolArray) -> list[Surprise]:
    """Return the surprising answers, the most surprising first.

    Parameters
    ----------
    model
        The model of all informative answers.
    events
        The log.
    tied
        Whether each informative answer is a tie, (m,), in the order of the log.
    """
    numbers = [number for number, event in enumerate(events) if _is_informative(event)]
    probabilities = predict_answers(model, tied)
    chance, lapse = model.likelihood.chance, model.likelihood.lapse
    order = np.argsort(probabilities, kind="stable")
    return [
        _make_surprise(numbers[k], events[numbers[k]], float(probabilities[k]), lapse * chance)
        for k in order.tolist()
        if probabilities[k] < chance
    ]


def predict_answers(model: PreferenceGP, tied: BoolArray) -> Array:
    """Return the probability Z of each answer given all others, (m,), in the order of the log.

    Parameters
    ----------
    model
        The model of all informative answers.
    tied
        Whether each informative answer is a tie, (m,), in the order of the log.
    """
    probabilities = np.empty(len(tied))
    # The rows of the model are the wins, then the ties.
    probabilities[np.concatenate([np.flatnonzero(~tied), np.flatnonzero(tied)])] = model.prob_answers()
    return probabilities


def _is_informative(event: Event) -> bool:
    return isinstance(event, Preferred) or (isinstance(event, Answered) and event.outcome != "skip")


def _make_surprise(number: int, event: Event, probability: float, random: float) -> Surprise:
    if isinstance(event, Answered):
        first, second = dict(event.first), dict(event.second)
        winner, loser = (second, first) if event.outcome == "second" else (first, second)
        duel, tie = event.duel, event.outcome == "tie"
    else:
        assert isinstance(event, Preferred)
        winner, loser, duel, tie = dict(event.winner), dict(event.loser), None, event.tie
    p_lapse = min(random / probability, 1.0)
    words = f"Your other answers give this answer a probability of {_format_percent(probability)}."
    if random > 0.0:
        words = f"{words[:-1]}; it was a slip with a probability of {_format_percent(p_lapse)}."
    return Surprise(number, duel, winner, loser, tie, probability, p_lapse, words)


def _format_percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{100.0 * share:.0f} %"
