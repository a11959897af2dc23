"""Equal duels as one row."""

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.likelihoods import Probit
from anchorpbo.typing import Array

POINTS = np.random.default_rng(0).random((5, 2))


def many() -> Duels:
    rng = np.random.default_rng(1)
    return Duels(POINTS, *rng.integers(0, 5, size=(2, 200)), ties=rng.integers(0, 5, size=(60, 2)))


def sorted_rows(duels: Duels) -> Array:
    """First, second and tied of every row, as often as it was judged so."""
    rows = np.stack([duels.first, duels.second, duels.tied], axis=1)
    counts = np.ones(len(rows)) if duels.counts is None else duels.counts
    repeated = np.repeat(rows, counts.astype(int), axis=0)
    return repeated[np.lexsort(repeated.T)]


def test_a_row_counts_as_often_as_it_was_judged_so() -> None:
    merged = many().merge_repeats()
    assert merged.counts is not None
    assert merged.counts.sum() == 260
    assert len(merged) <= 2 * 5 * 5
    assert len(np.unique(np.stack([merged.first, merged.second, merged.tied], axis=1), axis=0)) == len(merged)
    np.testing.assert_array_equal(sorted_rows(merged), sorted_rows(many()))


def test_duels_that_all_differ_stay_as_they_are() -> None:
    duels = Duels(POINTS, [0, 1, 1], [1, 0, 2], ties=[[0, 1]])
    assert duels.merge_repeats() is duels
    assert duels.counts is None


def test_merging_twice_is_merging_once() -> None:
    merged = many().merge_repeats()
    assert merged.merge_repeats() is merged
    assert merged != many()


def test_unmerged_duels_have_a_row_each_on_the_same_designs() -> None:
    each = many().merge_repeats().expand_repeats()
    assert each.counts is None
    np.testing.assert_array_equal(each.points, many().points)
    np.testing.assert_array_equal(sorted_rows(each), sorted_rows(many()))
    assert each.expand_repeats() is each


def test_one_more_duel_after_merging_is_one_more_duel() -> None:
    more, expected = many().merge_repeats().with_win(POINTS[0], POINTS[1]), many().with_win(POINTS[0], POINTS[1])
    np.testing.assert_array_equal(sorted_rows(more.merge_repeats()), sorted_rows(expected.merge_repeats()))
    tie, expected = many().merge_repeats().with_tie(POINTS[0], POINTS[1]), many().with_tie(POINTS[0], POINTS[1])
    np.testing.assert_array_equal(sorted_rows(tie.merge_repeats()), sorted_rows(expected.merge_repeats()))


def test_the_log_likelihood_is_the_same_function() -> None:
    duels, likelihood, f = many(), Probit(tie_threshold=0.3), np.random.default_rng(2).normal(size=5)
    totals = []
    for each in (duels, duels.merge_repeats()):
        rows = likelihood.rows(each, np.full(5, 0.7))
        logs = likelihood.log_prob(rows.margins(f), rows.tied).value
        totals.append(float(logs.sum() if each.counts is None else each.counts @ logs))
    assert totals[1] == pytest.approx(totals[0], rel=1e-13)
