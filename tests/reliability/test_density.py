"""The profiles and the paper's density (eq. kde) against loops, quadrature and finite differences."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.reliability import (
    CallableMetric,
    DensityReliability,
    Gaussian,
    GaussianDensity,
    HammingMetric,
    Profile,
    Reliability,
    TanimotoMetric,
    UnitGaussian,
)
from anchorpbo.reliability.profile import as_profile

FORMULAS = {
    Gaussian(): lambda r, d: math.exp(-(r**2) / 2),
    GaussianDensity(): lambda r, d: (2 * math.pi) ** (-d / 2) * math.exp(-(r**2) / 2),
    UnitGaussian(): lambda r, d: math.exp(-math.pi * r**2),
}
PROFILES = list(FORMULAS)


def naive_density(anchors, h, k, x):
    """eq. kde, term by term."""
    d, total = len(x), 0.0
    for anchor in anchors:
        r = math.sqrt(sum((a - b) ** 2 for a, b in zip(x, anchor, strict=True)))
        total += h**-d * k(r / h, d)
    return total / len(anchors)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("d", [1, 3, 6])
def test_profiles_follow_their_formula_and_derivative(profile, d):
    r2 = np.array([0.0, 0.3, 1.0, 4.0])
    np.testing.assert_allclose(profile.value(r2, d), [FORMULAS[profile](math.sqrt(s), d) for s in r2], rtol=1e-14)
    step = 1e-6
    slope = (profile.value(r2 + step, d) - profile.value(r2 - step, d)) / (2 * step)
    np.testing.assert_allclose(profile.derivative(r2, d), slope, rtol=1e-8)


@pytest.mark.parametrize("profile", [GaussianDensity(), UnitGaussian()])
def test_densities_integrate_to_one_in_two_dimensions(profile):
    r, width = np.linspace(0, 12, 20_001, retstep=True)
    values = 2 * np.pi * r * profile.value(r**2, 2)
    assert (values.sum() - (values[0] + values[-1]) / 2) * width == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("profile", [Gaussian(), UnitGaussian()])
def test_the_other_two_are_one_at_zero(profile):
    assert profile.value(np.zeros(1), 6) == 1


def test_profile_names_and_normalisation_resolve():
    assert as_profile("gaussian") == Gaussian()
    assert as_profile("gaussian", normalised=True) == GaussianDensity()
    assert as_profile("gaussian-density", normalised=True) == GaussianDensity()
    assert as_profile("unit-gaussian", normalised=True) == UnitGaussian()
    assert as_profile(UnitGaussian()) == UnitGaussian()


class Cauchy(Profile):
    """A profile of one's own: 1 / (1 + s)."""

    def log_value_and_slope(self, squared, dimension):
        return -np.log1p(squared), -1 / (1 + squared)


def test_profiles_refuse_what_they_do_not_know():
    with pytest.raises(UnknownNameError, match="profile must be one of gaussian, gaussian-density, unit-gaussian"):
        as_profile("box")
    with pytest.raises(InputError, match=r"profile must be a name or a Profile; received 2"):
        as_profile(2)
    with pytest.raises(UnsupportedError, match="normalised=True needs a profile whose integral is known"):
        as_profile(Cauchy(), normalised=True)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("h", [0.3, 1.0, 1.7])
def test_value_is_the_kernel_density_estimate(profile, d, h):
    rng = np.random.default_rng(d)
    anchors, X = rng.random((5, d)), rng.random((8, d))
    expected = [naive_density(anchors, h, FORMULAS[profile], x) for x in X]
    np.testing.assert_allclose(DensityReliability(anchors, h, profile).value(X), expected, rtol=1e-12)


@pytest.mark.parametrize("profile", [*PROFILES, Cauchy()])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_gradient_agrees_with_central_differences(profile, d, central_differences):
    rng = np.random.default_rng(10 + d)
    anchors = rng.random((6, d))
    density = DensityReliability(anchors, 0.4, profile)
    X = np.vstack([rng.random((6, d)), anchors[:2], rng.random((2, d)) + 1.5])
    value, gradient = density.value_and_gradient(X)
    np.testing.assert_array_equal(value, density.value(X))
    expected = central_differences(density.value, X, 2e-6)
    rounding = 3e-10 * value  # of a difference of two values of this size, divided by the step
    error = np.linalg.norm(gradient - expected, axis=1)
    assert np.all(error <= 1e-6 * np.linalg.norm(expected, axis=1) + rounding)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_gradient_at_a_single_anchor_is_zero(d):
    anchor = np.full((1, d), 0.3)
    assert np.all(DensityReliability(anchor, 1.0).value_and_gradient(anchor)[1] == 0)


