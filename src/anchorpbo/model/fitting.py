"""Hyper-parameters by Laplace evidence (eq. hyperparam-problem): L-BFGS-B on the logarithms, from several starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError
from anchorpbo.inference import evidence_gradient, find_mode, laplace_evidence
from anchorpbo.inference.laplace import CONVERGED
from anchorpbo.model.priors import Learn
from anchorpbo.model.surrogate import Surrogate
from anchorpbo.numerics.sobol import sobol
from anchorpbo.typing import Array

# Bounds are compared on the logarithmic scale.
_ROUNDING = 1e-9


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


def log_posterior(surrogate: Surrogate, duels: Duels, learn: Mapping[str, Learn], start: Array | None) -> _Evaluation:
    """Evidence and log-priors of these hyper-parameters, with the gradient in theta; from margins `start`."""
    space = surrogate.space(duels)
    mode = find_mode(space, surrogate.likelihood, start)
    if start is not None and mode.residual > CONVERGED:
        mode = find_mode(space, surrogate.likelihood)
    evidence = laplace_evidence(mode)
    gradient = surrogate.pull(duels, evidence_gradient(space, surrogate.likelihood, mode))
    value = evidence
    for index, (name, log_value) in enumerate(zip(surrogate.names, surrogate.theta, strict=True)):
        spec = _spec(learn, name)
        if spec is not None and spec.prior is not None:
            log_prior, slope = spec.prior.log_density(float(log_value))
            value += log_prior
            gradient[index] += slope
    return _Evaluation(value, gradient, evidence, mode.margins)


@dataclass(frozen=True, eq=False)
class _Evaluation:
    value: float
    gradient: Array
    evidence: float
    margins: Array


def fit(surrogate: Surrogate, duels: Duels, learn: Mapping[str, Learn], starts: int) -> tuple[Surrogate, FitInfo]:
    """The surrogate at the best hyper-parameters found.

    The first start is the surrogate as given; the others are Sobol points in the middle of the allowed ranges. Nothing
    else enters, so the same duels give the same fit whatever happened before.
    """
    given, names = surrogate.theta, surrogate.names
    learnt = {index: spec for index, name in enumerate(names) if (spec := _spec(learn, name)) is not None}
    free, specs = np.array(list(learnt), dtype=np.intp), list(learnt.values())
    if not specs:
        evidence = log_posterior(surrogate, duels, learn, None).evidence
        return surrogate, FitInfo(evidence, evidence, 1, True, ())
    bounds = np.log([spec.bounds for spec in specs])
    _check_inside([names[i] for i in free], given[free], bounds)

    evaluations = 0
    margins: Array | None = None

    def negative(free_theta: Array) -> tuple[float, Array]:
        nonlocal evaluations, margins
        theta = given.copy()
        theta[free] = free_theta
        result = log_posterior(surrogate.at(theta), duels, learn, margins)
        evaluations, margins = evaluations + 1, result.margins
        return -result.value, -result.gradient[free]

    best: optimize.OptimizeResult | None = None
    for start in _starts(given[free], bounds, specs, starts):
        margins = None
        found = optimize.minimize(negative, start, jac=True, method="L-BFGS-B", bounds=optimize.Bounds(*bounds.T))
        if best is None or found.fun < best.fun:
            best = found
    assert best is not None
    theta = given.copy()
    theta[free] = best.x
    winner = surrogate.at(theta)
    # Afresh: what is reported must not depend on where the search came from.
    final = log_posterior(winner, duels, learn, None)
    same = abs(final.value + best.fun) <= 1e-6 * (1.0 + abs(final.value))
    converged = bool(best.success) and same
    return winner, FitInfo(final.evidence, final.value, evaluations, converged, tuple(names[i] for i in free))


def _check_inside(names: list[str], theta: Array, bounds: Array) -> None:
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
