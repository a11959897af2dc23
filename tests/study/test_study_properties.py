"""Whatever happens in a study, its state is valid and a function of its log."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from studies import pair_of

from anchorpbo import Boolean, Catalogue, Categorical, Integer, Optimizer, Real, Space
from anchorpbo.errors import InputError, NotFittedError

SPACES = {
    "interval": Space(x=Real(0, 1)),
    "listed": Space(k=Integer(0, 3), on=Boolean()),
    "mixed": Space(x=Real(-1, 2), kind=Categorical(["a", "b"])),
    "catalogue": Catalogue([{"v": float(v * v), "w": v % 3} for v in range(6)], features=["v"], categories=["w"]),
}
OUTCOMES = ("first", "second", "tie", "skip")
quick = settings(max_examples=8, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck))


def make(space, strategy, seed, initial):
    """Fits are half of the time and are learnt in one strategy only."""
    learn = None if strategy == "eubo" else {}
    return Optimizer(SPACES[space], strategy=strategy, inference="laplace", seed=seed, initial=initial, learn=learn)


def design_at(space, place):
    """One of a few designs of a space."""
    points = space.sample(6, np.random.default_rng(9))
    return space.decode(space.nearest(points[place % len(points)]))


def seen(opt):
    """All that can be seen of a study: its text, what it asks and what it recommends."""
    try:
        best = opt.recommend()
    except NotFittedError:
        best = None
    return opt.to_json(), opt.ask(), best


class Study(RuleBasedStateMachine):
    """Events in any order, with a record of how things were before each of them."""

    @initialize(
        space=st.sampled_from(list(SPACES)),
        strategy=st.sampled_from(["ei", "rahbo", "eubo"]),
        seed=st.integers(0, 5),
        initial=st.integers(0, 3),
    )
    def begin(self, space, strategy, seed, initial):
        self.opt = make(space, strategy, seed, initial)
        self.before = []

    def happens(self, event):
        self.before.append(seen(self.opt))
        event()

    @rule(outcome=st.sampled_from(OUTCOMES))
    def answer(self, outcome):
        duel = self.opt.ask()
        self.happens(lambda: self.opt.tell(duel, outcome))

    @rule(outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=2, max_size=2))
    def answer_several_the_other_way_round(self, outcomes):
        for duel, outcome in reversed(list(zip(self.opt.ask(2), outcomes, strict=True))):
            self.happens(lambda duel=duel, outcome=outcome: self.opt.tell(duel, outcome))

    @rule(better=st.integers(0, 5), worse=st.integers(0, 5), tie=st.booleans())
    def prefer(self, better, worse, tie):
        winner, loser = (design_at(self.opt.space, place) for place in (better, worse))
        if winner == loser:
            self.refused(lambda: self.opt.tell_preference(winner, loser, tie=tie))
        else:
            self.happens(lambda: self.opt.tell_preference(winner, loser, tie=tie))

    @rule(place=st.integers(0, 5))
    def add_or_remove_an_anchor(self, place):
        design = design_at(self.opt.space, place)
        if design in self.opt.anchors:
            self.refused(lambda: self.opt.add_anchor(design))
            self.happens(lambda: self.opt.remove_anchor(design))
        else:
            self.refused(lambda: self.opt.remove_anchor(design))
            self.happens(lambda: self.opt.add_anchor(design))

    @precondition(lambda self: self.before)
    @rule(count=st.integers(1, 3))
    def undo(self, count):
        for _ in range(min(count, len(self.before))):
            expected = self.before.pop()
            self.opt.undo()
        assert seen(self.opt) == expected

    @rule()
    def save_and_read(self):
        expected = seen(self.opt)
        self.opt = Optimizer.from_json(expected[0])
        assert seen(self.opt) == expected

    @rule()
    def look_ahead(self):
        expected = self.opt.to_json()
        self.opt.ask(3)
        self.opt.peek("first")
        self.opt.progress()
        self.opt.propose_anchors(2)
        assert self.opt.to_json() == expected

    @precondition(lambda self: not self.before)
    @rule()
    def undo_nothing(self):
        self.refused(self.opt.undo)

    def refused(self, call):
        expected = self.opt.to_json()
        with pytest.raises(InputError, match="; received"):
            call()
        assert self.opt.to_json() == expected

    @invariant()
    def the_state_is_valid(self):
        opt, space = self.opt, self.opt.space
        duel = opt.ask()
        for design in (duel.first, duel.second):
            assert space.check(design) == design
        assert len(pair_of(duel)) == 2
        assert len(opt.history) == len(self.before)
        informative = [
            event
            for event in opt.history
            if event["type"] == "preferred" or (event["type"] == "answered" and event["outcome"] != "skip")
        ]
        assert len(opt) == len(informative)
        anchors = []
        for event in opt.history:
            if event["type"] == "anchor_added":
                anchors.append(event["design"])
            elif event["type"] == "anchor_removed":
                anchors.remove(event["design"])
        assert opt.anchors == anchors
        answered = [event["duel"] for event in opt.history if event["type"] == "answered"]
        assert len(answered) == len(set(answered))
        assert duel.id not in answered

    def teardown(self):
        if not hasattr(self, "opt"):
            return
        expected = seen(self.opt)
        # Learnt again rather than read: hyper-parameters follow from the log alone.
        layout = json.loads(expected[0])
        assert seen(Optimizer.from_json(json.dumps({**layout, "learnt": None}))) == expected


Study.TestCase.settings = quick
TestStudy = Study.TestCase


events = st.lists(
    st.one_of(
        st.sampled_from(OUTCOMES),
        st.tuples(st.just("prefer"), st.integers(0, 5), st.integers(0, 5), st.booleans()),
        st.tuples(st.just("anchor"), st.integers(0, 5)),
    ),
    max_size=6,
)


def tell_all(opt, some):
    """Events as the strategy above has them; those that would be refused are left out."""
    count = 0
    for event in some:
        before = len(opt.history)
        if isinstance(event, str):
            opt.tell(opt.ask(), event)
        elif event[0] == "prefer":
            winner, loser = (design_at(opt.space, place) for place in event[1:3])
            if winner != loser:
                opt.tell_preference(winner, loser, tie=event[3])
        else:
            design = design_at(opt.space, event[1])
            (opt.remove_anchor if design in opt.anchors else opt.add_anchor)(design)
        count += len(opt.history) - before
    return count


studies = st.tuples(
    st.sampled_from(list(SPACES)), st.sampled_from(["ei", "rahbo", "eubo"]), st.integers(0, 3), st.integers(0, 3)
)


@given(study=studies, kept=events, taken_back=events)
@settings(quick, max_examples=12)
def test_undo_of_the_last_events_equals_never_having_told_them(study, kept, taken_back):
    opt, other = make(*study), make(*study)
    tell_all(opt, kept)
    tell_all(other, kept)
    for _ in range(tell_all(opt, taken_back)):
        opt.undo()
    # The other one has never computed anything beyond this point.
    assert seen(opt) == seen(other)


@given(study=studies, told=events, more=events)
@settings(quick, max_examples=12)
def test_a_round_trip_through_text_is_exact_and_goes_on_the_same(study, told, more):
    opt = make(*study)
    tell_all(opt, told)
    again = Optimizer.from_json(opt.to_json())
    assert again.to_json() == opt.to_json()
    tell_all(opt, more)
    tell_all(again, more)
    assert seen(again) == seen(opt)


@given(study=studies, told=events, wrong=st.integers(0, 9))
@settings(quick, max_examples=12)
def test_an_error_changes_nothing(study, told, wrong):
    opt = make(*study)
    tell_all(opt, told)
    expected = seen(opt)
    asked = opt.ask()
    good = design_at(opt.space, 0)
    calls = [
        lambda: opt.tell(asked, "neither"),
        lambda: opt.tell(None, "first"),
        lambda: opt.tell(make(study[0], study[1], study[2] + 100, study[3]).ask(), "first"),
        lambda: opt.tell_preference(good, good),
        lambda: opt.tell_preference(good, {**good, "sugar": 1}),
        lambda: opt.tell_preference({}, good),
        lambda: opt.add_anchor({**good, next(iter(good)): "nonsense"}),
        lambda: opt.remove_anchor({}),
        lambda: opt.recommend(-1.0),
        lambda: opt.import_comparisons([{"winner": 1}]),
    ]
    with pytest.raises(InputError, match="; received"):
        calls[wrong]()
    assert seen(opt) == expected
