"""Designs to show with "could you judge this one well?"."""

import re

import numpy as np
import pytest
from studies import SPACES, play, unit

from anchorpbo import (
    Boolean,
    Catalogue,
    Categorical,
    ConstantNoise,
    Integer,
    NoiseMap,
    Optimizer,
    PaperNoise,
    Space,
)
from anchorpbo.errors import InputError
from anchorpbo.space.subset_selection import distances
from anchorpbo.study import NoiseRule
from anchorpbo.study.anchor_proposals import describe_proposal

EVERY = pytest.mark.parametrize("name", SPACES)


def points_of(space, designs):
    """Coordinates of designs or proposals."""
    designs = [getattr(one, "design", one) for one in designs]
    return np.array([space.encode(design) for design in designs]).reshape(-1, space.dimension)


def least_distance(space, points):
    D = distances(points, points, space.columns)
    return D[np.triu_indices(len(points), 1)].min()


@EVERY
def test_there_are_as_many_as_asked_for_all_valid_and_different(name):
    space = SPACES[name]
    for n in (1, 5):
        found = Optimizer(space, seed=n).propose_anchors(n)
        assert len(found) == n
        for one in found:
            assert space.check(one.design) == one.design
            assert one.reason == "coverage"
            assert 0.0 <= one.gain <= 1.0
        assert len({point.tobytes() for point in points_of(space, found)}) == n


@pytest.mark.parametrize("name", ["reals", "mixed", "mixture", "mixed catalogue"])
def test_none_is_an_anchor_already(name):
    space = SPACES[name]
    opt = Optimizer(space, seed=1)
    for one in opt.propose_anchors(4):
        opt.add_anchor(one.design)
    known = {point.tobytes() for point in points_of(space, opt.anchors)}
    new = {point.tobytes() for point in points_of(space, opt.propose_anchors(4))}
    assert len(known) == len(new) == 4
    assert not known & new


@pytest.mark.parametrize("name", ["reals", "log", "mixed", "stepped", "mixture", "below a line"])
def test_they_are_farther_apart_than_designs_at_random(name):
    space, n = SPACES[name], 6
    chosen = least_distance(space, points_of(space, Optimizer(space).propose_anchors(n)))
    random = []
    for seed in range(40):
        X = space.sample(512, np.random.default_rng(seed))
        random.append(least_distance(space, X[np.random.default_rng(seed).choice(len(X), n, replace=False)]))
    assert chosen > np.quantile(random, 0.9)


def test_new_ones_keep_away_from_the_anchors_there_are():
    space = unit(2)
    corner = {"x0": 1.0, "x1": 1.0}
    for seed in range(3):
        found = points_of(space, Optimizer(space, [corner], seed=seed).propose_anchors(1))
        assert np.linalg.norm(found[0] - 1.0) > 1.2
        three = points_of(space, Optimizer(space, [corner], seed=seed).propose_anchors(3))
        assert np.linalg.norm(three - 1.0, axis=1).min() > 0.5


def test_without_anchors_the_first_is_in_the_middle():
    for seed in range(5):
        found = points_of(unit(2), Optimizer(unit(2), seed=seed).propose_anchors(1))
        assert np.abs(found[0] - 0.5).max() < 0.15


def test_of_a_catalogue_they_are_items_that_stand_for_the_others():
    rng = np.random.default_rng(0)
    centres = np.array([[0.1, 0.1], [0.9, 0.2], [0.5, 0.9]])
    records = [
        {"name": f"{group}-{i}", "a": float(a), "b": float(b)}
        for group, centre in enumerate(centres)
        for i, (a, b) in enumerate(centre + 0.03 * rng.standard_normal((20, 2)))
    ]
    space = Catalogue(records, features=["a", "b"], key="name")
    found = [one.design for one in Optimizer(space).propose_anchors(3)]
    assert all(design in records for design in found)
    assert {design["name"].split("-")[0] for design in found} == {"0", "1", "2"}
    # A medoid has the least sum of distances to the rest of its group.
    for design in found:
        group = [record for record in records if record["name"][0] == design["name"][0]]
        D = distances(points_of(space, group), points_of(space, group), space.columns).sum(axis=1)
        assert group[int(np.argmin(D))] == design


