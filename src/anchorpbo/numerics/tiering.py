"""Tiered compilation: a function is interpreted while it is cold and compiled once it is hot.

Compiling the functions of a first ask takes eight seconds; interpreting them takes a tenth of a second. A `jit_tiered`
function therefore

1. loads its machine code from the cache on disk, if an earlier process has compiled it;
2. otherwise is interpreted, for at most `MAX_INTERPRETED_SECONDS` in total and if the arrays of a call hold at most
   `MAX_INTERPRETED_NUMBERS`, or `MAX_VECTORISED_NUMBERS`;
3. otherwise is compiled, which fills the cache.

**Both tiers give the same bits**, so no result depends on when a function was compiled. Both run the same source, and
CPython and machine code round each operation in the same way: + - * / and square roots follow IEEE 754, ``math`` uses
the same C library, and LLVM neither reorders nor fuses operations by default. Tiered functions must not use operations
that differ: ``**`` (a product in machine code, ``pow`` in CPython), ``@`` (two builds of BLAS), sums over whole arrays,
and random numbers. If the interpreter raises an exception instead of returning an infinity or a NaN, for example for a
division by zero, the arguments are restored and machine code is run. With Intel's vector library, which has a different
``exp``, nothing is interpreted. `tests/numerics/test_tiering.py` compares the bits of all tiered functions.

**Vectorised functions.** CPython takes microseconds for one element of a kernel matrix, numpy a tenth of that or less.
The interpreter therefore evaluates a loop over `jit.elements` by numpy, all elements at once, from the same source. A
function whose loops are too short for that has a twin in numpy, which adds in the same order (`jit_tiered_with`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial, update_wrapper
from time import thread_time
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np

from anchorpbo.numerics.jit import elements, jit, maximum

F = TypeVar("F", bound=Callable[..., Any])

MAX_INTERPRETED_SECONDS = 0.5
"""Seconds of interpretation after which a function is hot: about the time to compile it."""
MAX_INTERPRETED_NUMBERS = 16_384
"""Calls with larger arrays than this are not interpreted, since that could take longer than compiling."""
MAX_VECTORISED_NUMBERS = 262_144
"""The same limit for vectorised functions, which take less than a tenth of the time per number."""

_config: Any = numba.config
_EAGER = ContextVar("eager", default=False)
_COMPILING: set[object] = set()
"""One entry per compiling thread; numba locks its cache for all other threads in the meantime."""


class _ColdError(Exception):
    """The function has no machine code yet and is too cold to be compiled."""


@contextmanager
def compile_eagerly() -> Iterator[None]:
    """Compile every tiered function at its first call in this thread, for warm-up and benchmarks."""
    before = _EAGER.set(True)
    try:
        yield
    finally:
        _EAGER.reset(before)


def jit_tiered(function: F) -> F:
    """Compile a function once it is hot. Its callees must be `jit` or `jit_inline`, not tiered."""
    return cast(F, TieredFunction(jit(function)))


def jit_tiered_with(twin: F) -> Callable[[F], F]:
    """Compile a function once it is hot, and until then call its `twin`, which computes the same bits with numpy.

    The last argument is working memory, which the twin need not use.
    """
    return lambda function: cast(F, TieredFunction(jit(function), twin))


class TieredFunction:
    """A compiled function with the interpreter as its first tier."""

    def __init__(self, dispatcher: Any, twin: Callable[..., Any] | None = None) -> None:
        update_wrapper(self, dispatcher.py_func)
        self.dispatcher, self.twin = dispatcher, twin
        self.vectorised = twin is not None or _loops_over_elements(dispatcher.py_func)
        """Whether numpy does the work of the interpreter."""
        self.seconds = math.inf if _config.USING_SVML else 0.0
        """Seconds spent on interpretation; infinite once this process has compiled the function."""
        self._has_machine_code: bool | None = None
        """Whether machine code exists for some argument types; ``None`` until the cache has been checked."""
        # Numba has no public hook for this (decision 34); without it functions are compiled at their first call.
        cache: Any = getattr(dispatcher, "_cache", None)
        load: Callable[..., Any] | None = getattr(cache, "load_overload", None)
        if load is not None:
            cache.load_overload = partial(self._load, load)

    def __call__(self, *args: Any) -> Any:
        """Call the function by the current tier."""
        has_code = self._has_machine_code
        if has_code or (has_code is None and not _COMPILING and not _EAGER.get()):
            try:
                result = self.dispatcher(*args)
            except _ColdError:  # no machine code for these types; there may be some for others
                self._has_machine_code = bool(has_code)
            else:
                self._has_machine_code = True
                return result
        if _EAGER.get() or self.seconds >= MAX_INTERPRETED_SECONDS or _size(args) > self.max_numbers:
            return self.compile(args)
        return self.interpret(args)

    def compile(self, args: Sequence[Any]) -> Any:
        """Call the function as machine code; compile it first if needed."""
        token = object()
        _COMPILING.add(token)
        try:
            with compile_eagerly():
                result = self.dispatcher(*args)
        finally:
            _COMPILING.discard(token)
        self.seconds, self._has_machine_code = math.inf, True
        return result

    def interpret(self, args: Sequence[Any]) -> Any:
        """Call the function in the interpreter; if that raises an arithmetic error, call it as machine code."""
        arrays = [(array, array.copy()) for array in args if isinstance(array, np.ndarray) and array.flags.writeable]
        began = thread_time()
        try:
            with np.errstate(all="ignore"):
                return self.interpretable(*args)
        except (ArithmeticError, ValueError):
            for array, before in arrays:
                array[...] = before
        finally:
            self.seconds += thread_time() - began
        return self.compile(args)

    @property
    def max_numbers(self) -> int:
        """Total size of the arrays above which a call is not interpreted."""
        return MAX_VECTORISED_NUMBERS if self.vectorised else MAX_INTERPRETED_NUMBERS

    @cached_property
    def interpretable(self) -> Callable[..., Any]:
        """The function, or its twin, and its callees in plain Python."""
        return _interpretable(self.twin or self.dispatcher.py_func)

    def _load(self, load: Callable[..., Any], signature: Any, target: Any) -> Any:
        overload = load(signature, target)
        if overload is None and self.seconds < MAX_INTERPRETED_SECONDS and not _EAGER.get():
            raise _ColdError
        return overload


def _size(args: Sequence[Any]) -> int:
    """Return the total size of the arrays among the arguments."""
    return sum(array.size for array in args if isinstance(array, np.ndarray))


def _interpretable(function: Any) -> Callable[..., Any]:
    """Return the function with its compiled callees replaced by their Python functions, and loops by slices."""
    namespace: dict[str, Any] = function.__globals__
    plain: dict[str, Any] = {}
    for name in function.__code__.co_names:
        value: Any = namespace.get(name)
        if value is elements:
            plain[name] = _slice_all
        elif value is maximum:
            plain[name] = np.maximum
        elif hasattr(value, "py_func"):
            plain[name] = _interpretable(value.py_func)
    return FunctionType(function.__code__, namespace | plain, function.__name__, function.__defaults__)


def _loops_over_elements(function: Any) -> bool:
    return any(function.__globals__.get(name) is elements for name in function.__code__.co_names)


def _slice_all(count: int) -> tuple[slice]:
    """Return the only index of an interpreted loop over `elements`."""
    return (slice(0, count),)
