"""Searching a part of the cube: mixed coordinates, constraints, and items that are not allowed."""

from itertools import product

import numpy as np
import pytest
from search_study import study

from anchorpbo import Categorical, Integer, Real, Space
from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, UnsupportedError
from anchorpbo.kernels import RBF, Hamming
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.search import maximise
from anchorpbo.space import Region

SINGLE = [EI(), ANPEI(1.0), UCB(), RAHBO(2.0, 1.0)]
PAIRS = [EUBO(), RAEUBO(1.0)]

MIXED = Space(a=Real(0, 1), b=Real(0, 1), k=Integer(0, 4), kind=Categorical(["p", "q", "r"]))
KERNEL = RBF([0.3, 0.4, 0.5, 0.8], outputscale=2.0, categorical=[3])


def mixed_study(seed):
    """A posterior whose designs are designs of the mixed space."""
    posterior, noise = study(4, duels=10, seed=seed, kernel=KERNEL)
    return posterior, noise


def mixed_grid(points):
    axis = np.linspace(0.0, 1.0, points)
    return np.array(list(product(axis, axis, np.arange(5) / 4, np.arange(3) / 2)))


def inside(region, X):
    """In the cube, on the grids, within the constraints: naively."""
    X = X.reshape(-1, region.dimension)
    fine = ((X >= 0) & (X <= 1)).all()
    for c, grid in enumerate(region.grids):
        fine &= grid is None or bool(np.isin(X[:, c], grid).all())
    for a, low, high in zip(region.A, region.lower, region.upper, strict=True):
        fine &= bool(((X @ a >= low - 1e-9) & (X @ a <= high + 1e-9)).all())
    return bool(fine)


def near_share(found, values):
    """How far up from the middle of the values of a brute-force search a value is: 1 is its best."""
    middle = np.median(values)
    return (found - middle) / (values.max() - middle)


@pytest.mark.parametrize("acquisition", SINGLE, ids=repr)
def test_a_mixed_design_is_the_best_of_a_fine_grid(acquisition):
    every = mixed_grid(41)
    for seed in range(3):
        bound = acquisition.bind(*mixed_study(seed))
        found = maximise(bound, MIXED.region, np.random.default_rng(seed))
        assert near_share(found.value, bound(every)) >= 0.999
        assert inside(MIXED.region, found.x)
        assert found.value == pytest.approx(bound(found.x[None])[0], rel=1e-12)


@pytest.mark.parametrize("acquisition", PAIRS, ids=repr)
def test_a_mixed_pair_is_the_best_of_all_pairs_of_a_grid(acquisition):
    every = mixed_grid(7)
    first, second = np.triu_indices(len(every), 1)
    pairs = np.stack([every[first], every[second]], axis=1)
    for seed in range(2):
        bound = acquisition.bind(*mixed_study(seed))
        values = np.concatenate([bound(part) for part in np.array_split(pairs, 8)])
        found = maximise(bound, MIXED.region, np.random.default_rng(seed))
        assert near_share(found.value, values) >= 0.999
        assert inside(MIXED.region, found.x)


@pytest.mark.parametrize("acquisition", [*SINGLE, *PAIRS], ids=repr)
def test_the_result_is_never_worse_than_the_screen(acquisition):
    bound = acquisition.bind(*mixed_study(5))
    for raw, restarts in [(1, 1), (8, 2), (64, 4)]:
        found = maximise(bound, MIXED.region, np.random.default_rng(raw), raw=raw, restarts=restarts)
        assert found.value >= found.info.raw_value
        assert found.value == max(found.info.raw_value, found.info.refined_value)
        assert found.info.evaluations >= raw


def test_steps_and_climbs_take_turns():
    """From one start, in the wrong category and far off in the others, to the best there is."""
    every = mixed_grid(41)
    shares = []
    for seed in range(8):
        bound = UCB().bind(*mixed_study(seed))
        found = maximise(bound, MIXED.region, np.random.default_rng(seed), raw=1, restarts=1)
        shares.append(near_share(found.value, bound(every)))
    assert np.median(shares) >= 0.95


