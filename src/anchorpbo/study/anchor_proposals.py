"""Proposals of anchors: designs to show with "could you judge this one well?".

    coverage     designs far from each other and from all marked designs; in a catalogue, medoids
    promising    designs that represent those that may be the best and are not represented by a marked design yet

The two kinds alternate, beginning with the promising ones; before the first answer all are for coverage. Distances are
those of the space before the first answer and those of the fitted kernel after it,

    r(x, y)^2 = 2 - 2 k(x, y) / sqrt(k(x, x) k(y, y))

so that a parameter with a long length-scale counts little. With p(y) the probability that y is the best design, rho its
correlation with x under the kernel, and P the designs that are marked or chosen before x, each promising design
maximises the probability that it represents and P does not,

    sum_y p(y) max(rho(x, y) - max_{z in P} rho(z, y), 0)

so designs that are nearly equal to one in P are not chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.kernels import Kernel
from anchorpbo.model import LogNormal, PreferenceGP
from anchorpbo.model.fitting import base_name
from anchorpbo.posterior import Posterior
from anchorpbo.posterior.gaussian_posterior import GaussianPosterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.space import Catalogue, Design, DesignSpace, farthest_points, medoids
from anchorpbo.space.subset_selection import MAX_SUBSET_ROWS, choose_farthest, choose_medoids
from anchorpbo.study.anchor_gain import PLANNED_DESIGNS, AnchorOutlook, compute_gains
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.optimality import sample_around
from anchorpbo.study.plan import Plan, select_learnable
from anchorpbo.study.recommendation import compute_intervals
from anchorpbo.typing import Array, BoolArray, IntArray

Reason = Literal["coverage", "promising"]

SOBOL_POINTS = 512
"""Number of Sobol' points among which proposals are chosen."""
LIKELY_DESIGNS = 200
"""Number of designs, those of highest upper quantile, whose probabilities of being the best are estimated."""
BEST_DRAWS = 1024
"""Number of joint draws behind these probabilities."""
CANDIDATES = 34
"""Number of designs that represent where the best may be, for the gain of an anchor."""
SPREAD_PROMISING = 3
"""Number of promising designs that proposals for coverage keep away from."""
NEGLIGIBLE_GAIN, SMALL_GAIN = 0.005, 0.02
"""Gains below which an anchor hardly helps, and below which it tells little."""
QUIETER = 0.95
"""An anchor reaches a design if it multiplies the noise there by this or less."""
MAX_REACH_DESIGNS = 500
"""Largest number of designs whose noise is compared, to say how many an anchor reaches."""


@dataclass(frozen=True)
class AnchorProposal:
    """A design that may become an anchor, and what that would change. Plain data, safe to share.

    Parameters
    ----------
    design
        The design.
    reason
        ``"promising"`` for a design that may be the best, ``"coverage"`` for one that is far from the marked designs
        and the other proposals.
    gain
        What an anchor there would change: how much more the next ten answers are expected to tell about the best
        design, as a share of the present expected loss, see `anchorpbo.study.anchor_gain`. It assumes that the user
        can judge the design well.
    sentence
        Why this design, how many designs an anchor there reaches, and the gain, in words.
    """

    design: Design
    reason: Reason
    gain: float
    sentence: str

    def __str__(self) -> str:
        return f"{self.design}: {self.sentence}"


def describe_proposal(reason: Reason, gain: float, reach: float, *, marked: bool) -> str:
    """Return why a design is proposed and what an anchor there would change, in a sentence.

    Parameters
    ----------
    reason, gain
        See `AnchorProposal`.
    reach
        Share of the designs about which answers become more reliable.
    marked
        Whether any design is marked.
    """
    where = {
        "promising": "Near the most promising designs",
        "coverage": "Far from the designs you have marked" if marked else "One of a few designs that cover the space",
    }[reason]
    if reach == 0.0 and gain < NEGLIGIBLE_GAIN:
        return f"{where}; an anchor here would change nothing."
    others = f"{100.0 * reach:.0f} % of the designs" if reach >= 0.005 else "only a few other designs"
    change = f"an anchor here makes answers about {others} more reliable"
    if gain < NEGLIGIBLE_GAIN:
        return f"{where}; {change}, but hardly helps to find the best one now."
    if gain < SMALL_GAIN:
        return f"{where}; {change}, but adds little information about the best one."
    rest = f"the next ten answers reduce the expected loss by a further {100.0 * gain:.0f} %"
    return f"{where}; {change}, and {rest}."


