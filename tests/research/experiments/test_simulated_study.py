"""Trials against a naive reading of the paper: its user, its noise map, its metrics, on studies of a few rounds."""

import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from functools import cache
from itertools import combinations
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from anchorpbo import RBF, Laplace, Logistic, NoiseMap, Optimizer, Probit
from anchorpbo.acquisition import ANPEI
from anchorpbo.errors import IncompatibleError, InputError, UnknownNameError
from anchorpbo.inference import EP, Hallucination
from anchorpbo.problems import SimulatedJudge, get_problem
from anchorpbo.research.experiments import simulated_study as module
from anchorpbo.research.experiments.anchor_placement import place_anchors
from anchorpbo.research.experiments.simulated_study import STRATEGIES, TWINS, SimulatedStudy
from anchorpbo.study import PaperNoise

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
needs_candy = pytest.mark.skipif(
    not (DATA / "candy").is_dir(), reason="ANCHORPBO_DATA is not a folder with candy/: the data may not be shared"
)
START = 8
COLUMNS = {
    "round", "first", "second", "first_won", "pair_noise", "seconds", "best", "value", "risk_adjusted", "plain_value",
    "plain_risk_adjusted", "lengthscale", "bandwidth", "anchor_distance",
}  # fmt: skip
SINGLE, PAIRS = ("ei", "ucb", "anpei", "rahbo"), ("eubo", "raeubo")
UCB = SimulatedStudy("branin", "ucb", 1, rounds=4)
RAHBO = SimulatedStudy("branin", "rahbo", 1, rounds=4)
EUBO = SimulatedStudy("branin", "eubo", 1, rounds=4)
TOLD = replace(RAHBO, anchors="scattered", count=12, told=2)


@cache
def ran(trial):
    return trial.run()


def pairs_of(columns):
    return list(zip(columns["first"], columns["second"], strict=True))


def differing(one, other):
    """The columns two runs differ in; times always do."""
    assert list(one) == list(other)
    return {name for name in one if name != "seconds" and one[name] != other[name]}


# -- the paper, naively -----------------------------------------------------------------------------------------------


def naive_noise(anchors, profile="gaussian"):
    """exp(-q) with q the density of the anchors and its bandwidth between 1 and 2."""
    h, d = NoiseMap.from_anchors(anchors, bounds=(1.0, 2.0), profile=profile).bandwidth, anchors.shape[1]
    assert 1.0 <= h <= 2.0
    peak = (2.0 * np.pi) ** (-d / 2) if profile == "gaussian-density" else 1.0

    def noise(X):
        kernels = [np.exp(-((np.array(X) - a) ** 2).sum(axis=1) / (2 * h**2)) for a in anchors]
        return np.exp(-peak * sum(kernels) / len(anchors) / h**d)

    return noise


def sigmoid(margin):
    return 0.5 * (1.0 + np.tanh(0.5 * margin))


WINS = {
    "probit": lambda f, g, n, m: 0.5 * (1.0 + erf((f - g) / sqrt(n + m) / sqrt(2))),
    "logistic": lambda f, g, n, m: sigmoid(f / n - g / m),
    "difference": lambda f, g, n, m: sigmoid(2.0 * (f - g) / (n + m)),
    "exact": lambda f, g, n, m: float(f > g),
}
"""Probability that the first wins: its utility and the other's, then their noises."""


