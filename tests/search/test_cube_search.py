"""Searching the unit cube."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from search_study import study

from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB, DesignAcquisition, Partials
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.kernels import Hamming, Matern52
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.search import maximise
from anchorpbo.search.starts import select_starts

SINGLE = [EI(), EI(log=True), ANPEI(1.0), UCB(), RAHBO(2.0, 1.0)]
PAIRS = [EUBO(), RAEUBO(1.0)]


def grid(points, dimension):
    axis = np.linspace(0.0, 1.0, points)
    return np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


@pytest.mark.parametrize("acquisition", SINGLE, ids=repr)
@pytest.mark.parametrize(("dimension", "points"), [(1, 20_001), (2, 201)])
def test_a_design_is_the_best_of_a_fine_grid(acquisition, dimension, points):
    for seed in range(3):
        bound = acquisition.bind(*study(dimension, seed=seed))
        values = bound(grid(points, dimension))
        spread = values.max() - np.median(values)
        found = maximise(bound, dimension, np.random.default_rng(seed))
        assert found.x.shape == (dimension,)
        assert found.value >= values.max() - 1e-9 * spread
        # A grid point is at most half a step from the maximum, and the value is flat there.
        assert found.value <= values.max() + 0.01 * spread


@pytest.mark.parametrize("acquisition", PAIRS, ids=repr)
def test_a_pair_is_the_best_of_a_fine_grid(acquisition):
    axis = np.linspace(0.0, 1.0, 301)
    pairs = grid(301, 2).reshape(-1, 2, 1)
    assert len(pairs) == len(axis) ** 2
    for seed in range(3):
        bound = acquisition.bind(*study(1, seed=seed))
        values = bound(pairs)
        found = maximise(bound, 1, np.random.default_rng(seed))
        assert found.x.shape == (2, 1)
        assert found.value >= values.max() - 1e-9
        assert found.value <= values.max() + 0.01 * (values.max() - np.median(values))


@pytest.mark.parametrize("acquisition", [EI(), RAHBO(2.0, 1.0), EUBO(), RAEUBO(1.0)], ids=repr)
def test_four_dimensions_are_never_worse_than_twenty_thousand_random_points(acquisition):
    for seed in range(10):
        bound = acquisition.bind(*study(4, seed=seed, kernel=Matern52(0.4)))
        random = np.random.default_rng(100 + seed).random((20_000, *bound.item_shape))
        assert maximise(bound, 4, np.random.default_rng(seed)).value >= bound(random).max()


@pytest.mark.parametrize("acquisition", [EI(), RAEUBO()], ids=repr)
def test_the_result_is_in_the_cube_and_its_value_is_the_acquisition_there(acquisition):
    bound = acquisition.bind(*study(3))
    found = maximise(bound, 3, np.random.default_rng(0), raw=64, restarts=4)
    assert ((found.x >= 0.0) & (found.x <= 1.0)).all()
    assert found.value == pytest.approx(bound(found.x[None])[0], rel=1e-12)
    assert found.value == max(found.info.raw_value, found.info.refined_value)
    assert found.info.converged
    assert found.info.evaluations > 64


def test_a_maximum_inside_the_cube_has_no_gradient():
    bound = UCB(0.0).bind(*study(2, seed=3))
    found = maximise(bound, 2, np.random.default_rng(0))
    inside = (found.x > 0.0) & (found.x < 1.0)
    assert np.abs(bound.value_and_gradient(found.x[None])[1][0][inside]).max() < 1e-4


@pytest.mark.parametrize("acquisition", [EI(), RAEUBO()], ids=repr)
def test_the_same_generator_gives_the_same_result(acquisition):
    bound = acquisition.bind(*study(3))
    first, second = (maximise(bound, 3, np.random.default_rng(7)) for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes()
    assert first.value == second.value
    assert first.info == second.info


def test_tiny_improvements_are_climbed_like_large_ones():
    posterior, noise = study(2)
    incumbent = posterior.mean(posterior.points).max() + 8.0
    bound = EI().bind(posterior, noise, incumbent)
    values = bound(grid(201, 2))
    assert values.max() < 1e-9
    assert maximise(bound, 2, np.random.default_rng(0)).value >= 0.999999 * values.max()


def test_a_flat_acquisition_returns_some_design():
    posterior, noise = GaussianPosterior.prior(Matern52(0.3), 2), NoiseMap.constant(1.0)
    found = maximise(UCB().bind(posterior, noise), 2, np.random.default_rng(0), raw=16)
    assert found.value == pytest.approx(2.0)
    assert found.x.shape == (2,)


def test_a_single_raw_point_and_start_will_do():
    found = maximise(EUBO().bind(*study(2)), 2, np.random.default_rng(0), raw=1, restarts=1)
    assert found.info.refined_value >= found.info.raw_value


def test_extra_items_are_considered():
    posterior, noise = study(4, seed=2)
    bound = RAEUBO(1.0).bind(posterior, noise)
    best = maximise(bound, 4, np.random.default_rng(0))
    poor = maximise(bound, 4, np.random.default_rng(1), raw=1, restarts=1, extra=best.x[None])
    assert poor.value >= best.value
    assert poor.info.raw_value >= best.value - 1e-12


def test_extra_items_on_the_face_may_overshoot_by_rounding():
    bound = EI().bind(*study(2))
    found = maximise(bound, 2, np.random.default_rng(0), raw=2, extra=[[1.0 + 1e-12, -1e-12]])
    assert ((found.x >= 0.0) & (found.x <= 1.0)).all()


@pytest.mark.parametrize("acquisition", [EI(), EUBO()], ids=repr)
def test_extra_items_of_another_shape_are_refused(acquisition):
    bound = acquisition.bind(*study(2))
    with pytest.raises(ShapeError, match=r"extra must have shape \(n, .*2\); received \(3,\); give one item per row"):
        maximise(bound, 2, np.random.default_rng(0), extra=[0.1, 0.2, 0.3])


def test_extra_items_outside_the_cube_are_refused():
    with pytest.raises(InputError, match=r"extra must lie in the unit cube; received 1\.5"):
        maximise(EI().bind(*study(2)), 2, np.random.default_rng(0), extra=[[1.5, 0.0]])


def test_another_dimension_is_refused():
    with pytest.raises(ShapeError, match="where must have the 2 coordinates of the posterior's designs; received 3"):
        maximise(EI().bind(*study(2)), 3, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["raw", "restarts"])
def test_nothing_to_start_from_is_refused(name):
    with pytest.raises(InputError, match=f"{name} must be a whole number of at least 1; received 0"):
        maximise(EI().bind(*study(2)), 2, np.random.default_rng(0), **{name: 0})


def test_a_kernel_without_gradient_sends_to_the_list():
    bound = EI().bind(GaussianPosterior.prior(Hamming(1.0), 2), NoiseMap.constant(1.0))
    with pytest.raises(
        UnsupportedError, match=r"needs a kernel with a gradient in x; received Hamming; .*maximise_discrete"
    ):
        maximise(bound, 2, np.random.default_rng(0))


def test_a_noise_map_without_gradient_sends_to_the_list():
    posterior, _ = study(2)
    noise = NoiseMap.bounded(posterior.points[:3], bandwidth=0.3, metric="hamming")
    with pytest.raises(
        UnsupportedError, match=r"needs a noise map with a gradient; received NoiseMap.*maximise_discrete"
    ):
        maximise(RAHBO().bind(posterior, noise), 2, np.random.default_rng(0))


@dataclass(frozen=True)
class Broken(DesignAcquisition):
    def partials(self, mean, std, noise, incumbent):
        nothing = np.full_like(mean, np.nan)
        return Partials(nothing, nothing, nothing, nothing)


def test_an_acquisition_that_is_not_finite_is_refused():
    with pytest.raises(InputError, match="an acquisition must be finite to be searched; received nan"):
        maximise(Broken().bind(*study(2)), 2, np.random.default_rng(0))


def test_starts_are_the_best_and_then_good_ones_elsewhere():
    items = np.array([[0.50], [0.51], [0.90], [0.10], [0.52]])[:, None]
    values = np.array([5.0, 4.9, 1.0, 2.0, 4.8])
    assert select_starts(items, values, 3).tolist() == [0, 3, 2]
    assert select_starts(items, values, 9).tolist()[:3] == [0, 3, 2]
    assert sorted(select_starts(items, values, 9)) == [0, 1, 2, 3, 4]


def test_a_pair_the_other_way_round_is_no_other_start():
    pairs = np.array([[[0.1], [0.9]], [[0.9], [0.1]], [[0.5], [0.6]]])
    assert select_starts(pairs, np.array([3.0, 2.9, 1.0]), 3).tolist() == [0, 2]


@pytest.mark.parametrize("acquisition", PAIRS, ids=repr)
def test_screening_scores_every_pair_once(acquisition):
    bound, designs = acquisition.bind(*study(2)), np.random.default_rng(0).random((5, 2))
    every, few = bound.screen(designs, 100), bound.screen(designs, 3)
    assert [pair.tolist() for pair in every.items] == [list(pair) for pair in combinations(designs.tolist(), 2)]
    assert every.values == pytest.approx(bound(every.items), rel=1e-10)
    assert every.items.tolist() == designs[every.rows].tolist()
    assert few.items.shape == (3, 2, 2)
    assert sorted(few.values) == sorted(every.values)[-3:]
