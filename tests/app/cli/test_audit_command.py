"""``anchorpbo audit``: findings as a table and as JSON, of a study in a database or in a file."""

import json

from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage
from anchorpbo.research.anchors.audit_power import AuditTask, simulate_study
from support.service_studies import answer

SPACE = {"kind": "space", "parameters": [{"name": "x", "kind": "real", "low": 0, "high": 1}]}
RUNNER = CliRunner()


def run(*words):
    return RUNNER.invoke(app, ["audit", *words], env={"COLUMNS": "100"})


def test_the_findings_of_a_stored_study_are_printed(tmp_path):
    db = str(tmp_path / "studies.db")
    studies = StudyService(open_storage(db))
    id = studies.create({"name": "Tea", "space": SPACE}).id
    answer(studies, id)
    found = run("tea", "--db", db)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("There are not enough answers")
    assert "Side bias" in found.stdout
    assert "cannot tell yet" in found.stdout
    data = json.loads(run(id, "--db", db, "--json").stdout)
    assert data["answers"] == 1
    assert [one["name"] for one in data["findings"]][:2] == ["accuracy", "calibration"]
    missing = run("coffee", "--db", db)
    assert missing.exit_code == 2


def test_a_saved_study_is_read_from_its_file(tmp_path):
    study = simulate_study(AuditTask("none", 3, 24))
    path = tmp_path / "study.json"
    study.save(path)
    data = json.loads(run(str(path), "--json").stdout)
    assert data["sentence"] == study.audit().sentence
    for one, finding in zip(data["findings"], study.audit(), strict=True):
        assert (one["name"], one["level"], one["sentence"]) == (finding.name, finding.level, finding.sentence)
        assert one["level_text"] == finding.level_text
        assert one["value"] == finding.value
        assert one["interval"] == list(finding.interval)


def test_the_first_lines_are_about_the_anchors_and_repeated_answers(tmp_path):
    study = simulate_study(AuditTask("none", 3, 12))
    study.tell(study.ask_again(0), "first")
    study.add_anchor(study.history[0]["first"])
    path = tmp_path / "study.json"
    study.save(path)
    validation = study.validate_anchors()
    lines = " ".join(run(str(path)).stdout.split())
    assert lines.startswith(validation.sentence)
    assert validation.retest.sentence in lines.partition(study.audit().sentence)[0]
    data = json.loads(run(str(path), "--json").stdout)["anchors"]
    assert (data["anchors"], data["bayes_factor"], data["verdict"]) == (1, validation.bayes_factor, validation.verdict)
    assert data["retest"]["retests"] == 1


def test_the_help_names_the_findings():
    text = " ".join(run("--help").stdout.split())
    for word in ("side bias", "drift", "fatigue", "lapses", "--json", "Optimizer.save"):
        assert word in text
