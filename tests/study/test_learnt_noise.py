"""Noise rules that learn from the answers: what they learn, what they ignore, and that studies restore them exactly."""

import json

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError
from anchorpbo.model import Learn, LogNormal
from anchorpbo.reliability import EuclideanMetric, NoiseMap
from anchorpbo.study import BoundedNoise, ConstantNoise, LearntNoise, PaperNoise
from anchorpbo.study.hyperparameters import ModelFitter
from anchorpbo.study.replication import Replica, offer, snapshot
from anchorpbo.study.serialization import object_from_json, object_to_json

SPACE = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1))
LOW, HIGH = {"x": 0.15, "y": 0.2}, {"x": 0.85, "y": 0.8}


def design(point):
    return dict(zip("xy", np.asarray(point).tolist(), strict=True))


def utility(points):
    return 3.0 * np.sin(3.0 * points[..., 0] + 2.0 * points[..., 1])


def true_noise(points):
    """Standard deviation: small in the lower left corner, large in the upper right one."""
    return 0.1 + 4.0 * (points.sum(axis=-1) > 1.0)


PRIOR = BoundedNoise()


def study_of(noise, anchors=(), answers=40, consistent=False, seed=0, **options):
    """A study with repeated answers to pairs in both corners, of a judge with `true_noise`, or with little noise."""
    rng = np.random.default_rng(seed)
    study = ap.Optimizer(SPACE, anchors=list(anchors), noise=noise, seed=1, integration="map", **options)
    pairs = np.concatenate([0.45 * rng.random((6, 2, 2)), 0.55 + 0.45 * rng.random((6, 2, 2))])
    for k in range(answers):
        pair = pairs[k % len(pairs)]
        spread = 0.3 if consistent else true_noise(pair)
        values = utility(pair) + spread * rng.normal(size=2)
        study.tell_preference(*(design(x) for x in pair[np.argsort(-values)]))
    return study


GRID = np.random.default_rng(9).random((200, 2))


def log_noise(study):
    return np.log(study.noise_map(GRID))


def contrast(study):
    """How much larger the log noise is at HIGH than at LOW."""
    low, high = np.log(study.noise_map([list(LOW.values()), list(HIGH.values())]))
    return high - low


def test_without_anchors_the_map_starts_constant():
    study = ap.Optimizer(SPACE, noise=LearntNoise())
    assert study.noise_map == NoiseMap.constant(1.0)
    assert np.ptp(log_noise(study)) == 0.0


def test_without_anchors_it_stays_nearly_flat_for_a_judge_of_constant_noise_and_follows_one_of_varying_noise():
    flat = [study_of(LearntNoise(), consistent=True, answers=48, seed=seed) for seed in range(3)]
    varying = [study_of(LearntNoise(), answers=48, seed=seed) for seed in range(3)]
    spread_flat, spread_varying = (np.mean([log_noise(each).std() for each in group]) for group in (flat, varying))
    assert spread_flat < 0.25
    assert spread_varying > 1.5 * spread_flat
    truth = np.log(true_noise(GRID))
    assert np.mean([np.corrcoef(log_noise(each), truth)[0, 1] for each in varying]) > 0.5


def test_false_anchors_lose_their_effect():
    """The anchor is in the corner where answers to the same pair disagree."""
    fixed, learnt = (study_of(rule, [HIGH], answers=60) for rule in (PRIOR, LearntNoise(PRIOR)))
    assert contrast(fixed) < -2.0
    assert contrast(learnt) > 0.5 * contrast(fixed)
    weaker = learnt.noise_map.strength < PRIOR.strength
    assert weaker or learnt.noise_map.correction.value(np.array([list(HIGH.values())]))[0] > 0.0


def test_true_anchors_gain_effect_by_the_answers():
    prior, learnt = (study_of(rule, [LOW], answers=60) for rule in (LearntNoise().prior, LearntNoise()))
    assert contrast(learnt) > 1.5 * contrast(prior)


def test_true_anchors_keep_their_effect_if_the_prior_is_strong():
    fixed, learnt = (study_of(rule, [LOW], answers=60) for rule in (PRIOR, LearntNoise(PRIOR)))
    assert contrast(learnt) > 0.7 * contrast(fixed)
    assert np.corrcoef(log_noise(fixed), log_noise(learnt))[0, 1] > 0.9


def test_a_rule_of_rank_zero_learns_the_strength_only():
    study = study_of(LearntNoise(rank=0), [LOW])
    assert study.noise_map.correction is None
    assert study.noise_map.parameter_names == ("scale", "strength")
    assert study.noise_map.strength != 3.0


# -- what is learnt ----------------------------------------------------------------------------------------------------


def test_the_strength_and_one_factor_per_centre_are_learnt():
    names = study_of(LearntNoise(rank=3), [LOW]).noise_map.parameter_names
    assert names == ("scale", "strength", "factor[0]", "factor[1]", "factor[2]")
    assert study_of(LearntNoise(rank=3)).noise_map.parameter_names == ("scale", "factor[0]", "factor[1]", "factor[2]")


