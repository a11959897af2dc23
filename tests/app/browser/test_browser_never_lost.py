"""An answer is never lost or doubled.

Each test compares what the pages say with the history and the export of the study. More tests of two of the cases:

::

    offline, undo while offline     test_browser_offline.py
    server restart under load       tests/soak/test_server_soak.py
    the rules without a browser     tests/js/answer-queue.test.js, tests/app/service/test_sessions.py
"""

import os
import signal

import pytest
from answering import (
    ELSEWHERE,
    KEPT,
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
from browsing import cards_are_shown, choose, shown_cards, text_of
from playwright.sync_api import Error, expect

from support.server_process import STUDY

SENT_LATE = "Your answer from before this page was loaded is saved."
NOT_SENT = "Your answer from before this page was loaded was not used: its pair was answered or replaced since."
NOT_TAKEN_BACK = "The answer that you took back had arrived, and another tab has gone on since: it stands."


@pytest.fixture
def study(site):
    return site.post("/api/studies", STUDY)["id"]


@pytest.fixture
def someone(visitor):
    return visitor()


@pytest.fixture
def page(home, study, someone):
    return open_duel(someone, home, study)


@pytest.fixture
def other(home, study, someone, page):
    """Another tab of the same browser."""
    return open_duel(someone, home, study)


def requests_of(page, route):
    sent = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith(f"/{route}") else None)
    return sent


def hold(page, path, arrives=False):
    """Hold the next request: it has no response, and arrives or not. Return the list that it is put into."""
    held = []

    def hold_first(route):
        if held:
            route.continue_()
            return
        held.append(route)
        if arrives:
            route.fetch()

    page.route(f"**/{path}", hold_first)
    return held


def make_deaf(page):
    """Let a page not hear what happens in another tab."""
    page.route("**/stream*", lambda route: route.abort())
    page.reload()
    cards_are_shown(page)


# -- offline -----------------------------------------------------------------------------------------------------------


def test_an_answer_given_offline_is_sent_once(page, site, study):
    choose(page, "first")
    go_offline(page)
    answer_in_vain(page, "second")
    assert answers(site, study) == (["first"], [])
    page.context.set_offline(False)
    progress_is(page, 2)
    assert answers(site, study) == (["first", "second"], [])


@pytest.mark.parametrize("reply", ["none", "half", "page of the network"])
def test_an_answer_is_confirmed_by_a_whole_response_only(page, site, study, reply):
    def respond(route):
        if reply == "page of the network":  # the answer does not arrive
            route.fulfill(content_type="text/html", body="<h1>Sign in to this network</h1>")
        elif reply == "half":
            found = route.fetch()
            route.fulfill(content_type="application/json", body=found.text()[:40])
        else:
            lose_response(route)

    page.route("**/answers", respond)
    answer_in_vain(page, "second")
    page.unroute("**/answers")
    try_again(page)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])
    choose(page, "tie")
    progress_is(page, 2)
    assert answers(site, study) == (["second", "tie"], [])


# -- reload ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["reload", "new tab"])
def test_an_answer_given_offline_outlives_its_page(home, page, someone, site, study, how):
    someone.context.route("**/*", lambda route: route.abort())
    answer_in_vain(page, "second")
    if how == "reload":
        with pytest.raises(Error, match="ERR_FAILED"):
            page.reload()
    page.close()  # also because the browser itself would load it again
    someone.context.unroute_all()
    assert answers(site, study) == ([], [])
    page = open_duel(someone, home, study)
    expect(page.locator("#toast")).to_have_text(SENT_LATE)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])
    sent = requests_of(page, "answers")
    page.reload()
    progress_is(page, 1)
    expect(page.locator("#toast")).to_be_hidden()
    assert sent == []
    assert answers(site, study) == (["second"], [])


@pytest.mark.parametrize("arrives", [False, True])
def test_an_answer_on_its_way_outlives_a_reload(page, site, study, arrives):
    held = hold(page, "answers", arrives)
    page.locator("#first").click()
    wait_until(page, lambda: held)
    page.reload()
    expect(page.locator("#toast")).to_have_text(SENT_LATE)
    progress_is(page, 1)
    assert answers(site, study) == (["first"], [])


def test_an_answer_kept_across_a_reload_waits_on_and_can_be_taken_back(page, site, study):
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "first")
    page.reload()
    expect(page.locator("#trouble-text")).to_have_text(KEPT)
    expect(page.locator("#pair")).to_be_hidden()
    page.locator("#undo").click()
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    progress_is(page, 0)
    page.unroute("**/answers")
    page.reload()
    progress_is(page, 0)
    assert answers(site, study) == ([], [])


