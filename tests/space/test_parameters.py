"""Parameters: exact round trips, readable proposals, and errors that name what was given."""

import math
import re
from dataclasses import fields
from fractions import Fraction
from inspect import getdoc

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anchorpbo.errors import InputError
from anchorpbo.space import Boolean, Categorical, Constant, Integer, Linear, Ordinal, Real
from anchorpbo.space.parameters import MAX_GRID_VALUES, VaryingParameter

unhurried = settings(deadline=None)
finite = st.floats(-1e12, 1e12)
inside = st.floats(0.0, 1.0)


@st.composite
def reals(draw, log=False):
    ends = st.floats(1e-9, 1e9) if log else finite
    low, high = sorted((draw(ends), draw(ends)))
    assume(high > low * (1 + 1e-9) if log else high > low)
    return Real(low, high, log=log)


@st.composite
def gridded(draw):
    low, count = draw(st.integers(-1000, 1000)), draw(st.integers(1, 200))
    step = draw(st.sampled_from([0.1, 0.25, 0.05, 1e-3, 3.0, 1 / 3]))
    return draw(
        st.sampled_from(
            [
                Integer(low, low + count),
                Integer(1 + abs(low), 1 + abs(low) + count, log=True),
                Real(low, low + count * step, step=step),
                Real(1 + abs(low), 1 + abs(low) + count * step, log=True, step=step),
                Ordinal([f"v{i}" for i in range(count + 1)]),
                Categorical([f"v{i}" for i in range(count + 1)]),
                Boolean(),
            ]
        )
    )


# -- coordinates ------------------------------------------------------------------------------------------------------


def test_coordinates_follow_the_formulas():
    assert Real(80, 96).encode(84.0) == 0.25
    assert Real(10, 1000, log=True).encode(100.0) == pytest.approx(0.5, abs=1e-15)
    assert Real(0, 1, step=0.25).encode(0.75) == 0.75
    assert Integer(1, 5).encode(2) == 0.25
    assert Integer(1, 100, log=True).encode(10) == pytest.approx(0.5, abs=1e-15)
    assert Ordinal(["low", "mid", "high"]).encode("mid") == 0.5
    assert Categorical(["a", "b", "c", "d"]).encode("d") == 1.0
    assert [Boolean().encode(b) for b in (False, True)] == [0.0, 1.0]


def test_grids_list_the_coordinates_of_all_values():
    assert Real(0, 1).grid is None
    assert Real(1, 9, step=4).grid.tolist() == [0.0, 0.5, 1.0]
    assert Real(1, 100, log=True, step=33).grid == pytest.approx(
        [0, math.log(34) / math.log(100), math.log(67, 100), 1]
    )
    assert Integer(3, 5).grid.tolist() == [0.0, 0.5, 1.0]
    assert Boolean().grid.tolist() == [0.0, 1.0]
    assert Categorical(["a", "b", "c"]).grid.tolist() == [0.0, 0.5, 1.0]


@unhurried
@given(reals() | reals(log=True), st.data())
@example(Real(-1.0, 1.0), None)
@example(Real(-1.0, 0.30000000000000004), None)
@example(Real(1 / 3, 2 / 3), None)
@example(Real(1e-9, 1e9, log=True), None)
def test_a_checked_real_comes_back_exactly(real, data):
    numbers = [real.low, real.high, real.low + (real.high - real.low) / 3, (real.low + real.high) / 2]
    numbers += [number for number in (0.0, 1e-17, 1e-3) if real.low <= number <= real.high]
    if data is not None:
        numbers.append(data.draw(st.floats(real.low, real.high)))
    for number in numbers:
        value = real.check("x", number)
        assert real.low <= value <= real.high
        assert real.encode(value) == real.encode(number)
        assert real.decode(real.encode(value)) == value
        assert real.check("x", value) == value


