"""Duels: what is merged, dropped and kept, and every rule they are checked against."""

import dataclasses
import pickle

import numpy as np
import pytest

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, ShapeError

THREE = [[0.1, 0.2], [0.9, 0.4], [0.5, 0.5]]


def same_duels(duels: Duels, points: list[list[float]], winners: list[int], losers: list[int]) -> bool:
    return duels.points.tolist() == points and duels.winners.tolist() == winners and duels.losers.tolist() == losers


class TestDistinctDesigns:
    def test_equal_points_are_merged(self) -> None:
        duels = Duels([[0.1, 0.2], [0.9, 0.4], [0.1, 0.2]], winners=[0, 2], losers=[1, 1])
        assert same_duels(duels, [[0.1, 0.2], [0.9, 0.4]], [0, 0], [1, 1])

    def test_points_that_differ_in_the_last_bit_are_two_designs(self) -> None:
        assert len(Duels([[0.1], [np.nextafter(0.1, 1.0)]], [0], [1]).points) == 2

    def test_minus_zero_is_zero(self) -> None:
        duels = Duels([[-0.0, 0.5], [0.0, 0.5], [1.0, -0.0]], winners=[0, 1], losers=[2, 2])
        assert same_duels(duels, [[0.0, 0.5], [1.0, 0.0]], [0, 0], [1, 1])
        assert not np.signbit(duels.points).any()

    def test_unused_points_are_dropped(self) -> None:
        duels = Duels([[0.0], [0.1], [0.2], [0.3], [0.4]], winners=[3], losers=[1])
        assert same_duels(duels, [[0.1], [0.3]], [1], [0])

    def test_order_of_first_appearance_in_points_is_kept(self) -> None:
        points = [[0.9], [0.1], [0.5], [0.1], [0.9], [0.3]]
        duels = Duels(points, winners=[5, 3, 4], losers=[2, 0, 1])
        assert same_duels(duels, [[0.9], [0.1], [0.5], [0.3]], [3, 1, 0], [2, 0, 1])

    def test_order_of_duels_is_kept(self) -> None:
        rng = np.random.default_rng(0)
        points = rng.integers(0, 3, size=(20, 2)) / 2
        winners, losers = rng.integers(0, 20, size=(2, 50))
        duels = Duels(points, winners, losers)
        np.testing.assert_array_equal(duels.points[duels.winners], points[winners])
        np.testing.assert_array_equal(duels.points[duels.losers], points[losers])
        assert len(duels.points) == len(np.unique(duels.points, axis=0))

    def test_merging_again_changes_nothing(self) -> None:
        rng = np.random.default_rng(1)
        duels = Duels(rng.integers(0, 3, size=(20, 2)) / 2, *rng.integers(0, 20, size=(2, 30)), ties=[[3, 4]])
        assert Duels(duels.points, duels.winners, duels.losers, duels.ties) == duels

    def test_ties_are_merged_with_wins(self) -> None:
        duels = Duels([[0.5], [0.1], [0.5], [0.7]], winners=[0], losers=[1], ties=[[2, 3], [1, 2]])
        assert same_duels(duels, [[0.5], [0.1], [0.7]], [0], [1])
        assert duels.ties.tolist() == [[0, 2], [1, 0]]

    def test_design_against_itself_is_kept(self) -> None:
        duels = Duels([[0.5], [0.5]], winners=[0], losers=[1])
        assert same_duels(duels, [[0.5]], [0], [0])


class TestRowsOfDuels:
    def test_wins_come_before_ties(self) -> None:
        duels = Duels(THREE, winners=[0, 1], losers=[1, 2], ties=[[2, 0]])
        assert duels.first.tolist() == [0, 1, 2]
        assert duels.second.tolist() == [1, 2, 0]
        assert duels.tied.tolist() == [False, False, True]
        assert len(duels) == 3

    def test_only_ties(self) -> None:
        duels = Duels(THREE, [], [], ties=[[0, 1]])
        assert duels.tied.tolist() == [True]
        assert len(duels) == 1
        assert duels.winners.dtype == np.intp

    def test_no_ties_is_the_same_as_none(self) -> None:
        assert Duels(THREE, [0], [1], ties=[]) == Duels(THREE, [0], [1])
        assert Duels(THREE, [0], [1]).ties.shape == (0, 2)

    def test_no_duels(self) -> None:
        duels = Duels.empty(4)
        assert len(duels) == 0
        assert duels.points.shape == (0, 4)
        assert duels.dimension == 4
        assert duels.tied.shape == (0,)

    def test_repr_counts(self) -> None:
        assert repr(Duels(THREE, [0, 1], [1, 2], [[0, 2]])) == "Duels(2 wins and 1 ties on 3 designs, d=2)"


