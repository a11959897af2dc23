"""Trials, preferences and skips of a preferential study of Optuna's dashboard.

The dashboard keeps preferences and skips as system attributes of an ordinary study, by names of its own, each report
under a random one, and no storage keeps their order. So that everything computed from a study is a function of what it
holds, preferences are put in an order of ours: by the newer of their two trials, which is about the order they came in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState
from optuna_dashboard.preferential import PreferentialStudy
from optuna_dashboard.preferential._system_attrs import get_preferences, get_skipped_trial_ids

from anchorpbo.errors import IncompatibleError, InputError

IS_PREFERENTIAL = "preference:is_preferential"
"""System attribute that the dashboard marks its studies by."""


@dataclass(frozen=True, eq=False)
class StudyData:
    """Trials with their preferences and skips, at one moment."""

    trials: tuple[FrozenTrial, ...]
    """All of them, by number."""
    preferences: tuple[tuple[int, int], ...]
    """Numbers of the better and the worse trial, repeats included."""
    skipped: frozenset[int]
    """Numbers of trials that the user would not judge."""

    @classmethod
    def of(cls, study: Study | PreferentialStudy) -> StudyData:
        """Read a study, which must be a preferential one."""
        if isinstance(study, PreferentialStudy):
            study = study._study
        if not isinstance(study, Study):
            rule = "study must be one of optuna_dashboard.preferential"
            raise InputError(rule, repr(study), "make it by create_study, or load it by load_study")
        # Before the trials, so that no preference names a trial that is not there yet.
        attributes = study._storage.get_study_system_attrs(study._study_id)
        if not attributes.get(IS_PREFERENTIAL, False):
            rule = "preferences are kept by studies of optuna_dashboard.preferential"
            raise IncompatibleError(rule, f"the ordinary study {study.study_name!r}", "make it by their create_study")
        trials = tuple(study.get_trials(deepcopy=False))
        preferences = [(better, worse) for better, worse in get_preferences(attributes) if better != worse]
        skipped = set(get_skipped_trial_ids(attributes))
        return cls(
            trials,
            tuple(sorted(preferences, key=lambda pair: (max(pair), min(pair), pair))),
            frozenset(trial.number for trial in trials if trial._trial_id in skipped),
        )

    @cached_property
    def distributions(self) -> dict[str, BaseDistribution]:
        """The intersection search space: parameters that all complete trials have, in the same range.

        Before the first comparison no trial is complete, and those that wait for one stand in for them.
        """
        complete = [trial for trial in self.trials if trial.state == TrialState.COMPLETE]
        running = [trial for trial in self.trials if trial.state == TrialState.RUNNING and trial.distributions]
        first, *others = complete or running or [None]
        if first is None:
            return {}
        return {
            name: distribution
            for name, distribution in sorted(first.distributions.items())
            if all(trial.distributions.get(name) == distribution for trial in others)
        }

    def list_waiting(self, number: int) -> list[FrozenTrial]:
        """Trials that wait for a comparison: neither found worse than another nor skipped, nor that of this number."""
        states, worse = (TrialState.COMPLETE, TrialState.RUNNING), {worse for _, worse in self.preferences}
        return [
            trial
            for trial in self.trials
            if trial.state in states and trial.number not in worse | self.skipped | {number}
        ]

    @property
    def compared_numbers(self) -> frozenset[int]:
        """Numbers of trials that something was said of."""
        return frozenset(number for pair in self.preferences for number in pair)

    @property
    def excluded_trials(self) -> list[FrozenTrial]:
        """Trials that were skipped or have failed."""
        return [trial for trial in self.trials if trial.number in self.skipped or trial.state == TrialState.FAIL]
