"""Searching a finite list for a pair: by enumeration, and by bounds."""

from dataclasses import dataclass

import numpy as np
import pytest
from search_study import study

from anchorpbo.acquisition import EUBO, RAEUBO, PairAcquisition, PairPartials
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels import Matern52
from anchorpbo.search import discrete_search, maximise_discrete
from anchorpbo.search.pair_search import Candidates, bound_cell_pairs, split_cells

ACQUISITIONS = [EUBO(), RAEUBO(2.0)]
NO_PAIRS = np.empty((0, 2), dtype=np.intp)


def candidates(n, d=3, seed=1):
    return np.random.default_rng(seed).random((n, d))


def brute_force(bound, X, skip=frozenset()):
    best = (-np.inf, (-1, -1))
    for i in range(len(X)):
        for j in range(i + 1, len(X)):
            if (i, j) not in skip:
                best = max(best, (bound(X[None, [i, j]])[0], (i, j)))
    return best


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=repr)
def test_the_best_pair_is_that_of_a_double_loop(acquisition):
    bound, X = acquisition.bind(*study(3)), candidates(60)
    value, pair = brute_force(bound, X)
    found = maximise_discrete(bound, X)
    assert found.index == pair
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.info.exact
    assert found.info.evaluations == 60 * 59 // 2


def test_excluded_items_and_pairs_are_skipped():
    bound, X = EUBO().bind(*study(3)), candidates(40)
    banned = set()
    for _ in range(3):
        _, pair = brute_force(bound, X, banned)
        banned.add(pair)
    value, pair = brute_force(bound, X, banned | {(i, j) for i in range(40) for j in range(40) if 5 in (i, j)})
    found = maximise_discrete(bound, X, [5], exclude_pairs={(j, i) for i, j in banned} | {(5, 6)})
    assert found.index == pair
    assert found.value == pytest.approx(value, rel=1e-12)


def test_enumeration_goes_through_every_block(monkeypatch):
    bound, X = RAEUBO(2.0).bind(*study(3)), candidates(60)
    whole = maximise_discrete(bound, X)
    monkeypatch.setattr("anchorpbo.search.pair_search.BLOCK_ITEMS", 7)
    small = maximise_discrete(bound, X)
    assert small.index == whole.index
    assert small.info == whole.info


def test_copies_of_a_design_are_no_trouble():
    posterior, noise = study(3)
    X = np.repeat(candidates(20), 2, axis=0)
    bound = RAEUBO(2.0).bind(posterior, noise)
    found = maximise_discrete(bound, X)
    assert found.value == pytest.approx(brute_force(bound, X)[0], abs=1e-7)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=repr)
@pytest.mark.parametrize("seed", [0, 1])
def test_bounds_find_the_pair_that_enumeration_finds(acquisition, seed, monkeypatch):
    bound, X = acquisition.bind(*study(3, seed=seed, kernel=Matern52(0.4))), candidates(2500)
    refined = maximise_discrete(bound, X)
    monkeypatch.setattr(discrete_search, "MAX_ENUMERATED_ITEMS", 2500)
    everything = maximise_discrete(bound, X)
    assert everything.info.evaluations == 2500 * 2499 // 2
    assert refined.index == everything.index
    assert refined.value == everything.value
    assert refined.info.exact
    assert refined.info.gap == 0.0
    assert refined.info.evaluations < everything.info.evaluations / 2


def test_cells_are_cut_anew_once_most_items_cannot_matter(monkeypatch):
    bound, X = EUBO().bind(*study(3, duels=60)), candidates(2500)
    sizes = []

    def watched(items, alive):
        sizes.append(len(alive))
        return split_cells(items, alive)

    monkeypatch.setattr("anchorpbo.search.pair_search.split_cells", watched)
    refined = maximise_discrete(bound, X)
    assert sizes[0] == 2500
    assert sizes[-1] <= 0.75 * 2500
    monkeypatch.setattr(discrete_search, "MAX_ENUMERATED_ITEMS", 2500)
    assert refined.index == maximise_discrete(bound, X).index


