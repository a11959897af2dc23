"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and has every public name."""

import importlib
import re
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect

import anchorpbo
from support.chromium import TIMEOUT, running_chromium

ROOT = Path(__file__).parents[2]
MODULES = (
    "acquisition", "analysis", "app.examples", "app.service", "app.storage", "app.web", "duels", "inference",
    "interop.botorch", "interop.frames", "interop.optuna", "kernels", "likelihoods", "model", "notebook", "plots",
    "posterior", "problems", "reliability", "search", "space", "study", "testing",
)  # fmt: skip
COMMAND = ("properdocs", "build", "--strict")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    run = build(ROOT, folder)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


def build(project, folder):
    command = [sys.executable, "-m", *COMMAND, "--site-dir", str(folder)]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as browser:
        yield browser


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(params=["file", "http"])
def home(request, site):
    """The address of the site: in a folder, or at a server."""
    if request.param == "file":
        yield site.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Loads(HTMLParser):
    """What a browser fetches by itself when it opens a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed", "object"):
            self.found += [given.get("src"), given.get("data"), given.get("srcset")]
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(given.get("href"))


def test_make_docs_builds_the_site_with_the_tested_command():
    recipe = re.search(r"^docs:.*\n\t(.*)$", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    assert recipe is not None
    assert recipe[1] == f"$(BIN)/python -m {' '.join(COMMAND)}"


def test_a_broken_link_fails_the_build(tmp_path):
    (tmp_path / "properdocs.yml").write_text("site_name: Example\ntheme: materialx\n")
    page = tmp_path / "docs" / "index.md"
    page.parent.mkdir()
    page.write_text("[here](index.md)\n")
    assert build(tmp_path, tmp_path / "site").returncode == 0
    page.write_text("[nowhere](nowhere.md)\n")
    assert build(tmp_path, tmp_path / "site").returncode != 0


def test_links_of_the_home_page_lead_to_files_of_the_site(site):
    links = re.findall(r'href="([^"#:]+)"', (site / "index.html").read_text("utf-8"))
    assert "CITATION.cff" in links
    assert [link for link in links if not (site / link).exists()] == []


def test_pages_load_nothing_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        parser = Loads()
        parser.feed(page.read_text("utf-8"))
        assert parser.found
        outside = [place for place in parser.found if place and re.match(r"(https?:)?//", place)]
        assert not outside, f"{page.relative_to(site)} loads {outside}"


def test_styles_load_nothing_from_elsewhere(site):
    for style in site.rglob("*.css"):
        outside = re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)'\"]+", style.read_text("utf-8"))
        assert not outside, style.name


@pytest.mark.parametrize("start", ["index.html", "tutorials/first-study.html"])
def test_search_finds_pages_from_a_folder_and_from_a_server(browser, home, start):
    page = browser.new_page()
    page.set_default_timeout(TIMEOUT)
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{home}/{start}")
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("RAEUBO")
    found = page.locator(".md-search a[href*='reference/acquisition.html']", has_text="RAEUBO").first
    expect(found).to_be_visible(timeout=TIMEOUT)
    found.click()
    page.wait_for_url(f"{home}/reference/acquisition.html*")
    expect(page.get_by_role("heading", name="Acquisition").first).to_be_visible()
    page.close()
    assert errors == []
    assert [url for url in asked if not url.startswith((home, "data:"))] == []


def test_pages_outside_the_folder_of_the_pages_are_part_of_the_site(site):
    for name in ("changelog", "contributing", "benchmarks/results"):
        assert (site / f"{name}.html").exists(), name
    assert 'src="benchmarks/rounds.png"' in (site / "performance.html").read_text("utf-8")
    assert (site / "benchmarks" / "rounds.png").exists()


def test_what_tutorials_print_is_set_off(site):
    assert 'class="language-text output highlight"' in (site / "tutorials" / "first-study.html").read_text("utf-8")
    assert "output highlight" not in (site / "architecture.html").read_text("utf-8")


def test_every_public_name_is_in_the_reference():
    written = " ".join(path.read_text("utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    listed = set(re.findall(r"^::: (anchorpbo\.[\w.]+)$", written, flags=re.MULTILINE))
    for module in MODULES:
        for name in importlib.import_module(f"anchorpbo.{module}").__all__:
            assert f"anchorpbo.{module}.{name}" in listed, f"{module}.{name}"
    by_name = {name.rpartition(".")[2] for name in listed}
    for name in anchorpbo.__all__:
        assert name in by_name | set(MODULES) | {"interop"}, name


def test_every_name_in_the_reference_is_public(site):
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        built = (site / "reference" / f"{page.stem}.html").read_text("utf-8")
        for name in re.findall(r"^::: (anchorpbo\.[\w.]+)$", page.read_text("utf-8"), flags=re.MULTILINE):
            assert f'id="{name}"' in built or name == "anchorpbo.errors", f"{page.name} lists {name}"


def test_the_pictures_of_the_idea_are_those_of_the_script(tmp_path):
    import numpy as np
    from matplotlib.image import imread

    script = ROOT / "scripts" / "make_idea_figures.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, timeout=120)
    made = sorted(tmp_path.glob("*.png"))
    assert {path.name for path in made} == {path.name for path in (ROOT / "docs" / "images").glob("idea-*.png")}
    for path in made:
        committed, drawn = imread(ROOT / "docs" / "images" / path.name), imread(path)
        assert committed.shape == drawn.shape
        # Lines may move by a pixel where rounding differs.
        assert np.abs(committed - drawn).mean() < 0.015, f"draw {path.name} anew"
