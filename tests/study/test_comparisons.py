"""Comparisons from elsewhere."""

import re

import numpy as np
import pytest
from studies import ITEMS, SPACES

from anchorpbo import Boolean, Catalogue, Categorical, Constant, Integer, Optimizer, Ordinal, Probit, Real, Space
from anchorpbo.errors import InputError

TEA = Space(
    minutes=Real(1, 10), cups=Integer(1, 6), leaf=Categorical(["green", "black"]),
    size=Ordinal([1, 2, 3]), milk=Boolean(), pot=Constant("clay"),
)  # fmt: skip
STRONG = {"minutes": 8.0, "cups": 2, "leaf": "black", "size": 1, "milk": True}
WEAK = {"minutes": 2.5, "cups": 4, "leaf": "green", "size": 3, "milk": False}
WHOLE = {"pot": "clay"}


def row(winner, loser, **more):
    cells = {f"winner.{name}": value for name, value in winner.items()}
    return {**cells, **{f"loser.{name}": value for name, value in loser.items()}, **more}


class Frame:
    """As much of a data frame as is asked for."""

    def __init__(self, records):
        self._columns = {name: [record[name] for record in records] for name in records[0]}
        self.columns = list(self._columns)

    def __getitem__(self, name):
        return np.array(self._columns[name], dtype=object)


def csv_file(folder, text):
    path = folder / "comparisons.csv"
    path.write_text(text, encoding="utf-8")
    return path


def preferences(opt):
    return [(event["winner"], event["loser"], event["tie"]) for event in opt.history]


# -- winner and loser -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [list, tuple, Frame], ids=["list", "tuple", "frame"])
def test_records_and_frames_give_the_preferences_in_their_order(source):
    opt = Optimizer(TEA)
    assert opt.import_comparisons(source([row(STRONG, WEAK), row(WEAK, STRONG)])) == 2
    strong, weak = {**STRONG, **WHOLE}, {**WEAK, **WHOLE}
    assert preferences(opt) == [(strong, weak, False), (weak, strong, False)]
    assert len(opt) == 2


def test_a_file_is_read_by_the_kinds_of_its_parameters(tmp_path):
    header = "winner.minutes,winner.cups,winner.leaf,winner.size,winner.milk,"
    header += "loser.minutes,loser.cups,loser.leaf,loser.size,loser.milk,tie"
    lines = ["8,2,black,1,true,2.5,4,green,3,False,", "2.5,4,green,3,no,8.0,2,black,1,YES,yes"]
    opt = Optimizer(TEA)
    assert opt.import_comparisons(str(csv_file(tmp_path, "\n".join([header, *lines])))) == 2
    strong, weak = {**STRONG, **WHOLE}, {**WEAK, **WHOLE}
    assert preferences(opt) == [(strong, weak, False), (weak, strong, True)]


def test_what_is_imported_is_what_would_have_been_told():
    opt, told = Optimizer(TEA, strategy="ei", initial=3), Optimizer(TEA, strategy="ei", initial=3)
    opt.import_comparisons([row(STRONG, WEAK), row(WEAK, STRONG, tie=True)])
    told.tell_preference(STRONG, WEAK)
    told.tell_preference(WEAK, STRONG, tie=True)
    assert opt.to_json() == told.to_json()
    assert opt.ask() == told.ask()
    opt.undo()
    assert len(opt) == 1


def test_imported_comparisons_count_towards_the_duels_to_start_with():
    opt = Optimizer(TEA, strategy="ei", initial=2)
    opt.import_comparisons([row(STRONG, WEAK)])
    assert opt.ask().gain is None
    opt.import_comparisons([row(STRONG, {**WEAK, "cups": 5})])
    assert opt.ask().gain is not None


@pytest.mark.parametrize(
    ("cell", "tie"),
    [(True, True), ("TRUE", True), (1, True), ("yes", True), (False, False), (0, False), ("no", False), (None, False)],
)
def test_ties_come_in_several_spellings(cell, tie):
    opt = Optimizer(TEA)
    opt.import_comparisons([row(STRONG, WEAK, tie=cell)])
    assert [event["tie"] for event in opt.history] == [tie]


def test_items_of_a_catalogue_go_by_their_key(tmp_path):
    opt = Optimizer(SPACES["mixed catalogue"])
    assert opt.import_comparisons(csv_file(tmp_path, "winner,loser\nitem 3,item 5\nitem 0,item 3\n")) == 2
    names = [(winner["name"], loser["name"]) for winner, loser, _ in preferences(opt)]
    assert names == [("item 3", "item 5"), ("item 0", "item 3")]
    assert opt.history[0]["winner"]["link"] == ITEMS[3]["link"]


