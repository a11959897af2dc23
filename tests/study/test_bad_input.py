"""What a study refuses: an error that names the parameter and the value, and nothing changed."""

import re
from dataclasses import replace

import numpy as np
import pytest
from studies import ITEMS, SPACES, small

from anchorpbo import (
    RBF,
    BoundedNoise,
    Catalogue,
    Categorical,
    ConstantNoise,
    Duel,
    Integer,
    Learn,
    Optimizer,
    PaperNoise,
    Real,
    Space,
)
from anchorpbo.acquisition import EI
from anchorpbo.errors import (
    IncompatibleError,
    InputError,
    NotFittedError,
    ShapeError,
    UnknownNameError,
)

COFFEE = Space(temperature=Real(80, 96), grind=Integer(1, 10), origin=Categorical(["Kenya", "Brazil"]))
GOOD = {"temperature": 90.0, "grind": 3, "origin": "Kenya"}
OTHER = {"temperature": 85.0, "grind": 3, "origin": "Brazil"}

WRONG_DESIGNS = {
    "missing": ({"temperature": 90.0, "grind": 3}, r"must have a value for 'temperature', 'grind', 'origin'.*'origin'"),
    "unknown": ({**GOOD, "sugar": 1}, r"parameters 'temperature', 'grind', 'origin'; received also 'sugar'"),
    "too large": ({**GOOD, "temperature": 97.5}, r"temperature must .*80.*96.*; received 97\.5"),
    "too small": ({**GOOD, "grind": 0}, r"grind must .*1.*10.*; received 0"),
    "not whole": ({**GOOD, "grind": 2.5}, r"grind must be a whole number; received 2\.5"),
    "not offered": ({**GOOD, "origin": "Peru"}, r"origin must .*'Kenya'.*'Brazil'.*; received 'Peru'"),
    "text": ({**GOOD, "temperature": "90"}, r"temperature must be a number; received '90'"),
    "nan": ({**GOOD, "temperature": float("nan")}, r"temperature must be a finite number; received nan"),
    "truth value": ({**GOOD, "grind": True}, r"grind must be a number; received True"),
    "no dict": (
        [90.0, 3, "Kenya"],
        r"a design must have the values of its parameters by name; received \[90\.0, 3, 'Kenya'\]",
    ),
}
wrong_designs = pytest.mark.parametrize(("design", "message"), WRONG_DESIGNS.values(), ids=WRONG_DESIGNS)


@pytest.fixture
def opt():
    """A study with an event of every kind behind it."""
    study = Optimizer(COFFEE, anchors=[GOOD], strategy="ei", initial=6, seed=1, learn={})
    study.tell(study.ask(), "first")
    study.tell(study.ask(), "skip")
    study.tell_preference(GOOD, OTHER)
    study.add_anchor(OTHER)
    return study


def refuses(study, error, message, call):
    """The call fails in these words and leaves the study as it was."""
    text, duel = study.to_json(), study.ask()
    with pytest.raises(error, match=message):
        call()
    assert study.to_json() == text
    assert study.ask() == duel


@wrong_designs
@pytest.mark.parametrize("side", ["winner", "loser"])
def test_a_preference_between_wrong_designs_is_refused(opt, side, design, message):
    designs = {"winner": GOOD, "loser": GOOD, side: design}
    refuses(opt, InputError, message, lambda: opt.tell_preference(**designs))


@wrong_designs
def test_wrong_anchors_are_refused(opt, design, message):
    refuses(opt, InputError, message, lambda: opt.add_anchor(design))
    refuses(opt, InputError, message, lambda: opt.remove_anchor(design))
    with pytest.raises(InputError, match=message):
        Optimizer(COFFEE, anchors=[GOOD, design])


@wrong_designs
def test_a_wrong_reference_is_refused(opt, design, message):
    refuses(opt, InputError, message, lambda: opt.recommend(reference=design))


