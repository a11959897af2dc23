"""Replays of orders: problems and measures by hand, and the knock-out."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import IncompatibleError, UnknownNameError
from anchorpbo.problems import sushi_orders
from anchorpbo.research.answers.judges import NoisyJudge
from anchorpbo.research.answers.own_contenders import KnockoutContender
from anchorpbo.research.answers.problems import ItemUtility, JudgedProblem
from anchorpbo.research.answers.study_task import play
from anchorpbo.research.people.order_replay import (
    ReplayTask,
    draw_users,
    make_order_problem,
    make_replay_tasks,
    measure_users,
)
from anchorpbo.research.people.people_contenders import REPLAYS
from anchorpbo.space import Catalogue, Real, Space

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
needs_sushi = pytest.mark.skipif(not (DATA / "sushi").is_dir(), reason="ANCHORPBO_DATA is not a folder with sushi/")


def make_problem(ranks):
    """Items with these ranks in a person's order."""
    rng = np.random.default_rng(4)
    items = [{"name": f"n{i}", "x": float(rng.random()), "kind": "ab"[i % 2]} for i in range(len(ranks))]
    catalogue = Catalogue(items, ["x"], ["kind"], key="name")
    return JudgedProblem.of(
        "order", catalogue, ItemUtility(catalogue.points, -np.array(ranks, dtype=float)), 0.0, catalogue.points
    )


def replay(problem, name, answers, seed=1):
    contender = REPLAYS[name].make(problem.space, problem.space.points, seed)
    return list(play(contender, NoisyJudge(problem, lambda X: np.zeros(len(X))), answers, seed))


@pytest.mark.parametrize("seed", range(4))
def test_a_knock_out_finds_the_best_after_all_items_but_one(seed):
    problem = make_problem(np.random.default_rng([seed, 9]).permutation(6))
    rows = replay(problem, "knock-out", 9, seed)
    shares = [row["share"] for row in rows]
    assert shares[4:] == [1.0] * 5
    assert sorted(shares) == shares
    assert rows[-1]["failures"] == 0
    # Each item but the first challenges once.
    assert len({row["second_share"] for row in rows[:5]} | {rows[0]["first_share"]}) == 6


def test_a_knock_out_needs_a_list():
    with pytest.raises(IncompatibleError, match="a knock-out needs a list of items"):
        KnockoutContender(Space(x=Real(0, 1)), None, 0)


@pytest.mark.parametrize("name", ["default", "version-1"])
def test_studies_find_the_best_of_six(name):
    rows = replay(make_problem([2, 1, 5, 0, 4, 3]), name, 15)
    assert rows[-1]["share"] == 1.0
    assert rows[-1]["failures"] == 0


def test_botorch_finds_the_best_of_six():
    pytest.importorskip("botorch", reason="needs the extra bench")
    rows = replay(make_problem([2, 1, 5, 0, 4, 3]), "botorch-probit", 12)
    assert rows[-1]["share"] == 1.0
    assert rows[-1]["failures"] == 0


# -- measures ----------------------------------------------------------------------------------------------------------


def make_records():
    """One user and two contenders, three answers each; one has a stopping rule."""
    rows = [("x", [2, 0, 0], [False, True, True]), ("y", [9, 9, 9], [None] * 3)]
    return pl.concat(
        pl.DataFrame(
            {
                "sample": "a", "contender": name, "user": 7, "answers": 3, "answer": [1, 2, 3], "stop": stop,
                "share": [1.0 - rank / 4.5 for rank in ranks], "right": True, "failures": 0, "seconds": 0.1,
                "recommend_seconds": 0.1,
            },
            schema_overrides={"stop": pl.Boolean},
        )
        for name, ranks, stop in rows
    )  # fmt: skip


def test_a_replay_is_measured_by_shares_answers_to_the_best_and_the_stopping_rule():
    found, never = measure_users(make_records(), 3).sort("contender").to_dicts()
    assert found["area"] == pytest.approx((1 - 2 / 4.5 + 2) / 3)
    assert (found["answers"], found["found"], found["stopped"], found["right"]) == (2.0, 1.0, 1.0, 1.0)
    assert (never["answers"], never["found"], never["area"]) == (4.0, 0.0, -1.0)
    assert (never["stopped"], never["right"]) == (None, None)
    assert "share_5" not in found
    assert found["person"] == "7"


def test_a_stop_before_the_favourite_is_recommended_is_wrong():
    records = make_records().with_columns(
        stop=pl.when(contender="x").then(pl.col("answer") == 1).otherwise(pl.col("stop"))
    )
    (row,) = measure_users(records, 3).filter(contender="x").to_dicts()
    assert (row["stopped"], row["right"]) == (1.0, 0.0)


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_users_are_a_fixed_draw_of_which_fewer_are_a_part():
    assert len(set(draw_users(50).tolist())) == 50
    np.testing.assert_array_equal(draw_users(50)[:7], draw_users(7))


def test_tasks_cover_each_user_once_per_sample_and_contender():
    tasks = make_replay_tasks(["random", "knock-out"], 7)
    assert len(set(tasks)) == 7 * 2 * 2
    assert {task.user for task in tasks} == set(draw_users(7).tolist())


def test_unknown_names_are_errors():
    with pytest.raises(UnknownNameError, match="a contender must be one of"):
        ReplayTask("a", "oracle", 0)
    with pytest.raises(UnknownNameError, match="a sample must be one of"):
        ReplayTask("c", "random", 0)


@needs_sushi
@pytest.mark.parametrize("sample", ["a", "b"])
def test_the_utility_of_a_kind_is_minus_its_rank_and_the_list_does_not_tell_the_order(sample):
    problem, kinds = make_order_problem(sample, 11), sushi_orders(sample)[11]
    for rank, row in enumerate(np.argsort(np.argsort(kinds))):
        x = problem.space.points[[row]]
        assert problem.utility(x)[0] == -rank
        assert problem.share(x)[0] == pytest.approx(1.0 - rank / 4.5)
    other = next(user for user in range(12, 99) if set(sushi_orders("a")[user]) == set(sushi_orders("a")[11]))
    same = make_order_problem("a", other).space
    np.testing.assert_array_equal(same.points, make_order_problem("a", 11).space.points)


@needs_sushi
def test_a_replay_of_a_real_order_is_paired_and_repeatable():
    one, again = (ReplayTask("b", "random", 11, 6).run() for _ in range(2))
    assert one["share"] == again["share"]
    assert all(0.0 <= (1.0 - share) * 4.5 <= 9.0 for share in one["share"])