def test_priors_of_the_rule_follow_its_fields():
    learn = LearntNoise(BoundedNoise(strength=2.0), spread=0.4, strength_spread=0.3).learn
    assert learn["noise_strength"].prior == LogNormal(2.0, 0.3)
    assert learn["noise_factor"].prior == LogNormal(1.0, 0.4)
    assert LearntNoise(PaperNoise()).learn["noise_strength"].prior.median == 1.0
    assert "noise_strength" not in LearntNoise(BoundedNoise(strength=0.0)).learn


@pytest.mark.parametrize("strength", [0.0, 0.005, 20.0])
def test_any_strength_of_the_prior_can_be_fitted(strength):
    study = study_of(LearntNoise(BoundedNoise(strength=strength), rank=2), [LOW], answers=12)
    assert np.isfinite(log_noise(study)).all()
    assert (study.noise_map.strength == 0.0) == (strength == 0.0)


def test_what_the_study_is_asked_to_learn_replaces_the_prior_of_the_rule():
    narrow = Learn((0.99, 1.01), LogNormal(1.0, 0.01))
    study = study_of(LearntNoise(), learn={"lengthscale": None, "noise_factor": narrow})
    assert np.abs(study.noise_map.correction.weights).max() <= 0.0101


def test_constant_and_paper_maps_can_be_priors():
    constant = study_of(LearntNoise(ConstantNoise(0.5)), [LOW])
    assert constant.noise_map.scale == 0.5
    assert "strength" not in constant.noise_map.parameter_names
    paper = study_of(LearntNoise(PaperNoise()), [LOW])
    assert paper.noise_map.strength_matters
    assert paper.noise_map.correction is not None


def test_negative_anchors_reach_the_prior():
    study = study_of(LearntNoise(), [LOW])
    study.tell_anchor(HIGH, "no")
    np.testing.assert_array_equal(study.noise_map.negative, [list(HIGH.values())])


def test_the_paper_preset_can_learn_noise():
    study = study_of(LearntNoise(rank=2), [LOW], answers=20, preset="paper")
    assert len(study.noise_map.correction.centres) == 2


def test_a_study_without_initial_duels_starts_with_the_prior():
    study = ap.Optimizer(SPACE, [LOW], noise=LearntNoise(), initial=0, strategy="eubo", refit_every=10)
    for outcome in ("first", "skip", "second"):
        study.tell(study.ask(), outcome)
        again = ap.Optimizer.from_json(study.to_json())
        assert (again.noise_map, again.to_json()) == (study.noise_map, study.to_json())
    prior = NoiseMap.bounded([list(LOW.values())], strength=0.5)
    np.testing.assert_allclose(log_noise(study), np.log(prior(GRID)), atol=1e-12)


# -- skips -------------------------------------------------------------------------------------------------------------


def skip_in(study, corner, times=8):
    rng = np.random.default_rng(3)
    for _ in range(times):
        first, second = (
            design(np.clip(np.array(list(corner.values())) + rng.normal(0, 0.05, 2), 0, 1)) for _ in range(2)
        )
        study.tell(study.ask_pair(first, second), "skip")


def ask_and_answer(study, n=12):
    rng = np.random.default_rng(4)
    for pair in 0.5 * rng.random((n, 2, 2)):
        duel = study.ask_pair(*map(design, pair))
        study.tell(duel, "first" if utility(pair[0]) > utility(pair[1]) else "second")


def test_skips_raise_the_noise_where_they_happen_from_the_next_fit():
    with_skips, without, ignored = (
        ap.Optimizer(SPACE, noise=LearntNoise(skip_weight=weight), seed=1, integration="map") for weight in (1, 1, 0)
    )
    for study in (with_skips, ignored):
        ask_and_answer(study)
        skip_in(study, HIGH)
        before = study.noise_map
        ask_and_answer(study)
        assert study.noise_map != before
    ask_and_answer(without)
    ask_and_answer(without)
    assert contrast(with_skips) > contrast(without) + 0.3
    assert ignored.noise_map == without.noise_map


def test_other_rules_ignore_skips():
    skipped, plain = (ap.Optimizer(SPACE, [LOW], seed=1, integration="map") for _ in range(2))
    skip_in(skipped, HIGH)
    for study in (skipped, plain):
        ask_and_answer(study)
    assert skipped.model.kernel == plain.model.kernel
    assert skipped.noise_map == plain.noise_map


def test_a_study_with_skips_restores_the_same_map_with_and_without_its_fit():
    study = ap.Optimizer(SPACE, [LOW], noise=LearntNoise(), seed=1)
    ask_and_answer(study, 8)
    skip_in(study, HIGH, 3)
    ask_and_answer(study, 1)
    skip_in(study, LOW, 1)  # after the last fit
    layout = json.loads(study.to_json())
    for learnt in (layout["learnt"], None):
        again = ap.Optimizer.from_json(json.dumps({**layout, "learnt": learnt}))
        assert again.noise_map == study.noise_map


# -- saving ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved():
    study = study_of(LearntNoise(rank=3), [LOW, HIGH], answers=24)
    return study, study.to_json()


