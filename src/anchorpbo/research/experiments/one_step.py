"""Loss of one step of RAEUBO: numerical checks of proposition one-step-bayes and its two lemmas.

::

    f, lam       utility and noise level of a design, lam in [1/e, 1] as from the paper's map with a = 1
    MV           f - alpha lam; alpha is ``risk_aversion``
    s(g)         1 / (1 + exp(-g)), the probability that the first of two designs wins
    paper        g = f1 / lam1 - f2 / lam2
    difference   g = (f1 - f2) / ((lam1 + lam2) / 2)
    loss         max(MV1, MV2) - E[MV(winner) | f] = |MV1 - MV2| P(the worse wins)
    lemma        E[MV(winner)] >= RAEUBO - lam_max C,  E over f ~ N(m, S), C = W(1/e) = 0.2784645
    proposition  V^lam(X*) >= max_X V^0(X) - lam_max C,  X* = argmax RAEUBO
    U^lam(X)     E[MV(winner)]
    V^lam(X)     sum over answers r of max_x E[MV(x) 1_r]; V >= U, since the winner is among the x (lemma parallel-A3)
    V^0(X)       the same for a judge without noise: by the sign of f1 - f2 or, as in the proof, of MV1 - MV2

With "there exists a constant" instead of lam_max both statements would be empty, so the smallest sufficient constant is
reported with the share of violations. Given g, all other quantities are Gaussian with a mean linear in g, so every
expectation is an integral over g: the trapezoidal rule over 14 standard deviations, which is exact to rounding for a
function analytic in a strip. With alpha = 0 and the difference form, loss <= mean level * C, so the lemma holds;
otherwise the judge compares f, not MV.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from scipy import special

from anchorpbo.acquisition.best_option import RAEUBO, lambert_constant
from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.normal import cdf, density
from anchorpbo.research.experiments.confidence_intervals import summarise_over_seeds
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask, RecordColumns
from anchorpbo.research.experiments.verdicts import Claim, Reading, Verdict
from anchorpbo.typing import Array

MIN_LEVEL, MAX_LEVEL = float(np.exp(-1.0)), 1.0
"""Noise levels of the paper's map with a = 1."""
LIKELIHOOD_FORMS, NOISE_FREE_JUDGES = ("paper", "difference"), ("by f", "by MV")
RISK_AVERSIONS = (0.0, 1.0, 10.0)
UTILITY_SIZES = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Largest |f| in the pointwise lemma, and largest mean utility of a posterior."""
SPREADS = (1.0, 3.0, 10.0)
BY_MV, DOMINANCE = "proposition, V^0 by MV", "V >= U"
INEQUALITIES = {"lemma": "lemma", "proposition": "step", BY_MV: "step_mv", DOMINANCE: "dominance"}
"""Columns by inequality checked on random posteriors; `DOMINANCE` is lemma parallel-A3, with constant max(U - V)."""
VIOLATION_TOLERANCE = 1e-9
NODES = np.linspace(-7.0, 7.0, 1401)
WEIGHTS = np.exp(-0.5 * np.square(NODES)) / np.exp(-0.5 * np.square(NODES)).sum()


def compute_coefficients(form: str, first: Array, second: Array) -> tuple[Array, Array]:
    """Return a and b of the margin g = a f1 - b f2, given the two noise levels."""
    if form not in LIKELIHOOD_FORMS:
        raise UnknownNameError.of("form", form, LIKELIHOOD_FORMS)
    if form == "paper":
        return 1.0 / first, 1.0 / second
    mean = 0.5 * (first + second)
    return 1.0 / mean, 1.0 / mean


def compute_loss(form: str, alpha: float, f1: Array, f2: Array, lam1: Array, lam2: Array) -> Array:
    """Return the loss of duels with known utilities; arrays of any shape."""
    a, b = compute_coefficients(form, lam1, lam2)
    first_ahead = (f1 - alpha * lam1) - (f2 - alpha * lam2)
    margin = a * f1 - b * f2
    return np.asarray(np.abs(first_ahead) * special.expit(np.where(first_ahead > 0, -margin, margin)))


def compute_printed_level(alpha: float, f1: Array, f2: Array, lam1: Array, lam2: Array) -> Array:
    """Return the level in the lemma as printed: (s2 - s1) lo hi / (s2 hi - s1 lo), s = MV, s2 >= s1."""
    one, two = f1 - alpha * lam1, f2 - alpha * lam2
    small, large = np.minimum(one, two), np.maximum(one, two)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((large - small) * MIN_LEVEL * MAX_LEVEL / (large * MAX_LEVEL - small * MIN_LEVEL))


def search_hardest(
    objective: Callable[[Array], Array], rng: np.random.Generator, draws: int = 20000
) -> tuple[float, Array]:
    """Return the maximum of an objective, (n, 4) -> (n,), over the unit cube, and its location; a random search."""
    best = rng.random(4)
    value = float(objective(best[None])[0])
    for width in (1.0, *np.geomspace(0.3, 1e-5, 24)):
        points = rng.random((draws, 4)) if width == 1.0 else best + width * rng.normal(size=(draws // 10, 4))
        # Maxima often lie on the boundary; clipping puts draws exactly there.
        points = np.clip(points, 0.0, 1.0)
        values = objective(points)
        if values.max() > value:
            best, value = points[values.argmax()], float(values.max())
    return value, best


@dataclass(frozen=True)
class PointwiseTask(ExperimentTask):
    """The lemma's inequality for known utilities, |f| <= size: random ones and the worst found by a search; one row."""

    kind: ClassVar[str] = "one-step-pointwise"
    form: str
    risk_aversion: float
    size: float
    seed: int
    draws: int = 100_000

    def run(self) -> RecordColumns:
        """Check uniform random utilities and levels, then search for the worst case."""
        rng = np.random.default_rng(
            [self.seed, self.draws, LIKELIHOOD_FORMS.index(self.form), int(10 * self.risk_aversion)]
        )
        points = self._scale_draws(rng.random((self.draws, 4)))
        losses = compute_loss(self.form, self.risk_aversion, *points)
        level = compute_printed_level(self.risk_aversion, *points)
        limit = lambert_constant() * MAX_LEVEL + VIOLATION_TOLERANCE
        worst, where = search_hardest(
            lambda unit: compute_loss(self.form, self.risk_aversion, *self._scale_draws(unit)), rng
        )
        f1, f2, lam1, lam2 = (float(value[0]) for value in self._scale_draws(where[None]))
        return {
            "violations": [int((losses > limit).sum())],
            "printed_violations": [int((~(losses <= level * lambert_constant() + VIOLATION_TOLERANCE)).sum())],
            "random_worst": [float(losses.max())],
            "hardest": [worst],
            "f1": [f1], "f2": [f2], "lam1": [lam1], "lam2": [lam2],
        }  # fmt: skip

    def _scale_draws(self, unit: Array) -> tuple[Array, Array, Array, Array]:
        f, lam = self.size * (2.0 * unit[:, :2] - 1.0), MIN_LEVEL + (MAX_LEVEL - MIN_LEVEL) * unit[:, 2:]
        return f[:, 0], f[:, 1], lam[:, 0], lam[:, 1]


