"""Several people: their links, their parts of a study, and the owner who sees all."""

import pytest
from browsing import (
    TOKEN,
    cards_are_shown,
    choose,
    invite,
    results_are_shown,
    see_results,
    start_comparing,
    text_of,
)
from playwright.sync_api import expect

from support.server_process import STUDY


def test_a_participant_sees_their_part_and_the_owner_both(locked, visitor):
    home = f"http://127.0.0.1:{locked.port}"
    # The link that the server prints signs in by itself.
    quick = visitor().open(f"{home}/login#token={TOKEN}")
    expect(quick).to_have_url(f"{home}/")
    expect(quick.get_by_role("heading", level=1)).to_have_text("Studies")
    study = locked.post("/api/studies", STUDY)["id"]
    owner = visitor()
    owner.allow("status of 401")
    page = owner.open(home)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_label("Link or token").fill("something else than the token")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("That is not the token")
    page.get_by_label("Link or token").fill(f"{home}/login#token={TOKEN}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Tea", exact=True).click()
    start = page.get_by_role("link", name="Compare", exact=True)
    start.click()
    for outcome in ("first", "second", "first", "first", "second"):
        choose(page, outcome)
    page.get_by_role("link", name="People").click()
    link = invite(page, "Ana")
    assert link.startswith(home)
    for name in ("Ana", "owner"):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Invite").click()
        expect(page.get_by_text(f"{name} takes part already.")).to_be_visible()
    expect(page.locator("#people li")).to_have_count(2)

    ana = visitor()
    ana.allow("status of 403")
    hers = ana.open(link)
    expect(hers).to_have_url(f"{home}/studies/{study}/welcome")
    expect(hers.get_by_role("heading", name="Welcome, Ana")).to_be_visible()
    hers.get_by_role("link", name="Start").click()
    expect(hers).to_have_url(f"{home}/studies/{study}/anchors")
    expect(hers.locator(".who")).to_have_text("for Ana")
    assert text_of(hers, "nav a") == ["Anchors", "Compare", "Results"]
    hers.locator("#know-preview").click()
    expect(hers.locator("#marked .card")).to_have_count(1)
    start_comparing(hers)
    expect(hers.locator("#progress")).to_contain_text("0 comparisons so far")
    for outcome in ("second", "second", "first", "second", "first"):
        choose(hers, outcome)
    see_results(hers)
    expect(hers.get_by_role("link", name="Report (HTML)")).to_be_visible()
    assert hers.get_by_role("link", name="Study (JSON)").count() == 0
    hers.goto(home)
    expect(hers).to_have_url(f"{home}/studies/{study}/duel")
    for path in ("/new", f"/studies/{study}/people", f"/studies/{study}/results?as=owner", "/studies/other/duel"):
        hers.goto(home + path)
        expect(hers.get_by_role("heading", level=1)).not_to_have_text("Tea")
        expect(hers.get_by_role("main")).to_contain_text("ask")
    assert hers.request.get(f"{home}/api/studies/{study}/export").status == 403

    page.reload()
    expect(page.locator("#people li").last).to_contain_text("5 answers, 1 anchor")
    expect(page.locator("#matrix td.heat")).to_have_count(2)
    expect(page.locator("#agreement-words")).to_contain_text("agree")
    assert text_of(page, "#opinions h3") == ["All together", "You (owner)", "Ana"]
    page.get_by_role("link", name="Results of Ana").click()
    results_are_shown(page)
    expect(page.locator(".who")).to_have_text("for Ana")
    expect(page.locator("#best-facts")).to_contain_text("Comparisons 5", use_inner_text=True)
    # A link that was tampered with opens nothing.
    stranger = visitor()
    stranger.allow("status of 40[13]")
    theirs = stranger.open(f"{link[:-4]}0000")
    expect(theirs.get_by_role("main")).to_contain_text("This link is not valid")
    theirs.goto(f"{home}/studies/{study}/results")
    expect(theirs.get_by_role("button", name="Sign in")).to_be_visible()
    # Nor does one that was replaced; and who was removed is not let in by any.
    page.goto(f"{home}/studies/{study}/people")
    page.get_by_role("button", name="New link for Ana").click()
    page.get_by_role("button", name="Make a new link").click()
    expect(page.locator("#toast")).to_contain_text("Ana has a new link")
    expect(page.get_by_label("Link for Ana", exact=True)).not_to_have_value(link)
    hers.goto(f"{home}/studies/{study}/duel")
    expect(hers.get_by_role("main")).to_contain_text("no longer valid")
    hers.goto(page.get_by_label("Link for Ana", exact=True).input_value())
    expect(hers).to_have_url(f"{home}/studies/{study}/duel")  # she has begun
    cards_are_shown(hers)
    page.get_by_role("button", name="Remove Ana").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#people li")).to_have_count(2)
    page.get_by_role("button", name="Remove Ana").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#people li")).to_have_count(1)
    # Her open page says so, and offers nothing that would not work.
    hers.locator("#first").click()
    expect(hers.locator("#trouble")).to_contain_text("no longer valid; ask the owner of the study for a new one.")
    for name in ("retry", "first", "second", "tie", "skip"):
        expect(hers.locator(f"#{name}")).to_be_hidden()
    expect(hers.locator("#undo")).to_have_attribute("aria-disabled", "true")
    hers.goto(f"{home}/studies/{study}/duel")
    expect(hers.get_by_role("main")).to_contain_text("no longer valid")


@pytest.mark.parametrize("how", ["with the token", "with the printed link", "by the printed link"])
def test_signing_in_leads_to_the_page_that_was_opened(locked, visitor, how):
    home = f"http://127.0.0.1:{locked.port}"
    study = locked.post("/api/studies", STUDY)["id"]
    owner = visitor()
    owner.allow("status of 401")
    page = owner.open(f"{home}/studies/{study}/duel?as=owner")
    expect(page.get_by_role("main")).to_contain_text("Open the link that the server printed, or paste it here.")
    if how == "by the printed link":  # what follows # signs in at any address
        page.goto(f"{page.url}#token={TOKEN}")
    else:
        page.get_by_label("Link or token").fill(TOKEN if how == "with the token" else f"{home}/login#token={TOKEN}")
        page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{home}/studies/{study}/duel?as=owner")
    cards_are_shown(page)


def test_a_sign_in_link_works_in_a_tab_that_asks_for_the_token(locked, visitor):
    home = f"http://127.0.0.1:{locked.port}"
    page = visitor().open(f"{home}/login")
    expect(page.get_by_label("Link or token")).to_be_visible()
    page.goto(f"{home}/login#token={TOKEN}")  # the same address but for what follows #: nothing is loaded
    expect(page).to_have_url(f"{home}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies")
