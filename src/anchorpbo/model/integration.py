"""Integration over the hyper-parameters: a few nodes with weights instead of the mode alone, as in INLA [Rue2009].

Symbols: x (p,) are the logarithms of the learnt hyper-parameters, log p(x) their log posterior (Laplace evidence plus
log-priors), x^ its mode (MAP) and H its negative Hessian there, by differences of the analytic gradient. A rule has
nodes z_k (p,) and weights u_k that integrate a standard normal distribution, and then

    x_k = x^ + A z_k,   A A' = H^-1                    nodes of the Gaussian approximation N(x^, H^-1)
    w_k ~ u_k r_k,      r_k = p(x_k) / p(x^) exp(|z_k|^2 / 2)         corrected by the importance ratio

so that a mixture of posteriors at the nodes x_k with weights w_k approximates the integral over p(x). If p is Gaussian,
every ratio r_k is 1. A direction in which H is not positive gets a curvature below that of the prior (`MIN_CURVATURE`).
Nodes are clipped to the bounds. Ratios are truncated at sqrt(n) [Ionides2008], so that no node far out in a heavy tail
replaces all others.

A column of A belongs to a principal axis of H^-1, the widest first.

References
----------
[Ionides2008] E. L. Ionides. Truncated importance sampling. Journal of Computational and Graphical Statistics 17(2),
    295-311, 2008.
[Rue2009] H. Rue, S. Martino and N. Chopin. Approximate Bayesian inference for latent Gaussian models by using
    integrated nested Laplace approximations. Journal of the Royal Statistical Society B 71(2), 319-392, 2009.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np
from scipy import special

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.model.fitting import Fit, HyperparameterPosterior
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.numerics.sobol import sobol
from anchorpbo.numerics.validation import as_integer
from anchorpbo.typing import Array

MIN_CURVATURE = 0.5
"""Smallest curvature of the negative log posterior in any direction, in units of the prior's."""
DIFFERENCE_STEP = 0.02
"""Step of the differences of the gradient, in prior standard deviations."""
MIN_SHARE = 0.02
"""Nodes of a smaller weight, as a share of the largest, are left out."""
SPHERE_FACTOR = 1.1
"""Radius of a design's nodes as a multiple of sqrt(p), the typical distance of a standard normal vector [Rue2009]."""

IntegrationName = Literal["map", "qmc", "ccd", "simplex"]
Nodes = tuple[Array, Array]
"""Nodes z, (n, p), and weights u, (n,), for a standard normal vector."""


@dataclass(frozen=True)
class IntegrationRule(ABC):
    """A rule for the nodes and weights of an integral over the hyper-parameters; immutable."""

    nodes: int = 7
    """Largest number of nodes, at least 1; the first is the mode."""
    full_duels: int = 40
    """Number of duels beyond which there are fewer nodes, in inverse proportion, down to the mode alone: the cost of a
    node grows with the duels, and the posterior of the hyper-parameters narrows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", as_integer("nodes", self.nodes, 1))
        object.__setattr__(self, "full_duels", as_integer("full_duels", self.full_duels, 1))

    @abstractmethod
    def standard_nodes(self, dimension: int, count: int) -> Nodes:
        """Return nodes, (n, p), and weights, (n,), with sum 1, of a standard normal vector; the first node is 0.

        n is at most `count`, which is at least 2; p is at least 1.
        """

    @final
    def count_nodes(self, duels: int) -> int:
        """Return the largest number of nodes for this many duels."""
        return min(self.nodes, max(round(self.nodes * self.full_duels / max(duels, 1)), 1))


@dataclass(frozen=True)
class MAP(IntegrationRule):
    """The mode alone (maximum a posteriori), INLA's empirical Bayes: no integration."""

    nodes: int = field(default=1, init=False)
    full_duels: int = field(default=1, init=False)

    def standard_nodes(self, dimension: int, count: int) -> Nodes:
        """Return the node 0 with weight 1."""
        return np.zeros((1, dimension)), np.ones(1)


