"""Claims on made-up records: where the paper is right, where it is wrong, and where nothing can be told."""

import os
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from anchorpbo.problems import get_problem
from anchorpbo.research.experiments import study_experiments
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.paired_comparisons import compare_with_all
from anchorpbo.research.experiments.registry import EXPERIMENTS, filter_tasks
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS
from anchorpbo.research.experiments.verdicts import OWN_ITEM, PAPER_ITEMS

SUSHI = (Path(os.environ.get("ANCHORPBO_DATA", "no folder")) / "sushi").is_dir()
needs_sushi = pytest.mark.skipif(not SUSHI, reason="ANCHORPBO_DATA is not a folder with sushi/: its range is needed")
ROUNDS = 15
METRICS = ("risk_adjusted", "value", "pair_noise", "plain_value", "plain_risk_adjusted", "seconds")


# -- records that say what they are told to ----------------------------------------------------------------------------


def made(tasks, level, *, wild=False):
    """Records of tasks, rows shuffled.

    `level` gives a metric of a trial at a round, of seconds the binary logarithm. To it comes the luck of the seed,
    which is large and which all trials share, and a little of their own. Wild records are made so that any two trials
    differ as much one way as the other.
    """
    table = {name: [] for name in ("round", *METRICS, *tasks[0].settings, "key", "anchor_distance")}
    for task in tasks:
        own = np.random.default_rng([task.seed, *task.key.encode()]).normal(size=(task.rounds + 1, len(METRICS)))
        luck = 100.0 * np.sin(task.seed) + 0.01 * own
        arm = 1 + int(replace(task, seed=0).key[-6:], 16) / 16**6
        if wild:
            scale = [1.0 if name == "seconds" else 1000.0 for name in METRICS]
            found = np.outer(np.ones(len(own)), scale) * (-1) ** task.seed * arm
        else:
            found = luck + [[level(task, name, number) for name in METRICS] for number in range(task.rounds + 1)]
        for name, column in zip(METRICS, found.T.tolist(), strict=True):
            values = np.exp2(column).tolist() if name == "seconds" else column
            table[name] += [None, *values[1:]] if name in ("pair_noise", "seconds") else values
        table["round"] += range(task.rounds + 1)
        for name, value in {**task.settings, "key": task.key, "anchor_distance": distance(task)}.items():
            table[name] += [value] * (task.rounds + 1)
    return pl.DataFrame(table, strict=False).sample(fraction=1.0, shuffle=True, seed=3)


def distance(task):
    """Of the anchors: the more ones in a corner's name, the farther."""
    return 0.3 + 0.2 * task.anchors.count("1")


def claims_of(experiment, level, *, seeds=4, only=(), wild=False):
    tasks = filter_tasks(experiment.make_tasks(ExperimentSize(seeds=seeds, rounds=ROUNDS)), only)
    return experiment.judge_claims(made(tasks, level, wild=wild))


def unmoved(claims):
    """Without the rows of settings that happen to move a number."""
    return [claim for claim in claims if claim.where != "ours" or not moves(claim)]


def moves(claim):
    return claim.setting in VARIANTS and claim.setting != "nothing changed"


def verdicts(claims):
    return Counter(claim.verdict for claim in claims)


def by_strategy(table, *, default=0.0):
    """A level of each metric for each strategy, in the order of `STRATEGIES`."""
    tables = {name: dict(zip(STRATEGIES, values, strict=True)) for name, values in table.items()}
    return lambda task, name, number: tables[name][task.strategy] if name in tables else default


def quality(sign, task, name, number):
    return sign if task.anchors == "near" else 0.0


def count(sign, task, name, number):
    return sign * task.told * (2.0 if number <= ROUNDS / 3 else 1.0)


def inference(sign, task, name, number):
    return -10.0 if sign < 0 and task.inference != "hallucination" else 0.0


def ranking(sign, task, name, number):
    # In the order of STRATEGIES. By value RAHBO is the best on Hartmann3, and the risk-neutral ones elsewhere; by
    # risk-adjusted value ANPEI is behind EI, the others ahead of theirs.
    value = sign * np.array((0, 1, 2, 3, 9, 4) if task.problem == "hartmann3" else (7, 8, 9, 1, 2, 3))
    return by_strategy({"risk_adjusted": sign * np.array((5, 1, 2, 0, 8, 9)), "value": value})(task, name, number)


