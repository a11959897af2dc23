"""Scales beyond what arithmetic can tell apart: the same answer as at the limit, or an error."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import AnchorPBOError, NumericalError
from anchorpbo.model.fitting import log_posterior
from anchorpbo.model.generative_model import MIN_NOISE_SHARE, GenerativeModel

POINTS = np.random.default_rng(3).random((5, 2))
WINS = ap.Duels(POINTS, [0, 1, 2, 3, 0, 0, 1], [1, 2, 3, 4, 2, 4, 4])
CYCLE = ap.Duels(POINTS, [0, 1, 2] * 4, [1, 2, 0] * 4, [[3, 4]])
X = np.random.default_rng(4).random((6, 2))
INFERENCES = {
    "probit laplace": ("probit", "laplace"),
    "probit ep": ("probit", "ep"),
    "probit ep of points": ("probit", ap.EP(latent="point")),
    "probit hallucination": ("probit", ap.Hallucination(sweeps=50)),
    "paper laplace": ("logistic", "laplace"),
    "paper ep": ("logistic", "ep"),
    "difference ep": (ap.Logistic(form="difference"), "ep"),
    "paper polya-gamma": ("logistic", ap.PolyaGamma(sweeps=20, draws=5)),
}


def conditioned(noise, likelihood="probit", inference="laplace", duels=WINS, kernel=None):
    return ap.PreferenceGP(kernel or ap.RBF(0.5), likelihood, inference, noise).condition(duels)


def least(likelihood):
    """The smallest noise that counts, in the units of a likelihood, of an output scale of 1."""
    return MIN_NOISE_SHARE / 2 if likelihood == "probit" else MIN_NOISE_SHARE**0.5


# -- little noise -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [1e-10, 1e-30, 8e-76, 1e-94, 1e-300])
@pytest.mark.parametrize(("likelihood", "inference"), INFERENCES.values(), ids=INFERENCES)
def test_a_judge_without_noise_is_believed(likelihood, inference, noise):
    model = conditioned(ap.NoiseMap.bounded(POINTS[:1], scale=noise, strength=14.0), likelihood, inference)
    means, variances = model.posterior.means, model.posterior.variance(POINTS)
    assert (np.diff(means[:5]) < 0).all()  # each beat the next
    assert (np.abs(means) < 10).all()
    assert ((variances >= 0) & (variances <= 1 + 1e-6)).all()
    assert np.isfinite(model.log_evidence)
    # Laplace's mode is near the border of what the answers allow, where its Gaussian is far too wide.
    assert model.prob_choose(POINTS[:1], POINTS[4:])[0] > (0.5 if inference == "laplace" else 0.9)


@pytest.mark.parametrize("noise", [1e-10, 1e-94, 1e-300])
@pytest.mark.parametrize(("likelihood", "inference"), INFERENCES.values(), ids=INFERENCES)
def test_contradictions_of_a_judge_without_noise_are_borne(likelihood, inference, noise):
    model = conditioned(noise, likelihood, inference, CYCLE)
    assert np.isfinite(model.posterior.means).all()
    assert (np.abs(model.posterior.means) < 10).all()
    assert np.isfinite(model.posterior.variance(X)).all()


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_noise_below_the_least_counts_as_the_least(likelihood, inference):
    limit, below, above = (conditioned(f * least(likelihood), likelihood, inference) for f in (1.0, 1e-3, 4.0))
    np.testing.assert_allclose(below.posterior.means, limit.posterior.means, rtol=1e-6)
    np.testing.assert_allclose(below.prob_choose(X, X[::-1]), limit.prob_choose(X, X[::-1]), rtol=1e-6)
    assert below.log_evidence == pytest.approx(limit.log_evidence, rel=1e-6)
    ones = [model.coefficients(X, X[::-1])[0] for model in (below, limit, above)]
    np.testing.assert_allclose(ones[0], ones[1], rtol=1e-12)
    assert (ones[2] < 0.9 * ones[1]).all()


def test_the_least_noise_is_too_little_to_show():
    """Ten times the least gives nearly the same posterior; the default noise does not."""
    close = [conditioned(f * least("probit"), inference="ep").posterior.means for f in (1.0, 10.0)]
    np.testing.assert_allclose(*close, atol=1e-4)
    assert np.abs(conditioned(1.0, inference="ep").posterior.means - close[0]).max() > 0.1


@pytest.mark.parametrize("scale", [1e-40, 1.0, 1e40])
def test_the_least_noise_goes_with_the_output_scale(scale):
    model = conditioned(1e-300, inference="ep", kernel=ap.RBF(0.5, scale))
    unit = conditioned(1e-300, inference="ep").posterior.means
    np.testing.assert_allclose(model.posterior.means / np.sqrt(scale), unit, rtol=1e-5)


@pytest.mark.parametrize("likelihood", [ap.Probit(), ap.Logistic(), ap.Logistic(form="difference")], ids=str)
@pytest.mark.parametrize("share", [1e-3, 0.9, 1.1, 30.0])
def test_the_evidence_gradient_is_that_of_the_noise_that_counts(likelihood, share):
    """Some entries of rows are at their largest, and move with the output scale, and others are not."""
    noise = ap.NoiseMap.bounded(POINTS[:2], 0.3, scale=share * least("logistic"), strength=2.0)
    if isinstance(likelihood, ap.Probit):
        noise = noise.with_parameters(scale=share * least("probit"))
    generative = GenerativeModel(ap.RBF([0.4, 0.7], 1.3), noise, likelihood)
    at = log_posterior(generative, WINS, {}, None)
    for index, step in enumerate(1e-4 * np.eye(len(generative.theta))):
        ends = [log_posterior(generative.at(generative.theta + s * step), WINS, {}, None).value for s in (1, -1)]
        assert at.gradient[index] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-3, abs=1e-4)


# -- numbers that cannot be had ---------------------------------------------------------------------------------------


def test_what_cannot_be_computed_is_refused_in_words_and_changes_nothing():
    model = ap.PreferenceGP(ap.RBF(0.5, 1.5e308) + ap.RBF(0.3, 1.5e308), noise=1e-3)
    message = "must give finite results; received .*NoiseMap.*; choose values nearer to 1"
    with pytest.raises(NumericalError, match=message) as caught:
        model.condition(WINS)
    assert isinstance(caught.value, AnchorPBOError)
    with pytest.raises(ap.errors.NotFittedError):
        _ = model.posterior


def test_an_inference_that_gives_no_number_is_refused():
    class Broken(ap.Laplace):
        def infer(self, space, likelihood, rng, start=None):
            found = super().infer(space, likelihood, rng, start)
            found.sites.linear[0] = np.nan
            return found

    with pytest.raises(NumericalError, match="the posterior is not finite"):
        conditioned(1.0, inference=Broken())


@pytest.mark.parametrize("space", ["duel", "point"])
def test_a_matrix_that_cannot_be_factorised_is_refused(space):
    class Singular(ap.Laplace):
        def infer(self, space, likelihood, rng, start=None):
            raise np.linalg.LinAlgError("Singular matrix")

    with pytest.raises(NumericalError, match="Singular matrix"):
        conditioned(1.0, inference=Singular(latent=space))


@pytest.mark.parametrize("noise", [1e-200, 8e-76, 1e200])
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_fit_learns_or_refuses_whatever_the_noise(likelihood, noise):
    anything = ap.Learn((1e-300, 1e300))
    for learn in ({"lengthscale": anything, "outputscale": anything}, {"noise_scale": anything}, ("lengthscale",)):
        model = ap.PreferenceGP(ap.RBF(0.5), likelihood, noise=noise, learn=learn).fit(CYCLE)
        assert np.isfinite(model.posterior.means).all()
        assert np.isfinite(model.fit_info.log_evidence)


# -- inducing points -------------------------------------------------------------------------------------------------


def test_polya_gamma_works_through_inducing_designs():
    model = ap.PreferenceGP(ap.RBF(0.5), "logistic", ap.PolyaGamma(sweeps=50, draws=50), inducing=5).condition(WINS)
    exact = ap.PreferenceGP(ap.RBF(0.5), "logistic", ap.PolyaGamma(sweeps=50, draws=50)).condition(WINS)
    np.testing.assert_allclose(model.posterior.mean(X), exact.posterior.mean(X), atol=0.3)


def test_fewer_duels_than_inducing_designs_and_hardly_any_noise_are_borne():
    duels = ap.Duels(POINTS, [0], [1])
    model = ap.PreferenceGP(ap.RBF(0.5), inference="ep", noise=1e-300, inducing=2).condition(duels)
    exact = conditioned(1e-300, inference="ep", duels=duels)
    np.testing.assert_allclose(model.posterior.mean(X), exact.posterior.mean(X), rtol=1e-3)
