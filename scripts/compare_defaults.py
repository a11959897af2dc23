"""Compare variants of the default preset on the tuning set: the tables of docs/decisions/0041-default-preset.md.

Studies are those of `anchorpbo bench answers --set tuning`, with other options. They are paired: variants of one seed
have the same problem, judge, anchors and random numbers. Studies that are in the folder are not run again; tables are
of all studies in the folder.

    python scripts/compare_defaults.py run OUT --variants default "five initial duels" --judges sure
    python scripts/compare_defaults.py run OUT --group anchors --judges linear believed --placements good random
    python scripts/compare_defaults.py table OUT --group anchors --judges linear believed --together
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

from anchorpbo import ConstantNoise, Learn, LogNormal, Probit
from anchorpbo.acquisition import RAEUBO
from anchorpbo.app.cli.execution import RunOptions, make_console, record_tasks
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS, draw_judge
from anchorpbo.research.answers.own_contenders import OptimizerContender
from anchorpbo.research.answers.problems import TUNING, get_judged_problem
from anchorpbo.research.answers.study_task import ANSWERS, play
from anchorpbo.research.experiments.experiment import ExperimentTask, RecordColumns
from anchorpbo.research.experiments.records import RecordStore


def _learn(lengthscale: float = 0.3, spread: float = 0.45, outputscale: float = 6.0, wide: float = 1.5) -> Any:
    """Return priors like those of the default preset: medians and spreads of the length-scales and the output scale."""
    scale = Learn((1e-4 * outputscale, 1e3 * outputscale), LogNormal(outputscale, wide))
    return {"learn": {"lengthscale": Learn((0.03, 10.0), LogNormal(lengthscale, spread)), "outputscale": scale}}


VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "version 1": {"preset_version": 1},
    "two initial duels": {"initial": 2},
    "five initial duels": {"initial": 5},
    "length-scales 0.25": _learn(0.25),
    "length-scales 0.4": _learn(0.4),
    "narrow length-scales": _learn(spread=0.3),
    "output scale 20": _learn(outputscale=20.0),
    "output scale 60": _learn(outputscale=60.0),
    "mode alone": {"integration": "map"},
    "eubo": {"strategy": "eubo"},
    "euco": {"strategy": "euco"},
    "lapse 0.05": {"likelihood": Probit(lapse=0.05)},
}
"""Options of `Optimizer` without anchors, by name."""
ANCHORED: dict[str, dict[str, Any]] = {
    "no anchors": {},
    "start": {"noise": ConstantNoise()},
    "map": {"start": "spread"},
    "map and start": {},
    "map, start and risk aversion": {"strategy": RAEUBO(1.0)},
    "map of learnt strength, start": {
        "learn": {**_learn()["learn"], "noise_strength": Learn((0.01, 13.0), LogNormal(2.0, 0.8))}
    },
}
"""Options of `Optimizer` with anchors, by name; the first is not told them."""
GROUPS = {"options": VARIANTS, "anchors": ANCHORED}


@dataclass(frozen=True)
class VariantTask(ExperimentTask):
    """A study with the options of a variant; one row per answer."""

    kind: ClassVar[str] = "variants"
    problem: str
    judge: str
    placement: str
    variant: str
    seed: int

    def run(self) -> RecordColumns:
        """Run the study; return the share after each answer."""
        problem = get_judged_problem(self.problem, self.seed)
        judge, anchors = draw_judge(self.judge, problem, self.placement, self.seed)
        told = anchors if self.variant in ANCHORED and self.variant != "no anchors" else None
        options = (VARIANTS | ANCHORED)[self.variant]
        contender = OptimizerContender(problem.space, told, self.seed, evaluates_stop=False, **options)
        rows = list(play(contender, judge, ANSWERS, self.seed))
        return {name: [row[name] for row in rows] for name in ("answer", "share")}


def make_table(records: pl.DataFrame, variants: list[str], groups: list[list[str]]) -> Iterator[str]:
    """Yield a Markdown table per group of judges and placement: shares, areas and paired differences.

    Differences are from the first variant.
    """
    studies = records.sort("answer").group_by("problem", "judge", "placement", "variant", "seed", maintain_order=True)
    shares = {study: np.maximum(rows["share"].to_numpy(), -1.0) for study, rows in studies}
    for group, placement in product(groups, PLACEMENTS):
        of_first = [(n, j, s) for n, j, p, v, s in shares if j in group and (p, v) == (placement, variants[0])]
        # Every variant with studies is compared on the studies that all of them have.
        present = [v for v in variants if any((n, j, placement, v, s) in shares for n, j, s in of_first)]
        common = [(n, j, s) for n, j, s in of_first if all((n, j, placement, v, s) in shares for v in present)]
        if not common or len(present) < 2:
            continue
        yield f"\n*{' and '.join(group)}, {placement} anchors*, {len(common)} studies\n"
        yield "| variant | after 15 | after 25 | after 40 | area | difference |"
        yield "| --- | --- | --- | --- | --- | --- |"
        first = np.array([shares[n, j, placement, present[0], s] for n, j, s in common]).mean(axis=1)
        for variant in present:
            curves = np.array([shares[n, j, placement, variant, s] for n, j, s in common])
            gain = curves.mean(axis=1) - first
            half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
            difference = "" if variant == present[0] else f"{gain.mean():+.3f} ± {half:.3f}"
            after = " | ".join(f"{curves[:, k - 1].mean():.2f}" for k in (15, 25, 40))
            yield f"| {variant} | {after} | {curves.mean():.3f} | {difference} |"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "table"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--group", choices=tuple(GROUPS), default="options")
    parser.add_argument("--variants", nargs="+", choices=(*VARIANTS, *ANCHORED), help="by default all of the group")
    parser.add_argument("--judges", nargs="+", choices=JUDGES, help="by default sure and constant-high; in tables all")
    parser.add_argument("--together", action="store_true", help="one table for all --judges instead of one for each")
    parser.add_argument("--placements", nargs="+", choices=PLACEMENTS, default=["good"])
    parser.add_argument("--problems", nargs="+", choices=tuple(TUNING), default=list(TUNING))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    variants = given.variants or list(GROUPS[given.group])
    judges = given.judges or (["sure", "constant-high"] if given.command == "run" else list(JUDGES))
    if given.command == "run":
        seeds = range(given.first_seed, given.first_seed + given.seeds)
        axes = product(seeds, given.problems, judges, given.placements, variants)
        tasks = [VariantTask(problem, judge, place, variant, seed) for seed, problem, judge, place, variant in axes]
        record_tasks(tasks, RunOptions(given.out, resume=True, workers=given.workers), make_console())
    records = RecordStore(given.out, resume=True).read_kind(VariantTask.kind)
    if records is None:
        parser.error(f"{given.out} has no studies yet; run some first")
    groups = [judges] if given.together else [[judge] for judge in judges]
    print("\n".join(make_table(records, variants, groups)))


if __name__ == "__main__":
    main()
