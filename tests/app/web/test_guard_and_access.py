"""What gets in: names, origins, sizes; tokens, cookies and links; and what every response carries on its way out."""

import logging
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from fastapi.testclient import TestClient
from servers import BASE, DESIGN, ITEMS, QUICK, TOKEN, answer, bearer, check_problem, make, server, with_token

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.links import Signer
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.app.web import Settings
from anchorpbo.app.web.access import CODE_SECONDS
from anchorpbo.app.web.guard import HEADERS
from anchorpbo.app.web.settings import is_loopback
from anchorpbo.app.web.throttle import ADDRESS_LIMIT, TOTAL_LIMIT, Throttle
from anchorpbo.errors import InputError


@pytest.fixture
def client():
    return server()[1]


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000"])
def test_the_server_goes_by_its_names(client, host):
    assert client.get("/api/studies", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.2", "[", "localhost.", "evil@", "127.0.0.1@evil"]
)
def test_it_does_not_go_by_others(client, host):
    for path in ("/api/studies", "/", "/static/base.css", "/openapi.json"):
        check_problem(client.get(path, headers={"Host": host}), 421)


def test_names_can_be_added():
    client = server(settings=Settings(host="0.0.0.0", token=TOKEN, names=("Study.Example",)))[1]
    for host in ("study.example", "localhost", "0.0.0.0"):
        assert client.get("/api/studies", headers={"Host": host, **bearer()}).status_code == 200
    check_problem(client.get("/api/studies", headers={"Host": "other.example", **bearer()}), 421)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("Localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.0.1", False), ("example.org", False), ("localhost.evil", False)],
)  # fmt: skip
def test_without_a_token_only_this_machine_may_reach_it(host, loopback):
    assert is_loopback(host) == loopback
    assert Settings(host=host, token=TOKEN).known_names
    if loopback:
        assert Settings(host=host).token is None
    else:
        for settings in ({"host": host}, {"names": (host,)}, {"host": host, "token": ""}):
            with pytest.raises(InputError, match="must have a token"):
                Settings(**settings)


# -- origins ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:9000"}, {"Origin": "http://["},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": ""},
    {"Origin": BASE, "Sec-Fetch-Site": "cross-site"},
])  # fmt: skip
def test_a_page_of_another_site_changes_nothing(client, headers):
    id = make(client)
    for method, path in [("POST", "/api/studies"), ("DELETE", f"/api/studies/{id}"), ("POST", f"/api/studies/{id}/ask"),
                         ("POST", "/login")]:  # fmt: skip
        check_problem(client.request(method, path, headers=headers), 403)
    assert [line["id"] for line in client.get("/api/studies", headers=headers).json()] == [id]


