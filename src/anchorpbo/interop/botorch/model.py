"""Our model as a BoTorch `Model`.

Symbols: P, beta, root, spread of a `Posterior`, k(X, P) from `anchorpbo.interop.botorch.covariances`:

    mean = k(X, P) beta          covariance = k(X, X) - (k root') (k root')' + (k spread') (k spread')'

Kernels are evaluated by our own code and the rest by torch, so that gradients in X come through autograd for every
inference and every kernel that has one (docs/decisions/0020-botorch.md). Numbers stay float64 whatever X is: a
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
from torch.nn import Module

from anchorpbo.errors import IncompatibleError, InputError, UnsupportedError
from anchorpbo.interop.botorch.covariances import cross_covariance, self_covariance
from anchorpbo.interop.botorch.duel_tensors import duels_from_tensors, get_win_rows
from anchorpbo.interop.botorch.kernels import kernel_from_gpytorch
from anchorpbo.interop.botorch.noise import NoiseMap, freeze_transform
from anchorpbo.interop.botorch.tensors import as_designs, to_tensor
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Likelihood, Logistic, Probit
from anchorpbo.model import PreferenceGP
from anchorpbo.reliability import NoiseMap as NumpyNoiseMap
from anchorpbo.study import Optimizer
from anchorpbo.study.plan import MAX_LENGTHSCALES

_LIKELIHOODS: dict[type, Likelihood] = {
    PairwiseProbitLikelihood: Probit(),
    PairwiseLogitLikelihood: Logistic(form="difference"),
}
CUBE_TOLERANCE = 1e-9
"""By this much a transform may overshoot the unit cube."""
SAME_DESIGN_TOLERANCE = 1e-6
"""Coordinates closer than this are those of one design."""


class AnchoredPairwiseModel(Model):
    """A fitted `PreferenceGP` for BoTorch's acquisitions, samplers and optimisers.

    The posterior is a `GPyTorchPosterior` of one Gaussian, joint over q, in float64. Of a mixture over draws it has the
    mixture's mean and covariance. What was fitted is kept in numpy: there are no torch parameters to train, and the
    `state_dict` has the noise map only. To keep a model, pickle it, or keep the duels.

    Parameters
    ----------
    model
        A `PreferenceGP` that was fitted or conditioned, or an `Optimizer`, whose `acquisition_model` is taken.
        It is copied: what happens to it later does not show here.
    input_transform
        A BoTorch transform from X to the unit cube, which `model` is in; a copy is kept, with the coefficients it has
        now.
    """

    beta: Tensor
    root: Tensor
    spread: Tensor | None

    def __init__(self, model: PreferenceGP | Optimizer, input_transform: InputTransform | None = None) -> None:
        super().__init__()
        model = model.acquisition_model if isinstance(model, Optimizer) else model
        if not isinstance(model, PreferenceGP):
            remedy = "use AnchoredPairwiseModel.fit(datapoints, comparisons, noise) to start from tensors"
            raise InputError("model must be a PreferenceGP or an Optimizer", type(model).__name__, remedy)
        self._model, self._posterior = copy(model), model.posterior
        for name in ("beta", "root", "spread"):
            weights = getattr(self._posterior, name)
            # Not in the state_dict, which has no kernel to go with them.
            self.register_buffer(name, None if weights is None else to_tensor(weights), persistent=False)
        transform = freeze_transform(input_transform)
        if transform is not None:
            self.input_transform = transform.to(torch.float64)
        self.noise = NoiseMap(model.noise, transform)
        """The noise map at the fitted hyper-parameters, of designs as `posterior` takes them."""

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
        """Learn from BoTorch's tensors, hyper-parameters included.

        Parameters
        ----------
        datapoints, comparisons, ties
            As in `duels_from_tensors`.
        noise
            The noise map, or one variance for all designs. One in numpy is of designs in the unit cube.
        input_transform
            From datapoints to the unit cube, such as ``Normalize(d, bounds=bounds)``. One without bounds learns them
            here, from datapoints that later designs may lie beyond, and too late for a noise map that goes through it.
        **options
            Of `PreferenceGP`. The kernel is by default an RBF with a length-scale a coordinate.
        """
        # As `posterior` and `condition_on_observations` do, so that a design is the same wherever it is given.
        given = as_designs(datapoints, name="datapoints").to(torch.float64)
        designs = given if input_transform is None else input_transform(given)
        _check_cube(designs)
        duels = duels_from_tensors(designs, comparisons, ties)
        noise = _to_cube_noise(noise, given, designs)
        kernel = options.pop("kernel", None) or _default_kernel(duels.dimension)
        return cls(PreferenceGP(kernel, noise=noise, **options).fit(duels), input_transform)

    @classmethod
    def from_pairwise_gp(cls, model: PairwiseGP, noise: NoiseMap | NumpyNoiseMap | float = 1.0, **options: Any) -> Self:
        """Take over the comparisons, the link, the input transform and the learnt kernel of a fitted `PairwiseGP`.

        Nothing is learnt. With noise 1, which a `PairwiseGP` has everywhere, this is the same posterior. Under the
        logit link the noise divides differences of utilities, ``Logistic(form="difference")``, so that a constant added
        to all utilities changes nothing, as in a `PairwiseGP`.

        Parameters
        ----------
        model
            A `PairwiseGP` whose kernel `kernel_from_gpytorch` knows, with data in the unit cube after its transform.
        noise
            As in `fit`.
        **options
            Of `PreferenceGP`.
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

    # -- what BoTorch asks of a model ---------------------------------------------------------------------------------

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> BotorchPosterior:
        """The utility at X, b1 x ... x q x d, joint over q.

        Parameters
        ----------
        X
            Designs; float32 is taken as float64, and the posterior is float64.
        output_indices
            There is one output: ``None`` or ``[0]``.
        observation_noise
            With ``True`` of utilities as they are judged, f(x) + e with e ~ N(0, noise(x)), for the probit link, under
            which the noise is a variance. A tensor of variances, broadcasting to ... x q x 1, is added as it is.
        posterior_transform
            Applied to the posterior.
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
        """One, the utility."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """One model."""
        return torch.Size()

    def subset_output(self, idcs: Sequence[int]) -> Self:
        """Itself, for ``[0]``."""
        self._check_outputs(idcs)
        return self

    def condition_on_observations(self, X: Tensor, Y: Tensor, ties: Tensor | None = None, **kwargs: Any) -> Self:
        """The model with more duels, at the same hyper-parameters; this one stays as it is.

        The convention is that of BoTorch's `PairwiseGP`: X are designs, n x d, and Y are comparisons among the rows of
        X, m x 2, the winner first. The inference runs anew on all duels, old and new.

        Parameters
        ----------
        X
            Designs, n x d; designs that were compared before may be among them.
        Y
            Row numbers of the winner and of the loser, m x 2.
        ties
            Row numbers of two designs judged equal, m' x 2.
        """
        designs = as_designs(X, name="X").to(torch.float64)
        if designs.dim() != 2 or not isinstance(Y, Tensor) or Y.is_floating_point():
            rule = "a model is conditioned on comparisons Y, m x 2 row numbers, of designs X, n x d"
            received = f"X of {tuple(designs.shape)} and Y of {getattr(Y, 'dtype', type(Y).__name__)}"
            raise InputError(rule, received, "condition once for each fantasy, and on who won rather than on utilities")
        added = as_designs(self.transform_inputs(designs), self._posterior.dimension)
        old = self._model.duels
        if old.bounds == (0.0, 1.0):
            _check_cube(added, "X")
        duels = old.with_duels(duels_from_tensors(added, Y, ties, old.bounds))
        return type(self)(copy(self._model).condition(duels), self._transform)

    # -- what PairwiseGP has, too -------------------------------------------------------------------------------------

    @property
    def datapoints(self) -> Tensor:
        """The distinct designs compared, u x d, in the units of X."""
        points = to_tensor(self._model.duels.points, self.beta)
        return points if self._transform is None else self._transform.untransform(points)

    @property
    def comparisons(self) -> Tensor:
        """Rows of `datapoints`, the winner's and the loser's, m x 2; ties are not among them."""
        return get_win_rows(self._model.duels).to(self.beta.device)

    # -- what it has of ours ------------------------------------------------------------------------------------------

    @property
    def preference_gp(self) -> PreferenceGP:
        """A copy of the model behind this."""
        return copy(self._model)

    @property
    def best_f(self) -> float:
        """The best posterior mean over the designs compared, or the prior's 0 before any duel."""
        means = self._posterior.mean(self._model.duels.points)
        return float(means.max()) if len(means) else 0.0

    def train(self, mode: bool = True) -> Self:
        """Set the mode; unlike other models of BoTorch this one has no training inputs to swap."""
        return Module.train(self, mode)

    def eval(self) -> Self:
        """Set the mode."""
        return self.train(False)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        # BoTorch's acquisitions cast their model to the type of X. Devices are followed; a posterior cut to float32
        # would stay so.
        return super()._apply(lambda tensor: tensor.to(fn(tensor).device), recurse)

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _transform(self) -> InputTransform | None:
        return getattr(self, "input_transform", None)

    def _compute_moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean, (..., q), and covariance, (..., q, q)."""
        kernel = self._posterior.kernel
        k = cross_covariance(kernel, X, self._posterior.points)
        explained = k @ self.root.mT
        covariance = self_covariance(kernel, X) - explained @ explained.mT
        if self.spread is not None:
            between = k @ self.spread.mT
            covariance = covariance + between @ between.mT
        return k @ self.beta, covariance

    def _observation_noise(self, X: Tensor, wanted: bool | Tensor) -> Tensor | None:
        """Variances to add, (..., q)."""
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
            "pass input_transform=Normalize(d, bounds=bounds) with bounds of all designs to come, "
            "or use duels_from_tensors with bounds=None and a PreferenceGP"
        )
        raise InputError(f"{name} must lead to the unit cube", f"{outside[0].item():.10g} there", remedy)


def _to_cube_noise(
    noise: NoiseMap | NumpyNoiseMap | float, datapoints: Tensor, designs: Tensor
) -> NumpyNoiseMap | float:
    """The map in numpy, of designs in the unit cube, once it is known to see datapoints where the model does."""
    if not isinstance(noise, NoiseMap):
        return noise
    if noise.dimension is not None:
        seen = datapoints if noise.input_transform is None else noise.input_transform(datapoints)
        apart = (seen - designs).abs().amax(-1) > SAME_DESIGN_TOLERANCE
        if bool(apart.any()):
            there, here = ([f"{x:.4g}" for x in side[apart][0].tolist()] for side in (seen, designs))
            rule = "a noise map and its model must see designs through the same input_transform"
            received = f"one at ({', '.join(here)}) for the model and at ({', '.join(there)}) for the map"
            remedy = "pass Normalize(d, bounds=bounds) to both; without bounds it has learnt nothing before the model"
            raise IncompatibleError(rule, received, remedy)
    return noise.to_numpy()


def _default_kernel(dimension: int) -> RBF:
    """That of a study with the same number of parameters."""
    length = 0.25 * np.sqrt(dimension)
    return RBF(np.full(dimension, length) if dimension <= MAX_LENGTHSCALES else length)