# The strategies are:                                     ei     ucb   eubo  anpei  rahbo  raeubo
MAIN_RIGHT = by_strategy({"risk_adjusted": (0.0, 0.0, 0.0, 1.0, 2.0, 3.0), "pair_noise": (1, 1, 1, 0, 0, 0)})
MAIN_WRONG = by_strategy({"risk_adjusted": (9.0, 9.0, 9.0, 8.0, 1.0, 0.0), "pair_noise": (0, 0, 0, 1, 1, 1),
                          "value": (50, 50, 50, 0, 0, 0), "plain_value": (50, 50, 50, 0, 0, 0),
                          "plain_risk_adjusted": (50, 50, 50, 0, 0, 0)})  # fmt: skip
ACKLEY_RIGHT = by_strategy({"risk_adjusted": (8, 8, 8, 0, 0, 8.9), "pair_noise": (1, 1, 1, 0, 0, 0),
                            "value": (0, 0, 0, 0, 0, 1)})  # fmt: skip
ACKLEY_WRONG = by_strategy({"risk_adjusted": (0, 0, 9, 9, 9, -99), "pair_noise": (0, 0, 0, 1, 1, 1),
                            "value": (1, 1, 1, 1, 1, 0)})  # fmt: skip
CANDY_RIGHT = by_strategy({"risk_adjusted": (0, 0, 5, 9, 9, 4), "value": (0, 0, 5, 9, 9, 4),
                           "pair_noise": (1, 1, 1, 0, 0, 0)})  # fmt: skip
CANDY_WRONG = by_strategy({"risk_adjusted": (9, 9, 4, 0, 0, 5), "value": (9, 9, 4, 0, 0, 5),
                           "pair_noise": (0, 0, 0, 1, 1, 1)})  # fmt: skip
TWINS_RIGHT = by_strategy({"risk_adjusted": (0, 0, 0, 1, 1, 1), "value": (0, 0, 0, 1, 1, 1),
                           "pair_noise": (1, 1, 1, 0, 0, 0)})  # fmt: skip
TWINS_WRONG = by_strategy({"risk_adjusted": (1, 1, 1, 0, 0, 0), "value": (1, 1, 1, 0, 0, 0),
                           "pair_noise": (0, 0, 0, 1, 1, 1)})  # fmt: skip
TIME_RIGHT = by_strategy({"seconds": (0, 0, 3, 1, 1, 4)})
TIME_WRONG = by_strategy({"seconds": (4, 4, 1, 3, 3, 0)})


def slower(by_strategy, sign, task, name, number):
    """Times of strategies, longer or shorter with every problem after Hartmann3."""
    return by_strategy(task, name, number) + (0.0 if task.problem == "hartmann3" else sign)


def placement(sign, task, name, number):
    """A gain everywhere, or a loss; of the former the more the nearer, of the latter the other way round."""
    return sign * (2.0 - distance(task)) if task.strategy in TWINS and name == "risk_adjusted" else 0.0


CASES = {
    "main": (MAIN_RIGHT, MAIN_WRONG, 3 * (4 * 3 + 3 * 3 + 3) + 2 + 2),
    "anchor-placement": (partial(placement, 1.0), partial(placement, -1.0), 2 * 3 * 5),
    "ranking": (partial(ranking, 1), partial(ranking, -1), 3 * (4 + 2) + 1 + 2),
    "time": (partial(slower, TIME_RIGHT, 1), partial(slower, TIME_WRONG, -1), 3 * 2 + 2),
    "ackley6": (ACKLEY_RIGHT, ACKLEY_WRONG, 3 + 3 + 2),
    "candy": (CANDY_RIGHT, CANDY_WRONG, 2 * 3 + 3),
    "five-anchors": (TWINS_RIGHT, TWINS_WRONG, 2 * 3),
    "anchor-quality": (partial(quality, 1.0), partial(quality, -1.0), 2 * 3 * 2),
    "anchor-count": (partial(count, 1.0), partial(count, -1.0), 3 * 3),
    "inference": (partial(inference, 1.0), partial(inference, -1.0), 2 * 2),
    "sensitivity": (TWINS_RIGHT, TWINS_WRONG, 4 * 9),  # and one for each setting that moves a number
}
"""Levels that bear an experiment's claims out, those that do the opposite, and how many claims there are."""
every_case = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_sushi if name == "main" else ()) for name in CASES]
)
WITHOUT_DATA = ("hartmann3", "hartmann4")
VARIANTS = {
    "nothing changed": {},
    "baselines see the map": {"baseline": "anchored"},
    "probit user": {"judge": "probit"},
    "difference user": {"judge": "difference"},
    "user without noise": {"judge": "exact"},
    "wider prior": {"outputscale": 10.0},
    "one length-scale a dimension": {"ard": True},
    "kernel is a density": {"profile": "gaussian-density"},
    "utility below zero": {"offset": -4.0},
    "farthest corner": {"anchors": "far"},
    "farthest corner, settings of HB's code": {"anchors": "far", "ard": True, "judge": "exact"},
    "ANPEI penalises the variance": {"penalty": "variance"},
}
"""Settings of the sensitivity experiment on Hartmann functions."""


