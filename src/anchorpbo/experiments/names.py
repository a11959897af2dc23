"""All experiments by name, in the order of ``all``: what is quick or most looked at first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from anchorpbo.errors import UnknownNameError
from anchorpbo.experiments import studies
from anchorpbo.experiments.anchor_process import AnchorProcesses
from anchorpbo.experiments.concentration import ConcentrationBounds
from anchorpbo.experiments.consistency import Consistency
from anchorpbo.experiments.experiment import Experiment
from anchorpbo.experiments.illustration import IllustrationStudies
from anchorpbo.experiments.one_step import OneStep
from anchorpbo.experiments.task import Task

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        IllustrationStudies(),
        studies.MAIN,
        studies.RANKING,
        studies.TIME,
        studies.ACKLEY6,
        studies.CANDY,
        studies.FIVE_ANCHORS,
        studies.ANCHOR_QUALITY,
        studies.ANCHOR_COUNT,
        AnchorProcesses(),
        Consistency(),
        ConcentrationBounds(),
        OneStep(),
        studies.INFERENCE,
        studies.SENSITIVITY,
    )
}
ALL = "all"


def experiments_of(name: str) -> list[Experiment]:
    """The experiment of a name, or all of them."""
    if name == ALL:
        return list(EXPERIMENTS.values())
    if name not in EXPERIMENTS:
        raise UnknownNameError.of("experiment", name, (*EXPERIMENTS, ALL))
    return [EXPERIMENTS[name]]


def narrowed(tasks: Sequence[Task], only: Iterable[str]) -> list[Task]:
    """The tasks whose settings have these values, such as a problem or a strategy; several of one setting are an or.

    Parameters
    ----------
    tasks
        Of an experiment.
    only
        Values of settings that are texts.
    """
    wanted: dict[str, set[str]] = {}
    texts = [{name: value for name, value in asdict(task).items() if isinstance(value, str)} for task in tasks]
    for value in only:
        homes = {name for each in texts for name, found in each.items() if found == value}
        if not homes:
            raise UnknownNameError.of("--only", value, {found for each in texts for found in each.values()})
        for name in homes:
            wanted.setdefault(name, set()).add(value)
    return [
        task
        for task, each in zip(tasks, texts, strict=True)
        if all(each.get(name) in values for name, values in wanted.items())
    ]
