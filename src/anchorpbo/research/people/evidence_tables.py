"""Tables of the page on the evidence for anchors: predicted agreement, contradictions, and noise maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable, keep_together
from anchorpbo.research.people.noise_comparison import CONSTANT, MANY_ANSWERS, MAP_MODELS, MATCHED
from anchorpbo.research.people.noise_report import SETTING
from anchorpbo.research.people.person_orders import PERSON_TOLD
from anchorpbo.research.people.population_orders import POPULATION_TOLD, REPRESENTATIONS
from anchorpbo.research.people.repeat_agreement import (
    AGREEMENT_TITLES,
    TARGETS,
    TOLD,
    compare_agreement,
    list_agreement_settings,
)
from anchorpbo.research.people.score_contradictions import GROUPS, REGRESSORS, SLOPES
from anchorpbo.research.people.sushi_anchor_sets import ANCHOR_SETS

PAIRS_OF_MODES = 28
"""Number of answers of a repetition."""
ANCHORED = tuple(name for name in MANY_ANSWERS if name != CONSTANT)
SHOWN_ANCHORS = "eaten"
"""Definition of anchors whose calibration is shown."""
SHOWN_TOLD = str(max(POPULATION_TOLD))
"""Number of people told whose evidence is shown; a few people say little."""
_SAMPLES = ("b", "a")
_MEASURE_TITLES = {"eaten": "how often eaten", "sold": "how often sold", "liked": "how much liked"}
Row = Mapping[str, Any]


# -- listeners ---------------------------------------------------------------------------------------------------------


def tabulate_agreement(listeners: pl.DataFrame) -> TextTable:
    """Return predicted against observed agreement: a row per number of answers told, target and model."""
    rows = []
    for told, target, model in list_agreement_settings(listeners):
        part = listeners.filter(pl.col("told") == told, pl.col("target") == target, pl.col("model") == model)
        if part.height < 3:
            continue
        over = compare_agreement(part["predicted"].to_numpy(), part["observed"].to_numpy())
        means = f"{over.predicted.mean:.3f}", f"{over.observed.mean:.3f}"
        texts = (
            str(told * PAIRS_OF_MODES), target, AGREEMENT_TITLES[model], str(over.listeners), *means,
            _format(over.difference, 3, signed=True), _format(over.correlation, 2), _format(over.slope, 2),
        )  # fmt: skip
        rows.append(tuple(map(Cell, texts)))
    about = ("told", "repetitions", "model", "listeners")
    headings = (*about, "predicted", "observed", "difference", "correlation", "slope")
    note = (
        "Told: number of answers per piece of music that the model knows. Predicted and observed: probability and "
        "share of two further answers to a pair that agree. Difference: predicted less observed. Correlation and slope "
        "(of observed in predicted) are over listeners. In brackets, 95 % intervals over listeners."
    )
    align = ("r", "l", "l", *("r" * 6))
    return TextTable("Predicted and observed agreement of repeated answers", headings, tuple(rows), align, note)


def tabulate_bands(bands: pl.DataFrame) -> TextTable:
    """Return the observed agreement by band of the predicted agreement, for the default preset."""
    rows = []
    for told, target in product(TOLD, TARGETS):
        part = bands.filter(pl.col("model") == "default", pl.col("told") == told, pl.col("target") == target)
        for row in part.sort("from").to_dicts():
            texts = (
                str(told * PAIRS_OF_MODES), target, f"{row['from']:.1f} to {row['to']:.1f}", str(row["pairs"]),
                f"{row['predicted']:.3f}", _format(Interval(row["observed"], row["low"], row["high"]), 3),
            )  # fmt: skip
            rows.append(tuple(map(Cell, texts)))
    headings = ("told", "repetitions", "predicted agreement", "pairs", "mean predicted", "observed")
    note = "Default preset; pairs of all listeners and pieces of music. In brackets, 95 % intervals over listeners."
    return TextTable("Agreement by prediction", headings, tuple(rows), ("r", "l", "l", *("r" * 3)), note)


# -- orders and scores -------------------------------------------------------------------------------------------------


def tabulate_contradictions(summary: pl.DataFrame) -> TextTable:
    """Return the contradicted shares: a row per definition of anchors."""
    rows = []
    for name, title in ANCHOR_SETS.items():
        values = {row["measure"]: row for row in summary.filter(pl.col("anchors") == name).to_dicts()}
        if values:
            shares = [f"{values[group]['mean']:.3f}" for group in GROUPS]
            rest = _format(_interval(values["difference"]), 3, signed=True), _format(_interval(values["ratio"]), 2)
            rows.append(tuple(map(Cell, (title, *shares, *rest))))
    headings = ("anchors", "no kind", "one kind", "both kinds", "both less none", "both / none")
    people = summary["people"].to_numpy().max()
    note = (
        "Share of pairs with unequal scores whose order contradicts the scores, by the number of their kinds that are "
        f"anchors; {summary['pairs'].to_numpy().max()} pairs of {people} people. The last two columns compare pairs of "
        "equal scores. In brackets, 95 % intervals over people and kinds."
    )
    return TextTable("Scores that contradict the order", headings, tuple(rows), ("l", *("r" * 5)), note)


def tabulate_familiarity(summary: pl.DataFrame) -> TextTable:
    """Return the slopes of the probability of a contradiction: a row per regression."""
    slopes = {row["measure"]: row for row in summary.filter(pl.col("anchors") == SLOPES).to_dicts()}
    rows = []
    for names in REGRESSORS:
        found = {name: slopes.get(f"{name} given {', '.join(names)}") for name in names}
        cells = [
            Cell(_format(_interval(row), 4, signed=True) if (row := found.get(name)) else MISSING_TEXT)
            for name in _MEASURE_TITLES
        ]
        if any(found.values()):
            rows.append((Cell(" and ".join(_MEASURE_TITLES[name] for name in names)), *cells))
    note = (
        "Change of the probability of a contradiction per standard deviation of a measure of the pair, between pairs "
        "of equal scores. In brackets, 95 % intervals over people and kinds."
    )
    headings = ("regressors", *_MEASURE_TITLES.values())
    return TextTable("Contradictions and familiarity", headings, tuple(rows), ("l", *("r" * 3)), note)


# -- noise maps --------------------------------------------------------------------------------------------------------


def tabulate_gaps(summary: pl.DataFrame, level: str) -> TextTable:
    """Return the log likelihood of constant noise and the differences: a row per setting and definition of anchors."""
    rows, shown, contrasts = [], ANCHORED, {"control": "learnt less control"}
    if level == "person":
        shown, contrasts = (*ANCHORED, MATCHED), {"level": "learnt less constant, lower", **contrasts}
    for setting in _list_settings(summary, level):
        for anchors in ANCHOR_SETS:
            values = _select(summary, setting, anchors)
            if not values:
                continue
            gaps = [values.get((name, "log_likelihood_gap")) for name in shown]
            gaps += [values.get(("learnt", contrast)) for contrast in contrasts]
            rows.append(
                (
                    *_describe_setting(setting, level),
                    Cell(ANCHOR_SETS[anchors]),
                    Cell(f"{values[CONSTANT, 'log_likelihood']['mean']:.4f}"),
                    *(_format_gap(row) for row in gaps),
                )
            )
    maps = [MAP_MODELS[name].title for name in shown]
    headings = (*_SETTING_HEADINGS[level], "anchors", "constant", *maps, *contrasts.values())
    note = (
        "Mean log likelihood of a held-out answer with constant noise, then the difference of each noise map less "
        "constant noise in thousandths, with its 95 % interval; bold if the noise map is better. Learnt less control: "
        "learnt strength with these anchors less that with the least eaten kinds, also in thousandths."
    )
    if level == "person":
        note += (
            " Constant, lower: constant noise with the mean of the bounded map of strength 3 over the ten kinds; what "
            "an anchored map gains beyond it comes from the places of the anchors."
        )
    titles = {
        "population": "Held-out answers of other people",
        "simulated": "Held-out answers of simulated people",
        "person": "Held-out answers of the same person",
    }
    return TextTable(titles[level], headings, tuple(rows), _align(headings), note)


def tabulate_evidence(summary: pl.DataFrame, level: str) -> TextTable:
    """Return the learnt strength and the Bayes factors: a row per setting and definition of anchors."""
    rows, done = [], set()
    single = level == "person"
    for setting in _list_settings(summary, level):
        for anchors in ANCHOR_SETS:
            values = _select(summary, setting, anchors)
            if level == "population" and setting["told"] != SHOWN_TOLD and _has_told(summary, SHOWN_TOLD):
                continue
            # The evidence does not depend on what is predicted.
            key = (*(setting[name] for name in SETTING if name != "target" or not single), anchors)
            if not values or key in done:
                continue
            done.add(key)
            factors = [values.get((name, "log_bayes_factor")) for name in ANCHORED]
            cells = [
                _format_extent(values.get(("learnt", "strength")), 2),
                *(_format_extent(row, 2) for row in factors),
            ]
            if single:
                cells += [
                    _format_extent(values.get(("learnt", "evidence_control")), 2),
                    _format_extent(values.get(("learnt", "common_strength")), 2),
                    _format_extent(values.get(("learnt", "common_log_bayes_factor")), 1),
                ]
            head = _describe_setting(setting, level, target=False)
            rows.append((*head, Cell(ANCHOR_SETS[anchors]), *cells))
    headings = [*_SETTING_HEADINGS[level][: 1 if single else None], "anchors", "learnt strength"]
    headings += [f"log BF, {MAP_MODELS[name].title[0].lower()}{MAP_MODELS[name].title[1:]}" for name in ANCHORED]
    note = (
        "Log BF: natural logarithm of the Bayes factor of the noise map against constant noise; below 0 favours "
        "constant noise. "
    )
    if single:
        headings += ["learnt less control", "common strength", "log BF, common strength"]
        note += (
            "Means over people with 95 % intervals. Learnt less control: log BF of the learnt strength less that with "
            "the least eaten kinds. Common strength: the one strength with the most evidence over all people, and the "
            "log Bayes factor of one strength for all."
        )
    else:
        note += "Means over folds; in brackets, the smallest and the largest."
    titles = {
        "population": "Evidence from the people told",
        "simulated": "Evidence from simulated people",
        "person": "Evidence from the answers told",
    }
    return TextTable(titles[level], tuple(headings), tuple(rows), _align(headings), note)


def _has_told(summary: pl.DataFrame, told: str) -> bool:
    return told in summary["told"].to_list()


def tabulate_calibration(summary: pl.DataFrame, level: str) -> TextTable:
    """Return Brier score and calibration of every noise map with the most eaten kinds as anchors.

    Of a population, the settings are those with a utility of kinds and random pairs; of persons, the predicted orders.
    """
    rows = []
    for setting in _list_settings(summary, level):
        kinds = setting["representation"] == "kinds" and setting["pairs"] == "random"
        if not (kinds if level == "population" else setting["target"] == "orders"):
            continue
        values = _select(summary, setting, SHOWN_ANCHORS)
        for name in MAP_MODELS:
            if (name, "brier") not in values:
                continue
            texts = (
                MAP_MODELS[name].title, f"{values[name, 'brier']['mean']:.4f}",
                _format(_interval(values[name, "slope"]), 2), _format(_interval(values[name, "calibration_error"]), 3),
            )  # fmt: skip
            rows.append((*_describe_setting(setting, level), *map(Cell, texts)))
    headings = (*_SETTING_HEADINGS[level], "noise", "Brier score", "calibration slope", "calibration error")
    note = (
        "Anchors: the most eaten kinds. A slope of 1 is calibrated, below 1 too sure, above 1 too unsure. Calibration "
        "error: mean distance between confidence and accuracy over ten bins. In brackets, 95 % intervals."
    )
    titles = {"population": "Calibration for other people", "person": "Calibration for the same person"}
    return TextTable(titles[level], headings, tuple(rows), _align(headings), note)


_SETTING_HEADINGS = {
    "population": ("sample", "utility of", "pairs", "people told"),
    "simulated": ("truth",),
    "person": ("pairs told", "predicted"),
}


_TEXT_HEADINGS = ("truth", "sample", "utility of", "pairs", "pairs told", "predicted", "anchors", "noise")


def _list_settings(summary: pl.DataFrame, level: str) -> Sequence[Row]:
    """Return the settings of a level, in the order of tables."""
    settings = summary.filter(pl.col("level") == level).select(*SETTING).unique().to_dicts()
    kinds, told = list(REPRESENTATIONS), list(PERSON_TOLD)

    def place(setting: Row) -> tuple[Any, ...]:
        if level == "person":
            return told.index(setting["told"]), setting["target"]
        if level == "simulated":
            return (setting["target"],)
        return (
            _SAMPLES.index(setting["sample"]), setting["pairs"] != "random",
            kinds.index(setting["representation"]), int(setting["told"]),
        )  # fmt: skip

    return sorted(settings, key=place)


def _select(summary: pl.DataFrame, setting: Row, anchors: str) -> dict[tuple[str, str], Row]:
    """Return the rows of a setting by noise map and measure."""
    same = [pl.col(name) == value for name, value in setting.items()]
    rows = summary.filter(*same, pl.col("anchors") == anchors).to_dicts()
    return {(row["map"], row["measure"]): row for row in rows}


def _describe_setting(setting: Row, level: str, target: bool = True) -> tuple[Cell, ...]:
    if level == "simulated":
        return (Cell(setting["target"]),)
    if level == "person":
        return (Cell(setting["told"]), *([Cell(setting["target"])] if target else []))
    texts = setting["sample"], REPRESENTATIONS[setting["representation"]], setting["pairs"], setting["told"]
    return tuple(map(Cell, texts))


def _align(headings: Sequence[str]) -> tuple[str, ...]:
    return tuple("l" if heading in _TEXT_HEADINGS else "r" for heading in headings)


def _interval(row: Row) -> Interval:
    low, high = (np.nan if row[name] is None else row[name] for name in ("low", "high"))
    return Interval(row["mean"], low, high)


def _format(over: Interval, digits: int, *, signed: bool = False) -> str:
    """Return a mean with the bounds of its interval in brackets."""
    if not np.isfinite(over.mean):
        return MISSING_TEXT
    sign = "+" if signed else ""
    mean = f"{over.mean:{sign}.{digits}f}"
    if not (np.isfinite(over.low) and np.isfinite(over.high)):
        return mean
    return keep_together(f"{mean} ({over.low:{sign}.{digits}f} to {over.high:{sign}.{digits}f})")


def _format_gap(row: Row | None) -> Cell:
    """Return a difference in thousandths; bold if its interval is above 0."""
    if row is None:
        return Cell(MISSING_TEXT)
    over = _interval(row)
    thousandths = Interval(*(1000.0 * value for value in (over.mean, over.low, over.high)))
    return Cell(keep_together(thousandths.format_half_width(2, signed=True)), bool(over.low > 0.0))


def _format_extent(row: Row | None, digits: int) -> Cell:
    return Cell(MISSING_TEXT if row is None else _format(_interval(row), digits))


EVIDENCE_TABLES: dict[str, tuple[str, Callable[[pl.DataFrame], TextTable]]] = {
    "agreement": ("agreement", tabulate_agreement),
    "agreement-bands": ("agreement-bands", tabulate_bands),
    "contradictions": ("contradictions", tabulate_contradictions),
    "familiarity": ("contradictions", tabulate_familiarity),
    "simulated-maps": ("simulated", partial(tabulate_gaps, level="simulated")),
    "simulated-evidence": ("simulated", partial(tabulate_evidence, level="simulated")),
    **{
        f"{level}-{name}": (level, partial(build, level=level))
        for level, (name, build) in product(
            ("population", "person"),
            (("maps", tabulate_gaps), ("evidence", tabulate_evidence), ("calibration", tabulate_calibration)),
        )
    },
}
"""Tables by name: the summary each is made from, and the function that makes it."""
