"""Validation of arguments when an object is created.

Arrays are copied to read-only float (or index) arrays, so that valid arguments stay valid.
"""

from numbers import Real
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.typing import Array, IntArray

AnyArray = TypeVar("AnyArray", bound=npt.NDArray[Any])


def freeze(array: AnyArray) -> AnyArray:
    """Mark an array as read-only and return it."""
    array.setflags(write=False)
    return array


def as_read_only(array: Array) -> Array:
    """Return a C-contiguous view that compiled code cannot write to.

    Numba treats read-only and writable arrays as different types; using one type avoids a second compilation.
    """
    return freeze(np.ascontiguousarray(array).view())


def as_floats(name: str, values: npt.ArrayLike) -> Array:
    """Copy to a float array without NaN or infinity, of any shape."""
    try:
        given = np.asarray(values)
        if np.iscomplexobj(given) or np.ma.is_masked(values):
            raise TypeError("complex or masked values")
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        remedy = "give rows of equal length, and floats rather than text, complex numbers or masked values"
        raise InputError(f"{name} must be numbers", repr(values), remedy) from error
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~np.atleast_1d(finite))[0]) if array.ndim else ()
        place = f" at index {where}" if where else ""
        raise InputError(f"{name} must be finite", f"{array[where]}{place}", "drop or repair it")
    return freeze(array)


def as_points(name: str, values: npt.ArrayLike, dimension: int | None = None) -> Array:
    """Copy to an (n, d) array of finite designs; d must equal `dimension` if that is given."""
    array = as_floats(name, values)
    expected = "(n, d)" if dimension is None else f"(n, {dimension})"
    if array.ndim != 2 or (dimension is not None and array.shape[1] != dimension):
        raise ShapeError(f"{name} must have shape {expected}", array.shape, "give one design per row")
    return array


def as_vector(name: str, values: npt.ArrayLike) -> Array:
    """Copy to a one-dimensional array of finite numbers; a scalar becomes an array of length one."""
    array = as_floats(name, values)
    if array.ndim > 1:
        raise ShapeError(f"{name} must be a number or one-dimensional", array.shape, "flatten it")
    return freeze(np.atleast_1d(array))


def as_indices(name: str, values: npt.ArrayLike, size: int) -> IntArray:
    """Copy to an index array whose entries lie in ``range(size)``."""
    try:
        array = np.array(values)
    except ValueError as error:
        raise InputError(f"{name} must be integers", repr(values), "give rows of equal length") from error
    if array.size == 0:
        array = array.astype(np.intp)
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} must be integers", f"an array of {array.dtype}", "give row numbers of points")
    outside = array[(array < 0) | (array >= size)]
    if outside.size:
        rule = f"{name} must be row numbers of points, " + (f"0 to {size - 1}" if size else "and there are no points")
        raise InputError(rule, int(outside[0]), "check the numbering")
    return freeze(array.astype(np.intp))


def as_positive(name: str, value: float) -> float:
    """Return a finite number above zero as a float."""
    if not _is_number(value) or value <= 0:
        raise InputError(f"{name} must be a finite number above 0", repr(value), "choose a positive value")
    return float(value)


def as_non_negative(name: str, value: float) -> float:
    """Return a finite number of at least zero as a float."""
    if not _is_number(value) or value < 0:
        raise InputError(f"{name} must be a finite number of at least 0", repr(value), "choose 0 or more")
    return float(value)


def as_share(name: str, value: float) -> float:
    """Return a number from 0 to 1 as a float."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise InputError(f"{name} must be a number from 0 to 1", repr(value), "write 0.1 for ten per cent")
    return float(value)


def as_integer(name: str, value: int, minimum: int) -> int:
    """Return a whole number of at least `minimum` as an int."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < minimum:
        raise InputError(
            f"{name} must be a whole number of at least {minimum}", repr(value), f"choose {minimum} or more"
        )
    return int(value)


def as_generator(rng: np.random.Generator) -> np.random.Generator:
    """Return a random generator; raise `InputError` for any other object."""
    if not isinstance(rng, np.random.Generator):
        raise InputError("rng must be a numpy.random.Generator", repr(rng), "use numpy.random.default_rng(0)")
    return rng


def as_positive_bounds(name: str, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return a pair of positive numbers (lower, upper) with lower <= upper."""
    try:
        lower, upper = bounds
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a pair (lower, upper)", repr(bounds), "give two numbers") from error
    lower, upper = as_positive(f"the lower end of {name}", lower), as_positive(f"the upper end of {name}", upper)
    if lower > upper:
        raise InputError(f"{name} must have lower <= upper", (lower, upper), "swap the two")
    return lower, upper


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
    except OverflowError:  # an integer with more than 308 digits
        return False
