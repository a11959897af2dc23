"""Along the search, against studies that were played that far."""

import numpy as np
import pytest

from anchorpbo import Duel, Optimizer
from anchorpbo.analysis import ModelView, convergence, history, list_compared_designs, pair_noise
from anchorpbo.errors import InputError, NotFittedError
from anchorpbo.study.progress import NEGLIGIBLE_GAIN
from support.drawn_studies import ANCHORS, SPACE, played, taste


@pytest.fixture(scope="module")
def study():
    study = played()
    study.add_anchor({"heat": 94, "dose": 20, "grind": 5, "origin": "Kenya", "stir": False})
    return study


@pytest.fixture(scope="module")
def stages(study):
    """The study after each of its events, each made anew from the public history."""
    made, history = [], study.history
    for count in range(len(history) + 1):
        again = Optimizer(SPACE, ANCHORS, inference="laplace", initial=3)
        for event in history[:count]:
            if event["type"] == "answered":
                again.tell(Duel(event["duel"], event["first"], event["second"], "", event["gain"]), event["outcome"])
            elif event["type"] == "preferred":
                again.tell_preference(event["winner"], event["loser"], tie=event["tie"])
            else:
                again.add_anchor(event["design"])
        made.append(again)
    return made


def test_a_replay_is_the_study_as_it_was(study, stages):
    before = study.to_json()
    for count, (stage, made) in enumerate(zip(study.replay(), stages, strict=True)):
        assert stage.history == made.history
        assert stage.anchors == made.anchors
        if count in (0, 5, len(stages) - 1):
            assert stage.ask() == made.ask()
    assert study.to_json() == before
    assert stage.ask() == study.ask()


def test_convergence_is_what_was_recommended_at_the_time_judged_by_all_answers(study, stages):
    found = convergence(study, taste)
    last = {len(made): made for made in stages if len(made)}
    assert found.answers == tuple(last) == tuple(range(1, len(study) + 1))
    assert found.designs == tuple(made.recommend().design for made in last.values())
    judged = study.utilities(found.designs)
    assert np.allclose(found.utility, [one.utility for one in judged])
    assert np.allclose([found.low, found.high], np.transpose([one.interval for one in judged]))
    assert found.truth == tuple(taste(design) for design in found.designs)
    told = [event for event in study.history if event["type"] != "anchor_added" and event.get("outcome") != "skip"]
    assert len(told) == found.answers[-1] < sum(event["type"] != "anchor_added" for event in study.history)
    view = {number: event["gain"] for number, event in enumerate(told, 1) if event.get("gain") is not None}
    assert dict(zip(found.expected.duels, found.expected.gains, strict=True)) == view
    assert found.expected.negligible_gain == NEGLIGIBLE_GAIN
    assert found.expected.answers == len(study)
    assert convergence(played(count=1)).truth is None


def test_of_a_long_study_an_even_choice_of_moments_is_looked_at(study, monkeypatch):
    monkeypatch.setattr(history, "MAX_MOMENTS", 3)
    every = len(study)
    assert convergence(study).answers == (1, round((1 + every) / 2), every)


def test_convergence_needs_an_answer_and_a_truth_that_is_a_number(study):
    with pytest.raises(NotFittedError, match="at least one answer that is not a skip"):
        convergence(played(count=0))
    with pytest.raises(InputError, match="the true utility must"):
        convergence(study, lambda design: float("nan"))


def test_the_noise_of_a_pair_is_the_mean_of_its_two_designs(study):
    found = pair_noise(study)
    told = [event for event in study.history if event["type"] in ("answered", "preferred")]
    names = [("winner", "loser") if event["type"] == "preferred" else ("first", "second") for event in told]
    by_hand = [
        np.mean([study.noise_map(SPACE.encode(event[side])[None])[0] for side in sides])
        for event, sides in zip(told, names, strict=True)
    ]
    assert np.allclose(found.noise, by_hand)
    assert found.outcomes == (*(event["outcome"] for event in told[:-1]), "first")
    assert np.allclose(found.average, [np.mean(by_hand[max(0, i - 9) : i + 1]) for i in range(len(by_hand))])
    assert found.initial == 3
    rng = np.random.default_rng(5)
    places = [rng.random(4000), rng.random(4000), *(rng.integers(0, n, 4000) / (n - 1) for n in (6, 3, 2))]
    assert found.typical == pytest.approx(study.noise_map(np.column_stack(places)).mean(), rel=0.05)
    with pytest.raises(InputError, match="needs a comparison"):
        pair_noise(played(count=0))


def test_designs_that_were_compared_are_counted(study):
    view = ModelView.of(study)
    found = {tuple(SPACE.encode(one.design)): one for one in list_compared_designs(view)}
    tally = {place: [0, 0, 0] for place in found}
    for duel in view.duels:
        if duel.outcome != "skip":
            first, second = (tuple(SPACE.encode(design)) for design in (duel.first, duel.second))
            if duel.outcome == "tie":
                tally[first][2] += 1
                tally[second][2] += 1
            else:
                winner, loser = (first, second) if duel.outcome == "first" else (second, first)
                tally[winner][0] += 1
                tally[loser][1] += 1
    assert {place: [one.wins, one.losses, one.ties] for place, one in found.items()} == tally
    judged = study.utilities([one.design for one in found.values()])
    assert np.allclose([one.utility for one in found.values()], [one.utility for one in judged])
    assert np.allclose([one.interval for one in found.values()], [one.interval for one in judged])
    assert all(one.preferred == (one.wins >= one.losses) for one in found.values())
    assert list_compared_designs(ModelView.of(played(count=0))) == []
