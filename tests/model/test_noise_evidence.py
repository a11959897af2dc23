"""Evidence of learnt noise maps: gradients in strength and factors, skips, and the integral over hyper-parameters."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.inference import find_mode, laplace_evidence
from anchorpbo.kernels import RBF
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.model import Learn, LogNormal, PreferenceGP, SkipEvidence
from anchorpbo.model.fitting import log_posterior
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.reliability import NoiseCorrection, NoiseMap

RNG = np.random.default_rng(2)
ANCHORS, POOR, CENTRES, POINTS = RNG.random((3, 2)), RNG.random((2, 2)), RNG.random((4, 2)), RNG.random((9, 2))
CORRECTION = NoiseCorrection(CENTRES, 0.4, factors=[0.6, 1.0, 2.0, 1.3])
MAPS = {
    "anchors": NoiseMap.bounded(ANCHORS, strength=2.0).with_correction(CORRECTION),
    "negative anchors": NoiseMap.bounded(ANCHORS, strength=2.0, negative=POOR).with_correction(CORRECTION),
    "constant": NoiseMap.constant(0.5).with_correction(CORRECTION),
}
LEARN = {
    "lengthscale": Learn((0.03, 10.0), LogNormal(0.3, 0.5)),
    "outputscale": Learn((1e-2, 1e3), LogNormal(3.0, 1.0)),
    "noise_strength": Learn((0.01, 13.0), LogNormal(3.0, 0.7)),
    "noise_factor": Learn((0.01, 100.0), LogNormal(1.0, 0.5)),
}
PAIRS = RNG.random((14, 2, 2))
SKIPS = SkipEvidence(PAIRS[:9], PAIRS[9:], 1.5)


def some_duels(n=20, seed=3):
    rng = np.random.default_rng(seed)
    winners = rng.integers(9, size=n)
    return Duels(POINTS, winners, (winners + rng.integers(1, 9, size=n)) % 9, [[0, 1]])


@pytest.mark.parametrize("skips", [None, SKIPS], ids=["answers", "answers and skips"])
@pytest.mark.parametrize("likelihood", [Probit(0.4), Logistic(0.4)], ids=["probit", "logistic"])
@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_gradient_of_the_log_posterior_in_strength_and_factors(noise, likelihood, skips):
    duels, generative = some_duels(), GenerativeModel(RBF(0.3, 2.0), noise, likelihood)
    assert [name for name in generative.names if "factor" in name] == [f"noise_factor[{j}]" for j in range(4)]
    analytic = log_posterior(generative, duels, LEARN, None, skips=skips).gradient
    for index, (theta, step) in enumerate(itertools.repeat((generative.theta, 1e-5), len(generative.theta))):
        move = step * np.eye(len(theta))[index]
        up, down = (
            log_posterior(generative.at(theta + s * move), duels, LEARN, None, skips=skips).value for s in (1, -1)
        )
        assert analytic[index] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-7)


# -- skips -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", MAPS.values(), ids=MAPS)
def test_value_of_skips_is_a_logistic_regression_with_a_free_intercept(noise):
    logs = np.array([np.log(noise(pair).mean()) for pair in PAIRS])
    skipped = np.arange(14) >= 9

    def log_likelihood(alpha, levels):
        p = expit(alpha + 1.5 * levels)
        return np.where(skipped, np.log(p), np.log(1.0 - p)).sum()

    best, flat = (
        -minimize_scalar(lambda a, levels=levels: -log_likelihood(a, levels), bounds=(-20, 20), method="bounded").fun
        for levels in (logs, 0.0 * logs)
    )
    assert SKIPS.value(noise) == pytest.approx(best - flat, abs=1e-8)


def test_skips_do_not_depend_on_the_scale_of_the_noise_and_a_constant_map_gives_zero():
    noise = MAPS["anchors"]
    scaled = noise.with_parameters(scale=300.0)
    assert SKIPS.value(scaled) == pytest.approx(SKIPS.value(noise), abs=1e-10)
    assert SKIPS.value_and_gradient(scaled)[1][0] == pytest.approx(0.0, abs=1e-10)
    assert SKIPS.value(NoiseMap.constant(2.0)) == pytest.approx(0.0, abs=1e-12)


def test_extreme_noise_gives_a_finite_value():
    noise = NoiseMap.bounded(ANCHORS, strength=13.0, negative=POOR)
    value, gradient = SkipEvidence(PAIRS[:9], PAIRS[9:], 50.0).value_and_gradient(noise)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize(("answered", "skipped"), [(PAIRS[:0], PAIRS), (PAIRS, PAIRS[:0])])
def test_skips_alone_or_answers_alone_say_nothing(answered, skipped):
    value, gradient = SkipEvidence(answered, skipped).value_and_gradient(MAPS["anchors"])
    assert value == 0.0
    np.testing.assert_array_equal(gradient, np.zeros(6))


def test_skips_near_a_place_raise_its_noise():
    near, far = np.array([0.1, 0.1]), np.array([0.9, 0.9])
    rng = np.random.default_rng(0)

    def around(place, n):
        return place + rng.uniform(-0.05, 0.05, (n, 2, 2))

    noise = NoiseMap.constant(1.0).with_correction(NoiseCorrection(np.array([near, far]), 0.3))
    points = around(far, 12).reshape(-1, 2)
    duels = Duels(points, np.arange(0, 24, 2), np.arange(1, 24, 2))
    model = PreferenceGP(RBF(0.5), noise=noise, learn={"noise_factor": LEARN["noise_factor"]}, starts=1)
    fitted = model.find_nodes(duels, SkipEvidence(points.reshape(12, 2, 2), around(near, 6)))[0].generative.noise
    without = model.find_nodes(duels)[0].generative.noise
    assert fitted([near, far])[0] > 1.3 * fitted([near, far])[1]
    assert without([near])[0] == pytest.approx(1.0, abs=0.05)


def test_skips_change_nothing_if_the_noise_is_not_learnt():
    model = PreferenceGP(RBF(0.3), noise=MAPS["anchors"], starts=1)
    plain, skipped = (model.find_nodes(some_duels(), skips)[0].generative for skips in (None, SKIPS))
    np.testing.assert_allclose(skipped.theta, plain.theta, atol=1e-3)


def test_invalid_skips_are_refused():
    with pytest.raises(ShapeError, match=r"skipped must be pairs of designs, \(n, 2, d\)"):
        SkipEvidence(PAIRS, PAIRS[:, 0])
    with pytest.raises(ShapeError, match="same number of coordinates; received 2 and 1"):
        SkipEvidence(PAIRS, PAIRS[:, :, :1])
    with pytest.raises(InputError, match="weight must be"):
        SkipEvidence(PAIRS, PAIRS, 0.0)


# -- evidence integrated over the hyper-parameters ---------------------------------------------------------------------


def integrate_on_a_grid(model, duels, names, learn, reach=5.0, n=41):
    """The same integral by the trapezoid rule over the log hyper-parameters, in units of the prior's density."""
    generative = GenerativeModel(model.kernel, model.noise, model.likelihood.for_duels(duels))
    logs = [
        np.log(learn[name].prior.median) + learn[name].prior.spread * np.linspace(-reach, reach, n) for name in names
    ]
    where = [generative.names.index(name) for name in names]
    total = 0.0
    for point in itertools.product(*logs):
        theta = generative.theta
        theta[where] = point
        at = generative.at(theta)
        evidence = laplace_evidence(find_mode(at.latent(duels), at.likelihood))
        z = [
            (x - np.log(learn[name].prior.median)) / learn[name].prior.spread
            for x, name in zip(point, names, strict=True)
        ]
        total += np.exp(evidence - 0.5 * np.dot(z, z)) / (2 * np.pi) ** (len(names) / 2)
    return float(np.log(total * (2 * reach / (n - 1)) ** len(names)))


