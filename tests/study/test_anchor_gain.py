"""What one more anchor would change, against enumeration of all answers by importance sampling."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import special, stats

from anchorpbo import (
    RBF,
    BoundedNoise,
    ConstantNoise,
    Duels,
    NoiseMap,
    Optimizer,
    PreferenceGP,
    Real,
    Space,
)
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.posterior.gaussian_posterior import GaussianPosterior
from anchorpbo.reliability import EuclideanMetric, NoiseCorrection
from anchorpbo.study.anchor_gain import (
    PLANNED_ANSWERS,
    AnchorOutlook,
    _find_link_variance,
    _PairNoise,
    answer_information,
    answer_precision,
    compute_gain,
    compute_gains,
    plan_pairs,
    update_by_answers,
    variance_without,
)

X = np.array([[0.3], [0.5], [0.7]])
KERNEL = RBF(0.25, outputscale=3.0)
NOBODY = np.empty((0, 1))


def outlook_of(posterior, duels, strength=3.0, anchors=NOBODY, bandwidth=0.2, planned=(0, 1, 2), candidates=X):
    rule = BoundedNoise(strength=strength, bandwidth=bandwidth)
    plan = replace(Optimizer(Space(x=Real(0, 1))).plan, noise=rule)
    noise = plan.noise_map(anchors)
    return AnchorOutlook(posterior, Probit(), duels, plan, noise, anchors, NOBODY, candidates, list(planned))


def prior_outlook(**options):
    return outlook_of(GaussianPosterior.prior(KERNEL, 1), Duels.empty(1), **options)


def draw_prior(count=150_000):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((count // 2, 3)) @ np.linalg.cholesky(KERNEL(X, X)).T
    return np.vstack([half, -half])


def expect_best_mean(f, pairs, noise):
    """The expected posterior mean of the design chosen after answers to these pairs: all outcomes are enumerated."""
    first = [special.ndtr((f[:, i] - f[:, j]) / np.sqrt(noise[i] + noise[j])) for i, j in pairs]
    total = 0.0
    for outcomes in product((True, False), repeat=len(pairs)):
        weights = np.ones(len(f))
        for p, won in zip(first, outcomes, strict=True):
            weights *= p if won else 1.0 - p
        total += (weights @ f / len(f)).max()
    return total


def test_the_variance_of_the_posterior_mean_after_one_answer_is_exact():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((3, 3))
    mean, S, noise, d = np.array([0.4, -0.2, 0.1]), A @ A.T, 0.7, np.array([1.0, -1.0, 0.0])
    f = mean + rng.standard_normal((1_000_000, 3)) @ A.T
    p = special.ndtr(f @ d / np.sqrt(noise))
    shares = np.array([p.mean(), 1.0 - p.mean()])
    after = np.array([p @ f / p.sum(), (1.0 - p) @ f / (1.0 - p).sum()])
    truth = sum(share * np.outer(m - mean, m - mean) for share, m in zip(shares, after, strict=True))
    variance = float(d @ S @ d)
    h = answer_information(np.array([d @ mean]), np.array([variance]), np.array([noise]))
    z = d @ mean / np.sqrt(noise + variance)
    assert h == pytest.approx(stats.norm.pdf(z) ** 2 / (stats.norm.cdf(z) * stats.norm.cdf(-z)))
    pair_noise = _PairNoise(Probit(), 1.0, np.full(3, 0.5 * noise))
    np.testing.assert_allclose(S - update_by_answers(S, [(0, 1)], pair_noise, h), truth, rtol=0.02, atol=0.003)
    # The same reduction by a Gaussian observation of precision (1).
    omega = answer_precision(np.array([noise]), np.array([variance]), h)
    np.testing.assert_allclose(np.outer(S @ d, S @ d) / (1.0 / omega + variance), truth, rtol=0.02, atol=0.003)


def test_the_variance_without_an_answer_inverts_its_precision():
    rng = np.random.default_rng(2)
    noise, before, h = (rng.uniform(0.01, high, 50) for high in (3.0, 5.0, 0.6))
    after = 1.0 / (1.0 / before + answer_precision(noise, before, h))
    np.testing.assert_allclose(variance_without(noise, after, h), before, rtol=1e-9)


@pytest.mark.parametrize(("likelihood", "variance"), [(Probit(), 1.0), (Logistic(), 8.0 / np.pi)])
def test_the_noise_of_a_link_has_the_information_of_an_even_answer(likelihood, variance):
    below, above = np.exp(likelihood.log_win(np.array([-1e-4, 1e-4])).value)
    fisher = ((above - below) / 2e-4) ** 2 / 0.25
    assert _find_link_variance(likelihood) == pytest.approx(2.0 / np.pi / fisher, rel=1e-6)
    assert _find_link_variance(likelihood) == pytest.approx(variance)


@pytest.mark.parametrize("strength", [1.0, 3.0])
@pytest.mark.parametrize("at", [0, 1])
def test_before_the_first_answer_the_gain_is_that_of_all_ten_answers_enumerated(strength, at):
    outlook, f = prior_outlook(strength=strength), draw_prior(60_000)
    pairs = plan_pairs(at, outlook.planned)
    before, after = (expect_best_mean(f, pairs, noise(X)) for noise in (outlook.noise, outlook.noise_with(X[at])))
    truth = (after - before) / f.max(axis=1).mean()
    (gain,) = compute_gains(outlook, X[[at]], 0)
    assert truth > 0.03
    # The moments of each answer are exact, the shape of the posterior after ten is not.
    assert gain == pytest.approx(truth, abs=0.012)


def test_a_given_answer_near_the_anchor_becomes_more_precise():
    # Mirrored outcomes of the only answer give the same gain, which is therefore the average over both.
    f, (i, j) = draw_prior(60_000), (0, 2)
    model = PreferenceGP(KERNEL, inference="ep", noise=NoiseMap.constant(1.0), learn=None)
    duels = Duels(X, [i], [j])
    outlook = outlook_of(model.condition(duels).posterior, duels, planned=(0, 1, 2))
    pairs = plan_pairs(1, outlook.planned)
    before, after = (
        expect_best_mean(f, [(i, j), *pairs], noise(X)) for noise in (outlook.noise, outlook.noise_with(X[1]))
    )
    present = expect_best_mean(f, [(i, j)], outlook.noise(X))
    truth = (after - before) / (f.max(axis=1).mean() - present)
    (gain,) = compute_gains(outlook, X[[1]], 0)
    (forgetful,) = compute_gains(replace(outlook, duels=Duels.empty(1)), X[[1]], 0)
    assert gain == pytest.approx(truth, abs=0.012)
    assert gain > forgetful


def test_stronger_anchors_gain_more():
    gains = [compute_gains(prior_outlook(strength=strength), X, 0) for strength in (0.3, 1.0, 3.0, 6.0)]
    assert (np.diff(gains, axis=0) > 0.0).all()
    assert min(gains[0]) > 0.0


def test_without_an_effect_on_the_noise_there_is_no_gain():
    outlook = prior_outlook()
    for rule in (ConstantNoise(), BoundedNoise(strength=0.0)):
        still = replace(outlook, plan=replace(outlook.plan, noise=rule), noise=rule(NOBODY, outlook.plan.metric))
        assert compute_gains(still, X, 0) == [0.0, 0.0, 0.0]


def test_an_anchor_far_from_everything_promising_gains_about_nothing():
    points = np.linspace(0.05, 0.95, 10)[:, None]
    order = [(b, a) for a in range(10) for b in range(a + 1, 10)]  # the larger, the better
    duels = Duels(points, *map(list, zip(*order, strict=True)))
    noise = NoiseMap.constant(1.0)
    model = PreferenceGP(RBF(0.3, outputscale=60.0), inference="ep", noise=noise, learn=None).condition(duels)
    planned = [9, 8, 7, 6, 5]
    outlook = outlook_of(model.posterior, duels, bandwidth=0.05, planned=planned, candidates=points)
    far, near = compute_gains(outlook, points[[0, 9]], 0)
    assert 0.0 <= far < 0.005
    assert near > 5.0 * far
    assert near > 0.015


@pytest.mark.parametrize("seed", range(12))
def test_gains_are_never_negative_and_covariances_ordered(seed):
    rng = np.random.default_rng(seed)
    c = 6
    A = rng.standard_normal((c, c)) * rng.uniform(0.1, 3.0)
    S, mean = A @ A.T, rng.standard_normal(c)
    noise = rng.uniform(0.05, 2.0, c)
    quieter = noise * rng.uniform(0.05, 1.0, c)
    pairs, h = plan_pairs(0, [1, 2, 3, 4, 5]), rng.uniform(0.05, 2.0 / np.pi, PLANNED_ANSWERS)
    before, after = (update_by_answers(S, pairs, _PairNoise(Probit(), 1.0, each), h) for each in (noise, quieter))
    for larger, smaller in ((S, before), (before, after), (after, np.zeros_like(S))):
        assert np.linalg.eigvalsh(larger - smaller).min() > -1e-9 * np.trace(S)
    gain = compute_gain(mean, S, before, after, np.random.default_rng(0))
    assert 0.0 <= gain <= 1.0
    f = mean + rng.standard_normal((200_000, c)) @ A.T
    loss = f.max(axis=1).mean() - mean.max()

    def value(covariance):
        values, vectors = np.linalg.eigh(S - covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return (mean + rng.standard_normal((200_000, c)) @ root.T).max(axis=1).mean() - mean.max()

    assert gain == pytest.approx((value(after) - value(before)) / loss, abs=0.02)


def test_a_constant_that_no_answer_tells_does_not_matter():
    A = np.random.default_rng(3).standard_normal((4, 4))
    S, mean, rng = A @ A.T, np.arange(4.0), np.random.default_rng
    before, after = 0.5 * S, 0.2 * S
    plain = compute_gain(mean, S, before, after, rng(0))
    assert compute_gain(mean + 7.0, S + 9.0, before + 9.0, after + 9.0, rng(0)) == pytest.approx(plain, abs=0.01)


def test_the_planned_comparisons_are_ten_between_different_designs():
    pairs = plan_pairs(2, [0, 1, 2, 3, 4, 5])
    assert len(pairs) == len(set(pairs)) == PLANNED_ANSWERS
    assert pairs[:5] == [(2, 0), (2, 1), (2, 3), (2, 4), (2, 5)]
    assert all(i != j for i, j in pairs)
    assert plan_pairs(9, [0, 1]) == [(9, 0), (9, 1), (0, 1)] * 3 + [(9, 0)]
    assert plan_pairs(0, [0]) == []


def test_the_map_with_one_more_anchor_keeps_bandwidth_metric_scale_and_strength():
    anchors, negative, x = np.array([[0.1], [0.15], [0.9]]), np.array([[0.6]]), np.array([0.5])
    present = prior_outlook(anchors=anchors, bandwidth="loo")
    fitted = replace(present, noise=present.noise.with_parameters(scale=2.0, strength=1.5))
    noise = fitted.noise_with(x)
    assert (noise.bandwidth, noise.scale, noise.strength) == (fitted.noise.bandwidth, 2.0, 1.5)
    assert noise([[0.5]])[0] == pytest.approx(2.0 * np.exp(-1.5))
    expected = NoiseMap.bounded(np.vstack([anchors, x]), noise.bandwidth, scale=2.0, strength=1.5)
    assert noise == expected
    metric = EuclideanMetric().with_lengthscales(np.array([0.4]))
    maps = {
        "metric": NoiseMap.bounded(anchors, 0.3, metric=metric),
        "negative": NoiseMap.bounded(anchors, 0.3, metric=metric, negative=negative),
        "negative only": NoiseMap.bounded(NOBODY, 0.3, metric=metric, negative=negative),
        "paper": NoiseMap.from_anchors(anchors, 1.3),
    }
    found = {name: replace(fitted, noise=each).noise_with(x) for name, each in maps.items()}
    more = np.vstack([anchors, x])
    assert found == {
        "metric": NoiseMap.bounded(more, 0.3, metric=metric),
        "negative": NoiseMap.bounded(more, 0.3, metric=metric, negative=negative),
        "negative only": NoiseMap.bounded(x[None], 0.3, metric=metric, negative=negative),
        "paper": NoiseMap.from_anchors(more, 1.3),
    }
    local = NoiseMap.bounded(anchors, 0.3, adaptive=True)
    factors = replace(fitted, noise=local).noise_with(x).score.factors
    assert factors.tolist() == [*local.score.factors.tolist(), 1.0]


@pytest.mark.parametrize("anchors", [NOBODY, np.array([[0.1]])], ids=["first anchor", "another anchor"])
def test_the_map_with_one_more_anchor_keeps_the_learnt_correction(anchors):
    correction = NoiseCorrection(np.array([[0.2], [0.8]]), 0.3, factors=np.array([4.0, 0.5]))
    outlook = prior_outlook(anchors=anchors)
    learnt = replace(outlook, noise=outlook.noise.with_correction(correction))
    noise = learnt.noise_with(np.array([0.5]))
    assert noise.correction == correction
    grid = np.linspace(0.0, 1.0, 21)[:, None]
    assert (noise(grid) <= learnt.noise(grid)).all()


def test_a_study_that_learns_the_metric_of_its_noise_map_has_gains():
    opt = Optimizer(Space(x=Real(0, 1), y=Real(0, 1)), [{"x": 0.1, "y": 0.1}], noise=BoundedNoise(metric="learnt"))
    opt.tell_anchor({"x": 0.9, "y": 0.9}, "no")
    for n in range(6):
        opt.tell_preference({"x": 0.15 * (n + 1), "y": 0.2}, {"x": 0.15 * n, "y": 0.8})
    assert all(0.0 <= one.gain < 1.0 for one in opt.propose_anchors(4))
    assert len(opt.noise_map.negative) == 1


def test_a_study_with_the_paper_s_settings_has_gains_too():
    for strategy in ("raeubo", "rahbo", "ei"):
        opt = Optimizer(Space(x=Real(0, 1), y=Real(0, 1)), preset="paper", strategy=strategy)
        gains = [one.gain for one in opt.propose_anchors(2)]
        assert all(0.0 < gain < 1.0 for gain in gains) if strategy != "ei" else gains == [0.0, 0.0]
