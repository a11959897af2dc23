"""A study with more comparisons than the exact posterior is for; the limits are lowered so that the test is quick."""

from itertools import pairwise

import numpy as np
import pytest

from anchorpbo import Optimizer, Real, Space
from anchorpbo.model import approximation
from anchorpbo.study import recommendation

COMPARISONS = 120


def imported(seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.uniform(size=(COMPARISONS, 2, 2)).round(4)
    liking = -8.0 * ((pairs - 0.3) ** 2).sum(axis=-1)
    better = liking[:, 0] - liking[:, 1] + 0.5 * rng.standard_normal(COMPARISONS) > 0
    pairs[~better] = pairs[~better][:, ::-1]
    records = [{"winner": dict(zip("ab", w, strict=True)), "loser": dict(zip("ab", x, strict=True))} for w, x in pairs]
    study = Optimizer(Space(a=Real(0, 1), b=Real(0, 1)), anchors=[{"a": 0.5, "b": 0.5}], seed=0)
    study.import_comparisons(records)
    return study


@pytest.fixture
def few_are_exact(monkeypatch):
    monkeypatch.setattr(approximation, "MAX_EXACT", 50)


def test_a_study_goes_on_through_inducing_designs(few_are_exact):
    study = imported()
    duel = study.ask()
    assert study.acquisition_model.approximation.left_out <= approximation.RESIDUAL_TOLERANCE
    study.tell(duel, "first")
    assert study.ask().first != study.ask().second
    assert study.progress().duels == COMPARISONS + 1


def test_what_it_recommends_is_what_the_exact_study_does(monkeypatch):
    exact = imported().recommend()
    monkeypatch.setattr(approximation, "MAX_EXACT", 50)
    study = imported()
    got = study.recommend()
    assert study.model.approximation is not None
    assert got.design == pytest.approx(exact.design, abs=0.01)
    assert got.utility == pytest.approx(exact.utility, abs=0.05)
    assert got.interval == pytest.approx(exact.interval, abs=0.05)
    assert got.p_best == pytest.approx(exact.p_best, abs=0.05)
    assert f"{2 * COMPARISONS} designs compared" in got.reference


def test_every_design_compared_has_a_utility(few_are_exact):
    study = imported()
    utilities = study.utilities()
    assert len(utilities) == 2 * COMPARISONS
    assert all(one.utility >= other.utility - 1e-9 for one, other in pairwise(utilities))


def test_a_replayed_log_asks_the_same(few_are_exact):
    study = imported()
    assert Optimizer.from_json(study.to_json()).ask() == study.ask()


def test_chances_of_being_best_are_those_of_all_designs(monkeypatch):
    """Joint draws are of the likeliest few: nothing of note is lost on the others."""
    study = imported()
    every = study.recommend()
    monkeypatch.setattr(recommendation, "MAX_SAMPLED_DESIGNS", 60)
    some = study.recommend()
    assert some.design == every.design
    assert some.p_best == pytest.approx(every.p_best, abs=0.04)
    likely = set(map(str, every.credible_set[:5]))
    assert len(likely & set(map(str, some.credible_set))) >= 4
