"""Tables of the experiments: final values, gains, computation time, claims with verdicts, and the overview."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from types import MappingProxyType

import polars as pl

from anchorpbo.errors import InputError
from anchorpbo.research.experiments.simulated_study import TWINS
from anchorpbo.research.experiments.verdicts import (
    PAPER_ITEMS,
    READING_NAMES,
    Claim,
    format_counts,
    judge_item,
    judge_items,
    judge_statements,
)
from anchorpbo.research.figures.round_curves import (
    METRIC_LABELS,
    format_strategies,
    format_variant,
    sort_by_order,
    sort_variants,
)
from anchorpbo.research.figures.strategy_styles import (
    PROBLEM_TITLES,
    STRATEGY_STYLES,
    format_acquisition,
    format_problem,
)
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable

LOWER_IS_BETTER = frozenset({"pair_noise"})
TIMED_STRATEGIES = ("ucb", "ei", "eubo", "rahbo", "anpei", "raeubo")
"""Columns of the paper's table of computation time."""
PAPER_SECONDS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "hartmann3": ("25.3 ± 2.9", "26.4 ± 3.5", "136.8 ± 20.2", "52.4 ± 6.4", "22.8 ± 2.8", "315.1 ± 29.1"),
        "hartmann4": ("37.9 ± 2.5", "35.6 ± 13.5", "213.3 ± 40.6", "57.6 ± 7.05", "33.0 ± 7.3", "562.4 ± 64.3"),
        "sushi": ("38.2 ± 2.5", "33.8 ± 8.2", "231.3 ± 69.9", "45.2 ± 6.7", "34.9 ± 4.4", "539.3 ± 79.1"),
    }
)
"""The paper's table computation_time, as printed."""


def tabulate_final_values(summary: pl.DataFrame, metrics: Sequence[str]) -> TextTable:
    """Tabulate final values: mean ± standard deviation over runs, with the best of each row in bold.

    Parameters
    ----------
    summary
        From `anchorpbo.research.experiments.run_metrics.summarise_final_values`, or a summary as in `round_curves.py`,
        of which the last round is used. The table has one row per problem, variant and metric, and one column per
        strategy.
    metrics
        Names of metrics, as in `METRIC_LABELS`.
    """
    _check_columns(
        summary,
        "problem",
        "strategy",
        "variant",
        "round",
        *(f"{m}_{part}" for m in metrics for part in _MOMENT_SUFFIXES),
    )
    strategies = sort_by_order(summary["strategy"].unique(maintain_order=True), STRATEGY_STYLES)
    several = bool((summary["variant"] != "").any()), len(metrics) > 1
    rows = []
    for metric in metrics:
        for problem in sort_by_order(summary["problem"].unique(maintain_order=True), PROBLEM_TITLES):
            here = summary.filter(pl.col("problem") == problem)
            last = here.filter(pl.col("round") == pl.col("round").max())
            for variant in sort_variants(last["variant"].unique(maintain_order=True).to_list()):
                found = last.filter(pl.col("variant") == variant)
                cells = _format_row([_find_moments(found, strategy, metric) for strategy in strategies], metric)
                optional = [Cell(format_variant(variant))] * several[0] + [
                    Cell(METRIC_LABELS.get(metric, metric))
                ] * several[1]
                rows.append((Cell(format_problem(problem)), *optional, *cells))
    labels = ["Problem", *["Variant"] * several[0], *["Metric"] * several[1]]
    what = "Final values" if several[1] else METRIC_LABELS.get(metrics[0], metrics[0]).capitalize()
    rounds = summary.group_by("problem").agg(pl.col("round").max())["round"].unique().sort().to_list()
    return TextTable(
        f"{what} after {' or '.join(map(str, rounds))} rounds, mean ± standard deviation over runs",
        (*labels, *format_strategies(strategies, summary["variant"])),
        tuple(rows),
        (*"l" * len(labels), *"r" * len(strategies)),
    )