@pytest.mark.parametrize("headers", [
    {}, {"Origin": BASE}, {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"},
])  # fmt: skip
def test_its_own_pages_and_programs_may(client, headers):
    assert client.post("/api/studies", json=QUICK, headers=headers).status_code == 201


# -- sizes ------------------------------------------------------------------------------------------------------------


def _chunks(size, count):
    yield from (b" " * size for _ in range(count))


@pytest.fixture
def small():
    return server(settings=Settings(max_request_bytes=1_000, max_upload_bytes=5_000))[1]


def test_a_body_must_not_be_larger_than_its_route_takes(small):
    id = make(small)
    for path, limit in [
        ("/api/studies", 5_000), ("/api/studies/import", 5_000), ("/api/catalogue", 5_000),
        ("/api/studies/check", 5_000), (f"/api/studies/{id}/comparisons", 5_000), (f"/api/studies/{id}/ask", 1_000),
        (f"/api/studies/{id}/cards", 1_000), ("/login", 1_000), ("/nowhere", 1_000),
    ]:  # fmt: skip
        headers = {"Content-Type": "application/json"}
        announced = small.post(path, content=b" " * (limit + 1), headers=headers)
        assert f"{limit / 1e6:g} MB" in check_problem(announced, 413)["detail"]
        fits = small.post(path, content=b" " * limit, headers=headers)
        assert fits.status_code not in (413, 500)
        if path not in ("/nowhere", "/login"):
            check_problem(small.post(path, content=_chunks(500, limit // 500 + 1), headers=headers), 413)


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "9" * 5000, "²"])
def test_a_length_must_be_a_number(client, length):
    response = client.post("/api/studies", content=b"", headers={"Content-Length": length.encode()})
    check_problem(response, 413)


# -- headers ----------------------------------------------------------------------------------------------------------


def test_every_response_carries_what_a_browser_may_do(client, monkeypatch):
    id = make(client)
    monkeypatch.setattr(client.app.state.studies.duels, "undo", lambda *arguments: 1 / 0)
    responses = [
        client.get("/"), client.get("/api/studies"), client.get("/openapi.json"), client.get("/static/base.css"),
        client.get("/static/nothing"), client.get("/nothing"), client.put("/api/studies"), client.get("/login"),
        client.get("/", headers={"Host": "evil"}), client.post("/login", headers={"Origin": "http://evil"}),
        client.post("/login", headers={"Content-Length": "9999999999"}), client.post(f"/api/studies/{id}/undo"),
        client.get("/studies/nothing/duel", headers={"Accept": "text/html"}), client.post("/api/studies", content="{"),
        client.delete(f"/api/studies/{id}"),
    ]  # fmt: skip
    assert {200, 204, 404, 405, 403, 413, 421, 422, 500} <= {response.status_code for response in responses}
    for response in responses:
        for name, value in HEADERS.items():
            assert response.headers[name] == value, (response.url, name)
        static = str(response.url.path).startswith("/static/")
        assert static or response.headers["cache-control"] == "no-store"
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


# -- who is asking ----------------------------------------------------------------------------------------------------


@pytest.fixture
def guarded():
    return with_token()[1]


OWNERS_ONLY = [
    ("GET", "/api/studies"), ("POST", "/api/studies/import"), ("DELETE", "/api/studies/{id}"),
    ("PATCH", "/api/studies/{id}"), ("POST", "/api/studies/{id}/duplicate"),
    ("GET", "/api/studies/{id}/export"), ("GET", "/api/studies/{id}/participants"),
    ("GET", "/api/studies/{id}/agreement"), ("POST", "/api/catalogue"), ("GET", "/api/examples"), ("GET", "/new"),
    ("GET", "/studies/{id}/people"),
]  # fmt: skip


def test_nobody_gets_in_without_the_token(guarded):
    id = make(guarded, headers=bearer())
    for method, path in OWNERS_ONLY:
        refused = guarded.request(method, path.format(id=id))
        check_problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
    for path in (f"/api/studies/{id}", f"/api/studies/{id}/stream", f"/studies/{id}/duel", "/"):
        check_problem(guarded.get(path), 401)
    page = guarded.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "Sign in" in page.text
    assert guarded.get("/login").status_code == 200


@pytest.mark.parametrize("header", [
    "", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN, "Bearer é",
])  # fmt: skip
def test_a_wrong_token_is_refused(guarded, header):
    check_problem(guarded.get("/api/studies", headers={"Authorization": header.encode("utf-8")}), 401)


def test_the_token_lets_in(guarded):
    assert guarded.get("/api/studies", headers=bearer()).status_code == 200
    assert guarded.get("/api/studies", headers={"Authorization": f"bearer  {TOKEN} "}).status_code == 200


def test_signing_in_gives_a_cookie_that_is_not_the_token(guarded):
    wrong = guarded.post("/login", data={"token": "wrong"})
    assert (wrong.status_code, wrong.headers.get("set-cookie")) == (401, None)
    right = guarded.post("/login", data={"token": TOKEN})
    assert (right.status_code, right.headers["location"]) == (303, "/")
    cookie = right.headers["set-cookie"]
    name = cookie.split("=")[0]
    assert TOKEN not in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    assert guarded.get("/api/studies").status_code == 200
    forged = {"Cookie": f"{name}={Signer(b'other').sign('owner', TOKEN)}"}
    guarded.cookies.clear()
    check_problem(guarded.get("/api/studies", headers=forged), 401)


def test_a_cookie_given_over_https_goes_back_over_https_only():
    app, _ = with_token()
    client = TestClient(app, base_url="https://127.0.0.1:8000", follow_redirects=False)
    cookie = client.post("/login", data={"token": TOKEN}).headers["set-cookie"]
    assert cookie.count("; Secure") == 1


def test_another_token_ends_all_sessions():
    storage = MemoryStorage()
    client = with_token(storage)[1]
    client.post("/login", data={"token": TOKEN})
    ((name, value),) = client.cookies.items()
    other = server(storage, Settings(token="another"))[1]
    check_problem(other.get("/api/studies", headers={"Cookie": f"{name}={value}"}), 401)


def _joined(app_client, id, name):
    """Headers of someone who came by their link."""
    client = app_client
    link = client.post(f"/api/studies/{id}/participants", json={"name": name}, headers=bearer()).json()["link"]
    response = client.get(link)
    assert response.status_code == 303
    client.cookies.clear()
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie  # a link in a mail comes from another site
    return {"Cookie": cookie.split(";")[0]}


@pytest.mark.parametrize("name", ["Ana", "Grüße; 世界=🎻"])
def test_a_link_lets_in_one_participant_to_one_study(guarded, name):
    id, other = make(guarded, headers=bearer()), make(guarded, headers=bearer())
    for study in (id, other):
        guarded.post(f"/api/studies/{study}/participants", json={"name": "Ben"}, headers=bearer())
    guarded.post(f"/api/studies/{other}/participants", json={"name": name}, headers=bearer())
    ana = _joined(guarded, id, name)
    url = f"/api/studies/{id}"
    # Their own part is open to them, and theirs by default.
    duel = guarded.post(f"{url}/ask", headers=ana).json()
    assert guarded.post(f"{url}/ask", headers=ana, json={"participant": name}).json() == duel
    assert answer(guarded, id, headers=ana)["id"] == duel["id"]
    assert guarded.post(f"{url}/anchors", headers=ana, json={"design": DESIGN}).json()["anchors"] == [
        {"design": DESIGN, "name": None, "judgement": "yes"}
    ]
    assert {event["participant"] for event in guarded.get(f"{url}/history", headers=ana).json()} == {name}
    assert guarded.get(url, headers=ana).json()["participants"] == [name]
    for path in ("recommendation", "map", "anchors", "convergence"):
        assert guarded.get(f"{url}/{path}", headers=ana).status_code == 200
    # Nothing else is.
    for participant, path in product(("owner", "Ben"), ("history", "map", "anchors", "recommendation", "stream")):
        check_problem(guarded.get(f"{url}/{path}", headers=ana, params={"participant": participant}), 403)
    for participant in ("owner", "Ben"):
        check_problem(guarded.post(f"{url}/ask", headers=ana, json={"participant": participant}), 403)
        check_problem(guarded.post(f"{url}/undo", headers=ana, params={"participant": participant}), 403)
        given = {"duel_id": duel["id"], "outcome": "first", "participant": participant}
        check_problem(guarded.post(f"{url}/answers", headers=ana, json=given), 403)
    for method, path in OWNERS_ONLY:
        options = {"json": {}} if path.endswith("import") or method == "PATCH" else {}
        check_problem(guarded.request(method, path.format(id=id), headers=ana, **options), 403)
    for path in ("", "/ask", "/history", "/stream"):
        method = "POST" if path == "/ask" else "GET"
        check_problem(guarded.request(method, f"/api/studies/{other}{path}", headers=ana), 403)
    check_problem(guarded.post("/api/studies", headers=ana, json=QUICK), 403)
    page = guarded.get(f"/studies/{other}/duel", headers={**ana, "Accept": "text/html"})
    assert page.status_code == 403


def test_a_link_that_was_taken_away_lets_nobody_in(guarded):
    id = make(guarded, headers=bearer())
    people, url = f"/api/studies/{id}/participants", f"/api/studies/{id}"
    first = guarded.post(people, json={"name": "Ana"}, headers=bearer()).json()["link"]
    before = _joined(guarded, id, "Ana")
    for path in ("/link", ""):
        check_problem(guarded.request("POST" if path else "DELETE", f"{people}{path}", headers=before,
                                      params={"name": "Ana"}, json={"name": "Ana"}), 403)  # fmt: skip
    second = guarded.post(f"{people}/link", json={"name": "Ana"}, headers=bearer()).json()["link"]
    assert second != first
    check_problem(guarded.get(first), 403)
    for path in ("", "/history", "/stream"):
        assert "no longer valid" in check_problem(guarded.get(f"{url}{path}", headers=before), 403)["detail"]
    assert guarded.get(f"/studies/{id}/duel", headers={**before, "Accept": "text/html"}).status_code == 403
    after = _joined(guarded, id, "Ana")
    assert guarded.get(f"{url}/history", headers=after).status_code == 200
    # A number cannot be made up.
    forged = {"Cookie": after["Cookie"].replace(".1.", ".0.")}
    assert forged != after
    check_problem(guarded.get(url, headers=forged), 401)
    assert guarded.delete(people, params={"name": "Ana"}, headers=bearer()).status_code == 204
    check_problem(guarded.get(second), 403)
    check_problem(guarded.get(url, headers=after), 403)
    check_problem(guarded.delete(people, params={"name": "Ben"}, headers=bearer()), 404)
    check_problem(guarded.delete(people, params={"name": "owner"}, headers=bearer()), 422)
    third = _joined(guarded, id, "Ana")
    assert guarded.get(f"{url}/history", headers=third).status_code == 200
    check_problem(guarded.get(url, headers=after), 403)


def test_a_link_cannot_be_forged(guarded):
    id, other = make(guarded, headers=bearer()), make(guarded, headers=bearer())
    link = guarded.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    _, _, _, name, signature = link.split("/")
    cookie = _joined(guarded, id, "Ana")["Cookie"].split("=")[0]
    ben = b"Ben".hex()
    for forged in (
        f"/join/{id}/{ben}/{signature}", f"/join/{other}/{name}/{signature}", f"/join/{id}/{name}/{'0' * 32}",
        f"/join/{id}/{name}/{signature[:-1]}", f"/join/{id}/zz/{signature}", f"/join/{id}/ff/{signature}",
        f"/join/{id}/{name}/é",
    ):  # fmt: skip
        refused = guarded.get(forged)
        check_problem(refused, 403)
        assert "set-cookie" not in refused.headers
    # The signature of a link is not that of a cookie.
    for value in (
        f"{id}.{name}.{signature}",
        f"{id}.{name}.",
        f".{name}.{signature}",
        "x",
        "..",
        f"{id}.zz.{signature}",
    ):
        check_problem(guarded.get(f"/api/studies/{id}", headers={"Cookie": f"{cookie}={value}"}), 401)


def test_a_link_leads_to_a_page_as_whoever_it_names(client, guarded):
    # On loopback, and for a signed-in owner, the page must say as whom they came.
    for someone, headers in ((client, {}), (guarded, bearer())):
        id = make(someone, headers=headers)
        link = someone.post(f"/api/studies/{id}/participants", json={"name": "Ana & Bo"}, headers=headers).json()[
            "link"
        ]
        target = someone.get(link, headers=headers).headers["location"]
        assert target == f"/studies/{id}/welcome?as=Ana%20%26%20Bo"
        page = someone.get(target, headers={**headers, "Accept": "text/html"})
        assert page.headers["content-type"].startswith("text/html")
        assert 'data-participant="Ana &amp; Bo"' in page.text
        someone.cookies.clear()
    stranger = guarded.get(link)
    assert stranger.headers["location"] == f"/studies/{id}/welcome"


def test_someone_takes_part_in_several_studies(guarded):
    ids = [make(guarded, headers=bearer()) for _ in range(2)]
    both = "; ".join(_joined(guarded, id, "Ana")["Cookie"] for id in ids)
    for id in ids:
        assert guarded.post(f"/api/studies/{id}/ask", headers={"Cookie": both}).status_code == 200


def test_strangers_cannot_make_the_server_read_much(guarded):
    for path in ("/api/studies", "/api/studies/import", "/login"):
        check_problem(guarded.post(path, content=b"[" * 20_000, headers={"Content-Type": "application/json"}), 413)
    assert guarded.post("/login", data={"token": TOKEN}).status_code == 303


def test_the_owner_has_no_link(client, guarded):
    id = make(guarded, headers=bearer())
    people = f"/api/studies/{id}/participants"
    (owner,) = guarded.get(people, headers=bearer()).json()
    assert (owner["name"], owner["link"]) == ("owner", None)
    assert guarded.post(people, json={"name": "owner"}, headers=bearer()).json()["link"] is None
    # Links and cookies of earlier releases, which could not be taken back, let nobody in.
    gate, name = guarded.app.state.authenticator, b"owner".hex()
    refused = guarded.get(f"/join/{id}/{name}/{gate.signer.sign('link', id, 'owner')}")
    check_problem(refused, 403)
    assert "set-cookie" not in refused.headers
    cookie = f"{gate.participant_cookie}{id}={id}.{name}.0.{gate.signer.sign('part', id, 'owner')}"
    check_problem(guarded.get(f"/api/studies/{id}", headers={"Cookie": cookie}), 401)


# -- too many wrong tokens --------------------------------------------------------------------------------------------


SHORT = "sixteen-letters!"


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def limited(token):
    """Someone who talks to a server whose clock stands, and that clock."""
    client, clock = server(settings=Settings(token=token))[1], Clock()
    client.app.state.authenticator.throttle, client.app.state.authenticator.clock = Throttle(clock), clock
    return client, clock


def sign_in(client, token, address="203.0.113.7"):
    """Sign in from an address."""
    client = TestClient(client.app, base_url=BASE, follow_redirects=False, client=(address, 1))
    return client.post("/login", data={"token": token})


@pytest.mark.parametrize("how", ["page", "header"])
def test_tokens_are_not_looked_at_after_too_many_wrong_ones(how):
    client, clock = limited(SHORT)

    def attempt(token):
        if how == "page":
            return client.post("/login", data={"token": token})
        return client.get("/api/studies", headers=bearer(token))

    good = 303 if how == "page" else 200
    for _ in range(ADDRESS_LIMIT.burst):
        assert attempt("wrong").status_code == 401
    for token in ("wrong", SHORT):
        refused = attempt(token)
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == str(int(ADDRESS_LIMIT.seconds))
        assert f"wait {ADDRESS_LIMIT.seconds:g} seconds, then try again" in refused.text
    # Attempts that were not looked at do not make the wait longer.
    clock.now += ADDRESS_LIMIT.seconds - 0.5
    assert attempt(SHORT).headers["retry-after"] == "1"
    clock.now += 0.5
    assert attempt(SHORT).status_code == good
    assert attempt("wrong").status_code == 401
    assert attempt(SHORT).status_code == 429


def test_nobody_can_keep_the_owner_out_who_has_a_long_token():
    client, _ = limited(TOKEN)
    for n in range(3 * TOTAL_LIMIT.burst):
        status = sign_in(client, "wrong", f"203.0.113.{n % 200}").status_code
        assert status == (401 if n < TOTAL_LIMIT.burst else 429)
    assert sign_in(client, TOKEN).status_code == 303
    assert client.get("/api/studies", headers=bearer()).status_code == 200


def open_code(client, code, address="203.0.113.7"):
    """Open the address that a browser is started with."""
    client = TestClient(client.app, base_url=BASE, follow_redirects=False, client=(address, 1))
    return client.get("/login", params={"once": code})


def test_a_code_signs_in_once():
    client, _ = limited(TOKEN)
    code = client.app.state.authenticator.make_code()
    assert TOKEN not in code
    response = open_code(client, code)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"].split(";")[0]
    assert code not in cookie
    assert client.get("/api/studies", headers={"Cookie": cookie}).status_code == 200
    again = open_code(client, code)
    assert again.status_code == 401
    assert "set-cookie" not in again.headers
    assert "Sign in with the token" in again.text
    assert '<form method="post" action="/login"' in again.text


def test_a_code_is_valid_for_a_minute():
    client, clock = limited(TOKEN)
    for seconds, status in [(CODE_SECONDS, 303), (CODE_SECONDS + 0.1, 401)]:
        code = client.app.state.authenticator.make_code()
        clock.now += seconds
        assert open_code(client, code).status_code == status


def test_another_code_replaces_the_one_before():
    client, _ = limited(TOKEN)
    codes = [client.app.state.authenticator.make_code() for _ in range(2)]
    assert [open_code(client, code).status_code for code in codes] == [401, 303]


@pytest.mark.parametrize("code", ["", "wrong", TOKEN, "ü" * 50])
def test_a_wrong_code_signs_nobody_in(code):
    client, _ = limited(TOKEN)
    assert open_code(client, code).status_code == 401  # none was made
    made = client.app.state.authenticator.make_code()
    assert open_code(client, code).status_code == 401
    assert open_code(client, made).status_code == 303


def test_wrong_codes_count_as_wrong_tokens():
    client, clock = limited(SHORT)
    code = client.app.state.authenticator.make_code()
    for _ in range(ADDRESS_LIMIT.burst):
        assert open_code(client, "wrong").status_code == 401
    refused = open_code(client, "wrong")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == str(int(ADDRESS_LIMIT.seconds))
    assert sign_in(client, SHORT).status_code == 429
    assert open_code(client, code).status_code == 303  # nobody can guess one, nor keep it out
    clock.now += ADDRESS_LIMIT.seconds
    assert sign_in(client, SHORT).status_code == 303


def test_a_code_signs_in_one_of_many_who_try_at_once():
    client, _ = limited(TOKEN)
    code = client.app.state.authenticator.make_code()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: open_code(client, code, f"203.0.113.{n}").status_code, range(16)))
    assert sorted(found) == [303] + [401] * 15


