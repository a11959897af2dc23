"""Repeated questions: how often, which pairs, and that everything stays a function of the log."""

import json

import numpy as np
import pytest
from studies import SPACES, answer, liking

from anchorpbo import Catalogue, NoiseMap, Optimizer, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.study.explanations import RETEST_DUEL
from anchorpbo.study.reliability_bands import ALL_PAIRS, BANDS, assign_bands, list_bands
from anchorpbo.study.repeats import REMEMBERED_ANSWERS, find_champion, is_repeat
from anchorpbo.study.replication import NextDuel, Replica, offer, snapshot

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
ANCHORS = [{"x": 0.2, "y": 0.3}, {"x": 0.3, "y": 0.2}]
CHEAP = {"strategy": "eubo", "integration": "map"}


def start(rate=0.5, anchors=ANCHORS, **options):
    return Optimizer(SPACE, anchors, repeat_rate=rate, **{"seed": 3, **CHEAP, **options})


def prefer(duel):
    return "first" if duel.first["x"] + duel.first["y"] > duel.second["x"] + duel.second["y"] else "second"


def play(study, count, judge=prefer):
    """Answer duels and return them."""
    duels = []
    for _ in range(count):
        duels.append(study.ask())
        study.tell(duels[-1], judge(duels[-1]))
    return duels


def key(duel):
    return frozenset(json.dumps(design, sort_keys=True) for design in (duel.first, duel.second))


def repeats(duels):
    return [number for number, duel in enumerate(duels) if duel.why == RETEST_DUEL]


# -- rate --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_share_of_repeats_is_the_rate_at_any_time(rate, seed):
    count = np.cumsum([is_repeat(number, rate, seed) for number in range(1500)])
    expected = rate * np.arange(1, 1501)
    assert (count >= np.floor(expected + 1e-6)).all()
    assert (count <= np.floor(expected + 1e-6) + 1).all()
    assert count[-1] == pytest.approx(1500 * rate, abs=1)


@pytest.mark.parametrize("rate", [0.05, 0.25])
def test_each_position_of_a_block_is_as_probable_as_any_other(rate):
    length = round(1 / rate)
    found = [number % length for seed in range(20) for number in range(50 * length) if is_repeat(number, rate, seed)]
    assert len(found) == 1000
    share = np.bincount(found, minlength=length) / 1000
    assert np.abs(share - rate).max() < 4.5 * np.sqrt(rate * (1 - rate) / 1000)


@pytest.mark.parametrize("rate", [1e-9, 1e-300, 5e-324])
def test_a_tiny_rate_asks_for_hardly_any_repeat(rate):
    assert not any(is_repeat(number, rate, 0) for number in range(100))


@pytest.mark.parametrize("rate", [-0.1, 1.01, float("nan"), "often", True, None])
def test_the_rate_is_a_share(rate):
    with pytest.raises(InputError, match="repeat_rate must be a number from 0 to 1"):
        Optimizer(SPACE, repeat_rate=rate)


@pytest.mark.parametrize("rate", [0, 0.25, 0.5, 1])
def test_a_study_repeats_as_many_questions_as_it_was_told_to(rate):
    study = start(rate)
    duels = play(study, 28)
    begin = study.plan.initial + REMEMBERED_ANSWERS
    assert len(repeats(duels)) == rate * 20
    assert all(number >= begin for number in repeats(duels))


# -- which pairs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["reals", "log", "mixed", "below a line", "mixed catalogue"])
def test_a_repeat_is_an_earlier_pair_with_the_sides_swapped(kind):
    space = SPACES[kind]
    study, utility = Optimizer(space, repeat_rate=0.5, seed=2, **CHEAP), liking(space)
    duels = play(study, 16, lambda duel: answer(duel, utility))
    assert len(repeats(duels)) == 4
    for number in repeats(duels):
        duel = duels[number]
        earlier = [(one.first, one.second) for one in duels[:number]]
        assert (duel.second, duel.first) in earlier
        assert duel.gain is None
        assert (duel.first, duel.second) not in earlier[-REMEMBERED_ANSWERS:]
    assert len(study.model.duels) == 16
    assert len(study.model.duels.merge_repeats()) == len({key(duel) for duel in duels}) <= 12


