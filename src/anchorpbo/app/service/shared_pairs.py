"""Pairs that several participants compare, so that their answers can be compared.

Symbols: r the study's share of shared pairs, k the number of questions that a participant has answered so far.

    question k is about a shared pair if floor((k + 1) r) > floor(k r): with r = 0.2, every fifth one

Two people are rarely asked the same pair by chance. The shared pair is the one that most others have answered and the
participant has not; of several, the one answered first. Without such a pair the question is as usual. Everything is
read from the journal, and the duel is recorded as any other, so a replay does not choose again.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from anchorpbo.app.service.layouts import Design
from anchorpbo.app.storage.journal import Entry
from anchorpbo.space import DesignSpace
from anchorpbo.study import Outcome

SHARED_DUEL = "Somebody else compared these two as well; your answer shows how far you agree."
_ROUNDING = 1e-9

PairKey = tuple[str, str]
"""Two designs as JSON, in alphabetical order: the same for both orders of a pair."""
LatestAnswers = Mapping[str, Mapping[PairKey, int]]
"""Latest answer of each participant to each pair: 0 or 1 for the preferred design of the key, -1 for a tie."""


def is_shared(answered: int, share: float) -> bool:
    """Return whether the next question is about a shared pair, after this number of answered questions."""
    return math.floor((answered + 1) * share + _ROUNDING) > math.floor(answered * share + _ROUNDING)


@dataclass(frozen=True)
class _AnsweredPair:
    """Answer of a participant to a pair, whose designs are in the order of its key."""

    participant: str
    key: PairKey
    designs: tuple[Design, Design]
    preferred: int | None
    """0 or 1 for the preferred design, -1 for a tie, ``None`` for a skip."""

    @classmethod
    def from_entry(cls, entry: Entry, space: DesignSpace) -> _AnsweredPair:
        # The space sets the number types: 1 and 1.0 are the same.
        first, second = (space.check(entry.data[side]) for side in ("first", "second"))
        keys = (json.dumps(first, sort_keys=True), json.dumps(second, sort_keys=True))
        outcome: Outcome = entry.data["outcome"]
        preferred = {"first": 0, "second": 1, "tie": -1, "skip": None}[outcome]
        if keys[1] >= keys[0]:
            return cls(entry.participant, keys, (first, second), preferred)
        swapped = 1 - preferred if preferred in (0, 1) else preferred
        return cls(entry.participant, keys[::-1], (second, first), swapped)


@dataclass(frozen=True)
class AnsweredPairs:
    """The pairs that the participants of a study have answered, up to the last entry read. Safe to share.

    Answers that were undone do not count; imported comparisons do.
    """

    seen: int = 0
    """Number of the last entry that was read."""
    answers: Mapping[int, _AnsweredPair] = field(default_factory=dict)
    """Answers by the numbers of their entries, oldest first."""

    def replay(self, entries: Iterable[Entry], space: DesignSpace) -> AnsweredPairs:
        """Return the pairs after further entries of the journal; those that were read before change nothing."""
        answers, seen = dict(self.answers), self.seen
        for entry in entries:
            if entry.number > seen:
                seen = entry.number
                if entry.type == "answered":
                    answers[seen] = _AnsweredPair.from_entry(entry, space)
                elif entry.type == "undone":
                    answers.pop(entry.data["event"], None)
        return AnsweredPairs(seen, answers)

    def list_latest(self) -> LatestAnswers:
        """Return the latest answer of each participant to each pair; skips do not count."""
        found: dict[str, dict[PairKey, int]] = {}
        for answer in self.answers.values():
            if answer.preferred is not None:
                found.setdefault(answer.participant, {})[answer.key] = answer.preferred
        return found

    def choose(self, participant: str, others: Iterable[str]) -> tuple[Design, Design] | None:
        """Return the pair to ask a participant about, ``None`` if others have answered no pair that is new to them."""
        others = set(others)
        seen = {answer.key for answer in self.answers.values() if answer.participant == participant}
        designs: dict[PairKey, tuple[Design, Design]] = {}
        answered: dict[PairKey, set[str]] = {}
        for answer in self.answers.values():
            key = answer.key
            if answer.participant in others and answer.preferred is not None and key not in seen and key[0] != key[1]:
                designs.setdefault(key, answer.designs)
                answered.setdefault(key, set()).add(answer.participant)
        if not designs:
            return None
        key = max(designs, key=lambda key: len(answered[key]))  # the first of several with the same number
        # A habit of choosing one side would look like agreement if all saw the pair in the same order.
        swap = zlib.crc32(json.dumps([participant, key]).encode()) % 2
        return designs[key][::-1] if swap else designs[key]
