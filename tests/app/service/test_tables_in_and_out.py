"""CSV: catalogues that people drop on a page, comparisons from elsewhere, and the history for spreadsheets."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anchorpbo.app.definition import validation
from anchorpbo.app.examples import molecules
from anchorpbo.app.service import StudyService, catalogues, fingerprints
from anchorpbo.app.service.catalogues import MAX_HEADER_BYTES, read_catalogue
from anchorpbo.app.service.exports import escape_formula, history_to_csv
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import AnchorPBOError, InputError
from support.service_studies import GREEN, QUICK, TREES, answer, study

FUZZ = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
TABLE = """name,price,colour,photo,page,note
Birch,12.5,white,birch.png,https://example.org/b,
Elm,9,brown,elm.JPG,https://example.org/e,tall
Oak,19,brown,oak.png,http://example.org/o,
Pine,7.5,white,pine.webp,https://example.org/p,old
"""


def _kinds(view):
    return {column.name: column.kind for column in view.columns}


# -- catalogues -------------------------------------------------------------------------------------------------------


def test_a_catalogue_is_read_and_a_study_made_of_it():
    view = read_catalogue(TABLE.encode())
    assert view.rows == 4
    assert _kinds(view) == {
        "name": "text", "price": "number", "colour": "category", "photo": "image", "page": "link", "note": "text",
    }  # fmt: skip
    assert view.space["features"] == ["price"]
    assert view.space["categories"] == ["colour"]
    assert view.display == {"title": "name", "image": "photo", "link": "page"}
    studies = StudyService(MemoryStorage())
    id = studies.create({"name": "Trees", "space": view.space, "display": view.display}).id
    card = studies.duels.ask(id).cards[0]
    assert card.title in ("Birch", "Elm", "Oak", "Pine")
    assert card.image.lower().startswith(card.title.lower())


def test_a_name_and_a_smiles_per_row_are_enough_for_a_study_of_molecules():
    pytest.importorskip("rdkit")
    view = read_catalogue(b"id,Canonical SMILES,weight\n7,CCO,46\n8,CC(=O)O,60\n9,c1ccccc1,78\n")
    kinds = {"id": "number", "Canonical SMILES": "smiles", "weight": "number", "fingerprint": "fingerprint"}
    assert _kinds(view) == kinds
    roles = {name: view.space[name] for name in ("features", "categories", "fingerprint", "key")}
    assert roles == {"features": [], "categories": [], "fingerprint": ["fingerprint"], "key": "id"}
    assert view.display == {"title": "id", "smiles": "Canonical SMILES"}
    studies = StudyService(MemoryStorage())
    id = studies.create({"name": "Solvents", "space": view.space, "display": view.display}).id
    first, second = studies.duels.ask(id).cards
    assert first.svg.startswith("<svg")
    assert [row.name for row in first.rows] == ["weight"]
    assert first.title != second.title


def test_fingerprints_are_those_of_the_example_folded_to_half_their_length():
    """The example has the set bits of 2,048; a fingerprint of 1,024 bits has them modulo 1,024."""
    pytest.importorskip("rdkit")
    items = {row["name"]: row for row in json.loads(Path(molecules.__file__).with_suffix(".json").read_text("utf-8"))}
    named = [items[name] for name in ("Aspirin", "Caffeine", "Vanillin")]  # without stereocentres
    found, faults = fingerprints.compute_fingerprints([one["smiles"] for one in named])
    assert faults == []
    for one, bits in zip(named, found, strict=True):
        assert len(bits) == 1024
        assert {n for n, bit in enumerate(bits) if bit == "1"} == {bit % 1024 for bit in one["bits"]}


def test_mirror_images_are_different_designs():
    pytest.importorskip("rdkit")
    view = read_catalogue(b"id,smiles\nL,C[C@H](N)C(=O)O\nD,C[C@@H](N)C(=O)O\n")
    assert len({*view.columns[-1].examples}) == 2
    assert StudyService(MemoryStorage()).create({"name": "Alanine", "space": view.space, "display": view.display})


def test_a_column_called_fingerprint_stays_beside_the_computed_one():
    pytest.importorskip("rdkit")
    view = read_catalogue(b"id,smiles,fingerprint\na,CCO,x\nb,CC,y\nc,CCC,z\n")
    assert view.space["fingerprint"] == ["fingerprint_"]
    assert _kinds(view)["fingerprint"] == "text"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            b"id,smiles\na,CCO\nb,C1CC\n",
            "the SMILES of a molecule; received the SMILES 'C1CC' in line 3; correct the row",
        ),
        (b"id,smiles\na,CCO\nb,\n", "received no SMILES in line 3; correct the row"),
        (b"id,smiles\na,CCO\na,CC\n", "must have an id of its own .*; received the id 'a' of line 2 again in line 3;"),
        (b"id,smiles\na,CCO\n,CC\n", "received no id in line 3;"),
        (b"smiles,note\nCCO,x\nC1CC,y\n", "every row must have the SMILES of a molecule; received the SMILES 'C1CC'"),
        (
            b"id,smiles\na,CCO\nb," + b"C" * 1001 + b"\n",
            r"received a SMILES of 1,001 characters \(at most 1,000\) in line 3",
        ),
        (
            b"id,smiles\na,CCO\nb,C1CC\na,CC\nc,no\nd,\n",
            "received the SMILES 'C1CC' in line 3, the id 'a' of line 2 again in line 4, the SMILES 'no' in line 5 "
            "and 1 more; correct these rows, or leave them out",
        ),
    ],
)
def test_rows_without_a_molecule_or_with_a_repeated_id_are_named(table, message):
    pytest.importorskip("rdkit")
    with pytest.raises(InputError, match=message):
        read_catalogue(table)


def test_a_smiles_of_the_largest_length_is_read():
    pytest.importorskip("rdkit")
    assert read_catalogue(b"id,smiles\na,CCO\nb," + b"C" * 1000 + b"\n").rows == 2


def test_a_table_has_so_many_molecules_and_no_more(monkeypatch):
    pytest.importorskip("rdkit")
    monkeypatch.setattr(fingerprints, "MAX_MOLECULES", 2)
    assert read_catalogue(b"id,smiles\na,C\nb,CC\n").rows == 2
    with pytest.raises(
        InputError, match="a table of molecules must have at most 2 rows; received 3; choose the likely"
    ):
        read_catalogue(b"id,smiles\na,C\nb,CC\nc,CCC\n")


@pytest.mark.parametrize("cell", ["", "yes", "CCO>>CC=O"])
def test_a_column_that_is_not_all_molecules_does_not_block_a_table_with_numbers(cell):
    pytest.importorskip("rdkit")
    view = read_catalogue(f"id,ligand smiles,temperature\na,CCO,20\nb,{cell},30\n".encode())
    assert view.space["features"] == ["temperature"]
    (note,) = view.notes
    assert note.startswith("Molecules are not compared: ")
    assert "in line 3" in note


def test_without_rdkit_numbers_are_compared_and_its_absence_is_told(monkeypatch):
    monkeypatch.setattr(catalogues, "has_rdkit", lambda: False)
    view = read_catalogue(b"id,smiles,weight\na,CCO,46\nb,CC,30\n")
    assert (view.space["features"], view.draws_molecules, view.notes) == (["weight"], False, [])
    with pytest.raises(InputError, match="add one, or install RDKit on the server"):
        read_catalogue(b"id,smiles\na,CCO\nb,CC\n")


def test_an_id_is_no_feature_even_if_it_is_a_number():
    view = read_catalogue(b"ID,price\n1,4\n2,5\n3,5.5\n")
    assert (view.space["features"], view.space["key"]) == (["price"], "ID")


def test_a_column_called_id_may_repeat_in_a_table_of_other_things():
    assert read_catalogue(b"id,price\n1,4\n1,5\n2,5.5\n").rows == 3


def test_a_file_in_the_code_page_of_the_system_is_read_with_a_note():
    text = "name,price\nBürke,1\nElm,2\n"
    assert read_catalogue(text.encode()).notes == []
    (note,) = read_catalogue(text.encode("cp1252")).notes
    assert note == "The file is not in UTF-8 and was read as Windows-1252: check letters with accents."


def test_a_column_with_gaps_is_shown_but_tells_nothing_apart():
    view = read_catalogue(b"name,price,weight\na,1,5\nb,2,\nc,3,7\n")
    assert _kinds(view) == {"name": "text", "price": "number", "weight": "text"}
    assert view.space["features"] == ["price"]
    assert next(one for one in view.columns if one.name == "weight").examples == [5, 7]


def test_cells_that_look_like_formulas_stay_text():
    view = read_catalogue(b"name,price\n=1+1,1\n@x,2\n+c,3\n")
    studies = StudyService(MemoryStorage())
    id = studies.create({"name": "=1+1", "space": view.space, "display": view.display}).id
    assert studies.duels.ask(id).cards[0].title in ("=1+1", "@x", "+c")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "line of column names"),
        (b"\n", "line of column names"),
        (b"a,a\n1,2\n3,4\n", "must differ"),
        (b"a,\n1,2\n3,4\n", "must have a name"),
        (b"a,b\n1\n", "2 cells"),
        (b"name,price\nB\x81rke,1\nElm,2\n", "UTF-8"),
        (b"name\na\nb\n", "tells its items apart"),
        (b"name,price\na,1\nb,1\n", "tells its items apart"),
        (b"name,price\n", "one row per design|tells its items apart"),
        (b"x" * (MAX_HEADER_BYTES + 1), "at most 100000 bytes"),
        (b'"' + b"x" * 200_000, "at most 100000 bytes"),
        (b'a,b\n"' + b"x" * 200_000 + b'",1\n', "must be CSV"),
        (b"name,price\na\x00,1\nb,2\n", "NUL"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_named(data, match):
    with pytest.raises(InputError, match=match):
        read_catalogue(data)


def test_a_catalogue_must_not_be_too_long(monkeypatch):
    monkeypatch.setattr(validation, "MAX_ROWS", 3)
    with pytest.raises(InputError, match="at most 3 rows"):
        read_catalogue(TABLE.encode())


@settings(FUZZ, max_examples=150)
@given(st.one_of(
    st.binary(max_size=60),
    st.text(alphabet="ab1,;\t|\n\"'=. -é\0", max_size=60).map(lambda text: text.encode()),
    st.lists(st.lists(st.sampled_from(["a", "1", "2.5", "", "nan", "007", "1e999", "9" * 400, '"']), min_size=2,
                      max_size=2), max_size=5).map(lambda rows: "\n".join(map(",".join, [["n", "p"], *rows])).encode()),
))  # fmt: skip
def test_any_bytes_are_read_or_refused(data):
    studies, id = study(TREES)
    try:
        view = read_catalogue(data)
        studies.create({"name": "x", "space": view.space, "display": view.display})
    except AnchorPBOError:
        pass
    before = len(studies.history(id))
    try:
        studies.duels.import_comparisons(id, io.BytesIO(data))
    except AnchorPBOError:
        assert len(studies.history(id)) == before


def test_comparisons_of_a_catalogue_come_by_their_key():
    studies, id = study(TREES)
    assert studies.duels.import_comparisons(id, io.BytesIO(b"winner,loser,tie\nOak,Elm,\nAsh,Yew,yes\n")) == 2
    assert [duel["outcome"] for duel in studies.results.make_map(id).duels] == ["first", "tie"]


# -- the history as a table -------------------------------------------------------------------------------------------

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", '=HYPERLINK("http://x","y")']


@pytest.mark.parametrize("words", FORMULAS)
def test_no_cell_is_a_formula(words):
    assert escape_formula(words).startswith("'")
    assert escape_formula(words).replace("'", "") == words
    table = history_to_csv([{"number": 1, "text": words, "participant": words, "design": {words: words}}], [words])
    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert not any(cell.startswith(tuple("=+-@\t\r\n＝")) for row in rows for cell in row)


@pytest.mark.parametrize("before", [" ", '"', "'", ' "', "\u00a0", "\f"])
@pytest.mark.parametrize("words", FORMULAS)
def test_no_cell_is_a_formula_behind_spaces_or_quotes(before, words):
    cell = escape_formula(before + words)
    assert cell.startswith("'" + before)
    assert cell.replace("'", "") == (before + words).replace("'", "")


@pytest.mark.parametrize("words", ["plain", ' "quoted" = 1', "a=1", "it's - well", "a;b", ""])
def test_text_that_is_no_formula_is_written_as_it_is(words):
    assert escape_formula(words) == words


@pytest.mark.parametrize("separator", [";", "\t", "\n", "\r\n", "; ", ';"'])
@pytest.mark.parametrize("words", FORMULAS)
def test_no_cell_is_a_formula_where_semicolons_separate_cells(separator, words):
    text = f"a{separator}{words};b"
    event = {"number": 1, "text": text, "participant": text, "design": {text: text}}
    for line in history_to_csv([event], [text]).splitlines():
        for cell in re.split("[;\t]", line):
            assert not cell.strip("\"' ").startswith(tuple("=+-@＝")) or cell.startswith("'")


@pytest.mark.parametrize("value", [-1.5, 0, 7, True])
def test_numbers_are_written_as_they_are(value):
    assert escape_formula(value) == value
    assert escape_formula(None) == ""


def test_the_table_has_a_row_for_every_entry():
    studies, id = study()
    studies.anchors.add(id, GREEN)
    studies.participants.invite(id, "=cmd|' /C calc'!A0")
    answer(studies, id, "second")
    answer(studies, id, "first", "=cmd|' /C calc'!A0")
    studies.comment(id, '=2+3, "quoted"\nand more')
    studies.duels.undo(id)
    text = history_to_csv(studies.history(id), studies.definition(id).space.names)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["type"] for row in rows] == [event["type"] for event in studies.history(id)]
    assert [row["stands"] for row in rows if row["type"] == "answered"] == ["False", "True"]
    assert rows[1]["design.minutes"] == "3.0"
    assert [row["text"] for row in rows if row["text"]] == ['\'=2+3, "quoted"\nand more']
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())


def test_columns_of_parameters_are_safe_too():
    space = {**QUICK["space"], "parameters": [{"name": "=a", "kind": "real", "low": -2.0, "high": -1.0}]}
    studies, id = study(QUICK, space=space)
    answer(studies, id)
    text = history_to_csv(studies.history(id), studies.definition(id).space.names)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert float(rows[-1]["first.=a"]) < 0
