"""Tables of the studies of anchors, made from their summaries; a target is met or missed by the number in the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from anchorpbo.research.anchors.anchors_plan import CHECKS
from anchorpbo.research.anchors.anchors_summary import (
    ALL,
    CONTRASTS,
    METRIC_MEASURES,
    RATIO,
    RISK_BASELINE,
    RISK_MEASURES,
    select_main,
)
from anchorpbo.research.anchors.ask_cost import TIMED
from anchorpbo.research.anchors.risk_adjusted import MEASURED_ROUNDS, PRESETS
from anchorpbo.research.anchors.validation_power import CASES
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.figures.text_table import MISSING_TEXT, Cell, TextTable

TRUE_SUPPORTED, NOISIEST_BELOW_ONE, CONSTANT_SUPPORTED = 0.9, 0.9, 0.1
"""Targets of the shares of experts: at least, at least, at most."""
LOSS_TARGET = 0.5
"""Largest ratio of the losses that false anchors cause with the learnt and with the fixed map."""
TRUE_MARGIN = 0.03
"""Largest difference of the areas of the learnt and the fixed map with true anchors, for the whole interval."""
ASK_TARGET = 80.0
"""Largest time of an ask in milliseconds."""
Row = Mapping[str, Any]

CASE_TITLES = {"true": "true anchors", "noisiest": "anchors at the noisiest places", "constant": "constant noise"}
ARM_TITLES = {
    "fixed/none": "no anchors",
    "fixed/true": "true anchors, fixed map",
    "learnt/true": "true anchors, learnt map",
    "fixed/false": "false anchors, fixed map",
    "learnt/false": "false anchors, learnt map",
    "learnt/none": "no anchors, learnt map",
}
MEASURE_TITLES = {"log_score": "log score", "map_error": "error of the map", "last": "share"}
PRESET_TITLES = {
    "paper": "Paper, RAHBO",
    "default": "Default, RAHBO",
    "learnt": "Default, RAHBO, learnt map",
    "learnt-kg": "Default, learnt map",
}
NOISE_TITLES = {"fixed": "fixed", "learnt": "learnt (LearntNoise)", "learnt-metric": "metric of the length-scales"}


def _per_cent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


@dataclass(frozen=True)
class Target:
    """A bound that a share of experts must keep."""

    measure: str
    bound: float
    is_least: bool
    text: str

    def judge(self, found: Mapping[str, Row]) -> str:
        """Return ``met`` or ``missed``, given the rows of a case by measure."""
        share = found[self.measure]["value"]
        return judge(share >= self.bound if self.is_least else share <= self.bound)


VALIDATION_TARGETS = {
    "true": Target("supported", TRUE_SUPPORTED, True, f"supported: at least {_per_cent(TRUE_SUPPORTED)}"),
    "noisiest": Target(
        "below_one", NOISIEST_BELOW_ONE, True, f"factor below 1: at least {_per_cent(NOISIEST_BELOW_ONE)}"
    ),
    "constant": Target("supported", CONSTANT_SUPPORTED, False, f"supported: at most {_per_cent(CONSTANT_SUPPORTED)}"),
}


def judge(is_met: bool) -> str:
    """Return ``met`` or ``missed``."""
    return "met" if is_met else "missed"


# -- validation --------------------------------------------------------------------------------------------------------


def tabulate_validation(summary: pl.DataFrame) -> TextTable:
    """Return the verdicts on 100 experts a case: a row per case."""
    rows, part = [], select_main(summary)
    for case in CASES:
        found = _by_measure(part.filter(pl.col("case") == case))
        if found:
            target = VALIDATION_TARGETS[case]
            about, result = (CASE_TITLES[case], found["supported"]["experts"]), target.judge(found)
            rows.append(_cells(*about, *_verdicts(found), target.text, result))
    headings = (
        "case", "experts", "supported", "open", "contradicted", "factor below 1", "median factor", "target", "result",
    )  # fmt: skip
    note = (
        f"{_per_cent(CHECKS)} of the questions are checks of anchors. Factor: Bayes factor of anchored against "
        "constant noise. In brackets, 95 % intervals of shares, and the quartiles of the factor."
    )
    return TextTable("Validation of anchors", headings, tuple(rows), ("l", *("r" * 6), "l", "l"), note)


def tabulate_checks(summary: pl.DataFrame) -> TextTable:
    """Return the verdicts by the shares of checks and of repeated pairs: a row per share and case."""
    rows = []
    for (checks, repeats), part in summary.sort("checks", "repeats", maintain_order=True).group_by(
        ["checks", "repeats"], maintain_order=True
    ):
        for case in CASES:
            found = _by_measure(part.filter(pl.col("case") == case))
            if found:
                about = _per_cent(checks), _per_cent(repeats), CASE_TITLES[case], found["supported"]["experts"]
                supported, _, contradicted, below_one, factor = _verdicts(found)
                reached = Interval(*(found["share"][name] for name in ("value", "low", "high")))
                cells = (*about, supported, contradicted, below_one, factor, reached.format_half_width(2))
                rows.append(_cells(*cells))
    headings = (
        "checks", "repeats", "case", "experts", "supported", "contradicted", "factor below 1", "median factor", "share",
    )  # fmt: skip
    note = (
        "Checks: share of the questions that are checks of anchors. Repeats: share of the others that repeat a pair. "
        "Share: of the way from a median design to the best, of the last recommended design, mean with half of its "
        "95 % interval. In brackets, 95 % intervals of shares, and the quartiles of the factor."
    )
    return TextTable("Validation by the share of checks", headings, tuple(rows), ("r", "r", "l", *("r" * 6)), note)


def _verdicts(found: Mapping[str, Row]) -> list[str]:
    shares = [format_share(found[name]) for name in ("supported", "open", "contradicted", "below_one")]
    factor = found["bayes_factor"]
    median, low, high = (_format_factor(factor[name]) for name in ("value", "low", "high"))
    return [*shares, f"{median} ({low} to {high})"]


def format_share(row: Row) -> str:
    """Return a share with its interval in per cent."""
    share, low, high = (f"{100.0 * row[name]:.0f}" for name in ("value", "low", "high"))
    return f"{share} % ({low} to {high})"


def _format_factor(factor: float) -> str:
    return f"{factor:.1e}" if factor >= 1e4 else f"{factor:.0f}" if factor >= 100.0 else f"{factor:.2g}"


# -- noise maps --------------------------------------------------------------------------------------------------------


def tabulate_areas(summary: pl.DataFrame) -> TextTable:
    """Return the areas under the curves of shares: a row per arm and a column per problem."""
    part = summary.filter(pl.col("measure") == "area")
    problems = part["problem"].unique(maintain_order=True).to_list()
    rows = []
    for arm, title in ARM_TITLES.items():
        own = part.filter(pl.col("arm") == arm)
        found = {row["problem"]: row for row in own.to_dicts()}
        if found:
            rows.append(_cells(title, _seeds(own), *(_describe(found.get(problem), 3) for problem in problems)))
    note = "Share of the recommended design, mean over all answers and seeds, with half of its 95 % interval."
    headings = ("arm", "seeds", *(_title_problems(problem) for problem in problems))
    return TextTable("Area under the curve", headings, tuple(rows), ("l", "r", *("r" * len(problems))), note)


def tabulate_contrasts(summary: pl.DataFrame) -> TextTable:
    """Return the paired differences of the areas over all problems, and the ratio of losses, with their targets."""
    part = summary.filter(pl.col("problem") == (ALL if ALL in set(summary["problem"]) else summary["problem"][0]))
    rows = []
    for name in (*CONTRASTS, RATIO):
        for row in part.filter(pl.col("arm") == name).to_dicts():
            signed, digits = (False, 2) if name == RATIO else (True, 3)
            mean, low, high = (f"{row[each]:{'+' if signed else ''}.{digits}f}" for each in ("mean", "low", "high"))
            target, result = "", ""
            if name == RATIO:
                target, result = f"at most {LOSS_TARGET}", judge(row["mean"] <= LOSS_TARGET)
            elif name == "learnt/true - fixed/true":
                within = row["low"] >= -TRUE_MARGIN and row["high"] <= TRUE_MARGIN
                target, result = f"interval within ±{TRUE_MARGIN}", judge(within)
            rows.append(_cells(_title_contrast(name), f"{mean} ({low} to {high})", target, result))
    note = (
        f"Differences of areas, paired by problem and seed, over {_seeds(part)} seeds. The ratio: what false "
        "anchors cost against none with the learnt map, divided by what they cost with the fixed map, and its "
        "bootstrap interval over seeds. In brackets, 95 % intervals."
    )
    headings = ("comparison", "difference", "target", "result")
    return TextTable("What true and false anchors change", headings, tuple(rows), ("l", "r", "l", "l"), note)


def _title_contrast(name: str) -> str:
    if name == RATIO:
        return "loss by false anchors, learnt / fixed map"
    one, other = CONTRASTS[name]
    return f"{ARM_TITLES[one]} less {ARM_TITLES[other]}"


def tabulate_flatness(summary: pl.DataFrame) -> TextTable:
    """Return the spread of the learnt log noise: a row per judge and arm."""
    rows = []
    for arm in reversed(ARM_TITLES):
        for row in summary.filter(pl.col("arm") == arm).to_dicts():
            low, high = row["judge_low"], row["judge_high"]
            judged = f"constant, {low:g}" if low == high else f"linear, {low:g} to {high:g}"
            over = Interval(row["mean"], row["interval_low"], row["interval_high"])
            rows.append(_cells(judged, ARM_TITLES[arm], row["seeds"], over.format_half_width(2)))
    note = (
        "Standard deviation over designs of the logarithm of the study's noise after the last answer; 0 is a flat map. "
        "Noise of the expert: standard deviation as a share of the range. Means over seeds, half of the 95 % interval."
    )
    headings = ("noise of the expert", "arm", "seeds", "spread of the log noise")
    return TextTable("Flatness of the learnt map", headings, tuple(rows), ("l", "l", "r", "r"), note)


def tabulate_metric(summary: pl.DataFrame) -> TextTable:
    """Return the gains of the learnt metric: a row per problem and over problems of one dimension."""
    rows = []
    for (problems,), part in summary.group_by(["problems"], maintain_order=True):
        found = {row["measure"]: row for row in part.to_dicts()}
        cells = [Cell(text) for text in (_title_problems(str(problems)), str(_seeds(part)))]
        for measure in METRIC_MEASURES:
            row = found.get(measure)
            cells += [Cell(MISSING_TEXT if row is None else f"{row['fixed']:.3f}"), _gap(row, 3)]
        rows.append(tuple(cells))
    columns = [text for measure in METRIC_MEASURES for text in (MEASURE_TITLES[measure], "gain")]
    note = (
        "Log score: mean log probability of held-out answers. Error of the map: standard deviation of its log noise "
        "less the true one. Share: of the recommended design. Each is that of the map with distances of the space, "
        "followed by the gain of distances in units of the learnt length-scales (of the error: the reduction), paired "
        "by problem and seed, with half of its 95 % interval. Target: the interval is above zero (bold)."
    )
    align = ("l", *("r" * (1 + len(columns))))
    return TextTable(
        "The metric of the learnt length-scales", ("problems", "seeds", *columns), tuple(rows), align, note
    )


# -- the risk-adjusted value, and times --------------------------------------------------------------------------------


def tabulate_risk(summary: pl.DataFrame) -> TextTable:
    """Return the risk-adjusted values on Ackley: a row per preset."""
    rows = []
    for preset in PRESETS:
        found = {row["measure"]: row for row in summary.filter(pl.col("preset") == preset).to_dicts()}
        if not found:
            continue
        main = found[RISK_MEASURES[0]]
        result = MISSING_TEXT if main["gap"] is None else judge(main["gap_low"] > 0.0)
        values = [_describe(found[name], 2 if name != "noise" else 3) for name in RISK_MEASURES]
        cells = (PRESET_TITLES[preset], str(main["seeds"]), *values)
        better = {
            **main,
            **dict(zip(("mean", "low", "high"), (main["gap"], main["gap_low"], main["gap_high"]), strict=True)),
        }
        rows.append((*map(Cell, cells), _gap(None if main["gap"] is None else better, 2), Cell(result)))
    headings = (
        "preset", "seeds", "risk-adjusted value", "value", "noise", f"less {PRESET_TITLES[RISK_BASELINE]}", "result",
    )  # fmt: skip
    rounds = 0 if summary.is_empty() else int(summary["rounds"].to_numpy().max())
    note = (
        f"Ackley 6D, {rounds} rounds, mean over the last {MEASURED_ROUNDS} with half of its 95 % interval over "
        f"seeds. Less {PRESET_TITLES[RISK_BASELINE]}: difference of the risk-adjusted values, paired by seed. Target: "
        "the interval is above zero (bold)."
    )
    return TextTable("Risk-adjusted value", headings, tuple(rows), ("l", *("r" * 5), "l"), note)


def tabulate_asks(summary: pl.DataFrame) -> TextTable:
    """Return the processor times of an ask: a row per noise map."""
    rows = []
    for noise in TIMED:
        found = {row["fits"]: row for row in summary.filter(pl.col("noise") == noise).to_dicts()}
        if found:
            cells = [_describe_ask(found.get(fits)) for fits in (False, True)]
            rows.append(_cells(NOISE_TITLES[noise], *(text for pair in cells for text in pair)))
    answers = 0 if summary.is_empty() else int(summary["answers"].to_numpy().max())
    note = (
        f"Median processor time in milliseconds of an ask after {answers} answers, with its quartiles; one thread, "
        f"four parameters, five anchors. Target: at most {ASK_TARGET:.0f} ms. At 150 answers, one ask in fourteen fits "
        "the hyper-parameters."
    )
    headings = ("noise map", "ask", "result", "ask that fits", "result")
    return TextTable("Cost of an ask", headings, tuple(rows), ("l", "r", "l", "r", "l"), note)


def _describe_ask(row: Row | None) -> tuple[str, str]:
    if row is None:
        return MISSING_TEXT, MISSING_TEXT
    median, low, high = (f"{row[name]:.0f}" for name in ("median", "low", "high"))
    return f"{median} ({low} to {high})", judge(row["median"] <= ASK_TARGET)


# -- cells -------------------------------------------------------------------------------------------------------------


def _cells(*values: object) -> tuple[Cell, ...]:
    return tuple(Cell(str(value)) for value in values)


def _by_measure(part: pl.DataFrame) -> dict[str, Row]:
    return {row["measure"]: row for row in part.to_dicts()}


def _describe(row: Row | None, digits: int) -> str:
    return MISSING_TEXT if row is None else Interval(row["mean"], row["low"], row["high"]).format_half_width(digits)


def _gap(row: Row | None, digits: int) -> Cell:
    """Return a difference; it is bold if its interval is above zero."""
    if row is None:
        return Cell(MISSING_TEXT)
    over = Interval(row["mean"], row["low"], row["high"])
    return Cell(over.format_half_width(digits, signed=True), over.low > 0.0)


def _seeds(part: pl.DataFrame) -> int:
    return 0 if part.is_empty() else int(part["seeds"].to_numpy().max())


def _title_problems(name: str) -> str:
    return "all problems" if name == ALL else f"all in {name}" if name.endswith("dimensions") else name
