"""Comparing without a network: what is kept, taken back, warned about and sent later.

`test_browser_never_lost` has the same with reloads, other tabs and restarts of the server.
"""

import re

import pytest
from answering import (
    KEPT,
    OFFLINE,
    TAKEN_BACK,
    answer_in_vain,
    answers,
    go_offline,
    lose_response,
    open_duel,
    progress_is,
    try_again,
    wait_until,
)
from browsing import cards_are_shown, choose, shown_cards
from playwright.sync_api import expect

from support.server_process import STUDY


@pytest.fixture
def study(site):
    return site.post("/api/studies", STUDY)["id"]


@pytest.fixture
def page(home, study, visitor):
    return open_duel(visitor(), home, study)


@pytest.mark.parametrize("how", ["button", "key"])
def test_an_answer_that_waits_is_taken_back_by_undo(page, site, study, how):
    go_offline(page)
    answer_in_vain(page, "first")
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "false")
    if how == "button":
        page.locator("#undo").click()
    else:
        page.keyboard.press("u")
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#first")).not_to_have_class(re.compile("chosen"))
    page.wait_for_timeout(300)
    answer_in_vain(page, "second")
    page.context.set_offline(False)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])


@pytest.mark.parametrize("then", ["nothing", "another answer"])
def test_undo_takes_back_an_answer_that_arrived_although_nobody_heard(page, site, study, then):
    choose(page, "tie")
    page.route("**/answers", lose_response)
    answer_in_vain(page, "first")
    page.keyboard.press("u")
    expect(page.locator("#trouble")).to_be_hidden()
    page.unroute("**/answers")
    if then == "nothing":
        try_again(page)
    else:
        page.wait_for_timeout(300)
        choose(page, "second")
    wanted = ["tie"] if then == "nothing" else ["tie", "second"]
    wait_until(page, lambda: answers(site, study) == (wanted, ["first"]))
    progress_is(page, len(wanted))


@pytest.mark.parametrize("arrives", [False, True])
def test_undo_aborts_an_answer_on_its_way(page, site, study, arrives):
    held, failed = [], []

    def hold(route):  # neither sent nor refused
        held.append(route)

    page.on("requestfailed", lambda request: failed.append(request.url))
    page.route("**/answers", hold)
    page.locator("#first").click()
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "false")
    page.wait_for_timeout(500)
    page.keyboard.press("u")
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    wait_until(page, lambda: failed)
    assert [url.rsplit("/", 1)[-1] for url in failed] == ["answers"]
    page.unroute("**/answers")
    if arrives:  # the server had read it all the same
        page.wait_for_timeout(500)
        site.post(f"/api/studies/{study}/answers", held[0].request.post_data_json)
        wait_until(page, lambda: answers(site, study) == ([], ["first"]))
    cards_are_shown(page)
    page.wait_for_timeout(300)
    choose(page, "second")
    progress_is(page, 1)
    assert answers(site, study) == (["second"], ["first"] if arrives else [])


def test_leaving_with_an_answer_that_waits_asks_first(page, home, site, study):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    choose(page, "first")
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "second")
    page.get_by_role("link", name="Results", exact=True).click()
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    assert page.url == f"{home}/studies/{study}/duel"
    # When it is sent or taken back nothing is in the way.
    page.unroute("**/answers")
    progress_is(page, 2)
    page.get_by_role("link", name="Results", exact=True).click()
    page.wait_for_url("**/results")
    assert asked == ["beforeunload"]
    assert answers(site, study) == (["first", "second"], [])


def test_the_page_tries_again_less_and_less_often(page, site, study):
    attempts = []
    page.route("**/answers", lambda route: route.fulfill(status=503, json={"detail": "the database is away"}))
    page.on("request", lambda request: attempts.append(request.url) if request.url.endswith("/answers") else None)
    page.locator("#first").click()
    expect(page.get_by_role("alert")).to_contain_text(KEPT)
    page.wait_for_timeout(9_000)
    # About 1, 2 and 4 seconds apart, give or take a quarter; a busy machine may be later and so have fewer.
    assert 2 <= len(attempts) <= 5
    page.unroute("**/answers")
    try_again(page)
    progress_is(page, 1)
    assert answers(site, study) == (["first"], [])


def test_the_page_goes_on_at_once_when_the_network_returns(page, site, study):
    page.evaluate("Math.random = () => 1e6")  # no attempt of its own within days
    go_offline(page)
    answer_in_vain(page, "second")
    count = shown_cards(page)
    page.context.set_offline(False)
    cards_are_shown(page, count + 1)
    assert answers(site, study) == (["second"], [])


def test_a_first_pair_that_cannot_be_had_comes_when_the_server_is_back(home, study, visitor):
    someone = visitor()
    someone.allow(OFFLINE)
    page = someone.context.new_page()
    page.route("**/ask", lambda route: route.abort())
    page.goto(f"{home}/studies/{study}/duel")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/ask")
    cards_are_shown(page)
    expect(page.locator("#trouble")).to_be_hidden()
