"""Posterior of the hyper-parameters (eq. hyperparam-problem), and its mode by BFGS on the logarithms.

If the noise map is learnt, skipped questions can be evidence as well (`anchorpbo.model.skips`).

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
from anchorpbo.model.skips import SkipEvidence
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
"""Tolerance of EP while lapse probabilities are compared."""
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
    """Log evidence plus log-priors, and the log likelihood of skips if there are any, which the fit maximises."""
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
    skips: SkipEvidence | None = None,
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
    skips
        Skipped questions, whose log likelihood is added like a log-prior.
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
    if skips is not None:
        likelihood_of_skips, of_noise = skips.value_and_gradient(generative.noise)
        value += likelihood_of_skips
        first = len(generative.kernel.parameter_names)
        of_priors[first : first + len(of_noise)] += of_noise

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
        """Gradient in theta; entries that were not wanted hold only the gradient of the priors and of the skips."""
        return self.compute_gradient()


@dataclass(frozen=True, eq=False)
class HyperparameterPosterior:
    """Log posterior of the learnt hyper-parameters x, (p,), entries of theta: Laplace evidence plus log-priors."""

    generative: GenerativeModel
    """The model as given; the entries of its theta that are not learnt are fixed."""
    duels: Duels
    learn: Mapping[str, Learn]
    names: tuple[str, ...]
    """Names of the learnt hyper-parameters."""
    specs: list[Learn]
    free: BoolArray
    """Which entries of theta are learnt."""
    rows: Rows | None
    """`GenerativeModel.unlimited_rows` of the duels; ``None`` if they depend on a learnt hyper-parameter."""
    skips: SkipEvidence | None = None
    """Skipped questions; ``None`` if there are none."""

    @classmethod
    def of(
        cls,
        generative: GenerativeModel,
        duels: Duels,
        learn: Mapping[str, Learn],
        skips: SkipEvidence | None = None,
    ) -> HyperparameterPosterior:
        """Select the learnt hyper-parameters; raise unless the given values are inside their bounds."""
        # Repeated answers to one pair become one row with a count.
        duels = duels.merge_repeats()
        given, names = generative.theta, generative.names
        learnt = {index: spec for index, name in enumerate(names) if (spec := _get_spec(learn, name)) is not None}
        specs, free = list(learnt.values()), np.isin(np.arange(len(names)), list(learnt))
        free_names = tuple(names[index] for index in learnt)
        # The rows depend only on the noise, so they are computed once if only the kernel is learnt.
        of_kernel = len(generative.split(given)[0])
        rows = generative.unlimited_rows(duels) if specs and not free[of_kernel:].any() else None
        posterior = cls(generative, duels, learn, free_names, specs, free, rows, skips)
        _check_inside(free_names, posterior.given, posterior.bounds)
        return posterior

    @cached_property
    def theta(self) -> Array:
        """The vector theta as given."""
        return self.generative.theta

    @property
    def given(self) -> Array:
        """Values of x as given, (p,)."""
        return self.theta[self.free]

    @cached_property
    def bounds(self) -> Array:
        """Bounds of x, (p, 2)."""
        return np.log([spec.bounds for spec in self.specs]).reshape(-1, 2)

    @cached_property
    def spreads(self) -> Array:
        """Prior standard deviations of x, (p,), or a quarter of the bounds without a prior."""
        return np.array(
            [
                (upper - lower) / 4.0 if spec.prior is None else spec.prior.spread
                for spec, (lower, upper) in zip(self.specs, self.bounds, strict=True)
            ],
            dtype=np.float64,
        )

    def at(self, x: Array) -> GenerativeModel:
        """Return the model at these hyper-parameters."""
        theta = self.theta.copy()
        theta[self.free] = x
        if self.rows is None:
            return self.generative.at(theta)
        return self.generative.with_kernel(self.generative.split(theta)[0])

    def evaluate(self, x: Array, start: Array | None = None, aim: float = MODE_TOLERANCE) -> Evaluation:
        """Compute the log posterior at x; see `log_posterior` for the other arguments."""
        return log_posterior(self.at(x), self.duels, self.learn, start, self.free, self.rows, aim, self.skips)


@dataclass(frozen=True, eq=False)
class Fit:
    """The mode of a `HyperparameterPosterior`."""

    x: Array
    """The mode, (p,)."""
    model: GenerativeModel
    """The model at the mode."""
    evaluation: Evaluation
    """The log posterior at the mode."""
    info: FitInfo


def fit(posterior: HyperparameterPosterior, starts: int) -> Fit:
    """Find the hyper-parameters of highest posterior density (MAP).

    The first start is the model as given; the others are Sobol points in the middle of the allowed ranges. Each search
    runs until it ends or comes close to the optimum of an earlier one. The fit depends on nothing else, so the same
    duels always give the same fit.
    """
    specs, bounds, duels, learn = posterior.specs, posterior.bounds, posterior.duels, posterior.learn
    if not specs:
        given = log_posterior(posterior.generative, duels, learn, None)  # no hyper-parameter depends on the skips
        info = FitInfo(given.evidence, given.evidence, 1, True, ())
        return Fit(posterior.given, posterior.generative, given, info)
    evaluations = 0
    margins: Array | None = None

    def negative(x: Array) -> tuple[float, Array]:
        nonlocal evaluations, margins
        evaluations += 1
        try:
            result = posterior.evaluate(x, margins)
            value, slope = -result.value, -result.gradient[posterior.free]
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

    curvature = posterior.spreads**-2 + _CURVATURE_PER_DUEL * len(duels)
    for start in _make_starts(posterior.given, bounds, specs, starts):
        margins = None
        results.append(minimize(negative, start, bounds.T, curvature, MIN_PROMISED_INCREASE, at_known_optimum))
    best = min(results, key=lambda result: result.value)
    winner = posterior.at(best.x)
    final = log_posterior(winner, duels, learn, margins, None, posterior.rows, skips=posterior.skips)
    same = abs(final.value + best.value) <= 1e-6 * (1.0 + abs(final.value))
    info = FitInfo(final.evidence, final.value, evaluations, best.converged and same, posterior.names)
    return Fit(best.x, winner, final, info)


def fit_with_lapse(
    generative: GenerativeModel,
    duels: Duels,
    learn: Mapping[str, Learn],
    starts: int,
    skips: SkipEvidence | None = None,
) -> tuple[HyperparameterPosterior, Fit]:
    """Fit all hyper-parameters; if the lapse is learnt, return the fit at the best lapse of the grid."""
    spec = learn.get("lapse")
    if spec is None:
        posterior = HyperparameterPosterior.of(generative, duels, learn, skips)
        return posterior, fit(posterior, starts)
    separate = duels.expand_repeats()
    tried: list[tuple[float, HyperparameterPosterior, Fit]] = []
    for lapse in np.geomspace(*spec.bounds, LAPSE_GRID)[::-1].tolist():
        # From the largest lapse down, each fit starts at the one before, which is near.
        start = tried[-1][2].model if tried else generative
        at_lapse = replace(start, likelihood=start.likelihood.with_lapse(lapse))
        posterior = HyperparameterPosterior.of(at_lapse, duels, learn, skips)
        fitted = fit(posterior, 1 if tried else starts)
        log_priors = fitted.info.objective - fitted.info.log_evidence
        if spec.prior is not None:
            log_priors += spec.prior.log_density(float(np.log(lapse)))[0]
        tried.append((_score_by_ep(fitted.model, separate) + log_priors, posterior, fitted))
    _, posterior, best = max(tried, key=lambda each: each[0])
    evaluations = sum(each.info.evaluations for _, _, each in tried)
    info = replace(best.info, evaluations=evaluations, learnt=(*best.info.learnt, "lapse"))
    return posterior, replace(best, info=info)


def _score_by_ep(generative: GenerativeModel, duels: Duels) -> float:
    """Return EP's evidence."""
    latent, likelihood = generative.latent(duels), generative.likelihood
    sites = EP(tolerance=SCORE_TOLERANCE).infer(latent, likelihood, np.random.default_rng(0)).sites
    return ep_evidence(latent, likelihood, sites)


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
