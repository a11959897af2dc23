"""Every route of the description, with requests of all kinds: never a 5xx, and never an answer that is not described.

Ids of studies and duels are real ones half of the time. ANCHORPBO_SOAK_SECONDS makes it go on for longer.
"""

import copy
import json
import os
import time
from base64 import b64encode

import hypothesis
import pytest
import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from servers import ITEMS, QUICK, answer, make, server

from anchorpbo.app.definition import definition
from anchorpbo.app.definition.validation import MAX_CHOICES, MAX_CONSTRAINTS, MAX_PARAMETERS, MAX_ROWS, MAX_VALUES
from anchorpbo.app.rendering.pictures import MAX_PIXELS
from anchorpbo.app.web.schemas import STUDY_EXAMPLE
from anchorpbo.space import space as spaces
from anchorpbo.space.constraint_parser import MAX_TERMS
from support.corruption import spoilt
from support.hard_rules import hard_study

SOAK = float(os.environ.get("ANCHORPBO_SOAK_SECONDS", "0"))
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
APP, CLIENT = server()
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP, headers={"Host": "127.0.0.1:8000"})
OPERATIONS = [
    operation.ok() for operation in SCHEMA.get_all_operations() if not operation.ok().path.endswith("/stream")
]


@pytest.fixture(scope="module")
def ids():
    """Studies in all states: fresh, answered, of a list, with a duel out and someone else taking part."""
    found = [make(CLIENT, STUDY_EXAMPLE), make(CLIENT, QUICK), make(CLIENT, {"name": "Trees", "space": ITEMS})]
    for id in found[1:]:
        for outcome in ("first", "second", "tie", "skip"):
            answer(CLIENT, id, outcome)
        CLIENT.post(f"/api/studies/{id}/participants", json={"name": "Ana"})
        CLIENT.post(f"/api/studies/{id}/ask")
    return found


def _with_real_ids(data, case, ids):
    """Lead a request to something that exists."""
    if "id" in case.path_parameters and data.draw(st.booleans(), label="a real study"):
        id = data.draw(st.sampled_from(ids))
        case.path_parameters["id"] = id
        if isinstance(case.body, dict) and "duel_id" in case.body and data.draw(st.booleans(), label="a real duel"):
            duel = CLIENT.post(f"/api/studies/{id}/ask").json()
            if "id" in duel:
                case.body["duel_id"] = duel["id"]
        if isinstance(case.query, dict) and "participant" in case.query and data.draw(st.booleans()):
            case.query["participant"] = data.draw(st.sampled_from(["owner", "Ana"]))
        if isinstance(case.body, dict) and "design" in case.body and data.draw(st.booleans(), label="a real design"):
            case.body["design"] = CLIENT.get(f"/api/studies/{id}/anchors/proposals").json()[0]["design"]
    return case


def _run(operation, ids, examples, derandomize):
    deleting = operation.method.upper() == "DELETE" and operation.path == "/api/studies/{id}"

    @hypothesis.settings(
        max_examples=examples, derandomize=derandomize, deadline=None, database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )  # fmt: skip
    @hypothesis.given(data=st.data())
    def attempt(data):
        case = data.draw(operation.as_strategy())
        _with_real_ids(data, case, [make(CLIENT)] if deleting else ids)
        case.call_and_validate(checks=CHECKS, headers={"Host": "127.0.0.1:8000"})

    attempt()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_answer_is_one_that_is_described(operation, ids):
    _run(operation, ids, examples=20, derandomize=True)


@pytest.mark.skipif(not SOAK, reason="ANCHORPBO_SOAK_SECONDS is not set")
def test_the_same_for_longer(ids):
    end = time.monotonic() + SOAK
    while time.monotonic() < end:
        for operation in OPERATIONS:
            _run(operation, ids, examples=50, derandomize=False)


@hypothesis.settings(
    max_examples=60 if not SOAK else 2_000, derandomize=not SOAK, deadline=None, database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)  # fmt: skip
@hypothesis.given(st.data(), st.sampled_from([QUICK, STUDY_EXAMPLE, {"name": "Trees", "space": ITEMS}]))
def test_a_study_that_is_almost_right_works_or_is_refused(data, request):
    request = copy.deepcopy(request)
    for _ in range(data.draw(st.integers(1, 2))):
        spoilt(request, data.draw)
    headers = {"Content-Type": "application/json"}
    response = CLIENT.post("/api/studies", content=json.dumps(request), headers=headers)
    assert response.status_code in (201, 400, 422), response.text
    if response.status_code == 201:
        url = f"/api/studies/{response.json()['id']}"
        answer(CLIENT, response.json()["id"])
        found = [CLIENT.get(f"{url}/{path}") for path in ("map", "recommendation", "export", "export?format=csv")]
        assert [one.status_code for one in found] == [200] * 4
        CLIENT.delete(url)


# -- at the limits ----------------------------------------------------------------------------------------------------

SLOWEST = 60.0
"""Seconds of the processor that one request may take, on a slow machine: what has a limit takes far less."""
ENDS = (0.0, 5e-324, 1e-323, 1e-300, 1e-12, 1.0, 1.0 + 2**-52, 1e15, 1e300, 1.7e308, -1e300, -1.0)


@st.composite
def ranges(draw):
    low, high = sorted(draw(st.lists(st.sampled_from(ENDS), min_size=2, max_size=2, unique=True)))
    one = {"kind": "real", "low": low, "high": high}
    return one | draw(st.sampled_from([{}, {}, {"log": True}, {"step": (high - low) / 10}]))


