"""Answers on the Compare page that do not arrive, and the answers that the server has."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from browsing import Visitor, cards_are_shown
from playwright.sync_api import Page, Route, expect

from support.chromium import TIMEOUT
from support.server_process import Server

OFFLINE = r"net::ERR_|status of 503"
"""Pattern of console messages of the browser about requests without a response."""
KEPT = "The server does not answer. Your answer is kept in this browser, and sent as soon as it does."
TAKEN_BACK = "Your last answer was taken back."
ELSEWHERE = "Another tab has answered or replaced this pair. These are the designs to compare now."


def open_duel(someone: Visitor, home: str, study: str) -> Page:
    """Open the Compare page in a new tab."""
    someone.allow(OFFLINE)
    page = someone.open(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    return page


def answers(server: Server, study: str) -> tuple[list[str], list[str]]:
    """Return the outcomes in the journal, oldest first: those that stand, and those that were undone.

    No duel has two answers that stand, and the export has the same answers.
    """
    found = [event for event in server.get(f"/api/studies/{study}/history") if event["type"] == "answered"]
    standing = [event["duel_id"] for event in found if event["stands"]]
    assert len(standing) == len(set(standing))
    exported = [event for event in server.get(f"/api/studies/{study}/export")["events"] if event["type"] == "answered"]
    assert [_key(event) for event in exported] == [_key(event) for event in found]
    stands, undone = ([event["outcome"] for event in found if event["stands"] == one] for one in (True, False))
    return stands, undone


def _key(event: dict[str, Any]) -> tuple[str, str]:
    return event["duel_id"], event["outcome"]


def wait_until(page: Page, holds: Callable[[], Any]) -> None:
    """Wait for something that no page shows."""
    for _ in range(TIMEOUT // 50):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not happen in time")


def go_offline(page: Page) -> None:
    page.context.set_offline(True)


def try_again(page: Page) -> None:
    """Let the page know that the network is back."""
    page.evaluate("window.dispatchEvent(new Event('online'))")


def lose_response(route: Route) -> None:
    """Let a request arrive, and nobody hear of it."""
    route.fetch()
    route.abort("connectionreset")


def answer_in_vain(page: Page, outcome: str, told: str = KEPT) -> None:
    """Answer while the server does not, and be told that the answer is kept."""
    page.locator(f"#{outcome}").click()
    expect(page.locator("#trouble-text")).to_have_text(told)
    expect(page.locator(f"#{outcome}")).to_have_class(re.compile("chosen"))


def progress_is(page: Page, count: int) -> None:
    """Expect the page to show this many answers, and a pair to compare."""
    words = f"{count} comparison{'' if count == 1 else 's'} so far"
    expect(page.locator("#progress")).to_contain_text(words)
    expect(page.locator("#trouble")).to_be_hidden()
    cards_are_shown(page)