def test_items_of_a_catalogue_go_by_other_columns_too():
    opt = Optimizer(SPACES["numeric catalogue"])
    cells = {"winner.price": ITEMS[2]["price"], "winner.weight": ITEMS[2]["weight"], "loser.name": "item 7"}
    opt.import_comparisons([cells])
    assert [design["name"] for design in preferences(opt)[0][:2]] == ["item 2", "item 7"]


def test_numbers_in_a_file_may_be_the_words_of_a_key(tmp_path):
    """A file cannot tell 7 from "7"."""
    items = [{"code": "7", "price": 1.0}, {"code": "8", "price": 2.0}, {"code": "9b", "price": 4.0}]
    opt = Optimizer(Catalogue(items, features=["price"], key="code"))
    opt.import_comparisons(csv_file(tmp_path, "winner,loser\n7,8\n"))
    assert [design["code"] for design in preferences(opt)[0][:2]] == ["7", "8"]


def test_a_key_of_numbers_is_found_from_a_file(tmp_path):
    items = [{"code": 7, "price": 1.0}, {"code": 8, "price": 2.0}]
    opt = Optimizer(Catalogue(items, features=["price"], key="code"))
    opt.import_comparisons(csv_file(tmp_path, "winner;loser\n8;7\n"))
    assert [design["code"] for design in preferences(opt)[0][:2]] == [8, 7]


# -- rankings ---------------------------------------------------------------------------------------------------------


def ranked(*rows):
    names = ("rank", "ranking", "minutes", "cups", "leaf", "size", "milk")
    return [dict(zip(names, (rank, group, minutes, 2, "green", 1, True), strict=True)) for rank, group, minutes in rows]


def minutes(opt):
    return [(winner["minutes"], loser["minutes"], tie) for winner, loser, tie in preferences(opt)]


def test_a_ranking_gives_each_design_against_the_next():
    opt = Optimizer(TEA)
    assert opt.import_comparisons(ranked((3, "a", 3.0), (1, "a", 1.0), (2, "a", 2.0), (10, "a", 9.0))) == 3
    assert minutes(opt) == [(1.0, 2.0, False), (2.0, 3.0, False), (3.0, 9.0, False)]


def test_equal_ranks_are_ties():
    opt = Optimizer(TEA)
    opt.import_comparisons(ranked((1, "a", 1.0), (2, "a", 2.0), (2, "a", 3.0), (4, "a", 4.0)))
    assert minutes(opt) == [(1.0, 2.0, False), (2.0, 3.0, True), (3.0, 4.0, False)]


def test_rankings_are_kept_apart():
    opt = Optimizer(TEA)
    opt.import_comparisons(ranked((2, "a", 2.0), (2, "b", 5.0), (1, "b", 6.0), (1, "a", 1.0)))
    assert minutes(opt) == [(1.0, 2.0, False), (6.0, 5.0, False)]


def test_ranks_are_numbers_not_words(tmp_path):
    text = "rank,minutes,cups,leaf,size,milk\n10,9,2,green,1,yes\n9,8,2,green,1,yes\n1.5,1,2,green,1,yes\n"
    opt = Optimizer(TEA)
    opt.import_comparisons(csv_file(tmp_path, text))
    assert minutes(opt) == [(1.0, 8.0, False), (8.0, 9.0, False)]


def test_items_of_a_catalogue_are_ranked_by_their_key(tmp_path):
    opt = Optimizer(SPACES["fingerprints"])
    text = "name,rank\nitem 4,2\nitem 1,1\nitem 9,3\n"
    assert opt.import_comparisons(csv_file(tmp_path, text)) == 2
    names = [(winner["name"], loser["name"]) for winner, loser, _ in preferences(opt)]
    assert names == [("item 1", "item 4"), ("item 4", "item 9")]


# -- mistakes ---------------------------------------------------------------------------------------------------------


def refuses(opt, source, *words):
    """Says all of these words and takes in nothing."""
    text, duel = opt.to_json(), opt.ask()
    with pytest.raises(InputError) as caught:
        opt.import_comparisons(source)
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} not in {caught.value}"
    assert opt.to_json() == text
    assert opt.ask() == duel


