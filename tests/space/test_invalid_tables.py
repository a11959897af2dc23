"""What is no table, or no number, gets a sentence."""

import io

import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError


def test_a_first_line_that_is_no_csv_is_refused() -> None:
    with pytest.raises(InputError, match=r"a table must be CSV; received .* in its first line"):
        ap.Catalogue.from_csv(io.StringIO("x" * 200_000 + ",b\n1,2\n"))


def test_a_whole_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(InputError, match="outputscale must be a finite number above 0"):
        ap.RBF(0.3, outputscale=10**400)


def test_a_second_column_of_one_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"column names must differ; received 'b' twice"):
        ap.Catalogue.from_csv(io.StringIO("a,b,b\n1,2,3\n"))


def test_a_constraint_may_be_text_and_a_parameter_is_named_in_its_error() -> None:
    from anchorpbo.space import space_from_dict

    sides = [{"name": name, "kind": "real", "low": 0, "high": 1} for name in "ab"]
    space = space_from_dict({"kind": "space", "parameters": sides, "constraints": ["a + b <= 1"]})
    assert space == ap.Space(a=ap.Real(0, 1), b=ap.Real(0, 1), constraints="a + b <= 1")
    with pytest.raises(InputError, match="'b': the lower end must be below the upper end"):
        space_from_dict({"kind": "space", "parameters": [sides[0], sides[1] | {"low": 3}], "constraints": []})


def test_decimal_commas_are_read_where_semicolons_part_the_cells() -> None:
    table = "name;acidity;body;note\na;8,18;3;1,2,3\nb;-7,5;4;x\nc;6;5;2,5\n"
    catalogue = ap.Catalogue.from_csv(io.StringIO(table), features=["acidity", "body"])
    assert [item["acidity"] for item in catalogue.items] == [8.18, -7.5, 6.0]
    assert [item["note"] for item in catalogue.items] == ["1,2,3", "x", "2,5"]
