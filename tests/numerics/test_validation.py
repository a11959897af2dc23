"""Each check's rule, with its message, and what it returns."""

from fractions import Fraction

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.numerics.validation import (
    as_floats,
    as_indices,
    as_non_negative,
    as_points,
    as_positive,
    as_positive_bounds,
    as_vector,
    freeze,
)


class TestFloats:
    def test_copy_is_read_only_and_the_argument_is_not(self) -> None:
        given = np.array([1.0, 2.0])
        got = as_floats("x", given)
        given[0] = 9.0
        assert got.tolist() == [1.0, 2.0]
        assert not got.flags.writeable
        assert given.flags.writeable

    @pytest.mark.parametrize("values", [[1, 2], (1.0, 2), np.array([1, 2], dtype=np.int8), [Fraction(1), True]])
    def test_numbers_of_any_kind_become_floats(self, values: object) -> None:
        assert as_floats("x", values).dtype == np.float64  # type: ignore[arg-type]

    @pytest.mark.parametrize("shape", [(), (0,), (2, 3, 4)])
    def test_any_shape_will_do(self, shape: tuple[int, ...]) -> None:
        assert as_floats("x", np.zeros(shape)).shape == shape

    @pytest.mark.parametrize("values", ["text", ["a", "b"], [[1.0], [1.0, 2.0]], {"a": 1}, object(), [1j]])
    def test_what_is_no_number(self, values: object) -> None:
        with pytest.raises(InputError, match=r"x must be numbers; received .*; give rows of equal length"):
            as_floats("x", values)  # type: ignore[arg-type]

    def test_long_values_are_cut_in_the_message(self) -> None:
        with pytest.raises(InputError) as failure:
            as_floats("x", "a" * 1000)
        assert len(str(failure.value)) < 400

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_what_is_not_finite(self, bad: float) -> None:
        with pytest.raises(InputError, match=rf"x must be finite; received {bad} at index \(1, 0\); drop or repair it"):
            as_floats("x", [[0.0, 1.0], [bad, bad]])

    def test_scalar_that_is_not_finite(self) -> None:
        with pytest.raises(InputError, match="x must be finite; received nan"):
            as_floats("x", np.nan)


class TestPoints:
    def test_points(self) -> None:
        got = as_points("X", [[0.1, 0.2]])
        assert got.shape == (1, 2)
        assert not got.flags.writeable
        assert as_points("X", np.empty((0, 3)), 3).shape == (0, 3)

    @pytest.mark.parametrize("values", [0.5, [0.1, 0.2], [[[0.1]]], []])
    def test_points_are_a_matrix(self, values: object) -> None:
        with pytest.raises(ShapeError, match=r"X must have shape \(n, d\); received .*; give one design per row"):
            as_points("X", values)  # type: ignore[arg-type]

    def test_dimension_where_it_is_known(self) -> None:
        with pytest.raises(ShapeError, match=r"X must have shape \(n, 3\); received \(1, 2\)"):
            as_points("X", [[0.1, 0.2]], 3)


class TestVector:
    def test_scalar_becomes_a_vector(self) -> None:
        assert as_vector("v", 2.0).tolist() == [2.0]
        assert not as_vector("v", 2.0).flags.writeable
        assert as_vector("v", [1, 2]).tolist() == [1.0, 2.0]

    def test_matrix_is_refused(self) -> None:
        with pytest.raises(ShapeError, match=r"v must be a number or one-dimensional; received \(1, 1\); flatten it"):
            as_vector("v", [[1.0]])


class TestIndices:
    def test_indices(self) -> None:
        got = as_indices("i", [0, 2], 3)
        assert got.dtype == np.intp
        assert not got.flags.writeable
        assert as_indices("i", np.array([0, 2], dtype=np.uint8), 3).dtype == np.intp

    def test_nothing_is_an_index_array_too(self) -> None:
        assert as_indices("i", [], 3).dtype == np.intp
        assert as_indices("i", np.empty((0, 2)), 0).shape == (0, 2)

    @pytest.mark.parametrize("values", [[0.0], [True], ["0"], [None]])
    def test_what_is_no_integer(self, values: object) -> None:
        with pytest.raises(InputError, match="i must be integers; received an array of"):
            as_indices("i", values, 3)  # type: ignore[arg-type]

    @pytest.mark.parametrize("value", [-1, 3, 10**12])
    def test_what_is_out_of_range(self, value: int) -> None:
        message = f"i must be row numbers of points, 0 to 2; received {value}; check the numbering"
        with pytest.raises(InputError, match=message):
            as_indices("i", [0, value], 3)


class TestNumbers:
    @pytest.mark.parametrize("value", [1, 0.5, np.float32(2.0), np.int64(3), Fraction(1, 2)])
    def test_positive_numbers_become_floats(self, value: float) -> None:
        assert as_positive("a", value) == float(value)
        assert type(as_positive("a", value)) is float
        assert type(as_non_negative("a", value)) is float

    @pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, True, "1", None, [1.0]])
    def test_positive(self, value: object) -> None:
        with pytest.raises(
            InputError, match=r"a must be a finite number above 0; received .*; choose a positive value"
        ):
            as_positive("a", value)  # type: ignore[arg-type]

    @pytest.mark.parametrize("value", [-1e-300, np.nan, -np.inf, False, "0", None])
    def test_non_negative(self, value: object) -> None:
        with pytest.raises(InputError, match=r"a must be a finite number of at least 0; received .*; choose 0 or more"):
            as_non_negative("a", value)  # type: ignore[arg-type]

    def test_zero_is_non_negative(self) -> None:
        assert as_non_negative("a", 0) == 0.0


class TestBounds:
    def test_bounds(self) -> None:
        assert as_positive_bounds("b", (1, 2)) == (1.0, 2.0)
        assert as_positive_bounds("b", (1.0, 1.0)) == (1.0, 1.0)
        assert as_positive_bounds("b", [0.1, 3]) == (0.1, 3.0)  # type: ignore[arg-type]

    @pytest.mark.parametrize("bounds", [1.0, (1.0,), (1.0, 2.0, 3.0), None])
    def test_bounds_are_a_pair(self, bounds: object) -> None:
        with pytest.raises(InputError, match=r"b must be a pair \(lower, upper\); received .*; give two numbers"):
            as_positive_bounds("b", bounds)  # type: ignore[arg-type]

    def test_bounds_are_positive(self) -> None:
        with pytest.raises(InputError, match="the lower end of b must be a finite number above 0"):
            as_positive_bounds("b", (0.0, 1.0))
        with pytest.raises(InputError, match="the upper end of b must be a finite number above 0"):
            as_positive_bounds("b", (1.0, np.inf))

    def test_bounds_do_not_decrease(self) -> None:
        with pytest.raises(InputError, match=r"b must have lower <= upper; received \(2.0, 1.0\); swap the two"):
            as_positive_bounds("b", (2.0, 1.0))


def test_frozen_returns_the_array_itself() -> None:
    array = np.zeros(2)
    assert freeze(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0
