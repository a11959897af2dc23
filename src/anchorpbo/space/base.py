"""What every design space can do.

Symbols: a design is a plain dict of what the user sees; x, (d,), is the same design as coordinates in the unit cube
(bits or counts for fingerprints), one coordinate a parameter. `encode` and `decode` are exact inverses on designs that
`check` has passed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from anchorpbo.space.region import Region
from anchorpbo.typing import Array

NOTICEABLE_DIFFERENCE = 0.01
"""Least difference of a number, as a share of its range, that a user notices."""

Design: TypeAlias = dict[str, Any]
"""Names of parameters, or of columns, and their values."""


@dataclass(frozen=True)
class Columns:
    """What kind of thing each coordinate is, as column numbers."""

    numeric: tuple[int, ...] = ()
    """Nearer values are more alike."""
    categorical: tuple[int, ...] = ()
    """Values are equal or not."""
    fingerprint: tuple[int, ...] = ()
    """Bits, or counts, of one fingerprint."""


class DesignSpace(ABC):
    """Where designs come from. Immutable, so safe to share between threads."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What a design has a value for."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Coordinates of an encoded design, d."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """What kind of thing each coordinate is."""

    @property
    @abstractmethod
    def candidates(self) -> Array | None:
        """Every distinct design, (n, d), where they can be listed; ``None`` otherwise."""

    @property
    @abstractmethod
    def region(self) -> Region | None:
        """The designs as a part of the unit cube; ``None`` for a catalogue, which has no more than its items."""

    @abstractmethod
    def check(self, design: Mapping[str, Any]) -> Design:
        """A complete copy with plain Python values; an error names what is missing, unknown or out of range."""

    @abstractmethod
    def encode(self, design: Mapping[str, Any]) -> Array:
        """Coordinates of a design, (d,), after `check`."""

    @abstractmethod
    def locate(self, design: Mapping[str, Any]) -> Array:
        """The same of a design that `check` has passed: for thousands of them, which need not be checked again."""

    @abstractmethod
    def decode(self, x: Array) -> Design:
        """The design with coordinates x, (d,): ``decode(encode(design)) == design`` once `check` has passed it."""

    @abstractmethod
    def nearest(self, x: Array) -> Array:
        """Coordinates, (d,), of the design nearest to any x of the cube, rounded to what a person would write."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Designs spread over the space, (n, d); fewer only where there are fewer."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON can hold it."""
