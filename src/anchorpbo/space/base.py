"""Interface of design spaces.

Symbols: a design is a plain dict of the values the user sees; x, (d,), is the same design as coordinates in the unit
cube (bits or counts for fingerprints), one coordinate per parameter. `encode` and `decode` are exact inverses on
designs that have passed `check`.
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
"""Smallest difference of a number, as a share of its range, that a user notices."""

Design: TypeAlias = dict[str, Any]
"""Mapping from the names of parameters, or of columns, to their values."""


@dataclass(frozen=True)
class Columns:
    """Kinds of the coordinates, as column numbers."""

    numeric: tuple[int, ...] = ()
    """Numbers: nearer values are more alike."""
    categorical: tuple[int, ...] = ()
    """Categories: values are equal or different."""
    fingerprint: tuple[int, ...] = ()
    """Bits, or counts, of one fingerprint."""


class DesignSpace(ABC):
    """Abstract design space. Immutable and thread-safe."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the values of a design."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of coordinates of an encoded design, d."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """Kinds of the coordinates."""

    @property
    @abstractmethod
    def candidates(self) -> Array | None:
        """Every distinct design, (n, d), if they can be listed; ``None`` otherwise."""

    @property
    @abstractmethod
    def region(self) -> Region | None:
        """The designs as a part of the unit cube; ``None`` for a catalogue, whose only designs are its items."""

    @abstractmethod
    def check(self, design: Mapping[str, Any]) -> Design:
        """Return a complete copy with plain Python values; raise if a value is missing, unknown or out of range."""

    @abstractmethod
    def encode(self, design: Mapping[str, Any]) -> Array:
        """Check a design and return its coordinates, (d,)."""

    @abstractmethod
    def locate(self, design: Mapping[str, Any]) -> Array:
        """Return the coordinates, (d,), of a design that has passed `check`, without checking it again."""

    @abstractmethod
    def decode(self, x: Array) -> Design:
        """Return the design with coordinates x, (d,): ``decode(encode(design)) == design`` if it has passed `check`."""

    @abstractmethod
    def nearest(self, x: Array) -> Array:
        """Return the coordinates, (d,), of the design nearest to x, with numbers as a person would write them."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Return designs spread over the space, (n, d); fewer only if there are fewer."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the space as JSON data."""
