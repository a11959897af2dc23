"""Measure the coverage of the stopping rule: how often a study that is told to stop is within the margin of the best.

A study of the benchmark of answers is told to stop at the first answer, from the tenth on, at which p_within of its
recommended design is at least 0.9; the truth is known. The table of a model and a judge is followed by the true
frequency for each tenth of p_within, over all looks, and of p_within_compared. Studies that are in the folder are not
run again.

    python scripts/measure_coverage.py OUT [--models default known] [--problems gp2 ...] [--judges sure constant-high]
        [--seeds 10] [--workers 2]

Models: the default preset without anchors, or told the judge's anchors (anchored), its version 1, or the true kernel
and noise of a draw of a Gaussian process (known). The calibration of decision 39 comes from

    python scripts/measure_coverage.py OUT --judges sure --seeds 6
    python scripts/measure_coverage.py OUT --judges constant-low constant-high --seeds 3

The calibration of p_within is fitted to all looks of the default preset and printed first; it and the tables are of all
studies in the folder. Then its intercept is lowered until at least 0.9 of the studies that are told to stop are within
the margin, where each problem is judged by a calibration fitted without it (leave-one-out). The tables of calibrated
models are those of leave-one-out, too, since otherwise they would flatter the calibration; the last two columns are
those of the posterior probability.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from scipy import optimize, special

import anchorpbo as ap
from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.answers.judges import JUDGES, NoisyJudge, draw_judge
from anchorpbo.research.answers.own_contenders import OptimizerContender
from anchorpbo.research.answers.problems import CALIBRATION, TUNING, get_judged_problem
from anchorpbo.research.answers.study_task import play
from anchorpbo.research.experiments.confidence_intervals import compute_exact_interval
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.study.optimality import StoppingCalibration, compute_p_within
from anchorpbo.study.recommendation import compute_signal_to_noise
from anchorpbo.typing import Array

ANSWERS, FIRST_LOOK = 60, 10
"""Number of answers of a study, and the first after which it may be told to stop."""
PROBLEMS = [*TUNING, *CALIBRATION]
MARGIN, OTHER_MARGINS, ENOUGH = 0.1, (0.03, 0.2, 0.4, 1.0), 0.9
OTHER_LOOKS = 10
"""The other margins are evaluated after every tenth answer."""
CALIBRATED = ("default", "anchored")
"""Models whose p_within is calibrated."""
MODELS = (*CALIBRATED, "version-1", "known")
DRAWS = {"gp2": ap.RBF(0.2, 1.0), "gp4": ap.RBF(0.35, 1.0), "gp6m": ap.Matern52(0.7, 1.0)}
"""Kernels of the draws."""
LARGEST_SHIFT = 1.0
"""Largest amount by which the intercept of a calibration is lowered."""
PENALTY = 0.02
"""Penalty on the squares of the coefficients of a calibration."""
SMALL_STD = 0.05
"""Standard deviation of the noise with which a known model explains a sure judge; that of a draw is 1."""


@dataclass(frozen=True)
class CoverageTask(ExperimentTask):
    """A study; one row per look and margin, with the posterior probability before any calibration.

    `compared_p` is the probability that no design compared is better by more than the margin, and `compared_share` the
    largest share of a design compared; both are NaN in the rows of other margins than the default.
    """

    kind: ClassVar[str] = "coverage-looks"
    model: str
    problem: str
    judge: str
    seed: int

    def run(self) -> RecordColumns:
        """Run the study."""
        problem = get_judged_problem(self.problem, self.seed)
        judge, anchors = draw_judge(self.judge, problem, "good", self.seed)
        options = {"evaluates_stop": False, **self.make_options(judge)}
        told = anchors if self.model == "anchored" else None
        contender = OptimizerContender(problem.space, told, self.seed, **options)
        names = ("answer", "margin", "posterior_p", "ratio", "share", "compared_p", "compared_share")
        rows: dict[str, list[float]] = {name: [] for name in names}
        for row in play(contender, judge, ANSWERS, self.seed):
            if row["answer"] < FIRST_LOOK:
                continue
            model, x = contender.optimizer.model, contender.recommend()
            ratio = compute_signal_to_noise(model, x)
            compared_p = contender.optimizer.recommend().p_within_compared
            compared = compared_p, float(problem.share(model.designs).max())
            for margin in (MARGIN, *(OTHER_MARGINS if row["answer"] % OTHER_LOOKS == 0 else ())):
                p = compute_p_within(model.posterior, problem.space, x, margin, self.seed)
                best = compared if margin == MARGIN else (np.nan, np.nan)
                for name, value in zip(names, (row["answer"], margin, p, ratio, row["share"], *best), strict=True):
                    rows[name].append(value)
        return rows

    def make_options(self, judge: NoisyJudge) -> dict[str, Any]:
        """Return the options of `Optimizer`."""
        if self.model == "known":
            std = float(judge.deviation(np.full((1, judge.problem.space.dimension), 0.5))[0])
            noise = ap.ConstantNoise(max(std, SMALL_STD) ** 2)
            return {"kernel": DRAWS[self.problem], "learn": {}, "integration": "map", "noise": noise}
        return {"preset_version": 1} if self.model == "version-1" else {}


def fit_calibration(looks: pl.DataFrame) -> StoppingCalibration:
    """Return the calibration of largest likelihood at the margin of the stopping rule, then the slope of the margin.

    The margin of the rule comes first, because its coverage must hold; other margins adjust one coefficient only.
    """
    here, elsewhere = (looks.filter(each) for each in (pl.col("margin") == MARGIN, pl.col("margin") != MARGIN))

    def at_margin(coefficients: Array) -> StoppingCalibration:
        return StoppingCalibration(float(coefficients[0]), 0.0, *coefficients[1:].tolist())

    start, bounds = np.array([0.0, 0.1, 0.1, 0.1]), [(None, None), (None, None), (None, None), (1e-3, None)]
    at_rule = at_margin(_maximise_likelihood(here, at_margin, start, bounds))
    if not elsewhere.height:
        return at_rule
    slope = _maximise_likelihood(
        elsewhere, lambda x: replace(at_rule, margin_weight=float(x[0])), np.array([0.3]), [(0.0, None)]
    )
    return replace(at_rule, margin_weight=float(slope[0]))


def _maximise_likelihood(
    looks: pl.DataFrame,
    make: Callable[[Array], StoppingCalibration],
    start: Array,
    bounds: list[tuple[float | None, None]],
) -> Array:
    """Return the coefficients of largest likelihood; a weak penalty keeps them finite if the looks are few."""
    p, answers, margin, ratio = (looks[name].to_numpy() for name in ("posterior_p", "answer", "margin", "ratio"))
    within = (looks["share"] >= 1.0 - looks["margin"]).to_numpy()

    def loss(x: Array) -> float:
        frequency = make(x)(p, answers, margin, ratio)
        right = np.clip(np.where(within, frequency, 1.0 - frequency), 1e-300, None)
        return float(-np.log(right).sum() + PENALTY * (x**2).sum())

    return np.asarray(optimize.minimize(loss, start, method="L-BFGS-B", bounds=bounds).x)


def leave_problems_out(looks: pl.DataFrame) -> pl.DataFrame:
    """Return the looks with the margin of the stopping rule and p_within; calibrated for the default preset.

    Calibrations are fitted without the problem at hand, and their intercepts are not lowered.
    """
    parts = []
    for (model, problem), rows in looks.group_by("model", "problem", maintain_order=True):
        shown = rows.filter(pl.col("margin") == MARGIN)
        p = shown["posterior_p"].to_numpy()
        if model in CALIBRATED:
            others = looks.filter((pl.col("model") == "default") & (pl.col("problem") != problem))
            numbers = (shown[name].to_numpy() for name in ("answer", "margin", "ratio"))
            p = fit_calibration(others)(p, *numbers) if others.height else p
        parts.append(shown.with_columns(p_within=pl.Series(p)))
    return pl.concat(parts)


def find_shift(looks: pl.DataFrame) -> float:
    """Return by how much intercepts must be lowered so that 0.9 of the studies told to stop are within the margin."""
    for shift in np.arange(0.0, LARGEST_SHIFT, 0.01):
        stops = select_stops(lower_probabilities(looks, shift), "p_within")
        if not stops.height or (stops["share"] >= 1.0 - MARGIN).to_numpy().mean() >= ENOUGH:
            return float(shift)
    return LARGEST_SHIFT


def lower_probabilities(looks: pl.DataFrame, shift: float) -> pl.DataFrame:
    """Return the looks with p_within of calibrations whose intercept is lower; other models are unchanged."""
    lower = special.ndtr(special.ndtri(looks["p_within"].to_numpy()) - shift)
    calibrated = pl.col("model").is_in(CALIBRATED)
    return looks.with_columns(p_within=pl.when(calibrated).then(pl.Series(lower)).otherwise(pl.col("p_within")))


def select_stops(looks: pl.DataFrame, probability: str) -> pl.DataFrame:
    """Return the look of each study at which a probability first tells it to stop, if it does."""
    enough = looks.sort("answer").filter(pl.col(probability) >= ENOUGH)
    return enough.group_by("model", "problem", "judge", "seed", maintain_order=True).first()


def print_tables(looks: pl.DataFrame) -> None:
    """Print the coverage and the reliability of each model and judge."""
    default = looks.filter(pl.col("model") == "default")
    looks = leave_problems_out(looks)
    if default.height:
        fitted, shift = fit_calibration(default), find_shift(looks.filter(pl.col("model") == "default"))
        print(f"\n{fitted}\nintercept lowered by {shift:.2f}: {fitted.intercept - shift:.3f}")
        looks = lower_probabilities(looks, shift)
    within = pl.col("share") >= 1.0 - MARGIN
    for (model, judge), rows in looks.sort("answer").group_by("model", "judge", maintain_order=True):
        print(f"\n## {model}, {judge} judge\n")
        print("| problem | studies | last share | told to stop | within the margin | told by the posterior | within |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for problem in [*rows["problem"].unique().sort(), "all"]:
            part = rows if problem == "all" else rows.filter(pl.col("problem") == problem)
            studies = part.group_by("problem", "seed").agg(pl.col("share").last())
            told = " | ".join(_describe_stops(part, name) for name in ("p_within", "posterior_p"))
            print(f"| {problem} | {len(studies)} | {studies['share'].mean():.3f} | {told} |")
        _print_reliability(rows, "p_within", within)
        _print_reliability(rows, "compared_p", pl.col("share") >= pl.col("compared_share") - MARGIN)


def _print_reliability(looks: pl.DataFrame, probability: str, event: pl.Expr) -> None:
    """Print the frequency of an event for each tenth of its probability."""
    print(f"\n| {probability} | looks | mean | frequency |\n| --- | ---: | ---: | ---: |")
    tenths = looks.with_columns(tenth=(10.0 * pl.col(probability)).floor().clip(0.0, 9.0))
    for (tenth,), part in tenths.sort("tenth").group_by("tenth", maintain_order=True):
        true = part.select(event).to_series().mean()
        print(f"| from {tenth / 10:.1f} | {len(part)} | {part[probability].mean():.2f} | {true:.2f} |")


def _describe_stops(looks: pl.DataFrame, probability: str) -> str:
    """Return the number of studies told to stop by a probability, and the share within the margin, as two cells."""
    stops = select_stops(looks, probability)
    if not stops.height:
        return "0 | –"
    n, within = stops.height, int((stops["share"] >= 1.0 - MARGIN).sum())
    low, high = compute_exact_interval(within, n)
    return f"{n} | {within / n:.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    """Run the studies that are missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=["default"])
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=PROBLEMS)
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=["sure", "constant-high"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    tasks = [
        CoverageTask(model, problem, judge, seed)
        for seed in range(given.seeds)
        for model in given.models
        for problem in given.problems
        for judge in given.judges
        if model != "known" or problem in DRAWS
    ]
    store = record_tasks(tasks, RunOptions(given.out, resume=True, workers=given.workers), make_console())
    looks = store.read_kind(CoverageTask.kind)
    assert looks is not None
    print_tables(looks)


if __name__ == "__main__":
    main()
