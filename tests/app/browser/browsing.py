"""A visitor in Chromium: watches its pages and acts on them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, expect

from support.chromium import TIMEOUT

HERE = ("127.0.0.1", "localhost")
WATCHING = Path(__file__).with_name("watching.js").read_text("utf-8")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
STANDARDS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice", "experimental")
"""Rules that axe tries, by its names for them."""
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
TOKEN = "only-the-owner-knows-this-one"
KEYS = {"first": "ArrowLeft", "second": "ArrowRight"}
COFFEE, POSTER, MOLECULES = "Pour-over coffee", "A concert poster", "Molecules to start from"
DROP = """(place, { name, bytes }) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type: "text/csv" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    place.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""
VALUES = """rows => Object.fromEntries(rows.map((row) =>
  [...row.children].map(({ textContent }) => textContent.replace(/\\s+/g, " ").trim())))"""

Utility = Callable[[Mapping[str, str]], float]
"""How much a simulated person likes the design of a card, by the texts on it; see `card_texts`."""


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


def drop_file(page: Page, name: str, content: bytes) -> None:
    """Drop a table on the New page."""
    page.locator("#drop").evaluate(DROP, {"name": name, "bytes": list(content)})


def csv_table(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


def fill_parameter(page: Page, number: int, **fields: str) -> None:
    """Fill in the row of a parameter on the New page; the kind is given as its label."""
    parameter = page.locator(f"[aria-label='Parameter {number}']")
    if "kind" in fields:
        parameter.locator("[data-field=kind]").select_option(label=fields.pop("kind"))
    if "step" in fields:
        parameter.get_by_text("More options").click()
    for name, text in fields.items():
        parameter.locator(f"[data-field={name}]").fill(text)


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


def card_texts(card: Locator) -> dict[str, str]:
    """Read the values of a card by their labels; its title, if it has one, is "title"."""
    texts: dict[str, str] = card.locator("dl > div").evaluate_all(VALUES)
    titles = card.locator(".card-title").all_inner_texts()
    return texts | ({"title": titles[0]} if titles else {})


def preferred(page: Page, utility: Utility) -> str:
    """Read both cards of the pair and return the side with the larger utility; the first if they are equal."""
    cards_are_shown(page)
    first, second = (utility(card_texts(page.locator(f"#{side}"))) for side in KEYS)
    return "first" if first >= second else "second"


def answer_duels(page: Page, utility: Utility, count: int) -> None:
    """Answer as someone who is always sure does, in turn by mouse and by keyboard."""
    for number in range(count):
        side = preferred(page, utility)
        choose(page, side, key=KEYS[side] if number % 2 else None)


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
    expect(page.locator("#best-card > *").first).to_be_visible()


def invite(page: Page, name: str) -> str:
    """Invite someone on the People page and return their link."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Invite").click()
    return page.get_by_label(f"Link for {name}", exact=True).input_value()


def edit_study(page: Page, name: str) -> Locator:
    """Open the dialog that edits a study of the list, and return it."""
    page.get_by_role("button", name=f"Edit {name}", exact=True).click()
    dialog = page.get_by_role("dialog", name="Edit this study")
    expect(dialog).to_be_visible()
    return dialog


def save_download(page: Page, name: str, folder: Path) -> Path:
    """Press the link of a download and return the file under the name that is suggested for it."""
    with page.expect_download() as found:
        page.get_by_role("link", name=name).click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    return path


def text_of(page: Page, selector: str) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(selector).all_inner_texts()]


def violations(page: Page, within: str = ":root") -> list[str]:
    """What axe finds wrong with a page or a part of it, by rule."""
    page.evaluate(AXE)
    run = "([within, tags]) => axe.run(within, { runOnly: tags, resultTypes: ['violations'] })"
    found = page.evaluate(run, [within, STANDARDS])["violations"]
    return [f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'])}" for one in found]
