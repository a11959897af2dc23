"""The page on the answers needed shows what the benchmark gave."""

import importlib.util
import re
from pathlib import Path

import pytest

from anchorpbo.research.answers.answer_tables import ANSWER_TABLES
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES
from anchorpbo.research.answers.problems import CONFIRMATION, TUNING

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "answers.md").read_text("utf-8")
RESULTS = ROOT / "benchmarks" / "answers"
pytestmark = pytest.mark.artefacts


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_answers_page", ROOT / "scripts" / "make_answers_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_part_is_as_the_results_have_it(script):
    assert script.fill_page(PAGE) == PAGE


def test_every_table_and_picture_has_a_place_on_the_page(script):
    places = re.findall(r"<!-- answers/([a-z-]+) -->", PAGE)
    assert sorted(places) == sorted([*ANSWER_TABLES, *(f"{name}-picture" for name in script.PICTURES)])


@pytest.mark.skipif(not (RESULTS / "studies.parquet").exists(), reason="the confirmation set has not been run yet")
def test_nothing_on_the_page_waits_for_results():
    assert "has not been run yet" not in PAGE


def test_the_method_names_every_problem_judge_and_contender():
    method = PAGE.partition("\n## Method\n")[2]
    assert set(re.findall(r"`([a-z]+\d[a-z\d]*|coffee|espresso)`", method)) == {*TUNING, *CONFIRMATION}
    assert all(re.search(rf"^\| [^|]*\b{judge}\b", method, re.MULTILINE) for judge in JUDGES)
    titles = {entry.title.partition(",")[0] for entry in CONTENDERS.values()}
    assert all(title in method for title in titles)
