"""The paper's first figure: studies in one dimension, with and without the noise map.

::

    f, n          utility and true noise of the user; the anchors are around the lower of two hills
    m, s          mean and standard deviation of the surrogate that chooses the duels
    a + b m       least-squares fit of the mean to f: answers determine utilities only up to an affine map
    error         root mean square of f - a - b m over a grid
    order         rank correlation of m and f over the grid
    coverage      share of the grid where |f - a - b m| <= 1.96 |b| s, nominally 0.95; also near the best designs only
    moved         share of studies in which the noise penalty changes the maximiser; quieter: change of its noise
    miss          |coverage near the best designs - 0.95|, the calibration error there

The paper's map with h in [1, 2] varies by only a fifth in one dimension. The figure is therefore drawn with a bounded
map, whose noise falls to a hundredth at the anchors. A weight of 1 on it has the effect of the paper's 10 on its map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anchorpbo.acquisition import RAHBO, UCB
from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.validation import as_integer
from anchorpbo.problems import TOY, TOY_ANCHORS, SimulatedJudge, play
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.experiment import Experiment, ExperimentSize, ExperimentTask, RecordColumns
from anchorpbo.research.experiments.verdicts import Claim, Reading
from anchorpbo.study import BoundedNoise, NoiseRule, Optimizer, PaperNoise
from anchorpbo.typing import Array

ROUNDS, SEEDS, QUICK_SEEDS = 20, 30, 3
RISK_NEUTRAL, NOISE_AWARE = "ucb", "rahbo"
TOY_STRATEGIES = (RISK_NEUTRAL, NOISE_AWARE)
MAPS: Mapping[str, tuple[NoiseRule, float]] = {
    "bounded": (BoundedNoise(scale=1.0, strength=5.0, bandwidth=0.1), 1.0),
    "paper": (PaperNoise(), 10.0),
}
"""The user's true noise, which the noise-aware study knows exactly, and its weight."""
GRID_POINTS, NOISY_EVALUATIONS = 201, 80
NEAR_BEST = 0.8
"""Share of the range of utilities above which a design is near the best: the tops of both hills."""
_EMPTY_ROW: dict[str, Any] = dict.fromkeys(
    ("x", "utility", "noise", "mean", "std", "estimated", "acquisition", "plain", "other", "first_won", "pair_noise")
)


@dataclass(frozen=True)
class IllustrationTask(ExperimentTask):
    """A study of the toy problem; studies with one seed share their initial duels and the user's random numbers."""

    kind: ClassVar[str] = "illustration"
    strategy: str
    seed: int
    rounds: int = ROUNDS
    """Duels chosen by the strategy, after the eight initial ones."""
    map: str = "bounded"

    def __post_init__(self) -> None:
        as_integer("rounds", self.rounds, 1)
        as_integer("seed", self.seed, 0)
        for kind, name, known in (("strategy", self.strategy, TOY_STRATEGIES), ("map", self.map, MAPS)):
            if name not in known:
                raise UnknownNameError.of(kind, name, known)

    def run(self) -> RecordColumns:
        """Run the study and return rows of three parts.

        ``grid``: a design, its true utility and noise, and the surrogate's estimates after the last round; ``plain`` is
        the risk-neutral acquisition value on the same surrogate. ``duel``: two designs and the answer. ``evaluation``:
        a utility with the user's noise added, which no study sees.
        """
        rule, weight = MAPS[self.map]
        acquisition = UCB() if self.strategy == RISK_NEUTRAL else RAHBO(risk_aversion=weight)
        space = TOY.space
        anchors = [space.decode(x) for x in TOY_ANCHORS]
        noise = rule if self.strategy == NOISE_AWARE else None
        optimizer = Optimizer(space, anchors, acquisition, "paper", self.seed, noise=noise)
        truth = rule(TOY_ANCHORS, optimizer.plan.metric)
        judge = SimulatedJudge(TOY, optimizer.plan.likelihood, truth)
        initial = optimizer.plan.initial
        duels = [
            {
                "part": "duel",
                "round": max(turn.number - initial, 0),
                "x": float(turn.pair[0, 0]),
                "other": float(turn.pair[1, 0]),
                "first_won": turn.outcome == "first",
                "pair_noise": turn.pair_noise,
            }
            for turn in play(optimizer, judge, initial + self.rounds, self.seed)
        ]
        surrogate = optimizer.acquisition_model
        X = np.linspace(0.0, 1.0, GRID_POINTS)[:, None]
        grid = {
            "x": X[:, 0],
            "utility": TOY(X),
            "noise": truth(X),
            "mean": surrogate.posterior.mean(X),
            "std": np.sqrt(surrogate.posterior.variance(X)),
            "estimated": surrogate.noise(X),
            "acquisition": acquisition.bind(surrogate.posterior, surrogate.noise)(X),
            "plain": UCB().bind(surrogate.posterior, surrogate.noise)(X),
        }
        rng = np.random.default_rng([self.seed, 7])
        shown = np.sort(rng.random(NOISY_EVALUATIONS))[:, None]
        noisy = TOY(shown) + np.sqrt(truth(shown)) * rng.standard_normal(NOISY_EVALUATIONS)
        rows = [*duels, *_make_rows("grid", grid), *_make_rows("evaluation", {"x": shown[:, 0], "utility": noisy})]
        filled = [{"round": None, **_EMPTY_ROW, **row} for row in rows]
        return {name: [row[name] for row in filled] for name in filled[0]}


def _make_rows(part: str, columns: Mapping[str, Array]) -> list[dict[str, Any]]:
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [{"part": part, **dict(zip(columns, row, strict=True))} for row in values]