@unhurried
@given(reals(), st.data())
def test_up_to_fifteen_digits_of_the_range_survive_check(real, data):
    largest = max(abs(real.low), abs(real.high))
    decimals = 14 - math.floor(math.log10(largest))
    number = round(data.draw(st.floats(real.low, real.high)), decimals)
    assume(real.low <= number <= real.high)
    assume(real.encode(number) not in {0.0, 1.0} or number in {real.low, real.high})
    value = real.check("x", number)
    assert value == number or len(repr(value)) < len(repr(number))
    if real.high - real.low > largest / 10:
        assert value == number


@unhurried
@given(st.integers(10**13, 10**14 - 1), st.integers(-5, 4))
def test_fourteen_digits_survive_a_logarithmic_scale_of_ten_decades(digits, power):
    number = float(f"{digits}e{power - 13}")
    assert Real(1e-5, 1e5, log=True).check("x", number) == number


@unhurried
@given(reals() | reals(log=True))
def test_ends_are_exact(real):
    assert (real.encode(real.low), real.encode(real.high)) == (0.0, 1.0)
    assert (real.decode(0.0), real.decode(1.0)) == (real.low, real.high)
    assert real.decode(real.nearest(1.0)) == real.high
    assert real.decode(real.nearest(0.0)) == real.low


@unhurried
@given(reals() | reals(log=True), inside)
def test_proposals_are_readable_valid_and_near(real, u):
    v = real.nearest(u)
    value = real.decode(v)
    assert real.check("x", value) == value
    assert real.encode(value) == v
    assert real.nearest(v) == v
    if real.log:
        assert abs(value / real.decode(u) - 1) <= 1e-4
    else:
        assert abs(value - real.decode(u)) <= 1e-4 * (real.high - real.low)


def test_proposals_are_short():
    assert Real(80, 96).decode(Real(80, 96).nearest(1 / 3)) == 85.333
    assert Real(0, 1e9).decode(Real(0, 1e9).nearest(0.123456789)) == 123500000.0
    assert Real(1, 100, log=True).decode(Real(1, 100, log=True).nearest(0.3)) == 3.9811
    assert Real(0.001, 0.1, log=True).decode(Real(0.001, 0.1, log=True).nearest(2 / 3)) == 0.021544


def test_a_narrow_logarithmic_range_has_more_digits():
    real = Real(100, 101, log=True)
    values = {real.decode(real.nearest(u)) for u in np.linspace(0, 1, 500)}
    assert len(values) == 500
    assert max(len(repr(value)) for value in values) <= len("100.1234")


@unhurried
@given(gridded(), inside)
def test_gridded_values_come_back_exactly(parameter, u):
    assert isinstance(parameter, VaryingParameter)
    value = parameter.decode(u)
    assert parameter.check("x", value) == value
    assert type(parameter.check("x", value)) is type(value)
    v = parameter.encode(value)
    assert v in parameter.grid
    assert parameter.decode(v) == value
    assert parameter.nearest(u) == v == parameter.nearest(v)
    assert abs(u - v) == np.abs(parameter.grid - u).min()


def test_steps_are_counted_in_decimals():
    real = Real(0, 1, step=0.1)
    assert [real.decode(k / 10) for k in range(11)] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert real.check("x", 0.30000000000000004) == 0.3
    sevenths = Real(0, 1, step=1 / 7)
    assert sevenths.decode(1.0) == 1.0


def test_wide_integers_build_their_grid_once():
    wide = Integer(0, MAX_GRID_VALUES - 1)
    assert wide.grid is wide.grid
    assert wide.decode(wide.encode(765_432)) == 765_432


# -- what check takes -------------------------------------------------------------------------------------------------


