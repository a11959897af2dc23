"""Contenders ask for designs of the space, depend on their seed alone, and start alike."""

import numpy as np
import pytest

from anchorpbo import Optimizer
from anchorpbo.errors import UnknownNameError, UnsupportedError
from anchorpbo.research.answers import contenders
from anchorpbo.research.answers.contenders import (
    CONTENDERS,
    DEFAULT_INITIAL,
    INITIAL_PAIRS,
    AnswerLog,
    ContenderEntry,
    check_installed,
    get_contender,
    list_initial_pairs,
)
from anchorpbo.research.answers.judges import place_anchors
from anchorpbo.research.answers.one_hot import OneHotCoding
from anchorpbo.research.answers.problems import get_judged_problem
from support.optional import HAS_TORCH, WITHOUT_TORCH

OWN_START = ("default", "default-anchors", "glisp", "paper", "paper-anchors")
"""Contenders that do not take the five initial pairs of the default preset."""
INITIAL = {"botorch-probit-3": DEFAULT_INITIAL}
"""Contenders that take fewer of them."""
PLAYED = [name for name, entry in CONTENDERS.items() if not entry.missing_packages]


def play(name, problem, answers, seed=0):
    """The pairs and recommendations of a study with a judge who never errs."""
    contender = get_contender(name).make(problem.space, place_anchors(problem, "good", seed), seed)
    pairs, best = [], []
    for _ in range(answers):
        pairs.append(contender.ask())
        first, second = problem.utility(pairs[-1])
        contender.tell(pairs[-1], bool(first >= second))
        best.append(contender.recommend())
    return np.array(pairs), np.array(best)


@pytest.mark.parametrize("problem", ["gp2", "espresso", "catalogue5"])
@pytest.mark.parametrize("name", PLAYED)
def test_designs_are_in_the_space_and_the_initial_pairs_are_the_same(name, problem):
    problem = get_judged_problem(problem, 0)
    pairs, best = play(name, problem, 7)
    anchors = place_anchors(problem, "good", 0)
    for x in [*pairs.reshape(-1, problem.space.dimension), *best]:
        # Anchors are drawn, so their numbers are not rounded.
        known = np.isclose(anchors, x, atol=1e-12).all(axis=1).any()
        assert known or np.allclose(problem.space.nearest(x), x, atol=1e-12)
    if name not in OWN_START:
        count = INITIAL.get(name, INITIAL_PAIRS)
        for asked, expected in zip(pairs[:count], list_initial_pairs(problem.space, 0, count), strict=True):
            # A study may swap the sides.
            assert np.array_equal(asked, expected) or np.array_equal(asked, expected[::-1])
    assert all((pair[0] != pair[1]).any() for pair in pairs)


@pytest.mark.parametrize("name", PLAYED)
def test_a_study_is_a_function_of_its_seed(name):
    problem = get_judged_problem("gp2", 0)
    np.random.seed(1)  # noqa: NPY002
    one = play(name, problem, 7)
    np.random.seed(2)  # noqa: NPY002
    other = play(name, problem, 7)
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


@pytest.mark.parametrize("name", ["default", "default-anchors"])
def test_our_contender_is_the_optimizer_with_the_options_of_its_entry(name):
    problem = get_judged_problem("gp2", 0)
    anchors = place_anchors(problem, "good", 0)
    known = [problem.space.decode(x) for x in anchors] if name == "default-anchors" else []
    optimizer = Optimizer(problem.space, known, seed=0)
    contender = get_contender(name).make(problem.space, anchors, 0)
    for _ in range(6):
        duel, pair = optimizer.ask(), contender.ask()
        assert np.array_equal(pair[0], problem.space.encode(duel.first))
        optimizer.tell(duel, "second")
        contender.tell(pair, first_won=False)
        assert np.array_equal(contender.recommend(), problem.space.encode(optimizer.recommend().design))
        # Without anchors the stopping rule is evaluated, too.
        assert contender.stops() == (optimizer.progress().stop if name == "default" else None)


def test_only_anchored_contenders_are_told_the_anchors():
    problem = get_judged_problem("gp2", 0)
    anchors = place_anchors(problem, "good", 0)
    assert len(get_contender("default-anchors").make(problem.space, anchors, 0).optimizer.anchors) == 5
    assert get_contender("default").make(problem.space, anchors, 0).optimizer.anchors == []


