"""Servers in memory, and studies on them, that the tests of `anchorpbo.app.web` share."""

from fastapi.testclient import TestClient

from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.app.web import Settings, make_app

BASE = "http://127.0.0.1:8000"
QUICK = {
    "name": "Tea",
    "space": {
        "kind": "space",
        "parameters": [
            {"name": "minutes", "kind": "real", "low": 1.0, "high": 9.0},
            {"name": "leaf", "kind": "categorical", "values": ["green", "black"]},
        ],
    },
    "options": {"strategy": "ei", "inference": "laplace", "initial": 2, "seed": 3},
}
"""A study that is cheap to ask."""
ITEMS = {
    "kind": "catalogue",
    "columns": [
        {"name": "name", "values": ["Ash", "Birch", "Elm", "Oak", "Pine"]},
        {"name": "price", "values": [5.0, 12.5, 9.0, 19.0, 7.5]},
        {"name": "file", "values": ["ash.png", "../secret.png", "elm.svg", "linked.png", "gone.png"]},
    ],
    "features": ["price"],
    "key": "name",
}
DESIGN = {"minutes": 3.0, "leaf": "green"}
TOKEN = "a-long-secret-that-only-the-owner-knows"


def server(storage=None, settings=None):
    """An app, and someone who talks to it; errors that nobody foresaw are answered as they would be."""
    app = make_app(storage or MemoryStorage(), settings)
    return app, TestClient(app, base_url=BASE, raise_server_exceptions=False, follow_redirects=False)


def with_token(storage=None, **settings):
    return server(storage, Settings(token=TOKEN, **settings))


def bearer(token=TOKEN):
    return {"Authorization": f"Bearer {token}"}


def make(client, request=QUICK, **options):
    response = client.post("/api/studies", json=request, **options)
    assert response.status_code == 201, response.text
    return response.json()["id"]


def answer(client, id, outcome="first", **options):
    """Ask and answer once; return the duel."""
    duel = client.post(f"/api/studies/{id}/ask", **options).json()
    given = {"duel_id": duel["id"], "outcome": outcome}
    response = client.post(f"/api/studies/{id}/answers", json=given, **options)
    assert response.status_code == 200, response.text
    return duel


def check_problem(response, status):
    """One shape for every error."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert {"type", "title", "status", "detail", "code"} <= set(body) <= {*_PARTS}, body
    assert body["status"] == status
    assert body["detail"]
    assert all(isinstance(body[name], str) for name in body if name not in ("status", "value"))
    return body


_PARTS = ("type", "title", "status", "detail", "code", "field", "value", "rule", "received", "remedy")
