"""Replicas of participants' optimizers in a worker, which compute their next duels.

A `ReplicaPool` is a function of the updates it gets, and of nothing else: it has no storage and decides nothing. It is
in a process of its own (`anchorpbo.app.scheduler.worker_main`) or in a thread. The scheduler tracks its contents with a
`ReplicaTracker`, so that only the new events of a log are sent, and a pool holds at most `MAX_REPLICAS`.
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
"""Seconds that computing a duel may take, and that a participant waits for one."""
MAX_REPLICAS = 256
"""Replicas in one pool, of some 200 kB each; of other participants the whole log is sent again."""

Key = tuple[str, str]
"""A study and a participant."""


@dataclass(frozen=True)
class ReplicaUpdate:
    """New events of a participant's log, after which the next duel is to be computed."""

    key: Key
    keep: int
    """Number of events that the replica keeps."""
    events: list[dict[str, Any]]
    """Events that follow them."""
    definition: StudyDefinition | None = None
    """StudyDefinition of the study, where the pool does not have it."""
    drop: tuple[Key, ...] = ()
    """Replicas that the pool is to drop first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the update as JSON data."""
        # How designs are shown, pictures among it, is nothing that duels depend on.
        definition = None if self.definition is None else self.definition.to_dict() | {"display": {}}
        return vars(self) | {"definition": definition}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReplicaUpdate:
        """Read the result of `to_dict`, also through JSON."""
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
        """Bring a replica up to date and compute its next duel."""
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
        """Drop a replica, and the definition of a study with its last one."""
        self.replicas.pop(key, None)
        if not any(study == key[0] for study, _ in self.replicas):
            self.definitions.pop(key[0], None)


class ReplicaTracker:
    """The sender's copy of what a `ReplicaPool` holds. Not thread-safe."""

    def __init__(self) -> None:
        self._snapshots: OrderedDict[Key, LogSnapshot] = OrderedDict()
        self._invalid: list[Key] = []

    def make_update(self, key: Key, definition: StudyDefinition, snapshot: LogSnapshot) -> ReplicaUpdate:
        """Make the update that brings a replica to a snapshot."""
        previous = self._snapshots.pop(key, None)
        drop, self._invalid = self._invalid, []
        while len(self._snapshots) >= MAX_REPLICAS:
            drop.append(self._snapshots.popitem(last=False)[0])
        # A pool keeps a study for as long as it keeps one of its participants.
        has_study = previous is not None or any(study == key[0] for study, _ in self._snapshots)
        keep = 0 if previous is None else snapshot.count_common(previous)
        self._snapshots[key] = snapshot
        return ReplicaUpdate(key, keep, snapshot.events(keep), None if has_study else definition, tuple(drop))

    def invalidate(self, key: Key) -> None:
        """Have a replica dropped whose state is uncertain."""
        self._snapshots.pop(key, None)
        self._invalid.append(key)


def warm_up() -> None:
    """Load the machine code that a duel needs, and compile what is missing."""
    study = Optimizer(Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0)), [{"x": 0.5, "y": 0.5}])
    for n in range(8):
        study.tell_preference({"x": n / 8, "y": 0.2}, {"x": 0.7, "y": n / 9})
    with compile_eagerly():
        study.tell(study.ask(), "first")
        study.ask()


def load_tasks() -> dict[str, Callable[[Any], Any]]:
    """Return the tasks of a worker process, see `anchorpbo.app.scheduler.worker_main`, after loading what they need."""
    warm_up()
    return {"duel": ReplicaPool().run_json}
