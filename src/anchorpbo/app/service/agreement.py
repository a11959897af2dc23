"""Agreement between participants on the designs that at least one of them compared.

Symbols: p participants with answers, u designs that at least one of them compared, f_i the mean utility of participant
i at these designs.

    agreement_ij    Kendall's rank correlation of f_i and f_j: the share of pairs of designs that both rank in the same
                    order, minus the share that they rank in opposite orders
    consensus       the design with the lowest mean rank: 0 is first, u - 1 is last, ties get their mean rank
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anchorpbo.app.definition.session import ParticipantSession
from anchorpbo.app.service.views import Design
from anchorpbo.model import PreferenceGP
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array

MAX_DESIGNS = 400


@dataclass(frozen=True)
class Opinion:
    """Recommended design of one participant."""

    participant: str
    answers: int
    design: Design | None
    utility: float | None
    interval: list[float] | None


@dataclass(frozen=True)
class Agreement:
    """Opinions of all participants, their rank correlations and the consensus."""

    opinions: list[Opinion]
    """Opinions of all participants, including those without answers."""
    participants: list[str]
    """Participants with answers, in the order of the matrix."""
    matrix: list[list[float]]
    """Rank correlations, from -1 to 1."""
    consensus: Design | None
    """Design with the best mean rank; null with fewer than two participants."""


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


def compute_agreement(participants: Sequence[ParticipantModel]) -> Agreement:
    """Return the agreement between the participants' utilities."""
    opinions = [one.opinion for one in participants]
    models = [one.model for one in participants if one.model is not None]
    names = [one.opinion.participant for one in participants if one.model is not None]
    if not models:
        return Agreement(opinions, names, [], None)
    designs = np.unique(np.concatenate([model.designs for model in models]), axis=0)
    if len(designs) > MAX_DESIGNS:  # an even subsample of all, instead of one corner
        designs = designs[np.linspace(0, len(designs) - 1, MAX_DESIGNS).astype(int)]
    utilities = np.array([model.posterior.mean(designs) for model in models])
    matrix = [[_rank_correlation(a, b) for b in utilities] for a in utilities]
    ranks = np.mean([_rank(each) for each in utilities], axis=0)
    best = participants[0].space.decode(designs[int(ranks.argmin())]) if len(models) > 1 else None
    return Agreement(opinions, names, matrix, best)


def _rank(utilities: Array) -> Array:
    """Return ranks, 0 for the best. Ties get their mean rank, so that equal utilities favour no design."""
    others = utilities[None, :] - utilities[:, None]
    better, level = (others > 0).sum(axis=1), (others == 0).sum(axis=1) - 1
    return np.asarray(better + level / 2, dtype=np.float64)


def _rank_correlation(a: Array, b: Array) -> float:
    """Return the rank correlation of two lists; 1 if they have one element."""
    if len(a) < 2:
        return 1.0
    upper = np.triu_indices(len(a), 1)
    signs = [np.sign(np.subtract.outer(values, values))[upper] for values in (a, b)]
    norm = np.sqrt(np.abs(signs[0]).sum() * np.abs(signs[1]).sum())
    return float((signs[0] * signs[1]).sum() / norm) if norm else 0.0
