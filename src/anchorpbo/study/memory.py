"""Results worth keeping, the oldest forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Memory(Generic[Result]):
    """A small table of results by what they follow from: it changes speed, never an answer. Not thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Result] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result of this key, computed where it is not known."""
        if key not in self._kept:
            self.put(key, compute())
        self._kept.move_to_end(key)
        return self._kept[key]

    def find(self, key: Hashable) -> Result | None:
        """The result of this key, ``None`` where it is not known."""
        return self._kept.get(key)

    def put(self, key: Hashable, result: Result) -> None:
        """Keep a result."""
        self._kept[key] = result
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
