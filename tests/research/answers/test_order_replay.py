"""Replays of orders: metrics by hand, contenders on a small catalogue, and a run on real orders."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import UnknownNameError
from anchorpbo.research.answers.order_replay import (
    REPLAY_CONTENDERS,
    BoTorchReplay,
    KnockoutReplay,
    RandomReplay,
    ReplayContender,
    ReplayTask,
    StudyReplay,
    count_answers,
    draw_users,
    make_replay_tasks,
    measure_users,
    replay_order,
    summarise_replays,
)
from anchorpbo.research.experiments.records import RecordStore
from anchorpbo.research.experiments.runner import SerialBackend, run_tasks
from anchorpbo.space import Catalogue

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
needs_sushi = pytest.mark.skipif(not (DATA / "sushi").is_dir(), reason="ANCHORPBO_DATA is not a folder with sushi/")


def make_catalogue(n=6):
    rng = np.random.default_rng(4)
    return Catalogue([{"name": f"n{i}", "x": float(rng.random()), "kind": "ab"[i % 2]} for i in range(n)],
                     ["x"], ["kind"], key="name")  # fmt: skip


class Listed(ReplayContender):
    """Asks given pairs and recommends the last winner."""

    def __init__(self, pairs):
        self.pairs, self.told = iter(pairs), []

    def ask(self):
        return next(self.pairs)

    def tell(self, winner, loser):
        self.told.append((winner, loser))

    def recommend(self):
        return self.told[-1][0]


def test_the_order_answers_every_duel_and_ranks_the_recommendation():
    contender = Listed([(0, 1), (1, 2), (0, 2)])
    assert replay_order([2, 0, 1], contender, 3) == [1, 0, 0]
    assert contender.told == [(0, 1), (2, 1), (2, 0)]


@pytest.mark.parametrize(
    ("ranks", "expected"), [([0, 0, 0], 1), ([3, 0, 0], 2), ([0, 1, 0], 3), ([1, 2, 3], 4), ([0, 0, 1], 4), ([0], 1)]
)
def test_answers_count_until_the_best_is_recommended_and_stays(ranks, expected):
    assert count_answers(ranks) == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_knock_out_finds_the_best_after_all_items_but_one(seed):
    order = np.random.default_rng([seed, 9]).permutation(6).tolist()
    ranks = replay_order(order, KnockoutReplay(make_catalogue(), seed), 9)
    assert ranks[4:] == [0] * 5
    assert sorted(ranks, reverse=True) == ranks


@pytest.mark.parametrize("name", ["default", "short-priors", "random"])
def test_contenders_of_this_library_find_the_best_of_six(name):
    ranks = replay_order([3, 1, 0, 5, 4, 2], REPLAY_CONTENDERS[name](make_catalogue(), 1), 15)
    assert ranks[-1] == 0
    assert len(ranks) == 15


def test_botorch_starts_with_the_duels_of_a_study_and_finds_the_best():
    pytest.importorskip("botorch", reason="needs the extra bench")
    catalogue, order = make_catalogue(), [3, 1, 0, 5, 4, 2]
    study, botorch = StudyReplay(catalogue, 1, {}), BoTorchReplay(catalogue, 1)
    for _ in range(study.study.plan.initial):
        pair = study.ask()
        assert botorch.ask() == pair
        for contender in (study, botorch):
            contender.tell(*sorted(pair, key=order.index))
    assert replay_order(order, botorch, 10)[-1] == 0


def test_random_pairs_do_not_repeat():
    contender = RandomReplay(make_catalogue(), 0)
    assert sorted(contender.ask() for _ in range(15)) == list(combinations(range(6), 2))


# -- tables ------------------------------------------------------------------------------------------------------------


def make_records():
    """Two users and two contenders, three answers each."""
    rows = [
        ("x", 1, [2, 0, 0]), ("x", 2, [1, 1, 0]), ("y", 1, [9, 9, 9]), ("y", 2, [0, 0, 0]),
    ]  # fmt: skip
    frames = [
        pl.DataFrame({"kind": "replay", "sample": "a", "contender": name, "user": user, "answer": answer, "rank": rank})
        for name, user, ranks in rows
        for answer, rank in enumerate(ranks, 1)
    ]
    return pl.concat(frames).with_columns(share=1.0 - pl.col("rank") / 4.5)


def value_of(table, contender, measure):
    rule = (pl.col("contender") == contender) & (pl.col("measure") == measure)
    return table.row(by_predicate=rule, named=True)


def test_users_have_shares_area_and_answers():
    users = measure_users(make_records(), at=(1, 3, 5))
    first = users.row(by_predicate=(pl.col("contender") == "x") & (pl.col("user") == 1), named=True)
    assert first["share after 1"] == pytest.approx(1 - 2 / 4.5)
    assert first["share after 3"] == 1.0
    assert "share after 5" not in users.columns
    assert first["area"] == pytest.approx((1 - 2 / 4.5 + 2) / 3)
    assert (first["answers"], first["found"]) == (2.0, 1.0)
    never = users.row(by_predicate=(pl.col("contender") == "y") & (pl.col("user") == 1), named=True)
    assert (never["answers"], never["found"], never["share after 3"]) == (4.0, 0.0, -1.0)


def test_means_and_paired_differences_over_users():
    table = summarise_replays(make_records())
    assert value_of(table, "x", "answers")["mean"] == pytest.approx((2 + 3) / 2)
    assert value_of(table, "y", "found")["mean"] == 0.5
    paired = summarise_replays(make_records(), baseline="y")
    row = value_of(paired, "x", "answers")
    assert (row["users"], row["mean"]) == (2, pytest.approx(((2 - 4) + (3 - 1)) / 2))
    assert row["low"] == pytest.approx(-12.706204736 * np.sqrt(8) / np.sqrt(2))


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_users_are_a_fixed_draw_of_which_fewer_are_a_part():
    assert len(set(draw_users(50).tolist())) == 50
    np.testing.assert_array_equal(draw_users(50)[:7], draw_users(7))


def test_tasks_cover_each_user_once_per_sample_and_contender():
    tasks = make_replay_tasks(["random"], users=7, block=3)
    assert [(t.sample, t.start, t.stop) for t in tasks if t.sample == "b"] == [("b", 0, 3), ("b", 3, 6), ("b", 6, 7)]


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match="a contender must be one of"):
        ReplayTask("a", "oracle", 0, 1)
    with pytest.raises(UnknownNameError, match="a sample must be one of"):
        ReplayTask("c", "random", 0, 1)


@needs_sushi
def test_a_quick_run_of_real_orders_gives_tables(tmp_path):
    tasks = make_replay_tasks(["default", "knock-out"], users=2, block=2, answers=12)
    store = RecordStore(tmp_path)
    assert all(ended.failure is None for ended in run_tasks(tasks, store, SerialBackend()))
    records = store.read(tasks)
    assert len(records) == 2 * 2 * 2 * 12
    table = summarise_replays(records)
    knockout = table.filter(pl.col("contender") == "knock-out", pl.col("measure") == "found")
    assert knockout["mean"].to_list() == [1.0, 1.0]
    needed = table.filter(pl.col("contender") == "knock-out", pl.col("measure") == "answers")
    assert (needed["mean"] <= 9).all()
    assert (records["share"] <= 1.0).all()
