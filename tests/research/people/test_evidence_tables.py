"""Summaries and tables of the evidence for anchors, computed by hand from small records."""

import numpy as np
import polars as pl
import pytest

from anchorpbo.research.people.agreement_figure import plot_agreement
from anchorpbo.research.people.evidence_tables import EVIDENCE_TABLES, tabulate_contradictions, tabulate_gaps
from anchorpbo.research.people.noise_comparison import STRENGTH_NODES, integrate_profile
from anchorpbo.research.people.noise_report import summarise_maps
from anchorpbo.research.people.people_plan import STUDIES, PeoplePart, plan_people
from anchorpbo.research.people.people_report import (
    add_to_report,
    read_summaries,
    render_evidence_tables,
    write_people_report,
)
from anchorpbo.research.people.person_orders import list_persons
from anchorpbo.research.people.population_orders import list_population, list_simulated
from anchorpbo.research.people.repeat_agreement import average_bands, average_listeners

PROFILES = np.array([[0.1, 0.4, 0.2, 0.0, -1.0, -2.0, -3.0, -4.0], [0.0, -0.2, 0.6, 0.1, 0.0, -1.0, -2.0, -3.0]])
GAINS = {"constant": 0.0, "bounded": -0.02, "learnt": 0.01, "paper": 0.004, "matched": 0.01}


def make_records(folds=2, per_fold=3, anchors=("eaten", "least-eaten")):
    """Records of a population: people differ, each noise map adds its gain, and the control anchors add nothing."""
    rows = []
    for name in anchors:
        for fold in range(folds):
            for number in range(per_fold):
                for each, per_person in GAINS.items():
                    gain = per_person * (1.0 + number) if name == "eaten" else 0.0
                    p = [0.6 + 0.05 * number + gain, 0.45]
                    about = {"map": each, "person": fold * per_fold + number, "fold": fold, "anchors": name}
                    score = float(np.log(p).mean())
                    learnt = {"strength": 0.5 + fold, "log_bayes_factor": -1.0 - fold, "profile": [0.0] * 8}
                    rows.append({**about, "log_likelihood": score, "brier": 0.2 - gain, "p": p, **learnt})
    setting = {"sample": "b", "representation": "kinds", "pairs": "random", "told": 40, "truth": 0.5}
    return pl.DataFrame(rows).with_columns(**{name: pl.lit(value) for name, value in setting.items()})


def find(summary, **names):
    return summary.row(by_predicate=pl.all_horizontal([pl.col(k) == v for k, v in names.items()]), named=True)


def test_differences_are_paired_by_person():
    records = make_records()
    summary = summarise_maps(list_population(records))
    scores = {
        (row["map"], row["person"]): row["log_likelihood"]
        for row in records.filter(pl.col("anchors") == "eaten").to_dicts()
    }
    gaps = [scores["learnt", person] - scores["constant", person] for person in range(6)]
    row = find(summary, anchors="eaten", map="learnt", measure="log_likelihood_gap")
    assert (row["mean"], row["people"]) == (pytest.approx(np.mean(gaps)), 6)
    half = 2.5705818356 * np.std(gaps, ddof=1) / np.sqrt(6)
    assert row["high"] - row["mean"] == pytest.approx(half)
    # The control anchors add nothing here, so that their difference is the gap.
    assert find(summary, anchors="eaten", map="learnt", measure="control")["mean"] == pytest.approx(row["mean"])
    assert "control" not in summary.filter(pl.col("anchors") == "least-eaten")["measure"].to_list()


def test_strengths_and_bayes_factors_are_means_over_folds_with_their_extent():
    summary = summarise_maps(list_population(make_records()))
    row = find(summary, anchors="eaten", map="learnt", measure="log_bayes_factor")
    assert (row["mean"], row["low"], row["high"]) == (-1.5, -2.0, -1.0)


def test_with_many_folds_the_interval_is_over_folds():
    few, many = (summarise_maps(list_population(make_records(folds))) for folds in (5, 6))
    rows = [find(each, anchors="eaten", map="paper", measure="log_likelihood_gap") for each in (few, many)]
    assert [row["people"] for row in rows] == [15, 6]
    # All folds are equal here, and people are not.
    assert rows[0]["high"] - rows[0]["mean"] > 1e-4
    assert rows[1]["high"] - rows[1]["mean"] == pytest.approx(0.0, abs=1e-12)


def make_persons():
    records = make_records(1, 2).drop("fold", "sample", "representation", "pairs", "truth")
    profiles = [PROFILES[row["person"]].tolist() if row["map"] == "learnt" else [] for row in records.to_dicts()]
    told = pl.lit("15"), pl.lit("orders")
    return records.with_columns(profile=pl.Series(profiles), told=told[0], target=told[1])


def test_the_strength_of_all_persons_has_the_largest_sum_of_evidence():
    summary = summarise_maps(list_persons(make_persons()))
    row = find(summary, anchors="eaten", map="learnt", measure="common_strength")
    assert row["mean"] == STRENGTH_NODES[PROFILES.sum(axis=0).argmax()] == STRENGTH_NODES[2]
    assert (row["low"], row["high"]) == (STRENGTH_NODES[1], STRENGTH_NODES[2])
    control = find(summary, anchors="eaten", map="learnt", measure="evidence_control")
    assert (control["mean"], control["people"]) == (0.0, 2)
    assert find(summary, anchors="eaten", map="learnt", measure="level")["mean"] == 0.0  # both gain the same
    assert find(summary, anchors="eaten", map="bounded", measure="level")["mean"] < 0.0
    factor = find(summary, anchors="eaten", map="learnt", measure="common_log_bayes_factor")
    assert factor["mean"] == pytest.approx(integrate_profile(PROFILES.sum(axis=0)))


