"""Keeping memory that will be needed again.

The C library of Linux gives blocks above 128 kB back to the system as soon as they are freed, and every new one comes
as empty pages that must be filled in. A matrix of 150 x 150 is such a block, and a fit makes thousands of them: a third
of its time. Freeing one large block teaches the library to keep blocks up to that size. It is never touched, so it
costs nothing; other systems do not mind.
"""

from functools import cache

import numpy as np

LARGEST_KEPT = 31_000_000
"""Bytes; 32 MB is the most that glibc can be taught."""


@cache  # once in a process is enough
def keep_freed_blocks() -> None:
    """Teach the allocator."""
    np.empty(LARGEST_KEPT, dtype=np.int8)
