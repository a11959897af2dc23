"""Designs to show with "could you judge this one well?"."""

import numpy as np
import pytest
from studies import SPACES, play, unit

from anchorpbo import Boolean, Catalogue, Categorical, Integer, Optimizer, Space
from anchorpbo.space.subset_selection import distances

EVERY = pytest.mark.parametrize("name", SPACES)


def points_of(space, designs):
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
        for design in found:
            assert space.check(design) == design
        assert len({point.tobytes() for point in points_of(space, found)}) == n


@pytest.mark.parametrize("name", ["reals", "mixed", "mixture", "mixed catalogue"])
def test_none_is_an_anchor_already(name):
    space = SPACES[name]
    opt = Optimizer(space, seed=1)
    for design in opt.propose_anchors(4):
        opt.add_anchor(design)
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
    found = Optimizer(space).propose_anchors(3)
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
    assert {design["name"] for design in opt.propose_anchors(5)} == left


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
        opt.add_anchor(opt.propose_anchors(1)[0])
        assert len(opt.propose_anchors(count)) == left


@pytest.mark.parametrize("n", [100, 600])
def test_many_of_a_continuous_space_are_still_different(n):
    space = unit(2)
    found = Optimizer(space).propose_anchors(n)
    assert 100 <= len(found) <= n
    assert len({tuple(design.items()) for design in found}) == len(found)


def test_proposing_changes_nothing_and_gives_the_same_again():
    opt, twin = Optimizer(unit(2), strategy="ei", initial=2), Optimizer(unit(2), strategy="ei", initial=2)
    first = opt.propose_anchors(4)
    assert opt.propose_anchors(4) == first
    play(opt, 3)
    assert opt.propose_anchors(4) == first
    play(twin, 3)
    assert opt.to_json() == twin.to_json()
    assert Optimizer.from_json(opt.to_json()).propose_anchors(4) == first


def test_more_of_them_begin_with_the_same():
    """So that "show me more" does not replace what is on the screen."""
    opt = Optimizer(unit(3))
    assert opt.propose_anchors(8)[:3] == opt.propose_anchors(3)
