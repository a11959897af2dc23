"""Kernels, acquisitions, likelihoods and inferences as JSON: by class name and constructor arguments, no pickle.

Objects of other classes cannot be written down. Their place is marked, and whoever reads the JSON gives them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from anchorpbo import acquisition, inference, kernels, likelihoods
from anchorpbo.errors import InputError
from anchorpbo.kernels.composite import OnColumns, Product, Sum
from anchorpbo.model import Learn, LogNormal
from anchorpbo.study.plan import BoundedNoise, ConstantNoise, PaperNoise

_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        kernels.RBF, kernels.Matern32, kernels.Matern52, kernels.Tanimoto, kernels.Hamming, Sum, Product, OnColumns,
        likelihoods.Probit, likelihoods.Logistic,
        inference.Laplace, inference.EP, inference.Hallucination, inference.PolyaGamma,
        acquisition.EI, acquisition.UCB, acquisition.EUBO, acquisition.ANPEI, acquisition.RAHBO, acquisition.RAEUBO,
        BoundedNoise, ConstantNoise, PaperNoise, Learn, LogNormal,
    )
}  # fmt: skip
"""What can be written and read."""
_KEYS = {"latent": "space", "max_passes": "most_passes"}
"""Constructor arguments that are written under an older name."""


def object_to_json(value: object) -> Any:
    """A name, a number, ``None`` or an object of the library as JSON holds it; others as their mere name."""
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
    arguments = {_KEYS.get(name, name): object_to_json(getattr(value, name)) for name in signature(kind).parameters}
    # With a part that cannot be written, the whole has to be given again.
    inner = [each for each in arguments.values() if isinstance(each, Mapping) and "custom" in each]
    return inner[0] if inner else {"class": kind.__name__, **arguments}


def as_saved(name: str, value: object) -> Any:
    """A value as it will be when the study is read: numpy numbers, for example, compute with digits that JSON lacks."""
    written = object_to_json(value)
    return value if _is_custom(written) else object_from_json(name, written, {})


def _is_custom(written: Any) -> bool:
    """Whether some part of what was written is a mere name."""
    if isinstance(written, Mapping):
        return "custom" in written or any(map(_is_custom, written.values()))
    return isinstance(written, list) and any(map(_is_custom, written))


def object_from_json(name: str, data: Any, given: Mapping[str, object]) -> Any:
    """The inverse; `given` has the objects that could not be written, by the option's name."""
    if given.get(name) is not None:
        if not isinstance(data, Mapping) or "custom" not in data:
            rule = f"{name} was saved with the study and cannot be given another"
            raise InputError(rule, repr(given[name]), "leave it out, or make a new study")
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
    except TypeError as problem:
        raise InputError(f"{name} must have the arguments of {kind.__name__}", repr(data), str(problem)) from problem
