"""Pages for people who do not see them well: names, headings, contrast and outlines, light and dark."""

from pathlib import Path

import pytest
from browsing import PHONE, TIMEOUT, cards_are_shown, results_are_shown, violations
from playwright.sync_api import TimeoutError, expect

CHECKS = Path(__file__).with_name("page_checks.js").read_text("utf-8").partition("\n")[2]  # without the comment


def check(page):
    page.keyboard.press("Tab")  # from now on the focus shows
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        try:  # plots take a moment to follow
            page.wait_for_function(f"() => ({CHECKS})().length === 0", polling=250, timeout=TIMEOUT / 3)
        except TimeoutError:
            assert page.evaluate(CHECKS) == [], f"{page.url}, {scheme}"
        assert violations(page) == [], f"{page.url}, {scheme}"
    page.emulate_media(color_scheme="light")


@pytest.fixture(params=[{}, PHONE], ids=["desktop", "phone"])
def someone(request, visitor):
    """A visitor with a large screen or a small one."""
    return visitor(**request.param)


@pytest.fixture(scope="module")
def studies(site):
    """Three studies with answers, and a second person in one of them, by example."""
    made = {}
    for key in ("coffee", "poster", "molecules"):
        id = made[key] = site.post(f"/api/examples/{key}")["id"]
        for design in site.get(f"/api/studies/{id}/anchors/proposals?n=2"):
            site.post(f"/api/studies/{id}/anchors", {"design": design})
        for who in ("owner", "Ana") if key == "coffee" else ("owner",):
            if who != "owner":
                site.post(f"/api/studies/{id}/participants", {"name": who})
            for outcome in ("first", "second", "tie", "first", "first", "second"):
                duel = site.post(f"/api/studies/{id}/ask", {"participant": who})
                given = {"duel_id": duel["id"], "outcome": outcome, "participant": who}
                site.post(f"/api/studies/{id}/answers", given)
    return made


def test_home_and_errors(home, studies, someone):
    someone.allow("status of 404")
    page = someone.open(home)
    expect(page.locator(".example")).to_have_count(3)
    check(page)
    page.get_by_role("button", name="Delete").first.click()
    check(page)
    for path in ("/login", "/studies/nothing/duel", "/nowhere"):
        page.goto(home + path)
        check(page)


def test_new(home, someone):
    page = someone.open(f"{home}/new")
    page.get_by_role("heading", name="Drawing").click()
    page.get_by_role("heading", name="Advanced").click()
    page.locator("[data-field=low]").first.fill("9")
    page.locator("[data-field=high]").first.fill("1")
    expect(page.get_by_text("“To” must be above “From”.")).to_be_visible()
    check(page)
    page.get_by_role("tab", name="Use a table").click()
    text = b"name,price,page\nAssam,4.5,https://example.org/a\nCeylon,5,https://example.org/c\nKeemun,7,https://example.org/k\n"
    page.locator("#table-file").set_input_files({"name": "teas.csv", "mimeType": "text/csv", "buffer": text})
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")
    check(page)
    page.get_by_role("tab", name="An example").click()
    expect(page.locator(".example")).to_have_count(3)
    check(page)


@pytest.mark.parametrize("key", ["coffee", "poster", "molecules"])
def test_pages_of_a_study(home, studies, someone, key):
    page = someone.open(f"{home}/studies/{studies[key]}/anchors")
    expect(page.locator("#marked .card")).to_have_count(2)
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.get_by_role("tab", name="Suggestions").click()
    expect(page.locator("#proposals .card").first).to_be_visible()
    check(page)
    page.goto(f"{home}/studies/{studies[key]}/duel")
    cards_are_shown(page)
    check(page)
    page.locator("#help").click()
    check(page)
    page.goto(f"{home}/studies/{studies[key]}/results")
    results_are_shown(page)
    expect(page.locator("#gain .main-svg").first).to_be_visible()
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.get_by_role("button", name="Comment on entry").first.click()
    check(page)
    if key == "coffee":
        page.goto(f"{home}/studies/{studies[key]}/people")
        expect(page.locator("#opinions .card")).to_have_count(3)
        page.get_by_text("Which columns it needs").click()
        check(page)
