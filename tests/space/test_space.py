"""Spaces of parameters: exact round trips, valid proposals, whatever the constraints."""

import json
import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anchorpbo.errors import InputError, ShapeError, UnknownNameError
from anchorpbo.space import (
    Boolean,
    Catalogue,
    Categorical,
    Columns,
    Constant,
    DesignSpace,
    Integer,
    Ordinal,
    Real,
    Space,
    space_from_dict,
)

COFFEE = Space(
    temperature=Real(80, 96),
    dose=Real(10, 20, log=True),
    grind=Integer(1, 10),
    roast=Ordinal(["light", "medium", "dark"]),
    origin=Categorical(["Kenya", "Brazil", "Peru"]),
    bloom=Boolean(),
    water=Constant("soft"),
)
DESIGN = {
    "temperature": 93.2,
    "dose": 14.5,
    "grind": 7,
    "roast": "dark",
    "origin": "Brazil",
    "bloom": True,
    "water": "soft",
}
MIXTURE = {"a": Real(0, 1), "b": Real(0, 1), "c": Real(0, 1)}

CONSTRAINED = {
    "none": COFFEE,
    "sum": Space(a=Real(0, 10), b=Real(0, 10), constraints=["a + b <= 10"]),
    "mixture of 3": Space(MIXTURE, constraints=["a + b + c == 1"]),
    "mixture of 5 with bounds": Space(
        a=Real(0.1, 0.6),
        b=Real(0, 0.3),
        c=Real(0.05, 0.5),
        d=Real(0, 1),
        e=Real(0.2, 0.4),
        constraints=["a + b + c + d + e == 1", "a - 2*b <= 0.2", "c + d >= 0.3", "a <= 3*e"],
    ),
    "two equations": Space(
        a=Real(0, 1), b=Real(0, 1), c=Real(0, 1), d=Real(0, 2), constraints=["a + b + c == 1", "a - b + d == 1"]
    ),
    "thirds": Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1), constraints=["3*a + 7*b == 2", "a + b + c <= 1"]),
    "pressed": Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b <= 1", "a + b >= 1"]),
    "narrow": Space(a=Real(0, 100), b=Real(0, 100), constraints=["50 <= a + b <= 50.000001"]),
    "offset": Space(a=Real(1e6, 1e6 + 1), b=Real(-5, 5), constraints=["a + b >= 1000000.5", "a - b <= 1000001"]),
    "whole mixture": Space(a=Integer(0, 10), b=Integer(0, 10), c=Integer(0, 10), constraints=["a + b + c == 10"]),
    "many whole": Space({f"n{i}": Integer(0, 40) for i in range(5)}, constraints=["n0 + n1 + n2 + n3 + n4 == 40"]),
    "mixed": Space(
        n=Integer(0, 20),
        m=Integer(-3, 3),
        a=Real(0, 4),
        b=Real(0, 1),
        kind=Categorical(["p", "q"]),
        rate=Real(1, 100, log=True),
        size=Integer(1, 64, log=True),
        constraints=["n + 2*m + 3*a + b == 12.5", "a >= b"],
    ),
    "steps": Space(a=Real(0, 1, step=0.05), b=Real(0, 1, step=0.1), c=Real(0, 1), constraints=["a + b + c == 1"]),
    "flags": Space(p=Boolean(), q=Boolean(), a=Real(0, 1), constraints=["p + q <= 1", "a <= p + q"]),
    "one alone": Space(a=Real(0, 1), b=Real(0, 1), constraints=["3*a <= 1"]),
}
every = pytest.mark.parametrize("space", CONSTRAINED.values(), ids=CONSTRAINED)


def points(space):
    return st.lists(st.floats(0, 1), min_size=space.dimension, max_size=space.dimension).map(np.array)


# -- what it is -------------------------------------------------------------------------------------------------------


def test_a_space_knows_its_columns():
    assert COFFEE.dimension == 6
    assert COFFEE.names == tuple(DESIGN)
    assert COFFEE.columns == Columns(numeric=(0, 1, 2, 3, 5), categorical=(4,))
    assert COFFEE.parameters["grind"] == Integer(1, 10)
    assert COFFEE.region.continuous.tolist() == [0, 1]
    assert COFFEE.region.categorical == {4}
    assert isinstance(COFFEE, DesignSpace)


