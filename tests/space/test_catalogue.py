"""Catalogues: items and their coordinates, and every way to name one."""

import csv
import io
import json
import pickle
import time
from fractions import Fraction

import numpy as np
import pytest

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.space import Catalogue, Columns, space_from_dict

BEANS = [
    {"bean": "Kenya AA", "origin": "Kenya", "acidity": 8, "body": 3.0, "note": "berries"},
    {"bean": "Santos", "origin": "Brazil", "acidity": 4, "body": 7.0, "note": None},
    {"bean": "Cerrado", "origin": "Brazil", "acidity": 4, "body": 7.0, "note": "nuts"},
    {"bean": "Cajamarca", "origin": "Peru", "acidity": 6, "body": 5.0, "note": "nuts"},
]
MOLECULES = [
    {"smiles": "C", "mass": 16.0, "fp": "0110"},
    {"smiles": "CC", "mass": 30.1, "fp": "1110"},
    {"smiles": "O", "mass": 18.0, "fp": "0001"},
]


@pytest.fixture
def beans():
    return Catalogue(BEANS, categories=["origin"])


# -- coordinates ------------------------------------------------------------------------------------------------------


def test_features_are_scaled_and_categories_coded(beans):
    expected = [[1, 0, 0], [0, 1, 0.5], [0, 1, 0.5], [0.5, 0.5, 1]]
    assert beans.points.tolist() == expected
    assert beans.columns == Columns(numeric=(0, 1), categorical=(2,))
    assert beans.candidates.tolist() == [expected[0], expected[1], expected[3]]
    assert (len(beans), beans.dimension, beans.region) == (4, 3, None)
    assert beans.key == "bean"


def test_items_keep_all_columns_in_order(beans):
    assert beans.items == BEANS
    assert list(beans[0]) == ["bean", "origin", "acidity", "body", "note"]
    assert [type(value) for value in beans[0].values()] == [str, str, int, float, str]
    with pytest.raises(IndexError):
        beans[4]


def test_chosen_features_are_taken_in_the_order_given():
    assert Catalogue(BEANS, features=["body", "acidity"]).points[0].tolist() == [0.0, 1.0]
    assert Catalogue(BEANS, features="body").dimension == 1


def test_a_feature_that_never_varies_is_zero():
    records = [{"id": "p", "a": 5, "b": 1}, {"id": "q", "a": 5, "b": 2}]
    assert Catalogue(records).points.tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("records", "fingerprint"),
    [
        (MOLECULES, "fp"),
        ([{**m, "fp": [int(bit) for bit in m["fp"]]} for m in MOLECULES], "fp"),
        ([{**m, "fp": np.array([int(bit) for bit in m["fp"]])} for m in MOLECULES], "fp"),
        ([{**m, "fp": " ".join(m["fp"])} for m in MOLECULES], ["fp"]),
        (
            [{"smiles": m["smiles"], **{f"b{i}": int(bit) for i, bit in enumerate(m["fp"])}} for m in MOLECULES],
            ["b0", "b1", "b2", "b3"],
        ),
    ],
    ids=["bits", "lists", "arrays", "separated", "columns"],
)
def test_fingerprints_come_in_many_forms(records, fingerprint):
    catalogue = Catalogue(records, fingerprint=fingerprint)
    assert catalogue.points.tolist() == [[0, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]]
    assert catalogue.columns == Columns(fingerprint=(0, 1, 2, 3))
    assert catalogue.key == "smiles"
    assert not {"fp", "b0"} & set(catalogue[0])
    assert space_from_dict(json.loads(json.dumps(catalogue.to_dict()))) == catalogue


def test_counts_are_not_scaled_and_features_stand_beside_them():
    records = [{"fp": [0, 3, 1], "x": 1}, {"fp": [2, 0, 0], "x": 5}]
    catalogue = Catalogue(records, features=["x"], fingerprint="fp")
    assert catalogue.points.tolist() == [[0, 0, 3, 1], [1, 2, 0, 0]]
    assert catalogue.columns == Columns(numeric=(0,), fingerprint=(1, 2, 3))
    assert catalogue[1] == {"item": 1, "x": 5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "011",
            r"every fingerprint in 'fp' must have the same number of bits: 4, as in row 0; received 3 in row 1; pad",
        ),
        ("01x0", r"'fp' in row 1 must be bits such as 0110, or a list of counts; received '01x0'"),
        (None, r"'fp' in row 1 must be bits such as 0110, or a list of counts; received an empty cell"),
        ([0, 1, -1, 0], r"'fp' in row 1 must have bits or counts of at least 0"),
        ([0, 1, "a", 0], r"'fp' in row 1 must be bits"),
        ([0, 1, float("inf"), 0], r"'fp' in row 1 must be bits"),
    ],
)
def test_bad_fingerprints_are_named(change, message):
    records = [dict(m) for m in MOLECULES]
    records[1]["fp"] = change
    with pytest.raises(InputError, match=message):
        Catalogue(records, fingerprint="fp")


