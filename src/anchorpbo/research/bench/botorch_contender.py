"""BoTorch with `PairwiseGP`, `fit_gpytorch_mll` and `optimize_acqf`, as in its tutorials but with a logit link."""

from __future__ import annotations

from typing import Any

from anchorpbo.research.bench.contender import EXPLORATION, RAW_SAMPLES, RESTARTS, SeparableContender, Step
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.typing import Array


class BoTorchContender(SeparableContender):
    """Laplace, logit likelihood and BoTorch's default kernel: RBF, one length-scale per dimension, an output scale."""

    name = library = "botorch"
    title = "BoTorch"
    packages = ("torch", "gpytorch", "botorch")
    modules = (
        "botorch.acquisition.preference", "botorch.fit", "botorch.models.likelihoods.pairwise",
        "botorch.models.pairwise_gp", "botorch.optim",
    )  # fmt: skip

    def __init__(self) -> None:
        import torch

        torch.set_default_dtype(torch.float64)
        self._kernels: dict[tuple[int, int, int], Any] = {}

    def prepare(self, dataset: DuelDataset, step: Step) -> None:
        """Create the tensors; for steps between fits, fit first if needed. If that fit fails, the step fails."""
        import torch

        torch.manual_seed(dataset.seed)
        self.key, self.dimension = dataset.key, dataset.dimension
        self.datapoints, self.comparisons = make_tensors(dataset)
        self.model: Any = None
        if step != "round" and dataset.key not in self._kernels:
            self.fit()
        self.kernel = self._kernels.get(dataset.key)

    def fit(self) -> None:
        """Fit by Laplace evidence with BoTorch's priors."""
        self.model = fit_model(self.datapoints, self.comparisons)
        self._kernels[self.key] = self.model.covar_module

    def infer(self) -> None:
        """Infer by Laplace's method."""
        self.model = condition_model(self.datapoints, self.comparisons, self.kernel)

    def ask_pair(self) -> None:
        """Maximise the analytic expected utility of the best option."""
        optimize_acquisition(make_eubo(self.model), self.dimension, 2)

    def ask_single(self) -> None:
        """Maximise the upper confidence bound."""
        optimize_acquisition(make_ucb(self.model), self.dimension, 1)


def make_tensors(dataset: DuelDataset) -> tuple[Any, Any]:
    """Return designs, (2 m, d), and the rows of winner and loser, (m, 2)."""
    import numpy as np
    import torch

    pairs = np.stack([dataset.winners, dataset.losers], axis=1)
    return torch.tensor(dataset.points), torch.tensor(pairs)


def fit_model(datapoints: Any, comparisons: Any) -> Any:
    """Return a model with fitted hyper-parameters; raises `ModelFittingError` if BoTorch's fit fails."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
    from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

    model = PairwiseGP(datapoints, comparisons, likelihood=PairwiseLogitLikelihood())
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


def condition_model(datapoints: Any, comparisons: Any, kernel: Any = None) -> Any:
    """Return a model ready to predict, with the hyper-parameters of ``kernel`` (by default BoTorch's initial ones)."""
    from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
    from botorch.models.pairwise_gp import PairwiseGP

    model = PairwiseGP(datapoints, comparisons, likelihood=PairwiseLogitLikelihood(), covar_module=kernel)
    model.eval()
    _ = model.posterior(datapoints[:1]).mean  # triggers the work that BoTorch defers to the first prediction
    return model


def evaluate_objective(datapoints: Any, comparisons: Any, lengths: Array, scale: float) -> float:
    """Return the objective of BoTorch's fit (Laplace evidence plus log priors) at given hyper-parameters."""
    import torch
    from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
    from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

    model: Any = PairwiseGP(datapoints, comparisons, likelihood=PairwiseLogitLikelihood())
    model.covar_module.base_kernel.lengthscale = torch.tensor(lengths)
    model.covar_module.outputscale = scale
    model.train()
    with torch.no_grad():
        return float(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)(model(datapoints), comparisons))


def make_eubo(model: Any) -> Any:
    """Return the acquisition function E max(f(x), f(x'))."""
    from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

    return AnalyticExpectedUtilityOfBestOption(pref_model=model)


def make_ucb(model: Any) -> Any:
    """Return the upper confidence bound with `EXPLORATION` standard deviations."""
    from botorch.acquisition.analytic import UpperConfidenceBound

    return UpperConfidenceBound(model, beta=EXPLORATION**2)


def optimize_acquisition(acquisition: Any, dimension: int, designs: int) -> tuple[Any, float]:
    """Return the designs, (q, d), that maximise an acquisition function, and their value."""
    import torch
    from botorch.optim import optimize_acqf

    bounds = torch.stack([torch.zeros(dimension), torch.ones(dimension)])
    found, value = optimize_acqf(acquisition, bounds=bounds, q=designs, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return found, float(value)
