"""Routes for the time before there is a study: examples, and the check of what is being written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from anchorpbo.app.examples import EXAMPLES
from anchorpbo.app.storage import open_storage
from anchorpbo.app.web import Settings, make_app
from anchorpbo.app.web.pages import STATIC

TEMPLATES = STATIC.parent / "templates"
REAL = {"name": "a", "kind": "real", "low": 0, "high": 10}
WHOLE = {"name": "b", "kind": "integer", "low": 1, "high": 5}
LEVELS = {"name": "c", "kind": "ordinal", "values": ["low", "middle", "high"]}


def client(**settings: Any) -> TestClient:
    app = make_app(open_storage("memory"), Settings(**settings))
    return TestClient(app, base_url="http://localhost")


@pytest.fixture
def web() -> Iterator[TestClient]:
    with client() as one:
        yield one


def body(*parameters: dict[str, Any], constraints: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    space = {"kind": "space", "parameters": list(parameters), "constraints": constraints or []}
    return {"name": "Trial", "space": space, **more}


def check(web: TestClient, *parameters: dict[str, Any], **more: Any) -> Any:
    response = web.post("/api/studies/check", json=body(*parameters, **more))
    assert response.status_code == 200, response.text
    return response.json()


def refused(web: TestClient, request: dict[str, Any]) -> str:
    response = web.post("/api/studies/check", json=request)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    detail = response.json()["detail"]
    assert isinstance(detail, str)
    return detail


# -- examples ---------------------------------------------------------------------------------------------------------


def test_examples_are_listed_in_their_order(web: TestClient) -> None:
    listed = web.get("/api/examples").json()
    assert [one["key"] for one in listed] == list(EXAMPLES)
    assert all(one.keys() == {"key", "title", "description"} and one["description"] for one in listed)


@pytest.mark.parametrize("key", list(EXAMPLES))
def test_an_example_becomes_a_study_that_asks(web: TestClient, key: str) -> None:
    made = web.post(f"/api/examples/{key}")
    assert made.status_code == 201
    study = made.json()
    assert made.headers["location"] == f"/api/studies/{study['id']}"
    assert (study["example"], study["name"]) == (key, EXAMPLES[key].title)
    assert web.post(f"/api/studies/{study['id']}/ask").status_code == 200


def test_an_unknown_example_is_not_found(web: TestClient) -> None:
    response = web.post("/api/examples/tea")
    assert response.status_code == 404
    assert "an example must be one of coffee, molecules, poster" in response.json()["detail"]
    assert web.get("/api/studies").json() == []


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/examples"), ("POST", "/api/examples/coffee"), ("POST", "/api/studies/check")]
)
def test_strangers_and_participants_are_kept_out(method: str, path: str) -> None:
    with client(token="secret") as web:
        sent = {"json": body(REAL)} if path.endswith("check") else {}
        assert web.request(method, path, **sent).status_code == 401
        owner = {"Authorization": "Bearer secret"}
        study = web.post("/api/studies", json=body(REAL), headers=owner).json()["id"]
        link = web.post(f"/api/studies/{study}/participants", json={"name": "Ana"}, headers=owner).json()["link"]
        web.get(link, follow_redirects=False)
        assert web.request(method, path, **sent).status_code == 403


# -- the check --------------------------------------------------------------------------------------------------------


def test_a_check_keeps_nothing(web: TestClient) -> None:
    assert check(web, REAL)["ok"] is True
    assert web.get("/api/studies").json() == []


def test_designs_are_counted_where_they_can_be(web: TestClient) -> None:
    assert check(web, REAL, WHOLE)["designs"] is None
    assert check(web, WHOLE, LEVELS)["designs"] == 15
    many = [{**WHOLE, "name": f"w{i}"} for i in range(10)]
    assert check(web, *many)["designs"] == 5**10
    assert check(web, *many, constraints=["w0 + w1 <= 4"])["designs"] is None
    two = check(web, many[0], many[1], constraints=["w0 + w1 <= 4"])
    assert (two["designs"], two["dimension"]) == (6, 2)


def test_constraints_are_read_from_text_and_given_back_as_a_study_takes_them(web: TestClient) -> None:
    found = check(web, REAL, WHOLE, constraints=["2*a + b <= 10", {"coefficients": {"b": 1}, "lower": 2}])
    assert found["constraints"] == [
        {"coefficients": {"a": 2.0, "b": 1.0}, "lower": None, "upper": 10.0},
        {"coefficients": {"b": 1.0}, "lower": 2.0, "upper": None},
    ]
    made = web.post("/api/studies", json=body(REAL, WHOLE, constraints=found["constraints"]))
    assert made.status_code == 201
    assert made.json()["space"]["constraints"] == found["constraints"]


def test_names_in_text_are_spelt_as_the_space_has_them(web: TestClient) -> None:
    micro = {**REAL, "name": "\u00b5"}  # Python's parser reads the micro sign as the Greek letter
    assert check(web, micro, WHOLE, constraints=["\u00b5 + b <= 9"])["constraints"][0]["coefficients"].keys() == {
        "\u00b5",
        "b",
    }


def test_the_card_shows_the_design_in_the_middle(web: TestClient) -> None:
    display = {
        "labels": {"a": "Amount"},
        "units": {"a": "g"},
        "template": '<svg viewBox="0 0 9 9"><circle r="{{ a }}"/></svg>',
    }
    card = check(web, REAL, LEVELS, display=display)["card"]
    assert card["rows"] == [
        {"name": "a", "label": "Amount", "value": "5", "unit": "g"},
        {"name": "c", "label": "c", "value": "middle", "unit": ""},
    ]
    assert '<circle r="5"/>' in card["svg"]


def test_the_middle_keeps_to_the_constraints(web: TestClient) -> None:
    rows = check(web, REAL, WHOLE, constraints=["a <= 1"])["card"]["rows"]
    assert float(rows[0]["value"]) <= 1


def test_a_catalogue_is_checked_by_its_items(web: TestClient) -> None:
    columns = [{"name": "bean", "values": ["x", "y", "z"]}, {"name": "acid", "values": [1, 5, 9]}]
    space = {"kind": "catalogue", "columns": columns, "features": ["acid"]}
    response = web.post("/api/studies/check", json={"name": "Beans", "space": space, "display": {"title": "bean"}})
    found = response.json()
    assert (found["dimension"], found["designs"], found["constraints"]) == (1, 3, [])
    assert found["card"]["title"] == "y"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (body({**REAL, "low": 20}), "the lower end must be below the upper end"),
        (body({**REAL, "low": "12,5"}), "the lower end must be a number"),
        (body({**LEVELS, "values": ["one"]}), "at least two values"),
        (body(REAL, REAL), "a parameter must be given once"),
        (body(REAL, constraints=["a < 3"]), "use <="),
        (body(REAL, constraints=["a + q <= 3"]), "must use only parameters"),
        (body(REAL, constraints=["a >= 30"]), "at least one design must be allowed"),
        (body(REAL, constraints=["__import__('os')"]), "a comparison must have <=, >= or == in it"),
        (body(REAL, constraints=[3]), "a constraint must be an object"),
        (body(REAL, display={"template": "<svg><script/></svg>"}), "svg must have a viewBox"),
        (body(REAL, display={"units": {"q": "g"}}), "display.units must be one of a"),
        (body(REAL, options={"seed": -1}), "seed must be a whole number"),
        (body(REAL, options={"strategy": "best"}), "strategy must be one of"),
        ({"name": "x", "space": {"kind": "space", "parameters": 3, "constraints": ["a <= 1"]}}, "must be a list"),
        ({"name": "x", "space": {"kind": "space", "parameters": [3], "constraints": ["a <= 1"]}}, "must be an object"),
        ({"name": "x", "space": {}}, "a space must have the entry 'kind'"),
        ({"name": "x"}, "body.space: Field required"),
    ],
)
def test_what_is_wrong_is_said_in_the_usual_words(web: TestClient, request_: dict[str, Any], words: str) -> None:
    assert words in refused(web, request_)


@pytest.mark.parametrize(
    ("sent", "received"),
    [(b"rubbish", "a body that is not JSON at character 0"), (b'{"name": 3}', "body.name: Input should be")],
)
def test_a_request_of_another_shape_is_told_rule_find_and_remedy(web: TestClient, sent: bytes, received: str) -> None:
    response = web.post("/api/studies/check", content=sent, headers={"content-type": "application/json"})
    found = response.json()
    assert response.status_code == 422
    assert received in found["received"]
    assert found["detail"] == f"{found['rule']}; received {found['received']}; {found['remedy']}."


def test_what_passes_the_check_can_be_made(web: TestClient) -> None:
    request = body(REAL, WHOLE, LEVELS, options={"preset": "paper", "strategy": "ei", "risk_weight": 0.5, "seed": 3})
    assert web.post("/api/studies/check", json=request).status_code == 200
    assert web.post("/api/studies", json=request).status_code == 201


# -- tables that are too large ----------------------------------------------------------------------------------------


def test_a_table_that_is_too_large_is_refused_by_its_announced_size(web: TestClient) -> None:
    headers = {"Content-Type": "text/csv", "Content-Length": str(200_000_000)}
    response = web.post("/api/catalogue", content=b"a,b\n1,2\n", headers=headers)
    assert response.status_code == 413
    assert "32 MB" in response.json()["detail"]


def test_the_check_takes_tables_as_large_as_a_study_does(web: TestClient) -> None:
    columns = [{"name": "text", "values": [f"{i:0>50000}" for i in range(50)]}, {"name": "x", "values": [*range(50)]}]
    space = {"kind": "catalogue", "columns": columns, "features": ["x"]}
    response = web.post("/api/studies/check", json={"name": "Long texts", "space": space})
    assert response.status_code == 200


# -- the pages --------------------------------------------------------------------------------------------------------


def test_the_home_page_explains_itself_until_there_is_a_study(web: TestClient) -> None:
    empty = web.get("/").text
    assert '<section id="welcome" class="welcome">' in empty
    assert '<p id="lead" class="quiet lead" hidden>' in empty
    web.post("/api/studies", json=body(REAL) | {"name": "<b>bold</b>"})
    full = web.get("/").text
    assert '<section id="welcome" class="welcome" hidden>' in full
    assert '<p id="lead" class="quiet lead">Mark the designs you know well, compare two at a time' in full
    assert "&lt;b&gt;bold&lt;/b&gt;" in full
    assert "<b>bold" not in full


@pytest.mark.parametrize("page", ["/", "/new"])
def test_pages_keep_to_the_policy(web: TestClient, page: str) -> None:
    text = web.get(page).text
    assert " style=" not in text
    assert "<style" not in text
    assert not [word for word in ("onclick=", "onload=", "onchange=", "javascript:") if word in text]
    assert text.count("<script") == text.count('<script type="module" src="/static/')


@pytest.mark.parametrize("file", [*sorted(STATIC.glob("new*.js")), STATIC / "home.js"], ids=lambda file: file.name)
def test_scripts_never_write_html(file: Path) -> None:
    text = file.read_text("utf-8")
    assert not [
        word for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write") if word in text
    ]
