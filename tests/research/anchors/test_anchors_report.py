"""Summaries, tables and files of the benchmark of anchors, computed by hand from small records."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.research.anchors.anchors_figures import plot_arms, plot_factors
from anchorpbo.research.anchors.anchors_plan import CHECKS, JUDGE, LEARNT_JUDGE
from anchorpbo.research.anchors.anchors_report import (
    FIGURES,
    FILES,
    TABLES,
    add_to_anchors_report,
    read_anchors_summaries,
    render_tables,
    summarise_anchors,
    write_anchors_report,
)
from anchorpbo.research.anchors.anchors_summary import (
    list_experts,
    list_map_studies,
    select_learnt,
    select_metric,
    summarise_asks,
    summarise_curves,
    summarise_flatness,
    summarise_learnt,
    summarise_metric,
    summarise_risk,
    summarise_validation,
)
from anchorpbo.research.anchors.anchors_tables import (
    tabulate_asks,
    tabulate_contrasts,
    tabulate_metric,
    tabulate_risk,
    tabulate_validation,
)
from anchorpbo.research.anchors.audit_power import REPORTED, summarise_power
from anchorpbo.research.anchors.map_accuracy import MAPS, summarise_maps
from anchorpbo.research.experiments.confidence_intervals import Interval
from anchorpbo.research.experiments.records import RecordStore

SEEDS = range(6)
GAINS = {
    ("fixed", "none"): 0.0, ("fixed", "true"): 0.10, ("learnt", "true"): 0.11,
    ("fixed", "false"): -0.20, ("learnt", "false"): -0.05,
}  # fmt: skip


def find(summary, **names):
    return summary.row(by_predicate=pl.all_horizontal([pl.col(k) == v for k, v in names.items()]), named=True)


def of_table(table):
    """Return the texts of a table: by the first cell of each row, the others by heading."""
    return {row[0].text: dict(zip(table.headings, (cell.text for cell in row), strict=True)) for row in table.rows}


# -- records -----------------------------------------------------------------------------------------------------------


def make_experts():
    factors = {"true": [4.0, 9.0, 30.0, 1.5], "noisiest": [0.2, 0.4, 0.9, 1.2], "constant": [0.8, 1.1, 0.6, 0.3]}
    rows = []
    for case, values in factors.items():
        for seed, factor in enumerate(values):
            verdict = "supported" if factor >= 2.0 else "contradicted" if factor <= 0.5 else "open"
            about = {"case": case, "problem": "gp3", "seed": seed, "repeats": 0.0, "verdict": verdict}
            rows.append({**about, "checks": CHECKS, "answers": 60, "bayes_factor": factor, "share": 0.5 + 0.1 * seed})
            rows.append({**about, "checks": CHECKS, "answers": 8, "bayes_factor": 1e9, "share": 0.0})
            rows.append({**about, "checks": 0.0, "answers": 60, "bayes_factor": 1.0, "share": 0.9, "verdict": "open"})
    return pl.DataFrame(rows)


def make_maps(gains=None, problems=("gp3", "coffee"), answers=3, judge=LEARNT_JUDGE):
    """Records of studies: a level per problem and seed, plus the gain of the arm; the curve rises by 0.1 an answer."""
    rows = []
    for (noise, told), gain in (gains or GAINS).items():
        for p, problem in enumerate(problems):
            for seed in SEEDS:
                for answer in range(1, answers + 1):
                    share = 0.3 + 0.1 * answer + 0.05 * p + 0.02 * seed + gain * (1.0 + 0.1 * seed)
                    about = {"problem": problem, "noise": noise, "told": told, "seed": seed, "answer": answer}
                    last = answer == answers
                    scores = {
                        "log_score": -0.6 + gain if last else None,
                        "log_noise_spread": 0.1 + seed if last else None,
                        "map_error": 1.0 - gain if last else None,
                    }
                    rows.append(
                        {**about, "low": judge[0], "high": judge[1], "answers": answers, "share": share, **scores}
                    )
    return pl.DataFrame(rows)


def make_metric():
    gains = {("fixed", "true"): 0.0, ("learnt-metric", "true"): 0.1}
    return make_maps(gains, ("branin2in10", "branin2in6", "hartmann3in6"), answers=4, judge=JUDGE)


def make_risk():
    rows = [
        {"preset": preset, "seed": seed, "rounds": 100, "round": r, "value": value, "noise": noise}
        for preset, shift in (("paper", 0.0), ("default", 1.0), ("learnt", -1.0))
        for seed in SEEDS
        for r, value, noise in ((99, shift + seed, 0.1), (100, shift + seed + 2.0, 0.3))
    ]
    short = [{"preset": "paper", "seed": 0, "rounds": 3, "round": 3, "value": 99.0, "noise": 0.0}]
    return pl.DataFrame([*rows, *short]).with_columns(risk_adjusted=pl.col("value") - 10.0 * pl.col("noise"))


def make_asks():
    rows = [
        {"noise": noise, "seed": seed, "answers": 150, "fits": fits, "milliseconds": (cost + 100.0 * fits) + number}
        for noise, cost in (("fixed", 50.0), ("learnt", 85.0))
        for seed in range(2)
        for fits in (True, False)
        for number in range(5)
    ]
    return pl.DataFrame([*rows, {**rows[0], "answers": 8, "milliseconds": 1.0}])


# -- validation --------------------------------------------------------------------------------------------------------


def test_shares_of_verdicts_have_jeffreys_intervals_of_the_longest_studies():
    summary = summarise_validation(list_experts(make_experts()))
    row = find(summary, case="true", checks=CHECKS, measure="supported")
    assert (row["experts"], row["value"]) == (4, 0.75)
    assert (row["low"], row["high"]) == jeffreys_interval(3, 4, 0.95)
    assert find(summary, case="noisiest", checks=CHECKS, measure="below_one")["value"] == 0.75
    assert find(summary, case="noisiest", checks=CHECKS, measure="contradicted")["value"] == 0.5
    assert find(summary, case="constant", checks=CHECKS, measure="supported")["value"] == 0.0
    factor = find(summary, case="true", checks=CHECKS, measure="bayes_factor")
    assert (factor["value"], factor["low"], factor["high"]) == (6.5, 3.375, 14.25)
    share = find(summary, case="true", checks=CHECKS, measure="share")
    assert share["value"] == pytest.approx(0.65)
    assert share["high"] == pytest.approx(Interval.of_mean([0.5, 0.6, 0.7, 0.8]).high)


def test_targets_of_the_validation_are_met_or_missed():
    experts = list_experts(make_experts())
    rows = of_table(tabulate_validation(summarise_validation(experts)))
    assert {name: row["result"] for name, row in rows.items()} == {
        "true anchors": "missed", "anchors at the noisiest places": "missed", "constant noise": "met",
    }  # fmt: skip
    assert rows["true anchors"]["supported"].startswith("75 % (")
    assert rows["true anchors"]["median factor"] == "6.5 (3.4 to 14)"
    better = experts.with_columns(
        verdict=pl.when(pl.col("case") == "noisiest").then(pl.lit("open")).otherwise(pl.lit("supported")),
        bayes_factor=pl.when(pl.col("case") == "noisiest").then(0.99).otherwise(3.0),
    )
    rows = of_table(tabulate_validation(summarise_validation(better)))
    assert [row["result"] for row in rows.values()] == ["met", "met", "missed"]


# -- noise maps --------------------------------------------------------------------------------------------------------


def test_areas_are_compared_in_pairs_averaged_over_problems():
    summary = summarise_learnt(list_map_studies(make_maps()))
    levels = [0.3 + 0.2 + 0.025 + 0.02 * seed for seed in SEEDS]
    row = find(summary, problem="all", arm="fixed/none")
    assert (row["seeds"], row["mean"]) == (6, pytest.approx(np.mean(levels)))
    assert row["high"] == pytest.approx(Interval.of_mean(levels).high)
    expected = Interval.of_mean([-0.05 * (1.0 + 0.1 * seed) for seed in SEEDS])
    row = find(summary, problem="all", arm="learnt/false - none")
    assert [row[name] for name in ("mean", "low", "high")] == pytest.approx(
        [expected.mean, expected.low, expected.high]
    )
    assert find(summary, problem="coffee", arm="learnt/true - fixed/true")["mean"] == pytest.approx(0.0125)
    ratio = find(summary, problem="all", measure="ratio")
    assert [ratio[name] for name in ("mean", "low", "high")] == pytest.approx([0.25] * 3)


def test_seeds_without_all_problems_do_not_count():
    records = make_maps().filter(~((pl.col("seed") == 2) & (pl.col("problem") == "gp3") & (pl.col("told") == "true")))
    summary = summarise_learnt(list_map_studies(records))
    assert find(summary, problem="all", arm="fixed/true")["seeds"] == 5
    assert find(summary, problem="all", arm="fixed/true - none")["seeds"] == 5
    assert find(summary, problem="coffee", arm="fixed/true")["seeds"] == 6


def test_very_bad_recommendations_count_as_the_floor():
    records = make_maps().with_columns(share=pl.lit(-30.0))
    summary = summarise_learnt(list_map_studies(records))
    assert find(summary, problem="all", arm="fixed/none")["mean"] == -1.0
    assert np.isnan(find(summary, problem="all", measure="ratio")["mean"])
    assert set(summarise_curves(records)["mean"]) == {-1.0}


@pytest.mark.parametrize(
    ("gains", "results"),
    [
        ({}, ["met", "met"]),
        ({("learnt", "false"): -0.15}, ["met", "missed"]),
        ({("learnt", "true"): 0.2}, ["missed", "met"]),
    ],
)
def test_targets_of_a_map_that_learns_are_met_or_missed(gains, results):
    rows = of_table(tabulate_contrasts(summarise_learnt(list_map_studies(make_maps({**GAINS, **gains})))))
    assert [row["result"] for row in rows.values() if row["target"]] == results


def test_the_flatness_has_a_row_per_judge_and_arm():
    learnt = {("learnt", "none"): 0.0}
    records = pl.concat([make_maps(), make_maps(learnt, judge=(0.15, 0.15)), make_maps(learnt)])
    summary = summarise_flatness(list_map_studies(records))
    row = find(summary, judge_low=0.15, arm="learnt/none")
    assert (row["judge_high"], row["seeds"], row["mean"]) == (0.15, 6, pytest.approx(2.6))
    assert find(summary, judge_low=LEARNT_JUDGE[0], arm="learnt/false")["seeds"] == 6
    assert "fixed/none" not in set(summary["arm"])


def test_curves_are_means_over_problems_and_seeds_of_the_judge_with_varying_noise():
    constant = make_maps({("fixed", "none"): 0.5}, judge=(0.15, 0.15))
    curves = summarise_curves(pl.concat([make_maps(), constant]))
    row = find(curves, arm="fixed/none", answer=2)
    assert row["mean"] == pytest.approx(np.mean([0.3 + 0.2 + 0.025 + 0.02 * seed for seed in SEEDS]))
    assert curves.filter(pl.col("arm") == "learnt/true")["answer"].to_list() == [1, 2, 3]


def test_studies_with_irrelevant_dimensions_are_kept_apart_and_the_longest_count():
    short = make_maps(answers=2)
    records = pl.concat([make_maps(), make_metric(), short])
    assert set(select_learnt(records)["problem"]) == {"gp3", "coffee"}
    assert set(select_learnt(records)["answers"]) == {3}
    assert set(select_metric(records)["problem"]) == {"branin2in6", "branin2in10", "hartmann3in6"}


def test_the_metric_is_compared_by_problem_and_by_dimension():
    summary = summarise_metric(list_map_studies(make_metric()))
    assert summary["problems"].unique(maintain_order=True).to_list() == [
        "branin2in6", "hartmann3in6", "branin2in10", "6 dimensions", "10 dimensions",
    ]  # fmt: skip
    expected = Interval.of_mean([0.1 * (1.0 + 0.1 * seed) for seed in SEEDS])
    row = find(summary, problems="6 dimensions", measure="last")
    assert [row[each] for each in ("mean", "low", "high")] == pytest.approx(
        [expected.mean, expected.low, expected.high]
    )
    row = find(summary, problems="10 dimensions", measure="log_score")
    assert (row["fixed"], row["learnt"], row["mean"]) == pytest.approx((-0.6, -0.5, 0.1))
    row = find(summary, problems="10 dimensions", measure="map_error")
    assert (row["fixed"], row["learnt"], row["mean"]) == pytest.approx((1.0, 0.9, 0.1))


def test_gains_with_an_interval_above_zero_are_bold():
    gains = {("fixed", "true"): 0.0, ("learnt-metric", "true"): -0.1}
    better, worse = (
        tabulate_metric(summarise_metric(list_map_studies(records)))
        for records in (make_metric(), make_maps(gains, ("branin2in6",), judge=JUDGE))
    )
    assert [cell.bold for cell in better.rows[0]] == [False, False, False, True, False, True, False, True]
    assert not any(cell.bold for cell in worse.rows[0])


# -- the risk-adjusted value, and times --------------------------------------------------------------------------------


def test_risk_adjusted_values_are_means_over_rounds_compared_by_seed():
    summary = summarise_risk(make_risk())
    row = find(summary, preset="default", measure="risk_adjusted")
    assert (row["rounds"], row["seeds"]) == (100, 6)
    assert row["mean"] == pytest.approx(np.mean([1.0 + seed + 1.0 - 2.0 for seed in SEEDS]))
    assert [row[name] for name in ("gap", "gap_low", "gap_high")] == pytest.approx([1.0] * 3)
    assert find(summary, preset="paper", measure="value")["gap"] is None
    rows = of_table(tabulate_risk(summary))
    assert [row["result"] for row in rows.values()] == ["–", "met", "missed"]


def test_times_are_medians_of_asks_with_and_without_a_fit():
    summary = summarise_asks(make_asks())
    row = find(summary, noise="fixed", fits=False)
    assert (row["answers"], row["asks"], row["median"], row["low"], row["high"]) == (150, 10, 52.0, 51.0, 53.0)
    assert find(summary, noise="learnt", fits=True)["median"] == 187.0
    rows = [[cell.text for cell in row] for row in tabulate_asks(summary).rows]
    assert rows[0][1:] == ["52 (51 to 53)", "met", "152 (151 to 153)", "missed"]
    assert rows[1][2] == "missed"


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summaries():
    experts, maps = list_experts(make_experts()), list_map_studies(make_maps())
    truths = [
        {"truth": "isotropic", "map": name, "seed": seed, "error": 0.1 * seed + at, "loss": float(at)}
        for at, name in enumerate(MAPS)
        for seed in range(3)
    ]
    audits = [
        {"questions": "random", "answers": 60, "noise": 0.35, "fault": "none", "seed": seed, "finding": name}
        | {"level": "good"}
        for name in REPORTED
        for seed in range(3)
    ]
    return {
        "experts": experts,
        "validation": summarise_validation(experts),
        "learnt": summarise_learnt(maps),
        "curves": summarise_curves(make_maps()),
        "flatness": summarise_flatness(maps),
        "metric": summarise_metric(list_map_studies(make_metric())),
        "ackley": summarise_risk(make_risk()),
        "maps": summarise_maps(pl.DataFrame(truths)),
        "audit": summarise_power(pl.DataFrame(audits)),
        "ask": summarise_asks(make_asks()),
    }


def test_a_report_that_is_read_has_the_same_tables(summaries, tmp_path):
    written = write_anchors_report(summaries, tmp_path)
    assert {path.name for path in written} == {
        *(f"{name}.csv" for name in FILES),
        "tables.md",
        *(f"{name}.{ending}" for name in FIGURES for ending in ("png", "pdf")),
    }
    tables = render_tables(summaries)
    assert tables == render_tables(read_anchors_summaries(tmp_path))
    assert {*tables} == {*TABLES}
    assert (tmp_path / "tables.md").read_text("utf-8") == "\n".join(["# Anchors\n", *tables.values()])


def test_a_part_of_a_report_replaces_its_files_only(summaries, tmp_path):
    write_anchors_report(summaries, tmp_path)
    before = (tmp_path / "learnt.csv").read_bytes()
    slow = summaries["ask"].with_columns(median=pl.lit(500.0))
    add_to_anchors_report({"ask": slow}, tmp_path)
    assert (tmp_path / "learnt.csv").read_bytes() == before
    text = (tmp_path / "tables.md").read_text("utf-8")
    assert "| fixed | 500 (" in text
    assert "**What true and false anchors change**" in text


def test_a_folder_without_records_is_an_error(tmp_path):
    with pytest.raises(InputError, match="there must be records to read"):
        summarise_anchors(RecordStore(tmp_path / "out"))


def test_the_figure_of_factors_has_a_point_per_expert_and_a_strip_per_case(summaries):
    (axes,) = plot_factors(summaries["experts"]).axes
    points = [collection.get_offsets() for collection in axes.collections]
    assert [len(each) for each in points] == [4, 4, 4]
    assert sorted(points[0][:, 0]) == [1.5, 4.0, 9.0, 30.0]
    assert axes.get_xscale() == "log"


def test_the_figure_of_curves_has_a_line_per_arm(summaries):
    (axes,) = plot_arms(summaries["curves"]).axes
    assert len(axes.lines) == 5
    arm = summaries["curves"].filter(pl.col("arm") == "fixed/none").sort("answer")
    np.testing.assert_allclose(axes.lines[0].get_ydata(), arm["mean"].to_numpy())
