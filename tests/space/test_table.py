"""Tables: what is read from files, frames and records, and errors that name line, column and value."""

import datetime
import io
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anchorpbo.errors import InputError
from anchorpbo.space.table import Table, get_cell


@pytest.fixture
def read(tmp_path):
    def reader(text, **options):
        path = tmp_path / "items.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Table.from_csv(path, **options)

    return reader


def cells(table):
    return {name: [get_cell(column, row) for row in range(len(table))] for name, column in table.columns.items()}


def test_columns_are_whole_numbers_or_numbers_or_text(read):
    table = read("name,n,x,code,mixed,gap\nA, 1 ,0.5,007,1,\nB,-2,1e3,012,x,4\n")
    assert cells(table) == {
        "name": ["A", "B"],
        "n": [1, -2],
        "x": [0.5, 1000.0],
        "code": ["007", "012"],
        "mixed": ["1", "x"],
        "gap": [None, 4],
    }
    assert [type(cell) for cell in cells(table)["n"]] == [int, int]
    assert (list(table.lines), table.noun) == ([2, 3], "line")


@pytest.mark.parametrize("words", [["nan", "1"], ["inf", "1"], ["1_000", "2.5"], ["1,5,0", "2"], ["0x1", "2"]])
def test_words_that_python_takes_for_numbers_stay_words(read, words):
    table = read("a;b\n" + "".join(f"{word};1\n" for word in words))
    assert cells(table)["a"] == words


def test_numbers_beyond_64_bits_are_kept(read):
    assert cells(read("a,b\n123456789012345678901234567890,1\n5,2\n"))["a"] == [123456789012345678901234567890, 5]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_delimiter_is_that_of_the_header(read, sign):
    table = read(sign.join(["a", "b", "c"]) + "\n" + sign.join(["1", "2", "x"]) + "\n")
    assert cells(table) == {"a": [1], "b": [2], "c": ["x"]}
    assert list(read("a,b;c,d\n1;2\n", delimiter=";").columns) == ["a,b", "c,d"]


def test_byte_order_marks_quotes_blank_lines_and_line_ends_are_fine(read):
    table = read(b'\xef\xbb\xbfname,note\r\n"Smith, J.","two\nlines"\r\n\r\n"say ""hi""",\r\n')
    assert cells(table) == {"name": ["Smith, J.", 'say "hi"'], "note": ["two\nlines", None]}
    assert list(table.lines) == [3, 5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_the_encodings_in_which_spreadsheets_save_text_are_read(read, encoding):
    text = "name,note\r\nBürke,5 € – “süß”\r\nElm,\r\n"
    table = read(text.encode(encoding))
    assert cells(table) == {"name": ["Bürke", "Elm"], "note": ["5 € – “süß”", None]}
    assert table.encoding == encoding.removesuffix("-sig")


def test_columns_kept_as_text_are_not_turned_into_numbers(read):
    assert cells(read("a,fp\n1,0110\n2,1110\n", as_text=["fp"]))["fp"] == ["0110", "1110"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a table must begin with a line of column names; received none in .*items.csv; add one"),
        ("\n\n", r"must begin with a line of column names"),
        ("a,b\n1,2\n3\n", r"every line must have 2 cells, as the first one has; received 1 in line 3; put cells"),
        ("a,b\n1,2,3\n", r"every line must have 2 cells.* received 3 in line 2"),
        ("a,b,a\n1,2,3\n", r"column names must differ; received 'a' twice; rename one"),
        ("a,,b\n1,2,3\n", r"every column must have a name; received none for column 2; name it"),
        (
            b"a,b\n\x81,1\n",
            r"must be in UTF-8; received .*items.csv in another encoding; in Excel, choose 'CSV UTF",
        ),
        ("a,b\nBürke,süß\n".encode() + b"\xfc,2\n", r"must be in UTF-8"),  # damaged UTF-8
        (b"PK\x03\x04\x14\x00\xdd\x00,xl/workbook.xml\n", r"must be in UTF-8"),  # a workbook of Excel
        ("a,b\n1,2\n".encode("utf-16")[:-1], r"must be in UTF-8"),  # cut off
    ],
)
def test_files_that_are_no_table_are_refused(read, text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_delimiters_are_single_signs(read):
    with pytest.raises(InputError, match=r"delimiter must be a single character; received ', '; leave it out"):
        read("a,b\n1,2\n", delimiter=", ")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"must be a file that exists; received .*gone.csv; check the path"):
        Table.from_csv(tmp_path / "gone.csv")
    with pytest.raises(InputError, match=r"must be a file that can be read"):
        Table.from_csv(tmp_path)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("x7", r"'a' in line 3 must be a finite number; received 'x7'; correct it"),
        ("", r"'a' in line 3 must be a finite number; received an empty cell; fill it in, or leave out the row"),
        ("nan", r"'a' in line 3 must be a finite number; received 'nan'"),
        ('"1,5"', r"'a' in line 3 must be a finite number; received '1,5'; write numbers with a point"),
    ],
)
def test_cells_that_are_no_numbers_are_named(read, cell, message):
    table = read(f"a,b\n1.5,0\n{cell},0\n2,0\n")
    with pytest.raises(InputError, match=message):
        table.numbers("a")


