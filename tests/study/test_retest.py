"""Agreement of answers to the same pair, by band of reliability."""

import json

import numpy as np
import pytest
from scipy import stats

from anchorpbo import RBF, Duels, Logistic, NoiseMap, Optimizer, PreferenceGP, Probit, Real, Space
from anchorpbo.study import Retest, RetestBand
from anchorpbo.study.events import Answered, Preferred
from anchorpbo.study.reliability_bands import ALL_PAIRS, BANDS
from anchorpbo.study.retest import NO_RETESTS, expect_agreement, summarise_retests

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
ANCHORS = [{"x": 0.2, "y": 0.2}]
A, B, C, D = ({"x": x, "y": y} for x, y in ((0.2, 0.2), (0.25, 0.2), (0.9, 0.9), (0.8, 0.95)))
OPTIONS = {"strategy": "eubo", "integration": "map", "seed": 0}


def answered(first, second, outcome):
    return Answered("", first, second, outcome)


def summarise(events, anchors=ANCHORS, model=None):
    noise = NoiseMap.bounded([SPACE.encode(a) for a in anchors], 0.2) if anchors else NoiseMap.constant(1.0)
    return summarise_retests(events, SPACE, noise, model)


def counts(found):
    return {band.name: (band.retests, band.agreed) for band in found.bands}


# -- counts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "again", "agreed"),
    [
        (answered(A, B, "first"), answered(B, A, "second"), 1),
        (answered(A, B, "first"), answered(B, A, "first"), 0),
        (answered(A, B, "first"), answered(A, B, "first"), 1),
        (answered(A, B, "tie"), answered(B, A, "tie"), 1),
        (answered(A, B, "tie"), answered(B, A, "first"), 0),
        (answered(A, B, "second"), Preferred(B, A), 1),
        (Preferred(A, B, tie=True), Preferred(B, A), 0),
    ],
)
def test_answers_agree_if_they_prefer_the_same_design_or_none(first, again, agreed):
    assert counts(summarise([first, again]))["near your anchors"] == (1, agreed)
    assert counts(summarise([again, first]))["near your anchors"] == (1, agreed)


def test_consecutive_answers_are_compared_and_skips_are_not():
    events = [
        answered(A, B, "first"), answered(C, D, "first"), answered(B, A, "skip"), answered(B, A, "second"),
        answered(A, B, "second"), answered(A, C, "first"), answered(D, C, "second"), answered(B, A, "first"),
    ]  # fmt: skip
    found = summarise(events)
    assert counts(found) == {"near your anchors": (3, 2), "in between": (0, 0), "elsewhere": (1, 1)}
    assert (found.retests, found.agreed) == (4, 3)


def test_designs_of_equal_coordinates_are_different_pairs():
    from anchorpbo import Catalogue

    space = Catalogue([{"n": "a", "v": 1}, {"n": "b", "v": 2}, {"n": "twin of a", "v": 1}], key="n", features=["v"])
    a, b, twin = (space[i] for i in range(3))
    events = [answered(a, b, "first"), answered(twin, b, "second")]
    assert summarise_retests(events, space, NoiseMap.constant(1.0), None).retests == 0


def test_each_band_has_its_share_and_its_interval():
    events = [answered(A, B, "first")] * 4 + [answered(A, B, "second")]
    near, between, far = summarise(events).bands
    assert (near.share, near.expected) == (0.75, None)
    assert near.interval == pytest.approx(stats.beta(3.5, 1.5).interval(0.9))
    for empty in (between, far):
        assert empty == RetestBand(empty.name, 0, 0, None, (0.0, 1.0), None)
    assert [band.name for band in (near, between, far)] == list(BANDS)


def test_without_anchors_there_is_one_band():
    found = summarise([answered(A, B, "first"), answered(B, A, "first"), answered(C, D, "tie")], anchors=[])
    assert counts(found) == {ALL_PAIRS: (1, 0)}
    assert found.sentence == "Asked twice, you gave the same answer 0 of 1 time."


