"""The learnt correction of the noise: formula, variance, gradients, factors of 1, choice of centres, invalid input."""

from itertools import product

import numpy as np
import pytest

from anchorpbo import NoiseMap
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.reliability import EuclideanMetric, HammingMetric, NoiseCorrection, TanimotoMetric, select_centres
from anchorpbo.reliability.correction import NUGGET

RNG = np.random.default_rng(0)
CENTRES, ANCHORS, POOR, X = RNG.random((5, 3)), RNG.random((4, 3)), RNG.random((2, 3)), RNG.random((9, 3))
FACTORS = np.exp(RNG.normal(0.0, 0.5, 5))
WIDTH = 0.35
CORRECTION = NoiseCorrection(CENTRES, WIDTH, factors=FACTORS)
MAPS = {
    "anchors": NoiseMap.bounded(ANCHORS, scale=0.7, strength=2.0),
    "negative anchors": NoiseMap.bounded(ANCHORS, scale=0.7, strength=2.0, negative=POOR),
    "paper": NoiseMap.from_anchors(ANCHORS, scale=0.7),
    "constant": NoiseMap.constant(0.7),
}
BITS = np.random.default_rng(1).integers(0, 2, (30, 24)).astype(float)


def naive_similarity(X, Y, width):
    return np.array([[np.exp(-sum((x - y) ** 2) / (2 * width**2)) for y in Y] for x in X])


def naive_features(X, centres, width):
    """k(X, Z) (k(Z, Z) + 1e-6 I)^(-1/2), with the root from its definition R R (k + 1e-6 I) = I."""
    K = naive_similarity(centres, centres, width) + NUGGET * np.eye(len(centres))
    values, vectors = np.linalg.eigh(K)
    root = sum(np.outer(v, v) / np.sqrt(value) for value, v in zip(values, vectors.T, strict=True))
    np.testing.assert_allclose(root @ root @ K, np.eye(len(K)), atol=1e-9)
    return naive_similarity(X, centres, width) @ root


@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_log_noise_is_that_of_the_map_plus_features_times_log_factors(noise):
    features = naive_features(X, CENTRES, WIDTH)
    np.testing.assert_allclose(CORRECTION.features(X), features, atol=1e-12)
    np.testing.assert_allclose(CORRECTION.value(X), features @ np.log(FACTORS), atol=1e-12)
    expected = np.log(0.7) - noise.strength * noise.reliability(X) + features @ np.log(FACTORS)
    np.testing.assert_allclose(np.log(noise.with_correction(CORRECTION)(X)), expected, atol=1e-12)


def test_a_feature_is_largest_at_its_own_centre():
    everywhere = np.random.default_rng(3).random((2000, 3))
    at_centres = CORRECTION.features(CENTRES)
    assert (at_centres.argmax(axis=1) == np.arange(5)).all()
    # Between centres that are close to each other the maximum may lie beside the centre, but hardly above its value.
    assert (CORRECTION.features(everywhere).max(axis=0) <= 1.1 * at_centres.diagonal()).all()


def test_log_normal_factors_give_the_stated_variance_at_centres_and_none_far_away():
    s, n = 0.5, 20_000
    factors = np.exp(s * np.random.default_rng(4).normal(size=(n, 5)))
    places = np.vstack([CENTRES, X[:3], np.full((1, 3), 9.0)])
    u = np.array([CORRECTION.with_factors(row).value(places) for row in factors])
    error = 4.0 * np.sqrt(2.0 / n)  # four standard errors of a variance
    np.testing.assert_allclose(u[:, :5].var(axis=0), s**2, rtol=error)
    k, K = naive_similarity(X[:3], CENTRES, WIDTH), naive_similarity(CENTRES, CENTRES, WIDTH) + NUGGET * np.eye(5)
    np.testing.assert_allclose(u[:, 5:8].var(axis=0), s**2 * np.diag(k @ np.linalg.solve(K, k.T)), rtol=error)
    assert u[:, 8].var() < 1e-12
    assert np.abs(u[:, :8].mean(axis=0)).max() < 4.0 * s / np.sqrt(n)


