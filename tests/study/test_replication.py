"""The next duel, computed by a replica for an optimizer of the same log."""

import json

import numpy as np
import pytest
from studies import SPACES, answer, liking, play, small

from anchorpbo import Optimizer
from anchorpbo.errors import InputError
from anchorpbo.study.duel_selection import DuelSelector
from anchorpbo.study.initial_duels import generate_initial_pairs, has_initial_pairs
from anchorpbo.study.replication import NextDuel, Replica, has_next_duel, offer, snapshot


def elsewhere(space, log, **options):
    """What a study in another process finds: nothing goes to it or comes back that JSON does not hold."""
    other = Optimizer(space, **options)
    Replica(other).update(0, json.loads(json.dumps(log.events())))
    return NextDuel.from_dict(json.loads(json.dumps(Replica(other).next_duel().to_dict())))


def _computes(*given):
    raise AssertionError("nothing is to be computed here")


@pytest.mark.parametrize("kind", ["mixed", "below a line", "mixed catalogue"])
def test_a_study_goes_on_as_if_it_had_computed_it_itself(kind, monkeypatch):
    space, options = SPACES[kind], {"initial": 2, "seed": 5}
    utility = liking(space)
    given, own = Optimizer(space, **options), Optimizer(space, **options)
    for n in range(5):
        found = elsewhere(space, snapshot(given), **options)
        with monkeypatch.context() as patch:
            patch.setattr(DuelSelector, "select", _computes)
            assert offer(given, found)
            duel = given.ask()
            assert given.progress() == given.progress(duel)
        assert vars(duel) == vars(own.ask())
        outcome = "tie" if n == 3 else answer(duel, utility)
        given.tell(duel, outcome), own.tell(duel, outcome)
    offer(given, elsewhere(space, snapshot(given), **options))
    assert given.recommend() == own.recommend()
    assert given.to_json() == own.to_json()


def test_a_snapshot_with_an_answer_is_the_log_once_it_is_given():
    opt = small()
    play(opt, 3)
    duel = opt.ask()
    thought = {outcome: snapshot(opt, duel, outcome) for outcome in ("first", "second", "tie", "skip")}
    before = snapshot(opt)
    assert len({log.digest for log in thought.values()} | {before.digest}) == 5
    assert all(len(log) == len(before) + 1 == 4 for log in thought.values())
    assert thought["first"].count_common(thought["second"]) == 3
    opt.tell(duel, "second")
    assert snapshot(opt).digest == thought["second"].digest
    assert snapshot(opt).events() == opt.history
    assert snapshot(opt).count_common(before) == 3
    opt.undo()
    assert snapshot(opt).digest == before.digest


def test_what_follows_from_another_log_is_not_taken():
    opt, other = small(), small(seed=4)
    play(opt, 3)
    found = Replica(opt).next_duel()
    assert has_next_duel(opt, found.digest)
    play(opt, 1)
    assert not offer(opt, found)
    assert not offer(other, Replica(other).next_duel().__class__(snapshot(other).digest + "x", found.duel, None))
    forged = NextDuel(snapshot(opt).digest, found.duel.__class__("4-0", {"x0": 0.1}, {"x0": 0.2}, "because"), None)
    with pytest.raises(InputError, match="only a duel of this study"):
        offer(opt, forged)


def test_a_log_that_cannot_be_followed_leaves_the_one_there_is():
    opt = small()
    play(opt, 3)
    before = snapshot(opt)
    events = [*before.events(1), {"type": "anchor_removed", "design": {"x0": 0.5}}]
    with pytest.raises(InputError, match="event 3 must be valid in this study: only an anchor"):
        Replica(opt).update(1, events)
    assert snapshot(opt).digest == before.digest
    Replica(opt).update(1, before.events(1)[:1])
    assert snapshot(opt).digest == before.entries[1].digest
    with pytest.raises(InputError, match="keep must be from 0 to 2"):
        Replica(opt).update(3, [])


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("seed", [0, 7])
def test_there_are_duels_to_start_with_where_they_are_said_to_be(kind, seed):
    assert has_initial_pairs(SPACES[kind], seed) == (len(generate_initial_pairs(SPACES[kind], seed)) > 0)
    assert np.array_equal(
        Optimizer(SPACES[kind], seed=seed)._state.selector.initial_pairs, generate_initial_pairs(SPACES[kind], seed)
    )


def test_the_public_surface_of_an_optimizer_has_nothing_for_workers():
    public = {name for name in dir(Optimizer) if not name.startswith("_")}
    assert public == {
        "ask", "ask_again", "ask_against", "ask_pair", "ask_anchor_check",
        "peek", "assess", "audit", "validate_anchors",
        "tell", "tell_preference", "import_comparisons", "undo", "record", "validate",
        "anchors", "negative_anchors", "anchor_marks", "add_anchor", "tell_anchor", "remove_anchor", "propose_anchors",
        "recommend", "recommended", "utilities",
        "progress", "retest", "surprises", "model", "acquisition_model", "noise_map", "history",
        "space", "plan",
        "replay", "to_json", "from_json", "save", "load",
    }  # fmt: skip
