"""The page on performance shows what the benchmark gave."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from anchorpbo.research.bench.benchmark_report import BENCHMARK_TABLES, render_tables
from anchorpbo.research.bench.results import read_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "performance.md").read_text("utf-8")
RESULTS = ROOT / "benchmarks"
pytestmark = pytest.mark.artefacts


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "make_performance_page", ROOT / "scripts" / "make_performance_page.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_table_is_as_the_results_have_it(script):
    assert script.fill_page(PAGE) == PAGE


def test_every_table_and_picture_has_a_place_on_the_page(script):
    assert set(re.findall(r"<!-- bench/([a-z-]+) -->", PAGE)) == {
        *BENCHMARK_TABLES,
        *script.PICTURES,
        "machine",
        "headline",
    }


@pytest.mark.skipif(not (RESULTS / "results.jsonl").exists(), reason="no benchmark has been run yet")
def test_the_tables_that_are_kept_are_those_of_the_lines_that_are_kept():
    text = (RESULTS / "table.md").read_text("utf-8")
    for table in render_tables(read_rows(RESULTS / "results.jsonl")).values():
        assert table in text


@pytest.mark.skipif(not (RESULTS / "machine.json").exists(), reason="no benchmark has been run yet")
def test_the_machine_is_described_without_its_name_and_without_paths():
    about = json.loads((RESULTS / "machine.json").read_text("utf-8"))
    assert {"processor", "cores", "python", "numpy"} <= set(about)
    assert not re.search(r"/(home|root|usr|tmp|work)/", json.dumps(about))