def propose_anchors(
    space: DesignSpace, n: int, data: StudyData, plan: Plan, seed: int, model: PreferenceGP | None
) -> list[AnchorProposal]:
    """Return up to n designs that are not marked; the first of more proposals are the same, except in a catalogue.

    Parameters
    ----------
    space
        The design space.
    n
        Number of proposals; fewer are returned if fewer designs are left.
    data
        The log as arrays.
    plan
        Plan of the study.
    seed
        Seed of the study.
    model
        The model that recommends; ``None`` before the first answer.
    """
    rng, marked = np.random.default_rng([seed, 4]), data.marked
    designs = _list_designs(space, marked, rng)
    if model is None:
        covering = _cover_space(space, designs, n, marked, rng)
        chosen: list[tuple[Array, Reason]] = [(x, "coverage") for x in covering]
        outlook = _look_ahead_from_prior(space, data, plan, seed)
    else:
        promising = _Promising.of(space, designs, model, seed)
        likely = promising.spread(max(n, SPREAD_PROMISING), marked)
        kept_away = np.vstack([marked, likely[:SPREAD_PROMISING]])
        covering = _cover_by_kernel(space, designs, n, kept_away, model.kernel)
        chosen = list(_interleave(likely, covering, n))
        outlook = promising.look_ahead(model, data, plan)
    if not chosen:
        return []
    gains, proposals = compute_gains(outlook, np.array([x for x, _ in chosen]), seed), []
    for (x, reason), gain in zip(chosen, gains, strict=True):
        reach = _compute_reach(outlook, x, designs[:MAX_REACH_DESIGNS])
        sentence = describe_proposal(reason, gain, reach, marked=len(marked) > 0)
        proposals.append(AnchorProposal(space.decode(x), reason, gain, sentence))
    return proposals


def _compute_reach(outlook: AnchorOutlook, x: Array, designs: Array) -> float:
    """Return the share of designs, (m, d), about which an anchor at x, (d,), would make answers more reliable."""
    return float(np.mean(outlook.noise_with(x)(designs) <= QUIETER * outlook.noise(designs)))


def _interleave(promising: Array, covering: Array, n: int) -> Iterator[tuple[Array, Reason]]:
    """Yield up to n distinct designs of two lists in turn."""
    seen: set[bytes] = set()
    for pair in zip_longest(promising, covering):
        reasons: tuple[Reason, Reason] = ("promising", "coverage")
        for x, reason in zip(pair, reasons, strict=True):
            if x is not None and x.tobytes() not in seen and len(seen) < n:
                seen.add(x.tobytes())
                yield x, reason


# -- coverage ---------------------------------------------------------------------------------------------------------


def _list_designs(space: DesignSpace, marked: Array, rng: np.random.Generator) -> Array:
    """Return designs that are not marked, among which proposals are chosen, (m, d)."""
    if isinstance(space, Catalogue):
        items = space.candidates
        fresh = np.flatnonzero(~_is_among(items, marked))
        # Draw the rows of a long list as `medoids` would, so that the others are not copied.
        return items[fresh[np.sort(rng.permutation(len(fresh))[:MAX_SUBSET_ROWS])]]
    designs = np.unique([space.nearest(x) for x in space.sample(SOBOL_POINTS, rng)], axis=0)
    return np.asarray(designs[~_is_among(designs, marked)])


def _cover_space(space: DesignSpace, designs: Array, n: int, marked: Array, rng: np.random.Generator) -> Array:
    """Return up to n of the designs, (m, d), none of which is marked, spread in the metric of the space.

    In a catalogue, they are the medoids: n items that represent the others. In other spaces, they are chosen among
    a few hundred Sobol' points, each the farthest from all before it and from the marked designs; without any, the
    first is the point nearest to the middle.
    """
    n = min(n, len(designs))
    if isinstance(space, Catalogue):
        return designs[medoids(designs, n, space.columns, rng)]
    if len(marked):
        every = np.concatenate([marked, designs])
        return every[farthest_points(every, n, space.columns, chosen=range(len(marked)))]
    middle = int(np.argmin(((designs - 0.5) ** 2).sum(axis=1)))
    return designs[[middle, *farthest_points(designs, n - 1, space.columns, chosen=[middle])]] if n else designs[:0]


def _cover_by_kernel(space: DesignSpace, designs: Array, n: int, kept_away: Array, kernel: Kernel) -> Array:
    """Return up to n of the designs, (m, d), that are not among others, (k, d), spread in the metric of a kernel."""
    designs = designs[~_is_among(designs, kept_away)]
    n = min(n, len(designs))
    if isinstance(space, Catalogue):
        D = _kernel_distances(kernel, designs, designs)
        central = choose_medoids(
            D, n - n // 2
        )  # the other half of the proposals are promising ones, if there are enough
        rest = choose_farthest(D[:, central].min(axis=1, initial=2.0), n - len(central), lambda row: D[:, row])
        return designs[np.append(central, rest)]
    gap = _kernel_distances(kernel, designs, kept_away).min(axis=1)
    return designs[choose_farthest(gap, n, lambda row: _kernel_distances(kernel, designs, designs[[row]])[:, 0])]


def _kernel_distances(kernel: Kernel, X: Array, Y: Array) -> Array:
    """Return the distances r, (n, m), between the rows of X, (n, d), and those of Y, (m, d)."""
    squares = 2.0 - 2.0 * _correlate(kernel, X, Y)
    squares[squares < 1e-12] = 0.0  # the distance of equal rows may differ from 0 by rounding
    return np.asarray(np.sqrt(squares))


