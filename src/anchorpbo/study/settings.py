"""Settings of a study: its space, initial anchors, seed and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.space import Catalogue, Design, DesignSpace
from anchorpbo.study.events import compute_digest
from anchorpbo.study.plan import Plan, make_plan
from anchorpbo.study.serialization import ADDED_OPTIONS, object_to_json, round_trip


@dataclass(frozen=True, eq=False)
class StudySettings:
    """Checked arguments of an `Optimizer`. Immutable."""

    space: DesignSpace
    anchors: Mapping[bytes, Design]
    """Initial anchors, keyed by the bytes of their coordinates."""
    seed: int
    options: Mapping[str, Any]
    """All other arguments, as they are after saving and loading."""
    plan: Plan
    """The options as objects."""

    @classmethod
    def create(
        cls, space: DesignSpace, anchors: Iterable[Mapping[str, Any]], seed: int, options: Mapping[str, Any]
    ) -> StudySettings:
        """Check the arguments of an `Optimizer`."""
        if not isinstance(space, DesignSpace):
            raise InputError("space must be a Space or a Catalogue", repr(space), "write Space(x=Real(0, 1))")
        seed = as_integer("seed", seed, 0)
        options = {name: round_trip(name, value) for name, value in options.items()}
        plan = make_plan(space, **options)
        return cls(space, _check_anchors(space, anchors), seed, options, plan)

    @cached_property
    def digest(self) -> str:
        """Digest that identifies the study in its duels and its log."""
        # A catalogue has a digest of its numbers: writing a long list as text would take seconds.
        return self._compute_digest(self.space.digest if isinstance(self.space, Catalogue) else self.space.to_dict())

    @cached_property
    def legacy_digest(self) -> str:
        """Digest with the whole space as text, which older releases used for catalogues."""
        return self._compute_digest(self.space.to_dict())

    def _compute_digest(self, space: Any) -> str:
        options: Any = self.options_to_dict()
        if self.plan.version > 1:
            # Other programs write 1.0 as 1, but a digest is computed from text.
            options = _convert_integers(options)
        return compute_digest([space, list(self.anchors.values()), self.seed, options])

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        anchors = list(self.anchors.values())
        return {"space": self.space.to_dict(), "anchors": anchors, "seed": self.seed, **self.options_to_dict()}

    def options_to_dict(self) -> dict[str, Any]:
        """Return the options as JSON data.

        Options of the plan replace those of the preset, so that the study does not change if another release changes
        the preset.
        """
        plan = self.plan
        resolved = {
            "strategy": plan.acquisition, "kernel": plan.kernel, "likelihood": plan.likelihood,
            "inference": plan.inference, "noise": plan.noise, "learn": plan.learn, "initial": plan.initial,
            "refit_every": plan.refit_every, "risk_weight": plan.risk_weight, "integration": plan.integration,
            "preset_version": plan.version, "start": plan.start, "repeat_rate": plan.repeat_rate,
        }  # fmt: skip
        written = {name: object_to_json(resolved.get(name, value)) for name, value in self.options.items()}
        # Studies of releases without an option keep their digest.
        return {name: value for name, value in written.items() if (name, value) not in ADDED_OPTIONS.items()}


def _convert_integers(data: Any) -> Any:
    """Return JSON data with floats instead of integers."""
    if isinstance(data, dict):
        return {name: _convert_integers(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_convert_integers(value) for value in data]
    return float(data) if isinstance(data, int) and not isinstance(data, bool) else data


def _check_anchors(space: DesignSpace, anchors: Iterable[Mapping[str, Any]]) -> dict[bytes, Design]:
    """Return the anchors keyed by their coordinates, without repeats."""
    if isinstance(anchors, Mapping | str) or not isinstance(anchors, Iterable):
        raise InputError("anchors must be a list of designs", repr(anchors), "write anchors=[{...}]")
    result: dict[bytes, Design] = {}
    for anchor in anchors:
        result.setdefault(space.encode(anchor).tobytes(), space.check(anchor))
    return result
