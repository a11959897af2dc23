"""BoTorch's `PairwiseGP` with the analytic expected utility of the best option (EUBO), fitted after each answer.

::

    continuous space    EUBO by `optimize_acqf`; recommended: the best posterior mean by `optimize_acqf`, or seen
    catalogue           EUBO of all pairs of items, by their joint posterior; recommended: the item with the best mean
    mixed space         one-hot categories; EUBO of all pairs of SCREENED random designs, then a local search of the
                        continuous coordinates from the best pairs; recommended: the same for the mean

A fit or a search that fails is counted and repeated with the hyper-parameters of the last one that worked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from anchorpbo.research.answers.contenders import INITIAL_PAIRS, AnswerLog, Contender, list_initial_pairs
from anchorpbo.research.answers.one_hot import OneHotCoding
from anchorpbo.research.answers.pairwise_gp import (
    PairwiseLink,
    fit_pairwise_gp,
    joint_posterior,
    make_pairwise_gp,
    seed_torch,
)
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array

RESTARTS, RAW_SAMPLES = 8, 256
"""Restarts and raw samples of `optimize_acqf`, as in BoTorch's tutorials."""
SCREENED = 512
"""Number of random designs of a mixed space whose pairs are compared."""


class BoTorchContender(Contender):
    """EUBO of BoTorch, with its default kernel and priors.

    Parameters
    ----------
    space, anchors, seed
        See `Contender`; BoTorch's model has no use for anchors.
    link
        Likelihood of an answer.
    initial
        Number of initial pairs.
    """

    def __init__(
        self, space: DesignSpace, anchors: Array | None, seed: int, *, link: PairwiseLink = "probit",
        initial: int = INITIAL_PAIRS,
    ) -> None:  # fmt: skip
        import torch

        super().__init__(space, anchors, seed)
        torch.set_num_threads(1)
        self._link, self._coding = link, OneHotCoding.of(space)
        self._initial, self._log = list_initial_pairs(space, seed, initial), AnswerLog(space.dimension)
        self._model: Any = None
        self._answers = 0
        """Number of answers that the model knows."""
        self._kernel: Any = None
        """Kernel of the last successful search."""

    def ask(self) -> Array:
        """Return an initial pair, then the pair of largest EUBO."""
        if len(self._log) < len(self._initial):
            return np.asarray(self._initial[len(self._log)])
        return self._coding.decode(self._search(self._find_pair, 0))

    def tell(self, pair: Array, first_won: bool) -> None:
        """Record the answer."""
        self._log.add(pair, first_won)

    def recommend(self) -> Array:
        """Return the design with the best posterior mean."""
        return self._search(self._find_recommended, 1)

    # -- model ---------------------------------------------------------------------------------------------------------

    def _search(self, find: Callable[[Any], Array], use: int) -> Array:
        """Return what a search finds with the fitted model, or with the last hyper-parameters that worked."""
        from botorch.exceptions import ModelFittingError
        from linear_operator.utils.errors import NotPSDError

        with seed_torch(self.seed, len(self._log), use):
            try:
                found = find(self._fit())
            # A fit can end at hyper-parameters with which predictions fail.
            except (ModelFittingError, NotPSDError, RuntimeError):
                self.failures += 1
                self._model, self._answers = self._make_model(self._kernel), len(self._log)
                found = find(self._model.eval())
            self._kernel = self._model.covar_module
            return found

    def _fit(self) -> Any:
        """Return the model fitted to all answers."""
        if self._answers != len(self._log):
            with seed_torch(self.seed, len(self._log), 2):
                self._model = self._make_model()
                fit_pairwise_gp(self._model)
            self._model.eval()
            self._answers = len(self._log)
        return self._model

    def _make_model(self, kernel: Any = None) -> Any:
        """Return the model of all answers; without a kernel, it has BoTorch's initial hyper-parameters."""
        points = self._coding.encode(self._log.points)
        return make_pairwise_gp(points, self._log.winners, self._log.losers, self._link, kernel)

    # -- search --------------------------------------------------------------------------------------------------------

    def _find_pair(self, model: Any) -> Array:
        """Return the coded pair, (2, w), of largest EUBO."""
        from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

        eubo = AnalyticExpectedUtilityOfBestOption(pref_model=model)
        if self._coding.is_free.all() and self.space.candidates is None:
            return _optimise(eubo, self._coding.width, 2)
        Z = self._coding.encode(self._list_designs(0))
        pairs = Z[find_best_pairs(*joint_posterior(model, Z), RESTARTS)]
        return np.asarray(pairs[0]) if self.space.candidates is not None else self._refine(eubo, pairs)

    def _find_recommended(self, model: Any) -> Array:
        """Return the design, (d,), of best posterior mean over the space and the designs seen."""
        designs = np.vstack([self._log.points, self._find_best_mean(model)])
        return np.asarray(designs[int(_mean(model, self._coding.encode(designs)).argmax())])

    def _find_best_mean(self, model: Any) -> Array:
        """Return the design, (1, d), of best posterior mean."""
        from botorch.acquisition.analytic import PosteriorMean

        if self._coding.is_free.all() and self.space.candidates is None:
            return self._coding.decode(_optimise(PosteriorMean(model), self._coding.width, 1))
        designs = self._list_designs(1)
        best = np.argsort(-_mean(model, self._coding.encode(designs)), kind="stable")[:RESTARTS]
        if self.space.candidates is not None:
            return np.asarray(designs[best[:1]])
        return self._coding.decode(self._refine(PosteriorMean(model), self._coding.encode(designs[best])[:, None]))

    def _list_designs(self, use: int) -> Array:
        """Return all items of a catalogue, or random designs and those seen."""
        if self.space.candidates is not None:
            return self.space.candidates
        rng = np.random.default_rng([self.seed, 109, len(self._log), use])
        return np.vstack([self.space.sample(SCREENED, rng), self._log.points])

    def _refine(self, acquisition: Any, starts: Array) -> Array:
        """Return the best result, (q, w), of local searches from starts, (n, q, w), over the continuous columns."""
        import torch
        from botorch.generation.gen import gen_candidates_scipy

        initial = torch.tensor(starts)
        fixed = {int(c): initial[..., c] for c in np.flatnonzero(~self._coding.is_free)}
        found, values = gen_candidates_scipy(initial, acquisition, 0.0, 1.0, fixed_features=fixed)
        return np.asarray(found[int(values.argmax())].detach().numpy())