@dataclass(frozen=True)
class QuasiMonteCarlo(IntegrationRule):
    """Quasi-random draws from the Gaussian approximation: Sobol' points, mapped to normal variates.

    There are 2^k - 1 nodes, 3, 7, 15 and so on, since these many points are symmetric about the mode on every axis.
    They are scaled to unit variance.
    """

    def standard_nodes(self, dimension: int, count: int) -> Nodes:
        """Return equally weighted draws."""
        n = 2 ** ((count + 1).bit_length() - 1) - 1
        # The first Sobol' point is the corner 0, the second the centre, whose normal variate is 0.
        z = np.asarray(special.ndtri(sobol(n + 1, dimension)[1:]))
        return z / np.sqrt((z**2).mean(axis=0)) if n > 1 else z, np.full(n, 1.0 / n)


@dataclass(frozen=True)
class CentralComposite(IntegrationRule):
    """Central composite design without corners: the mode, and two nodes on each of the k widest principal axes.

    There are 2 k + 1 nodes; all but the mode lie at a distance of 1.1 sqrt(k). The design has the mean and covariance
    of the Gaussian approximation on these axes; on the others it stays at the mode.
    """

    def standard_nodes(self, dimension: int, count: int) -> Nodes:
        """Return the design; the mode alone for fewer than three nodes."""
        directions = np.eye(min((count - 1) // 2, dimension), dimension)
        return _place_on_sphere(np.vstack([directions, -directions]))


@dataclass(frozen=True)
class SphericalSimplex(IntegrationRule):
    """Spherical simplex: the mode, and the k + 1 corners of a regular simplex on the k widest principal axes.

    There are k + 2 nodes; all but the mode lie at a distance of 1.1 sqrt(k). No design with fewer nodes has the mean
    and covariance of the Gaussian approximation on k axes; on the others it stays at the mode.
    """

    def standard_nodes(self, dimension: int, count: int) -> Nodes:
        """Return the design; the mode alone for fewer than three nodes."""
        k = min(count - 2, dimension)
        corners = np.zeros((k + 1, dimension))
        for axis in range(k):
            # Corner `axis` is the last with an entry of its own on this axis; the entries of those after it balance it.
            corners[axis, axis] = np.sqrt(1.0 - (corners[axis, :axis] ** 2).sum())
            corners[axis + 1 :, axis] = -corners[axis, axis] / (k - axis)
        return _place_on_sphere(corners)


def _place_on_sphere(directions: Array) -> Nodes:
    """Return 0 and nodes in these directions, (n, p), with the weights that give a unit variance on every axis."""
    k, n = int(np.count_nonzero(directions.any(axis=0))), len(directions)
    if not k:
        return np.zeros((1, directions.shape[1])), np.ones(1)
    z = np.vstack([np.zeros(directions.shape[1]), SPHERE_FACTOR * np.sqrt(k) * directions])
    outer = SPHERE_FACTOR**-2
    return z, np.append(1.0 - outer, np.full(n, outer / n))


INTEGRATION_RULES: dict[str, type[IntegrationRule]] = {
    "map": MAP, "qmc": QuasiMonteCarlo, "ccd": CentralComposite, "simplex": SphericalSimplex,
}  # fmt: skip
"""Integration rules by name."""


def resolve_integration(integration: IntegrationName | IntegrationRule) -> IntegrationRule:
    """Return the integration rule with this name, or the object itself."""
    if isinstance(integration, str):
        if integration not in INTEGRATION_RULES:
            raise UnknownNameError.of("integration", integration, INTEGRATION_RULES)
        return INTEGRATION_RULES[integration]()
    if not isinstance(integration, IntegrationRule):
        rule, remedy = "integration must be a name or an IntegrationRule", 'write "map" or CentralComposite()'
        raise InputError(rule, repr(integration)[:80], remedy)
    return integration


@dataclass(frozen=True, eq=False)
class HyperparameterNode:
    """A model at one node of the hyper-parameters, and its weight."""

    weight: float
    generative: GenerativeModel


def find_nodes(
    rule: IntegrationRule, posterior: HyperparameterPosterior, fitted: Fit
) -> tuple[HyperparameterNode, ...]:
    """Return the nodes of a rule with their weights, which sum to 1; the first is the mode."""
    p, count = len(fitted.x), rule.count_nodes(len(posterior.duels))
    if not p or count == 1:
        return (HyperparameterNode(1.0, fitted.model),)
    z, base = rule.standard_nodes(p, count)
    if len(z) == 1:
        return (HyperparameterNode(1.0, fitted.model),)
    axes = compute_axes(posterior, fitted)
    x = np.clip(fitted.x + z @ axes, *posterior.bounds.T)
    # A node that was clipped to the bounds lies nearer to the mode than its z.
    z = (x - fitted.x) @ np.linalg.inv(axes)
    mode = fitted.evaluation
    log_density = np.array([mode.value, *(_log_density(posterior, node, mode.margins) for node in x[1:])])
    log_ratio = log_density - mode.value + 0.5 * (z**2).sum(axis=1)
    ratio = np.exp(np.minimum(log_ratio, 0.5 * np.log(len(z))))
    weights = base * ratio / (base @ ratio)
    weights[1:][weights[1:] < MIN_SHARE * weights.max()] = 0.0
    models = (fitted.model, *map(posterior.at, x[1:]))
    return tuple(
        HyperparameterNode(float(weight), model)
        for weight, model in zip(weights / weights.sum(), models, strict=True)
        if weight > 0.0
    )


def compute_axes(posterior: HyperparameterPosterior, fitted: Fit) -> Array:
    """Return A', (p, p): principal axes of the Gaussian approximation, a standard deviation long, the widest first."""
    s = posterior.spreads
    # In units of the prior, so that a floor of the curvature has a meaning.
    values, vectors = np.linalg.eigh(s[:, None] * compute_curvature(posterior, fitted) * s)
    root = s[:, None] * vectors / np.sqrt(np.maximum(values, MIN_CURVATURE))
    left, widths, _ = np.linalg.svd(root)
    # The sign of a singular vector is arbitrary: its largest entry is made positive.
    largest = np.take_along_axis(left, np.abs(left).argmax(axis=0)[None], axis=0)
    return np.asarray((left * np.sign(largest) * widths).T)


def compute_curvature(posterior: HyperparameterPosterior, fitted: Fit) -> Array:
    """Return the negative Hessian of the log posterior at the mode, (p, p), by differences of its gradient."""
    x, free = fitted.x, posterior.free
    steps = DIFFERENCE_STEP * posterior.spreads
    steps = np.where(x + steps <= posterior.bounds[:, 1], steps, -steps)
    mode, H = fitted.evaluation, np.full((len(x), len(x)), np.nan)
    try:
        for row, step, unit in zip(H, steps, np.eye(len(x)), strict=True):
            row[:] = (mode.gradient - posterior.evaluate(x + step * unit, mode.margins).gradient)[free] / step
    except np.linalg.LinAlgError:
        pass
    # Where the evidence cannot be computed, the curvature is that of the prior.
    return 0.5 * (H + H.T) if np.isfinite(H).all() else np.diag(posterior.spreads**-2)


def _log_density(posterior: HyperparameterPosterior, x: Array, start: Array) -> float:
    """Return the log posterior at x; -infinity if it cannot be computed there."""
    try:
        value = posterior.evaluate(x, start).value
    except np.linalg.LinAlgError:
        return -np.inf
    return value if np.isfinite(value) else -np.inf


def integrate_evidence(posterior: HyperparameterPosterior, fitted: Fit) -> float:
    """Return the log evidence integrated over the hyper-parameters, by Laplace's method.

    The integral of p over x is p(x^) det(S H S)^(-1/2), in units of the integral of the prior if that is normal, with S
    the diagonal matrix of the prior standard deviations. The eigenvalues of S H S are at least `MIN_CURVATURE`. The
    difference between two models with the same priors is a log Bayes factor.
    """
    s = posterior.spreads
    curvature = np.linalg.eigvalsh(s[:, None] * compute_curvature(posterior, fitted) * s)
    return fitted.info.objective - 0.5 * float(np.log(np.maximum(curvature, MIN_CURVATURE)).sum())
