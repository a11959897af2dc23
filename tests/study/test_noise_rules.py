"""Noise rules: maps of a learnt metric, what is saved of them, and the text of older studies."""

import json

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.kernels import RBF, Hamming, Matern32, Tanimoto
from anchorpbo.reliability import (
    EuclideanMetric,
    GaussianDensity,
    NoiseMap,
    ProductMetric,
    TanimotoMetric,
    loo_bandwidth,
)
from anchorpbo.study.hyperparameters import ModelFitter
from anchorpbo.study.noise_basis import find_lengthscales

SPACE = ap.Space(**{name: ap.Real(0, 1) for name in "abcd"})
ANCHORS = [dict(zip("abcd", row, strict=True)) for row in np.random.default_rng(0).random((4, 4)).tolist()]
LEARNT = ap.BoundedNoise(metric="learnt")


def utility(design):
    """Only two of the four parameters matter."""
    return -20.0 * ((design["a"] - 0.3) ** 2 + (design["b"] - 0.6) ** 2)


def played(duels=22, anchors=ANCHORS, **options):
    study = ap.Optimizer(SPACE, anchors=anchors, seed=1, **options)
    for _ in range(duels):
        duel = study.ask()
        study.tell(duel, "first" if utility(duel.first) > utility(duel.second) else "second")
    return study


@pytest.fixture(scope="module")
def learnt():
    return played(noise=LEARNT)


def refit_first_stage(study):
    """The length-scales of a fit with the map of the space's metric, which needs no second stage."""
    plain = ap.Optimizer(SPACE, anchors=study.anchors, seed=1, noise=ap.BoundedNoise())
    for event in study.history:
        winner, loser = ("first", "second") if event["outcome"] == "first" else ("second", "first")
        plain.tell_preference(event[winner], event[loser])
    return plain.model.kernel.lengthscale


def test_the_metric_has_the_length_scales_of_a_first_fit(learnt):
    saved = json.loads(learnt.to_json())["learnt"]["noise"]["lengthscales"]
    np.testing.assert_allclose(saved, refit_first_stage(learnt), rtol=1e-6)
    anchors = learnt.noise_map.anchors
    metric = EuclideanMetric().with_lengthscales(np.array(saved))
    assert learnt.noise_map == NoiseMap.bounded(anchors, metric=metric)
    assert metric.lengthscales is not None


def test_parameters_that_do_not_matter_have_longer_length_scales_in_the_metric():
    study = ap.Optimizer(SPACE, anchors=ANCHORS, noise=LEARNT)
    rng = np.random.default_rng(2)
    for pair in rng.random((60, 2, 4)).tolist():
        first, second = (dict(zip("abcd", row, strict=True)) for row in pair)
        study.tell_preference(*sorted((first, second), key=utility, reverse=True))
    scales = study.noise_map.score.metric.lengthscales
    assert 1.5 * max(scales[:2]) < min(scales[2:])


def test_a_saved_study_restores_the_same_map_without_a_fit(learnt, monkeypatch):
    text = learnt.to_json()
    expected, duel = learnt.noise_map, learnt.ask()
    monkeypatch.setattr(ModelFitter, "_fit", lambda *_: pytest.fail("fitted again"))
    again = ap.Optimizer.from_json(text)
    assert again.noise_map == expected
    assert again.to_json() == text
    assert (again.ask().first, again.ask().second) == (duel.first, duel.second)


def test_a_fit_of_the_log_alone_gives_the_same_map(learnt):
    layout = json.loads(learnt.to_json())
    layout["learnt"] = None
    again = ap.Optimizer.from_json(json.dumps(layout))
    assert again.noise_map == learnt.noise_map
    assert again.to_json() == learnt.to_json()


@pytest.mark.parametrize("change", [None, [1.0], [1.0, 1.0, 1.0, 0.0], "long", [True] * 4])
def test_invalid_length_scales_are_refused(learnt, change):
    layout = json.loads(learnt.to_json())
    layout["learnt"]["noise"]["lengthscales"] = change
    with pytest.raises(InputError, match=r"learnt must have the keys of .*lengthscales"):
        ap.Optimizer.from_json(json.dumps(layout))
    del layout["learnt"]["noise"]["lengthscales"]
    with pytest.raises(InputError, match=r"learnt must have the keys of .*lengthscales"):
        ap.Optimizer.from_json(json.dumps(layout))


def test_without_anchors_nothing_is_rescaled():
    study = played(8, anchors=[], noise=LEARNT)
    assert "lengthscales" not in json.loads(study.to_json())["learnt"]["noise"]
    assert study.noise_map == NoiseMap.constant(1.0)
    assert ap.Optimizer.from_json(study.to_json()).to_json() == study.to_json()


def test_a_kernel_with_one_length_scale_leaves_the_map_as_it_is():
    study = played(8, noise=LEARNT, kernel=RBF(0.3))
    plain = NoiseMap.bounded(study.noise_map.anchors)
    assert study.noise_map == plain


