"""Our side at the same work as BoTorch: same kernel, link, inference and acquisition, no anchors."""

from __future__ import annotations

import numpy as np

from anchorpbo.acquisition import EUBO, UCB, Bound
from anchorpbo.bench.comparisons import Comparisons
from anchorpbo.bench.contender import EXPLORATION, Separable, Step
from anchorpbo.kernels import RBF, Kernel
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import Learn, LogNormal, PreferenceGP
from anchorpbo.model.preference_gp import Learnt
from anchorpbo.search import maximise

SAME_PRIORS = {
    "lengthscale": Learn((1e-3, 1e3), LogNormal(0.71, 0.72)),
    "outputscale": Learn((1e-2, 1e2)),
}
"""BoTorch's: a flat output scale, and length-scales by Gamma(2.4, 2.7), as near as a log-normal comes to it."""


def laplace_model(kernel: Kernel, learn: Learnt = SAME_PRIORS) -> PreferenceGP:
    """The model of BoTorch's PairwiseGP with a logit likelihood."""
    return PreferenceGP(kernel, Logistic(form="difference"), "laplace", noise=1.0, learn=learn, starts=1)


class EqualWork(Separable):
    """Laplace, logistic link, an RBF with a length-scale a dimension and an output scale; EUBO and UCB."""

    name = library = "anchorpbo"
    title = "anchorpbo, equal work"

    def __init__(self) -> None:
        self.given: Comparisons | None = None
        self._kernels: dict[tuple[int, int, int], Kernel] = {}

    def prepare(self, given: Comparisons, step: Step) -> None:
        """Between fits there has been one."""
        self.given, self.rng = given, np.random.default_rng(given.seed)
        self.model = laplace_model(RBF([0.5] * given.dimension))
        if step != "round":
            if given.key not in self._kernels:
                self.fit()
            self.model = laplace_model(self._kernels[given.key], learn=None)

    def fit(self) -> None:
        """By Laplace evidence."""
        assert self.given is not None
        self.model.fit(self.given.duels())
        self._kernels[self.given.key] = self.model.kernel

    def infer(self) -> None:
        """By Laplace's method."""
        assert self.given is not None
        self.model.condition(self.given.duels())

    def ask_pair(self) -> None:
        """By `maximise` with its defaults."""
        self._search(EUBO().bind(self.model.posterior, self.model.noise))

    def ask_single(self) -> None:
        """The same."""
        self._search(UCB(EXPLORATION).bind(self.model.posterior, self.model.noise))

    def _search(self, bound: Bound) -> None:
        assert self.given is not None
        maximise(bound, self.given.dimension, self.rng)