@dataclass(frozen=True)
class RandomPosteriors:
    """Random Gaussian posteriors over a few designs: means, (i, u), covariances, (i, u, u), levels, (i, u)."""

    mean: Array
    covariance: Array
    level: Array

    @classmethod
    def draw(
        cls, rng: np.random.Generator, instances: int, designs: int, offset: float, spread: float
    ) -> RandomPosteriors:
        """Draw means N(offset, spread^2), RBF covariances on random points in the plane, and uniform levels."""
        points = rng.random((instances, designs, 2))
        gaps = np.square(points[:, :, None] - points[:, None]).sum(axis=-1)
        lengths, scales = rng.uniform(0.2, 1.0, (instances, 1, 1)), rng.uniform(0.2, 2.0, (instances, 1, 1))
        covariance = np.square(spread * scales) * np.exp(-0.5 * gaps / np.square(lengths))
        mean = offset + spread * rng.normal(size=(instances, designs))
        return cls(mean, covariance, rng.uniform(MIN_LEVEL, MAX_LEVEL, (instances, designs)))


def integrate_answers(mean: Array, std: Array, steep: bool) -> tuple[Array, Array]:
    """Return P(first wins) and E[t 1(first wins)] for a margin g = mean + std t, t standard normal.

    With noise, P = E s(g); a judge without noise (``steep``) answers by the sign of g.
    """
    if steep:
        z = mean / std
        return cdf(z), density(z)
    wins = special.expit(mean[..., None] + std[..., None] * NODES)
    return wins @ WEIGHTS, wins @ (WEIGHTS * NODES)