def test_every_experiment_of_studies_is_here():
    assert set(CASES) == {
        name for name, each in EXPERIMENTS.items() if isinstance(each, study_experiments.StudyExperiment)
    }


@every_case
def test_claims_agree_where_the_paper_is_right(name):
    right, _, number = CASES[name]
    assert verdicts(unmoved(claims_of(EXPERIMENTS[name], right))) == {"agrees": number}


@every_case
def test_claims_differ_where_the_paper_is_wrong(name):
    _, wrong, number = CASES[name]
    claims = unmoved(claims_of(EXPERIMENTS[name], wrong))
    assert verdicts(claims) == {"differs": number}, [claim.text for claim in claims if claim.verdict != "differs"]


@every_case
@pytest.mark.parametrize("side", [0, 1], ids=["right", "wrong"])
def test_claims_are_open_after_one_run(name, side):
    assert verdicts(claims_of(EXPERIMENTS[name], CASES[name][side], seeds=1)) == {"open": CASES[name][2]}


@every_case
def test_claims_are_open_where_runs_contradict_each_other(name):
    right, _, number = CASES[name]
    assert verdicts(claims_of(EXPERIMENTS[name], right, wild=True)) == {"open": number}


def test_main_without_sushi_needs_no_data():
    for level, verdict in ((MAIN_RIGHT, "agrees"), (MAIN_WRONG, "differs")):
        assert verdicts(claims_of(study_experiments.MAIN_EXPERIMENT, level, only=WITHOUT_DATA)) == {verdict: 2 * 24 + 2}


@every_case
def test_claims_say_what_they_are_of_and_no_two_are_alike(name):
    claims = claims_of(EXPERIMENTS[name], CASES[name][0])
    assert all(claim.text and claim.where and claim.found and " to " in claim.interval for claim in claims)
    assert not any("nan" in claim.found + claim.interval for claim in claims)
    assert len({(claim.text, claim.where, claim.setting) for claim in claims}) == len(claims)
    known = {item.where for item in PAPER_ITEMS} | {OWN_ITEM}
    assert {claim.where for claim in claims} <= known
    assert {claim.reading for claim in claims if claim.where == OWN_ITEM} <= {"ours"}


# -- numbers -----------------------------------------------------------------------------------------------------------


def the(claims, start):
    (claim,) = [claim for claim in claims if claim.text.startswith(start)]
    return claim


def test_numbers_are_paired_differences():
    claims = claims_of(
        study_experiments.FIVE_ANCHORS_EXPERIMENT,
        by_strategy({"risk_adjusted": (0, 0, 1, 5, -7, 1), "pair_noise": [0] * 6}),
    )
    for start, gap, verdict in (("ANPEI's risk", 5.0, "agrees"), ("RAHBO's risk", -7.0, "differs")):
        claim = the(claims, start)
        assert claim.verdict == verdict
        assert float(claim.found) == pytest.approx(gap, abs=0.05)
        low, high = (float(bound) for bound in claim.interval.split(" to "))
        assert low < float(claim.found) < high  # the luck that runs of a seed share would be a hundred wide
        assert high - low < 0.1
    assert float(the(claims, "RAEUBO's risk").found) == pytest.approx(0.0, abs=0.02)


def test_times_are_ratios():
    level = by_strategy({"seconds": (0, 0, 3, 1, 1, 4)})
    claims = claims_of(study_experiments.TIME_EXPERIMENT, level, only=["hartmann3"])
    longer, pairs = claims
    assert longer.found == "2.00 times"
    assert float(pairs.found.split()[0]) == pytest.approx(2.0 ** (3.5 - 0.5), rel=0.01)
    low, high = (float(bound) for bound in pairs.interval.split(" to "))
    assert low <= float(pairs.found.split()[0]) <= high


