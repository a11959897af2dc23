"""The noise map: formula, floor, gradients in x and in its parameters, constructors, and every error."""

import inspect
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError, UnknownNameError, UnsupportedError
from anchorpbo.reliability import (
    BoundedReliability,
    ConstantReliability,
    DensityReliability,
    EuclideanMetric,
    Gaussian,
    GaussianDensity,
    NoiseMap,
    Reliability,
    UnitGaussian,
    loo_bandwidth,
)

ANCHORS = np.random.default_rng(0).random((7, 3))
X = np.vstack([np.random.default_rng(1).random((6, 3)), ANCHORS[:2], np.full((1, 3), 3.0)])


def maps():
    return {
        "paper": NoiseMap.from_anchors(ANCHORS, scale=0.7),
        "narrow": NoiseMap.from_anchors(ANCHORS, bandwidth=0.6, scale=2.0),
        "bounded": NoiseMap.bounded(ANCHORS, scale=1.5),
        "strong": NoiseMap.bounded(ANCHORS, bandwidth=0.3, strength=50.0),
        "constant": NoiseMap.constant(0.3),
    }


@pytest.mark.parametrize("name", maps())
def test_noise_is_the_scale_times_the_exponential_of_reliability_but_never_below_the_floor(name):
    noise = maps()[name]
    q = noise.reliability(X)
    expected = [max(noise.scale * math.exp(-noise.strength * value), 1e-6 * noise.scale) for value in q]
    np.testing.assert_allclose(noise(X), expected, rtol=1e-15)
    assert noise(X).shape == q.shape == (9,)
    assert noise(X[:0]).shape == (0,)


@pytest.mark.parametrize("scale", [1.0, 0.25])
@pytest.mark.parametrize("bandwidth", ["loo", 1.0, 1.6])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_the_papers_map_stays_between_scale_over_e_and_scale(scale, bandwidth, d):
    anchors = np.random.default_rng(d).random((5, d))
    noise = NoiseMap.from_anchors(anchors, bandwidth, scale=scale)
    values = noise(np.vstack([np.random.default_rng(9).random((100, d)), anchors, anchors + 50]))
    assert noise.strength == 1
    assert scale / math.e <= values.min() <= values.max() <= scale


def test_a_single_anchor_with_h_one_reaches_both_ends_of_the_papers_range():
    noise = NoiseMap.from_anchors([[0.5, 0.5]])
    assert noise.bandwidth == 1.0
    np.testing.assert_allclose(noise([[0.5, 0.5], [90.0, 0.0]]), [1 / math.e, 1.0], rtol=1e-15)


def test_a_constant_map_is_exactly_constant_in_any_dimension():
    noise = NoiseMap.constant(0.3)
    for d in (1, 2, 6):
        values, gradient = noise.value_and_gradient(np.random.default_rng(d).random((5, d)))
        assert np.all(values == 0.3)
        assert np.all(gradient == 0)
        assert gradient.shape == (5, d)
    assert noise.bandwidth is None
    assert noise.anchors is None
    assert np.all(noise.reliability(X) == 0)


def test_a_uniform_reliability_gives_a_uniform_noise():
    noise = NoiseMap.from_anchors(ANCHORS, 1.0, metric=lambda A, B: np.zeros((len(A), len(B))))
    assert set(noise(X)) == {math.exp(-1.0)}
    assert set(NoiseMap.bounded(ANCHORS, strength=0.0, scale=0.4)(X)) == {0.4}


def test_noise_at_every_anchor_of_a_bounded_map_is_scale_times_exp_minus_strength():
    np.testing.assert_allclose(NoiseMap.bounded(ANCHORS)(ANCHORS), math.exp(-3.0), rtol=1e-15)


def test_floor_holds_and_stops_the_gradients_where_it_binds():
    noise = NoiseMap.bounded(ANCHORS, bandwidth=0.3, scale=2.0, strength=50.0)
    near = ANCHORS + 0.01
    assert np.all(noise(near) == 2e-6)
    assert noise.floor == 2e-6
    assert np.all(noise.gradient(near) == 0)
    learning = noise.log_parameter_gradients(near)
    np.testing.assert_array_equal(learning["scale"], noise(near))
    assert np.all(learning["strength"] == 0)
    assert np.any(noise.gradient(X) != 0)


