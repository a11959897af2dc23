"""The command that tests anchors, noise maps and the audit with simulated experts."""

import polars as pl
import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.research.anchors.anchors_plan import STUDIES, AnchorsPart, plan_anchors
from anchorpbo.research.anchors.anchors_report import FIGURES, FILES, TABLES, read_anchors_summaries, render_tables
from anchorpbo.research.anchors.validation_power import ValidationStudy


def call(*arguments):
    return CliRunner().invoke(app, ["bench", "anchors", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("anchors") / "out"
    result = call("--quick", "--out", out, "--workers", 1)
    assert result.exit_code == 0, result.output
    return out, result.output


def test_a_quick_run_leaves_records_tables_and_figures(quick):
    out, output = quick
    assert "left" in output
    plan = plan_anchors(AnchorsPart(quick=True))
    assert len([*(out / "records").glob("*.parquet")]) == len(plan)
    summaries = read_anchors_summaries(out / "anchors")
    assert {*summaries} == {*FILES}
    assert all(summary.height > 0 for summary in summaries.values())
    tables = render_tables(summaries)
    assert {*tables} == {*TABLES}
    assert (out / "anchors" / "tables.md").read_text("utf-8") == "\n".join(["# Anchors\n", *tables.values()])
    assert all((out / "anchors" / f"{name}.png").stat().st_size > 10_000 for name in FIGURES)
    experts = sum(isinstance(task, ValidationStudy) for task in plan)
    assert pl.read_csv(out / "anchors" / "experts.csv").height == experts > 0


def test_a_second_call_needs_resume_and_adds_to_the_folder(quick):
    out, _ = quick
    refused = call("--quick", "--out", out)
    assert refused.exit_code == 2
    assert "add --resume" in refused.output
    before = (out / "anchors" / "learnt.csv").read_bytes()
    more = ("--quick", "--studies", "maps", "--seeds", 1, "--first-seed", 2)
    added = call(*more, "--out", out, "--resume", "--workers", 1)
    assert added.exit_code == 0, added.output
    assert pl.read_csv(out / "anchors" / "maps.csv")["seeds"].unique().to_list() == [3]
    assert (out / "anchors" / "learnt.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--studies", "maps,dreams"], "a study must be one of"),
        (["--out", ""], "the results need a separate folder"),
        (["--workers", "2", "--dask", "tcp://localhost:1"], "--workers must not be given for a cluster"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(arguments, says):
    result = call("--quick", *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_the_help_names_every_study():
    text = " ".join(call("--help").output.replace("│", " ").split())
    for name in STUDIES:
        assert name in text