@pytest.mark.parametrize("bad_row", [0, 2])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("minutes", 11.0, ("minutes must", r"received 11\.0")),
        ("minutes", "long", ("minutes must", "received 'long'")),
        ("minutes", None, ("minutes must", "received nothing")),
        ("cups", 2.5, ("cups must be a whole number", r"received 2\.5")),
        ("leaf", "white", ("leaf must", "received 'white'")),
        ("size", 4, ("size must", "received '?4'?")),
        ("milk", "maybe", ("milk must be true or false", "received 'maybe'")),
        ("milk", None, ("milk must be true or false", "received None")),
        ("milk", "", ("milk must be true or false", "received ''")),
    ],
)
def test_a_wrong_cell_is_named_with_its_row(name, value, words, bad_row):
    good = row(STRONG, WEAK)
    rows = [good, good, good]
    rows[bad_row] = {**good, f"loser.{name}": value}
    refuses(Optimizer(TEA), rows, f"row {bad_row}", *words)


def test_a_wrong_cell_of_a_file_is_named_with_its_line(tmp_path):
    opt = Optimizer(SPACES["numeric catalogue"])
    path = csv_file(tmp_path, "winner,loser\nitem 1,item 2\n\nitem 1,item 99\n")
    refuses(opt, path, "line 4", "name must match an item", "received 'item 99'")


def test_a_wrong_rank_is_named_with_its_line(tmp_path):
    opt = Optimizer(SPACES["numeric catalogue"])
    refuses(opt, csv_file(tmp_path, "name,rank\nitem 1,1\nitem 2,best\n"), "'rank' in line 3", "received 'best'")
    refuses(opt, csv_file(tmp_path, "name,rank\nitem 1,\nitem 2,2\n"), "'rank' in line 2", "an empty cell")


def test_a_wrong_tie_is_named_with_its_row():
    refuses(Optimizer(TEA), [row(STRONG, WEAK, tie="perhaps")], "'tie' in row 0 must be true or false", "'perhaps'")


def test_a_design_compared_with_itself_is_named_with_its_row():
    rows = [row(STRONG, WEAK), row(STRONG, STRONG)]
    refuses(Optimizer(TEA), rows, "row 1", "the two designs of a comparison must differ", r"'minutes': 8\.0")


def test_a_design_ranked_twice_is_refused_and_nothing_is_taken_in():
    rows = ranked((1, "a", 1.0), (2, "a", 2.0), (3, "a", 2.0))
    refuses(Optimizer(TEA), rows, "row [12]", "the two designs of a comparison must differ", r"'minutes': 2\.0")


def test_a_missing_parameter_is_named():
    cells = row(STRONG, WEAK)
    del cells["loser.cups"]
    refuses(Optimizer(TEA), [cells], "row 0", "must have a value for", "none for 'cups'")


def test_an_unknown_parameter_is_named():
    refuses(Optimizer(TEA), [row(STRONG, {**WEAK, "sugar": 1})], "row 0", "received also 'sugar'")


def test_a_column_without_meaning_is_named():
    refuses(Optimizer(TEA), [row(STRONG, WEAK, date="today")], "must have a meaning", "received date")


@pytest.mark.parametrize("side", ["winner", "loser"])
def test_a_missing_side_is_named(side):
    cells = {name: cell for name, cell in row(STRONG, WEAK).items() if not name.startswith(side)}
    refuses(Optimizer(TEA), [cells], f"columns for the {side}, such as {side}.minutes, or a column rank")


def test_a_missing_side_of_a_catalogue_is_named():
    refuses(Optimizer(SPACES["numeric catalogue"]), [{"winner": "item 1"}], "columns for the loser, such as loser")


@pytest.mark.parametrize("rows", [[], ranked((1, "a", 1.0), (1, "b", 2.0))], ids=["empty", "rankings of one"])
def test_a_table_without_comparisons_is_refused(rows):
    refuses(Optimizer(TEA), rows, "at least one|must have rows")


@pytest.mark.parametrize("source", [5, None, {"winner": ["a"]}], ids=repr)
def test_something_that_is_no_table_is_refused(source):
    refuses(Optimizer(TEA), source, "data frame|list of dicts")


def test_a_file_that_is_not_there_is_named(tmp_path):
    refuses(Optimizer(TEA), tmp_path / "nowhere.csv", "nowhere.csv")


def test_ties_that_the_likelihood_cannot_explain_leave_the_rows_before_them_out_too():
    study = Optimizer(Space(a=Real(0, 1)), likelihood=Probit(tie_threshold=0.0))
    rows = [{"winner.a": 0.1, "loser.a": 0.2, "tie": False}, {"winner.a": 0.3, "loser.a": 0.4, "tie": True}]
    with pytest.raises(InputError, match="tie_threshold 0 has no ties"):
        study.import_comparisons(rows)
    assert study.history == []
