"""Replicas of participants' optimizers in a worker, which compute their next duels.

The state of a `ReplicaPool` depends only on the updates it receives; it has no storage. It runs in a worker process
(`anchorpbo.app.scheduler.worker_main`) or in a thread. The scheduler tracks its contents with a `ReplicaTracker`, so
that it sends only the new events of a log, and a pool holds at most `MAX_REPLICAS`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.numerics.tiering import compile_eagerly
from anchorpbo.space import Real, Space
from anchorpbo.study import Optimizer
from anchorpbo.study.log import LogSnapshot
from anchorpbo.study.replication import NextDuel, Replica

MAX_ASK_SECONDS = 30.0
"""Maximum time in seconds to compute a duel, and to wait for one."""
MAX_REPLICAS = 256
"""Maximum number of replicas in one pool, of about 200 kB each; for other participants the whole log is sent again."""

Key = tuple[str, str]
"""A study and a participant."""


@dataclass(frozen=True)
class ReplicaUpdate:
    """New events of a participant's log; the pool applies them and computes the next duel."""

    key: Key
    keep: int
    """Number of events that the replica keeps."""
    events: list[dict[str, Any]]
    """Events that follow the kept ones."""
    definition: StudyDefinition | None = None
    """Definition of the study; ``None`` if it is already in the pool."""
    drop: tuple[Key, ...] = ()
    """Replicas that the pool drops first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the update as JSON data."""
        # The display, including pictures, is left out: duels do not depend on it.
        definition = None if self.definition is None else self.definition.to_dict() | {"display": {}}
        return vars(self) | {"definition": definition}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReplicaUpdate:
        """Read the result of `to_dict`, directly or from JSON."""
        definition = None if data["definition"] is None else StudyDefinition.from_dict(data["definition"], trusted=True)
        study, participant = data["key"]
        drop = tuple((one, other) for one, other in data["drop"])
        return cls((study, participant), data["keep"], data["events"], definition, drop)


@dataclass
class ReplicaPool:
    """Replicas by study and participant. Not thread-safe."""

    definitions: dict[str, StudyDefinition] = field(default_factory=dict)
    replicas: dict[Key, Replica] = field(default_factory=dict)

    def run(self, update: ReplicaUpdate) -> NextDuel:
        """Update a replica and return its next duel."""
        for key in update.drop:
            self.drop(key)
        study, participant = update.key
        if update.definition is not None:
            self.definitions[study] = update.definition
        if update.key not in self.replicas:
            self.replicas[update.key] = Replica(self.definitions[study].make_optimizer(participant))
        replica = self.replicas[update.key]
        with time_limit(MAX_ASK_SECONDS):
            replica.update(update.keep, update.events)
            return replica.next_duel()

    def run_json(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Run an update given as JSON data; return JSON data."""
        return self.run(ReplicaUpdate.from_dict(data)).to_dict()

    def drop(self, key: Key) -> None:
        """Drop a replica; drop the study's definition with its last replica."""
        self.replicas.pop(key, None)
        if not any(study == key[0] for study, _ in self.replicas):
            self.definitions.pop(key[0], None)


class ReplicaTracker:
    """The sender's record of the contents of a `ReplicaPool`. Not thread-safe."""

    def __init__(self) -> None:
        self._snapshots: OrderedDict[Key, LogSnapshot] = OrderedDict()
        self._invalid: list[Key] = []

    def make_update(self, key: Key, definition: StudyDefinition, snapshot: LogSnapshot) -> ReplicaUpdate:
        """Return the update that brings a replica to a snapshot."""
        previous = self._snapshots.pop(key, None)
        drop, self._invalid = self._invalid, []
        while len(self._snapshots) >= MAX_REPLICAS:
            drop.append(self._snapshots.popitem(last=False)[0])
        # A pool keeps a study's definition as long as it has a replica of one of its participants.
        has_study = previous is not None or any(study == key[0] for study, _ in self._snapshots)
        keep = 0 if previous is None else snapshot.count_common(previous)
        self._snapshots[key] = snapshot
        return ReplicaUpdate(key, keep, snapshot.events(keep), None if has_study else definition, tuple(drop))

    def invalidate(self, key: Key) -> None:
        """Mark a replica with uncertain state, so that the pool drops it."""
        self._snapshots.pop(key, None)
        self._invalid.append(key)


def warm_up() -> None:
    """Load the compiled code that a duel needs; compile missing parts."""
    study = Optimizer(Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0)), [{"x": 0.5, "y": 0.5}])
    for n in range(8):
        study.tell_preference({"x": n / 8, "y": 0.2}, {"x": 0.7, "y": n / 9})
    with compile_eagerly():
        study.tell(study.ask(), "first")
        study.ask()


def load_tasks() -> dict[str, Callable[[Any], Any]]:
    """Load the code of a worker process and return its tasks, see `anchorpbo.app.scheduler.worker_main`."""
    warm_up()
    return {"duel": ReplicaPool().run_json}
