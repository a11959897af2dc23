"""Compilation with numba: `jit`, a typed `numba.njit` with an on-disk cache.

Numba's cache is invalidated when the file of a function changes, but not when a compiled function that it *calls*
changes in another file. After an edit or an upgrade the caller would keep running the old machine code. So the source
stamp of each cached function here covers the files of all compiled functions that it calls, directly or indirectly.
Callees are found by name: write ``from module import callee``, not ``module.callee``, inside compiled code.

Before numba loads machine code from the cache it initialises its compiler, which takes a third of a second and is not
needed. `_load_only` skips that.

Two things make compilation slow. Each function is optimised once on its own and again in every caller, so a function
with one caller is `jit_inline`. Array allocation inside compiled code adds much code, so callers allocate the arrays.
`anchorpbo.numerics.tiering` delays compilation until it pays off.
"""

import hashlib
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.runtime.nrt import rtsys

F = TypeVar("F", bound=Callable[..., Any])

elements = range
"""Indices of an elementwise loop, in which no element depends on another: ``for i in elements(n): y[i] = 2.0 * x[i]``.

In machine code it is ``range``. The interpreter of `anchorpbo.numerics.tiering` gets one slice of all indices instead,
so that numpy evaluates the loop at once, with the same bits. The body must not branch on the index or an element.
"""
maximum = max
"""Larger of two numbers in an elementwise loop, whose arguments are arrays in the interpreter."""

_njit: Any = numba.njit  # some versions of numba have type hints and some do not; none of them accept F
# As in numpy, x / 0 is infinite and does not raise. There are no calls from C, so no C wrapper is compiled.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def jit(function: F) -> F:
    """Compile a function on its first call; cache the machine code on disk if a cache directory is writable."""
    try:
        dispatcher = _njit(function, cache=True, **_OPTIONS)
    except RuntimeError:  # numba found no writable directory, or the function has no source file
        return cast(F, _njit(function, **_OPTIONS))
    dispatcher.sources = _sources(function)
    # Numba has no public hooks for this (decision 34); without these attributes its own cache is used.
    cache: Any = getattr(dispatcher, "_cache", None)
    if all(hasattr(cache, name) for name in ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")):
        cache.load_overload = partial(_load_only, cache)
    cache_file: Any = getattr(cache, "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        with suppress(OSError):  # no files in a zip or a frozen program, but numba's stamp covers those as a whole
            cache_file._source_stamp = _stamp(dispatcher.sources)
    return cast(F, dispatcher)


def jit_inline(function: F) -> F:
    """Inline a function into its compiled callers, so that it is not compiled separately."""
    dispatcher = _njit(function, inline="always", **_OPTIONS)
    dispatcher.sources = _sources(function)
    return cast(F, dispatcher)


def _load_only(cache: Any, signature: Any, target: Any) -> Any:
    """Load machine code as `FunctionCache.load_overload` does, without initialising the compiler."""
    rtsys.initialize(target)  # memory management of arrays that the machine code allocates
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


def _sources(function: Callable[..., Any]) -> frozenset[str]:
    """Return the file of a function and the files of all compiled functions that it calls."""
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    below: tuple[frozenset[str], ...] = tuple(getattr(callee, "sources", frozenset()) for callee in called)
    return frozenset({inspect.getfile(function)}).union(*below)


def _stamp(sources: frozenset[str]) -> str:
    """Hash the options and the contents of the files."""
    # Sorted by content, because paths differ between machines and two files may have the same name.
    contents = sorted(hashlib.sha256(Path(source).read_bytes()).hexdigest() for source in sources)
    return hashlib.sha256(repr((sorted(_OPTIONS.items()), contents)).encode()).hexdigest()