def find_best_pairs(mean: Array, covariance: Array, count: int) -> Array:
    """Return the pairs of different designs with the largest EUBO, (count, 2), as indices, the best first.

    E max(f1, f2) = m2 + (m1 - m2) Phi(u) + s phi(u), s^2 = Var(f1 - f2), u = (m1 - m2) / s.
    """
    variance = np.diag(covariance)
    first, second = np.triu_indices(len(mean), 1)
    spread = np.sqrt(np.maximum(variance[first] + variance[second] - 2.0 * covariance[first, second], 1e-12))
    gap = mean[first] - mean[second]
    u = gap / spread
    eubo = mean[second] + gap * special.ndtr(u) + spread * np.exp(-0.5 * u**2) / np.sqrt(2.0 * np.pi)
    best = np.argsort(-eubo, kind="stable")[:count]
    return np.stack([first[best], second[best]], axis=1)


def _optimise(acquisition: Any, dimension: int, designs: int) -> Array:
    """Return the designs, (q, d), that maximise an acquisition function on the cube."""
    import torch
    from botorch.optim import optimize_acqf

    bounds = torch.stack([torch.zeros(dimension), torch.ones(dimension)]).double()
    found, _ = optimize_acqf(acquisition, bounds=bounds, q=designs, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return np.asarray(found.detach().numpy())


def _mean(model: Any, Z: Array) -> Array:
    import torch

    with torch.no_grad():
        return np.asarray(model.posterior(torch.tensor(Z)[:, None]).mean[:, 0, 0].numpy())
