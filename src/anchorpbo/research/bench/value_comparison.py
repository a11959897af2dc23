"""Comparison of the values that both searches find, measured by BoTorch's acquisition function on BoTorch's model.

Our posterior uses the hyper-parameters that BoTorch fitted, so that both search the same function; the largest
difference of the two posterior means is recorded too. Our formula gives the evidence of both fits; BoTorch computes its
own penalised objective, priors included, for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anchorpbo.acquisition import EUBO, UCB, BoundAcquisition
from anchorpbo.kernels import RBF
from anchorpbo.research.bench.anchorpbo_contenders import make_laplace_model
from anchorpbo.research.bench.contender import EXPLORATION
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.research.bench.measurement import Measurement, Row
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.simulated_duels import simulate_dataset
from anchorpbo.search import maximise

RANDOM_DESIGNS = 200
"""Number of random designs at which posterior means are compared, besides the judged ones."""


@dataclass(frozen=True)
class ValueComparison(Measurement):
    """The values that both libraries find at one size."""

    section = "values"

    m: int
    d: int
    seeds: int

    @property
    def effort(self) -> float:
        """About one round."""
        return 1.0 + self.m**2 / 2500.0

    def run(self, pool: BenchmarkPool, rows: Sequence[Row]) -> dict[str, Any]:
        """Return ``{"runs": [answer, ...]}``, one per seed."""
        answers = []
        for seed in range(self.seeds):
            job = {
                "do": "referee",
                "contender": "botorch",
                "dataset": simulate_dataset(self.d, self.m, seed).to_plain(),
            }
            answers.append({"seed": seed, **pool.call("referee", 1, job)})
        return {"limit": pool.limit, "runs": answers}


def compare_values(dataset: DuelDataset) -> dict[str, float]:
    """Return the values and evidences of both libraries on one study; needs BoTorch."""
    import torch

    from anchorpbo.research.bench import botorch_contender

    torch.manual_seed(dataset.seed)
    datapoints, pairs = botorch_contender.make_tensors(dataset)
    kernel = botorch_contender.fit_model(datapoints, pairs).covar_module
    theirs = botorch_contender.condition_model(datapoints, pairs, kernel)
    lengths, scale = kernel.base_kernel.lengthscale.detach().numpy().ravel(), float(kernel.outputscale.detach())
    ours = make_laplace_model(RBF(lengths, scale), learn=None).condition(dataset.duels())
    free = make_laplace_model(RBF([0.5] * dataset.dimension)).fit(dataset.duels())

    X = np.concatenate(
        [dataset.points, np.random.default_rng(dataset.seed).random((RANDOM_DESIGNS, dataset.dimension))]
    )
    with torch.no_grad():
        means = theirs.posterior(torch.tensor(X)).mean.numpy().ravel()
    fitted = free.kernel
    assert isinstance(fitted, RBF)
    found = {
        "mean_difference": float(np.abs(ours.posterior.mean(X) - means).max()),
        "evidence_ours": free.log_evidence,
        "evidence_theirs": ours.log_evidence,
        "objective_ours": botorch_contender.evaluate_objective(datapoints, pairs, fitted.lengths, fitted.outputscale),
        "objective_theirs": botorch_contender.evaluate_objective(datapoints, pairs, lengths, scale),
    }
    bounds: dict[str, tuple[BoundAcquisition, Any, int]] = {
        "pair": (EUBO().bind(ours.posterior, ours.noise), botorch_contender.make_eubo(theirs), 2),
        "single": (UCB(EXPLORATION).bind(ours.posterior, ours.noise), botorch_contender.make_ucb(theirs), 1),
    }
    for name, (bound, acquisition, designs) in bounds.items():
        x = maximise(bound, dataset.dimension, np.random.default_rng(dataset.seed)).x.reshape(1, designs, -1)
        rival, _ = botorch_contender.optimize_acquisition(acquisition, dataset.dimension, designs)
        with torch.no_grad():
            found[f"{name}_ours"] = float(acquisition(torch.tensor(x)))
            found[f"{name}_theirs"] = float(acquisition(rival[None]))
    return found
