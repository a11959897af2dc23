"""What the server says to people who do not write Python: none of its words, and lines as a spreadsheet counts."""

import re
import time

import pytest
from servers import make, server

from anchorpbo.app.web.wording import MAX_PART_LENGTH, reword
from anchorpbo.errors import InputError

PYTHON = re.compile(
    r"\b(Real|Integer|Categorical|Ordinal|Boolean|Constant|Space|Linear|Catalogue|EI)\b|\w+=\[|\w+=\"|\w\(\)|"
    r"\b(dict|to_dict|from_csv|from_records|None|True|False)\b|\brow \d"
)
REAL = {"name": "a", "kind": "real", "low": 0, "high": 1}
CHOICE = {"name": "c", "kind": "categorical", "values": ["x", "y"]}


def space(*parameters, constraints=()):
    return {"kind": "space", "parameters": list(parameters), "constraints": list(constraints)}


def table(features=("p",), categories=(), **columns):
    columns = [{"name": name, "values": values} for name, values in columns.items()]
    return {"kind": "catalogue", "columns": columns, "features": list(features), "categories": list(categories)} | {
        "key": "n"
    }


@pytest.fixture(scope="module")
def client():
    return server()[1]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (space(), "a study must have a parameter that varies"),
        (space({"name": "k", "kind": "constant", "value": 3}), "received only the constant k; give at least one"),
        (space({**REAL, "low": 2}), "'a': low of a range must be below its high; received 2 and 1"),
        (space({**REAL, "low": None}), "low of a range must be a number; received null"),
        (
            space({**CHOICE, "values": ["x"]}),
            "a choice must have at least two values.*use a constant for a value that never",
        ),
        (space({**CHOICE, "kind": "ordinal", "values": ["x", "x"]}), "the values of an order must differ"),
        (space({**REAL, "kind": "integer", "low": 0.5}), "low of a range of whole numbers must be a whole number"),
        (space(REAL, constraints=["a ** 2 <= 1"]), r"write it like .* or '1 <= a - b/4 <= 5'\.$"),
        (space(REAL, constraints=["b a = 1"]), "must be a comparison of sums; .* as they are named: 'a'"),
        (space(REAL, REAL), "a parameter must be given once; received 'a' twice; rename one of them"),
        (space({**REAL, "low": "0,5"}), "low of a range must be a number; received '0,5'; write decimals with a point"),
        (space(REAL, constraints=[3]), "a constraint must be an object; received 3; describe it as on the page"),
        (space(REAL, constraints=[{"coefficients": 3}]), "coefficients of a constraint must map names to numbers"),
        (space(REAL, CHOICE, constraints=["c <= 1"]), "ranges without log, yes or no, constants; received c in c <= 1"),
        (table(n=["a", "b"], p=[1, "x"]), "'p' in line 3 must be a finite number.*or let the column be a choice"),
        (table(n=["a", "b"], p=["1", "2"]), "'p' in line 2 must be a finite number.*convert to numbers, or let"),
        (table(n=["a", "b"], p=[1, None]), "'p' in line 3 .* fill it in, or leave out the row"),
        (table(n=["a", "a"], p=[1, 2]), "'n' in line 3 must differ from all others"),
        (table([], n=["a", "b"], p=[1, 2]), "choose columns that describe a design"),
        (table([], ["c"], n=["a", "b"], c=["x", None]), "'c' in line 3 must be filled in"),
    ],
)
def test_studies_are_refused_in_plain_words(client, wrong, says):
    response = client.post("/api/studies", json={"name": "x", "space": wrong})
    assert response.status_code == 422
    body = response.json()
    assert re.search(says, body["detail"]), body["detail"]
    for part in ("detail", "rule", "received", "remedy"):
        assert not PYTHON.search(body[part]), body[part]
    assert body["detail"] == f"{body['rule']}; received {body['received']}; {body['remedy']}."


@pytest.mark.parametrize("option", [{"strategy": 3}, {"inference": "hallucination", "likelihood": "logistic"}])
def test_options_are_refused_in_plain_words(client, option):
    response = client.post("/api/studies", json={"name": "x", "space": space(REAL), "options": option})
    assert response.status_code == 422
    assert not PYTHON.search(response.json()["remedy"])
    assert not PYTHON.search(response.json()["rule"])


def test_lines_of_a_file_are_counted_with_the_names_as_the_first(client):
    id = make(client, {"name": "x", "space": space(REAL, CHOICE)})
    names = "winner.a,winner.c,loser.a,loser.c\n"
    for rows, line in (("0.1,x,0.2,q\n", 2), ("0.1,x,0.2,y\n0.3,x,9,y\n", 3)):
        response = client.post(f"/api/studies/{id}/comparisons", content=names + rows)
        assert response.json()["detail"].startswith(f"line {line}: ")


def test_what_people_wrote_themselves_stays_as_it_is():
    error = reword(InputError("c must be one of 'x'", "'None of a Real'", "check the spelling"))
    assert str(error) == "c must be one of 'x'; received 'None of a Real'; check the spelling."
    assert reword(InputError("there is nothing")).received is None


def test_only_the_first_part_of_what_was_sent_is_reworded():
    """Some of the patterns take time that grows with the square of the length."""
    long = "write Space(" * 50_000
    error = reword(InputError(long, long, long))
    assert {len(str(part)) for part in (error.rule, error.received, error.remedy)} == {MAX_PART_LENGTH}
    assert str(error.received) == long[:MAX_PART_LENGTH]


def test_a_long_import_that_is_refused_keeps_nobody_waiting(client):
    began = time.process_time()
    layout = {"format": "anchorpbo-journal", "version": 1, "study": {"name": "write Space(" * 50_000}, "events": []}
    response = client.post("/api/studies/import", json=layout)
    assert response.status_code == 422
    assert len(response.content) < 10 * MAX_PART_LENGTH
    assert time.process_time() - began < 10.0


def test_a_table_in_another_encoding_is_refused_in_plain_words(client):
    response = client.post("/api/catalogue", content=b"name,price\nAss\x81m,4\nCeylon,5\n")
    assert response.status_code == 422
    rule, remedy = "a table must be text in UTF-8", "in Excel, choose 'CSV UTF-8' when you save it"
    assert response.json()["detail"] == f"{rule}; received a file in another encoding; {remedy}."
