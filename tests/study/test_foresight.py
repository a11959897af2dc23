"""What follows from a log, computed by one study for another of the same log."""

import json

import numpy as np
import pytest
from studies import SPACES, answer, liking, play, small

from anchorpbo import Optimizer
from anchorpbo.errors import InputError
from anchorpbo.study.asking import Questioner
from anchorpbo.study.foresight import Foreseen
from anchorpbo.study.starting import has_starting_pairs, starting_pairs


def elsewhere(space, trail, **options):
    """What a study in another process finds: nothing goes to it or comes back that JSON does not hold."""
    other = Optimizer(space, **options)
    other.follow(0, json.loads(json.dumps(trail.events())))
    return Foreseen.from_dict(json.loads(json.dumps(other.foresee().to_dict())))


def _computes(*given):
    raise AssertionError("nothing is to be computed here")


@pytest.mark.parametrize("kind", ["mixed", "below a line", "mixed catalogue"])
def test_a_study_goes_on_as_if_it_had_computed_it_itself(kind, monkeypatch):
    space, options = SPACES[kind], {"initial": 2, "seed": 5}
    utility = liking(space)
    given, own = Optimizer(space, **options), Optimizer(space, **options)
    for n in range(5):
        found = elsewhere(space, given.trail(), **options)
        with monkeypatch.context() as patch:
            patch.setattr(Questioner, "next", _computes)
            assert given.accept(found)
            duel = given.ask()
            assert given.progress() == given.progress(duel)
        assert vars(duel) == vars(own.ask())
        outcome = "tie" if n == 3 else answer(duel, utility)
        given.tell(duel, outcome), own.tell(duel, outcome)
    given.accept(elsewhere(space, given.trail(), **options))
    assert given.recommend() == own.recommend()
    assert given.to_json() == own.to_json()


def test_a_trail_of_an_answer_is_the_log_once_it_is_given():
    opt = small()
    play(opt, 3)
    duel = opt.ask()
    thought = {outcome: opt.trail(duel, outcome) for outcome in ("first", "second", "tie", "skip")}
    before = opt.trail()
    assert len({trail.digest for trail in thought.values()} | {before.digest}) == 5
    assert all(len(trail) == len(before) + 1 == 4 for trail in thought.values())
    assert thought["first"].shared(thought["second"]) == 3
    opt.tell(duel, "second")
    assert opt.trail().digest == thought["second"].digest
    assert opt.trail().events() == opt.history
    assert opt.trail().shared(before) == 3
    opt.undo()
    assert opt.trail().digest == before.digest


def test_what_follows_from_another_log_is_not_taken():
    opt, other = small(), small(seed=4)
    play(opt, 3)
    found = opt.foresee()
    assert opt.knows(found.digest)
    play(opt, 1)
    assert not opt.accept(found)
    assert not other.accept(other.foresee().__class__(other.trail().digest + "x", found.duel, None))
    forged = Foreseen(opt.trail().digest, found.duel.__class__("4-0", {"x0": 0.1}, {"x0": 0.2}, "because"), None)
    with pytest.raises(InputError, match="only a duel of this study"):
        opt.accept(forged)


def test_a_log_that_cannot_be_followed_leaves_the_one_there_is():
    opt = small()
    play(opt, 3)
    before = opt.trail()
    events = [*before.events(1), {"type": "anchor_removed", "design": {"x0": 0.5}}]
    with pytest.raises(InputError, match="event 3 must be one that this study could have: only an anchor"):
        opt.follow(1, events)
    assert opt.trail().digest == before.digest
    opt.follow(1, before.events(1)[:1])
    assert opt.trail().digest == before.entries[1].digest
    with pytest.raises(InputError, match="keep must be from 0 to 2"):
        opt.follow(3, [])


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("seed", [0, 7])
def test_there_are_duels_to_start_with_where_they_are_said_to_be(kind, seed):
    assert has_starting_pairs(SPACES[kind], seed) == (len(starting_pairs(SPACES[kind], seed)) > 0)
    assert np.array_equal(Optimizer(SPACES[kind], seed=seed)._questions.starts, starting_pairs(SPACES[kind], seed))
