"""The one way this library compiles a function: `jit`, a typed `numba.njit` with an on-disk cache.

Numba's cache notices when the file of a function changes, but not when a compiled function that it *calls* changes
in another file: the caller would go on running the old machine code, after an edit as after an upgrade. So the
stamp of each cached function here also covers the files of the compiled functions it calls, and theirs in turn.
Callees are found by name: write ``from module import callee``, not ``module.callee``, inside compiled code.

Before numba loads machine code from the cache it loads all that it knows about compiling, which takes a third of a
second and is not needed. `_load_only` leaves it out.

Two things make compiling slow. Each function is optimised once for itself and again in every caller, so a function with
one caller is `jit_inline`. Arrays that compiled code allocates bring in much code, so callers bring the memory.
`anchorpbo.numerics.tiering` puts compiling off until it pays.
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

_njit: Any = numba.njit  # some versions of numba come with types and some without; neither knows F
# As in numpy, x / 0 is an infinity and not an exception. Nobody calls from C, which would take an entry of its own.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def jit(function: F) -> F:
    """Compile on first call; keep the machine code on disk where some cache directory can be written."""
    try:
        dispatcher = _njit(function, cache=True, **_OPTIONS)
    except RuntimeError:  # numba found no writable directory, or the function has no source file
        return cast(F, _njit(function, **_OPTIONS))
    dispatcher.sources = _sources(function)
    # No public hooks exist (decision 34); without these attributes the cache is merely numba's own.
    cache: Any = getattr(dispatcher, "_cache", None)
    if all(hasattr(cache, name) for name in ("load_overload", "_load_overload", "_guard_against_spurious_io_errors")):
        cache.load_overload = partial(_load_only, cache)
    cache_file: Any = getattr(cache, "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        with suppress(OSError):  # no files in a zip or a frozen program, but there numba's stamp covers the whole
            cache_file._source_stamp = _stamp(dispatcher.sources)
    return cast(F, dispatcher)


def jit_inline(function: F) -> F:
    """For a function that compiled ones call: it becomes part of its callers, and takes no compiling of its own."""
    dispatcher = _njit(function, inline="always", **_OPTIONS)
    dispatcher.sources = _sources(function)
    return cast(F, dispatcher)


def _load_only(cache: Any, signature: Any, target: Any) -> Any:
    """What `FunctionCache.load_overload` does, without making the target ready to compile."""
    rtsys.initialize(target)  # memory for arrays that machine code makes
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


def _sources(function: Callable[..., Any]) -> frozenset[str]:
    """List the file of a function and those of the compiled functions below it."""
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    below: tuple[frozenset[str], ...] = tuple(getattr(callee, "sources", frozenset()) for callee in called)
    return frozenset({inspect.getfile(function)}).union(*below)


def _stamp(sources: frozenset[str]) -> str:
    """Hash the options and the contents of the files."""
    # In the order of their contents: paths differ between machines, and two files may have one name.
    contents = sorted(hashlib.sha256(Path(source).read_bytes()).hexdigest() for source in sources)
    return hashlib.sha256(repr((sorted(_OPTIONS.items()), contents)).encode()).hexdigest()
