"""Models of other libraries and fields that predict pairwise answers, on plain arrays.

Symbols: X, (u, d), points; (w, l), (m, 2), rows of the winner and the loser of each answer; u(x) the utility.

    PairwiseGP    p = Phi(E[u(x) - u(y)] / sqrt(2 + Var[u(x) - u(y)])), BoTorch's model with a probit likelihood
    linear        p = 1 / (1 + exp(-b'(x - y))), b = argmax sum log p - (ridge / 2) |b|^2
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from anchorpbo.errors import IncompatibleError
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array, IntArray

_NEWTON_STEPS = 100
_logger = logging.getLogger(__name__)


def expand_categories(space: DesignSpace, X: Array) -> Array:
    """Return points X, (n, d), with one coordinate of 0 or 1 per category, for models without categories."""
    if not space.columns.categorical:
        return X
    if space.candidates is None:
        rule = "categories can be expanded only in a space whose designs can be listed"
        raise IncompatibleError(rule, repr(space), "use a Catalogue")
    numbers = X[:, list(space.columns.numeric)]
    parts = [X[:, [c]] == np.unique(space.candidates[:, c]) for c in space.columns.categorical]
    return np.hstack([numbers, *parts]).astype(np.float64)


def fit_linear_utility(differences: Array, ridge: float) -> Array:
    """Return the weights b, (d,), of a linear utility, from winner minus loser, (m, d), by Newton's method.

    With one coordinate per item this is the Bradley-Terry model.
    """
    weights = np.zeros(differences.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = expit(-differences @ weights)
        gradient = differences.T @ p - ridge * weights
        hessian = (differences.T * (p * (1.0 - p))) @ differences + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        # The objective is concave with curvature of at least the ridge; a step is limited for large differences.
        weights = weights + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    return weights


def fit_pairwise_gp(points: Array, comparisons: IntArray) -> Any:
    """Return BoTorch's `PairwiseGP` with a probit likelihood and fitted hyper-parameters, ready to predict.

    If BoTorch's fit fails, its initial hyper-parameters are kept, and the failure is logged.

    Parameters
    ----------
    points
        (u, d), in the unit cube.
    comparisons
        Rows of winner and loser, (m, 2).
    """
    import torch
    from botorch.exceptions import ModelFittingError
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

    with _quiet_torch():
        arrays = torch.tensor(points, dtype=torch.float64), torch.tensor(comparisons)
        model = PairwiseGP(*arrays)
        try:
            fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
        except ModelFittingError as error:
            _logger.warning("BoTorch could not fit %d answers: %s", len(comparisons), error)
            model = PairwiseGP(*arrays)
        model.eval()
        return model


def predict_pairwise_gp(model: Any, pairs: Array) -> Array:
    """Return the probability, (n,), that the first of each pair, (n, 2, d), is preferred, noise included."""
    import torch

    with _quiet_torch(), torch.no_grad():
        joint = model.posterior(torch.tensor(pairs, dtype=torch.float64))
        mean, covariance = joint.mean[..., 0].numpy(), joint.distribution.covariance_matrix.numpy()
    difference = mean[:, 0] - mean[:, 1]
    variance = covariance[:, 0, 0] + covariance[:, 1, 1] - 2.0 * covariance[:, 0, 1]
    return np.asarray(ndtr(difference / np.sqrt(2.0 + np.maximum(variance, 0.0))))


@contextmanager
def _quiet_torch() -> Iterator[None]:
    """Run torch on one thread, without warnings about the scale of the inputs and the restarts of a fit."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several are slower for so few answers, and results could depend on their number
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