def test_check_returns_plain_python_values():
    for given_value in (84, np.int64(84), np.float32(84), Fraction(84)):
        value = Real(80, 96).check("t", given_value)
        assert (value, type(value)) == (84.0, float)
    for given_value in (5.0, np.float64(5), np.int8(5)):
        value = Integer(1, 9).check("n", given_value)
        assert (value, type(value)) == (5, int)
    assert type(Boolean().check("b", np.bool_(True))) is bool
    assert type(Categorical(["a", "b"]).check("c", np.str_("a"))) is str
    assert type(Ordinal([1, 2]).check("o", 2.0)) is int
    assert math.copysign(1, Real(0, 1).check("x", -0.0)) == 1
    assert Constant(3).check("k", 3.0) == 3


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (Real(80, 96), 100, r"x must lie between 80 and 96; received 100; correct it, or widen the range"),
        (Real(80, 96), 10**400, r"x must lie between 80 and 96"),
        (Real(80, 96), math.nan, r"x must be a finite number; received nan; drop or repair it"),
        (Real(80, 96), math.inf, r"x must be a finite number; received inf"),
        (Real(80, 96), None, r"x must be a number; received nothing; give it without quotes or units"),
        (Real(80, 96), "85", r"x must be a number; received '85'"),
        (Real(0, 2), True, r"x must be a number; received True"),
        (Real(0, 2), np.bool_(True), r"x must be a number"),
        (Real(0, 2), 1j, r"x must be a number; received 1j"),
        (Real(0, 1, step=0.25), 0.3, r"x must be one of 0, 0.25, ..., 1; received 0.3; near it are 0.0, 0.25, 0.5"),
        (Integer(1, 9), 5.5, r"x must be a whole number; received 5.5; round it, or allow all numbers"),
        (Integer(1, 9), 10, r"x must lie between 1 and 9; received 10"),
        (Integer(0, 9), False, r"x must be a number; received False"),
        (Integer(0, 9), math.nan, r"x must be a finite number; received nan"),
        (Boolean(), 1, r"x must be true or false; received 1; give one of the two"),
        (Categorical(["a", "b"]), "c", r"x must be one of 'a', 'b'; received 'c'; check the spelling"),
        (Categorical(["a", "b"]), None, r"x must be one of 'a', 'b'; received None"),
        (Categorical([0, 1]), True, r"x must be one of 0, 1; received True"),
        (Ordinal([1, 2]), "1", r"x must be one of 1, 2; received '1'"),
        (Constant(3), 4, r"x must be 3; received 4; check the spelling"),
        (Constant(1), True, r"x must be 1; received True"),
    ],
)
def test_check_says_what_is_wrong(parameter, value, message):
    with pytest.raises(InputError, match=message):
        parameter.check("x", value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Real(2, 2), r"the lower end must be below the upper end; received 2 and 2; use a constant"),
        (lambda: Real(3, 2), r"the lower end must be below the upper end; received 3 and 2; swap the two"),
        (lambda: Real(math.nan, 2), r"the lower end must be a finite number; received nan"),
        (lambda: Real(0, math.inf), r"the upper end must be a finite number; received inf"),
        (lambda: Real(0, 10**400), r"the upper end must be a finite number; received 1000.*; choose a larger unit"),
        (lambda: Real("0", 1), r"the lower end must be a number; received '0'"),
        (lambda: Real(False, 1), r"the lower end must be a number; received False"),
        (lambda: Real(-1e308, 1e308), r"the range must be finite; received -1e\+308 to 1e\+308"),
        (lambda: Real(0, 1, log=True), r"the lower end of a logarithmic range must be above 0; received 0; raise it"),
        (lambda: Real(1, 2, log="yes"), r"log must be true or false; received 'yes'"),
        (lambda: Real(1e300, math.nextafter(1e300, 2e300), log=True), r"must have different logarithms"),
        (lambda: Real(0, 1, step=0.3), r"must divide .* 0.3 from 0 to 1; let the range end at 0.9 or 1.2"),
        (lambda: Real(0, 1, step=2), r"must divide .* received 2 from 0 to 1; let the range end at 2\."),
        (lambda: Real(0, 1, step=0), r"the step must be above 0; received 0"),
        (lambda: Real(0, 1, step=1e-7), r"must have at most 1,000,001 values; received 10,000,001"),
        (lambda: Integer(3, 3), r"the lower end must be below the upper end; received 3 and 3; use a constant"),
        (lambda: Integer(0.5, 3), r"the lower end must be a whole number; received 0.5"),
        (lambda: Integer(0, 3, log=True), r"the lower end of a logarithmic range must be above 0"),
        (
            lambda: Integer(0, 10**7),
            r"a range of whole numbers must have at most 1,000,001 values; received 10,000,001; count in",
        ),
        (lambda: Integer(2**53, 2**53 + 3), r"the ends of a range of whole numbers must lie within 2\^53"),
        (lambda: Categorical([]), r"there must be at least two values; received \[\]; list them"),
        (
            lambda: Categorical(["a"]),
            r"there must be at least two values; .* use a constant for a value that never varies",
        ),
        (lambda: Categorical("ab"), r"values must be a list; received 'ab'"),
        (lambda: Categorical(3), r"values must be a list; received 3"),
        (lambda: Categorical(["a", "a"]), r"values must differ; received 'a' and 'a'"),
        (lambda: Categorical([1, True]), r"values must differ; received 1 and True"),
        (lambda: Ordinal([1, 1.0]), r"values must differ; received 1 and 1.0"),
        (lambda: Ordinal([1, math.nan]), r"every value must be finite; received nan"),
        (
            lambda: Ordinal([1, None]),
            r"every value must be text, a number or a truth value; received nothing",
        ),
        (lambda: Constant(None), r"the value of a constant must be text, a number or a truth value; received nothing"),
        (lambda: Constant(math.inf), r"the value of a constant must be finite; received inf"),
    ],
)
def test_bad_settings_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_long_lists_are_printed_in_short():
    assert repr(Categorical([f"v{i}" for i in range(13)])) == "Categorical(['v0', 'v1', 'v2', ..., 'v12'])"
    assert repr(Ordinal(list(range(12)))) == f"Ordinal({list(range(12))})"