@pytest.mark.parametrize("acquisition", [UCB(), EUBO()], ids=repr)
def test_neither_a_neighbour_nor_a_small_step_is_better(acquisition):
    bound = acquisition.bind(*mixed_study(1))
    found = maximise(bound, MIXED.region, np.random.default_rng(0))
    designs = found.x.reshape(-1, 4)
    for row, c in product(range(len(designs)), range(4)):
        grid = MIXED.region.grids[c]
        here = designs[row, c]
        near = [here - 1e-3, here + 1e-3] if grid is None else grid
        for value in near:
            other = designs.copy()
            other[row, c] = min(max(value, 0.0), 1.0)
            assert bound(other.reshape(1, *found.x.shape))[0] <= found.value + 1e-7


REGIONS = {
    "cube": Region.cube(3),
    "half": Region.of([None] * 3, rows=np.array([[1.0, 1.0, 0.0]]), upper=np.array([0.8])),
    "mixture": Region.of([None] * 3, rows=np.ones((1, 3)), lower=np.ones(1), upper=np.ones(1)),
    "gridded": Region.of([None, np.arange(6) / 5, np.array([0.0, 0.3, 1.0])], categorical=[2]),
    "all gridded": Region.of([np.arange(41) / 40] * 3),
    "whole parts": Region.of([np.arange(11) / 10] * 3, rows=np.ones((1, 3)), lower=np.ones(1), upper=np.ones(1)),
    "mixed and constrained": Region.of(
        [None, None, np.arange(5) / 4], rows=np.array([[1.0, 1.0, 1.0]]), lower=np.ones(1), upper=np.full(1, 1.5)
    ),
}


def members(region, n=60_000):
    """Many designs of a region, naively: by rejection, or by what an equation leaves."""
    X = np.random.default_rng(7).random((n, 3))
    if region is REGIONS["mixture"]:
        X = np.random.default_rng(7).dirichlet(np.ones(3), n)
    if region is REGIONS["whole parts"]:
        X = np.array([x for x in product(np.arange(11) / 10, repeat=3) if abs(sum(x) - 1) < 1e-9])
    for c, grid in enumerate(region.grids):
        if grid is not None:
            X[:, c] = grid[np.abs(grid - X[:, c, None]).argmin(axis=1)]
    kept = np.ones(len(X), dtype=bool)
    for a, low, high in zip(region.A, region.lower, region.upper, strict=True):
        kept &= (X @ a >= low - 1e-9) & (X @ a <= high + 1e-9)
    return X[kept]


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("acquisition", [EI(), RAHBO(2.0, 1.0)], ids=repr)
def test_a_design_is_at_least_as_good_as_many_members_of_the_region(name, acquisition):
    region = REGIONS[name]
    every = members(region)
    for seed in range(3):
        bound = acquisition.bind(*study(3, seed=seed))
        found = maximise(bound, region, np.random.default_rng(seed))
        assert inside(region, found.x)
        assert near_share(found.value, bound(every)) >= 0.999


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("acquisition", PAIRS, ids=repr)
def test_a_pair_is_at_least_as_good_as_many_members_of_the_region(name, acquisition):
    region = REGIONS[name]
    every = members(region)
    bound = acquisition.bind(*study(3, seed=1))
    rng = np.random.default_rng(3)
    pairs = every[rng.integers(len(every), size=(30_000, 2))]
    found = maximise(bound, region, np.random.default_rng(0))
    assert found.x.shape == (2, 3)
    assert inside(region, found.x)
    assert near_share(found.value, bound(pairs)) >= 0.999


def test_a_large_grid_needs_no_gradient():
    """Hamming kernels and maps of other metrics have none, and none is asked for."""
    rng = np.random.default_rng(0)
    region = Region.of([np.arange(8) / 7] * 5, categorical=range(5))
    points = rng.integers(8, size=(20, 5)) / 7
    posterior = GaussianPosterior.prior(Hamming(0.5), 5)
    noise = NoiseMap.bounded(points[:3], bandwidth=0.4, metric="hamming")
    bound = RAHBO(2.0, 1.0).bind(posterior, noise)
    found = maximise(bound, region, np.random.default_rng(0))
    assert inside(region, found.x)
    # Every design is as uncertain as the next, so the quietest one, an anchor, is best.
    assert found.value == pytest.approx(bound(points[:3]).max(), rel=1e-12)
    free = Region.of([None, *[np.arange(8) / 7] * 4], categorical=range(1, 5))
    with pytest.raises(UnsupportedError, match="needs a kernel with a gradient in x; received Hamming"):
        maximise(bound, free, np.random.default_rng(0))


