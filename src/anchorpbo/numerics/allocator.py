"""Settings of the memory allocator.

By default glibc returns freed blocks above 128 kB to the system at once, and every new block causes page faults. A
150 x 150 matrix is larger than that, and a fit allocates thousands of them, which takes a third of its time. Freeing
one large block raises glibc's threshold to the size of that block. The block is never written to, so this costs
nothing. It has no effect on other systems.
"""

import ctypes
import sys
from contextlib import suppress
from functools import cache

import numpy as np

MAX_KEPT_BYTES = 31_000_000
"""Size of the block that is freed, in bytes; glibc raises its threshold to at most 32 MB."""
MAX_SERVER_KEPT_BYTES = 512_000
"""Threshold in a server, in bytes: it receives files of many megabytes but fits few models itself."""
_MAX_FREE_BYTES = 16_000_000
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # parameters of mallopt, from malloc.h


@cache  # once per process is enough
def keep_freed_blocks() -> None:
    """Make the allocator keep freed blocks of up to `MAX_KEPT_BYTES` for later arrays."""
    np.empty(MAX_KEPT_BYTES, dtype=np.int8)


def release_large_blocks() -> None:
    """Return freed blocks above `MAX_SERVER_KEPT_BYTES` to the system, regardless of `keep_freed_blocks`.

    Otherwise uploaded files would fragment a server's heap, and it would never shrink again.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library: not needed there
            library = ctypes.CDLL(None)
            library.mallopt(_M_MMAP_THRESHOLD, MAX_SERVER_KEPT_BYTES)
            library.mallopt(_M_TRIM_THRESHOLD, _MAX_FREE_BYTES)
