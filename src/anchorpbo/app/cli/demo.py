"""``anchorpbo demo``: a study with a simulated expert, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from anchorpbo.likelihoods import Probit
from anchorpbo.problems import HARTMANN3, SimulatedJudge, SimulatedRound, simulate
from anchorpbo.reliability import NoiseMap
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

NOISE = 0.5
"""Noise variance of the expert far from the anchors; the utility ranges from 0 to 3.86."""
_BARS, _PLAIN_BARS = " ▁▂▃▄▅▆▇█", " .:-=+*#%@"


def run(strategy: str | None, rounds: int, seed: int, console: Console | None = None) -> None:
    """Run and print the study."""
    console = Console(highlight=False) if console is None else console
    problem, rng = HARTMANN3, np.random.default_rng([seed, 1])
    # The anchors are clustered at some distance from the optimum.
    anchors = np.clip(problem.optimum + [0.15, -0.2, -0.1] + 0.08 * rng.standard_normal((5, 3)), 0.0, 1.0)
    noise = NoiseMap.bounded(anchors, scale=NOISE, strength=3.0)
    space = problem.space
    study = Optimizer(space, [space.decode(x) for x in anchors], strategy, seed=seed)
    name = type(study.plan.acquisition).__name__

    console.print(f"\n[bold]A study with a simulated expert[/bold]: {problem.name}, strategy {name}, seed {seed}")
    console.print(f"They know {len(anchors)} designs well; far from these their answers are 20 times noisier.")
    console.print("[dim]The first run on a machine compiles for some seconds.[/dim]\n")
    running = simulate(study, SimulatedJudge(problem, Probit(), noise), rounds, seed)
    done: list[SimulatedRound] = []
    columns = (TextColumn("duels"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[best]}"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=console.record) as progress:
        task = progress.add_task("duels", total=rounds, best="")
        for each in running:
            done.append(each)
            progress.update(task, advance=1, best=f"recommended now {each.best_utility:5.2f} of {problem.maximum:.2f}")

    console.print(_last_duels(done[-5:]))
    bars = _BARS if console.encoding.lower().startswith("utf") else _PLAIN_BARS
    console.print("\nrecommended   " + _sparkline([each.best_utility for each in done], problem.maximum, bars))
    console.print("asked noise   " + _sparkline([each.pair_noise for each in done], noise.scale, bars))
    best = done[-1].best
    chosen = [each.seconds for each in done if each.seconds > 0]
    console.print(f"\n[bold]Recommended[/bold] {_design(best)}, the optimum is {_design(problem.optimum)}")
    console.print(
        f"Its true utility is {done[-1].best_utility:.2f} of {problem.maximum:.2f}. "
        f"Median time to choose a duel: {1e3 * float(np.median(chosen)):.0f} ms.\n"
    )


def _last_duels(rounds: Sequence[SimulatedRound]) -> Table:
    table = Table(title="The last duels", title_justify="left")
    for heading in ("duel", "first", "second", "answer", "noise", "ms"):
        table.add_column(heading, justify="left" if heading in {"first", "second", "answer"} else "right")
    for each in rounds:
        first, second = (_design(design) for design in each.pair)
        milliseconds = f"{1e3 * each.seconds:.0f}"
        table.add_row(str(each.number), first, second, each.outcome, f"{each.pair_noise:.2f}", milliseconds)
    return table


def _design(x: Array) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in x) + ")"


def _sparkline(values: Sequence[float], highest: float, bars: str) -> str:
    levels = np.clip(np.array(values) / highest, 0.0, 1.0) * (len(bars) - 1)
    return "".join(bars[round(float(level))] for level in levels) + f"  {values[-1]:.2f}"
