"""A bandwidth per dimension: the objective by loops, its gradient, the choice by scipy, and degenerate anchors."""

import math

import numpy as np
import pytest
from scipy import optimize

from anchorpbo import NoiseMap
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.reliability import BoundedReliability, EuclideanMetric, GaussianDensity, loo_bandwidth, loo_bandwidths
from anchorpbo.reliability.bandwidths import PRIOR_SPREAD, _Objective

RNG = np.random.default_rng(0)
SPREADS = np.array([0.05, 0.3])
PLANE = 0.5 + SPREADS * RNG.normal(size=(12, 2))
SPACE = np.column_stack([RNG.random((9, 3)), RNG.integers(0, 3, 9) / 2])


def naive(anchors, log_bandwidths, centre, spread, categorical=(), scales=None):
    """-LOO of the product kernel plus the penalty, with every sum written out."""
    n, d = anchors.shape
    scales = [1.0] * d if scales is None else scales
    total = 0.0
    for i in range(n):
        q = 0.0
        for j in range(n):
            if j == i:
                continue
            term = 1.0
            for c in range(d):
                apart = anchors[i, c] - anchors[j, c]
                apart = float(apart != 0) if c in categorical else apart
                h = math.exp(log_bandwidths[c])
                term *= math.exp(-((apart / scales[c]) ** 2) / (2 * h**2)) / h
            q += term
        total += math.log(q / (n - 1))
    penalty = sum((t - centre) ** 2 for t in log_bandwidths) / (2 * n * spread**2)
    return -total / n + penalty


@pytest.mark.parametrize(
    "metric", [EuclideanMetric(), EuclideanMetric((3,)), EuclideanMetric((3,), (1.0, 2.0, 3.0, 1.5))]
)
def test_objective_is_the_penalised_mean_log_density_left_out(metric):
    objective = _Objective.of(SPACE, metric, 0.4, 0.3)
    for shift in (-0.5, 0.0, 0.4):
        t = np.log(0.4) + shift * np.array([1.0, 0.3, -0.4, 0.9])
        expected = naive(SPACE, t, math.log(0.4), 0.3, metric.categorical, metric.lengthscales)
        assert objective.value_and_gradient(t)[0] == pytest.approx(expected, rel=1e-12)


