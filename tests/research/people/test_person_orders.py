"""Pairs of a person who ordered and scored ten kinds, and a task on real people."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.research.people.person_orders import (
    PERSON_ANCHORS,
    PERSON_TOLD,
    PersonTask,
    make_person_tasks,
    split_person,
)

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
RANKS = np.random.default_rng(0).permutation(10)
SCORES = np.array([4, 4, 3, 0, 1, 2, 2, 2, 4, 1])


def split(told):
    return split_person(RANKS, SCORES, told, np.random.default_rng(1))


@pytest.mark.parametrize("told", PERSON_TOLD)
def test_the_pairs_told_and_asked_are_all_pairs_once(told):
    parts = split(told)
    by_order = int(told.partition(" ")[0])
    orders = np.vstack([parts.told[:by_order], parts.orders])
    scores = np.vstack([parts.told[by_order:], parts.scores])
    assert sorted(tuple(sorted(pair)) for pair in orders.tolist()) == list(combinations(range(10), 2))
    assert all(RANKS[first] < RANKS[second] for first, second in orders)
    unequal = [pair for pair in combinations(range(10), 2) if SCORES[pair[0]] != SCORES[pair[1]]]
    assert sorted(tuple(sorted(pair)) for pair in scores.tolist()) == unequal
    assert all(SCORES[first] > SCORES[second] for first, second in scores)


def test_splits_are_nested_and_the_first_five_pairs_are_disjoint():
    few, more, both = (split(told).told for told in PERSON_TOLD)
    np.testing.assert_array_equal(more[:5], few)
    np.testing.assert_array_equal(both[:15], more)
    assert sorted(few.ravel().tolist()) == list(range(10))


def test_a_person_with_equal_scores_has_no_pairs_of_scores():
    parts = split_person(RANKS, np.full(10, 3), "15 + 15", np.random.default_rng(1))
    assert (len(parts.told), len(parts.orders), len(parts.scores)) == (15, 30, 0)


def test_tasks_cover_each_person_once():
    tasks = make_person_tasks(25, block=10)
    assert [i for task in tasks for i in range(task.start, task.stop)] == list(range(25))


@pytest.mark.skipif(not (DATA / "sushi").is_dir(), reason="ANCHORPBO_DATA has no sushi/")
def test_a_task_has_a_row_per_setting_and_map():
    rows = pl.DataFrame(PersonTask(3, 4).run())
    assert rows.n_unique(["told", "anchors", "target", "map"]) == len(rows) == 3 * 3 * 2 * 5
    assert (set(rows["told"]), set(rows["anchors"])) == (set(PERSON_TOLD), set(PERSON_ANCHORS))
    sizes = rows.filter(pl.col("target") == "orders").with_columns(size=pl.col("p").list.len())
    assert set(sizes.select("told", "size").rows()) == {("5", 40), ("15", 30), ("15 + 15", 30)}
    # The anchors do not matter to constant noise.
    constant = rows.filter(pl.col("map") == "constant").group_by("told", "target").agg(pl.col("brier").n_unique())
    assert constant["brier"].unique().to_list() == [1]
