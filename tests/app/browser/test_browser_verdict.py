"""The verdict on the Results page: when to stop, what it rests on, and answers to compare again."""

import pytest
from browsing import cards_are_shown, choose, results_are_shown, see_results, text_of, violations
from playwright.sync_api import expect
from test_browser_cards import real, study_of

CLEAR = "winner.heat,loser.heat\n" + "90,20\n" * 6
OPPOSITE = CLEAR + "20,90\n"


def open_results(home, someone, study, table):
    """Import comparisons and open the results."""
    page, address = someone.open(home), f"{home}/api/studies/{study}/comparisons"
    assert page.request.post(address, data=table, headers={"Content-Type": "text/csv"}).ok
    page.goto(f"{home}/studies/{study}/results")
    results_are_shown(page)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_contradicting_answer_is_named_and_compared_again(home, site, visitor, scheme):
    study = study_of(site, real("heat", low=0, high=100))
    page = open_results(home, visitor(color_scheme=scheme), study, OPPOSITE)
    assert text_of(page, "#verdict-evidence") == ["Your other answers predict 6 of your last 7 choices."]
    (row,) = text_of(page, "#contradictions li")
    assert row.startswith("heat 20 over heat 90 Your other answers give this answer a probability of")
    assert violations(page) == []
    page.get_by_role("button", name="Compare again").click()
    page.wait_for_url("**/duel*")
    cards_are_shown(page)
    assert "90" in text_of(page, "#first")[0]
    assert "20" in text_of(page, "#second")[0]
    expect(page.get_by_text("You compared these two before")).to_be_visible()
    (said,) = text_of(page, "#progress")
    see_results(page)
    (sentence,) = text_of(page, "#verdict-sentence")
    assert said.endswith(sentence.removeprefix("Keep going. "))


def test_consistent_answers_have_nothing_to_compare_again(home, site, visitor):
    study = study_of(site, real("heat", low=0, high=100))
    page = open_results(home, visitor(), study, CLEAR)
    assert text_of(page, "#verdict-evidence") == ["Your other answers predict 6 of your last 6 choices."]
    expect(page.get_by_role("heading", name="Answers that contradict the others")).to_be_hidden()


def test_the_sections_of_the_page_are_linked(home, site, visitor):
    study = study_of(site, real("heat", low=0, high=100), real("dose", low=0, high=10))
    page = visitor().open(f"{home}/studies/{study}/duel")
    choose(page)
    see_results(page)
    names = text_of(page, "#sections a")
    assert names[:3] == ["Verdict", "Recommended", "Other candidates"]
    assert names == [text for text in text_of(page, "#results section[id]:visible h2") if text]
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.locator("#history-title")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_findings_about_the_answers_open_their_figures(home, site, visitor, scheme):
    study = study_of(site, real("heat", low=0, high=100))
    rows = [f"{10 + k % 9},{90 - k % 7}" for k in range(24)]
    page = open_results(home, visitor(color_scheme=scheme), study, "winner.heat,loser.heat\n" + "\n".join(rows))
    expect(page.locator("#trust")).to_have_attribute("aria-busy", "false")
    found = page.request.get(f"{home}/api/studies/{study}/audit").json()
    assert text_of(page, "#trust-sentence") == [found["sentence"]]
    assert text_of(page, "#trust-findings .level") == [one["level_text"] for one in found["findings"]]
    assert text_of(page, "#trust-findings p") == [one["sentence"] for one in found["findings"]]
    drift = page.locator("#trust-findings li[data-name=drift]")
    expect(drift.locator(".main-svg")).to_have_count(0)
    drift.locator("summary").click()
    expect(drift.locator(".main-svg").first).to_be_visible()
    expect(drift.get_by_role("figure")).to_have_attribute("aria-label", found["findings"][5]["sentence"])
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_verdict_on_the_anchors_and_a_question_that_checks_them(home, site, visitor, scheme):
    study = study_of(site, real("heat", low=0, high=100))
    page = visitor(color_scheme=scheme).open(home)
    url = f"{home}/api/studies/{study}"
    assert page.request.post(f"{url}/anchors", data={"design": {"heat": 85}}).ok
    page = open_results(home, visitor(color_scheme=scheme), study, OPPOSITE)
    expect(page.locator("#trust")).to_have_attribute("aria-busy", "false")
    found = page.request.get(f"{url}/anchors/validation").json()
    assert found["retest"]["retests"] == 6
    more = f"{found['explanation']} {found['advice']}"
    assert text_of(page, "#validation h3") == ["Are my anchors right?", "Repeated pairs"]
    paragraphs = text_of(page, "#validation > p:not(:has(button))")
    assert paragraphs == [found["sentence"], more, found["retest"]["sentence"]]
    figures = page.locator("#validation .finding-figure")
    expect(page.locator("#validation .main-svg")).to_have_count(0)
    for place in (0, 1):
        page.locator("#validation summary").nth(place).click()
        expect(figures.nth(place).locator(".main-svg").first).to_be_visible()
    assert violations(page) == []
    page.goto(f"{home}/studies/{study}/anchors")
    expect(page.locator("#validation p")).to_have_text(found["sentence"])
    assert violations(page) == []
    page.get_by_role("button", name="Check my anchors").click()
    page.wait_for_url("**/duel?checks*")
    cards_are_shown(page)
    expect(page.get_by_text("This question checks your anchors")).to_be_visible()
    expect(page.get_by_text("Check 1 of 10", exact=True)).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Stop checking").click()
    expect(page.get_by_role("heading", name="Are my anchors right?")).to_be_focused()
    expect(page.locator("#check-sentence")).to_have_text(found["sentence"])
    expect(page.locator("#pair")).to_be_hidden()
    assert violations(page) == []


