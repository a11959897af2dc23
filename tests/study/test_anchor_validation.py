"""Validation of the anchors: Bayes factors against exact integrals, invariances, verdicts, and undecided cases."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import anchorpbo as ap
from anchorpbo.duels import Duels
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.model import Learn, LogNormal
from anchorpbo.reliability import NoiseMap
from anchorpbo.study import BoundedNoise, ConstantNoise, LearntNoise
from anchorpbo.study.anchor_validation import (
    MEDIAN_STRENGTH,
    STRENGTH_SPREAD,
    TOO_FEW,
    WITHOUT_ANCHORS,
    MapComparison,
    decide_verdict,
    describe_verdict,
    make_strength_nodes,
    match_mean_log_noise,
    validate_anchors,
)
from anchorpbo.study.retest import Retest

SPACE = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))
RETEST = Retest((), "No pair was answered twice.")
POINTS = np.array([[0.2, 0.2], [0.3, 0.3], [0.8, 0.9]])
KERNEL = RBF(0.4, 3.0)
NOISE = NoiseMap.bounded(POINTS[:1], bandwidth=0.2, strength=2.0)
DUELS = Duels(POINTS, winners=[0, 0, 0, 1, 2, 1], losers=[1, 1, 2, 2, 1, 2])


def compare(noise=NOISE, duels=DUELS, learn=None, kernel=KERNEL, likelihood=None):
    return MapComparison(noise, kernel, Probit(0.0) if likelihood is None else likelihood, learn or {}, duels)


def exact_evidence(noise, duels=DUELS, kernel=KERNEL, nodes=60):
    """The probability of the answers, integrated over the three utilities by Gauss-Hermite quadrature."""
    z, w = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.array(list(itertools.product(z, repeat=len(duels.points))))
    weights = np.array(list(itertools.product(w / w.sum(), repeat=len(duels.points)))).prod(axis=1)
    f = grid @ np.linalg.cholesky(kernel(duels.points, duels.points)).T
    p = np.ones(len(f))
    for first, second in zip(duels.winners, duels.losers, strict=True):
        p *= ndtr((f[:, first] - f[:, second]) / math.sqrt(noise[first] + noise[second]))
    return float(weights @ p)


def levelled(strength):
    """The noise at the three points, with the geometric mean 1 over the sides of all answers."""
    logs = -strength * NOISE.reliability(POINTS)
    return np.exp(logs - 0.5 * (logs[DUELS.winners].mean() + logs[DUELS.losers].mean()))


def test_log_factors_agree_with_exact_evidence():
    """Laplace's evidence of six answers is within 0.05 nats of the exact one in the ratio: 5 % of a Bayes factor."""
    strengths = np.array([0.5, 2.0, 5.0])
    constant = exact_evidence(np.ones(3))
    exact = [np.log(exact_evidence(levelled(c)) / constant) for c in strengths]
    assert max(np.abs(exact)) > 0.05
    np.testing.assert_allclose(compare().compute_log_factors(strengths), exact, atol=0.05)


def test_bayes_factor_averages_the_factors_over_log_normal_strengths():
    result = validate_anchors(compare(), RETEST)
    c = np.exp(np.log(MEDIAN_STRENGTH) + STRENGTH_SPREAD * np.linspace(-6, 6, 241))
    density = np.exp(-0.5 * np.linspace(-6, 6, 241) ** 2)
    factors = [exact_evidence(levelled(each), nodes=20) for each in c]
    exact = (density / density.sum()) @ factors / exact_evidence(np.ones(3), nodes=20)
    assert result.bayes_factor == pytest.approx(exact, rel=0.05)
    _, weights = make_strength_nodes(2.0)
    assert result.bayes_factor == pytest.approx(float(weights @ result.factors), rel=1e-12)


