"""Base class of the contract suites, assertions and finite differences."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar, final

import numpy as np
import numpy.typing as npt

from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.typing import Array

T = TypeVar("T")


class Contract:
    """A suite of checks of one object: the methods whose names begin with ``check_``."""

    prerequisites: ClassVar[tuple[str, ...]] = ()
    """Names of the checks that run first; if one fails, the others would only report its consequences."""

    def __init__(self, subject: object) -> None:
        self.subject = subject

    @final
    @classmethod
    def checks(cls) -> tuple[str, ...]:
        """Return the names of the checks for ``pytest.mark.parametrize``: the prerequisites, then all others."""
        written = (name for base in reversed(cls.__mro__) for name in vars(base))
        found = (name for name in written if name.startswith("check_") and name != "check_all")
        return tuple(dict.fromkeys([*cls.prerequisites, *found]))

    @final
    def check(self, name: str) -> None:
        """Run the check with this name."""
        ensure(name in self.checks(), f"there is no check {name!r}; there are {', '.join(self.checks())}")
        self._run(name)

    @final
    def check_all(self) -> None:
        """Run every check, and raise one error with all failures; a failed prerequisite ends the run."""
        failures: list[str] = []
        note: list[str] = []
        cause: Exception | None = None
        for name in self.checks():
            try:
                self._run(name)
            except Exception as error:
                failures.append(f"{name}: {error if isinstance(error, AssertionError) else repr(error)}")
                cause = cause or error
                if name in self.prerequisites:
                    note = ["The remaining checks depend on it and were not run."]
                    break
        if failures:
            head = f"{len(failures)} of {len(self.checks())} checks failed for {self.subject!r}:"
            raise AssertionError("\n  ".join([head, *failures, *note])) from cause

    def _run(self, name: str) -> None:
        # The matrices here are tiny, and values that are not finite are reported by the checks.
        with one_blas_thread(), np.errstate(all="ignore"):
            getattr(self, name)()


# -- assertions -------------------------------------------------------------------------------------------------------


def ensure(condition: object, message: str) -> None:
    """Fail with the message unless the condition holds; unlike ``assert``, it also works under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def ensure_finite(what: str, values: npt.ArrayLike, at: Mapping[str, Array] | None = None) -> None:
    """Fail unless all values are finite; the message shows the first that is not, and where (see `ensure_close`)."""
    array = np.asarray(values)
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        where = tuple(int(i) for i in bad[0])
        raise AssertionError(f"{what} must be finite; it is {array[where]}{_describe_place(where, at)}")


def ensure_shape(what: str, array: Array, shape: tuple[int, ...]) -> None:
    """Fail unless `array` is an array of float64 with this shape."""
    ensure(isinstance(array, np.ndarray), f"{what} must be an array; it is a {type(array).__name__}")
    ensure(array.shape == shape, f"{what} must have shape {shape}; it has {array.shape}")
    ensure(array.dtype == np.float64, f"{what} must hold floats; it holds {array.dtype}")


def ensure_close(
    what: str,
    actual: npt.ArrayLike,
    expected: npt.ArrayLike,
    rtol: float = 0.0,
    atol: npt.ArrayLike = 0.0,
    at: Mapping[str, Array] | None = None,
) -> None:
    """Fail unless |actual - expected| <= atol + rtol |expected| everywhere; the message shows the worst entry.

    `at` holds the arguments of the values by name, in the same shape, such as ``{"g": g}``. The message shows those of
    the entry; without them it shows the index.
    """
    actual, expected = np.asarray(actual, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    ensure(actual.shape == expected.shape, f"{what} must have shape {expected.shape}; it has {actual.shape}")
    ensure_finite(f"the reference value of {what}", expected, at)
    ensure_finite(what, actual, at)
    allowed = np.broadcast_to(np.asarray(atol) + rtol * np.abs(expected), expected.shape)
    excess = np.abs(actual - expected) - allowed
    if excess.size and not excess.max() <= 0.0:
        where = np.unravel_index(int(np.argmax(np.nan_to_num(excess, nan=np.inf))), excess.shape)
        place = tuple(int(i) for i in where)
        raise AssertionError(
            f"{what} must be {float(expected[where])!r} within {float(allowed[where]):.3g}; "
            f"it is {float(actual[where])!r}{_describe_place(place, at)}"
        )


def _describe_place(place: tuple[int, ...], at: Mapping[str, Array] | None) -> str:
    if at is not None:
        return " at " + ", ".join(f"{name} = {float(values[place])!r}" for name, values in at.items())
    return f" at index {place}" if place else ""


def ensure_same_bits(what: str, actual: npt.ArrayLike, expected: npt.ArrayLike) -> None:
    """Fail unless both arrays are bitwise equal."""
    same = np.array_equal(np.asarray(actual), np.asarray(expected), equal_nan=True)
    ensure(same, f"{what} must be the same to the last bit; it differs")


def ensure_raises(kind: type[Exception], what: str, call: Callable[[], object]) -> None:
    """Fail unless the call raises an error of this type."""
    try:
        call()
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{what} must raise {kind.__name__}; it raised {error!r}") from error
    raise AssertionError(f"{what} must raise {kind.__name__}; it raised nothing")


def ensure_immutable(subject: object) -> None:
    """Fail if a field can be set, or an array in a field can be written to."""
    for name in _fields(subject):
        value = getattr(subject, name)
        try:
            setattr(subject, name, value)
        except AttributeError:
            pass
        else:
            raise AssertionError(f"{name} must not be settable; make {type(subject).__name__} a frozen dataclass")
        writable = isinstance(value, np.ndarray) and value.flags.writeable
        ensure(not writable, f"the array {name} must be read-only; it can be written to")


def _fields(subject: object) -> list[str]:
    if dataclasses.is_dataclass(subject):
        return [field.name for field in dataclasses.fields(subject)]
    return list(vars(subject))


def pickle_and_load(subject: T) -> T:
    """Return a pickled and unpickled copy, as another process would receive it."""
    try:
        copy: Any = pickle.loads(pickle.dumps(subject))
    except Exception as error:
        raise AssertionError(f"{type(subject).__name__} must pickle; it raised {error!r}") from error
    ensure(type(copy) is type(subject), f"a pickled {type(subject).__name__} came back as {type(copy).__name__}")
    result: T = copy
    return result


# -- finite differences -----------------------------------------------------------------------------------------------


def differentiate(function: Callable[[float], Array], step: npt.ArrayLike) -> Array:
    """Return the derivative by the five-point rule, with an error of order step^4; `function(t)` is t steps away.

    The step may be an array with one step per entry of the value.
    """
    near, far = function(1.0) - function(-1.0), function(2.0) - function(-2.0)
    return np.asarray((8.0 * near - far) / (12.0 * np.asarray(step)))


def differentiate_items(function: Callable[[Array], Array], X: Array, step: float = 1e-4) -> Array:
    """Return the gradient, in the shape of X, of a function with values, (n,), that each depend on one X[i]."""
    gradient = np.empty(X.shape)
    for place in np.ndindex(*X.shape[1:]):
        shift = np.zeros(X.shape[1:])
        shift[place] = step
        gradient[(slice(None), *place)] = differentiate(lambda t, shift=shift: function(X + t * shift), step)  # type: ignore[misc]
    return gradient
