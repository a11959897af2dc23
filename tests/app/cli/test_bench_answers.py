"""The command that counts answers."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.research.answers.contenders import CONTENDERS
from anchorpbo.research.answers.judges import JUDGES, PLACEMENTS


def call(*arguments):
    return CliRunner().invoke(app, ["bench", "answers", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("answers") / "out"
    result = call("--quick", "--out", out, "--workers", 2)
    assert result.exit_code == 0, result.output
    return out, result.output


def test_a_quick_run_leaves_records_tables_targets_and_figures(quick):
    out, output = quick
    report = out / "tuning"
    studies = pl.read_parquet(report / "studies.parquet")
    assert studies.height == len(list((out / "records").glob("*.parquet")))
    assert {"default", "default-anchors", "random"} <= set(studies["contender"])
    assert set(studies["judge"]) == {"sure", "linear"}
    assert studies["failures"].to_numpy().max() == 0
    assert "**Area under the curve**" in (report / "tables.md").read_text("utf-8")
    assert (report / "judges.png").exists()
    targets = json.loads((report / "targets.json").read_text("utf-8"))
    # A quick run has two problems of the set, which prove nothing.
    assert all(target["missing"] for target in targets)
    assert f"Targets: 0 of 0 met; {len(targets)} not judged." in output
    assert "left" in output


def test_a_second_call_needs_resume_and_adds_to_the_folder(quick):
    out, _ = quick
    before = pl.read_parquet(out / "tuning" / "studies.parquet")
    refused = call("--quick", "--out", out)
    assert refused.exit_code == 2
    assert "add --resume" in refused.output
    part = ["--contenders", "random", "--judges", "slips", "--first-seed", 3, "--seeds", 2]
    more = call("--quick", *part, "--out", out, "--resume", "--workers", 1)
    assert more.exit_code == 0, more.output
    after = pl.read_parquet(out / "tuning" / "studies.parquet")
    assert after.filter(pl.col("judge") != "slips").equals(before)
    assert after.filter(pl.col("judge") == "slips")["seed"].to_list() == [3, 4, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--set", "training"], "a set of problems must be one of confirmation, tuning; received 'training'"),
        (["--contenders", "default,ax"], "a contender must be one of"),
        (["--judges", "grumpy"], "received 'grumpy'"),
        (["--placements", "none"], "received 'none'"),
        (["--problems", "gp3"], "a problem of the tuning set must be one of"),
        (["--out", ""], "the results need a separate folder"),
        (["--workers", "2", "--dask", "tcp://localhost:1"], "--workers must not be given for a cluster"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(arguments, says):
    result = call("--quick", *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_the_help_names_every_contender_judge_and_placement():
    text = " ".join(call("--help").output.replace("│", " ").split())
    for name in (*CONTENDERS, *JUDGES, *PLACEMENTS):
        assert name in text


def test_the_costs_are_the_default_command():
    result = CliRunner().invoke(app, ["bench", "nothing"])
    assert "a part of the benchmark must be one of growth, memory, rounds, startup" in " ".join(result.output.split())
