"""Take the screenshots of the documentation: docs/images/app-*.png and docs/images/first-study-*.png.

python scripts/make_screenshots.py [NAME ...]

A name is that of a picture without its suffix, such as app-home. Without names all pictures are taken. The pages come
from ``anchorpbo serve --demo`` and are opened in Chromium.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Locator, Page, ViewportSize, sync_playwright

from anchorpbo.app.examples import EXAMPLES

IMAGES = Path(__file__).parents[1] / "docs" / "images"
MAX_BYTES = 250_000
"""Maximal size of a picture."""
TIMEOUT_MS = 180_000
"""Time limit of a page; generous, since other programs may keep the machine busy."""
MARGIN = 12
"""Pixels around a part of a page."""
SOME = 9
"""Answers of a study that has begun."""
MAX_ANSWERS = 250
"""Largest number of answers of a study that is answered until it can stop."""
SCREEN = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)

Answer = Callable[[Mapping[str, Any], Mapping[str, Any]], str]
Shot = Callable[["Demo", Page], "list[Locator] | None"]
SHOTS: dict[str, Shot] = {}


def shot(function: Shot) -> Shot:
    """Register a picture under the name of its function. The function opens a page and returns the parts to show."""
    SHOTS[function.__name__.replace("_", "-")] = function
    return function


class Demo:
    """A demo server and the studies that the pictures show.

    Parameters
    ----------
    home
        Address of the server.
    """

    def __init__(self, home: str) -> None:
        self.home = home
        self._sourdough: tuple[int | None, str] | None = None

    def request(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Return the response of the REST API; with a body the request is a POST."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.home}/api{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            text = response.read()
        return json.loads(text) if text else None

    def answer(self, study: str, judge: Answer, count: int | None, participant: str = "owner") -> None:
        """Answer `count` duels of a study, or duels until the study can stop if `count` is ``None``."""
        answers = 0
        while answers < (MAX_ANSWERS if count is None else count):
            duel = self.request(f"/studies/{study}/ask", {"participant": participant})
            if count is None and duel["progress"]["stop"]:
                break
            outcome = judge(duel["first"], duel["second"])
            answer = {"duel_id": duel["id"], "outcome": outcome, "participant": participant, "response_ms": 4_000}
            self.request(f"/studies/{study}/answers", answer)
            answers += 1
        else:
            if count is None:
                sys.exit(f"The study cannot stop after {answers} answers: choose another simulated user.")

    def sourdough(self, answers: int | None) -> str:
        """Return the id of the tutorial's study with this many answers; ``None`` for enough to stop.

        The study of another number of answers is deleted, so that the list of studies has one of them.
        """
        if self._sourdough is not None and self._sourdough[0] != answers:
            self.request(f"/studies/{self._sourdough[1]}", method="DELETE")
            self._sourdough = None
        if self._sourdough is None:
            study = str(self.request("/studies", SOURDOUGH)["id"])
            self.answer(study, prefer_loaf(), answers)
            self._sourdough = answers, study
        return self._sourdough[1]

    @cached_property
    def examples(self) -> dict[str, str]:
        """Ids of the example studies by the key of the example."""
        keys = {example.title: key for key, example in EXAMPLES.items()}
        studies = self.request("/studies")
        return {keys[study["name"]]: study["id"] for study in studies if study["name"] in keys}

    @cached_property
    def coffee(self) -> str:
        """Study that the demo has answered."""
        return self.examples["coffee"]

    @cached_property
    def poster(self) -> str:
        """Study with 14 answers."""
        self.answer(self.examples["poster"], prefer_example("poster"), 14)
        return self.examples["poster"]

    @cached_property
    def molecules(self) -> str:
        """Study with three participants."""
        study = self.examples["molecules"]
        self.answer(study, prefer_example("molecules"), 14)
        for seed, name in enumerate(("Ana", "Björn"), 1):
            self.request(f"/studies/{study}/participants", {"name": name})
            for design in EXAMPLES["molecules"].suggested_anchors[seed:]:
                self.request(f"/studies/{study}/anchors", {"design": design, "participant": name})
            self.answer(study, prefer_example("molecules", seed), 20, name)
        return study


def prefer_example(key: str, seed: int = 0) -> Answer:
    """Return the simulated expert of an example."""
    rng = np.random.default_rng(seed)
    return lambda first, second: EXAMPLES[key].answer(first, second, rng)


SOURDOUGH = {
    "name": "Sourdough",
    "description": "Which loaf would you rather eat?",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "Oven temperature", "kind": "real", "low": 210, "high": 260, "step": 5},
            {"name": "Proofing", "kind": "integer", "low": 4, "high": 18},
            {"name": "Flour", "kind": "categorical", "values": ["wheat", "spelt", "rye"]},
        ],
    },
    "display": {"units": {"Oven temperature": "°C", "Proofing": "h"}},
    "anchors": [
        {"Oven temperature": 230, "Proofing": 8, "Flour": "wheat"},
        {"Oven temperature": 240, "Proofing": 12, "Flour": "wheat"},
        {"Oven temperature": 235, "Proofing": 14, "Flour": "spelt"},
    ],
}
"""Study of the tutorial docs/tutorials/first-study-app.md."""


def prefer_loaf() -> Answer:
    """Return a simulated baker, who likes spelt at 240 °C after 12 hours and is always sure."""
    flours = {"wheat": 0.3, "spelt": 0.7, "rye": -0.8}

    def utility(loaf: Mapping[str, Any]) -> float:
        oven, proofing = (loaf["Oven temperature"] - 240) / 14, (loaf["Proofing"] - 12) / 4
        return float(flours[loaf["Flour"]] - oven**2 - proofing**2)

    def answer(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
        return "first" if utility(first) > utility(second) else "second"

    return answer


# -- opening pages ---------------------------------------------------------------------------------------------------


def open_duel(demo: Demo, page: Page, study: str) -> None:
    """Open the page Compare and wait for both cards."""
    page.goto(f"{demo.home}/studies/{study}/duel")
    page.locator("#first[aria-disabled=false]").wait_for()


def open_results(demo: Demo, page: Page, study: str) -> None:
    """Open the page Results and wait for all plots."""
    page.goto(f"{demo.home}/studies/{study}/results")
    page.locator("#results[aria-busy=false]").wait_for()
    page.locator("#gain .main-svg").first.wait_for()
    page.locator("#map .main-svg").first.wait_for()


def open_anchors(demo: Demo, page: Page, study: str) -> None:
    """Open the page Anchors and wait for its map and its cards."""
    page.goto(f"{demo.home}/studies/{study}/anchors")
    page.locator("#map .main-svg").first.wait_for()
    page.locator("#marked .card").last.wait_for()


def open_new(demo: Demo, page: Page) -> None:
    """Open the page New study and describe the tutorial's study."""
    page.goto(f"{demo.home}/new")
    page.locator("#name").fill("Sourdough")
    page.locator("#description").fill("Which loaf would you rather eat?")
    page.get_by_role("button", name="Add a parameter").click()
    kinds = ("real", "integer", "categorical")
    rows = (
        {"name": "Oven temperature", "low": "210", "high": "260", "unit": "°C"},
        {"name": "Proofing", "low": "4", "high": "18", "unit": "h"},
        {"name": "Flour", "values": "wheat, spelt, rye"},
    )
    for at, (kind, row) in enumerate(zip(kinds, rows, strict=True)):
        page.locator("[data-field=kind]").nth(at).select_option(kind)
        for field, text in row.items():
            page.locator(f"[data-field={field}]").nth(at).fill(text)
    page.get_by_text("More options").first.click()
    page.locator("[data-field=step]").first.fill("5")
    page.locator("#status[data-kind=good]").wait_for()
    page.locator("#preview dl").wait_for()
    page.evaluate("scrollTo(0, 0)")


