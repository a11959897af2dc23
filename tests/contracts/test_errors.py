"""Errors: one code per class, and the field that they are about."""

import pickle
import re
from itertools import chain
from pathlib import Path

import pytest

from anchorpbo import Real, Space, errors
from anchorpbo.app.web.problem_details import STATUS_CODES
from anchorpbo.errors import MAX_VALUE_LENGTH, AnchorPBOError, InfeasibleError, InputError, at_field


def subclasses(kind):
    return [kind, *chain.from_iterable(subclasses(one) for one in kind.__subclasses__())]


def test_every_class_of_errors_has_a_code_of_its_own():
    kinds = [kind for kind in subclasses(AnchorPBOError) if kind.__module__ == errors.__name__]
    codes = {kind.__name__: kind.code for kind in kinds}
    assert len(set(codes.values())) == len(codes) > 10
    assert all("code" in vars(kind) for kind in kinds)


def test_the_documentation_of_rest_lists_every_code():
    page = (Path(__file__).parents[2] / "docs" / "rest.md").read_text("utf-8")
    listed = set(re.findall(r"`(\w+)`", page.partition("Codes of a request")[2].partition("\n* ")[0]))
    assert listed == {kind.code for kind in subclasses(AnchorPBOError) if kind.__module__ == errors.__name__} | {
        *STATUS_CODES.values()
    }


def test_the_field_is_the_path_of_what_is_wrong():
    with pytest.raises(InputError) as caught, at_field("space"), at_field("constraints"):
        raise InputError("a rule", 1, "a remedy")
    assert caught.value.field == "space.constraints"
    assert str(caught.value) == "a rule; received 1; a remedy."


def test_an_error_without_a_field_has_none_and_other_exceptions_pass():
    assert InputError("a rule").field is None
    with pytest.raises(KeyError, match="x"), at_field("space"):
        raise KeyError("x")


def test_an_error_keeps_its_field_and_value_between_processes():
    with pytest.raises(InputError) as caught:
        Space(a=Real(0, 1), constraints=["a <= 1", "a >"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.field, again.value, str(again)) == ("constraints.1", "a >", str(caught.value))


def test_an_error_carries_the_value_that_breaks_the_rule_if_it_is_short_json():
    assert InputError("a rule", "3", value=[3, "a"]).value == [3, "a"]
    for value in ("x" * MAX_VALUE_LENGTH, float("nan"), {1, 2}, "\ud800", object()):
        assert InputError("a rule", value=value).value is None


def test_the_value_of_a_part_is_that_of_the_innermost_error_that_has_one():
    with pytest.raises(InputError) as caught, at_field("constraints"), at_field(1, "a < 1"):
        raise InputError("a rule")
    assert (caught.value.field, caught.value.value) == ("constraints.1", "a < 1")
    with pytest.raises(InputError) as caught, at_field("low", "outer"):
        raise InputError("a rule", value="inner")
    assert caught.value.value == "inner"


def test_an_error_about_a_subject_keeps_its_type_field_and_value():
    error = InfeasibleError("a rule", 1, "a remedy", value={"total": 1}, field="a").about("line 3")
    assert (type(error), error.field, error.value) == (InfeasibleError, "a", {"total": 1})
    assert str(error) == "line 3: a rule; received 1; a remedy."


def test_a_violated_constraint_has_its_coefficients_ends_and_the_total_of_the_design():
    space = Space(a=Real(0, 10), b=Real(0, 10), constraints="2*a + b <= 10")
    with pytest.raises(InfeasibleError) as caught:
        space.check({"a": 5, "b": 2})
    assert caught.value.value == {"coefficients": {"a": 2, "b": 1}, "lower": None, "upper": 10, "total": 12}
