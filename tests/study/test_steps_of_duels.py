"""Duels of spaces with steps: no question is about two designs that differ by less than a step in every parameter."""

import numpy as np
import pytest

from anchorpbo import Categorical, Integer, Optimizer, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.study.initial_duels import generate_initial_pairs

SPACES = {
    "listed": Space(x=Real(0, 1, step=0.1), y=Real(80, 96, step=2)),
    "searched": Space(x=Real(0, 1, step=0.02), y=Real(80, 96, step=0.5), z=Real(0, 5, step=0.1)),
    "logarithmic": Space(x=Real(1, 3, step=0.1, log=True), y=Real(80, 96, step=0.5), n=Integer(1, 9)),
    "mixed": Space(x=Real(0, 1, step=0.05), free=Real(0, 1), kind=Categorical(["a", "b"])),
    "constrained": Space(x=Real(0, 1, step=0.05), y=Real(0, 1, step=0.05), free=Real(0, 1), constraints="x + y <= 1"),
}
FREE_DIFFERENCE = 0.01
"""Smallest difference of a number without a step that is asked about, as a share of its range."""


def differ(space, one, other):
    """The rule by itself, in the units of the design: a step apart in some parameter, or different otherwise."""
    found = []
    for name, parameter in space.parameters.items():
        if isinstance(parameter, Real):
            free = FREE_DIFFERENCE * (parameter.high - parameter.low)
            least = free if parameter.step is None else parameter.step
            found.append(abs(one[name] - other[name]) >= least * (1 - 1e-9))
        else:
            found.append(one[name] != other[name])
    return any(found)


@pytest.mark.parametrize("strategy", ["kg", "ei"])
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_the_designs_of_a_duel_are_a_step_apart(space, strategy):
    best = space.nearest(np.full(space.dimension, 0.4))
    study = Optimizer(space, strategy=strategy, inference="laplace", integration="map", initial=1, seed=2)
    for _ in range(6):
        duel = study.ask()
        assert differ(space, duel.first, duel.second)
        # A user with one optimum: the search soon compares designs near it.
        first, second = (np.abs(space.encode(design) - best).sum() for design in (duel.first, duel.second))
        study.tell(duel, "first" if first <= second else "second")
        against = study.ask_against(study.recommended)
        assert differ(space, against.first, against.second)
    for one, other in generate_initial_pairs(space, 0):
        assert differ(space, space.decode(one), space.decode(other))


def test_designs_exactly_one_step_apart_may_be_compared_and_nearer_ones_do_not_exist():
    space = Space(x=Real(80, 96, step=0.5))
    (low,), (high,) = space.encode({"x": 84.0}), space.encode({"x": 84.5})
    duel_filter = DuelFilter.for_space(space)
    assert duel_filter.allows_pairs(np.array([[[low], [high]]])).all()
    # Anything nearer is the same value: the grid has none between, and the rounding of a proposal ends on the grid.
    for share in (0.0, 0.01, 0.49, 0.51, 0.99, 1.0):
        (near,) = space.nearest(np.array([low + share * (high - low)]))
        assert near == (low if share < 0.5 else high)
        assert duel_filter.allows_challengers(np.array([low]), np.array([[near]])).tolist() == [share > 0.5]
    with pytest.raises(InputError, match="x must be one of"):
        space.check({"x": 84.25})


@pytest.mark.parametrize(("difference", "asked"), [(0.0099, False), (0.0101, True)])
def test_of_designs_with_equal_steps_the_other_numbers_must_differ(difference, asked):
    space = SPACES["mixed"]
    one = space.encode({"x": 0.35, "free": 0.5, "kind": "a"})
    other = space.encode({"x": 0.35, "free": 0.5 + difference, "kind": "a"})
    assert DuelFilter.for_space(space).allows_pairs(np.array([[one, other]])).tolist() == [asked]
    beside = space.encode({"x": 0.4, "free": 0.5 + difference, "kind": "a"})
    assert DuelFilter.for_space(space).allows_pairs(np.array([[one, beside]])).all()


def test_if_only_neighbours_are_left_they_are_asked_once_and_then_nothing_is():
    study = Optimizer(Space(x=Real(0, 1, step=1)), inference="laplace", integration="map", initial=1)
    duel = study.ask()
    assert {duel.first["x"], duel.second["x"]} == {0.0, 1.0}
    with pytest.raises(InputError, match="at most the number of different duels"):
        study.ask(2)