# -- docs/app.md -----------------------------------------------------------------------------------------------------


@shot
def app_home(demo: Demo, page: Page) -> None:
    """All studies."""
    page.goto(f"{demo.home}/")
    page.locator(".example").last.wait_for()


@shot
def app_new(demo: Demo, page: Page) -> None:
    """The form of a new study."""
    open_new(demo, page)


@shot
def app_anchors(demo: Demo, page: Page) -> None:
    """Anchors of the coffee study."""
    open_anchors(demo, page, demo.coffee)


@shot
def app_duel_coffee(demo: Demo, page: Page) -> None:
    """Two cups."""
    open_duel(demo, page, demo.coffee)


@shot
def app_duel_poster(demo: Demo, page: Page) -> None:
    """Two posters."""
    open_duel(demo, page, demo.poster)


@shot
def app_duel_molecules(demo: Demo, page: Page) -> None:
    """Two molecules."""
    open_duel(demo, page, demo.molecules)


@shot
def app_results(demo: Demo, page: Page) -> None:
    """Results of the coffee study."""
    open_results(demo, page, demo.coffee)


@shot
def app_people(demo: Demo, page: Page) -> None:
    """Participants of the molecules study."""
    page.goto(f"{demo.home}/studies/{demo.molecules}/people")
    page.locator("#opinions .card").last.wait_for()


