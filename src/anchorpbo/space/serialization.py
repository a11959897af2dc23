"""Design spaces read from the result of `to_dict`."""

from collections.abc import Mapping
from typing import Any

from anchorpbo.errors import InputError, UnknownNameError, at_field
from anchorpbo.space.base import DesignSpace
from anchorpbo.space.catalogue import Catalogue
from anchorpbo.space.constraints import Linear
from anchorpbo.space.parameters import Boolean, Categorical, Constant, Integer, Ordinal, Parameter, Real
from anchorpbo.space.space import Space
from anchorpbo.space.table import Table

_PARAMETERS: dict[str, type[Parameter]] = {
    kind.__name__.lower(): kind for kind in (Real, Integer, Categorical, Ordinal, Boolean, Constant)
}
_REMEDY = "see the examples in the REST documentation"


def space_from_dict(data: Mapping[str, Any], *, checked: bool = False) -> DesignSpace:
    """Rebuild a `Space` or a `Catalogue` from the result of its `to_dict`.

    Constraints are not checked again if `checked`, because the check can be slow.
    """
    kind = _get_entry("a space", data, "kind")
    if kind == "space":
        return _read_space(data, checked)
    if kind == "catalogue":
        return _read_catalogue(data)
    raise UnknownNameError.of("kind of a space", kind, ("space", "catalogue"))


def _read_space(data: Mapping[str, Any], checked: bool) -> Space:
    parameters: dict[str, Parameter] = {}
    for number, entry in enumerate(_check_list("parameters", _get_entry("a space", data, "parameters"))):
        with at_field("parameters"), at_field(number):
            name = _get_entry("a parameter", entry, "name")
            if name in parameters:
                received = f"{name!r} twice"
                raise InputError("a parameter must be given once", received, "rename one of them", field="name")
            try:
                parameters[name] = _read_parameter({k: v for k, v in entry.items() if k != "name"})
            except InputError as error:
                raise error.about(repr(name)) from error
    # Text is accepted too, so that people and programs can write "a + b <= 1".
    given = _check_list("constraints", data.get("constraints", []))
    with at_field("constraints"):
        constraints = [_read_constraint(number, entry) for number, entry in enumerate(given)]
    return Space.restore(parameters, constraints) if checked else Space(parameters, constraints=constraints)


def _read_parameter(data: Mapping[str, Any]) -> Parameter:
    kind = _get_entry("a parameter", data, "kind")
    if not isinstance(kind, str) or kind not in _PARAMETERS:
        raise UnknownNameError.of("kind of a parameter", kind, _PARAMETERS)
    settings = {name: value for name, value in data.items() if name != "kind"}
    try:
        return _PARAMETERS[kind](**settings)
    except TypeError as error:
        raise InputError(f"a parameter must have the settings of its kind, {kind}", repr(settings), _REMEDY) from error


def _read_constraint(number: int, data: Any) -> str | Linear:
    if isinstance(data, str):
        return data
    with at_field(number, data):
        return Linear(_get_entry("a constraint", data, "coefficients"), data.get("lower"), data.get("upper"))


def _read_catalogue(data: Mapping[str, Any]) -> Catalogue:
    columns = {}
    for number, entry in enumerate(_check_list("columns", _get_entry("a catalogue", data, "columns"))):
        with at_field("columns"), at_field(number):
            values = _check_list("values", _get_entry("a column", entry, "values"))
            columns[_get_entry("a column", entry, "name")] = values
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise InputError("columns of a catalogue must be equally long", sorted(lengths), _REMEDY)
    fingerprint = _check_list("fingerprint", data.get("fingerprint", []))
    return Catalogue(
        Table.of(columns, "line", first=2),  # as in a file, whose first line has the names
        _check_list("features", _get_entry("a catalogue", data, "features")),
        _check_list("categories", data.get("categories", [])),
        fingerprint or None,
        data.get("key"),
    )


def _get_entry(kind: str, data: Any, name: str) -> Any:
    if not isinstance(data, Mapping):
        received = "nothing" if data is None else repr(data)
        raise InputError(f"{kind} must be an object", received, _REMEDY, value=data)
    if name not in data:
        raise InputError(f"{kind} must have the entry {name!r}", repr(dict(data)), _REMEDY)
    return data[name]


def _check_list(name: str, data: Any) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise InputError(f"{name} of a space must be a list", repr(data), _REMEDY, value=data)
    return list(data)