class Replay:
    """A study of its own with the settings of a trial, and answers by the formulas."""

    def __init__(self, trial):
        self.problem = get_problem(trial.problem)
        self.anchors = place_anchors(self.problem, trial.anchors, trial.count, trial.seed)
        told = self.anchors if trial.told is None else self.anchors[: trial.told]
        self.noise, self.estimate = naive_noise(self.anchors, trial.profile), naive_noise(told, trial.profile)
        options = {"inference": trial.inference, "likelihood": trial.likelihood, "baseline": trial.baseline}
        if trial.outputscale != 1.0 or trial.ard:
            lengths = [sqrt(0.1)] * self.problem.dimension if trial.ard else sqrt(0.1)
            options["kernel"] = RBF(lengths, trial.outputscale)
        if trial.profile != "gaussian":
            options["noise"] = PaperNoise(profile=trial.profile)
        strategy = ANPEI(10.0, penalty="variance") if trial.penalty == "variance" else trial.strategy
        names = [f"x{c + 1}" for c in range(self.problem.dimension)]
        known = [dict(zip(names, a.tolist(), strict=True)) for a in told]
        self.study = Optimizer(self.problem.space, known, strategy, "paper", trial.seed, **options)
        own = trial.likelihood or ("logistic" if trial.strategy in PAIRS else "probit")
        self.wins = WINS[own if trial.judge == "matching" else trial.judge]
        self.offset, self.luck = trial.offset, np.random.default_rng([trial.seed, 5])

    def utility(self, X):
        return self.problem(np.atleast_2d(X)) + self.offset

    def turn(self):
        """Ask and answer; return the pair and whether the first won."""
        duel = self.study.ask()
        pair = [list(duel.first.values()), list(duel.second.values())]
        won = bool(self.luck.random() < self.wins(*self.utility(pair), *self.noise(pair)))
        self.study.tell(duel, "first" if won else "second")
        return pair, won

    def objective(self, X, weight):
        """What the design that is reported is best in: m - weight n^."""
        return self.study.acquisition_model.posterior.mean(np.atleast_2d(X)) - weight * self.estimate(np.atleast_2d(X))

    def best(self, weight, tries=20_000):
        """The largest of many random designs, and where a climb from it ends."""
        X = np.random.default_rng(9).random((tries, self.problem.dimension))
        values = self.objective(X, weight)
        top = minimize(
            lambda x: -self.objective(x, weight)[0],
            X[values.argmax()],
            bounds=[(0.0, 1.0)] * X.shape[1],
            options={"ftol": 1e-14, "gtol": 1e-9},
        )
        return values.max(), top.x


REPLAYED = {
    **{strategy: SimulatedStudy("branin", strategy, 1, rounds=3) for strategy in STRATEGIES},
    "three dimensions": SimulatedStudy("hartmann3", "raeubo", 2, rounds=3),
    "past a fit": SimulatedStudy("branin", "raeubo", 0, rounds=11),
    "near": replace(RAHBO, anchors="near"),
    "far": replace(RAHBO, anchors="far"),
    "scattered": replace(RAHBO, anchors="scattered"),
    "a corner": replace(RAHBO, anchors="corner-01"),
    "one length-scale a dimension": replace(RAHBO, ard=True, rounds=11),
    "a density": replace(RAHBO, profile="gaussian-density"),
    "the variance penalised": SimulatedStudy("branin", "anpei", 1, rounds=4, penalty="variance"),
    "a user without noise": SimulatedStudy("hartmann3", "eubo", 3, rounds=4, judge="exact"),
    "candy": pytest.param(SimulatedStudy("candy", "ucb", 0, rounds=3, anchors="own"), marks=needs_candy),
    "told two of twelve": TOLD,
    "told two of twelve, pairs": replace(TOLD, strategy="raeubo"),
    "a probit user": replace(EUBO, judge="probit"),
    "a logistic user": SimulatedStudy("hartmann3", "rahbo", 3, rounds=4, judge="logistic"),
    "a difference user": SimulatedStudy("hartmann3", "eubo", 3, rounds=4, judge="difference"),
    "raised": SimulatedStudy("hartmann3", "eubo", 3, rounds=4, offset=20.0),
    "seeing the map": replace(UCB, baseline="anchored"),
    "wide prior": replace(RAHBO, outputscale=10.0),
    "Laplace": replace(RAHBO, inference="laplace"),
    "EP": replace(EUBO, inference="ep", likelihood="probit"),
}