@pytest.mark.parametrize("kind", ["paper", "narrow", "normalised", "bounded"])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_gradient_agrees_with_central_differences(kind, d, central_differences):
    rng = np.random.default_rng(50 + d)
    anchors = rng.random((6, d))
    noise = {
        "paper": lambda: NoiseMap.from_anchors(anchors, scale=0.7),
        "narrow": lambda: NoiseMap.from_anchors(anchors, bandwidth=0.6),
        "normalised": lambda: NoiseMap.from_anchors(anchors, bandwidth=0.4, normalised=True),
        "bounded": lambda: NoiseMap.bounded(anchors, strength=4.0),
    }[kind]()
    points = np.vstack([rng.random((6, d)), anchors[:2], np.full((1, d), 6.0)])
    value, gradient = noise.value_and_gradient(points)
    np.testing.assert_array_equal(value, noise(points))
    np.testing.assert_array_equal(gradient, noise.gradient(points))
    expected = central_differences(noise, points, 2e-6)
    rounding = 3e-10  # of a difference of two noises of about 1, divided by the step
    error = np.linalg.norm(gradient - expected, axis=1)
    assert np.all(error <= 1e-6 * np.linalg.norm(expected, axis=1) + rounding)


@pytest.mark.parametrize("name", maps())
def test_log_parameter_gradients_agree_with_central_differences(name):
    noise, step = maps()[name], 1e-6
    gradients = noise.log_parameter_gradients(X)
    assert list(gradients) == (["scale"] if name == "constant" else ["scale", "strength"])
    for parameter, gradient in gradients.items():
        up, down = (
            noise.with_parameters(**{parameter: getattr(noise, parameter) * math.exp(shift)})(X)
            for shift in (step, -step)
        )
        np.testing.assert_allclose(gradient, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)


def test_with_parameters_changes_only_what_it_is_told_and_copies():
    noise = NoiseMap.bounded(ANCHORS)
    other = noise.with_parameters(strength=5.0)
    assert (other.strength, other.scale, other.bandwidth) == (5.0, 1.0, noise.bandwidth)
    assert (noise.with_parameters(scale=2.0).strength, noise.with_parameters(scale=2.0).scale) == (3.0, 2.0)
    assert noise.strength == 3.0
    assert noise.with_parameters() == noise
    with pytest.raises(InputError, match=r"scale must be a finite number above 0; received 0.0"):
        noise.with_parameters(scale=0.0)
    with pytest.raises(UnsupportedError, match=r"a constant map has a scale but no strength; received strength=2.0"):
        NoiseMap.constant(1.0).with_parameters(strength=2.0)


def test_bandwidth_is_the_leave_one_out_choice_within_the_bounds_or_the_number_given():
    assert NoiseMap.from_anchors(ANCHORS).bandwidth == loo_bandwidth(ANCHORS, (1.0, 2.0))
    assert NoiseMap.from_anchors(ANCHORS, bounds=(0.05, 2.0)).bandwidth == loo_bandwidth(ANCHORS, (0.05, 2.0))
    assert NoiseMap.from_anchors(ANCHORS, 0.31).bandwidth == 0.31
    diagonal = math.sqrt(3)
    expected = loo_bandwidth(ANCHORS, (0.1 * diagonal, 0.2 * diagonal), GaussianDensity())
    assert NoiseMap.bounded(ANCHORS).bandwidth == expected
    assert NoiseMap.bounded(ANCHORS, bandwidth=0.9).bandwidth == 0.9
    assert NoiseMap.bounded(ANCHORS[:1]).bandwidth == pytest.approx(0.1 * diagonal)


