"""Constraints: what is read from text, what is refused, and what they mean in coordinates."""

import time

import numpy as np
import pytest

from anchorpbo.errors import IncompatibleError, InputError, TimeLimitError
from anchorpbo.numerics.deadline import current_deadline, time_limit
from anchorpbo.space import Boolean, Categorical, Constant, Integer, Linear, Real, Space, space, space_from_dict
from anchorpbo.space.constraint_parser import MAX_CHARACTERS, MAX_TERMS
from support.hard_rules import hard_rules, hard_study


@pytest.mark.parametrize(
    ("text", "coefficients", "lower", "upper"),
    [
        ("a + b <= 10", {"a": 1, "b": 1}, None, 10),
        ("2*a - b/4 >= 1", {"a": 2, "b": -0.25}, 1, None),
        ("a + b + c == 1", {"a": 1, "b": 1, "c": 1}, 1, 1),
        ("1 <= a + b <= 5", {"a": 1, "b": 1}, 1, 5),
        ("5 >= a + b >= 1", {"a": 1, "b": 1}, 1, 5),
        ("a <= b", {"a": 1, "b": -1}, None, 0),
        ("a >= 2 * (b - 1)", {"a": 1, "b": -2}, -2, None),
        ("-a + 3 <= +b * 2 - 1", {"a": -1, "b": -2}, None, -4),
        ("a + a + 1 == 4", {"a": 2}, 3, 3),
        ("1 <= a + 1 <= 2", {"a": 1}, 0, 1),
        ("a <= 1e-3", {"a": 1}, None, 1e-3),
        ("  a\t<= 3", {"a": 1}, None, 3),
        ("größe <= 3", {"größe": 1}, None, 3),
        ("a + b ≤ 10", {"a": 1, "b": 1}, None, 10),
        ("2×a − b ≥ 1", {"a": 2, "b": -1}, 1, None),
        ("1 ≤ a <= 5", {"a": 1}, 1, 5),
        ("a + b = 1", {"a": 1, "b": 1}, 1, 1),
    ],
)
def test_text_is_read_as_a_weighted_sum(text, coefficients, lower, upper):
    assert Linear.parse(text) == Linear(coefficients, lower, upper)


@pytest.mark.parametrize(
    ("text", "names", "coefficients"),
    [
        ("hot water + milk ≤ 250", ["hot water", "milk"], {"hot water": 1, "milk": 1}),
        ("2*hot  water - water <= 250", ["water", "hot water"], {"hot water": 2, "water": -1}),
        ("hot water/2 + hot water temperature <= 9", ["hot water", "hot water temperature"],
         {"hot water": 0.5, "hot water temperature": 1}),
        ("lambda + in <= 9", ["lambda", "in"], {"lambda": 1, "in": 1}),
        ("pH-value + 2nd <= 9", ["pH-value", "2nd"], {"pH-value": 1, "2nd": 1}),
        ("µ speed <= 9", ["μ speed"], {"μ speed": 1}),  # a micro sign and a Greek letter
        ("µ + Ω x <= 9", ["μ", "Ω x"], {"μ": 1, "Ω x": 1}),  # an ohm sign
        ("H₂O + floor_m² - CO₂/2 <= 9", ["H₂O", "CO₂", "floor_m²"], {"H₂O": 1, "floor_m²": 1, "CO₂": -0.5}),
        ("col·lagen + 2·a <= 9", ["col·lagen", "a"], {"col·lagen": 1, "a": 2}),
        ("sweet×sour = 9", ["sweet×sour", "sweet", "x"], {"sweet×sour": 1}),
        ("1e5*a <= 9", ["a", "1e5"], {"a": 1e5}),
        ("'1e5' + `100 %` <= 9", ["a", "1e5", "100 %"], {"1e5": 1, "100 %": 1}),
        ("2*5\" + a <= 9", ["a", '5"', "5"], {'5"': 2, "a": 1}),
        ("a + b c <= 9", ["a", "b c", ""], {"a": 1, "b c": 1}),
        ('"water-milk" <= 9', ["water", "milk", "water-milk"], {"water-milk": 1}),
        ("water - milk ÷ 4 ≦ 9", ["water", "milk"], {"water": 1, "milk": -0.25}),
        ("2*p + a b <= 9", ["p", "a b", "2"], {"p": 2, "a b": 1}),
        ("p0 + a b <= 9", ["p0", "a b"], {"p0": 1, "a b": 1}),
        ("salt (sea) <= 9", ["salt (sea)"], {"salt (sea)": 1}),
    ],
)  # fmt: skip
def test_names_of_a_space_may_have_spaces_and_signs(text, names, coefficients):
    assert dict(Linear.parse(text, names).coefficients) == coefficients


