"""Rules of the kernels' arguments."""

from collections.abc import Callable

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.kernels import RBF, Hamming, Kernel, Matern32, Matern52, Tanimoto


@pytest.mark.parametrize("family", [RBF, Matern32, Matern52, Hamming])
@pytest.mark.parametrize("lengthscale", [0.0, -1.0, [0.3, 0.0], []])
def test_length_scales_are_positive(family: Callable[..., Kernel], lengthscale: object) -> None:
    with pytest.raises(InputError, match=r"lengthscale must be above 0; received .*; choose positive values"):
        family(lengthscale)


@pytest.mark.parametrize("lengthscale", [np.nan, np.inf, [0.3, np.nan]])
def test_length_scales_are_finite(lengthscale: object) -> None:
    with pytest.raises(InputError, match="lengthscale must be finite"):
        RBF(lengthscale)  # type: ignore[arg-type]


def test_length_scales_are_a_vector() -> None:
    with pytest.raises(ShapeError, match="lengthscale must be a number or one-dimensional; received"):
        RBF([[0.3, 0.3]])
    with pytest.raises(InputError, match="lengthscale must be numbers; received 'long'"):
        RBF("long")


@pytest.mark.parametrize("family", [lambda s: RBF(0.3, s), Tanimoto, lambda s: Hamming(0.3, s)])
@pytest.mark.parametrize("outputscale", [0.0, -1.0, np.nan, np.inf, True, "1"])
def test_output_scales_are_positive(family: Callable[..., Kernel], outputscale: object) -> None:
    with pytest.raises(InputError, match="outputscale must be a finite number above 0"):
        family(outputscale)


@pytest.mark.parametrize("kernel", [RBF([0.1, 0.2]), Matern52([0.1, 0.2]), Hamming([0.1, 0.2])])
def test_there_is_one_length_scale_or_one_a_coordinate(kernel: Kernel) -> None:
    kernel.check_dimension(2)
    message = "lengthscale must be one number or 3, one per coordinate; received 2 of them; match the designs"
    with pytest.raises(ShapeError, match=message):
        kernel.check_dimension(3)
    with pytest.raises(ShapeError, match=message):
        (RBF(0.3) + kernel).check_dimension(3)
    with pytest.raises(ShapeError, match=message):
        (kernel * RBF(0.3)).check_dimension(3)


@pytest.mark.parametrize("columns", [[], [-1], [0, 0], [0.5], [True]])
def test_columns_are_distinct_numbers_from_zero(columns: list[int]) -> None:
    with pytest.raises(InputError, match="columns must be one or more distinct whole numbers from 0"):
        RBF(0.3).on(columns)


def test_columns_exist() -> None:
    kernel = RBF(0.3).on([0, 4])
    kernel.check_dimension(5)
    with pytest.raises(ShapeError, match=r"columns must be below the 4 coordinates of a design; received \(0, 4\)"):
        kernel.check_dimension(4)


def test_columns_match_the_length_scales() -> None:
    with pytest.raises(ShapeError, match="lengthscale must be one number or 3, one per coordinate; received 2 of them"):
        RBF([0.1, 0.2]).on([0, 1, 2])


@pytest.mark.parametrize("kernel", [Tanimoto(), Hamming(0.3)])
def test_finite_kernels_have_no_gradient(kernel: Kernel) -> None:
    X, name = np.eye(3), type(kernel).__name__
    message = f"the {name} kernel has no gradient in x; search over the list of designs instead"
    with pytest.raises(UnsupportedError, match=message):
        kernel.input_gradient(X, X, X)
    with pytest.raises(UnsupportedError, match=message):
        kernel.paired_gradient(X, X, np.ones(3))
    assert not kernel.differentiable
    assert not (kernel + RBF(0.3)).differentiable
    assert not (RBF(0.3) * kernel).differentiable
    assert not kernel.on([0, 1]).differentiable


def test_length_scales_do_not_change_with_the_array_they_came_from() -> None:
    lengths = np.array([0.1, 0.2])
    kernel = RBF(lengths)
    lengths[0] = 5.0
    np.testing.assert_array_equal(kernel.lengthscale, [0.1, 0.2])