def compute_step_values(posteriors: RandomPosteriors, i: int, j: int, alpha: float, judge: str) -> tuple[Array, Array]:
    """Return U = E[MV(winner)] and V, (instances,) each, of the duel of designs i and j.

    The judge is a form of the likelihood, or "by f" or "by MV" for a judge without noise.
    """
    level, mv = posteriors.level, posteriors.mean - alpha * posteriors.level
    steep = judge in NOISE_FREE_JUDGES
    one = np.ones_like(level[:, i])
    a, b = (one, one) if steep else compute_coefficients(judge, level[:, i], level[:, j])
    worth = mv if judge == "by MV" else posteriors.mean
    to_margin = a[:, None] * posteriors.covariance[:, i] - b[:, None] * posteriors.covariance[:, j]  # cov(f_x, g)
    std = np.sqrt(a * to_margin[:, i] - b * to_margin[:, j])
    first, moment = integrate_answers(a * worth[:, i] - b * worth[:, j], std, steep)
    shift = to_margin * (moment / std)[:, None]
    if_first, if_second = mv * first[:, None] + shift, mv * (1.0 - first)[:, None] - shift  # E[MV(x) 1_r]
    return if_first[:, i] + if_second[:, j], if_first.max(axis=1) + if_second.max(axis=1)


@dataclass(frozen=True)
class PosteriorTask(ExperimentTask):
    """Lemmas and proposition on random posteriors over a few designs, with all duels of each; one row."""

    kind: ClassVar[str] = "one-step-instances"
    form: str
    risk_aversion: float
    offset: float
    """Mean utility; the paper's form depends on it."""
    spread: float
    """Scale of the posterior uncertainty and of the differences between means."""
    seed: int
    designs: int = 6
    instances: int = 250

    def run(self) -> RecordColumns:
        """Evaluate every duel of every instance."""
        # The seed leaves out form, risk aversion, offset and spread, so they are compared on the same draws.
        rng = np.random.default_rng([self.seed, self.designs, self.instances])
        posteriors = RandomPosteriors.draw(rng, self.instances, self.designs, self.offset, self.spread)
        alpha, m, lam, S = self.risk_aversion, posteriors.mean, posteriors.level, posteriors.covariance
        pairs = [(i, j) for i in range(self.designs) for j in range(i)]
        best, winner, value, by_f, by_mv = (np.empty((self.instances, len(pairs))) for _ in range(5))
        for k, (i, j) in enumerate(pairs):
            std = np.sqrt(S[:, i, i] + S[:, j, j] - 2.0 * S[:, i, j])
            best[:, k] = RAEUBO(alpha).partials(m[:, i], m[:, j], std, lam[:, i], lam[:, j]).value
            winner[:, k], value[:, k] = compute_step_values(posteriors, i, j, alpha, self.form)
            by_f[:, k], by_mv[:, k] = (
                compute_step_values(posteriors, i, j, alpha, judge)[1] for judge in NOISE_FREE_JUDGES
            )
        chosen = value[np.arange(self.instances), best.argmax(axis=1)]
        allowed = lambert_constant() * MAX_LEVEL
        gaps = {
            "lemma": (best - winner, allowed),
            "step": (by_f.max(axis=1) - chosen, allowed),
            "step_mv": (by_mv.max(axis=1) - chosen, allowed),
            "dominance": (winner - value, 0.0),
        }
        columns: dict[str, list[float]] = {}
        for name, (gap, limit) in gaps.items():
            columns[f"{name}_trials"] = [gap.size]
            columns[f"{name}_violations"] = [int((gap > limit + VIOLATION_TOLERANCE).sum())]
            columns[f"{name}_constant"] = [float(gap.max())]
        return columns