def test_a_space_checks_and_saves_a_constraint_whose_names_have_spaces():
    space = Space({"hot water": Real(0, 300), "milk": Real(0, 300)}, constraints="hot water + milk ≤ 250")
    assert str(space.constraints[0]) == "hot water + milk <= 250"
    assert space_from_dict(space.to_dict()).constraints == space.constraints
    with pytest.raises(
        InputError, match=r"hot water \+ milk must be at most 250; received 300 with hot water=200, milk"
    ):
        space.check({"hot water": 200, "milk": 100})
    with pytest.raises(InputError, match=r"linear: .* received 'hot water \* milk' in 'hot water \* milk <= 1'"):
        Linear.parse("hot water * milk <= 1", ["hot water", "milk"])


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("hot water <= 10²", ["hot water"], r"must have a sum on each side; received 'hot water <= 10²'"),
        ("3²*a <= 1", ["a", "b c"], r"must have a sum on each side"),
        (
            "water–milk <= 3",
            ["water", "milk", "water–milk"],
            r"must not be a sum of other names; received 'water–milk'",
        ),
        ("a-1 <= 3", ["a", "a-1"], r"must not be a sum of other names; .* write it in quotes, 'a-1', if you mean"),
        ("hot water <= 3", ["hot water", "hot  water"], r"differ in more than white space; received 'hot water' twice"),
        ("µ <= 3", ["µ", "μ"], r"differ in more than white space"),
        ("c d <= 3", [f"x{n}" for n in range(11)], r"named: 'x0', .*'x9', \.\.\.\.$"),
    ],
)
def test_a_name_that_can_be_misread_is_refused(text, names, message):
    with pytest.raises(InputError, match=message):
        Linear.parse(text, names)


def test_without_the_names_of_the_parameters_a_constraint_has_single_words():
    with pytest.raises(InputError, match=r"write names as single words.* or give the names with spaces"):
        Linear.parse("hot water <= 1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a + b <= 10", "a + b must be at most 10"),
        ("2*a >= 1", "2*a must be at least 1"),
        ("a + b == 1", "a + b must be exactly 1"),
        ("1 <= a - b <= 5", "a - b must be from 1 to 5"),
    ],
)
def test_a_constraint_can_be_said_in_words(text, sentence):
    assert Linear.parse(text).sentence == sentence


