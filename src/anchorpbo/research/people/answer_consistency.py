"""Consistency of real people: how often a listener answers the same pair differently (`soundquality`).

Symbols: d the share of repeated pairs answered differently, e the probability of an answer against the person's usual
one, lambda the lapse probability, u the utilities of the modes for one listener and piece of music.

    differing    d, from two answers to one pair
    error        e = (1 - sqrt(1 - 2 d)) / 2: independent answers with the same e for every pair differ with 2 e (1 - e)
    odd one      share of answers that differ from all other answers to the pair, if there are others and they agree
    majority     accuracy of the majority of the other answers to the pair; a tie counts a half
    lapse        lambda of p = lambda / 2 + (1 - lambda) F(u_i - u_j), u ~ N(0, s^2), with the largest evidence over all
                 listeners; F logistic or normal

The odd-one share is at least half the lapse probability, because noise adds to it. Answers that no utility explains,
such as intransitive ones, raise the estimate of the lapse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar, Literal, get_args

import numpy as np
import polars as pl
from scipy.special import expit, logsumexp, ndtr

from anchorpbo.problems import RepeatedAnswers, soundquality_answers
from anchorpbo.research.experiments.confidence_intervals import BOOTSTRAP_RESAMPLES, Interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.typing import Array, IntArray

LAPSES = np.linspace(0.0, 0.25, 26)
"""Lapse probabilities at which the evidence is computed."""
UTILITY_STDS = np.array([0.5, 0.7, 1.0, 1.4, 2.0, 2.8])
"""Standard deviations s of the utilities at which it is computed."""
_SCORING_STEPS = 60
_DRAWS, _INFLATION = 128, 1.25
"""Draws of the importance sampling, and the factor of the standard deviation of Laplace's approximation, from which
they come: Laplace's evidence alone favours lapses, because the likelihood with lapses is not log-concave."""

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
    "differing, same session": share_differing,
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


@dataclass(frozen=True)
class ConsistencyTask(ExperimentTask):
    """The consistency of some listeners; one row per measure."""

    kind: ClassVar[str] = "consistency"
    listeners: int
    """Number of listeners, in the order of the file."""

    def prepare(self) -> None:
        """Load the data set, or raise if it is missing."""
        soundquality_answers()

    def run(self) -> RecordColumns:
        """Measure the consistency."""
        blocks = soundquality_answers()
        people = list(dict.fromkeys(block.answers.person for block in blocks))[: self.listeners]
        return summarise_consistency([block for block in blocks if block.answers.person in people]).to_dict(
            as_series=False
        )


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
    """Return the log evidence of each block, (blocks, stds, lapses), by importance sampling about the posterior mode.

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
    losses, modes = counts[:, None] - wins, signs.shape[1]
    z = np.random.default_rng(0).standard_normal((_DRAWS // 2, modes))
    z = _INFLATION * np.concatenate([z, -z])
    log_q = -0.5 * (z**2).sum(axis=1) / _INFLATION**2 - modes * np.log(_INFLATION)  # without (2 pi)^(-modes / 2)
    evidence = np.empty((len(wins), len(UTILITY_STDS), len(LAPSES)))
    for i, std in enumerate(UTILITY_STDS):
        u = np.zeros((len(wins), modes))
        for j, lapse in enumerate(LAPSES):
            u, precision = _find_utilities(u, wins, losses, signs, lapse, std, link)
            root = np.linalg.cholesky(precision)
            # Columns of root^-T z have the inverse precision as their covariance.
            draws = u[:, None] + np.linalg.solve(root.swapaxes(1, 2), z.T).swapaxes(1, 2)
            p, _ = _answer_probability(draws @ signs.T, lapse, link)
            log_p = (np.log(p) @ wins[..., None] + np.log1p(-p) @ losses[..., None])[..., 0]
            log_p += -0.5 * (draws**2).sum(axis=2) / std**2 - modes * np.log(std)
            log_root = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
            evidence[:, i, j] = logsumexp(log_p - log_q, axis=1) - np.log(_DRAWS) - log_root
    return evidence


def _find_utilities(
    u: Array, wins: Array, losses: Array, signs: Array, lapse: float, std: float, link: AnswerLink
) -> tuple[Array, Array]:
    """Return the posterior modes, (blocks, modes), by Fisher scoring from ``u``, and their precisions."""
    prior = np.eye(signs.shape[1]) / std**2
    for _ in range(_SCORING_STEPS):
        p, slope = _answer_probability(u @ signs.T, lapse, link)
        gain = slope / (p * (1.0 - p))
        precision = np.asarray((signs.T * ((wins + losses) * slope * gain)[:, None, :]) @ signs + prior)
        gradient = ((wins - (wins + losses) * p) * gain) @ signs - u / std**2
        step = np.linalg.solve(precision, gradient[..., None])[..., 0]
        if np.abs(step).max() < 1e-6:
            break
        u = u + np.clip(step, -1.0, 1.0)
    return u, precision


def _answer_probability(margins: Array, lapse: float, link: AnswerLink) -> tuple[Array, Array]:
    """Return p and its derivative in the margin."""
    if link == "logistic":
        F = expit(margins)
        slope = F * (1.0 - F)
    else:
        F = ndtr(margins)
        slope = np.exp(-0.5 * margins**2) / np.sqrt(2.0 * np.pi)
    return np.clip(0.5 * lapse + (1.0 - lapse) * F, 1e-9, 1.0 - 1e-9), (1.0 - lapse) * slope
