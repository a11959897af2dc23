"""The pages as the server makes them: what a demo says, where Start leads, and how one signs in."""

import html
import json
import re

import pytest
from servers import BASE, DESIGN, QUICK, TOKEN, answer, bearer, check_problem, make, server, with_token

from anchorpbo.app.cli.serve import create_examples
from anchorpbo.app.examples import EXAMPLES
from anchorpbo.app.web import Settings
from anchorpbo.app.web.schemas import MAX_CARDS

NOTICE = "Demo: everything here is deleted when the server stops."
HTML = {"Accept": "text/html"}
SIGN_IN = '<form method="post" action="/login"'
SKIP = "Skip and start comparing"


def paths(id):
    return [
        "/",
        "/new",
        "/login",
        "/nowhere",
        *(f"/studies/{id}/{page}" for page in ("anchors", "duel", "results", "people")),
    ]


@pytest.mark.parametrize("ephemeral", [True, False])
def test_every_page_of_a_demo_says_that_its_work_is_deleted(ephemeral):
    _, client = server(settings=Settings(ephemeral=ephemeral))
    for path in paths(make(client)):
        assert client.get(path, headers=HTML).text.count(NOTICE) == int(ephemeral), path


def where(client, id, participant=None):
    """Where Start leads."""
    response = client.get(f"/studies/{id}", params={} if participant is None else {"as": participant})
    assert response.status_code == 303
    return response.headers["location"].removeprefix(f"/studies/{id}/")


@pytest.mark.parametrize("anchors", [[], [DESIGN]], ids=["without anchors", "with anchors"])
def test_start_leads_past_the_anchors_once(anchors):
    _, client = server()
    id, other = (make(client, QUICK | {"anchors": anchors}) for _ in range(2))
    assert where(client, id) == "anchors"
    page = client.get(f"/studies/{id}/anchors").text
    assert "Anchors are designs you know well" in page
    assert (SKIP in page) == (not anchors)
    assert where(client, id) == "duel"
    assert where(client, other) == "anchors"


def test_who_was_asked_is_not_led_to_anchors_in_another_browser_either():
    _, client = server()
    id = make(client)
    client.post(f"/api/studies/{id}/ask")
    assert where(client, id) == "duel"
    answer(client, id)
    assert where(client, id) == "duel"


def test_each_participant_is_led_past_the_anchors():
    _, client = server()
    id = make(client)
    names = ["Ana", "Bo; path=/", "Ünal" * 50]
    for name in names:
        client.post(f"/api/studies/{id}/participants", json={"name": name})
    client.get(f"/studies/{id}/anchors")
    for name in names:
        assert where(client, id, name).startswith("anchors?as=")
        assert client.get(f"/studies/{id}/anchors", params={"as": name}).status_code == 200
        assert where(client, id, name).startswith("duel?as=")


def test_a_page_for_nobody_leaves_no_cookie():
    _, client = server()
    id = make(client)
    response = client.get(f"/studies/{id}/anchors", params={"as": "nobody"}, headers=HTML)
    assert response.status_code == 404
    assert "set-cookie" not in response.headers
    _, guarded = with_token()
    assert guarded.get(f"/studies/{id}/anchors", headers=HTML).status_code == 401


@pytest.mark.parametrize(("count", "status"), [(MAX_CARDS, 200), (MAX_CARDS + 1, 422)])
def test_a_request_may_ask_for_as_many_cards_as_the_limits_say(count, status):
    _, client = server()
    id = make(client)
    assert client.post(f"/api/studies/{id}/cards", json={"designs": [DESIGN] * count}).status_code == status
    assert client.get("/api/limits").json()["cards"] == MAX_CARDS