@pytest.mark.parametrize("text", ["2*a - 0.25*b >= 1", "a + b == 1", "1 <= a + b <= 5", "-a + b <= 0", "-2*a >= -3"])
def test_what_is_printed_can_be_read(text):
    assert str(Linear.parse(text)) == text
    assert repr(Linear.parse(text)) == f"Linear({text!r})"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a + b < 10", r"must include its ends, so < is not allowed; received 'a \+ b < 10'; use <="),
        ("a > 1", r"so > is not allowed; .* use >="),
        ("a + b", r"must have <=, >= or == in it; received 'a \+ b'"),
        ("", r"must have a sum on each side; received ''"),
        (
            "hot water + b <= 250",
            r"of parameters and numbers; received 'hot water' in 'hot water \+ b <= 250'; .* named: 'a', 'b', 'c'",
        ),
        ("b hot <= 250", r"a sum on each side; .*; write the parameters as they are named: 'a', 'b', 'c'"),
        ("a == b = 1", r"a double inequality must have a number at each end"),
        ("a =< 1", r"must have a sum on each side; received 'a =< 1'; write it like"),
        ("a != 1", r"must use <=, >= or ==; received 'a != 1'"),
        ("a * b <= 1", r"must be linear: parameters times numbers, added up; received 'a \* b' in 'a \* b <= 1'"),
        ("1 / a <= 1", r"must be linear: .* received '1 / a'"),
        ("a / 0 <= 1", r"must be linear: .* received 'a / 0'"),
        ("a ** 2 <= 1", r"must be linear: .* received 'a \*\* 2'"),
        ("abs(a) <= 1", r"must be linear: .* received 'abs\(a\)'"),
        ("a.b <= 1", r"must be linear"),
        ("'x' <= 1", r"must be linear"),
        ("a <= True", r"must be linear"),
        ("a <= b <= c", r"a double inequality must have a number at each end; received 'a <= b <= c'"),
        ("1 <= a >= 0", r"a double inequality must have a number at each end"),
        ("0 == a == 0", r"a double inequality must have a number at each end"),
        ("0 <= a <= 1 <= 2", r"a double inequality must have a number at each end"),
        ("a - a <= 1", r"a comparison must have a parameter in it"),
        ("1 <= 2", r"a comparison must have a parameter in it"),
        ("5 <= a <= 1", r"lower end must not exceed the upper end; received 5 and 1; swap"),
        ("a <= 1e999", r"a number in a comparison must be a finite number; received inf"),
        ("(" * 300 + "a" + ")" * 300 + " <= 1", r"must have a sum on each side"),
        (3, r"a constraint must be text or have coefficients; received 3"),
        (
            "a <= 1, b >= 0",
            r"must be a single comparison; received 'a <= 1, b >= 0'; give several one by one",
        ),
        ("a <= 0,5", r"must be a single comparison; .* write decimals with a point"),
        ("a <= 1 and b >= 0", r"must be a single comparison; .* give several one by one"),
        ("a <= 1; b >= 0", r"must have a sum on each side; .* give several one by one"),
        ("a <= 1\nb >= 0", r"must have a sum on each side; .* give several one by one"),
    ],
)
def test_text_that_is_no_constraint_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1), constraints=[text])


def test_text_is_never_run(tmp_path):
    target = tmp_path / "made"
    with pytest.raises(InputError, match="must be linear"):
        Linear.parse(f"open({str(target)!r}, 'w') <= 1")
    assert not target.exists()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Linear({"a": 1}), r"must have a lower or an upper end; received neither"),
        (lambda: Linear({}, upper=1), r"must have a parameter in it"),
        (lambda: Linear({"a": 0}, upper=1), r"must have a parameter in it"),
        (lambda: Linear([1], upper=1), r"must map names to numbers; received \[1\]"),
        (lambda: Linear({"a": "x"}, upper=1), r"the coefficient of a must be a number; received 'x'"),
        (lambda: Linear({"a": 1}, upper=float("nan")), r"the upper end must be a finite number"),
    ],
)
def test_bad_settings_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_unknown_parameters_are_named():
    with pytest.raises(InputError, match=r"must use only parameters; received 'x'; there are 'a', 'b'"):
        Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + x <= 1"])


@pytest.mark.parametrize(
    ("parameter", "written"),
    [
        (Real(1, 10, log=True), r"x in x \+ a <= 1"),
        (Integer(1, 10, log=True), r"x in"),
        (Categorical(["p", "q"]), r"x in"),
        (Constant("p"), r"x in"),
    ],
)
def test_only_numbers_on_an_even_scale_can_be_constrained(parameter, written):
    with pytest.raises(IncompatibleError, match=rf"numbers on a linear scale.*received {written}"):
        Space(x=parameter, a=Real(0, 1), constraints=["x + a <= 1"])


