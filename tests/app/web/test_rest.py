"""The REST interface, route by route: what it gives, and how it fails."""

import json

import pytest
from servers import DESIGN, ITEMS, QUICK, answer, check_problem, make, server

from anchorpbo.app.scheduler.jobs import make_ask_timeout_error
from anchorpbo.app.service.duels import DuelService
from anchorpbo.app.web.schemas import (
    CATALOGUE_EXAMPLE,
    COMPARISONS_EXAMPLE,
    DUEL_EXAMPLE,
    RECOMMENDATION_EXAMPLE,
    STUDY_EXAMPLE,
    export_example,
)


@pytest.fixture
def client():
    return server()[1]


@pytest.fixture
def id(client):
    return make(client)


# -- studies ----------------------------------------------------------------------------------------------------------


def test_a_study_is_made_listed_shown_and_deleted(client):
    response = client.post("/api/studies", json=STUDY_EXAMPLE)
    assert response.status_code == 201
    made = response.json()
    assert response.headers["location"] == f"/api/studies/{made['id']}"
    assert client.get(response.headers["location"]).json() == made
    assert [line["id"] for line in client.get("/api/studies").json()] == [made["id"]]
    assert made["participants"] == ["owner"]
    gone = client.delete(f"/api/studies/{made['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert client.get("/api/studies").json() == []
    check_problem(client.get(f"/api/studies/{made['id']}"), 404)


def test_the_whole_loop(client):
    id = make(client, STUDY_EXAMPLE)
    duel = client.post(f"/api/studies/{id}/ask").json()
    assert {"id", "first", "second", "why"} <= set(duel)
    assert client.post(f"/api/studies/{id}/ask", json={}).json() == duel
    given = {"duel_id": duel["id"], "outcome": "first", "response_ms": 2400}
    first = client.post(f"/api/studies/{id}/answers", json=given)
    again = client.post(f"/api/studies/{id}/answers", json=given)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["next"] is None
    with_next = client.post(f"/api/studies/{id}/answers", json={**given, "ask": True}).json()
    assert with_next["repeated"]
    assert with_next["next"] == client.post(f"/api/studies/{id}/ask").json() != duel
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    body = check_problem(client.post(f"/api/studies/{id}/answers", json={**given, "outcome": "second"}), 409)
    assert "already answered" in body["detail"]
    assert client.get(f"/api/studies/{id}/recommendation").json()["answers"] == 1
    assert client.get(f"/api/studies/{id}/recommendation", params={"risk_weight": 0}).json()["risk_weight"] == 0
    assert client.get(f"/api/studies/{id}/map").json()["answers"] == 1
    assert client.get(f"/api/studies/{id}/convergence").json() == [None]
    undone = client.post(f"/api/studies/{id}/undo").json()
    assert undone["pending"]["id"] == duel["id"]
    assert client.post(f"/api/studies/{id}/undo", json={"event": first.json()["event"]}).json()["repeated"] is True
    check_problem(client.post(f"/api/studies/{id}/undo", json={"event": 1}), 409)
    check_problem(client.post(f"/api/studies/{id}/undo", json={"event": 0}), 422)
    assert client.post(f"/api/studies/{id}/ask").json()["id"] == duel["id"]
    check_problem(client.get(f"/api/studies/{id}/recommendation"), 409)


def test_an_answer_is_asked_again_by_its_number(client):
    id = make(client, STUDY_EXAMPLE)
    duel = client.post(f"/api/studies/{id}/ask").json()
    event = client.post(f"/api/studies/{id}/answers", json={"duel_id": duel["id"], "outcome": "first"}).json()["event"]
    again = client.post(f"/api/studies/{id}/ask", json={"again": event}).json()
    assert (again["first"], again["second"]) == (duel["second"], duel["first"])
    assert client.post(f"/api/studies/{id}/ask").json()["id"] == again["id"]
    check_problem(client.post(f"/api/studies/{id}/ask", json={"again": 99}), 404)
    for wrong in (0, -1, "x", 1.5):
        check_problem(client.post(f"/api/studies/{id}/ask", json={"again": wrong}), 422)


def test_a_question_checks_the_anchors(client, id):
    url = f"/api/studies/{id}"
    check_problem(client.post(f"{url}/ask", json={"check": True}), 422)
    assert client.post(f"{url}/anchors", json={"design": DESIGN}).status_code == 201
    check = client.post(f"{url}/ask", json={"check": True}).json()
    assert check["why"] == "This question checks your anchors; answer it like any other."
    assert client.post(f"{url}/ask").json()["id"] == check["id"]
    assert client.post(f"{url}/answers", json={"duel_id": check["id"], "outcome": "first"}).status_code == 200
    found = client.get(f"{url}/anchors/validation").json()
    assert (found["anchors"], found["verdict"], found["strengths"], found["explanation"]) == (1, "open", [], "")
    check_problem(client.post(f"{url}/ask", json={"check": True, "again": 1}), 422)


@pytest.mark.parametrize("changes", [{"archived": "yes"}, {"archived": 1}, {"name": ""}, {"name": None}])
def test_an_edit_of_the_wrong_type_is_refused(client, changes):
    id = make(client, STUDY_EXAMPLE)
    check_problem(client.patch(f"/api/studies/{id}", json=changes), 422)
    assert client.get(f"/api/studies/{id}").json()["name"] == STUDY_EXAMPLE["name"]


def test_the_routes_that_are_promised_are_there(client):
    paths = client.get("/openapi.json").json()["paths"]
    promised = {
        "/api/studies": {"get", "post"}, "/api/studies/{id}": {"get"}, "/api/studies/{id}/ask": {"post"},
        "/api/studies/{id}/answers": {"post"}, "/api/studies/{id}/undo": {"post"},
        "/api/studies/{id}/anchors": {"get", "post", "patch", "delete"}, "/api/studies/{id}/recommendation": {"get"},
        "/api/studies/{id}/assessment": {"get"},
        "/api/studies/{id}/audit": {"get"}, "/api/studies/{id}/anchors/validation": {"get"},
        "/api/studies/{id}/map": {"get"}, "/api/studies/{id}/figures/{name}": {"get"},
        "/api/studies/{id}/export": {"get"}, "/api/studies/import": {"post"},
    }  # fmt: skip
    for path, methods in promised.items():
        assert methods <= set(paths[path]), path


def test_every_route_says_no_to_an_unknown_study(client):
    bodies = {
        "answers": {"duel_id": "x", "outcome": "first"}, "anchors": {"design": DESIGN}, "comments": {"text": "x"},
        "participants": {"name": "x"}, "link": {"name": "x"}, "cards": {"designs": [DESIGN]},
    }  # fmt: skip
    for path, item in client.get("/openapi.json").json()["paths"].items():
        if "{id}" not in path:
            continue
        for method in item:
            address = path.replace("{id}", "nowhere").replace("{name}", "slices")
            if method == "patch":
                design = {"design": DESIGN} if path.endswith("/anchors") else {}
                check_problem(client.patch(address, json={"name": "x"} | design), 404)
                continue
            name = path.rsplit("/", 1)[-1]
            options = {"json": bodies[name]} if name in bodies and method in ("post", "delete") else {}
            options = {"content": "winner,loser\na,b"} if name == "comparisons" else options
            options |= {"params": {"name": "x"}} if (method, name) == ("delete", "participants") else {}
            check_problem(client.request(method, address, **options), 404)


def test_a_study_is_edited_archived_and_duplicated(client, id):
    url = f"/api/studies/{id}"
    edited = client.patch(url, json={"name": "Tea, second batch", "question": "Which cup?"}).json()
    assert (edited["name"], edited["question"]) == ("Tea, second batch", "Which cup?")
    assert client.patch(url, json={"archived": True}).json()["archived"] is True
    assert [one["archived"] for one in client.get("/api/studies").json() if one["id"] == id] == [True]
    copy = client.post(f"{url}/duplicate")
    assert copy.status_code == 201
    assert copy.headers["location"] == f"/api/studies/{copy.json()['id']}"
    assert (copy.json()["name"], copy.json()["archived"]) == ("Tea, second batch (copy)", False)
    assert 'filename="tea-second-batch.html"' in client.get(f"{url}/report").headers["content-disposition"]


@pytest.mark.parametrize("body", [{"name": ""}, {"name": None}, {"space": {}}, {"archived": "perhaps"}, [], None])
def test_a_bad_edit_is_refused(client, id, body):
    before = client.get(f"/api/studies/{id}").json()
    check_problem(client.patch(f"/api/studies/{id}", json=body), 422)
    assert client.get(f"/api/studies/{id}").json() == before


# -- participants -----------------------------------------------------------------------------------------------------


def test_a_participant_is_named_in_the_body_or_in_the_address(client, id):
    url = f"/api/studies/{id}"
    invited = client.post(f"{url}/participants", json={"name": "Ana"})
    assert invited.status_code == 201
    assert invited.json()["link"].startswith(f"/join/{id}/")
    ana = {"participant": "Ana"}
    duel = client.post(f"{url}/ask", json=ana).json()
    assert client.post(f"{url}/ask", params=ana).json() == duel
    assert client.post(f"{url}/ask", params=ana, json=ana).json() == duel
    assert client.post(f"{url}/ask").json()["id"] != duel["id"]
    given = {"duel_id": duel["id"], "outcome": "tie"}
    check_problem(client.post(f"{url}/answers", json=given), 404)
    assert client.post(f"{url}/answers", params=ana, json=given).json()["repeated"] is False
    assert client.post(f"{url}/answers", json=given | ana).json()["repeated"] is True
    assert client.post(f"{url}/undo", params=ana).json()["event"]["participant"] == "Ana"
    check_problem(client.post(f"{url}/undo", json=ana), 409)
    marked = [{"design": DESIGN, "name": None, "judgement": "yes"}]
    marked = [{"design": DESIGN, "name": None, "judgement": "yes"}]
    assert client.post(f"{url}/anchors", params=ana, json={"design": DESIGN}).json()["anchors"] == marked
    assert client.get(f"{url}/anchors").json() == {"anchors": [], "last": None}
    assert client.get(f"{url}/anchors", params=ana).json()["anchors"] == marked
    assert client.request("DELETE", f"{url}/anchors", params=ana, json={"design": DESIGN}).json()["anchors"] == []
    assert client.post(f"{url}/comments", params=ana, json={"text": "hot"}).json()["participant"] == "Ana"
    for path in ("history", "map", "convergence", "assessment", "audit", "anchors/validation"):
        assert client.get(f"{url}/{path}", params=ana).status_code == 200
    check_problem(client.post(f"{url}/ask", params=ana, json={"participant": "owner"}), 422)
    for path in (
        "history",
        "anchors",
        "map",
        "recommendation",
        "convergence",
        "assessment",
        "audit",
        "anchors/validation",
    ):
        check_problem(client.get(f"{url}/{path}", params={"participant": "nobody"}), 404)
    names = [one["name"] for one in client.get(f"{url}/participants").json()]
    assert names == ["owner", "Ana"]
    assert client.get(f"{url}/agreement").json()["participants"] == []


def test_anchors_are_removed_with_a_body_or_without(client, id):
    url = f"/api/studies/{id}/anchors"
    for options in ({"json": {"design": DESIGN}}, {"params": {"design": json.dumps(DESIGN)}}):
        assert client.post(url, json={"design": DESIGN}).status_code == 201
        response = client.request("DELETE", url, **options)
        assert (response.status_code, response.json()["anchors"]) == (200, [])
    check_problem(client.delete(url), 422)
    check_problem(client.request("DELETE", url, json={"design": DESIGN}, params={"design": json.dumps(DESIGN)}), 422)
    for wrong in ("{", "[]", "1", "[" * 5000, '{"minutes": NaN, "leaf": "green"}', "{}"):
        check_problem(client.delete(url, params={"design": wrong}), 422)


def test_proposals_are_answered_with_a_judgement(client, id):
    url = f"/api/studies/{id}/anchors"
    proposals = client.get(f"{url}/proposals", params={"n": 3}).json()
    assert [set(one) for one in proposals] == [{"design", "reason", "gain", "sentence"}] * 3
    assert all(one["reason"] == "coverage" and 0.0 <= one["gain"] <= 1.0 for one in proposals)
    check_problem(client.get(f"{url}/proposals", params={"n": 51}), 422)
    designs = [one["design"] for one in proposals]
    for design, judgement in zip(designs, ("yes", "no", "unsure"), strict=True):
        assert client.post(url, json={"design": design, "judgement": judgement}).status_code == 201
    marks = client.get(url).json()["anchors"]
    assert marks == [
        {"design": design, "name": None, "judgement": judgement}
        for design, judgement in zip(designs, ("yes", "no", "unsure"), strict=True)
    ]
    assert client.post(url, json={"design": designs[1]}).json()["anchors"][-1]["judgement"] == "yes"
    check_problem(client.post(url, json={"design": designs[1], "judgement": "bad"}), 422)
    assert not any(one["design"] in designs for one in client.get(f"{url}/proposals").json())


# -- files ------------------------------------------------------------------------------------------------------------


def test_an_export_comes_as_a_file_and_back(client, id):
    answer(client, id)
    response = client.get(f"/api/studies/{id}/export")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-disposition"] == 'attachment; filename="tea.json"'
    copied = client.post("/api/studies/import", json=response.json())
    assert copied.status_code == 201
    other = copied.json()["id"]
    assert client.post(f"/api/studies/{other}/ask").json() == client.post(f"/api/studies/{id}/ask").json()
    table = client.get(f"/api/studies/{id}/export", params={"format": "csv"})
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.text.startswith("number,time,participant,type")
    check_problem(client.get(f"/api/studies/{id}/export", params={"format": "xml"}), 422)
    # What a page shows at a risk weight of its own can be taken along, and does not disturb an import.
    found = client.get(f"/api/studies/{id}/recommendation", params={"risk_weight": 7}).json()
    export = client.get(f"/api/studies/{id}/export", params={"risk_weight": 7}).json()
    assert export.pop("recommendation") == {"participant": "owner", **found}
    assert export == client.get(f"/api/studies/{id}/export").json()
    assert client.post("/api/studies/import", json={**export, "recommendation": found}).status_code == 201
    assert "<b>7</b>" in client.get(f"/api/studies/{id}/report", params={"risk_weight": 7}).text
    check_problem(client.get(f"/api/studies/{id}/report", params={"risk_weight": -1}), 422)
    check_problem(client.post("/api/studies/import", json={"study": {}, "events": []}), 422)


@pytest.mark.parametrize("type_", ["text/csv", "application/json", "application/octet-stream", None])
def test_tables_are_read_whatever_they_are_called(client, type_):
    id = make(client, STUDY_EXAMPLE)
    headers = {"Content-Type": type_} if type_ else {}
    response = client.post(f"/api/studies/{id}/comparisons", content=COMPARISONS_EXAMPLE, headers=headers)
    assert (response.status_code, response.json()) == (201, {"imported": 1})
    view = client.post("/api/catalogue", content=CATALOGUE_EXAMPLE, headers=headers)
    assert view.status_code == 200
    made = {"name": "Trees", "space": view.json()["space"], "display": view.json()["display"]}
    assert client.post("/api/studies", json=made).status_code == 201
    check_problem(client.post("/api/catalogue", content=b"\xff\xfe", headers=headers), 422)
    check_problem(client.post(f"/api/studies/{id}/comparisons", content="", headers=headers), 422)


# -- requests that are wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "{", "null", "[]", "1", '"x"', "{}", '{"name": "x"}', '{"name": NaN, "space": {}}',
        json.dumps(QUICK)[:-1] + ', "more": 1}',
        json.dumps(QUICK).replace("9.0", "NaN"), json.dumps(QUICK).replace("9.0", "Infinity"),
        json.dumps(QUICK).replace("9.0", "1e999"), json.dumps(QUICK).replace('"seed": 3', '"seed": 1' + "0" * 400),
        json.dumps(QUICK).replace("Tea", "\\ud800"), json.dumps(QUICK).replace("black", "\\ud800"),
        json.dumps(QUICK).replace("black", "\\u0000"), json.dumps(QUICK).replace("minutes", "\\udfff"),
        json.dumps(QUICK).replace('"black"', "[" * 40 + "]" * 40),
        json.dumps(QUICK).replace("Tea", "T" * 100_000),
        json.dumps({**QUICK, "options": {"preset": "T" * 100_000}}),
        json.dumps({**QUICK, "T" * 100_000: 1}),
    ],
    ids=range(21),
)  # fmt: skip
def test_a_request_that_is_wrong_is_refused_and_nothing_is_kept(client, body):
    response = client.post("/api/studies", content=body, headers={"Content-Type": "application/json"})
    problem = check_problem(response, 422)
    assert len(response.content) < 5_000
    assert "input" not in problem
    assert client.get("/api/studies").json() == []


