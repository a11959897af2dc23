"""What an existing preferential study amounts to."""

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState
from optuna_dashboard._preferential_history import NewHistory, remove_history, report_history
from optuna_dashboard.preferential._system_attrs import report_skip
from preferential_studies import ANCHORS, COFFEE, go_on, new_study, with_trials

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, NotFittedError
from anchorpbo.interop.optuna import optimizer_from_study, recommend

A, B, C, D = ({"x": x, "y": y} for x, y in ((0.1, 0.2), (0.5, 0.5), (0.9, 0.3), (0.3, 0.8)))


def said(optimizer):
    return [(event["winner"], event["loser"]) for event in optimizer.history]


def prefer(study, *pairs):
    trials = study.get_trials(deepcopy=False)
    for better, worse in pairs:
        study.report_preference(trials[better], trials[worse])
    return study


def test_all_preferences_are_told_in_an_order_that_does_not_depend_on_the_storage():
    study = prefer(with_trials(A, B, C, D), (3, 2), (0, 1), (2, 0))
    optimizer = optimizer_from_study(study)
    assert said(optimizer) == [(A, B), (C, A), (D, C)]
    assert optimizer.space == ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))
    again = prefer(with_trials(A, B, C, D), (0, 1), (2, 0), (3, 2))
    assert optimizer_from_study(again).to_json() == optimizer.to_json()


def test_the_study_behind_can_be_given_as_well_and_stays_as_it_is():
    study = prefer(with_trials(A, B), (0, 1))
    before = study._study._storage.get_study_system_attrs(study._study._study_id), study.trials
    assert said(optimizer_from_study(study._study)) == [(A, B)]
    assert (study._study._storage.get_study_system_attrs(study._study._study_id), study.trials) == before


def test_anchors_and_options_reach_the_optimizer():
    study = prefer(with_trials(A, B), (0, 1))
    optimizer = optimizer_from_study(study, [{**A, "unknown": 3}], strategy="rahbo", seed=5)
    assert optimizer.anchors == [A]
    assert isinstance(optimizer.plan.acquisition, ap.acquisition.RAHBO)
    assert optimizer.ask() == ap.Optimizer.from_json(optimizer.to_json()).ask()


def test_repeated_and_contradictory_preferences_all_count():
    optimizer = optimizer_from_study(prefer(with_trials(A, B), (0, 1), (0, 1), (1, 0)))
    assert said(optimizer) == [(A, B), (A, B), (B, A)]
    best = recommend(prefer(with_trials(A, B), (0, 1), (0, 1), (1, 0)))
    assert best.design == A
    assert 0.5 < best.p_best < 0.9


def test_comparisons_of_equal_designs_say_nothing():
    study = prefer(with_trials(A, dict(A), B), (0, 1), (0, 2))
    assert said(optimizer_from_study(study)) == [(A, B)]


def test_a_preference_that_was_taken_back_is_gone():
    study = with_trials(A, B, C)
    storage, number = study._study._storage, study._study._study_id
    kept = report_history(number, storage, NewHistory("ChooseWorst", candidates=[0, 1, 2], clicked=1))
    gone = report_history(number, storage, NewHistory("ChooseWorst", candidates=[0, 2], clicked=0))
    assert kept != gone
    remove_history(number, storage, gone)
    assert said(optimizer_from_study(study)) == [(A, B), (C, B)]


def test_what_was_said_of_skipped_and_failed_trials_counts_but_they_are_not_recommended():
    study = with_trials(A, B, C)
    failed = optuna.trial.create_trial(
        state=TrialState.FAIL, params=D, distributions=study.get_trials(deepcopy=False)[0].distributions
    )
    study.add_trial(failed)
    storage, number = study._study._storage, study._study._study_id
    prefer(study, (0, 1), (1, 2))
    with pytest.raises(RuntimeError, match="finished"):
        prefer(study, (3, 0))  # Optuna keeps the preference nevertheless
    assert said(optimizer_from_study(study)) == [(A, B), (B, C), (D, A)]
    assert recommend(study).design == A
    report_skip(number, study.get_trials(deepcopy=False)[0]._trial_id, storage)
    assert len(optimizer_from_study(study)) == 3
    best = recommend(study)
    assert best.design == B
    assert all(design in (B, C) for design in best.credible_set)


