"""Examples pass a type checker: what users copy has types that users see."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import anchorpbo
from support.optional import HAS_TORCH

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def checked(folder, *options):
    source = Path(anchorpbo.__file__).parents[1]
    settings = {"pythonVersion": "3.11", "extraPaths": [str(source)], "reportMissingModuleSource": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(folder), *options]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return run.returncode, run.stdout + run.stderr


def test_examples_of_the_pages_pass_a_type_checker(tmp_path):
    examples = 0
    for page in PAGES:
        blocks = BLOCK.findall(page.read_text("utf-8"))
        if blocks and (HAS_TORCH or not any("torch" in block for block in blocks)):
            name = re.sub(r"\W", "_", str(page.relative_to(ROOT).with_suffix("")))
            (tmp_path / f"{name}.py").write_text("\n\n".join(blocks), "utf-8")
            examples += 1
    assert examples >= 3
    code, said = checked(tmp_path)
    assert code == 0, said


def test_the_type_checker_would_notice(tmp_path):
    (tmp_path / "wrong.py").write_text("import anchorpbo as ap\nap.Real('low', 2).nothing\n", "utf-8")
    code, said = checked(tmp_path)
    assert code == 1
    assert "nothing" in said
    assert "low" in said


@pytest.mark.slow
def test_what_the_package_exports_has_types():
    command = [sys.executable, "-m", "pyright", "--verifytypes", "anchorpbo", "--ignoreexternal", "--outputjson"]
    source = Path(anchorpbo.__file__).parents[1]
    places = os.environ | {"PYTHONPATH": str(source)}
    run = subprocess.run(command, env=places, capture_output=True, text=True, check=False, timeout=300)
    found = json.loads(run.stdout)["typeCompleteness"]
    assert found["completenessScore"] > 0.95
    # What users meet first has no gap at all. In bridges there are types of torch, which has gaps.
    first = {"Optimizer", "Space", "Catalogue", "PreferenceGP", "NoiseMap", "Duels", "Posterior", "Recommendation"}
    unknown = {symbol["name"] for symbol in found["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]}
    assert not [name for name in unknown if first & set(name.split(".")) and ".interop." not in name]