def test_a_series_of_checks_ends_after_ten_or_when_the_verdict_is_clear(home, site, visitor):
    study, verdicts = study_of(site, real("heat", low=0, high=100)), {"verdict": "open"}
    page = visitor().open(home)
    assert page.request.post(f"{home}/api/studies/{study}/anchors", data={"design": {"heat": 85}}).ok
    page = open_results(home, visitor(), study, OPPOSITE)
    page.route("**/anchors/validation*", lambda route: route.fulfill(json=route.fetch().json() | verdicts))
    page.goto(f"{home}/studies/{study}/anchors")
    button, heading = page.get_by_role("button", name="Check my anchors"), page.locator("#check-title")
    button.focus()
    page.keyboard.press("Enter")
    for number in range(1, 11):
        expect(page.locator("#progress")).to_have_text(f"Check {number} of 10")
        cards_are_shown(page, number)
        page.keyboard.press("ArrowLeft")
    expect(heading).to_be_focused()
    expect(page.locator("#progress")).to_have_text("You answered all 10 checks.")
    for name in ("first", "second", "tie", "skip"):
        expect(page.locator(f"#{name}")).to_be_hidden()

    page.keyboard.press("u")
    expect(page.locator("#progress")).to_have_text("Check 10 of 10")
    expect(heading).to_be_hidden()
    cards_are_shown(page, 11)
    page.keyboard.press("ArrowRight")
    expect(heading).to_be_focused()

    page.get_by_role("button", name="Check more").click()
    cards_are_shown(page, 12)
    expect(page.locator("#progress")).to_have_text("Check 1 of 10")
    expect(page.locator("#first")).to_be_focused()
    verdicts["verdict"] = "supported"
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#progress")).to_have_text("The verdict is clear after 1 check.")
    page.reload()
    expect(page.locator("#progress")).to_have_text("The verdict is clear after 1 check.")

    page.get_by_role("link", name="Go on comparing").click()
    cards_are_shown(page)
    expect(page.locator("#progress")).to_contain_text("18 comparisons so far.")
    expect(page.get_by_role("button", name="Stop checking")).to_be_hidden()


def test_without_anchors_only_the_repeats_are_shown(home, site, visitor):
    study = study_of(site, real("heat", low=0, high=100))
    page = open_results(home, visitor(), study, OPPOSITE)
    expect(page.locator("#trust")).to_have_attribute("aria-busy", "false")
    assert text_of(page, "#validation h3") == ["Repeated pairs"]
