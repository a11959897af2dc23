"""What long lists need: names for their content, keys, coordinates and fingerprints without detours."""

import numpy as np
import pytest

from anchorpbo import Catalogue, Categorical, Constant, Integer, Ordinal, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.space import Columns, farthest_points, space_from_dict
from anchorpbo.space.subset_selection import distances
from anchorpbo.space.table import Table, hash_columns

ROWS = [
    {"id": "a", "x": 0.5, "n": 3, "kind": "red", "fp": "0110", "note": None},
    {"id": "b", "x": -0.0, "n": 5, "kind": "blue", "fp": "1110", "note": 2},
    {"id": "c", "x": 2.5, "n": 7, "kind": "red", "fp": "0001", "note": "é\ud800"},
]
ROLES = {"features": ["x", "n"], "categories": ["kind"], "fingerprint": "fp", "key": "id"}


def changed(row, **cells):
    return [{**each, **cells} if number == row else each for number, each in enumerate(ROWS)]


# -- digests ----------------------------------------------------------------------------------------------------------


def test_equal_catalogues_have_one_digest():
    catalogue = Catalogue(ROWS, **ROLES)
    assert Catalogue(Table.from_records(ROWS), **ROLES).digest == catalogue.digest
    assert space_from_dict(catalogue.to_dict()).digest == catalogue.digest


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        (changed(0, x=0.25), {}),
        (changed(1, x=0.0), {}),
        (changed(2, note="e"), {}),
        (changed(0, note=""), {}),
        (changed(0, fp="0111"), {}),
        ([{**row, "n": float(row["n"])} for row in ROWS], {}),
        ([{**row, "n": str(row["n"])} for row in ROWS], {"features": ["x"]}),
        (ROWS[::-1], {}),
        (ROWS[:2], {}),
        ([dict(reversed(row.items())) for row in ROWS], {}),
        ([{name.replace("note", "memo"): cell for name, cell in row.items()} for row in ROWS], {}),
        (ROWS, {"features": ["n", "x"]}),
        (ROWS, {"features": ["x"]}),
        (ROWS, {"categories": []}),
        (ROWS, {"fingerprint": None}),
        (ROWS, {"key": "n", "features": ["x"]}),
    ],
)  # fmt: skip
def test_other_catalogues_have_others(rows, roles):
    assert Catalogue(rows, **ROLES | roles).digest != Catalogue(ROWS, **ROLES).digest


@pytest.mark.parametrize("n", [999, 1000, 1001, 2500])
def test_every_cell_of_a_long_column_counts(n):
    cells = [f"{i}" for i in range(n)]
    digests = {hash_columns({"a": (*cells[:i], "other", *cells[i + 1 :])}) for i in (0, n // 2, n - 1)}
    assert len(digests | {hash_columns({"a": tuple(cells)}), hash_columns({"a": tuple(cells[:-1])})}) == 5


def test_the_order_of_bytes_in_memory_does_not_count():
    numbers = np.array([1.5, -2.0, 3e300])
    expected = hash_columns({"a": numbers})
    assert hash_columns({"a": numbers.astype(">f8")}) == expected
    assert hash_columns({"a": np.repeat(numbers, 2)[::2]}) == expected
    assert hash_columns({"a": numbers.view(np.int64)}) != expected


# -- keys and coordinates ---------------------------------------------------------------------------------------------


def test_keys_are_those_of_the_items():
    assert list(Catalogue(ROWS, **ROLES).keys) == ["a", "b", "c"]
    assert list(Catalogue([{"v": 1.0}, {"v": 1.0}, {"v": 2.0}], ["v"]).keys) == [0, 1, 2]


SPACES = [
    Catalogue(ROWS, **ROLES),
    Catalogue([{"v": 1.0}, {"v": 1.0}, {"v": 2.0}], ["v"]),
    Space(a=Real(1, 9, log=True), b=Integer(0, 7), c=Categorical(["x", "y"]), d=Constant(3), e=Real(0, 1, step=0.1)),
    Space(a=Real(0, 1), b=Real(0, 1), c=Ordinal([1, 2, 5]), constraints="a + b <= 1"),
]


@pytest.mark.parametrize("space", SPACES, ids=["fingerprints", "equal items", "mixed", "constrained"])
def test_a_checked_design_is_located_where_it_is_encoded(space):
    for x in space.sample(20, np.random.default_rng(0)):
        design = space.check(space.decode(space.nearest(x)))
        np.testing.assert_array_equal(space.locate(design), space.encode(design))


# -- fingerprints -----------------------------------------------------------------------------------------------------


def test_bits_are_read_from_text_as_from_lists():
    bits = np.random.default_rng(1).integers(0, 2, (40, 130))
    forms = ["".join(map(str, row)) for row in bits], bits.tolist(), [", ".join(map(str, row)) for row in bits]
    for form in forms:
        catalogue = Catalogue([{"n": n, "fp": cell} for n, cell in enumerate(form)], fingerprint="fp", key="n")
        np.testing.assert_array_equal(catalogue.points, bits)
        assert catalogue.points.dtype == np.float64


@pytest.mark.parametrize("cell", ["", "01a", [], None, ["x"], [1.0, float("nan")], [10**400, 1], True])
def test_what_is_no_fingerprint_is_named(cell):
    for row in (0, 1):
        rows = [{"n": n, "fp": cell if n == row else "01"} for n in range(3)]
        with pytest.raises(InputError, match=rf"'fp' in row {row} must be bits such as 0110, or a list of counts"):
            Catalogue(rows, fingerprint="fp", key="n")


# -- distances --------------------------------------------------------------------------------------------------------


def tanimoto(X, Y):
    common = X @ Y.T
    either = (X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1) - common
    return np.where(either > 0, common / np.where(either > 0, either, 1.0), 1.0)


@pytest.mark.parametrize("highest", [1, 3], ids=["bits", "counts"])
@pytest.mark.parametrize("columns", [range(100), [7, 3, 90, 4], range(5, 70)], ids=["all", "some", "a part"])
def test_fingerprints_are_as_far_apart_as_the_formula_says(highest, columns):
    rng = np.random.default_rng(2)
    X, Y = (rng.integers(0, highest + 1, (n, 100)).astype(float) for n in (9, 6))
    X[0] = Y[1] = 0.0
    at = list(columns)
    expected = 1.0 - tanimoto(X[:, at], Y[:, at])
    np.testing.assert_allclose(distances(X, Y, Columns(fingerprint=tuple(at))), expected, rtol=1e-14, atol=1e-15)


def test_bits_are_as_far_from_counts_as_the_formula_says():
    rng = np.random.default_rng(3)
    bits, counts = rng.integers(0, 2, (5, 80)).astype(float), rng.integers(0, 4, (4, 80)).astype(float)
    columns = Columns(fingerprint=tuple(range(80)))
    np.testing.assert_allclose(distances(bits, counts, columns), 1.0 - tanimoto(bits, counts), rtol=1e-14)
    np.testing.assert_allclose(distances(counts, bits, columns), 1.0 - tanimoto(counts, bits), rtol=1e-14)


@pytest.mark.parametrize("highest", [1, 3], ids=["bits", "counts"])
def test_the_farthest_fingerprints_are_those_by_all_distances(highest):
    X = np.random.default_rng(4).integers(0, highest + 1, (50, 70)).astype(float)
    columns, before = Columns(fingerprint=tuple(range(70))), [3]
    D = distances(X, X, columns)
    for _ in range(12):
        before.append(int(D[:, before].min(axis=1).argmax()))
    assert farthest_points(X, 12, columns, [3]).tolist() == before[1:]
