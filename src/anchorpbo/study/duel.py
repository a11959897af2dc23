"""Duels: two designs to choose between, and the outcomes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, get_args

from anchorpbo.errors import UnknownNameError
from anchorpbo.space import Design

Outcome = Literal["first", "second", "tie", "skip"]
"""Outcome of a duel: which design is preferred, a tie, or a skip, which carries no information."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Duel:
    """Two designs to choose between. Plain data, safe to share.

    ``vars(duel)`` can be written as JSON, and ``Duel(**data)`` restores it.

    Parameters
    ----------
    id
        Id of this duel in its study: a digest of the study and of the question, so that an answer can be checked
        without a list of pending duels.
    first, second
        The two designs.
    why
        Why the study asks this duel, in a sentence.
    gain
        Expected increase of the best mean utility by the answer, as a share of the range of utilities seen so far
        (`anchorpbo.study.expected_gain`); ``None`` for initial, repeated and given duels, which the model
        does not select.
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
        """Create a duel asked after `position` events by the study with this digest."""
        return cls(_make_id(study, str(position), first, second, gain), first, second, why, gain)

    def _repr_html_(self) -> str:
        from anchorpbo.study.html import duel_html

        return duel_html(self)

    def is_from(self, study: str) -> bool:
        """Return whether the study with this digest asked the duel."""
        try:
            position, _, _ = self.id.partition("-")
            return self.id == _make_id(study, position, self.first, self.second, self.gain)
        except (AttributeError, TypeError, ValueError):  # a duel made by hand, with attributes of wrong types
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