def test_gradient_agrees_with_central_differences():
    objective = _Objective.of(SPACE, EuclideanMetric((3,)), 0.4, 0.3)
    t = np.log([0.2, 0.5, 0.3, 0.6])
    for c in range(4):
        step = 1e-6 * np.eye(4)[c]
        up, down = (objective.value_and_gradient(t + sign * step)[0] for sign in (1, -1))
        assert objective.value_and_gradient(t)[1][c] == pytest.approx((up - down) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("spread", [PRIOR_SPREAD, 1.0, np.inf])
@pytest.mark.parametrize("bounds", [(0.05, 1.0), (0.1, 0.2)])
def test_choice_is_that_of_scipy_from_a_grid(spread, bounds):
    centre = math.log(loo_bandwidth(PLANE, bounds, GaussianDensity()))
    box = np.log([bounds, bounds])

    def objective(t):
        return naive(PLANE, t, centre, spread)

    grid = optimize.brute(objective, [tuple(side) for side in box], Ns=12, finish=None)
    best = optimize.minimize(objective, grid, bounds=box, method="L-BFGS-B")
    chosen = loo_bandwidths(PLANE, bounds, spread=spread)
    assert objective(np.log(chosen)) <= best.fun + 1e-8
    np.testing.assert_allclose(chosen, np.exp(best.x), rtol=1e-3)


def test_narrow_dimensions_get_narrow_bandwidths():
    narrow, wide = loo_bandwidths(PLANE)
    assert narrow < 0.6 * wide


def test_a_strong_penalty_gives_the_isotropic_bandwidth_and_a_weak_one_more_contrast():
    h = NoiseMap.bounded(PLANE).bandwidth
    np.testing.assert_allclose(loo_bandwidths(PLANE, spread=1e-4), h, rtol=1e-4)
    contrasts = [np.ptp(np.log(loo_bandwidths(PLANE, spread=spread))) for spread in (0.05, 0.3, 3.0)]
    assert contrasts == sorted(contrasts)


def test_default_bounds_are_half_and_twice_those_of_one_bandwidth():
    lower, upper = EuclideanMetric().default_bandwidths(2)
    rng = np.random.default_rng(3)
    anchors = np.column_stack([1e-3 * rng.random(8), 20 * rng.random(8)])
    np.testing.assert_allclose(loo_bandwidths(anchors, spread=np.inf), [lower / 2, upper * 2], rtol=1e-12)


@pytest.mark.parametrize("degenerate", [PLANE[:1], PLANE[[0, 0, 0]]])
def test_one_anchor_and_equal_anchors_have_the_isotropic_bandwidth(degenerate):
    np.testing.assert_array_equal(loo_bandwidths(degenerate), EuclideanMetric().default_bandwidths(2)[0])
    assert NoiseMap.bounded(degenerate, "loo-per-dimension") == NoiseMap.bounded(degenerate)


def test_a_dimension_in_which_all_anchors_agree_keeps_the_isotropic_bandwidth():
    flat = np.column_stack([PLANE, np.full(12, 0.3)])
    chosen = loo_bandwidths(flat)
    assert chosen[2] == NoiseMap.bounded(flat).bandwidth
    assert chosen[0] < chosen[1]


def test_duplicate_anchors_and_one_dimension_work():
    for anchors in (PLANE[[0, 0, 1, 2, 2]], PLANE[:2], PLANE[:, :1], np.repeat(PLANE[:3], 2, axis=0)):
        chosen = loo_bandwidths(anchors)
        assert chosen.shape == (anchors.shape[1],)
        assert np.all((chosen > 0) & np.isfinite(chosen))


@pytest.mark.parametrize("choice", ["loo-per-dimension", [0.1, 0.3]])
def test_the_map_uses_a_width_for_each_dimension(choice):
    noise = NoiseMap.bounded(PLANE, choice)
    widths = np.array([0.1, 0.3])
    if isinstance(choice, str):
        ratios = loo_bandwidths(PLANE)
        widths = NoiseMap.bounded(PLANE).bandwidth * ratios / math.sqrt(ratios[0] * ratios[1])
    np.testing.assert_allclose(noise.bandwidths, widths, rtol=1e-14)
    assert noise.bandwidth == pytest.approx(math.sqrt(widths[0] * widths[1]))
    X = np.random.default_rng(4).random((6, 2))
    k = np.exp(-0.5 * (((X[:, None] - PLANE) / widths) ** 2).sum(axis=2))
    np.testing.assert_allclose(noise.reliability(X), 1 - np.prod(1 - k, axis=1), rtol=1e-10, atol=1e-14)


def test_the_geometric_mean_of_the_chosen_widths_is_the_one_bandwidth_of_leave_one_out():
    for bounds in (None, (0.05, 0.4)):
        noise = NoiseMap.bounded(PLANE, "loo-per-dimension", bounds)
        assert noise.bandwidth == NoiseMap.bounded(PLANE, bounds=bounds).bandwidth
        assert math.sqrt(math.prod(noise.bandwidths)) == pytest.approx(noise.bandwidth)
        assert noise.bandwidths[0] < noise.bandwidths[1]


def test_equal_widths_are_one_bandwidth():
    assert NoiseMap.bounded(PLANE, [0.3, 0.3]) == NoiseMap.bounded(PLANE, 0.3)


def test_widths_are_in_units_of_the_design_also_with_length_scales():
    metric = EuclideanMetric((), (1.0, 4.0))
    np.testing.assert_allclose(NoiseMap.bounded(PLANE, 0.3, metric=metric).bandwidths, [0.3, 1.2])
    noise = NoiseMap.bounded(PLANE, [0.1, 0.7], metric=metric)
    np.testing.assert_allclose(noise.bandwidths, [0.1, 0.7], rtol=1e-14)
    np.testing.assert_allclose(noise(PLANE + 0.1), NoiseMap.bounded(PLANE, [0.1, 0.7])(PLANE + 0.1), rtol=1e-12)


def test_bandwidths_of_other_maps():
    np.testing.assert_array_equal(NoiseMap.bounded(PLANE, 0.3).bandwidths, [0.3, 0.3])
    np.testing.assert_array_equal(NoiseMap.from_anchors(PLANE, 1.5).bandwidths, [1.5, 1.5])
    np.testing.assert_allclose(NoiseMap.bounded([], [0.1, 0.2], negative=PLANE).bandwidths, [0.1, 0.2])
    assert NoiseMap.constant(1.0).bandwidths is None
    assert NoiseMap.bounded(np.eye(3), metric="tanimoto").bandwidths is None


@pytest.mark.parametrize("choice", ["loo-per-dimension", [0.1, 0.2, 0.3]])
def test_a_width_for_each_dimension_needs_a_euclidean_metric(choice):
    with pytest.raises(UnsupportedError, match=r"a bandwidth per dimension needs a EuclideanMetric; received Tanimoto"):
        NoiseMap.bounded(np.eye(3), choice, metric="tanimoto")


def test_invalid_widths_are_refused():
    with pytest.raises(ShapeError, match=r"bandwidth must be one number or 2, one per dimension; received \(3,\)"):
        NoiseMap.bounded(PLANE, [0.1, 0.2, 0.3])
    with pytest.raises(InputError, match=r"bandwidth must be a finite number above 0; received 0.0"):
        NoiseMap.bounded(PLANE, [0.1, 0.0])
    with pytest.raises(InputError, match="bounds must have lower <= upper"):
        loo_bandwidths(PLANE, (2.0, 1.0))


def test_the_papers_map_has_one_bandwidth():
    with pytest.raises(InputError, match="in a bounded map; received 'loo-per-dimension'"):
        NoiseMap.from_anchors(PLANE, "loo-per-dimension")


def test_a_score_with_widths_is_that_of_the_scaled_anchors():
    widths = np.array([0.1, 0.4])
    X = np.random.default_rng(5).random((5, 2))
    scaled = BoundedReliability(PLANE / widths, 1.0).value(X / widths)
    np.testing.assert_allclose(NoiseMap.bounded(PLANE, widths).reliability(X), scaled, rtol=1e-10)
