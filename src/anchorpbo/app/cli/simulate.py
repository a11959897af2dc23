"""``anchorpbo simulate``: an example study answered by a simulated expert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from anchorpbo.app.cli.terminal import make_console, make_printable
from anchorpbo.app.examples import Example, get_example
from anchorpbo.formatting import format_count, format_value
from anchorpbo.space import Catalogue, Design
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array

RANDOM_DESIGNS = 1_000
"""Random designs that the recommended one is compared with; for a catalogue, all items."""


def run(key: str, duels: int, seed: int, strategy: str | None, noise: float, console: Console | None = None) -> None:
    """Run the study and compare the recommended design with random ones."""
    console = make_console() if console is None else console
    chosen = get_example(key)
    expert = replace(chosen, noise=lambda design: noise * chosen.noise(design))
    study = Optimizer(chosen.space, chosen.suggested_anchors, strategy, seed=seed)
    name = type(study.plan.acquisition).__name__
    console.print(Text.assemble((chosen.title, "bold"), f", answered by a simulated expert: {name}, seed {seed}"))
    known = format_count(len(chosen.suggested_anchors), "design")
    console.print(f"They know {known} well, and far from these their impressions are less exact.")
    _answer(study, expert, duels, seed, console)
    best = study.recommend().design
    console.print(Text(f"\nRecommended after {format_count(duels, 'duel')}:", "bold"))
    console.print(_table(chosen, best), soft_wrap=False)
    console.print(_verdict(chosen, best, seed))
    console.print(Text("See this example in a browser: anchorpbo serve --demo", "dim"))


def _answer(study: Optimizer, expert: Example, duels: int, seed: int, console: Console) -> None:
    rng = np.random.default_rng([seed, 7])
    columns = (TextColumn("duels"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("duels", total=duels)
        for _ in range(duels):
            duel = study.ask()
            study.tell(duel, expert.answer(duel.first, duel.second, rng))
            progress.advance(task)


def _verdict(chosen: Example, best: Design, seed: int) -> Text:
    space, value = chosen.space, chosen.judge(best)
    if isinstance(space, Catalogue):
        others, what = _utilities(chosen, space.items), f"all {len(space.items):,} items"
    else:
        points = space.sample(RANDOM_DESIGNS, np.random.default_rng([seed, 8]))
        others, what = _utilities(chosen, [space.decode(x) for x in points]), f"{len(points):,} random designs"
    share = 100.0 * float(np.mean(others < value))
    return Text(
        f"Its true utility, without noise: {value:.2f}. The best of {what} has {others.max():.2f}, "
        f"the median {np.median(others):.2f}; it is better than {share:.1f} % of them."
    )


def _utilities(chosen: Example, designs: Sequence[Design]) -> Array:
    """Return the expert's true utilities of designs."""
    return np.array([chosen.judge(design) for design in designs])


def _table(chosen: Example, design: Design) -> Table:
    display = chosen.display
    labels, units = display.get("labels", {}), display.get("units", {})
    left_out = {*display.get("hidden", ()), *(display.get(key) for key in ("svg", "image", "smiles", "link"))}
    table = Table(box=None, show_header=False, pad_edge=True)
    for name, value in design.items():
        if name not in left_out:
            words = f"{format_value(value)} {units.get(name, '')}".strip()
            table.add_row(Text(make_printable(labels.get(name, name))), Text(make_printable(words), "bold"))
    return table