def test_every_page_holds_the_limits_of_its_server():
    _, client = server(settings=Settings(max_upload_bytes=7_000_000))
    limits = client.get("/api/limits").json()
    assert limits["upload_bytes"] == 7_000_000
    id = make(client)
    for page in (
        "/",
        "/new",
        *(f"/studies/{id}/{name}" for name in ("anchors", "duel", "results", "people", "welcome")),
    ):
        (held,) = re.findall('data-limits="([^"]*)"', client.get(page).text)
        assert json.loads(html.unescape(held)) == limits
    assert "up to 7 MB and 100,000 rows" in client.get("/new").text
    assert f'maxlength="{limits["name"]}"' in client.get("/new").text


@pytest.mark.parametrize("ephemeral", [True, False])
def test_the_people_page_says_how_others_are_let_in_and_what_that_costs_a_demo(ephemeral):
    _, client = server(settings=Settings(ephemeral=ephemeral))
    page = client.get(f"/studies/{make(client)}/people").text
    assert "stop the server, start it again with <code>--host 0.0.0.0</code> added to its command" in page
    assert "asks you for a token" not in page
    assert ("its studies are deleted when it stops. Export this one first" in page) == ephemeral
    assert ("<code>--db</code>" in page) == ephemeral


# -- signing in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [TOKEN, f" {TOKEN} ", f"{BASE}/login#token={TOKEN}", f"#token={TOKEN}\n"])
def test_the_printed_link_signs_in_as_its_token_does(given):
    _, client = with_token()
    assert "Open the link that the server printed, or paste it here." in client.get("/login").text
    response = client.post("/login", data={"token": given})
    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("given", [f"{BASE}/login#token={TOKEN}x", "#token=", f"/login?token={TOKEN}"])
def test_a_link_with_another_token_does_not(given):
    response = with_token()[1].post("/login", data={"token": given})
    assert response.status_code == 401
    assert "That is not the token" in response.text


@pytest.mark.parametrize("query", ["", "?as=Ana%20%26%20Bo"])
def test_signing_in_leads_on_to_the_page_that_was_asked_for(query):
    _, client = with_token()
    path = f"/studies/{make(client, headers=bearer())}/duel{query}"
    page = client.get(path, headers=HTML)
    assert page.status_code == 401
    assert SIGN_IN in page.text
    assert f'name="next" value="{path}"' in page.text
    assert "send the token" not in page.text
    wrong = client.post("/login", data={"token": "wrong", "next": path})
    assert f'name="next" value="{path}"' in wrong.text
    assert client.post("/login", data={"token": TOKEN, "next": path}).headers["location"] == path


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "evil.example",
        "javascript:alert(1)",
        "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/ /evil.example", "", "/a\\b",
        "/" + 2000 * "a",
    ],
)  # fmt: skip
def test_signing_in_leads_to_no_other_site(elsewhere):
    _, client = with_token()
    wrong = client.post("/login", data={"token": "wrong", "next": elsewhere})
    assert wrong.status_code == 401
    assert 'name="next"' not in wrong.text
    response = client.post("/login", data={"token": TOKEN, "next": elsewhere})
    assert (response.status_code, response.headers["location"]) == (303, "/")


def test_the_longest_path_is_kept():
    path = "/" + 1999 * "a"
    assert with_token()[1].post("/login", data={"token": TOKEN, "next": path}).headers["location"] == path


def test_a_wait_of_one_second_is_a_second(monkeypatch):
    app, client = server(settings=Settings(token="short"))
    for seconds, words in ((1.0, "wait a second,"), (2.0, "wait 2 seconds,")):
        monkeypatch.setattr(app.state.authenticator.throttle, "wait", lambda address, seconds=seconds: seconds)
        response = client.post("/login", data={"token": "wrong", "next": "/new"})
        assert response.status_code == 429
        assert words in response.text
        assert 'name="next" value="/new"' in response.text


# -- participants -----------------------------------------------------------------------------------------------------


