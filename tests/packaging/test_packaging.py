"""The package as users get it."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import anchorpbo

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "check_packaging.py"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.slow
def test_the_wheel_works_with_nothing_but_the_core():
    run = subprocess.run([sys.executable, SCRIPT, "core"], capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "core works (" in run.stdout


def test_every_extra_is_tried_out():
    entries = set(runpy.run_path(str(SCRIPT))["ENTRIES"])
    assert entries == {"core", *SETTINGS["project"]["optional-dependencies"]}


def test_every_extra_is_installed_for_the_tests():
    lists = re.findall(r"^\w+_EXTRAS := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    installed = {name for line in lists for name in line.split(",") if not name.startswith("$")}
    # What another extra brings along need not be named.
    extras = SETTINGS["project"]["optional-dependencies"]
    for name in sorted(installed):
        installed |= set(re.findall(r"anchorpbo\[([\w-]+)\]", " ".join(extras[name])))
    assert installed >= set(extras)


def test_the_version_is_written_in_one_place_and_is_semantic():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", anchorpbo.__version__)
    assert "version" in SETTINGS["project"]["dynamic"]
    assert SETTINGS["tool"]["hatch"]["version"]["path"] == "src/anchorpbo/__init__.py"


def test_the_citation_names_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # all that the format requires
    assert citation["license"] == SETTINGS["project"]["license"]
    paper = citation["preferred-citation"]
    assert paper["title"] in " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert [author["family-names"] for author in paper["authors"]] == ["Sinaga", "Martinelli", "Kaski"]


def test_without_the_extra_the_command_line_says_what_to_install():
    program = "import sys, runpy; sys.modules['typer'] = None; runpy.run_module('anchorpbo', run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.strip() == 'The command line needs two more packages: pip install "anchorpbo[cli]"'
