"""The registry of all experiments by name, in the order in which ``all`` runs them."""

from __future__ import annotations

from collections.abc import Sequence

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.research.experiments import study_experiments
from anchorpbo.research.experiments.anchor_process import AnchorProcessExperiment
from anchorpbo.research.experiments.concentration import ConcentrationExperiment
from anchorpbo.research.experiments.consistency import ConsistencyExperiment
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask
from anchorpbo.research.experiments.illustration import IllustrationExperiment
from anchorpbo.research.experiments.kde_time import KdeTimeExperiment
from anchorpbo.research.experiments.one_step import OneStepExperiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        IllustrationExperiment(),
        study_experiments.MAIN_EXPERIMENT,
        study_experiments.ANCHOR_PLACEMENT_EXPERIMENT,
        study_experiments.RANKING_EXPERIMENT,
        study_experiments.TIME_EXPERIMENT,
        study_experiments.ACKLEY6_EXPERIMENT,
        study_experiments.CANDY_EXPERIMENT,
        study_experiments.FIVE_ANCHORS_EXPERIMENT,
        study_experiments.ANCHOR_QUALITY_EXPERIMENT,
        study_experiments.ANCHOR_COUNT_EXPERIMENT,
        AnchorProcessExperiment(),
        ConsistencyExperiment(),
        ConcentrationExperiment(),
        OneStepExperiment(),
        KdeTimeExperiment(),
        study_experiments.INFERENCE_EXPERIMENT,
        study_experiments.SENSITIVITY_EXPERIMENT,
    )
}
ALL = "all"


def select_experiments(name: str) -> list[Experiment]:
    """Return the experiment with this name, or all of them."""
    if name == ALL:
        return list(EXPERIMENTS.values())
    if name not in EXPERIMENTS:
        raise UnknownNameError.of("experiment", name, (*EXPERIMENTS, ALL))
    return [EXPERIMENTS[name]]


def plan_tasks(name: str, size: ExperimentSize, only: Sequence[str] = ()) -> dict[str, list[ExperimentTask]]:
    """Return the tasks of an experiment, or of all of them, by name.

    Parameters
    ----------
    name
        One of `EXPERIMENTS`, or `ALL`.
    size
        Seeds and rounds of each.
    only
        Values of text settings, such as a problem or a strategy; tasks with other values are left out. Several values
        of one setting are combined by or, values of different settings by and.
    """
    chosen = select_experiments(name)
    if not only:
        return {each.name: list(each.make_tasks(size)) for each in chosen}
    plans = {each.name: list(each.make_tasks(size)) for each in chosen if each.is_divisible}
    if not plans:
        raise InputError(f"--only selects studies, and {name} has none", ", ".join(only), "leave --only out")
    known = {value for tasks in plans.values() for task in tasks for value in _text_settings(task).values()}
    for value in only:
        if value not in known:
            raise UnknownNameError.of("--only", value, known)
    left = {each: filter_tasks(tasks, only) for each, tasks in plans.items()}
    if not any(left.values()):
        raise InputError("--only must leave something to run", ", ".join(only), "name fewer settings")
    return {each: tasks for each, tasks in left.items() if tasks}


def filter_tasks(tasks: Sequence[ExperimentTask], only: Sequence[str]) -> list[ExperimentTask]:
    """Return the tasks with these values of settings; empty if a value occurs in no task."""
    wanted: dict[str, set[str]] = {}
    for value in only:
        homes = {name for task in tasks for name, found in _text_settings(task).items() if found == value}
        if not homes:
            return []
        for name in homes:
            wanted.setdefault(name, set()).add(value)
    return [task for task in tasks if all(_text_settings(task).get(name) in values for name, values in wanted.items())]


def _text_settings(task: ExperimentTask) -> dict[str, str]:
    return {name: value for name, value in vars(task).items() if isinstance(value, str)}
