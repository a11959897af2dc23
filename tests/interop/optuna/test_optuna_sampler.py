"""What the sampler proposes, trial by trial."""

import pickle

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna_dashboard.preferential._system_attrs import report_skip
from preferential_studies import COFFEE, active, go_on, new_study, sampler, utility, with_trials

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, UnknownNameError
from anchorpbo.interop.optuna import AnchoredPreferentialSampler, optimizer_from_study
from anchorpbo.interop.optuna.sampler import PROPOSED

SQUARE = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}
DESIGNS = [{"x": x, "y": y} for x, y in ((0.1, 0.2), (0.5, 0.5), (0.9, 0.3), (0.3, 0.8), (0.6, 0.1), (0.2, 0.9))]


def square_study(*preferences, count=None, **options):
    study = with_trials(*DESIGNS[:count], space=SQUARE, anchors=[{"x": 0.5, "y": 0.5}], **options)
    trials = study.get_trials(deepcopy=False)
    for better, worse in preferences:
        study.report_preference(trials[better], trials[worse])
    return study


def skip(study, number):
    trial = study.get_trials(deepcopy=False)[number]
    report_skip(study._study._study_id, trial._trial_id, study._study._storage)


CHAIN = ((1, 0), (1, 2), (3, 1), (3, 4), (3, 5))
"""Five comparisons, after which trial 3 alone is on the page."""


def test_a_proposal_is_the_challenger_of_the_trial_on_the_page():
    study = square_study(*CHAIN)
    optimizer = optimizer_from_study(study, [{"x": 0.5, "y": 0.5}])
    expected = optimizer.ask_against(DESIGNS[3])
    assert expected.gain is not None  # chosen by the model
    assert study.ask(SQUARE).params == expected.second


def test_the_champion_is_the_best_of_those_on_the_page_and_the_others_are_pending():
    study = square_study((1, 0), (1, 2), (1, 4), (3, 4), (1, 4), (3, 2))  # 1 and 3 have won, 5 is new
    optimizer = optimizer_from_study(study, [{"x": 0.5, "y": 0.5}])
    first, second = optimizer.utilities([DESIGNS[1], DESIGNS[3]])
    champion = DESIGNS[1] if first.utility > second.utility else DESIGNS[3]
    assert study.ask(SQUARE).params == optimizer.ask_against(champion, pending=[DESIGNS[5]]).second


def test_with_nothing_on_the_page_a_trial_is_the_first_design_of_the_next_duel():
    study = square_study((0, 1), (1, 0), count=2)  # each of the two was found worse once
    assert active(study) == []
    optimizer = optimizer_from_study(study, [{"x": 0.5, "y": 0.5}])
    assert study.ask(SQUARE).params == optimizer.ask().first


def test_trials_that_start_a_study_are_spread_and_differ():
    study = new_study(n_generate=6, anchors=[], initial=6)
    found = [study.ask(SQUARE).params for _ in range(6)]
    assert len({tuple(params.values()) for params in found}) == 6
    for params in found[2:]:
        assert max(abs(params[name] - found[0][name]) for name in SQUARE) >= 0.25


def test_proposals_depend_on_the_seed_and_the_contents_alone():
    first, again, other = (square_study(*CHAIN[:2], count=3, seed=seed).ask(SQUARE).params for seed in (0, 0, 1))
    assert first == again
    assert first != other  # a spread design, for there are only two comparisons
    by_model, shuffled = (square_study(*chain).ask(SQUARE).params for chain in (CHAIN, CHAIN[::-1]))
    assert by_model == shuffled


def test_independent_values_depend_on_the_seed_the_trial_and_the_name_alone():
    def values(seed):
        study = new_study(seed=seed, anchors=[])
        return [study.ask().suggest_float("x" if i != 1 else "y", 0, 1) for i in range(2)]

    assert values(0) == values(0)
    assert len({*values(0), *values(1)}) == 4


@pytest.mark.parametrize("strategy", ["ei", "ucb", "eubo", "anpei", "rahbo", "raeubo", ap.acquisition.UCB()], ids=str)
def test_every_strategy_proposes(strategy):
    study = square_study(*CHAIN, strategy=strategy)
    params = study.ask(SQUARE).params
    assert set(params) == {"x", "y"}
    assert params not in DESIGNS


def test_the_paper_preset_proposes():
    study = square_study(*CHAIN, preset="paper", initial=2)
    assert study.ask(SQUARE).params not in DESIGNS


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(0.0, 1.0, step=0.05),
        FloatDistribution(1e-4, 1.0, log=True),
        IntDistribution(0, 98, step=7),
        IntDistribution(1, 500, log=True),
        IntDistribution(0, 10**8),
        CategoricalDistribution([None, "a", 2, True]),
    ],
    ids=str,
)
def test_proposals_lie_in_every_kind_of_distribution(distribution):
    space = {"p": distribution, "x": FloatDistribution(0.0, 1.0)}
    study = go_on(new_study(anchors=[], initial=2), 4, judge=lambda params: params["x"], space=space)
    last = study.trials[-1]
    assert PROPOSED in last.system_attrs
    for trial in study.trials:
        assert distribution._contains(distribution.to_internal_repr(trial.params["p"]))


def test_a_skipped_trial_makes_way_for_a_different_one():
    study = new_study(anchors=[])
    found = []
    for number in range(4):
        found.append(study.ask(SQUARE).params)
        skip(study, number)
    for i, params in enumerate(found[2:], start=2):
        for before in found[1:i]:
            assert max(abs(params[name] - before[name]) for name in SQUARE) >= 0.1


