"""History of a study: the design recommended after each answer, and the noise of the pairs that were asked.

::

    recommended   after k answers, argmax of m(x) - rho n(x) over the designs compared by then, as the study
                  recommended it: with the hyper-parameters, anchors and answers of that time
    utility       of that design given all answers, relative to the average of the designs compared
    pair noise    (n(x) + n(x')) / 2 of an answered duel, under the present noise map
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.analysis.model_view import is_informative, read_comparisons
from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_vector
from anchorpbo.space import Design
from anchorpbo.study import Optimizer, Outcome
from anchorpbo.study.progress import NEGLIGIBLE_GAIN
from anchorpbo.study.recommendation import check_answers
from anchorpbo.typing import Array

MAX_MOMENTS = 60
"""Largest number of points in time that are computed; a long study gets an even selection."""
AVERAGED_DUELS = 10
"""Number of duels in a running mean."""
_SAMPLE_DESIGNS = 512


@dataclass(frozen=True)
class ExpectedGains:
    """Expected gains of the duels."""

    answers: int
    """Number of informative answers."""
    duels: tuple[int, ...]
    """Numbers of the informative answers, from 1, whose gain is known: those of duels that the model selected."""
    gains: tuple[float, ...]
    """Expected gain of each of these duels, see `Duel.gain`."""
    negligible_gain: float = NEGLIGIBLE_GAIN
    """Threshold below which a gain is negligible."""


@dataclass(frozen=True)
class Convergence:
    """Recommended design and its utility after each of some numbers of informative answers."""

    answers: tuple[int, ...]
    designs: tuple[Design, ...]
    utility: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Upper ends of the 90 % intervals; `low` has the lower ends."""
    truth: tuple[float, ...] | None
    """The true utility of each design, if it is known."""
    expected: ExpectedGains


@dataclass(frozen=True)
class PairNoise:
    """Noise of the pairs that were asked, in order."""

    noise: tuple[float, ...]
    outcomes: tuple[Outcome, ...]
    average: tuple[float, ...]
    """Running mean of the latest pairs."""
    initial: int
    """Number of initial duels, which the model did not select."""
    typical: float
    """Mean noise of a pair of designs spread over the space."""


def convergence(study: Optimizer, truth: Callable[[Design], float] | None = None) -> Convergence:
    """Compute the recommendation after each answer.

    Each point in time is computed anew, with its hyper-parameters: a study of fifty answers takes seconds.

    Parameters
    ----------
    study
        A study with at least one informative answer.
    truth
        The user's true utility, if it is known, as in a simulation.
    """
    check_answers(len(study))
    wanted = set(np.unique(np.linspace(1, len(study), min(len(study), MAX_MOMENTS)).round().astype(int)).tolist())
    recommended: dict[int, Design] = {}
    for stage in study.replay():
        if len(stage) in wanted:
            recommended[len(stage)] = stage.recommended
    judged = study.utilities(list(recommended.values()))
    return Convergence(
        answers=tuple(recommended),
        designs=tuple(recommended.values()),
        utility=tuple(one.utility for one in judged),
        low=tuple(one.interval[0] for one in judged),
        high=tuple(one.interval[1] for one in judged),
        truth=None if truth is None else tuple(_evaluate_truth(truth, recommended.values()).tolist()),
        expected=expected_gains(study),
    )


def expected_gains(study: Optimizer) -> ExpectedGains:
    """Return the expected gain of each duel that the model selected."""
    # Numbered like the answers of `Convergence`, so that both share one axis; a skip is not an answer.
    told = list(filter(is_informative, study.history))
    gains = {number: event["gain"] for number, event in enumerate(told, 1) if event.get("gain") is not None}
    return ExpectedGains(len(told), tuple(gains), tuple(gains.values()))


def pair_noise(study: Optimizer) -> PairNoise:
    """Compute the noise of every pair that was compared or skipped."""
    comparisons = read_comparisons(study.history)
    if not comparisons:
        raise InputError("the noise of pairs needs a comparison", "a study without any", "tell an answer first")
    space, noise_map = study.space, study.noise_map
    points = np.array([space.locate(design) for duel in comparisons for design in (duel.first, duel.second)])
    noise = noise_map(points).reshape(-1, 2).mean(axis=1)
    sums = np.cumsum(np.concatenate([[0.0], noise]))
    ends = np.arange(1, len(noise) + 1)
    starts = np.maximum(ends - AVERAGED_DUELS, 0)
    spread = space.sample(_SAMPLE_DESIGNS, np.random.default_rng(0))
    return PairNoise(
        noise=tuple(noise.tolist()),
        outcomes=tuple(duel.outcome for duel in comparisons),
        average=tuple(((sums[ends] - sums[starts]) / (ends - starts)).tolist()),
        initial=_count_initial(study.history),
        typical=float(noise_map(spread).mean()),
    )


def _evaluate_truth(truth: Callable[[Design], float], designs: Iterable[Design]) -> Array:
    return as_vector("the true utility", [truth(dict(design)) for design in designs])


def _count_initial(history: list[dict[str, Any]]) -> int:
    """Return the number of comparisons before the first one that the model selected, which has a gain."""
    told = [event for event in history if event["type"] in ("answered", "preferred")]
    return next((i for i, event in enumerate(told) if event.get("gain") is not None), len(told))