def test_parameters_come_as_keywords_or_in_a_dict():
    assert Space({"a": Real(0, 1)}, b=Boolean()) == Space(a=Real(0, 1), b=Boolean())
    assert Space({"roast temp": Real(180, 230)}).names == ("roast temp",)
    assert Space(a=Real(0, 1)) != Space(a=Real(0, 2))
    assert Space(a=Real(0, 1), b=Real(0, 1)) != Space(a=Real(0, 1), b=Real(0, 1), constraints=["a <= b"])


def test_spaces_print_as_they_are_written():
    space = Space(t=Real(80, 96), o=Categorical(["p", "q"]), n=Integer(1, 9), constraints=["t + n <= 100"])
    assert repr(space) == (
        "Space(t=Real(80, 96), o=Categorical(['p', 'q']), n=Integer(1, 9), constraints=['t + n <= 100'])"
    )
    assert eval(repr(space)) == space
    assert repr(Space({"constraints": Boolean()})) == "Space({'constraints': Boolean()})"
    assert repr(Space({"roast temp": Real(180, 230)})) == "Space({'roast temp': Real(180, 230)})"


def test_long_spaces_print_one_parameter_a_line():
    assert (
        repr(COFFEE)
        == """\
Space(
    temperature=Real(80, 96),
    dose=Real(10, 20, log=True),
    grind=Integer(1, 10),
    roast=Ordinal(['light', 'medium', 'dark']),
    origin=Categorical(['Kenya', 'Brazil', 'Peru']),
    bloom=Boolean(),
    water=Constant('soft'),
)"""
    )
    assert eval(repr(COFFEE)) == COFFEE
    space = Space({f"roast temperature {i}": Real(180, 230) for i in range(4)}, constraints=None)
    assert repr(space).count("\n") == 5
    assert eval(repr(space)) == space
    named = Space({"roast temp": Real(180, 230), "k": Real(0, 230)}, constraints=["k <= 200"])
    assert repr(named) == "Space({'roast temp': Real(180, 230), 'k': Real(0, 230)}, constraints=['k <= 200'])"
    assert eval(repr(named)) == named


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (Space, r"at least one parameter must vary; received none"),
        (lambda: Space(a=Constant(1)), r"at least one parameter must vary; received only the constant a; add one"),
        (lambda: Space(a=3), r"a must be a Real, Integer, .* received 3; write a=Real\(0, 1\), for example"),
        (lambda: Space({"": Real(0, 1)}), r"the name of a parameter must be text; received ''"),
        (lambda: Space({1: Real(0, 1)}), r"the name of a parameter must be text; received 1"),
        (lambda: Space([Real(0, 1)]), r"must be keywords or a dict from names to parameters"),
        (lambda: Space({"a": Real(0, 1)}, a=Real(0, 1)), r"a parameter must be given once; received 'a' twice"),
    ],
)
def test_bad_spaces_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


# -- designs ----------------------------------------------------------------------------------------------------------


def test_encode_and_decode_are_exact_inverses():
    x = COFFEE.encode(DESIGN)
    assert x.tolist()[2:] == [6 / 9, 1.0, 0.5, 1.0]
    assert COFFEE.decode(x) == DESIGN
    assert [type(value) for value in COFFEE.decode(x).values()] == [float, float, int, str, str, bool, str]


def test_check_fills_in_constants_and_keeps_the_order():
    loose = {key: DESIGN[key] for key in reversed(DESIGN) if key != "water"}
    assert list(COFFEE.check(loose).items()) == list(DESIGN.items())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperatur": 90}, r"must have the parameters 'temperature', .* received also 'temperatur'; check the spell"),
        ({"dose": None}, r"dose must be a number; received nothing"),
        ({"dose": 9}, r"dose must lie between 10 and 20; received 9"),
        ({"water": "hard"}, r"water must be 'soft'; received 'hard'"),
    ],
)
def test_check_names_what_is_wrong(change, message):
    with pytest.raises(InputError, match=message):
        COFFEE.check({**DESIGN, **change})


@pytest.mark.parametrize("value", [np.array([1, 2]), np.array(["Kenya"]), np.array(1), [1], Ellipsis], ids=repr)
@pytest.mark.parametrize("name", DESIGN)
def test_arrays_and_objects_are_no_values(name, value):
    with pytest.raises(InputError, match=rf"{name} must be"):
        COFFEE.check({**DESIGN, name: value})