@shot
def app_dark(demo: Demo, page: Page) -> None:
    """The map of the molecules study in the dark theme."""
    page.emulate_media(color_scheme="dark")
    open_results(demo, page, demo.molecules)
    page.locator("#map-panel").evaluate("panel => panel.scrollIntoView()")


@shot
def app_phone(demo: Demo, page: Page) -> None:
    """Two cups on a phone."""
    open_duel(demo, page, demo.coffee)


# -- docs/tutorials/first-study-app.md -------------------------------------------------------------------------------


@shot
def first_study_new(demo: Demo, page: Page) -> list[Locator]:
    """The filled form, and what the page says about it."""
    open_new(demo, page)
    return [page.locator(".new-title"), page.locator("#panel-space > section").first, page.locator(".new-side")]


@shot
def first_study_anchors(demo: Demo, page: Page) -> list[Locator]:
    """A design set by its values, the map of trust and the marked designs."""
    open_anchors(demo, page, demo.sourdough(SOME))
    for at, value in enumerate(("235", "14")):
        page.locator("#controls input[type=number]").nth(at).fill(value)
    page.locator("#know-preview[aria-pressed=true]").wait_for()
    page.wait_for_timeout(1_500)  # the map follows the values
    page.locator("#map .main-svg").first.wait_for()
    return [page.locator(".workbench"), page.locator("section", has=page.locator("#marked-title")).last]


@shot
def first_study_compare(demo: Demo, page: Page) -> list[Locator]:
    """Two loaves."""
    open_duel(demo, page, demo.sourdough(SOME))
    return [page.locator("header.bar"), page.locator(".duel")]


@shot
def first_study_keys(demo: Demo, page: Page) -> list[Locator]:
    """The help with the keys, without the page behind it."""
    open_duel(demo, page, demo.sourdough(SOME))
    page.locator("#help").click()
    page.locator(".duel").evaluate("section => { section.style.visibility = 'hidden'; }")
    return [page.locator("#help-dialog")]


@shot
def first_study_stop(demo: Demo, page: Page) -> list[Locator]:
    """The message that further comparisons add little."""
    open_duel(demo, page, demo.sourdough(None))
    return [page.locator(".study-head"), page.locator(".pair"), page.locator(".answers")]


@shot
def first_study_recommended(demo: Demo, page: Page) -> list[Locator]:
    """The recommendation and the other candidates."""
    open_results(demo, page, demo.sourdough(None))
    return [page.locator("section", has=page.locator(f"#{name}-title")).last for name in ("best", "others")]


@shot
def first_study_slices(demo: Demo, page: Page) -> list[Locator]:
    """One parameter at a time."""
    open_results(demo, page, demo.sourdough(None))
    return [page.locator("#slices-panel")]


@shot
def first_study_utility(demo: Demo, page: Page) -> list[Locator]:
    """The map of the results."""
    open_results(demo, page, demo.sourdough(None))
    return [page.locator("#map-panel")]


