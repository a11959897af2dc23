"""``anchorpbo recommend`` and ``anchorpbo report``."""

import re

import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.app.examples import get_example
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    """A database with an answered study and one without answers."""
    db = str(tmp_path_factory.mktemp("recommend") / "studies.db")
    storage = open_storage(db)
    studies = StudyService(storage)
    for key in ("coffee", "molecules"):
        chosen = get_example(key)
        id = studies.create(chosen.definition | {"anchors": list(chosen.suggested_anchors)}).id
        for _ in range(6):
            duel = studies.duels.ask(id)
            better = chosen.judge(duel.first) > chosen.judge(duel.second)
            studies.duels.answer(id, duel.id, "first" if better else "second")
    studies.create(get_example("poster").definition)
    storage.close()
    return db


@pytest.fixture
def call(studied):
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments), "--db", studied], env={"COLUMNS": "120"})


def test_the_design_is_shown_with_how_sure_it_is(call):
    result = call("recommend", "coffee")
    assert result.exit_code == 0, result.output
    assert "Recommended after 6 answers" in result.stdout
    assert "Water temperature" in result.stdout
    assert "°C" in result.stdout
    assert "90 % probability" in result.stdout
    words = " ".join(result.stdout.split())
    gap = "the gap between a median design and the best"
    assert re.search(rf"It is within 10 % of {gap} with \d+ % probability\.", words)
    assert re.search(r"It is \d+ % sure that nothing you compared is noticeably better\.", words)
    assert "It does not count (--risk-weight 0)" in words
    costly = call("recommend", "coffee", "--risk-weight", "1")
    assert "Designs judged less surely must be clearly better (--risk-weight 1)" in " ".join(costly.stdout.split())
    others = result.stdout.split("Next in line:")[1]
    assert re.search(r"Grind \d", others)
    assert "1 fine to 10 coarse" not in others


def test_an_item_goes_by_its_title(call):
    result = call("recommend", "molecules")
    assert "Recommended after 6 answers: " in result.stdout
    assert "<svg" not in result.stdout


def test_the_risk_weight_can_be_chosen(call):
    assert "It does not count" in call("recommend", "coffee", "--risk-weight", 0).stdout
    assert call("recommend", "coffee", "--risk-weight", -1).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["poster"], "answer"),
        (["coffee", "--participant", "Bo"], "invite them first"),
        (["tea"], "Pour-over coffee"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(call, arguments, says):
    result = call("recommend", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("anchorpbo: ")
    assert says in result.stderr


def test_a_report_is_one_page(call, tmp_path):
    path = tmp_path / "coffee.html"
    result = call("report", "coffee", "--out", path)
    assert result.exit_code == 0, result.output
    assert str(path) in result.stdout
    page = path.read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "Pour-over coffee" in page
    assert [each.name for each in tmp_path.iterdir()] == ["coffee.html"]


def test_a_report_can_be_of_another_risk_weight(call, tmp_path):
    path = tmp_path / "report.html"
    assert call("report", "coffee", "--out", path, "--risk-weight", 25).exit_code == 0
    assert "<dt>Risk weight</dt><dd><b>25</b>" in path.read_text("utf-8")


def test_by_default_a_report_is_put_in_this_folder(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("report", "molecules").exit_code == 0
    assert [path.suffix for path in tmp_path.iterdir()] == [".html"]


def test_a_report_that_cannot_be_written_is_told_of(call, tmp_path):
    result = call("report", "coffee", "--out", tmp_path / "nowhere" / "x.html")
    assert result.exit_code == 2
    assert "must be writable" in result.stderr
