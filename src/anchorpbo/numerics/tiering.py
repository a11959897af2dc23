"""Tiered compilation: a function is interpreted while it is cold and compiled once it is hot.

Compiling the functions of a first ask takes eight seconds, interpreting them a tenth of one. So a `jit_tiered` function

1. takes its machine code from the cache on disk, where an earlier process has left it;
2. else is interpreted, up to `MAX_INTERPRETED_SECONDS` in all and `MAX_INTERPRETED_NUMBERS` in the arrays of a call;
3. else is compiled, which fills the cache.

**Both tiers give the same bits**, so that no result depends on when a function was compiled. It is one source, and each
operation in it is rounded in the same way by CPython and by machine code: + - * / and square roots as IEEE 754 has it,
``math`` by the same C library, and LLVM neither reorders nor fuses operations unless told. That excludes from tiered
functions what differs: ``**`` (a product in machine code, ``pow`` in CPython), ``@`` (two builds of BLAS), sums over
whole arrays, and draws of random numbers. Where the interpreter raises an exception in place of an infinity or a NaN,
such as for a division by zero, the arguments are restored and machine code decides. With Intel's vector library, whose
``exp`` is another, nothing is interpreted. `tests/numerics/test_tiering.py` compares the bits of all tiered functions.
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

from anchorpbo.numerics.jit import jit

F = TypeVar("F", bound=Callable[..., Any])

MAX_INTERPRETED_SECONDS = 0.5
"""Seconds of interpreting after which a function is hot: about what compiling it takes."""
MAX_INTERPRETED_NUMBERS = 16_384
"""Numbers in the arguments of a call above which it is not interpreted: it could take longer than compiling."""

_config: Any = numba.config
_EAGER = ContextVar("eager", default=False)
_COMPILING: set[object] = set()
"""One entry for each thread that is compiling: numba keeps all others from its cache meanwhile."""


class _ColdError(Exception):
    """There is no machine code, and it is not time to compile it."""


@contextmanager
def compile_eagerly() -> Iterator[None]:
    """Compile every tiered function at its first call, in this thread; for warming up and for benchmarks."""
    before = _EAGER.set(True)
    try:
        yield
    finally:
        _EAGER.reset(before)


def jit_tiered(function: F) -> F:
    """Compile the function once it is hot. Its callees are `jit` or `jit_inline`, not tiered."""
    return cast(F, TieredFunction(jit(function)))


class TieredFunction:
    """A compiled function with the interpreter as its first tier."""

    def __init__(self, dispatcher: Any) -> None:
        update_wrapper(self, dispatcher.py_func)
        self.dispatcher = dispatcher
        self.seconds = math.inf if _config.USING_SVML else 0.0
        """Spent on interpreting; infinite once it has been compiled here."""
        self._has_machine_code: bool | None = None
        """Whether there is some for arguments of any types; ``None`` until the cache was asked."""
        # No public hook exists (decision 34); without this one all is compiled at once.
        cache: Any = getattr(dispatcher, "_cache", None)
        load: Callable[..., Any] | None = getattr(cache, "load_overload", None)
        if load is not None:
            cache.load_overload = partial(self._load, load)

    def __call__(self, *args: Any) -> Any:
        """Call it, by the tier whose turn it is."""
        has_code = self._has_machine_code
        if has_code or (has_code is None and not _COMPILING and not _EAGER.get()):
            try:
                result = self.dispatcher(*args)
            except _ColdError:  # for these types; there may be machine code for others
                self._has_machine_code = bool(has_code)
            else:
                self._has_machine_code = True
                return result
        if _EAGER.get() or self.seconds >= MAX_INTERPRETED_SECONDS or _size(args) > MAX_INTERPRETED_NUMBERS:
            return self.compile(args)
        return self.interpret(args)

    def compile(self, args: Sequence[Any]) -> Any:
        """Call it as machine code, and compile that unless it is there."""
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
        """Call it by the interpreter; where that raises an exception, as machine code."""
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

    @cached_property
    def interpretable(self) -> Callable[..., Any]:
        """The function in plain Python, and so its callees."""
        return _interpretable(self.dispatcher.py_func)

    def _load(self, load: Callable[..., Any], signature: Any, target: Any) -> Any:
        overload = load(signature, target)
        if overload is None and self.seconds < MAX_INTERPRETED_SECONDS and not _EAGER.get():
            raise _ColdError
        return overload


def _size(args: Sequence[Any]) -> int:
    """Numbers in all arrays among the arguments."""
    return sum(array.size for array in args if isinstance(array, np.ndarray))


def _interpretable(function: FunctionType) -> FunctionType:
    """The function with compiled callees replaced by the Python functions they were made from."""
    namespace = function.__globals__
    called = {name: getattr(namespace.get(name), "py_func", None) for name in function.__code__.co_names}
    plain = {name: _interpretable(callee) for name, callee in called.items() if callee is not None}
    return FunctionType(function.__code__, namespace | plain, function.__name__, function.__defaults__)
