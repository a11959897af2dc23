"""Limit BLAS to one thread for small matrices.

Waking a second thread costs more than a product of two 300 x 300 matrices, and results would depend on the number of
threads of the process. The setting is global to the process, so entries are counted: the first caller to enter lowers
it and the last to leave restores it. Thus studies in several threads do not undo each other's limit.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import threadpoolctl

MAX_SINGLE_THREAD_ROWS = 1500
"""Up to this many rows one thread is used; with more rows, all threads of the process."""

_lock = threading.Lock()
_inside = 0
_lowered: list[tuple[Any, int]] = []
"""Libraries that used several threads, and their numbers of threads."""


@cache
def _libraries() -> list[Any]:
    # Finding the loaded BLAS libraries takes milliseconds, so it is done once.
    libraries = threadpoolctl.ThreadpoolController().lib_controllers
    return [library for library in libraries if library.user_api == "blas"]


def _take_control() -> None:
    # Since version 3.8 threadpoolctl accepts limits only from the thread that set one first, until that is cleared.
    # Clearing it is safe: the count and the lock here keep threads from undoing each other's limit.
    clear = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@contextmanager
def one_blas_thread(rows: int = 0) -> Iterator[None]:
    """Limit BLAS to one thread inside the block, up to `MAX_SINGLE_THREAD_ROWS` rows. Thread-safe."""
    if rows > MAX_SINGLE_THREAD_ROWS:
        yield
        return
    global _inside  # noqa: PLW0603
    with _lock:
        if _inside == 0:
            # Not by threadpool_limits: it inspects all libraries, which takes 60 microseconds each time.
            _take_control()
            for library in _libraries():
                threads = library.get_num_threads()
                if threads is not None and threads > 1:
                    _lowered.append((library, threads))
                    library.set_num_threads(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _take_control()
                while _lowered:
                    library, threads = _lowered.pop()
                    library.set_num_threads(threads)
