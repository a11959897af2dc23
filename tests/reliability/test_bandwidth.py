"""Leave-one-out: the objective against a loop, its gradient, and the choice against a dense grid."""

import math

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError, UnknownNameError
from anchorpbo.reliability import DensityReliability, loo_bandwidth, negative_loo, negative_loo_gradient
from anchorpbo.reliability.profile import GaussianDensity, UnitGaussian, as_profile


def pairs(gap):
    """Eight pairs a step of 1 apart: -LOO has a minimum near the gap within a pair and another beyond the step."""
    centres = np.arange(8.0)[:, None]
    return np.vstack([centres, centres + gap])


def anchor_sets():
    rng = np.random.default_rng(0)
    spread = rng.random((12, 3))
    clustered = rng.random((3, 3))[rng.integers(0, 3, 12)] + 0.02 * rng.normal(size=(12, 3))
    return {
        "spread": spread,
        "clustered": clustered,
        "duplicates": spread[[0, 0, 1, 2, 3, 3, 3, 4]],
        "all twice": np.repeat(spread[:5], 2, axis=0),
        "one dimension": rng.random((9, 1)),
        "six dimensions": rng.random((20, 6)),
        "outside the cube": 40 * rng.normal(size=(6, 2)) - 100,
        "two": spread[:2],
        "pairs": pairs(0.15),
    }


SETS = anchor_sets()


def naive_loo(anchors, h):
    """The mean log density at each anchor of the others, with the sum over the others written out."""
    total = 0.0
    for i in range(len(anchors)):
        others = [anchors[j] for j in range(len(anchors)) if j != i]
        squares = [sum((a - b) ** 2 for a, b in zip(anchors[i], other, strict=True)) for other in others]
        q = sum(h ** -len(anchors[i]) * math.exp(-r2 / (2 * h**2)) for r2 in squares)
        total += math.log(q / len(others))
    return total / len(anchors)


@pytest.mark.parametrize("name", ["spread", "clustered", "duplicates", "six dimensions", "two"])
@pytest.mark.parametrize("h", [0.15, 1.0, 2.0])
def test_objective_is_the_mean_log_density_left_out(name, h):
    assert negative_loo(SETS[name], h) == pytest.approx(-naive_loo(SETS[name], h), rel=1e-12)


@pytest.mark.parametrize("profile", ["gaussian", "gaussian-density", "unit-gaussian"])
def test_objective_uses_the_density_itself(profile):
    anchors = SETS["spread"]
    left_out = [
        DensityReliability(np.delete(anchors, i, axis=0), 0.4, as_profile(profile)).value(anchors[i : i + 1])[0]
        for i in range(12)
    ]
    assert negative_loo(anchors, 0.4, profile) == pytest.approx(-np.mean(np.log(left_out)), rel=1e-12)


def test_objective_survives_bandwidths_at_which_every_term_underflows():
    assert negative_loo([[0.0], [1.0]], 1e-3) == pytest.approx(0.5e6 + math.log(1e-3), rel=1e-12)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("profile", [GaussianDensity(), UnitGaussian()])
def test_gradient_in_log_h_agrees_with_central_differences(name, profile):
    for h in (0.2, 0.9, 3.0):
        up, down = (negative_loo(SETS[name], h * math.exp(step), profile) for step in (1e-5, -1e-5))
        gradient = negative_loo_gradient(SETS[name], h, profile)
        assert gradient == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("bounds", [(1.0, 2.0), (0.17, 0.87), (1e-3, 1e2)])
def test_choice_is_never_worse_than_a_dense_grid(name, bounds):
    anchors = SETS[name]
    h = loo_bandwidth(anchors, bounds)
    dense = np.geomspace(*bounds, 1500)[1:-1]
    best = min(negative_loo(anchors, x) for x in (*bounds, *dense))
    assert bounds[0] <= h <= bounds[1]
    assert negative_loo(anchors, h) <= best + 1e-9


@pytest.mark.parametrize(("gap", "chosen"), [(0.15, 0.150), (0.2, 1.36)])
def test_of_two_minima_the_lower_one_is_chosen(gap, chosen):
    values = np.array([negative_loo(pairs(gap), h) for h in np.geomspace(1e-3, 10, 600)])
    minima = np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] < values[2:]))
    assert minima.size == 2
    h = loo_bandwidth(pairs(gap), (1e-3, 10.0))
    assert h == pytest.approx(chosen, rel=0.01)
    assert negative_loo(pairs(gap), h) <= values.min() + 1e-12


def test_an_interior_choice_is_a_stationary_point():
    h = loo_bandwidth(SETS["spread"], (0.01, 10.0))
    assert 0.01 < h < 10
    assert abs(negative_loo_gradient(SETS["spread"], h)) < 1e-6


def test_choice_scales_with_the_anchors():
    h = loo_bandwidth(SETS["spread"], (0.01, 10.0))
    assert loo_bandwidth(7 * SETS["spread"] + 3, (0.07, 70.0)) == pytest.approx(7 * h, rel=1e-6)


@pytest.mark.parametrize("bounds", [(1.0, 2.0), (0.3, 0.7), (0.1, 0.1)])
def test_one_anchor_and_equal_anchors_take_exactly_the_lower_bound(bounds):
    assert loo_bandwidth([[0.4, 0.2]], bounds) == bounds[0]
    assert loo_bandwidth(np.full((4, 3), 0.3), bounds) == bounds[0]


def test_a_choice_at_a_bound_is_the_bound_itself():
    assert loo_bandwidth(SETS["spread"], (0.9, 1.3)) == 0.9
    assert loo_bandwidth(SETS["spread"], (0.001, 0.0013)) == 0.0013


def test_metric_reaches_the_objective():
    prints = np.random.default_rng(2).integers(0, 2, (6, 30)).astype(float)
    h = loo_bandwidth(prints, (0.05, 1.0), metric="tanimoto")
    values = [negative_loo(prints, x, metric="tanimoto") for x in np.geomspace(0.05, 1.0, 800)]
    assert negative_loo(prints, h, metric="tanimoto") <= min(values) + 1e-9


def test_leaving_out_needs_two_anchors():
    with pytest.raises(InputError, match="LOO needs at least two anchors; received 1"):
        negative_loo([[0.1]], 1.0)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((2.0, 1.0), r"bounds must have lower <= upper; received \(2.0, 1.0\); swap the two"),
        ((0.0, 1.0), "the lower end of bounds must be a finite number above 0; received 0.0"),
        ((1.0, np.inf), "the upper end of bounds must be a finite number above 0; received inf"),
        ((1.0,), r"bounds must be a pair \(lower, upper\)"),
        (1.0, r"bounds must be a pair \(lower, upper\); received 1.0"),
        ((1e-200, 1.0), "bandwidth must be at least 1e-100"),
    ],
)
def test_bad_bounds_are_refused(bounds, message):
    with pytest.raises(InputError, match=message):
        loo_bandwidth([[0.1], [0.2]], bounds)


def test_bad_anchors_and_names_are_refused():
    with pytest.raises(InputError, match="anchors must hold at least one design"):
        loo_bandwidth([], (1.0, 2.0))
    with pytest.raises(ShapeError, match=r"anchors must have shape \(n, d\)"):
        loo_bandwidth([0.1, 0.2], (1.0, 2.0))
    with pytest.raises(UnknownNameError, match="profile must be one of"):
        loo_bandwidth([[0.1], [0.2]], (1.0, 2.0), profile="box")
    with pytest.raises(UnknownNameError, match="metric must be one of"):
        loo_bandwidth([[0.1], [0.2]], (1.0, 2.0), metric="cosine")
