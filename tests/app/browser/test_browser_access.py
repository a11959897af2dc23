"""Every page in every state: read by axe in both themes, and laid out at 320 px and at 200 %, names short and long."""

from pathlib import Path

import pytest
from browsing import PHONE, TIMEOUT, cards_are_shown, results_are_shown, violations
from page_states import STATES, long, make_studies, short
from playwright.sync_api import TimeoutError, expect
from test_browser_cards import SEEN, ZOOMED

CHECKS, LAYOUT = (
    Path(__file__).with_name(name).read_text("utf-8").partition("\n")[2]  # without the comment
    for name in ("page_checks.js", "layout_checks.js")
)
DESK, NARROW = {"width": 1280, "height": 800}, {"width": 320, "height": 640}
FLOW = ("new", "anchors", "compare values", "compare sounds", "results of parameters", "people", "report of parameters")
"""The way through a study, from page to page."""


def finds_nothing(page, script):
    try:  # plots take a moment to follow
        page.wait_for_function(f"() => ({script})().length === 0", polling=250, timeout=TIMEOUT / 6)
    except TimeoutError:
        assert page.evaluate(script) == [], f"{page.url}, {page.viewport_size}"


def check(page):
    page.keyboard.press("Tab")  # from now on the focus shows
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        finds_nothing(page, CHECKS)
        assert violations(page) == [], f"{page.url}, {scheme}"
    page.emulate_media(color_scheme="light")


def fits(page, size):
    page.set_viewport_size(size)
    finds_nothing(page, LAYOUT)


def shows_a_card(page):
    if page.locator("#pair:visible").count() and not page.locator("dialog[open]").count():
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate(SEEN, "first") > 0.35 * ZOOMED["viewport"]["height"]


@pytest.fixture(scope="module")
def long_named(site):
    return make_studies(site, long)


@pytest.fixture(scope="module")
def short_named(site):
    return make_studies(site, short)


@pytest.fixture
def someone(visitor):
    """A visitor whose server may refuse what a state gives it to refuse."""
    one = visitor(reduced_motion="reduce")
    one.allow(r"status of (401|404|409|422)", r"ERR_FAILED .*/answers")
    return one


@pytest.mark.parametrize("state", STATES)
def test_every_page_is_accessible_in_both_themes_and_fits_with_long_names(home, long_named, someone, state):
    if "molecules" in state:
        pytest.importorskip("rdkit")
    page = someone.context.new_page()
    STATES[state](page, home, long_named)
    check(page)
    fits(page, DESK)
    fits(page, ZOOMED["viewport"])
    shows_a_card(page)
    fits(page, NARROW)
    assert violations(page) == []


@pytest.mark.parametrize("state", FLOW)
def test_the_way_through_a_study_fits_at_320_pixels_and_at_200_percent(home, short_named, visitor, state):
    someone = visitor(**ZOOMED, reduced_motion="reduce")
    someone.allow("status of 422")
    page = someone.context.new_page()
    STATES[state](page, home, short_named)
    page.keyboard.press("Tab")
    fits(page, ZOOMED["viewport"])
    shows_a_card(page)
    fits(page, NARROW)


def test_home_before_the_first_study(empty, visitor):
    page = visitor().open(f"http://127.0.0.1:{empty.port}")
    expect(page.get_by_role("heading", name="Find the design an expert likes best")).to_be_visible()
    expect(page.locator(".example")).to_have_count(3)
    check(page)
    fits(page, NARROW)


# -- the examples, whose drawings are richer --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def examples(site):
    """Three studies with answers by example."""
    made = {}
    for key in ("coffee", "poster", "molecules"):
        id = made[key] = site.post(f"/api/examples/{key}")["id"]
        for proposal in site.get(f"/api/studies/{id}/anchors/proposals?n=2"):
            site.post(f"/api/studies/{id}/anchors", {"design": proposal["design"]})
        for outcome in ("first", "second", "tie", "first", "first", "second"):
            duel = site.post(f"/api/studies/{id}/ask")
            site.post(f"/api/studies/{id}/answers", {"duel_id": duel["id"], "outcome": outcome})
    return made


@pytest.mark.parametrize(
    ("key", "options"),
    [("coffee", PHONE), ("poster", {}), ("molecules", PHONE)],
    ids=["coffee-phone", "poster-desktop", "molecules-phone"],
)
def test_pages_of_an_example(home, examples, visitor, key, options):
    page = visitor(**options).open(f"{home}/studies/{examples[key]}/anchors")
    expect(page.locator("#marked .card")).to_have_count(2)
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.get_by_role("tab", name="Suggestions").click()
    expect(page.locator("#proposals .card").first).to_be_visible()
    check(page)
    page.goto(f"{home}/studies/{examples[key]}/duel")
    cards_are_shown(page)
    check(page)
    page.goto(f"{home}/studies/{examples[key]}/results")
    results_are_shown(page)
    expect(page.locator("#gain .main-svg").first).to_be_visible()
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.get_by_role("button", name="Comment on entry").first.click()
    check(page)
