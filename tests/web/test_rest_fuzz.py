"""Every route of the description, with requests of all kinds: never a 5xx, and never an answer that is not described.

Ids of studies and duels are real ones half of the time. ANCHORPBO_SOAK_SECONDS makes it go on for longer.
"""

import copy
import json
import os
import time

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

from anchorpbo.web.schemas import STUDY_EXAMPLE
from support.spoiling import spoilt

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
            case.body["design"] = CLIENT.get(f"/api/studies/{id}/anchors/proposals").json()[0]
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


def test_the_fuzz_reaches_every_route_of_the_api():
    described = {(path, method) for path, item in APP.openapi()["paths"].items() for method in item}
    reached = {(operation.path, operation.method.lower()) for operation in OPERATIONS}
    assert described - reached == {("/api/studies/{id}/stream", "get")}
