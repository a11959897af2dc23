"""The experiments: how much is run, in which order, and under which names."""

from collections import Counter, defaultdict
from dataclasses import asdict, replace
from itertools import groupby

import polars as pl
import pytest

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.research.experiments import study_experiments
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize
from anchorpbo.research.experiments.registry import ALL, EXPERIMENTS, filter_tasks, plan_tasks, select_experiments
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS, SimulatedStudy

NAMES = {
    "illustration", "main", "ranking", "time", "ackley6", "candy", "five-anchors", "anchor-quality", "anchor-count",
    "anchor-process", "consistency", "concentration", "one-step", "kde-time", "inference", "sensitivity",
    "anchor-placement",
}  # fmt: skip
STUDIES = {name: each for name, each in EXPERIMENTS.items() if isinstance(each, study_experiments.StudyExperiment)}
every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)
every_study = pytest.mark.parametrize("name", STUDIES)
PAPER, QUICK = ExperimentSize(), ExperimentSize(quick=True)


def keys(tasks):
    return [task.key for task in tasks]


def values(tasks, setting):
    return [getattr(task, setting) for task in tasks]


# -- sizes -------------------------------------------------------------------------------------------------------------


def test_main_is_of_the_papers_size():
    tasks = study_experiments.MAIN_EXPERIMENT.make_tasks(PAPER)
    assert len(tasks) == 3 * 6 * 30
    assert sum(task.rounds for task in tasks) == 81_000
    assert set(values(tasks, "rounds")) == {150}
    assert set(values(tasks, "seed")) == set(range(30))
    cells = Counter((task.problem, task.strategy, task.anchors) for task in tasks)
    places = {"hartmann3": "away", "hartmann4": "away", "sushi": "own"}
    assert cells == {(p, s, place): 30 for p, place in places.items() for s in STRATEGIES}


@pytest.mark.parametrize(
    ("name", "problem", "anchors", "count"),
    [("ackley6", "ackley6", "away", 10), ("candy", "candy", "own", 10), ("five-anchors", "hartmann3", "away", 5)],
)
def test_the_smaller_ones_have_20_seeds_and_100_rounds(name, problem, anchors, count):
    tasks = EXPERIMENTS[name].make_tasks(PAPER)
    assert len(tasks) == 6 * 20
    assert sum(task.rounds for task in tasks) == 6 * 20 * 100
    assert Counter(values(tasks, "strategy")) == dict.fromkeys(STRATEGIES, 20)
    assert {(t.problem, t.anchors, t.count, t.told, t.rounds) for t in tasks} == {(problem, anchors, count, None, 100)}


def test_inference_has_the_three_inferences_under_one_likelihood():
    tasks = study_experiments.INFERENCE_EXPERIMENT.make_tasks(PAPER)
    assert len(tasks) == 2 * 3 * 20
    assert set(values(tasks, "likelihood")) == {"probit"}
    arms = Counter((task.strategy, task.inference) for task in tasks)
    assert arms == {(s, i): 20 for s in ("rahbo", "raeubo") for i in ("hallucination", "laplace", "ep")}


def test_anchor_count_tells_five_to_fifty_of_fifty():
    tasks = study_experiments.ANCHOR_COUNT_EXPERIMENT.make_tasks(PAPER)
    assert set(values(tasks, "count")) == {50}
    assert set(values(tasks, "anchors")) == {"scattered"}
    assert set(values(tasks, "rounds")) == {150}
    arms = Counter((task.strategy, task.told) for task in tasks)
    assert arms == {(strategy, told): 30 for strategy in TWINS for told in (5, 10, 20, 50)}


def test_anchor_quality_has_both_places():
    tasks = study_experiments.ANCHOR_QUALITY_EXPERIMENT.make_tasks(PAPER)
    arms = Counter((task.problem, task.strategy, task.anchors) for task in tasks)
    expected = {(p, s, a): 30 for p in ("hartmann3", "hartmann4") for s in TWINS for a in ("away", "near")}
    assert arms == expected


def test_anchor_placement_has_every_corner_and_a_cluster_drawn_by_the_seed():
    tasks = study_experiments.ANCHOR_PLACEMENT_EXPERIMENT.make_tasks(PAPER)
    assert len(tasks) == (8 + 1 + 16 + 1) * 6 * 20
    assert set(values(tasks, "rounds")) == {100}
    for problem, dimension in (("hartmann3", 3), ("hartmann4", 4)):
        arms = Counter((task.strategy, task.anchors) for task in tasks if task.problem == problem)
        places = ["away", *(f"corner-{number:0{dimension}b}" for number in range(2**dimension))]
        assert arms == {(s, place): 20 for s in STRATEGIES for place in places}


CHANGES = {
    frozenset({("baseline", "anchored")}), frozenset({("judge", "probit")}), frozenset({("judge", "difference")}),
    frozenset({("judge", "exact")}), frozenset({("outputscale", 10.0)}), frozenset({("ard", True)}),
    frozenset({("profile", "gaussian-density")}), frozenset({("offset", -4.0)}), frozenset({("anchors", "far")}),
    frozenset({("anchors", "far"), ("ard", True), ("judge", "exact")}),
}  # fmt: skip