def test_signed_in_browsers_and_participants_do_not_wait():
    client, _ = limited(SHORT)
    id = make(client, headers=bearer(SHORT))
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer(SHORT)).json()["link"]
    owner = client.post("/login", data={"token": SHORT}).headers["set-cookie"].split(";")[0]
    client.cookies.clear()
    while sign_in(client, "wrong", "testclient").status_code == 401:
        pass
    assert sign_in(client, SHORT, "testclient").status_code == 429
    assert client.get("/api/studies", headers={"Cookie": owner}).status_code == 200
    assert client.get(link).status_code == 303
    assert client.get("/login").status_code == 200


def test_wrong_tokens_are_counted_by_address_and_in_total():
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(ADDRESS_LIMIT.burst):
        assert throttle.wait("2001:db8::1") == 0
        throttle.count("2001:db8::1")
    for own in ("2001:db8::1", "2001:db8::ffff"):  # whoever has one has the whole /64
        assert throttle.wait(own) == ADDRESS_LIMIT.seconds
    for other in ("2001:db8:0:1::1", "203.0.113.7", "testclient"):
        assert throttle.wait(other) == 0
    for n in range(TOTAL_LIMIT.burst - ADDRESS_LIMIT.burst):
        assert throttle.wait(f"203.0.113.{n}") == 0
        throttle.count(f"203.0.113.{n}")
    assert throttle.wait("198.51.100.1") == TOTAL_LIMIT.seconds
    clock.now += TOTAL_LIMIT.seconds
    assert throttle.wait("198.51.100.1") == 0
    clock.now += 1e6
    assert throttle.wait("2001:db8::1") == 0


