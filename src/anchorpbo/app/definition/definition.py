"""The definition of a study: read from a request, validated, and kept in storage.

::

    {"name": "Pour-over", "question": "Which cup ...?", "description": "...", "example": null,
     "space": {"kind": "space", "parameters": [...], "constraints": [...]} or {"kind": "catalogue", ...},
     "anchors": [design, ...],
     "display": {...},
     "options": {"strategy": "kg", "preset": "default", "seed": 0, "repeat_rate": 0.05, ...},
     "shared_pairs": 0.2}

The stored form also has ``engine``, the settings of the preset at the time the study was created (see
`Optimizer.to_json`), so that a later release continues the study unchanged. Anchors become the owner's first entries.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from anchorpbo.app.definition.validation import (
    check_json,
    check_object,
    check_space_size,
    check_text,
    raise_input_errors,
)
from anchorpbo.app.rendering.cards import find_decimals
from anchorpbo.app.rendering.display import check_display, list_clip_names
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.errors import InputError, UnknownNameError, at_field
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.space import Catalogue, Design, DesignSpace, space_from_dict
from anchorpbo.space.space import CHECK_SECONDS
from anchorpbo.study import Optimizer
from anchorpbo.study.serialization import read_options

MAX_NAME_LENGTH, MAX_QUESTION_LENGTH, MAX_TEXT_LENGTH = 200, 200, 5_000
MAX_ANCHORS = 500
MAX_SEED = 2**63 - 1
SHARED_PAIRS, MAX_SHARED_PAIRS = 0.2, 0.5
"""Default and largest share of questions about pairs that another participant has answered."""
REPEAT_RATE = 0.05
"""Default share of questions that repeat an earlier pair of the participant, see `anchorpbo.study.repeats`."""
OPTIONS = (
    "strategy", "preset", "seed", "likelihood", "inference", "initial", "refit_every", "risk_weight", "repeat_rate",
)  # fmt: skip
"""Options of `Optimizer` that a request may set; all values are names or numbers."""
EDITABLE = ("name", "question", "description", "archived", "shared_pairs")
"""Properties of a study that the owner can change at any time."""
_KEYS = ("name", "question", "description", "example", "space", "anchors", "display", "options", "shared_pairs")


@dataclass(frozen=True, eq=False)
class StudyDefinition:
    """Definition of a study: its space, its optimizer's settings, and how its designs are shown.

    Parameters
    ----------
    name, question, description
        Texts shown to people. The question is the heading of each duel; by default it is the question that begins the
        description, or else which design they prefer. The description says what the study is for.
    example
        Key of the example that the study was created from, or ``None``.
    display
        How the designs are shown, see `anchorpbo.app.rendering.display`.
    engine
        The ``study`` part of `Optimizer.to_json`.
    anchors
        The owner's anchors at the start.
    shared_pairs
        Share of questions about pairs that another participant has answered, see `anchorpbo.app.service.shared_pairs`.
        Studies of releases without this setting have 0.
    folder
        Folder of the catalogue's images. Only the server's operator can set it; requests and exports cannot.
    """

    name: str
    description: str
    example: str | None
    display: Mapping[str, Any]
    engine: Mapping[str, Any]
    anchors: tuple[Design, ...]
    folder: str | None = None
    question: str = ""
    shared_pairs: float = 0.0

    @classmethod
    def from_request(cls, request: Any, folder: str | None = None) -> StudyDefinition:
        """Validate a request to create a study and return its definition."""
        check_json("a study", request)
        with raise_input_errors("a study"):
            return cls._from_request(check_object("a study", request), folder)

    @classmethod
    def _from_request(cls, fields: dict[str, Any], folder: str | None) -> StudyDefinition:
        for key in fields:
            if key not in _KEYS:
                raise UnknownNameError.of("a key of a study", key, _KEYS)
        options = check_object("options", fields.get("options") or {})
        for key in options:
            if key not in OPTIONS:
                raise UnknownNameError.of("an option", key, OPTIONS)
        if "space" not in fields:
            raise InputError("a study must have a space", "none", "describe its parameters or give a catalogue")
        with at_field("space"):
            space = _check_new_space(fields["space"])
        anchors = fields.get("anchors") or []
        if not isinstance(anchors, list) or len(anchors) > MAX_ANCHORS:
            raise InputError(f"anchors must be a list of at most {MAX_ANCHORS} designs", repr(anchors), "shorten it")
        given = {name: value for name, value in options.items() if value is not None}
        given.setdefault("repeat_rate", REPEAT_RATE)
        _check_options(given)
        optimizer = Optimizer(space, anchors, **given)
        engine = json.loads(optimizer.to_json())["study"] | {"anchors": []}
        with at_field("display"):
            display = check_display(check_object("display", fields.get("display") or {}), space)
        return cls(
            name=check_text("name", fields.get("name"), MAX_NAME_LENGTH, required=True),
            description=check_text("description", fields.get("description") or "", MAX_TEXT_LENGTH),
            example=None
            if fields.get("example") is None
            else check_text("example", fields["example"], MAX_NAME_LENGTH),
            display=display,
            engine=engine,
            anchors=tuple(optimizer.anchors),
            folder=folder,
            question=check_text("question", fields.get("question") or "", MAX_QUESTION_LENGTH),
            shared_pairs=_check_share(SHARED_PAIRS if fields.get("shared_pairs") is None else fields["shared_pairs"]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as storage keeps it."""
        return {
            "name": self.name,
            **({"question": self.question} if self.question else {}),
            "description": self.description,
            "example": self.example,
            "display": dict(self.display),
            "engine": dict(self.engine),
            **({"shared_pairs": self.shared_pairs} if self.shared_pairs else {}),
            **({} if self.folder is None else {"folder": self.folder}),
        }

    @classmethod
    def from_dict(cls, layout: Any, *, trusted: bool) -> StudyDefinition:
        """Read a definition from storage (trusted) or from an export that passed `check_json` (untrusted)."""
        fields = check_object("a study", layout)
        engine = check_object("engine", fields.get("engine"))
        study = cls(
            name=check_text("name", fields.get("name"), MAX_NAME_LENGTH, required=True),
            description=check_text("description", fields.get("description") or "", MAX_TEXT_LENGTH),
            example=None
            if fields.get("example") is None
            else check_text("example", fields["example"], MAX_NAME_LENGTH),
            display=check_object("display", fields.get("display") or {}),
            engine=engine,
            anchors=(),
            folder=fields.get("folder") if trusted else None,
            question=check_text("question", fields.get("question") or "", MAX_QUESTION_LENGTH),
            shared_pairs=_check_share(fields.get("shared_pairs", 0.0)),
        )
        if not trusted:
            with raise_input_errors("a study"):
                _check_new_space(engine.get("space"))
                study.make_optimizer(OWNER)
                check_display(study.display, study.space)
        return study

    @cached_property
    def space(self) -> DesignSpace:
        """Space of the designs; all participants share it."""
        return _read_space(self.engine.get("space"), checked=True)

    @cached_property
    def decimals(self) -> dict[str, int]:
        """Number of decimals that are shown of each parameter with a step."""
        return find_decimals(self.space)

    @property
    def catalogue(self) -> Catalogue | None:
        """The space if it is a catalogue, else ``None``."""
        return self.space if isinstance(self.space, Catalogue) else None

    @cached_property
    def images(self) -> frozenset[str]:
        """Names of the image files in the catalogue's image column."""
        column = self.display.get("image")
        if self.catalogue is None or column is None:
            return frozenset()
        return frozenset(str(item[column]) for item in self.catalogue.items)

    @cached_property
    def clips(self) -> list[str]:
        """Names of the clips in the catalogue's clip column."""
        column = self.display.get("clip")
        return [] if self.catalogue is None or column is None else list_clip_names(self.catalogue, column)

    def without_pictures(self) -> StudyDefinition:
        """Return the definition without its pictures."""
        return replace(self, display=self.display_without_pictures) if "pictures" in self.display else self

    @property
    def display_without_pictures(self) -> dict[str, Any]:
        """The display without its pictures: they are large, and clients request them one at a time."""
        return {key: value for key, value in self.display.items() if key != "pictures"}

    def make_optimizer(self, participant: str) -> Optimizer:
        """Return a new optimizer without data for one participant."""
        # Every participant except the owner has a different seed, so that duel ids differ between participants.
        own = 0 if participant == OWNER else zlib.crc32(participant.encode("utf-8", "surrogatepass"))
        settings = {name: value for name, value in self.engine.items() if name not in ("space", "anchors", "seed")}
        seed = _check_seed(self.engine.get("seed")) + own
        return Optimizer(self.space, self.engine.get("anchors", ()), seed=seed, **read_options(settings, {}))


