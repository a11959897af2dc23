"""Probability that a design is within a margin of the best design of the space.

Symbols: f a draw of the utility from the posterior, G the group of the design: the design and the compared designs
within one step of it in every parameter (`anchorpbo.study.design_groups`), usually the design alone; max and median
those of f over the space:

    p_within = P( max_G f >= max f - margin (max f - median f) )

The margin is a share of the way from a median design to the best one, so it has no unit. Unlike the probability of
being the best, p_within does not fall when the space has designs that are nearly equal to it.

Draws over a region are functions, each maximised by a search of its own (`anchorpbo.search.path_search`). Draws over a
list, and draws under a kernel without Fourier features, are joint draws at a finite set of designs.

A posterior probability is a frequency only if the prior is right. The prior of the default preset has short
length-scales, because the search needs them, so `StoppingCalibration` maps its probabilities to observed frequencies.
If all designs of a list have been compared, no unknown design can be better, and the posterior probability is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from anchorpbo.posterior import Posterior
from anchorpbo.posterior.paths import Paths, draw_paths
from anchorpbo.search.path_search import maximise_paths
from anchorpbo.space import DesignSpace
from anchorpbo.space.region import Region
from anchorpbo.typing import Array, BoolArray

DEFAULT_MARGIN = 0.1
"""Default margin: 10 % of the gap between a median design and the best."""
REFERENCE_ANSWERS = 30
"""Number of answers at which `StoppingCalibration.answers_weight` has no effect."""
FITTED_ANSWERS, FITTED_MARGINS, FITTED_RATIOS = (10, 60), (0.03, 1.0), (0.3, 70.0)
"""Ranges of the simulated studies to which a calibration is fitted."""
PATHS = 512
"""Number of draws of the utility as a function."""
SPREAD_DESIGNS = 1024
"""Number of designs spread over a region, at which each of these functions is evaluated."""
GAIN_TOLERANCE = 1e-3
"""Accuracy of the maximum of a function, as a share of the way from its median to its maximum."""
LIST_DRAWS = 4096
"""Number of joint draws at a finite set of designs."""
MAX_LISTED_DESIGNS = 500
"""Largest number of designs in these draws; longer lists are represented by a part of their designs."""
COMPARED_SPREAD_DESIGNS = 256
"""Number of designs that represent the space in `compute_p_within_compared`."""
CLOUD_DESIGNS = 128
"""Number of designs around x, for kernels without Fourier features."""
CLOUD_RADII = (0.02, 0.05, 0.1, 0.2)
"""Standard deviations of their coordinates."""


@dataclass(frozen=True)
class StoppingCalibration:
    """Map from the posterior probability p of being within a margin to an observed frequency, as in Platt scaling.

    With z = Phi^-1(p), m answers, the margin h and s = log(1 + r), where r is the signal-to-noise ratio of a duel,

        frequency = Phi(intercept + margin_weight log(h / 0.1)
                        + s (signal_weight + answers_weight log(m / 30) + slope z))

    The frequency increases with p. The coefficients were fitted to simulated studies; outside of the ranges that these
    had, the nearest value counts (docs/decisions/0039-stopping-rule.md).
    """

    intercept: float
    margin_weight: float
    """At least 0, so that the frequency increases with the margin."""
    signal_weight: float
    answers_weight: float
    slope: float
    """Above 0."""

    def __call__(self, p: Array | float, answers: Array | int, margin: Array | float, ratio: Array | float) -> Array:
        """Return the frequencies for arrays of one shape.

        Parameters
        ----------
        p
            Posterior probabilities.
        answers
            Numbers of answers.
        margin
            Margins.
        ratio
            Signal-to-noise ratios: the prior variance of the utility over the variance of a duel's noise.
        """
        # None or all of the draws within the margin is no proof of a probability of 0 or 1.
        z = special.ndtri(np.clip(p, 0.5 / PATHS, 1.0 - 0.5 / PATHS))
        answers, margin, ratio = (
            np.clip(given, *fitted)
            for given, fitted in ((answers, FITTED_ANSWERS), (margin, FITTED_MARGINS), (ratio, FITTED_RATIOS))
        )
        offset = self.intercept + self.margin_weight * np.log(margin / DEFAULT_MARGIN)
        per_signal = self.signal_weight + self.answers_weight * np.log(answers / REFERENCE_ANSWERS) + self.slope * z
        return np.asarray(special.ndtr(offset + np.log1p(ratio) * per_signal))


def compute_p_within(
    posterior: Posterior,
    space: DesignSpace,
    x: Array,
    margin: float,
    seed: int,
    excluded: Array | None = None,
    same: Array | None = None,
) -> float:
    """Return the probability that a design is within a margin of the best.

    Parameters
    ----------
    posterior
        Posterior of the utility.
    space
        The design space.
    x
        Coordinates of the design, (d,).
    margin
        Share of the way from a median design to the best.
    seed
        Seed of the draws.
    excluded
        Coordinates, (n, d), of designs of a listed space that cannot be the best.
    same
        Coordinates, (k, d), of designs that count as the same design as x.
    """
    rng = np.random.default_rng([seed, 6])
    group = x[None] if same is None else np.vstack([x, same])
    if space.candidates is not None:
        available = drop_designs(space.candidates, excluded)
        return _estimate_on_list(posterior, available, available[:0], group, margin, rng)
    region = Region.cube(space.dimension) if space.region is None else space.region
    grids = {c: grid for c, grid in enumerate(region.grids) if grid is not None}
    paths = draw_paths(posterior, PATHS, grids, rng)
    spread = region.sample(SPREAD_DESIGNS, rng)
    if paths is None:
        near = np.vstack([posterior.points, sample_around(region, x, rng)])
        return _estimate_on_list(posterior, spread, near, group, margin, rng)
    return float(np.concatenate([_are_within(part, region, spread, group, margin) for part in paths]).mean())


def compute_p_within_compared(
    posterior: Posterior, space: DesignSpace, compared: Array, group: Array, margin: float, seed: int
) -> float:
    """Return the probability that no design compared is better than a group of designs by more than a margin.

    Parameters
    ----------
    posterior
        Posterior of the utility.
    space
        The design space; its median and best designs are those of some that represent it.
    compared
        Coordinates of designs compared, (n, d).
    group
        Coordinates of designs that count as one, (k, d).
    margin
        Share of the way from a median design to the best.
    seed
        Seed of the draws.
    """
    rng = np.random.default_rng([seed, 7])
    spread = space.sample(COMPARED_SPREAD_DESIGNS, rng)
    draws = posterior.sample(np.vstack([spread, compared, group]), LIST_DRAWS, rng)
    gap = draws.max(axis=1) - np.median(draws[:, : len(spread)], axis=1)
    own, best = draws[:, -len(group) :].max(axis=1), draws[:, len(spread) :].max(axis=1)
    return float((own >= best - margin * gap).mean())


def drop_designs(designs: Array, others: Array | None) -> Array:
    """Return the designs, (n, d), that are not among others, (k, d)."""
    if others is None or not len(others):
        return designs
    unwanted = set(map(bytes, others))
    return designs[[bytes(x) not in unwanted for x in designs]]


def _are_within(paths: Paths, region: Region, spread: Array, group: Array, margin: float) -> BoolArray:
    """Return for each path whether a design of the group is within the margin of its maximum, (s,)."""
    designs = np.vstack([spread, paths.points, group])
    values = paths(designs)
    own, median, best = (
        values[:, -len(group) :].max(axis=1),
        np.median(values[:, : len(spread)], axis=1),
        values.max(axis=1),
    )
    # A larger maximum cannot bring the group within the margin, so the other paths need no search.
    rows = np.flatnonzero(own >= best - margin * (best - median))
    if len(rows):
        tolerance = GAIN_TOLERANCE * float(np.median(best - median))
        best[rows] = maximise_paths(paths, rows, region, designs, values[rows], tolerance)
    return np.asarray(own >= best - margin * (best - median))


def _estimate_on_list(
    posterior: Posterior, every: Array, more: Array, group: Array, margin: float, rng: np.random.Generator
) -> float:
    """Estimate the probability by joint draws at designs that represent the space, (n, d), and at more of them."""
    designs = np.vstack([every, more])
    if len(designs) > MAX_LISTED_DESIGNS:
        half = MAX_LISTED_DESIGNS // 2
        better = posterior.prob_prefer(designs, np.broadcast_to(group[0], designs.shape))
        likely = designs[np.argsort(-better, kind="stable")[:half]]
        every = every[rng.permutation(len(every))[:half]]
        designs = np.vstack([every, likely])
    draws = posterior.sample(np.vstack([designs, group]), LIST_DRAWS, rng)
    best, median = draws.max(axis=1), np.median(draws[:, : len(every)], axis=1)
    own = draws[:, -len(group) :].max(axis=1)
    return float((own >= best - margin * (best - median)).mean())


def sample_around(region: Region, x: Array, rng: np.random.Generator) -> Array:
    """Return designs of a region around x, (n, d)."""
    radii = np.repeat(CLOUD_RADII, CLOUD_DESIGNS // len(CLOUD_RADII))
    return region.repair(region.snap(x + radii[:, None] * rng.standard_normal((len(radii), len(x)))))
