"""Import of a preferential study: an `Optimizer` with all its comparisons, and its recommendation.

Every preference is a comparison of two designs, including preferences between trials that were later skipped or failed,
repeated ones and contradictory ones. Comparisons of equal designs are left out, because they are uninformative.
Comparisons of trials outside the search space that all complete trials share are left out with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from optuna import Study
from optuna.distributions import BaseDistribution
from optuna_dashboard.preferential import PreferentialStudy

from anchorpbo.errors import InputError
from anchorpbo.interop.optuna.search_space import Params, SearchSpace
from anchorpbo.interop.optuna.study_data import PreferentialStudyData
from anchorpbo.space import Design
from anchorpbo.study import Optimizer, Recommendation


@dataclass(frozen=True, eq=False)
class ReplayedStudy:
    """A study as an `Optimizer`."""

    data: PreferentialStudyData
    search_space: SearchSpace
    optimizer: Optimizer

    @classmethod
    def of(
        cls,
        data: PreferentialStudyData,
        anchors: Iterable[Params],
        options: Mapping[str, Any],
        distributions: Mapping[str, BaseDistribution] | None = None,
    ) -> ReplayedStudy:
        """Create an `Optimizer` with these anchors and options, and tell it all comparisons of a study.

        Parameters
        ----------
        data
            Data of the study.
        anchors
            Parameters of designs that the user knows well.
        options
            Options of `Optimizer`.
        distributions
            Search space; by default the parameters that all complete trials share.
        """
        if isinstance(anchors, Mapping | str) or not isinstance(anchors, Iterable):
            raise InputError("anchors must be a list of designs", repr(anchors), "write anchors=[trial.params]")
        search_space = SearchSpace.of(data.distributions if distributions is None else distributions)
        known = [search_space.anchor(anchor) for anchor in anchors]
        optimizer = Optimizer(search_space.space, known, **options)
        lost = _tell(optimizer, data, search_space)
        if lost:
            text = (
                f"{lost} of {len(data.preferences)} comparisons were left out: their trials are not in the search space"
            )
            warnings.warn(f"{text} of all complete trials, {', '.join(search_space.parts)}.", stacklevel=3)
        return cls(data, search_space, optimizer)

    def recommend(
        self, risk_weight: float | None = None, among: Literal["seen", "space"] | None = "seen"
    ) -> Recommendation:
        """Return the recommendation in the study's own values; never a trial that was skipped or failed."""
        excluded = [self.search_space.design(trial.params) for trial in self.data.excluded_trials]
        exclude = [design for design in excluded if design is not None]
        best = self.optimizer.recommend(risk_weight, among=among, exclude=exclude)
        return replace(best, design=self._params(best.design), credible_set=tuple(map(self._params, best.credible_set)))

    def _params(self, design: Design) -> dict[str, Any]:
        """Return the exact parameters of the trial with this design; without one, the parameters of the design."""
        for number in sorted(self.data.compared_numbers):
            params = self.data.trials[number].params
            if self.search_space.design(params) == design:
                return {name: params[name] for name in self.search_space.parts}
        return self.search_space.params(design)


def optimizer_from_study(study: Study | PreferentialStudy, anchors: Iterable[Params] = (), **options: Any) -> Optimizer:
    """Return an `Optimizer` with all preferences of a study; the study does not change.

    Its space has the parameters that all complete trials share. Choices other than text, numbers and Booleans, such as
    ``None``, are represented by their names.

    Parameters
    ----------
    study
        A study of ``optuna_dashboard.preferential``.
    anchors
        Designs that the user knows well, as parameters of trials.
    options
        Other options of `Optimizer`: strategy, preset, seed and so on.
    """
    return ReplayedStudy.of(PreferentialStudyData.of(study), anchors, options).optimizer


def recommend(
    study: Study | PreferentialStudy,
    anchors: Iterable[Params] = (),
    *,
    risk_weight: float | None = None,
    among: Literal["seen", "space"] | None = "seen",
    **options: Any,
) -> Recommendation:
    """Return the recommendation for a study with any sampler; its designs can be enqueued as trials.

    Parameters
    ----------
    study
        A study of ``optuna_dashboard.preferential``.
    anchors
        Designs that the user knows well, as parameters of trials.
    risk_weight, among
        See `Optimizer.recommend`; by default one of the trials compared is recommended, as with ``best_trials``. Trials
        that were skipped or failed are not recommended.
    options
        Other options of `Optimizer`: strategy, preset, seed and so on.
    """
    return ReplayedStudy.of(PreferentialStudyData.of(study), anchors, options).recommend(risk_weight, among)


def _tell(optimizer: Optimizer, data: PreferentialStudyData, search_space: SearchSpace) -> int:
    """Tell all comparisons in order; return the number of those left out."""
    designs = {number: search_space.design(data.trials[number].params) for number in data.compared_numbers}
    lost = 0
    for better, worse in data.preferences:
        winner, loser = designs[better], designs[worse]
        if winner is None or loser is None:
            lost += 1
        elif winner != loser:
            optimizer.tell_preference(winner, loser)
    return lost
