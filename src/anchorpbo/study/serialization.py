"""Studies as JSON: settings, events and fitted hyper-parameters.

::

    {"format": "anchorpbo-study", "version": 1,
     "study": {"space": ..., "anchors": [...], "strategy": ..., "preset": ..., "seed": ..., ...},
     "events": [{"type": "answered", ...}, ...],
     "learnt": {"log_parameters": {"lengthscale[0]": ..., ...}, "noise": {"scale": ...}, "tie_threshold": null} or null}

If the hyper-parameters are integrated over, "learnt" is the mode and has two more keys: its "weight", and "others", a
list of the other nodes with the same keys.

`version` counts changes of this layout. `MIGRATIONS` update a file of an older version step by step; a file of a newer
version is rejected.

Kernels, acquisition functions, likelihoods and inferences are saved by class name and constructor arguments, without
pickle. Objects of other classes cannot be saved: only their class name is, and `from_json` takes them as arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from anchorpbo import acquisition, inference, kernels, likelihoods
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.kernels.composite import OnColumns, Product, Sum
from anchorpbo.model import INTEGRATION_RULES, Learn, LogNormal
from anchorpbo.space import space_from_dict
from anchorpbo.study.noise_rules import BoundedNoise, ConstantNoise, LearntNoise, PaperNoise

FORMAT = "anchorpbo-study"
VERSION = 1

Layout = dict[str, Any]

DAMAGED = "the study is damaged or cut short: restore a copy of it, or save it again"
NOT_A_STUDY = "give a study that anchorpbo saved or exported"
"""Remedies for a text that is not a whole study."""

MIGRATIONS: dict[int, Callable[[Layout], Layout]] = {}
"""Function from each old version to the next."""


@dataclass(frozen=True)
class SavedStudy:
    """A study read from JSON."""

    arguments: dict[str, Any]
    """Arguments of `Optimizer`."""
    events: list[Any]
    """The log, as JSON data, not yet checked."""
    hyperparameters: Any
    """Fitted hyper-parameters, as JSON data, not yet checked; ``None`` for none."""


ADDED_OPTIONS: dict[str, Any] = {
    "integration": {"class": "MAP"}, "preset_version": 1, "start": "spread", "repeat_rate": 0.0,
}  # fmt: skip
"""Options that older releases did not have, as JSON data, with the value that a study without them has."""


def write_study(settings: Mapping[str, Any], events: list[dict[str, Any]], hyperparameters: Any) -> str:
    """Write a study as JSON text."""
    layout = {"study": settings, "events": events, "learnt": hyperparameters}
    return json.dumps({"format": FORMAT, "version": VERSION, **layout}, indent=1, allow_nan=False, ensure_ascii=False)


def read_study(text: str, objects: Mapping[str, Any]) -> SavedStudy:
    """Read a study from JSON text; `objects` has the options that could not be saved."""
    layout = _read_layout(text)
    study = dict(layout["study"])
    try:
        space = space_from_dict(study.pop("space"), checked=True)
        anchors, seed = study.pop("anchors"), study.pop("seed")
        options = read_options(study, objects)
    except (KeyError, TypeError) as error:
        raise make_layout_error(error) from error
    arguments = {"space": space, "anchors": anchors, "seed": seed, **options}
    return SavedStudy(arguments, layout["events"], layout.get("learnt"))


def read_options(layout: Mapping[str, Any], objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `Optimizer` from JSON data; `objects` has those that could not be saved."""
    options = ADDED_OPTIONS | dict(layout)
    unknown = [name for name in objects if name not in options]
    if unknown:
        raise UnknownNameError.of("an object to give again", unknown[0], options)
    return {name: object_from_json(name, value, objects) for name, value in options.items()}


def make_layout_error(error: Exception) -> InputError:
    """Return the error for a study whose settings have the wrong layout."""
    return InputError("a study must have a space, anchors, a seed and options", f"trouble with {error}", DAMAGED)


def _read_layout(text: str) -> Layout:
    try:
        layout = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("a study must be JSON", f"{error}", _advise(text)) from error
    if not isinstance(layout, dict) or layout.get("format") != FORMAT:
        rule = f'a study must be an object with "format": "{FORMAT}"'
        raise InputError(rule, repr(layout), NOT_A_STUDY)
    return _migrate(layout)


def _advise(text: object) -> str:
    """Return what to do about a text that is not JSON."""
    if isinstance(text, str) and text.lstrip().startswith("{"):
        return DAMAGED
    if isinstance(text, str) and text.endswith(".json"):
        return "give the path of a file to Optimizer.load"
    return NOT_A_STUDY


