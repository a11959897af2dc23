"""Preferential studies with a simulated judge; also a program that goes on with a study of a database.

python preferential_studies.py URL NAME SEED COMPARISONS
"""

import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna_dashboard.preferential import create_study, load_study

from anchorpbo.interop.optuna import AnchoredPreferentialSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)

COFFEE = {
    "dose": FloatDistribution(5.0, 20.0, log=True),
    "grind": IntDistribution(1, 10),
    "milk": CategoricalDistribution(["none", "oat", "cow"]),
    "temperature": FloatDistribution(80.0, 96.0),
}
ANCHORS = [
    {"temperature": 90.0, "dose": 12.0, "grind": 5, "milk": "none"},
    {"temperature": 92.0, "dose": 10.0, "grind": 6, "milk": "oat"},
]


def utility(params):
    """At most 0, at 93 degrees, 11 grams, grind 4 and oat milk; over the space its mean is about -2."""
    milk = {"none": 0.5, "oat": 0.0, "cow": 1.0}[params["milk"]]
    return -(
        ((params["temperature"] - 93) / 5) ** 2
        + ((params["dose"] - 11) / 4) ** 2
        + ((params["grind"] - 4) / 3) ** 2
        + milk
    )


def sampler(seed=0, anchors=ANCHORS, **options):
    return AnchoredPreferentialSampler(anchors, seed=seed, **options)


def new_study(seed=0, n_generate=2, storage=None, name=None, **options):
    return create_study(n_generate=n_generate, sampler=sampler(seed, **options), storage=storage, study_name=name)


def active(study):
    """Trials on the page."""
    worse = {worse.number for _, worse in study.get_preferences(deepcopy=False)}
    return [trial for trial in study.get_trials(deepcopy=False) if trial.number not in worse]


def go_on(study, comparisons, judge=utility, space=COFFEE):
    """As the dashboard's page does: keep n_generate trials on it, and let the judge take the worst away."""
    while len(study.preferences) < comparisons:
        while study.should_generate():
            study.ask(space)
        worst = min(active(study), key=lambda trial: judge(trial.params))
        others = [trial for trial in active(study) if trial.number != worst.number]
        study.report_preference(others, worst)
    return study


def with_trials(*designs, space=None, **options):
    """A study with complete trials of given parameters."""
    study = new_study(**options)
    space = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)} if space is None else space
    for design in designs:
        study.add_trial(optuna.trial.create_trial(params=design, distributions=space, value=0.0))
    return study


if __name__ == "__main__":
    url, name, seed, comparisons = sys.argv[1:]
    go_on(load_study(study_name=name, storage=url, sampler=sampler(int(seed))), int(comparisons))