def test_a_catalogue_leaves_out_its_anchors():
    space = SPACES["mixed catalogue"]
    opt = Optimizer(space, space.items[:10])
    left = {item["name"] for item in space.items[10:]}
    assert {one.design["name"] for one in opt.propose_anchors(5)} == left


SMALL = {
    "two": Space(on=Boolean()),
    "six": Space(on=Boolean(), kind=Categorical(["a", "b", "c"])),
    "whole": Space(k=Integer(1, 9)),
    "catalogue": Catalogue([{"v": 1.0}, {"v": 2.0}, {"v": 4.0}], features=["v"]),
}


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_where_there_are_fewer_all_of_them_come(space):
    opt = Optimizer(space, seed=2)
    count = len(space.candidates)
    found = opt.propose_anchors(count + 7)
    assert {p.tobytes() for p in points_of(space, found)} == {p.tobytes() for p in space.candidates}
    for left in range(count - 1, -1, -1):
        opt.add_anchor(opt.propose_anchors(1)[0].design)
        assert len(opt.propose_anchors(count)) == left


@pytest.mark.parametrize("n", [100, 600])
def test_many_of_a_continuous_space_are_still_different(n):
    space = unit(2)
    found = Optimizer(space).propose_anchors(n)
    assert 100 <= len(found) <= n
    assert len({tuple(one.design.items()) for one in found}) == len(found)


def test_proposing_changes_nothing_and_gives_the_same_again():
    opt, twin = Optimizer(unit(2), strategy="ei", initial=2), Optimizer(unit(2), strategy="ei", initial=2)
    first = opt.propose_anchors(4)
    assert opt.propose_anchors(4) == first
    play(opt, 3)
    later = opt.propose_anchors(4)
    play(twin, 3)
    assert opt.to_json() == twin.to_json()
    assert Optimizer.from_json(opt.to_json()).propose_anchors(4) == later == twin.propose_anchors(4)
    later[0].design["x0"] = 7.0
    assert opt.propose_anchors(4) == twin.propose_anchors(4)
    opt.undo(), opt.undo(), opt.undo()
    assert opt.propose_anchors(4) == first


def test_more_of_them_begin_with_the_same():
    """So that "show me more" does not replace what is on the screen."""
    opt = Optimizer(unit(3))
    assert opt.propose_anchors(8)[:3] == opt.propose_anchors(3)
    play(opt, 4)
    assert opt.propose_anchors(8)[:3] == opt.propose_anchors(3)
    designs = [proposal.design for proposal in opt.propose_anchors(8)]
    for n in (1, 2):
        assert designs[:n] == [proposal.design for proposal in opt.propose_anchors(n)]
    assert len(opt.propose_anchors()) == 6


# -- answers to the question ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mixed", "mixture", "mixed catalogue", "fingerprints"])
def test_no_marked_design_is_proposed_whatever_the_answer(name):
    space = SPACES[name]
    opt = Optimizer(space, seed=1)
    play(opt, 3)
    proposed = [one.design for one in opt.propose_anchors(3)]
    for design, answer in zip(proposed, ("yes", "no", "unsure"), strict=True):
        opt.tell_anchor(design, answer)
    assert (opt.anchors, opt.negative_anchors) == (proposed[:1], proposed[1:2])
    assert [(mark.design, mark.judgement) for mark in opt.anchor_marks] == list(
        zip(proposed, ("yes", "no", "unsure"), strict=True)
    )
    again = [one.design for one in opt.propose_anchors(6)]
    assert not any(design in again for design in proposed)
    for design in proposed:
        opt.remove_anchor(design)
    assert opt.anchor_marks == []


def test_another_answer_replaces_the_first_and_undo_brings_it_back():
    opt = Optimizer(unit(2))
    here, there = {"x0": 0.2, "x1": 0.3}, {"x0": 0.8, "x1": 0.3}
    opt.add_anchor(here)
    opt.tell_anchor(there, "unsure")
    opt.tell_anchor(here, "no")
    assert (opt.anchors, opt.negative_anchors) == ([], [here])
    assert [mark.judgement for mark in opt.anchor_marks] == ["unsure", "no"]  # the newest mark is the last
    opt.undo()
    assert (opt.anchors, opt.negative_anchors) == ([here], [])
    for answer in ("yes", "sure", None, True):
        with pytest.raises(InputError):
            opt.tell_anchor(here, answer)
    with pytest.raises(InputError, match="a design can be an anchor once; received"):
        opt.tell_anchor(here, "yes")
    with pytest.raises(InputError, match="judgement must be one of no, unsure, yes; received 'sure'"):
        opt.tell_anchor(here, "sure")