def tabulate_times(summary: pl.DataFrame) -> TextTable:
    """Tabulate seconds per iteration in the layout of the paper's table, with the paper's numbers below ours.

    Parameters
    ----------
    summary
        One row per problem and strategy, with the columns ``problem``, ``strategy``, ``seconds_mean``, ``seconds_std``.
    """
    _check_columns(summary, "problem", "strategy", *(f"seconds_{part}" for part in _MOMENT_SUFFIXES))
    rows = []
    for problem in sort_by_order(summary["problem"].unique(maintain_order=True), PROBLEM_TITLES):
        found = summary.filter(pl.col("problem") == problem)
        moments = [_find_moments(found, strategy, "seconds") for strategy in TIMED_STRATEGIES]
        rows.append(
            (
                Cell(format_problem(problem)),
                *(Cell(_format_seconds(*each) if each else MISSING_TEXT) for each in moments),
            )
        )
        if problem in PAPER_SECONDS:
            printed = (Cell(f"{seconds} s") for seconds in PAPER_SECONDS[problem])
            rows.append((Cell(f"{format_problem(problem)} (paper)"), *printed))
    return TextTable(
        "Time of an iteration, mean ± standard deviation",
        ("Problem", *map(format_acquisition, TIMED_STRATEGIES)),
        tuple(rows),
        ("l", *"r" * len(TIMED_STRATEGIES)),
        "Times of different machines and programs: only those of one row can be compared closely.",
    )


def tabulate_claims(claims: Sequence[Claim], size: str = "") -> TextTable:
    """Tabulate claims of the paper with our results; columns with equal entries in all rows are left out.

    Parameters
    ----------
    claims
        Claims with verdicts.
    size
        Number of runs, as text.
    """
    columns: list[tuple[str, str | float, list[str]]] = [
        ("Claim", 0.3, [claim.text for claim in claims]),
        ("Setting", 0.16, [claim.setting for claim in claims]),
        ("Where", 0.13, [claim.where for claim in claims]),
        ("Found", "r", [claim.found for claim in claims]),
        ("95 % interval", "l", [claim.interval for claim in claims]),
        ("Verdict", "l", [claim.verdict for claim in claims]),
        ("Measured by", "l", [READING_NAMES[claim.reading] for claim in claims]),
    ]
    shown = [c for c in columns if len(set(c[2])) > 1 or c[0] not in ("Setting", "Where")]
    return TextTable(
        "Claims and what was found" + (f" in {size}" if size else ""),
        tuple(name for name, _, _ in shown),
        tuple(tuple(map(Cell, row)) for row in zip(*(texts for _, _, texts in shown), strict=True)),
        tuple(align for _, align, _ in shown),
    )


def tabulate_overview(claims: Sequence[Claim]) -> TextTable:
    """Tabulate the items of the paper: what each says, its verdict and the number of statements.

    Parameters
    ----------
    claims
        Claims of all experiments that were run; items without claims are left out.
    """
    found = judge_items(claims)
    rows = [(item, found[item.where]) for item in PAPER_ITEMS if found[item.where]]
    every = list(judge_statements([claim for claim in claims if claim.reading == "paper"]).values())
    return TextTable(
        "The paper, item by item" + (f": {len(every)} statements, {format_counts(every)}" if every else ""),
        ("Item", "The paper says", "Verdict", "Statements", "reproduce"),
        tuple(
            tuple(map(Cell, (i.where, i.says, judge_item(verdicts), format_counts(verdicts), i.experiment)))
            for i, verdicts in rows
        ),
        ("l", 0.4, "l", 0.2, "l"),
        "Statements of the paper; other readings of its text are in the tables of the experiments.",
    )