def _migrate(layout: Layout) -> Layout:
    version = layout.get("version")
    if (
        not isinstance(version, int)
        or isinstance(version, bool)
        or not min(MIGRATIONS, default=VERSION) <= version <= VERSION
    ):
        rule = f"a study must be of a version up to {VERSION}, the latest that this release reads"
        is_newer = isinstance(version, int) and version > VERSION
        raise InputError(rule, repr(version), "update anchorpbo" if is_newer else DAMAGED)
    while version < VERSION:
        layout = {**MIGRATIONS[version](layout), "version": version + 1}
        version += 1
    for key, kind in (("study", dict), ("events", list)):
        if not isinstance(layout.get(key), kind):
            raise InputError(f'a study must have "{key}"', repr(layout.get(key)), DAMAGED)
    return layout


# -- objects -----------------------------------------------------------------------------------------------------------

_SAVED: tuple[type[Any], ...] = (
    kernels.RBF, kernels.Matern32, kernels.Matern52, kernels.Tanimoto, kernels.Hamming, Sum, Product, OnColumns,
    *likelihoods.LIKELIHOODS.values(), *inference.INFERENCES.values(), *acquisition.ACQUISITIONS.values(),
    *INTEGRATION_RULES.values(), BoundedNoise, ConstantNoise, LearntNoise, PaperNoise, Learn, LogNormal,
)  # fmt: skip
_CLASSES: dict[str, type[Any]] = {kind.__name__: kind for kind in _SAVED}
"""Classes that can be saved and loaded, by the names that are saved. A new kernel of the library is added here."""
_KEYS = {"latent": "space", "max_passes": "most_passes"}
"""Constructor arguments that are saved under an earlier name."""
_ADDED: dict[str, Any] = {"lapse": 0.0, "metric": "space", "adaptive": False, "default_bounds": "diagonal"}
"""Constructor arguments added to a class after its first release. They are saved only if they differ from this default,
so that older studies keep their text and their digest."""


_NOTHING = object()


def object_to_json(value: object) -> Any:
    """Convert a name, a number, ``None`` or an object of the library to JSON data; other objects become class names."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [object_to_json(each) for each in value]
    if isinstance(value, Mapping):
        return {"names": {str(key): object_to_json(each) for key, each in value.items()}}
    kind = type(value)
    if _CLASSES.get(kind.__name__) is not kind:
        return {"custom": f"{kind.__module__}.{kind.__qualname__}"}
    saved = {name: object_to_json(getattr(value, name)) for name in signature(kind).parameters}
    arguments = {_KEYS.get(name, name): each for name, each in saved.items() if each != _ADDED.get(name, _NOTHING)}
    # If a part cannot be saved, the whole object must be given again.
    inner = [each for each in arguments.values() if isinstance(each, Mapping) and "custom" in each]
    return inner[0] if inner else {"class": kind.__name__, **arguments}


def round_trip(name: str, value: object) -> Any:
    """Return a value as it is after saving and loading; numpy numbers, for example, become Python numbers."""
    written = object_to_json(value)
    return value if _is_custom(written) else object_from_json(name, written, {})


def _is_custom(written: Any) -> bool:
    """Return whether some part of the JSON data is only a class name."""
    if isinstance(written, Mapping):
        return "custom" in written or any(map(_is_custom, written.values()))
    return isinstance(written, list) and any(map(_is_custom, written))


def object_from_json(name: str, data: Any, given: Mapping[str, object]) -> Any:
    """Read an object from JSON data; `given` has the objects that could not be saved, by option."""
    if given.get(name) is not None:
        if not isinstance(data, Mapping) or "custom" not in data:
            rule = f"{name} was saved with the study and cannot be replaced"
            raise InputError(rule, repr(given[name]), "leave it out, or create a new study")
        return given[name]
    if isinstance(data, list):
        return [object_from_json(name, each, {}) for each in data]
    if not isinstance(data, Mapping):
        return data
    if isinstance(data.get("names"), Mapping):
        return {key: object_from_json(name, each, {}) for key, each in dict(data["names"]).items()}
    if "custom" in data:
        rule = f"a study with a {name} of your own needs it again, since code is not saved"
        raise InputError(rule, data["custom"], f"call from_json(text, {name}=...)")
    fields = dict(data)
    kind = _CLASSES.get(str(fields.pop("class", None)))
    if kind is None:
        raise InputError(f"{name} must be of a class this version knows", repr(data), "export the study again")
    names = {key: argument for argument, key in _KEYS.items()}
    arguments = {names.get(key, key): object_from_json(name, value, {}) for key, value in fields.items()}
    try:
        return kind(**arguments)
    except TypeError as error:
        raise InputError(f"{name} must have the arguments of {kind.__name__}", repr(data), str(error)) from error
