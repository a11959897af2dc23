"""Studies with the strategies beside the paper's: euco and kg."""

import json

import numpy as np
import pytest
from studies import SPACES, answer, liking, pair_of, play

import anchorpbo as ap
from anchorpbo.acquisition import EUCO, KnowledgeGradient
from anchorpbo.errors import IncompatibleError
from anchorpbo.inference import EP
from anchorpbo.likelihoods import Probit
from anchorpbo.search import maximise_discrete
from anchorpbo.study.duel_filter import DuelFilter

STRATEGIES = {"euco": EUCO(), "kg": KnowledgeGradient()}
SQUARE = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))
ANCHORS = {"reals": [{"a": 0.4, "b": 1.0}], "listed": [{"shape": "round", "seats": 3, "oak": True}]}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_name_gives_the_acquisition_with_probit_answers_and_both_designs_chosen(name):
    plan = ap.Optimizer(SQUARE, strategy=name.upper()).plan
    assert plan.acquisition == STRATEGIES[name]
    assert plan.chooses_pairs
    assert isinstance(plan.likelihood, Probit)
    assert isinstance(plan.inference, EP)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("kind", SPACES)
def test_a_study_of_every_kind_of_space_asks_skips_ties_and_replays_exactly(name, kind):
    space = SPACES[kind]
    opt = ap.Optimizer(space, strategy=name, initial=2, seed=4, anchors=ANCHORS.get(kind, []))
    utility = liking(space)
    for outcome in (None, "tie", None, "skip", None):
        duel = opt.ask()
        space.check(duel.first), space.check(duel.second)
        assert not DuelFilter.for_space(space).is_same(space.encode(duel.first), space.encode(duel.second))
        opt.tell(duel, outcome or answer(duel, utility))
    copy = ap.Optimizer.from_json(opt.to_json())
    assert copy.plan.acquisition == STRATEGIES[name]
    assert copy.ask() == opt.ask() == opt.ask()


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("kind", ["reals", "mixed", "below a line", "numeric catalogue", "fingerprints"])
def test_pending_duels_differ_and_a_challenger_faces_the_given_design(name, kind):
    space = SPACES[kind]
    opt = ap.Optimizer(space, strategy=name, initial=2, seed=1)
    play(opt, 4)
    duels = opt.ask(3)
    assert len({pair_of(duel) for duel in duels}) == 3
    assert opt.ask(pending=duels[:1]) == duels[1]
    design = duels[0].first
    against = opt.ask_against(design)
    assert against.first == space.check(design)
    assert not DuelFilter.for_space(space).is_same(space.encode(against.first), space.encode(against.second))
    assert opt.ask_against(design) == against


@pytest.mark.parametrize("name", ["euco", "kg"])
@pytest.mark.parametrize("likelihood", ["logistic", ap.likelihoods.Logistic(form="difference")])
def test_logistic_answers_are_refused_if_the_value_models_the_answer(name, likelihood):
    with pytest.raises(IncompatibleError, match="needs probit answers, whose noise is a variance; received Logistic"):
        ap.Optimizer(SQUARE, strategy=name, likelihood=likelihood)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_paper_preset_takes_them_too(name):
    opt = ap.Optimizer(SQUARE, strategy=name, preset="paper", initial=2)
    assert isinstance(opt.plan.likelihood, Probit)
    assert len(play(opt, 4)) == 4


def test_the_knowledge_gradient_of_a_list_is_the_exact_maximum():
    space = SPACES["numeric catalogue"]
    opt = ap.Optimizer(space, strategy="kg", initial=2, seed=2)
    play(opt, 5)
    model = opt.acquisition_model
    bound = KnowledgeGradient().bind(model.posterior, model.noise)
    seen = {frozenset(space.encode(d).tobytes() for d in (e["first"], e["second"])) for e in opt.history}
    designs = space.candidates
    banned = [
        (i, j)
        for i in range(len(designs))
        for j in range(i)
        if frozenset((designs[i].tobytes(), designs[j].tobytes())) in seen
    ]
    best = maximise_discrete(bound, designs, exclude_pairs=banned).index
    asked = {tuple(space.encode(design)) for design in (opt.ask().first, opt.ask().second)}
    assert asked == {tuple(designs[i]) for i in best}


def test_a_saved_study_names_the_class_of_its_acquisition():
    text = ap.Optimizer(SQUARE, strategy="kg").to_json()
    assert json.loads(text)["study"]["strategy"] == {"class": "KnowledgeGradient"}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_noiseless_user_is_led_to_the_optimum(name):
    opt = ap.Optimizer(SQUARE, strategy=name, seed=0)

    def utility(design):
        return -((design["x"] - 0.3) ** 2) - (design["y"] - 0.7) ** 2

    play(opt, 18, utility)
    best = opt.recommend(among="space").design
    assert np.hypot(best["x"] - 0.3, best["y"] - 0.7) < 0.2
