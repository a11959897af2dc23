"""The page on the answers needed shows what the benchmark gave."""

import importlib.util
import re
from pathlib import Path

import polars as pl
import pytest

from anchorpbo.research.answers.answer_tables import ANSWER_TABLES
from anchorpbo.research.answers.answers_report import write_report
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES
from anchorpbo.research.answers.problems import CONFIRMATION, TUNING
from anchorpbo.research.answers.study_metrics import summarise_studies
from anchorpbo.research.people.people_plan import DATASETS
from anchorpbo.research.people.people_report import PEOPLE_TABLES, compare_people, write_people_report

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
    pictures = [f"{name}-picture" for name in script.PICTURES]
    assert sorted(places) == sorted(["extent", *ANSWER_TABLES, *PEOPLE_TABLES, *pictures])


@pytest.mark.skipif(not (RESULTS / "studies.parquet").exists(), reason="the confirmation set has not been run yet")
def test_nothing_on_the_page_waits_for_results():
    assert "confirmation set has not been run yet" not in PAGE


@pytest.mark.skipif(not (RESULTS / "people").exists(), reason="the benchmark with real people has not been run yet")
def test_nothing_on_the_page_waits_for_real_people():
    assert "real people has not been run yet" not in PAGE


def test_the_tables_of_real_people_fill_their_parts_alone(script, tmp_path):
    users = pl.DataFrame(
        {"sample": "a", "contender": ["default", "default", "random", "random"], "person": ["1", "2"] * 2,
         "area": [0.75, 0.25, 0.5, 0.25]}
    )  # fmt: skip
    write_people_report({"replays": compare_people(users, ("sample",))}, tmp_path / "people")
    filled = script.fill_page(PAGE, tmp_path)
    assert "| a | Random pairs | 2 | 0.38 (+0.12\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.59) |" in filled
    before, after = (text.split("<!-- answers/people-replays -->") for text in (PAGE, filled))
    assert after[0] == before[0]
    assert after[1].partition("<!-- end -->")[2] == before[1].partition("<!-- end -->")[2]


def test_reports_of_several_folders_are_put_together_with_the_committed_one(script, tmp_path):
    settings = {"problem": "gp3", "judge": "sure", "placement": "good", "contender": "default", "answers": 40}
    frame = {"share": 0.5, "right": True, "stop": None, "failures": 0, "seconds": 0.1, "recommend_seconds": 0.1}
    for folder, seeds in (("committed", (0, 1)), ("more", (1, 2)), ("most", (3,))):
        records = [pl.DataFrame({"answer": range(1, 41), **frame, **settings, "seed": seed}) for seed in seeds]
        write_report(summarise_studies(pl.concat(records), 40), tmp_path / folder)
    committed = tmp_path / "committed"
    script.copy_reports([committed, tmp_path / "more", tmp_path / "most"], committed)
    assert pl.read_parquet(committed / "studies.parquet")["seed"].to_list() == [0, 1, 2, 3]
    filled = script.fill_page(PAGE, committed)
    assert "| Default preset | 4 |" in filled
    assert "The tables cover 4 studies, with 4 of 20 seeds per contender, judge and placement." in filled
    with pytest.raises(SystemExit, match="must be the report of a benchmark"):
        script.copy_reports([tmp_path], committed)


def test_the_part_on_real_people_names_the_data_and_what_is_compared():
    part = PAGE.partition("\n## Real people\n")[2].partition("\n## Method\n")[0]
    assert all(f"`{name}`" in part for name in DATASETS)
    assert "ANCHORPBO_DATA" in part


def test_the_method_names_every_problem_judge_and_contender():
    method = PAGE.partition("\n## Method\n")[2]
    assert set(re.findall(r"`([a-z]+\d[a-z\d]*|coffee|espresso)`", method)) == {*TUNING, *CONFIRMATION}
    assert all(re.search(rf"^\| [^|]*\b{judge}\b", method, re.MULTILINE) for judge in JUDGES)
    titles = {entry.title.partition(",")[0] for entry in CONTENDERS.values()}
    assert all(title in method for title in titles)
