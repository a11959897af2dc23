"""Duels: two designs to choose between, and the outcomes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, get_args

from anchorpbo.errors import UnknownNameError
from anchorpbo.space import Design

Outcome = Literal["first", "second", "tie", "skip"]
"""Which design is preferred; both alike; or cannot say, which tells the model nothing."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Duel:
    """Two designs to choose between. Plain data, safe to share.

    ``vars(duel)`` is ready for JSON, and ``Duel(**data)`` leads back.

    Parameters
    ----------
    id
        Names this duel in its study. It is a digest of the study and of what is asked, so that an answer can be checked
        without a list of the duels that are out.
    first, second
        The two designs.
    why
        Why these two, in a sentence.
    gain
        By how much its answer is expected to raise the best mean utility, as a share of the range of utilities seen so
        far (`anchorpbo.study.expected_gain`); ``None`` for the duels to start with, which nothing is known about.
    """

    id: str
    first: Design
    second: Design
    why: str
    gain: float | None = None

    def __hash__(self) -> int:
        return hash(self.id)

    @classmethod
    def create(cls, study: str, position: int, first: Design, second: Design, why: str, gain: float | None) -> Duel:
        """Make the duel of a study, by its digest, asked after so many events."""
        return cls(_make_id(study, str(position), first, second, gain), first, second, why, gain)

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import duel_html

        return duel_html(self)

    def is_from(self, study: str) -> bool:
        """Return whether the study with this digest asked it."""
        try:
            position, _, _ = self.id.partition("-")
            return self.id == _make_id(study, position, self.first, self.second, self.gain)
        except (AttributeError, TypeError, ValueError):  # made by hand, of what no duel is made of
            return False


def _make_id(study: str, position: str, first: Design, second: Design, gain: float | None) -> str:
    text = json.dumps([study, position, first, second, gain], sort_keys=True, allow_nan=False)
    return f"{position}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def parse_outcome(outcome: object) -> Outcome:
    """Return one of the four outcomes; raise for anything else."""
    for known in OUTCOMES:
        if isinstance(outcome, str) and outcome == known:
            return known
    raise UnknownNameError("outcome must be one of first, second, tie, skip", repr(outcome), "check the spelling")
