"""How long someone waits for the next two designs."""

from statistics import median

from browsing import cards_are_shown, choose
from playwright.sync_api import expect

ANSWERS = 14
THOUGHT = 1_000
"""Milliseconds that someone looks at two designs."""
SLOWEST = 1_000
"""Milliseconds, at the median, that a machine with other things to do may take; a quiet one takes less than 100."""


def test_the_next_cards_come_at_once(home, site, visitor, capsys):
    study = site.post("/api/examples/coffee")["id"]
    for proposal in site.get(f"/api/studies/{study}/anchors/proposals?n=2"):
        site.post(f"/api/studies/{study}/anchors", {"design": proposal["design"]})
    page = visitor().open(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    for n in range(ANSWERS):
        page.wait_for_function("thought => performance.now() - window.shownCards.at > thought", arg=THOUGHT)
        choose(page, "first" if n % 3 else "second")
    expect(page.locator("#progress")).to_contain_text(f"{ANSWERS} comparisons so far")
    waits = sorted(page.evaluate("window.shownCards.waits"))
    assert len(waits) == ANSWERS
    late = waits[int(0.95 * len(waits))]
    with capsys.disabled():
        print(f"\nFrom an answer to the next cards: median {median(waits):.0f} ms, 95 % within {late:.0f} ms")
    assert median(waits) < SLOWEST