def test_strengths_integrate_moments_of_a_log_normal():
    c, weights = make_strength_nodes(3.0)
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(weights @ np.log(c), np.log(3.0))
    for power in (1.0, 2.0):
        expected = 3.0**power * math.exp(0.5 * (power * STRENGTH_SPREAD) ** 2)
        assert weights @ c**power == pytest.approx(expected, rel=1e-3)


def test_levelled_maps_have_the_same_geometric_mean_over_the_answers():
    for strength in (0.5, 3.0, 8.0):
        noise = match_mean_log_noise(NOISE.with_parameters(scale=0.3, strength=strength), DUELS)(POINTS)
        sides = np.append(noise[DUELS.first], noise[DUELS.second])
        assert np.exp(np.log(sides).mean()) == pytest.approx(0.3)
        np.testing.assert_allclose(noise, 0.3 * levelled(strength))


@pytest.mark.parametrize("likelihood", [Probit(0.0), Logistic(0.0, form="difference")], ids=["probit", "logistic"])
def test_the_unit_of_the_noise_does_not_matter(likelihood):
    def factors(unit):
        scale = unit if isinstance(likelihood, Probit) else math.sqrt(unit)
        learn = {"outputscale": Learn((1e-3 * unit, 1e3 * unit), LogNormal(3.0 * unit, 1.0))}
        noise = NOISE.with_parameters(scale=scale)
        return compare(noise, learn=learn, kernel=RBF(0.4, 3.0 * unit), likelihood=likelihood).compute_log_factors(
            np.array([2.0])
        )

    np.testing.assert_allclose(factors(100.0), factors(1.0), atol=1e-4)


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(2.0, "supported"), (1.999, "open"), (0.334, "open"), (1 / 3, "contradicted"), (50.0, "supported")],
)
def test_limits_of_the_verdicts(factor, verdict):
    assert decide_verdict(math.log(factor)) == verdict


def test_sentences_name_the_more_probable_map():
    assert describe_verdict("supported", 4.0) == (
        "Your answers near your anchors are more consistent than elsewhere. All your answers together are 4.0 times as "
        "probable if you judge better near your anchors as if you judge equally well everywhere."
    )
    assert describe_verdict("contradicted", 0.1) == (
        "Your answers near your anchors are no more consistent than elsewhere. All your answers together are 10 times "
        "as probable if you judge equally well everywhere as if you judge better near your anchors."
    )
    assert "1.3 times as probable if you judge equally well everywhere" in describe_verdict("open", 0.8)


@pytest.mark.parametrize(
    ("factor", "is_equal"), [(1.0, True), (1.049, True), (0.953, True), (1.05, False), (0.95, False)]
)
def test_a_factor_near_one_favours_no_map(factor, is_equal):
    assert describe_verdict("open", factor).endswith("either way.") == is_equal


@pytest.mark.parametrize(("log_factor", "verdict"), [(2000.0, "supported"), (-2000.0, "contradicted")])
def test_overwhelming_evidence_stays_finite(log_factor, verdict, monkeypatch):
    monkeypatch.setattr(MapComparison, "compute_log_factors", lambda _, c: np.full(len(c), log_factor))
    result = validate_anchors(compare(), RETEST)
    assert result.verdict == verdict
    assert 0.0 < result.bayes_factor < math.inf


def test_without_anchors_or_with_few_answers_nothing_is_decided():
    for comparison, sentence in (
        (compare(NoiseMap.constant(1.0)), WITHOUT_ANCHORS),
        (compare(duels=Duels(POINTS, [0, 1, 0], [1, 2, 2])), TOO_FEW),
    ):
        result = validate_anchors(comparison, RETEST)
        assert (result.bayes_factor, result.verdict, result.sentence) == (1.0, "open", sentence)
        assert (result.strengths, result.factors, result.retest) == ((), (), RETEST)


# -- studies -----------------------------------------------------------------------------------------------------------

ANCHOR = {"x": 0.2, "y": 0.2}
FAR = {"x": 0.8, "y": 0.8}


