"""The pages as the server makes them: what a demo says, and where Start leads."""

import pytest
from servers import DESIGN, QUICK, answer, make, server, with_token

from anchorpbo.web import Settings
from anchorpbo.web.schemas import MOST_CARDS

NOTICE = "Demo: everything here is deleted when the server stops."
HTML = {"Accept": "text/html"}
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


@pytest.mark.parametrize(("count", "status"), [(MOST_CARDS, 200), (MOST_CARDS + 1, 422)])
def test_pages_are_told_how_many_cards_a_request_may_ask_for(count, status):
    _, client = server()
    id = make(client)
    assert client.post(f"/api/studies/{id}/cards", json={"designs": [DESIGN] * count}).status_code == status
    for page in ("anchors", "duel", "results", "people"):
        assert f'data-most-cards="{MOST_CARDS}"' in client.get(f"/studies/{id}/{page}").text