def test_an_answer_kept_across_a_reload_yields_to_one_given_elsewhere(home, page, someone, visitor, site, study):
    someone.allow(r"status of 409 .*/answers")
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "first")
    page.close()
    choose(open_duel(visitor(), home, study), "second")  # on another computer
    page = open_duel(someone, home, study)
    expect(page.locator("#toast")).to_have_text(NOT_SENT)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])


def test_without_storage_the_page_keeps_the_answer(home, visitor, site, study):
    someone = visitor()
    someone.context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    page = open_duel(someone, home, study)
    go_offline(page)
    answer_in_vain(page, "second", KEPT.replace("in this browser", "on this page"))
    page.context.set_offline(False)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])


# -- undo while offline ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrived", [False, True])
def test_an_undo_offline_outlives_a_reload(page, site, study, arrived):
    choose(page, "tie")
    page.route("**/answers", lose_response if arrived else lambda route: route.abort())
    answer_in_vain(page, "first")
    page.route("**/*", lambda route: route.abort())
    page.keyboard.press("u")
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    assert answers(site, study) == ((["tie", "first"] if arrived else ["tie"]), [])
    page.unroute_all()
    page.reload()
    progress_is(page, 1)
    assert answers(site, study) == (["tie"], ["first"] if arrived else [])
    choose(page, "second")
    progress_is(page, 2)
    assert answers(site, study) == (["tie", "second"], ["first"] if arrived else [])


def test_an_undo_offline_spares_the_same_answer_of_another_tab(page, other, site, study):
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "first")
    page.keyboard.press("u")
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    choose(other, "first")
    progress_is(page, 1)
    progress_is(other, 1)
    assert answers(site, study) == (["first"], [])


def test_an_undo_whose_response_is_lost_takes_back_one_answer(page, site, study):
    choose(page, "first")
    choose(page, "second")
    page.route("**/undo", lose_response)
    page.locator("#undo").click()
    progress_is(page, 1)  # the stream tells
    page.unroute("**/undo")
    assert answers(site, study) == (["first"], ["second"])
    choose(page, "tie")
    progress_is(page, 2)
    assert answers(site, study) == (["first", "tie"], ["second"])


# -- double clicks and keys that are held down -------------------------------------------------------------------------


def test_a_double_click_answers_once(page, site, study):
    sent, held, count = requests_of(page, "answers"), hold(page, "answers"), shown_cards(page)
    page.locator("#first").dblclick()
    # The next cards come while the mouse is pressed once more.
    page.evaluate("""() => {
      const card = document.getElementById("first");
      const observer = new MutationObserver(() => { observer.disconnect(); card.click(); });
      observer.observe(card, { childList: true });
    }""")
    wait_until(page, lambda: held)
    held[0].continue_()
    cards_are_shown(page, count + 1)
    progress_is(page, 1)
    assert len(sent) == 1
    assert answers(site, study) == (["first"], [])


@pytest.mark.parametrize("key", ["ArrowLeft", "Enter"])
def test_a_key_that_is_held_down_answers_once(page, site, study, key):
    sent, count = requests_of(page, "answers"), shown_cards(page)
    page.locator("#first").focus()
    page.keyboard.down(key)
    cards_are_shown(page, count + 1)
    for _ in range(5):
        page.keyboard.down(key)  # repeats
    page.keyboard.up(key)
    progress_is(page, 1)
    assert len(sent) == 1
    choose(page, key=key)
    progress_is(page, 2)
    assert answers(site, study) == (["first", "first"], [])


@pytest.mark.parametrize("how", ["double click", "u", "Enter"])
def test_undo_pressed_twice_or_held_down_takes_back_one_answer(page, site, study, how):
    choose(page, "first")
    choose(page, "second")
    sent, count = requests_of(page, "undo"), shown_cards(page)
    if how == "double click":
        page.locator("#undo").dblclick(delay=400)  # slow enough for the first to be done
        cards_are_shown(page, count + 1)
    else:
        page.locator("#undo").focus()
        page.keyboard.down(how)
        cards_are_shown(page, count + 1)
        for _ in range(5):
            page.keyboard.down(how)
        page.keyboard.up(how)
    progress_is(page, 1)
    assert len(sent) == 1
    assert answers(site, study) == (["first"], ["second"])


# -- two tabs ----------------------------------------------------------------------------------------------------------


