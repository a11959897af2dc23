"""The command that predicts and replays the answers of real people."""

import os
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.problems.train import train_answers
from anchorpbo.research.people.people_contenders import PEOPLE_CONTENDERS
from anchorpbo.research.people.people_plan import DATASETS, STUDIES
from anchorpbo.research.people.people_report import read_summaries

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
needs_data = pytest.mark.skipif(
    not all((DATA / name).is_dir() for name in DATASETS),
    reason="ANCHORPBO_DATA is not a folder with sushi/, train/ and soundquality/: the data may not be redistributed",
)


def call(*arguments, **env):
    return CliRunner().invoke(app, ["bench", "people", *map(str, arguments)], env={"COLUMNS": "200", **env})


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("people") / "out"
    result = call("--quick", "--out", out, "--workers", 1)
    assert result.exit_code == 0, result.output
    return out, result.output


@needs_data
def test_a_quick_run_leaves_records_and_tables(quick):
    out, output = quick
    assert "left" in output
    predictions, replays, consistency = (
        pl.read_csv(out / "people" / f"{name}.csv") for name in ("predictions", "replays", "consistency")
    )
    assert {*predictions["contender"], *replays["contender"]} == {*PEOPLE_CONTENDERS} - {"botorch-probit", "paper"}
    assert set(predictions["dataset"]) == {"train", "soundquality", "soundquality-category"}
    assert set(replays["sample"]) == {"a", "b"}
    assert replays.filter(pl.col("measure") == "failures")["mean"].to_list() == [0.0] * 8
    assert consistency["people"].to_list() == [2] * len(consistency)
    text = (out / "people" / "tables.md").read_text("utf-8")
    assert "**Replays of orders of ten kinds of sushi**" in text
    assert "**Held-out answers of the same person**" in text
    summaries = read_summaries(out / "people")
    assert {"agreement", "contradictions", "population", "simulated", "person"} < {*summaries}
    assert all(summary.height > 0 for summary in summaries.values())


@needs_data
def test_a_second_call_needs_resume_and_adds_to_the_folder(quick):
    out, _ = quick
    before = pl.read_csv(out / "people" / "predictions.csv")
    refused = call("--quick", "--out", out)
    assert refused.exit_code == 2
    assert "add --resume" in refused.output
    more = call("--data", "train", "--contenders", "paper", "--people", 1, "--out", out, "--resume", "--workers", 1)
    assert more.exit_code == 0, more.output
    after = pl.read_csv(out / "people" / "predictions.csv")
    assert after.filter(pl.col("contender") != "paper").equals(before)
    assert after.filter(pl.col("contender") == "paper")["people"].unique().to_list() == [1]


@pytest.mark.parametrize("data", [None, "empty"])
def test_missing_data_are_told_with_where_to_put_them(tmp_path, data):
    train_answers.cache_clear()
    folder = {"ANCHORPBO_DATA": "" if data is None else str(tmp_path / data)}
    result = call("--quick", "--data", "train", "--out", tmp_path / "out", **folder)
    assert result.exit_code == 2
    text = " ".join(result.output.split())
    assert "train/train.csv must be in the folder of ANCHORPBO_DATA" in text
    assert "set ANCHORPBO_DATA to a folder that holds train/train.csv" in text
    assert "Traceback" not in text
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--data", "coffee"], "a data set must be one of soundquality, sushi, train; received 'coffee'"),
        (["--contenders", "default,ax"], "a contender must be one of"),
        (["--studies", "dreams"], "a study must be one of"),
        (["--out", ""], "the results need a separate folder"),
        (["--workers", "2", "--dask", "tcp://localhost:1"], "--workers must not be given for a cluster"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(arguments, says):
    result = call("--quick", *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_the_help_names_every_contender_and_data_set():
    text = " ".join(call("--help").output.replace("│", " ").split())
    for name in (*PEOPLE_CONTENDERS, *DATASETS, *STUDIES):
        assert name in text