def test_one_column_of_counts_is_a_fingerprint_of_one():
    assert Catalogue([{"n": 0}, {"n": 3}], fingerprint="n").points.tolist() == [[0.0], [3.0]]
    with pytest.raises(InputError, match=r"'b' in row 1 must have bits or counts of at least 0; received -3"):
        Catalogue([{"a": 0, "b": 1}, {"a": 2, "b": -3}], fingerprint=["a", "b"])


# -- keys -------------------------------------------------------------------------------------------------------------


def test_the_key_is_the_first_column_that_tells_items_apart():
    records = [{"kind": "p", "code": 10, "name": "x"}, {"kind": "p", "code": 20, "name": "y"}]
    assert Catalogue(records).key == "name"
    assert Catalogue(records, features=[], categories=["name"]).key == "code"
    assert Catalogue(records, key="code", categories=["name"]).dimension == 1
    assert Catalogue([{"a": 1, "s": ""}, {"a": 2, "s": "x"}]).key == "item"


@pytest.mark.parametrize("name", ["id", "ID", "Key", "item", "name", "Nr", "number", "bean_id", "Bean ID", "bean id "])
def test_a_column_called_like_a_key_is_no_feature(name):
    records = [{"code": "x", name: 10, "a": 1.0}, {"code": "y", name: 20, "a": 2.0}]
    catalogue = Catalogue(records)
    assert (catalogue.key, catalogue.dimension) == (name, 1)
    assert catalogue.check({name: 20})["a"] == 2.0
    assert Catalogue(records, features=[name]).key == "code"
    assert Catalogue(records, key="code").dimension == 2
    repeated = [{**record, name: 10} for record in records]
    assert (Catalogue(repeated).key, Catalogue(repeated).dimension) == ("code", 2)


def test_only_one_key_is_chosen_and_no_category_of_that_name():
    records = [{"nr": 1, "id": 10, "name": "x", "a": 1.0}, {"nr": 2, "id": 20, "name": "y", "a": 2.0}]
    assert (Catalogue(records).key, Catalogue(records).dimension) == ("nr", 1)
    assert Catalogue(records, categories=["nr"]).key == "id"
    assert Catalogue([{"idea": 1}, {"idea": 2}]).dimension == 1
    bits = [{"a": "x", "mol_id": 3, "fp": "01"}, {"a": "y", "mol_id": 4, "fp": "10"}]
    assert Catalogue(bits, fingerprint="fp").key == "mol_id"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "",
            r"'price' in line 3 .*; received an empty cell; fill it in, or leave out the row, or choose",
        ),
        ("n/a", r"'price' in line 3 .* received 'n/a'; correct it, or choose the features yourself, such as 'weight'"),
        ("2,5", r"'price' in line 3 .* received '2,5'; write numbers with a point, as in 12.5, or choose the features"),
    ],
)
def test_a_column_that_is_nearly_numbers_is_not_left_out_in_silence(tmp_path, cell, message):
    path = tmp_path / "items.csv"
    path.write_text(f"name;price;weight\nA;1.5;1\nB;{cell};2\nC;3;4\n")
    with pytest.raises(InputError, match=message):
        Catalogue.from_csv(path)
    for options in (
        {"features": ["weight"]},
        {"categories": ["price"]} if cell else {"key": "name", "features": "weight"},
    ):
        assert len(Catalogue.from_csv(path, **options)) == 3


def test_nearly_numbers_matter_only_where_features_are_chosen():
    records = [{"id": 1, "fp": "01", "v": 1.0}, {"id": "x", "fp": "10", "v": None}]
    assert Catalogue(records, fingerprint="fp").dimension == 2
    with pytest.raises(
        InputError, match=r"'v' in row 1 must be a number .* choose the features yourself, such as \.\.\."
    ):
        Catalogue(records)


