"""Hyper-parameters by Laplace evidence (eq. hyperparam-problem): L-BFGS-B on the logarithms, from several starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.inference import evidence_gradient, find_mode, laplace_evidence
from anchorpbo.inference.laplace import CONVERGED
from anchorpbo.model.priors import Learn
from anchorpbo.model.surrogate import Surrogate
from anchorpbo.numerics.sobol import sobol
from anchorpbo.typing import Array, BoolArray

# Bounds are compared on the logarithmic scale.
_ROUNDING = 1e-9
# A search this close to an optimum, in every logarithm, and not better than it, is on its way there.
_SAME_OPTIMUM = 0.03


@dataclass(frozen=True)
class FitInfo:
    """What a fit did."""

    log_evidence: float
    """Laplace evidence at the end, priors left out."""
    objective: float
    """Evidence and log-priors, what was maximised."""
    evaluations: int
    """Evidence gradients computed, over all starts."""
    converged: bool
    """Whether L-BFGS-B said so from the start that won."""
    learnt: tuple[str, ...]
    """Names of the hyper-parameters that were free."""


def base_name(name: str) -> str:
    """``lengthscale`` of ``left.lengthscale[2]``."""
    return name.rsplit(".", 1)[-1].split("[", 1)[0]


def _spec(learn: Mapping[str, Learn], name: str) -> Learn | None:
    """What is said of a hyper-parameter, by its own name or by that of its kind."""
    return learn.get(name, learn.get(base_name(name)))


def log_posterior(
    surrogate: Surrogate,
    duels: Duels,
    learn: Mapping[str, Learn],
    start: Array | None,
    wanted: BoolArray | None = None,
) -> Evaluation:
    """Evidence and log-priors of these hyper-parameters, from margins `start`, with the gradient where it is wanted."""
    space, pull = surrogate.space_with_pullback(duels)
    mode = find_mode(space, surrogate.likelihood, start)
    if start is not None and mode.residual > CONVERGED:
        mode = find_mode(space, surrogate.likelihood)
    names, theta = surrogate.names, surrogate.theta
    value = evidence = laplace_evidence(mode)
    of_priors = np.zeros(len(theta))
    for index, name in enumerate(names):
        spec = _spec(learn, name)
        if spec is not None and spec.prior is not None:
            log_prior, of_priors[index] = spec.prior.log_density(float(theta[index]))
            value += log_prior

    def gradient() -> Array:
        everywhere = np.ones(len(theta), dtype=np.bool_)
        of_evidence = evidence_gradient(space, surrogate.likelihood, mode)
        return pull(of_evidence, everywhere if wanted is None else wanted) + of_priors

    return Evaluation(value, evidence, mode.margins, gradient)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The log posterior of some hyper-parameters."""

    value: float
    evidence: float
    margins: Array
    """At the mode, (m,)."""
    compute_gradient: Callable[[], Array]

    @cached_property
    def gradient(self) -> Array:
        """In theta; where it is not wanted, of the prior alone."""
        return self.compute_gradient()


def fit(surrogate: Surrogate, duels: Duels, learn: Mapping[str, Learn], starts: int) -> tuple[Surrogate, FitInfo]:
    """The surrogate at the best hyper-parameters found.

    The first start is the surrogate as given; the others are Sobol points in the middle of the allowed ranges, each
    followed until it ends or comes to where an earlier one did. Nothing else enters, so the same duels give the same
    fit whatever happened before.
    """
    given, names = surrogate.theta, surrogate.names
    learnt = {index: spec for index, name in enumerate(names) if (spec := _spec(learn, name)) is not None}
    specs = list(learnt.values())
    free = np.isin(np.arange(len(names)), list(learnt))
    if not specs:
        evidence = log_posterior(surrogate, duels, learn, None).evidence
        return surrogate, FitInfo(evidence, evidence, 1, True, ())
    bounds = np.log([spec.bounds for spec in specs])
    free_names = tuple(names[index] for index in learnt)
    _check_inside(free_names, given[free], bounds)

    evaluations = 0
    margins: Array | None = None

    def negative(free_theta: Array) -> tuple[float, Array]:
        nonlocal evaluations, margins
        theta = given.copy()
        theta[free] = free_theta
        result = log_posterior(surrogate.at(theta), duels, learn, margins, free)
        evaluations, margins = evaluations + 1, result.margins
        return -result.value, -result.gradient[free]

    found: list[optimize.OptimizeResult] = []

    def stop_at_known_optimum(intermediate_result: optimize.OptimizeResult) -> None:
        for other in found:
            near = np.abs(intermediate_result.x - other.x).max() < _SAME_OPTIMUM
            if other.success and near and intermediate_result.fun >= other.fun:
                raise StopIteration

    for start in _starts(given[free], bounds, specs, starts):
        margins = None
        result = optimize.minimize(
            negative,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=optimize.Bounds(*bounds.T),
            callback=stop_at_known_optimum,
        )
        found.append(result)
    best = min(found, key=lambda result: result.fun)
    theta = given.copy()
    theta[free] = best.x
    winner = surrogate.at(theta)
    # Afresh: what is reported must not depend on where the search came from.
    final = log_posterior(winner, duels, learn, None)
    same = abs(final.value + best.fun) <= 1e-6 * (1.0 + abs(final.value))
    converged = bool(best.success) and same
    return winner, FitInfo(final.evidence, final.value, evaluations, converged, free_names)


def _check_inside(names: tuple[str, ...], theta: Array, bounds: Array) -> None:
    for name, value, (lower, upper) in zip(names, theta, bounds, strict=True):
        if not lower - _ROUNDING <= value <= upper + _ROUNDING:
            rule = f"{name} must lie within the bounds it is learnt in, {np.exp(lower):.3g} to {np.exp(upper):.3g}"
            remedy = f'scale the designs to the unit cube, or pass learn={{"{base_name(name)}": Learn((lower, upper))}}'
            raise InputError(rule, f"{np.exp(value):.6g}", remedy)


def _starts(given: Array, bounds: Array, specs: list[Learn], count: int) -> list[Array]:
    """The given values, then Sobol points over what the priors, or else the bounds, find likely."""
    lower, upper = bounds.T.copy()
    for index, spec in enumerate(specs):
        if spec.prior is not None:
            centre = np.log(spec.prior.median)
            lower[index] = max(lower[index], centre - spec.prior.spread)
            upper[index] = min(upper[index], centre + spec.prior.spread)
    # The first Sobol point is the corner 0, which no one would start from.
    others = lower + sobol(count, len(specs))[1:] * (upper - lower)
    return [np.clip(start, *bounds.T) for start in [given, *others]]
