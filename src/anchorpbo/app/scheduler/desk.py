"""Where next duels are computed: replicas of participants' logs, and what follows from them.

A desk is a function of what it is sent, and of nothing else: it has no storage and decides nothing. It stands in a
process of its own (`anchorpbo.app.scheduler.worker`) or in a thread. Whoever sends keeps a list of what a desk has,
`Sent`, so that only what is new of a log is sent, and a desk holds no more participants than its sender allows.
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
from anchorpbo.study.foresight import Foreseen, Trail

ASK_LIMIT = 30.0
"""Seconds that computing a duel may take, and that a participant waits for one."""
MOST_LOGS = 256
"""Participants at one desk, of some 200 kB each; of others the whole log is sent again."""

Key = tuple[str, str]
"""A study and a participant."""


@dataclass(frozen=True)
class Errand:
    """What a desk is to compute: what follows from the log of a participant."""

    key: Key
    keep: int
    """Events of the log that the desk has."""
    events: list[dict[str, Any]]
    """Those that come after."""
    definition: StudyDefinition | None = None
    """Of the study, where the desk does not have it."""
    forget: tuple[Key, ...] = ()
    """Participants that the desk need not keep any longer."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        # How designs are shown, pictures among it, is nothing that duels depend on.
        definition = None if self.definition is None else self.definition.to_dict() | {"display": {}}
        return vars(self) | {"definition": definition}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Errand:
        """What `to_dict` gave, also through JSON."""
        definition = None if data["definition"] is None else StudyDefinition.from_dict(data["definition"], trusted=True)
        study, participant = data["key"]
        forget = tuple((one, other) for one, other in data["forget"])
        return cls((study, participant), data["keep"], data["events"], definition, forget)


@dataclass
class Desk:
    """Replicas of participants' logs. Not thread-safe."""

    definitions: dict[str, StudyDefinition] = field(default_factory=dict)
    optimizers: dict[Key, Optimizer] = field(default_factory=dict)

    def run(self, errand: Errand) -> Foreseen:
        """Bring a log up to date and compute what follows from it."""
        for key in errand.forget:
            self.forget(key)
        study, participant = errand.key
        if errand.definition is not None:
            self.definitions[study] = errand.definition
        if errand.key not in self.optimizers:
            self.optimizers[errand.key] = self.definitions[study].make_optimizer(participant)
        optimizer = self.optimizers[errand.key]
        with time_limit(ASK_LIMIT):
            optimizer.follow(errand.keep, errand.events)
            return optimizer.foresee()

    def reply(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The same for an errand as JSON holds it."""
        return self.run(Errand.from_dict(data)).to_dict()

    def forget(self, key: Key) -> None:
        """Let go of a participant, and of a study with its last one."""
        self.optimizers.pop(key, None)
        if not any(study == key[0] for study, _ in self.optimizers):
            self.definitions.pop(key[0], None)


class Sent:
    """What a desk was sent, by its sender. Not thread-safe."""

    def __init__(self) -> None:
        self._trails: OrderedDict[Key, Trail] = OrderedDict()
        self._lost: list[Key] = []

    def errand(self, key: Key, definition: StudyDefinition, trail: Trail) -> Errand:
        """What to send, so that the desk computes what follows from a log."""
        known = self._trails.pop(key, None)
        forget, self._lost = self._lost, []
        while len(self._trails) >= MOST_LOGS:
            forget.append(self._trails.popitem(last=False)[0])
        # A desk keeps a study for as long as it keeps one of its participants.
        has_study = known is not None or any(study == key[0] for study, _ in self._trails)
        keep = 0 if known is None else trail.shared(known)
        self._trails[key] = trail
        return Errand(key, keep, trail.events(keep), None if has_study else definition, tuple(forget))

    def drop(self, key: Key) -> None:
        """Note that nobody knows how much of a log a desk has."""
        self._trails.pop(key, None)
        self._lost.append(key)


def warm_up() -> None:
    """Load the machine code that a duel needs, and compile what is missing."""
    study = Optimizer(Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0)), [{"x": 0.5, "y": 0.5}])
    for n in range(8):
        study.tell_preference({"x": n / 8, "y": 0.2}, {"x": 0.7, "y": n / 9})
    with compile_eagerly():
        study.tell(study.ask(), "first")
        study.ask()


def load_tasks() -> dict[str, Callable[[Any], Any]]:
    """Tasks of a worker process, see `anchorpbo.app.scheduler.worker`, after what they need is loaded."""
    warm_up()
    return {"duel": Desk().reply}