def make_summaries():
    rng = np.random.default_rng(0)
    rows = [("default", 1, target, str(i), p, p - 0.05) for target in ("same session", "later") for i, p in
            enumerate(rng.uniform(0.55, 0.95, 12))]  # fmt: skip
    names = ["model", "told", "target", "person", "predicted", "observed"]
    agreement = pl.DataFrame(rows, schema=names, orient="row")
    measures = {"none": 0.1, "one": 0.08, "both": 0.06, "difference": -0.03, "ratio": 0.7}
    groups = [("eaten", name, 50, 900, mean, mean - 0.02, mean + 0.02) for name, mean in measures.items()]
    groups.append(("slopes", "sold given sold, liked", 50, 900, -0.008, -0.012, -0.004))
    return {
        "agreement": average_listeners(agreement),
        "agreement-bands": average_bands(agreement),
        "contradictions": pl.DataFrame(
            groups, schema=["anchors", "measure", "people", "pairs", "mean", "low", "high"], orient="row"
        ),
        "population": summarise_maps(list_population(make_records())),
        "simulated": summarise_maps(list_simulated(make_records(anchors=("eaten",)))),
        "person": summarise_maps(list_persons(make_persons())),
    }


def test_tables_are_the_same_when_they_are_read_from_the_files(tmp_path):
    summaries = make_summaries()
    names = {path.name for path in write_people_report(summaries, tmp_path)}
    assert {"agreement.png", "agreement.pdf", "population.csv", "person.csv", "tables.md"} <= names
    tables = render_evidence_tables(read_summaries(tmp_path))
    assert tables == render_evidence_tables(summaries)
    assert set(tables) == set(EVIDENCE_TABLES)
    assert all(text in (tmp_path / "tables.md").read_text("utf-8") for text in tables.values())
    assert "| 28 | later | Default preset | 12 |" in tables["agreement"]


def test_a_gain_is_in_thousandths_and_bold_if_its_interval_is_above_zero():
    summary = pl.DataFrame(
        [
            ("population", "b", "kinds", "random", "40", "orders", "eaten", *row)
            for row in [
                ("constant", "log_likelihood", 9, -0.61234, -0.62, -0.60),
                ("bounded", "log_likelihood_gap", 9, -0.004, -0.006, -0.002),
                ("learnt", "log_likelihood_gap", 9, 0.0031, 0.0011, 0.0051),
                ("paper", "log_likelihood_gap", 9, 0.001, -0.001, 0.003),
            ]
        ],
        schema=["level", "sample", "representation", "pairs", "told", "target", "anchors", "map", "measure", "people",
                "mean", "low", "high"],
        orient="row",
    )  # fmt: skip
    (row,) = tabulate_gaps(summary, "population").rows
    texts = [cell.text.replace("\N{NO-BREAK SPACE}", " ") for cell in row]
    assert texts[4:] == ["Most eaten", "-0.6123", "-4.00 ± 2.00", "+3.10 ± 2.00", "+1.00 ± 2.00", "–"]
    assert [cell.bold for cell in row[6:9]] == [False, True, False]


def test_the_contradictions_name_both_comparisons():
    (row,) = tabulate_contradictions(make_summaries()["contradictions"].filter(pl.col("anchors") == "eaten")).rows
    texts = [cell.text.replace("\N{NO-BREAK SPACE}", " ") for cell in row]
    assert texts == ["Most eaten", "0.100", "0.080", "0.060", "-0.030 (-0.050 to -0.010)", "0.70 (0.68 to 0.72)"]


def test_a_report_is_added_to_another(tmp_path):
    summaries = make_summaries()
    write_people_report({"contradictions": summaries["contradictions"]}, tmp_path)
    add_to_report({"person": summaries["person"]}, tmp_path)
    assert set(read_summaries(tmp_path)) == {"contradictions", "person"}
    text = (tmp_path / "tables.md").read_text("utf-8")
    assert "**Scores that contradict the order**" in text
    assert "**Held-out answers of the same person**" in text


def test_the_figure_shows_every_listener_and_band():
    summaries = make_summaries()
    left, right = plot_agreement(summaries["agreement"], summaries["agreement-bands"]).axes[:2]
    assert [len(points.get_offsets()) for points in left.collections] == [12, 12]
    np.testing.assert_allclose(left.collections[0].get_offsets()[:, 0] - left.collections[0].get_offsets()[:, 1], 0.05)
    own = summaries["agreement-bands"].filter(pl.col("target") == "later").sort("from")
    line = right.containers[1].lines[0]
    np.testing.assert_allclose(np.asarray(line.get_ydata(), dtype=float), own["observed"])


# -- plans -------------------------------------------------------------------------------------------------------------


def test_every_study_has_tasks_and_studies_can_be_chosen():
    kinds = {name: {task.kind for task in plan_people(PeoplePart(studies=(name,), quick=True))} for name in STUDIES}
    assert all(kinds.values())
    assert len(set.union(*kinds.values())) == len(STUDIES)
    chosen = plan_people(PeoplePart(studies=("agreement", "persons"), quick=True))
    assert {task.kind for task in chosen} == {"agreement", "person"}
    assert {task.kind for task in plan_people(PeoplePart(quick=True))} == set.union(*kinds.values())


def test_named_contenders_leave_out_the_studies_of_models_of_our_own():
    kinds = {task.kind for task in plan_people(PeoplePart(contenders=("chance", "random")))}
    assert kinds == {"prediction", "replay", "consistency"}
