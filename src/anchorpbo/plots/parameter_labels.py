"""Labels, units and digits of parameters, and names of anchors, in a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis.axes import Axis
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.formatting import format_value, truncate
from anchorpbo.plots.axis_positions import AxisPositions, Stepped
from anchorpbo.space import Design, DesignSpace, Integer, Real, Space

NEGATIVE_ANCHOR = "hard to judge"
"""Label of the marks of negative anchors."""


@dataclass(frozen=True)
class ParameterLabels:
    """Labels and units of some parameters; the others are labelled by their names."""

    labels: Mapping[str, str]
    units: Mapping[str, str]
    stepped: Mapping[str, Stepped]
    """Parameters with a step, which sets the digits of their values and their ticks."""
    hidden: frozenset[str] = frozenset()
    """Names that `design` leaves out."""
    anchor_names: Sequence[tuple[Design, str]] = ()
    """Anchors with a name, and their names."""

    @classmethod
    def of(
        cls,
        space: DesignSpace,
        labels: Mapping[str, str] | None,
        units: Mapping[str, str] | None,
        hidden: Iterable[str] = (),
    ) -> ParameterLabels:
        """Check labels and units against the parameters, or columns, of a space."""
        for kind, given in (("labels", labels), ("units", units)):
            if given is not None and not isinstance(given, Mapping):
                raise InputError(f"{kind} must map parameters to texts", repr(given), 'write {"dose": "g"}')
            for name, text in (given or {}).items():
                if name not in space.names:
                    raise UnknownNameError.of(f"a name in {kind}", name, space.names)
                if not isinstance(text, str):
                    raise InputError(f"{kind} must be texts", repr(text), "put it in quotes")
        return cls(dict(labels or {}), dict(units or {}), _find_stepped(space), frozenset(hidden))

    def label(self, name: str) -> str:
        """Return the label of a parameter."""
        return self.labels.get(name, name)

    def title(self, name: str) -> str:
        """Return the title of its axis."""
        return f"{self.label(name)} ({self.units[name]})" if name in self.units else self.label(name)

    def value(self, name: str, value: Any) -> str:
        """Return a value with the digits of its parameter's step, and with its unit."""
        parameter = self.stepped.get(name)
        number = format_value(value, parameter.decimals if isinstance(parameter, Real) else None)
        return f"{number} {self.units[name]}" if name in self.units else number

    def line(self, name: str, value: Any) -> str:
        """Return a line of a hover text: the label of a parameter and a value."""
        return f"{self.label(name)}: {truncate(self.value(name, value))}"

    def positions(self, axis: Axis) -> AxisPositions:
        """Return the positions of the values of an axis."""
        return AxisPositions(axis, self.stepped.get(axis.name))

    def design(self, design: Design, most: int = 8) -> list[str]:
        """Return one line per value of a design, or for the first `most` values."""
        given = ((name, value) for name, value in design.items() if value is not None and name not in self.hidden)
        lines = [self.line(name, value) for name, value in given]
        return lines if len(lines) <= most else [*lines[:most], "…"]

    def anchor(self, design: Design) -> list[str]:
        """Return the lines of an anchor: its name, if it has one, and its values."""
        name = next((name for named, name in self.anchor_names if named == design), None)
        return ["anchor" if name is None else f"{truncate(name)} (anchor)", *self.design(design)]

    def negative_anchor(self, design: Design) -> list[str]:
        """Return the lines of a negative anchor: its name, if it has one, and its values."""
        name = next((name for named, name in self.anchor_names if named == design), None)
        return [NEGATIVE_ANCHOR if name is None else f"{truncate(name)} ({NEGATIVE_ANCHOR})", *self.design(design)]


def _find_stepped(space: DesignSpace) -> dict[str, Stepped]:
    parameters = space.parameters if isinstance(space, Space) else {}
    return {
        name: one
        for name, one in parameters.items()
        if isinstance(one, Integer) or (isinstance(one, Real) and one.step is not None)
    }
