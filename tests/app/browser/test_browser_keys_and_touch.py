"""A whole study without a mouse, and one on a phone."""

import re

from browsing import COFFEE, PHONE, TIMEOUT, cards_are_shown, choose, results_are_shown, shown_cards
from playwright.sync_api import TimeoutError, expect


def focus_is_seen(page):
    try:
        page.wait_for_function("() => window.focusTrouble() === ''", timeout=TIMEOUT / 6)
    except TimeoutError:
        assert page.evaluate("window.focusTrouble()") == ""


def tab_to(page, locator, key="Tab", most=60):
    for _ in range(most):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
        focus_is_seen(page)
    raise AssertionError(f"{locator} is not among the {most} next stops of {key}")


def test_a_study_with_the_keyboard_alone(home, visitor):
    page = visitor().open(home)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    focus_is_seen(page)
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="New study").locator("visible=true").last)
    page.keyboard.press("Enter")
    page.wait_for_url("**/new")

    tab_to(page, page.get_by_role("tab", name="Describe it"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="An example")).to_be_focused()
    use = page.get_by_role("button", name=re.compile(f"Use this example.*{COFFEE}"))
    expect(use).to_be_visible()
    tab_to(page, use)
    page.keyboard.press("Enter")
    page.wait_for_url("**/anchors")

    know = page.locator("#know-preview")
    expect(page.locator("#preview dl")).to_be_visible()
    tab_to(page, page.locator("#control-0"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#preview")).to_contain_text("91.5")
    tab_to(page, know)
    page.keyboard.press("Space")
    expect(know).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#marked-words")).to_have_text("1 anchor.")
    expect(know).to_be_focused()
    start = page.locator(".onward a")
    expect(start).to_be_visible()
    tab_to(page, start)
    page.keyboard.press("Enter")
    page.wait_for_url("**/duel")
    compare_with_keys(page)

    tab_to(page, page.get_by_role("link", name="Results", exact=True), "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/results")
    results_are_shown(page)
    outcomes = [text.strip() for text in page.locator("#history .outcome").all_inner_texts() if text.strip()]
    assert outcomes == [
        "A preferred", "B preferred", "equal", "skipped", "equal", "B preferred", "A preferred"
    ]  # fmt: skip
    expect(page.locator("#history tbody tr").nth(1)).to_contain_text("taken back")
    tab_to(page, page.locator("#risk"))
    page.keyboard.press("ArrowRight")
    tab_to(page, page.locator("#undo"))
    page.keyboard.press("Enter")
    expect(page.locator("#history tbody tr").first).to_contain_text("taken back")
    expect(page.locator("#undo")).to_be_focused()
    focus_is_seen(page)


def compare_with_keys(page):
    choose(page, key="ArrowLeft")
    choose(page, key="ArrowRight")
    choose(page, key="t")
    choose(page, key="s")
    choose(page, key="ArrowDown")
    choose(page, key="2")
    expect(page.locator("#progress")).to_contain_text("5 comparisons so far")
    before = page.locator("#pair").inner_text()
    count = shown_cards(page)
    page.keyboard.press("u")
    expect(page.locator("#progress")).to_contain_text("4 comparisons so far")
    cards_are_shown(page, count + 1)
    assert page.locator("#pair").inner_text() != before

    # The help says what the keys do, and they do nothing while it is open.
    tab_to(page, page.locator("#skip"))
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="How to compare")
    expect(dialog).to_be_visible()
    focus_is_seen(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#skip")).to_be_focused()
    expect(page.locator("#progress")).to_contain_text("4 comparisons so far")

    # Keys can be switched off, and then Tab and Enter still do.
    page.keyboard.press("?")
    tab_to(page, page.get_by_label("Answer with these keys"))
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    cards_are_shown(page)
    count = shown_cards(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("t")
    expect(page.locator("#pair")).not_to_have_attribute("aria-busy", "true")
    assert shown_cards(page) == count
    tab_to(page, page.locator("#first"), "Shift+Tab")
    choose(page, key="Enter")
    expect(page.locator("#first")).to_be_focused()
    expect(page.locator("#progress")).to_contain_text("5 comparisons so far")


def test_a_study_on_a_phone(home, site, visitor):
    someone = visitor(**PHONE)
    someone.allow("status of 404")
    page = someone.open(home)
    fits(page)
    page.get_by_role("button", name=re.compile(f"Try it.*{COFFEE}")).tap()
    page.wait_for_url("**/anchors")
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.locator("#know-preview").tap()
    expect(page.locator("#marked .card")).to_be_visible()
    fits(page)
    page.get_by_role("tab", name="Suggestions").tap()
    expect(page.locator("#proposals .card").first).to_be_visible()
    fits(page)
    page.locator(".lead").get_by_role("link", name="Start comparing").tap()
    page.wait_for_url("**/duel")
    cards_are_shown(page)
    fits(page)
    # Both cards and the answers are there without scrolling.
    for name in ("first", "second", "tie", "skip"):
        box = page.locator(f"#{name}").bounding_box()
        assert box["y"] < 844
        assert box["height"] >= 44
        assert box["width"] >= 44
    for outcome in ("first", "second", "tie", "first", "skip", "second"):
        choose(page, outcome, touch=True)
        fits(page)
    page.locator("#help").tap()
    fits(page)
    page.get_by_role("button", name="Close").tap()
    page.get_by_role("link", name="Results", exact=True).tap()
    page.wait_for_url("**/results")
    results_are_shown(page)
    expect(page.locator("#gain .main-svg, #gain-words").first).to_be_visible()
    fits(page)
    page.get_by_role("link", name="People").tap()
    page.wait_for_url("**/people")
    page.get_by_label("Name", exact=True).fill("Maximiliane Katharina von der Weiden-Ahrensburg")
    page.get_by_role("button", name="Invite").tap()
    expect(page.locator("#people li")).to_have_count(2)
    fits(page)

    for key in ("poster", "molecules"):
        study = site.post(f"/api/examples/{key}")["id"]
        page.goto(f"{home}/studies/{study}/duel")
        choose(page, "second", touch=True)
        fits(page)
        for name in ("results", "anchors"):
            page.goto(f"{home}/studies/{study}/{name}")
            expect(page.locator("#map .main-svg").first).to_be_visible()
            fits(page)
    page.goto(f"{home}/new")
    for tab in ("Describe it", "Use a table", "An example"):
        page.get_by_role("tab", name=tab).tap()
        fits(page)
    # Nor is a tab cut off on a narrow one.
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.locator(".ways").evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth")
    page.set_viewport_size(PHONE["viewport"])
    for path in ("/", "/login", "/studies/none/duel"):
        page.goto(home + path)
        fits(page)


def fits(page):
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["viewport"]["width"], f"{page.url} is {wide} wide"
