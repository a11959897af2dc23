"""Asking and telling, on every kind of space and with every strategy."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass
from itertools import pairwise

import numpy as np
import pytest
from studies import SINGLE, SPACES, STRATEGIES, answer, chooser, duels_of, liking, pair_of, play, small, unit

from anchorpbo import (
    EP,
    Boolean,
    Catalogue,
    Categorical,
    Integer,
    Laplace,
    Matern52,
    NoiseMap,
    Optimizer,
    Real,
    Space,
)
from anchorpbo.acquisition import DesignAcquisition, PairAcquisition, PairPartials, Partials
from anchorpbo.errors import InputError
from anchorpbo.inference import Inference
from anchorpbo.study import ConstantNoise

SPOT = 0.009
"""Designs of a space that differ by less than about a hundredth in every number look the same."""
OUTCOMES = ("first", "second", "tie", "skip")


def slowly(*values):
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


EVERY_SPACE = pytest.mark.parametrize("name", SPACES)


def is_valid(space, duel):
    for design in (duel.first, duel.second):
        assert space.check(design) == design
        assert space.decode(space.encode(design)) == design
    apart = np.abs(space.encode(duel.first) - space.encode(duel.second))
    if space.region is None:
        assert apart.any()
    else:
        assert apart[list(space.columns.categorical)].any() or apart.max() >= SPOT


# -- the loop ---------------------------------------------------------------------------------------------------------


@EVERY_SPACE
@pytest.mark.parametrize("strategy", ["ei", *slowly("raeubo")])
def test_every_duel_is_of_two_valid_designs_that_differ(name, strategy):
    space = SPACES[name]
    anchors = [space.decode(x) for x in space.sample(2, np.random.default_rng(1))]
    opt = Optimizer(space, anchors, strategy, seed=3, initial=2, learn={})
    for number in range(6):
        duel = opt.ask()
        is_valid(space, duel)
        opt.tell(duel, OUTCOMES[number % 4] if number > 2 else answer(duel, liking(space)))
    for among in ("seen", "space"):
        best = opt.recommend(among=among)
        assert space.check(best.design) == best.design


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_every_strategy_asks_valid_duels_under_both_presets(strategy, preset):
    space = SPACES["mixed"]
    anchors = [space.decode(x) for x in space.sample(2, np.random.default_rng(1))]
    opt = Optimizer(space, anchors, strategy, preset, seed=1, initial=2)
    for duel in play(opt, 4):
        is_valid(space, duel)
    assert opt.space.check(opt.recommend().design)


@pytest.mark.parametrize("inference", ["ep", "laplace", "hallucination"])
@pytest.mark.parametrize("strategy", ["ei", *slowly("ucb", "rahbo")])
def test_a_design_is_never_asked_against_itself(strategy, inference):
    """Where a monotone utility sends everything to one end, the champion itself would score best."""
    opt = small(strategy, inference=inference, anchors=[{"x0": 0.9}], seed=1, learn={})
    for duel in play(opt, 12, lambda design: design["x0"]):
        is_valid(opt.space, duel)


def test_neither_is_one_that_looks_the_same():
    opt = Optimizer(unit(2), strategy="ei", initial=2, seed=4)
    for duel in play(opt, 12, lambda design: -abs(design["x0"] - 0.5) - abs(design["x1"] - 0.5)):
        apart = np.abs(opt.space.encode(duel.first) - opt.space.encode(duel.second))
        assert apart.max() >= SPOT


FINE = {
    "whole numbers": Space(k=Integer(0, 100_000)),
    "steps": Space(k=Real(0, 1, step=0.0005)),
    "with a range": Space(k=Integer(0, 100_000), x=Real(0, 1)),
}


@pytest.mark.parametrize("space", FINE.values(), ids=FINE)
@pytest.mark.parametrize("strategy", ["ei", *slowly("ucb", "eubo")])
def test_fine_grids_are_like_continuous_ranges(space, strategy):
    """Nobody can tell 99,999 from 100,000."""
    opt = Optimizer(space, strategy=strategy, initial=3, seed=1, learn={})
    for duel in play(opt, 12, lambda design: float(space.encode(design).sum())):
        assert duel.first != duel.second
        apart = np.abs(space.encode(duel.first) - space.encode(duel.second))
        assert apart.max() >= SPOT


@pytest.mark.parametrize("strategy", [None, *slowly("rahbo", "eubo")])
def test_upper_bounds_are_proposed_exactly(strategy):
    space = Space(a=Real(0, 7.3), b=Integer(1, 9))
    opt = Optimizer(space, strategy=strategy, seed=2, initial=4)
    asked = play(opt, 14, lambda design: design["a"] / 7.3 + design["b"] / 9)
    designs = [design for duel in asked for design in (duel.first, duel.second)]
    assert {"a": 7.3, "b": 9} in designs
    assert opt.recommend(0.0).design == {"a": 7.3, "b": 9}


def test_lower_bounds_are_too():
    opt = small(initial=3)
    asked = play(opt, 12, lambda design: -design["x0"])
    assert {"x0": 0.0} in [design for duel in asked for design in (duel.first, duel.second)]


def test_a_mixture_sums_to_one_in_every_duel():
    space = SPACES["mixture"]
    opt = Optimizer(space, strategy="eubo", initial=3)
    for duel in play(opt, 6):
        for design in (duel.first, duel.second):
            assert sum(design.values()) == pytest.approx(1.0, abs=1e-9)


def test_constants_are_shown_and_may_be_left_out():
    opt = Optimizer(SPACES["mixed"], strategy="ei")
    duel = opt.ask()
    assert duel.first["cup"] == duel.second["cup"] == "glass"
    bare = {name: value for name, value in duel.first.items() if name != "cup"}
    opt.tell_preference(bare, duel.second)
    assert opt.history[0]["winner"] == duel.first


def test_items_of_a_catalogue_are_shown_whole():
    space = SPACES["fingerprints"]
    duel = Optimizer(space).ask()
    assert set(duel.first) == {"name", "price", "weight", "colour", "link"}
    assert duel.first in space.items


@EVERY_SPACE
def test_asking_again_gives_the_same_duel(name):
    opt = Optimizer(SPACES[name], strategy="ei", initial=1, learn={})
    opt.tell(opt.ask(), "first")
    duel = opt.ask()
    opt.tell(duel, "second")
    opt.undo()
    assert opt.ask() == duel
    # Not from memory, either.
    assert Optimizer.from_json(opt.to_json()).ask() == duel


def test_asking_leaves_no_trace():
    opt = small(initial=1)
    before = opt.to_json()
    opt.ask()
    assert opt.to_json() == before
    assert opt.history == []


def test_the_seed_is_all_that_is_random():
    def asked(seed):
        return play(small(seed=seed), 5)

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


def test_duels_and_recommendations_are_plain_data():
    opt = small()
    duel = opt.ask()
    with pytest.raises(FrozenInstanceError):
        duel.first = {}
    opt.tell(duel, "first")
    assert type(opt.recommend().utility) is float
    for design in (duel.first, duel.second, opt.recommend().design):
        assert type(design) is dict
        assert all(type(value) is float for value in design.values())


# -- sides ------------------------------------------------------------------------------------------------------------


def test_the_champion_is_first_about_half_of_the_time():
    first = 0
    for seed in range(100):
        opt = Optimizer(TINY["catalogue"], strategy="ei", seed=seed, initial=1, learn={})
        opt.tell_preference({"v": 2.0}, {"v": 1.0})
        duel = opt.ask()
        assert 2.0 in (duel.first["v"], duel.second["v"])
        first += duel.first["v"] == 2.0
    assert 33 <= first <= 67


def test_sides_change_from_duel_to_duel_too():
    opt = small("ei", seed=5, learn={})
    play(opt, 3)
    first = 0
    for _ in range(24):
        champion = last_winner(opt)
        duel = opt.ask()
        first += duel.first == champion
        opt.tell(duel, "first" if duel.first == champion else "second")
    assert 5 <= first <= 19


# -- who meets whom ---------------------------------------------------------------------------------------------------


def last_winner(opt):
    for event in reversed(opt.history):
        if event["type"] == "preferred" and not event["tie"]:
            return event["winner"]
        if event["type"] == "answered" and event["outcome"] in ("first", "second"):
            return event[event["outcome"]]
    return None


@pytest.mark.parametrize("strategy", SINGLE)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_single_design_strategy_has_the_previous_winner_in_every_duel(strategy, preset):
    opt = Optimizer(unit(2), [{"x0": 0.3, "x1": 0.3}], strategy, preset, seed=6, initial=2)
    play(opt, 2)
    for outcome in ("first", "second", "second"):
        duel = opt.ask()
        assert last_winner(opt) in (duel.first, duel.second)
        opt.tell(duel, outcome)


def test_a_tie_and_a_skip_keep_the_champion():
    opt = small("ei")
    play(opt, 3)
    champion = last_winner(opt)
    for outcome in ("tie", "skip", "tie"):
        opt.tell(opt.ask(), outcome)
        duel = opt.ask()
        assert champion in (duel.first, duel.second)


def test_a_preference_nobody_asked_for_makes_a_champion():
    opt = small("ei")
    play(opt, 2)
    opt.tell_preference({"x0": 0.123}, {"x0": 0.9})
    duel = opt.ask()
    assert {"x0": 0.123} in (duel.first, duel.second)


@pytest.mark.parametrize("strategy", ["eubo", "raeubo"])
def test_a_strategy_of_pairs_is_free_in_both_designs(strategy):
    opt = Optimizer(unit(2), strategy=strategy, seed=1, initial=3)
    free = 0
    for _ in range(10):
        champion = last_winner(opt)
        duel = opt.ask()
        free += len(opt) >= 3 and champion not in (duel.first, duel.second)
        opt.tell(duel, answer(duel, liking(opt.space)))
    assert free > 0


def test_a_single_design_is_the_best_of_the_acquisition_against_the_champion():
    """In a list, what is asked can be found by looking at every item."""
    space = SPACES["numeric catalogue"]
    opt = Optimizer(space, strategy="ucb", preset="paper", inference="laplace", seed=3, initial=3)
    play(opt, 5)
    model, champion = chooser(opt, 3), last_winner(opt)
    bound = opt.plan.acquisition.bind(model.posterior, model.noise)
    items = [item for item in space.items if item != champion]
    values = bound(np.array([space.encode(item) for item in items]))
    duel = opt.ask()
    assert pair_of(duel) == {tuple(sorted(champion.items())), tuple(sorted(items[int(np.argmax(values))].items()))}


# -- preferences that nobody asked for --------------------------------------------------------------------------------


def test_preferences_count_towards_the_duels_to_start_with():
    opt = small(initial=3)
    opt.tell_preference({"x0": 0.2}, {"x0": 0.4})
    opt.tell(opt.ask(), "first")
    assert opt.ask().gain is None
    opt.tell_preference({"x0": 0.3}, {"x0": 0.5}, tie=True)
    assert opt.ask().gain is not None
    assert len(opt) == 3


def test_preferences_alone_will_do():
    opt = small(initial=2)
    opt.tell_preference({"x0": 0.7}, {"x0": 0.2})
    opt.tell_preference({"x0": 0.7}, {"x0": 0.95})
    assert opt.recommend(0.0, among="seen").design == {"x0": 0.7}
    assert 0.2 < opt.recommend(0.0).design["x0"] < 0.95


@pytest.mark.parametrize("strategy", ["ei", "eubo"])
def test_the_model_may_choose_from_the_first_duel_on(strategy):
    opt = small(strategy, initial=0)
    for duel in play(opt, 3):
        is_valid(opt.space, duel)


# -- several at once --------------------------------------------------------------------------------------------------


@EVERY_SPACE
@pytest.mark.parametrize("initial", [1, 6])
def test_several_duels_at_once_are_of_different_pairs(name, initial):
    opt = Optimizer(SPACES[name], strategy="ei", seed=2, initial=initial, learn={})
    opt.tell(opt.ask(), "first")
    duels = opt.ask(4)
    assert duels[0] == opt.ask()
    assert len({pair_of(duel) for duel in duels}) == 4
    assert len({duel.id for duel in duels}) == 4
    for duel in duels:
        is_valid(opt.space, duel)


@pytest.mark.parametrize("strategy", ["ei", *slowly("rahbo", "eubo")])
def test_looking_ahead_changes_nothing(strategy):
    opt, twin = small(strategy, initial=2), small(strategy, initial=2)
    for number in range(5):
        opt.ask(3)
        opt.peek(OUTCOMES[number % 4])
        opt.progress()
        duel = opt.ask()
        assert duel == twin.ask()
        opt.tell(duel, OUTCOMES[number % 3])
        twin.tell(duel, OUTCOMES[number % 3])
        assert opt.to_json() == twin.to_json()


@pytest.mark.parametrize("strategy", ["ei", "eubo"])
def test_duels_at_once_can_be_answered_in_any_order(strategy):
    opt = small(strategy)
    play(opt, 3)
    duels = opt.ask(3)
    for duel in (duels[2], duels[0], duels[1]):
        opt.tell(duel, "second")
    assert len(opt) == 6
    assert [event["duel"] for event in opt.history[-3:]] == [duels[2].id, duels[0].id, duels[1].id]


def test_pending_duels_are_allowed_for():
    opt = small("eubo")
    play(opt, 3)
    three = opt.ask(3)
    assert opt.ask(pending=three[:1]) == three[1]
    assert opt.ask(2, pending=three[:1]) == three[1:]
    assert opt.ask(pending=three[:2]) == three[2]
    assert pair_of(opt.ask(pending=three)) not in {pair_of(duel) for duel in three}


def test_duels_that_are_pending_count_towards_the_start():
    opt = small(initial=3)
    gains = [duel.gain for duel in opt.ask(5)]
    assert gains[:3] == [None] * 3
    assert None not in gains[3:]


def test_a_duel_that_was_pending_can_be_answered_after_others():
    opt = small("ei")
    play(opt, 2)
    mine = opt.ask()
    yours = opt.ask(pending=[mine])
    opt.tell(yours, "first")
    opt.add_anchor({"x0": 0.5})
    opt.tell(mine, "tie")
    assert len(opt) == 4


@pytest.mark.parametrize("strategy", ["ei", "eubo"])
def test_looking_ahead_shows_what_will_be_asked(strategy):
    opt = small(strategy, initial=2)
    for number in range(4):
        expected = {outcome: opt.peek(outcome) for outcome in OUTCOMES}
        duel = opt.ask()
        for outcome in OUTCOMES:
            opt.tell(duel, outcome)
            assert opt.ask() == expected[outcome]
            opt.undo()
        opt.tell(duel, OUTCOMES[number % 2])


# -- skipping ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["rahbo", "eubo"])
def test_a_skip_tells_the_model_nothing(strategy):
    opt = small(strategy, anchors=[{"x0": 0.4}])
    play(opt, 4)
    before, best = opt.model, opt.recommend()
    opt.tell(opt.ask(), "skip")
    after = opt.model
    X = np.linspace(0, 1, 21)[:, None]
    assert np.array_equal(before.posterior.mean(X), after.posterior.mean(X))
    assert np.array_equal(before.posterior.variance(X), after.posterior.variance(X))
    assert opt.recommend() == best
    assert len(opt) == 4
    assert opt.history[-1]["outcome"] == "skip"


def much_alike(space, one, other, within=0.05):
    """Whether two duels are of nearly the same two designs, whichever side they are on."""
    (a, b), (c, d) = (np.array([space.encode(duel.first), space.encode(duel.second)]) for duel in (one, other))
    near = [np.abs(x - y).max() < within for x, y in ((a, c), (b, d), (a, d), (b, c))]
    return (near[0] and near[1]) or (near[2] and near[3])


@pytest.mark.parametrize("strategy", ["rahbo", "eubo"])
@pytest.mark.parametrize("name", ["reals", "listed", "fingerprints", *slowly("mixed", "mixture")])
def test_a_skipped_pair_is_not_asked_again_within_eight_duels(strategy, name):
    space = SPACES[name]
    opt = Optimizer(space, strategy=strategy, seed=1, initial=2, learn={})
    play(opt, 3)
    skipped = opt.ask()
    opt.tell(skipped, "skip")
    for number in range(8):
        duel = opt.ask()
        assert not much_alike(space, duel, skipped, 0.01)
        opt.tell(duel, ("first", "second", "tie")[number % 3])


def test_nor_during_the_duels_to_start_with():
    for seed in range(10):
        opt = small(seed=seed, initial=9)
        skipped = opt.ask()
        opt.tell(skipped, "skip")
        asked = play(opt, 8)
        assert not any(much_alike(opt.space, duel, skipped) for duel in asked)


def test_many_skips_in_a_row_lead_to_new_pairs():
    opt = small("ei", initial=3, learn={})
    play(opt, 4)
    pairs = []
    for _ in range(8):
        duel = opt.ask()
        pairs.append(pair_of(duel))
        opt.tell(duel, "skip")
    assert len(set(pairs)) == 8


@pytest.mark.parametrize("strategy", ["ei", "eubo"])
@pytest.mark.parametrize("name", ["interval", "numeric catalogue", *slowly("mixed")])
def test_a_pair_that_was_answered_is_not_asked_again_within_eight_duels(strategy, name):
    """A user whose answers do not change must not be asked the same thing over and over."""
    space = SPACES.get(name, unit())
    opt = Optimizer(space, strategy=strategy, seed=3, initial=3, learn={})
    pairs = [pair_of(duel) for duel in play(opt, 18)]
    for number, pair in enumerate(pairs):
        assert pair not in pairs[max(number - 8, 0) : number]


TINY = {
    "catalogue": Catalogue([{"v": 1.0}, {"v": 2.0}, {"v": 4.0}], ["v"]),
    "categories": Space(kind=Categorical(["a", "b", "c"])),
    "whole": Space(k=Integer(1, 3)),
}


@pytest.mark.parametrize("space", TINY.values(), ids=TINY)
@pytest.mark.parametrize("strategy", ["ei", "eubo"])
@pytest.mark.parametrize("initial", [1, 5])
def test_of_three_designs_the_three_pairs_come_before_a_skipped_one(space, strategy, initial):
    for seed in range(3):
        opt = Optimizer(space, strategy=strategy, seed=seed, initial=initial, learn={})
        opt.tell(opt.ask(), "first")
        pairs = []
        for _ in range(3):
            duel = opt.ask()
            pairs.append(pair_of(duel))
            opt.tell(duel, "skip")
        assert len(set(pairs)) == 3
        # All of them are skipped now, and still there is something to ask.
        is_valid(space, opt.ask())


TWO = {
    "catalogue": Catalogue([{"v": 1.0}, {"v": 2.0}], ["v"]),
    "boolean": Space(on=Boolean()),
    "constrained": Space(a=Integer(0, 1), b=Integer(0, 1), constraints="a + b == 1"),
}


@pytest.mark.parametrize("space", TWO.values(), ids=TWO)
@pytest.mark.parametrize("strategy", ["ei", "rahbo", "raeubo"])
@pytest.mark.parametrize("outcomes", [("first", "second", "tie", "first"), ("skip", "first", "skip", "skip")])
def test_two_designs_are_enough_for_a_study(space, strategy, outcomes):
    opt = Optimizer(space, strategy=strategy, seed=1, initial=1, learn={})
    for outcome in outcomes:
        duel = opt.ask()
        is_valid(space, duel)
        opt.tell(duel, outcome)
    assert space.check(opt.recommend().design)


def test_more_duels_at_once_than_there_are_pairs_are_refused():
    for seed in range(4):
        opt = Optimizer(TINY["catalogue"], strategy="eubo", initial=1, seed=seed, learn={})
        opt.tell(opt.ask(), "first")
        before = opt.to_json()
        duels = opt.ask(3)
        assert len({pair_of(duel) for duel in duels}) == 3
        with pytest.raises(InputError, match="n must be at most the number of different duels; received 4"):
            opt.ask(4)
        with pytest.raises(InputError, match="number of different duels; received 1, with 3 pending"):
            opt.ask(1, pending=duels)
        assert opt.to_json() == before
        assert opt.ask() == duels[0]


def test_a_small_list_is_not_asked_the_same_pair_over_and_over_to_start_with():
    opt = Optimizer(TINY["catalogue"], strategy="ei", initial=3)
    assert len({pair_of(duel) for duel in play(opt, 3)}) == 3


# -- anchors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["rahbo", "raeubo"])
def test_anchors_change_the_noise_map_and_how_all_answers_are_read(strategy):
    opt = small(strategy, learn={})
    play(opt, 5)
    X = np.linspace(0, 1, 21)[:, None]
    constant = opt.model
    assert (constant.noise(X) == constant.noise.scale).all()
    opt.add_anchor({"x0": 0.8})
    one = opt.model
    assert one.noise([[0.8]])[0] < 0.2 * one.noise([[0.1]])[0]
    assert not np.allclose(one.posterior.mean(X), constant.posterior.mean(X), atol=1e-3)
    opt.add_anchor({"x0": 0.2})
    assert opt.anchors == [{"x0": 0.8}, {"x0": 0.2}]
    assert opt.model.noise([[0.2]])[0] < 0.2
    assert len(opt) == 5


def test_the_history_under_new_anchors_is_that_of_a_study_that_had_them_all_along():
    late, early = small("raeubo", learn={}), small("raeubo", learn={}, anchors=[{"x0": 0.8}])
    for study in (late, early):
        study.tell_preference({"x0": 0.7}, {"x0": 0.2})
        study.tell_preference({"x0": 0.6}, {"x0": 0.9})
    late.add_anchor({"x0": 0.8})
    X = np.linspace(0, 1, 21)[:, None]
    assert np.array_equal(late.model.noise(X), early.model.noise(X))
    assert np.array_equal(late.model.posterior.mean(X), early.model.posterior.mean(X))
    best, other = late.recommend(), early.recommend()
    assert (best.design, best.utility, best.interval) == (other.design, other.utility, other.interval)


def test_hyper_parameters_are_learnt_anew_under_new_anchors():
    late, early = small("eubo"), small("eubo", anchors=[{"x0": 0.8}])
    for study in (late, early):
        for winner, loser in [(0.7, 0.2), (0.6, 0.9), (0.75, 0.65)]:
            study.tell_preference({"x0": winner}, {"x0": loser})
    before = late.model.kernel
    late.add_anchor({"x0": 0.8})
    assert late.model.kernel == early.model.kernel
    assert late.model.kernel != before


def test_without_the_last_anchor_the_noise_is_constant_again():
    opt = small("rahbo", anchors=[{"x0": 0.3}, {"x0": 0.6}])
    twin = small("rahbo")
    for study in (opt, twin):
        study.tell_preference({"x0": 0.7}, {"x0": 0.2})
        study.tell_preference({"x0": 0.7}, {"x0": 0.9})
    opt.remove_anchor({"x0": 0.3})
    opt.remove_anchor({"x0": 0.6})
    assert opt.anchors == []
    assert opt.model.noise == NoiseMap.constant(twin.model.noise.scale)
    X = np.linspace(0, 1, 21)[:, None]
    assert np.array_equal(opt.model.posterior.mean(X), twin.model.posterior.mean(X))


def test_anchors_change_what_a_risk_averse_strategy_asks():
    opt = small("rahbo", anchors=[{"x0": 0.1}])
    play(opt, 4)
    before = opt.ask()
    opt.add_anchor({"x0": 0.9})
    after = opt.ask()
    assert pair_of(before) != pair_of(after)
    opt.remove_anchor({"x0": 0.9})
    assert pair_of(opt.ask()) == pair_of(before)


def test_anchors_may_come_before_any_answer():
    opt = small("rahbo")
    opt.add_anchor({"x0": 0.2})
    opt.remove_anchor({"x0": 0.2})
    opt.add_anchor({"x0": 0.3})
    play(opt, 3)
    assert opt.model.noise.anchors.tolist() == [[0.3]]


def test_anchors_given_twice_are_one():
    opt = small(anchors=[{"x0": 0.2}, {"x0": 0.7}, {"x0": 0.2}])
    assert opt.anchors == [{"x0": 0.2}, {"x0": 0.7}]


def test_an_anchor_that_was_removed_can_be_added_again():
    opt = small(anchors=[{"x0": 0.2}])
    opt.remove_anchor({"x0": 0.2})
    opt.add_anchor({"x0": 0.2})
    assert opt.anchors == [{"x0": 0.2}]


# -- undo -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("strategy", ["ei", "eubo"])
def test_undo_of_an_answer_brings_its_duel_back(outcome, strategy):
    opt = small(strategy)
    for _ in range(4):
        before, duel = opt.to_json(), opt.ask()
        opt.tell(duel, outcome)
        opt.undo()
        assert opt.ask() == duel
        assert opt.to_json() == before
        opt.tell(duel, "first")


@pytest.mark.parametrize(
    "event",
    [
        lambda opt: opt.tell_preference({"x0": 0.1}, {"x0": 0.6}),
        lambda opt: opt.tell_preference({"x0": 0.1}, {"x0": 0.6}, tie=True),
        lambda opt: opt.add_anchor({"x0": 0.4}),
        lambda opt: opt.remove_anchor({"x0": 0.9}),
    ],
    ids=["preference", "tie", "anchor added", "anchor removed"],
)
def test_undo_of_anything_else_brings_the_very_same_duel_back(event):
    opt = small("rahbo", anchors=[{"x0": 0.9}])
    play(opt, 3)
    before, duel, best = opt.to_json(), opt.ask(), opt.recommend()
    event(opt)
    assert len(opt.history) == 4
    opt.undo()
    assert opt.ask() == duel
    assert opt.recommend() == best
    assert opt.to_json() == before


def test_undo_to_the_very_beginning_and_no_further():
    opt = small("eubo")
    fresh = opt.to_json()
    first = play(opt, 5)
    for duel in reversed(first):
        opt.undo()
        assert opt.ask() == duel
    assert opt.to_json() == fresh
    with pytest.raises(InputError, match="undo needs an event to take back"):
        opt.undo()


# -- what can be seen -------------------------------------------------------------------------------------------------


def test_the_history_has_all_that_was_said():
    opt = small(anchors=[{"x0": 0.9}])
    duel = opt.ask()
    opt.tell(duel, "second")
    opt.tell_preference({"x0": 0.1}, {"x0": 0.6})
    opt.add_anchor({"x0": 0.4})
    opt.remove_anchor({"x0": 0.9})
    answered = {"duel": duel.id, "first": duel.first, "second": duel.second, "outcome": "second", "gain": None}
    assert opt.history == [
        {"type": "answered", **answered},
        {"type": "preferred", "winner": {"x0": 0.1}, "loser": {"x0": 0.6}, "tie": False},
        {"type": "anchor_added", "design": {"x0": 0.4}},
        {"type": "anchor_removed", "design": {"x0": 0.9}},
    ]


def test_what_is_done_to_the_history_or_a_design_does_not_reach_the_study():
    given = {"x0": 0.4}
    opt = small(anchors=[given])
    opt.tell_preference(given, {"x0": 0.6})
    before = opt.to_json()
    given["x0"] = 7.0
    opt.history[0]["winner"]["x0"] = 7.0
    opt.history.clear()
    opt.anchors[0]["x0"] = 7.0
    opt.propose_anchors(1)[0].design["x0"] = 7.0
    opt.recommend().design["x0"] = 7.0
    opt.recommend().credible_set[0]["x0"] = 7.0
    assert opt.to_json() == before
    assert opt.recommend().design["x0"] <= 1.0


def test_what_is_done_to_a_duel_does_not_reach_the_study():
    opt, twin = small(), small()
    spoilt = opt.ask()
    spoilt.first["x0"] = 7.0
    assert opt.ask() == twin.ask()
    opt.tell(opt.ask(), "first")
    told = opt.ask()
    opt.tell(told, "first")
    told.first["x0"] = 7.0
    assert opt.history[-1]["first"]["x0"] <= 1.0
    assert opt.recommend().design["x0"] <= 1.0


def test_its_length_is_the_number_of_informative_answers():
    opt = small()
    assert len(opt) == 0
    for outcome, length in [("first", 1), ("skip", 1), ("tie", 2), ("second", 3)]:
        opt.tell(opt.ask(), outcome)
        assert len(opt) == length
    opt.add_anchor({"x0": 0.5})
    opt.tell_preference({"x0": 0.5}, {"x0": 0.8})
    assert len(opt) == 4
    opt.undo()
    assert len(opt) == 3


def test_it_says_what_it_is():
    opt = small("raeubo", anchors=[{"x0": 0.5}])
    play(opt, 2)
    assert re.fullmatch(r"Optimizer\(Space\(.*x0.*\), RAEUBO, 2 duels(,| and) 1 anchors?\)", repr(opt))


def test_the_model_behind_it_is_conditioned_on_all_answers():
    opt = small("ei", inference="hallucination")
    play(opt, 3)
    opt.tell(opt.ask(), "tie")
    assert isinstance(opt.model.inference, EP)
    assert np.array_equal(np.sort(opt.model.posterior.points, axis=0), np.sort(duels_of(opt).points, axis=0))


# -- threads ----------------------------------------------------------------------------------------------------------


def test_eight_threads_may_ask_and_tell_at_once():
    opt = small("ei", initial=40, learn={})

    def work(number):
        for _ in range(2):
            for _ in range(100):
                duel = opt.ask()
                try:
                    opt.tell(duel, OUTCOMES[number % 3])
                    break
                except InputError as problem:
                    # Another thread was quicker; that is all that may go wrong.
                    if "answered once" not in str(problem):
                        raise
            opt.tell_preference({"x0": 0.01 * number}, {"x0": 0.5 + 0.01 * number})
            assert len(opt.history) >= 2
            opt.to_json()
        return number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))
    assert len(opt.history) == 32
    answered = [event["duel"] for event in opt.history if event["type"] == "answered"]
    assert len(answered) == len(set(answered)) == 16
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    assert again.recommend() == opt.recommend()


def test_threads_that_look_while_others_tell_see_whole_states():
    opt = small("eubo", initial=2)
    play(opt, 2)

    def look(_):
        best, duel, now = opt.recommend(), opt.ask(), opt.progress()
        return best.design["x0"] <= 1.0 and duel.first != duel.second and now.duels >= 2

    with ThreadPoolExecutor(4) as pool:
        looks = pool.map(look, range(8))
        play(opt, 3)
        assert all(looks)
    assert opt.to_json() == Optimizer.from_json(opt.to_json()).to_json()


# -- parts of one's own -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Greedy(DesignAcquisition):
    """The mean alone."""

    def partials(self, mean, std, noise, incumbent):
        zero = np.zeros_like(mean)
        return Partials(mean, np.ones_like(mean), zero, zero)


@dataclass(frozen=True)
class Widest(PairAcquisition):
    """The pair whose difference is least known."""

    def partials(self, mean_first, mean_second, std, noise_first, noise_second):
        zero = np.zeros_like(std)
        return PairPartials(std, zero, zero, np.ones_like(std), zero, zero)


class Rough(Matern52):
    """A kernel under another name."""


@dataclass(frozen=True)
class Timid(Inference):
    """Laplace's sites with half of their weight."""

    def infer(self, space, likelihood, rng, start=None):
        found = Laplace().infer(space, likelihood, rng, start)
        sites = type(found.sites)(0.5 * found.sites.precision, 0.5 * found.sites.linear)
        return type(found)(sites, found.info, found.state)