def study_of(anchors=(ANCHOR,), good=ANCHOR, repeats=4, **options):
    """Answers to the same pairs agree near `good` and disagree near the other place."""
    study = ap.Optimizer(SPACE, list(anchors), seed=1, **options)
    rng = np.random.default_rng(0)
    poor = FAR if good is ANCHOR else ANCHOR
    for number in range(repeats):
        for place, agrees in ((good, True), (poor, False)):
            for pair in np.random.default_rng(5).normal(0.0, 0.06, (3, 2, 2)):
                first, second = ({"x": place["x"] + float(a), "y": place["y"] + float(b)} for a, b in pair)
                first_wins = pair[0].sum() > pair[1].sum() if agrees else (number + rng.integers(2)) % 2 == 0
                study.tell_preference(*((first, second) if first_wins else (second, first)))
    return study


def test_true_anchors_are_supported_and_false_ones_contradicted():
    true, false = study_of().validate_anchors(), study_of(good=FAR).validate_anchors()
    assert true.verdict == "supported"
    assert true.bayes_factor > 3.0
    assert false.verdict == "contradicted"
    assert false.sentence.startswith("Your answers near your anchors are no more consistent than elsewhere")
    assert true.retest == study_of().retest()


def test_the_scale_of_the_studys_noise_does_not_matter():
    small, plain = (study_of(noise=BoundedNoise(scale)).validate_anchors() for scale in (0.01, 1.0))
    assert small.bayes_factor == pytest.approx(plain.bayes_factor, rel=1e-3)


def test_it_is_deterministic_cached_and_follows_undo(monkeypatch):
    study = study_of(repeats=2)
    result = study.validate_anchors()
    assert ap.Optimizer.from_json(study.to_json()).validate_anchors() == result
    study.tell_preference(FAR, ANCHOR)
    assert study.validate_anchors().factors != result.factors
    study.undo()
    monkeypatch.setattr(MapComparison, "compute_log_factors", lambda *_: pytest.fail("computed again"))
    assert study.validate_anchors() == result


@pytest.mark.parametrize("noise", [ConstantNoise(), LearntNoise(), LearntNoise(ConstantNoise(0.2))])
def test_the_rule_of_the_study_need_not_be_anchored(noise):
    """Marks of a study with constant noise are validated by the bounded map, and a learnt map by its prior."""
    plain = study_of(repeats=2).validate_anchors()
    assert study_of(repeats=2, noise=noise).validate_anchors().bayes_factor == pytest.approx(
        plain.bayes_factor, rel=1e-3
    )


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "paper"},
        {"likelihood": "logistic"},
        {"likelihood": Logistic(form="difference")},
        {"noise": ap.PaperNoise()},
    ],
    ids=["paper preset", "logistic", "difference", "paper noise"],
)
def test_other_models_are_validated_too(options):
    result = study_of(repeats=2, **options).validate_anchors()
    assert len(result.factors) == 5
    assert result.bayes_factor > 0.5


def test_ties_and_negative_anchors_count():
    study = study_of(repeats=2)
    before = study.validate_anchors()
    study.tell_preference(FAR, ANCHOR, tie=True)
    tied = study.validate_anchors()
    assert tied.factors != before.factors
    study.tell_anchor(FAR, "no")
    assert study.validate_anchors().factors != tied.factors


def test_studies_without_anchors_and_without_answers_are_open():
    assert study_of(anchors=()).validate_anchors().sentence == WITHOUT_ANCHORS
    for judgement in ("unsure", "no"):
        marked = study_of(anchors=())
        marked.tell_anchor(ANCHOR, judgement)
        assert marked.validate_anchors().sentence == WITHOUT_ANCHORS
    assert ap.Optimizer(SPACE, [ANCHOR]).validate_anchors().sentence == TOO_FEW


def test_a_result_is_plain_data():
    result = validate_anchors(compare(), RETEST)
    assert replace(result) == result
    assert all(type(each) is float for each in (result.bayes_factor, *result.strengths, *result.factors))
