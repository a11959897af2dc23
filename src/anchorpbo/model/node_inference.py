"""Inference at the nodes of the hyper-parameters: a posterior per node, and their mixture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from anchorpbo.duels import Duels
from anchorpbo.inference import EP, Inference, Info
from anchorpbo.kernels import Kernel
from anchorpbo.likelihoods import Likelihood
from anchorpbo.model.approximation import Approximation, InducingRule
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.integration import HyperparameterNode
from anchorpbo.posterior import (
    GaussianPosterior,
    InducingPoints,
    LatentGaussian,
    Posterior,
    mix_posteriors,
    posterior_from_sites,
)
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, IntArray

BEST_DESIGNS = 20
"""Number of compared designs of best mean added to the points of a posterior on inducing points, as search starts."""


@dataclass(frozen=True, eq=False)
class ModelComponent:
    """A model at one node of the hyper-parameters: its weight, its parts and its posterior."""

    weight: float
    """Weight; the weights of all components sum to 1."""
    generative: GenerativeModel
    posterior: GaussianPosterior

    @property
    def kernel(self) -> Kernel:
        """The kernel at this node."""
        return self.generative.kernel

    @property
    def noise(self) -> NoiseMap:
        """The noise map at this node."""
        return self.generative.noise

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood at this node."""
        return self.generative.likelihood

    def prob_choose(self, X: Array, Y: Array) -> Array:
        """Return the probability, (n,), that the user chooses x_i over y_i, at these hyper-parameters."""
        win = np.zeros(len(X), dtype=np.bool_)

        def prob(mean: Array, variance: Array) -> Array:
            return np.exp(self.likelihood.log_marginal(mean, variance, win).value)

        return self.posterior.average_over_margins(prob, X, Y, *self.generative.coefficients(X, Y))

    def condition_on_duel(self, pair: Array, likelihood: Likelihood, tie: bool) -> tuple[float, GaussianPosterior]:
        """Return the log weight, up to a constant, and the posterior after one more duel, (2, d), by a rank-one update.

        The weight changes by Bayes' rule: components that expected the answer gain weight.
        """
        a, b = replace(self.generative, likelihood=likelihood).coefficients(pair[:1], pair[1:])
        # For many draws of the sites, the first two moments of their mixture are updated.
        row, posterior = np.array([a[0], -b[0]]), self.posterior
        mean, variance = np.array([row @ posterior.mean(pair)]), np.array([row @ posterior.covariance(pair) @ row])
        logZ = likelihood.log_marginal(mean, np.maximum(variance, 0.0), np.array([tie]))
        coefficients, slope, curvature = (float(a[0]), float(b[0])), float(logZ.d1[0]), float(-logZ.d2[0])
        after = check_posterior(posterior.condition_on_duel(pair, coefficients, slope, curvature))
        return float(np.log(self.weight) + logZ.value[0]), after


@dataclass(frozen=True, eq=False)
class MixtureInference:
    """Result of an inference at all nodes; the summaries are those of the worst node."""

    posterior: Posterior
    info: Info
    approximation: Approximation | None


def infer_mixture(
    nodes: Sequence[HyperparameterNode],
    duels: Duels,
    inference: Inference,
    inducing: InducingRule,
    seed: int,
    learnt_from: int | None = None,
) -> MixtureInference:
    """Infer the posterior at every node.

    The first node has the random stream of a model without integration. The other nodes start from its result, which
    saves iterations.
    """
    parts: list[_NodeInference] = []
    for index, node in enumerate(nodes):
        rng = np.random.default_rng([seed, len(duels), *([index] if index else [])])
        start = parts[0].state if index else None
        parts.append(_infer_at(node.generative, duels, inference, inducing, rng, start))
    posterior = mix_posteriors(np.array([node.weight for node in nodes]), [part.posterior for part in parts])
    info = max((part.info for part in parts), key=lambda info: (not info.converged, info.residual))
    sparse = [part.inducing for part in parts if part.inducing is not None]
    if not sparse:
        approximation = None if learnt_from is None else Approximation(None, 0.0, learnt_from)
        return MixtureInference(posterior, info, approximation)
    worst = max(sparse, key=lambda each: each.left_out)
    return MixtureInference(posterior, info, Approximation(len(worst.points), worst.left_out, learnt_from))