class OneStepExperiment(Experiment):
    """Frequency and size of violations of RAEUBO's one-step guarantee."""

    name = "one-step"
    description = "The one-step guarantee of RAEUBO under both forms of the logistic judge."

    def make_tasks(self, size: ExperimentSize) -> Sequence[ExperimentTask]:
        """Return one task per form, risk aversion, size of utilities and seed."""
        seeds = range(size.seeds or (2 if size.quick else 20))
        few, some = ({"draws": 10_000}, {"instances": 50}) if size.quick else ({}, {})
        cells = [(form, alpha) for form in LIKELIHOOD_FORMS for alpha in RISK_AVERSIONS]
        posteriors = [(0.0, spread) for spread in SPREADS] + [
            (sign * o, 1.0) for o in UTILITY_SIZES for sign in (1.0, -1.0)
        ]
        return [
            *(PointwiseTask(f, alpha, s, seed, **few) for seed in seeds for f, alpha in cells for s in UTILITY_SIZES),
            *(
                PosteriorTask(f, alpha, o, s, seed, **some)
                for seed in seeds
                for f, alpha in cells
                for o, s in posteriors
            ),
        ]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return one row per inequality, form, risk aversion and utilities: share of violations, smallest constant."""
        known, posteriors = (
            records.filter(pl.col("kind") == kind) for kind in (PointwiseTask.kind, PosteriorTask.kind)
        )
        known = known.with_columns(offset=0.0, spread="size")
        by = ["form", "risk_aversion", "offset", "spread"]
        tables = []
        for frame, inequality, violations, trials, constant in (
            (known, "pointwise, random", "violations", "draws", "random_worst"),
            (known, "pointwise, printed level", "printed_violations", "draws", "random_worst"),
            *(
                (posteriors, name, f"{c}_violations", f"{c}_trials", f"{c}_constant")
                for name, c in INEQUALITIES.items()
            ),
        ):
            shares = summarise_over_seeds(frame.with_columns(share=pl.col(violations) / pl.col(trials)), by, ["share"])
            worst = frame.group_by(*by).agg(constant=pl.col(constant).max(), trials=pl.col(trials).sum())
            tables.append(shares.join(worst, on=by, maintain_order="left").with_columns(inequality=pl.lit(inequality)))
        search = known.group_by(*by, maintain_order=True).agg(
            pl.col("hardest", "f1", "f2", "lam1", "lam2").sort_by("hardest").last()
        )
        tables.append(search.rename({"hardest": "constant"}).with_columns(inequality=pl.lit("pointwise, hardest")))
        return pl.concat(tables, how="diagonal_relaxed").rename({"mean": "share"}).drop("measure")

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge lemmas and proposition per form and risk aversion; a single violation refutes."""
        table = self.summarise(records)
        claims = []
        for inequality, text in _CLAIM_TEXTS.items():
            for form in LIKELIHOOD_FORMS:
                # The proof needs V^0 by MV, and only in the difference form does the judge compare f1 - f2. V >= U
                # holds by construction, so it must not count in favour of the proposition.
                ours = form != "paper" or inequality in (BY_MV, DOMINANCE)
                own = table.filter(pl.col("inequality") == inequality, pl.col("form") == form).sort("risk_aversion")
                for cells in own.partition_by("risk_aversion", maintain_order=True):
                    claims.append(_judge_inequality(text, f"{form} form", cells, "ours" if ours else "paper"))
        return [*claims, *(_judge_boundedness(table, form) for form in LIKELIHOOD_FORMS)]


_PAPER_ITEM = "Proposition, one step"
_CLAIM_TEXTS = {
    "lemma": "E[MV(winner)] >= RAEUBO - lam_max C: largest share of violations.",
    "proposition": "V^lam(X*) >= max V^0 - lam_max C, X* the argmax of RAEUBO: largest share of violations.",
    BY_MV: "V^lam(X*) >= max V^0 - lam_max C, V^0 by MV, as in the proof: largest share of violations.",
    DOMINANCE: "V^lam(X) >= U^lam(X) for all X: largest share of violations.",
}
"""Claims by inequality; a share is over random posteriors, the largest over means and spreads of utilities."""


def _judge_inequality(text: str, form: str, cells: pl.DataFrame, reading: Reading) -> Claim:
    """Judge a guarantee at one risk aversion; it holds if nothing violates it."""
    most = cells.sort("share").row(-1, named=True)
    holds = most["share"] == 0.0
    rest = f"of {cells['trials'].sum()} cases" if holds else f"at {describe_posteriors(most)}"
    # Shares that are all 0 have no spread, hence no interval.
    interval = (
        "-" if holds or most["low"] is None else f"{format_percent(most['low'])} to {format_percent(most['high'])}"
    )
    found, setting = f"{format_percent(most['share'])} {rest}", f"{form}, alpha = {most['risk_aversion']:g}"
    return Claim(text, _PAPER_ITEM, found, interval, "agrees" if holds else "differs", setting, reading)


def _judge_boundedness(table: pl.DataFrame, form: str) -> Claim:
    """Judge that the loss is bounded: it is equal at the two largest of `UTILITY_SIZES`."""
    own = table.filter(pl.col("inequality") == "pointwise, hardest", pl.col("form") == form)
    before, last = own.filter(pl.col("risk_aversion") == 0.0).sort("spread").tail(2).iter_rows(named=True)
    found = (
        f"{last['constant']:.3g} at |f| <= {last['spread']:g}, {before['constant']:.3g} at |f| <= {before['spread']:g}"
    )
    text = "The loss of a duel of known utilities is bounded, whatever these are, with alpha = 0: largest loss found."
    verdict: Verdict = "agrees" if last["constant"] <= before["constant"] * 1.01 else "differs"
    return Claim(text, _PAPER_ITEM, found, "-", verdict, f"{form} form", "paper" if form == "paper" else "ours")


def format_percent(share: float) -> str:
    """Return a share as a percentage for a table; only an exact zero is shown as 0."""
    return "< 0.01 %" if 0.0 < share < 5e-5 else f"{100.0 * max(share, 0.0):.2f} %"


def describe_posteriors(row: Mapping[str, Any]) -> str:
    """Return the mean and spread of utilities of a summary row as text."""
    return f"mean utility {row['offset']:g}, spread {row['spread']:g}"