def tabulate_gains(summary: pl.DataFrame, metric: str = "risk_adjusted") -> TextTable:
    """Tabulate gains of risk-averse strategies on their twins: a row per problem and variant, a column per strategy.

    Parameters
    ----------
    summary
        From `anchorpbo.research.experiments.run_metrics.summarise_gains`.
    metric
        One of its metrics.
    """
    _check_columns(summary, "problem", "variant", "strategy", "metric", "distance", "mean", "low", "high")
    shown = summary.filter(pl.col("metric") == metric)
    strategies = sort_by_order(shown["strategy"].unique(maintain_order=True), STRATEGY_STYLES)
    rows = []
    for problem in sort_by_order(shown["problem"].unique(maintain_order=True), PROBLEM_TITLES):
        here = shown.filter(pl.col("problem") == problem)
        for variant in sort_variants(here["variant"].unique(maintain_order=True).to_list()):
            found = here.filter(pl.col("variant") == variant)
            cells = [_format_gain(found.filter(pl.col("strategy") == strategy)) for strategy in strategies]
            distance = _format_number(float(found["distance"].to_numpy().mean()))
            rows.append(
                (
                    Cell(format_problem(problem)),
                    Cell(_PLACEMENT_NAMES.get(variant, format_variant(variant))),
                    Cell(distance),
                    *cells,
                )
            )
    return TextTable(
        f"Gain in {METRIC_LABELS[metric]} on the risk-neutral twin: mean paired difference and its 95 % interval",
        (
            "Problem",
            "Variant",
            "Distance",
            *(f"{format_acquisition(s)} on {format_acquisition(TWINS[s])}" for s in strategies),
        ),
        tuple(rows),
        ("l", 0.2, "r", *"r" * len(strategies)),
        "Distance: from the mean of the anchors to the optimum, mean over seeds. Bold: the interval excludes zero.",
    )


_PLACEMENT_NAMES = {"away": "centre drawn by the seed"}


def _format_gain(rows: pl.DataFrame) -> Cell:
    if not rows.height:
        return Cell(MISSING_TEXT)
    mean, low, high = (float(rows[name][0]) for name in ("mean", "low", "high"))
    return Cell(f"{mean:+.2f} ({low:+.2f} to {high:+.2f})", bold=low > 0.0 or high < 0.0)


_MOMENT_SUFFIXES = ("mean", "std")
Moments = tuple[float, float]


def _find_moments(rows: pl.DataFrame, strategy: str, metric: str) -> Moments | None:
    found = rows.filter(pl.col("strategy") == strategy)
    if found.height > 1:
        rule, received = "a table needs one row per problem and strategy", f"{found.height} rows of {strategy}"
        raise InputError(rule, received, "filter the summary")
    if not found.height or found[f"{metric}_mean"][0] is None:
        return None
    # One run has a mean but no standard deviation.
    std = found[f"{metric}_std"][0]
    return float(found[f"{metric}_mean"][0]), float("nan") if std is None else float(std)


def _format_row(moments: Sequence[Moments | None], metric: str) -> list[Cell]:
    """Return the cells of a row; all cells that are shown equal to the best are bold."""
    means = [_format_number(each[0]) for each in moments if each]
    choose = min if metric in LOWER_IS_BETTER else max
    best = choose(means, key=float, default=None)
    return [Cell(_format_moments(*m), bold=_format_number(m[0]) == best) if m else Cell(MISSING_TEXT) for m in moments]


def _format_moments(mean: float, std: float, decimals: int = 2) -> str:
    return (
        _format_number(mean, decimals)
        if isnan(std)
        else f"{_format_number(mean, decimals)} ± {_format_number(std, decimals)}"
    )


def _format_number(value: float, decimals: int = 2) -> str:
    # Adding 0.0 makes a rounded -0.0 positive.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _format_seconds(mean: float, std: float) -> str:
    scale, unit = (1.0, "s") if mean >= 1.0 else (1000.0, "ms")
    return f"{_format_moments(scale * mean, scale * std, 1 if scale * mean >= 10.0 else 2)} {unit}"


def _check_columns(summary: pl.DataFrame, *names: str) -> None:
    missing = [name for name in names if name not in summary.columns]
    if missing or not summary.height:
        received = f"none of {', '.join(missing)}" if missing else "no rows"
        raise InputError(
            "a table needs rows of a summary with its columns",
            received,
            "see anchorpbo.research.figures.experiment_tables",
        )
