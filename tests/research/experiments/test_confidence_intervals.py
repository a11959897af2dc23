"""Intervals against scipy.stats, and the rules by which they decide."""

import numpy as np
import pytest
from scipy import stats

from anchorpbo.research.experiments.confidence_intervals import Interval

ABOVE, BELOW, ACROSS = Interval(2.0, 1.0, 3.0), Interval(-2.0, -3.0, -1.0), Interval(0.5, -1.0, 2.0)
TOUCHING = Interval(1.0, 0.0, 2.0)


@pytest.mark.parametrize("n", [2, 3, 10, 30, 500])
def test_bounds_are_those_of_students_t(n):
    sample = np.random.default_rng(n).normal(3.0, 2.0, n)
    interval = Interval.of_mean(sample)
    low, high = stats.t.interval(0.95, n - 1, loc=sample.mean(), scale=stats.sem(sample))
    assert interval.mean == pytest.approx(sum(sample) / n)
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-9)
    test = stats.ttest_1samp(sample, 0.0).confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((test.low, test.high), rel=1e-9)


def test_nineteen_intervals_of_twenty_hold_the_mean():
    rng = np.random.default_rng(0)
    intervals = [Interval.of_mean(rng.normal(1.0, 5.0, 4)) for _ in range(4000)]
    share = np.mean([each.low < 1.0 < each.high for each in intervals])
    assert share == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 4000))


def test_a_paired_difference_gives_the_paired_t_test():
    rng = np.random.default_rng(1)
    luck = rng.normal(0.0, 10.0, 12)
    one, other = luck + rng.normal(1.0, 0.1, 12), luck + rng.normal(0.0, 0.1, 12)
    test = stats.ttest_rel(one, other).confidence_interval(0.95)
    interval = Interval.of_mean(one - other)
    assert (interval.low, interval.high) == pytest.approx((test.low, test.high), rel=1e-9)
    assert interval.judge_above() == "agrees"


def test_one_value_has_no_bounds():
    interval = Interval.of_mean([4.0])
    assert (interval.mean, interval.low, interval.high) == (4.0, -np.inf, np.inf)
    assert interval.judge_above() == interval.judge_below() == "open"
    assert interval.judge_above(-100.0) == interval.judge_below(100.0) == "open"
    assert interval.format_bounds() == "-inf to +inf"


def test_equal_values_have_an_interval_without_width():
    interval = Interval.of_mean([2.0, 2.0, 2.0])
    assert (interval.mean, interval.low, interval.high) == (2.0, 2.0, 2.0)
    assert Interval.of_mean([0.0, 0.0]).judge_above() == "open"


def test_the_interval_of_a_slope_is_that_of_linear_regression():
    rng = np.random.default_rng(3)
    x = rng.random(9)
    y = 2.0 - 1.5 * x + 0.3 * rng.normal(size=9)
    fit = stats.linregress(x, y)
    half = stats.t(7).ppf(0.975) * fit.stderr
    found = Interval.of_slope(x, y)
    assert (found.mean, found.low, found.high) == pytest.approx((fit.slope, fit.slope - half, fit.slope + half))


def test_lists_of_whole_numbers_will_do():
    assert Interval.of_mean([1, 2, 3]) == Interval.of_mean(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("interval", "above", "below", "not_above"),
    [
        (ABOVE, "agrees", "differs", "differs"),
        (BELOW, "differs", "agrees", "agrees"),
        (ACROSS, "open", "open", "agrees"),
        (TOUCHING, "open", "open", "agrees"),
        (Interval(-1.0, -2.0, 0.0), "open", "open", "agrees"),
    ],
    ids=["above", "below", "across", "touching from above", "touching from below"],
)
def test_verdicts_follow_the_side_of_zero(interval, above, below, not_above):
    assert interval.judge_above() == above
    assert interval.judge_below() == below
    assert interval.judge_not_above(100.0) == not_above


def test_what_is_not_seen_is_agreed_with_only_where_it_would_have_been_seen():
    wide, narrow = Interval(0.0, -9.0, 9.0), Interval(0.0, -0.1, 0.1)
    assert wide.judge_not_above(1.0) == "open"
    assert narrow.judge_not_above(1.0) == "agrees"
    assert Interval.of_mean([1.0]).judge_not_above(1.0) == "open"


@pytest.mark.parametrize(
    ("threshold", "above", "below"),
    [(0.5, "agrees", "differs"), (1.0, "open", "open"), (2.0, "open", "open"), (3.0, "open", "open"),
     (3.5, "differs", "agrees"), (-1.0, "agrees", "differs")],
)  # fmt: skip
def test_verdicts_follow_the_side_of_a_threshold(threshold, above, below):
    assert ABOVE.judge_above(threshold) == above
    assert ABOVE.judge_below(threshold) == below


def test_what_is_said_has_signs_and_digits():
    assert Interval(0.0, -1.2344, 5.6789).format_bounds() == "-1.234 to +5.679"
    assert Interval(0.0, -1.2344, 5.6789).format_bounds(1) == "-1.2 to +5.7"
    assert Interval(0.0, -1.2344, 5.6789).format_bounds(2) == "-1.23 to +5.68"


def test_a_mean_is_shown_with_half_of_its_interval_if_it_has_one():
    assert Interval(0.7149, 0.6951, 0.7347).format_half_width() == "0.71 ± 0.02"
    assert Interval(0.7149, 0.6951, 0.7347).format_half_width(3, signed=True) == "+0.715 ± 0.020"
    assert Interval.of_mean([0.5]).format_half_width() == "0.50"
