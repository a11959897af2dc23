"""Errors: one code per class, and the field that they are about."""

import pickle
import re
from itertools import chain
from pathlib import Path

import pytest

from anchorpbo import Real, Space, errors
from anchorpbo.app.web.problem_details import STATUS_CODES
from anchorpbo.errors import AnchorPBOError, InputError, at_field


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


def test_an_error_keeps_its_field_between_processes():
    with pytest.raises(InputError) as caught:
        Space(a=Real(0, 1), constraints="a >")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.field, str(again)) == ("constraints", str(caught.value))
