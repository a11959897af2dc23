"""The command that reproduces the paper."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.research.experiments.registry import ALL, EXPERIMENTS
from anchorpbo.research.figures.experiment_report import REPORT_CONTENTS

TINY = ["--seeds", "2", "--rounds", "2", "--only", "hartmann3", "--only", "rahbo,ucb", "--workers", "2"]


def call(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


@pytest.fixture(scope="module")
def main(tmp_path_factory):
    out = tmp_path_factory.mktemp("main") / "out"
    result = call("main", *TINY, "--out", out)
    assert result.exit_code == 0, result.output
    return out, result.output


def test_the_help_names_every_experiment():
    text = " ".join(call("--help").output.replace("│", " ").split())
    assert all(name in text for name in (*EXPERIMENTS, ALL))


def test_without_a_name_it_lists_what_there_is_and_runs_nothing():
    result = call()
    assert result.exit_code == 0
    names = [line.split()[0] for line in result.output.splitlines()[1:] if line and not line.startswith(" ")]
    assert names == list(EXPERIMENTS)
    assert " 540 " in result.output


def test_every_experiment_has_its_pictures():
    assert set(REPORT_CONTENTS) == set(EXPERIMENTS)


def test_records_figures_tables_and_claims_are_left_in_the_folder(main):
    out, _ = main
    assert len(list((out / "records").glob("*.parquet"))) == 4
    report = out / "main-hartmann3-rahbo-ucb"  # a part of it, which does not take the place of the whole
    names = {path.name for path in report.iterdir()}
    assert {"summary.parquet", "curves.png", "curves.pdf", "final.md", "final.tex", "claims.md", "claims.tex"} <= names
    assert json.loads((report / "elapsed.json").read_text())[0]["runs"] == 4
    assert set(pl.read_parquet(report / "summary.parquet")["strategy"]) == {"rahbo", "ucb"}


def test_whole_experiments_make_an_overview_of_the_paper_and_parts_do_not(main, tmp_path):
    out, _ = main
    assert not (out / "overview.md").exists()
    result = call("five-anchors", "--seeds", 1, "--rounds", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "overview.md") in result.output.replace("\n", "")
    text = (tmp_path / "overview.md").read_text("utf-8")
    assert "| Figure S5 |" in text
    assert "6 open" in text
    assert "Figure 2" not in text


def test_a_part_with_nothing_to_compare_has_records_and_no_pictures(tmp_path):
    arm = ("--only", "hartmann3,rahbo,away", "--seeds", 1, "--rounds", 1)
    result = call("anchor-placement", *arm, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "records").glob("*.parquet"))) == 1
    assert not list(tmp_path.glob("*/*.png"))


def test_progress_and_time_left_are_told_also_without_a_terminal(main):
    _, output = main
    assert "4/4 runs" in output
    assert "left" in output


def test_a_second_run_needs_resume_and_then_does_nothing_again(main):
    out, _ = main
    refused = call("main", *TINY, "--out", out)
    assert refused.exit_code == 2
    assert "--resume" in refused.output
    again = call("main", *TINY, "--out", out, "--resume")
    assert again.exit_code == 0
    assert "4 of 4 runs are done already" in again.output
    assert "0 runs in" in again.output


def test_experiments_in_one_folder_share_their_runs(main):
    out, _ = main
    for name, file in (("ranking", "ranks.png"), ("time", "time.md")):
        shared = call(name, *TINY, "--out", out, "--resume")
        assert shared.exit_code == 0, shared.output
        assert "4 of 4 runs are done already" in shared.output
        assert (out / f"{name}-hartmann3-rahbo-ucb" / file).exists()


@pytest.mark.parametrize("name", ["illustration", "anchor-process", "consistency", "concentration", "one-step"])
def test_other_experiments_run_by_the_same_command(tmp_path, name):
    result = call(name, "--quick", "--seeds", "2", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert list((tmp_path / name).glob("*.png"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("mian",), "main"),
        (("main", "--only", "hartmann33"), "hartmann3"),
        (("consistency", "--only", "hartmann3"), "leave --only out"),
        (("main", "--only", "sushi,away"), "name fewer"),
        (("main", "--dask", "tcp://127.0.0.1:9", *TINY[:-2]), "leave --dask out"),
        (("main", "--dask", "nonsense", *TINY[:-2]), "leave --dask out"),
        (("main", "--dask", "tcp://127.0.0.1:9", *TINY), "leave one of them out"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_that_says_what_to_do(tmp_path, arguments, says, monkeypatch):
    monkeypatch.setattr("anchorpbo.research.experiments.dask_backend.CONNECT_SECONDS", 2.0)
    result = call(*arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith("anchorpbo: ")
    assert says in result.output
    assert "Traceback" not in result.output


def test_without_data_and_network_the_sentence_says_where_to_put_the_files(tmp_path):
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    folders = {"ANCHORPBO_DATA": str(tmp_path / "nothing"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "anchorpbo", "reproduce", "main", "--quick", "--only", "sushi", "--out", "out"]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, **nowhere, **folders}
    )
    assert run.returncode == 2
    assert run.stderr.startswith("anchorpbo: sushi/")
    assert "set ANCHORPBO_DATA to a folder that holds sushi/" in run.stderr
    assert not (tmp_path / "out").exists()


def test_without_the_extra_the_sentence_says_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['polars'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'polars' else find(name, *rest)\n"
        "from anchorpbo.app.cli import main; sys.argv = ['anchorpbo', 'reproduce', 'main']; main()"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith("anchorpbo: ")
    assert 'pip install "anchorpbo[reproduce]"' in run.stderr


def test_a_run_that_fails_is_told_of_and_can_be_tried_again(tmp_path, monkeypatch):
    from anchorpbo.research.experiments import runner
    from anchorpbo.research.experiments.process_backend import ProcessBackend

    def run(self, tasks):
        for number, task in enumerate(tasks):
            yield (
                runner.TaskOutcome(task, None, "Traceback: no luck")
                if number == 1
                else runner.TaskOutcome(task, *runner.try_task(task))
            )

    monkeypatch.setattr(ProcessBackend, "run", run)
    failed = call("main", *TINY, "--out", tmp_path)
    assert failed.exit_code == 2
    assert "1 of 4 failed" in failed.output
    assert "no luck" in (tmp_path / "main-hartmann3-rahbo-ucb" / "failures.txt").read_text()
    monkeypatch.undo()
    assert call("main", *TINY, "--out", tmp_path, "--resume").exit_code == 0


def test_an_interrupt_says_how_to_go_on(tmp_path, monkeypatch):
    from anchorpbo.research.experiments.process_backend import ProcessBackend

    def run(self, tasks):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(ProcessBackend, "run", run)
    result = call("main", *TINY, "--out", tmp_path)
    assert result.exit_code == 2
    assert "continue with --resume" in result.output
