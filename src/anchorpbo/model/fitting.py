"""Fit of hyper-parameters by Laplace evidence (eq. hyperparam-problem): BFGS on the logarithms, from several starts.

The lapse probability is learnt on a grid. Laplace's evidence is a poor judge of it, since it clips the curvatures of
the answers that a lapse explains. So the other hyper-parameters are fitted by Laplace's evidence at each lapse of the
grid, and the lapse is chosen by the evidence of expectation propagation there, plus all log-priors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from anchorpbo.duels import Duels, Rows
from anchorpbo.errors import InputError
from anchorpbo.inference import EP, ep_evidence, evidence_gradient, find_mode, laplace_evidence
from anchorpbo.inference.laplace import CONVERGED_DECREMENT, ROUNDING_DECREMENT
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.priors import Learn
from anchorpbo.numerics.bfgs import Minimum, minimize
from anchorpbo.numerics.sobol import sobol
from anchorpbo.typing import Array, BoolArray

MODE_TOLERANCE = 1e-7
"""Tolerance of the mode, in posterior standard deviations, while the evidence is maximised."""
MIN_PROMISED_INCREASE = 1e-5
"""BFGS ends when the next step promises a smaller increase of the log evidence. A shift of a hyper-parameter by a
hundredth of its standard deviation changes it by about this much."""
_CURVATURE_PER_DUEL = 0.06
"""Approximate curvature that one duel adds to the log evidence in the logarithm of a hyper-parameter."""

SCORE_TOLERANCE = 1e-3
"""Tolerance of EP while lapse probabilities are compared; its evidence is stationary, so the error is far smaller."""
LAPSE_GRID = 5
"""Number of lapse probabilities that are tried, evenly spaced in the logarithm between the bounds."""

# Tolerance on the logarithmic scale.
_BOUNDS_TOLERANCE = 1e-9
# A search within this distance of a known optimum in every logarithm, and not better than it, leads to the same one.
_SAME_OPTIMUM_DISTANCE = 0.03


@dataclass(frozen=True)
class FitInfo:
    """Summary of a fit."""

    log_evidence: float
    """Laplace evidence at the fitted hyper-parameters, without priors."""
    objective: float
    """Log evidence plus log-priors, which the fit maximises."""
    evaluations: int
    """Number of evidence gradients computed, over all starts."""
    converged: bool
    """Whether the best search ended because no step promised an increase."""
    learnt: tuple[str, ...]
    """Names of the hyper-parameters that were learnt."""


@cache
def base_name(name: str) -> str:
    """Return the base name of a hyper-parameter: ``lengthscale`` for ``left.lengthscale[2]``."""
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
    """Compute the Laplace evidence plus log-priors at the model's hyper-parameters; the gradient is computed on demand.

    Parameters
    ----------
    start
        Margins, (m,), at which the search for the mode starts.
    wanted
        Entries of theta whose derivative is needed; by default all.
    rows
        `GenerativeModel.unlimited_rows` of the duels, if already computed.
    aim
        Tolerance of the mode, see `find_mode`.
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
    """The log posterior at some hyper-parameters."""

    value: float
    evidence: float
    margins: Array
    """Margins at the mode, (m,)."""
    compute_gradient: Callable[[], Array]

    @cached_property
    def gradient(self) -> Array:
        """Gradient in theta; entries that were not wanted hold only the gradient of the prior."""
        return self.compute_gradient()


def fit(
    generative: GenerativeModel, duels: Duels, learn: Mapping[str, Learn], starts: int
) -> tuple[GenerativeModel, FitInfo]:
    """Return the model at the hyper-parameters of highest evidence found, and a summary of the fit."""
    spec = learn.get("lapse")
    if spec is None:
        return _fit_at_lapse(generative, duels, learn, starts)
    separate = duels.expand_repeats()
    fits: list[tuple[float, GenerativeModel, FitInfo]] = []
    for lapse in np.geomspace(*spec.bounds, LAPSE_GRID)[::-1].tolist():
        # From the largest lapse down, each fit starts at the one before, which is near.
        start = fits[-1][1] if fits else generative
        at_lapse = replace(start, likelihood=start.likelihood.with_lapse(lapse))
        fitted, info = _fit_at_lapse(at_lapse, duels, learn, 1 if fits else starts)
        log_priors = info.objective - info.log_evidence
        if spec.prior is not None:
            log_priors += spec.prior.log_density(float(np.log(lapse)))[0]
        fits.append((_score_by_ep(fitted, separate) + log_priors, fitted, info))
    _, chosen, info = max(fits, key=lambda fit: fit[0])
    evaluations = sum(each.evaluations for _, _, each in fits)
    return chosen, replace(info, evaluations=evaluations, learnt=(*info.learnt, "lapse"))


def _score_by_ep(generative: GenerativeModel, duels: Duels) -> float:
    """Return EP's evidence."""
    latent, likelihood = generative.latent(duels), generative.likelihood
    sites = EP(tolerance=SCORE_TOLERANCE).infer(latent, likelihood, np.random.default_rng(0)).sites
    return ep_evidence(latent, likelihood, sites)


def _fit_at_lapse(
    generative: GenerativeModel, duels: Duels, learn: Mapping[str, Learn], starts: int
) -> tuple[GenerativeModel, FitInfo]:
    """Fit all other hyper-parameters at a given lapse probability.

    The first start is the model as given; the others are Sobol points in the middle of the allowed ranges. Each search
    runs until it ends or comes close to the optimum of an earlier one. The fit depends on nothing else, so the same
    duels always give the same fit.
    """
    # Repeated answers to one pair become one row with a count.
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
    # The rows depend only on the noise, so they are computed once if only the kernel is learnt.
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
            return np.inf, np.zeros(len(specs))  # an infinite value keeps the search away from here
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
    """Return the given values, then Sobol points over the bulk of the priors, or over the bounds without a prior."""
    lower, upper = bounds.T.copy()
    for index, spec in enumerate(specs):
        if spec.prior is not None:
            centre = np.log(spec.prior.median)
            lower[index] = max(lower[index], centre - spec.prior.spread)
            upper[index] = min(upper[index], centre + spec.prior.spread)
    # The first Sobol point is the corner 0, a poor start.
    others = lower + sobol(count, len(specs))[1:] * (upper - lower)
    return [np.clip(start, *bounds.T) for start in [given, *others]]


def _estimate_curvature(bounds: Array, specs: list[Learn], duels: int) -> Array:
    """Estimate the curvature of the objective in each logarithm, from the prior (or else the bounds) and the duels."""
    spreads = [
        (upper - lower) / 4.0 if spec.prior is None else spec.prior.spread
        for (lower, upper), spec in zip(bounds, specs, strict=True)
    ]
    return np.array(spreads, dtype=np.float64) ** -2 + _CURVATURE_PER_DUEL * duels