@pytest.mark.parametrize(("share", "verdict"), [(0.05, "agrees"), (0.15, "differs")])
def test_competitive_is_within_a_tenth_of_the_range(share, verdict):
    for experiment, problem, metric, only in (
        (study_experiments.MAIN_EXPERIMENT, "hartmann4", "value", ["hartmann4"]),
        (study_experiments.ACKLEY6_EXPERIMENT, "ackley6", "risk_adjusted", ["eubo", "raeubo"]),
    ):
        span = get_problem(problem).maximum - get_problem(problem).minimum
        table = dict.fromkeys((metric, "plain_value"), (0, 0, 0, *[-share * span] * 3))
        claims = claims_of(experiment, by_strategy(table), only=only)
        competitive = [claim for claim in claims if " is competitive with " in claim.text]
        assert competitive
        assert {claim.verdict for claim in competitive} == {verdict}


def test_other_inferences_are_competitive_within_a_tenth_of_the_range():
    span = get_problem("hartmann3").maximum - get_problem("hartmann3").minimum

    def level(task, name, number):
        return {"hallucination": 0.0, "laplace": -0.05 * span, "ep": -0.15 * span}[task.inference]

    for claim in claims_of(study_experiments.INFERENCE_EXPERIMENT, level):
        assert claim.verdict == ("agrees" if "Laplace" in claim.text else "differs")


def test_values_are_those_of_the_last_rounds_and_noise_is_that_of_all():
    # More in the last ten rounds, by 1, and less before them, by 50: the mean of all rounds is less.
    def level(task, name, number):
        return (1.0 if number > ROUNDS - 10 else -50.0) if task.strategy in TWINS else 0.0

    assert verdicts(claims_of(study_experiments.FIVE_ANCHORS_EXPERIMENT, level)) == {"agrees": 6}


def test_more_anchors_may_help_early_and_not_in_the_end():
    def level(task, name, number):
        return float(task.told) * (1.0 if number <= ROUNDS / 3 else -1.0)

    for claim in claims_of(study_experiments.ANCHOR_COUNT_EXPERIMENT, level):
        late = claim.text.endswith("in the end") and "more in" not in claim.text
        assert claim.verdict == ("differs" if late else "agrees")


def test_anchor_count_compares_the_ends_of_the_range():
    def level(task, name, number):
        return {5: 1.0, 10: 50.0, 20: -50.0, 50: 2.0}[task.told]

    claims = claims_of(study_experiments.ANCHOR_COUNT_EXPERIMENT, level)
    assert [float(claim.found) for claim in claims] == pytest.approx([1.0, 1.0, 0.0] * 3, abs=0.02)


def has(task, settings):
    return all(getattr(task, name) == value for name, value in settings.items())


@pytest.mark.parametrize("odd", VARIANTS)
def test_a_setting_that_turns_a_claim_round_has_a_row_that_says_so(odd):
    def level(task, name, number):
        turned = variant_of(task) == odd
        return (TWINS_WRONG if turned else TWINS_RIGHT)(task, name, number)

    def variant_of(task):
        found = [name for name, settings in VARIANTS.items() if has(task, settings)]
        return max(found, key=lambda name: len(VARIANTS[name]))

    claims = claims_of(study_experiments.SENSITIVITY_EXPERIMENT, level, only=["hartmann4"])
    own = [claim for claim in claims if claim.setting == odd]
    assert {claim.verdict for claim in own} == {"differs"}
    assert {claim.verdict for claim in claims if claim.setting != odd} == {"agrees"}
    expected = 3 if odd == "ANPEI penalises the variance" else 9
    assert len(own) == expected
    if odd == "nothing changed":  # then every setting moves every claim
        assert len(claims) == 9 * (len(VARIANTS) - 1) + 3


def test_a_loss_of_best_value_within_the_margin_is_competitive_under_every_setting():
    span = get_problem("hartmann4").maximum - get_problem("hartmann4").minimum
    level = by_strategy({"value": (0, 0, 0, *[-0.05 * span] * 3)})
    claims = [
        c
        for c in claims_of(study_experiments.SENSITIVITY_EXPERIMENT, level, only=["hartmann4"])
        if "competitive" in c.text
    ]
    assert len(unmoved(claims)) == 3
    assert {claim.verdict for claim in claims} == {"agrees"}