def test_rows_mean_the_same_as_values():
    space = Space(
        a=Real(-3, 5),
        b=Real(0, 2, step=0.5),
        n=Integer(2, 6),
        flag=Boolean(),
        base=Constant(1.5),
        constraints=["2*a - b/4 + 3*n + 5*flag + 2*base <= 20", "a + n >= 3"],
    )
    rng = np.random.default_rng(0)
    X = space.region.assign_bins(rng.random((500, 4)))
    told = []
    for x in X:
        v = space.decode(x)
        first = 2 * v["a"] - v["b"] / 4 + 3 * v["n"] + 5 * v["flag"] + 2 * 1.5 <= 20
        told.append(first and v["a"] + v["n"] >= 3)
    assert 50 < sum(told) < 450
    assert space.region.contains(X).tolist() == told


def test_constants_alone_settle_a_constraint():
    parameters = {"a": Real(0, 1), "k": Constant(2), "on": Constant(True)}
    assert not Space(parameters, constraints=["k + on <= 3"]).region.is_constrained
    with pytest.raises(InputError, match=r"k \+ on <= 2 must hold; received 3 from the constants in it"):
        Space(parameters, constraints=["k + on <= 2"])


def test_conflicting_constraints_are_named_and_innocent_ones_are_not():
    with pytest.raises(InputError) as caught:
        Space(
            a=Real(0, 1), b=Real(0, 1), c=Real(0, 1), constraints=["a + c <= 2", "a + b >= 1.5", "a <= 0.2", "c >= 0"]
        )
    assert "at least one design must be allowed; received none that meets a + b >= 1.5 and a <= 0.2; loosen" in str(
        caught.value
    )


def test_whole_numbers_can_make_constraints_impossible():
    with pytest.raises(InputError, match=r"none that meets 2\*a \+ 2\*b == 7"):
        Space(a=Integer(0, 5), b=Integer(0, 5), constraints=["2*a + 2*b == 7"])


@pytest.mark.parametrize("parameter", [Real(0, 1), Integer(0, 1)])
def test_a_single_design_is_no_space(parameter):
    with pytest.raises(InputError, match=r"at least two designs must be allowed; received only a=1"):
        Space(a=parameter, b=parameter, constraints=["a + b >= 2"])


@pytest.mark.parametrize("given", [5, True, {"a": 1}, b"a <= 1", Ellipsis], ids=repr)
def test_what_are_no_constraints_is_refused(given):
    with pytest.raises(InputError, match=r"constraints must be a list; received .* write"):
        Space(a=Real(0, 1), b=Real(0, 1), constraints=given)


def test_constraints_come_in_any_collection_or_not_at_all():
    assert Space(a=Real(0, 1), constraints=None) == Space(a=Real(0, 1), constraints=()) == Space(a=Real(0, 1))
    parameters = {"a": Real(0, 1), "b": Real(0, 1)}
    assert len(Space(parameters, constraints=(f"{name} <= 0.5" for name in "ab")).constraints) == 2


@pytest.mark.parametrize(
    ("parameters", "constraints", "left"),
    [
        ({"a": Real(0, 1)}, "0.5 <= a <= 0.505", r"a from 0.5 to 0.505"),
        ({"a": Real(0, 1), "b": Real(0, 10)}, ["0.5 <= a <= 0.505", "b == 3"], r"a from 0.5 to 0.505"),
        ({"a": Real(0, 1), "b": Real(0, 1)}, ["a + b <= 0.009"], r"a from 0 to 0.009, b from 0 to 0.009"),
        ({"a": Real(0, 1), "n": Integer(0, 9)}, ["a <= 0.005", "n >= 9"], r"a from 0 to 0.005"),
    ],
)
def test_designs_that_all_look_the_same_are_no_space(parameters, constraints, left):
    with pytest.raises(InputError, match=rf"must differ by at least 0.01 .* received only {left}; give"):
        Space(parameters, constraints=constraints)


