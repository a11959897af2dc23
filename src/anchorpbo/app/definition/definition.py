"""What a study is made with: as a request brings it, checked, and as storage keeps it.

::

    {"name": "Pour-over", "description": "...", "example": null,
     "space": {"kind": "space", "parameters": [...], "constraints": [...]} or {"kind": "catalogue", ...},
     "anchors": [design, ...],
     "display": {...},
     "options": {"strategy": "raeubo", "preset": "default", "seed": 0, ...}}

What is kept also has ``engine``, all settings that the preset stood for when the study was made (see
`Optimizer.to_json`), so that a later release goes on as it began. Anchors become the owner's first entries.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from anchorpbo.app.definition.plain import check_plain, refusing
from anchorpbo.app.definition.sizes import check_size
from anchorpbo.app.rendering.display import check_display
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.space import Catalogue, Design, DesignSpace, space_from_dict
from anchorpbo.space.space import CHECK_LIMIT
from anchorpbo.study import Optimizer
from anchorpbo.study.serialization import object_from_json

LONGEST_NAME, LONGEST_TEXT = 200, 5_000
MOST_ANCHORS = 500
LARGEST_SEED = 2**63 - 1
OPTIONS = ("strategy", "preset", "seed", "likelihood", "inference", "initial", "refit_every", "risk_weight")
"""Of `Optimizer`, those that a request may choose: all that are names or numbers."""
_KEYS = ("name", "description", "example", "space", "anchors", "display", "options")


@dataclass(frozen=True, eq=False)
class Definition:
    """A valid definition.

    Parameters
    ----------
    name, description
        For people.
    example
        Key of the example it was made from, or ``None``.
    display
        How its designs are shown, see `anchorpbo.app.rendering.display`.
    engine
        The ``study`` part of `Optimizer.to_json`.
    anchors
        What the owner knew well at the start.
    folder
        Where the catalogue's images are. Only whoever runs the server can say: no request and no export does.
    """

    name: str
    description: str
    example: str | None
    display: Mapping[str, Any]
    engine: Mapping[str, Any]
    anchors: tuple[Design, ...]
    folder: str | None = None

    @classmethod
    def from_request(cls, request: Any, folder: str | None = None) -> Definition:
        """Check what someone asks for."""
        check_plain("a study", request)
        with refusing("a study"):
            return cls._from_request(_object("a study", request), folder)

    @classmethod
    def _from_request(cls, fields: dict[str, Any], folder: str | None) -> Definition:
        for key in fields:
            if key not in _KEYS:
                raise UnknownNameError.of("a key of a study", key, _KEYS)
        options = _object("options", fields.get("options") or {})
        for key in options:
            if key not in OPTIONS:
                raise UnknownNameError.of("an option", key, OPTIONS)
        if "space" not in fields:
            raise InputError("a study must have a space", "none", "describe its parameters or give a catalogue")
        space = _new_space(fields["space"])
        anchors = fields.get("anchors") or []
        if not isinstance(anchors, list) or len(anchors) > MOST_ANCHORS:
            raise InputError(f"anchors must be a list of at most {MOST_ANCHORS} designs", repr(anchors), "shorten it")
        given = {name: value for name, value in options.items() if value is not None}
        _check_options(given)
        optimizer = Optimizer(space, anchors, **given)
        engine = json.loads(optimizer.to_json())["study"] | {"anchors": []}
        return cls(
            name=text("name", fields.get("name"), LONGEST_NAME, needed=True),
            description=text("description", fields.get("description") or "", LONGEST_TEXT),
            example=None if fields.get("example") is None else text("example", fields["example"], LONGEST_NAME),
            display=check_display(_object("display", fields.get("display") or {}), space),
            engine=engine,
            anchors=tuple(optimizer.anchors),
            folder=folder,
        )

    def to_dict(self) -> dict[str, Any]:
        """As storage keeps it."""
        return {
            "name": self.name,
            "description": self.description,
            "example": self.example,
            "display": dict(self.display),
            "engine": dict(self.engine),
            **({} if self.folder is None else {"folder": self.folder}),
        }

    @classmethod
    def from_dict(cls, kept: Any, *, trusted: bool) -> Definition:
        """From storage, which is trusted, or from an export, which may come from anywhere and was found to be plain."""
        fields = _object("a study", kept)
        engine = _object("engine", fields.get("engine"))
        study = cls(
            name=text("name", fields.get("name"), LONGEST_NAME, needed=True),
            description=text("description", fields.get("description") or "", LONGEST_TEXT),
            example=None if fields.get("example") is None else text("example", fields["example"], LONGEST_NAME),
            display=_object("display", fields.get("display") or {}),
            engine=engine,
            anchors=(),
            folder=fields.get("folder") if trusted else None,
        )
        if not trusted:
            with refusing("a study"):
                _new_space(engine.get("space"))
                study.optimizer(OWNER)
                check_display(study.display, study.space)
        return study

    @cached_property
    def space(self) -> DesignSpace:
        """Where the designs come from; all participants share it."""
        return _space(self.engine.get("space"), checked=True)

    @property
    def catalogue(self) -> Catalogue | None:
        """The space, where it is a list."""
        return self.space if isinstance(self.space, Catalogue) else None

    @cached_property
    def images(self) -> frozenset[str]:
        """Names of the image files that the catalogue speaks of."""
        column = self.display.get("image")
        if self.catalogue is None or column is None:
            return frozenset()
        return frozenset(str(item[column]) for item in self.catalogue.items)

    def without_pictures(self) -> Definition:
        """The same without its pictures."""
        return replace(self, display=self.words) if "pictures" in self.display else self

    @property
    def words(self) -> dict[str, Any]:
        """The display without its pictures, which are large and asked for one by one."""
        return {key: value for key, value in self.display.items() if key != "pictures"}

    def optimizer(self, participant: str) -> Optimizer:
        """A new optimizer for one participant, with nothing told yet."""
        # Everyone but the owner has a seed of their own, so that one's duel is not taken for another's.
        own = 0 if participant == OWNER else zlib.crc32(participant.encode("utf-8", "surrogatepass"))
        settings = {name: value for name, value in self.engine.items() if name not in ("space", "anchors", "seed")}
        seed = _seed(self.engine.get("seed")) + own
        options = {name: object_from_json(name, value, {}) for name, value in settings.items()}
        return Optimizer(self.space, self.engine.get("anchors", ()), seed=seed, **options)


def text(name: str, value: Any, longest: int, *, needed: bool = False) -> str:
    """A text of some length, without what cannot be written anywhere."""
    if not isinstance(value, str) or len(value) > longest or (needed and not value.strip()):
        at_least = "a text of 1" if needed else "a text of 0"
        raise InputError(f"{name} must be {at_least} to {longest} characters", repr(value), "change it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise InputError(f"{name} must be text that can be written", problem, "leave odd characters out") from problem
    if "\x00" in value:
        raise InputError(f"{name} must not contain NUL characters", repr(value), "leave them out")
    return value.strip()


def _check_options(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise InputError("options must be names and numbers", f"{name}: {value!r}", "see the documentation")
    _seed(options.get("seed", 0))


def _seed(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_SEED:
        raise InputError(f"seed must be a whole number from 0 to {LARGEST_SEED}", repr(value), "choose another")
    return value


def _space(layout: Any, *, checked: bool) -> DesignSpace:
    # Numbers so large that their squares are not: a space of them would be one without sense.
    with refusing("space"), np.errstate(over="raise", invalid="raise", divide="raise"):
        space = space_from_dict(_object("space", layout), checked=checked)
    for name in space.names:
        if not isinstance(name, str) or not name.strip():
            raise InputError("parameters and columns must have names", repr(name), "name them")
    return space


def _new_space(layout: Any) -> DesignSpace:
    """A space that is checked, and of which designs can be drawn as they will be for a duel."""
    check_size(layout)
    with time_limit(CHECK_LIMIT):
        space = _space(layout, checked=False)
        if space.region is not None and space.region.constrained:
            space.sample(2, np.random.default_rng(0))
    return space


def _object(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{name} must be an object", repr(value), "write {...}")
    return dict(value)
