"""Questions that check the anchors: candidates, repeats with swapped sides, and undo."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from studies import SPACES

import anchorpbo as ap
from anchorpbo.errors import InputError
from anchorpbo.study.anchor_checks import MAX_DESIGNS, MIN_DESIGNS, list_candidates
from anchorpbo.study.repeats import REMEMBERED_ANSWERS

SPACE = ap.Space(a=ap.Real(-3, 7.5), dose=ap.Real(0.001, 10, log=True))
ANCHORS = [{"a": a, "dose": dose} for a, dose in ((-1.234, 0.01), (0.1, 0.05), (5.4321, 3.3))]


def start(space=SPACE, anchors=ANCHORS, **options):
    return ap.Optimizer(space, anchors, **{"seed": 2, "strategy": "eubo", "integration": "map", **options})


def locate(study, duel):
    return np.array([study.space.encode(design) for design in (duel.first, duel.second)])


def key(duel):
    return frozenset(str(design) for design in (duel.first, duel.second))


def answer_checks(study, count, seed=0):
    rng, duels = np.random.default_rng(seed), []
    for _ in range(count):
        duels.append(study.ask_anchor_check())
        study.tell(duels[-1], "first" if rng.random() < 0.5 else "second")
    return duels


def test_a_pair_comes_back_with_swapped_sides_after_all_others():
    duels = answer_checks(start(), 70)
    pairs = len(list_candidates(start().noise_map, SPACE, np.random.default_rng(0)))
    assert pairs == 31
    for sweep in range(70 // pairs):
        assert len({key(duel) for duel in duels[sweep * pairs : (sweep + 1) * pairs]}) == pairs
    for pair in map(key, duels):
        for once, again in pairwise([duel for duel in duels if key(duel) == pair]):
            assert (once.first, once.second) == (again.second, again.first)


@pytest.mark.parametrize("seed", range(4))
def test_a_pair_is_not_asked_while_its_answer_is_remembered(seed):
    space = ap.Catalogue([{"name": str(k), "x": float(k)} for k in range(5)], key="name", features=["x"])
    duels = [key(duel) for duel in answer_checks(start(space, list(space), seed=seed), 40)]  # four sweeps of ten pairs
    for number, pair in enumerate(duels):
        assert pair not in duels[max(number - REMEMBERED_ANSWERS, 0) : number]


def test_a_small_catalogue_is_asked_evenly():
    space = ap.Catalogue([{"name": str(k), "x": float(k)} for k in range(3)], key="name", features=["x"])
    duels = answer_checks(start(space, [space[k] for k in range(3)]), 15)
    assert set(Counter(map(key, duels)).values()) == {5}


def test_a_skipped_check_is_not_asked_again():
    study = start()
    answer_checks(study, 5)
    skipped = study.ask_anchor_check()
    study.tell(skipped, "skip")
    assert key(skipped) not in {key(duel) for duel in answer_checks(study, 40)}


def test_candidates_compare_reliable_designs_with_each_other_and_unreliable_ones_with_each_other():
    noise = start().noise_map
    pairs = list_candidates(noise, SPACE, np.random.default_rng(0))
    q = np.array([noise.reliability(pairs[:, side]) for side in (0, 1)])
    reliable = MIN_DESIGNS * (MIN_DESIGNS - 1) // 2
    assert len(pairs) == reliable + MAX_DESIGNS * (MAX_DESIGNS - 1) // 2
    assert q[:, :reliable].min() > q[:, reliable:].max()
    for anchor in noise.anchors:
        assert (pairs[:reliable] == anchor).all(axis=2).any()
        assert not (pairs[reliable:] == anchor).all(axis=2).any()


def test_the_oldest_anchors_are_compared_if_there_are_many():
    anchors = [{"a": float(a), "dose": 0.1} for a in range(-3, 7)]
    noise = start(anchors=anchors).noise_map
    pairs = list_candidates(noise, SPACE, np.random.default_rng(0))
    half = MAX_DESIGNS * (MAX_DESIGNS - 1) // 2
    used = np.unique(pairs[:half].reshape(-1, 2), axis=0)
    np.testing.assert_array_equal(used, np.unique(noise.anchors[:MAX_DESIGNS], axis=0))


@pytest.mark.parametrize(("dimension", "anchors"), [(2, 1), (6, 1), (12, 1), (12, 3)])
def test_designs_added_to_few_anchors_are_near_them(dimension, anchors):
    space = ap.Space({f"x{k}": ap.Real(0, 1) for k in range(dimension)})
    marked = [space.decode(x) for x in np.random.default_rng(dimension).random((anchors, dimension))]
    noise = start(space, marked).noise_map
    pairs = list_candidates(noise, space, np.random.default_rng(0))[: MIN_DESIGNS * (MIN_DESIGNS - 1) // 2]
    designs = np.unique(pairs.reshape(-1, dimension), axis=0)
    assert len(designs) == MIN_DESIGNS
    assert noise.reliability(designs).min() >= 0.5


@pytest.mark.parametrize("strategy", ["ei", "anpei"])
def test_the_winner_of_a_check_is_not_the_champion(strategy):
    study = start(strategy=strategy, initial=2)
    for _ in range(4):
        duel = study.ask()
        study.tell(duel, "first")
    champion = duel.first
    study.tell(study.ask_anchor_check(), "first")
    following = study.ask()
    assert champion in (following.first, following.second)


@pytest.mark.parametrize("name", ["mixed", "numeric catalogue", "fingerprints", "mixed catalogue", "mixture", "listed"])
def test_checks_work_in_every_kind_of_space(name):
    space = SPACES[name]
    anchor = space.decode(space.sample(1, np.random.default_rng(1))[0])
    study = start(space, [anchor])
    answer_checks(study, 6)
    assert study.validate_anchors().bayes_factor > 0.0


def test_negative_anchors_alone_cannot_be_checked():
    study = start(anchors=[])
    with pytest.raises(InputError, match="a check of the anchors needs at least one; received none"):
        study.ask_anchor_check()
    study.tell_anchor(ANCHORS[0], "no")
    with pytest.raises(InputError, match="mark a design that you know well"):
        study.ask_anchor_check()


def test_asking_changes_nothing_and_is_a_function_of_the_log():
    study = start()
    answer_checks(study, 4)
    text, following = study.to_json(), study.ask()
    check = study.ask_anchor_check()
    assert study.ask_anchor_check() == check
    assert ap.Optimizer.from_json(text).ask_anchor_check() == check
    assert study.to_json() == text
    assert study.ask() == following


def test_a_check_is_an_answer_like_any_other():
    study = start()
    answer_checks(study, 4)
    duel = study.ask_anchor_check()
    assert duel.gain is None
    assert study.progress(duel).gain is None
    before = len(study)
    study.tell(duel, "first")
    assert len(study) == before + 1
    assert study.history[-1]["outcome"] == "first"
    assert key(study.ask()) != key(duel)
    study.undo()
    assert len(study) == before
    assert study.ask_anchor_check() == duel
    study.tell(duel, "first")
    with pytest.raises(InputError, match="a duel can be answered once"):
        study.tell(duel, "second")


def test_both_designs_of_a_check_are_reliable_or_neither_is():
    study = start()
    for duel in answer_checks(study, 8):
        first, second = study.noise_map.reliability(locate(study, duel)) > 0.5
        assert first == second
