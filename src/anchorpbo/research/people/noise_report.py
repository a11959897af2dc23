"""Summary of the comparisons of noise maps: scores of predictions, paired differences, and evidence.

Measures of a setting (what a model learns from, its anchors, and what it predicts) and noise map:

    log_likelihood, brier     means over people, with t intervals over people, or over folds if there are many: few
                              people told differ from fold to fold
    gap                       noise map less constant noise, paired; above 0 is better for the log likelihood
    control                   log likelihood less that with the control anchors of the same setting, paired
    level                     persons only: log likelihood less that of `MATCHED`, paired
    evidence_control          persons only: log Bayes factor less that with the control anchors, paired
    slope                     calibration slope over all answers, with its sandwich interval over people
    calibration_error         expected calibration error, with a bootstrap interval over people
    strength                  strength of the map: mean over folds with the smallest and the largest, or over people
    log_bayes_factor          likewise
    common_strength           persons only: the strength c_k with the largest sum of evidence over people, and its
                              bootstrap interval over people
    common_log_bayes_factor   persons only: log mean_k exp(sum over people of E(c_k) - E_0), one strength for all
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from anchorpbo.research.experiments.confidence_intervals import BOOTSTRAP_RESAMPLES, Interval
from anchorpbo.research.people.calibration import estimate_calibration_error, estimate_calibration_slope
from anchorpbo.research.people.noise_comparison import CONSTANT, MATCHED, STRENGTH_NODES, integrate_profile
from anchorpbo.research.people.population_orders import FEW_FOLDS
from anchorpbo.typing import Array

SETTING = ("level", "sample", "representation", "pairs", "told", "target")
"""Columns that name a setting, beside the anchors."""
CONTROL = "least-eaten"
Measure = tuple[str, int, float, float | None, float | None]
"""Name, number of people, value, and the bounds of its interval."""


def summarise_maps(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per setting, definition of anchors, noise map and measure.

    Parameters
    ----------
    records
        One row per setting, anchors, noise map and person, see `tabulate_results`.
    """
    rows: list[tuple[Any, ...]] = []
    for setting, part in records.group_by(*SETTING, maintain_order=True):
        control = part.filter(pl.col("anchors") == CONTROL)
        for (anchors,), group in part.group_by("anchors", maintain_order=True):
            constant = group.filter(pl.col("map") == CONSTANT)
            for (name,), found in group.group_by("map", maintain_order=True):
                against = control.filter(pl.col("map") == name) if anchors != CONTROL and name != CONSTANT else None
                matched = group.filter(pl.col("map") == MATCHED) if name not in (CONSTANT, MATCHED) else None
                for measure in _measure_map(found, constant, against, matched, setting[0] == "person"):
                    rows.append((*setting, anchors, name, *measure))
    names = (*SETTING, "anchors", "map", "measure", "people", "mean", "low", "high")
    return pl.DataFrame(rows, schema=list(names), orient="row", infer_schema_length=None)


def _measure_map(
    found: pl.DataFrame,
    constant: pl.DataFrame,
    control: pl.DataFrame | None,
    matched: pl.DataFrame | None,
    single: bool,
) -> Iterator[Measure]:
    is_constant = found["map"][0] == CONSTANT
    # With few people told, the people of a fold share a model that may be better or worse than others.
    unit = "person" if single or found["fold"].n_unique() <= FEW_FOLDS else "fold"
    for score in ("log_likelihood", "brier"):
        yield _describe(score, _average(found, score, unit))
        if not is_constant:
            yield _describe(f"{score}_gap", _average(_subtract(found, constant, score), "difference", unit))
    if control is not None and len(control):
        yield _describe("control", _average(_subtract(found, control, "log_likelihood"), "difference", unit))
        if single:
            factors = _subtract(found, control, "log_bayes_factor")["difference"]
            yield _describe("evidence_control", factors.to_numpy())
    if matched is not None and len(matched):
        yield _describe("level", _average(_subtract(found, matched, "log_likelihood"), "difference", unit))
    answers = found.select(unit, "p").explode("p")
    p, units = answers["p"].to_numpy(), answers[unit].to_numpy()
    for name, estimate in (("slope", estimate_calibration_slope), ("calibration_error", estimate_calibration_error)):
        over = estimate(p, units)
        yield name, len(found), over.mean, over.low, over.high
    if not is_constant:
        # Maps are fitted once per fold, or once per person.
        fits = found.unique("person" if single else "fold", maintain_order=True)
        for name in ("strength", "log_bayes_factor"):
            values = fits[name].to_numpy()
            # Folds share people to learn from, so that an interval over folds would be too short.
            extent = float(values.mean()), float(values.min()), float(values.max())
            yield _describe(name, values) if single else (name, len(fits), *extent)
        profiles = np.array(fits["profile"].to_list())
        if single and profiles.shape[1]:
            yield from _measure_common_strength(profiles)


def _measure_common_strength(profiles: Array) -> Iterator[Measure]:
    """Yield the strength that all people share, from their profiles, (people, nodes)."""
    people = len(profiles)
    picks = np.random.default_rng(0).integers(people, size=(BOOTSTRAP_RESAMPLES, people))
    sums = np.array([profiles[pick].sum(axis=0) for pick in picks])
    best = STRENGTH_NODES[sums.argmax(axis=1)]
    low, high = np.quantile(best, [0.025, 0.975]).tolist()
    total = profiles.sum(axis=0)
    yield "common_strength", people, float(STRENGTH_NODES[total.argmax()]), low, high
    yield "common_log_bayes_factor", people, integrate_profile(total), None, None


def _describe(name: str, values: Array) -> Measure:
    over = Interval.of_mean(values)
    bounds = (over.low, over.high) if np.isfinite(over.low) else (None, None)
    return name, len(values), over.mean, *bounds


def _average(rows: pl.DataFrame, name: str, unit: str) -> Array:
    """Return the mean of a column by person or fold."""
    return rows.group_by(unit, maintain_order=True).agg(pl.col(name).mean())[name].to_numpy()


def _subtract(found: pl.DataFrame, other: pl.DataFrame, score: str) -> pl.DataFrame:
    """Return the difference of a score for each person of both, with the fold."""
    columns = [name for name in ("person", "fold") if name in found.columns]
    joined = found.select(*columns, score).join(other.select("person", score), on="person", suffix="_other")
    return joined.with_columns(difference=pl.col(score) - pl.col(f"{score}_other"))