class TestGrowing:
    def test_and_win_adds_a_new_design(self) -> None:
        duels = Duels(THREE, [0], [1]).with_win([0.3, 0.3], [0.9, 0.4])
        assert same_duels(duels, [[0.1, 0.2], [0.9, 0.4], [0.3, 0.3]], [0, 2], [1, 1])

    def test_and_tie_adds_a_tie(self) -> None:
        duels = Duels(THREE, [0], [1]).with_tie([0.9, 0.4], [0.3, 0.3])
        assert duels.ties.tolist() == [[1, 2]]
        assert duels.winners.tolist() == [0]

    def test_growing_one_by_one_equals_all_at_once(self) -> None:
        rng = np.random.default_rng(2)
        points, pairs = rng.integers(0, 3, size=(8, 2)) / 2, rng.integers(0, 8, size=(12, 2))
        grown = Duels.empty(2)
        for winner, loser in pairs:
            grown = grown.with_win(points[winner], points[loser])
        at_once = Duels(points, pairs[:, 0], pairs[:, 1])
        np.testing.assert_array_equal(grown.points[grown.winners], at_once.points[at_once.winners])
        np.testing.assert_array_equal(grown.points[grown.losers], at_once.points[at_once.losers])
        assert len(grown.points) == len(at_once.points)

    def test_the_original_is_left_alone(self) -> None:
        duels = Duels(THREE, [0], [1])
        duels.with_win([0.3, 0.3], [0.9, 0.4])
        duels.with_tie([0.3, 0.3], [0.9, 0.4])
        assert duels == Duels(THREE, [0], [1])

    def test_bounds_are_kept(self) -> None:
        features = Duels([[3.0], [7.0]], [0], [1], bounds=None)
        assert features.with_win([9.0], [3.0]).bounds is None
        with pytest.raises(InputError, match=r"must lie in \[0.0, 1.0\]"):
            Duels([[0.3], [0.7]], [0], [1]).with_win([9.0], [0.3])

    @pytest.mark.parametrize("grow", [Duels.with_win, Duels.with_tie])
    def test_design_of_another_shape(self, grow: object) -> None:
        assert callable(grow)
        with pytest.raises(ShapeError, match=r"a design must have shape \(2,\); received \(3,\); give one design"):
            grow(Duels(THREE, [0], [1]), [0.1, 0.2], [0.1, 0.2, 0.3])
        with pytest.raises(ShapeError, match=r"a design must have shape \(2,\); received \(1, 2\)"):
            grow(Duels(THREE, [0], [1]), [[0.1, 0.2]], [0.1, 0.2])


