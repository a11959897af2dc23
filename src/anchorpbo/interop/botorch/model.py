"""Our model as a BoTorch `Model`.

Symbols: P, beta, root, spread of a `GaussianPosterior`, k(X, P) from `anchorpbo.interop.botorch.covariances`:

    mean = k(X, P) beta          covariance = k(X, X) - (k root') (k root')' + (k spread') (k spread')'

for each component; several components give the two moments of their mixture, by the law of total covariance.

Our code evaluates the kernels and torch the rest, so that autograd has gradients in X for every inference and every
differentiable kernel (docs/decisions/0020-botorch.md). Numbers are float64 whatever the dtype of X, because a
covariance is a small difference of large numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from botorch.models.model import Model
from botorch.models.pairwise_gp import PairwiseGP
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import GPyTorchPosterior
from botorch.posteriors.posterior import Posterior as BotorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DenseLinearOperator
from torch import Tensor
from torch.nn import Module, ModuleList

from anchorpbo.errors import IncompatibleError, InputError, UnsupportedError
from anchorpbo.interop.botorch.covariances import cross_covariance, self_covariance
from anchorpbo.interop.botorch.duel_tensors import duels_from_tensors, get_win_rows
from anchorpbo.interop.botorch.kernels import kernel_from_gpytorch
from anchorpbo.interop.botorch.noise import NoiseMap, freeze_transform
from anchorpbo.interop.botorch.tensors import as_designs, to_tensor
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.model import PreferenceGP
from anchorpbo.posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap
from anchorpbo.study import Optimizer
from anchorpbo.study.plan import MAX_LENGTHSCALES

_LIKELIHOODS: dict[type, Likelihood] = {
    PairwiseProbitLikelihood: Probit(),
    PairwiseLogitLikelihood: Logistic(form="difference"),
}
CUBE_TOLERANCE = 1e-9
"""Distance by which a transform may overshoot the unit cube."""
SAME_DESIGN_TOLERANCE = 1e-6
"""Coordinates closer than this belong to the same design."""


class GaussianComponent(Module):
    """One component of a posterior: its kernel in numpy and its weights as buffers."""

    beta: Tensor
    root: Tensor
    spread: Tensor | None

    def __init__(self, weight: float, posterior: GaussianPosterior) -> None:
        super().__init__()
        self.weight = weight
        self._kernel, self._points = posterior.kernel, posterior.points
        for name in ("beta", "root", "spread"):
            weights = getattr(posterior, name)
            # Not in the state_dict, because the matching kernel is not there.
            self.register_buffer(name, None if weights is None else to_tensor(weights), persistent=False)

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean, (..., q), and the covariance, (..., q, q), at X."""
        k = cross_covariance(self._kernel, X, self._points)
        explained = k @ self.root.mT
        covariance = self_covariance(self._kernel, X) - explained @ explained.mT
        if self.spread is not None:
            between = k @ self.spread.mT
            covariance = covariance + between @ between.mT
        return k @ self.beta, covariance