@pytest.mark.parametrize("opened", [io.StringIO, lambda text: io.BytesIO(text.encode())], ids=["text", "bytes"])
def test_open_files_are_read(opened):
    assert cells(Table.from_csv(opened("\ufeffa;b\n1;x\n\n2;y\n"))) == {"a": [1, 2], "b": ["x", "y"]}
    with pytest.raises(InputError, match=r"must begin with a line of column names; received none in the file"):
        Table.from_csv(opened(""))


def test_an_open_file_is_read_from_the_disk(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("a,b\n1,x\n", encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        assert cells(Table.from_csv(file)) == {"a": [1], "b": ["x"]}
    with pytest.raises(InputError, match=r"a table must be a file that can be read; received .*items.csv: I/O"):
        Table.from_csv(file)
    with pytest.raises(InputError, match=r"must be in UTF-8; received the file"):
        Table.from_csv(io.BytesIO(b"a,b\n\x81,1\n"))


@pytest.mark.parametrize("source", [3, None, [{"a": 1}]])
def test_what_is_no_file_is_refused(source):
    with pytest.raises(InputError, match=r"a table must be a file; received .*; give its path, or the open file"):
        Table.from_csv(source)


def test_impossible_paths_are_refused():
    with pytest.raises(InputError, match=r"a table must be a file that can be read; received a.*null"):
        Table.from_csv("a\0b.csv")


def test_codes_count_as_numbers_where_numbers_are_asked_for(read):
    table = read("a,b\n007,0\n012,0\n")
    assert cells(table)["a"] == ["007", "012"]
    assert table.numbers("a").tolist() == [7.0, 12.0]


def test_numbers_of_records_are_named_by_row():
    table = Table.from_records([{"a": 1}, {"a": "2"}])
    with pytest.raises(InputError, match=r"'a' in row 1 must be a finite number; received '2'; convert it to a number"):
        table.numbers("a")
    with pytest.raises(InputError, match=r"'a' in row 1 must be a finite number; received 'inf'"):
        Table.from_records([{"a": 1.0}, {"a": np.inf}]).numbers("a")
    with pytest.raises(InputError, match=r"'a' in row 0 must be a finite number; received 1000"):
        Table.from_records([{"a": 10**400}]).numbers("a")


@pytest.mark.parametrize(
    ("column", "row"),
    [
        (["1.5", "", "2.5"], 1),
        (["1.5", "n/a", "2.5"], 1),
        (["1,5", "2,5", "3,5"], None),
        (["1", "2,5", "x"], 1),
        (["1.5", "nan", "-2e3"], 1),
        (["5", "x"], 1),
        (["5", "x", "y"], None),
        (["1", "2", "3"], None),
        (["007", "012", "x"], None),
        (["007", "012", "034"], None),
        (["x", "y", ""], None),
    ],
)
def test_columns_of_a_file_that_are_nearly_numbers_are_noticed(read, column, row):
    assert read("a;b\n" + "".join(f"{cell};1\n" for cell in column)).find_non_number("a") == row


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ([1, None, 2], 1),
        ([1.5, float("nan"), 2.5], 1),
        ([1.5, float("inf")], 1),
        ([1, 2, "3"], 2),
        (["1", "2", "x"], None),
        ([True, False, 1], None),
        ([10**30, 1], None),
        ([1, None, None], None),
    ],
)
def test_columns_of_records_that_are_nearly_numbers_are_noticed(column, row):
    assert Table.of({"a": column}).find_non_number("a") == row


