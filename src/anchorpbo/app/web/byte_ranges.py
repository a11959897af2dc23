"""Range requests of RFC 9110: parts of a resource, by which a browser seeks in a clip."""

from __future__ import annotations

import re

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class UnsatisfiableRangeError(ValueError):
    """A range begins behind the end of the resource."""


def parse_range(header: str | None, size: int) -> range | None:
    """Return the positions of the bytes that a ``Range`` header asks for.

    ``None`` for the whole resource: without the header, and for units, lists and malformed ranges, which a server may
    ignore. Raises `UnsatisfiableRangeError` if the range contains no byte of the resource.

    Examples
    --------
    >>> parse_range("bytes=2-5", 10), parse_range("bytes=7-", 10), parse_range("bytes=-4", 10)
    (range(2, 6), range(7, 10), range(6, 10))
    """
    found = _RANGE.fullmatch((header or "").strip())
    if found is None or found[0] == "bytes=-":
        return None
    first, last = found[1], found[2]
    if not first:
        start, stop = max(size - int(last), 0), size
    else:
        start, stop = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None
    if start >= size or start >= stop:
        raise UnsatisfiableRangeError(header)
    return range(start, stop)
