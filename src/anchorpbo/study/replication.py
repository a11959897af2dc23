"""Replicas of a study in other processes, which compute its next duel.

The next duel is a function of the log, so it can be computed anywhere: an optimizer that accepts a `NextDuel` continues
as if it had computed it itself, bit for bit.

::

    snapshot(optimizer) ── LogSnapshot, its new events ──> Replica.update, Replica.next_duel
    offer(optimizer)    <── NextDuel ─────────────────────
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anchorpbo.study.duel import Duel, Outcome, parse_outcome
from anchorpbo.study.log import LogSnapshot
from anchorpbo.study.optimizer import Optimizer


@dataclass(frozen=True, eq=False)
class NextDuel:
    """The next duel of a log, the hyper-parameters it was selected with, and the probability that decides to stop."""

    digest: str
    """Digest of the log, see `LogSnapshot`."""
    duel: Duel
    hyperparameters: Mapping[str, Any] | None
    """Fitted hyper-parameters as JSON data; ``None`` for initial duels."""
    p_within: float | None = None
    """Probability that the recommended design is within the margin of the best; ``None`` for initial duels."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON data; numbers are preserved exactly."""
        return {**vars(self), "duel": vars(self.duel)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NextDuel:
        """Read the result of `to_dict`."""
        return cls(data["digest"], Duel(**data["duel"]), data["hyperparameters"], data["p_within"])


class Replica:
    """An optimizer whose log follows that of another. Thread-safe, as its optimizer is."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer: Optimizer = optimizer

    def update(self, keep: int, events: Iterable[Mapping[str, Any]]) -> None:
        """Keep the first `keep` events of the log and replace the others, given as JSON data."""
        with self.optimizer._lock_state() as state:
            state.replace_events(keep, events)

    def next_duel(self) -> NextDuel:
        """Compute the next duel."""
        with self.optimizer._lock_state() as state:
            (duel,) = state.ask()
            if state.count_initial(duel):
                return NextDuel(state.log.digest, duel, None)
            hyperparameters = state.fitter.hyperparameters(state.data).to_dict()
            return NextDuel(state.log.digest, duel, hyperparameters, state.p_within())


def snapshot(optimizer: Optimizer, duel: Duel | None = None, outcome: Outcome | None = None) -> LogSnapshot:
    """Return a snapshot of an optimizer's log, optionally with one hypothetical answer."""
    with optimizer._lock_state() as state:
        return state.snapshot(duel, None if outcome is None else parse_outcome(outcome))


def has_next_duel(optimizer: Optimizer, digest: str) -> bool:
    """Return whether an optimizer's log has this digest and its next duel is in the cache."""
    with optimizer._lock_state() as state:
        return digest == state.log.digest and state.has_next_duel()


def is_repeat_due(optimizer: Optimizer, answers: int = 0) -> bool:
    """Return whether the next question is to repeat an earlier pair, after this number of further answers."""
    with optimizer._lock_state() as state:
        return state.selector.is_repeat_due(state.data, answers)


def offer(optimizer: Optimizer, result: NextDuel) -> bool:
    """Put a next duel into an optimizer's cache; if it is for another log, change nothing and return ``False``."""
    with optimizer._lock_state() as state:
        if result.digest != state.log.digest:
            return False
        state.put_next_duel(result.duel)
        if not state.fitter.has_hyperparameters(state.data):
            state.put_hyperparameters(result.hyperparameters)
        if result.p_within is not None:
            state.put_p_within(result.p_within)
        return True
