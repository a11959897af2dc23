"""A server behind a real nginx: one that passes requests on as if they were its own, and the one that is documented."""

import http.client
import json
import re
import urllib.parse
from pathlib import Path

import pytest

from support.nginx_server import running_nginx
from support.server_process import STUDY, Server

TOKEN = "only-the-owner-knows-this-long-one"
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "deploy.md"


class PlainServer(Server):
    """`anchorpbo serve` as most people start it: nothing is said of tokens."""

    def __init__(self, folder):
        self.folder = folder
        super().__init__(f"sqlite:///{folder / 'studies.db'}")
        self.arguments = ()

    @property
    def token(self):
        path = self.folder / "token"
        return path.read_text("ascii").strip() if path.exists() else None

    @token.setter
    def token(self, value):
        pass  # it is the one in the file


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    patch, folder = pytest.MonkeyPatch(), tmp_path_factory.mktemp("plain")
    patch.delenv("ANCHORPBO_TOKEN", raising=False)
    patch.setenv("ANCHORPBO_HOME", str(folder))
    with PlainServer(folder) as server:
        yield server
    patch.undo()


@pytest.fixture(scope="module")
def bare(plain):
    """The port of an nginx with nothing but ``proxy_pass``: it sends ``Host: 127.0.0.1`` and says of nobody."""
    with running_nginx(f"location / {{ proxy_pass http://127.0.0.1:{plain.port}; }}") as port:
        yield port


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server with the name and a token of its own, as in the documentation."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ANCHORPBO_TOKEN", TOKEN)
    url = f"sqlite:///{tmp_path_factory.mktemp('guarded') / 'studies.db'}"
    with Server(url, "--name", "studies.example.org") as server:
        yield server
    patch.undo()


@pytest.fixture(scope="module")
def documented(guarded):
    """The port of an nginx with the ``location`` block of the documentation."""
    block = re.search(r"location / \{.*?\n    \}", PAGE.read_text("utf-8"), re.DOTALL)[0]
    assert "127.0.0.1:8000" in block
    with running_nginx(block.replace("127.0.0.1:8000", f"127.0.0.1:{guarded.port}")) as port:
        yield port


def send(port, method, path, body=None, sender="127.0.0.1", **headers):
    """Status, headers and body of what comes back."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(sender, 0))
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    found = response.status, response.headers, response.read().decode()
    connection.close()
    return found


def test_strangers_do_not_come_in_through_a_bare_proxy(plain, bare):
    study = plain.post("/api/studies", STUDY)["id"]
    for host in ("127.0.0.1", "studies.example.org", "anything.example"):  # the proxy puts its own in its place
        for method, path in [("GET", "/api/studies"), ("GET", f"/api/studies/{study}/export"), ("GET", "/"),
                             ("POST", f"/api/studies/{study}/ask"), ("DELETE", f"/api/studies/{study}")]:  # fmt: skip
            assert send(bare, method, path, Host=host)[0] == 401
    status, _, text = send(bare, "GET", "/api/studies", Authorization=f"Bearer {plain.token}")
    assert (status, [one["id"] for one in json.loads(text)]) == (200, [study])


def test_without_a_token_a_bare_proxy_lets_strangers_in(tmp_path, monkeypatch):
    # What --no-token warns of: nothing in such a request tells it from one of this machine.
    monkeypatch.delenv("ANCHORPBO_TOKEN", raising=False)
    with (
        Server(f"sqlite:///{tmp_path / 'studies.db'}") as server,
        running_nginx(f"location / {{ proxy_pass http://127.0.0.1:{server.port}; }}") as port,
    ):
        assert send(port, "GET", "/api/studies", Host="anything.example")[0] == 200
        assert send(port, "GET", "/api/studies", X_Forwarded_For="203.0.113.7")[0] == 403


def test_the_documented_proxy_lets_in_the_owner_and_participants(guarded, documented):
    host = {"Host": "studies.example.org"}
    assert send(documented, "GET", "/api/studies", **host)[0] == 401
    assert send(documented, "GET", "/login", Host="anything.example")[0] == 421
    form = {"Content_Type": "application/x-www-form-urlencoded", **host}
    status, headers, _ = send(documented, "POST", "/login", urllib.parse.urlencode({"token": TOKEN}), **form)
    assert (status, headers["location"]) == (303, "/")
    owner = headers["set-cookie"].split(";")[0]
    assert send(documented, "GET", "/api/studies", Cookie=owner, **host)[0] == 200
    study = guarded.post("/api/studies", STUDY)["id"]
    link = guarded.post(f"/api/studies/{study}/participants", {"name": "Ana"})["link"]
    status, headers, _ = send(documented, "GET", link, **host)
    ana = headers["set-cookie"].split(";")[0]
    status, _, text = send(documented, "POST", f"/api/studies/{study}/ask", "{}", Cookie=ana,
                           Content_Type="application/json", **host)  # fmt: skip
    assert (status, bool(json.loads(text)["id"])) == (200, True)
    stream = http.client.HTTPConnection("127.0.0.1", documented, timeout=60)
    stream.request("GET", f"/api/studies/{study}/stream", headers={"Cookie": ana, **host})
    assert stream.getresponse().readline() == b"event: ready\n"
    stream.close()


def test_wrong_tokens_through_the_documented_proxy_count_for_their_sender(documented):
    host = {"Host": "studies.example.org"}

    def attempt(sender, says):
        wrong = {"Authorization": "Bearer wrong", "X_Forwarded_For": says, **host}
        return send(documented, "GET", "/api/studies", sender=sender, **wrong)

    # What a sender says of itself is not believed: the proxy adds the address it really has.
    assert [attempt("127.0.0.7", f"203.0.113.{n}")[0] for n in range(10)] == [401] * 10
    status, headers, text = next(
        found for n in range(200) if (found := attempt("127.0.0.7", f"203.0.113.{n}"))[0] != 401
    )
    assert (status, json.loads(text)["status"]) == (429, 429)
    assert int(headers["retry-after"]) >= 1
    assert attempt("127.0.0.8", "203.0.113.1")[0] == 401
    right = {"Authorization": f"Bearer {TOKEN}", **host}
    assert send(documented, "GET", "/api/studies", sender="127.0.0.7", **right)[0] == 200