def check_anchor_name(name: Any) -> str | None:
    """Return the stripped name of an anchor, ``None`` if it is empty or missing."""
    return None if name is None else check_text("an anchor's name", name, MAX_NAME_LENGTH) or None


def check_edits(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Validate new values of the properties that can change after a study is created, and return them."""
    for name in changes:
        if name not in EDITABLE:
            raise UnknownNameError.of("an editable property", name, EDITABLE)
    limits = {"name": MAX_NAME_LENGTH, "question": MAX_QUESTION_LENGTH, "description": MAX_TEXT_LENGTH}
    edits: dict[str, Any] = {
        name: check_text(name, changes[name], limits[name], required=name == "name")
        for name in limits
        if name in changes
    }
    if "archived" in changes:
        if not isinstance(changes["archived"], bool):
            raise InputError("archived must be true or false", repr(changes["archived"]), "choose one of them")
        edits["archived"] = changes["archived"]
    if "shared_pairs" in changes:
        edits["shared_pairs"] = _check_share(changes["shared_pairs"])
    return edits


def _check_share(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MAX_SHARED_PAIRS:
        rule = f"shared_pairs must be a number from 0 to {MAX_SHARED_PAIRS}"
        raise InputError(rule, repr(value), "choose 0 for none")
    return float(value)


def _check_options(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise InputError("options must be names and numbers", f"{name}: {value!r}", "see the documentation")
    _check_seed(options.get("seed", 0))


def _check_seed(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_SEED:
        raise InputError(f"seed must be a whole number from 0 to {MAX_SEED}", repr(value), "choose another")
    return value


def _read_space(layout: Any, *, checked: bool) -> DesignSpace:
    # Very large bounds overflow when they are squared; the space would be useless.
    with raise_input_errors("space"), np.errstate(over="raise", invalid="raise", divide="raise"):
        space = space_from_dict(check_object("space", layout), checked=checked)
    for name in space.names:
        if not isinstance(name, str) or not name.strip():
            raise InputError("parameters and columns must have names", repr(name), "name them")
    return space


def _check_new_space(layout: Any) -> DesignSpace:
    """Read a space, check its size, and check that a duel's designs can be sampled from it."""
    check_space_size(layout)
    with time_limit(CHECK_SECONDS):
        space = _read_space(layout, checked=False)
        if space.region is not None and space.region.is_constrained:
            space.sample(2, np.random.default_rng(0))
    return space
