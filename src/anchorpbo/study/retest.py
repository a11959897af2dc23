"""Test-retest agreement: how often the user gives the same answer to the same pair, by band of reliability.

Symbols: a retest is two consecutive informative answers to one pair of designs, in either order; k answers to a pair
make k - 1 retests. f is the utility, o an answer: the first design, the second, or a tie.

::

    observed    share of retests with the same answer; its interval is Jeffreys' (`numerics.shares`)
    expected    mean over the retests of E sum_o P(o | f)^2, the expectation over f given the answers to all other pairs

Given f, two answers to a pair are independent, so they agree with probability sum_o P(o | f)^2: p^2 + (1 - p)^2 without
ties. A user whose answers are wrong with probability e agrees with themselves with probability e^2 + (1 - e)^2.
The answers to the pair itself are left out of the expectation, since they would pull it towards what was observed; the
hyper-parameters are those fitted to all answers. Bands are those of `reliability_bands`, under the present noise map.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model import PreferenceGP
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study.events import Answered, Event, Preferred, list_designs
from anchorpbo.study.reliability_bands import ALL_PAIRS, assign_bands, list_bands
from anchorpbo.typing import Array, BoolArray, IntArray

MAX_EXPECTED_PAIRS = 100
"""Largest number of pairs whose expected agreement is computed, each from a model without their answers; if there are
more, an even selection of them."""
NO_RETESTS = "You have not answered any pair twice yet."
_GRID_SIZE, _GRID_REACH = 601, 8.5
"""Number of points of the grid of standardised margins, and its largest point."""


@dataclass(frozen=True)
class RetestBand:
    """Test-retest agreement of the pairs in one band of reliability. Plain data, safe to share.

    Parameters
    ----------
    name
        ``"near your anchors"``, ``"in between"`` or ``"elsewhere"``; ``"all pairs"`` without anchors.
    retests
        Number of retests: each compares two consecutive answers to the same pair of designs.
    agreed
        Number of retests with the same answer.
    share
        Share of retests with the same answer; ``None`` without retests.
    interval
        90 % interval of this share; from 0 to 1 without retests.
    expected
        Share that the model expects from the answers to all other pairs; ``None`` without retests.
    """

    name: str
    retests: int
    agreed: int
    share: float | None
    interval: tuple[float, float]
    expected: float | None


@dataclass(frozen=True)
class Retest:
    """Test-retest agreement of a study. Plain data, safe to share.

    Parameters
    ----------
    bands
        Agreement in each band, from the most to the least reliable one.
    sentence
        The same in a sentence.
    """

    bands: tuple[RetestBand, ...]
    sentence: str

    @property
    def retests(self) -> int:
        """Number of retests in all bands."""
        return sum(band.retests for band in self.bands)

    @property
    def agreed(self) -> int:
        """Number of retests with the same answer in all bands."""
        return sum(band.agreed for band in self.bands)


def summarise_retests(
    events: Iterable[Event], space: DesignSpace, noise_map: NoiseMap, model: PreferenceGP | None
) -> Retest:
    """Return the test-retest agreement of a log by band of reliability.

    Parameters
    ----------
    events
        The log.
    space
        Space of the designs.
    noise_map
        Noise map that decides on the band of each pair.
    model
        Model of all informative answers, for the expected agreement; ``None`` to leave that out.
    """
    answers = [one for one in _group_answers(events) if len(one.choices) > 1]
    points = np.array([[space.locate(design) for design in one.designs] for one in answers])
    points = points.reshape(-1, 2, space.dimension)
    names, bands = list_bands(noise_map), assign_bands(noise_map, points)
    retests = np.array([len(one.choices) - 1 for one in answers], dtype=np.intp)
    agreed = np.array([sum(a == b for a, b in pairwise(one.choices)) for one in answers], dtype=np.intp)
    expected = np.full(len(points), np.nan) if model is None else _expect_agreements(model, points)
    found = tuple(
        _make_band(name, retests[bands == number], agreed[bands == number], expected[bands == number])
        for number, name in enumerate(names)
    )
    return Retest(found, _describe(found))


@dataclass(frozen=True)
class _PairAnswers:
    """Informative answers to one pair of designs, in either order."""

    designs: tuple[Design, Design]
    choices: list[str]
    """The preferred design of each answer as JSON, or an empty text for a tie; oldest first."""


def _group_answers(events: Iterable[Event]) -> list[_PairAnswers]:
    """Return the informative answers of a log, by pair of designs."""
    found: dict[frozenset[str], _PairAnswers] = {}
    for event in events:
        choice = _find_choice(event)
        if choice is not None:
            first, second = list_designs(event)
            pair = found.setdefault(frozenset(map(_write, (first, second))), _PairAnswers((first, second), []))
            pair.choices.append(choice)
    return list(found.values())


def _find_choice(event: Event) -> str | None:
    """Return the design that an event prefers as JSON, an empty text for a tie, ``None`` without information."""
    if isinstance(event, Preferred):
        return "" if event.tie else _write(event.winner)
    if not isinstance(event, Answered) or event.outcome == "skip":
        return None
    return {"first": _write(event.first), "second": _write(event.second), "tie": ""}[event.outcome]


def _write(design: Design) -> str:
    return json.dumps(design, sort_keys=True)


def _make_band(name: str, retests: IntArray, agreed: IntArray, expected: Array) -> RetestBand:
    n, k = int(retests.sum()), int(agreed.sum())
    known = np.isfinite(expected)
    mean = float(np.average(expected[known], weights=retests[known])) if known.any() else None
    return RetestBand(name, n, k, k / n if n else None, jeffreys_interval(k, n), mean)


def _describe(bands: Iterable[RetestBand]) -> str:
    parts = [
        f"{band.agreed} of {band.retests} time{'s'[: band.retests != 1]}"
        + (f" {band.name}" if band.name != ALL_PAIRS else "")
        for band in bands
        if band.retests
    ]
    if not parts:
        return NO_RETESTS
    said = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Asked twice, you gave the same answer {said}."


# -- expected agreement ------------------------------------------------------------------------------------------------


def _expect_agreements(model: PreferenceGP, pairs: Array) -> Array:
    """Return the expected agreement at each pair, (n, 2, d), given the answers to all others; NaN if left out."""
    result = np.full(len(pairs), np.nan)
    duels = model.duels.expand_repeats()
    count = min(len(pairs), MAX_EXPECTED_PAIRS)
    for number in np.unique(np.linspace(0, len(pairs) - 1, count).round().astype(int)).tolist():
        others = _leave_out(duels, pairs[number])
        # Without any other answer, the prior.
        without = copy(model).condition(others) if len(others) else model
        result[number] = expect_agreement(without, pairs[number], prior=not len(others))
    return result


def _leave_out(duels: Duels, pair: Array) -> Duels:
    """Return the duels without the answers to a pair, (2, d)."""
    same = [(duels.points == x).all(axis=1) for x in pair]

    def is_other(first: IntArray, second: IntArray) -> BoolArray:
        return np.asarray(~((same[0][first] & same[1][second]) | (same[1][first] & same[0][second])))

    wins, ties = is_other(duels.winners, duels.losers), is_other(duels.ties[:, 0], duels.ties[:, 1])
    return Duels(duels.points, duels.winners[wins], duels.losers[wins], duels.ties[ties], duels.bounds)


def expect_agreement(model: PreferenceGP, pair: Array, *, prior: bool = False) -> float:
    """Return the probability that two further answers to a pair, (2, d), agree, by the posterior of a model.

    Parameters
    ----------
    model
        The model.
    pair
        The two designs.
    prior
        Whether to use the prior instead of the posterior.
    """
    X, Y = pair[:1], pair[1:]
    total = 0.0
    for part in model.components:
        posterior = part.posterior.without_duels() if prior else part.posterior
        agreement = _make_agreement(part.likelihood)
        coefficients = part.generative.coefficients(X, Y)
        total += part.weight * float(posterior.average_over_margins(agreement, X, Y, *coefficients)[0])
    return total


def _make_agreement(likelihood: Likelihood) -> Callable[[Array, Array], Array]:
    """Return the function (mean, variance) -> E sum_o P(o | g)^2 for margins g ~ N(mean, variance), (n,)."""
    # An even grid, because the agreement varies on a scale of 1 while the margin may vary on a much larger one.
    nodes = np.linspace(-_GRID_REACH, _GRID_REACH, _GRID_SIZE)
    weights = np.exp(-0.5 * nodes**2)
    weights /= weights.sum()

    def agreement(mean: Array, variance: Array) -> Array:
        g = (mean[:, None] + np.sqrt(variance)[:, None] * nodes).ravel()
        wins = np.zeros(len(g), dtype=np.bool_)
        logs = [likelihood.log_prob(g, wins).value, likelihood.log_prob(-g, wins).value]
        if likelihood.tau > 0.0:
            logs.append(likelihood.log_prob(g, ~wins).value)
        total = np.exp(2.0 * np.array(logs)).sum(axis=0)
        return np.asarray(total.reshape(len(mean), -1) @ weights)

    return agreement
