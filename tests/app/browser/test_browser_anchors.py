"""Anchors in the browser: marked beside the cards of a duel, and named."""

import pytest
from browsing import (
    COFFEE,
    MOLECULES,
    cards_are_shown,
    choose,
    shown_cards,
    start_comparing,
    text_of,
    try_example,
    violations,
)
from playwright.sync_api import expect


def marked(page, home, study):
    return page.request.get(f"{home}/api/studies/{study}/anchors").json()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_design_of_the_pair_is_marked_without_losing_the_pair(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(home)
    study = try_example(page, COFFEE)
    start_comparing(page)
    choose(page)
    cards_are_shown(page)
    # The first pairs are pairs of anchors: one card is unmarked, so that it can be marked.
    know = page.locator("#first-know")
    before, count, pair = marked(page, home, study), shown_cards(page), text_of(page, ".choice")
    was = know.get_attribute("aria-pressed")
    know.click()
    expect(know).to_have_attribute("aria-pressed", "false" if was == "true" else "true")
    words = "A is no longer marked as well known." if was == "true" else "A is marked as well known."
    expect(page.locator("#toast")).to_have_text(words)
    assert len(marked(page, home, study)["anchors"]) == len(before["anchors"]) + (-1 if was == "true" else 1)
    assert (shown_cards(page), text_of(page, ".choice")) == (count, pair)
    assert violations(page) == []
    page.keyboard.press("j")
    expect(know).to_have_attribute("aria-pressed", was)
    choose(page, "second")
    assert [event["outcome"] for event in page.request.get(f"{home}/api/studies/{study}/history").json()
            if event["type"] == "answered"] == ["first", "second"]  # fmt: skip


def test_a_mark_that_is_the_last_event_is_unmarked_by_undo(home, visitor):
    page = visitor().open(home)
    study = try_example(page, COFFEE)
    for one in marked(page, home, study)["anchors"]:
        page.request.delete(f"{home}/api/studies/{study}/anchors", data={"design": one["design"]})
    page.goto(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    know = page.locator("#second-know")
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    for take_back in (lambda: page.keyboard.press("u"), lambda: page.keyboard.press("k")):
        page.keyboard.press("k")
        expect(know).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#undo")).to_have_attribute("aria-disabled", "false")
        expect(page.locator("#toast")).to_have_text("B is marked as well known.")
        take_back()
        expect(know).to_have_attribute("aria-pressed", "false")
        expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")
        cards_are_shown(page)
    types = [event["type"] for event in page.request.get(f"{home}/api/studies/{study}/history").json()]
    assert types[-4:] == ["anchor_added", "undone"] * 2
    page.locator("#help").click()
    expect(page.get_by_role("row", name="Mark A or B as well known, or unmark it")).to_be_visible()


def test_an_answer_after_a_mark_counts_and_both_are_taken_back_in_turn(home, visitor):
    page = visitor().open(home)
    study = try_example(page, COFFEE)
    for one in marked(page, home, study)["anchors"]:
        page.request.delete(f"{home}/api/studies/{study}/anchors", data={"design": one["design"]})
    page.goto(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    pair, count = text_of(page, ".choice"), shown_cards(page)
    page.keyboard.press("j")
    page.keyboard.press("b")  # at once: the answer waits for the mark
    cards_are_shown(page, count + 1)
    types = [event["type"] for event in page.request.get(f"{home}/api/studies/{study}/history").json()]
    assert types[-3:] == ["anchor_added", "answered", "asked"]
    page.keyboard.press("u")
    cards_are_shown(page, count + 2)
    assert text_of(page, ".choice") == pair
    expect(page.locator("#first-know")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("u")
    expect(page.locator("#first-know")).to_have_attribute("aria-pressed", "false")
    assert text_of(page, ".choice") == pair
    assert marked(page, home, study)["anchors"] == []


def test_an_anchor_of_another_tab_shows_on_the_pair(home, visitor):
    someone = visitor()
    page = someone.open(home)
    study = try_example(page, COFFEE)
    page.goto(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    know = page.locator("#first-know")
    was = know.get_attribute("aria-pressed")
    other = someone.open(f"{home}/studies/{study}/duel")
    cards_are_shown(other)
    other.locator("#first-know").click()
    expect(know).to_have_attribute("aria-pressed", "false" if was == "true" else "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_anchor_is_named_when_it_is_marked_and_renamed(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(home)
    study = try_example(page, COFFEE)
    before = [one["design"] for one in marked(page, home, study)["anchors"]]
    know = page.locator("#know-preview")
    expect(know).to_be_enabled()
    if know.get_attribute("aria-pressed") == "true":
        know.click()
        expect(know).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Name (optional)", exact=True).fill("my <usual>")
    know.click()
    expect(page.locator("#toast")).to_have_text("Anchor added.")
    expect(page.locator("#new-name")).to_have_value("")
    fields = page.locator("#marked input")
    named = [one for one in marked(page, home, study)["anchors"] if one["name"] is not None]
    assert [one["name"] for one in named] == ["my <usual>"]
    expect(page.locator("#through")).to_contain_text("my <usual>")
    field = fields.nth(0)
    longest = "A" * 60
    field.fill(longest)
    field.press("Enter")
    expect(page.locator("#toast")).to_have_text(f"Named “{longest}”.")
    expect(field).to_be_focused()
    assert longest in [one["name"] for one in marked(page, home, study)["anchors"]]
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")  # once the map has its new size
    assert len(before) <= fields.count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_suggestions_are_answered_by_yes_no_or_not_sure(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(home)
    study = try_example(page, COFFEE)
    for one in marked(page, home, study)["anchors"]:
        page.request.delete(f"{home}/api/studies/{study}/anchors", data={"design": one["design"]})
    expect(page.locator("#marked .card")).to_have_count(0)
    page.locator("#tab-proposals").click()
    cards = page.locator("#proposals .card")
    expect(cards).to_have_count(6)
    expect(cards.nth(0)).to_contain_text("One of a few designs that cover the space")
    expect(cards.nth(0)).to_contain_text("about the best one")
    answers = {"Yes": "Anchor added.", "No": "Marked as hard to judge.", "Not sure": "Marked as not sure."}
    for n, (answer, words) in enumerate(answers.items()):
        button = cards.nth(n).get_by_role("button", name=answer, exact=True)
        button.click()
        expect(page.locator("#toast")).to_have_text(words)
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#marked-words")).to_have_text("1 anchor. 1 you cannot judge well. 1 you are not sure about.")
    expect(page.locator("#marked .number")).to_have_text(["Anchor 1", "Hard to judge", "Not sure"])
    expect(page.locator("#map-words")).to_contain_text("Crosses are designs that are hard for you to judge.")
    expect(page.locator("#map .legendtext").filter(has_text="hard to judge")).to_be_visible()
    expect(page.locator("#through option")).to_have_text(["The values set", "Anchor 1", "Hard to judge"])
    expect(page.locator("#through option:checked")).to_have_text("Hard to judge")  # the newest one
    assert [one["judgement"] for one in marked(page, home, study)["anchors"]] == ["yes", "no", "unsure"]
    # Another answer replaces the first, and the same again takes it back.
    group = cards.nth(1)
    group.get_by_role("button", name="Yes").click()
    expect(group.get_by_role("button", name="No", exact=True)).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#marked-words")).to_have_text("2 anchors. 1 you are not sure about.")
    group.get_by_role("button", name="Yes").click()
    expect(page.locator("#toast")).to_have_text("Anchor removed.")
    expect(page.locator("#marked-words")).to_have_text("1 anchor. 1 you are not sure about.")
    page.locator("#more-proposals").click()
    expect(cards).to_have_count(12)
    assert violations(page) == []
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        button = cards.nth(0).get_by_role("button", name="Not sure")
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth")


def click_on_the_map(page, x, y):
    """Click at shares of the width and the height of the plot's area."""
    area = page.locator("#map .draglayer .nsewdrag").first.bounding_box()
    page.mouse.click(area["x"] + x * area["width"], area["y"] + y * area["height"])


def test_a_click_on_the_map_sets_the_values_there(home, visitor):
    page = visitor().open(home)
    study = try_example(page, COFFEE)
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.locator("#through").select_option("controls")
    before = page.locator("#preview").inner_text()
    page.locator("#tab-proposals").click()
    click_on_the_map(page, 0.03, 0.03)
    expect(page.locator("#panel-controls")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("84 °C")
    expect(page.locator("#preview")).to_contain_text("22 g")
    assert page.locator("#preview").inner_text() != before
    known = page.locator("#know-preview")
    expect(known).to_have_attribute("aria-pressed", "false")
    count = len(marked(page, home, study)["anchors"])
    known.click()
    expect(page.locator("#toast")).to_have_text("Anchor added.")
    anchors = marked(page, home, study)["anchors"]
    assert len(anchors) == count + 1
    assert (anchors[-1]["design"]["temperature"], anchors[-1]["design"]["dose"]) == (84.0, 22.0)
    assert violations(page) == []


def test_a_click_on_an_item_of_the_map_shows_its_card(home, visitor):
    page = visitor().open(home)
    try_example(page, MOLECULES)
    expect(page.locator("#map .main-svg").first).to_be_visible()
    expect(page.locator("#items .card")).to_have_count(12)
    place = page.locator("#map .scatterlayer .trace").first.locator(".point").last.bounding_box()
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page.locator("#items .card")).to_have_count(1)
    expect(page.locator("#found")).to_have_text("1 item.")
    expect(page.locator("#items .card")).to_contain_text(page.locator("#search").input_value())