@pytest.mark.parametrize("size", [1e3, 1e160, 1e300])
def test_value_and_gradient_vanish_infinitely_far_away(size):
    value, gradient = DensityReliability([[0.5, 0.5], [0.1, 0.2]], 1e-3).value_and_gradient(np.full((1, 2), size))
    assert np.all(value == 0)
    assert np.all(gradient == 0)


def test_gaussian_density_stays_below_one_for_bandwidths_of_at_least_one():
    rng = np.random.default_rng(5)
    for d, h in [(1, 1.0), (3, 1.0), (6, 1.3), (2, 2.0)]:
        anchors = rng.random((7, d))
        q = DensityReliability(anchors, h).value(np.vstack([rng.random((50, d)), anchors]))
        assert 0 < q.min() <= q.max() <= 1


def test_a_metric_of_one_dimension_scales_by_one_over_h():
    prints = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    density = DensityReliability(prints, 0.5, metric=TanimotoMetric())
    assert density.dimension == 1
    r = TanimotoMetric().distances(prints, prints)
    np.testing.assert_allclose(density.value(prints), (np.exp(-(r**2) / 0.5) / 0.5).mean(axis=1), rtol=1e-14)


def test_a_metric_at_constant_distance_gives_a_constant_score():
    density = DensityReliability([[0.1], [0.2]], 1.0, metric=CallableMetric(lambda X, Y: np.ones((len(X), len(Y)))))
    assert set(density.value(np.linspace(0, 1, 9)[:, None])) == {math.exp(-0.5)}


def test_gradient_without_a_smooth_metric_is_unsupported():
    with pytest.raises(UnsupportedError, match=r"a gradient needs a SmoothMetric.*HammingMetric\(\)"):
        DensityReliability([[0.1, 0.2]], 1.0, metric=HammingMetric()).value_and_gradient(np.zeros((1, 2)))


def test_a_peak_too_high_for_a_float_is_refused():
    with pytest.raises(InputError, match=r"bandwidth must keep h\^-d k\(0\) below 1e\+100, d = 6; received h = 1e-20"):
        DensityReliability(np.zeros((1, 6)), 1e-20)
    assert DensityReliability(np.zeros((1, 2048)), 2.0).value(np.zeros((1, 2048))) == 0  # 2^-2048 is below every float


@pytest.mark.parametrize(
    ("anchors", "bandwidth", "error", "message"),
    [
        (
            [],
            1.0,
            InputError,
            r"anchors must hold at least one design.*use NoiseMap.constant\(...\) without anchors",
        ),
        (np.zeros((3, 0)), 1.0, InputError, "anchors must hold at least one design"),
        ([0.1, 0.2], 1.0, ShapeError, r"anchors must have shape \(n, d\); received \(2,\)"),
        ([[0.1, np.nan]], 1.0, InputError, r"anchors must be finite; received nan at index \(0, 1\)"),
        ([["a"]], 1.0, InputError, "anchors must be numbers"),
        ([[1e60]], 1.0, InputError, r"anchors must be at most 1e\+50 in size; received 1e\+60; rescale the inputs"),
        ([[0.1]], 0.0, InputError, "bandwidth must be a finite number above 0; received 0.0"),
        ([[0.1]], -1.0, InputError, "bandwidth must be a finite number above 0; received -1.0"),
        ([[0.1]], np.nan, InputError, "bandwidth must be a finite number above 0; received nan"),
        ([[0.1]], 1e-200, InputError, "bandwidth must be at least 1e-100; received 1e-200"),
    ],
)
def test_invalid_densities_cannot_be_built(anchors, bandwidth, error, message):
    with pytest.raises(error, match=message):
        DensityReliability(anchors, bandwidth)


def test_a_density_is_frozen_and_keeps_its_own_anchors():
    anchors = np.array([[0.1, 0.2]])
    density = DensityReliability(anchors, 1.0)
    anchors[0, 0] = 9.0
    assert density.anchors[0, 0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        density.anchors[0, 0] = 9.0
    with pytest.raises(FrozenInstanceError):
        density.bandwidth = 2.0


def test_densities_are_equal_when_their_contents_are():
    assert DensityReliability([[0.1]], 1.0) == DensityReliability([[0.1]], 1.0)
    assert hash(DensityReliability([[0.1]], 1.0)) == hash(DensityReliability([[0.1]], 1.0))
    assert DensityReliability([[0.1]], 1.0) != DensityReliability([[0.2]], 1.0)
    assert DensityReliability([[0.1]], 1.0) != DensityReliability([[0.1]], 1.5)
    assert DensityReliability([[0.1]], 1.0) != DensityReliability([[0.1]], 1.0, UnitGaussian())
    assert DensityReliability([[0.1]], 1.0) != "density"
    with pytest.raises(TypeError, match="abstract"):
        Reliability()
