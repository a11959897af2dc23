"""Pages that fail when they are wrong."""

import re
import tomllib
from inspect import getmembers, isfunction
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import anchorpbo
from support.optional import HAS_TORCH, WITHOUT_TORCH

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
SOURCE = ROOT / "src" / "anchorpbo"


@pytest.mark.parametrize(
    "page",
    # Tutorials are run by test_tutorials.py, which also looks at what they print.
    [page for page in PAGES if page.parent.name != "tutorials"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python_blocks_run(page, capsys):
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    if not HAS_TORCH and any("torch" in block for block in blocks):
        pytest.skip(WITHOUT_TORCH)
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def headings(page):
    """Return the fragments that lead to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", line).strip().lower()) for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_to_one(page):
    for target, fragment in re.findall(r"\]\(([^)#:]*\.md|)#([^)]+)\)", page.read_text("utf-8")):
        other = page.parent / target if target else page
        assert fragment in headings(other), f"{page.name} links to {target}#{fragment}"


def test_the_architecture_page_lists_the_layers_that_are_checked():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    listed = [layer.replace("anchorpbo.", "").replace(".", "/") for layer in layers]
    assert "\n".join(listed) in page


def test_the_architecture_page_answers_questions_on_its_first_screen_by_names_that_exist():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = "\n".join(line for line in page.splitlines()[:15] if line.startswith("| "))
    answers = re.findall(r"^\| ([^|]+\?) \| (.+) \|$", table, flags=re.MULTILINE)
    assert len(answers) == 6
    for question, answer in answers:
        # The improvement and confidence modules stand beside the first file that an answer names.
        files = [file for file in re.findall(r"`([\w/]+\.py)`", answer) if "/" in file]
        text = "".join((SOURCE / file).read_text("utf-8") for file in files)
        names = [f"class {name}" for name in re.findall(r"class `(\w+)`", answer)]
        names += [f"def {method}(" for _, method in re.findall(r"`([A-Z]\w+)\.(\w+)`", answer)]
        assert files, question
        assert all(name in text for name in names), question


def test_every_package_is_in_a_layer():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = " ".join(settings["tool"]["importlinter"]["contracts"][0]["layers"])
    listed = set(re.findall(r"\w+", layers)) | {"testing", "__init__", "__main__", "py", "__pycache__"}
    assert {path.stem for path in SOURCE.iterdir()} <= listed


@pytest.mark.parametrize("page", ["docs/notation.md", "docs/architecture.md", "CONTRIBUTING.md"])
def test_files_named_in_a_page_exist(page):
    last = SOURCE
    for name in re.findall(r"`([\w/]+(?:/|\.py))`", (ROOT / page).read_text("utf-8")):
        places = [ROOT / name, SOURCE / name, last / name]
        found = [place for place in places if place.exists()]
        assert found, f"{page} names {name}"
        last = found[0].parent if name.endswith(".py") else found[0]


def test_equations_of_the_notation_page_lead_to_code_that_names_them():
    page = (ROOT / "docs" / "notation.md").read_text("utf-8")
    rows = re.findall(r"^\| eq\. ([\w-]+)[^|]*\| `([\w/]+\.py)`, `(\w+)` \|$", page, flags=re.MULTILINE)
    assert len(rows) >= 8
    for equation, file, name in rows:
        text = (SOURCE / file).read_text("utf-8")
        assert name in text, f"{file} has no {name}"
        assert f"eq. {equation}" in text, f"{file} does not name eq. {equation}"


def test_every_public_name_can_be_loaded_and_is_documented():
    for name in anchorpbo.__all__:
        assert getattr(anchorpbo, name).__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        anchorpbo.nothing  # noqa: B018
    assert set(anchorpbo.__all__) <= set(dir(anchorpbo))


def test_all_results_of_an_optimizer_are_public_names():
    methods = [method for name, method in getmembers(anchorpbo.Optimizer, isfunction) if not name.startswith("_")]
    found = [get_type_hints(method).get("return") for method in methods]
    classes = {each for kind in found for each in (kind, *get_args(kind)) if isinstance(each, type)}
    ours = {each.__name__ for each in classes if each.__module__.startswith("anchorpbo.study.")}
    assert {"Recommendation", "Audit", "AnchorValidation", "AnchorProposal", "Retest"} <= ours
    assert ours <= set(anchorpbo.__all__)


def test_the_changelog_knows_the_version():
    assert f"## {anchorpbo.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_make_targets_of_the_pages_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"^make (\w+)", page.read_text("utf-8"), flags=re.MULTILINE)) <= targets, page.name