def test_a_saved_study_restores_the_map_and_the_next_duel_bit_for_bit(saved, monkeypatch):
    study, text = saved
    monkeypatch.setattr(ModelFitter, "_fit", lambda *_: pytest.fail("fitted again"))
    again = ap.Optimizer.from_json(text)
    assert again.noise_map == study.noise_map
    np.testing.assert_array_equal(log_noise(again), log_noise(study))
    assert again.ask() == study.ask()
    assert again.to_json() == text


def test_the_log_alone_restores_them_too(saved):
    study, text = saved
    again = ap.Optimizer.from_json(json.dumps({**json.loads(text), "learnt": None}))
    assert again.noise_map == study.noise_map
    assert again.to_json() == text


def test_a_replica_computes_the_same_duel_and_map(saved):
    _, text = saved
    layout = json.loads(text)
    study, other = (ap.Optimizer.from_json(json.dumps({**layout, "learnt": None})) for _ in range(2))
    replica = Replica(other)
    result = replica.next_duel()
    assert snapshot(study).digest == result.digest
    assert offer(study, type(result).from_dict(json.loads(json.dumps(result.to_dict()))))
    assert study.noise_map == other.noise_map
    assert study.ask() == other.ask()


def test_integration_keeps_one_set_of_centres_and_restores_all_nodes():
    study = ap.Optimizer(SPACE, [LOW], noise=LearntNoise(rank=2), integration="simplex", seed=1)
    ask_and_answer(study, 10)
    text = study.to_json()
    again = ap.Optimizer.from_json(text)
    ours, theirs = study.model.components, again.model.components
    assert len(ours) > 1
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.weight, mine.generative.noise) == (other.weight, other.generative.noise)
    assert again.to_json() == text


def test_nested_rules_are_saved():
    for rule in (
        LearntNoise(BoundedNoise(0.5, 2.0, metric="learnt"), 4, 0.3, 0.5, 0.2, 0.5),
        LearntNoise(PaperNoise()),
    ):
        assert object_from_json("noise", json.loads(json.dumps(object_to_json(rule))), {}) == rule
        study = ap.Optimizer(SPACE, [LOW], noise=rule)
        again = ap.Optimizer.from_json(study.to_json())
        assert (again.plan.noise, again.to_json()) == (rule, study.to_json())


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("centres", None), ("centres", []), ("centres", [[0.1]]), ("centres", "many"),
        ("centres", [[0.1, None]]), ("factors", None), ("factors", [1.0]),
        ("factors", [1.0, 2.0, 0.0]), ("factors", "long"), ("factors", [1.0, 2.0, True]), ("factors", 3.0),
    ],
)  # fmt: skip
def test_damaged_centres_and_factors_are_refused(saved, part, value):
    layout = json.loads(saved[1])
    layout["learnt"]["noise"][part] = value
    with pytest.raises(InputError, match=rf"learnt must have the keys of .*{part}.*set it to null"):
        ap.Optimizer.from_json(json.dumps(layout))
    del layout["learnt"]["noise"][part]
    with pytest.raises(InputError, match=rf"learnt must have the keys of .*{part}.*set it to null"):
        ap.Optimizer.from_json(json.dumps(layout))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prior": LearntNoise()}, "prior must be another NoiseRule"),
        ({"prior": 1.0}, "prior must be another NoiseRule"),
        ({"rank": -1}, "rank must be"),
        ({"spread": 0.0}, "spread must be"),
        ({"strength_spread": -1.0}, "strength_spread must be"),
        ({"width": 0.0}, "width must be"),
        ({"skip_weight": -0.1}, "skip_weight must be"),
    ],
)
def test_invalid_settings_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        LearntNoise(**arguments)


# -- metrics -----------------------------------------------------------------------------------------------------------


def test_centres_are_measured_in_the_learnt_metric_of_the_prior(saved):
    study = study_of(LearntNoise(BoundedNoise(metric="learnt"), rank=2), [LOW, HIGH], answers=24)
    metric = study.noise_map.score.metric
    assert metric != EuclideanMetric()
    assert study.noise_map.correction.metric == metric
    assert study.noise_map.correction.width == pytest.approx(0.3 * np.sqrt(metric.dimension(2)))
    again = ap.Optimizer.from_json(study.to_json())
    assert (again.noise_map, again.to_json()) == (study.noise_map, study.to_json())


def test_fingerprints_can_learn_noise():
    rng = np.random.default_rng(3)
    bits = ["".join(map(str, row)) for row in rng.integers(0, 2, (24, 32))]
    space = ap.Catalogue([{"name": str(k), "bits": b} for k, b in enumerate(bits)], key="name", fingerprint="bits")
    study = ap.Optimizer(space, [space[0], space[1]], noise=LearntNoise(rank=3), seed=1, integration="map")
    for k in range(10):
        study.tell_preference(space[2 + k], space[3 + k])
    assert len(study.noise_map.correction.centres) == 3
    again = ap.Optimizer.from_json(study.to_json())
    assert again.noise_map == study.noise_map
    assert again.ask() == study.ask()