@pytest.mark.parametrize("body", [
    json.dumps(QUICK).replace('"seed": 3', '"seed": 1' + "0" * 5000).encode(),  # too long for Python to read
    b"\xff\xfe\xfd",
    json.dumps(QUICK).replace('"black"', "[" * 100_000 + "]" * 100_000).encode(),
])  # fmt: skip
def test_a_body_that_cannot_be_read_is_a_problem(client, body):
    response = client.post("/api/studies", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    check_problem(response, response.status_code)


@pytest.mark.parametrize("depth", [30, 100, 500, 800, 900, 930, 950, 970, 990, 1000])
def test_depth_is_refused_wherever_it_is(client, id, depth):
    deep = "[" * depth + "]" * depth
    headers = {"Content-Type": "application/json"}
    for path, body in [
        ("/api/studies", json.dumps(QUICK).replace('"black"', deep)),
        ("/api/studies/import", f'{{"study": {{"name": "x", "engine": {deep}}}, "events": {deep}}}'),
        (f"/api/studies/{id}/anchors", f'{{"design": {{"minutes": {deep}, "leaf": "green"}}}}'),
        (f"/api/studies/{id}/cards", f'{{"designs": [{{"minutes": {deep}}}]}}'),
    ]:  # fmt: skip
        response = client.post(path, content=body, headers=headers)
        assert response.status_code in (400, 422), (path, response.text)
        check_problem(response, response.status_code)


@pytest.mark.parametrize("given", [
    {"duel_id": "x", "outcome": "third"}, {"outcome": "first"}, {"duel_id": "", "outcome": "first"},
    {"duel_id": "x", "outcome": "first", "response_ms": -1}, {"duel_id": "x", "outcome": "first", "response_ms": 2**80},
    {"duel_id": "x", "outcome": "first", "more": 1}, {"duel_id": "x", "outcome": "first", "participant": ""},
])  # fmt: skip
def test_an_answer_that_is_wrong_is_refused(client, id, given):
    check_problem(client.post(f"/api/studies/{id}/answers", json=given), 422)


def test_duels_that_are_not_out_are_a_404_or_a_409(client, id):
    check_problem(client.post(f"/api/studies/{id}/answers", json={"duel_id": "x", "outcome": "first"}), 404)
    answer(client, id)
    old = client.post(f"/api/studies/{id}/ask").json()["id"]
    client.post(f"/api/studies/{id}/undo")
    check_problem(client.post(f"/api/studies/{id}/answers", json={"duel_id": old, "outcome": "first"}), 409)


@pytest.mark.parametrize("params", [
    {"x": "colour"}, {"x": "leaf", "y": "leaf"}, {"at": "{"}, {"at": "[]"}, {"at": '{"minutes": NaN, "leaf": "green"}'},
    {"at": "[" * 10_000}, {"at": "x" * 20_001}, {"x": "x" * 201}, {"participant": ""},
])  # fmt: skip
def test_a_map_that_is_wrong_is_refused(client, id, params):
    check_problem(client.get(f"/api/studies/{id}/map", params=params), 422)
    assert client.get(f"/api/studies/{id}/map", params={"at": json.dumps(DESIGN), "x": "leaf"}).status_code == 200


@pytest.mark.parametrize("weight", ["nan", "inf", "-1", "1e999", "x"])
def test_a_risk_weight_is_a_number(client, id, weight):
    check_problem(client.get(f"/api/studies/{id}/recommendation", params={"risk_weight": weight}), 422)


def test_ways_and_methods_that_there_are_not(client, id):
    check_problem(client.get("/api/nothing"), 404)
    refused = client.put(f"/api/studies/{id}")
    check_problem(refused, 405)
    assert "GET" in refused.headers["allow"]
    for strange in ("%00", "%ff", "a%2Fb", "..%2F..", "x" * 5000, "%F0%9F%8E%BB"):
        check_problem(client.get(f"/api/studies/{strange}"), 404)


def test_cards_are_designs_as_people_see_them(client, id):
    cards = client.post(f"/api/studies/{id}/cards", json={"designs": [DESIGN]}).json()
    assert [row["name"] for row in cards[0]["rows"]] == ["minutes", "leaf"]
    check_problem(client.post(f"/api/studies/{id}/cards", json={"designs": [DESIGN] * 501}), 422)


# -- errors that nobody foresaw, and people ---------------------------------------------------------------------------


def test_an_error_that_nobody_foresaw_is_a_problem_too(client, id, monkeypatch, caplog):
    def broken(*arguments):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(client.app.state.studies.duels, "ask", broken)
    body = check_problem(client.post(f"/api/studies/{id}/ask"), 500)
    assert "secret detail" not in str(body)
    assert "unexpected error on POST /api/studies/{id}/ask" in caplog.text


def test_programs_branch_on_the_code_and_the_field_of_an_error(client, id):
    a = {"name": "a", "kind": "real", "low": 0, "high": 1}

    def check(status, **request):
        body = check_problem(client.post("/api/studies/check", json={"name": "S", **request}), status)
        return body["code"], body.get("field")

    def space(*constraints):
        return {"kind": "space", "parameters": [a, a | {"name": "b"}], "constraints": list(constraints)}

    assert check(422, space=space("a b")) == ("input", "space.constraints.0")
    assert check(422, space=space("a + b <= -1")) == ("input", "space.constraints")
    assert check(422, space=space({"coefficients": {"c": 1}, "upper": 1})) == ("input", "space.constraints.0")
    assert check(422, space={"kind": "space", "parameters": [a, a]}) == ("input", "space.parameters.1.name")
    assert check(422, space=space(), display={"template": "<svg>{{ c }}</svg>"})[1] == "display.template"
    assert check(422, space=space(), display={"colour": 1}) == ("unknown_name", "display")
    assert check_problem(client.get("/api/studies/nowhere"), 404)["code"] == "unknown_study"
    assert check_problem(client.get("/api/nowhere"), 404)["code"] == "not_found"
    assert check_problem(client.post(f"/api/studies/{id}/undo"), 409)["code"] == "conflict"
    assert check_problem(client.post(f"/api/studies/{id}/answers", json={}), 422)["code"] == "request"


def test_a_browser_gets_a_page_and_a_program_a_problem(client):
    page = client.get("/studies/nowhere/duel", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>No such study</h1>" in page.text
    assert "This study does not exist or was deleted." in page.text
    page = client.get("/<script>alert(1)</script>", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "There is nothing at this address; check the link." in page.text
    assert "<script>alert" not in page.text
    check_problem(client.get("/studies/nowhere/duel"), 404)
    check_problem(client.get("/api/studies/nowhere", headers={"Accept": "text/html"}), 404)


# -- the description --------------------------------------------------------------------------------------------------


def test_the_example_of_a_study_works_wherever_it_is_found(client):
    openapi = client.get("/openapi.json").json()
    (in_schema,) = openapi["components"]["schemas"]["NewStudy"]["examples"]
    content = openapi["paths"]["/api/studies"]["post"]["requestBody"]["content"]["application/json"]
    (in_body,) = [example["value"] for example in content["examples"].values()]
    assert in_schema == in_body == STUDY_EXAMPLE
    id = make(client, in_body)
    assert client.post(f"/api/studies/{id}/ask").status_code == 200
    assert client.post("/api/studies/import", json=export_example()).status_code == 201


def test_examples_of_answers_have_the_keys_of_answers(client, id):
    assert set(client.post(f"/api/studies/{id}/ask").json()) == set(DUEL_EXAMPLE)
    assert set(client.post(f"/api/studies/{id}/ask").json()["progress"]) == set(DUEL_EXAMPLE["progress"])
    answer(client, id)
    assert set(client.get(f"/api/studies/{id}/recommendation").json()) == set(RECOMMENDATION_EXAMPLE)


def test_the_description_is_complete(client):
    openapi = client.get("/openapi.json").json()
    assert "HTTPValidationError" not in openapi["components"]["schemas"]
    for path, item in openapi["paths"].items():
        for method, operation in item.items():
            assert operation["description"], (method, path)
            assert {"401", "403", "404", "409", "413", "421", "422"} <= set(operation["responses"]), (method, path)
            for status, response in operation["responses"].items():
                assert response["description"]
                if int(status) >= 400:
                    assert list(response["content"]) == ["application/problem+json"]
                    assert response["content"]["application/problem+json"]["schema"]["$ref"].endswith("/Problem")
            body = operation.get("requestBody")
            if body is not None:
                (content,) = body["content"].values()
                assert "example" in content or "examples" in content or _has_example(openapi, content["schema"]), path


def _has_example(openapi, schema):
    options = [schema, *schema.get("anyOf", [])]
    named = [openapi["components"]["schemas"][one["$ref"].rsplit("/", 1)[-1]] for one in options if "$ref" in one]
    return any("examples" in one for one in named)


def test_a_catalogue_goes_through_the_loop_too(client):
    id = make(client, {"name": "Trees", "space": ITEMS, "display": {"title": "name"}})
    duel = answer(client, id, "second")
    assert duel["cards"][0]["title"] == duel["first"]["name"]
    assert client.get(f"/api/studies/{id}/map").json()["items"]["total"] == 5


def test_a_duel_that_takes_too_long_is_a_503_and_can_be_asked_for_again(client, id, monkeypatch):
    def ask(*_, **__):
        raise make_ask_timeout_error()

    monkeypatch.setattr(DuelService, "ask", ask)
    response = client.post(f"/api/studies/{id}/ask")
    check_problem(response, 503)
    assert response.json()["rule"] == "computing the next duel must take at most 30 s"
    assert response.json()["remedy"].startswith("ask again")
    monkeypatch.undo()
    assert client.post(f"/api/studies/{id}/ask").status_code == 200
