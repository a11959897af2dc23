"""Metrics and targets of the benchmark on small cases computed by hand."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.errors import InputError
from anchorpbo.research.answers import answer_tables, study_metrics, targets
from anchorpbo.research.answers.answers_report import merge_studies, write_report
from anchorpbo.research.answers.study_metrics import (
    add_share_after,
    average_by_seed,
    average_curve,
    compare,
    find_answer,
    select,
    summarise_studies,
)


@pytest.fixture(autouse=True)
def two_seeds_are_enough(monkeypatch):
    """Small cases: targets are judged from two seeds on."""
    monkeypatch.setattr(targets, "MIN_SEEDS", 2)


def record(shares, contender="default", judge="sure", placement="good", problem="gp3", seed=0, stop=None, failures=0):
    """The rows of one study."""
    n = len(shares)
    return pl.DataFrame(
        {
            "answer": range(1, n + 1), "share": [float(share) for share in shares], "right": [True] * n,
            "stop": pl.Series(stop if stop is not None else [None] * n, dtype=pl.Boolean),
            "failures": [failures] * n, "seconds": [0.1] * n, "recommend_seconds": [0.2] * n,
            "problem": problem, "judge": judge, "placement": placement, "contender": contender,
            "seed": seed, "answers": n,
        }
    )  # fmt: skip


def summary(*records, horizon=4):
    return summarise_studies(pl.concat(records, how="diagonal_relaxed"), horizon)


def test_the_area_is_the_mean_share_with_a_floor():
    (row,) = summary(record([-5.0, 0.0, 0.5, 0.9])).to_dicts()
    assert row["area"] == pytest.approx((-1.0 + 0.0 + 0.5 + 0.9) / 4)
    assert row["shares"] == pytest.approx([-5.0, 0.0, 0.5, 0.9])


def test_a_level_is_reached_when_it_is_not_left_again():
    (row,) = summary(record([0.85, 0.7, 0.8, 0.92])).to_dicts()
    assert (row["reach_80"], row["reach_90"], row["reach_95"]) == (3, 4, None)
    (row,) = summary(record([0.95, 0.95, 0.99, 1.0])).to_dicts()
    assert (row["reach_80"], row["reach_95"]) == (1, 1)
    (row,) = summary(record([0.95, 0.95, 0.99, 0.7])).to_dicts()
    assert row["reach_80"] is None


def test_studies_that_never_reach_a_level_count_with_all_their_answers():
    studies = summary(record([0.0, 0.8, 0.8, 0.8]), record([0.0] * 4, seed=1))
    assert study_metrics.restricted_mean(studies, 80) == (2 + 4) / 2
    assert study_metrics.share_reached(studies, 80) == 0.5


def test_only_the_stopping_rule_looks_beyond_the_horizon():
    stop = [False, False, False, False, True, False]
    long = record([0.1, 0.2, 0.3, 0.4, 0.95, 0.2], stop=stop)
    (row,) = summary(long).to_dicts()
    assert row["area"] == pytest.approx(0.25)
    assert (row["answers"], row["length"], row["stop_answer"], row["stop_share"]) == (4, 6, 5, 0.95)
    assert row["has_rule"]
    (row,) = summary(long.head(4).with_columns(answers=4), long, horizon=4).to_dicts()
    assert row["length"] == 6
    assert summary(long.head(4).with_columns(answers=4), horizon=5).height == 0


def test_the_share_after_an_answer_is_clipped_unless_told():
    studies = summary(record([-5.0, 0.0, 0.5, 0.9]))
    assert add_share_after(studies, 1)["share_1"].to_list() == [-1.0]
    assert add_share_after(studies, 1, clip=False)["share_1"].to_list() == [-5.0]
    assert add_share_after(studies, 9)["share_9"].to_list() == pytest.approx([0.9])


def test_a_seed_is_a_block_and_counts_only_with_all_problems():
    studies = summary(
        record([0.2] * 4, problem="gp3"), record([0.6] * 4, problem="gp6"), record([0.9] * 4, problem="gp3", seed=1)
    )
    assert average_by_seed(studies, "area").tolist() == pytest.approx([0.4])


def test_differences_are_paired_by_problem_and_seed():
    ours = [record([share] * 4, seed=seed) for seed, share in enumerate([0.5, 0.7, 0.9])]
    theirs = [record([share] * 4, "botorch-probit", seed=seed) for seed, share in enumerate([0.4, 0.7, 0.7, 0.0])]
    studies = summary(*ours, *theirs)
    gap = compare(select(studies, contender="default"), select(studies, contender="botorch-probit"), "area")
    assert gap.mean == pytest.approx(0.1)
    # t with two degrees of freedom: 4.3027 x 0.1 / sqrt(3)
    assert gap.high - gap.mean == pytest.approx(4.30265 * 0.1 / np.sqrt(3), rel=1e-4)
    assert compare(select(studies, contender="default"), select(studies, contender="optuna"), "area") is None


def test_the_mean_curve_and_the_answer_at_which_it_reaches_a_share():
    studies = summary(record([0.0, 0.4, 0.8, 1.0]), record([0.2, 0.2, 0.4, 0.6], seed=1))
    curve = average_curve(studies)
    assert curve[:, 0] == pytest.approx([0.1, 0.3, 0.6, 0.8])
    assert (curve[:, 1] < curve[:, 0]).all()
    assert find_answer(curve[:, 0], 0.3 - 1e-9) == 2
    assert find_answer(curve[:, 0], 0.81) is None


# -- targets -----------------------------------------------------------------------------------------------------------


def ramp(n, last, top):
    """Shares that climb to the top at answer ``last`` and stay there."""
    return [top * min(answer / last, 1.0) for answer in range(1, n + 1)]


def many(contender, last, top, seeds=5, n=40, **settings):
    return [
        record([share + 0.001 * seed for share in ramp(n, last, top)], contender, seed=seed, **settings)
        for seed in range(seeds)
    ]


def judged(*records, problems=("gp3",)):
    studies = summary(*(each for group in records for each in group), horizon=40)
    return targets.judge_targets(studies, problems)


def find(found, start):
    """The targets that are judged."""
    return [target for target in found if target.text.startswith(start) and not target.missing]


def peers(last, top, **settings):
    """All peers; GLISp is 0.05 below the others."""
    return [
        each for name in targets.list_peers() for each in many(name, last, top - 0.05 * (name == "glisp"), **settings)
    ]


def test_the_best_peer_is_the_one_with_the_largest_area():
    studies = summary(*many("default", 10, 0.9), *many("botorch-probit", 10, 0.8), *many("glisp", 10, 0.85), horizon=40)
    peer, gap = targets.find_best_peer(studies, "sure")
    assert peer == "glisp"
    assert gap.mean == pytest.approx(0.05 * (40 - 4.5) / 40)
    (target,) = find(judged(many("default", 10, 0.9), peers(10, 0.85)), "Without anchors, the area")
    assert target.met
    assert target.missed_by == ""
    assert target.setting.startswith("sure; best peer:")


def test_a_peer_ahead_by_more_than_the_margin_is_a_miss_and_says_by_how_much():
    (target,) = find(judged(many("default", 10, 0.8), peers(10, 0.9)), "Without anchors, the area")
    assert not target.met
    # The area is behind by 0.1 x 35.5 / 40, that is 0.059 more than the margin.
    assert target.missed_by == "0.059"
    assert target.verdict == "missed: 0.059"


def test_half_the_answers_are_enough_at_the_limit_and_not_one_beyond():
    for last, met in ((20, True), (21, False)):
        found = judged(many("default", last, 0.8), many("botorch-probit", 40, 0.8))
        (target,) = find(found, "Without anchors, the mean share")
        assert (target.found, target.met) == (str(last), met)
    (target,) = find(
        judged(many("default", 5, 0.7), many("botorch-probit", 40, 0.8)), "Without anchors, the mean share"
    )
    assert (target.found, target.met, target.missed_by) == ("never", False, "not within 40")


def test_with_good_anchors_the_limit_is_14_for_heteroscedastic_judges_only():
    for judge, last, met in (("linear", 14, True), ("believed", 15, False)):
        found = judged(many("default-anchors", last, 0.8, judge=judge), many("botorch-probit", 40, 0.8, judge=judge))
        (target,) = find(found, "With good anchors")
        assert target.met == met
    assert not find(judged(many("default-anchors", 10, 0.8), many("botorch-probit", 40, 0.8)), "With good anchors")


def test_misleading_anchors_are_compared_with_no_anchors_before_the_same_judge():
    for factor, met in ((0.91, True), (0.89, False)):
        told = many("default-anchors", 10, 0.8 * factor, judge="linear", placement="misleading")
        alone = many("default", 10, 0.8, judge="linear", placement="misleading")
        other = many("default", 10, 0.1, judge="linear", placement="good")
        (target,) = find(judged(told, alone, other), "With misleading anchors")
        assert target.met == met


def test_draws_in_three_dimensions_must_end_at_93_percent():
    assert find(judged(many("default", 10, 0.93)), "Draws in three")[0].met
    (target,) = find(judged(many("default", 10, 0.92)), "Draws in three")
    assert not target.met
    assert target.missed_by == "0.008"
    assert not find(judged(many("default", 10, 0.99, problem="gp6")), "Draws in three")
    tuning = targets.judge_targets(summary(*many("default", 10, 0.99, problem="gp2"), horizon=40))
    assert not [target for target in tuning if target.text.startswith("Draws in three")]


def stopped(seed, share, at, n=60, judge="sure"):
    """A study that is told to stop after answer ``at``."""
    return record([share] * n, seed=seed, stop=[answer >= at for answer in range(1, n + 1)], judge=judge)


def test_coverage_is_the_share_of_stopped_studies_within_the_margin():
    studies = [stopped(seed, 0.95 if seed else 0.5, 50 + seed) for seed in range(10)]
    found = judged(studies)
    (target,) = find(found, "Of the studies told to stop")
    assert (target.found, target.met) == ("0.900", True)
    (target,) = find(found, "At least half")
    assert (target.found, target.met) == ("1.000", True)
    (target,) = find(judged([*studies[:3], *(stopped(seed, 0.95, 61) for seed in (7, 8, 9, 10))]), "At least half")
    assert (target.found, target.missed_by) == ("0.429", "0.071")


def test_the_coverage_of_other_judges_is_reported_and_not_judged():
    (target,) = find(judged([stopped(seed, 0.2, 5, 40, "slips") for seed in range(3)]), "Of the studies told to stop")
    assert (target.found, target.met, target.verdict) == ("0.000", None, "reported")


def test_a_rule_that_never_stops_has_no_coverage():
    (target,) = find(judged([stopped(seed, 0.95, 99) for seed in range(3)]), "Of the studies told to stop")
    assert (target.met, target.verdict) == (False, "missed: no study is told to stop")


# -- missing parts of the plan -----------------------------------------------------------------------------------------


def not_run(found, start):
    return {target.setting: target for target in found if target.text.startswith(start) and target.missing}


def test_a_judge_without_records_is_not_run():
    found = judged(many("default", 10, 0.9), peers(10, 0.8), many("default-anchors", 10, 0.9, placement="misleading"))
    for start in ("Without anchors, the area", "Without anchors, the mean share", "With misleading anchors"):
        missing = not_run(found, start)
        assert set(missing) == {"constant-low", "constant-high", "believed", "linear", "slips"}
        assert {target.verdict for target in missing.values()} == {"not run: no studies"}
        assert {target.met for target in missing.values()} == {None}
    assert set(not_run(found, "With good anchors")) == {"believed", "linear"}


def test_a_peer_without_records_leaves_the_area_open_and_is_named():
    only = [many(name, 10, 0.8) for name in targets.list_peers() if name != "optuna"]
    missing = not_run(judged(many("default", 10, 0.9), *only), "Without anchors, the area")["sure"]
    assert missing.verdict == "not run: Optuna dashboard: no studies"
    # Optuna's sampler does not meet this judge.
    others = [many(name, 10, 0.8, judge="slips") for name in ("hb-ei", "botorch-probit")]
    (target,) = find(judged(many("default", 10, 0.9, judge="slips"), *others), "Without anchors, the area")
    assert target.met


def test_a_problem_without_records_leaves_its_targets_open():
    found = judged(
        many("default", 10, 0.9), peers(10, 0.8), many("default", 10, 0.9, problem="gp6"), problems=("gp3", "gp6")
    )
    missing = not_run(found, "Without anchors, the mean share")["sure"]
    assert missing.verdict == "not run: no studies of gp6"
    assert not_run(found, "Without anchors, the area")["sure"].verdict == "not run: no studies of gp6"
    (target,) = find(found, "Draws in three")
    assert not target.met


def test_one_seed_is_not_enough():
    found = judged(many("default", 10, 0.9, seeds=1), peers(10, 0.8))
    verdict = not_run(found, "Without anchors, the area")["sure"].verdict
    assert verdict == "not run: 1 of at least 2 seeds with all problems"
    assert not_run(found, "Draws in three")


@pytest.mark.parametrize(("answers", "judges"), [(59, set()), (60, {"sure"})])
def test_the_stopping_rule_is_judged_from_60_answers_on(answers, judges):
    found = judged([stopped(seed, 0.95, 30, answers) for seed in range(3)])
    covered = find(found, "Of the studies told to stop")
    assert {target.setting.partition(";")[0] for target in covered} == judges
    assert len(find(found, "At least half")) == len(judges)
    if not judges:
        assert not_run(found, "At least half")["sure"].verdict == "not run: no studies with 60 answers"


def test_the_problems_of_the_set_are_expected_by_default():
    studies = summary(*many("default", 10, 0.95), *many("botorch-probit", 40, 0.8), horizon=40)
    missing = not_run(targets.judge_targets(studies), "Without anchors, the mean share")["sure"]
    assert missing.verdict == "not run: no studies of gp6, branin2in5, cosine10, coffee, catalogue8"


def test_both_sides_of_a_difference_are_the_same_studies():
    # Our extra seeds and the reference's are far off; only the seeds of both count.
    ours = [*many("default", 20, 0.8), *(record([0.1] * 40, seed=seed) for seed in (50, 51))]
    theirs = [*many("botorch-probit", 40, 0.8), *(record([3.0] * 40, "botorch-probit", seed=60 + n) for n in range(3))]
    (target,) = find(judged(ours, theirs), "Without anchors, the mean share")
    assert (target.found, target.met) == ("20", True)
    alone = judged(many("default", 20, 0.8), many("botorch-probit", 40, 0.8))
    assert target == find(alone, "Without anchors, the mean share")[0]
    others = [each for name in targets.list_peers() if name != "botorch-probit" for each in many(name, 10, 0.5)]
    areas = [find(judged(a, b, others), "Without anchors, the area") for a, b in (
        (ours, theirs), (many("default", 20, 0.8), many("botorch-probit", 40, 0.8))
    )]  # fmt: skip
    assert areas[0] == areas[1]
    assert len(areas[0]) == 1


def test_both_sides_of_a_loss_are_the_same_studies():
    told = many("default-anchors", 10, 0.8, placement="misleading")
    alone = many("default", 10, 0.8)
    extra = [record([-1.0] * 40, "default-anchors", placement="misleading", seed=seed) for seed in (50, 51)]
    found = [find(judged(each, alone), "With misleading anchors")[0] for each in (told, [*told, *extra])]
    assert found[0] == found[1]
    assert found[0].met


def test_a_seed_that_lacks_a_problem_of_one_side_counts_for_neither():
    both = ("gp3", "gp6")
    ours = [each for name in both for each in many("default", 20, 0.8, problem=name)]
    theirs = [each for name in both for each in many("botorch-probit", 40, 0.8, problem=name)]
    half = [record([5.0] * 40, "botorch-probit", seed=70), record([-5.0] * 40, seed=70)]
    found = [find(judged(ours, theirs, more, problems=both), "Without anchors, the mean share") for more in ([], half)]
    assert found[0] == found[1]
    assert len(found[0]) == 1


# -- tables ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def studies():
    return summary(
        *many("default", 20, 0.8), *many("default-anchors", 10, 0.9),
        *many("default-anchors", 10, 0.5, placement="misleading"), *many("glisp", 5, 0.9), horizon=40,
    )  # fmt: skip


def cells(table):
    return {row[0].text: [" ".join(cell.text.split()) for cell in row[1:]] for row in table.rows}


def test_tables_show_what_was_computed(studies):
    area = 0.8 * (40 - 9.5) / 40 + 0.002
    assert cells(answer_tables.tabulate_areas(studies))["Default preset"][0].startswith(f"{area:.2f} ±")
    assert cells(answer_tables.tabulate_shares(studies))["Default preset"] == ["0.60 / 0.80 / 0.80"]
    assert cells(answer_tables.tabulate_medians(studies))["GLISp"] == ["0.90 (0%)"]
    assert cells(answer_tables.tabulate_reach(studies))["Default preset, anchors"] == ["9 / 10 / 40 (100 / 100 / 0)"]
    assert cells(answer_tables.tabulate_costs(studies))["GLISp"] == ["5", "100 ms", "200 ms", "0", "0"]


def test_the_best_area_of_a_judge_is_bold(studies):
    bold = [row[0].text for row in answer_tables.tabulate_areas(studies).rows if row[1].bold]
    assert bold == ["GLISp"]


def test_every_loss_is_on_the_list_and_nothing_else(studies):
    losses = {(ours, other, problem) for ours, other, _, problem, _ in answer_tables.list_losses(studies)}
    assert losses == {(ours, "glisp", problem) for ours in ("default", "default-anchors") for problem in ("all", "gp3")}


def test_misleading_anchors_have_a_row_of_their_own(studies):
    table = cells(answer_tables.tabulate_placements(studies))
    assert table["good"][0].startswith("+")
    assert table["misleading"][0].startswith("-")


def test_merged_reports_have_every_study_once_and_the_later_of_equal_ones():
    early, late = summary(record([0.5] * 4), record([0.6] * 4, seed=2)), summary(record([0.7] * 4, seed=1))
    again = summary(record([0.9] * 4))
    merged = merge_studies([early, late, again])
    assert merged.select("seed", "area").rows() == [(0, 0.9), (1, 0.7), (2, 0.6)]
    assert merge_studies([merged]).equals(merged)
    assert merge_studies([again, early]).equals(early)


def test_a_longer_run_of_a_study_is_kept_whatever_the_order_of_the_reports():
    """Only the longer run shows when the study is told to stop."""
    long, short = (summary(record([0.5] * answers), horizon=3) for answers in (5, 3))
    for reports in ([long, short], [short, long]):
        assert merge_studies(reports).equals(long)


def test_reports_of_other_sets_or_lengths_are_not_merged():
    studies = summary(record([0.5] * 4))
    for other in (summary(record([0.5] * 4, problem="gp2")), summary(record([0.5] * 3), horizon=3)):
        with pytest.raises(InputError, match=r"reports must be of one set and one number of answers; received gp"):
            merge_studies([studies, other])


def test_studies_of_two_versions_of_a_contender_are_not_merged():
    """A report without versions, from an earlier release, can be merged with any."""
    old, new = (
        summary(record([0.5] * 4, seed=seed).with_columns(contender_version=pl.lit(version)))
        for seed, version in enumerate(("default 1", "default 2"))
    )
    unknown = summary(record([0.5] * 4, seed=2))
    assert merge_studies([unknown, new])["contender_version"].to_list() == ["default 2", None]
    with pytest.raises(InputError, match="one version; received default of default 1 and default 2; run the older"):
        merge_studies([old, unknown, new])
    rerun = summary(record([0.6] * 4, seed=0).with_columns(contender_version=pl.lit("default 2")))
    assert merge_studies([old, new, rerun])["contender_version"].to_list() == ["default 2"] * 2


def test_a_report_has_all_files_and_can_be_rebuilt_from_its_summary(studies, tmp_path):
    names = {path.name for path in write_report(studies, tmp_path)}
    assert {
        "studies.parquet",
        "tables.md",
        "targets.json",
        "judges.png",
        "placements.png",
        "problems-sure.png",
    } <= names
    again = tmp_path / "again"
    write_report(pl.read_parquet(tmp_path / "studies.parquet"), again)
    for name in names:
        assert (again / name).read_bytes() == (tmp_path / name).read_bytes(), name


def test_a_part_of_the_benchmark_without_good_anchors_has_a_report(tmp_path):
    rows = record([0.1, 0.4], contender="default-anchors", placement="misleading")
    names = {path.name for path in write_report(summarise_studies(rows, 2), tmp_path)}
    assert "placements.png" in names
    assert not {"judges.png", "problems-sure.png"} & names