@pytest.mark.parametrize(
    "options",
    [{"strategy": Greedy()}, {"strategy": Widest()}, {"kernel": Rough(0.4)}, {"inference": Timid()}],
    ids=["design acquisition", "pair acquisition", "kernel", "inference"],
)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_objects_of_your_own_take_part(options, preset):
    opt = Optimizer(unit(2), **{"strategy": "ei", "preset": preset, "initial": 2, "seed": 1, **options})
    for duel in play(opt, 5):
        is_valid(opt.space, duel)
    assert opt.space.check(opt.recommend().design)
    (name, value), = options.items()  # fmt: skip
    assert (opt.plan.acquisition if name == "strategy" else getattr(opt.plan, name)) == value


def test_an_acquisition_of_your_own_decides():
    space = SPACES["numeric catalogue"]
    opt = Optimizer(space, strategy=Widest(), preset="paper", seed=1, initial=2)
    play(opt, 4)
    posterior = chooser(opt, 1).posterior
    X = space.candidates
    K = posterior.covariance(X)
    spread = np.sqrt(np.maximum(np.add.outer(np.diag(K), np.diag(K)) - 2 * K, 0.0))
    first, second = np.unravel_index(np.argmax(spread), spread.shape)
    expected = {space.decode(X[first])["name"], space.decode(X[second])["name"]}
    duel = opt.ask()
    assert {duel.first["name"], duel.second["name"]} == expected


# -- does it work -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", slowly("ei", "eubo"))
def test_a_simple_preference_is_found_out(strategy):
    space = Space(a=Real(0, 10), kind=Categorical(["x", "y"]))
    opt = Optimizer(space, strategy=strategy, seed=1, initial=5)
    play(opt, 16, lambda design: -abs(design["a"] - 6.2) + 3.0 * (design["kind"] == "y"))
    best = opt.recommend(0.0).design
    assert best["kind"] == "y"
    assert best["a"] == pytest.approx(6.2, abs=1.0)


def test_answers_of_one_kind_only_are_no_obstacle():
    for outcome in ("tie", "first"):
        opt = small("ei", noise=ConstantNoise(0.1))
        for _ in range(6):
            duel = opt.ask()
            is_valid(opt.space, duel)
            opt.tell(duel, outcome)
        assert np.isfinite(opt.recommend().utility)


def test_contradictions_are_no_obstacle():
    opt = small("eubo")
    for one, other in pairwise([0.1, 0.5, 0.9, 0.1, 0.9, 0.5, 0.1]):
        opt.tell_preference({"x0": one}, {"x0": other})
    is_valid(opt.space, opt.ask())
    assert np.isfinite(opt.recommend().utility)