def test_default_bounds_of_fingerprints_come_from_the_metric():
    prints = np.random.default_rng(3).integers(0, 2, (5, 64)).astype(float)
    for metric, bounds, dimension in (("tanimoto", (0.2, 0.3), 6), ("hamming", (0.1, 0.2), 1)):
        noise = NoiseMap.bounded(prints, metric=metric)
        assert noise.bandwidth == loo_bandwidth(prints, bounds, GaussianDensity(), metric, dimension)
        np.testing.assert_allclose(noise(prints), math.exp(-3), rtol=1e-12)


@pytest.mark.parametrize("degenerate", [ANCHORS[:1], ANCHORS[[0, 0, 0]], ANCHORS[[0, 0, 1, 2]]])
def test_single_equal_and_duplicate_anchors_work_without_warning(degenerate):
    for noise in (NoiseMap.from_anchors(degenerate), NoiseMap.bounded(degenerate)):
        assert np.all(np.isfinite(noise(X)))
        assert np.all(np.isfinite(noise.gradient(np.vstack([X, degenerate]))))


def test_profile_and_normalisation_reach_the_score():
    assert NoiseMap.from_anchors(ANCHORS, 1.0).score == DensityReliability(ANCHORS, 1.0, Gaussian(), EuclideanMetric())
    assert NoiseMap.from_anchors(ANCHORS, 1.0, normalised=True).score == DensityReliability(
        ANCHORS, 1.0, GaussianDensity()
    )
    assert NoiseMap.from_anchors(ANCHORS, 1.0, profile="unit-gaussian").score == DensityReliability(
        ANCHORS, 1.0, UnitGaussian()
    )
    assert NoiseMap.bounded(ANCHORS, 1.0).score == BoundedReliability(ANCHORS, 1.0)


def test_signatures_are_the_contract():
    defaults = {
        name: {p.name: p.default for p in list(inspect.signature(getattr(NoiseMap, name)).parameters.values())[1:]}
        for name in ("from_anchors", "bounded")
    }
    assert defaults["from_anchors"] == {
        "bandwidth": "loo",
        "bounds": (1.0, 2.0),
        "scale": 1.0,
        "normalised": False,
        "profile": "gaussian",
        "metric": "euclidean",
    }
    assert defaults["bounded"] == {
        "bandwidth": "loo",
        "bounds": None,
        "scale": 1.0,
        "strength": 3.0,
        "metric": "euclidean",
        "negative": None,
        "adaptive": False,
    }


class Distance(Reliability):
    """A score of one's own, without anchors: high near the origin."""

    anchors = None
    bandwidth = None

    def value(self, X):
        return 1 / (1 + (X**2).sum(axis=1))

    def value_and_gradient(self, X):
        q = self.value(X)
        return q, -2 * X * q[:, None] ** 2


def test_a_score_of_ones_own_fits_in(central_differences):
    noise = NoiseMap(Distance(), scale=2.0, strength=1.5)
    np.testing.assert_allclose(noise.gradient(X), central_differences(noise, X), rtol=1e-6, atol=1e-9)
    assert "kind='distance'" in repr(noise)


def test_maps_are_equal_when_their_contents_are_and_say_what_they_are():
    assert NoiseMap.bounded(ANCHORS) == NoiseMap.bounded(ANCHORS.tolist())
    assert hash(NoiseMap.bounded(ANCHORS)) == hash(NoiseMap.bounded(ANCHORS))
    assert NoiseMap.bounded(ANCHORS) != NoiseMap.bounded(ANCHORS, scale=2.0)
    assert NoiseMap.bounded(ANCHORS) != NoiseMap.from_anchors(ANCHORS)
    assert NoiseMap.constant(1.0) == NoiseMap(ConstantReliability(), 1.0)
    assert NoiseMap.constant(1.0) != NoiseMap.constant(2.0)
    expected = "NoiseMap(kind='density', anchors=7, bandwidth=1.25, scale=1, strength=1)"
    assert repr(NoiseMap.from_anchors(ANCHORS, 1.25)) == expected
    assert repr(NoiseMap.constant(0.3)) == "NoiseMap(kind='constant', scale=0.3)"