class AnchoredPairwiseModel(Model):
    """A fitted `PreferenceGP` for BoTorch's acquisitions, samplers and optimisers.

    The posterior is a `GPyTorchPosterior` of one Gaussian, joint over q, in float64. For a mixture, over draws or over
    hyper-parameters, it has the mixture's mean and covariance. The fitted state is in numpy: there are no torch
    parameters to train, and the `state_dict` has only the noise map. To save a model, pickle it, or save the duels.

    Parameters
    ----------
    model
        A fitted or conditioned `PreferenceGP`, or an `Optimizer`, whose `acquisition_model` is used. It is copied, so
        later changes have no effect here.
    input_transform
        A BoTorch transform from X to the unit cube of `model`. It is copied with its current coefficients.
    """

    def __init__(self, model: PreferenceGP | Optimizer, input_transform: InputTransform | None = None) -> None:
        super().__init__()
        model = model.acquisition_model if isinstance(model, Optimizer) else model
        if not isinstance(model, PreferenceGP):
            remedy = "use AnchoredPairwiseModel.fit(datapoints, comparisons, noise) to start from tensors"
            raise InputError("model must be a PreferenceGP or an Optimizer", type(model).__name__, remedy)
        self._model, self._posterior = copy(model), model.posterior
        self.components = ModuleList(GaussianComponent(*each) for each in self._posterior.components)
        transform = freeze_transform(input_transform)
        if transform is not None:
            self.input_transform = transform.to(torch.float64)
        self.noise = NoiseMap(model.noise, transform)
        """The noise map at the fitted hyper-parameters, in the coordinates of `posterior`'s X."""

    @classmethod
    def fit(
        cls,
        datapoints: Tensor,
        comparisons: Tensor,
        noise: NoiseMap | NumpyNoiseMap | float = 1.0,
        *,
        ties: Tensor | None = None,
        input_transform: InputTransform | None = None,
        **options: Any,
    ) -> Self:
        """Fit a model, including its hyper-parameters, to BoTorch's tensors.

        Parameters
        ----------
        datapoints, comparisons, ties
            As in `duels_from_tensors`.
        noise
            The noise map, or one variance for all designs. A numpy map takes designs in the unit cube.
        input_transform
            Transform from datapoints to the unit cube, such as ``Normalize(d, bounds=bounds)``. Give the bounds: else
            the transform learns them here from datapoints, but later designs may lie outside, and a noise map with the
            same transform would miss them.
        **options
            Options of `PreferenceGP`. The default kernel is an RBF with one length-scale per coordinate.
        """
        # The same steps as in `posterior` and `condition_on_observations`, so that equal designs stay equal.
        given = as_designs(datapoints, name="datapoints").to(torch.float64)
        designs = given if input_transform is None else input_transform(given)
        _check_cube(designs)
        duels = duels_from_tensors(designs, comparisons, ties)
        noise = _to_cube_noise(noise, given, designs)
        kernel = options.pop("kernel", None) or _default_kernel(duels.dimension)
        return cls(PreferenceGP(kernel, noise=noise, **options).fit(duels), input_transform)

    @classmethod
    def from_pairwise_gp(cls, model: PairwiseGP, noise: NoiseMap | NumpyNoiseMap | float = 1.0, **options: Any) -> Self:
        """Convert a fitted `PairwiseGP`, with its comparisons, link, input transform and kernel.

        No hyper-parameter is fitted. With noise 1, the constant noise of a `PairwiseGP`, the posterior is the same.
        Under the logit link the noise divides differences of utilities, ``Logistic(form="difference")``, so that a
        constant added to all utilities changes nothing, as in a `PairwiseGP`.

        Parameters
        ----------
        model
            A `PairwiseGP` with a kernel that `kernel_from_gpytorch` supports, and data in the unit cube after its
            transform.
        noise
            As in `fit`.
        **options
            Options of `PreferenceGP`.
        """
        if not isinstance(model, PairwiseGP) or type(model.likelihood) not in _LIKELIHOODS:
            rule, remedy = "model must be a PairwiseGP with a probit or a logit likelihood", "use fit for other data"
            raise InputError(rule, type(getattr(model, "likelihood", model)).__name__, remedy)
        transform = getattr(model, "input_transform", None)
        model.eval()
        given = model.datapoints.to(torch.float64)
        designs = model.transform_inputs(given)
        _check_cube(designs)
        duels = duels_from_tensors(designs, model.comparisons)
        settings = {"kernel": kernel_from_gpytorch(model.covar_module), "learn": None, **options}
        settings.setdefault("likelihood", _LIKELIHOODS[type(model.likelihood)])
        noise = _to_cube_noise(noise, given, designs)
        return cls(PreferenceGP(noise=noise, **settings).condition(duels), transform)

    # -- interface of BoTorch's Model ---------------------------------------------------------------------------------

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> BotorchPosterior:
        """Return the posterior of the utility at X, b1 x ... x q x d, joint over q.

        Parameters
        ----------
        X
            Designs; float32 is converted to float64, and the posterior is float64.
        output_indices
            ``None`` or ``[0]``: there is one output.
        observation_noise
            With ``True``, the posterior of noisy utilities f(x) + e with e ~ N(0, noise(x)); only for the probit link,
            under which the noise is a variance. A tensor of variances, broadcasting to ... x q x 1, is added unchanged.
        posterior_transform
            Transform applied to the posterior.
        """
        self.eval()
        self._check_outputs(output_indices)
        given = as_designs(X, self._posterior.dimension if self._transform is None else None).to(torch.float64)
        designs = as_designs(self.transform_inputs(given), self._posterior.dimension)
        mean, covariance = self._compute_moments(designs)
        noise = self._observation_noise(given, observation_noise)
        if noise is not None:
            covariance = covariance + torch.diag_embed(noise.expand_as(mean))
        posterior = GPyTorchPosterior(MultivariateNormal(mean, DenseLinearOperator(covariance)))
        return posterior if posterior_transform is None else posterior_transform(posterior=posterior, X=X)

    @property
    def num_outputs(self) -> int:
        """Number of outputs: 1, the utility."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """Empty batch shape: one model."""
        return torch.Size()

    def subset_output(self, idcs: Sequence[int]) -> Self:
        """Return the model itself, for ``[0]``."""
        self._check_outputs(idcs)
        return self

    def condition_on_observations(self, X: Tensor, Y: Tensor, ties: Tensor | None = None, **kwargs: Any) -> Self:
        """Return a new model with more duels, at the same hyper-parameters.

        As in BoTorch's `PairwiseGP`, X are designs, n x d, and Y are comparisons among the rows of X, m x 2, the winner
        first. The inference runs again on all duels, old and new.

        Parameters
        ----------
        X
            Designs, n x d; they may include designs that were compared before.
        Y
            Row numbers of the winner and of the loser, m x 2.
        ties
            Row numbers of two designs judged equal, m' x 2.
        """
        designs = as_designs(X, name="X").to(torch.float64)
        if designs.dim() != 2 or not isinstance(Y, Tensor) or Y.is_floating_point():
            rule = "a model is conditioned on comparisons Y, m x 2 row numbers, of designs X, n x d"
            received = f"X of {tuple(designs.shape)} and Y of {getattr(Y, 'dtype', type(Y).__name__)}"
            raise InputError(rule, received, "condition once per fantasy, and on comparisons instead of utilities")
        added = as_designs(self.transform_inputs(designs), self._posterior.dimension)
        old = self._model.duels
        if old.bounds == (0.0, 1.0):
            _check_cube(added, "X")
        duels = old.with_duels(duels_from_tensors(added, Y, ties, old.bounds))
        return type(self)(copy(self._model).condition(duels), self._transform)

    # -- attributes of PairwiseGP -------------------------------------------------------------------------------------

    @property
    def datapoints(self) -> Tensor:
        """Distinct compared designs, u x d, in the units of X."""
        points = to_tensor(self._model.duels.points, self._beta)
        return points if self._transform is None else self._transform.untransform(points)

    @property
    def comparisons(self) -> Tensor:
        """Row numbers in `datapoints` of winners and losers, m x 2, without ties."""
        return get_win_rows(self._model.duels).to(self._beta.device)

    # -- our attributes -----------------------------------------------------------------------------------------------

    @property
    def preference_gp(self) -> PreferenceGP:
        """Copy of the underlying `PreferenceGP`."""
        return copy(self._model)

    @property
    def best_f(self) -> float:
        """Best posterior mean over the compared designs, or the prior mean 0 before any duel."""
        means = self._posterior.mean(self._model.duels.points)
        return float(means.max()) if len(means) else 0.0

    def train(self, mode: bool = True) -> Self:
        """Set the mode; unlike other BoTorch models, this one has no training inputs to swap."""
        return Module.train(self, mode)

    def eval(self) -> Self:
        """Set the mode."""
        return self.train(False)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        # BoTorch's acquisition functions cast their model to the dtype of X. The device changes, but the dtype does
        # not: a cast to float32 would lose digits that a cast back does not restore.
        return super()._apply(lambda tensor: tensor.to(fn(tensor).device), recurse)

    # -- internals ----------------------------------------------------------------------------------------------------

    @property
    def _beta(self) -> Tensor:
        return self.components[0].beta

    @property
    def _transform(self) -> InputTransform | None:
        return getattr(self, "input_transform", None)

    def _compute_moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean, (..., q), and the covariance, (..., q, q)."""
        parts = [(each.weight, *each(X)) for each in self.components]
        if len(parts) == 1:
            return parts[0][1], parts[0][2]
        mean = sum(weight * m for weight, m, _ in parts)
        # Law of total covariance.
        covariance = sum(w * (C + (m - mean)[..., :, None] * (m - mean)[..., None, :]) for w, m, C in parts)
        return mean, covariance

    def _observation_noise(self, X: Tensor, wanted: bool | Tensor) -> Tensor | None:
        """Return the variances to add, (..., q), or ``None``."""
        if isinstance(wanted, Tensor):
            return wanted.to(X).squeeze(-1)
        if not wanted:
            return None
        if not isinstance(self._model.likelihood, Probit):
            rule = "the noise is the variance of a judgement under the probit link only"
            raise UnsupportedError(rule, repr(self._model.likelihood), "pass the variances as a tensor, ... x q x 1")
        return self.noise(X)

    def _check_outputs(self, indices: Sequence[int] | None) -> None:
        if indices is not None and any(index not in (0, -1) for index in indices):
            raise InputError("the model has one output, 0", indices, "leave the indices out")