def test_the_sentence_names_the_bands_that_have_retests():
    twice = [answered(A, B, "first"), answered(B, A, "second")]
    elsewhere = [answered(C, D, "first"), answered(D, C, "second"), answered(C, D, "second")]
    assert summarise(twice + elsewhere).sentence == (
        "Asked twice, you gave the same answer 1 of 1 time near your anchors and 1 of 2 times elsewhere."
    )
    assert summarise(elsewhere).sentence == "Asked twice, you gave the same answer 1 of 2 times elsewhere."
    assert summarise(twice[:1]).sentence == summarise([]).sentence == NO_RETESTS
    between = {"x": 0.5, "y": 0.2}
    three = summarise([*twice, *elsewhere, answered(A, between, "tie"), answered(between, A, "tie")])
    assert three.sentence == (
        "Asked twice, you gave the same answer 1 of 1 time near your anchors, 1 of 1 time in between and "
        "1 of 2 times elsewhere."
    )


# -- expected agreement ------------------------------------------------------------------------------------------------

POINTS = [[0.1, 0.2], [0.5, 0.9], [0.9, 0.3]]


def _sample_margins(model, pair, rng, draws=400_000):
    post = model.posterior
    a, b = model.coefficients(pair[:1], pair[1:])
    row = np.array([a[0], -b[0]])
    mean, variance = float(row @ post.mean(pair)), float(row @ post.covariance(pair, pair) @ row)
    return rng.normal(mean, np.sqrt(variance), draws)


@pytest.mark.parametrize("scale", [0.5, 400.0])
@pytest.mark.parametrize(
    ("likelihood", "link"), [("probit", stats.norm.cdf), (Logistic(form="difference"), stats.logistic.cdf)]
)
def test_expected_agreement_is_that_of_two_answers_given_the_utility(likelihood, link, scale):
    duels = Duels(POINTS, [1, 1], [0, 2])
    model = PreferenceGP(RBF(0.4, scale), likelihood, "laplace", 1.0, learn=()).condition(duels)
    pair = np.array([POINTS[0], POINTS[2]])
    p = link(_sample_margins(model, pair, np.random.default_rng(0)))
    sampled = p**2 + (1 - p) ** 2
    found = expect_agreement(model, pair)
    assert found == pytest.approx(sampled.mean(), abs=5 * sampled.std() / np.sqrt(len(p)))
    mean = float(model.prob_choose(pair[:1], pair[1:])[0])
    assert found > mean**2 + (1 - mean) ** 2, "a pair whose answer is unknown may still be answered consistently"
    assert found == pytest.approx(expect_agreement(model, pair[::-1]), rel=1e-12)


def test_expected_agreement_with_ties_and_lapses():
    tau, lapse = 0.4, 0.1
    duels = Duels(POINTS, [1], [0], [[0, 2]])
    likelihood = Probit(tie_threshold=tau, lapse=lapse)
    model = PreferenceGP(RBF(0.4, 2.0), likelihood, "laplace", 0.5, learn=()).condition(duels)
    pair = np.array(POINTS[1:])
    g = _sample_margins(model, pair, np.random.default_rng(1))
    wins = stats.norm.cdf(g - tau), stats.norm.cdf(-g - tau)
    answers = [(1 - lapse) * p + lapse / 3 for p in (*wins, 1 - wins[0] - wins[1])]
    sampled = sum(p**2 for p in answers)
    assert expect_agreement(model, pair) == pytest.approx(sampled.mean(), abs=5 * sampled.std() / np.sqrt(len(g)))


def test_expected_agreement_of_a_mixture_is_the_average_over_its_nodes():
    duels = Duels(POINTS, [1, 1, 2, 1], [0, 2, 0, 0])
    model = PreferenceGP(RBF(0.4), "probit", "ep", 1.0, integration="ccd").fit(duels)
    assert len(model.components) > 1
    pair = np.array(POINTS[:2])
    nodes = [PreferenceGP(part.kernel, part.likelihood, "ep", part.noise, learn=()) for part in model.components]
    parts = [expect_agreement(node.condition(duels), pair) for node in nodes]
    weights = [part.weight for part in model.components]
    assert expect_agreement(model, pair) == pytest.approx(np.average(parts, weights=weights), rel=1e-6)