def test_yes_is_add_anchor_and_leaves_no_trace_of_judgements():
    old, new = Optimizer(unit(2)), Optimizer(unit(2))
    old.add_anchor({"x0": 0.2, "x1": 0.3})
    new.tell_anchor({"x0": 0.2, "x1": 0.3}, "yes")
    assert old.to_json() == new.to_json()
    assert "judgement" not in old.to_json()
    assert old.history == [{"type": "anchor_added", "design": {"x0": 0.2, "x1": 0.3}}]
    new.undo()
    new.tell_anchor({"x0": 0.2, "x1": 0.3}, "no")
    assert new.history[0]["judgement"] == "no"
    assert Optimizer.from_json(new.to_json()).to_json() == new.to_json()
    assert [duel_id(each) for each in (old, new)] == [duel_id(each) for each in (old, new)]
    assert duel_id(old) != duel_id(new)


def duel_id(opt):
    return opt.ask().id


def test_near_a_negative_anchor_answers_count_less_and_an_unsure_mark_changes_no_result():
    space = unit(2)
    good, poor, unsure = ({"x0": x, "x1": x} for x in (0.1, 0.9, 0.5))
    opt = Optimizer(space, [good])
    play(opt, 6)
    plain = opt.noise_map
    at = np.array([space.encode(poor)])
    opt.tell_anchor(unsure, "unsure")
    assert opt.noise_map == plain
    utility = opt.recommend().utility
    opt.tell_anchor(poor, "no")
    assert opt.noise_map(at)[0] > 10.0 * plain(at)[0]
    assert opt.noise_map.negative.tolist() == at.tolist()
    assert opt.recommend().utility != utility  # another key of the caches
    loaded = Optimizer.from_json(opt.to_json())
    assert loaded.noise_map == opt.noise_map
    assert loaded.recommend() == opt.recommend()
    assert loaded.ask() == opt.ask()
    opt.tell_anchor(good, "no")
    assert opt.anchors == []
    assert len(opt.noise_map.negative) == 2
    assert opt.ask().gain is not None


@pytest.mark.parametrize("noise", [PaperNoise(), ConstantNoise()])
def test_the_paper_s_map_and_the_constant_one_ignore_negative_anchors(noise):
    opt = Optimizer(unit(2), [{"x0": 0.1, "x1": 0.1}], noise=noise)
    before = opt.noise_map
    opt.tell_anchor({"x0": 0.9, "x1": 0.9}, "no")
    assert opt.noise_map == before


class TwoArguments(NoiseRule):
    """A rule written before there were negative anchors."""

    def __call__(self, anchors, metric):
        return NoiseMap.constant(2.0)


def test_a_rule_without_negative_anchors_works_until_a_design_is_marked_so():
    opt = Optimizer(unit(2), noise=TwoArguments())
    opt.add_anchor({"x0": 0.1, "x1": 0.1})
    assert opt.noise_map == NoiseMap.constant(2.0)


# -- once there are answers -------------------------------------------------------------------------------------------


