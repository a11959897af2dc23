"""The lock, `constraints.txt`: the exact version of every package that `make` installs."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
CHOOSE_EXTRAS = ROOT / "scripts" / "choose_extras.py"
LOCK = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
PYTHONS = ("3.11", "3.12", "3.13")


def locked_versions(python: str) -> dict[str, list[str]]:
    environment = {"python_version": python, "python_full_version": f"{python}.5", "sys_platform": "linux"}
    versions: dict[str, list[str]] = {}
    for line in LOCK:
        if line.marker is None or line.marker.evaluate(environment):
            versions.setdefault(canonicalize_name(line.name), []).append(str(line.specifier).removeprefix("=="))
    return versions


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_names_one_version_of_a_package_for_each_interpreter(python):
    assert {name: found for name, found in locked_versions(python).items() if len(found) != 1} == {}


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_satisfies_every_requirement_of_the_package(python):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    versions = locked_versions(python)
    for line in map(Requirement, wanted):
        if canonicalize_name(line.name) != "anchorpbo":
            assert line.specifier.contains(versions[canonicalize_name(line.name)][0]), line


@pytest.mark.skipif(not Path(sys.prefix, ".dev").exists(), reason="an environment that make did not build")
def test_every_installed_package_has_the_version_of_the_lock():
    versions = locked_versions("{}.{}".format(*sys.version_info))
    packages = Path(pytest.__file__).parents[1]
    installed = {
        canonicalize_name(one.name): Version(one.version).public for one in distributions(path=[str(packages)])
    }
    for bundled in ("anchorpbo", "pip", "setuptools"):
        installed.pop(bundled, None)
    assert {name: version for name, version in installed.items() if versions.get(name) != [version]} == {}


def test_the_lock_holds_no_cuda_library():
    assert not [line for line in LOCK if re.search("cuda|nvidia|triton", line.name)]


def test_the_app_is_installed_without_torch_and_without_the_tools_of_development():
    dry = subprocess.run(
        ["make", "--dry-run", "--always-make", "run"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.findall(r'-e "\.\[([\w,]+)\]"', dry.stdout) == ["web,molecules"]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("nvidia-cudnn-cu13==9.20.0.48; platform_system == 'Nowhere'", False),
        ("nvidia-cudnn-cu13==9.20.0.48; extra == 'gpu'", False),
        ("nvidia-cudnn-cu13==9.20.0.48", True),
        ("cuda-toolkit[cublas]==13.0.3; python_version > '3'", True),
        ("sympy>=1.13.3", False),
    ],
)
def test_a_torch_that_requires_cuda_here_is_noticed(requirement, expected):
    report = json.dumps({"install": [{"metadata": {"name": "torch", "requires_dist": ["filelock", requirement]}}]})
    assert runpy.run_path(str(CHOOSE_EXTRAS))["needs_cuda"](report) is expected


@pytest.mark.parametrize(("choice", "expected"), [("yes", "web,dev,botorch"), ("no", "web,dev")])
def test_torch_can_be_demanded_and_declined(choice, expected):
    run = subprocess.run(
        [sys.executable, CHOOSE_EXTRAS, "web,dev", "botorch", choice], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == expected
