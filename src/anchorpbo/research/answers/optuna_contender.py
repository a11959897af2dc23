"""The preferential sampler of Optuna's dashboard: Hallucination Believer with log expected improvement.

The sampler proposes one design; it is compared with the best trial that has not lost, as on the dashboard. The best is
the one with the highest mean of the sampler's own Gaussian process, by its expectation propagation; the recommended
design is the best of all trials in the same sense. Optuna has no catalogues: the features of an item are numbers, and a
proposal is moved to the nearest item that is no trial yet.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from anchorpbo.errors import UnsupportedError
from anchorpbo.research.answers.contenders import AnswerLog, Contender, list_initial_pairs
from anchorpbo.space import Categorical, DesignSpace, Integer, Real, Space
from anchorpbo.typing import Array


class OptunaContender(Contender):
    """A preferential study of Optuna's dashboard."""

    def __init__(self, space: DesignSpace, anchors: Array | None, seed: int) -> None:
        super().__init__(space, anchors, seed)
        import optuna
        import torch
        from optuna_dashboard.preferential import create_study
        from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

        torch.set_num_threads(1)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._distributions = make_distributions(space)
        self._sampler: Any = PreferentialGPSampler(seed=seed)
        self._study: Any = create_study(n_generate=2, sampler=self._sampler)
        self._initial, self._log = list_initial_pairs(space, seed), AnswerLog(space.dimension)

    def ask(self) -> Array:
        """Return an initial pair, then the proposed design and the best trial."""
        if len(self._log) < len(self._initial):
            return np.asarray(self._initial[len(self._log)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            proposed = self._study.ask(self._distributions).params
        undefeated = sorted(set(range(len(self._log.points))) - set(self._log.losers))
        undefeated = undefeated or list(range(len(self._log.points)))
        best = undefeated[int(self._means()[undefeated].argmax())]
        return np.array([self._to_design(proposed), self._log.points[best]])

    def tell(self, pair: Array, first_won: bool) -> None:
        """Add new designs as trials and report the preference."""
        import optuna

        seen = len(self._log.points)
        self._log.add(pair, first_won)
        for x in self._log.points[seen:]:
            params = self._to_params(x)
            trial = optuna.trial.create_trial(params=params, distributions=self._distributions, value=0.0)
            self._study.add_trial(trial)
        trials = self._study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
        self._study.report_preference(trials[self._log.winners[-1]], trials[self._log.losers[-1]])

    def recommend(self) -> Array:
        """Return the design with the best mean; before the sampler's first proposal, the last winner."""
        if self._sampler._gp is None:
            return np.asarray(self._log.points[self._log.winners[-1]])
        return np.asarray(self._log.points[int(self._means().argmax())])

    def _means(self) -> Array:
        """Return the means of the trials, (u,), with the hyper-parameters of the sampler's last fit."""
        import optuna
        import torch
        from optuna_dashboard.preferential.samplers.gp import _orthants_MVN_EP_jit

        transform = optuna._transform._SearchSpaceTransform(
            self._distributions, transform_log=True, transform_step=True, transform_0_1=True
        )
        X = torch.tensor(np.array([transform.transform(self._to_params(x)) for x in self._log.points]))
        preferences = torch.tensor([self._log.winners, self._log.losers], dtype=torch.int32).T
        process = self._sampler._gp
        with torch.no_grad():
            covariance = process.kernel(X, X).to_dense()
            mean, _, _ = _orthants_MVN_EP_jit(covariance, preferences, process.log_noise.exp(), 2)
        return np.asarray(mean.numpy())

    def _to_params(self, x: Array) -> dict[str, Any]:
        if isinstance(self.space, Space):
            return self.space.decode(x)
        return dict(zip(self._distributions, x.tolist(), strict=True))

    def _to_design(self, params: dict[str, Any]) -> Array:
        if isinstance(self.space, Space):
            return self.space.nearest(self.space.encode(params))
        items = self.space.candidates
        assert items is not None
        distances = ((items - np.array(list(params.values()))) ** 2).sum(axis=1)
        distances[(items[:, None] == self._log.points).all(axis=2).any(axis=1)] = np.inf
        return np.asarray(items[int(distances.argmin())])


def make_distributions(space: DesignSpace) -> dict[str, Any]:
    """Return the distributions of a space's parameters, or of the coordinates of a catalogue."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if not isinstance(space, Space):
        return {f"x{c}": FloatDistribution(0.0, 1.0) for c in range(space.dimension)}
    found: dict[str, Any] = {}
    for name, parameter in space.parameters.items():
        match parameter:
            case Real():
                found[name] = FloatDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
            case Integer():
                found[name] = IntDistribution(parameter.low, parameter.high, log=parameter.log)
            case Categorical():
                found[name] = CategoricalDistribution(parameter.values)
            case _:
                rule = "Optuna's search spaces have real, integer and categorical parameters"
                raise UnsupportedError(rule, f"{name}: {parameter!r}", "leave this contender out")
    return found
