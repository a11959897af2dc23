"""Proposes the trials of a preferential study.

A trial is one design, a duel has two. Which two are compared is decided by what the dashboard shows, so a new trial is
the best challenger to that:

    nothing is shown        the first design of the next duel
    otherwise               the challenger to the champion: of the trials shown that were compared, the one of best
                            expected utility, or before any comparison the oldest; others shown that were not compared
                            yet count as pending

With an acquisition of pairs the champion is one half of the pair and the trial the other.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from copy import deepcopy
from inspect import signature
from typing import Any, Literal

import numpy as np
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial
from optuna_dashboard.preferential import PreferentialStudy

from anchorpbo.acquisition import Acquisition
from anchorpbo.errors import InputError, NothingLeftError, UnknownNameError
from anchorpbo.interop.optuna.search_space import Params
from anchorpbo.interop.optuna.study_data import StudyData
from anchorpbo.interop.optuna.study_import import ImportedStudy
from anchorpbo.numerics.validation import as_integer
from anchorpbo.space import Design, Real, Space
from anchorpbo.study import Optimizer, Recommendation

PROPOSED = "anchorpbo:proposed"
"""System attribute of a trial: what was proposed for it, so that others that are asked meanwhile differ."""
MAX_ATTRIBUTE_CHARACTERS = 2045
"""Of an attribute as text, in a database of Optuna's."""
MAX_AVOIDED = 10
"""Skipped trials that are kept away from, the newest; the same as of skipped duels in a study."""
MAX_PENDING = 16
"""Trials shown but not compared that are allowed for, the newest: more are a list, not what somebody looks at."""


class AnchoredPreferentialSampler(BaseSampler):
    """Proposes trials by an `Optimizer` with anchors; for studies of ``optuna_dashboard.preferential``.

    What it proposes is a function of the seed and of what the study holds, so that a study can be closed and gone on
    with elsewhere. Before two trials share a parameter, and for parameters that not all of them have, it samples
    independently, at random. Thread-safe: it keeps nothing between calls.

    Parameters
    ----------
    anchors
        Designs the user knows well, as parameters of trials. Without any the noise is constant.
    strategy, preset, seed
        See `Optimizer`.
    independent_sampler
        For parameters outside the common search space; by default at random, by the seed and the trial's number.
    **options
        Further ones of `Optimizer`: kernel, likelihood, noise, initial and so on.

    Examples
    --------
    >>> from optuna_dashboard.preferential import create_study
    >>> sampler = AnchoredPreferentialSampler(anchors=[{"dose": 15.0}])
    >>> study = create_study(n_generate=2, sampler=sampler)
    >>> doses = [study.ask().suggest_float("dose", 10, 20) for _ in range(2)]
    >>> study.report_preference(*study.trials)
    >>> 10 <= study.ask().suggest_float("dose", 10, 20) <= 20
    True
    """

    def __init__(
        self,
        anchors: Iterable[Params] = (),
        strategy: str | Acquisition | None = None,
        preset: Literal["default", "paper"] = "default",
        seed: int = 0,
        *,
        independent_sampler: BaseSampler | None = None,
        **options: Any,
    ) -> None:
        if isinstance(anchors, dict | str) or not isinstance(anchors, Iterable):
            raise InputError("anchors must be a list of designs", repr(anchors), "write anchors=[{...}]")
        self._anchors = deepcopy(list(anchors))
        self._seed = as_integer("seed", seed, 0)
        self._options = {"strategy": strategy, "preset": preset, "seed": self._seed, **options}
        _check_options(self._options)
        self._independent = independent_sampler

    def reseed_rng(self) -> None:
        """Reseed the independent sampler; what is proposed otherwise differs by the study's contents alone."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Parameters that all complete trials share, those with a single value left out."""
        distributions = StudyData.of(study).distributions
        return {name: distribution for name, distribution in distributions.items() if not distribution.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The proposed design, or nothing where the space is empty or all its designs are shown already."""
        data = StudyData.of(study)
        if not search_space:
            return {}
        imported = ImportedStudy.of(data, self._anchors, self._options, search_space)
        try:
            design = _propose(imported, trial.number)
        except NothingLeftError:
            return {}
        if len(json.dumps(design)) <= MAX_ATTRIBUTE_CHARACTERS:
            study._storage.set_trial_system_attr(trial._trial_id, PROPOSED, design)
        return imported.search_space.params(design)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value of one parameter, whatever the others are."""
        sampler = self._independent
        if sampler is None:
            place = np.random.SeedSequence([self._seed, trial.number, zlib.crc32(param_name.encode())])
            sampler = RandomSampler(seed=int(place.generate_state(1)[0]))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def recommend(
        self,
        study: Study | PreferentialStudy,
        *,
        risk_weight: float | None = None,
        among: Literal["seen", "space"] = "seen",
    ) -> Recommendation:
        """What `anchorpbo.interop.optuna.recommend` gives with this sampler's anchors and options."""
        return ImportedStudy.of(StudyData.of(study), self._anchors, self._options).recommend(risk_weight, among)


def _propose(imported: ImportedStudy, number: int) -> Design:
    """The design of the trial of this number."""
    data, optimizer = imported.data, imported.optimizer
    here = [(trial.number, _get_design(imported, trial)) for trial in data.list_waiting(number)]
    shown = {trial: design for trial, design in here if design is not None}
    skipped = [_get_design(imported, data.trials[trial]) for trial in sorted(data.skipped)[-MAX_AVOIDED:]]
    avoid = [design for design in skipped if design is not None]
    if not shown:
        # The one that was skipped last serves to be different from.
        return optimizer.ask_against(avoid[-1], avoid=avoid).second if avoid else optimizer.ask().first
    compared = [design for trial, design in shown.items() if trial in data.compared_numbers]
    champion = _find_best(imported, compared) if compared else shown[min(shown)]
    waiting = [design for trial, design in shown.items() if trial not in data.compared_numbers and design != champion]
    return optimizer.ask_against(champion, pending=waiting[-MAX_PENDING:], avoid=avoid).second


def _get_design(imported: ImportedStudy, trial: FrozenTrial) -> Design | None:
    """Of a trial, or while its parameters have not all been suggested what was proposed for it."""
    design = imported.search_space.design(trial.params)
    return imported.search_space.check_or_none(trial.system_attrs.get(PROPOSED)) if design is None else design


def _find_best(imported: ImportedStudy, designs: list[Design]) -> Design:
    """The one of best expected utility; the first where nothing can be said."""
    if len(designs) == 1 or not len(imported.optimizer):
        return designs[0]
    return max(imported.optimizer.utilities(designs), key=lambda estimate: estimate.utility).design


def _check_options(options: dict[str, Any]) -> None:
    """Raise unless an `Optimizer` has such options; whether they suit the search space shows when that is known."""
    known = set(signature(Optimizer).parameters) - {"space", "anchors"}
    for name in options:
        if name not in known:
            raise UnknownNameError.of("an option of Optimizer", name, known)
    Optimizer(Space(x=Real(0, 1)), **{name: options[name] for name in ("strategy", "preset", "seed")})
