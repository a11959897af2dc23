"""Means over people, paired differences and tables, computed by hand."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.people.answer_prediction import MEASURES, PREDICTION_SIZES, average_by_person
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS, PREDICTORS, REPLAYS
from anchorpbo.research.people.people_plan import PeoplePart, plan_people
from anchorpbo.research.people.people_report import (
    PEOPLE_TABLES,
    compare_people,
    read_summaries,
    render_people_tables,
    summarise_people,
    write_people_report,
)

GROUP = ("dataset", "target", "told")


def make_records():
    """Two people of the default preset, three of the linear model; the first person has two pieces of music."""
    rows = [
        ("default", "1", -0.2, 1.0), ("default", "1", -0.4, 0.5), ("default", "2", -0.5, 0.75),
        ("linear", "1", -0.7, 0.5), ("linear", "2", -0.6, 0.25), ("linear", "3", -9.0, 0.0),
    ]  # fmt: skip
    columns = ["contender", "person", *MEASURES]
    about = {"dataset": pl.lit("soundquality"), "target": pl.lit("later"), "told": pl.lit(7)}
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(**about)


def find_row(summary, contender, measure):
    return summary.row(by_predicate=(pl.col("contender") == contender) & (pl.col("measure") == measure), named=True)


def test_means_are_over_people_after_the_mean_of_each():
    summary = compare_people(average_by_person(make_records()), GROUP)
    row = find_row(summary, "default", "log_likelihood")
    assert (row["people"], row["mean"]) == (2, pytest.approx((-0.3 - 0.5) / 2))
    half = 12.706204736 * 0.2 / np.sqrt(2) / np.sqrt(2)  # t quantile, standard deviation of -0.3 and -0.5, n = 2
    assert (row["low"], row["high"]) == (pytest.approx(-0.4 - half), pytest.approx(-0.4 + half))
    assert row["gap"] is None


def test_differences_are_of_the_default_less_the_contender_over_the_people_of_both():
    row = find_row(compare_people(average_by_person(make_records()), GROUP), "linear", "accuracy")
    assert row["people"] == 3
    assert row["gap"] == pytest.approx(((0.75 - 0.5) + (0.75 - 0.25)) / 2)
    assert row["gap_low"] < row["gap"] < row["gap_high"]


def test_people_without_a_measure_do_not_count():
    people = pl.DataFrame(
        {
            "sample": "a", "contender": ["default"] * 3 + ["version-1"] * 3, "person": ["1", "2", "3"] * 2,
            "right": [1.0, None, 1.0, None, 0.0, 0.5],
        }
    )  # fmt: skip
    summary = compare_people(people, ("sample",))
    assert find_row(summary, "default", "right")["people"] == 2
    row = find_row(summary, "version-1", "right")
    assert (row["people"], row["mean"], row["gap"]) == (2, 0.25, 0.5)


def test_a_difference_of_one_person_has_no_interval():
    summary = compare_people(average_by_person(make_records().filter(pl.col("person") == "1")), GROUP)
    text = render_people_tables({"predictions": summary})["people-accuracy"]
    assert "inf" not in text
    assert "(" not in text.split("\n\n")[1]


def test_tables_are_the_same_when_they_are_read_from_the_files(tmp_path):
    summaries = {"predictions": compare_people(average_by_person(make_records()), GROUP)}
    names = {path.name for path in write_people_report(summaries, tmp_path)}
    assert names == {"predictions.csv", "tables.md"}
    tables = render_people_tables(read_summaries(tmp_path))
    assert tables == render_people_tables(summaries)
    assert "**-0.400**" in tables["people-log-likelihood"]
    assert "Linear utility" in tables["people-accuracy"]
    assert all(text in (tmp_path / "tables.md").read_text("utf-8") for text in tables.values())
    assert {*tables} < {*PEOPLE_TABLES}


def test_a_folder_without_records_is_an_error(tmp_path):
    with pytest.raises(InputError, match="there must be records to read"):
        summarise_people(RecordStore(tmp_path), 20)


# -- plans -------------------------------------------------------------------------------------------------------------


def test_all_contenders_meet_all_data_that_they_can():
    tasks = plan_people(PeoplePart())
    assert {task.contender for task in tasks if task.kind == "prediction"} == set(PREDICTORS)
    assert {task.contender for task in tasks if task.kind == "replay"} == set(REPLAYS)
    assert {*PREDICTORS, *REPLAYS} == set(PEOPLE_CONTENDERS)
    people = {
        name: max(task.stop for task in tasks if task.kind == "prediction" and task.dataset == name)
        for name in PREDICTION_SIZES
    }
    assert people == PREDICTION_SIZES
    assert [task.listeners for task in tasks if task.kind == "consistency"] == [40]


def test_a_part_has_some_data_contenders_and_people():
    tasks = plan_people(PeoplePart(("soundquality",), ("chance", "knock-out"), 3))
    assert {task.kind for task in tasks} == {"prediction", "consistency"}
    assert {task.dataset for task in tasks if task.kind == "prediction"} == {"soundquality", "soundquality-category"}
    assert all(task.stop <= 3 for task in tasks if task.kind == "prediction")


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"datasets": ("coffee",)}, "a data set must be one of"),
        ({"contenders": ("ax",)}, "a contender must be one of"),
        ({"people": 0}, "people must be"),
    ],
)
def test_a_mistake_in_a_part_is_an_error(part, says):
    with pytest.raises((InputError, UnknownNameError), match=says):
        PeoplePart(**part)


def test_contenders_without_anything_to_do_are_an_error():
    with pytest.raises(InputError, match="the contenders must predict answers, or replay orders"):
        plan_people(PeoplePart(("train",), ("knock-out",)))
