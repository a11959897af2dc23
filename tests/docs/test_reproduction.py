"""The page on the reproduction shows what the runs gave, and says it first."""

import importlib.util
import json
import os
import re
import tomllib
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from anchorpbo.problems import get_problem
from anchorpbo.reliability import EuclideanMetric
from anchorpbo.research.experiments.anchor_placement import place_anchors
from anchorpbo.research.experiments.experiment import ExperimentSize
from anchorpbo.research.experiments.registry import EXPERIMENTS
from anchorpbo.research.experiments.simulated_study import SimulatedStudy
from anchorpbo.research.experiments.verdicts import PAPER_ITEMS, ItemVerdict
from anchorpbo.study import PaperNoise

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
RESULTS = ROOT / "docs" / "reproduction"
FIRST = "\n".join(PAGE.splitlines()[:40])
SUSHI = Path(os.environ.get("ANCHORPBO_DATA", "no folder")) / "sushi"
pytestmark = pytest.mark.artefacts


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def claims_of(name):
    return json.loads((RESULTS / name / "claims.json").read_text("utf-8"))


def test_everything_between_marks_is_as_the_runs_gave_it():
    spec = importlib.util.spec_from_file_location("make_page", ROOT / "scripts" / "make_reproduction_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.fill_page(PAGE) == PAGE


# -- the first screen --------------------------------------------------------------------------------------------------


def test_the_first_forty_lines_have_a_verdict_and_a_sentence_on_every_item_of_the_paper():
    rows = {
        re.sub(r"\[(.*)\]\(.*\)", r"\1", cells(line)[0]): cells(line)
        for line in FIRST.splitlines()
        if line.startswith("| [")
    }
    assert set(rows) == {item.where for item in PAPER_ITEMS}
    for _, says, found, verdict in rows.values():
        assert says.endswith(".")
        assert found.endswith(".")
        assert len(found) <= 200
        assert re.match(r"\*\*(.*)\*\*: \d", verdict)[1] in get_args(ItemVerdict)
        assert re.search(r"\d (agree|open|depend|differ)", verdict)


def test_the_first_forty_lines_have_the_counts():
    assert re.search(r"\d+ statements of the paper \d+ agree.*\d+ open.*\d+ depend.*\d+ differ", FIRST)


def test_every_item_has_a_finding_and_nothing_is_left_to_do():
    findings = tomllib.loads((RESULTS / "findings.toml").read_text("utf-8"))
    assert set(findings) == {item.where for item in PAPER_ITEMS}
    assert "TODO" not in PAGE


# -- the rest ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_its_claims_and_pictures_on_the_page(name):
    assert re.search(rf"<!-- {name}/claims[ ;]", PAGE)
    assert claims_of(name)
    for picture in (RESULTS / name).glob("*.png"):
        assert f"reproduction/{name}/{picture.name}" in PAGE or picture.stem == "running"
        assert picture.with_suffix(".pdf").exists()


@pytest.mark.parametrize(
    ("name", "arms", "seeds", "rounds"),
    [
        ("main", 18, 30, 150),
        ("ackley6", 6, 20, 100),
        ("candy", 6, 20, 100),
        ("five-anchors", 6, 20, 100),
        ("anchor-quality", 12, 30, 150),
        ("anchor-count", 12, 30, 150),
        ("inference", 6, 20, 100),
    ],
)
def test_the_summaries_that_are_kept_are_of_the_papers_size(name, arms, seeds, rounds):
    summary = pl.read_parquet(RESULTS / name / "summary.parquet")
    assert summary.height == arms * (rounds + 1)
    assert summary["runs"].unique().to_list() == [seeds]


@pytest.mark.parametrize(
    ("name", "rows"), [("anchor-placement", (9 + 17) * 3 * 3), ("sensitivity", (2 * 34 + 2 * 6) * 3)]
)
def test_gains_are_over_twenty_seeds(name, rows):
    summary = pl.read_parquet(RESULTS / name / "summary.parquet")
    assert summary.height == rows
    assert summary["seeds"].unique().to_list() == [20]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_cell_of_a_table_of_claims_is_a_paragraph(name):
    for claim in claims_of(name):
        assert len(claim["text"]) <= 130
        assert all(len(claim[column]) <= 80 for column in ("where", "setting", "found", "interval"))


def test_every_risk_averse_strategy_queries_quieter_pairs_on_every_problem():
    claims = [claim for name in ("main", "ackley6", "candy") for claim in claims_of(name)]
    noise = [claim for claim in claims if "noise of the queried pairs is below" in claim["text"]]
    assert len(noise) == 15
    assert {claim["verdict"] for claim in noise} == {"agrees"}
    assert "15 of 15" in PAGE


NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def test_the_text_counts_the_corners_as_the_table_does():
    gains = pl.read_parquet(RESULTS / "anchor-placement" / "summary.parquet")
    corners = gains.filter(pl.col("metric") == "risk_adjusted", pl.col("variant").str.starts_with("corner-"))
    for problem, start in (("hartmann3", "* **Hartmann 3D.**"), ("hartmann4", "* **Hartmann 4D.**")):
        text = " ".join(PAGE[PAGE.index(start) :].split("\n* ")[0].split())
        for strategy in ("anpei", "rahbo", "raeubo"):
            rows = corners.filter(pl.col("problem") == problem, pl.col("strategy") == strategy)
            gained, lost = (NUMBERS[rows.filter(told).height] for told in (pl.col("low") > 0.0, pl.col("high") < 0.0))
            said = rf"{strategy.upper()} gains at {gained}( of the [a-z]+ corners)? and loses at {lost}\b"
            assert re.search(said, text), said


@pytest.mark.parametrize(
    ("name", "heading", "text", "setting", "said"),
    [
        ("main", "Figure 2: ", "RAEUBO's risk-adjusted best value is above EUBO's on Hartmann 4D", "", "(+{:.2f})"),
        ("main", "Figure 2: ", "RAEUBO's risk-adjusted best value is above EUBO's on Hartmann 3D", "", "(+{:.2f},"),
        (
            "main",
            "Figure 2: ",
            "ANPEI's risk-adjusted best value is above EI's on Hartmann 3D",
            "",
            "ends {:.2f} below",
        ),
        ("anchor-count", "Figure 3, middle", "50 anchors instead of 5 raise ANPEI", "end", "{:.2f} for ANPEI"),
        ("anchor-count", "Figure 3, middle", "50 anchors instead of 5 raise RAHBO", "end", "{:.2f} for RAHBO"),
        ("anchor-count", "Figure 3, middle", "50 anchors instead of 5 raise RAEUBO", "first", "{:.2f} in the first"),
        ("ackley6", "Figure S3", "RAEUBO is the best on Ackley 6D (risk-adjusted", "", "{:.1f} above UCB"),
        ("inference", "Hallucination", "RAHBO with Laplace", "", "{:.1f} lower"),
        ("sensitivity", "Sensitivity", "RAHBO's risk-adjusted best value is above UCB's on H", "wider", "(+{:.2f})"),
        (
            "sensitivity",
            "Sensitivity",
            "RAEUBO's risk-adjusted best value is above E",
            "farthest corner",
            "(-{:.2f} bec",
        ),
    ],
)
def test_numbers_in_the_text_are_those_of_the_claims(name, heading, text, setting, said):
    (section,) = [part for part in PAGE.split("\n## ") if part.startswith(heading)]
    claims = [c for c in claims_of(name) if c["text"].startswith(text)]
    claims = [c for c in claims if setting in c["setting"] + c["text"] and "more in" not in c["text"]]
    number = abs(float(claims[0]["found"]))
    assert said.format(number) in " ".join(section.split("<!--")[0].split())


@pytest.mark.skipif(not SUSHI.is_dir(), reason="ANCHORPBO_DATA is not a folder with sushi/")
def test_leave_one_out_chose_the_bound_for_every_set_of_anchors():
    tasks = {
        task
        for each in EXPERIMENTS.values()
        for task in each.make_tasks(ExperimentSize())
        if isinstance(task, SimulatedStudy)
    }
    sets = {(t.problem, t.anchors, t.count, t.told, t.profile, 0 if t.anchors == "own" else t.seed) for t in tasks}
    assert len(sets) > 800
    for problem, place, count, told, profile, seed in sets:
        anchors = place_anchors(get_problem(problem), place, count, seed)[:told]
        assert PaperNoise(profile=profile)(anchors, EuclideanMetric()).bandwidth == 1.0
    assert "h = 1, the lower bound, for every set of anchors of a study" in PAGE
