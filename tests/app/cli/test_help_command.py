"""What the command line says about itself."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from anchorpbo import Optimizer, Real, Space
from anchorpbo.acquisition import ACQUISITIONS
from anchorpbo.app.cli.commands import app

COMMANDS = (
    ["serve"],
    ["duel"],
    ["recommend"],
    ["report"],
    ["simulate"],
    ["bench", "costs"],
    ["bench", "answers"],
    ["bench", "people"],
    *(["study", name] for name in ("new", "list", "show", "export", "import", "invite", "delete")),
)


def help_of(*names):
    result = CliRunner().invoke(app, [*names, "--help"], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output


def test_commands_are_in_groups():
    text = help_of()
    places = [text.index(word) for word in ("Studies", " serve", " study", "Trying it out", " simulate", "Research")]
    assert places == sorted(places)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_command_teaches_with_an_example(names):
    text = " ".join(help_of(*names).split())
    assert re.search(rf"(Example:|Start with|From an example:) anchorpbo {' '.join(names)} ", text)


@pytest.mark.parametrize("arguments", [["--help"], ["study", "--help"], ["serve", "--help"], ["duel", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    program = (
        "import sys\nfrom anchorpbo.app.cli.commands import app\n"
        f"app({arguments!r}, standalone_mode=False)\nprint(*sorted(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert not loaded & {"numpy", "scipy", "numba", "fastapi", "starlette", "uvicorn", "sqlalchemy", "plotly"}
    assert not any(
        name.startswith(("anchorpbo.study", "anchorpbo.app.service", "anchorpbo.app.web")) for name in loaded
    )


@pytest.mark.parametrize("module", ["fastapi", "uvicorn", "sqlalchemy"])
def test_without_the_extra_serve_says_what_to_install(module, tmp_path):
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "sys.argv = ['anchorpbo', 'serve', '--db', 'studies.db', '--port', '0']\n"
        "from anchorpbo.app.cli import main; main()"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert run.returncode == 1
    assert run.stderr.startswith("anchorpbo: ")
    assert len(run.stderr.splitlines()) == 1
    assert 'pip install "anchorpbo[web]"' in run.stderr


@pytest.mark.parametrize("names", [("demo",), ("simulate",), ("study", "new")], ids=" ".join)
def test_help_names_every_strategy_and_the_default(names):
    text = " ".join(help_of(*names).replace("│", " ").split())
    assert all(re.search(rf"\b{name}\b", text) for name in ACQUISITIONS)
    default = type(Optimizer(Space(x=Real(0, 1))).plan.acquisition)
    (name,) = (name for name, strategy in ACQUISITIONS.items() if strategy is default)
    assert f"By default {name}." in text
