"""Settings of a model: its parameters resolved to objects, and the fit and the inference that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, NumericalError, ShapeError
from anchorpbo.inference import Inference, resolve_inference
from anchorpbo.kernels import RBF, Kernel
from anchorpbo.likelihoods import resolve_likelihood
from anchorpbo.model.approximation import MAX_FIT_DUELS, InducingRule, subsample_duels
from anchorpbo.model.fitting import Fit, FitInfo, HyperparameterPosterior, base_name, fit_with_lapse
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.integration import (
    HyperparameterNode,
    IntegrationRule,
    find_nodes,
    integrate_evidence,
    resolve_integration,
)
from anchorpbo.model.node_inference import MixtureInference, check_finite, infer_mixture
from anchorpbo.model.params import Params, resolve_learn
from anchorpbo.model.priors import Learn, make_default_specs
from anchorpbo.model.skips import SkipEvidence
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.numerics.validation import as_integer
from anchorpbo.posterior import LatentGaussian
from anchorpbo.reliability import NoiseMap


@dataclass(frozen=True, eq=False)
class ModelSettings:
    """The objects that a model consists of before it has seen any duels."""

    generative: GenerativeModel
    """Kernel, noise map and likelihood; fits start at their hyper-parameters."""
    inference: Inference
    learn: Mapping[str, Learn | None]
    """Hyper-parameters to learn; ``None`` stands for default bounds and prior."""
    seed: int
    starts: int
    inducing: InducingRule
    integration: IntegrationRule

    @classmethod
    def resolve(cls, params: Params) -> ModelSettings:
        """Return the objects of these parameters; raise if one is invalid or two are incompatible."""
        kernel = RBF() if params.kernel is None else params.kernel
        if not isinstance(kernel, Kernel):
            raise InputError("kernel must be a Kernel", repr(kernel), "use RBF(), Matern52() or your own")
        inference = resolve_inference(params.inference)
        likelihood = resolve_likelihood(params.likelihood)
        inference.check(likelihood)
        noise = params.noise
        if not isinstance(noise, NoiseMap | Real):
            raise InputError("noise must be a NoiseMap or a number", repr(noise), "use NoiseMap.bounded(anchors)")
        noise = noise if isinstance(noise, NoiseMap) else NoiseMap.constant(float(noise))
        learn = resolve_learn(params.learn, kernel, noise)
        seed, starts = as_integer("seed", params.seed, 0), as_integer("starts", params.starts, 1)
        inducing = InducingRule(params.inducing)
        inducing.check(inference)
        integration = resolve_integration(params.integration)
        return cls(GenerativeModel(kernel, noise, likelihood), inference, learn, seed, starts, inducing, integration)

    def check(self, duels: Duels) -> None:
        """Raise if these are not duels on designs that kernel and anchors fit."""
        if not isinstance(duels, Duels):
            raise InputError("duels must be a Duels object", type(duels).__name__, "build one with Duels(points, ...)")
        self.generative.kernel.check_dimension(duels.dimension)
        noise = self.generative.noise
        centres = None if noise.correction is None else noise.correction.centres
        for name, points in (("anchors", noise.anchors), ("centres", centres)):
            if points is not None and points.shape[1] != duels.dimension:
                rule = f"the noise map's {name} must have the {duels.dimension} coordinates of the designs"
                raise ShapeError(rule, f"{points.shape[1]} of them", f"give {name} and designs the same coordinates")

    def find_nodes(
        self, duels: Duels, skips: SkipEvidence | None = None
    ) -> tuple[tuple[HyperparameterNode, ...], FitInfo, int | None]:
        """Return the nodes, the summary of the fit, and the size of the subsample of duels if they are too many."""
        posterior, fitted, learnt_from = self._fit(duels, skips)
        return find_nodes(self.integration, posterior, fitted), fitted.info, learnt_from

    def integrate_evidence(self, duels: Duels) -> float:
        """Return the log evidence of the duels, or of a subsample of many, integrated over the hyper-parameters."""
        posterior, fitted, _ = self._fit(duels)
        return float(check_finite(integrate_evidence(posterior, fitted)))

    def _fit(self, duels: Duels, skips: SkipEvidence | None = None) -> tuple[HyperparameterPosterior, Fit, int | None]:
        too_many = self.inducing.exceeds_exact(duels, self.inference)
        some = subsample_duels(duels, MAX_FIT_DUELS) if too_many else duels
        initial = self.resolve_threshold(self.generative, duels)
        posterior, fitted = fit_with_lapse(initial, some, self._make_specs(duels, initial), self.starts, skips)
        check_finite(fitted.info.log_evidence)
        return posterior, fitted, len(some) if too_many else None

    def infer(
        self, nodes: Sequence[HyperparameterNode], duels: Duels, learnt_from: int | None = None
    ) -> MixtureInference:
        """Infer the posterior at the nodes, whose hyper-parameters may be learnt from a subsample of this size."""
        return infer_mixture(nodes, duels, self.inference, self.inducing, self.seed, learnt_from)

    def make_latent(self, duels: Duels, generative: GenerativeModel) -> LatentGaussian:
        """Return the latent vector of these duels for Laplace and EP, which support inducing points."""
        if not self.inducing.exceeds_exact(duels, self.inference):
            return generative.latent(duels)
        return generative.inducing_latent(duels, self.inducing.max_designs, self.inducing.tolerance)

    def resolve_threshold(self, generative: GenerativeModel, duels: Duels) -> GenerativeModel:
        """Return the model with the tie threshold for these duels, if the likelihood does not fix it."""
        # A threshold that is not given is resolved for each set of duels: that of earlier duels must not remain.
        given, likelihood = self.generative.likelihood, generative.likelihood
        if given.tie_threshold is None and not (len(duels.ties) and likelihood.tau > 0):
            likelihood = given.with_lapse(likelihood.lapse)
        return GenerativeModel(generative.kernel, generative.noise, likelihood.for_duels(duels))

    @contextmanager
    def guard_numerics(self, duels: Duels, generative: GenerativeModel) -> Iterator[None]:
        """Compute with one BLAS thread if matrices are small, and turn numerical failures into `NumericalError`.

        The error names the noise and the kernel of `generative`. Overflow warnings are suppressed: either the result is
        right, or `check_finite` raises.
        """
        try:
            with one_blas_thread(self._matrix_size(duels)), np.errstate(all="ignore"):
                yield
        except (np.linalg.LinAlgError, ArithmeticError) as error:
            rule = "noise, output scale and length-scales must give finite results"
            received = f"{error} with {generative.noise!r}, {generative.kernel!r}"
            remedy = "choose values nearer to 1, or let fit learn them"
            raise NumericalError(rule, received, remedy) from error

    def _make_specs(self, duels: Duels, generative: GenerativeModel) -> dict[str, Learn]:
        likelihood = generative.likelihood
        unit = likelihood.compute_utility_unit(generative.noise.scale)
        defaults = make_default_specs(duels.dimension, likelihood.default_threshold, unit)
        specs = {name: defaults[base_name(name)] if spec is None else spec for name, spec in self.learn.items()}
        if specs and self.generative.likelihood.tie_threshold is None:
            specs.setdefault("tie_threshold", defaults["tie_threshold"])
        return specs

    def _matrix_size(self, duels: Duels) -> int:
        """Return the number of rows of the matrices that are factorised."""
        if self.inducing.applies(duels, self.inference):
            return self.inducing.max_designs
        return min(len(duels), len(duels.points))
