"""BLAS on one thread where the matrices are small.

Waking a second thread costs more than a product of two 300 x 300 matrices, and results would depend on how many threads
the process happens to have. The setting belongs to the process, so it is counted: the first to enter lowers it, the
last to leave restores it, and studies in several threads do not undo each other.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import threadpoolctl

MAX_SINGLE_THREAD_ROWS = 1500
"""Up to this many rows one thread is used; beyond it, as many as the process allows."""

_lock = threading.Lock()
_inside = 0
_lowered: list[tuple[Any, int]] = []
"""Libraries that had more threads, and how many."""


@cache
def _libraries() -> list[Any]:
    # Looking for the loaded BLAS libraries takes milliseconds, so it is done once.
    libraries = threadpoolctl.ThreadpoolController().lib_controllers
    return [library for library in libraries if library.user_api == "blas"]


def _take_control() -> None:
    # From 3.8 on threadpoolctl heeds only the thread that set a limit first, until it is told that that one is done.
    # The count and the lock here already keep threads from undoing each other's limit.
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
            # By hand: threadpoolctl's own limit collects what is known of all libraries, for 60 microseconds each time.
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