def test_check_names_what_is_missing():
    with pytest.raises(InputError, match=r"must have a value for .* received none for 'roast', 'origin'; add"):
        COFFEE.check({key: value for key, value in DESIGN.items() if key not in {"roast", "origin"}})
    with pytest.raises(InputError, match=r"a design must have the values of its parameters by name; received \[1\]"):
        COFFEE.check([1])


def test_coordinates_of_the_wrong_shape_are_refused():
    for method in (COFFEE.decode, COFFEE.nearest):
        with pytest.raises(ShapeError, match=r"x must have shape \(6,\); received \(2,\)"):
            method(np.zeros(2))
        with pytest.raises(InputError, match=r"x must be finite"):
            method(np.full(6, np.nan))


def test_told_designs_may_be_typed_and_rounded_but_not_wrong():
    space = CONSTRAINED["mixture of 3"]
    assert space.check({"a": 0.333, "b": 0.333, "c": 0.334})
    assert space.check({"a": 0.1, "b": 0.2, "c": 0.7})
    assert space.check({"a": 0.3333333, "b": 0.3333333, "c": 0.3333333})
    with pytest.raises(
        InputError, match=r"a \+ b \+ c must be exactly 1; received 0.9 with a=0.3, b=0.3, c=0.3; change"
    ):
        space.check({"a": 0.3, "b": 0.3, "c": 0.3})
    with pytest.raises(InputError, match=r"a \+ b must be at most 10; received 10.001 with a=5, b=5.001"):
        CONSTRAINED["sum"].check({"a": 5, "b": 5.001})
    with pytest.raises(InputError, match=r"p \+ q must be at most 1; received 2 with p=True, q=True"):
        CONSTRAINED["flags"].check({"p": True, "q": True, "a": 0.5})


@every
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_nearest_is_always_valid_readable_and_settled(space, data):
    x = data.draw(points(space))
    y = space.nearest(x)
    design = space.decode(y)
    assert space.check(design) == design
    assert space.encode(design).tolist() == y.tolist()
    assert space.nearest(y).tolist() == y.tolist()
    assert space.region.contains(y[None])[0]
    assert (space.region.snap(y[None])[0] == y).all()
    numbers = [value for value in design.values() if isinstance(value, float)]
    assert max((len(repr(number).strip("-0").replace(".", "")) for number in numbers), default=0) <= 14


@every
def test_nearest_leaves_designs_near_where_they_were(space):
    X = space.sample(40, np.random.default_rng(3))
    near = np.array([space.nearest(x) for x in X])
    # Each rounding may push the ones after it, but by no more than all of them together.
    assert np.abs(near - X).max() <= 2e-3


def test_nearest_is_quick_with_constraints():
    space = CONSTRAINED["mixture of 5 with bounds"]
    X = space.sample(50, np.random.default_rng(0))
    start = time.perf_counter()
    for x in X:
        space.nearest(x)
    assert (time.perf_counter() - start) / len(X) < 0.05


def test_nearest_reaches_the_ends():
    assert COFFEE.decode(COFFEE.nearest(np.ones(6)))["temperature"] == 96.0
    third = Space(a=Real(0, 1 / 3), b=Real(0, 1), constraints=["a + b <= 1"])
    assert third.decode(third.nearest(np.array([1.0, 0.2]))) == {"a": 1 / 3, "b": 0.2}


def test_rounding_does_not_cross_a_constraint():
    space = Space(a=Real(0, 1), b=Real(0, 1), constraints=["3*a <= 1", "7*b >= 1"])
    assert space.decode(space.nearest(np.array([0.9, 0.0]))) == {"a": 0.3333, "b": 0.1429}


def test_the_remainder_of_a_mixture_is_short():
    space = CONSTRAINED["mixture of 3"]
    design = space.decode(space.nearest(np.array([0.1234567, 0.7654321, 0.1111112])))
    assert design == {"a": 0.1235, "b": 0.7654, "c": 0.1111}


# -- samples and lists ------------------------------------------------------------------------------------------------


@every
def test_samples_are_distinct_designs(space):
    X = space.sample(30, np.random.default_rng(0))
    assert X.shape == (30 if space is not CONSTRAINED["flags"] else len(X), space.dimension)
    assert len(np.unique(X, axis=0)) == len(X)
    assert space.region.contains(X).all()
    assert (space.region.snap(X) == X).all()
    assert X.tolist() == space.sample(30, np.random.default_rng(0)).tolist()
    assert space.sample(0, np.random.default_rng(0)).shape == (0, space.dimension)


