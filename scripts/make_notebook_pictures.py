"""Write docs/images/notebook-*.png, the pictures of the page on notebooks: tables, the widget and plots in Chromium.

python scripts/make_notebook_pictures.py
"""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import plotly
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import anchorpbo as ap
from anchorpbo.notebook import DuelWidget
from anchorpbo.notebook.widget import ASSETS

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LARGEST = 150_000
"""Largest size of a picture in bytes."""
UNITS = {"temperature": "°C", "dose": "g"}
SPACE = ap.Space(
    temperature=ap.Real(80, 96),
    dose=ap.Real(10, 20, log=True),
    grind=ap.Integer(1, 10),
    origin=ap.Categorical(["Kenya", "Brazil"]),
)
ANCHORS = [
    {"temperature": 92, "dose": 15, "grind": 4, "origin": "Kenya"},
    {"temperature": 90, "dose": 16, "grind": 5, "origin": "Kenya"},
    {"temperature": 86, "dose": 12, "grind": 7, "origin": "Brazil"},
]
# The part of Jupyter's widget support that a still picture needs.
CELL = """async ([source, style, view]) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const model = { get: () => view, on: () => {}, off: () => {}, send: () => {} };
  module.default.render({ model, el: document.body });
}"""
PLOT = """json => {
  const { data, layout } = JSON.parse(json);
  return Plotly.newPlot("plot", data, layout, { displayModeBar: false });
}"""


def played(count: int = 40, repeat_rate: float = 0.0) -> ap.Optimizer:
    """Return a study whose user likes hot Kenyan coffee and is unsure far from the anchors."""
    study, rng = ap.Optimizer(SPACE, ANCHORS, seed=0, repeat_rate=repeat_rate), np.random.default_rng(0)

    def taste(cup: dict[str, Any]) -> float:
        hot, fine = abs(cup["temperature"] - 93) / 3, abs(cup["grind"] - 4) / 3
        return (cup["origin"] == "Kenya") - hot - fine - 3 * abs(np.log(cup["dose"] / 15)) + 0.3 * rng.normal()

    for _ in range(count):
        duel = study.ask()
        gap = taste(duel.first) - taste(duel.second)
        study.tell(duel, "tie" if abs(gap) < 0.15 else "first" if gap > 0 else "second")
    return study


def save(picture: Image.Image, name: str) -> None:
    """Write a picture of at most `LARGEST` bytes."""
    path = IMAGES / f"notebook-{name}.png"
    picture.convert("RGB").save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        picture.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        sys.exit(f"{path.name} has {path.stat().st_size:,} bytes.")
    print(f"wrote {path.name}, {path.stat().st_size / 1e3:.0f} kB")


def seen(page: Page) -> Image.Image:
    """Return a screenshot of the page, cropped to its content."""
    return Image.open(BytesIO(page.screenshot(full_page=True, animations="disabled")))


def page_of(browser: Browser, width: int, body: str = "", *, dark: bool = False) -> Page:
    """Return a page with some HTML, as high as its content."""
    page = browser.new_page(viewport={"width": width, "height": 60})
    colours = "background:#161616;color:#e8e8e8" if dark else "background:#fff;color:#111"
    page.set_content(f'<!doctype html><body style="margin:12px;font:14px sans-serif;{colours}">{body}</body>')
    return page


def screen(browser: Browser, figure: Any, width: int) -> Image.Image:
    """Return a picture of a plotly figure, drawn by the browser."""
    page = page_of(browser, width, '<div id="plot"></div>')
    page.add_script_tag(path=Path(plotly.__file__).parent / "package_data" / "plotly.min.js")
    page.evaluate(PLOT, figure.to_json())
    return seen(page)


def widget(browser: Browser, study: ap.Optimizer, *, dark: bool) -> Image.Image:
    """Return a picture of the duel widget with its recommendation open."""
    shown = DuelWidget(study, display={"units": UNITS})
    shown._handle_custom_msg({"type": "recommend", "show": True}, [])
    page = page_of(browser, 640, dark=dark)
    page.evaluate(CELL, [DuelWidget._esm, (ASSETS / "duel.css").read_text("utf-8"), shown.view])
    return seen(page)


def beside(*pictures: Image.Image) -> Image.Image:
    """Join pictures side by side."""
    sheet = Image.new("RGB", (sum(one.width for one in pictures), max(one.height for one in pictures)), "white")
    for number, one in enumerate(pictures):
        sheet.paste(one, (sum(other.width for other in pictures[:number]), 0))
    return sheet


def paper(figure: Any) -> Image.Image:
    """Return a picture of a matplotlib figure."""
    return Image.open(BytesIO(figure._repr_png_()))


def main() -> None:
    """Write all pictures."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("Chromium is not installed; run `make system`.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    study, plots = played(), ap.plots
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--hide-scrollbars"])
        half = played(12)
        tables = (page_of(browser, 460, each._repr_html_()) for each in (SPACE, half.ask(), half.recommend()))
        save(beside(*map(seen, tables)), "tables")
        save(beside(*(widget(browser, half, dark=dark) for dark in (False, True))), "widget")
        save(screen(browser, plots.utility_slices(study, units=UNITS, theme="light"), 1000), "slices")
        maps = [
            screen(browser, draw(study, units=UNITS, theme="light"), 640)
            for draw in (plots.utility_map, plots.reliability_map)
        ]
        save(beside(*maps), "maps")
        course = [plots.convergence(study, theme="light"), plots.pair_noise(study, theme="light")]
        save(beside(*(screen(browser, each, 640) for each in course)), "course")
        retest = played(60, repeat_rate=0.4).retest()
        shown = screen(browser, plots.retest_agreement(retest, theme="light"), 640)
        save(beside(shown, paper(plots.retest_agreement(retest, backend="matplotlib"))), "retest")
        browser.close()
    save(beside(*(paper(draw(study, backend="matplotlib")) for draw in (plots.calibration, plots.pair_noise))), "paper")


if __name__ == "__main__":
    main()