def test_records_become_columns_of_plain_values():
    day = datetime.date(2024, 5, 1)
    table = Table.from_records(
        [
            {"n": np.int64(1), "x": 1, "b": np.bool_(True), "d": day, "e": float("nan"), "f": Decimal("1.5")},
            {"n": 2, "x": 2.5, "b": False, "d": day, "s": "late"},
        ]
    )
    assert cells(table) == {
        "n": [1, 2],
        "x": [1.0, 2.5],
        "b": [True, False],
        "d": ["2024-05-01", "2024-05-01"],
        "e": [None, None],
        "f": [1.5, None],
        "s": [None, "late"],
    }
    assert type(cells(table)["n"][0]) is int
    assert table.numbers("b").tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"a": 1}, r"items must be a list of dicts; received \{'a': 1\}"),
        ("abc", r"items must be a list of dicts; received 'abc'"),
        (3, r"items must be a list of dicts; received 3"),
        ([{"a": 1}, 7], r"items must be a list of dicts; received 7 in row 1"),
        ("c1.csv", r"items must be a list of dicts; received 'c1.csv'; use from_csv for a file"),
        (Path("c1.csv"), r"items must be a list of dicts; received .*; use from_csv for a file"),
        ([], r"a table must have at least one row; received an empty list; give one dict per row"),
        ([{}, {}], r"a table must have columns; received none"),
        ([{"a": 1, "": 2}], r"every column must have a name"),
        ([{1: 1, "1": 2}], r"column names must differ; received '1' twice"),
    ],
)
def test_records_that_are_no_table_are_refused(records, message):
    with pytest.raises(InputError, match=message):
        Table.from_records(records)


class Series:
    def __init__(self, values, name):
        setattr(self, name, lambda: values)


class Frame:
    """Looks like a data frame of pandas (tolist) or polars (to_list)."""

    def __init__(self, columns, method):
        self.columns = list(columns)
        self._series = {name: Series(values, method) for name, values in columns.items()}

    def __getitem__(self, name):
        return self._series[name]


class IterableFrame(Frame):
    def __iter__(self):
        return iter(self.columns)


NAType = type("NAType", (), {})


@pytest.mark.parametrize("method", ["to_list", "tolist"])
def test_frames_are_taken_by_their_columns(method):
    frame = Frame({"a": [1, 2], "b": [0.5, float("nan")], "c": [NAType(), "x"], 7: [True, False]}, method)
    table = Table.from_frame(frame)
    assert cells(table) == {"a": [1, 2], "b": [0.5, None], "c": [None, "x"], "7": [True, False]}


def test_frames_are_no_records():
    with pytest.raises(InputError, match=r"a list of dicts; received IterableFrame; use from_frame for a data frame"):
        Table.from_records(IterableFrame({"a": [1]}, "to_list"))


def test_what_is_no_frame_is_refused():
    with pytest.raises(InputError, match=r"a data frame must have columns and return each by name.*received list"):
        Table.from_frame([{"a": 1}])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_are_read_to_the_last_digit(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("floats") / "x.csv"
    path.write_text("x,y\n" + "".join(f"{number!r},a\n" for number in numbers))
    assert Table.from_csv(path).numbers("x").tolist() == numbers
