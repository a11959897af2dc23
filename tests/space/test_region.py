"""Regions: everything that comes out of one is in it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anchorpbo.errors import InputError
from anchorpbo.space import Region
from anchorpbo.space.enumeration import enumerate_designs
from anchorpbo.space.polytope import Polytope

INF = np.inf
UNEVEN = np.array([0.0, 0.2, 0.9, 1.0])


def grid(n):
    return np.arange(n) / (n - 1)


REGIONS = {
    "cube": Region.cube(3),
    "gridded": Region.of([grid(3), None, UNEVEN], categorical=[0]),
    "half": Region.of([None, None], rows=np.array([[1.0, 1.0]]), upper=np.array([1.0])),
    "simplex": Region.of([None] * 4, rows=np.ones((1, 4)), lower=np.ones(1), upper=np.ones(1)),
    "pressed": Region.of(
        [None] * 3, rows=np.array([[1.0, 1, 1], [1, 1, 1]]), lower=np.array([-INF, 1]), upper=np.array([1, INF])
    ),
    "wedge": Region.of(
        [None] * 2, rows=np.array([[1.0, -1.0], [1.0, -1.01]]), lower=np.array([0.0, -INF]), upper=np.array([INF, 0])
    ),
    "whole": Region.of([grid(11)] * 3, rows=np.full((1, 3), 10.0), lower=np.full(1, 10.0), upper=np.full(1, 10.0)),
    "large whole": Region.of([grid(61)] * 4, rows=np.ones((1, 4)), lower=np.ones(1), upper=np.ones(1)),
    "mixed": Region.of(
        [grid(5), None, None, UNEVEN, grid(3)],
        categorical=[4],
        rows=np.array([[4.0, 2.0, 1.0, 0, 0], [0, 1.0, -1.0, 0, 0]]),
        lower=np.array([3.0, -INF]),
        upper=np.array([3.0, 0.0]),
    ),
}
every = pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)


def are_designs(region, X):
    """Naively: in the cube, on the grids, and every row of the constraints kept."""
    for x in X:
        on_grid = all(g is None or x[c] in g for c, g in enumerate(region.grids))
        kept = all(
            low - 1e-9 <= a @ x <= high + 1e-9
            for a, low, high in zip(region.A, region.lower, region.upper, strict=True)
        )
        if not (((x >= 0) & (x <= 1)).all() and on_grid and kept):
            return False
    return True


@every
def test_arrays_are_always_there(region):
    c = len(region.A)
    assert region.A.shape == (c, region.dimension)
    assert region.lower.shape == region.upper.shape == (c,)
    assert np.linalg.norm(region.A, axis=1) == pytest.approx(np.ones(c))
    assert region.is_constrained == (c > 0)
    assert sorted([*region.continuous, *region.discrete]) == list(range(region.dimension))


@every
@pytest.mark.parametrize("n", [1, 100, 1500])
def test_samples_are_designs(region, n):
    X = region.sample(n, np.random.default_rng(n))
    assert len(X) == (n if len(region.continuous) or not region.is_constrained else min(n, len(region._pool)))
    assert are_designs(region, X)
    assert X.tolist() == region.sample(n, np.random.default_rng(n)).tolist()


@every
@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_neighbours_and_repaired_are_designs(region, seed):
    rng = np.random.default_rng(seed)
    x = region.sample(8, rng)[seed % 8 if region.dimension > 1 else 0]
    around = region.neighbours(x)
    assert are_designs(region, around)
    assert not (around == x).all(axis=1).any() or not len(region.discrete)
    assert are_designs(region, region.repair(region.assign_bins(rng.random((20, region.dimension)))))


@every
@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_nearest_is_a_design(region, seed):
    x = np.random.default_rng(seed).random(region.dimension) * 1.2 - 0.1
    assert are_designs(region, region.nearest(x)[None])


def test_snapping_takes_the_nearest_place_and_the_lower_of_two():
    region = Region.of([grid(3), None, UNEVEN])
    X = np.array([[0.25, 0.3, 0.54], [0.26, -0.2, 0.56], [1.3, 1.4, -1.0], [0.5, 0.5, 0.95]])
    expected = [[0.0, 0.3, 0.2], [0.5, 0.0, 0.9], [1.0, 1.0, 0.0], [0.5, 0.5, 0.9]]
    assert region.snap(X).tolist() == expected
    assert X[1, 1] == -0.2


def test_bins_make_all_places_equally_frequent():
    region = Region.of([UNEVEN])
    X = region.sample(4000, np.random.default_rng(0))
    assert np.unique(X, return_counts=True)[1] == pytest.approx([1000] * 4, abs=2)


def test_ordered_coordinates_step_by_powers_of_two_and_categories_to_any_other():
    region = Region.of([grid(11), grid(4), None], categorical=[1])
    around = region.neighbours(np.array([0.5, 1 / 3, 0.7]))
    steps = {tuple(np.round(x * [10, 3, 1], 9)) for x in around}
    assert steps == {(k, 1, 0.7) for k in (4, 6, 3, 7, 1, 9)} | {(5, k, 0.7) for k in (0, 2, 3)}
    assert len(Region.cube(2).neighbours(np.zeros(2))) == 0


def test_steps_against_a_sum_are_exchanged():
    region = REGIONS["whole"]
    around = {tuple(np.round(10 * x).astype(int)) for x in region.neighbours(np.array([0.3, 0.3, 0.4]))}
    assert (2, 4, 4) in around
    assert (4, 3, 3) in around
    assert (3, 3, 4) not in around


def test_continuous_coordinates_make_room_for_a_step():
    region = REGIONS["mixed"]
    x = np.array([0.25, 0.6, 0.8, 0.2, 0.0])
    assert region.contains(x[None])[0]
    assert {0.5, 0.25} <= {round(y[0], 9) for y in region.neighbours(x)}


def test_simplex_samples_are_spread_like_the_uniform_distribution():
    X = REGIONS["simplex"].sample(1000, np.random.default_rng(0))
    # Uniform on the simplex of 4 parts: each has mean 1/4 and variance 3/80.
    assert X.mean(axis=0) == pytest.approx(np.full(4, 0.25), abs=0.03)
    assert X.var(axis=0) == pytest.approx(np.full(4, 3 / 80), abs=0.01)


def test_constraints_that_press_a_sum_to_one_value_are_stirred_along_it():
    X = REGIONS["pressed"].sample(500, np.random.default_rng(0))
    assert len(np.unique(X, axis=0)) == 500
    assert X.std(axis=0).min() > 0.15


def test_thin_regions_are_filled_to_both_ends():
    X = REGIONS["wedge"].sample(1000, np.random.default_rng(0))
    assert X[:, 0].min() < 0.2
    assert X[:, 0].max() > 0.8


def test_whole_numbers_of_a_sum_are_found_by_integer_programs():
    region = REGIONS["large whole"]
    X = region.sample(400, np.random.default_rng(0))
    whole = np.round(X * 60).astype(int)
    assert (whole.sum(axis=1) == 60).all()
    assert len(np.unique(whole, axis=0)) == len(X) == 400
    inner = (whole > 3).all(axis=1).mean()
    assert 0.1 < inner < 0.95


@pytest.mark.parametrize("free", [None, grid(3)])
def test_impossible_regions_are_refused(free):
    with pytest.raises(InputError, match=r"must leave at least one design; received none that meets them all; loosen"):
        Region.of([free, free], rows=np.ones((1, 2)), lower=np.array([2.5]))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_lists_are_complete(data):
    d = data.draw(st.integers(1, 4))
    sizes = [data.draw(st.integers(2, 5)) for _ in range(d)]
    c = data.draw(st.integers(1, 2))
    rows = np.array([[data.draw(st.integers(-2, 2)) for _ in range(d)] for _ in range(c)], dtype=float)
    assume(rows.any(axis=1).all())
    lower = np.array([data.draw(st.sampled_from([-INF, -0.5, 0.0, 0.5])) for _ in range(c)])
    polytope = Polytope.of(rows, lower, lower + data.draw(st.sampled_from([0.0, 1.0])) if c else lower)
    polytope = Polytope(polytope.A, polytope.lower, np.where(np.isnan(polytope.upper), INF, polytope.upper))
    cells = np.array(list(product(*map(grid, sizes))))
    expected = cells[polytope.contains(cells)]
    found = enumerate_designs([grid(n) for n in sizes], polytope, 10**4)
    assert found.tolist() == expected.tolist()
    few = enumerate_designs([grid(n) for n in sizes], polytope, max(len(expected) - 1, 0))
    assert few is None or len(expected) == 0


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_reach_is_never_narrower_than_the_exact_extent(seed):
    rng = np.random.default_rng(seed)
    d, c = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    x, rows = rng.random(d), rng.standard_normal((c, d))
    polytope = Polytope.of(rows, rows @ x - rng.random(c), rows @ x + rng.random(c))
    for column in range(d):
        least, most = polytope.quick_extent(column, np.zeros(d), np.ones(d))
        exact = polytope.coordinate_extent(column, np.zeros(d), np.ones(d))
        assert exact is not None
        assert least <= exact[0] + 1e-9
        assert exact[1] <= most + 1e-9
        if c == 1:
            assert (least, most) == pytest.approx(exact, abs=1e-9)


def test_the_nearest_point_has_the_least_sum_of_differences():
    region = REGIONS["whole"]
    designs = enumerate_designs(region.grids, region.polytope, 100)
    rng = np.random.default_rng(0)
    for x in rng.random((10, 3)):
        found = region.polytope.nearest(x, region.places)
        assert np.abs(found - x).sum() == pytest.approx(np.abs(designs - x).sum(axis=1).min(), abs=1e-9)


def test_what_no_continuous_coordinate_can_mend_is_left_out_at_once():
    rows, upper = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), np.array([1.0, 0.5])
    region = Region.of([None, np.arange(11) / 10, np.arange(5) / 4], rows=rows, upper=upper)
    X = np.array([[0.9, 0.3, 0.5], [0.9, 0.8, 0.5], [0.2, 0.5, 0.25]])
    assert region.polytope.are_repairable(X, region.continuous).tolist() == [True, False, True]
    mended = region.repair(X)
    assert len(mended) == 2
    assert region.contains(mended).all()
    assert mended[:, 1:].tolist() == [[0.3, 0.5], [0.5, 0.25]]
