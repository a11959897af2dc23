"""Optuna with the preferential sampler of its dashboard, a Gaussian process fitted by expectation propagation."""

from __future__ import annotations

from typing import Any

from anchorpbo.research.bench.contender import ASK, Contender, Step, StepParts
from anchorpbo.research.bench.dataset import DuelDataset


class OptunaContender(Contender):
    """One suggestion: a design to compare with the best one. Its fit starts from the previous suggestion's."""

    name = library = "optuna"
    title = "Optuna"
    packages = ("optuna", "optuna_dashboard", "torch", "gpytorch", "botorch")
    modules = ("optuna", "optuna_dashboard.preferential", "optuna_dashboard.preferential.samplers.gp")
    performs = ("round",)

    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Report all duels but the last, ask once to warm up the sampler, then report the last."""
        import optuna
        from optuna.distributions import FloatDistribution
        from optuna_dashboard.preferential import create_study
        from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.space = {f"x{c}": FloatDistribution(0.0, 1.0) for c in range(dataset.dimension)}
        self.study: Any = create_study(n_generate=2, sampler=PreferentialGPSampler(seed=dataset.seed))
        self.study.add_trials(
            [
                optuna.trial.create_trial(
                    params=dict(zip(self.space, x, strict=True)), distributions=self.space, value=0.0
                )
                for x in dataset.points.tolist()
            ]
        )
        trials = self.study.get_trials(deepcopy=False)
        duels = list(zip(dataset.winners, dataset.losers, strict=True))
        for number, (winner, loser) in enumerate(duels):
            if number == len(duels) - 1:
                self.suggest()
            self.study.report_preference(trials[winner], trials[loser])

    def parts(self, step: Step) -> StepParts:
        """Time the whole suggestion as one part."""
        return {ASK: self.suggest}

    def suggest(self) -> None:
        """Fit, draw and search."""
        self.study.ask(self.space)