@pytest.mark.parametrize(
    ("parameters", "constraints"),
    [
        ({"a": Real(0, 1)}, ["0.5 <= a <= 0.52"]),
        ({"a": Real(0, 1), "b": Real(0, 1)}, ["0.5 <= a <= 0.505"]),
        ({"a": Real(0, 1), "n": Integer(0, 9)}, ["a <= 0.005", "n >= 8"]),
        ({"a": Real(0, 1), "n": Integer(0, 1000)}, ["a <= 0.005", "n >= 999"]),
        ({"a": Real(0, 1), "c": Categorical(["p", "q"])}, ["0.5 <= a <= 0.505"]),
    ],
)
def test_one_difference_is_enough_for_a_space(parameters, constraints):
    assert Space(parameters, constraints=constraints).region.is_constrained


def test_names_are_matched_in_any_form_of_unicode():
    space = Space({"\u00b5": Real(0, 1), "b": Real(0, 1)}, constraints=["\u00b5 + b <= 1"])  # micro sign, not mu
    assert space.constraints[0].coefficients == {"\u00b5": 1.0, "b": 1.0}


def test_a_single_constraint_need_not_be_in_a_list():
    assert Space(a=Real(0, 1), b=Real(0, 1), constraints="a + b <= 1").constraints == (Linear.parse("a + b <= 1"),)
    assert Space(a=Real(0, 1), b=Real(0, 1), constraints=Linear({"a": 1}, upper=0.5)).region.is_constrained


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [" + ", "-"])
def test_a_constraint_has_so_many_terms_and_signs_and_no_more(sign):
    def text(count):
        return " + ".join(["a"] * count) + " <= 1" if sign == " + " else "-" * (count - 1) + "a <= 1"

    if sign == " + ":  # Python's own parser reads fewer signs before a name
        assert Linear.parse(text(MAX_TERMS)).coefficients == {"a": MAX_TERMS}
    rule = rf"a comparison must have at most {MAX_TERMS} terms and signs; received {MAX_TERMS + 1}; name each"
    with pytest.raises(InputError, match=rule):
        Linear.parse(text(MAX_TERMS + 1))
    for many in (2_000, 2_500):
        with pytest.raises(InputError, match=r"name each parameter once|must have a sum on each side"):
            Linear.parse(text(many))


def test_a_constraint_has_so_many_characters_and_no_more():
    assert Linear.parse("a <= 1".ljust(MAX_CHARACTERS)).upper == 1.0
    with pytest.raises(InputError, match=r"at most 20,000 characters long; received 20,001 characters; name each"):
        Linear.parse("a <= 1".ljust(MAX_CHARACTERS + 1))


def test_rules_that_nobody_can_settle_are_refused_when_their_time_is_up(monkeypatch):
    monkeypatch.setattr(space, "CHECK_SECONDS", 0.3)
    names, rules = hard_rules()
    began = time.process_time()
    says = r"must take at most 0.3 s; received 4 constraints on 30 parameters, 30 of them discrete; use fewer"
    with pytest.raises(TimeLimitError, match=says):
        Space(dict.fromkeys(names, Boolean()), constraints=rules)
    assert time.process_time() - began < 5.0


def test_rules_that_were_checked_before_are_not_checked_again():
    found = space_from_dict(hard_study()["space"], checked=True)
    assert len(found.constraints) == 4
    with time_limit(0.2), pytest.raises(TimeLimitError, match=r"must take at most 0.2 s"):
        found.sample(2, np.random.default_rng(0))


def test_an_inner_time_limit_does_not_extend_an_outer_one():
    assert current_deadline().seconds_left == np.inf
    with time_limit(1.0):
        with time_limit(60.0):
            assert current_deadline().seconds_left <= 1.0
        with time_limit(0.0):
            assert current_deadline().seconds_left == 0.0
        assert 0.0 < current_deadline().seconds_left <= 1.0
    assert current_deadline().seconds_left == np.inf


def test_the_nearest_design_that_takes_too_long_counts_the_constraints_that_were_given():
    found = space_from_dict(hard_study()["space"], checked=True)
    with (
        time_limit(0.1),
        pytest.raises(TimeLimitError, match=r"at most 0.1 s; received 4 constraints on 30 parameters, 30 of them"),
    ):
        found.region.polytope.nearest(np.full(30, 0.5), np.ones(30))
