"""The preference model: a Gaussian process prior, a likelihood of answers, an inference, and the posterior."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from anchorpbo.duels import Duels
from anchorpbo.errors import NotFittedError, ShapeError
from anchorpbo.inference import Inference, InferenceName, Info, find_mode, laplace_evidence
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood, LikelihoodName
from anchorpbo.model.approximation import Approximation, InducingChoice
from anchorpbo.model.fitting import FitInfo
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.integration import HyperparameterNode, IntegrationName, IntegrationRule
from anchorpbo.model.node_inference import (
    MixtureInference,
    ModelComponent,
    check_finite,
    leave_one_out,
    leave_one_out_outcomes,
)
from anchorpbo.model.params import DEFAULT_LEARN, LearnOption, Params
from anchorpbo.model.settings import ModelSettings
from anchorpbo.model.skips import SkipEvidence
from anchorpbo.numerics.allocator import keep_freed_blocks
from anchorpbo.numerics.validation import as_points
from anchorpbo.posterior import LinearFunctional, Posterior, mix_posteriors
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array


class PreferenceGP:
    """Gaussian process model of a utility, learnt from duels.

    `fit` and `condition` depend only on the arguments and the duels: the same call gives the same bits, regardless of
    earlier calls. The arguments are kept apart from the fitted parts, so a second `fit` starts afresh. `kernel`,
    `noise` and `likelihood` are the fitted parts; `get_params` returns the arguments, as scikit-learn requires, so that
    its `clone` creates an unfitted copy. A model is not thread-safe while `fit` or `condition` runs; their posterior is
    immutable.

    Parameters
    ----------
    kernel
        Prior covariance; fits start at its hyper-parameters.
    likelihood
        ``"probit"``, ``"logistic"`` or an object. ``"logistic"`` is the paper's form, which is not invariant to a
        constant added to the utility; with anchors, ``Logistic(form="difference")`` models a person better.
    inference
        ``"laplace"``, ``"ep"``, ``"hallucination"``, ``"polya-gamma"`` or an object.
    noise
        The noise map: a variance for probit, a level for logistic. A number gives a constant map.
    seed
        Seed of the samplers.
    learn
        Hyper-parameters that `fit` learns; all others are fixed. Either names among ``lengthscale``, ``outputscale``,
        ``noise_scale``, ``noise_strength``, ``noise_factor``, ``tie_threshold``, ``lapse``, with default bounds and
        priors, or a mapping from names to `Learn`, which may also contain other names of ``kernel.parameter_names``. If
        anything is learnt, a tie threshold that the likelihood does not fix is learnt too. The lapse probability is
        learnt only if named; a fit then takes several times as long.
    starts
        Number of starting points of the fit.
    inducing
        Number of inducing points, which represent all designs compared, see `anchorpbo.posterior.inducing`. ``None``
        for the exact posterior. ``"auto"`` is exact up to 2,000 duels or designs; beyond, it takes as many inducing
        designs as necessary, at most 1,000, and fits the hyper-parameters to 500 of the duels. `approximation` reports
        the loss. With Hallucination Believer the posterior is always exact.
    integration
        How `fit` integrates over the hyper-parameters. ``"map"`` takes their mode (maximum a posteriori) for the truth.
        ``"qmc"`` (quasi-random draws), ``"ccd"`` (central composite design), ``"simplex"`` (spherical simplex) or an
        object take a few weighted nodes, and the posterior is a mixture with one component per node; see
        `anchorpbo.model.integration`. The first node is the mode: `kernel`, `noise`, `likelihood` and `log_evidence`
        are those of the mode.

    Examples
    --------
    >>> from anchorpbo import RBF, Duels
    >>> duels = Duels([[0.1], [0.5], [0.9]], winners=[1, 1, 2], losers=[0, 2, 0])
    >>> model = PreferenceGP(RBF(0.3), inference="ep").fit(duels)
    >>> model.posterior.mean([[0.1], [0.5], [0.9]]).argmax()
    np.int64(1)
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        likelihood: LikelihoodName | Likelihood = "probit",
        inference: InferenceName | Inference = "laplace",
        noise: NoiseMap | float = 1.0,
        seed: int = 0,
        *,
        learn: LearnOption = DEFAULT_LEARN,
        starts: int = 2,
        inducing: InducingChoice = "auto",
        integration: IntegrationName | IntegrationRule = "map",
    ) -> None:
        keep_freed_blocks()
        self._params = Params(kernel, likelihood, inference, noise, seed, learn, starts, inducing, integration)
        self._settings = ModelSettings.resolve(self._params)
        self._nodes: tuple[HyperparameterNode, ...] = (HyperparameterNode(1.0, self._settings.generative),)
        self._duels: Duels | None = None
        self._posterior: Posterior | None = None
        self._average: LinearFunctional | None = None
        self._info: Info | None = None
        self._fit_info: FitInfo | None = None
        self._log_evidence: float | None = None
        self._approximation: Approximation | None = None

    # -- scikit-learn --------------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor arguments, unchanged, by name.

        Parameters
        ----------
        deep
            For scikit-learn; no effect, because kernels and other objects are parameters as a whole.
        """
        return self._params.to_dict()

    def set_params(self, **params: Any) -> Self:
        """Change constructor arguments and reset the model, which then has seen no duels.

        All arguments are checked together, as by the constructor; after an error nothing has changed.
        """
        if params:
            vars(self).update(vars(type(self)(**self._params.replace(params))))
        return self

    # -- learning ------------------------------------------------------------------------------------------------------

    def fit(self, duels: Duels) -> Self:
        """Learn the hyper-parameters by Laplace evidence, then infer the posterior."""
        nodes, fit_info, subsample = self._find_nodes(duels)
        with self._guard_numerics(duels):
            inferred = self._settings.infer(nodes, duels, subsample)
        self._set_posterior(nodes, duels, inferred)
        self._fit_info = fit_info
        # The evidence of a subsample is not the evidence of all duels.
        self._log_evidence = None if subsample is not None else fit_info.log_evidence
        return self

    def find_nodes(self, duels: Duels, skips: SkipEvidence | None = None) -> tuple[HyperparameterNode, ...]:
        """Return the nodes of the hyper-parameters that `fit` would find, the mode first; the model does not change.

        Parameters
        ----------
        skips
            Skipped questions, as further evidence of the noise; they matter only if the noise map is learnt.
        """
        return self._find_nodes(duels, skips)[0]

    def integrate_evidence(self, duels: Duels) -> float:
        """Return the log evidence of these duels, integrated over the learnt hyper-parameters.

        The difference between two models that learn the same hyper-parameters is their log Bayes factor. The model does
        not change.
        """
        self._settings.check(duels)
        with self._guard_numerics(duels):
            return self._settings.integrate_evidence(duels)

    def _find_nodes(
        self, duels: Duels, skips: SkipEvidence | None = None
    ) -> tuple[tuple[HyperparameterNode, ...], FitInfo, int | None]:
        """Return the nodes, the summary of the fit, and the size of the subsample of duels if they are too many."""
        self._settings.check(duels)
        with self._guard_numerics(duels):
            return self._settings.find_nodes(duels, skips)

    def condition(self, duels: Duels) -> Self:
        """Infer the posterior at the present hyper-parameters.

        Nodes of an integration and their weights are kept: they belong to the duels of the last `fit`, of which these
        need not be a continuation.
        """
        self._settings.check(duels)
        with self._guard_numerics(duels):
            nodes = tuple(
                HyperparameterNode(node.weight, self._settings.resolve_threshold(node.generative, duels))
                for node in self._nodes
            )
            inferred = self._settings.infer(nodes, duels)
        self._set_posterior(nodes, duels, inferred)
        self._log_evidence = None
        return self

    def at_nodes(self, nodes: Iterable[HyperparameterNode]) -> PreferenceGP:
        """Return a model that has seen no duels, with the same arguments but at these nodes of the hyper-parameters."""
        model = type(self)(**self._params.to_dict())
        model._nodes = tuple(nodes)
        return model

    def posterior_after(self, winner: npt.ArrayLike, loser: npt.ArrayLike, *, tie: bool = False) -> Posterior:
        """Return the posterior with one more duel, by a rank-one update instead of a refit; the model does not change.

        Parameters
        ----------
        winner, loser
            The two designs, (d,).
        tie
            Whether the two were judged equal instead.
        """
        duels = self.duels
        pair = duels.as_pair(winner, loser)
        updates = []
        with self._guard_numerics(duels):
            for component in self.components:
                likelihood = component.likelihood
                if tie and likelihood.tau == 0.0:
                    likelihood = self._settings.generative.likelihood.for_duels(duels.with_tie(winner, loser))
                updates.append(component.condition_on_duel(pair, likelihood, tie))
        log_weights, posteriors = zip(*updates, strict=True)
        return mix_posteriors(np.exp(np.array(log_weights) - max(log_weights)), posteriors)

    # -- results -------------------------------------------------------------------------------------------------------

    @property
    def posterior(self) -> Posterior:
        """Posterior of the utility, given the duels."""
        return _require(self._posterior)

    @property
    def components(self) -> list[ModelComponent]:
        """Nodes of the hyper-parameters with their weights and posteriors; one without integration."""
        parts = self.posterior.components
        return [
            ModelComponent(weight, node.generative, part)
            for node, (weight, part) in zip(self._nodes, parts, strict=True)
        ]

    @property
    def info(self) -> Info:
        """Summary of the inference, with whether it converged; the worst of the components."""
        return _require(self._info)

    @property
    def fit_info(self) -> FitInfo:
        """Summary of the last `fit`."""
        if self._fit_info is None:
            raise NotFittedError("the hyper-parameters have not been learnt yet", None, "call fit first")
        return self._fit_info

    @property
    def approximation(self) -> Approximation | None:
        """Size and loss of the approximation for many duels; ``None`` if everything is exact."""
        return self._approximation

    @property
    def duels(self) -> Duels:
        """The duels last fitted or conditioned on."""
        return _require(self._duels)

    @property
    def designs(self) -> Array:
        """The distinct designs compared, (u, d); the posterior may have fewer points, see `inducing`."""
        return self.duels.points

    @property
    def average(self) -> LinearFunctional:
        """The average utility of the distinct designs compared; copies of a model share its cached results."""
        return _require(self._average)

    @property
    def log_evidence(self) -> float:
        """Laplace evidence of the duels at the present hyper-parameters, for any inference; rough with lapses."""
        if self._log_evidence is None:
            duels = self.duels
            with self._guard_numerics(duels):
                mode = find_mode(self._settings.make_latent(duels, self._current), self.likelihood)
                self._log_evidence = float(check_finite(laplace_evidence(mode)))
        return self._log_evidence

    def prob_answers(self) -> Array:
        """Return the probability of each answer given all others, (m,), from the cavities of EP, for any inference.

        The answers are in the order of the rows of `duels`: wins, then ties. With lapses, the probability that answer k
        was a lapse is ``likelihood.lapse * likelihood.chance / prob_answers()[k]``.
        """
        duels = self.duels
        with self._guard_numerics(duels):
            latents = [self._settings.make_latent(duels, node.generative) for node in self._nodes]
            return check_finite(leave_one_out(self._nodes, latents, duels, self._settings.seed))

    def prob_outcomes(self) -> Array:
        """Return the probabilities of all outcomes of each duel given all other answers, (m, 3), as `prob_answers`.

        The outcomes are: the first design of the row wins, tie, the second design wins. A row's first design is the
        winner of a won duel, so the first column equals `prob_answers` for wins, and the second one for ties.
        """
        duels = self.duels
        with self._guard_numerics(duels):
            latents = [self._settings.make_latent(duels, node.generative) for node in self._nodes]
            return check_finite(leave_one_out_outcomes(self._nodes, latents, duels, self._settings.seed))

    def prob_choose(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> Array:
        """Return the probability, (n,), that the user chooses x_i over y_i, including the noise.

        With a tie threshold the three answers add up to one: `prob_choose(X, Y)`, `prob_choose(Y, X)`, `prob_tie`.
        """
        X, Y = (as_points(name, designs, self.posterior.dimension) for name, designs in (("X", X), ("Y", Y)))
        if X.shape != Y.shape:
            raise ShapeError("X and Y must have the same shape", f"{X.shape} and {Y.shape}", "pair them row by row")
        return np.asarray(sum(each.weight * each.prob_choose(X, Y) for each in self.components))

    def coefficients(self, X: Array, Y: Array) -> tuple[Array, Array]:
        """Return a_i and b_i, (n,) each, of the margin a_i f(x_i) - b_i f(y_i) of a comparison of x_i and y_i."""
        return self._current.coefficients(X, Y)

    def prob_tie(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> Array:
        """Return the probability, (n,), that the user finds x_i and y_i equal; 0 without a tie threshold."""
        return np.maximum(1.0 - self.prob_choose(X, Y) - self.prob_choose(Y, X), 0.0)

    @property
    def kernel(self) -> Kernel:
        """The kernel, at the fitted hyper-parameters after `fit`."""
        return self._current.kernel

    @property
    def noise(self) -> NoiseMap:
        """The noise map, at the fitted hyper-parameters after `fit`."""
        return self._current.noise

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood, at the fitted tie threshold and lapse probability after `fit`."""
        return self._current.likelihood

    @property
    def inference(self) -> Inference:
        """The inference."""
        return self._settings.inference

    def __repr__(self) -> str:
        given = f"{type(self).__name__}({self._params})"
        return given if self._duels is None else f"{given}, after {self._duels!r}"

    def _repr_html_(self) -> str:
        from anchorpbo.html import facts, sheet

        seen = "none yet" if self._duels is None else repr(self._duels).removeprefix("Duels")
        parts = {name: repr(getattr(self, name)) for name in ("kernel", "likelihood", "inference", "noise")}
        return sheet("PreferenceGP", facts({**parts, "duels": seen}))

    # -- helpers -------------------------------------------------------------------------------------------------------

    @property
    def _current(self) -> GenerativeModel:
        """The model at the mode of the hyper-parameters."""
        return self._nodes[0].generative

    def _guard_numerics(self, duels: Duels) -> AbstractContextManager[None]:
        return self._settings.guard_numerics(duels, self._current)

    def _set_posterior(self, nodes: tuple[HyperparameterNode, ...], duels: Duels, inferred: MixtureInference) -> None:
        self._nodes, self._duels = nodes, duels
        self._posterior, self._info, self._approximation = inferred.posterior, inferred.info, inferred.approximation
        self._average = self._posterior.functional(duels.points, np.full(u := len(duels.points), 1.0 / max(u, 1)))


T = TypeVar("T")


def _require(value: T | None) -> T:
    """Return a result of the model; raise before the first duels."""
    if value is None:
        raise NotFittedError("the model has seen no duels yet", None, "call fit or condition first")
    return value
