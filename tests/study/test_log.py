"""A log read piece by piece, with steps back, says what it says when read at once."""

import numpy as np
import pytest
from studies import SPACES, small, unit

from anchorpbo import Optimizer
from anchorpbo.errors import InputError
from anchorpbo.study.dataset import RECENT_EVENTS, StudyData
from anchorpbo.study.duel import Duel
from anchorpbo.study.events import (
    JUDGEMENTS,
    AnchorAdded,
    AnchorRemoved,
    Answered,
    LogEntry,
    Preferred,
    compute_digest,
    list_designs,
)
from anchorpbo.study.log import Log

SPACE = unit(2)
FIRST = {"x0": 0.5, "x1": 0.5}
ANCHORS = {SPACE.encode(FIRST).tobytes(): FIRST}


def points_of(event):
    return np.array([SPACE.encode(design) for design in list_designs(event)])


def entry_of(log, event):
    return LogEntry.create(log.digest, event, points_of(event))


def random_event(rng, number, known):
    """An event of any kind; `known` has the anchors that may be removed, and changes."""
    first, second = (SPACE.decode(SPACE.nearest(x)) for x in rng.random((2, 2)))
    kind = rng.integers(8)
    if kind == 0:
        known.append(first)
        return AnchorAdded(first, judgement=JUDGEMENTS[rng.integers(3)])
    if kind == 1 and known:
        return AnchorRemoved(known.pop(int(rng.integers(len(known)))))
    if kind <= 3:
        return Preferred(first, second, bool(rng.integers(2)))
    return Answered(f"{number}", first, second, ("first", "second", "tie", "skip")[rng.integers(4)])


def places_of(known, judgement):
    return np.array([np.frombuffer(point) for point, each in known.items() if each == judgement]).reshape(-1, 2)


def naive(events):
    """What a log says, by the definitions: pairs, ties, skips, and the skipped and answered among the last few."""
    pairs, tied, skipped, answered = [], [], [], []
    known = dict.fromkeys(ANCHORS, "yes")
    for number, event in enumerate(events):
        points, recent = points_of(event), number >= len(events) - RECENT_EVENTS
        if isinstance(event, AnchorAdded):
            known.pop(points[0].tobytes(), None)
            known[points[0].tobytes()] = event.judgement
        elif isinstance(event, AnchorRemoved):
            del known[points[0].tobytes()]
        elif isinstance(event, Answered) and event.outcome == "skip":
            skipped.append((recent, points))
        else:
            second = isinstance(event, Answered) and event.outcome == "second"
            pairs.append(points[::-1] if second else points)
            tied.append(event.tie if isinstance(event, Preferred) else event.outcome == "tie")
            answered += [points] if recent and isinstance(event, Answered) else []
    return {
        "pairs": np.array(pairs).reshape(-1, 2, 2),
        "tied": np.array(tied, dtype=bool),
        "anchors": places_of(known, "yes"),
        "negative_anchors": places_of(known, "no"),
        "marked": np.array([np.frombuffer(point) for point in known]).reshape(-1, 2),
        "skips": len(skipped),
        "recently_skipped": tuple(points for recent, points in skipped if recent),
        "recently_answered": tuple(answered),
        "events": len(events),
    }


def assert_says(data, events):
    for name, value in naive(events).items():
        np.testing.assert_equal(getattr(data, name), value, err_msg=name)
    assert len(data.digests) == len(data.pairs)


@pytest.mark.parametrize("seed", range(5))
def test_data_read_piece_by_piece_is_that_of_the_whole_log(seed):
    rng = np.random.default_rng(seed)
    log, events, history = Log("study", SPACE, ANCHORS), [], []
    known = [FIRST]
    for number in range(80):
        if history and rng.random() < 0.25:
            for _ in range(int(rng.integers(1, min(len(history), 15) + 1))):
                log.pop()
                events.pop()
                known = history.pop()
        history.append(list(known))
        event = random_event(rng, number, known)
        if rng.random() < 0.3:
            assert_says(log.data_after(entry_of(log, event)), [*events, event])
            assert len(log) == len(events)
        log.append(entry_of(log, event))
        events.append(event)
        if rng.random() < 0.5:  # read now and then, so that there are data of all ages to go on from
            assert_says(log.data, events)
    again = Log("study", SPACE, ANCHORS)
    for event in events:
        again.append(entry_of(again, event))
    assert list(again) == list(log) == events
    assert again.data.digests == log.data.digests
    assert again.data.digest == log.data.digest == log.digest


def test_data_grows_into_a_new_one():
    empty = StudyData.empty("study", SPACE, ANCHORS)
    log = Log("study", SPACE, ANCHORS)
    assert (len(empty), empty.digest, empty.champion) == (0, "study", None)
    assert empty.with_entries([]) is empty
    event = Preferred(FIRST, {"x0": 0.1, "x1": 0.2})
    before = log.data
    log.append(entry_of(log, event))
    assert (len(before), len(log.data)) == (0, 1)
    assert log.data is log.data


def test_an_answer_taken_back_can_be_given_again_and_only_once():
    opt = small()
    duels = opt.ask(3)
    for duel in duels:
        opt.tell(duel, "first")
    for duel in duels:
        with pytest.raises(InputError, match=f"a duel can be answered once; received {duel.id}"):
            opt.tell(duel, "skip")
    opt.undo()
    opt.tell(duels[2], "second")
    assert [event["outcome"] for event in opt.history] == ["first", "first", "second"]
    again = Optimizer.from_json(opt.to_json())
    with pytest.raises(InputError, match="a duel can be answered once"):
        again.tell(duels[2], "second")
    again.undo()
    again.tell(duels[2], "tie")
    assert len(again) == 3


# -- studies that were saved when a catalogue was named by its text ---------------------------------------------------


def arguments(opt):
    settings = opt._state.settings
    return [opt.space.to_dict(), [], settings.seed, settings.options_to_dict()]


def named_by_text(opt, duel):
    """A duel as it was named then."""
    study = compute_digest(arguments(opt))
    return Duel.create(study, int(duel.id.partition("-")[0]), duel.first, duel.second, duel.why, duel.gain)


@pytest.mark.parametrize("name", ["numeric catalogue", "fingerprints"])
def test_duels_named_by_the_text_of_their_catalogue_can_still_be_answered(name):
    opt = Optimizer(SPACES[name], seed=3, initial=4, learn={}, preset_version=1)
    old = named_by_text(opt, opt.ask())
    assert old.id != opt.ask().id
    opt.tell(old, "first")
    again = Optimizer.from_json(opt.to_json())
    assert again.history[0]["duel"] == old.id
    assert again.to_json() == opt.to_json()
    assert again.ask() == opt.ask()
    with pytest.raises(InputError, match="a duel can be answered once"):
        again.tell(old, "first")


def test_spaces_of_parameters_are_named_by_their_text():
    opt = small(preset_version=1)
    assert opt.ask().is_from(compute_digest(arguments(opt)))


def test_a_duel_of_another_catalogue_is_refused():
    one, other = (Optimizer(SPACES[name]) for name in ("numeric catalogue", "catalogue of categories"))
    with pytest.raises(InputError, match="only a duel of this study can be answered"):
        one.tell(other.ask(), "first")
