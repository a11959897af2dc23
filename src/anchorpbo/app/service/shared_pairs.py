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
from collections.abc import Iterable, Mapping, Sequence

from anchorpbo.app.service.layouts import Design
from anchorpbo.app.storage.journal import Entry, list_standing
from anchorpbo.space import DesignSpace
from anchorpbo.study import Outcome

SHARED_DUEL = "Somebody else compared these two as well; your answer shows how far you agree."
_ROUNDING = 1e-9

PairKey = tuple[str, str]
"""Two designs as JSON, in alphabetical order: the same for both orders of a pair."""
AnsweredPairs = Mapping[str, Mapping[PairKey, int]]
"""Latest answer of each participant to each pair: 0 or 1 for the preferred design of the key, -1 for a tie."""


def is_shared(answered: int, share: float) -> bool:
    """Return whether the next question is about a shared pair, after this number of answered questions."""
    return math.floor((answered + 1) * share + _ROUNDING) > math.floor(answered * share + _ROUNDING)


def list_answered_pairs(entries: Iterable[Entry], space: DesignSpace) -> AnsweredPairs:
    """Return the latest answer of each participant to each pair, from all entries of a journal.

    Answers that were undone, and skips, do not count; imported comparisons do.
    """
    found: dict[str, dict[PairKey, int]] = {}
    for entry in _list_answers(entries):
        outcome: Outcome = entry.data["outcome"]
        if outcome != "skip":
            key, swapped = _make_key(entry, space)
            preferred = -1 if outcome == "tie" else int((outcome == "second") != swapped)
            found.setdefault(entry.participant, {})[key] = preferred
    return found


def choose_shared_pair(
    entries: Sequence[Entry], space: DesignSpace, participant: str, others: Iterable[str]
) -> tuple[Design, Design] | None:
    """Return the pair to ask a participant about, ``None`` if the others have answered no pair that is new to them."""
    others = set(others)
    seen: set[PairKey] = set()
    designs: dict[PairKey, tuple[Design, Design]] = {}
    answered: dict[PairKey, set[str]] = {}
    for entry in _list_answers(entries):
        key, swapped = _make_key(entry, space)
        if entry.participant == participant:
            seen.add(key)
        elif entry.participant in others and entry.data["outcome"] != "skip":
            sides = ("second", "first") if swapped else ("first", "second")
            designs.setdefault(key, (space.check(entry.data[sides[0]]), space.check(entry.data[sides[1]])))
            answered.setdefault(key, set()).add(entry.participant)
    new = [key for key in designs if key not in seen and key[0] != key[1]]
    if not new:
        return None
    key = max(new, key=lambda key: len(answered[key]))  # the first of several with the same number
    # A habit of choosing one side would look like agreement if all saw the pair in the same order.
    swap = zlib.crc32(json.dumps([participant, key]).encode()) % 2
    return designs[key][::-1] if swap else designs[key]


def _list_answers(entries: Iterable[Entry]) -> list[Entry]:
    """Return the answers that were not undone."""
    return [entry for entry in list_standing(entries) if entry.type == "answered"]


def _make_key(entry: Entry, space: DesignSpace) -> tuple[PairKey, bool]:
    """Return the key of an answer's pair, and whether its first design is the second of the key."""
    # The space sets the number types: 1 and 1.0 are the same.
    first, second = (json.dumps(space.check(entry.data[side]), sort_keys=True) for side in ("first", "second"))
    return ((second, first), True) if second < first else ((first, second), False)
