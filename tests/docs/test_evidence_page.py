"""The page on the evidence for anchors shows what the benchmarks with simulated experts and real people gave."""

import importlib.util
import re
from pathlib import Path

import polars as pl
import pytest

from anchorpbo.research.anchors import anchors_plan
from anchorpbo.research.anchors.anchors_report import TABLES, read_anchors_summaries, render_tables
from anchorpbo.research.people.evidence_tables import EVIDENCE_TABLES
from anchorpbo.research.people.people_plan import STUDIES
from anchorpbo.research.people.people_report import read_summaries, render_evidence_tables, render_people_tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "evidence.md").read_text("utf-8")
RESULTS, ANCHORS = (ROOT / "benchmarks" / "answers" / name for name in ("people", "anchors"))
pytestmark = pytest.mark.artefacts


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_evidence_page", ROOT / "scripts" / "make_evidence_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_part_is_as_the_results_have_it(script):
    assert script.fill_page(PAGE) == PAGE


def test_every_table_and_picture_has_a_place_on_the_page_and_is_filled(script):
    places = re.findall(r"<!-- evidence/(people-[a-z-]+) -->\n(.?)", PAGE)
    assert sorted(name for name, _ in places) == sorted(
        [*(f"people-{name}" for name in EVIDENCE_TABLES), script.PICTURE]
    )
    assert all(first != "<" for _, first in places)


def test_the_committed_tables_are_those_of_the_committed_summaries():
    summaries = read_summaries(RESULTS)
    tables = [*render_people_tables(summaries).values(), *render_evidence_tables(summaries).values()]
    assert (RESULTS / "tables.md").read_text("utf-8") == "\n".join(["# Real people\n", *tables])


def test_every_table_and_picture_of_simulated_experts_has_a_place_and_is_filled_if_there_are_results(script):
    places = dict(re.findall(r"<!-- evidence/(anchors-[a-z-]+) -->\n(.?)", PAGE))
    assert sorted(places) == sorted([*(f"anchors-{name}" for name in TABLES), *script.ANCHOR_PICTURES])
    known = script.make_parts()
    assert {name for name, first in places.items() if first != "<"} == {name for name in places if name in known}


def test_the_committed_tables_of_simulated_experts_are_those_of_the_committed_summaries():
    tables = render_tables(read_anchors_summaries(ANCHORS))
    committed = ANCHORS / "tables.md"
    text = committed.read_text("utf-8") if committed.exists() else "# Anchors\n"
    assert text == "\n".join(["# Anchors\n", *tables.values()])


def test_only_parts_with_results_are_filled(script, tmp_path):
    text = "<!-- evidence/people-agreement -->\nstale\n<!-- end -->\n<!-- evidence/maps -->\ntheirs\n<!-- end -->\n"
    filled = script.fill_page(text)
    assert "stale" not in filled
    assert filled.endswith("<!-- evidence/maps -->\ntheirs\n<!-- end -->\n")
    assert script.fill_page(text, tmp_path, tmp_path) == text
    with pytest.raises(SystemExit, match="must be the report of a benchmark"):
        script.copy_reports([tmp_path], tmp_path / "copy")


def test_reports_are_added_to_the_folder_of_their_benchmark(script, tmp_path):
    report, people, anchors = (tmp_path / name for name in ("report", "people", "anchors"))
    report.mkdir()
    asks = [("fixed", False, 40.0), ("fixed", True, 90.0)]
    rows = [(150, noise, fits, 30, median, median - 1.0, median + 1.0) for noise, fits, median in asks]
    schema = ["answers", "noise", "fits", "asks", "median", "low", "high"]
    pl.DataFrame(rows, schema=schema, orient="row").write_csv(report / "ask.csv")
    script.copy_reports([report], people, anchors)
    assert not people.exists()
    text = "<!-- evidence/anchors-ask -->\n<!-- end -->\n<!-- evidence/anchors-metric -->\n<!-- end -->\n"
    filled = script.fill_page(text, people, anchors)
    assert "| fixed | 40 (39 to 41) | met | 90 (89 to 91) | missed |" in filled
    assert filled.endswith("<!-- evidence/anchors-metric -->\n<!-- end -->\n")
    assert script.fill_page(filled, people, anchors) == filled


def test_a_report_is_added_to_the_copy(script, tmp_path):
    script.copy_reports([RESULTS], tmp_path)
    assert (tmp_path / "tables.md").read_bytes() == (RESULTS / "tables.md").read_bytes()
    assert (tmp_path / "agreement.png").stat().st_size > 10_000


def test_the_commands_on_the_page_name_studies_that_exist():
    named = re.search(r"bench people --studies ([a-z,]+)", PAGE)[1].split(",")
    assert set(named) < set(STUDIES)
    headings = re.search(r"## Simulated experts\n(.*)## Real people\n", PAGE, flags=re.DOTALL)[1].count("\n### ")
    assert headings == len(anchors_plan.STUDIES)
