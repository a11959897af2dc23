"""Measure `make run` in a fresh checkout: seconds and clicks until the first pair, and until the pair after an answer.

python scripts/measure_first_duel.py

The environment is built from scratch in a temporary folder, without pip's cache. Port 8000 must be free.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
CHROMIUM = "/usr/bin/chromium"
CARDS = "document.querySelector('#first').innerText + document.querySelector('#second').innerText"
SETTLE_MILLISECONDS = 1_000
"""Milliseconds to wait before answering the first pair; the page ignores clicks on a card that has just appeared."""
STUDY = "Pour-over coffee"
"""The example study with answers, whose first pair comes from the model."""


class Visit:
    """A page with its number of clicks and its start time."""

    def __init__(self, page: Page, began: float) -> None:
        self.page = page
        self.began = began
        self.clicks = 0

    def click(self, selector: str) -> None:
        """Click and count the click."""
        self.page.locator(selector).first.click()
        self.clicks += 1

    def note(self, what: str) -> None:
        """Print the time and the clicks until this point."""
        print(f"{what:32} {time.monotonic() - self.began:6.1f} s  {self.clicks} clicks", flush=True)


def visit(page: Page, link: str, began: float) -> None:
    """Open the printed link, go to a pair and answer it."""
    visit = Visit(page, began)
    pair = page.locator("#first[aria-disabled=false]")
    page.goto(link)
    page.locator(f"a.button:has-text('{STUDY}')").first.wait_for()
    visit.note("list of studies")
    visit.click(f"a.button:has-text('{STUDY}')")
    if page.locator("#start").count():
        page.locator("#start").wait_for()
        visit.note("page of anchors")
        visit.click("#start")
    pair.wait_for()
    visit.note("first pair")
    shown = page.evaluate(CARDS)
    page.wait_for_timeout(SETTLE_MILLISECONDS)
    visit.click("#first")
    page.wait_for_function(f"shown => {CARDS} !== shown", arg=shown)
    pair.wait_for()
    visit.note("next pair")


def main() -> None:
    """Clone, run `make run` and measure a visit."""
    with tempfile.TemporaryDirectory(prefix="anchorpbo-fresh-") as folder:
        fresh = Path(folder, "checkout")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(fresh)], check=True)
        environment = os.environ | {"PIP_NO_CACHE_DIR": "1", "NUMBA_CACHE_DIR": str(Path(folder, "cache"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        began = time.monotonic()
        server = subprocess.Popen(
            ["make", "run"], cwd=fresh, env=environment, text=True, stdout=subprocess.PIPE, start_new_session=True
        )
        try:
            assert server.stdout is not None
            link = next(found[1] for line in server.stdout if (found := re.search(r"ready at (\S+)", line)))
            print(f"{'make run prints its link':32} {time.monotonic() - began:6.1f} s", flush=True)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                visit(browser.new_page(), link, began)
                browser.close()
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()
        size = subprocess.run(["du", "-sm", str(fresh / ".venv")], capture_output=True, text=True, check=True).stdout
        print(f"{'size of .venv':32} {int(size.split()[0]) / 1e3:6.2f} GB")


if __name__ == "__main__":
    sys.exit(main())
