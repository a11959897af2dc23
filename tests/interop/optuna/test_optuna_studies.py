"""Studies of Optuna's dashboard from the first trial to the recommendation."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna_dashboard.preferential import load_study
from preferential_studies import ANCHORS, COFFEE, go_on, new_study, sampler, utility

from anchorpbo.interop.optuna import recommend

PROGRAM = Path(__file__).with_name("preferential_studies.py")


def params_of(study):
    return [trial.params for trial in study.get_trials(deepcopy=False)]


def best_at_random(seed, count=21):
    """The best of as many trials as a study of 20 comparisons has."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    return max(utility(study.ask(COFFEE).params) for _ in range(count))


@pytest.fixture(scope="module")
def at_random():
    return [best_at_random(seed) for seed in range(40)]


def test_a_study_goes_on_in_another_process(tmp_path, at_random):
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    study = go_on(new_study(seed=3, storage=url, name="coffee"), 6)
    assert len(study.preferences) == 6
    program = [sys.executable, PROGRAM, url, "coffee", "3", "12"]
    run = subprocess.run(program, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    study = load_study(study_name="coffee", storage=url, sampler=sampler(3))
    assert len(study.preferences) == 12
    assert len(study.trials) == 13
    # Nothing is lost on the way, and nothing but the seed and the contents counts.
    assert params_of(study) == params_of(go_on(new_study(seed=3), 12))
    best = recommend(study, ANCHORS, seed=3)
    assert best.design in params_of(study)
    assert utility(best.design) > np.median(at_random)


@pytest.mark.slow
def test_the_judge_ends_clearly_better_than_by_random_search(at_random):
    found = [utility(sampler(seed).recommend(go_on(new_study(seed), 20)).design) for seed in range(5)]
    # No regret would be 0: it is at least halved, and the worst of five beats half of the random searches.
    assert np.mean(found) > np.mean(at_random) / 2
    assert min(found) > np.median(at_random)


def test_four_on_the_page_give_three_comparisons_a_click(at_random):
    study = go_on(new_study(seed=1, n_generate=4), 45)
    assert len(study.trials) == 18
    assert utility(sampler(1).recommend(study).design) > np.median(at_random)
    assert len({tuple(params.values()) for params in params_of(study)}) == 18
