"""Optuna's distributions as our parameters, and back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import anchorpbo as ap
from anchorpbo.errors import InputError
from anchorpbo.interop.optuna.search_space import SearchSpace

KINDS = [
    (FloatDistribution(80.0, 96.0), ap.Real(80, 96)),
    (FloatDistribution(1e-5, 1.0, log=True), ap.Real(1e-5, 1.0, log=True)),
    (FloatDistribution(0.0, 1.0, step=0.1), ap.Real(0, 1, step=0.1)),
    (FloatDistribution(0.1, 0.7, step=0.2), ap.Real(0.1, 0.7, step=0.2)),
    (IntDistribution(1, 10), ap.Integer(1, 10)),
    (IntDistribution(1, 1000, log=True), ap.Integer(1, 1000, log=True)),
    (IntDistribution(0, 20, step=5), ap.Ordinal([0, 5, 10, 15, 20])),
    (CategoricalDistribution(["a", "b"]), ap.Categorical(["a", "b"])),
    (CategoricalDistribution([True, False]), ap.Categorical([True, False])),
    (CategoricalDistribution([1, 2.5, "three"]), ap.Categorical([1, 2.5, "three"])),
    (CategoricalDistribution([None, "l1", 3]), ap.Categorical(["None", "l1", "3"])),
    (CategoricalDistribution([True, 1]), ap.Categorical(["True", "1"])),
    (CategoricalDistribution([None, "None"]), ap.Categorical(["0: None", "1: 'None'"])),
    (CategoricalDistribution([math.nan, 0.5]), ap.Categorical(["nan", "0.5"])),
    (FloatDistribution(2.0, 2.0), ap.Constant(2.0)),
    (IntDistribution(3, 3), ap.Constant(3)),
    (CategoricalDistribution([None]), ap.Constant("None")),
]


@pytest.mark.parametrize(("distribution", "parameter"), KINDS, ids=str)
def test_every_kind_of_distribution_has_its_parameter(distribution, parameter):
    found = SearchSpace.of({"p": distribution, "other": FloatDistribution(0, 1)}).space.parameters["p"]
    assert found == parameter


distributions = st.one_of(
    st.builds(lambda low, width: FloatDistribution(low, low + width), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)),
    st.builds(lambda low, wide: FloatDistribution(low, low * wide, log=True), st.floats(1e-6, 1e3), st.floats(2, 1e6)),
    st.builds(
        lambda low, step, n: FloatDistribution(low, low + n * step, step=step),
        st.integers(-100, 100).map(lambda k: k / 8),
        st.sampled_from([1 / 64, 0.25, 1.0, 3.0]),  # in binary, or Optuna would say that they do not divide the range
        st.integers(1, 50),
    ),
    st.builds(lambda low, n: IntDistribution(low, low + n), st.integers(-1000, 1000), st.integers(1, 1000)),
    st.builds(lambda low, n: IntDistribution(low, low + n, log=True), st.integers(1, 1000), st.integers(1, 1000)),
    st.builds(
        lambda low, step, n: IntDistribution(low, low + n * step, step=step),
        st.integers(-1000, 1000),
        st.integers(2, 7),
        st.integers(1, 50),
    ),
    st.lists(st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=2)), min_size=2, max_size=5)
    .filter(lambda choices: len(set(choices)) == len(choices))
    .map(CategoricalDistribution),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), distributions, min_size=1), st.integers(0, 2**32 - 1))
def test_designs_become_values_that_the_distributions_contain_and_lead_back(space, seed):
    search = SearchSpace.of(space)
    for x in search.space.sample(5, np.random.default_rng(seed)):
        design = search.space.check(search.space.decode(x))
        params = search.params(design)
        for name, distribution in space.items():
            internal = distribution.to_internal_repr(params[name])
            assert distribution._contains(internal), (name, distribution, params[name])
            assert type(distribution.to_external_repr(internal)) is type(params[name])
        assert search.design(params) == design


@pytest.mark.parametrize(
    "distribution",
    [
        IntDistribution(0, 10**9),
        IntDistribution(1, 10**9, log=True),
        IntDistribution(0, 10**9 - 1, step=3),
        FloatDistribution(0.0, 5e6, step=0.5),
    ],
    ids=str,
)
def test_grids_too_fine_to_list_are_searched_as_ranges_and_rounded(distribution):
    search = SearchSpace.of({"n": distribution})
    assert isinstance(search.space.parameters["n"], ap.Real)
    for u in (0.0, 0.2345678, 0.99999999, 1.0):
        value = search.params(search.space.decode([u]))["n"]
        assert distribution._contains(distribution.to_internal_repr(value))
        assert isinstance(value, int if isinstance(distribution, IntDistribution) else float)


def test_trials_that_lack_a_parameter_or_are_out_of_range_have_no_design():
    search = SearchSpace.of({"x": FloatDistribution(0, 1), "c": CategoricalDistribution(["a", "b"])})
    assert search.design({"x": 0.5, "c": "a", "more": 3}) == {"x": 0.5, "c": "a"}
    assert search.design({"x": 0.5}) is None
    assert search.design({"x": 1.5, "c": "a"}) is None
    assert search.design({"x": 0.5, "c": "z"}) is None


def test_spaces_where_nothing_varies_are_refused():
    with pytest.raises(InputError, match=r"a study must have a parameter that varies.*received x"):
        SearchSpace.of({"x": FloatDistribution(1, 1)})
    with pytest.raises(InputError, match="received no parameter that all compared trials share"):
        SearchSpace.of({})


def test_distributions_of_another_kind_are_named():
    with pytest.raises(InputError, match="x must have a float, an int or a categorical distribution; received 'odd'"):
        SearchSpace.of({"x": "odd"})