@st.composite
def integers(draw):
    high = draw(st.sampled_from([2, 1_000, 10**6, 10**6 + 1, MAX_VALUES, 2**53, 10**200]))
    return {"kind": "integer", "low": 1, "high": high, "log": draw(st.booleans()) and high <= 1_000}


@st.composite
def choices(draw):
    count = draw(st.sampled_from([2, 12, MAX_CHOICES + 1, 100_000]))
    return {"kind": draw(st.sampled_from(["categorical", "ordinal"])), "values": [f"v{n}" for n in range(count)]}


@st.composite
def rules(draw, names):
    name, count = draw(st.sampled_from(names)), draw(st.sampled_from([1, 3, MAX_TERMS + 1, 2_500, 20_000]))
    side = draw(st.sampled_from([" + ".join([name] * count), "-" * count + name, "(" * count + name + ")" * count]))
    return f"{side} {draw(st.sampled_from(['<=', '>=', '==']))} {draw(st.sampled_from([0, 1, 1e9, 1e308]))}"


@st.composite
def spaces_of_any_size(draw):
    count = draw(st.sampled_from([1, 2, 3, MAX_PARAMETERS + 1, 1_000]))
    kinds = draw(st.lists(st.one_of(ranges(), integers(), choices()), min_size=1, max_size=3))
    parameters = [{"name": f"p{n}", **kinds[n % len(kinds)]} for n in range(count)]
    some = draw(st.lists(rules([one["name"] for one in parameters[:3]]), max_size=2))
    return {
        "kind": "space", "parameters": parameters,
        "constraints": some * draw(st.sampled_from([1, 1, 1, MAX_CONSTRAINTS + 1, 1_000])),
    }  # fmt: skip


@st.composite
def studies_of_any_size(draw):
    kind = draw(st.sampled_from(["space", "space", "space", "hard", "list"]))
    if kind == "hard":
        return hard_study(booleans=draw(st.sampled_from([10, 30, 60])), seed=draw(st.integers(0, 99)))
    if kind == "space":
        return {"name": "x", "space": draw(spaces_of_any_size()), "options": QUICK["options"]}
    rows = draw(st.sampled_from([2, 5, MAX_ROWS + 1, 10 * MAX_ROWS]))
    columns = [{"name": "n", "values": list(range(rows))}, {"name": "file", "values": ["a.png"] * rows}]
    size = draw(st.sampled_from([1, 100, MAX_PIXELS, 2**31 - 1])).to_bytes(4, "big")
    head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + size + size
    picture = "data:image/png;base64," + b64encode(head[: draw(st.integers(8, len(head)))]).decode()
    display = {"image": "file", "pictures": {"a.png": picture}}
    return {"name": "x", "space": {"kind": "catalogue", "columns": columns, "features": ["n"]}, "display": display}


class _Hidden:
    """Something that is not printed."""

    def __init__(self, content):
        self.content = content

    def __repr__(self):
        text = json.dumps(self.content)
        return text if len(text) < 1_000 else f"{text[:1_000]} ..."


def _send(method, path, **content):
    began = time.process_time()
    response = CLIENT.request(method, path, **content)
    assert response.status_code < 500, response.text
    assert time.process_time() - began < SLOWEST, path
    return response


@pytest.fixture
def short_limit(monkeypatch):
    """Half a second for rules, to have time for many."""
    for module in (definition, spaces):
        monkeypatch.setattr(module, "CHECK_SECONDS", 0.5)


@hypothesis.settings(
    max_examples=40 if not SOAK else 1_000, derandomize=not SOAK, deadline=None, database=None,
    suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)  # fmt: skip
@hypothesis.given(st.data())
def test_a_study_of_any_size_works_or_is_refused_in_time(short_limit, data):
    # Not an argument of the test: megabytes of it would be printed.
    request = data.draw(studies_of_any_size().map(_Hidden)).content
    checked = _send("POST", "/api/studies/check", json=request)
    made = _send("POST", "/api/studies", json=request)
    assert (checked.status_code, made.status_code) in ((200, 201), (422, 422)), (checked.text, made.text)
    if made.status_code == 201:
        id = made.json()["id"]
        for _ in range(3):
            answer(CLIENT, id)
        for path in ("ask", "map", "recommendation", "report", "export", "anchors/proposals"):
            response = _send("POST" if path == "ask" else "GET", f"/api/studies/{id}/{path}")
            assert response.status_code == 200, (path, response.text)
        _send("DELETE", f"/api/studies/{id}")


@pytest.mark.parametrize("cells", ["1", "12,12", ",".join(["1"] * 6_000)])
@pytest.mark.parametrize("route", ["catalogue", "comparisons"])
def test_a_table_of_any_size_is_refused_in_time(ids, cells, route):
    path = "/api/catalogue" if route == "catalogue" else f"/api/studies/{ids[1]}/comparisons"
    names = ",".join(f"c{n}" for n in range(cells.count(",") + 1))
    table = f"{names}\n" + f"{cells}\n" * (20_000_000 // (len(cells) + 1))
    assert _send("POST", path, content=table).status_code == 422


def test_the_fuzz_reaches_every_route_of_the_api():
    described = {(path, method) for path, item in APP.openapi()["paths"].items() for method in item}
    reached = {(operation.path, operation.method.lower()) for operation in OPERATIONS}
    assert described - reached == {("/api/studies/{id}/stream", "get")}
