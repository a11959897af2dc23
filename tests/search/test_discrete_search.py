"""Searching a finite list for one design."""

import numpy as np
import pytest
from search_study import study

from anchorpbo.acquisition import EI, EUBO, RAHBO, UCB
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels import Tanimoto
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.search import evaluation, maximise_discrete


def candidates(n, d=3, seed=1):
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("acquisition", [EI(), UCB(), RAHBO()], ids=repr)
def test_the_best_item_is_found(acquisition):
    bound, X = acquisition.bind(*study(3)), candidates(500)
    found = maximise_discrete(bound, X)
    assert found.index == int(np.argmax(bound(X)))
    assert found.value == pytest.approx(bound(X).max(), rel=1e-12)
    assert found.info.exact
    assert found.info.gap == 0.0
    assert found.info.evaluations == 500


def test_a_long_list_is_scored_in_pieces(monkeypatch):
    bound, X = RAHBO().bind(*study(3)), candidates(1003)
    whole = maximise_discrete(bound, X)
    monkeypatch.setattr(evaluation, "CHUNK_ELEMENTS", 3000)
    assert maximise_discrete(bound, X).index == whole.index
    assert len(list(evaluation.iter_chunks(1003, 30))) == 11


def test_fingerprints_need_no_gradient():
    X = (candidates(200, 64) > 0.7).astype(float)
    posterior, noise = (
        GaussianPosterior.prior(Tanimoto(), 64),
        NoiseMap.bounded(X[:3], bandwidth=0.2, metric="tanimoto"),
    )
    found = maximise_discrete(RAHBO().bind(posterior, noise), X)
    assert found.index in {0, 1, 2}


@pytest.mark.parametrize("as_mask", [False, True])
def test_excluded_items_are_skipped(as_mask):
    bound, X = EI().bind(*study(3)), candidates(100)
    order = np.argsort(-bound(X))
    excluded = np.isin(np.arange(100), order[:3]) if as_mask else order[:3]
    found = maximise_discrete(bound, X, excluded)
    assert found.index == order[3]
    assert found.info.evaluations == 97
    assert maximise_discrete(bound, X, []).index == order[0]


def test_an_empty_list_is_refused():
    with pytest.raises(InputError, match="candidates must hold at least one design; received none"):
        maximise_discrete(EI().bind(*study(3)), np.empty((0, 3)))


def test_a_list_of_another_width_is_refused():
    with pytest.raises(ShapeError, match=r"candidates must have shape \(n, 3\); received \(5, 2\)"):
        maximise_discrete(EI().bind(*study(3)), np.zeros((5, 2)))


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
def test_a_list_with_a_coordinate_that_is_no_number_is_refused(entry):
    X = candidates(5)
    X[3, 1] = entry
    with pytest.raises(InputError, match=r"candidates must be finite; received .* at index \(3, 1\)"):
        maximise_discrete(EI().bind(*study(3)), X)


def test_a_list_may_come_as_rows_of_any_kind():
    bound, X = EI().bind(*study(3)), candidates(30).round(1)
    found = maximise_discrete(bound, X)
    assert maximise_discrete(bound, X.tolist()) == found
    assert maximise_discrete(bound, np.asfortranarray(X)).index == found.index
    assert maximise_discrete(bound, np.full((2, 3), 1e308)).index == 0


def test_a_list_with_everything_excluded_is_refused():
    with pytest.raises(InputError, match="at least one candidate must not be excluded"):
        maximise_discrete(EI().bind(*study(3)), np.zeros((2, 3)), [0, 1])


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(ShapeError, match=r"a mask to exclude must have shape \(4,\)"):
        maximise_discrete(EI().bind(*study(3)), np.zeros((4, 3)), [True, False])


def test_row_numbers_outside_the_list_are_refused():
    with pytest.raises(InputError, match="exclude must be row numbers of points, 0 to 3; received 4"):
        maximise_discrete(EI().bind(*study(3)), np.zeros((4, 3)), [4])


def test_excluded_pairs_are_refused_for_single_designs():
    with pytest.raises(InputError, match="exclude_pairs needs an acquisition function of pairs"):
        maximise_discrete(EI().bind(*study(3)), np.zeros((4, 3)), exclude_pairs=[(0, 1)])


@pytest.mark.parametrize("exclude", [None, [0], [True, False]])
def test_a_pair_needs_two_items(exclude):
    X = np.zeros((1 if exclude is None else 2, 3))
    with pytest.raises(InputError, match="a pair needs two candidates that are not excluded; received 1 of"):
        maximise_discrete(EUBO().bind(*study(3)), X, exclude)
