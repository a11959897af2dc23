"""A visitor in Chromium: watches its pages and acts on them."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

from support.chromium import TIMEOUT

HERE = ("127.0.0.1", "localhost")
WATCHING = Path(__file__).with_name("watching.js").read_text("utf-8")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
STANDARDS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice", "experimental")
"""Rules that axe tries, by its names for them."""
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
COFFEE, POSTER, MOLECULES = "Pour-over coffee", "A concert poster", "Molecules to start from"


class Visitor:
    """Someone with a browser of their own: cookies, tabs, and a record of what went wrong and who was talked to."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
        )
        self.context.set_default_timeout(TIMEOUT)
        self.context.add_init_script(WATCHING)
        self.said: list[str] = []
        self.allowed: list[str] = []
        self.strangers: list[str] = []
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.said.append(f"{error.error}"))
        self.context.on("request", self._note)

    def open(self, url: str) -> Page:
        page = self.context.new_page()
        page.on("websocket", lambda socket: self.strangers.append(socket.url))
        page.goto(url)
        return page

    def allow(self, *patterns: str) -> None:
        """Let pass what the browser itself writes to the console about a request that is meant to fail."""
        self.allowed += patterns

    def check(self) -> None:
        wrong = [line for line in self.said if not any(re.search(pattern, line) for pattern in self.allowed)]
        assert wrong == []
        assert self.strangers == []

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.said.append(f"{message.text} ({message.location.get('url', '')})")

    def _note(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob", "file") and address.hostname not in HERE:
            self.strangers.append(request.url)


# -- what people do ---------------------------------------------------------------------------------------------------


def try_example(page: Page, title: str) -> str:
    """From the list of studies to the anchors of a new one; its id."""
    page.get_by_role("button", name=re.compile(rf"Try it\s*: {title}")).click()
    page.wait_for_url("**/anchors")
    return page.url.split("/")[-2]


def cards_are_shown(page: Page, count: int = 1) -> None:
    """Wait until cards were shown this many times and take an answer: not at once, as a double click would."""
    page.wait_for_function(
        """count => {
          const { count: shown, at } = window.shownCards;
          return shown >= count && performance.now() - at > 260
            && document.getElementById("first").getAttribute("aria-disabled") === "false"
            && !document.getElementById("pair").hasAttribute("aria-busy");
        }""",
        arg=count,
    )


def shown_cards(page: Page) -> int:
    return int(page.evaluate("window.shownCards.count"))


def choose(page: Page, outcome: str = "first", key: str | None = None, touch: bool = False) -> None:
    """Answer, by mouse, key or finger, and wait for the next cards."""
    cards_are_shown(page)
    before = shown_cards(page)
    if key is not None:
        page.keyboard.press(key)
    elif touch:
        page.locator(f"#{outcome}").tap()
    else:
        page.locator(f"#{outcome}").click()
    cards_are_shown(page, before + 1)


def start_comparing(page: Page) -> None:
    page.get_by_role("link", name="Start comparing").first.click()
    page.wait_for_url("**/duel*")
    cards_are_shown(page)


def see_results(page: Page) -> None:
    page.get_by_role("link", name="Results", exact=True).click()
    page.wait_for_url("**/results*")
    results_are_shown(page)


def results_are_shown(page: Page) -> None:
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#best-card dl")).to_be_visible()


def text_of(page: Page, selector: str) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(selector).all_inner_texts()]


def violations(page: Page, within: str = ":root") -> list[str]:
    """What axe finds wrong with a page or a part of it, by rule."""
    page.evaluate(AXE)
    run = "([within, tags]) => axe.run(within, { runOnly: tags, resultTypes: ['violations'] })"
    found = page.evaluate(run, [within, STANDARDS])["violations"]
    return [f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}" for one in found]