def _check_cube(designs: Tensor, name: str = "datapoints") -> None:
    outside = designs[(designs < -CUBE_TOLERANCE) | (designs > 1.0 + CUBE_TOLERANCE)]
    if len(outside):
        remedy = (
            "pass input_transform=Normalize(d, bounds=bounds) with bounds for all future designs, "
            "or use duels_from_tensors with bounds=None and a PreferenceGP"
        )
        raise InputError(f"{name} must be in the unit cube after the transform", f"{outside[0].item():.10g}", remedy)


def _to_cube_noise(
    noise: NoiseMap | NumpyNoiseMap | float, datapoints: Tensor, designs: Tensor
) -> NumpyNoiseMap | float:
    """Return the numpy map for designs in the unit cube; raise if its input transform differs from the model's."""
    if not isinstance(noise, NoiseMap):
        return noise
    if noise.dimension is not None:
        seen = datapoints if noise.input_transform is None else noise.input_transform(datapoints)
        apart = (seen - designs).abs().amax(-1) > SAME_DESIGN_TOLERANCE
        if bool(apart.any()):
            there, here = ([f"{x:.4g}" for x in side[apart][0].tolist()] for side in (seen, designs))
            rule = "a noise map and its model must have the same input_transform"
            received = f"a design at ({', '.join(here)}) for the model and at ({', '.join(there)}) for the map"
            remedy = "pass Normalize(d, bounds=bounds) to both; without bounds the map's transform has not learnt them"
            raise IncompatibleError(rule, received, remedy)
    return noise.to_numpy()


def _default_kernel(dimension: int) -> RBF:
    """Return the default kernel of a study with the same number of parameters."""
    length = 0.25 * np.sqrt(dimension)
    return RBF(np.full(dimension, length) if dimension <= MAX_LENGTHSCALES else length)