def test_numbers_that_records_have_as_text_are_noticed():
    rows = list(csv.DictReader(["bean,origin,acidity,code", "A,Kenya,8,01", "B,Brazil,4.5,02"]))
    for options in ({}, {"categories": ["origin"]}):
        with pytest.raises(InputError, match=r"text such as '8' in 'acidity'; convert to numbers"):
            Catalogue(rows, **options)
    with pytest.raises(
        InputError, match=r"'acidity' in row 0 must be a finite number; received '8'; convert it to a number"
    ):
        Catalogue(rows, features=["acidity"])
    assert Catalogue(rows, features=[], categories=["origin"]).dimension == 1
    assert Catalogue([{"zip": "10", "v": 1}, {"zip": "20", "v": 2}]).dimension == 1


def test_a_file_of_names_alone_has_no_items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("name,price\n")
    with pytest.raises(InputError, match=r"a catalogue must have rows; received only the names of columns; give one"):
        Catalogue.from_csv(path)


def test_text_in_a_key_is_no_number_to_correct():
    with pytest.raises(InputError, match=r"must differ from all others.*received '1,5'; correct it"):
        Catalogue([{"a": "1,5", "v": 1}, {"a": "1,5", "v": 2}], key="a")


def test_items_without_a_key_are_numbered():
    catalogue = Catalogue([{"a": 1, "s": None}, {"a": 2, "s": "x"}])
    assert catalogue.key == "item"
    assert catalogue.items == [{"item": 0, "a": 1, "s": None}, {"item": 1, "a": 2, "s": "x"}]
    assert catalogue.check({"item": 1})["a"] == 2
    with pytest.raises(InputError, match=r"the column 'item' must identify all items if no other does"):
        Catalogue([{"a": 1, "item": "p"}, {"a": 2, "item": "p"}])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["acidty"]}, r"features must be among the columns 'bean', .*; received 'acidty'; check"),
        ({"categories": ["x"]}, r"categories must be among the columns"),
        ({"fingerprint": "x"}, r"fingerprint must be among the columns"),
        ({"key": "x"}, r"key must be among the columns"),
        ({"key": "origin"}, r"'origin' in row 2 must differ from all others, as it is the key; received 'Brazil'"),
        ({"key": "note"}, r"'note' in row 1 must differ from all others.* received an empty cell"),
        (
            {"features": ["bean"]},
            r"'bean' in row 0 must be a finite number; received 'Kenya AA'; correct it, or make the column a category",
        ),
        ({"features": ["body", "body"]}, r"features must differ; received 'body' twice"),
        ({"features": ["body"], "categories": ["body"]}, r"not two of them; received 'body'; choose one"),
        (
            {"categories": ["note"]},
            r"'note' in row 1 must be filled in, as it is a category; .*an empty cell; fill it in, with 'none'",
        ),
        ({"features": 3}, r"columns must be given by name; received 3; give a list of names"),
        ({"features": []}, r"must have features, categories or a fingerprint; received none"),
    ],
)
def test_bad_roles_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Catalogue(BEANS, **options)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"a": 1, "b": 2}], r"at least two items that differ in their features; received 1 items, 1 distinct"),
        ([{"a": 1, "b": 2}, {"a": 1, "b": 2}], r"at least one feature must vary; received equal values in 'a', 'b'"),
        ([{"s": "x"}, {"s": "y"}], r"must have features, categories or a fingerprint"),
        ([{"a": -1e308}, {"a": 1e308}], r"the range of 'a' must be finite"),
        ([], r"a catalogue must have rows; received an empty list; give one row per item"),
        ("c1.csv", r"items must be a list of dicts; received 'c1.csv'; use from_csv for a file"),
        ([{"id": 1}, {"id": 2}], r"features, categories or a fingerprint; received none, .* but 'id'; choose columns"),
    ],
)
def test_lists_without_a_choice_are_refused(records, message):
    with pytest.raises(InputError, match=message):
        Catalogue(records)


# -- designs ----------------------------------------------------------------------------------------------------------


def test_an_item_is_named_by_its_key_or_by_anything_unique(beans):
    assert beans.check({"bean": "Cerrado"}) == BEANS[2]
    assert beans.check({"origin": "Peru"}) == BEANS[3]
    assert beans.check({"note": "nuts", "origin": "Brazil"}) == BEANS[2]
    assert beans.check({"acidity": np.float64(8.0)}) == BEANS[0]
    assert beans.check(BEANS[1]) == BEANS[1]
    assert beans.encode({"bean": "Cajamarca"}).tolist() == [0.5, 0.5, 1.0]