def test_addresses_are_forgotten(monkeypatch):
    monkeypatch.setattr("anchorpbo.app.web.throttle.MAX_ADDRESSES", 3)
    throttle = Throttle(Clock())
    for n in range(50):
        throttle.count(f"203.0.113.{n}")
    assert len(throttle._addresses) == 3


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_behind_a_proxy_nobody_is_the_owner_without_a_token(client, guarded, name):
    check_problem(client.get("/api/studies", headers={name: "203.0.113.7"}), 403)
    assert guarded.get("/api/studies", headers={**bearer(), name: "203.0.113.7"}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example@127.0.0.1", "127.0.0.1:8000/x", "127.0.0.1:", "[::1", "127.0.0.1:a"])
def test_a_host_is_a_name_and_a_port(client, host):
    check_problem(client.get("/api/studies", headers={"Host": host}), 421)


def test_a_cookie_of_one_study_is_not_one_of_another(guarded):
    id, other = make(guarded, headers=bearer()), make(guarded, headers=bearer())
    ana = _joined(guarded, id, "Ana")["Cookie"]
    moved = ana.replace(id, other)
    check_problem(guarded.get(f"/api/studies/{other}", headers={"Cookie": moved}), 401)
    renamed = ana.replace(b"Ana".hex(), b"owner".hex())
    check_problem(guarded.get(f"/api/studies/{id}", headers={"Cookie": renamed}), 401)


def test_signatures_are_of_parts_and_of_this_server():
    signer = Signer(b"secret")
    assert signer.verify(signer.sign("a", "b"), "a", "b")
    for parts in (("ab",), ("a", "c"), ("b", "a"), ("a", "b", ""), ("1:a", "b")):
        assert not signer.verify(signer.sign("a", "b"), *parts)
    assert not Signer(b"other").verify(signer.sign("a", "b"), "a", "b")
    assert not signer.verify("é\ud800", "a")


def test_neither_token_nor_signature_is_logged_or_sent_back(guarded, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    id = make(guarded, headers=bearer())
    link = guarded.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    signature = link.rsplit("/", 1)[-1]
    responses = [
        guarded.post("/login", data={"token": f"{TOKEN}x"}),
        guarded.post("/login", data={"token": TOKEN * 50}),
        guarded.get("/api/studies", headers=bearer(f"{TOKEN}x")),
        guarded.get(f"{link}x"),
        guarded.get(f"{link}/more"),
        guarded.get(link.replace(id, "other")),
    ]
    monkeypatch.setattr(guarded.app.state.authenticator, "join", lambda *arguments: 1 / 0)
    responses.append(guarded.get(link))
    assert responses[-1].status_code == 500
    for response in responses:
        assert response.status_code >= 400
        assert TOKEN not in response.text
        assert signature not in response.text
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("anchorpbo"))
    assert "/join/{id}/{name}/{signature}" in logged
    assert TOKEN not in caplog.text
    assert signature not in logged


# -- images -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "catalogue"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(b"secret")
    for name in ("ash.png", "unlisted.png", "elm.svg"):
        (folder / name).write_bytes(b"picture")
    (folder / "linked.png").symlink_to(tmp_path / "secret.png")
    app, client = server()
    studies: StudyService = app.state.studies
    view = studies.create({"name": "Trees", "space": ITEMS, "display": {"image": "file"}}, folder=str(folder))
    return client, view.id


def test_an_image_comes_from_the_catalogues_own_folder(pictures):
    client, id = pictures
    found = client.get(f"/studies/{id}/images/ash.png")
    assert (found.status_code, found.content) == (200, b"picture")
    assert found.headers["content-type"] == "image/png"
    assert found.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", [
    "../secret.png", "..%2Fsecret.png", "%2e%2e/secret.png", "..%5Csecret.png", "%2Fetc%2Fpasswd", "linked.png",
    "unlisted.png", "elm.svg", "gone.png", "%00", "ash.png%00", ".", "..", "x" * 300 + ".png", "ASH.PNG",
])  # fmt: skip
def test_nothing_else_does(pictures, name):
    client, id = pictures
    assert client.get(f"/studies/{id}/images/{name}").status_code in (404, 307, 303)
    assert b"secret" not in client.get(f"/studies/{id}/images/{name}", follow_redirects=True).content


def test_without_a_folder_there_are_no_images(client):
    id = make(client, {"name": "Trees", "space": ITEMS, "display": {"image": "file"}})
    check_problem(client.get(f"/studies/{id}/images/ash.png"), 404)
    check_problem(client.get(f"/studies/{make(client)}/images/ash.png"), 404)


def test_an_image_that_was_sent_is_served_as_what_it_is(client):
    content = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x06 and more"
    sent = {"ash.png": f"data:image/png;base64,{b64encode(content).decode()}"}
    id = make(client, {"name": "Trees", "space": ITEMS, "display": {"image": "file", "pictures": sent}})
    found = client.get(f"/studies/{id}/images/ash.png")
    assert (found.status_code, found.content) == (200, content)
    assert found.headers["content-type"] == "image/png"
    assert found.headers["x-content-type-options"] == "nosniff"
    check_problem(client.get(f"/studies/{id}/images/elm.svg"), 404)