@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_gradient_in_the_design(noise, central_differences):
    noise = noise.with_correction(CORRECTION)
    value, gradient = noise.value_and_gradient(X)
    np.testing.assert_array_equal(value, noise(X))
    np.testing.assert_allclose(gradient, central_differences(noise, X), rtol=1e-6, atol=1e-8)


def test_gradient_of_the_correction_in_a_rescaled_metric(central_differences):
    metric = EuclideanMetric((), (0.2, 0.5, 1.0))
    correction = NoiseCorrection(CENTRES, WIDTH, metric, FACTORS)
    value, gradient = correction.value_and_gradient(X)
    np.testing.assert_array_equal(value, correction.value(X))
    np.testing.assert_allclose(gradient, central_differences(correction.value, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_gradients_in_every_hyper_parameter(noise):
    noise = noise.with_correction(CORRECTION)
    names, logs, step = noise.parameter_names, noise.log_parameters, 1e-6
    assert names[-5:] == tuple(f"factor[{j}]" for j in range(5))
    gradients = noise.log_parameter_gradients(X)
    for index, name in enumerate(names):
        move = step * np.eye(len(logs))[index]
        difference = noise.with_log_parameters(logs + move)(X) - noise.with_log_parameters(logs - move)(X)
        np.testing.assert_allclose(gradients[name], difference / (2 * step), rtol=1e-7, atol=1e-9)


def test_gradients_are_zero_where_a_limit_binds():
    large = NoiseMap.constant(1.0).with_correction(NoiseCorrection(CENTRES[:1], WIDTH, factors=[1e30]))
    small = large.with_parameters(factors=[1e-30])
    for noise, limit in ((large, 1e6), (small, 1e-6)):
        assert noise(CENTRES[:1]) == pytest.approx(limit)
        assert noise.log_parameter_gradients(CENTRES[:1])["factor[0]"] == 0.0
        np.testing.assert_array_equal(noise.gradient(CENTRES[:1]), np.zeros((1, 3)))


@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_factors_of_one_change_no_bit(noise):
    corrected = noise.with_correction(NoiseCorrection(CENTRES, WIDTH))
    np.testing.assert_array_equal(corrected(X), noise(X))
    np.testing.assert_array_equal(corrected.gradient(X), noise.gradient(X))
    assert corrected != noise
    assert corrected.with_correction(None) == noise


def test_hyper_parameters_survive_a_round_trip_through_logarithms():
    noise = MAPS["negative anchors"].with_correction(CORRECTION)
    again = noise.with_log_parameters(noise.log_parameters)
    np.testing.assert_allclose(again(X), noise(X), rtol=1e-14)
    assert noise.with_parameters(factors=FACTORS) == noise
    assert hash(noise.correction) == hash(NoiseCorrection(CENTRES, WIDTH, factors=FACTORS))


def test_fingerprints_have_a_value_but_no_gradient():
    correction = NoiseCorrection(BITS[:4], 0.3, TanimotoMetric(), FACTORS[:4])
    noise = NoiseMap.bounded(BITS[4:7], metric="tanimoto").with_correction(correction)
    d = TanimotoMetric().distances(BITS[:4], BITS[:4])
    values, vectors = np.linalg.eigh(np.exp(-0.5 * (d / 0.3) ** 2))
    root = (vectors / np.sqrt(np.maximum(values, 0.0) + NUGGET)) @ vectors.T
    features = np.exp(-0.5 * (TanimotoMetric().distances(BITS, BITS[:4]) / 0.3) ** 2) @ root
    np.testing.assert_allclose(correction.value(BITS), features @ np.log(FACTORS[:4]), atol=1e-12)
    assert np.isfinite(noise(BITS)).all()
    with pytest.raises(UnsupportedError, match="gradient"):
        correction.value_and_gradient(BITS)


def test_negative_eigenvalues_do_not_inflate_the_correction():
    designs = np.array(list(product([0.0, 1.0], repeat=4)))
    correction = NoiseCorrection(designs[:8], 0.3, HammingMetric())
    k = np.exp(-0.5 * (HammingMetric().distances(designs[:8], designs[:8]) / 0.3) ** 2)
    assert np.linalg.eigvalsh(k)[0] < -0.1
    # The prior variance of u in units of s^2, which is 1 for a positive definite k.
    variance = np.square(correction.features(designs)).sum(axis=1)
    assert 0.5 < variance.max() < 2.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"centres": np.empty((0, 3))}, InputError, "centres must hold at least one design"),
        ({"factors": [1.0, 2.0]}, ShapeError, "factors must be one per centre; received 2 of 5"),
        ({"factors": [1.0, 2.0, 0.0, 1.0, 1.0]}, InputError, "factors must be above 0; received 0"),
        ({"factors": [1.0, np.nan, 1.0, 1.0, 1.0]}, InputError, "factors"),
        ({"width": 0.0}, InputError, "width must be"),
        ({"metric": "kernel"}, InputError, "metric"),
    ],
)
def test_invalid_corrections_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        NoiseCorrection(**{"centres": CENTRES, "width": WIDTH, **arguments})


