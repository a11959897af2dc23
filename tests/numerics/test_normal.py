"""The standard normal against high precision, from one tail to the other."""

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from anchorpbo.numerics.normal import (
    LOG_SQRT_2PI,
    cdf,
    density,
    hazard,
    hazard_excess,
    log_cdf,
    mills_ratio,
    mixture_quantile,
)

Z = np.array(
    [-1e8, -1e4, -300.0, -60.0, -38.5, -37.5, -20.0, -8.0, -4.0000001, -4.0, -3.9999999, -1.0, -1e-3, -1e-10, 0.0]
)
BOTH = np.concatenate([Z, -Z])


def high_precision(name: str, z: float) -> mp.mpf:
    """The quantity by its definition; Phi from erfc, which is accurate on the left."""
    x = mp.mpf(z)
    Phi = mp.erfc(-x / mp.sqrt(2)) / 2
    if name == "mills_ratio":
        return mp.erfc(x / mp.sqrt(2)) / 2 / mp.npdf(x)
    if name == "log_cdf":
        return mp.log(Phi) if z < 5 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
    return {
        "density": mp.npdf(x),
        "cdf": Phi,
        "hazard": mp.npdf(x) / Phi,
        "hazard_excess": mp.npdf(x) / Phi + x,
    }[name]


def truth(name: str, zs: np.ndarray) -> list[float]:
    with mp.workdps(80):
        return [float(high_precision(name, float(z))) for z in zs]


def test_density() -> None:
    near = BOTH[np.abs(BOTH) < 38]
    np.testing.assert_allclose(density(near), truth("density", near), rtol=2e-13)
    assert density(np.array([1e8]))[0] == 0.0


def test_cdf() -> None:
    near = BOTH[BOTH > -37.4]
    np.testing.assert_allclose(cdf(near), truth("cdf", near), rtol=1e-13)


def test_log_cdf() -> None:
    near = BOTH[BOTH < 38]
    np.testing.assert_allclose(log_cdf(near), truth("log_cdf", near), rtol=1e-13)


def test_mills_ratio() -> None:
    near = BOTH[BOTH > -37.4]
    np.testing.assert_allclose(mills_ratio(near), truth("mills_ratio", near), rtol=2e-13)


def test_mills_ratio_grows_to_infinity_on_the_left() -> None:
    assert mills_ratio(np.array([-39.0]))[0] == np.inf


def test_hazard() -> None:
    near = BOTH[BOTH < 37.4]
    np.testing.assert_allclose(hazard(near), truth("hazard", near), rtol=2e-13)


def test_hazard_vanishes_on_the_right() -> None:
    assert hazard(np.array([50.0, 1e8])).tolist() == [0.0, 0.0]


def test_hazard_excess() -> None:
    """To the last digits also where h(z) and -z agree in their first sixteen."""
    np.testing.assert_allclose(hazard_excess(BOTH), truth("hazard_excess", BOTH), rtol=5e-14)


def test_hazard_excess_does_not_jump_where_the_formula_changes() -> None:
    z = -4.0 + np.array([-2.0, -1.0, 0.0, 1.0, 2.0]) * 1e-9
    steps = np.diff(hazard_excess(z))
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-3)


def test_hazard_excess_is_positive_and_grows() -> None:
    z = np.linspace(-50.0, 50.0, 2001)
    excess = hazard_excess(z)
    assert (excess > 0).all()
    assert (np.diff(excess) > 0).all()


@pytest.mark.parametrize("function", [density, cdf, log_cdf, mills_ratio, hazard, hazard_excess])
def test_shape_is_kept_and_the_argument_left_alone(function: object) -> None:
    assert callable(function)
    z = np.linspace(-6.0, 6.0, 12).reshape(3, 4)
    before = z.copy()
    got = function(z)
    assert got.shape == (3, 4)
    np.testing.assert_array_equal(z, before)
    np.testing.assert_array_equal(got.ravel(), function(z.ravel()))
    assert function(np.empty(0)).shape == (0,)


def test_constant() -> None:
    assert pytest.approx(float(mp.log(mp.sqrt(2 * mp.pi))), rel=1e-15) == LOG_SQRT_2PI


def test_the_quantile_of_a_mixture_of_one_is_that_of_the_normal_distribution():
    means, stds = np.array([[0.0, 2.0, -3.0]]), np.array([[1.0, 0.5, 1e-9]])
    assert mixture_quantile(0.05, np.ones(1), means, stds) == pytest.approx(
        (means + stats.norm.ppf(0.05) * stds)[0], rel=1e-12
    )


@pytest.mark.parametrize("p", [1e-6, 0.05, 0.5, 0.95])
def test_the_quantile_of_a_mixture_has_its_probability(p):
    rng = np.random.default_rng(0)
    weights, means, stds = rng.dirichlet(np.ones(4)), 3.0 * rng.normal(size=(4, 9)), rng.gamma(1.0, size=(4, 9))
    at = mixture_quantile(p, weights, means, stds)
    assert (weights[:, None] * stats.norm.cdf((at - means) / stds)).sum(axis=0) == pytest.approx(p, rel=1e-7)


def test_the_quantile_of_certain_components_is_one_of_them():
    means = np.array([[1.0, 1.0], [1.0, 5.0]])
    assert mixture_quantile(0.05, np.array([0.5, 0.5]), means, np.zeros((2, 2))) == pytest.approx([1.0, 1.0])
    assert mixture_quantile(0.95, np.array([0.5, 0.5]), means, np.zeros((2, 2))) == pytest.approx([1.0, 5.0])