@pytest.mark.parametrize("names", [("outputscale",), ("lengthscale",), ("lengthscale", "outputscale")], ids="+".join)
def test_integrated_evidence_agrees_with_quadrature(names):
    """Within 0.1 nats, the error of Laplace's method for a posterior of a few answers: a Bayes factor of 1.1."""
    wide = {name: Learn((1e-4, 1e4), LEARN[name].prior) for name in names}
    duels = Duels(POINTS, [0, 1, 2, 3, 0, 4, 0, 2], [1, 2, 3, 4, 5, 6, 2, 7])
    model = PreferenceGP(RBF(0.3, 3.0), Probit(0.0), noise=NoiseMap.bounded(ANCHORS), learn=wide)
    expected = integrate_on_a_grid(model, duels, names, wide, n=61 if len(names) == 1 else 25)
    assert model.integrate_evidence(duels) == pytest.approx(expected, abs=0.1)


def test_with_nothing_to_learn_it_is_the_evidence_itself():
    duels = some_duels()
    model = PreferenceGP(RBF(0.3, 3.0), Probit(0.4), noise=NoiseMap.bounded(ANCHORS), learn={})
    assert model.integrate_evidence(duels) == pytest.approx(model.condition(duels).log_evidence, abs=1e-9)


def test_integrated_evidence_does_not_depend_on_the_order_and_unit_of_anything():
    duels, order = some_duels(), np.random.default_rng(1).permutation(20)
    learn = {name: LEARN[name] for name in ("lengthscale", "outputscale")}
    noise = NoiseMap.bounded(ANCHORS)

    def make(noise, kernel, learn):
        return PreferenceGP(kernel, Probit(0.4), noise=noise, learn=learn)

    plain = make(noise, RBF(0.3, 3.0), learn).integrate_evidence(duels)
    shuffled = Duels(POINTS, duels.winners[order], duels.losers[order], duels.ties)
    assert make(noise, RBF(0.3, 3.0), learn).integrate_evidence(shuffled) == pytest.approx(plain, abs=1e-6)
    scaled = {**learn, "outputscale": Learn((7e-2, 7e3), LogNormal(21.0, 1.0))}
    units = make(noise.with_parameters(scale=7.0), RBF(0.3, 21.0), scaled).integrate_evidence(duels)
    assert units == pytest.approx(plain, abs=1e-4)
