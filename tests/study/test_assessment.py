"""Assessment of a study: when to stop, what it rests on, and the answers that contradict the others."""

import numpy as np
import pytest

from anchorpbo import Optimizer, Probit, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.study.assessment import (
    CONTRADICTORY,
    MAX_CONTRADICTING_PROBABILITY,
    MIN_CONTRADICTORY_CHOICES,
    RECENT_CHOICES,
    assess_answers,
)
from anchorpbo.study.progress import ENOUGH, assess_progress
from anchorpbo.study.surprises import predict_answers

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
LINE = [{"x": x, "y": 0.5} for x in (0.0, 0.5, 1.0)]


def repeat_preferences(rounds, opposite=0, **options):
    """Return a study with the same three preferences told in each round, and then the opposite of one of them."""
    study = Optimizer(SPACE, **options)
    for _ in range(rounds):
        for better, worse in ((2, 1), (1, 0), (2, 0)):
            study.tell_preference(LINE[better], LINE[worse])
    for _ in range(opposite):
        study.tell_preference(LINE[0], LINE[2])
    return study


def test_before_the_model_selects_duels_it_is_early():
    study = Optimizer(SPACE)
    found = study.assess()
    assert (found.code, found.evidence, found.contradictions) == ("early", "", ())
    assert found.sentence == study.progress().sentence


def test_the_sentence_is_that_of_the_progress():
    study = repeat_preferences(4)
    found, progress = study.assess(), study.progress()
    assert found.sentence == progress.sentence
    assert found.code == ("stop" if progress.p_within >= ENOUGH else "continue")


def test_the_user_can_stop_once_all_designs_of_a_short_list_are_compared_often():
    study = Optimizer(Space(x=Real(0, 1, step=0.5)), seed=0)
    for _ in range(40):
        duel = study.ask()
        study.tell(duel, "first" if duel.first["x"] > duel.second["x"] else "second")
    assert study.progress().stop
    assert study.assess().code == "stop"


def test_the_opposite_answer_is_the_only_one_that_is_not_predicted():
    study = repeat_preferences(4, opposite=1)
    found = study.assess()
    assert (found.predicted, found.recent) == (RECENT_CHOICES - 1, RECENT_CHOICES)
    assert found.evidence == f"Your other answers predict {RECENT_CHOICES - 1} of your last {RECENT_CHOICES} choices."


def test_fewer_choices_than_twelve_are_all_recent():
    found = repeat_preferences(1).assess()
    assert (found.predicted, found.recent) == (3, 3)


def test_the_opposite_of_repeated_answers_contradicts_them():
    (one,) = repeat_preferences(6, opposite=1).assess().contradictions
    assert one.event == 18
    assert one.probability <= MAX_CONTRADICTING_PROBABILITY
    assert repeat_preferences(6).assess().contradictions == ()


def contradict(answers):
    """Return a study in which each of three designs beats each other one in turn."""
    study = Optimizer(SPACE)
    cycle = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)]
    for number in range(answers):
        better, worse = cycle[number % len(cycle)]
        study.tell_preference(LINE[better], LINE[worse])
    return study


@pytest.mark.parametrize(
    ("answers", "code"), [(MIN_CONTRADICTORY_CHOICES - 1, "continue"), (MIN_CONTRADICTORY_CHOICES, "contradictory")]
)
def test_answers_without_a_pattern_are_contradictory_from_twenty_on(answers, code):
    found = contradict(answers).assess()
    assert found.code == code
    assert ("contradict" in found.sentence) == (code == "contradictory")
    assert 2 * found.predicted < found.recent


def test_ties_are_in_the_order_of_the_log():
    study = Optimizer(SPACE, likelihood=Probit(tie_threshold=0.5))
    for _ in range(4):
        study.tell_preference(LINE[0], LINE[1], tie=True)
        study.tell_preference(LINE[2], LINE[0])
        study.tell_preference(LINE[2], LINE[1])
    study.tell_preference(LINE[0], LINE[2])
    found = study.assess()
    assert [one.event for one in found.contradictions] == [12]
    assert found.predicted == found.recent - 1


def test_with_a_pending_duel_the_words_are_those_of_its_progress():
    study = Optimizer(SPACE, seed=0)
    study.tell(study.ask(), "first")
    duel = study.ask()
    assert study.assess(duel).sentence == study.progress(duel).sentence
    with pytest.raises(InputError, match="only a duel of this study"):
        study.assess(Optimizer(SPACE, seed=1).ask())


def assess(probabilities, tied, p_within):
    return assess_answers(assess_progress(len(tied), None, p_within), np.array(probabilities), np.array(tied), ())


def test_a_choice_is_predicted_if_it_is_likelier_than_a_random_choice():
    # A quarter of the answers are ties, so that a random choice has a probability of 3/8.
    found = assess([0.4, 0.35, 0.9, 0.1], [False, False, False, True], 0.5)
    assert (found.predicted, found.recent) == (2, 3)


def test_one_tie_does_not_make_contradictory_answers_consistent():
    study = contradict(24)
    study.tell_preference(LINE[0], LINE[1], tie=True)
    assert study.assess().code == "contradictory"


@pytest.mark.parametrize(("hits", "code"), [(9, "contradictory"), (10, "continue")])
def test_half_of_the_choices_must_be_predicted(hits, code):
    assert assess([0.6] * hits + [0.4] * (20 - hits), [False] * 20, 0.5).code == code


def test_a_user_who_can_stop_is_not_called_contradictory():
    found = assess([0.4] * 30, [False] * 30, ENOUGH)
    assert (found.code, CONTRADICTORY in found.sentence) == ("stop", False)


def test_a_contradictory_study_says_so_and_how_far_it_is():
    found = assess([0.4] * 30, [False] * 30, 0.5)
    assert found.sentence == f"{CONTRADICTORY} {assess_progress(30, None, 0.5).sentence}"


def test_ties_alone_are_no_choices():
    found = assess([0.5] * 4, [True] * 4, 0.5)
    assert (found.code, found.recent, "hardly any" in found.evidence) == ("continue", 0, True)


def test_probabilities_are_those_of_a_model_without_the_answer():
    study = repeat_preferences(3, opposite=1)
    found = predict_answers(study.model, np.zeros(10, dtype=bool))
    others = repeat_preferences(3, integration=None)
    assert found[-1] == pytest.approx(found.min())
    assert found[-1] == pytest.approx(others.model.prob_choose([[0.0, 0.5]], [[1.0, 0.5]])[0], abs=0.1)


def test_a_sure_user_is_predicted_more_often_than_a_random_one():
    shares = {}
    for user in ("sure", "random"):
        study, rng = Optimizer(SPACE, seed=3), np.random.default_rng(0)
        for _ in range(24):
            duel = study.ask()
            better = sum(duel.first.values()) > sum(duel.second.values())
            study.tell(duel, "first" if (better if user == "sure" else rng.random() < 0.5) else "second")
        found = study.assess()
        shares[user] = found.predicted / found.recent
    assert shares["sure"] > shares["random"]
