"""The command that measures."""

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.errors import InputError
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.research.bench.measurement import Measurement
from anchorpbo.research.bench.process_costs import PROGRAMS
from anchorpbo.research.bench.process_pool import BenchmarkPool
from anchorpbo.research.bench.results import read_rows
from anchorpbo.research.bench.simulated_duels import simulate_dataset
from anchorpbo.research.bench.suite import SuiteExtent, plan_measurements
from support.optional import HAS_TORCH, WITHOUT_TORCH

TINY = ["--quick", "--sizes", "5", "--dimensions", "3", "--only", "anchorpbo,botorch" if HAS_TORCH else "anchorpbo"]


def call(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "out"
    command = [sys.executable, "-m", "anchorpbo", "bench", "rounds", *TINY, "--out", str(out)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return out, result.stdout


def test_results_tables_figures_and_the_machine_are_left_in_the_folder(measured):
    out, output = measured
    names = {path.name for path in out.iterdir()}
    assert {"results.jsonl", "machine.json", "table.md", "rounds.png", "rounds.pdf"} <= names
    rows = read_rows(out / "results.jsonl")
    assert {row["step"] for row in rows if row["section"] == "rounds"} == {"round", "between", "single"}
    assert {tuple(row["call"]["sizes"]) for row in rows} == {(5,)}
    assert "sizes 5; dimensions 3" in (out / "table.md").read_text()
    assert "measurements in" in output
    assert json.loads((out / "machine.json").read_text())["python"] in output


@pytest.mark.skipif(not HAS_TORCH, reason=WITHOUT_TORCH)
def test_both_libraries_have_times_on_the_same_duels_and_values_that_botorch_judges(measured):
    out, _ = measured
    rows = read_rows(out / "results.jsonl")
    between = next(row for row in rows if row.get("step") == "between")["runs"]
    assert [answer["status"] for answer in between["botorch"]] == ["ok", "ok"]
    assert [answer["status"] for answer in between["anchorpbo"]] == ["ok", "ok"]
    (value,) = next(row for row in rows if row["section"] == "values")["runs"]
    if value["status"] == "ok":  # else its fit has failed, which is an answer as well
        assert value["mean_difference"] < 1e-6
        assert value["objective_ours"] == pytest.approx(value["objective_theirs"], abs=0.1)
        assert value["pair_ours"] == pytest.approx(value["pair_theirs"], rel=1e-4)
    assert (out / "ratios.png").exists()
    assert "BoTorch" in (out / "table.md").read_text()


def test_a_second_run_needs_resume_and_then_measures_nothing_again(measured):
    out, _ = measured
    refused = call("rounds", *TINY, "--out", out)
    assert refused.exit_code == 2
    assert "--resume" in refused.output
    before = (out / "results.jsonl").read_bytes()
    again = call("rounds", *TINY, "--out", out, "--resume")
    assert again.exit_code == 0, again.output
    assert "0 measurements in" in again.output
    assert (out / "results.jsonl").read_bytes() == before


@dataclass(frozen=True)
class Fragile(Measurement):
    section = "fragile"
    number: int
    breaks = False

    def run(self, workers, rows):
        if self.number == 2 and type(self).breaks:
            raise KeyboardInterrupt
        return {"found": self.number}


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "anchorpbo.app.cli.bench.plan_measurements", lambda what, extent: [Fragile(n) for n in (1, 2, 3)]
    )
    monkeypatch.setattr(Fragile, "breaks", True)
    first = call("--only", "anchorpbo", "--out", tmp_path)
    assert first.exit_code == 2
    assert "interrupt after 1 of 3 measurements" in first.output
    assert [row["found"] for row in read_rows(tmp_path / "results.jsonl")] == [1]
    monkeypatch.setattr(Fragile, "breaks", False)
    second = call("--only", "anchorpbo", "--out", tmp_path, "--resume")
    assert second.exit_code == 0, second.output
    assert "1 of 3 measurements are done already" in second.output
    assert [row["found"] for row in read_rows(tmp_path / "results.jsonl")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("speed",), "startup"),
        (("--only", "gpflow"), "botorch"),
        (("--sizes", "ten"), "write 10,50,150"),
        (("--dimensions", "5"), "3, 4, 6"),
        (("memory", "--sizes", "7"), "10, 50, 100"),
        (("memory", "--dimensions", "3"), "4 dimensions"),
        (("startup", "--sizes", "10"), "--sizes"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_that_says_what_to_do(tmp_path, arguments, says):
    result = call("--only", "anchorpbo", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert says in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_without_the_extra_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("anchorpbo.research.bench.contender.find_spec", lambda name: None)
    result = call("--quick", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert 'pip install "anchorpbo[bench]"' in result.output
    assert "--only anchorpbo" in result.output


def test_an_empty_out_is_refused():
    result = call("startup", "--only", "anchorpbo", "--out", "")
    assert result.exit_code == 2
    assert "--out bench" in result.output


def test_growth_without_this_library_is_refused():
    with pytest.raises(InputError, match="add anchorpbo to --only"):
        plan_measurements(["growth"], SuiteExtent(("botorch",)))


def test_what_a_library_fails_with_is_printed_once(tmp_path, monkeypatch):
    broken = {"status": "failed", "error": "ImportError", "message": "no torch", "seconds": 0.1}
    monkeypatch.setattr("anchorpbo.app.cli.bench.plan_measurements", lambda what, extent: [Fragile(n) for n in (1, 3)])
    monkeypatch.setattr(Fragile, "run", lambda self, workers, rows: {"runs": {"botorch": [broken, broken]}})
    result = call("--only", "AnchorPBO", "--quick", "--out", tmp_path)
    assert result.output.count("botorch: ImportError: no torch") == 1
    assert "too noisy to quote" in result.output


def test_a_program_of_startup_that_does_not_run_is_told_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(PROGRAMS, "numpy", "raise ImportError('no such thing')")
    result = call("startup", "--quick", "--only", "anchorpbo", "--out", tmp_path)
    assert result.exit_code == 2
    assert "ImportError: no such thing" in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
@pytest.mark.skipif(find_spec("optuna_dashboard") is None, reason="needs Optuna's dashboard")
@pytest.mark.skipif(not HAS_TORCH, reason=WITHOUT_TORCH)
def test_optuna_suggests_a_design_from_the_same_duels():
    given = simulate_dataset(3, 4, 0)
    job = {"do": "step", "contender": "optuna", "step": "round", "dataset": given.to_plain()}
    assert isinstance(given, DuelDataset)
    with BenchmarkPool(limit=300.0) as workers:
        found = workers.call("optuna", 1, job)
    assert found["status"] == "ok", found
    assert set(found["laps"]) == {"ask"}
