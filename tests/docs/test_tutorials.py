"""Tutorials print what they say, and their pictures are those that they make."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "make_tutorials.py"
SPEC = importlib.util.spec_from_file_location("make_tutorials", SCRIPT)
tutorials = importlib.util.module_from_spec(SPEC)
sys.modules["make_tutorials"] = tutorials
SPEC.loader.exec_module(tutorials)


PAGES = [
    pytest.param(page, marks=[pytest.mark.slow] * (page.stem == "reproduce"), id=page.stem)
    for page in tutorials.PAGES
    # The list of tutorials and the tutorial of the app have no code.
    if page.stem not in ("overview", "first-study-app")
]


@pytest.mark.parametrize("page", PAGES)
def test_a_tutorial_prints_what_it_says_and_makes_its_pictures(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.setenv("MPLBACKEND", "agg")
    blocks = tutorials.run(page, tmp_path)
    assert len(blocks) >= 4
    for block in blocks:
        assert block.holds, f"{page.name}: {block}\nwrite it anew with scripts/make_tutorials.py"
    shown = {Path(name).name for name in _pictures(page)}
    assert shown == {path.name for path in tmp_path.glob("*.png")}
    for name in shown:
        committed, made = (_pixels(folder / name) for folder in (page.parent / "images", tmp_path))
        assert committed.shape == made.shape, name
        # Lines may move by a pixel where rounding differs.
        assert np.abs(committed - made).mean() < 4.0, name


def _pictures(page):
    return re.findall(r"!\[[^\]]*\]\((images/[^)]+)\)", page.read_text("utf-8"))


def _pixels(path):
    from matplotlib.image import imread

    return 255.0 * imread(path)[:, :, :3]


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("a 1.00 b", "a 1.01  b\n"),
        ("first\n...\nlast", "first\nany\nthing\nlast"),
        ("in ... minutes", "in 0.3 minutes"),
        ("[[1.   0.22]]", "[[1.   0.21]]"),
        ("12 rows", "12 rows"),
    ],
)
def test_numbers_may_be_nearly_right(expected, printed):
    assert tutorials.same(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("a 1.0", "b 1.0"),
        ("1.0", "1.2"),
        ("12 rows", "14 rows"),
        ("x", ""),
        ("", "x"),
        ("-0.5", "0.5"),
        ("a ...", "b a"),
    ],
)
def test_words_and_numbers_that_differ_are_noticed(expected, printed):
    assert not tutorials.same(expected, printed)


@pytest.mark.parametrize("part", ["RationalQuadratic", "HyperbolicSecant", "Variational", "Informative"])
def test_a_part_of_your_own_takes_fewer_than_25_lines(part):
    text = (tutorials.FOLDER / "own-parts.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if f"class {part}(" in block)
    assert len(block.splitlines()) < 25