class IllustrationExperiment(Experiment):
    """The effect of the noise map on the surrogate, on the toy problem."""

    name = "illustration"
    description = "Figure 1: a study in one dimension with and without the noise map."

    def make_tasks(self, size: ExperimentSize) -> Sequence[IllustrationTask]:
        """Return one pair of studies per seed and map."""
        seeds, rounds = size.seeds or (QUICK_SEEDS if size.quick else SEEDS), size.rounds or ROUNDS
        return [
            IllustrationTask(name, seed, rounds, map_)
            for seed in range(seeds)
            for map_ in MAPS
            for name in TOY_STRATEGIES
        ]

    def summarise(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return one row per map, strategy and measure: its mean over seeds with a 95 % interval."""
        rows = []
        for (map_, strategy), group in measure_studies(records).group_by("map", "strategy", maintain_order=True):
            for measure in MEASURES:
                over = Interval.of_mean(group[measure].to_numpy())
                head = {"map": map_, "strategy": strategy, "measure": measure, "runs": group.height}
                rows.append({**head, "mean": over.mean, "low": over.low, "high": over.high})
        return pl.DataFrame(rows)

    def judge_claims(self, records: pl.DataFrame) -> list[Claim]:
        """Judge surrogate, noise of duels and change of the maximiser; one claim per measure and map."""
        runs, found = measure_studies(records), []
        for measure, text in _CLAIM_TEXTS.items():
            for map_, setting in _MAP_NAMES.items():
                here = runs.filter(pl.col("map") == map_)
                aware, vanilla = (
                    here.filter(pl.col("strategy") == name).sort("seed") for name in (NOISE_AWARE, RISK_NEUTRAL)
                )
                both = aware.join(vanilla, on="seed", suffix="_vanilla")
                if not both.height:
                    continue
                if measure == "quieter":  # with and without the penalty on one surrogate, not in two studies
                    gap, rest = both[measure], f", moved in {_mean(both['moved']):.0%} of the studies"
                else:
                    other = both[f"{measure}_vanilla"]
                    gap, rest = both[measure] - other, f" ({_mean(both[measure]):.3f} against {_mean(other):.3f})"
                over = Interval.of_mean(gap.to_numpy())
                # The figure uses our map, and the paper claims calibration, not distance.
                reading: Reading = "paper" if map_ == "paper" and measure != "error" else "ours"
                number = f"{over.mean:+.3f}{rest}"
                found.append(
                    Claim(text, "Figure 1", number, over.format_bounds(3), over.judge_below(), setting, reading)
                )
        return found


MEASURES = ("error", "order", "coverage", "coverage_near_best", "miss", "pair_noise", "moved", "quieter")
_MAP_NAMES: Mapping[str, str] = {"bounded": "bounded map", "paper": "paper's map"}
_CLAIM_TEXTS: Mapping[str, str] = {
    "error": "Noise-aware queries lead to a surrogate closer to the utility: error after the best affine map.",
    "miss": "Noise-aware queries lead to a better-calibrated surrogate: |coverage - 0.95| near the best.",
    "pair_noise": "Noise-aware acquisition favours queries of lower noise: mean noise of the queried pairs.",
    # By construction never to one of higher noise: a penalty cannot make the maximiser noisier.
    "quieter": "The noise penalty moves the maximiser of the acquisition to a design of lower noise: by how much.",
}
"""Claims by measure; smaller is better for all measures."""


def measure_studies(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per study: quality of its surrogate, noise of its duels, effect of the penalty."""
    by = ["map", "strategy", "seed"]
    of_kind = records.filter(pl.col("kind") == IllustrationTask.kind).sort(*by, maintain_order=True)
    rows = []
    for (map_, strategy, seed), run in of_kind.group_by(by, maintain_order=True):
        grid = run.filter(pl.col("part") == "grid").sort("x")
        f, m, s, n = (grid[name].cast(float).to_numpy() for name in ("utility", "mean", "std", "noise"))
        own, plain = (int(np.argmax(grid[name].to_numpy())) for name in ("acquisition", "plain"))
        chosen = run.filter(pl.col("part") == "duel", pl.col("round") > 0)
        rows.append(
            {
                "map": map_, "strategy": strategy, "seed": seed, **measure_agreement(f, m, s),
                "pair_noise": _mean(chosen["pair_noise"]),
                "moved": float(own != plain),
                "quieter": float(n[own] - n[plain]),
            }
        )  # fmt: skip
    return pl.DataFrame(rows)


def fit_affine(f: Array, m: Array) -> tuple[float, float]:
    """Return the least-squares a and b of a + b m against f; b is 0 if m is constant."""
    spread = float(np.square(m - m.mean()).sum())
    b = float((m - m.mean()) @ (f - f.mean())) / spread if spread > 0 else 0.0
    return float(f.mean() - b * m.mean()), b


def measure_agreement(f: Array, m: Array, s: Array) -> dict[str, float]:
    """Return error, order and coverage of a surrogate with mean m and deviation s, (n,) each, against a utility f."""
    a, b = fit_affine(f, m)
    residuals = f - a - b * m
    inside = np.abs(residuals) <= 1.96 * abs(b) * s
    near = f >= f.min() + NEAR_BEST * (f.max() - f.min())
    coverage = float(inside[near].mean())
    ranks = np.array([np.argsort(np.argsort(values)) for values in (f, m)], float)
    return {
        "error": float(np.sqrt(np.square(residuals).mean())),
        "order": float(np.corrcoef(ranks[0], ranks[1])[0, 1]),
        "coverage": float(inside.mean()),
        "coverage_near_best": coverage,
        "miss": abs(coverage - 0.95),
    }


def _mean(values: pl.Series) -> float:
    return float(values.cast(float).to_numpy().mean())
