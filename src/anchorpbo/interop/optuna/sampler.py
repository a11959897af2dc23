"""A sampler that proposes the trials of a preferential study.

A trial is one design; a duel has two. The dashboard shows the trials to compare, so a new trial is the best challenger
to the trials shown:

    nothing is shown        the first design of the next duel
    otherwise               the challenger to the champion, the compared trial shown with the best expected utility (or
                            the oldest trial before any comparison); the other trials shown that are not compared yet
                            count as pending

With an acquisition function of pairs, the pair is the champion and the new trial.
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
from anchorpbo.interop.optuna.study_data import PreferentialStudyData
from anchorpbo.interop.optuna.study_import import ReplayedStudy
from anchorpbo.numerics.validation import as_integer
from anchorpbo.space import Design, Real, Space
from anchorpbo.study import Optimizer, Recommendation

PROPOSED = "anchorpbo:proposed"
"""System attribute with the design proposed for a trial, so that concurrent trials differ from it."""
MAX_ATTRIBUTE_CHARACTERS = 2045
"""Maximum length of an attribute as text, in Optuna's databases."""
MAX_AVOIDED = 10
"""Number of the newest skipped trials that proposals avoid, as for skipped duels in a study."""
MAX_PENDING = 16
"""Number of the newest trials, shown but not compared, that count as pending; nobody compares more at once."""


class AnchoredPreferentialSampler(BaseSampler):
    """Sampler that proposes trials with an anchored `Optimizer`, for studies of ``optuna_dashboard.preferential``.

    Proposals depend only on the seed and the contents of the study, so a study can be continued in another process.
    The sampler samples independently at random before two trials share a parameter, and for parameters that not all
    trials have. Thread-safe: it has no state between calls.

    Parameters
    ----------
    anchors
        Designs that the user knows well, as parameters of trials. Without anchors the noise is constant.
    strategy, preset, seed
        See `Optimizer`.
    independent_sampler
        Sampler for parameters outside the common search space; by default random, seeded by `seed` and the trial's
        number.
    **options
        Other options of `Optimizer`: kernel, likelihood, noise, initial and so on.

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
        """Reseed the independent sampler; other proposals depend only on the contents of the study."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return the parameters that all complete trials share, without those with a single value."""
        distributions = PreferentialStudyData.of(study).distributions
        return {name: distribution for name, distribution in distributions.items() if not distribution.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the proposed design; return {} if the space is empty or all its designs are shown already."""
        data = PreferentialStudyData.of(study)
        if not search_space:
            return {}
        imported = ReplayedStudy.of(data, self._anchors, self._options, search_space)
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
        """Return a value of one parameter, independent of the others."""
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
        among: Literal["seen", "space"] | None = "seen",
    ) -> Recommendation:
        """Return the result of `anchorpbo.interop.optuna.recommend` with this sampler's anchors and options."""
        return ReplayedStudy.of(PreferentialStudyData.of(study), self._anchors, self._options).recommend(
            risk_weight, among
        )


def _propose(imported: ReplayedStudy, number: int) -> Design:
    """Return the design proposed for the trial with this number."""
    data, optimizer = imported.data, imported.optimizer
    here = [(trial.number, _get_design(imported, trial)) for trial in data.list_waiting(number)]
    shown = {trial: design for trial, design in here if design is not None}
    skipped = [_get_design(imported, data.trials[trial]) for trial in sorted(data.skipped)[-MAX_AVOIDED:]]
    avoid = [design for design in skipped if design is not None]
    if not shown:
        # The proposal should differ from the last skipped trial.
        return optimizer.ask_against(avoid[-1], avoid=avoid).second if avoid else optimizer.ask().first
    compared = [design for trial, design in shown.items() if trial in data.compared_numbers]
    champion = _find_best(imported, compared) if compared else shown[min(shown)]
    waiting = [design for trial, design in shown.items() if trial not in data.compared_numbers and design != champion]
    return optimizer.ask_against(champion, pending=waiting[-MAX_PENDING:], avoid=avoid).second


def _get_design(imported: ReplayedStudy, trial: FrozenTrial) -> Design | None:
    """Return the design of a trial, or its proposal until all parameters have been suggested."""
    design = imported.search_space.design(trial.params)
    return imported.search_space.check_or_none(trial.system_attrs.get(PROPOSED)) if design is None else design


def _find_best(imported: ReplayedStudy, designs: list[Design]) -> Design:
    """Return the design with the best expected utility; without data, return the first."""
    if len(designs) == 1 or not len(imported.optimizer):
        return designs[0]
    return max(imported.optimizer.utilities(designs), key=lambda estimate: estimate.utility).design


def _check_options(options: dict[str, Any]) -> None:
    """Raise unless `Optimizer` has these options; their values are checked once the search space is known."""
    known = set(signature(Optimizer).parameters) - {"space", "anchors"}
    for name in options:
        if name not in known:
            raise UnknownNameError.of("an option of Optimizer", name, known)
    Optimizer(Space(x=Real(0, 1)), **{name: options[name] for name in ("strategy", "preset", "seed")})