def test_fields_at_their_default_are_left_out_of_the_text():
    noise = json.loads(ap.Optimizer(SPACE).to_json())["study"]["noise"]
    assert noise == {"class": "BoundedNoise", "scale": 1.0, "strength": 3.0, "bandwidth": "loo"}
    study = ap.Optimizer(SPACE, noise=LEARNT)
    assert json.loads(study.to_json())["study"]["noise"]["metric"] == "learnt"
    assert ap.Optimizer.from_json(study.to_json()).plan.noise == LEARNT


def test_unknown_metrics_are_refused():
    with pytest.raises(UnknownNameError, match="metric must be one of learnt, space; received 'kernel'"):
        ap.BoundedNoise(metric="kernel")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strength": -2.0}, "strength must be a finite number of at least 0; received -2"),
        ({"strength": float("nan")}, "strength must be a finite number of at least 0; received nan"),
        ({"scale": 0.0}, "scale must be a finite number above 0; received 0"),
    ],
)
def test_strength_and_scale_are_checked_when_the_rule_is_made(arguments, message):
    with pytest.raises(InputError, match=message):
        ap.BoundedNoise(**arguments)


def test_length_scales_of_kernels():
    np.testing.assert_array_equal(find_lengthscales(RBF([0.2, 9.0]), 2), [0.2, 3.0])
    np.testing.assert_array_equal(find_lengthscales(Matern32(0.4), 3), [0.4, 0.4, 0.4])
    joined = RBF([0.2, 0.5]).on([0, 3]) * Tanimoto().on([1, 2])
    np.testing.assert_array_equal(find_lengthscales(joined, 4), [0.2, 3.0, 3.0, 0.5])
    np.testing.assert_array_equal(find_lengthscales(RBF([0.2, 0.5]) + RBF([0.4, 0.1]), 2), [0.2, 0.1])
    np.testing.assert_array_equal(find_lengthscales(Hamming(0.3), 2), [3.0, 3.0])


def test_the_plan_rescales_the_part_of_the_metric_that_has_coordinates():
    metric = ProductMetric(((EuclideanMetric(), (0,)), (TanimotoMetric(), (1, 2))))
    assert metric.with_lengthscales(np.array([0.2, 3.0, 3.0])) == metric


MOLECULES = ap.Catalogue(
    [
        {"name": str(i), "bits": "".join(map(str, row)), "price": float(i)}
        for i, row in enumerate(np.random.default_rng(3).integers(0, 2, (30, 40)).tolist())
    ],
    key="name",
    fingerprint="bits",
)
KNOWN = [MOLECULES[i] for i in range(4)]


def test_new_studies_of_fingerprints_have_the_bandwidths_of_their_metric():
    study = ap.Optimizer(MOLECULES, KNOWN)
    assert study.plan.noise == ap.BoundedNoise(default_bounds="metric")
    assert json.loads(study.to_json())["study"]["noise"]["default_bounds"] == "metric"
    assert study.noise_map == NoiseMap.bounded(study.noise_map.anchors, metric="tanimoto")
    assert 0.2 <= study.noise_map.bandwidth <= 0.3
    assert ap.Optimizer.from_json(study.to_json()).noise_map == study.noise_map
    assert study.plan.calibration is not None


def test_studies_of_fingerprints_saved_without_the_field_keep_their_map_and_calibration():
    layout = json.loads(ap.Optimizer(MOLECULES, KNOWN).to_json())
    del layout["study"]["noise"]["default_bounds"]
    study = ap.Optimizer.from_json(json.dumps(layout))
    assert study.plan.noise == ap.BoundedNoise()
    expected = loo_bandwidth(study.noise_map.anchors, (0.1, 0.2), GaussianDensity(), "tanimoto")
    assert study.noise_map.bandwidth == expected
    assert json.loads(study.to_json())["study"]["noise"] == layout["study"]["noise"]
    assert study.plan.calibration is not None


def test_in_a_space_without_fingerprints_both_bounds_give_the_same_map():
    anchors = np.random.default_rng(0).random((6, 4))
    for metric in (EuclideanMetric(), EuclideanMetric((2,)), EuclideanMetric((), (1.0, 2.0, 3.0, 4.0))):
        for given in ((anchors, None), (anchors[:0], anchors)):
            old, new = (ap.BoundedNoise(default_bounds=bounds) for bounds in ("diagonal", "metric"))
            assert old(given[0], metric, given[1]) == new(given[0], metric, given[1])


def test_unknown_bounds_are_refused():
    with pytest.raises(UnknownNameError, match="default_bounds must be one of diagonal, metric; received 'cube'"):
        ap.BoundedNoise(default_bounds="cube")


def test_the_rule_passes_its_fields_on():
    anchors, negative = np.random.default_rng(1).random((5, 3)), np.random.default_rng(2).random((2, 3))
    rule = ap.BoundedNoise(0.5, 2.0, "loo-per-dimension", adaptive=True)
    expected = NoiseMap.bounded(anchors, "loo-per-dimension", None, 0.5, 2.0, negative=negative, adaptive=True)
    assert rule(anchors, EuclideanMetric(), negative) == expected
    study = ap.Optimizer(SPACE, ANCHORS, noise=rule)
    assert ap.Optimizer.from_json(study.to_json()).noise_map == study.noise_map
    written = json.loads(study.to_json())["study"]["noise"]
    assert (written["bandwidth"], written["adaptive"]) == ("loo-per-dimension", True)