def test_an_answer_to_another_pair_is_a_preference():
    problem = get_judged_problem("gp2", 0)
    contender = get_contender("default").make(problem.space, np.empty((0, 2)), 0)
    contender.ask()
    pair = np.array([[0.25, 0.25], [0.75, 0.5]])
    contender.tell(pair, first_won=False)
    assert contender.optimizer.history[-1]["winner"] == problem.space.decode(pair[1])


def test_random_pairs_recommend_a_winner_of_the_pairs_they_asked():
    problem = get_judged_problem("gp2", 0)
    pairs, best = play("random", problem, 12)
    winners = np.array([pair[np.argmax(problem.utility(pair))] for pair in pairs])
    assert all((x == winners[: number + 1]).all(axis=1).any() for number, x in enumerate(best))


def test_the_log_of_answers_merges_equal_designs():
    log = AnswerLog(2)
    assert log.add(np.array([[0.0, 0.0], [1.0, 1.0]]), first_won=False) == (1, 0)
    assert log.add(np.array([[1.0, 1.0], [0.5, 0.5]]), first_won=True) == (1, 2)
    assert len(log) == 2
    assert log.points.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]


@pytest.mark.parametrize("problem", ["gp2", "espresso", "catalogue5"])
def test_one_hot_columns_are_decoded_to_the_design(problem):
    space = get_judged_problem(problem, 0).space
    coding, X = OneHotCoding.of(space), space.sample(20, np.random.default_rng(0))
    X = np.array([space.nearest(x) for x in X])
    Z = coding.encode(X)
    assert Z.shape == (20, coding.width)
    assert np.allclose(coding.decode(Z), X, atol=1e-12)
    if problem == "espresso":
        assert coding.width == 6
        assert coding.is_free.tolist() == [True, True, False, False, False, False]
        assert (Z[:, 3:].sum(axis=1) == 1.0).all()


@pytest.mark.skipif(not HAS_TORCH, reason=WITHOUT_TORCH)
def test_botorch_compares_all_pairs_by_the_expected_utility_of_the_best_option():
    from anchorpbo.research.answers.botorch_contender import find_best_pairs

    rng = np.random.default_rng(0)
    factor, mean = rng.standard_normal((6, 6)), rng.standard_normal(6)
    draws = mean + rng.standard_normal((200_000, 6)) @ factor.T
    values = {(i, j): np.maximum(draws[:, i], draws[:, j]).mean() for i in range(6) for j in range(i + 1, 6)}
    found = [tuple(pair) for pair in find_best_pairs(mean, factor @ factor.T, 3).tolist()]
    assert found == sorted(values, key=values.get, reverse=True)[:3]


@pytest.mark.skipif(not HAS_TORCH, reason=WITHOUT_TORCH)
def test_a_fit_of_botorch_that_fails_keeps_the_last_hyperparameters_and_is_counted(monkeypatch):
    import botorch.fit
    from botorch.exceptions import ModelFittingError

    problem = get_judged_problem("gp2", 0)
    contender = get_contender("botorch-probit").make(problem.space, np.empty((0, 2)), 0)
    for _ in range(2):
        contender.tell(contender.ask(), first_won=True)
    contender.recommend()
    fitted = contender._model.covar_module.base_kernel.lengthscale

    def fail(mll):
        raise ModelFittingError("no")

    monkeypatch.setattr(botorch.fit, "fit_gpytorch_mll", fail)
    contender.tell(contender.ask(), first_won=True)
    assert contender.recommend().shape == (2,)
    assert contender.failures == 1
    assert (contender._model.covar_module.base_kernel.lengthscale == fitted).all()


def test_unknown_and_missing_contenders_are_errors_that_say_what_to_do(monkeypatch):
    with pytest.raises(UnknownNameError, match="botorch-probit"):
        get_contender("gpyopt")
    entry = ContenderEntry("Far", "peer", "far", "Far", packages=("no_such_package",))
    monkeypatch.setitem(contenders.CONTENDERS, "far", entry)
    with pytest.raises(UnsupportedError, match=r"no_such_package.*anchorpbo\[bench\]"):
        check_installed(["default", "far"])