def test_an_answer_in_one_tab_shows_up_in_the_other(home, page, other, someone, site, study):
    before = text_of(other, ".choice")
    choose(page, "second")
    progress_is(other, 1)
    expect(other.locator("#toast")).to_have_text(ELSEWHERE)
    assert text_of(other, ".choice") == text_of(page, ".choice") != before
    expect(page.locator("#toast")).to_be_hidden()
    choose(other, "first")
    progress_is(page, 2)
    page.locator("#undo").click()
    progress_is(other, 1)
    assert answers(site, study) == (["second"], ["first"])
    # Anchors are heard of, too.
    anchors = someone.open(f"{home}/studies/{study}/anchors")
    expect(anchors.locator("#marked-words")).to_have_text("1 anchor.")
    site.post(f"/api/studies/{study}/anchors", {"design": {"temperature": 70.0, "minutes": 5.0, "leaves": 2}})
    expect(anchors.locator("#marked-words")).to_have_text("2 anchors.")


@pytest.mark.parametrize("outcome", ["first", "second"])
def test_two_tabs_answer_a_pair_at_the_same_time(page, other, someone, site, study, outcome):
    someone.allow(r"status of 409 .*/answers")
    chosen = {page: "first", other: outcome}
    held = [hold(tab, "answers") for tab in chosen]
    for tab, choice in chosen.items():
        tab.locator(f"#{choice}").click()
        wait_until(tab, lambda tab=tab: held[list(chosen).index(tab)])
    for (route,) in held:
        route.continue_()
    for tab in chosen:
        progress_is(tab, 1)
    assert text_of(page, ".choice") == text_of(other, ".choice")
    standing, undone = answers(site, study)
    assert (len(standing), undone) == (1, [])
    for tab, choice in chosen.items():
        if choice == standing[0]:
            expect(tab.locator("#toast")).to_be_hidden()
        else:
            expect(tab.locator("#toast")).to_have_text(ELSEWHERE)


def test_a_tab_that_is_behind_is_told(page, other, someone, site, study):
    """It has not heard of an answer to its pair, and then of an undo."""
    someone.allow(r"status of 409 .*/answers")
    make_deaf(other)
    choose(page, "first")
    choose(other, "second")
    expect(other.locator("#toast")).to_have_text(ELSEWHERE)
    progress_is(other, 1)
    assert answers(site, study) == (["first"], [])

    page.locator("#undo").click()
    progress_is(page, 0)
    choose(other, "tie")
    expect(other.locator("#toast")).to_have_text(ELSEWHERE)
    progress_is(other, 0)
    assert text_of(page, ".choice") == text_of(other, ".choice")
    assert answers(site, study) == ([], ["first"])
    choose(other, "second")
    progress_is(other, 1)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], ["first"])


def test_an_answer_is_kept_although_another_pair_comes_meanwhile(page, other, someone, site, study):
    """The page has asked for the pair to compare before it was answered in another tab."""
    someone.allow(r"status of 409 .*/answers")
    make_deaf(page)
    asked = hold(page, "ask")
    try_again(page)
    wait_until(page, lambda: asked)
    choose(other, "second")
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "first")
    with page.expect_response("**/ask"):
        asked[0].continue_()
    expect(page.locator("#trouble-text")).to_have_text(KEPT)
    page.unroute("**/answers")
    try_again(page)
    expect(page.locator("#toast")).to_have_text(ELSEWHERE)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])


def test_two_tabs_undo_at_the_same_time(page, other, site, study):
    choose(page, "first")
    choose(page, "second")
    progress_is(other, 2)
    held = [hold(tab, "undo") for tab in (page, other)]
    for tab, routes in zip((page, other), held, strict=True):
        tab.locator("#undo").click()
        wait_until(tab, lambda routes=routes: routes)
    for (route,) in held:
        route.continue_()
    for tab in (page, other):
        progress_is(tab, 1)
    assert text_of(page, ".choice") == text_of(other, ".choice")
    assert answers(site, study) == (["first"], ["second"])


def test_another_tab_sends_an_answer_that_one_keeps(home, page, someone, site, study):
    page.route("**/answers", lambda route: route.abort())
    answer_in_vain(page, "second")
    other = open_duel(someone, home, study)
    expect(other.locator("#toast")).to_have_text(SENT_LATE)
    progress_is(other, 1)
    page.unroute("**/answers")
    try_again(page)
    progress_is(page, 1)
    assert text_of(page, ".choice") == text_of(other, ".choice")
    assert answers(site, study) == (["second"], [])


def test_an_answer_undone_in_another_tab_is_not_sent_again(page, other, site, study):
    arrived = []

    def lose_all(route):  # only the first arrives
        if not arrived:
            arrived.append(route.fetch())
        route.abort("connectionreset")

    page.route("**/answers", lose_all)
    answer_in_vain(page, "first")
    progress_is(other, 1)
    other.locator("#undo").click()
    progress_is(other, 0)
    page.unroute("**/answers")
    try_again(page)
    expect(page.locator("#toast")).to_have_text("Your answer was taken back in another tab.")
    progress_is(page, 0)
    assert answers(site, study) == ([], ["first"])
    page.reload()
    choose(page, "first")
    progress_is(other, 1)
    assert answers(site, study) == (["first"], ["first"])