def test_the_answers_to_a_pair_do_not_change_what_is_expected_of_it():
    def expected(outcomes):
        study = Optimizer(SPACE, **OPTIONS)
        study.tell_preference(A, C), study.tell_preference(B, D)
        for outcome in outcomes:
            study.tell_preference(*((A, B) if outcome else (B, A)))
        model = PreferenceGP(RBF(0.5, 4.0), "probit", "ep", 1.0, learn=())
        with study._lock_state() as state:
            events, duels = list(state.log), state.data.duels()
        (band,) = summarise_retests(events, SPACE, NoiseMap.constant(1.0), model.condition(duels)).bands
        return band.expected

    assert expected([0, 0]) == pytest.approx(expected([1, 0, 1]), rel=1e-12)
    assert expected([1, 1, 1, 1]) == pytest.approx(expected([1, 0, 1]), rel=1e-12)


def test_a_study_of_one_pair_expects_what_its_prior_says():
    study = Optimizer(SPACE, **OPTIONS)
    study.tell_preference(A, B), study.tell_preference(A, B)
    (band,) = study.retest().bands
    pair = np.array([SPACE.encode(A), SPACE.encode(B)])
    assert band.expected == pytest.approx(expect_agreement(study.model, pair, prior=True), rel=1e-12)


# -- studies -----------------------------------------------------------------------------------------------------------


def _play(rng, wrong, count, rate=0.5, anchors=ANCHORS):
    """Play a study with a judge whose answer is wrong with probability wrong(duel)."""
    study = Optimizer(SPACE, anchors, repeat_rate=rate, learn={}, **OPTIONS | {"seed": int(rng.integers(1000))})
    for _ in range(count):
        duel = study.ask()
        right = duel.first["x"] - duel.first["y"] > duel.second["x"] - duel.second["y"]
        study.tell(duel, "first" if right != (rng.random() < wrong(duel)) else "second")
    return study


@pytest.mark.parametrize("error", [0.05, 0.25])
def test_a_judge_of_constant_error_agrees_with_themselves_as_often_as_the_formula_says(error):
    rng, covered, agreed, total = np.random.default_rng(3), 0, 0, 0
    expected = error**2 + (1 - error) ** 2
    for _ in range(12):
        retest = _play(rng, lambda duel: error, 38, anchors=[]).retest()
        (band,) = retest.bands
        assert band.retests >= 15
        covered += band.interval[0] <= expected <= band.interval[1]
        agreed, total = agreed + band.agreed, total + band.retests
    assert covered >= 9
    assert abs(agreed / total - expected) < 3.5 * np.sqrt(expected * (1 - expected) / total)


def test_a_judge_who_is_reliable_near_their_anchors_is_seen_to_be():
    rng, study = np.random.default_rng(5), Optimizer(SPACE, ANCHORS, **OPTIONS)

    def tell(duel):
        if max(*duel.first.values(), *duel.second.values()) > 0.5:
            study.tell(duel, "first" if rng.random() < 0.5 else "second")
        else:
            study.tell(duel, "first" if duel.first["x"] > duel.second["x"] else "second")

    for low, high in ((0.15, 0.25), (0.7, 0.95)):
        for corners in rng.uniform(low, high, (30, 4)).round(4).tolist():
            tell(study.ask_pair(dict(zip("xy", corners[:2], strict=True)), dict(zip("xy", corners[2:], strict=True))))
    for event in range(60):
        tell(study.ask_again(event))
    bands = {band.name: band for band in study.retest().bands}
    near, far = bands["near your anchors"], bands["elsewhere"]
    assert (near.retests, near.agreed, far.retests) == (30, 30, 30)
    assert far.interval[0] < 0.5 < far.interval[1] < near.interval[0]
    assert 0.5 < far.expected < near.expected


def test_the_retest_of_a_study_survives_saving_and_counts_undone_answers_no_more():
    study = _play(np.random.default_rng(0), lambda duel: 0.3, 18)
    found = study.retest()
    assert isinstance(found, Retest)
    assert found.retests == 5
    assert found == Optimizer.from_json(study.to_json()).retest()
    json.dumps([vars(band) for band in found.bands])
    for _ in range(5):
        study.undo()
    assert study.retest().retests < 5


def test_a_study_without_answers_has_no_retests():
    study = Optimizer(SPACE, ANCHORS)
    assert study.retest().sentence == NO_RETESTS
    assert counts(study.retest()) == dict.fromkeys(BANDS, (0, 0))
