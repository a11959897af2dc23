"""The digits of a step are shown, neither fewer nor more."""

import pytest

from anchorpbo import Catalogue, Integer, Real, Space
from anchorpbo.app.rendering.cards import find_decimals, make_card
from anchorpbo.app.report.report import render_report
from anchorpbo.formatting import format_value
from support.service_studies import QUICK, answer, study

MASS = {"name": "mass", "kind": "real", "low": 1000.0, "high": 1001.0, "step": 0.5}


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(1234.5, None, "1235"), (1234.5, 1, "1234.5"), (84.0, 1, "84"), (2_500_000.0, 0, "2500000"),
     (5e-8, 8, "0.00000005"),
     (100.0, 0, "100"), (0.30000000000000004, 1, "0.3"), (3, 1, "3"), ("x", 1, "x"), (None, 1, "–")],
)  # fmt: skip
def test_a_number_has_the_decimals_of_its_step(value, decimals, text):
    assert format_value(value, decimals) == text


def test_only_numbers_with_a_step_have_fixed_decimals():
    space = Space(a=Real(80, 96, step=0.25), b=Real(0, 1), c=Integer(1, 5))
    assert find_decimals(space) == {"a": 2}
    assert find_decimals(Catalogue([{"name": "x", "price": 1.0}, {"name": "y", "price": 2.0}])) == {}
    card = make_card({}, {"a": 1234.25, "b": 1234.25, "c": 3}, decimals=find_decimals(space))
    assert [row.value for row in card.rows] == ["1234.25", "1234", "3"]


def test_cards_and_the_report_show_the_digits_of_a_step():
    studies, id = study(QUICK, space={"kind": "space", "parameters": [MASS, {**MASS, "name": "other"}]})
    duel = answer(studies, id)
    values = {str(value) for side in (duel.first, duel.second) for value in side.values()}
    shown = {row.value for card in studies.cards.show(id, [duel.first, duel.second]) for row in card.rows}
    assert shown == {value.removesuffix(".0") for value in values}
    studies.anchors.add(id, {"mass": 1000.5, "other": 1000.5})
    assert "mass 1000.5" in render_report(studies, id)
