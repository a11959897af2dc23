"""The two contenders of this library: one does the same work as BoTorch, the other is a study with default settings.

Equal work uses BoTorch's kernel, link, inference and acquisition function, without anchors. A study calls
`Optimizer.ask` with five anchors, including the reasons shown to users.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from anchorpbo.acquisition import EUBO, UCB, BoundAcquisition
from anchorpbo.kernels import RBF, Kernel
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import Learn, LogNormal, PreferenceGP
from anchorpbo.model.params import LearnOption
from anchorpbo.research.bench.contender import ASK, EXPLORATION, Contender, SeparableContender, Step, StepParts
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.search import maximise
from anchorpbo.space import Real, Space
from anchorpbo.study import Optimizer

_GAMMA_SHAPE, _GAMMA_RATE = 2.4, 2.7
# BoTorch puts a Gamma(a, b) prior on length-scales and adds its log density in l to the evidence, without the Jacobian
# of log l: (a - 1) log l - b l. We add -(log l - log median)^2 / (2 spread^2). In u = log l, BoTorch's penalty has
# slope a - 1 - b e^u, so its mode is l = (a - 1) / b; its second derivative there is -(a - 1), which gives the spread
# 1 / sqrt(a - 1). With these two values the penalties agree to second order about the mode.
BOTORCH_PRIORS = {
    "lengthscale": Learn((1e-3, 1e3), LogNormal((_GAMMA_SHAPE - 1.0) / _GAMMA_RATE, (_GAMMA_SHAPE - 1.0) ** -0.5)),
    "outputscale": Learn((1e-2, 1e2)),
}
"""BoTorch's priors: LogNormal(0.5185, 0.845) on length-scales; none on the output scale between 1e-2 and 1e2, where
BoTorch's smoothed box prior is flat."""


def make_laplace_model(kernel: Kernel, learn: LearnOption = BOTORCH_PRIORS) -> PreferenceGP:
    """Return a model equal to BoTorch's PairwiseGP with a logit likelihood."""
    return PreferenceGP(kernel, Logistic(form="difference"), "laplace", noise=1.0, learn=learn, starts=1)


class EqualWorkContender(SeparableContender):
    """Laplace, logistic link, RBF kernel with one length-scale per dimension and an output scale; EUBO and UCB."""

    name = library = "anchorpbo"
    title = "anchorpbo, equal work"

    def __init__(self) -> None:
        self.dataset: DuelDataset | None = None
        self._kernels: dict[tuple[int, int, int], Kernel] = {}

    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Set up the model; for steps between fits, with hyper-parameters fitted earlier."""
        self.dataset, self.rng = dataset, np.random.default_rng(dataset.seed)
        self.model = make_laplace_model(RBF([0.5] * dataset.dimension))
        if step != "round":
            if dataset.key not in self._kernels:
                self.fit()
            self.model = make_laplace_model(self._kernels[dataset.key], learn=None)

    def fit(self) -> None:
        """Fit by Laplace evidence."""
        assert self.dataset is not None
        self.model.fit(self.dataset.duels())
        self._kernels[self.dataset.key] = self.model.kernel

    def infer(self) -> None:
        """Infer by Laplace's method."""
        assert self.dataset is not None
        self.model.condition(self.dataset.duels())

    def ask_pair(self) -> None:
        """Maximise EUBO with the defaults of `maximise`."""
        self._search(EUBO().bind(self.model.posterior, self.model.noise))

    def ask_single(self) -> None:
        """Maximise UCB with the defaults of `maximise`."""
        self._search(UCB(EXPLORATION).bind(self.model.posterior, self.model.noise))

    def _search(self, bound: BoundAcquisition) -> None:
        assert self.dataset is not None
        maximise(bound, self.dataset.dimension, self.rng)


class StudyContender(Contender):
    """A study with the default preset (RAEUBO, expectation propagation); single designs use the paper's (RAHBO, HB)."""

    name = "anchorpbo-study"
    library = "anchorpbo"
    title = "anchorpbo, a study"

    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Tell the study all duels; for steps between fits, ask and fit before the last duel."""
        self.study = start_study(dataset, "paper" if step == "single" else "default")
        tell_duels(self.study, dataset, len(dataset) if step == "round" else len(dataset) - 1)
        if step != "round":
            self.study.ask()
            tell_duels(self.study, dataset, len(dataset), begin=len(dataset) - 1)
            self.study.to_json()  # does a fit that is due now, so that it is not timed

    def parts(self, step: Step) -> StepParts:
        """Time the whole ask as one part."""
        return {ASK: self.study.ask}


def start_study(dataset: DuelDataset, preset: Literal["default", "paper"]) -> Optimizer:
    """Return a study with anchors and without duels."""
    space = Space({f"x{c + 1}": Real(0.0, 1.0) for c in range(dataset.dimension)})
    anchors = [space.decode(space.nearest(x)) for x in dataset.anchors]
    return Optimizer(space, anchors, "rahbo" if preset == "paper" else None, preset, dataset.seed)


def tell_duels(study: Optimizer, dataset: DuelDataset, end: int, begin: int = 0) -> None:
    """Tell a study the duels from ``begin`` to ``end``."""

    def design(row: int) -> Any:
        return study.space.decode(dataset.points[row])

    for k in range(begin, end):
        study.tell_preference(design(dataset.winners[k]), design(dataset.losers[k]))