@pytest.mark.parametrize(
    "kind", [Real, Integer, Categorical, Ordinal, Constant, Linear], ids=lambda kind: kind.__name__
)
def test_every_setting_is_explained(kind):
    explained = getdoc(kind).split("----------")[1]
    for setting in fields(kind):
        assert re.search(rf"^(\w+, )?{setting.name}\b", explained, re.MULTILINE)


def test_parameters_compare_and_print_by_their_settings():
    assert Real(80, 96) == Real(80.0, 96.0) != Real(80, 96, log=True)
    assert Categorical(["a", "b"]) != Ordinal(["a", "b"])
    assert repr(Real(80, 96.5, log=True)) == "Real(80, 96.5, log=True)"
    assert repr(Real(0, 1, step=0.25)) == "Real(0, 1, step=0.25)"
    assert repr(Categorical(["a", 1])) == "Categorical(['a', 1])"
    assert repr(Boolean()) == "Boolean()"
    assert repr(Constant("x")) == "Constant('x')"
    assert Real(0, 1, step=0.5).to_dict() == {"kind": "real", "low": 0.0, "high": 1.0, "step": 0.5}
    assert Ordinal(["a", "b"]).to_dict() == {"kind": "ordinal", "values": ["a", "b"]}


def test_rounding_does_not_push_a_number_out_of_its_range():
    assert Real(0, 0.3).check("x", 0.1 + 0.2) == 0.3
    assert Real(0, 0.3, step=0.1).check("x", 3 * 0.1) == 0.3
    with pytest.raises(InputError, match=r"x must .*0\.3"):
        Real(0, 0.3).check("x", 0.3001)


@pytest.mark.parametrize(
    ("real", "decimals"),
    [(Real(80, 96, step=0.5), 1), (Real(3, 7, step=0.25), 2), (Real(0.125, 1.125, step=0.5), 3),
     (Real(0, 100, step=5), 0), (Real(0, 3e9, step=1e8), 0), (Real(0, 1e-6, step=5e-8), 8), (Real(0, 1), None)],
)  # fmt: skip
def test_the_values_of_a_step_have_its_decimals(real, decimals):
    assert real.decimals == decimals
    if decimals is not None and real.grid is not None:
        assert all(float(f"{real.decode(u):.{decimals}f}") == real.decode(u) for u in real.grid)
