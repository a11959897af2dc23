"""The sentence with each duel is true of the numbers behind it."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy import special
from studies import SPACES, answer, chooser, liking, play, small, unit

from anchorpbo import RBF, Catalogue, Categorical, Duels, NoiseMap, Optimizer, PreferenceGP, Real, Space
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.study.explanations import (
    BOTH_REFERENCES,
    INITIAL_DUEL,
    KNOCKOUT_DUEL,
    MAX_RESIDUAL_SHARE,
    MAX_VARIATION_DISTANCE,
    MIN_RELIABILITY,
    MIN_WIN_PROBABILITY,
    REFERENCE,
    describe_design,
    explain_duel,
    name_sides,
)

ROLES = (
    "is your best so far",
    "won your last comparison",
    "is expected to be at least as good as your best so far",
    "is a promising variation of your best so far",
    "is promising",
    "is of a kind little is known about",
    "is a yardstick for the other",
)
IS_ANCHOR, IS_CLOSE = " and is one you said you know", " and is close to designs you said you know"
CLAUSE = rf"({'|'.join(ROLES)})({IS_ANCHOR}|{IS_CLOSE}|)"
SENTENCE = re.compile(rf"The first {CLAUSE}; the second {CLAUSE}\.")
SHARED = {
    "expected to be at least as good as your best so far": ROLES[2],
    "promising variations of your best so far": ROLES[3],
    "promising": ROLES[4],
    "of a kind little is known about": ROLES[5],
}
BOTH_CLAUSES = re.compile(rf"Both are ({'|'.join(SHARED)})( and close to designs you said you know|)\.")


def clauses(sentence):
    """Role and what is said of the anchors, for the first design and the second."""
    if sentence == BOTH_REFERENCES:
        return [(REFERENCE, None)] * 2
    both = BOTH_CLAUSES.fullmatch(sentence)
    if both:
        return [(SHARED[both[1]], IS_CLOSE if both[2] else "")] * 2
    found = SENTENCE.fullmatch(sentence)
    assert found, sentence
    return [found.groups()[:2], found.groups()[2:]]


def last_winner(opt):
    """Of the last informative comparison, where it had a winner."""
    for event in reversed(opt.history):
        if event["type"] == "preferred":
            return None if event["tie"] else event["winner"]
        if event["type"] == "answered" and event["outcome"] != "skip":
            return {"first": event["first"], "second": event["second"], "tie": None}[event["outcome"]]
    return None


def differ(posterior, x, best):
    """Mean and variance of the difference of two utilities under one component of a posterior."""
    mean, K = posterior.mean(np.array([x, best])), posterior.covariance(np.array([x, best]))
    return mean[0] - mean[1], max(K[0, 0] + K[1, 1] - 2 * K[0, 1], 1e-300)


def check_role(role, x, model, won, nearby=MAX_VARIATION_DISTANCE):
    """That a role is true of a design and that none before it in the list is; `nearby` is that of a variation."""
    posterior = model.posterior
    seen = posterior.points
    mean = posterior.mean(seen)
    best = seen[int(np.argmax(mean))]
    is_best, has_won = np.array_equal(x, best), won is not None and np.array_equal(x, won)
    differences = [differ(part, x, best) for _, part in posterior.components]
    weights = np.array([weight for weight, _ in posterior.components])
    if role == "is your best so far":
        assert is_best
        return
    assert not is_best
    if role == "won your last comparison":
        assert has_won
        return
    assert not has_won
    gaps, variances = np.array(differences).T
    better = weights @ special.ndtr(gaps / np.sqrt(variances))
    if role == "is expected to be at least as good as your best so far":
        assert better >= 0.5 - 1e-9
        return
    assert better < 0.5 + 1e-9
    if "promising" in role:
        assert better >= MIN_WIN_PROBABILITY - 1e-9
        assert (np.abs(x - best).max() <= nearby) == (role == "is a promising variation of your best so far")
        return
    assert better <= MIN_WIN_PROBABILITY + 1e-9
    # Answers tell differences, so what is known of a design is how it compares with the best.
    now = weights @ variances + weights @ (gaps - weights @ gaps) ** 2
    before = weights @ [differ(part.without_duels(), x, best)[1] for _, part in posterior.components]
    share = np.sqrt(now / before)
    compared = (seen == x).all(axis=1).any()
    # Of what is close to an anchor, the user knows something even where the model does not.
    known = model.noise.anchors is not None and model.noise.reliability(x[None])[0] >= MIN_RELIABILITY
    unknown = not compared and not known and share >= MAX_RESIDUAL_SHARE
    assert unknown == (role == "is of a kind little is known about")


def check_close(said, x, model):
    """That what is said about the anchors is true of the noise map, and said when it is."""
    anchors = model.noise.anchors
    if anchors is None:
        assert said == ""
    elif any(np.array_equal(x, anchor) for anchor in anchors):
        assert said == IS_ANCHOR
    else:
        assert said == (IS_CLOSE if model.noise.reliability(x[None])[0] >= MIN_RELIABILITY else "")


STUDIES = {
    "ei": {"strategy": "ei", "inference": "laplace"},
    "ei without anchors": {"strategy": "ei", "inference": "ep", "anchors": 0},
    "rahbo": {"strategy": "rahbo", "inference": "ep"},
    "ucb by hallucination": {"strategy": "ucb", "preset": "paper", "baseline": "anchored", "initial": 3},
    "eubo without anchors": {"strategy": "eubo", "anchors": 0},
    "default": {},
    "default without anchors": {"anchors": 0},
    "raeubo": {"strategy": "raeubo"},
    "raeubo of the paper": {"strategy": "raeubo", "preset": "paper", "initial": 3},
    "catalogue": {"strategy": "ei", "space": "numeric catalogue"},
    "fingerprints": {"strategy": "eubo", "space": "fingerprints"},
    "mixed": {"strategy": "anpei", "space": "mixed"},
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_clause_is_true_of_the_model_that_chose_the_duel(name):
    options = {"anchors": 3, "space": "reals", "initial": 3, **STUDIES[name]}
    space, anchors = SPACES[options.pop("space")], options.pop("anchors")
    known = [space.decode(x) for x in space.sample(anchors, np.random.default_rng(11))]
    opt = Optimizer(space, known, seed=7, **options)
    utility = liking(space, seed=1)
    rng = np.random.default_rng(0)
    for number in range(10):
        duel = opt.ask()
        if number < 3:
            assert duel.why in (INITIAL_DUEL, KNOCKOUT_DUEL)
        else:
            model, won = chooser(opt, 7), last_winner(opt)
            for design, (role, close) in zip((duel.first, duel.second), clauses(duel.why), strict=True):
                x = space.encode(design)
                # Items of a catalogue are no variations of each other.
                nearby = 0.0 if isinstance(space, Catalogue) else MAX_VARIATION_DISTANCE
                check_role(role, x, model, None if won is None else space.encode(won), nearby)
                if close is not None:
                    check_close(close, x, model)
        honest = answer(duel, utility)
        opt.tell(duel, "tie" if number in (4, 6) else honest if rng.random() < 0.8 else "first")
        if number == 7:
            opt.tell(opt.ask(), "skip")


def test_two_designs_that_are_not_promising_inform_about_others():
    model, _ = hand_made()
    ends = np.array([[0.1], [0.9]])
    assert explain_duel(model, ends, None, LINE) == BOTH_REFERENCES


def test_it_is_the_winner_of_the_last_comparison_that_won_it():
    """After a tie, the champion kept from before has not won the last comparison."""
    for seed in range(6):
        opt = Optimizer(unit(), strategy="ei", seed=seed, initial=1)
        opt.tell_preference({"x0": 0.9}, {"x0": 0.1})
        opt.tell_preference({"x0": 0.9}, {"x0": 0.3})
        opt.tell_preference({"x0": 0.2}, {"x0": 0.15})
        assert opt.ask().why.count("won your last comparison") == 1
        opt.tell(opt.ask(), "tie")
        assert "won your last comparison" not in opt.ask().why


def test_without_anchors_nothing_is_said_about_them():
    opt = small("eubo")
    play(opt, 2)
    for _ in range(4):
        assert "you said you know" not in opt.ask().why
        play(opt, 1)


def test_an_anchor_added_later_is_spoken_of_and_one_removed_is_not():
    opt = Optimizer(unit(), strategy="ei", initial=1)
    opt.tell_preference({"x0": 0.8}, {"x0": 0.1})
    opt.add_anchor({"x0": 0.8})
    assert "is one you said you know" in opt.ask().why
    opt.remove_anchor({"x0": 0.8})
    opt.add_anchor({"x0": 0.79})
    assert "is close to designs you said you know" in opt.ask().why
    opt.remove_anchor({"x0": 0.79})
    assert "you said you know" not in opt.ask().why


@pytest.mark.parametrize("name", ["reals", "log", "mixed", "stepped", "mixture", "below a line"])
def test_designs_to_start_with_are_from_different_parts_of_the_space(name):
    space = SPACES[name]
    discrete = [c for c in range(space.dimension) if space.region.grids[c] is not None]
    for seed in range(5):
        opt = Optimizer(space, strategy="ei", seed=seed, initial=8)
        for duel in opt.ask(8):
            assert duel.why == INITIAL_DUEL
            apart = np.abs(space.encode(duel.first) - space.encode(duel.second))
            assert apart.max() >= 0.1 or apart[discrete].any()


LINE = DuelFilter.for_space(unit())


def hand_made(noise=1.0):
    """Five designs in a row, the middle one best and all judged over and over."""
    points = np.linspace(0.1, 0.9, 5)[:, None]
    wins = [(2, 1), (2, 3), (1, 0), (3, 4)] * 6
    winners, losers = np.array(wins).T
    model = PreferenceGP(RBF(0.15, outputscale=6.0), noise=noise, inference="ep", learn=None)
    return model.condition(Duels(points, winners, losers)), points


def test_every_role_is_reached_and_true():
    model, points = hand_made(NoiseMap.bounded([[0.5]], bandwidth=0.1))
    reached = Counter()
    champion = points[3]
    for x in [*points, *np.linspace(0, 1, 81)[:, None]]:
        found = re.fullmatch(CLAUSE, describe_design(model, x, champion, LINE))
        assert found
        check_role(found[1], x, model, champion)
        check_close(found[2], x, model)
        reached[found[1]] += 1
        reached[found[2]] += 1
    wide = PreferenceGP(RBF(0.3), learn=None).condition(Duels([[0.4], [0.5]], [1], [0]))
    for x in np.linspace(0, 1, 41)[:, None]:
        role = describe_design(wide, x, None, LINE)
        check_role(role, x, wide, None)
        reached[role] += 1
    assert set(reached) == {*ROLES, IS_ANCHOR, IS_CLOSE, ""}


def test_what_holds_of_both_is_said_once():
    model, _ = hand_made(NoiseMap.bounded([[0.5]], bandwidth=0.1))
    reached = set()
    places = np.linspace(0, 1, 61)[:, None]
    for first in places[::3]:
        for second in places[1::3]:
            sentence = explain_duel(model, np.array([first, second]), None, LINE)
            alone = [describe_design(model, x, None, LINE) for x in (first, second)]
            if sentence.startswith("Both"):
                assert alone[0] == alone[1] == "".join(clauses(sentence)[0])
                reached.add(alone[0])
            elif sentence == BOTH_REFERENCES:
                assert all(clause.startswith(REFERENCE) for clause in alone)
                reached.add(REFERENCE)
            else:
                assert sentence == f"The first {alone[0]}; the second {alone[1]}."
    assert len(reached) >= 2


def test_a_design_compared_many_times_is_not_of_an_unknown_kind():
    model, points = hand_made()
    for x in points:
        assert describe_design(model, x, None, LINE) != "is of a kind little is known about"


def test_before_any_answer_there_is_no_best_to_speak_of():
    """With no duels to start with the model chooses the first one, too."""
    for strategy in ("ei", "eubo"):
        duel = small(strategy, initial=0).ask()
        assert "your best so far" not in duel.why
        assert "your last comparison" not in duel.why
        assert duel.why.endswith(".")


def test_another_category_is_no_variation():
    space = Space(kind=Categorical(list("abcdefghijkl")), x=Real(0, 1))
    opt = Optimizer(space, strategy="eubo", initial=1, seed=2, learn={}, kernel=RBF([3.0, 1.0], categorical=[0]))
    opt.tell_preference({"kind": "c", "x": 0.5}, {"kind": "k", "x": 0.5})
    model, best = chooser(opt, 2), space.encode({"kind": "c", "x": 0.5})
    beside = space.encode({"kind": "d", "x": 0.5})
    assert np.abs(beside - best).max() <= MAX_VARIATION_DISTANCE
    assert (
        describe_design(model, space.encode({"kind": "c", "x": 0.45}), None, DuelFilter.for_space(space))
        != "is promising"
    )
    assert "variation" not in explain_duel(model, np.array([best, beside]), None, DuelFilter.for_space(space))


@pytest.mark.parametrize(
    ("why", "named"),
    [
        ("The first is your best so far; the second is promising.", "A is your best so far; B is promising."),
        ("Both are promising.", "Both are promising."),
        (INITIAL_DUEL, INITIAL_DUEL),
        ("", ""),
    ],
)
def test_the_two_designs_can_have_other_names_in_an_explanation(why, named):
    assert name_sides(why, "A", "B") == named
