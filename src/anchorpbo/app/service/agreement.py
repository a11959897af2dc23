"""Agreement between participants, by their models and by their answers to the same pairs.

Symbols: p participants with answers, u designs that at least one of them compared, f_i the utility of participant i at
these designs, m_i its posterior mean, C and D the numbers of pairs of designs that two participants rank in the same
and in opposite orders, n_i the number of pairs to which participant i gives different utilities.

    tau             Kendall's rank correlation tau-b, (C - D) / sqrt(n_i n_j); 0 if n_i or n_j is 0
    matrix_ij       tau(m_i, m_j)
    correlation     the median of tau(f_i, f_j) over joint draws of f_i and of f_j from their posteriors
    interval        its quantiles of 5 and 95 %: the 90 % credible interval
    consensus       the design with the lowest mean rank of m_i: 0 is first, u - 1 is last, ties get their mean rank

Unlike tau-a, (C - D) / (all pairs), tau-b reaches 1 for equal rankings with ties, which means can have: those of a
participant who found designs equal. Without ties, as in draws, both are the same.

The correlation of the draws is closer to 0 than that of the means, because it includes what is not known yet. Of the
pairs of designs that two participants both answered,

    same            both preferred the same design
    opposite        they preferred different designs
    undecided       at least one found the designs equal
    share           same / (same + opposite), with its exact (Clopper-Pearson) 90 % interval

Ties do not count, because two independent participants who often find designs equal share many ties. The verdict of a
source is ``agree`` or ``disagree`` if its interval lies above or below the null value, that of independent
participants: a correlation of 0, a share of 1/2. Otherwise it is ``unrelated`` if the interval is at most 0.5
(correlation) or 0.25 (share) wide, and ``unknown`` if it is wider: more answers are needed.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import betaincinv

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.shared_pairs import LatestAnswers
from anchorpbo.model import PreferenceGP
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array

MAX_DESIGNS = 400
DRAWS = 400
"""Number of joint draws of the utilities of each participant."""
MAX_DRAWN_DESIGNS = 100
"""Largest number of designs in these draws: the cost grows with its square."""
TAIL = 0.05
"""Probability below and above an interval."""
MAX_UNRELATED_WIDTH = 0.5
"""Width of the widest interval of a correlation, and half of it for a share, that can show that nothing is common."""
Verdict = Literal["agree", "disagree", "unrelated", "unknown"]


@dataclass(frozen=True)
class Opinion:
    """Recommended design of one participant."""

    participant: str
    answers: int
    design: Design | None
    utility: float | None
    interval: list[float] | None


@dataclass(frozen=True)
class SharedAnswers:
    """Answers of two participants to the pairs that both were asked."""

    same: int
    opposite: int
    undecided: int
    """Pairs that at least one of them found equal."""
    share: float | None
    """Share of equal answers among the same and the opposite ones; null without any."""
    interval: list[float]
    """Ends of the exact 90 % interval of the share."""
    verdict: Verdict


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two participants, each with answers."""

    participants: list[str]
    """The two names."""
    correlation: float
    """Median rank correlation of their utilities, from -1 to 1."""
    interval: list[float]
    """Ends of its 90 % credible interval."""
    verdict: Verdict
    """Verdict of the interval of the correlation."""
    shared: SharedAnswers


@dataclass(frozen=True)
class Agreement:
    """Opinions of all participants, their agreement and the consensus."""

    opinions: list[Opinion]
    """Opinions of all participants, including those without answers."""
    participants: list[str]
    """Participants with answers, in the order of the matrix."""
    matrix: list[list[float]]
    """Rank correlations of the mean utilities, from -1 to 1, without their uncertainty; see `pairs`."""
    consensus: Design | None
    """Design with the best mean rank; null with fewer than two participants."""
    pairs: list[PairAgreement]
    """Agreement of each two participants with answers, with intervals."""


@dataclass(frozen=True, eq=False)
class ParticipantModel:
    """Snapshot of one participant's opinion and model."""

    opinion: Opinion
    space: DesignSpace
    model: PreferenceGP | None
    """``None`` without answers."""

    @classmethod
    def from_session(cls, session: ParticipantSession) -> ParticipantModel:
        """Return the recommendation and the model of an up-to-date session."""
        optimizer, answers = session.optimizer, len(session.optimizer)
        if not answers:
            return cls(Opinion(session.name, 0, None, None, None), optimizer.space, None)
        best = optimizer.recommend()
        opinion = Opinion(session.name, answers, best.design, best.utility, list(best.interval))
        return cls(opinion, optimizer.space, optimizer.model)