def test_a_pair_is_repeated_once_before_any_is_repeated_twice_and_never_while_it_is_remembered():
    duels = play(start(1.0), 24)
    assert repeats(duels) == list(range(8, 24))
    keys = [key(duel) for duel in duels]
    assert len(set(keys[8:16])) == 8, "the eight pairs that there are"
    assert len(set(keys[16:24])) == 8
    for number in repeats(duels):
        assert keys[number] not in keys[number - REMEMBERED_ANSWERS : number]
        latest = max(n for n in range(number) if keys[n] == keys[number])
        assert (duels[number].first, duels[number].second) == (duels[latest].second, duels[latest].first)


def test_a_remembered_pair_is_repeated_if_there_is_no_other():
    study = start(1.0, anchors=[], initial=1)
    play(study, 1)
    for _ in range(5):
        study.tell(study.ask(), "skip")
    assert key(study.ask()) == key(Optimizer.from_json(study.to_json()).ask())
    duel = study.ask()
    assert duel.why == RETEST_DUEL
    assert (duel.second, duel.first) == (study.history[0]["first"], study.history[0]["second"])


def test_skipped_duels_and_imported_comparisons_are_not_repeated_but_ties_are():
    study = start(1.0, anchors=[], initial=2)
    for number in range(12):
        study.tell_preference({"x": 0.1 * number / 2, "y": 0.5}, {"x": 0.9, "y": 0.1 * number / 2})
    for outcome in ("skip", "skip", "skip", "skip", "tie", "skip", "skip"):
        study.tell(study.ask(), outcome)
    (tied,) = [event for event in study.history if event.get("outcome") == "tie"]
    duel = study.ask()
    assert (duel.why, duel.first, duel.second) == (RETEST_DUEL, tied["second"], tied["first"])
    study.tell(duel, "skip")
    assert study.ask().why != RETEST_DUEL, "the only pair was just skipped"


def test_the_band_with_the_fewest_repeats_is_next():
    study = start(1.0, anchors=[{"x": 0.1, "y": 0.1}], initial=0)
    near = [({"x": 0.1, "y": 0.02 * i}, {"x": 0.12, "y": 0.1 + 0.02 * i}) for i in range(1, 3)]
    far = [({"x": 0.8, "y": 0.05 * i}, {"x": 0.9, "y": 0.5 + 0.05 * i}) for i in range(10)]
    for first, second in (*near, *far):
        study.tell(study.ask_pair(first, second), "first")
    encode = study.space.encode
    seen = []
    for _ in range(4):
        duel = study.ask()
        pair = np.array([[encode(duel.first), encode(duel.second)]])
        seen.append(BANDS[assign_bands(study.noise_map, pair)[0]])
        study.tell(duel, "first")
    assert sorted(seen[:2]) == sorted(seen[2:]) == ["elsewhere", "near your anchors"]


# -- a function of the log ---------------------------------------------------------------------------------------------


def test_the_same_log_gives_the_same_repeats_after_loading_undoing_and_peeking():
    study, twin = start(), start()
    for _ in range(18):
        duel = study.ask()
        assert Optimizer.from_json(study.to_json()).ask() == duel == twin.ask()
        peeked = {outcome: study.peek(outcome) for outcome in ("first", "second", "skip")}
        outcome = prefer(duel)
        study.tell(duel, outcome), twin.tell(duel, outcome)
        assert study.ask() == peeked[outcome]
        study.undo()
        assert study.ask() == duel
        study.tell(duel, outcome)
    assert study.to_json() == twin.to_json()


def test_a_replica_finds_the_same_repeat_with_its_hyperparameters_and_p_within():
    given, own = start(1.0), start(1.0)
    play(given, 9), play(own, 9)
    other = start(1.0)
    Replica(other).update(0, json.loads(json.dumps(snapshot(given).events())))
    found = NextDuel.from_dict(json.loads(json.dumps(Replica(other).next_duel().to_dict())))
    assert found.duel.why == RETEST_DUEL
    assert found.hyperparameters is not None
    assert found.p_within == own.progress().p_within
    assert offer(given, found)
    assert (given.ask(), given.progress()) == (own.ask(), own.progress())


def test_several_duels_at_once_have_no_pair_twice_and_as_many_repeats_as_one_by_one():
    study = start(0.5)
    play(study, 8)
    batch = study.ask(10)
    assert len({key(duel) for duel in batch}) == 10
    assert len(repeats(batch)) == 5
    rest = study.ask(9, pending=batch[:1])
    assert rest == batch[1:]
    for duel in reversed(batch):
        study.tell(duel, prefer(duel))
    assert len(study) == 18