def test_maps_refuse_corrections_that_do_not_fit():
    with pytest.raises(InputError, match="correction must be a NoiseCorrection or None"):
        NoiseMap.constant(1.0).with_correction([1.0])
    with pytest.raises(ShapeError, match="centres must have the 3 coordinates of the anchors; received 2 of them"):
        MAPS["anchors"].with_correction(NoiseCorrection(CENTRES[:, :2], WIDTH))
    with pytest.raises(UnsupportedError, match="only a map with a correction has factors"):
        MAPS["anchors"].with_parameters(factors=[1.0])
    with pytest.raises(ShapeError, match="X"):
        NoiseMap.constant(1.0).with_correction(CORRECTION)(X[:, :2])


def naive_centres(X, counts, most, width, metric):
    """Greedy choice by the conditional variance of a Gaussian process, from its formula."""
    K = np.exp(-0.5 * (metric.distances(X, X) / width) ** 2)
    chosen = []
    while len(chosen) < most:
        known = K[np.ix_(chosen, chosen)]
        residual = np.diag(K - K[:, chosen] @ np.linalg.solve(known, K[chosen]))
        if residual.max() <= 0.1:
            break
        chosen.append(int(np.argmax(residual * counts)))
    return X[chosen]


@pytest.mark.parametrize(("width", "most"), [(0.2, 6), (0.5, 6), (2.0, 6), (0.3, 1)])
def test_centres_are_chosen_greedily_by_residual_variance_times_answers(width, most):
    designs = np.random.default_rng(5).random((25, 3))
    counts = np.random.default_rng(6).integers(1, 6, 25).astype(float)
    expected = naive_centres(designs, counts, most, width, EuclideanMetric())
    np.testing.assert_array_equal(select_centres(designs, counts, most, width, EuclideanMetric()), expected)


def test_there_are_fewer_centres_if_designs_repeat_or_nothing_is_left_to_explain():
    repeated = np.repeat(X[:2], 5, axis=0)
    centres = select_centres(repeated, np.ones(10), 6, 0.05, EuclideanMetric())
    np.testing.assert_array_equal(np.unique(centres, axis=0), np.unique(X[:2], axis=0))
    assert len(select_centres(X, np.ones(9), 6, 50.0, EuclideanMetric())) == 1
    assert len(select_centres(X[:0], np.ones(0), 6, 0.3, EuclideanMetric())) == 0


def test_designs_without_answers_are_no_centres():
    counts = np.array([1.0, 0, 0, 2.0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(select_centres(X, counts, 6, 0.05, EuclideanMetric()), X[[3, 0]])
