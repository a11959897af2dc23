"""Pages about the app name what the app shows, and their pictures can be taken again."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src" / "anchorpbo" / "app" / "web"
TUTORIAL = ROOT / "docs" / "tutorials" / "first-study-app.md"
SCRIPT = ROOT / "scripts" / "make_screenshots.py"
PICTURES = sorted(path for name in ("app", "first-study") for path in (ROOT / "docs" / "images").glob(f"{name}-*.png"))
MAX_BYTES = 250_000
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Texts(HTMLParser):
    """Text nodes of a template, and the strings in its expressions."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_data(self, data):
        self.found |= {data, *QUOTED.findall(data)}


def labels_of_the_app():
    """Return all texts of the templates and all strings of the scripts."""
    parser = Texts()
    for template in (WEB / "templates").glob("*.html"):
        parser.feed(template.read_text("utf-8"))
    strings = {text for script in (WEB / "static").glob("*.js") for text in QUOTED.findall(script.read_text("utf-8"))}
    return {" ".join(text.split()) for text in parser.found | strings}


def labels_in(page):
    """Return the labels in bold, in their order."""
    return [" ".join(label.split()) for label in re.findall(r"\*\*(.+?)\*\*", page, flags=re.DOTALL)]


def test_labels_in_bold_are_labels_of_the_app():
    labels, known = labels_in(TUTORIAL.read_text("utf-8")), labels_of_the_app()
    assert len(set(labels)) > 30
    assert not [label for label in labels if label not in known]


@pytest.mark.parametrize("label", ["Create a study", "create study", "Undo U"])
def test_other_words_than_labels_are_noticed(label):
    assert labels_in(f"1. Press **{label}**, then **Create\n   study**.") == [label, "Create study"]
    assert {label, "Create study"} - labels_of_the_app() == {label}


def test_every_picture_of_the_app_has_a_function_that_takes_it():
    functions = re.findall(r"^@shot\ndef (\w+)\(", SCRIPT.read_text("utf-8"), flags=re.MULTILINE)
    assert {path.stem for path in PICTURES} == {name.replace("_", "-") for name in functions}


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_pictures_of_the_app_are_shown_and_small(picture):
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    assert any(f"images/{picture.name})" in page.read_text("utf-8") for page in pages), "no page shows it"
    assert picture.stat().st_size <= MAX_BYTES
