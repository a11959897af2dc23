"""A cache of results that drops the least recently used ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class LRUCache(Generic[Result]):
    """The latest results by key, at most `size`. It changes speed, never a result. Not thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._results: OrderedDict[Hashable, Result] = OrderedDict()

    def get_or_compute(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of a key; compute and keep it where it is missing."""
        if key not in self._results:
            self.put(key, compute())
        self._results.move_to_end(key)
        return self._results[key]

    def get(self, key: Hashable) -> Result | None:
        """Return the result of a key, ``None`` where it is missing."""
        return self._results.get(key)

    def put(self, key: Hashable, result: Result) -> None:
        """Keep a result."""
        self._results[key] = result
        while len(self._results) > self._size:
            self._results.popitem(last=False)