@pytest.mark.parametrize("trial", REPLAYED.values(), ids=REPLAYED.keys())
def test_a_record_is_what_a_study_with_the_papers_user_gives(trial):
    columns, replay = ran(trial), Replay(trial)
    for _ in range(START - 1):
        replay.turn()
    for row in range(trial.rounds + 1):
        pair, won = replay.turn()
        assert (columns["first"][row], columns["second"][row]) == tuple(pair)
        assert columns["first_won"][row] is won
        best = np.array(columns["best"][row])
        (value,), (noise,) = replay.utility(best), replay.noise([best])
        assert columns["value"][row] == pytest.approx(value, rel=1e-12)
        assert columns["risk_adjusted"][row] == pytest.approx(value - 10.0 * noise, rel=1e-12)
        if row:
            assert columns["pair_noise"][row] == pytest.approx(replay.noise(pair).mean(), rel=1e-12)
        surrogate = replay.study.acquisition_model
        lengths = np.ravel(surrogate.kernel.lengthscale)
        assert len(lengths) == (replay.problem.dimension if trial.ard else 1)
        assert columns["lengthscale"][row] == pytest.approx(float(np.exp(np.log(lengths).mean())))
        assert columns["anchor_distance"][row] == pytest.approx(
            sqrt(((replay.anchors.mean(axis=0) - replay.problem.optimum) ** 2).sum())
        )
        assert 1.0 <= columns["bandwidth"][row] <= 2.0
        assert 0.1 <= columns["lengthscale"][row] <= 1.0
        assert surrogate.kernel.outputscale == pytest.approx(trial.outputscale)
        if row in (0, trial.rounds):
            largest, _ = replay.best(10.0)
            assert replay.objective(best, 10.0)[0] >= largest
            _, plain = replay.best(0.0)
            cost = 10.0 * replay.noise([plain])[0]
            assert columns["plain_value"][row] == pytest.approx(replay.utility(plain)[0], rel=1e-3, abs=1e-3)
            expected = pytest.approx(replay.utility(plain)[0] - cost, rel=1e-3, abs=1e-3)
            assert columns["plain_risk_adjusted"][row] == expected


# -- columns -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trial", [RAHBO, SimulatedStudy("hartmann3", "raeubo", 2, rounds=3)], ids=["two", "three"])
def test_there_is_a_row_a_round_and_one_before_the_first(trial):
    columns, d = ran(trial), get_problem(trial.problem).dimension
    assert set(columns) == COLUMNS
    assert {len(column) for column in columns.values()} == {trial.rounds + 1}
    assert columns["round"] == list(range(trial.rounds + 1))
    for name in ("first", "second", "best"):
        array = np.array(columns[name])
        assert array.shape == (trial.rounds + 1, d)
        assert ((array >= 0.0) & (array <= 1.0)).all()
    assert {type(each) for each in columns["first_won"]} == {bool}
    for name in COLUMNS - {"round", "first", "second", "best", "first_won"}:
        rest = columns[name][1:] if name in ("pair_noise", "seconds") else columns[name]
        assert {type(each) for each in rest} == {float}
        assert np.isfinite(rest).all()
    assert all(each > 0.0 for each in columns["seconds"][1:])
    assert all(np.exp(-1.0) <= each <= 1.0 for each in columns["pair_noise"][1:])


def test_round_0_is_after_the_duels_to_start_with_which_nobody_chose(turns):
    columns = RAHBO.run()
    assert columns["pair_noise"][0] is None
    assert columns["seconds"][0] is None
    assert [turn.number for turn in turns.seen] == list(range(1, START + RAHBO.rounds + 1))
    told = [turn.pair.tolist() for turn in turns.seen]
    assert [list(pair) for pair in pairs_of(columns)] == told[START - 1 :]
    assert columns["seconds"][1:] == [turn.seconds for turn in turns.seen[START:]]
    starts = [turn.duel.why for turn in turns.seen[:START]]
    assert len(set(starts)) == 1
    assert turns.seen[START].duel.why not in starts


