"""The plan of the benchmark of anchors."""

import math
from collections import Counter

import pytest

from anchorpbo.errors import InputError
from anchorpbo.research.anchors.anchors_plan import (
    CHECKS,
    FLAT_JUDGE,
    LEARNT_JUDGE,
    METRIC_PROBLEMS,
    STUDIES,
    AnchorsPart,
    plan_anchors,
)
from anchorpbo.research.anchors.ask_cost import ANSWERS, AskTask


def plan(*names, **settings):
    return plan_anchors(AnchorsPart(names, **settings))


def test_a_hundred_experts_a_case_are_validated_with_the_same_share_of_checks():
    main = [task for task in plan("validation") if math.isclose(task.checks, CHECKS) and not task.repeats]
    assert Counter(task.case for task in main) == {"true": 100, "noisiest": 100, "constant": 100}
    assert {task.answers for task in main} == {60}
    others = Counter((task.checks, task.repeats) for task in plan("checks"))
    assert others == dict.fromkeys([(0.0, 0.0), (0.0, 0.05), (0.0, 0.5), (1 / 3, 0.0), (2 / 3, 0.0)], 5 * 4 * 3)


def test_the_arms_of_a_map_share_problems_and_seeds():
    tasks = plan("learnt")
    arms = Counter((task.noise, task.told) for task in tasks if (task.low, task.high) == LEARNT_JUDGE)
    assert arms.pop(("learnt", "none")) == 20
    assert arms == dict.fromkeys(
        [("fixed", "none"), *((n, t) for n in ("fixed", "learnt") for t in ("true", "false"))], 160
    )
    flat = [task for task in tasks if (task.low, task.high) == FLAT_JUDGE]
    assert {(task.noise, task.told) for task in flat} == {("learnt", "none")}
    assert len(flat) == 20
    assert {task.answers for task in tasks} == {40}


def test_the_metric_is_compared_where_dimensions_do_not_matter():
    tasks = plan("metric")
    assert {task.problem for task in tasks} == set(METRIC_PROBLEMS)
    assert Counter(task.noise for task in tasks) == {"fixed": 160, "learnt-metric": 160}
    assert {(task.told, task.answers) for task in tasks} == {("true", 60)}


def test_the_other_studies_have_their_arms():
    assert Counter(task.preset for task in plan("ackley")) == dict.fromkeys(
        ("paper", "default", "learnt", "learnt-kg"), 20
    )
    assert {task.rounds for task in plan("ackley")} == {100}
    assert set(Counter(task.truth for task in plan("maps")).values()) == {40}
    audits = Counter((task.questions, task.answers, task.noise, task.fault) for task in plan("audit"))
    assert audits["asked", 40, 0.35, "none"] == audits["asked", 40, 0.35, "coins"] == 20
    assert audits["asked", 40, 0.6, "none"] == 10
    assert {count for (questions, answers, *_), count in audits.items() if (questions, answers) == ("random", 60)} == {
        20
    }
    assert {count for (questions, answers, *_), count in audits.items() if (questions, answers) == ("random", 120)} == {
        10
    }
    assert {task.noise for task in plan("ask")} == {"fixed", "learnt", "learnt-metric"}
    assert {task.answers for task in plan("ask")} == {ANSWERS} == {150}


def test_no_task_is_planned_twice_and_seeds_are_the_outer_loop():
    tasks = plan_anchors(AnchorsPart())
    assert len({task.key for task in tasks}) == len(tasks)
    seeds = [task.seed for task in tasks]
    assert seeds == sorted(seeds)
    assert {task.kind for task in tasks if task.seed == 0} == {task.kind for task in tasks}


def test_a_part_has_its_seeds():
    assert {task.seed for task in plan("metric", "maps", seeds=3, first_seed=40)} == {40, 41, 42}
    parts = [*plan("audit", seeds=2), *plan("audit", seeds=3, first_seed=2)]
    assert {task.key for task in parts} == {task.key for task in plan("audit", seeds=5)}


def test_a_quick_part_has_a_few_short_runs_of_each_study():
    tasks = plan_anchors(AnchorsPart(quick=True))
    assert {task.kind for task in tasks} == {task.kind for task in plan_anchors(AnchorsPart())}
    assert len(tasks) < 60
    assert not {task.key for task in tasks if task.kind != "map-accuracy"} & {
        task.key for task in plan_anchors(AnchorsPart())
    }


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"studies": ("mood",)}, "a study must be one of"),
        ({"seeds": 0}, "seeds must be a whole number of at least 1"),
        ({"first_seed": -1}, "first_seed must be a whole number of at least 0"),
    ],
)
def test_impossible_parts_are_rejected(settings, says):
    with pytest.raises(InputError, match=says):
        AnchorsPart(**settings)


def test_names_of_studies_are_those_of_the_command():
    assert tuple(STUDIES) == ("validation", "checks", "learnt", "metric", "ackley", "maps", "audit", "ask")


def test_an_ask_is_timed_with_and_without_a_fit():
    columns = AskTask("learnt", 0, 20, 2).run()
    assert columns["answered"] == [20, 21, 21, 22]
    assert columns["fits"] == [True, False, True, True]
    assert all(0.0 < each < 1e5 for each in columns["milliseconds"])


@pytest.mark.parametrize("settings", [("mood", 0), ("fixed", -1), ("fixed", 0, 0), ("fixed", 0, 10, 0)])
def test_impossible_asks_are_rejected(settings):
    with pytest.raises(InputError):
        AskTask(*settings)