def compute_agreement(participants: Sequence[ParticipantModel], answers: LatestAnswers) -> Agreement:
    """Return the agreement between the participants' utilities and between their answers to the same pairs."""
    opinions = [one.opinion for one in participants]
    models = [one.model for one in participants if one.model is not None]
    names = [one.opinion.participant for one in participants if one.model is not None]
    if not models:
        return Agreement(opinions, names, [], None, [])
    designs = np.unique(np.concatenate([model.designs for model in models]), axis=0)
    designs = _thin(designs, MAX_DESIGNS)
    utilities = np.array([model.posterior.mean(designs) for model in models])
    matrix = compute_rank_correlations(utilities).tolist()
    ranks = np.mean([_rank(each) for each in utilities], axis=0)
    best = participants[0].space.decode(designs[int(ranks.argmin())]) if len(models) > 1 else None
    draws = _draw_correlations(names, models, _thin(designs, MAX_DRAWN_DESIGNS))
    pairs = [
        _describe_pair([names[i], names[j]], draws[:, i, j], count_shared_answers(answers, names[i], names[j]))
        for i, j in combinations(range(len(names)), 2)
    ]
    return Agreement(opinions, names, matrix, best, pairs)


def count_shared_answers(answers: LatestAnswers, one: str, other: str) -> SharedAnswers:
    """Count the pairs that two participants answered alike, and compute the interval of their share."""
    theirs, others = answers.get(one, {}), answers.get(other, {})
    both = [(theirs[key], others[key]) for key in theirs.keys() & others.keys()]
    undecided = sum(-1 in pair for pair in both)
    same = sum(a == b != -1 for a, b in both)
    opposite = len(both) - same - undecided
    decided = same + opposite
    low, high = compute_exact_interval(same, decided)
    share = same / decided if decided else None
    return SharedAnswers(
        same, opposite, undecided, share, [low, high], _judge(low, high, 0.5, MAX_UNRELATED_WIDTH / 2.0)
    )


def compute_exact_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson 90 % interval of a probability; 0 to 1 without trials."""
    low = float(betaincinv(successes, trials - successes + 1, TAIL)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1.0 - TAIL)) if successes < trials else 1.0
    return low, high


def _describe_pair(names: list[str], draws: Array, shared: SharedAnswers) -> PairAgreement:
    low, middle, high = (float(q) for q in np.quantile(draws, (TAIL, 0.5, 1.0 - TAIL)))
    return PairAgreement(names, middle, [low, high], _judge(low, high, 0.0, MAX_UNRELATED_WIDTH), shared)


def _judge(low: float, high: float, null_value: float, width: float) -> Verdict:
    """Return what an interval shows; `null_value` is the value of independent participants."""
    if low > null_value:
        return "agree"
    if high < null_value:
        return "disagree"
    return "unrelated" if high - low <= width else "unknown"


def _draw_correlations(names: Sequence[str], models: Sequence[PreferenceGP], designs: Array) -> Array:
    """Return draws of the rank correlations of all participants at designs, (s, p, p)."""
    # A seed of their own, so that a participant's draws do not depend on who else takes part.
    seeds = [zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in names]
    draws = [
        model.posterior.sample(designs, DRAWS, np.random.default_rng(seed))
        for model, seed in zip(models, seeds, strict=True)
    ]
    return np.array([compute_rank_correlations(np.array(utilities)) for utilities in zip(*draws, strict=True)])


def compute_rank_correlations(utilities: Array) -> Array:
    """Return Kendall's tau-b of each two rows, (p, p), of utilities at designs, (p, u)."""
    i, j = np.triu_indices(utilities.shape[1], 1)
    order = np.sign(utilities[:, i] - utilities[:, j])
    untied = (order != 0.0).sum(axis=1)
    norm = np.sqrt(np.outer(untied, untied))
    return np.asarray(np.divide(order @ order.T, norm, out=np.zeros_like(norm), where=norm > 0.0))


def _thin(designs: Array, count: int) -> Array:
    """Return designs, or an even subsample of them: not one corner."""
    return designs if len(designs) <= count else designs[np.linspace(0, len(designs) - 1, count).astype(int)]


def _rank(utilities: Array) -> Array:
    """Return ranks, 0 for the best. Ties get their mean rank, so that equal utilities favour no design."""
    others = utilities[None, :] - utilities[:, None]
    better, level = (others > 0).sum(axis=1), (others == 0).sum(axis=1) - 1
    return np.asarray(better + level / 2, dtype=np.float64)
