"""Each example from a new study to its report, with the mouse."""

import re

import pytest
from browsing import (
    COFFEE,
    MOLECULES,
    POSTER,
    choose,
    results_are_shown,
    see_results,
    start_comparing,
    text_of,
    try_example,
)
from playwright.sync_api import expect

ANSWERS = ("first", "second", "second", "tie", "first", "first", "second", "first")


def mark_by_values(page):
    page.get_by_role("spinbutton", name="Water temperature, exact").fill("94")
    expect(page.locator("#preview")).to_contain_text("94")
    page.locator("#know-preview").click()


def mark_a_suggestion(page):
    page.get_by_role("tab", name="Suggestions").click()
    page.locator("#proposals .card").nth(1).get_by_role("button", name="Yes").click()


def mark_from_the_list(page):
    page.get_by_role("searchbox", name="Search").fill("aspir")
    expect(page.locator("#found")).to_have_text("1 item.")
    page.get_by_role("button", name="I know this one well: Aspirin").click()


@pytest.mark.parametrize(
    ("title", "mark"),
    [(COFFEE, mark_by_values), (POSTER, mark_a_suggestion), (MOLECULES, mark_from_the_list)],
    ids=["coffee", "poster", "molecules"],
)
def test_an_example_from_new_to_report(home, visitor, tmp_path, title, mark):
    someone = visitor(accept_downloads=True)
    page = someone.open(home)
    try_example(page, title)
    mark(page)
    expect(page.locator("#marked-words")).to_have_text("1 anchor.")
    expect(page.locator("#map .main-svg").first).to_be_visible()
    expect(page.locator("#map-words")).not_to_contain_text("Nothing is marked")

    start_comparing(page)
    expect(page.locator("#question")).to_contain_text("?")
    for outcome in ANSWERS:
        choose(page, outcome)
    expect(page.locator("#progress")).to_contain_text(f"{len(ANSWERS)} comparisons so far")

    see_results(page)
    check_results(page, title)
    comment_and_undo(page)
    recommended = text_of(page, "#best-card .card-title, #best-card dd")
    with page.expect_download() as download:
        page.get_by_role("link", name="Report (HTML)").click()
    path = tmp_path / "report.html"
    download.value.save_as(path)
    check_report(visitor(), path, title, recommended)


def check_results(page, title):
    expect(page.locator("#best-sentence")).to_contain_text("with 90 % probability")
    expect(page.locator("#best-facts")).to_contain_text(f"Comparisons {len(ANSWERS)}", use_inner_text=True)
    expect(page.locator("#map .main-svg").first).to_be_visible()
    expect(page.locator("#gain .main-svg").first).to_be_visible()
    if title == MOLECULES:
        expect(page.locator("#items tbody tr").first).to_be_visible()
        page.get_by_role("searchbox", name="Find").fill("aspirin")
        expect(page.locator("#items tbody tr")).to_have_count(1)
        expect(page.locator("#items tbody tr")).to_contain_text("anchor")
    else:
        expect(page.locator("#slices .main-svg").last).to_be_visible()
        axis = page.locator("#axis-x")
        with page.expect_response(re.compile("/map")):  # choosing what is chosen already would ask for nothing
            axis.select_option(index=3 if axis.evaluate("axis => axis.selectedIndex") != 3 else 2)
    for quantity in ("Uncertainty", "Noise", "Reliability"):
        page.get_by_role("radio", name=quantity).check()
        expect(page.locator("#map-words")).to_contain_text("Colour is")
    with page.expect_response(re.compile("risk_weight=0")):
        page.locator("#risk").fill("0")
    expect(page.locator("#risk-words")).to_contain_text("Only utility counts")
    for name in ("Report (HTML)", "Study (JSON)"):
        expect(page.get_by_role("link", name=name)).to_have_attribute("href", re.compile("[?&]risk_weight=0$"))


def comment_and_undo(page):
    newest = page.locator("#history tbody tr").first
    expect(newest).to_contain_text("A preferred")
    newest.get_by_role("button", name="Comment on entry").click()
    newest.get_by_role("textbox").fill("Not sure <b>about</b> this one")
    newest.get_by_role("button", name="Save").click()
    expect(newest.locator("q")).to_have_text("Not sure <b>about</b> this one")
    page.get_by_role("button", name="Undo the last entry").click()
    expect(newest).to_contain_text("taken back")
    expect(page.locator("#best-facts")).to_contain_text(f"Comparisons {len(ANSWERS) - 1}", use_inner_text=True)
    page.reload()
    results_are_shown(page)
    expect(newest).to_contain_text("taken back")


def check_report(reader, path, title, recommended):
    assert recommended
    source = path.read_text("utf-8")
    assert "<script" not in source.lower()
    page = reader.open(path.as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)
    assert page.locator("script, iframe, object, link[rel=stylesheet]").count() == 0
    assert page.locator("[src^=http], [href^='http:'], [onclick], [onload]").count() == 0
    expect(page.get_by_role("img", name=re.compile("^Utility .*, with 90 % probability from"))).to_be_visible()
    words = " ".join(page.locator("body").inner_text().split())
    assert [value for value in recommended if value not in words] == []
    assert "Not sure <b>about</b> this one" in words