def test_items_with_equal_coordinates_are_one_design(beans):
    assert beans.check({"origin": "Brazil"}) == BEANS[1]
    assert beans.encode(BEANS[1]).tolist() == beans.encode(BEANS[2]).tolist()
    assert beans.decode(beans.encode(BEANS[2])) == BEANS[1]


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"bean": "Java"}, r"bean must match an item; received 'Java'; check the spelling"),
        ({"bean": ["Java"]}, r"bean must match an item; received \['Java'\]"),
        ({"origin": "Java"}, r"origin must match an item; received 'Java'; check it, or give 'bean'"),
        ({"origin": "Peru", "acidity": 8}, r"acidity must match an item with the other values given; received 8"),
        ({"note": "nuts"}, r"must identify one item; 2 items match; received \{'note': 'nuts'\}; give its 'bean'"),
        ({"bean": "Santos", "body": 3}, r"body of 'Santos' must be 7.0; received 3; correct one of the two, or give"),
        ({"colour": 1}, r"an item must have the columns 'bean', .*; received 'colour'"),
        ({}, r"an item must have some of its columns by name; received \{\}; give \{'bean': 'Kenya AA'\}, for example"),
        ("Santos", r"an item must have some of its columns by name; received 'Santos'"),
        ({"acidity": True}, r"acidity must match an item; received True"),
        ({"acidity": "8"}, r"acidity must match an item; received '8'"),
    ],
)
def test_check_names_what_is_wrong(beans, design, message):
    with pytest.raises(InputError, match=message):
        beans.check(design)
    with pytest.raises(InputError, match=message):
        beans.encode(design)


def test_shown_lists_and_empty_cells_are_found_again():
    records = [
        {"n": "p", "v": 1.5, "tags": ["red", ["a", 1]], "z": float("nan")},
        {"n": "q", "v": 2.5, "tags": [], "z": float("inf")},
    ]
    catalogue = Catalogue(records, features=["v"])
    for number, record in enumerate(records):
        item = catalogue[number]
        assert catalogue.check(json.loads(json.dumps(item))) == item
        assert catalogue.check(record) == item
    assert catalogue.check({"tags": np.array([])})["n"] == "q"
    tagged = Catalogue(records, features=["v"], key="tags")
    assert tagged.check({"tags": ["red", ["a", 1]]})["n"] == "p"
    with pytest.raises(InputError, match=r"z of 'p' must be None; received 3"):
        catalogue.check({"n": "p", "z": 3})


@pytest.mark.parametrize(
    "design",
    [
        {"note": np.array([1, 2])},
        {"bean": np.array([1, 2])},
        {"bean": np.array(["Kenya AA", "Santos"])},
        {"body": np.array([3.0])},
        {"body": 10**400},
        {"acidity": 10**400},
        {"acidity": Fraction(10**400, 3)},
        {"bean": {"a": [1]}},
    ],
    ids=repr,
)
def test_values_that_no_cell_can_have_are_refused(beans, design):
    with pytest.raises(InputError, match=r"must match an item"):
        beans.check(design)


def test_encode_and_decode_are_inverses_on_distinct_items(beans):
    for row in (0, 1, 3):
        assert beans.decode(beans.encode(beans[row])) == beans[row]


def test_nearest_is_the_item_at_the_least_distance():
    rng = np.random.default_rng(0)
    catalogue = Catalogue([{"a": a, "b": b} for a, b in rng.random((50, 2))])
    for x in rng.random((20, 2)):
        expected = min(catalogue.points.tolist(), key=lambda y: sum((y - x) ** 2))
        assert catalogue.nearest(x).tolist() == expected
        assert catalogue.nearest(catalogue.nearest(x)).tolist() == expected
        assert catalogue.encode(catalogue.decode(x)).tolist() == expected
    assert catalogue.nearest(np.array([-0.0, 1.0])).shape == (2,)
    with pytest.raises(ShapeError, match=r"x must have shape \(2,\); received \(3,\)"):
        catalogue.decode(np.zeros(3))


