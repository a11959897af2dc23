"""A link of a user's own, in two members, works with everything that takes a likelihood."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError
from anchorpbo.inference import EP, Hallucination, Laplace, PolyaGamma
from anchorpbo.likelihoods import Likelihood, RowScaling, Terms
from anchorpbo.testing import InferenceContract, LikelihoodContract
from anchorpbo.typing import Array


class HyperbolicSecant(Likelihood):
    """F(z) = 2/pi arctan(exp(pi z / 2)), whose density is sech(pi z / 2) / 2."""

    def scale_rows(self, noise_first: Array, noise_second: Array) -> RowScaling:
        total = noise_first + noise_second
        a, slope = total**-0.5, -0.5 * total**-1.5
        return RowScaling(a, a, slope, slope, slope, slope)

    def log_win(self, z: Array) -> Terms:
        u = np.clip(0.5 * np.pi * z, -300.0, 300.0)
        value = np.log(2 / np.pi * np.arctan(np.exp(u))) + np.minimum(0.5 * np.pi * z - u, 0.0)
        hazard = np.pi / 4 / np.cosh(u) / np.arctan(np.exp(u))
        excess = np.maximum(hazard + 0.5 * np.pi * np.tanh(u), 0.0)  # hazard - (log density)'
        d2 = -hazard * excess
        return Terms(value, hazard, d2, -d2 * excess - hazard * (d2 + (0.5 * np.pi / np.cosh(u)) ** 2))


LINK = HyperbolicSecant()
RNG = np.random.default_rng(4)
POINTS = RNG.random((9, 2))
UTILITY = np.sin(3.0 * POINTS[:, 0]) - POINTS[:, 1] ** 2
PAIRS = RNG.permuted(np.tile(np.arange(9), (22, 1)), axis=1)[:, :2]
BETTER = PAIRS[np.arange(22)[:, None], np.argsort(-UTILITY[PAIRS], axis=1)]
WINS = ap.Duels(POINTS, BETTER[:, 0], BETTER[:, 1])
WITH_TIES = ap.Duels(POINTS, BETTER[:, 0], BETTER[:, 1], ties=[[0, 1], [4, 7]])
NOISE = ap.NoiseMap.bounded(POINTS[:2], scale=0.2, strength=1.5)


def test_a_likelihood_has_two_abstract_members():
    assert Likelihood.__abstractmethods__ == {"scale_rows", "log_win"}


@pytest.mark.parametrize("check", LikelihoodContract.checks())
@pytest.mark.parametrize(
    "link", [LINK, HyperbolicSecant(0.5), HyperbolicSecant(lapse=0.1)], ids=["open", "with-threshold", "with-lapses"]
)
def test_keeps_the_contract(link, check):
    LikelihoodContract(link).check(check)


@pytest.mark.parametrize("duels", [WINS, WITH_TIES], ids=["wins", "ties"])
@pytest.mark.parametrize("where", ["duel", "point"])
@pytest.mark.parametrize("inference", [Laplace, EP])
def test_inference_converges_and_orders_the_designs(inference, where, duels):
    model = ap.PreferenceGP(ap.RBF(0.5), likelihood=LINK, inference=inference(latent=where), noise=NOISE)
    model.condition(duels)
    assert model.info.converged
    assert np.corrcoef(model.posterior.mean(POINTS), UTILITY)[0, 1] > 0.8


@pytest.mark.parametrize("where", ["duel", "point"])
def test_ep_updates_sites_one_by_one_to_the_same_posterior(where):
    from anchorpbo.inference.ep import match_all, match_one_by_one
    from anchorpbo.model.generative_model import GenerativeModel

    link = LINK.for_duels(WITH_TIES)
    latent = GenerativeModel(ap.RBF(0.5), NOISE, link).latent(WITH_TIES, where)
    sites = EP().infer(latent, link, np.random.default_rng(0)).sites
    for update in (match_all, match_one_by_one):
        again = update(latent, link, latent.solve(sites))
        np.testing.assert_allclose(again.precision, sites.precision, rtol=1e-5)
        np.testing.assert_allclose(again.linear, sites.linear, rtol=1e-5)


def test_ep_is_near_the_exact_posterior_of_one_duel():
    duels = ap.Duels([[0.2], [0.7]], [0], [1])
    model = ap.PreferenceGP(ap.RBF(0.3, 2.0), likelihood=LINK, inference="ep", noise=ap.NoiseMap.constant(0.5))
    model.condition(duels)
    K = model.kernel(duels.points, duels.points)
    variance = K[0, 0] + K[1, 1] - 2 * K[0, 1]  # of the margin: the row is (1, -1)
    g = np.linspace(-30, 30, 200_001)
    weight = np.exp(LINK.log_win(g).value - 0.5 * g**2 / variance)
    mean = (weight * g).sum() / weight.sum()
    spread = (weight * (g - mean) ** 2).sum() / weight.sum()
    row = np.array([1.0, -1.0])
    assert row @ model.posterior.mean(duels.points) == pytest.approx(mean, rel=1e-6)
    assert row @ model.posterior.covariance(duels.points) @ row == pytest.approx(spread, rel=1e-6)


@pytest.mark.parametrize("duels", [WINS, WITH_TIES], ids=["wins", "ties"])
def test_evidence_gradient_is_what_differences_say(duels):
    from anchorpbo.model.fitting import log_posterior
    from anchorpbo.model.generative_model import GenerativeModel

    surrogate = GenerativeModel(ap.RBF([0.4, 0.6]), NOISE, LINK.for_duels(duels))
    theta, step = surrogate.theta, 1e-5
    numeric = [
        (log_posterior(surrogate.at(theta + move), duels, {}, None).value
         - log_posterior(surrogate.at(theta - move), duels, {}, None).value) / (2 * step)
        for move in step * np.eye(len(theta))
    ]  # fmt: skip
    analytic = log_posterior(surrogate, duels, {}, None).gradient
    np.testing.assert_allclose(analytic, numeric, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_fit_learns_and_predictions_add_up(inference):
    model = ap.PreferenceGP(ap.RBF(0.5), likelihood=LINK, inference=inference, noise=NOISE)
    before = model.condition(WITH_TIES).log_evidence
    model.fit(WITH_TIES)
    assert model.log_evidence > before
    assert model.likelihood.tau > 0
    X, Y = POINTS[BETTER[:, 0]], POINTS[BETTER[:, 1]]
    first, second = model.prob_choose(X, Y), model.prob_choose(Y, X)
    assert (first > second).mean() > 0.8
    np.testing.assert_allclose(first + second + model.prob_tie(X, Y), 1.0, atol=1e-12)


def test_an_optimizer_asks_and_recommends_and_is_read_again():
    space = ap.Space(a=ap.Real(0, 1), b=ap.Real(0, 1))
    study = ap.Optimizer(space, likelihood=LINK, initial=3, seed=0)
    for _ in range(6):
        duel = study.ask()
        study.tell(duel, "first" if duel.first["a"] > duel.second["a"] else "second")
    assert type(study.model.likelihood) is HyperbolicSecant
    assert study.recommend().design["a"] > 0.6
    again = ap.Optimizer.from_json(study.to_json(), likelihood=LINK)
    assert again.ask() == study.ask()


@pytest.mark.parametrize(
    ("inference", "rule"),
    [(Hallucination(), "needs the probit likelihood"), (PolyaGamma(), "needs the logistic likelihood")],
    ids=["hallucination", "polya-gamma"],
)
def test_samplers_of_other_links_refuse_it(inference, rule):
    with pytest.raises(IncompatibleError, match=f"{rule}.*HyperbolicSecant"):
        ap.PreferenceGP(ap.RBF(0.5), likelihood=LINK, inference=inference)


@pytest.mark.parametrize("check", InferenceContract.checks())
@pytest.mark.parametrize("inference", [Laplace(), EP()], ids=["laplace", "ep"])
def test_inferences_keep_their_contract_with_it(inference, check):
    InferenceContract(inference, (LINK,)).check(check)


@pytest.mark.parametrize("inference", [Laplace(), EP()], ids=["laplace", "ep"])
def test_inferences_keep_their_contract_with_it_and_lapses(inference):
    InferenceContract(inference, (HyperbolicSecant(lapse=0.1),), tolerance=1e-6).check_all()