@shot
def first_study_history(demo: Demo, page: Page) -> list[Locator]:
    """The end of the page Results: the latest five entries of the history, and the files."""
    open_results(demo, page, demo.sourdough(None))
    page.locator("#history tbody").evaluate("body => [...body.rows].slice(5).forEach(row => row.remove())")
    return [page.locator("#history-panel"), page.locator("#exports")]


@shot
def first_study_home(demo: Demo, page: Page) -> list[Locator]:
    """The list of studies after the first one."""
    demo.sourdough(None)
    page.goto(f"{demo.home}/")
    return [page.locator(".home-head"), page.locator("#studies")]


@shot
def first_study_people(demo: Demo, page: Page) -> list[Locator]:
    """The link of a participant."""
    page.goto(f"{demo.home}/studies/{demo.sourdough(None)}/people")
    page.locator("#name").fill("Maria")
    page.locator("#invite button").click()
    page.locator("#people .link").wait_for()
    page.locator("#toast").evaluate("toast => { toast.hidden = true; }")
    return [page.locator("section", has=page.locator("#people-title")).last]


# -- taking pictures -------------------------------------------------------------------------------------------------


def enclose(boxes: list[FloatRect]) -> FloatRect:
    """Return the smallest rectangle around all boxes, with a margin."""
    left = max(min(box["x"] for box in boxes) - MARGIN, 0.0)
    top = max(min(box["y"] for box in boxes) - MARGIN, 0.0)
    right = min(max(box["x"] + box["width"] for box in boxes) + MARGIN, SCREEN["width"])
    bottom = max(box["y"] + box["height"] for box in boxes) + MARGIN
    return FloatRect(x=left, y=top, width=right - left, height=bottom - top)


def save(page: Page, name: str, parts: list[Locator] | None) -> None:
    """Write the visible page, or some parts of it, to a PNG file of at most `MAX_BYTES`."""
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur()")
    if parts is None:
        taken = page.screenshot(animations="disabled")
    else:
        page.evaluate("scrollTo(0, 0)")
        boxes = [box for box in (part.bounding_box() for part in parts) if box is not None]
        taken = page.screenshot(animations="disabled", full_page=True, clip=enclose(boxes))
    picture = Image.open(BytesIO(taken)).convert("RGB")
    path = IMAGES / f"{name}.png"
    picture.save(path, optimize=True)
    if path.stat().st_size > MAX_BYTES:
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"wrote {path.name}, {path.stat().st_size / 1e3:.0f} kB", flush=True)


@contextmanager
def serve_demo() -> Iterator[Demo]:
    """Run a server with the three examples."""
    command = [sys.executable, "-m", "anchorpbo", "serve", "--demo", "--port", "0", "--no-open", "--no-token"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = (re.search(r"ready at (\S+)", line) for line in process.stdout)
            yield Demo(next(line[1] for line in lines if line))
        finally:
            process.terminate()


def open_page(browser: Browser, name: str) -> Page:
    """Open an empty page of the size of the picture's device."""
    if name == "app-phone":
        page = browser.new_page(viewport=PHONE, is_mobile=True, has_touch=True, locale="en-GB")
    else:
        page = browser.new_page(viewport=SCREEN, color_scheme="light", locale="en-GB")
    page.emulate_media(reduced_motion="reduce")  # the progress bar is at its value at once
    page.set_default_timeout(TIMEOUT_MS)
    return page


def main(names: list[str]) -> None:
    """Take the pictures with these names, or all."""
    unknown = [name for name in names if name not in SHOTS]
    if unknown:
        sys.exit(f"There is no picture {unknown[0]}; choose from {', '.join(SHOTS)}.")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("Chromium is missing: `make system` installs it.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with serve_demo() as demo, sync_playwright() as playwright:
        options = ["--no-sandbox", "--hide-scrollbars"]
        browser = playwright.chromium.launch(executable_path=program, args=options, timeout=TIMEOUT_MS)
        for name in names or SHOTS:
            page = open_page(browser, name)
            save(page, name, SHOTS[name](demo, page))
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