def test_comparisons_outside_the_common_space_are_left_out_with_a_warning():
    study = prefer(with_trials(A, B), (0, 1))
    wider = {"x": FloatDistribution(0.0, 2.0), "y": FloatDistribution(0.0, 1.0)}
    study.add_trial(optuna.trial.create_trial(state=TrialState.FAIL, params={"x": 1.5, "y": 0.1}, distributions=wider))
    with pytest.raises(RuntimeError, match="finished"):
        prefer(study, (2, 0))
    with pytest.warns(
        UserWarning, match="1 of 2 comparisons were left out: .* the search space of all complete trials, x, y"
    ):
        optimizer = optimizer_from_study(study)
    assert said(optimizer) == [(A, B)]


def test_parameters_that_not_all_trials_share_are_left_out():
    study = with_trials(A, B)
    wider = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 2.0), "z": FloatDistribution(0.0, 1.0)}
    study.add_trial(optuna.trial.create_trial(params={"x": 0.7, "y": 1.5, "z": 0.2}, distributions=wider, value=0.0))
    assert said(optimizer_from_study(prefer(study, (2, 0)))) == [({"x": 0.7}, {"x": 0.1})]


def test_recommendations_are_those_of_the_optimizer_in_the_values_of_the_study():
    space = {"x": FloatDistribution(0.0, 1.0), "norm": CategoricalDistribution([None, "l1"])}
    designs = [{"x": 0.1, "norm": None}, {"x": 0.5, "norm": "l1"}, {"x": 0.8, "norm": None}]
    study = prefer(with_trials(*designs, space=space), (0, 1), (0, 2))
    best, ours = recommend(study, seed=2), optimizer_from_study(study, seed=2).recommend(among="seen")
    assert ours.design == {"x": 0.1, "norm": "None"}
    assert best.design == designs[0]
    assert (best.utility, best.interval, best.p_best) == (ours.utility, ours.interval, ours.p_best)
    assert best.credible_set[0] == designs[0]
    study.enqueue_trial(best.design)
    assert study.ask(space).params == designs[0]


def test_recommended_values_are_those_of_the_trial_to_the_last_digit():
    space = {"dose": FloatDistribution(3.0, 6.0, log=True)}
    designs = [{"dose": 3.4536647421500772}, {"dose": 5.0}]  # the first of which is rounded in its logarithm
    study = prefer(with_trials(*designs, space=space), (0, 1))
    assert optimizer_from_study(study).recommend().design != designs[0]
    assert recommend(study).design == designs[0]
    assert recommend(study).credible_set[0] == designs[0]


def test_any_design_may_be_recommended_where_it_is_wished():
    study = go_on(new_study(), 8)
    best = recommend(study, ANCHORS, among="space", risk_weight=0.0)
    assert set(best.design) == set(COFFEE)
    assert best.risk_weight == 0.0


def test_studies_without_a_comparison_have_nothing_to_recommend():
    with pytest.raises(InputError, match="a study must have a parameter that varies"):
        recommend(new_study())
    study = with_trials(A, B)
    assert len(optimizer_from_study(study)) == 0
    with pytest.raises(NotFittedError, match="needs at least one answer"):
        recommend(study)


def test_mistakes_are_named():
    with pytest.raises(IncompatibleError, match=r"only studies of optuna_dashboard\.preferential have preferences"):
        recommend(optuna.create_study())
    with pytest.raises(InputError, match=r"study must be a study of optuna_dashboard\.preferential"):
        recommend("coffee")
    study = prefer(with_trials(A, B), (0, 1))
    with pytest.raises(InputError, match="anchors must be a list of designs"):
        recommend(study, A)
    with pytest.raises(InputError, match="an anchor must be a dict of parameter values"):
        recommend(study, ["A"])
    with pytest.raises(InputError, match="a design must have a value for 'x', 'y'; received none for 'y'"):
        recommend(study, [{"x": 0.1}])
    with pytest.raises(InputError, match="x must lie between 0 and 1"):
        recommend(study, [{"x": 3.0, "y": 0.1}])