def test_skipped_trials_are_kept_away_from_also_when_the_model_chooses():
    study = square_study(*CHAIN)
    first = study.ask(SQUARE)
    skip(study, first.number)
    second = study.ask(SQUARE).params
    assert max(abs(second[name] - first.params[name]) for name in SQUARE) >= 0.1


def test_trials_asked_before_the_last_has_its_values_differ():
    study = square_study(*CHAIN)
    first, second = study.ask(), study.ask()
    values = [trial.suggest_float("x", 0.0, 1.0) for trial in (first, second)]
    values += [trial.suggest_float("y", 0.0, 1.0) for trial in (first, second)]
    assert (values[0], values[2]) != (values[1], values[3])
    other = square_study(*CHAIN)
    assert other.ask(SQUARE).params == {"x": values[0], "y": values[2]}


def test_conditional_parameters_are_sampled_independently():
    study = new_study(anchors=[{"x": 0.3, "kind": "deep"}], initial=2)

    def suggested():
        trial = study.ask()
        trial.suggest_float("x", 0.0, 1.0)
        if trial.suggest_categorical("kind", ["plain", "deep"]) == "deep":
            trial.suggest_int("depth", 1, 5)
        if trial.number % 2:
            trial.suggest_float("odd", 0.0, 1.0)

    suggested()
    suggested()
    for _ in range(6):
        worst, best = sorted(active(study), key=lambda trial: abs(trial.params["x"] - 0.4), reverse=True)
        study.report_preference(best, worst)
        suggested()
        assert set(study.trials[-1].system_attrs[PROPOSED]) == {"x", "kind"}
    assert abs(study.best_trials[0].params["x"] - 0.4) < 0.2


def test_a_given_sampler_samples_what_is_independent():
    class Middle(optuna.samplers.RandomSampler):
        reseeded = 0

        def sample_independent(self, study, trial, name, distribution):
            return 0.5

        def reseed_rng(self):
            Middle.reseeded += 1

    ours = AnchoredPreferentialSampler(independent_sampler=Middle())
    study = optuna_study(ours)
    assert study.ask(SQUARE).params == {"x": 0.5, "y": 0.5}
    ours.reseed_rng()
    assert Middle.reseeded == 1


def optuna_study(ours):
    from optuna_dashboard.preferential import create_study

    return create_study(n_generate=2, sampler=ours)


def test_where_all_designs_are_on_the_page_one_comes_again():
    space = {"c": CategoricalDistribution(["a", "b"])}
    study = new_study(n_generate=4, anchors=[], initial=0)
    found = [study.ask(space).params["c"] for _ in range(4)]
    assert set(found[:2]) == {"a", "b"}


def test_parameters_with_one_value_need_no_proposal():
    space = SQUARE | {"fixed": IntDistribution(3, 3)}
    study = go_on(new_study(anchors=[]), 3, judge=lambda params: params["x"], space=space)
    assert all(trial.params["fixed"] == 3 for trial in study.trials)
    assert sampler(anchors=[]).recommend(study).design["fixed"] == 3


def test_many_trials_without_a_comparison_are_no_burden():
    designs = [{"x": i / 200, "y": (7 * i % 200) / 200} for i in range(200)]
    study = with_trials(*designs, space=SQUARE, anchors=[])
    trials = study.get_trials(deepcopy=False)
    for i in range(5):
        study.report_preference(trials[2 * i], trials[2 * i + 1])
    assert study.ask(SQUARE).params not in designs


def test_the_sampler_can_be_pickled_and_keeps_no_state():
    study, ours = square_study(*CHAIN), sampler(anchors=[{"x": 0.5, "y": 0.5}])
    expected = study.ask(SQUARE).params
    again = square_study(*CHAIN)
    again._study.sampler = pickle.loads(pickle.dumps(ours))
    assert again.ask(SQUARE).params == expected


def test_recommending_by_the_sampler_uses_its_anchors_and_options():
    study = go_on(new_study(seed=2), 6)
    by_hand = optimizer_from_study(study, sampler()._anchors, seed=2).recommend(risk_weight=3.0, among="seen")
    best = sampler(2).recommend(study, risk_weight=3.0)
    assert (best.design, best.noise, best.p_best) == (by_hand.design, by_hand.noise, by_hand.p_best)
    assert utility(best.design) > -5


def test_mistakes_are_named():
    with pytest.raises(UnknownNameError, match="strategy must be one of anpei"):
        AnchoredPreferentialSampler(strategy="best")
    with pytest.raises(UnknownNameError, match="preset must be one of"):
        AnchoredPreferentialSampler(preset="mine")
    with pytest.raises(UnknownNameError, match="an option of Optimizer must be one of baseline"):
        AnchoredPreferentialSampler(space=3)
    with pytest.raises(InputError, match="seed"):
        AnchoredPreferentialSampler(seed=-1)
    with pytest.raises(InputError, match="anchors must be a list of designs"):
        AnchoredPreferentialSampler({"x": 0.5})
    with pytest.raises(IncompatibleError, match="the ordinary study"):
        optuna.create_study(sampler=AnchoredPreferentialSampler()).ask(COFFEE)
    study = square_study(*CHAIN)
    study._study.sampler = AnchoredPreferentialSampler([{"x": 0.5}])
    with pytest.raises(InputError, match="received none for 'y'"):
        study.ask(SQUARE)
