"""Data from outside: what JSON can carry and every back end can keep, and nothing that breaks whoever reads on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anchorpbo.errors import AnchorPBOError, InputError

DEEPEST = 32
"""Lists and objects within one another."""
_LARGEST = 2**1023
"""Whole numbers up to this are doubles too."""


def check_plain(what: str, data: Any) -> None:
    """Raise unless data is of objects, lists, text, finite numbers, booleans and null, and not nested too deeply."""
    level = [data]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                for key in value:
                    _check_key(what, key)
                below.extend(value.values())
            elif isinstance(value, list | tuple):
                below.extend(value)
            elif isinstance(value, str):
                _check_text(what, value)
            else:
                _check_scalar(what, value)
        if not below:
            return
        level = below
    raise InputError(f"{what} must not be nested more than {DEEPEST} deep", "something deeper", "make it flatter")


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Refuse data that was not foreseen as an `InputError`: what comes from anywhere is not to be taken for a bug."""
    try:
        yield
    except AnchorPBOError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        TypeError,
        ValueError,
        RecursionError,
    ) as problem:
        received = f"{type(problem).__name__}: {problem}"
        raise InputError(
            f"{what} must be as the documentation says", received, "compare it with an example"
        ) from problem


def _check_key(what: str, key: object) -> None:
    if not isinstance(key, str):
        raise InputError(f"{what} must have texts for keys", repr(key), "put it in quotes")
    _check_text(what, key)


def _check_text(what: str, text: str) -> None:
    # ASCII, by far the most frequent, cannot hold half a pair.
    if "\0" in text or (not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)):
        rule = f"{what} must not hold NUL characters or half a surrogate pair"
        raise InputError(rule, ascii(text), "leave odd characters out")


def _check_scalar(what: str, value: object) -> None:
    if isinstance(value, float):
        fits = math.isfinite(value)
    else:
        fits = value is None or (isinstance(value, int) and abs(value) < _LARGEST)
    if not fits:
        received = repr(value) if isinstance(value, float) else type(value).__name__ + " that is too large or unknown"
        raise InputError(f"{what} must hold finite numbers, texts, true, false and null", received, "correct it")