def compare_at_random(opt, utility, count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        a, b = (opt.space.decode(opt.space.nearest(x)) for x in rng.random((2, opt.space.dimension)))
        opt.tell_preference(*((a, b) if utility(a) > utility(b) else (b, a)))


def test_after_answers_every_other_proposal_may_be_the_best():
    space = unit(2)
    opt = Optimizer(space)
    compare_at_random(opt, lambda design: -((design["x0"] - 0.8) ** 2) - (design["x1"] - 0.7) ** 2, 40)
    found = opt.propose_anchors(6)
    assert [one.reason for one in found] == ["promising", "coverage"] * 3
    promising, coverage = (points_of(space, found[start::2]) for start in (0, 1))
    mean, std = opt.model.posterior.mean, np.sqrt(opt.model.posterior.variance(promising))
    spread = space.sample(400, np.random.default_rng(0))
    assert (mean(promising) + 2.0 * std >= np.quantile(mean(spread), 0.9)).all()
    assert mean(promising).min() > mean(coverage).min()
    # Spread among themselves: farther apart than the likeliest designs are.
    assert least_distance(space, promising) > 0.05
    assert max(one.gain for one in found[::2]) > 0.0
    # Noiseless comparisons of distant designs leave the corner of the best.
    assert np.linalg.norm(promising - [0.8, 0.7], axis=1).max() < 0.5


def test_a_parameter_that_does_not_matter_is_not_spread_over():
    space = unit(2)
    opt = Optimizer(space, seed=2)
    compare_at_random(opt, lambda design: np.sin(9.0 * design["x0"]), 60)
    lengthscale = opt.model.kernel.lengthscale
    assert lengthscale[1] > 3.0 * lengthscale[0]
    covering = points_of(space, [one for one in opt.propose_anchors(8) if one.reason == "coverage"])
    before = points_of(space, Optimizer(space, seed=2).propose_anchors(4))
    along = [np.diff(np.sort(points[:, 0])).min() for points in (covering, before)]
    assert along[0] > along[1]


def test_of_a_catalogue_with_answers_coverage_is_by_the_kernel():
    rng = np.random.default_rng(0)
    bits = np.repeat(rng.integers(0, 2, (3, 64)), 12, axis=0) ^ (rng.random((36, 64)) < 0.04)
    records = [{"name": f"{row // 12}-{row % 12}", "bits": "".join(map(str, line))} for row, line in enumerate(bits)]
    space = Catalogue(records, fingerprint="bits", key="name")
    opt = Optimizer(space)
    for n in range(8):
        opt.tell_preference({"name": f"0-{n}"}, {"name": f"1-{n}"})
    found = opt.propose_anchors(6)
    covering = [one.design["name"] for one in found if one.reason == "coverage"]
    assert {name.split("-")[0] for name in covering} == {"0", "1", "2"}
    assert len({one.design["name"] for one in found}) == 6
    assert found[0].design["name"].startswith(("0", "2"))
    every = opt.propose_anchors(36)
    assert {one.design["name"] for one in every} == {record["name"] for record in records}


# -- words ------------------------------------------------------------------------------------------------------------


def test_the_sentence_has_the_reason_the_reach_and_the_gain():
    assert describe_proposal("promising", 0.1239, 0.084, marked=False) == (
        "Near the most promising designs; an anchor here makes answers about 8 % of the designs more reliable, and the "
        "next ten answers reduce the expected loss by a further 12 %."
    )
    assert describe_proposal("coverage", 0.019, 0.004, marked=True) == (
        "Far from the designs you have marked; an anchor here makes answers about only a few other designs more "
        "reliable, but adds little information about the best one."
    )
    assert describe_proposal("coverage", 0.0049, 0.11, marked=False) == (
        "One of a few designs that cover the space; an anchor here makes answers about 11 % of the designs more "
        "reliable, but hardly helps to find the best one now."
    )
    assert describe_proposal("coverage", 0.0, 0.0, marked=False) == (
        "One of a few designs that cover the space; an anchor here would change nothing."
    )
    (one,) = Optimizer(unit(2)).propose_anchors(1)
    assert str(one) == f"{one.design}: {one.sentence}"


def test_constant_noise_has_nothing_to_gain_from_an_anchor():
    opt = Optimizer(unit(2), noise=ConstantNoise())
    assert {one.sentence for one in opt.propose_anchors(3)} == {
        "One of a few designs that cover the space; an anchor here would change nothing."
    }


def test_proposals_of_small_gain_have_different_sentences():
    opt = Optimizer(unit(6), seed=3)
    assert len({one.sentence for one in opt.propose_anchors(6)}) >= 2
    play(opt, 6)
    found = opt.propose_anchors(6)
    assert {one.reason for one in found} == {"promising", "coverage"}
    assert len({one.sentence for one in found}) >= 4


def test_the_reach_of_an_anchor_is_the_share_of_designs_with_less_noise():
    opt = Optimizer(unit(2), seed=1)
    (one,) = opt.propose_anchors(1)
    points = np.random.default_rng(0).random((4000, 2))
    before = opt.noise_map(points)
    opt.add_anchor(one.design)
    share = 100.0 * np.mean(opt.noise_map(points) <= 0.95 * before)
    told = int(re.search(r"answers about (\d+) % of the designs", one.sentence)[1])
    assert told == pytest.approx(share, abs=3.0)