class Turns:
    """What happens inside a trial: its study, its user and their duels."""

    def __init__(self, play):
        self.play, self.seen = play, []

    def __call__(self, optimizer, judge, *rest):
        self.study, self.judge, self.seen = optimizer, judge, []
        for turn in self.play(optimizer, judge, *rest):
            self.seen.append(turn)
            yield turn

    def start(self):
        return [(turn.pair.tolist(), turn.outcome) for turn in self.seen[:START]]

    def anchors(self):
        return [list(design.values()) for design in self.study.anchors]


@pytest.fixture
def turns(monkeypatch):
    spy = Turns(module.play)
    monkeypatch.setattr(module, "play", spy)
    return spy


# -- what runs share ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trial", [RAHBO, EUBO], ids=["rahbo", "eubo"])
def test_a_trial_run_twice_is_the_same_in_all_but_times(trial):
    assert not differing(ran(trial), trial.run())


@pytest.mark.parametrize("strategies", [SINGLE, PAIRS], ids=["probit", "logistic"])
def test_runs_of_a_seed_share_anchors_and_duels_to_start_with(turns, strategies):
    starts, anchors, maps = [], [], []
    X = np.random.default_rng(0).random((5, 2))
    for strategy in strategies:
        SimulatedStudy("branin", strategy, 4, rounds=1).run()
        starts.append(turns.start())
        anchors.append(turns.anchors())
        maps.append(turns.judge.noise(X).tolist())
    assert all(each == starts[0] for each in starts)
    assert all(each == anchors[0] for each in anchors)
    assert all(each == maps[0] for each in maps)
    np.testing.assert_allclose(maps[0], naive_noise(np.array(anchors[0]))(X))
    SimulatedStudy("branin", strategies[0], 5, rounds=1).run()
    assert {str(pair) for pair, _ in turns.start()}.isdisjoint(str(pair) for pair, _ in starts[0])
    assert not np.isin(turns.anchors(), anchors[0]).any()


def test_all_strategies_start_from_the_same_pairs(turns):
    asked = []
    for strategy in ("rahbo", "raeubo"):
        SimulatedStudy("branin", strategy, 4, rounds=1).run()
        asked.append([pair for pair, _ in turns.start()])
    assert asked[0] == asked[1]


def test_longer_runs_begin_as_shorter_ones_do():
    short, long = ran(replace(RAHBO, rounds=2)), ran(RAHBO)
    assert not differing(short, {name: column[:3] for name, column in long.items()})


# -- settings ----------------------------------------------------------------------------------------------------------


def test_a_method_that_is_told_of_two_anchors_still_meets_the_user_of_twelve(turns):
    TOLD.run()
    every = place_anchors(get_problem("branin"), "scattered", 12, TOLD.seed)
    assert turns.anchors() == every[:2].tolist()
    X = np.random.default_rng(0).random((50, 2))
    truth, told = naive_noise(every)(X), naive_noise(every[:2])(X)
    np.testing.assert_allclose(turns.judge.noise(X), truth)
    np.testing.assert_allclose(turns.study.acquisition_model.noise(X), told)
    assert np.abs(truth - told).max() > 0.01
    whole, columns = ran(replace(TOLD, told=None)), ran(TOLD)
    assert pairs_of(whole) != pairs_of(columns)
    assert whole["first_won"][0] == columns["first_won"][0]  # the user's first answers are the same
    for row in range(1, TOLD.rounds + 1):
        pair = [columns["first"][row], columns["second"][row]]
        assert columns["pair_noise"][row] == pytest.approx(naive_noise(every)(pair).mean(), rel=1e-12)
        assert columns["pair_noise"][row] != pytest.approx(naive_noise(every[:2])(pair).mean(), rel=1e-4)


@pytest.mark.parametrize("trial", [RAHBO, replace(EUBO, judge="probit")], ids=["matching", "probit"])
def test_a_number_added_to_the_utility_does_not_matter_to_a_probit_user(trial):
    plain, raised = ran(trial), ran(replace(trial, offset=5.0))
    values = {"value", "risk_adjusted", "plain_value", "plain_risk_adjusted"}
    assert differing(plain, raised) == values
    for name in values:
        np.testing.assert_allclose(raised[name], np.array(plain[name]) + 5.0, rtol=1e-12)