class TestImmutability:
    def test_arrays_are_read_only(self) -> None:
        duels = Duels(THREE, [0], [1], [[0, 2]])
        for name in ("points", "winners", "losers", "ties"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(duels, name)[:] = 0

    def test_fields_cannot_be_set(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            Duels(THREE, [0], [1]).points = np.zeros((3, 2))  # type: ignore[misc]

    def test_arguments_are_copied_and_left_alone(self) -> None:
        points, winners, losers, ties = np.array(THREE), np.array([0]), np.array([1]), np.array([[0, 2]])
        duels = Duels(points, winners, losers, ties)
        points[0, 0], winners[0], losers[0], ties[0, 0] = 0.7, 2, 2, 2
        assert duels == Duels(THREE, [0], [1], [[0, 2]])
        assert points.flags.writeable

    def test_pickles(self) -> None:
        duels = Duels(THREE, [0], [1], [[0, 2]], bounds=None)
        copy = pickle.loads(pickle.dumps(duels))
        assert copy == duels
        assert copy.bounds is None

    def test_equality_sees_every_part(self) -> None:
        duels = Duels(THREE, [0], [1], [[0, 2]])
        assert duels != Duels(THREE, [1], [0], [[0, 2]])
        assert duels != Duels(THREE, [0], [1], [[2, 0]])
        assert duels != Duels([[0.1, 0.2], [0.9, 0.4], [0.5, 0.6]], [0], [1], [[0, 2]])
        assert duels != "duels"
        with pytest.raises(TypeError, match="unhashable"):
            hash(duels)


class TestRules:
    @pytest.mark.parametrize(
        ("points", "message"),
        [
            ([[0.1, np.nan]], r"points must be finite; received nan at index \(0, 1\); drop or repair it"),
            ([[0.1], [np.inf]], r"points must be finite; received inf at index \(1, 0\)"),
            ([[0.1, 0.2], [0.3]], "points must be numbers"),
            ([["high", "low"]], "points must be numbers"),
            ([[0.1, 1.5]], r"must lie in \[0.0, 1.0\]; received 1.5 in column 1; scale designs"),
            ([[0.1, -1e-6]], r"must lie in \[0.0, 1.0\]"),
        ],
    )
    def test_points(self, points: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Duels(points, [0], [0])  # type: ignore[arg-type]

    @pytest.mark.parametrize("points", [[0.1, 0.2], 0.5, [[[0.1]]]])
    def test_points_are_a_matrix(self, points: object) -> None:
        with pytest.raises(ShapeError, match=r"points must have shape \(n, d\).*give one design per row"):
            Duels(points, [0], [0])  # type: ignore[arg-type]

    def test_rounding_beyond_the_cube_is_allowed(self) -> None:
        assert Duels([[1.0 + 1e-10], [-1e-10]], [0], [1]).points.max() > 1.0

    def test_other_bounds(self) -> None:
        assert Duels([[-3.0], [5.0]], [0], [1], bounds=(-3.0, 5.0)).bounds == (-3.0, 5.0)
        with pytest.raises(InputError, match=r"must lie in \[-3.0, 4.0\]; received 5.0 in row 1, column 0"):
            Duels([[-3.0], [5.0]], [0], [1], bounds=(-3.0, 4.0))

    @pytest.mark.parametrize(
        ("winners", "message"),
        [
            ([3], "winners must be row numbers of points, 0 to 2; received 3; check the numbering"),
            ([-1], "winners must be row numbers of points, 0 to 2; received -1"),
            ([0.0], "winners must be integers; received an array of float64; give row numbers of points"),
            ([True], "winners must be integers; received an array of bool"),
            (["a"], "winners must be integers"),
        ],
    )
    def test_winners(self, winners: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Duels(THREE, winners, [1])  # type: ignore[arg-type]

    def test_losers(self) -> None:
        with pytest.raises(InputError, match="losers must be row numbers of points"):
            Duels(THREE, [0], [7])

    @pytest.mark.parametrize(("winners", "losers"), [([0, 1], [1]), ([[0]], [[1]]), (0, 1)])
    def test_winners_and_losers_go_together(self, winners: object, losers: object) -> None:
        with pytest.raises(ShapeError, match=r"equally long.*give one winner and one loser per duel"):
            Duels(THREE, winners, losers)  # type: ignore[arg-type]

    @pytest.mark.parametrize("ties", [[0, 1], [[0, 1, 2]], [[[0, 1]]], 1])
    def test_ties_are_pairs(self, ties: object) -> None:
        with pytest.raises(ShapeError, match=r"ties must be pairs of row numbers, \(m, 2\).*give two designs per tie"):
            Duels(THREE, [0], [1], ties)  # type: ignore[arg-type]

    def test_ties_are_row_numbers(self) -> None:
        with pytest.raises(InputError, match="ties must be row numbers of points, 0 to 2; received 5"):
            Duels(THREE, [0], [1], [[0, 5]])


class TestJoining:
    def test_duels_of_both_on_the_designs_of_both(self) -> None:
        here = Duels([[0.1], [0.5], [0.9]], [0, 1], [1, 2], [[0, 2]])
        there = Duels([[0.9], [0.3]], [1, 0], [0, 1], [[1, 0]])
        joined = here.with_duels(there)
        expected = Duels([[0.1], [0.5], [0.9], [0.3]], [0, 1, 3, 2], [1, 2, 2, 3], [[0, 2], [3, 2]])
        assert joined == expected

    def test_merged_duels_count_as_often_as_they_were_judged(self) -> None:
        here = Duels([[0.1], [0.5]], [0, 0, 1], [1, 1, 0])
        joined = here.merge_repeats().with_duels(here.merge_repeats())
        assert len(joined) == 6
        assert sorted(joined.winners) == [0, 0, 0, 0, 1, 1]

    def test_bounds_are_those_of_the_first(self) -> None:
        with pytest.raises(InputError, match=r"must lie in \[0\.0, 1\.0\]; received 3\.0"):
            Duels([[0.1], [0.5]], [0], [1]).with_duels(Duels([[3.0], [4.0]], [0], [1], bounds=None))

    def test_designs_must_have_the_same_coordinates(self) -> None:
        with pytest.raises(ShapeError, match="duels on designs of 1 coordinates; received 2; describe both"):
            Duels([[0.1], [0.5]], [0], [1]).with_duels(Duels([[0.1, 0.2], [0.3, 0.4]], [0], [1]))