def leave_one_out(
    nodes: Sequence[HyperparameterNode], latents: Sequence[LatentGaussian], duels: Duels, seed: int
) -> Array:
    """Return the probability of each answer given all others, (m,), by EP at every node.

    With w_s the weight of node s and Z_ks the probability of answer k at its hyper-parameters, from EP's cavity, the
    weights without answer k are proportional to w_s / Z_ks. The probability is therefore 1 / sum_s (w_s / Z_ks).
    """
    total = np.zeros(len(duels))
    for node, latent in zip(nodes, latents, strict=True):
        likelihood = node.generative.likelihood
        sites = EP().infer(latent, likelihood, np.random.default_rng(seed)).sites
        mean, variance = latent.cavities(latent.solve(sites))
        total += node.weight * np.exp(-likelihood.log_marginal(mean, variance, duels.tied).value)
    return np.asarray(1.0 / total)


def leave_one_out_outcomes(
    nodes: Sequence[HyperparameterNode], latents: Sequence[LatentGaussian], duels: Duels, seed: int
) -> Array:
    """Return the probabilities of all outcomes of each duel given all other answers, (m, 3), by EP at every node.

    The outcomes are: the first design of the row wins, tie, the second design wins. The weights of the nodes are those
    of `leave_one_out`; the link is symmetric, so the second design wins with the probability of a win at -g.
    """
    total, weights = np.zeros((len(duels), 3)), np.zeros(len(duels))
    nobody = np.zeros(len(duels), dtype=np.bool_)
    for node, latent in zip(nodes, latents, strict=True):
        likelihood = node.generative.likelihood
        sites = EP().infer(latent, likelihood, np.random.default_rng(seed)).sites
        mean, variance = latent.cavities(latent.solve(sites))
        first, second = (np.exp(likelihood.log_marginal(side * mean, variance, nobody).value) for side in (1.0, -1.0))
        outcomes = np.stack([first, np.maximum(1.0 - first - second, 0.0), second], axis=1)
        weight = node.weight * np.exp(-likelihood.log_marginal(mean, variance, duels.tied).value)
        total += weight[:, None] * outcomes
        weights += weight
    return np.asarray(total / weights[:, None])


@dataclass(frozen=True, eq=False)
class _NodeInference:
    posterior: GaussianPosterior
    info: Info
    state: Array
    inducing: InducingPoints | None


def _infer_at(
    generative: GenerativeModel,
    duels: Duels,
    inference: Inference,
    rule: InducingRule,
    rng: np.random.Generator,
    start: Array | None,
) -> _NodeInference:
    if not rule.applies(duels, inference):
        latent = generative.latent(duels, inference.latent)
        inferred = inference.infer(latent, generative.likelihood, rng, start)
        posterior = check_posterior(posterior_from_sites(generative.kernel, duels.points, latent, inferred.sites))
        return _NodeInference(posterior, inferred.info, inferred.state, None)
    sparse = generative.inducing_latent(duels, rule.max_designs, rule.tolerance)
    inferred = inference.infer(sparse, generative.likelihood, rng, start)
    inducing = sparse.inducing
    posterior = check_posterior(posterior_from_sites(generative.kernel, inducing.points, sparse, inferred.sites))
    posterior = posterior.with_points(_find_best_others(posterior, duels.points, inducing.chosen))
    return _NodeInference(posterior, inferred.info, inferred.state, inducing)


def check_finite(numbers: npt.ArrayLike) -> Array:
    """Return numbers as an array; raise if one is not finite."""
    array = np.asarray(numbers)
    if not np.isfinite(array).all():
        raise FloatingPointError("the posterior is not finite")
    return array


def check_posterior(posterior: GaussianPosterior) -> GaussianPosterior:
    """Return a posterior; raise if it is not finite at the designs compared."""
    spread = () if posterior.spread is None else posterior.spread
    for numbers in (posterior.beta, posterior.root, posterior.means, spread):
        check_finite(numbers)
    return posterior


def _find_best_others(posterior: Posterior, points: Array, chosen: IntArray) -> Array:
    """Return the compared designs of best mean, (n, d), that are not inducing points."""
    means = posterior.mean(points)
    means[chosen] = -np.inf
    best = np.argsort(-means, kind="stable")[: min(BEST_DESIGNS, len(points) - len(chosen))]
    return np.asarray(points[best])
