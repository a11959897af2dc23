"""The page on the reproduction shows what the runs gave."""

import importlib.util
import json
import re
from pathlib import Path

import polars as pl
import pytest

from anchorpbo.experiments.names import EXPERIMENTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
RESULTS = ROOT / "docs" / "reproduction"


def test_every_table_is_as_the_command_wrote_it():
    spec = importlib.util.spec_from_file_location("make_page", ROOT / "scripts" / "make_reproduction_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.filled(PAGE) == PAGE


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_its_claims_on_the_page(name):
    assert f"<!-- {name}/claims -->" in PAGE
    assert (RESULTS / name / "claims.md").exists()


@pytest.mark.parametrize(
    ("name", "arms", "seeds", "rounds"), [("main", 18, 30, 150), ("ackley6", 6, 20, 100), ("candy", 6, 20, 100)]
)
def test_the_summaries_that_are_kept_are_of_the_papers_size(name, arms, seeds, rounds):
    summary = pl.read_parquet(RESULTS / name / "summary.parquet")
    assert summary.height == arms * (rounds + 1)
    assert summary["runs"].unique().to_list() == [seeds]
    for ending in ("png", "pdf"):
        assert (RESULTS / name / f"curves.{ending}").exists()


@pytest.mark.parametrize("name", ["main", "ackley6", "candy"])
def test_the_minutes_on_the_page_are_those_that_were_noted(name):
    noted = json.loads((RESULTS / name / "elapsed.json").read_text("utf-8"))
    minutes = sum(each["seconds"] for each in noted) / 60
    assert re.search(rf"\b{minutes:.1f}\b", PAGE)


def test_every_risk_averse_strategy_queries_quieter_pairs_on_every_problem():
    rows = [
        line
        for name in ("main", "ackley6", "candy")
        for line in (RESULTS / name / "claims.md").read_text("utf-8").splitlines()
    ]
    noise = [row for row in rows if "noise of the queried pairs is below" in row]
    assert len(noise) == 15
    assert all(row.rstrip(" |").endswith("agrees") for row in noise)
    assert "15 of 15" in PAGE
