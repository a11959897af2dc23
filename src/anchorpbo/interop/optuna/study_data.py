"""Trials, preferences and skips of a preferential study of Optuna's dashboard.

The dashboard stores each preference and skip as a system attribute with a random name, and no storage keeps their
order. To make results reproducible, preferences are sorted by the newer of their two trials, which is approximately the
order in which they were reported.
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
"""System attribute that marks studies of the dashboard."""


@dataclass(frozen=True, eq=False)
class PreferentialStudyData:
    """Snapshot of a study's trials, preferences and skips."""

    trials: tuple[FrozenTrial, ...]
    """All trials, by number."""
    preferences: tuple[tuple[int, int], ...]
    """Numbers of the better and the worse trial, including repetitions."""
    skipped: frozenset[int]
    """Numbers of trials that the user would not judge."""

    @classmethod
    def of(cls, study: Study | PreferentialStudy) -> PreferentialStudyData:
        """Read a preferential study; raise on any other."""
        if isinstance(study, PreferentialStudy):
            study = study._study
        if not isinstance(study, Study):
            rule = "study must be a study of optuna_dashboard.preferential"
            raise InputError(rule, repr(study), "create it with create_study, or load it with load_study")
        # Read before the trials, so that no preference refers to a trial that is missing from them.
        attributes = study._storage.get_study_system_attrs(study._study_id)
        if not attributes.get(IS_PREFERENTIAL, False):
            rule = "only studies of optuna_dashboard.preferential have preferences"
            raise IncompatibleError(rule, f"the ordinary study {study.study_name!r}", "use that package's create_study")
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
        """Return the intersection search space: parameters that all complete trials have, in the same range.

        Before the first comparison no trial is complete; the trials that wait for one are used instead.
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
        """Return the trials shown for comparison, neither beaten nor skipped, without the trial with this number."""
        states, worse = (TrialState.COMPLETE, TrialState.RUNNING), {worse for _, worse in self.preferences}
        return [
            trial
            for trial in self.trials
            if trial.state in states and trial.number not in worse | self.skipped | {number}
        ]

    @property
    def compared_numbers(self) -> frozenset[int]:
        """Numbers of the compared trials."""
        return frozenset(number for pair in self.preferences for number in pair)

    @property
    def excluded_trials(self) -> list[FrozenTrial]:
        """Trials that were skipped or failed."""
        return [trial for trial in self.trials if trial.number in self.skipped or trial.state == TrialState.FAIL]
