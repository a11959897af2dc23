"""Compare lapse probabilities on studies of a judge who flips some answers; prints a Markdown table.

A judge who is otherwise never wrong gives the opposite answer in a share of all duels, whatever the pair. The default
preset is changed only in the likelihood, ``Probit(lapse=...)``, or learns the lapse. Each line is a problem, a share of
flips and a lapse:

    25, 40   mean share of the way from a median design to the best after so many answers, with its standard error
    wrong    share of the coffee studies that recommend another bean than the best after 40 answers
    found    share of the flipped answers among as many first surprises

Each study is a line of a file of JSON lines; studies that are in the file are not run again.

    python scripts/measure_lapses.py lapses.jsonl [--seeds 20] [--problems coffee gp3 gp4] [--flips 0 0.1 0.15]
        [--lapses 0 0.02 0.05 0.1 0.2 learnt]
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import anchorpbo as ap
from anchorpbo.problems.mixed import COFFEE_MAXIMUM, coffee

ANSWERS = (25, 40)
GP_DRAWS = {"gp3": (3, 0.25), "gp4": (4, 0.4)}
"""Dimension and length-scale of utilities drawn from a Gaussian process."""
BEANS = ["Kenya", "Brazil", "Ethiopia"]
LEARN = {"lengthscale": None, "outputscale": None, "lapse": None}

Utility = Callable[[dict[str, Any]], float]


def make_problem(name: str, seed: int) -> tuple[ap.Space, Utility, float, float]:
    """Return a space, the utility of a design, and the utilities of a median and of the best design."""
    if name == "coffee":
        rng = np.random.default_rng(0)
        grind, bean = rng.integers(1, 11, 4000), rng.integers(3, size=4000)
        temperature, dose = rng.uniform(80, 96, 4000), np.exp(rng.uniform(np.log(10), np.log(20), 4000))
        designs = [
            {"temperature": t, "dose": m, "grind": g, "origin": BEANS[b]}
            for t, m, g, b in zip(temperature, dose, grind, bean, strict=True)
        ]
        space = ap.Space(
            temperature=ap.Real(80, 96), dose=ap.Real(10, 20, log=True), grind=ap.Integer(1, 10),
            origin=ap.Categorical(BEANS),
        )  # fmt: skip
        return space, coffee, float(np.median([coffee(design) for design in designs])), COFFEE_MAXIMUM
    d, lengthscale = GP_DRAWS[name]
    rng = np.random.default_rng([seed, d])
    W, phases = rng.standard_normal((400, d)) / lengthscale, rng.uniform(0, 2 * np.pi, 400)
    weights = np.sqrt(2 / 400) * rng.standard_normal(400)

    def f(X: np.ndarray) -> np.ndarray:
        return np.asarray(np.cos(X @ W.T + phases) @ weights)

    X = rng.random((20000, d))
    values = f(X)
    best = X[values.argmax()]
    for step in (0.05, 0.02, 0.005):
        near = np.vstack([best, np.clip(best + step * rng.standard_normal((4000, d)), 0, 1)])
        best = near[f(near).argmax()]
    space = ap.Space({f"x{c}": ap.Real(0, 1) for c in range(d)})
    return space, lambda x: float(f(np.array([list(x.values())]))[0]), float(np.median(values)), float(f(best[None])[0])


def run_study(name: str, flip: float, lapse: str, seed: int) -> dict[str, Any]:
    """Run one study and return its record."""
    space, utility, median, best = make_problem(name, seed)
    options: dict[str, Any] = {"learn": LEARN} if lapse == "learnt" else {"likelihood": ap.Probit(lapse=float(lapse))}
    opt = ap.Optimizer(space, seed=seed, **options)
    flips = np.random.default_rng([seed, 99]).random(ANSWERS[-1]) < flip
    shares, design = {}, {}
    for number, flipped in enumerate(flips, 1):
        duel = opt.ask()
        first = (utility(duel.first) > utility(duel.second)) != flipped
        opt.tell(duel, "first" if first else "second")
        if number in ANSWERS:
            design = opt.recommend().design
            shares[f"s{number}"] = (utility(design) - median) / (best - median)
    listed = [surprise.event for surprise in opt.surprises()[: int(flips.sum())]]
    return {
        "problem": name, "flip": flip, "lapse": lapse, "seed": seed, **shares,
        "wrong": design.get("origin", BEANS[0]) != BEANS[0], "fitted": opt.model.likelihood.lapse,
        "flips": int(flips.sum()), "found": int(flips[listed].sum()),
    }  # fmt: skip


def summarise(records: list[dict[str, Any]]) -> str:
    """Return the table."""
    lines = ["| problem | flips | lapse | studies | 25 | 40 | wrong | found |", "| --- | ---: | ---: |" + " ---: |" * 5]
    for name, flip, lapse in dict.fromkeys((r["problem"], r["flip"], r["lapse"]) for r in records):
        group = [r for r in records if (r["problem"], r["flip"], r["lapse"]) == (name, flip, lapse)]
        n, flips = len(group), sum(r["flips"] for r in group)
        cells = []
        for key in (f"s{number}" for number in ANSWERS):
            values = np.array([r[key] for r in group])
            cells.append(
                f"{values.mean():.2f} ± {values.std(ddof=1) / np.sqrt(n):.2f}" if n > 1 else f"{values[0]:.2f}"
            )
        cells.append(f"{sum(r['wrong'] for r in group)}" if name == "coffee" else "")
        cells.append(f"{sum(r['found'] for r in group) / flips:.2f}" if flips else "")
        lines.append(f"| {name} | {flip:g} | {lapse} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the studies that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--problems", nargs="+", default=["coffee", *GP_DRAWS])
    parser.add_argument("--flips", nargs="+", type=float, default=[0.0, 0.1, 0.15])
    parser.add_argument("--lapses", nargs="+", default=["0", "0.02", "0.05", "0.1", "0.2", "learnt"])
    args = parser.parse_args()
    records = [json.loads(line) for line in args.path.read_text().splitlines()] if args.path.exists() else []
    done = {(r["problem"], r["flip"], r["lapse"], r["seed"]) for r in records}
    with args.path.open("a") as file:
        for seed in range(args.seeds):
            for case in ((p, f, x, seed) for p in args.problems for f in args.flips for x in args.lapses):
                if case not in done:
                    records.append(run_study(*case))
                    file.write(json.dumps(records[-1]) + "\n")
                    file.flush()
    print(summarise(records))


if __name__ == "__main__":
    main()
