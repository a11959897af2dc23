"""Duels as frames of every library, and back to the last bit."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anchorpbo as ap
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.interop.frames import duels_from_frame, duels_to_frame

FRAME_LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


def some_duels(m=12, ties=3, d=3, designs=9, seed=0):
    rng = np.random.default_rng(seed)
    winners, losers = rng.integers(designs, size=(2, m))
    return ap.Duels(rng.random((designs, d)), winners, losers, rng.integers(designs, size=(ties, 2)))


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
@settings(max_examples=25, deadline=None)
@given(m=st.integers(0, 20), ties=st.integers(0, 5), d=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_duels_come_back_exactly(library, m, ties, d, seed):
    duels = some_duels(m, ties, d, seed=seed)
    frame = duels_to_frame(duels, library)
    assert isinstance(frame, FRAME_LIBRARIES[library])
    again = duels_from_frame(frame)
    assert again == duels
    assert again.points.tobytes() == duels.points.tobytes()
    assert again.dimension == d


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_row_is_a_duel_with_the_winner_before_the_loser(library):
    duels = ap.Duels([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], winners=[2], losers=[0], ties=[[0, 1]])
    rows = pl.DataFrame(duels_to_frame(duels, library, names=["sugar", "milk"])).to_dicts()
    names = ["winner", "loser", "tie", "winner.sugar", "winner.milk", "loser.sugar", "loser.milk"]
    assert [list(row) for row in rows] == [names, names]
    assert [list(row.values()) for row in rows] == [[2, 0, False, 0.5, 0.6, 0.1, 0.2], [0, 1, True, 0.1, 0.2, 0.3, 0.4]]


@pytest.mark.parametrize("make", FRAME_LIBRARIES.values())
def test_coordinates_alone_are_enough(make):
    columns = {"winner.a": [0.1, 0.9], "winner.b": [0.2, 0.8], "loser.b": [0.5, 0.2], "loser.a": [0.4, 0.1]}
    frame = pa.table(columns) if make is pa.Table else make(columns)
    duels = duels_from_frame(frame)
    assert duels == ap.Duels([[0.1, 0.2], [0.4, 0.5], [0.9, 0.8], [0.1, 0.2]], [0, 2], [1, 3])
    assert len(duels.points) == 3  # the first winner is the last loser
    assert duels_from_frame(frame, names=["b"]) == ap.Duels([[0.2], [0.5], [0.8], [0.2]], [0, 2], [1, 3])


def test_anything_that_offers_arrow_data_can_be_read():
    class Result:
        def __init__(self, table):
            self._table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self._table.__arrow_c_stream__(requested_schema)

    duels = some_duels()
    assert duels_from_frame(Result(duels_to_frame(duels, "polars"))) == duels


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_of_databases_are_numbers(make):
    columns = {"winner.a": [Decimal("0.10"), Decimal("0.9")], "loser.a": [Decimal("0.5"), Decimal("0.25")]}
    assert duels_from_frame(make(columns)) == ap.Duels([[0.1], [0.5], [0.9], [0.25]], [0, 2], [1, 3])


def test_frames_of_one_library_can_be_turned_into_those_of_another():
    duels = some_duels()
    frame = duels_to_frame(duels, "pandas")
    assert duels_from_frame(pl.from_pandas(frame)) == duels
    assert duels_from_frame(pa.Table.from_pandas(frame)) == duels
    assert duels_from_frame(duels_to_frame(duels, "polars").to_pandas()) == duels


def test_rows_may_be_filtered_sorted_and_indexed_anew():
    duels = some_duels()
    frame = duels_to_frame(duels, "pandas")
    some = duels_from_frame(frame[~frame["tie"]].sort_values("winner.x0").set_index("winner.x1", drop=False))
    assert len(some.ties) == 0
    assert len(some) == 12
    by_coordinates = {(*duels.points[w], *duels.points[x]) for w, x in zip(duels.winners, duels.losers, strict=True)}
    assert {
        (*some.points[w], *some.points[x]) for w, x in zip(some.winners, some.losers, strict=True)
    } == by_coordinates


def test_merged_duels_are_written_as_often_as_they_were_judged():
    duels = ap.Duels([[0.1], [0.2]], [0, 0, 1], [1, 1, 0], ties=[[0, 1], [0, 1]])
    assert len(duels.merge_repeats()) == 3
    again = duels_from_frame(duels_to_frame(duels.merge_repeats(), "polars"))
    assert len(again) == 5
    assert again.merge_repeats() == duels.merge_repeats()


def test_features_beyond_the_unit_cube_come_back_where_they_are_allowed():
    duels = ap.Duels([[3.0, 7.0], [0.0, 2.0]], [0], [1], bounds=None)
    frame = duels_to_frame(duels, "polars")
    assert duels_from_frame(frame, bounds=None) == duels
    with pytest.raises(InputError, match=r"must lie in \[0.0, 1.0\]"):
        duels_from_frame(frame)


def test_frames_are_left_as_they_were():
    frame = duels_to_frame(some_duels(), "pandas")
    before = frame.copy(deep=True)
    duels_from_frame(frame)
    pd.testing.assert_frame_equal(frame, before)


def wrong(**changes):
    return duels_to_frame(some_duels(2, 1, 1), "pandas").assign(**changes)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([[0.1]], "a frame must be a DataFrame of pandas or polars, or a Table of pyarrow; received builtins.list"),
        (pl.LazyFrame({"winner.x0": [0.1]}), "collect it first"),
        (pd.DataFrame({"a": [1]}), "must have the coordinates of the winner and the loser"),
        (pd.DataFrame({"winner.a": [0.1], "loser.b": [0.1]}), "no column 'loser.a'; there are winner.a, loser.b"),
        (wrong(**{"loser.x0": [0.1, None, 0.3]}), "'loser.x0' in row 1 must be a finite number; received an empty"),
        (wrong(**{"loser.x0": ["0.1", "b", "c"]}), "'loser.x0' in row 0 must be a finite number"),
        (wrong(tie=[False, "maybe", True]), "'tie' in row 1 must be true or false; received 'maybe'"),
        (wrong(winner=[0, 0, 0]), "equal row numbers must have equal coordinates; received two designs"),
        (wrong(winner=[0, 1.5, 0]), "'winner' in row 1 must be the row number of a design; received 1.5"),
        (wrong(winner=[0, -1, 0]), "'winner' in row 1 must be the row number of a design; received -1"),
        (wrong(**{"winner.x0": [0.1, 2.0, 0.3]}).drop(columns=["winner", "loser"]), "must lie in"),
        (pd.DataFrame([[0.1, 0.2]], columns=["winner.a", "winner.a"]), "column names must differ; received 'winner"),
    ],
)  # fmt: skip
def test_mistakes_are_named(frame, message):
    with pytest.raises(InputError, match=message):
        duels_from_frame(frame)


def test_mistakes_in_what_is_asked_for_are_named():
    duels = some_duels()
    with pytest.raises(UnknownNameError, match="library must be one of pandas, polars, pyarrow; received 'dask'"):
        duels_to_frame(duels, "dask")
    with pytest.raises(InputError, match="names must be 3 distinct names"):
        duels_to_frame(duels, "pandas", names=["a", "b"])
    with pytest.raises(InputError, match="names must be 3 distinct names"):
        duels_to_frame(duels, "pandas", names=["a", "b", "a"])
    with pytest.raises(InputError, match="duels must be a Duels object"):
        duels_to_frame([[0.1]], "pandas")