def test_samples_are_distinct_and_spread():
    rng = np.random.default_rng(0)
    catalogue = Catalogue([{"a": a, "b": b} for a, b in rng.random((3000, 2))])
    X = catalogue.sample(16, rng)
    known = {x.tobytes() for x in catalogue.candidates}
    assert {x.tobytes() for x in X} <= known
    gaps = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) + np.eye(16)
    assert gaps.min() > 0.15
    assert X.tolist() != catalogue.sample(16, rng).tolist()
    assert len(catalogue.sample(0, rng)) == 0
    assert len(np.unique(catalogue.sample(2500, rng), axis=0)) == 2500
    assert len(Catalogue(BEANS).sample(10, rng)) == 3


# -- files and text ---------------------------------------------------------------------------------------------------


def test_files_frames_and_records_give_the_same(tmp_path):
    path = tmp_path / "beans.csv"
    path.write_text(
        "bean;origin;acidity;body;note\nKenya AA;Kenya;8;3.0;berries\nSantos;Brazil;4;7.0;\n"
        "Cerrado;Brazil;4;7.0;nuts\nCajamarca;Peru;6;5.0;nuts\n"
    )

    class Frame(dict):
        columns = tuple(BEANS[0])

        def __missing__(self, name):
            return np.array([bean[name] for bean in BEANS], dtype=object)

    options = {"features": ["acidity", "body"], "categories": ["origin"], "key": "bean"}
    expected = Catalogue(BEANS, **options)
    assert Catalogue.from_csv(path, **options) == expected
    assert Catalogue.from_csv(str(path), delimiter=";", **options) == expected
    assert Catalogue.from_csv(io.StringIO(path.read_text().replace(";", "|")), **options) == expected
    assert Catalogue.from_frame(Frame(), **options) == expected
    assert Catalogue.from_records(iter(BEANS), **options) == expected
    assert Catalogue(BEANS) != expected


def test_bit_strings_of_a_file_are_no_numbers(tmp_path):
    path = tmp_path / "molecules.csv"
    path.write_text("smiles,fp\nC,0110\nCC,1110\n")
    assert Catalogue.from_csv(path, fingerprint="fp").points.tolist() == [[0, 1, 1, 0], [1, 1, 1, 0]]


def test_errors_in_files_name_the_line(tmp_path):
    path = tmp_path / "beans.csv"
    path.write_text("bean,acidity\nA,1\n\nB,strong\n")
    with pytest.raises(InputError, match=r"'acidity' in line 4 must be a finite number; received 'strong'"):
        Catalogue.from_csv(path, features=["acidity"])


def test_catalogues_survive_json(beans):
    for catalogue in (
        beans,
        Catalogue([{"x": 0.1 + 0.2, "b": True}, {"x": 1e-300, "b": False}], key="x", categories=["b"]),
    ):
        back = space_from_dict(json.loads(json.dumps(catalogue.to_dict())))
        assert back == catalogue
        assert back.points.tolist() == catalogue.points.tolist()
        assert back.items == catalogue.items


def test_catalogues_can_be_sent_to_other_processes(beans):
    back = pickle.loads(pickle.dumps(beans))
    assert back == beans
    assert back.encode(BEANS[3]).tolist() == beans.encode(BEANS[3]).tolist()


def test_catalogues_print_what_they_hold(beans):
    assert (
        repr(beans)
        == """\
Catalogue(
    4 items, 3 distinct,
    key='bean',
    features=['acidity', 'body'],
    categories=['origin'],
    shown=['note'],
)"""
    )
    molecules = Catalogue(MOLECULES, fingerprint="fp")
    assert repr(molecules) == "Catalogue(3 items, key='smiles', fingerprint=['fp'], shown=['mass'])"


def test_many_columns_are_printed_in_short():
    records = [{"n": text, **{f"b{i}": int(i == row) for i in range(1024)}} for row, text in enumerate("xyz")]
    catalogue = Catalogue(records, fingerprint=[f"b{i}" for i in range(1024)])
    assert repr(catalogue) == "Catalogue(3 items, key='n', fingerprint=['b0', 'b1', 'b2', ..., 'b1023'])"


def test_large_catalogues_are_quick():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 10))
    records = [{"name": f"m{i}", **{f"f{j}": float(v) for j, v in enumerate(x)}} for i, x in enumerate(X)]
    start = time.perf_counter()
    catalogue = Catalogue(records)
    catalogue.sample(100, rng)
    catalogue.nearest(X[0])
    catalogue.check({"name": "m77"})
    catalogue.check({"f3": catalogue[5]["f3"]})
    assert time.perf_counter() - start < 3.0
