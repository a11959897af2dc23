"""Spaces: designs given by parameters and constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from keyword import iskeyword
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from anchorpbo.errors import InputError, ShapeError, at_field
from anchorpbo.numerics.deadline import time_limit
from anchorpbo.numerics.validation import as_floats, as_generator, as_integer, freeze
from anchorpbo.space.base import NOTICEABLE_DIFFERENCE, Columns, Design, DesignSpace
from anchorpbo.space.constraints import Linear, as_constraints, as_rows, find_conflict, stack_rows
from anchorpbo.space.enumeration import enumerate_designs
from anchorpbo.space.parameters import Categorical, Constant, Parameter, Real, VaryingParameter
from anchorpbo.space.polytope import FEASIBILITY_TOLERANCE
from anchorpbo.space.region import Region
from anchorpbo.space.values import format_call, short_repr
from anchorpbo.typing import Array

MAX_LISTED_DESIGNS = 2_000
"""Largest number of designs that are listed instead of searched."""
CHECK_SECONDS = 5.0
"""Time limit of the check of the constraints, in seconds: integers in equations can take very long."""
_MAX_DRAWS = 8
_Ends: TypeAlias = Callable[[int, Array, Array], tuple[float, float] | None]


class Space(DesignSpace):
    """Parameters and linear constraints between them. Immutable and thread-safe.

    Parameters
    ----------
    parameters
        A mapping from names to parameters, for names that are not Python identifiers.
    constraints
        Linear constraints between parameters: text, a `Linear`, or a list of these; optional. If 5 s are not enough to
        check that they leave a design, a `TimeLimitError` is raised.
    **named
        Parameters by keyword.

    Examples
    --------
    >>> space = Space(temperature=Real(80, 96), origin=Categorical(["Kenya", "Brazil"]))
    >>> space.encode({"temperature": 84, "origin": "Brazil"})
    array([0.25, 1.  ])
    >>> space.decode(np.array([0.25, 1.0]))
    {'temperature': 84.0, 'origin': 'Brazil'}
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter] | None = None,
        /,
        *,
        constraints: str | Linear | Iterable[str | Linear] | None = None,
        **named: Parameter,
    ) -> None:
        self._set_up(parameters, constraints, named)
        with time_limit(CHECK_SECONDS), at_field("constraints"):
            self._check()

    @classmethod
    def restore(cls, parameters: Mapping[str, Parameter], constraints: Iterable[str | Linear]) -> Space:
        """Create a space whose constraints were checked before, without checking them again."""
        space = cls.__new__(cls)
        space._set_up(parameters, constraints, {})
        return space

    def _set_up(
        self,
        parameters: Mapping[str, Parameter] | None,
        constraints: str | Linear | Iterable[str | Linear] | None,
        named: Mapping[str, Parameter],
    ) -> None:
        self._parameters = _as_parameters(parameters, named)
        self._varying = {name: p for name, p in self._parameters.items() if isinstance(p, VaryingParameter)}
        self._constants = {name: p.value for name, p in self._parameters.items() if isinstance(p, Constant)}
        if not self._varying:
            received = f"only the constant {', '.join(self._constants)}" if self._constants else "none"
            raise InputError("at least one parameter must vary", received, "add one with a range or several values")
        with at_field("constraints"):
            self._constraints = as_constraints(constraints, self.names)
            self._rows = as_rows(self._constraints, self._parameters)
        grids = [parameter.grid for parameter in self._varying.values()]
        self._region = Region.of(grids, self.columns.categorical, *stack_rows(self._rows), check=False)

    # -- properties ----------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """All parameters by name, in the order given."""
        return MappingProxyType(self._parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters, constants included."""
        return tuple(self._parameters)

    @property
    def constraints(self) -> tuple[Linear, ...]:
        """Constraints between the parameters."""
        return self._constraints

    @property
    def dimension(self) -> int:
        """Number of parameters that vary, d."""
        return len(self._varying)

    @cached_property
    def columns(self) -> Columns:
        """Categorical parameters and the others, which all have an order."""
        kinds = [isinstance(parameter, Categorical) for parameter in self._varying.values()]
        return Columns(
            numeric=tuple(c for c, categorical in enumerate(kinds) if not categorical),
            categorical=tuple(c for c, categorical in enumerate(kinds) if categorical),
        )

    @property
    def region(self) -> Region:
        """The designs as a part of the unit cube."""
        return self._region

    @cached_property
    def candidates(self) -> Array | None:
        """Every design, (n, d), if all parameters are discrete and there are at most 2,000 designs."""
        found = enumerate_designs(self._region.grids, self._region.polytope, MAX_LISTED_DESIGNS)
        return None if found is None else freeze(found)

    def check(self, design: Mapping[str, Any]) -> Design:
        """Return a complete copy with plain Python values; constants may be left out."""
        if not isinstance(design, Mapping):
            raise InputError(
                "a design must have the values of its parameters by name",
                repr(design),
                f"give {self._decode_point(np.zeros(self.dimension))}, for example",
            )
        unknown = [name for name in design if name not in self._parameters]
        if unknown:
            rule = f"a design must have the parameters {', '.join(map(repr, self.names))}"
            raise InputError(rule, f"also {', '.join(map(repr, unknown))}", "check the spelling")
        missing = [name for name in self._varying if name not in design]
        if missing:
            rule = f"a design must have a value for {', '.join(map(repr, self._varying))}"
            raise InputError(rule, f"none for {', '.join(map(repr, missing))}", "add the missing values")
        complete = {**self._constants, **design}
        checked = {name: parameter.check(name, complete[name]) for name, parameter in self._parameters.items()}
        for row in self._rows:
            row.check(checked)
        return checked

    def encode(self, design: Mapping[str, Any]) -> Array:
        """Check a design and return its coordinates, (d,)."""
        return self.locate(self.check(design))

    def locate(self, design: Mapping[str, Any]) -> Array:
        """Return the coordinates, (d,), of a design that has passed `check`."""
        return np.array([parameter.encode(design[name]) for name, parameter in self._varying.items()])

    def decode(self, x: Array) -> Design:
        """Return the design with coordinates x, (d,), including constants."""
        return self._decode_point(self._as_point(x))

    def nearest(self, x: Array) -> Array:
        """Return the coordinates, (d,), of a design near x that `check` accepts, with numbers a person would write.

        If constraints fix a number, as for the last part of a mixture, it has up to 12 digits.
        """
        x = self._region.nearest(np.clip(self._as_point(x), 0.0, 1.0))
        x = _round_within(x, self._region, self._bound_reals)
        for c, parameter in enumerate(self._varying.values()):
            if c not in self._bound_reals:
                x[c] = parameter.nearest(float(x[c]))
        return x

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Return distinct designs spread over the space, (n, d); fewer only if there are fewer."""
        n, rng = as_integer("n", n, 0), as_generator(rng)
        found = np.empty((0, self.dimension))
        for _ in range(_MAX_DRAWS):
            found = _first_distinct(np.concatenate([found, self._region.sample(n, rng)]))
            if len(found) >= n:
                return found[:n]
        if self.candidates is not None:
            found = _first_distinct(np.concatenate([found, rng.permutation(self.candidates)]))
        return found[:n]

    # -- serialisation -------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the space as JSON data; `space_from_dict` reads it."""
        return {
            "kind": "space",
            # A list, because some stores of JSON do not keep the order of names.
            "parameters": [{"name": name, **p.to_dict()} for name, p in self._parameters.items()],
            "constraints": [constraint.to_dict() for constraint in self._constraints],
        }

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Space) else NotImplemented

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __repr__(self) -> str:
        plain = all(n.isidentifier() and not iskeyword(n) and n != "constraints" for n in self.names)
        named = [f"{name}={p!r}" if plain else f"{name!r}: {p!r}" for name, p in self._parameters.items()]
        limits = f"constraints={[str(constraint) for constraint in self._constraints]}" if self._constraints else ""
        if plain:
            return format_call("Space(", [*named, limits] if limits else named, ")")
        return format_call("Space({", named, f"}}{', ' * bool(limits)}{limits})")

    def _repr_html_(self) -> str:
        from anchorpbo.space.html import space_html

        return space_html(self)

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Raise if the constraints leave no design, or a single one."""
        conflict = find_conflict(self._rows, self._region.grids)
        if conflict:
            received = f"none that meets {' and '.join(str(row.constraint) for row in conflict)}"
            remedy = "loosen one of these, or widen the range of a parameter in it"
            raise InputError("at least one design must be allowed", received, remedy)
        ends = self._region.bounds_if_alike(NOTICEABLE_DIFFERENCE)
        if ends is not None:
            raise self._narrow_error(*ends)

    def _narrow_error(self, least: Array, most: Array) -> InputError:
        low, high = (
            {name: p.decode(p.nearest(u)) for (name, p), u in zip(self._varying.items(), end.tolist(), strict=True)}
            for end in (least, most)
        )
        if np.abs(most - least).max() <= FEASIBILITY_TOLERANCE:
            only = {**self._constants, **low}
            left = ", ".join(f"{name}={short_repr(only[name])}" for name in self.names)
            remedy = "allow more, or widen the range of a parameter"
            return InputError("at least two designs must be allowed", f"only {left}", remedy)
        left = ", ".join(
            f"{name} from {short_repr(low[name])} to {short_repr(high[name])}"
            for name in low
            if low[name] != high[name]
        )
        share = f"{NOTICEABLE_DIFFERENCE:g} of the range of a parameter"
        rule = f"two designs must differ by at least {share} for a user to compare them"
        remedy = "give the parameters just the range you want to explore, or allow more of it"
        return InputError(rule, f"only {left}", remedy)

    @cached_property
    def _bound_reals(self) -> dict[int, Real]:
        """Continuous parameters that occur in constraints, by their coordinate."""
        constrained = self._region.polytope.constrained_coordinates
        return {
            c: parameter
            for c, parameter in enumerate(self._varying.values())
            if isinstance(parameter, Real) and parameter.grid is None and c in constrained
        }

    def _decode_point(self, x: Array) -> Design:
        values = {name: p.decode(u) for (name, p), u in zip(self._varying.items(), x.tolist(), strict=True)}
        return {name: values[name] if name in values else self._constants[name] for name in self._parameters}

    def _as_point(self, x: Array) -> Array:
        point = as_floats("x", x)
        if point.shape != (self.dimension,):
            raise ShapeError(f"x must have shape ({self.dimension},)", point.shape, "give one design")
        return point


def _as_parameters(given: Mapping[str, Parameter] | None, named: Mapping[str, Parameter]) -> dict[str, Parameter]:
    if given is not None and not isinstance(given, Mapping):
        rule = "the parameters of a Space must be keywords or a dict from names to parameters"
        raise InputError(rule, repr(given), "write Space(a=Real(0, 1)) or Space({'a': Real(0, 1)})")
    twice = [name for name in named if given is not None and name in given]
    if twice:
        raise InputError("a parameter must be given once", f"{twice[0]!r} twice", "drop one of the two")
    every = {**(given or {}), **named}
    for name, parameter in every.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError("the name of a parameter must be text", repr(name), "give it a name")
        if not isinstance(parameter, Parameter):
            rule = f"{name} must be a Real, Integer, Categorical, Ordinal, Boolean or Constant"
            raise InputError(rule, repr(parameter), f"write {name}=Real(0, 1), for example")
    return every


def _first_distinct(X: Array) -> Array:
    """Return the distinct rows in order of first appearance."""
    _, first = np.unique(X, axis=0, return_index=True)
    return X[np.sort(first)]


def _round_within(x: Array, region: Region, numbers: Mapping[int, Real]) -> Array:
    """Round the constrained continuous coordinates of x, (d,), to readable numbers; `numbers` has their parameters.

    Each is rounded in turn within the interval that the constraints leave it, given the coordinates before it and all
    possible values of those after it. So the last coordinates, such as the remainder of a mixture, always have room.
    The interval from one constraint at a time is fast, but exact only if no two constraints share parameters; if it
    fails, linear programs find the exact interval.
    """
    quick = _round_in_turn(x, region, numbers, region.polytope.quick_extent)
    if quick is not None:
        return quick
    exact = _round_in_turn(x, region, numbers, region.polytope.coordinate_extent)
    if exact is None:
        return x
    # Rounding must be idempotent, so the result of the fast way on the rounded design takes precedence.
    again = _round_in_turn(exact, region, numbers, region.polytope.quick_extent)
    return exact if again is None else again


def _round_in_turn(x: Array, region: Region, numbers: Mapping[int, Real], find_ends: _Ends) -> Array | None:
    """Round one coordinate after the other; return ``None`` if that leads out of the region."""
    least, most = np.zeros(region.dimension), np.ones(region.dimension)
    least[region.discrete] = most[region.discrete] = x[region.discrete]
    for c, parameter in numbers.items():
        ends = find_ends(c, least, most)
        if ends is None or ends[0] > ends[1] + FEASIBILITY_TOLERANCE:
            return None
        least[c] = most[c] = parameter.nearest_within(float(x[c]), *ends)
    y = x.copy()
    y[list(numbers)] = least[list(numbers)]
    return y if region.contains(y[None])[0] else None
