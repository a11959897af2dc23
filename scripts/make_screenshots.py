"""Make docs/images/app-*.png, the pictures of the app: `anchorpbo serve --demo` in Chromium.

python scripts/make_screenshots.py
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from anchorpbo.app.examples import EXAMPLES

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LARGEST = 250_000
"""Bytes of a picture."""
SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@contextmanager
def demo() -> Iterator[str]:
    """The address of a server with the three examples."""
    command = [sys.executable, "-m", "anchorpbo", "serve", "--demo", "--port", "0", "--no-open", "--no-token"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = (re.search(r"ready at (\S+)", line) for line in process.stdout)
            yield next(line[1] for line in lines if line)
        finally:
            process.terminate()


def send(address: str, body: Any = None) -> Any:
    """Ask the REST API, with a body if something is to be changed."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, {"Content-Type": "application/json"})) as found:
        return json.load(found)


def answer(api: str, study: str, key: str, count: int, participant: str = "owner", seed: int = 0) -> None:
    """Let an example's own expert answer."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        duel = send(f"{api}/studies/{study}/ask", {"participant": participant})
        outcome = EXAMPLES[key].answer(duel["first"], duel["second"], rng)
        given = {"duel_id": duel["id"], "outcome": outcome, "participant": participant, "response_ms": 4_000}
        send(f"{api}/studies/{study}/answers", given)


def save(page: Page, name: str) -> None:
    """Write what can be seen, small enough for a page of documentation."""
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur()")
    picture = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    path = IMAGES / f"app-{name}.png"
    picture.save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"wrote {path.name}, {path.stat().st_size / 1e3:.0f} kB")


def show_duel(page: Page, address: str) -> None:
    """Two cards."""
    page.goto(address)
    page.locator("#first[aria-disabled=false]").wait_for()


def show_results(page: Page, address: str) -> None:
    """The results, with all their plots."""
    page.goto(address)
    page.locator("#results[aria-busy=false]").wait_for()
    page.locator("#gain .main-svg").first.wait_for()


def pages(browser: Browser, home: str, studies: dict[str, str]) -> None:
    """Those of a large screen."""
    page = browser.new_page(viewport=SCREEN, locale="en-GB")
    page.goto(f"{home}/")
    page.locator(".example").last.wait_for()
    save(page, "home")
    page.goto(f"{home}/new")
    page.locator("#name").fill("Sourdough")
    for at, fields in enumerate(
        [
            {"name": "oven", "low": "210", "high": "260", "unit": "°C"},
            {"name": "proof", "low": "4", "high": "18", "unit": "h"},
        ]
    ):
        for field, text in fields.items():
            page.locator(f"[data-field={field}]").nth(at).fill(text)
    page.get_by_role("button", name="Add a parameter").click()
    page.locator("[data-field=name]").nth(2).fill("flour")
    page.locator("[data-field=kind]").nth(2).select_option("categorical")
    page.locator("[data-field=values]").nth(2).fill("wheat, rye, spelt")
    page.locator("#status[data-kind=good]").wait_for()
    page.evaluate("scrollTo(0, 0)")
    save(page, "new")
    page.goto(f"{home}/studies/{studies['coffee']}/anchors")
    page.locator("#map .main-svg").first.wait_for()
    page.locator("#marked .card").last.wait_for()
    save(page, "anchors")
    for key, study in studies.items():
        show_duel(page, f"{home}/studies/{study}/duel")
        save(page, f"duel-{key}")
    show_results(page, f"{home}/studies/{studies['coffee']}/results")
    save(page, "results")
    page.goto(f"{home}/studies/{studies['molecules']}/people")
    page.locator("#opinions .card").last.wait_for()
    save(page, "people")
    page.emulate_media(color_scheme="dark")
    show_results(page, f"{home}/studies/{studies['molecules']}/results")
    page.locator("#map .main-svg").first.wait_for()
    page.locator("#map-panel").scroll_into_view_if_needed()
    page.locator("#map-panel").evaluate("panel => panel.scrollIntoView()")
    save(page, "dark")


def phone(browser: Browser, home: str, studies: dict[str, str]) -> None:
    """A small one."""
    page = browser.new_page(viewport=PHONE, is_mobile=True, has_touch=True, locale="en-GB")
    show_duel(page, f"{home}/studies/{studies['coffee']}/duel")
    save(page, "phone")


def main() -> None:
    """Make all of them."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("There is no Chromium: `make system` installs it.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with demo() as home, sync_playwright() as playwright:
        api = f"{home}/api"
        titles = {one.title: key for key, one in EXAMPLES.items()}
        studies = {titles[one["name"]]: one["id"] for one in send(f"{api}/studies")}
        answer(api, studies["poster"], "poster", 14)
        answer(api, studies["molecules"], "molecules", 14)
        for seed, name in enumerate(("Ana", "Björn"), 1):
            send(f"{api}/studies/{studies['molecules']}/participants", {"name": name})
            for design in EXAMPLES["molecules"].suggested_anchors[seed:]:
                send(f"{api}/studies/{studies['molecules']}/anchors", {"design": design, "participant": name})
            answer(api, studies["molecules"], "molecules", 20, name, seed)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--hide-scrollbars"])
        pages(browser, home, studies)
        phone(browser, home, studies)
        browser.close()


if __name__ == "__main__":
    main()
