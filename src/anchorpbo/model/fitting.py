"""Hyper-parameters by Laplace evidence (eq. hyperparam-problem): BFGS on the logarithms, from several starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import InputError
from anchorpbo.inference import evidence_gradient, find_mode, laplace_evidence
from anchorpbo.inference.laplace import CONVERGED_DECREMENT, ROUNDING_DECREMENT
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.priors import Learn
from anchorpbo.numerics.bfgs import Minimum, minimize
from anchorpbo.numerics.sobol import sobol
from anchorpbo.typing import Array, BoolArray

MODE_TOLERANCE = 1e-7
"""How near to the mode, in posterior standard deviations, the evidence is taken while it is climbed."""
MIN_PROMISED_INCREASE = 1e-5
"""A climb ends when the next step promises less of the evidence's logarithm: a hundredth of a standard deviation of a
hyper-parameter has that much."""
_CURVATURE_PER_DUEL = 0.06
"""About what a duel adds to the curvature of the evidence in the logarithm of a hyper-parameter."""

# Bounds are compared on the logarithmic scale.
_BOUNDS_TOLERANCE = 1e-9
# A search this close to an optimum, in every logarithm, and not better than it, is on its way there.
_SAME_OPTIMUM_DISTANCE = 0.03


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
    """Whether the climb that won ended where no step promised more."""
    learnt: tuple[str, ...]
    """Names of the hyper-parameters that were free."""


@cache
def base_name(name: str) -> str:
    """``lengthscale`` of ``left.lengthscale[2]``."""
    return name.rsplit(".", 1)[-1].split("[", 1)[0]


def _get_spec(learn: Mapping[str, Learn], name: str) -> Learn | None:
    """Look up the `Learn` of a hyper-parameter, by its own name or by its base name."""
    return learn.get(name, learn.get(base_name(name)))


def log_posterior(
    generative: GenerativeModel,
    duels: Duels,
    learn: Mapping[str, Learn],
    start: Array | None,
    wanted: BoolArray | None = None,
    rows: Rows | None = None,
    aim: float = ROUNDING_DECREMENT,
) -> Evaluation:
    """Compute the Laplace evidence plus log-priors at the model's hyper-parameters; the gradient on demand.

    Parameters
    ----------
    start
        Margins, (m,), from which the mode is sought.
    wanted
        Entries of theta whose derivative is needed, by default all.
    rows
        `GenerativeModel.unlimited_rows` of the duels, where they are known already.
    aim
        How near to the mode to come, see `find_mode`.
    """
    space, pull = generative.latent_with_pullback(duels, rows)
    mode = find_mode(space, generative.likelihood, start, aim)
    if start is not None and mode.residual > max(CONVERGED_DECREMENT, aim):
        mode = find_mode(space, generative.likelihood)
    names, theta = generative.names, generative.theta
    value = evidence = laplace_evidence(mode)
    of_priors = np.zeros(len(theta))
    for index, name in enumerate(names):
        spec = _get_spec(learn, name)
        if spec is not None and spec.prior is not None:
            log_prior, of_priors[index] = spec.prior.log_density(float(theta[index]))
            value += log_prior

    def gradient() -> Array:
        everywhere = np.ones(len(theta), dtype=np.bool_)
        of_evidence = evidence_gradient(space, generative.likelihood, mode)
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


def fit(
    generative: GenerativeModel, duels: Duels, learn: Mapping[str, Learn], starts: int
) -> tuple[GenerativeModel, FitInfo]:
    """Return the model at the hyper-parameters of highest evidence found, and what the fit did.

    The first start is the model as given; the others are Sobol points in the middle of the allowed ranges, each
    followed until it ends or comes to where an earlier one did. Nothing else enters, so the same duels give the same
    fit whatever happened before.
    """
    # Equal answers to one pair are one row that counts so often.
    duels = duels.merge_repeats()
    given, names = generative.theta, generative.names
    learnt = {index: spec for index, name in enumerate(names) if (spec := _get_spec(learn, name)) is not None}
    specs = list(learnt.values())
    free = np.isin(np.arange(len(names)), list(learnt))
    if not specs:
        evidence = log_posterior(generative, duels, learn, None).evidence
        return generative, FitInfo(evidence, evidence, 1, True, ())
    bounds = np.log([spec.bounds for spec in specs])
    free_names = tuple(names[index] for index in learnt)
    _check_inside(free_names, given[free], bounds)

    of_kernel = len(generative.split(given)[0])
    # While only the kernel moves, the noise stays what it is.
    rows = None if free[of_kernel:].any() else generative.unlimited_rows(duels)
    evaluations = 0
    margins: Array | None = None

    def at(free_theta: Array) -> GenerativeModel:
        theta = given.copy()
        theta[free] = free_theta
        return generative.at(theta) if rows is None else generative.with_kernel(theta[:of_kernel])

    def negative(free_theta: Array) -> tuple[float, Array]:
        nonlocal evaluations, margins
        evaluations += 1
        try:
            result = log_posterior(at(free_theta), duels, learn, margins, free, rows, MODE_TOLERANCE)
            value, slope = -result.value, -result.gradient[free]
        except np.linalg.LinAlgError:
            value, slope = np.inf, np.zeros(len(specs))
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            return np.inf, np.zeros(len(specs))  # no number: a descent keeps away from there
        margins = result.margins
        return value, slope

    results: list[Minimum] = []

    def at_known_optimum(x: Array, value: float) -> bool:
        return any(
            other.converged and value >= other.value and np.abs(x - other.x).max() < _SAME_OPTIMUM_DISTANCE
            for other in results
        )

    curvature = _estimate_curvature(bounds, specs, len(duels))
    for start in _make_starts(given[free], bounds, specs, starts):
        margins = None
        results.append(minimize(negative, start, bounds.T, curvature, MIN_PROMISED_INCREASE, at_known_optimum))
    best = min(results, key=lambda result: result.value)
    winner = at(best.x)
    final = log_posterior(winner, duels, learn, margins, None, rows)
    same = abs(final.value + best.value) <= 1e-6 * (1.0 + abs(final.value))
    converged = best.converged and same
    return winner, FitInfo(final.evidence, final.value, evaluations, converged, free_names)


def _check_inside(names: tuple[str, ...], theta: Array, bounds: Array) -> None:
    for name, value, (lower, upper) in zip(names, theta, bounds, strict=True):
        if not lower - _BOUNDS_TOLERANCE <= value <= upper + _BOUNDS_TOLERANCE:
            rule = f"{name} must lie within the bounds it is learnt in, {np.exp(lower):.3g} to {np.exp(upper):.3g}"
            remedy = f'scale the designs to the unit cube, or pass learn={{"{base_name(name)}": Learn((lower, upper))}}'
            raise InputError(rule, f"{np.exp(value):.6g}", remedy)


def _make_starts(given: Array, bounds: Array, specs: list[Learn], count: int) -> list[Array]:
    """The given values, then Sobol points over the bulk of the priors, or of the bounds."""
    lower, upper = bounds.T.copy()
    for index, spec in enumerate(specs):
        if spec.prior is not None:
            centre = np.log(spec.prior.median)
            lower[index] = max(lower[index], centre - spec.prior.spread)
            upper[index] = min(upper[index], centre + spec.prior.spread)
    # The first Sobol point is the corner 0, which no one would start from.
    others = lower + sobol(count, len(specs))[1:] * (upper - lower)
    return [np.clip(start, *bounds.T) for start in [given, *others]]


def _estimate_curvature(bounds: Array, specs: list[Learn], duels: int) -> Array:
    """About how the objective curves in each logarithm: what the prior says, or else the bounds, and the duels."""
    spreads = [
        (upper - lower) / 4.0 if spec.prior is None else spec.prior.spread
        for (lower, upper), spec in zip(bounds, specs, strict=True)
    ]
    return np.array(spreads, dtype=np.float64) ** -2 + _CURVATURE_PER_DUEL * duels
