"""Compare lapse probabilities on studies of a judge who flips some answers; prints a Markdown table.

A judge who is otherwise never wrong gives the opposite answer in a share of all duels, whatever the pair. The default
preset is changed only in the likelihood, ``Probit(lapse=...)``, or learns the lapse. Each line is a problem, a share of
flips and a lapse:

    25, 40   mean share of the way from a median design to the best after so many answers, with its standard error
    poor     number of studies that recommend a design less than half of the way after 40 answers
    found    share of the flipped answers among as many first surprises

Studies that are in the folder are not run again.

    python scripts/measure_lapses.py OUT [--seeds 20] [--problems espresso gp2 gp4] [--flips 0 0.1 0.15]
        [--lapses 0 0.02 0.05 0.1 0.2 learnt] [--workers 2]
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

import anchorpbo as ap
from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.answers.judges import NoisyJudge
from anchorpbo.research.answers.own_contenders import OptimizerContender
from anchorpbo.research.answers.problems import TUNING, get_judged_problem
from anchorpbo.research.answers.study_task import play
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns

ANSWERS = (25, 40)
POOR = 0.5
LEARN = {"lengthscale": None, "outputscale": None, "lapse": None}


@dataclass(frozen=True)
class LapseTask(ExperimentTask):
    """A study without anchors; one row."""

    kind: ClassVar[str] = "lapses"
    problem: str
    flips: float
    lapse: str
    """The lapse probability, or "learnt"."""
    seed: int

    def run(self) -> RecordColumns:
        """Run the study."""
        problem = get_judged_problem(self.problem, self.seed)
        judge = NoisyJudge(problem, lambda X: np.zeros(len(X)), self.flips)
        learns = self.lapse == "learnt"
        options: dict[str, Any] = {"learn": LEARN} if learns else {"likelihood": ap.Probit(lapse=float(self.lapse))}
        contender = OptimizerContender(problem.space, None, self.seed, **options)
        rows = list(play(contender, judge, ANSWERS[-1], self.seed))
        flipped = [not row["right"] for row in rows]
        listed = [surprise.event for surprise in contender.optimizer.surprises()[: sum(flipped)]]
        return {
            **{f"share_{number}": [rows[number - 1]["share"]] for number in ANSWERS},
            "flipped": [sum(flipped)],
            "found": [sum(flipped[event] for event in listed)],
            "failures": [rows[-1]["failures"]],
        }


def tabulate(studies: pl.DataFrame) -> str:
    """Return the table."""
    lines = ["| problem | flips | lapse | studies | 25 | 40 | poor | found |", "| --- | ---: | ---: |" + " ---: |" * 5]
    for (problem, flips, lapse), group in studies.group_by("problem", "flips", "lapse", maintain_order=True):
        shares = [group[f"share_{number}"].to_numpy() for number in ANSWERS]
        cells = [f"{each.mean():.2f} ± {each.std(ddof=1) / np.sqrt(len(each)):.2f}" for each in shares]
        flipped = group["flipped"].sum()
        found = f"{group['found'].sum() / flipped:.2f}" if flipped else ""
        line = f"| {problem} | {flips:g} | {lapse} | {len(group)} | {' | '.join(cells)}"
        lines.append(f"{line} | {(shares[-1] < POOR).sum()} | {found} |")
    return "\n".join(lines)


def main() -> None:
    """Run the studies that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=20, help="studies per setting, at least 2")
    parser.add_argument("--problems", nargs="+", choices=list(TUNING), default=["espresso", "gp2", "gp4"])
    parser.add_argument("--flips", nargs="+", type=float, default=[0.0, 0.1, 0.15])
    parser.add_argument("--lapses", nargs="+", default=["0", "0.02", "0.05", "0.1", "0.2", "learnt"])
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    tasks = [
        LapseTask(problem, flips, lapse, seed)
        for seed in range(given.seeds)
        for problem in given.problems
        for flips in given.flips
        for lapse in given.lapses
    ]
    store = record_tasks(tasks, RunOptions(given.out, resume=True, workers=given.workers), make_console())
    print(tabulate(store.read(tasks)))


if __name__ == "__main__":
    main()