def test_a_number_added_to_the_utility_matters_to_the_papers_logistic_user_only(turns):
    def answers(**settings):
        SimulatedStudy("hartmann3", "eubo", 3, rounds=4, **settings).run()
        return [(turn.pair.tolist(), turn.outcome) for turn in turns.seen]

    assert answers() != answers(offset=20.0)
    assert answers(judge="difference") == answers(judge="difference", offset=20.0)


@pytest.mark.parametrize(
    ("judge", "likelihood"),
    [("probit", Probit()), ("logistic", Logistic(form="paper")), ("difference", Logistic(form="difference"))],
)
def test_a_user_answers_by_the_likelihood_of_its_name(turns, judge, likelihood):
    for strategy in ("rahbo", "raeubo"):
        SimulatedStudy("branin", strategy, 1, rounds=1, judge=judge).run()
        pair = np.array([[0.55, 0.2], [0.5, 0.3]])
        expected = SimulatedJudge(get_problem("branin"), likelihood, turns.judge.noise).probabilities(*pair)
        assert turns.judge.probabilities(*pair) == expected


def test_a_matching_user_answers_by_the_strategys_likelihood(turns):
    for strategy, likelihood, kind in (("ei", None, Probit), ("eubo", None, Logistic), ("eubo", "probit", Probit)):
        SimulatedStudy("branin", strategy, 1, rounds=1, likelihood=likelihood).run()
        assert type(turns.judge.likelihood) is kind
        assert turns.judge.likelihood is turns.study.plan.likelihood


def test_a_baseline_that_sees_the_map_asks_other_duels_and_a_risk_averse_strategy_always_sees_it():
    constant, anchored = ran(UCB), ran(replace(UCB, baseline="anchored"))
    assert pairs_of(constant)[0] == pairs_of(anchored)[0]
    assert pairs_of(constant)[1:] != pairs_of(anchored)[1:]
    assert not differing(ran(RAHBO), ran(replace(RAHBO, baseline="anchored")))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_paper_is_followed_where_nothing_else_is_said(turns, strategy):
    SimulatedStudy("branin", strategy, 0, rounds=1).run()
    plan = turns.study.plan
    assert plan.initial == START
    assert plan.refit_every == 10
    assert plan.risk_weight == module.RISK_WEIGHT == 10.0
    assert isinstance(plan.likelihood, Logistic if strategy in PAIRS else Probit)
    assert isinstance(plan.inference, Laplace if strategy in PAIRS else Hallucination)
    assert plan.kernel.outputscale == 1.0
    X = np.random.default_rng(0).random((20, 2))
    if strategy in TWINS:
        np.testing.assert_allclose(turns.study.acquisition_model.noise(X), turns.judge.noise(X))
    else:
        np.testing.assert_array_equal(turns.study.acquisition_model.noise(X), 1.0)


def test_inference_likelihood_and_outputscale_reach_the_plan(turns):
    settings = {"inference": "ep", "likelihood": "probit", "outputscale": 10.0}
    SimulatedStudy("branin", "raeubo", 0, rounds=1, **settings).run()
    plan = turns.study.plan
    assert isinstance(plan.inference, EP)
    assert isinstance(plan.likelihood, Probit)
    assert plan.kernel.outputscale == pytest.approx(10.0)
    assert plan.kernel.lengthscale == pytest.approx(sqrt(0.1))
    assert turns.study.acquisition_model.kernel.outputscale == pytest.approx(10.0)


@pytest.mark.parametrize("change", [{"outputscale": 10.0}, {"inference": "laplace"}, {"anchors": "near"}, {"seed": 2}])
def test_settings_change_what_is_asked(change):
    assert pairs_of(ran(RAHBO))[1:] != pairs_of(ran(replace(RAHBO, **change)))[1:]


# -- the key -----------------------------------------------------------------------------------------------------------