def test_small_spaces_are_sampled_to_the_last_design():
    space = Space(a=Integer(1, 3), b=Categorical(["p", "q"]), constraints=["a <= 2"])
    assert len(space.sample(10, np.random.default_rng(0))) == 4
    with pytest.raises(InputError, match=r"rng must be a numpy.random.Generator"):
        space.sample(3, 0)


def test_candidates_are_all_designs_of_a_small_space():
    space = CONSTRAINED["whole mixture"]
    expected = {(a, b, 10 - a - b) for a in range(11) for b in range(11 - a)}
    assert {tuple(space.decode(x).values()) for x in space.candidates} == expected
    assert len(space.candidates) == 66
    assert space.candidates is space.candidates
    assert len(Space(a=Integer(1, 40), b=Integer(1, 50)).candidates) == 2000
    flags = Space({f"f{i}": Boolean() for i in range(10)} | {"o": Ordinal(["p", "q"])}, constraints=["f0 + f1 == 1"])
    assert len(flags.candidates) == 1024


def test_large_spaces_are_not_listed():
    assert COFFEE.candidates is None
    assert Space(a=Integer(1, 40), b=Integer(1, 51)).candidates is None
    assert Space({f"f{i}": Boolean() for i in range(60)}).candidates is None
    start = time.perf_counter()
    assert CONSTRAINED["many whole"].candidates is None
    few = Space({f"f{i}": Boolean() for i in range(60)}, constraints=[" + ".join(f"f{i}" for i in range(60)) + " <= 1"])
    assert len(few.candidates) == 61
    assert time.perf_counter() - start < 2.0


# -- as text ----------------------------------------------------------------------------------------------------------


@every
def test_spaces_survive_json(space):
    back = space_from_dict(json.loads(json.dumps(space.to_dict())))
    assert isinstance(back, Space)
    assert back == space
    assert repr(back) == repr(space)


@every
def test_spaces_can_be_sent_to_other_processes(space):
    back = pickle.loads(pickle.dumps(space))
    assert back == space
    x = space.sample(1, np.random.default_rng(0))[0]
    assert back.nearest(x).tolist() == space.nearest(x).tolist()


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (None, InputError, r"a space must be an object; received nothing; see the examples in the REST documentation"),
        ({}, InputError, r"a space must have the entry 'kind'"),
        ({"kind": "planet"}, UnknownNameError, r"kind of a space must be one of catalogue, space; received 'planet'"),
        ({"kind": "space"}, InputError, r"a space must have the entry 'parameters'"),
        ({"kind": "space", "parameters": 3}, InputError, r"parameters of a space must be a list; received 3"),
        ({"kind": "space", "parameters": [3]}, InputError, r"a parameter must be an object; received 3"),
        ({"kind": "space", "parameters": [{"name": "a"}]}, InputError, r"a parameter must have the entry 'kind'"),
        (
            {"kind": "space", "parameters": [{"name": "a", "kind": "unreal"}]},
            UnknownNameError,
            r"kind of a parameter must be one of boolean, .*; received 'unreal'",
        ),
        (
            {"kind": "space", "parameters": [{"name": "a", "kind": "real", "top": 3}]},
            InputError,
            r"must have the settings of its kind, real; received \{'top': 3\}",
        ),
        (
            {"kind": "space", "parameters": [{"name": "a", "kind": "boolean"}] * 2},
            InputError,
            r"a parameter must be given once; received 'a' twice",
        ),
        (
            {"kind": "space", "parameters": [{"name": "a", "kind": "boolean"}], "constraints": [3]},
            InputError,
            r"a constraint must be an object; received 3",
        ),
        ({"kind": "catalogue", "columns": []}, InputError, r"columns of a catalogue must be equally long"),
        ({"kind": "catalogue"}, InputError, r"a catalogue must have the entry 'columns'"),
    ],
)
def test_rubbish_is_refused(data, error, message):
    with pytest.raises(error, match=message):
        space_from_dict(data)


def test_catalogues_are_read_back_too():
    catalogue = Catalogue([{"name": "p", "a": 1}, {"name": "q", "a": 2}])
    assert space_from_dict(json.loads(json.dumps(catalogue.to_dict()))) == catalogue