@pytest.mark.parametrize("outcome", ["First", "draw", "", None, 1, True, ["first"], b"first"])
def test_an_outcome_that_is_not_one_of_the_four_is_refused(opt, outcome):
    message = f"outcome must be one of first, second, tie, skip; received {re.escape(repr(outcome))}"
    refuses(opt, UnknownNameError, message, lambda: opt.tell(opt.ask(), outcome))
    refuses(opt, UnknownNameError, message, lambda: opt.peek(outcome))


def test_a_duel_is_answered_once(opt):
    duel = opt.ask()
    opt.tell(duel, "tie")
    refuses(opt, InputError, f"a duel can be answered once; received {duel.id}", lambda: opt.tell(duel, "first"))
    opt.undo()
    opt.tell(duel, "first")
    assert opt.history[-1]["outcome"] == "first"


def test_a_skipped_duel_is_answered_too(opt):
    duel = opt.ask()
    opt.tell(duel, "skip")
    refuses(opt, InputError, "a duel can be answered once", lambda: opt.tell(duel, "skip"))


@pytest.mark.parametrize("change", ["first", "second", "id", "sides"])
def test_a_duel_never_asked_is_refused(opt, change):
    duel = opt.ask()
    forged = {
        "first": replace(duel, first=GOOD),
        "second": replace(duel, second=OTHER),
        "id": replace(duel, id="99-0123456789ab"),
        "sides": replace(duel, first=duel.second, second=duel.first),
    }[change]
    message = f"only a duel of this study can be answered; received {forged.id}, never asked here"
    refuses(opt, InputError, message, lambda: opt.tell(forged, "first"))
    refuses(opt, InputError, message, lambda: opt.ask(pending=[forged]))


@pytest.mark.parametrize(
    "duel",
    [
        Duel("0-abc", {"a": np.int64(0)}, {"a": 1}, ""),
        Duel("0-abc", {"a": object()}, {"a": 1}, ""),
        Duel(5, {"a": 0}, {"a": 1}, ""),
        Duel("9" * 5000 + "-abc", {"a": 0}, {"a": 1}, ""),
        Duel("\u0663-abc", {"a": 0}, {"a": 1}, ""),
        Duel("", {}, {}, ""),
        Duel("²-abc", {}, {}, ""),
    ],
    ids=["numpy value", "object", "number as id", "long id", "arabic digit", "empty", "superscript"],
)
def test_any_other_forgery_is_refused_in_the_same_words(opt, duel):
    message = "only a duel of this study can be answered"
    refuses(opt, InputError, message, lambda: opt.tell(duel, "first"))


def test_a_duel_of_another_study_is_refused(opt):
    stranger = Optimizer(COFFEE, anchors=[GOOD], strategy="ei", initial=6, seed=2).ask()
    refuses(opt, InputError, f"received {stranger.id}, never asked here", lambda: opt.tell(stranger, "first"))
    refuses(opt, InputError, "never asked here", lambda: opt.ask(pending=[opt.ask(), stranger]))


@pytest.mark.parametrize("duel", [None, "0-abc", {"first": GOOD, "second": OTHER}, (GOOD, OTHER)])
def test_something_that_is_no_duel_is_refused(opt, duel):
    message = "duel must be a Duel, as ask returns it; received .*tell_preference"
    refuses(opt, InputError, message, lambda: opt.tell(duel, "first"))
    refuses(opt, InputError, message, lambda: opt.ask(pending=[duel]))


def test_a_gain_that_is_no_number_does_not_get_into_the_log(opt):
    duel = replace(opt.ask(), gain=float("nan"))
    refuses(opt, InputError, "gain|never asked here", lambda: opt.tell(duel, "first"))


def test_a_design_is_not_compared_with_itself(opt):
    message = r"the two designs of a comparison must differ; received .*'temperature': 90\.0.* and .*90\.0"
    refuses(opt, InputError, message, lambda: opt.tell_preference(GOOD, dict(GOOD)))
    refuses(opt, InputError, message, lambda: opt.tell_preference(GOOD, dict(GOOD), tie=True))


def test_what_was_told_is_taken_however_close(opt):
    """Nobody is asked such a thing, but who says it may know."""
    opt.tell_preference(GOOD, {**GOOD, "temperature": 90.0001})
    assert opt.history[-1]["loser"]["temperature"] == 90.0001


