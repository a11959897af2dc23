"""Pairs and folds of a population, and a task on the orders of sushi."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.problems import sushi_anchors, sushi_items
from anchorpbo.research.people.noise_comparison import MANY_ANSWERS, MapResult
from anchorpbo.research.people.population_orders import (
    FEW_FOLDS,
    MANY_FOLDS,
    POPULATION_TOLD,
    PopulationTask,
    draw_pairs,
    make_population_tasks,
    split_people,
    tabulate_results,
)
from anchorpbo.research.people.sushi_anchor_sets import choose_anchor_kinds, measure_kinds

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
needs_sushi = pytest.mark.skipif(not (DATA / "sushi").is_dir(), reason="ANCHORPBO_DATA has no sushi/")
ORDERS = np.array([np.random.default_rng(i).permutation(30)[:10] for i in range(40)])


@pytest.mark.parametrize("rule", ["random", "adjacent"])
def test_pairs_of_a_person_are_disjoint_and_the_preferred_kind_is_first(rule):
    pairs = draw_pairs(ORDERS, rule, np.random.default_rng(0))
    assert pairs.shape == (40, 5, 2)
    for order, own in zip(ORDERS.tolist(), pairs.tolist(), strict=True):
        assert sorted(kind for pair in own for kind in pair) == sorted(order)
        assert all(order.index(first) < order.index(second) for first, second in own)


def test_adjacent_pairs_are_neighbours_and_random_pairs_are_not():
    adjacent, drawn = (draw_pairs(ORDERS, rule, np.random.default_rng(0)) for rule in ("adjacent", "random"))
    np.testing.assert_array_equal(adjacent.reshape(40, 10), ORDERS)
    gaps = [o.index(b) - o.index(a) for o, p in zip(ORDERS.tolist(), drawn.tolist(), strict=True) for a, b in p]
    assert np.mean(gaps) == pytest.approx(11 / 3, abs=0.5)  # of two places among ten


def test_every_person_is_predicted_once_and_never_told_in_the_same_fold():
    for folds, told in ((FEW_FOLDS, 80), (MANY_FOLDS, 4)):
        splits = [split_people(100, fold, folds, told, 100) for fold in range(folds)]
        assert sorted(np.concatenate([asked for _, asked in splits]).tolist()) == list(range(100))
        assert all(len(learners) == told and not set(learners) & set(asked) for learners, asked in splits)
    few = [set(split_people(5000, fold, MANY_FOLDS, 40, 10)[0]) for fold in range(MANY_FOLDS)]
    assert len(set.union(*few)) > 0.9 * 40 * MANY_FOLDS


def test_results_become_a_row_per_map_and_person():
    result = MapResult("paper", np.array([0.5, 0.25, 0.8]), 1.0, -0.3, np.empty(0))
    rows = pl.DataFrame(tabulate_results([result], np.array([7, 3, 7])))
    assert rows["person"].to_list() == [7, 3]
    assert rows["log_likelihood"].to_list() == [pytest.approx(np.log([0.5, 0.8]).mean()), pytest.approx(np.log(0.25))]
    assert rows["brier"].to_list() == [pytest.approx((0.25 + 0.04) / 2), pytest.approx(0.75**2)]
    assert rows["p"].to_list() == [[0.5, 0.8], [0.25]]


def test_tasks_are_complete_and_distinct():
    tasks = make_population_tasks()
    assert len({task.key for task in tasks}) == len(tasks)
    assert {task.told for task in tasks} == set(POPULATION_TOLD)
    folds = {task.told: {task.fold for task in tasks if task.told == other.told} for other in tasks for task in [other]}
    assert {told: len(found) for told, found in folds.items()} == {40: MANY_FOLDS, 4000: FEW_FOLDS}
    assert not any(task.sample == "a" and task.anchors == "representatives" for task in tasks)
    with pytest.raises(UnknownNameError, match="a representation must be one of"):
        PopulationTask("b", "pixels", "random", "eaten", 40, 0)
    with pytest.raises(UnknownNameError, match="a definition of anchors must be one of"):
        PopulationTask("b", "points", "random", "raw", 40, 0)


@needs_sushi
def test_anchors_are_the_most_and_the_least_frequent_kinds():
    every, frequency = np.arange(100), measure_kinds()
    for name, measure, sign in (("eaten", "eaten", 1), ("sold", "sold", 1), ("least-eaten", "eaten", -1)):
        chosen = choose_anchor_kinds(name, every, 13)
        assert len(chosen) == 13
        rest = np.setdiff1d(every, chosen)
        assert (sign * frequency[measure][chosen]).min() >= (sign * frequency[measure][rest]).max()
    np.testing.assert_array_equal(
        sushi_items().points[choose_anchor_kinds("representatives", every, 13)], sushi_anchors()
    )
    some = np.array([5, 20, 40, 60, 80])
    assert frequency["eaten"][some[choose_anchor_kinds("eaten", some, 1)]] == frequency["eaten"][some].max()
    with pytest.raises(InputError, match="representatives are chosen among all kinds"):
        choose_anchor_kinds("representatives", some, 3)


@needs_sushi
@pytest.mark.parametrize("representation", ["points", "catalogue", "kinds"])
def test_a_task_has_a_row_per_map_and_person(representation):
    rows = pl.DataFrame(PopulationTask("b", representation, "random", "eaten", 20, 0, 25, 10).run())
    assert rows.group_by("map").len().sort("map").rows() == [(name, 10) for name in sorted(MANY_ANSWERS)]
    means = rows.group_by("map").agg(pl.col("log_likelihood").mean())["log_likelihood"]
    assert means.is_between(-0.8, -0.5).all()
    assert rows.filter(pl.col("map") == "learnt")["profile"].list.len().unique().to_list() == [8]