def test_a_grid_of_a_million_places_is_searched_by_ever_longer_steps():
    region = Region.of([np.arange(1_000_001) / 1_000_000])
    bound = UCB(0.5).bind(*study(1, seed=4))
    values = bound(np.linspace(0, 1, 20_001)[:, None])
    found = maximise(bound, region, np.random.default_rng(0), raw=8)
    assert inside(region, found.x)
    assert near_share(found.value, values) >= 0.9999


@pytest.mark.parametrize("acquisition", [UCB(), EUBO()], ids=repr)
@pytest.mark.parametrize("name", ["cube", "mixture", "gridded"])
def test_only_what_is_allowed_is_found(acquisition, name):
    region = REGIONS[name]
    bound = acquisition.bind(*study(3, seed=2))
    best = maximise(bound, region, np.random.default_rng(0))

    def elsewhere(items):
        """No design of the item within a tenth of one of the best item."""
        apart = np.abs(items.reshape(len(items), -1, 1, 3) - best.x.reshape(1, 1, -1, 3)).max(axis=3)
        return apart.min(axis=(1, 2)) > 0.1

    found = maximise(bound, region, np.random.default_rng(0), allowed=elsewhere)
    assert elsewhere(found.x[None])[0]
    assert inside(region, found.x)
    assert found.value <= best.value
    every = members(region, 20_000)
    if len(bound.item_shape) == 2:
        every = every[np.random.default_rng(1).integers(len(every), size=(20_000, 2))]
    # A climb does not follow the edge of what is allowed, so that here the search is only nearly exact.
    assert near_share(found.value, bound(every[elsewhere(every)])) >= 0.8


def test_what_is_not_allowed_may_still_lead_there():
    """A climb passes through forbidden designs."""
    bound = UCB(0.0).bind(*study(2, seed=3))
    best = maximise(bound, 2, np.random.default_rng(0))

    def near(items):
        return np.abs(items - best.x).max(axis=1) < 0.02

    found = maximise(bound, 2, np.random.default_rng(0), allowed=near, extra=best.x[None] + [[0.015, 0.0]])
    assert found.value == pytest.approx(best.value, abs=1e-6)


def test_something_must_be_allowed():
    bound = UCB().bind(*study(2))
    with pytest.raises(InputError, match="at least one of the items scored must be allowed; received none"):
        maximise(bound, 2, np.random.default_rng(0), allowed=lambda items: np.zeros(len(items), dtype=bool))


def test_extra_items_may_be_all_that_is_allowed():
    bound, only = UCB().bind(*study(2)), np.array([0.31, 0.77])
    found = maximise(
        bound, 2, np.random.default_rng(0), extra=only[None], allowed=lambda items: (items == only).all(axis=1)
    )
    assert np.array_equal(found.x, only)


@pytest.mark.parametrize("name", REGIONS)
def test_the_same_generator_gives_the_same_bits(name):
    bound = EUBO().bind(*study(3))
    first, second = (maximise(bound, REGIONS[name], np.random.default_rng(5)) for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes()
    assert first.value == second.value


def test_an_upper_bound_is_reached_exactly():
    """Where the mean rises throughout, the best design is the corner and not one beside it."""
    rising = np.linspace(0.05, 0.95, 7)
    points = np.stack([rising, np.full(7, 0.5)], axis=1)
    duels = Duels(points, np.arange(1, 7), np.arange(6))
    model = PreferenceGP(RBF(0.8, outputscale=10.0), inference="laplace", learn=None).condition(duels)
    found = maximise(UCB(0.0).bind(model.posterior, model.noise), 2, np.random.default_rng(0))
    assert found.x[0] == 1.0