def test_bounds_respect_what_is_excluded(monkeypatch):
    bound, X = EUBO().bind(*study(3)), candidates(2300)
    first = maximise_discrete(bound, X)
    second = maximise_discrete(bound, X, exclude_pairs=[first.index[::-1]])
    third = maximise_discrete(bound, X, [second.index[0]], exclude_pairs=[first.index])
    assert first.value >= second.value >= third.value
    assert second.index != first.index
    assert second.index[0] not in third.index
    monkeypatch.setattr(discrete_search, "MAX_ENUMERATED_ITEMS", 2300)
    assert maximise_discrete(bound, X, exclude_pairs=[first.index]).index == second.index
    assert maximise_discrete(bound, X, [second.index[0]], exclude_pairs=[first.index]).index == third.index


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=repr)
@pytest.mark.parametrize("budget", [1, 5_000, 20_000])
def test_the_gap_of_a_small_budget_bounds_what_was_missed(acquisition, budget, monkeypatch):
    posterior, noise = study(3, duels=4)
    bound, X = acquisition.bind(posterior, noise), candidates(2500, seed=8)
    hurried = maximise_discrete(bound, X, budget=budget)
    monkeypatch.setattr(discrete_search, "MAX_ENUMERATED_ITEMS", 2500)
    truth = maximise_discrete(bound, X).value
    assert not hurried.info.exact
    assert hurried.info.gap > 0.0
    assert truth - hurried.value <= hurried.info.gap + 1e-9
    assert hurried.info.evaluations <= budget + 40 * 40


def test_no_pair_of_two_cells_is_above_their_bound():
    bound, X = RAEUBO(2.0).bind(*study(3)), candidates(700)
    items = Candidates.of(bound, X, NO_PAIRS)
    cells = split_cells(items, np.arange(700))
    bounds = bound_cell_pairs(items, cells)
    assert sorted(np.concatenate(cells)) == list(range(700))
    assert len(cells) == 16
    for a, rows in enumerate(cells):
        for b, columns in enumerate(cells):
            assert items.values(rows, columns).max() <= bounds[a, b] + 1e-12


def test_cells_of_items_that_are_all_the_same():
    X = np.tile(candidates(1), (2100, 1))
    found = maximise_discrete(EUBO().bind(*study(3)), X, budget=10_000)
    assert found.index[0] != found.index[1]
    assert found.info.gap >= 0.0


def test_a_list_with_every_pair_excluded_is_refused():
    everything = [(0, 1), (2, 0), (1, 2)]
    with pytest.raises(InputError, match="at least one pair must not be excluded"):
        maximise_discrete(EUBO().bind(*study(3)), candidates(3), exclude_pairs=everything)


def test_excluded_pairs_of_another_shape_are_refused():
    with pytest.raises(ShapeError, match=r"exclude_pairs must be pairs of row numbers; received \(2,\)"):
        maximise_discrete(EUBO().bind(*study(3)), candidates(3), exclude_pairs=[0, 1])
    with pytest.raises(InputError, match="exclude_pairs must be row numbers of points, 0 to 2; received 3"):
        maximise_discrete(EUBO().bind(*study(3)), candidates(3), exclude_pairs=[(0, 3)])


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(InputError, match="budget must be at least 1; received 0"):
        maximise_discrete(EUBO().bind(*study(3)), candidates(3), budget=0)


@dataclass(frozen=True)
class Broken(PairAcquisition):
    def partials(self, mean_first, mean_second, std, noise_first, noise_second):
        nothing = np.full(np.broadcast_shapes(np.shape(mean_first), np.shape(std)), np.nan)
        return PairPartials(nothing, nothing, nothing, nothing, nothing, nothing)


def test_an_acquisition_that_is_not_a_number_is_refused():
    with pytest.raises(InputError, match="an acquisition must not be NaN"):
        maximise_discrete(Broken().bind(*study(3)), candidates(3))