OTHER = {
    "problem": "hartmann3", "strategy": "ei", "seed": 2, "rounds": 5, "anchors": "near", "count": 9, "told": 3,
    "judge": "probit", "baseline": "anchored", "inference": "laplace", "likelihood": "probit", "outputscale": 2.0,
    "ard": True, "profile": "gaussian-density", "penalty": "variance", "offset": 1.0,
}  # fmt: skip
"""Another value of every field."""


def test_the_key_depends_on_every_field():
    assert set(OTHER) == {each.name for each in fields(SimulatedStudy)}
    trials = [RAHBO, *(replace(RAHBO, **{name: value}) for name, value in OTHER.items())]
    assert all(one != other for one, other in combinations(trials, 2))
    assert len({trial.key for trial in trials}) == len(trials)


def test_the_key_depends_on_nothing_else():
    again = SimulatedStudy(rounds=4, seed=1, strategy="rahbo", problem="branin")
    assert again == RAHBO
    assert again.key == RAHBO.key
    ran(RAHBO)
    assert again.key == RAHBO.key
    assert RAHBO.settings == {
        "kind": "trial",
        **{each.name: getattr(RAHBO, each.name) for each in fields(SimulatedStudy)},
    }


@pytest.mark.parametrize("hash_seed", ["1", "4321"])
def test_the_key_is_the_same_in_another_process(hash_seed):
    code = (
        "import json, sys; from anchorpbo.research.experiments.simulated_study import SimulatedStudy;"
        "print(*[SimulatedStudy(**each).key for each in json.loads(sys.argv[1])])"
    )
    trials = [RAHBO, TOLD, SimulatedStudy(**OTHER)]
    given = json.dumps([{each.name: getattr(trial, each.name) for each in fields(SimulatedStudy)} for trial in trials])
    done = subprocess.run(
        [sys.executable, "-c", code, given],
        env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [trial.key for trial in trials]


def test_a_key_can_name_a_file():
    assert RAHBO.key.startswith("trial-")
    assert RAHBO.key.replace("-", "").isalnum()
    assert RAHBO.effort == 4.0


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"strategy": "random"}, UnknownNameError, r"strategy must be one of anpei, ei, .*received 'random'"),
        ({"judge": "oracle"}, UnknownNameError, r"judge must be one of difference, .*, probit; received .oracle"),
        ({"rounds": 0}, InputError, "rounds must be a whole number of at least 1; received 0"),
        ({"rounds": 2.5}, InputError, "rounds must be a whole number"),
        ({"seed": -1}, InputError, "seed must be a whole number of at least 0; received -1"),
        ({"outputscale": 0.0}, InputError, "outputscale"),
        ({"count": 0}, InputError, "count"),
        ({"told": 2.5}, InputError, "told"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_when_it_is_made(settings, error, message):
    with pytest.raises(error, match=message):
        SimulatedStudy(**{"problem": "branin", "strategy": "ei", "seed": 0, **settings})


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"problem": "bran"}, UnknownNameError, "a problem must be one of"),
        ({"anchors": "own"}, InputError, "only data sets come with anchors; received branin"),
        ({"anchors": "corner-011"}, InputError, "a corner of 2 coordinates; received corner-011"),
        ({"penalty": "none", "strategy": "anpei"}, UnknownNameError, "penalty must be one of std, variance"),
        ({"baseline": "none"}, UnknownNameError, "baseline must be one of anchored, constant"),
        ({"likelihood": "logistic"}, IncompatibleError, "(?i)hallucination"),
        ({"inference": "mcmc"}, UnknownNameError, "inference must be one of"),
    ],
)
def test_the_rest_is_refused_when_it_is_run(settings, error, message):
    trial = SimulatedStudy(**{"problem": "branin", "strategy": "ei", "seed": 0, "rounds": 1, **settings})
    with pytest.raises(error, match=message):
        trial.run()


def test_an_unknown_problem_is_found_before_anything_runs():
    RAHBO.prepare()
    with pytest.raises(UnknownNameError, match="a problem must be one of"):
        SimulatedStudy("bran", "ei", 0).prepare()