def test_a_link_leads_past_the_welcome_once_its_holder_has_begun():
    _, client = with_token()
    id = make(client, headers=bearer())
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    assert client.get(link).headers["location"] == f"/studies/{id}/welcome"
    client.post(f"/api/studies/{id}/ask")
    assert client.get(link).headers["location"] == f"/studies/{id}/duel"
    client.cookies.clear()  # in another browser
    assert client.get(link).headers["location"] == f"/studies/{id}/duel"
    client.cookies.clear()
    assert client.get(link, headers=bearer()).headers["location"] == f"/studies/{id}/duel?as=Ana"


def test_the_welcome_says_what_is_asked_and_what_for():
    _, client = server()
    id = make(client)
    texts = {"question": "Which <b>cup</b>?", "description": "For the menu.\nTwo & two."}
    client.patch(f"/api/studies/{id}", json=texts)
    client.post(f"/api/studies/{id}/participants", json={"name": "Ana"})
    page = client.get(f"/studies/{id}/welcome", params={"as": "Ana"}).text
    for text in ("Welcome, Ana", "Which &lt;b&gt;cup&lt;/b&gt;?", "<p>For the menu.</p>", "<p>Two &amp; two.</p>"):
        assert text in page
    assert f'href="/studies/{id}/anchors?as=Ana"' in page


def test_only_whoever_has_studies_is_offered_them_after_an_error():
    _, client = with_token()
    id = make(client, headers=bearer())
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    assert "All studies</a>" in client.get("/nowhere", headers=HTML | bearer()).text
    assert 'class="button"' not in client.get(f"{link}0", headers=HTML).text  # a stranger
    client.get(link)
    page = client.get("/nowhere", headers=HTML).text
    assert "All studies</a>" not in page
    assert '<a class="button" href="/">Your comparisons</a>' in page
    client.delete(f"/api/studies/{id}/participants", params={"name": "Ana"}, headers=bearer())
    for path in (link, f"/studies/{id}/duel"):
        refused = client.get(path, headers=HTML)
        assert refused.status_code == 403
        assert 'class="button"' not in refused.text


# -- examples ---------------------------------------------------------------------------------------------------------


def test_anchors_that_came_with_an_example_are_said_to():
    app, client = server()
    note = "Marked for this example; remove what you do not know well."
    studies = app.state.studies
    create_examples(studies)
    demo = {studies.show(line.id).example: line.id for line in studies.list_studies()}
    assert demo.keys() == EXAMPLES.keys()
    for key, id in demo.items():
        suggested = EXAMPLES[key].suggested_anchors
        assert note in client.get(f"/studies/{id}/anchors").text
        client.post(f"/api/studies/{id}/participants", json={"name": "Ana"})
        assert note not in client.get(f"/studies/{id}/anchors", params={"as": "Ana"}).text
        for design in suggested[1:]:
            studies.anchors.remove(id, design)
        assert note in client.get(f"/studies/{id}/anchors").text
        studies.anchors.remove(id, suggested[0])
        assert note not in client.get(f"/studies/{id}/anchors").text
        own = client.post(f"/api/examples/{key}").json()["id"]  # without any
        assert note not in client.get(f"/studies/{own}/anchors").text
        studies.anchors.add(own, suggested[1])  # by hand
        assert note not in client.get(f"/studies/{own}/anchors").text


# -- sentences --------------------------------------------------------------------------------------------------------


def test_errors_are_sentences_that_say_more_than_their_heading():
    _, client = with_token()
    id = make(client, headers=bearer())
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    client.get(link)
    for path, status in (("/nowhere", 404), ("/new", 403), ("/studies/other/duel", 403)):
        page = client.get(path, headers=HTML)
        assert page.status_code == status
        detail = page.text.partition("</h1>")[2].partition("<p>")[2].partition("</p>")[0]
        assert detail.endswith(".")
        assert not detail.endswith("..")
        assert check_problem(client.get(path), status)["detail"].lower() == detail.lower()
    for method, path, status in (("GET", "/api/nowhere", 404), ("PUT", "/api/studies", 405)):
        detail = check_problem(client.request(method, path), status)["detail"]
        assert "this address" in detail
