"""Assessment of a study: whether the user can stop, the evidence for it, and the answers that contradict the others.

Symbols: Z_k is the probability of answer k given all other answers (`surprises`), t the share of ties. Answer k is a
choice if it is no tie; it is predicted if Z_k is at least (1 - t) / 2, the probability of a random choice.

::

    early            the initial duels are not answered yet
    stop             the recommended design is close to the best with 90 % probability (`progress`)
    contradictory    at least 20 choices, and fewer than half of them are predicted
    continue         otherwise

A study asks about pairs whose answers are hard to predict, so that a user who never errs is predicted in three of four
choices, not in all. docs/guide.md says how often simulated users are called contradictory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anchorpbo.study.progress import Progress
from anchorpbo.study.surprises import Surprise
from anchorpbo.typing import Array, BoolArray

AssessmentCode = Literal["early", "stop", "contradictory", "continue"]
RECENT_CHOICES = 12
"""Number of last choices that the evidence is about."""
MIN_CONTRADICTORY_CHOICES = 20
"""Smallest number of choices that can be called contradictory."""
MAX_CONTRADICTING_PROBABILITY = 0.3
"""Largest probability at which an answer is listed as contradicting the others."""
CONTRADICTORY = "Your answers contradict each other too often to rely on the recommendation."


@dataclass(frozen=True)
class Assessment:
    """Assessment of a study. Plain data, safe to share.

    Parameters
    ----------
    code
        ``"early"``, ``"stop"``, ``"contradictory"`` or ``"continue"``.
    sentence
        The verdict in words; its end is the sentence of `Progress`.
    evidence
        The evidence for the verdict, in a sentence; empty during the initial duels.
    predicted
        Number of the last choices that all other answers predict.
    recent
        Number of last choices, at most 12.
    contradictions
        Answers that the other answers make improbable, the most improbable first.
    """

    code: AssessmentCode
    sentence: str
    evidence: str
    predicted: int
    recent: int
    contradictions: tuple[Surprise, ...]


def assess_answers(
    progress: Progress, probabilities: Array, tied: BoolArray, surprises: Sequence[Surprise]
) -> Assessment:
    """Assess a study.

    Parameters
    ----------
    progress
        Progress of the study.
    probabilities
        Z, (m,), in the order of the log.
    tied
        Whether each answer is a tie, (m,).
    surprises
        Surprising answers, the most surprising first.
    """
    if progress.p_within is None:
        return Assessment("early", progress.sentence, "", 0, 0, ())
    hits = probabilities[~tied] >= 0.5 * (1.0 - np.mean(tied))
    code: AssessmentCode = "stop" if progress.stop else "continue"
    recent, sentence = hits[-RECENT_CHOICES:], progress.sentence
    if not progress.stop and len(hits) >= MIN_CONTRADICTORY_CHOICES and 2 * np.count_nonzero(hits) < len(hits):
        code, sentence = "contradictory", f"{CONTRADICTORY} {sentence}"
    predicted = int(np.count_nonzero(recent))
    evidence = _describe_evidence(predicted, len(recent))
    unlikely = tuple(each for each in surprises if each.probability <= MAX_CONTRADICTING_PROBABILITY)
    return Assessment(code, sentence, evidence, predicted, len(recent), unlikely)


def _describe_evidence(predicted: int, recent: int) -> str:
    if recent < 2:
        return "There is hardly any choice to learn from yet."
    return f"Your other answers predict {predicted} of your last {recent} choices."
