"""Consistency of real people: how often a listener answers the same pair differently (`soundquality`).

Symbols: d the share of repeated pairs answered differently, e the probability of an answer against the person's usual
one, lambda the lapse probability, u the utilities of the modes for one listener and piece of music.

    differing    d, from two answers to one pair
    error        e = (1 - sqrt(1 - 2 d)) / 2: independent answers with the same e for every pair differ with 2 e (1 - e)
    odd one      share of answers that differ from all other answers to the pair, if there are others and they agree
    majority     accuracy of the majority of the other answers to the pair; a tie counts a half
    lapse        lambda of p = lambda / 2 + (1 - lambda) F(u_i - u_j), u ~ N(0, s^2), with the largest Laplace evidence
                 over all listeners; F logistic or normal

The odd-one share is at least half the lapse probability, because noise adds to it. Answers that no utility explains,
such as intransitive ones, raise the estimate of the lapse. On simulated listeners of the same number the estimate was
0.01 to 0.03 too large, by Laplace's approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Literal, get_args

import numpy as np
import polars as pl
from scipy.special import expit, ndtr

from anchorpbo.problems import RepeatedAnswers
from anchorpbo.research.experiments.confidence_intervals import BOOTSTRAP_RESAMPLES, Interval
from anchorpbo.typing import Array, IntArray

LAPSES = np.linspace(0.0, 0.3, 31)
"""Lapse probabilities at which the evidence is computed."""
UTILITY_STDS = np.array([0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8])
"""Standard deviations s of the utilities at which it is computed."""
_SCORING_STEPS = 60

AnswerLink = Literal["logistic", "normal"]
"""Name of F."""


def tabulate_repeats(block: RepeatedAnswers) -> tuple[Array, Array]:
    """Return the answers before and after, (pairs, repetitions) each: 1 if the first mode won, 0 if the second did."""
    pairs = int(block.pair_numbers.max()) + 1
    tables = []
    for late in (False, True):
        rows = np.flatnonzero(block.after == late)
        table = np.full((pairs, int(block.repetitions[rows].max(initial=0))), np.nan)
        table[block.pair_numbers[rows], block.repetitions[rows] - 1] = block.answers.first_won[rows]
        tables.append(table)
    return tables[0], tables[1]


# -- shares ------------------------------------------------------------------------------------------------------------


def share_differing(tables: tuple[Array, Array]) -> float:
    """Return d for two answers before."""
    columns = tables[0].T
    return float(np.mean([a != b for a, b in combinations(columns, 2)])) if len(columns) > 1 else np.nan


def share_differing_later(tables: tuple[Array, Array]) -> float:
    """Return d for one answer before and one after."""
    early, late = (table.T for table in tables)
    return float(np.mean([a != b for a, b in product(early, late)])) if len(early) * len(late) else np.nan


def share_odd(tables: tuple[Array, Array]) -> float:
    """Return the odd-one share over all answers."""
    wins, total = _count_wins(tables)
    # Answers whose others agree: a unanimous pair gives all its answers; a pair with one deviant gives that one.
    deviants = float(((wins == 1) | (wins == total - 1)).sum())
    unanimous = float(total * ((wins == 0) | (wins == total)).sum())
    return deviants / (deviants + unanimous) if total > 2 else np.nan


def score_majority(tables: tuple[Array, Array]) -> float:
    """Return the accuracy of the majority of the other answers to a pair."""
    every = np.hstack(tables)
    others = every.sum(axis=1, keepdims=True) - every
    half = (every.shape[1] - 1) / 2.0
    right = np.where(every == 1.0, others > half, others < half) + 0.5 * (others == half)
    return float(right.mean()) if every.shape[1] > 1 else np.nan


def convert_to_error(differing: float) -> float:
    """Return e, the error that makes two answers differ with this probability, at most 1/2."""
    return float((1.0 - np.sqrt(max(1.0 - 2.0 * differing, 0.0))) / 2.0)


def _count_wins(tables: tuple[Array, Array]) -> tuple[Array, int]:
    every = np.hstack(tables)
    return every.sum(axis=1), every.shape[1]


SHARES: dict[str, Callable[[tuple[Array, Array]], float]] = {
    "differing, same day": share_differing,
    "differing, later": share_differing_later,
    "odd one": share_odd,
    "majority": score_majority,
}


def summarise_consistency(blocks: Sequence[RepeatedAnswers]) -> pl.DataFrame:
    """Return each share and the lapse with its 95 % interval over listeners.

    Pieces of music of one listener are averaged; the error is that of the share differing and of its interval.
    """
    rows = []
    for name, share in SHARES.items():
        listeners: dict[str, list[float]] = {}
        for block in blocks:
            listeners.setdefault(block.answers.person, []).append(share(tabulate_repeats(block)))
        values = np.array([np.mean(shares) for shares in listeners.values()])
        over = Interval.of_mean(values[np.isfinite(values)])
        rows.append((name, over.mean, over.low, over.high, int(np.isfinite(values).sum())))
        if name.startswith("differing"):
            mean, low, high = (convert_to_error(value) for value in (over.mean, over.low, over.high))
            rows.append((name.replace("differing", "error"), mean, low, high, rows[-1][-1]))
    people, links = len({block.answers.person for block in blocks}), get_args(AnswerLink)
    rows += [(f"lapse, {link} noise", *estimate_lapse(blocks, link), people) for link in links]
    return pl.DataFrame(rows, schema=["measure", "mean", "low", "high", "people"], orient="row")


# -- lapse -------------------------------------------------------------------------------------------------------------


def estimate_lapse(blocks: Sequence[RepeatedAnswers], link: AnswerLink) -> tuple[float, float, float]:
    """Return lambda of the answers before, with a bootstrap interval over listeners."""
    wins, modes = zip(*map(_tabulate_wins, blocks), strict=True)
    counts = np.array([tabulate_repeats(block)[0].shape[1] for block in blocks])
    evidence = compute_lapse_evidence(np.array(wins), counts, modes[0], link)
    people = [block.answers.person for block in blocks]
    table = np.array([evidence[[p == person for p in people]].sum(axis=0) for person in dict.fromkeys(people)])
    picks = np.random.default_rng(0).integers(len(table), size=(BOOTSTRAP_RESAMPLES, len(table)))
    draws = [_find_best_lapse(table[pick].sum(axis=0)) for pick in picks]
    low, high = np.quantile(draws, [0.025, 0.975])
    return _find_best_lapse(table.sum(axis=0)), float(low), float(high)


def _tabulate_wins(block: RepeatedAnswers) -> tuple[Array, Array]:
    """Return the wins of the first mode of each pair before, (pairs,), and +1 and -1 for its modes, (pairs, modes)."""
    _, index = np.unique(block.pair_numbers, return_index=True)
    pairs = block.answers.pairs[index]
    modes, codes = np.unique(pairs.reshape(-1, pairs.shape[-1]), axis=0, return_inverse=True)
    rows, codes = np.arange(len(pairs)), codes.reshape(-1, 2)
    signs = np.zeros((len(pairs), len(modes)))
    signs[rows, codes[:, 0]], signs[rows, codes[:, 1]] = 1.0, -1.0
    return tabulate_repeats(block)[0].sum(axis=1), signs


def _find_best_lapse(evidence: Array) -> float:
    """Return the lapse of largest evidence, (stds, lapses), over all standard deviations."""
    return float(LAPSES[int(np.argmax(evidence.max(axis=0)))])


def compute_lapse_evidence(wins: Array, counts: IntArray, signs: Array, link: AnswerLink) -> Array:
    """Return the Laplace evidence of each block, (blocks, stds, lapses).

    Parameters
    ----------
    wins
        Number of answers for the first mode of each pair, (blocks, pairs).
    counts
        Number of answers to each pair, (blocks,).
    signs
        Rows of the margins, (pairs, modes): +1 for the first mode and -1 for the second.
    link
        Distribution function of the noise.
    """
    total, modes = np.broadcast_to(counts[:, None], wins.shape).astype(float), signs.shape[1]
    evidence = np.empty((len(wins), len(UTILITY_STDS), len(LAPSES)))
    for i, std in enumerate(UTILITY_STDS):
        u = np.zeros((len(wins), modes))
        for j, lapse in enumerate(LAPSES):
            for _ in range(_SCORING_STEPS):
                p, slope = _answer_probability(u @ signs.T, lapse, link)
                gradient = ((wins - total * p) * slope / (p * (1.0 - p))) @ signs - u / std**2
                precision = _make_information(total * slope**2 / (p * (1.0 - p)), signs) + np.eye(modes) / std**2
                step = np.linalg.solve(precision, gradient[..., None])[..., 0]
                u = u + np.clip(step, -1.0, 1.0)
                if np.abs(step).max() < 1e-8:
                    break
            p, slope = _answer_probability(u @ signs.T, lapse, link)
            precision = std**2 * _make_information(total * slope**2 / (p * (1.0 - p)), signs) + np.eye(modes)
            fit = (wins * np.log(p) + (total - wins) * np.log1p(-p)).sum(axis=1) - 0.5 * (u**2).sum(axis=1) / std**2
            evidence[:, i, j] = fit - 0.5 * np.linalg.slogdet(precision)[1]
    return evidence


def _answer_probability(margins: Array, lapse: float, link: AnswerLink) -> tuple[Array, Array]:
    """Return p and its derivative in the margin."""
    if link == "logistic":
        F = expit(margins)
        slope = F * (1.0 - F)
    else:
        F = ndtr(margins)
        slope = np.exp(-0.5 * margins**2) / np.sqrt(2.0 * np.pi)
    return np.clip(0.5 * lapse + (1.0 - lapse) * F, 1e-9, 1.0 - 1e-9), (1.0 - lapse) * slope


def _make_information(weights: Array, signs: Array) -> Array:
    """Return the Fisher information of the utilities, (blocks, modes, modes)."""
    return np.asarray(np.einsum("bk,ki,kj->bij", weights, signs, signs, optimize=True))
