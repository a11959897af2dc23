import subprocess
import sys

import pytest
from typer.testing import CliRunner

from anchorpbo import __version__
from anchorpbo.app.cli.commands import app

RUNNER = CliRunner()


@pytest.mark.parametrize("strategy", ["ei", "ucb", "eubo", "anpei", "rahbo", "raeubo"])
def test_demo_runs_a_study_with_every_strategy(strategy):
    result = RUNNER.invoke(app, ["demo", "--strategy", strategy, "--rounds", "3"])
    assert result.exit_code == 0, result.output
    assert "Recommended (" in result.output
    assert "The last duels" in result.output


def test_the_same_seed_gives_the_same_study():
    first, second = (RUNNER.invoke(app, ["demo", "--rounds", "2", "--seed", "5"]).output for _ in range(2))
    last = [next(line for line in out.splitlines() if line.startswith("Recommended")) for out in (first, second)]
    assert last[0] == last[1]


def test_an_unknown_strategy_gets_one_sentence():
    result = RUNNER.invoke(app, ["demo", "--strategy", "best"])
    assert result.exit_code == 2
    assert "must be one of anpei, ei, eubo, euco, kg, raeubo, rahbo, ucb" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--seed", "-1"], ["--rounds", "many"]])
def test_numbers_out_of_range_are_refused(arguments):
    assert RUNNER.invoke(app, ["demo", *arguments]).exit_code == 2


def test_python_dash_m_and_version():
    run = subprocess.run([sys.executable, "-m", "anchorpbo", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"anchorpbo {__version__}"


def test_without_its_extra_the_command_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from anchorpbo.app.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.strip() == 'The command line needs two more packages: pip install "anchorpbo[cli]"'