def test_a_batch_of_repeats_goes_on_with_other_duels_when_the_pairs_are_used_up():
    study = start(1.0)
    play(study, 8)
    batch = study.ask(10)
    assert repeats(batch) == list(range(8))
    assert len({key(duel) for duel in batch}) == 10


def test_progress_of_a_repeat_is_that_of_any_later_duel():
    study = start(1.0)
    play(study, 8)
    progress = study.progress()
    assert progress.gain is None
    assert progress.p_within is not None
    assert "to get a first idea" not in progress.sentence
    assert progress == study.progress(study.ask())


@pytest.mark.parametrize("strategy", ["ei", "kg"])
def test_the_champion_of_a_later_duel_is_not_the_winner_of_a_repeat(strategy):
    study = Optimizer(SPACE, repeat_rate=0.5, seed=4, strategy=strategy, initial=3, integration="map")
    duels = play(study, 18)
    assert repeats(duels)
    for number in repeats(duels):
        stage = Optimizer(SPACE, repeat_rate=0.5, seed=4, strategy=strategy, initial=3, integration="map")
        for duel in duels[: number + 1]:
            stage.tell(duel, prefer(duel))
        with stage._lock_state() as state:
            champion = find_champion(state.data)
        usual = next(duel for duel in reversed(duels[:number]) if duel.why != RETEST_DUEL)
        assert np.array_equal(champion, SPACE.encode(usual.first if prefer(usual) == "first" else usual.second))
        following = stage.ask()
        if strategy == "ei" and following.why != RETEST_DUEL:
            assert SPACE.decode(champion) in (following.first, following.second)


def test_there_is_no_champion_before_the_first_winner():
    study = start(0.5)
    with study._lock_state() as state:
        assert find_champion(state.data) is None
    study.tell(study.ask(), "tie")
    with study._lock_state() as state:
        assert find_champion(state.data) is None


def test_a_study_without_repeats_is_saved_as_before_and_one_with_them_has_another_digest():
    without, zero, often = (
        Optimizer(SPACE, ANCHORS, seed=1, **options) for options in ({}, {"repeat_rate": 0}, {"repeat_rate": 1})
    )
    assert "repeat_rate" not in without.to_json()
    assert without.to_json() == zero.to_json()
    assert without._settings.digest == zero._settings.digest != often._settings.digest
    assert json.loads(often.to_json())["study"]["repeat_rate"] == 1.0
    assert Optimizer.from_json(often.to_json()).plan.repeat_rate == 1.0
    assert often.plan.calibration == without.plan.calibration is not None


def test_a_small_catalogue_is_repeated_too():
    study = Optimizer(
        Catalogue([{"name": name, "size": size} for name, size in (("a", 1), ("b", 2), ("c", 5))], key="name"),
        repeat_rate=1.0,
        initial=1,
    )
    for _ in range(10):
        study.tell(study.ask(), "first")
    assert study.ask().why == RETEST_DUEL


# -- bands -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [NoiseMap.bounded, NoiseMap.from_anchors])
def test_a_pair_is_as_reliable_as_its_less_reliable_design(make):
    noise = make([[0.2, 0.2], [0.25, 0.2]], 0.1)
    line = np.stack([np.linspace(0.2, 0.6, 9), np.full(9, 0.2)], axis=1)
    share = noise.reliability(line) / noise.reliability([[0.2, 0.2], [0.25, 0.2]]).max()
    pairs = np.stack([np.repeat(line[:1], 9, axis=0), line], axis=1)
    expected = [0 if q >= 0.5 else 1 if q >= 0.1 else 2 for q in share]
    assert expected[0] == 0
    assert expected[-1] == 2
    assert 1 in expected
    assert assign_bands(noise, pairs).tolist() == expected == assign_bands(noise, pairs[:, ::-1]).tolist()
    assert list_bands(noise) == BANDS


def test_a_constant_map_has_one_band():
    noise = NoiseMap.constant(1.0)
    assert list_bands(noise) == (ALL_PAIRS,)
    assert assign_bands(noise, np.random.default_rng(0).random((4, 2, 3))).tolist() == [0, 0, 0, 0]
    assert assign_bands(NoiseMap.bounded([[0.5]]), np.empty((0, 2, 1))).tolist() == []