def test_an_anchor_is_added_once(opt):
    refuses(opt, InputError, r"a design can be an anchor once; received .*85\.0", lambda: opt.add_anchor(OTHER))


def test_only_an_anchor_is_removed(opt):
    stranger = {**GOOD, "grind": 9}
    message = r"only an anchor can be removed; received .*'grind': 9.*\.anchor_marks"
    refuses(opt, InputError, message, lambda: opt.remove_anchor(stranger))


def test_there_must_be_something_to_undo():
    study = small()
    refuses(study, InputError, "undo needs an event to take back; received an empty log", study.undo)


@pytest.mark.parametrize("n", [0, -1, 1.5, "two", True])
def test_a_number_of_duels_or_anchors_is_whole_and_positive(opt, n):
    message = f"n must be a whole number of at least 1; received {n!r}"
    refuses(opt, InputError, message, lambda: opt.ask(n))
    refuses(opt, InputError, message, lambda: opt.propose_anchors(n))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), "much"])
def test_a_risk_weight_is_a_number_of_at_least_zero(opt, weight):
    message = f"risk_weight must be a finite number of at least 0; received {weight!r}"
    refuses(opt, InputError, message, lambda: opt.recommend(weight))
    with pytest.raises(InputError, match=message):
        Optimizer(COFFEE, risk_weight=weight)


def test_a_recommendation_is_among_the_seen_or_the_space(opt):
    message = "among must be one of seen, space; received 'everything'"
    refuses(opt, UnknownNameError, message, lambda: opt.recommend(among="everything"))


@pytest.mark.parametrize("skips", [0, 2])
def test_nothing_is_recommended_before_an_answer(skips):
    study = small()
    for _ in range(skips):
        study.tell(study.ask(), "skip")
    message = "one answer that is not a skip.*ask a duel"
    refuses(study, NotFittedError, message, study.recommend)
    refuses(study, NotFittedError, message, lambda: study.recommend(0.0, among="space"))
    refuses(study, NotFittedError, message, lambda: study.model)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"strategy": "thompson"}, UnknownNameError, "must be one of .*raeubo.*; received 'thompson'"),
        ({"strategy": EI}, InputError, r"strategy must be a name or an acquisition function.*write EI\(\)"),
        ({"preset": "fast"}, UnknownNameError, "preset must be one of default, paper; received 'fast'"),
        ({"preset": None}, UnknownNameError, "preset must be one of default, paper; received None"),
        ({"baseline": "none"}, UnknownNameError, "baseline must be one of anchored, constant; received 'none'"),
        ({"seed": -1}, InputError, "seed must be a whole number of at least 0; received -1"),
        ({"seed": 1.5}, InputError, r"seed must be a whole number of at least 0; received 1\.5"),
        ({"initial": -1}, InputError, "initial must be a whole number of at least 0; received -1"),
        ({"refit_every": 0}, InputError, "refit_every must be a whole number of at least 1; received 0"),
        ({"kernel": "rbf"}, InputError, "kernel must be a Kernel; received 'rbf'"),
        ({"kernel": RBF([0.1, 0.2])}, ShapeError, "lengthscale must be one number or 3"),
        ({"likelihood": "cauchy"}, UnknownNameError, "likelihood must be one of .*; received 'cauchy'"),
        ({"inference": "vi"}, UnknownNameError, "inference must be one of .*; received 'vi'"),
        ({"noise": 0.5}, InputError, r"noise must be a NoiseRule; received 0\.5"),
        ({"noise": BoundedNoise(bandwidth=-1)}, InputError, "bandwidth must be a finite number above 0; received -1"),
        ({"noise": PaperNoise(bandwidth="wide")}, UnknownNameError, "bandwidth must be .*'loo'.*; received 'wide'"),
        ({"noise": PaperNoise(profile="flat")}, UnknownNameError, "profile must be one of .*; received 'flat'"),
        ({"noise": ConstantNoise(scale=0)}, InputError, "scale must be a finite number above 0; received 0"),
        ({"learn": ["lengthscale"]}, InputError, r"learn must map names to Learn or None; received \['lengthscale'\]"),
        ({"anchors": GOOD}, InputError, "anchors must be a list of designs; received .*'temperature'"),
        ({"anchors": "best"}, InputError, "anchors must be a list of designs; received 'best'"),
        (
            {"likelihood": "logistic", "inference": "hallucination"},
            IncompatibleError,
            "Hallucination Believer needs the probit likelihood; received Logistic",
        ),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Optimizer(COFFEE, **options)