def test_the_slope_of_the_gain_is_over_corners():
    def level(task, name, number):
        gain = -40.0 if task.anchors == "corner-1111" else 1.0
        return gain if task.strategy in TWINS and name == "risk_adjusted" else 0.0

    claims = claims_of(study_experiments.ANCHOR_PLACEMENT_EXPERIMENT, level, only=["hartmann4"])
    slopes = [claim for claim in claims if claim.setting == "slope over 16 corners"]
    assert {claim.verdict for claim in slopes} == {"agrees"}
    x = [0.3 + 0.2 * bits.count("1") for bits in map("{:04b}".format, range(16))]
    y = [-40.0 if n == 15 else 1.0 for n in range(16)]
    expected = np.polyfit(x, y, 1)[0]
    for claim in slopes:
        assert float(claim.found) == pytest.approx(expected, abs=0.1)


def test_a_setting_that_moves_a_number_and_not_the_verdict_has_a_row_that_agrees():
    def level(task, name, number):
        return (10.0 if task.outputscale == 10.0 else 1.0) * TWINS_RIGHT(task, name, number)

    claims = claims_of(study_experiments.SENSITIVITY_EXPERIMENT, level, only=["hartmann4"])
    assert set(verdicts(claims)) == {"agrees"}
    assert sum(claim.setting == "wider prior" for claim in claims) == 9


def test_noise_in_the_runs_moves_nothing_that_a_paired_difference_of_differences_does_not_show():
    # Not told apart under one setting and told apart under another is no reason to say that the setting matters.
    def level(task, name, number):
        own = 0.4 * np.random.default_rng([task.seed, *task.strategy.encode()]).normal()
        return TWINS_RIGHT(task, name, number) * 0.2 + (own if task.outputscale == 1.0 else 1.05 * own)

    claims = claims_of(study_experiments.SENSITIVITY_EXPERIMENT, level, seeds=5, only=["hartmann4"])
    assert "wider prior" not in {claim.setting for claim in claims}


def test_the_best_is_compared_with_the_best_of_the_others():
    level = by_strategy({"value": (8, 3, 1, 0, 9, 2)})
    (claim,) = [
        c for c in claims_of(study_experiments.RANKING_EXPERIMENT, level, only=["hartmann3"]) if "is the best" in c.text
    ]
    assert claim.text.endswith("rival is EI")
    assert claim.found == "-1.000"
    assert claim.verdict == "agrees"
    level = by_strategy({"value": (8, 3, 1, 0, 7.9, 2)})
    (claim,) = [
        c for c in claims_of(study_experiments.RANKING_EXPERIMENT, level, only=["hartmann3"]) if "is the best" in c.text
    ]
    assert (claim.text[-2:], claim.found, claim.verdict) == ("EI", "+1.000", "differs")


def test_a_rival_that_is_shown_is_one_that_decides():
    # EI is nearer by its mean, but UCB is what the claim fails by.
    def level(task, name, number):
        wild = 30.0 * (-1) ** task.seed if task.strategy == "ei" else 0.0
        return wild + {"rahbo": 5.0, "ei": 6.0, "ucb": 5.5}.get(task.strategy, 0.0)

    rows = made(study_experiments.ACKLEY6_EXPERIMENT.make_tasks(ExperimentSize(seeds=6, rounds=ROUNDS)), level)
    (claim,) = compare_with_all(rows, "ackley6", "rahbo", (), "value", "here")
    assert claim.verdict == "differs"
    assert claim.text.endswith("UCB")
    assert float(claim.found) == pytest.approx(-0.5, abs=0.05)


@needs_sushi
def test_a_second_place_leaves_out_the_first():
    level = by_strategy({"risk_adjusted": (1, 2, 3, 4, 8, 9)})
    claims = [
        c for c in claims_of(study_experiments.MAIN_EXPERIMENT, level, only=["sushi"]) if " on Sushi 4D (" in c.text
    ]
    best, second = [claim for claim in claims if "nearest rival" in claim.text]
    assert (best.verdict, best.text[-5:]) == ("agrees", "RAHBO")
    assert "second to RAEUBO" in second.text
    assert (second.verdict, second.text[-5:]) == ("agrees", "ANPEI")


# -- parts of an experiment --------------------------------------------------------------------------------------------


def nameless(claims):
    """What claims are about, whoever the best rival is and whatever moves them."""
    return {re.sub(r"; its nearest rival is \w+", "", claim.text) for claim in claims}