def test_an_answer_that_cannot_be_taken_back_any_more_stands(page, other, someone, site, study):
    someone.allow(r"status of 409 .*/undo")
    page.route("**/answers", lose_response)
    answer_in_vain(page, "first")
    page.route("**/*", lambda route: route.abort())
    page.keyboard.press("u")
    expect(page.locator("#toast")).to_have_text(TAKEN_BACK)
    progress_is(other, 1)
    choose(other, "tie")
    page.unroute_all()
    try_again(page)
    expect(page.locator("#toast")).to_contain_text(NOT_TAKEN_BACK)
    progress_is(page, 2)
    assert text_of(page, ".choice") == text_of(other, ".choice")
    assert answers(site, study) == (["first", "tie"], [])


# -- server restart ----------------------------------------------------------------------------------------------------


@pytest.fixture
def mortal(site):
    """The server, which a test may kill."""
    yield site
    if site.process.poll() is not None:
        site.start()


@pytest.mark.parametrize("how", ["by hand", "told by the stream", "after a reload"])
def test_an_answer_outlives_the_server(home, someone, mortal, study, how):
    if how != "told by the stream":
        someone.context.route("**/stream*", lambda route: route.abort())
    page = open_duel(someone, home, study)
    choose(page, "first")
    cards_are_shown(page)
    mortal.kill()
    answer_in_vain(page, "second")
    # What was chosen cannot be changed by accident while it waits.
    count = shown_cards(page)
    page.locator("#first").click(force=True)
    assert shown_cards(page) == count
    if how == "by hand":
        with page.expect_event("requestfailed", lambda request: "/stream" not in request.url):
            page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
    if how == "after a reload":
        with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):
            page.reload()
        page.close()
    mortal.start()
    if how == "by hand":  # unless the page was faster
        page.evaluate("document.getElementById('retry').click()")
    if how == "after a reload":
        page = open_duel(someone, home, study)
        expect(page.locator("#toast")).to_have_text(SENT_LATE)
    progress_is(page, 2)
    assert answers(mortal, study) == (["first", "second"], [])
    choose(page, "tie")
    progress_is(page, 3)
    assert answers(mortal, study) == (["first", "second", "tie"], [])


@pytest.mark.parametrize("recorded", [False, True])
def test_a_server_killed_between_an_answer_and_its_response(page, mortal, study, recorded):
    def record_and_die(route):
        route.fetch()
        mortal.kill()
        route.abort("connectionreset")

    make_deaf(page)  # it tries again by itself
    choose(page, "tie")
    cards_are_shown(page)
    if recorded:
        page.route("**/answers", record_and_die)
        answer_in_vain(page, "second")
        page.unroute("**/answers")
    else:
        os.kill(mortal.process.pid, signal.SIGSTOP)  # the connection takes the request, and nobody reads it
        page.locator("#second").click()
        expect(page.locator("#pair")).to_have_class("pair waiting")
        mortal.kill()
        expect(page.locator("#trouble-text")).to_have_text(KEPT)
    mortal.start()
    progress_is(page, 2)
    assert answers(mortal, study) == (["tie", "second"], [])


def test_a_server_restarted_while_a_page_waits(page, mortal, study):
    choose(page, "first")
    cards_are_shown(page)
    pair = text_of(page, ".choice")
    mortal.kill()
    mortal.start()
    assert text_of(page, ".choice") == pair
    choose(page, "second")
    progress_is(page, 2)
    assert answers(mortal, study) == (["first", "second"], [])
    # The page is told again of what happens elsewhere.
    duel = mortal.post(f"/api/studies/{study}/ask")["id"]
    mortal.post(f"/api/studies/{study}/answers", {"duel_id": duel, "outcome": "tie"})
    progress_is(page, 3)


def test_an_answer_outlives_a_session(page, someone, site, study):
    """A restart with another token ends the session."""
    someone.allow("status of 401")
    problem = {"detail": "sign in.", "code": "not_signed_in"}
    page.route("**/answers", lambda route: route.fulfill(status=401, json=problem))
    page.locator("#second").click()
    expect(page.locator("#trouble-text")).to_contain_text("You are signed out. Your answer is kept in this browser")
    assert answers(site, study) == ([], [])
    page.unroute("**/answers")
    page.reload()
    expect(page.locator("#toast")).to_have_text(SENT_LATE)
    progress_is(page, 1)
    assert answers(site, study) == (["second"], [])
