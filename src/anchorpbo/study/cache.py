"""A cache of results that drops the least recently used ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class LRUCache(Generic[Result]):
    """Cache of the `size` most recently used results by key. It changes speed, never a result. Not thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._results: OrderedDict[Hashable, Result] = OrderedDict()

    def get_or_compute(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of a key; compute and cache it if it is missing."""
        if key not in self._results:
            self.put(key, compute())
        self._results.move_to_end(key)
        return self._results[key]

    def get(self, key: Hashable) -> Result | None:
        """Return the result of a key, ``None`` if it is missing."""
        return self._results.get(key)

    def put(self, key: Hashable, result: Result) -> None:
        """Cache a result."""
        self._results[key] = result
        while len(self._results) > self._size:
            self._results.popitem(last=False)