@every_case
def test_a_part_of_an_experiment_gives_some_of_the_claims(name):
    experiment, level = EXPERIMENTS[name], CASES[name][0]
    tasks = experiment.make_tasks(ExperimentSize(seeds=2, rounds=12))
    records = made(tasks, level)
    full = nameless(experiment.judge_claims(records))
    texts = {value for task in tasks for value in task.settings.values() if isinstance(value, str)} - {"trial"}
    parts = [[value] for value in sorted(texts)]
    parts += [[averse, plain] for averse, plain in TWINS.items() if {averse, plain} <= texts]
    parts += [list(TWINS), ["ei", "ucb", "eubo"], ["eubo", "raeubo"]] if "ei" in texts else []
    for part in parts:
        keys = [task.key for task in filter_tasks(tasks, part)]
        some = records.filter(pl.col("key").is_in(keys))
        claims = experiment.judge_claims(some)
        assert nameless(claims) <= full
        assert not any("nan" in claim.found + claim.interval for claim in claims)
        strategies, subjects = set(some["strategy"]), {re.split(r"\W", claim.text)[0].lower() for claim in claims}
        assert name == "time" or subjects & set(STRATEGIES) <= strategies
        paired = any({averse, plain} <= strategies for averse, plain in TWINS.items())
        assert len(experiment.summarise(some)) > 0 or (
            isinstance(experiment, study_experiments.GainExperiment) and not paired
        )


@pytest.mark.parametrize(
    ("name", "only", "number"),
    [
        ("main", ["hartmann3"], 24 + 1),
        ("main", ["hartmann3", "rahbo", "ucb"], 8),
        ("anchor-placement", ["hartmann3"], 15),
        ("anchor-placement", ["hartmann4", "rahbo", "ucb", "away"], 1),
        ("anchor-placement", ["hartmann4", "rahbo"], 0),
        ("main", ["hartmann3", "hartmann4", "rahbo", "eubo"], 0),
        ("main", ["hartmann4", "ucb"], 0),
        ("ranking", ["sushi"], 7),
        ("ranking", ["hartmann3"], 7),
        ("ranking", ["hartmann3", "ei", "anpei"], 1),
        ("ranking", ["rahbo"], 0),
        ("ranking", ["sushi", "rahbo", "raeubo"], 0),
        ("time", ["sushi"], 2),
        ("time", ["ei", "ucb"], 0),
        ("ackley6", ["eubo", "raeubo"], 2),
        ("ackley6", ["rahbo"], 0),
        ("candy", ["ei", "anpei"], 3),
        ("candy", ["raeubo", "eubo"], 3),
        ("five-anchors", ["ei", "anpei", "rahbo"], 2),
        ("anchor-quality", ["hartmann4"], 6),
        ("anchor-quality", ["raeubo"], 4),
        ("anchor-quality", ["near"], 0),
        ("anchor-count", ["raeubo"], 3),
        ("inference", ["rahbo"], 2),
        ("inference", ["ep", "hallucination"], 2),
        ("inference", ["ep"], 0),
        ("sensitivity", ["hartmann3", "ei", "anpei"], 3),
        ("sensitivity", ["hartmann3", "ei"], 0),
        ("sensitivity", ["far", "hartmann4", "eubo", "raeubo"], 0),
    ],
)
def test_how_many_claims_a_part_has(name, only, number):
    assert len(unmoved(claims_of(EXPERIMENTS[name], CASES[name][0], seeds=2, only=only))) == number


@every_case
def test_an_unfinished_experiment_has_claims_of_what_is_paired(name):
    experiment, level = EXPERIMENTS[name], CASES[name][0]
    tasks = experiment.make_tasks(ExperimentSize(seeds=3, rounds=12))
    records = made(tasks, level)
    for done in (1, 2, len(tasks) // 3 + 1, len(tasks) - 1):
        some = records.filter(pl.col("key").is_in([task.key for task in tasks[:done]]))
        assert not any("nan" in claim.found + claim.interval for claim in experiment.judge_claims(some))


def test_runs_without_a_partner_say_nothing():
    tasks = [
        task
        for task in study_experiments.FIVE_ANCHORS_EXPERIMENT.make_tasks(ExperimentSize(seeds=6, rounds=12))
        if (task.seed < 3) == (task.strategy in TWINS)
    ]
    assert study_experiments.FIVE_ANCHORS_EXPERIMENT.judge_claims(made(tasks, TWINS_RIGHT)) == []
