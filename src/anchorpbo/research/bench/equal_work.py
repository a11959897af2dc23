"""Our side at the same work as BoTorch: same kernel, link, inference and acquisition, no anchors."""

from __future__ import annotations

import numpy as np

from anchorpbo.acquisition import EUBO, UCB, Bound
from anchorpbo.kernels import RBF, Kernel
from anchorpbo.likelihoods import Logistic
from anchorpbo.model import Learn, LogNormal, PreferenceGP
from anchorpbo.model.params import LearnOption
from anchorpbo.research.bench.comparisons import Comparisons
from anchorpbo.research.bench.contender import EXPLORATION, Separable, Step
from anchorpbo.search import maximise

_SHAPE, _RATE = 2.4, 2.7
# BoTorch's length-scales have a Gamma(a, b) prior, whose log density in l it adds to the evidence as it stands, without
# the Jacobian of log l: (a - 1) log l - b l. Ours adds -(log l - log median)^2 / (2 spread^2). In u = log l theirs has
# the slope a - 1 - b e^u, so its mode is l = (a - 1) / b; there its second derivative is -(a - 1), so that the spread
# is 1 / sqrt(a - 1). With these two the penalties agree to second order about the mode.
SAME_PRIORS = {
    "lengthscale": Learn((1e-3, 1e3), LogNormal((_SHAPE - 1.0) / _RATE, (_SHAPE - 1.0) ** -0.5)),
    "outputscale": Learn((1e-2, 1e2)),
}
"""BoTorch's penalties: LogNormal(0.5185, 0.845) for length-scales; none for the output scale between 1e-2 and 1e2,
where its smoothed box is flat."""


def laplace_model(kernel: Kernel, learn: LearnOption = SAME_PRIORS) -> PreferenceGP:
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