def test_a_map_is_frozen_and_its_anchors_are_readable_but_not_writable():
    noise = NoiseMap.bounded(ANCHORS)
    np.testing.assert_array_equal(noise.anchors, ANCHORS)
    with pytest.raises(ValueError, match="read-only"):
        noise.anchors[0, 0] = 1.0
    with pytest.raises(FrozenInstanceError):
        noise.scale = 2.0


@pytest.mark.parametrize("build", [NoiseMap.from_anchors, NoiseMap.bounded])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"anchors": []}, InputError, r"at least one design.*use NoiseMap.constant\(...\) without anchors"),
        ({"anchors": [[0.1, np.nan]]}, InputError, r"anchors must be finite; received nan at index \(0, 1\)"),
        ({"anchors": [0.1, 0.2]}, ShapeError, r"anchors must have shape \(n, d\); received \(2,\)"),
        ({"bandwidth": 0.0}, InputError, "bandwidth must be a finite number above 0; received 0.0"),
        ({"bandwidth": None}, InputError, "bandwidth must be a finite number above 0; received None"),
        ({"bandwidth": "silverman"}, UnknownNameError, "bandwidth must be a number above 0 or 'loo', or .*'silver"),
        ({"bounds": (2.0, 1.0)}, InputError, "bounds must have lower <= upper"),
        ({"bandwidth": 1.0, "bounds": (-1.0, 1.0)}, InputError, "the lower end of bounds must be a finite number"),
        ({"metric": "cosine"}, UnknownNameError, "metric must be one of euclidean, hamming, tanimoto"),
        ({"scale": 0.0}, InputError, "scale must be a finite number above 0; received 0.0"),
        ({"scale": -1.0}, InputError, "scale must be a finite number above 0; received -1.0"),
        ({"scale": 1e-320}, InputError, "the noise floor, 1e-06 of scale, must be a finite number above 0"),
    ],
)
def test_errors_say_the_rule_and_leave_what_was_given_as_it_was(build, arguments, error, message):
    given = ANCHORS.copy()
    with pytest.raises(error, match=message):
        build(**{"anchors": given, **arguments})
    np.testing.assert_array_equal(given, ANCHORS)
    assert given.flags.writeable


def test_further_errors_of_one_constructor_each():
    with pytest.raises(UnknownNameError, match="profile must be one of gaussian, gaussian-density, unit-gaussian"):
        NoiseMap.from_anchors(ANCHORS, profile="box")
    with pytest.raises(InputError, match=r"strength must be a finite number of at least 0; received -1.0"):
        NoiseMap.bounded(ANCHORS, strength=-1.0)
    with pytest.raises(InputError, match=r"variance must be a finite number above 0; received 0.0"):
        NoiseMap.constant(0.0)
    with pytest.raises(InputError, match="score must be a Reliability"):
        NoiseMap(ANCHORS)


@pytest.mark.parametrize(
    "method", ["__call__", "reliability", "gradient", "value_and_gradient", "log_parameter_gradients"]
)
def test_designs_must_have_the_anchors_columns(method):
    evaluate = getattr(NoiseMap.bounded(ANCHORS), method)
    with pytest.raises(ShapeError, match=r"X must have shape \(n, 3\); received \(4, 2\)"):
        evaluate(np.zeros((4, 2)))
    with pytest.raises(ShapeError, match=r"X must have shape \(n, 3\); received \(3,\)"):
        evaluate(np.zeros(3))
    with pytest.raises(InputError, match="X must be finite"):
        evaluate(np.full((1, 3), np.inf))


def test_gradient_of_a_fingerprint_map_is_unsupported_and_its_values_still_work():
    prints = np.eye(4)
    for noise in (NoiseMap.bounded(prints, metric="tanimoto"), NoiseMap.from_anchors(prints, metric="hamming")):
        with pytest.raises(UnsupportedError, match="a gradient needs a SmoothMetric"):
            noise.gradient(prints)
        assert np.all(np.isfinite(noise(prints)))
        assert set(noise.log_parameter_gradients(prints)) == {"scale", "strength"}