def test_sensitivity_changes_one_setting_at_a_time_and_those_of_the_public_code_together():
    changes = defaultdict(set)
    for task in study_experiments.SENSITIVITY_EXPERIMENT.make_tasks(ExperimentSize(seeds=1)):
        assert task.rounds == 100
        place = "own" if task.problem in ("sushi", "candy") else "away"
        plain = asdict(SimulatedStudy(task.problem, task.strategy, 0, anchors=place, rounds=task.rounds))
        changes[task.problem, task.strategy].add(
            frozenset((name, value) for name, value in asdict(task).items() if value != plain[name])
        )
    assert len(changes) == 4 * 6
    for (problem, strategy), found in changes.items():
        expected = CHANGES if problem.startswith("hartmann") else {frozenset({("offset", -1.0)})}
        if problem.startswith("hartmann") and strategy in ("ei", "anpei"):
            expected = expected | {frozenset({("penalty", "variance")})}
        assert found == expected | {frozenset()}


def test_every_arm_of_sensitivity_has_a_name_of_its_own():
    tasks = study_experiments.SENSITIVITY_EXPERIMENT.make_tasks(ExperimentSize(seeds=1))
    settings = pl.DataFrame([task.settings for task in tasks], infer_schema_length=None)
    names = settings.select(study_experiments.SENSITIVITY_EXPERIMENT.variant.alias("variant"))["variant"].to_list()
    assert len({(t.problem, t.strategy, name) for t, name in zip(tasks, names, strict=True)}) == len(tasks)
    assert len(set(names)) == len(CHANGES) + 2
    for task, name in zip(tasks, names, strict=True):
        plain = SimulatedStudy(task.problem, task.strategy, 0, anchors=task.anchors, rounds=100)
        assert (name == "nothing changed") == (task == plain and task.anchors != "far")


@every_experiment
def test_quick_is_smaller(name):
    quick, paper = EXPERIMENTS[name].make_tasks(QUICK), EXPERIMENTS[name].make_tasks(PAPER)
    assert 0 < sum(task.effort for task in quick) < 0.5 * sum(task.effort for task in paper)