@pytest.mark.parametrize("learn", [{"lengthscael": None}, {"lengthscale": 3.0}, {"lengthscale": Learn}])
def test_what_cannot_be_learnt_is_refused_when_the_study_is_made(learn):
    with pytest.raises(InputError, match="length"):
        Optimizer(COFFEE, learn=learn)


@pytest.mark.parametrize("space", [None, {"x": Real(0, 1)}, Real(0, 1), [[0.0, 1.0]]])
def test_something_that_is_no_space_is_refused(space):
    with pytest.raises(InputError, match="space must be a Space or a Catalogue; received"):
        Optimizer(space)


def test_a_catalogue_names_its_items():
    study = Optimizer(SPACES["numeric catalogue"])
    item = {"name": ITEMS[0]["name"]}
    stranger = {"name": "item x"}
    refuses(study, InputError, "name must match an item; received 'item x'", lambda: study.add_anchor(stranger))
    refuses(study, InputError, "columns 'name'.*; received 'prize'", lambda: study.tell_preference(item, {"prize": 1}))
    wrong = {**item, "price": 0.5}
    refuses(study, InputError, r"price of 'item 0' must be .*; received 0\.5", lambda: study.add_anchor(wrong))
    refuses(study, InputError, "the two designs of a comparison must differ", lambda: study.tell_preference(item, item))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], r"must have (rows|items)"),
        ([{"name": "a", "price": 1.0}], r"at least two items that differ.*; received 1 items"),
        ([{"name": "a", "price": 1.0}, {"name": "b"}], r"'price' in row 1 must be a finite number; received an empty"),
        ([{"name": "a", "price": 1.0}, {"name": "b", "price": "dear"}], r"'price' in row 1.*; received 'dear'"),
        ([{"name": "a", "price": 1.0}, {"name": "a", "price": 2.0}], r"'name' in row 1 must differ.*; received 'a'"),
        ([{"name": "a", "price": 1.0}, 5], r"must be a list of dicts; received 5 in row 1"),
    ],
    ids=["empty", "single", "missing", "text", "twice", "no dict"],
)
def test_an_empty_or_inconsistent_catalogue_makes_no_study(records, message):
    with pytest.raises(InputError, match=message):
        Optimizer(Catalogue(records, features=["price"] if records else None, key="name" if records else None))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("a + b <= -1", r"at least one design must be allowed; received none that meets a \+ b <= -1"),
        (
            ["a + b <= 3", "a - b >= 4"],
            r"at least one design must be allowed; received none that meets .*a \+ b <= 3 and a - b >= 4",
        ),
        ("a + z <= 1", r"must use only parameters; received 'z'"),
        ("a * b <= 1", r"must be linear.*; received 'a \* b'"),
    ],
)
def test_infeasible_constraints_make_no_study(constraints, message):
    with pytest.raises(InputError, match=message):
        Optimizer(Space(a=Real(0, 10), b=Real(0, 10), constraints=constraints))


def test_nothing_changes_either_once_the_model_chooses():
    study = small(initial=1)
    study.tell(study.ask(), "first")
    refuses(study, InputError, "x0 must .*; received 7", lambda: study.add_anchor({"x0": 7}))
    refuses(study, UnknownNameError, "outcome must be one of", lambda: study.tell(study.ask(), "best"))
    refuses(study, InputError, "never asked here", lambda: study.tell(replace(study.ask(), first={"x0": 0.5}), "tie"))
    refuses(study, InputError, "must differ", lambda: study.tell_preference({"x0": 0.5}, {"x0": 0.5}))