def _correlate(kernel: Kernel, X: Array, Y: Array) -> Array:
    """Return the correlations rho, (n, m), of the utilities at X, (n, d), and Y, (m, d)."""
    return np.asarray(kernel(X, Y) / np.sqrt(np.outer(kernel.diagonal(X), kernel.diagonal(Y))))


def _is_among(designs: Array, others: Array) -> BoolArray:
    """Return which designs, (n, d), are among others, (k, d)."""
    if not len(others):
        return np.zeros(len(designs), dtype=np.bool_)
    coordinates = {other.tobytes() for other in others}
    return np.array([design.tobytes() in coordinates for design in designs], dtype=np.bool_)


# -- promising designs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Promising:
    """Designs that may be the best, with their probabilities."""

    designs: Array
    """(m, d), the likeliest first."""
    p_best: Array
    """Probability of each to be the best of them, (m,)."""
    kernel: Kernel

    @classmethod
    def of(cls, space: DesignSpace, designs: Array, model: PreferenceGP, seed: int) -> _Promising:
        """Find the designs that may be the best: compared ones, some of the space, (m, d), ones near the best mean."""
        rng, compared = np.random.default_rng([seed, 8]), model.designs
        pool = np.vstack([compared, designs])
        if space.region is not None:
            best = compared[int(np.argmax(model.posterior.mean(compared)))]
            pool = np.vstack([pool, *(space.nearest(x) for x in sample_around(space.region, best, rng))])
        pool = pool[np.sort(np.unique(pool, axis=0, return_index=True)[1])]
        _, _, high = compute_intervals(model, pool)
        likely = pool[np.sort(np.argsort(-high, kind="stable")[:LIKELY_DESIGNS])]
        winners = model.posterior.sample(likely, BEST_DRAWS, rng).argmax(axis=1)
        p_best = np.bincount(winners, minlength=len(likely)) / BEST_DRAWS
        order = np.argsort(-p_best, kind="stable")
        return cls(likely[order], p_best[order], model.kernel)

    def spread(self, n: int, away: Array) -> Array:
        """Return up to n designs, (n, d), that stand for all of these, one after the other; none is in P, (k, d)."""
        return np.asarray(self.designs[self._spread_rows(n, away)])

    def _spread_rows(self, n: int, away: Array) -> IntArray:
        covered = np.zeros(len(self.designs))
        if len(away):
            covered = np.maximum(_correlate(self.kernel, away, self.designs).max(axis=0), 0.0)
        rho, free = _correlate(self.kernel, self.designs, self.designs), ~_is_among(self.designs, away)
        found: list[int] = []
        while len(found) < n and free.any():
            score = np.where(free, np.maximum(rho - covered, 0.0) @ self.p_best, -1.0)
            found.append(int(np.argmax(score)))
            free[found[-1]] = False
            covered = np.maximum(covered, rho[found[-1]])
        return np.array(found, dtype=np.intp)

    def look_ahead(self, model: PreferenceGP, data: StudyData, plan: Plan) -> AnchorOutlook:
        """Return the outlook of the model, with the likeliest of these designs as candidates."""
        planned = self._spread_rows(PLANNED_DESIGNS + 1, self.designs[:0])
        rest = [row for row in range(len(self.designs)) if row not in set(planned.tolist())]
        rows = [*planned.tolist(), *rest[: CANDIDATES - len(planned)]]
        return AnchorOutlook(
            model.posterior, model.likelihood, model.duels, plan, model.noise, data.anchors, data.negative_anchors,
            self.designs[rows], range(len(planned)),
        )  # fmt: skip


def _look_ahead_from_prior(space: DesignSpace, data: StudyData, plan: Plan, seed: int) -> AnchorOutlook:
    """Return the outlook before the first answer, with designs spread over the space as candidates."""
    spread = space.sample(CANDIDATES, np.random.default_rng([seed, 8]))
    noise = plan.noise_map(data.anchors, data.negative_anchors)
    posterior: Posterior = GaussianPosterior.prior(_take_prior_medians(plan, noise), space.dimension)
    planned: Sequence[int] = range(min(PLANNED_DESIGNS + 1, len(spread)))
    nothing = Duels.empty(space.dimension, data.bounds)
    return AnchorOutlook(
        posterior, plan.likelihood, nothing, plan, noise, data.anchors, data.negative_anchors, spread, planned
    )


def _take_prior_medians(plan: Plan, noise: NoiseMap) -> Kernel:
    """Return the kernel of the plan with the medians of the priors, if it has any."""
    kernel = plan.kernel
    learn, theta = select_learnable(kernel, noise, plan.learn), kernel.log_parameters.copy()
    for place, name in enumerate(kernel.parameter_names):
        spec = learn.get(name, learn.get(base_name(name)))
        if spec is not None and isinstance(spec.prior, LogNormal):
            theta[place] = np.log(spec.prior.median)
    return kernel.with_log_parameters(theta)
