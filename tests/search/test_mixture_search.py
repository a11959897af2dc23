"""Searches with a mixture of posteriors, each with its own kernel."""

import numpy as np
import pytest
from search_study import mixed_study

from anchorpbo.acquisition import EI, EUBO, RAEUBO, RAHBO, UCB, BoundChallengers
from anchorpbo.errors import UnsupportedError
from anchorpbo.kernels import RBF, Hamming
from anchorpbo.posterior import GaussianPosterior, PosteriorMixture
from anchorpbo.reliability import NoiseMap
from anchorpbo.search import discrete_search, maximise, maximise_discrete
from anchorpbo.search.pair_search import Candidates, bound_cell_pairs, split_cells

NO_PAIRS = np.empty((0, 2), dtype=np.intp)


def candidates(n, d=3, seed=1):
    return np.random.default_rng(seed).random((n, d))


def component_winners(bound, X):
    """The best pair of every component alone."""
    first, second = np.triu_indices(len(X), 1)
    pairs, noise = np.stack([X[first], X[second]], axis=1), bound.noise
    return {int(np.argmax(bound.acquisition.bind(each, noise)(pairs))) for each in bound.posterior.posteriors}


@pytest.mark.parametrize("acquisition", [EUBO(), RAEUBO(2.0)], ids=repr)
def test_the_best_pair_of_a_list_is_that_of_brute_force(acquisition):
    bound, X = acquisition.bind(*mixed_study(3)), candidates(80)
    first, second = np.triu_indices(len(X), 1)
    values = bound(np.stack([X[first], X[second]], axis=1))
    found, best = maximise_discrete(bound, X), int(np.argmax(values))
    assert found.index == (first[best], second[best])
    assert found.value == pytest.approx(values.max(), rel=1e-12)
    assert len(component_winners(bound, X)) > 1, "the components agree, so the test could not tell them apart"


@pytest.mark.parametrize("acquisition", [EUBO(), RAEUBO(2.0)], ids=repr)
def test_bounds_find_the_pair_that_enumeration_finds(acquisition, monkeypatch):
    bound, X = acquisition.bind(*mixed_study(3)), candidates(2500)
    refined = maximise_discrete(bound, X)
    assert refined.info.exact
    assert refined.info.evaluations < 2500 * 2499 // 2
    monkeypatch.setattr(discrete_search, "MAX_ENUMERATED_ITEMS", 2500)
    assert maximise_discrete(bound, X).index == refined.index


def test_bounds_of_cells_are_bounds_and_averages_of_the_components_bounds():
    bound = RAEUBO(1.0).bind(*mixed_study(3))
    list_of = Candidates.of(bound, candidates(300), NO_PAIRS)
    cells = split_cells(list_of, np.arange(300))
    bounds = bound_cell_pairs(list_of, cells)
    assert len(cells) == 8
    expected = np.zeros((8, 8))
    for weight, each in bound.posterior.components:
        part = Candidates.of(RAEUBO(1.0).bind(each, bound.noise), candidates(300), NO_PAIRS)
        expected += weight * bound_cell_pairs(part, cells)
    np.testing.assert_allclose(bounds, expected, rtol=1e-12)
    for a, rows in enumerate(cells):
        for b, columns in enumerate(cells):
            assert list_of.values(rows, columns).max() <= bounds[a, b] + 1e-12


@pytest.mark.parametrize("acquisition", [EI(), EI(log=True), UCB(), RAHBO()], ids=repr)
def test_the_best_design_of_a_list_is_that_of_brute_force(acquisition):
    bound, X = acquisition.bind(*mixed_study(3)), candidates(500)
    found = maximise_discrete(bound, X)
    assert found.index == int(np.argmax(bound(X)))


@pytest.mark.parametrize("acquisition", [EI(), RAHBO(2.0, 1.0), EUBO(), RAEUBO(1.0)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_a_search_of_the_cube_beats_twenty_thousand_random_points(acquisition, seed):
    bound = acquisition.bind(*mixed_study(3, seed=seed))
    random = np.random.default_rng(100 + seed).random((20_000, *bound.item_shape))
    found = maximise(bound, 3, np.random.default_rng(seed))
    assert found.value >= bound(random).max()
    assert found.value == pytest.approx(bound(found.x[None])[0], rel=1e-9)


def test_screened_pairs_have_the_values_of_the_mixture():
    bound, X = RAEUBO(1.0).bind(*mixed_study(2)), candidates(20, 2)
    found = bound.screen(X, 30)
    np.testing.assert_allclose(found.values, bound(found.items), rtol=1e-9, atol=1e-9)


def test_challengers_have_the_values_of_pairs():
    bound, X = EUBO().bind(*mixed_study(2)), candidates(20, 2)
    facing = BoundChallengers.of(bound, X[0])
    values, gradient = facing.value_and_gradient(X[1:])
    pairs = np.stack([np.broadcast_to(X[0], X[1:].shape), X[1:]], axis=1)
    np.testing.assert_allclose(values, bound(pairs), rtol=1e-12)
    np.testing.assert_allclose(gradient, bound.value_and_gradient(pairs)[1][:, 1], rtol=1e-12)


def test_a_component_without_gradient_is_refused_in_the_cube():
    parts = (GaussianPosterior.prior(RBF(0.3), 2), GaussianPosterior.prior(Hamming(1.0), 2))
    bound = EI().bind(PosteriorMixture(np.array([0.5, 0.5]), parts), NoiseMap.constant(1.0))
    with pytest.raises(UnsupportedError, match="needs a kernel with a gradient in x; received RBF, Hamming"):
        maximise(bound, 2, np.random.default_rng(0))
