"""Settings of the memory allocator.

The C library of Linux gives blocks above 128 kB back to the system as soon as they are freed, and every new one comes
as empty pages that must be filled in. A matrix of 150 x 150 is such a block, and a fit makes thousands of them: a third
of its time. Freeing one large block teaches the library to keep blocks up to that size. It is never touched, so it
costs nothing; other systems do not mind.
"""

import ctypes
import sys
from contextlib import suppress
from functools import cache

import numpy as np

MAX_KEPT_BYTES = 31_000_000
"""Bytes; 32 MB is the most that glibc can be taught."""
MAX_SERVER_KEPT_BYTES = 512_000
"""Bytes; a server takes in files of many megabytes, but fits few models itself."""
_MAX_FREE_BYTES = 16_000_000
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt, in malloc.h


@cache  # once in a process is enough
def keep_freed_blocks() -> None:
    """Have the allocator keep freed blocks of up to `MAX_KEPT_BYTES` for later arrays."""
    np.empty(MAX_KEPT_BYTES, dtype=np.int8)


def release_large_blocks() -> None:
    """Return freed blocks above half a megabyte to the system, whatever was set before or after.

    Files that were taken in would else leave holes between what is kept, which a server never gets rid of.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library, which does not mind
            library = ctypes.CDLL(None)
            library.mallopt(_M_MMAP_THRESHOLD, MAX_SERVER_KEPT_BYTES)
            library.mallopt(_M_TRIM_THRESHOLD, _MAX_FREE_BYTES)
