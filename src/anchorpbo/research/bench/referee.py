"""Speed never by a worse optimum: BoTorch's own acquisition, on BoTorch's own model, judges what both searches found.

Our posterior is put at the hyper-parameters that BoTorch fitted, so that both search the same function; how far the two
posterior means are apart is recorded with it. The evidence of both fits is computed by one formula, ours, and the
penalised objective of BoTorch's fit, priors included, by BoTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.acquisition import EUBO, UCB, Bound
from anchorpbo.kernels import RBF
from anchorpbo.research.bench.comparisons import Comparisons
from anchorpbo.research.bench.contender import EXPLORATION
from anchorpbo.research.bench.equal_work import laplace_model
from anchorpbo.research.bench.judged import comparisons
from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.workers import Workers
from anchorpbo.search import maximise

PLACES = 200
"""Designs at which posterior means are compared, besides those judged."""


@dataclass(frozen=True)
class Value(Measurement):
    """What both found, at one size."""

    section = "values"

    m: int
    d: int
    seeds: int

    @property
    def effort(self) -> float:
        """About that of a round."""
        return 1.0 + self.m**2 / 2500.0

    def run(self, workers: Workers, rows: Sequence[Row]) -> dict[str, Any]:
        """Return ``{"runs": [answer, ...]}``, one a seed."""
        answers = []
        for seed in range(self.seeds):
            job = {"do": "referee", "contender": "botorch", "given": comparisons(self.d, self.m, seed).to_plain()}
            answers.append({"seed": seed, **workers.call("referee", 1, job)})
        return {"limit": workers.limit, "runs": answers}


def judge(given: Comparisons) -> dict[str, float]:
    """Compare on one study; needs BoTorch."""
    import torch

    from anchorpbo.research.bench import with_botorch

    torch.manual_seed(given.seed)
    datapoints, pairs = with_botorch.tensors(given)
    kernel = with_botorch.fitted(datapoints, pairs).covar_module
    theirs = with_botorch.conditioned(datapoints, pairs, kernel)
    lengths, scale = kernel.base_kernel.lengthscale.detach().numpy().ravel(), float(kernel.outputscale.detach())
    ours = laplace_model(RBF(lengths, scale), learn=None).condition(given.duels())
    free = laplace_model(RBF([0.5] * given.dimension)).fit(given.duels())

    X = np.concatenate([given.points, np.random.default_rng(given.seed).random((PLACES, given.dimension))])
    with torch.no_grad():
        means = theirs.posterior(torch.tensor(X)).mean.numpy().ravel()
    fitted = free.kernel
    assert isinstance(fitted, RBF)
    found = {
        "mean_difference": float(np.abs(ours.posterior.mean(X) - means).max()),
        "evidence_ours": free.log_evidence,
        "evidence_theirs": ours.log_evidence,
        "objective_ours": with_botorch.objective(datapoints, pairs, fitted.lengths, fitted.outputscale),
        "objective_theirs": with_botorch.objective(datapoints, pairs, lengths, scale),
    }
    bounds: dict[str, tuple[Bound, Any, int]] = {
        "pair": (EUBO().bind(ours.posterior, ours.noise), with_botorch.best_option(theirs), 2),
        "single": (UCB(EXPLORATION).bind(ours.posterior, ours.noise), with_botorch.confidence_bound(theirs), 1),
    }
    for name, (bound, acquisition, designs) in bounds.items():
        x = maximise(bound, given.dimension, np.random.default_rng(given.seed)).x.reshape(1, designs, -1)
        rival, _ = with_botorch.search(acquisition, given.dimension, designs)
        with torch.no_grad():
            found[f"{name}_ours"] = float(acquisition(torch.tensor(x)))
            found[f"{name}_theirs"] = float(acquisition(rival[None]))
    return found