@every_study
def test_a_size_that_is_given_goes_before_both(name):
    for quick in (False, True):
        tasks = EXPERIMENTS[name].make_tasks(ExperimentSize(seeds=2, rounds=7, quick=quick))
        assert Counter(values(tasks, "seed")) == {0: len(tasks) // 2, 1: len(tasks) // 2}
        assert set(values(tasks, "rounds")) == {7}
        fewer, shorter = (
            EXPERIMENTS[name].make_tasks(s)
            for s in (ExperimentSize(seeds=2, quick=quick), ExperimentSize(rounds=7, quick=quick))
        )
        plain = EXPERIMENTS[name].make_tasks(ExperimentSize(quick=quick))
        assert len(fewer) == len(tasks)
        assert set(values(fewer, "rounds")) == set(values(plain, "rounds"))
        assert len(shorter) == len(plain)
        assert set(values(shorter, "rounds")) == {7}


@every_experiment
def test_fewer_seeds_are_the_first_of_more(name):
    one, two = (set(keys(EXPERIMENTS[name].make_tasks(ExperimentSize(seeds=seeds, quick=True)))) for seeds in (1, 2))
    assert one < two
    assert len(two) == 2 * len(one)


# -- order and keys ----------------------------------------------------------------------------------------------------


@every_study
def test_tasks_are_in_order_of_seed_and_every_seed_has_the_same_arms(name):
    tasks = EXPERIMENTS[name].make_tasks(ExperimentSize(seeds=3, rounds=5))
    groups = [(seed, list(group)) for seed, group in groupby(tasks, lambda task: task.seed)]
    assert [seed for seed, _ in groups] == [0, 1, 2]
    arms = [[replace(task, seed=0) for task in group] for _, group in groups]
    assert arms[0] == arms[1] == arms[2]


@every_experiment
def test_keys_are_unique(name):
    for size in (QUICK, PAPER):
        found = keys(EXPERIMENTS[name].make_tasks(size))
        assert len(set(found)) == len(found)


@every_experiment
def test_tasks_are_the_same_every_time(name):
    assert EXPERIMENTS[name].make_tasks(QUICK) == EXPERIMENTS[name].make_tasks(QUICK)


def test_keys_that_experiments_share_are_of_equal_tasks():
    found = {}
    for experiment in EXPERIMENTS.values():
        for task in experiment.make_tasks(QUICK):
            assert found.setdefault(task.key, task) == task


def test_ranking_and_time_are_over_the_runs_of_main():
    for size in (PAPER, QUICK, ExperimentSize(seeds=2, rounds=9)):
        main = keys(study_experiments.MAIN_EXPERIMENT.make_tasks(size))
        assert keys(study_experiments.RANKING_EXPERIMENT.make_tasks(size)) == main
        assert keys(study_experiments.TIME_EXPERIMENT.make_tasks(size)) == main


def test_anchors_away_from_the_optimum_of_anchor_quality_are_runs_of_main():
    for size in (PAPER, QUICK):
        main = {task.key: task for task in study_experiments.MAIN_EXPERIMENT.make_tasks(size)}
        tasks = study_experiments.ANCHOR_QUALITY_EXPERIMENT.make_tasks(size)
        away = [task for task in tasks if task.anchors == "away"]
        assert len(away) == len(tasks) / 2
        assert all(main[task.key] == task for task in away)
        assert not any(task.key in main for task in tasks if task.anchors == "near")


def test_sensitivity_begins_with_what_main_runs():
    size = ExperimentSize(seeds=2, rounds=20)
    main = {task.key for task in study_experiments.MAIN_EXPERIMENT.make_tasks(size)}
    found = set(keys(study_experiments.SENSITIVITY_EXPERIMENT.make_tasks(size)))
    assert main < found


# -- names -------------------------------------------------------------------------------------------------------------


def test_every_experiment_is_found_by_its_name():
    assert set(EXPERIMENTS) == NAMES
    for name, experiment in EXPERIMENTS.items():
        assert isinstance(experiment, Experiment)
        assert experiment.name == name
        assert experiment.description
        assert "\n" not in experiment.description
        assert select_experiments(name) == [experiment]


def test_no_study_is_left_out():
    there = {each for each in vars(study_experiments).values() if isinstance(each, study_experiments.StudyExperiment)}
    assert there == set(STUDIES.values())


def test_all_is_every_one_of_them():
    assert ALL not in EXPERIMENTS
    assert select_experiments("all") == list(EXPERIMENTS.values())


@pytest.mark.parametrize("name", ["mian", "", "ALL", "Main"])
def test_an_unknown_name_is_answered_with_those_there_are(name):
    with pytest.raises(UnknownNameError, match="experiment must be one of") as raised:
        select_experiments(name)
    assert all(known in str(raised.value) for known in (*EXPERIMENTS, "all", repr(name)))


# -- only --------------------------------------------------------------------------------------------------------------

MAIN_TASKS = study_experiments.MAIN_EXPERIMENT.make_tasks(ExperimentSize(seeds=2, rounds=5))


@pytest.mark.parametrize(
    ("only", "problems", "strategies"),
    [
        ([], ("hartmann3", "hartmann4", "sushi"), STRATEGIES),
        (["hartmann3"], ("hartmann3",), STRATEGIES),
        (["hartmann4", "hartmann3"], ("hartmann3", "hartmann4"), STRATEGIES),
        (["rahbo"], ("hartmann3", "hartmann4", "sushi"), ("rahbo",)),
        (["ucb", "rahbo"], ("hartmann3", "hartmann4", "sushi"), ("ucb", "rahbo")),
        (["sushi", "ei"], ("sushi",), ("ei",)),
        (["ei", "sushi", "raeubo", "hartmann3"], ("hartmann3", "sushi"), ("ei", "raeubo")),
        (["own"], ("sushi",), STRATEGIES),
        (["own", "hartmann3"], (), ()),
        (["sushi", "sushi"], ("sushi",), STRATEGIES),
    ],
)
def test_only_is_an_or_within_a_setting_and_an_and_between_settings(only, problems, strategies):
    expected = [task for task in MAIN_TASKS if task.problem in problems and task.strategy in strategies]
    assert filter_tasks(MAIN_TASKS, only) == expected


@pytest.mark.parametrize("only", [["hartman3"], ["hartmann3", "sgd"], ["main"], ["trial"], ["30"], [""]])
def test_only_what_there_is(only):
    with pytest.raises(UnknownNameError, match="--only must be one of") as raised:
        plan_tasks("main", QUICK, only)
    assert all(known in str(raised.value) for known in ("hartmann3", "sushi", "raeubo", "own", repr(only[-1])))


def test_all_leaves_out_the_experiments_that_have_nothing_of_what_only_names():
    plans = plan_tasks(ALL, QUICK, ["hartmann4", "rahbo"])
    assert set(plans) == {"main", "ranking", "time", "anchor-placement", "anchor-quality", "sensitivity"}
    assert {(task.problem, task.strategy) for tasks in plans.values() for task in tasks} == {("hartmann4", "rahbo")}


@every_study
def test_every_value_that_only_may_name_is_of_one_setting(name):
    # One that two settings have would leave nothing.
    tasks = EXPERIMENTS[name].make_tasks(QUICK)
    homes = defaultdict(set)
    for task in tasks:
        for setting, value in asdict(task).items():
            if isinstance(value, str):
                homes[value].add(setting)
    assert all(len(settings) == 1 for settings in homes.values())
    for value, (setting,) in homes.items():
        assert filter_tasks(tasks, [value]) == [task for task in tasks if getattr(task, setting) == value]


@pytest.mark.parametrize("number", [0, -1, 2.5])
@pytest.mark.parametrize("name", ["seeds", "rounds"])
def test_sizes_that_make_no_sense_are_refused(name, number):
    with pytest.raises(InputError, match=f"{name} must be a whole number of at least 1; received {number}"):
        ExperimentSize(**{name: number})
