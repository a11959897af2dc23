"""Every shipped kernel keeps the contract, and the contract catches kernels that do not."""

from typing import Self

import numpy as np
import pytest

from anchorpbo.kernels import RBF, Hamming, Matern32, Matern52, Stationary, Tanimoto
from anchorpbo.testing import KernelContract
from anchorpbo.typing import Array

BITS = np.random.default_rng(0).integers(0, 2, size=(9, 6))
BITS[3] = 0
CATEGORIES = np.random.default_rng(1).integers(0, 3, size=(9, 3))

CONTRACTS = {
    "rbf": KernelContract(RBF(0.3), 2),
    "rbf-ard": KernelContract(RBF([0.2, 0.5, 1.0], 2.5), 3),
    "rbf-short": KernelContract(RBF(0.03, 1e3), 4),
    "rbf-long": KernelContract(RBF(30.0, 1e-3), 1),
    "matern32": KernelContract(Matern32(0.4, 2.0), 2),
    "matern32-ard": KernelContract(Matern32([0.4, 3.0]), 2),
    "matern52": KernelContract(Matern52(0.3), 3),
    "matern52-ard": KernelContract(Matern52([0.3, 0.6], 7.0), 2),
    "tanimoto": KernelContract(Tanimoto(1.5), 6, designs=BITS),
    "tanimoto-counts": KernelContract(Tanimoto(), 3, designs=CATEGORIES),
    "hamming": KernelContract(Hamming(0.5), 3, designs=CATEGORIES),
    "hamming-ard": KernelContract(Hamming([0.3, 0.6, 2.0], 0.4), 3, designs=CATEGORIES),
    "sum": KernelContract(RBF(0.3) + Matern32(0.5, 0.2), 2),
    "product": KernelContract(RBF([0.3, 2.0], 3.0) * Matern52(0.5), 2),
    "on-columns": KernelContract(RBF([0.3, 0.6]).on([2, 0]), 3),
    "mixed": KernelContract(RBF(0.3).on([0, 1]) * Hamming(1.0).on([2]) + Matern52(0.7), 3),
}


@pytest.mark.parametrize("check", KernelContract.checks())
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())
def test_shipped_kernel(contract: KernelContract, check: str) -> None:
    contract.check(check)


# -- kernels that break the contract ----------------------------------------------------------------------------------


class WrongSlope(Stationary):
    """RBF with the derivative of exp(-r^2)."""

    def shape(self, r2: Array) -> tuple[Array, Array]:
        e = np.exp(-0.5 * r2)
        return e, -e


class NotPositive(Stationary):
    """cos(3 r) is no covariance in two dimensions."""

    def shape(self, r2: Array) -> tuple[Array, Array]:
        r = np.sqrt(np.maximum(r2, 1e-30))
        return np.cos(3.0 * r), -1.5 * np.sin(3.0 * r) / r


class NotFinite(Stationary):
    """RBF whose derivative divides by r."""

    def shape(self, r2: Array) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore"):
            e = np.exp(-0.5 * r2)
            return e, -0.5 * e * np.sqrt(r2) / np.sqrt(r2)


class Expanded(RBF):
    """RBF by expanding the square: designs 1e-12 apart get a distance of rounding."""

    def _paired_squared_distances(self, X: Array, Y: Array) -> Array:
        return np.asarray(((X**2).sum(axis=1) + (Y**2).sum(axis=1) - 1.0 * (X * Y).sum(axis=1)) / self.lengths**2)


class Forgetful(RBF):
    """Takes new hyper-parameters and keeps the old."""

    def with_log_parameters(self, theta: Array) -> Self:
        return self


class Anonymous(RBF):
    """A name is missing."""

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("lengthscale",)


class Moody(RBF):
    """Shifts the designs it is given in place."""

    def __call__(self, X: Array, Y: Array) -> Array:
        value = super().__call__(X, Y)
        if X.flags.writeable and X.size:
            X += 1e-3
        return value


class Closed(RBF):
    """Claims to have no gradient, but gives one."""

    @property
    def differentiable(self) -> bool:
        return False


class Melting(RBF):
    """An RBF that forgot to be frozen."""

    __setattr__ = object.__setattr__


@pytest.mark.parametrize(
    ("kernel", "check"),
    [
        (WrongSlope(0.3), "check_input_gradient"),
        (WrongSlope(0.3), "check_paired_gradient"),
        (WrongSlope(0.3), "check_parameter_gradient"),
        (NotPositive(0.3), "check_positive_semidefinite"),
        (NotFinite(0.3), "check_finite_where_designs_meet"),
        (Expanded(0.3), "check_paired_agrees"),
        (Forgetful(0.3), "check_parameters_round_trip"),
        (Anonymous(0.3), "check_parameter_names"),
        (Moody(0.3), "check_immutable"),
        (Melting(0.3), "check_immutable"),
        (Closed(0.3), "check_input_gradient"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Stationary) else value,
)
def test_broken_kernel_is_caught(kernel: Stationary, check: str) -> None:
    contract = KernelContract(kernel, 2)
    with pytest.raises(AssertionError):
        contract.check(check)


def test_every_broken_check_is_named_at_once() -> None:
    with pytest.raises(AssertionError) as failure:
        KernelContract(WrongSlope(0.3), 2).check_all()
    message = str(failure.value)
    assert message.startswith(f"3 of {len(KernelContract.checks())} checks failed for WrongSlope(")
    for check in ("check_input_gradient", "check_paired_gradient", "check_parameter_gradient"):
        assert check in message


def test_failure_says_what_was_expected_and_where() -> None:
    with pytest.raises(AssertionError, match=r"input_gradient must be .* within .*; it is .* at index \(\d+, \d+\)"):
        KernelContract(WrongSlope(0.3), 2).check_input_gradient()


def test_unknown_check_is_an_error() -> None:
    with pytest.raises(AssertionError, match="there is no check 'check_nothing'"):
        KernelContract(RBF(0.3), 2).check("check_nothing")


def test_error_inside_a_check_is_reported_with_its_name() -> None:
    with pytest.raises(AssertionError, match="check_dimension_accepted: ShapeError"):
        KernelContract(RBF([0.3, 0.3, 0.3]), 1).check_all()
