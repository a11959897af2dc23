"""Integration over the hyper-parameters: rules, nodes and weights, against dense numerical integration."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import qmc

import anchorpbo as ap
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.inference import EP
from anchorpbo.inference.evidence import ep_evidence
from anchorpbo.model import (
    MAP,
    CentralComposite,
    HyperparameterNode,
    IntegrationRule,
    QuasiMonteCarlo,
    SphericalSimplex,
)
from anchorpbo.model.fitting import HyperparameterPosterior, fit
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.model.integration import compute_axes, compute_curvature, find_nodes
from anchorpbo.posterior import GaussianPosterior, PosteriorMixture
from anchorpbo.study.expected_gain import expected_gain

RULES = [QuasiMonteCarlo(), CentralComposite(), SphericalSimplex(5)]


def noisy_duels(n: int, d: int = 2, seed: int = 0) -> ap.Duels:
    rng = np.random.default_rng(seed)
    X = rng.random((2 * n, d))
    f = 3.0 * np.sin(4.0 * X).sum(axis=1) + 0.5 * rng.normal(size=2 * n)
    wins, i = f[:n] > f[n:], np.arange(n)
    return ap.Duels(X, np.where(wins, i, i + n), np.where(wins, i + n, i))


def fitted_model(rule: IntegrationRule | str, n: int = 15, **options) -> ap.PreferenceGP:
    options = {"kernel": ap.RBF([0.4, 0.4]), "inference": "ep", "noise": 0.3} | options
    return ap.PreferenceGP(**options, integration=rule).fit(noisy_duels(n))


# -- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [CentralComposite(), SphericalSimplex()], ids=repr)
@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_designs_have_mean_0_and_unit_covariance(rule, p):
    z, weights = rule.standard_nodes(p, 2 * p + 2)
    assert not z[0].any()
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0.0).all()
    np.testing.assert_allclose(weights @ z, np.zeros(p), atol=1e-12)
    np.testing.assert_allclose(z.T @ (weights[:, None] * z), np.eye(p), atol=1e-12)
    assert len(z) == (2 * p + 1 if isinstance(rule, CentralComposite) else p + 2)


def test_quasi_random_draws_start_at_the_mode_and_have_unit_variance():
    z, weights = QuasiMonteCarlo().standard_nodes(3, 64)
    assert len(z) == 63
    assert not z[0].any()
    np.testing.assert_allclose((z**2).mean(axis=0), np.ones(3), rtol=1e-12)
    np.testing.assert_allclose(z.mean(axis=0), np.zeros(3), atol=1e-12)
    np.testing.assert_allclose(np.corrcoef(z.T), np.eye(3), atol=0.2)
    np.testing.assert_array_equal(weights, np.full(63, 1 / 63))


@pytest.mark.parametrize(("count", "nodes"), [(2, 1), (3, 3), (6, 3), (7, 7), (14, 7), (15, 15)])
def test_quasi_random_draws_are_symmetric_in_number(count, nodes):
    assert len(QuasiMonteCarlo().standard_nodes(4, count)[0]) == nodes


@pytest.mark.parametrize("rule", [CentralComposite(), SphericalSimplex()], ids=repr)
def test_designs_of_few_nodes_cover_the_first_axes(rule):
    z, _ = rule.standard_nodes(6, 5)
    assert len(z) == 5
    used = 2 if isinstance(rule, CentralComposite) else 3
    assert z[:, :used].any(axis=0).all()
    assert not z[:, used:].any()
    assert len(rule.standard_nodes(6, 2)[0]) == 1, "two nodes cannot be symmetric about the mode"


def test_many_duels_have_fewer_nodes():
    rule = SphericalSimplex(8, full_duels=60)
    assert [rule.count_nodes(m) for m in (0, 60, 120, 150, 10_000)] == [8, 8, 4, 3, 1]
    assert QuasiMonteCarlo(2).count_nodes(10_000) == 1
    assert MAP().count_nodes(5) == 1


# -- dense numerical integration --------------------------------------------------------------------------------------


@dataclass
class Truth:
    """Moments of f(x) - f(y), P(f(x) > f(y)) and E max for pairs of the designs compared."""

    mean: np.ndarray
    variance: np.ndarray
    prefer: np.ndarray
    best: np.ndarray


X = np.array([[0.15], [0.4], [0.85]])
WINNERS, LOSERS = [0, 2, 0, 0], [1, 1, 2, 1]
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])
NOISE, SCALE, PRIOR = 0.4, 6.0, ap.LogNormal(0.35, 0.8)


def integrate_densely() -> Truth:
    """Integrate over the log length-scale on a grid and over the utilities by quasi-random draws, without our code."""
    z = qmc.MultivariateNormalQMC(np.zeros(3), seed=0).random(2**16)
    totals, norm = np.zeros((4, 3)), 0.0
    for t in np.linspace(-4.0, 4.0, 81):
        length = PRIOR.median * np.exp(PRIOR.spread * t)
        K = SCALE * np.exp(-0.5 * (X - X.T) ** 2 / length**2)
        f = z @ np.linalg.cholesky(K + 1e-10 * np.eye(3)).T
        likelihood = np.prod(ndtr((f[:, WINNERS] - f[:, LOSERS]) / np.sqrt(2.0 * NOISE)), axis=1)
        w = np.exp(-0.5 * t * t) * likelihood
        norm += w.sum()
        first, second = f[:, PAIRS[:, 0]], f[:, PAIRS[:, 1]]
        gap = first - second
        totals += [w @ gap, w @ gap**2, w @ (gap > 0), w @ np.maximum(first, second)]
    mean, square, prefer, best = totals / norm
    return Truth(mean, square - mean**2, prefer, best)


def measure(model: ap.PreferenceGP) -> Truth:
    first, second = X[PAIRS[:, 0]], X[PAIRS[:, 1]]
    here = model.posterior.at_pairs(first, second)
    best = ap.acquisition.EUBO().bind(model.posterior, model.noise)(np.stack([first, second], axis=1))
    return Truth(here.mean @ [1.0, -1.0], here.variance, model.posterior.prob_prefer(first, second), best)


def small_model(rule: IntegrationRule | str) -> ap.PreferenceGP:
    learn = {"lengthscale": ap.Learn((1e-3, 1e3), PRIOR)}
    duels = ap.Duels(X, WINNERS, LOSERS)
    return ap.PreferenceGP(ap.RBF(0.35, SCALE), "probit", "ep", NOISE, learn=learn, integration=rule).fit(duels)


@pytest.mark.parametrize(
    "rule", [QuasiMonteCarlo(31), QuasiMonteCarlo(), CentralComposite(), SphericalSimplex()], ids=repr
)
def test_the_mixture_has_the_moments_of_a_dense_integral(rule):
    truth, got, mode = integrate_densely(), measure(small_model(rule)), measure(small_model("map"))
    std = np.sqrt(truth.variance)

    def errors(of: Truth) -> np.ndarray:
        parts = [
            (of.mean - truth.mean) / std,
            np.sqrt(of.variance) / std - 1.0,
            of.prefer - truth.prefer,
            (of.best - truth.best) / std,
        ]
        return np.abs(parts)

    assert errors(got).max() < 0.06
    assert errors(got).mean() < 0.5 * errors(mode).mean()


def test_curvature_is_that_of_differences_of_values():
    duels = noisy_duels(12)
    generative = GenerativeModel(ap.RBF([0.4, 0.4], 2.0), ap.NoiseMap.constant(0.3), ap.Probit().for_duels(duels))
    learn = {
        "lengthscale": ap.Learn((0.03, 10.0), ap.LogNormal(0.4, 0.7)),
        "outputscale": ap.Learn((0.01, 1e3), ap.LogNormal(9.0, 1.2)),
    }
    posterior = HyperparameterPosterior.of(generative, duels, learn)
    fitted = fit(posterior, 2)
    H = compute_curvature(posterior, fitted)
    h = 0.01
    for i, e in enumerate(np.eye(3)):
        for j, g in enumerate(np.eye(3)):
            corners = [posterior.evaluate(fitted.x + h * (a * e + b * g), None, 1e-12).value for a, b in SIGNS]
            second = -(corners[0] - corners[1] - corners[2] + corners[3]) / (4.0 * h * h)
            assert H[i, j] == pytest.approx(second, abs=0.03 * np.abs(H).max())
    A = compute_axes(posterior, fitted).T
    np.testing.assert_allclose(A @ A.T, np.linalg.inv(H), rtol=1e-6)
    assert (np.diff(np.linalg.norm(A, axis=0)) <= 0.0).all()
    nodes = find_nodes(SphericalSimplex(), posterior, fitted)
    assert nodes[0].generative is fitted.model


SIGNS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def test_a_direction_without_curvature_is_at_most_a_bit_wider_than_its_prior():
    """One duel says next to nothing about the length-scales, so the nodes are those of the prior."""
    duels = ap.Duels([[0.1, 0.2], [0.8, 0.9]], [0], [1])
    spec = ap.Learn((1e-3, 1e3), ap.LogNormal(0.4, 0.5))
    model = ap.PreferenceGP(ap.RBF([0.4, 0.4]), learn={"lengthscale": spec}, integration=CentralComposite()).fit(duels)
    logs = np.array([component.kernel.log_parameters[:2] for component in model.components])
    assert len(logs) == 5
    spread = np.linalg.norm(logs - logs[0], axis=1).max() / (1.1 * np.sqrt(2.0))
    assert 0.45 <= spread <= 0.5 / np.sqrt(0.5) + 1e-9


def test_where_the_evidence_cannot_be_computed_the_curvature_is_that_of_the_prior(monkeypatch):
    duels = noisy_duels(6)
    generative = GenerativeModel(ap.RBF([0.4, 0.4], 2.0), ap.NoiseMap.constant(0.3), ap.Probit().for_duels(duels))
    learn = {"lengthscale": ap.Learn((0.03, 10.0), ap.LogNormal(0.4, 0.5))}
    posterior = HyperparameterPosterior.of(generative, duels, learn)
    fitted = fit(posterior, 1)

    def fail(*args):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(HyperparameterPosterior, "evaluate", fail)
    np.testing.assert_array_equal(compute_curvature(posterior, fitted), np.diag([4.0, 4.0]))
    (only,) = find_nodes(SphericalSimplex(), posterior, fitted)
    assert only.weight == 1.0
    assert only.generative is fitted.model


def test_nodes_stay_inside_the_bounds_and_weights_are_a_distribution():
    """All answers agree, so that the output scale runs to its bound, where the log posterior has a slope."""
    x = np.linspace(0.0, 1.0, 12)[:, None]
    duels = ap.Duels(x, np.arange(1, 12), np.arange(11))
    learn = {"lengthscale": ap.Learn((0.1, 2.0)), "outputscale": ap.Learn((0.5, 50.0))}
    for rule in RULES:
        model = ap.PreferenceGP(ap.RBF(0.5), learn=learn, integration=rule).fit(duels)
        theta = np.exp([component.kernel.log_parameters for component in model.components])
        assert ((theta > [0.1 - 1e-9, 0.5 - 1e-9]) & (theta < [2.0 + 1e-9, 50.0 + 1e-9])).all()
        weights = np.array([component.weight for component in model.components])
        assert (weights > 0.0).all()
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert weights.max() < 0.9 or len(weights) == 1


def test_nodes_beyond_a_bound_do_not_gather_weight_there():
    """The mode is near the upper bound of the length-scale; a dense grid gives the mean."""
    rng = np.random.default_rng(3)
    points = rng.random((14, 1))
    first = np.sin(6 * points[:7, 0]) > np.sin(6 * points[7:, 0])
    winners = np.where(first, np.arange(7), np.arange(7, 14))
    duels = ap.Duels(points, winners, np.where(first, np.arange(7, 14), np.arange(7)))
    learn = {"lengthscale": ap.Learn((0.05, 0.5), ap.LogNormal(0.4, 0.7))}
    given = GenerativeModel(ap.RBF(0.3, 5.0), ap.NoiseMap.constant(1.0), ap.Probit(tie_threshold=0.0))
    posterior = HyperparameterPosterior.of(given, duels, learn)
    grid = np.linspace(*posterior.bounds[0], 400)
    log_density = np.array([posterior.evaluate(np.array([x])).value for x in grid])
    density = np.exp(log_density - log_density.max())
    mean = density @ grid / density.sum()
    deviation = np.sqrt(density @ (grid - mean) ** 2 / density.sum())
    nodes = find_nodes(QuasiMonteCarlo(7), posterior, fit(posterior, 2))
    found = sum(node.weight * node.generative.kernel.log_parameters[0] for node in nodes)
    # It was 0.60 standard deviations off when the ratios were those of the nodes outside of the bounds.
    assert abs(found - mean) < 0.45 * deviation


# -- the model --------------------------------------------------------------------------------------------------------


def test_the_mode_alone_is_the_model_without_integration():
    plain, named = (
        fitted_model("map"),
        ap.PreferenceGP(ap.RBF([0.4, 0.4]), inference="ep", noise=0.3).fit(noisy_duels(15)),
    )
    assert isinstance(plain.posterior, GaussianPosterior)
    assert plain.posterior.beta.tobytes() == named.posterior.beta.tobytes()


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("inference", ["laplace", "ep", "hallucination"])
def test_the_mode_is_the_first_of_several_components(rule, inference):
    model, mode = fitted_model(rule, inference=inference), fitted_model("map", inference=inference)
    assert isinstance(model.posterior, PosteriorMixture)
    assert model.kernel == mode.kernel == model.components[0].kernel
    assert model.log_evidence == mode.log_evidence
    assert model.fit_info == mode.fit_info
    assert model.components[0].posterior.beta.tobytes() == mode.posterior.beta.tobytes()
    lengths = {component.kernel.log_parameters.tobytes() for component in model.components}
    assert 3 <= len(lengths) == len(model.components) <= rule.nodes
    assert [part for _, part in model.posterior.components] == [each.posterior for each in model.components]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_same_duels_give_the_same_bits(rule):
    one, other = fitted_model(rule), fitted_model(rule)
    assert one.posterior.weights.tobytes() == other.posterior.weights.tobytes()
    assert one.posterior.means.tobytes() == other.posterior.means.tobytes()
    again = one.condition(noisy_duels(15))
    assert again.posterior.means.tobytes() == other.posterior.means.tobytes()


def test_conditioning_keeps_nodes_and_weights():
    model = fitted_model(SphericalSimplex())
    before = [(each.weight, each.kernel) for each in model.components]
    model.condition(noisy_duels(18))
    assert [(each.weight, each.kernel) for each in model.components] == before
    assert len(model.posterior.points) == 36


def test_a_model_at_given_nodes_has_their_weighted_components():
    duels, noise = noisy_duels(8), ap.NoiseMap.constant(0.3)
    plain = ap.PreferenceGP(ap.RBF(0.4), inference="ep", noise=noise, learn=None)
    kernels = (ap.RBF(0.4), ap.RBF(0.2, 3.0))
    nodes = [HyperparameterNode(0.5, GenerativeModel(kernel, noise, ap.Probit())) for kernel in kernels]
    model = plain.at_nodes(nodes).condition(duels)
    singles = [ap.PreferenceGP(k, inference="ep", noise=noise, learn=None).condition(duels) for k in kernels]
    Z = np.random.default_rng(0).random((4, 2))
    expected = 0.5 * (singles[0].prob_choose(Z, Z[::-1]) + singles[1].prob_choose(Z, Z[::-1]))
    np.testing.assert_allclose(model.prob_choose(Z, Z[::-1]), expected, atol=1e-6)
    assert plain.condition(duels).posterior.components[0][0] == 1.0, "the original model is unchanged"


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_answers_add_up_to_one_with_a_learnt_threshold(rule):
    duels = noisy_duels(12)
    tied = ap.Duels(duels.points, duels.winners, duels.losers, [[0, 5], [3, 20]])
    model = ap.PreferenceGP(ap.RBF([0.4, 0.4]), inference="ep", noise=0.3, integration=rule).fit(tied)
    assert len({component.likelihood.tau for component in model.components}) > 1
    Z = np.random.default_rng(0).random((5, 2))
    total = model.prob_choose(Z, Z[::-1]) + model.prob_choose(Z[::-1], Z) + model.prob_tie(Z, Z[::-1])
    np.testing.assert_allclose(total, np.ones(5), atol=1e-12)
    assert (model.prob_tie(Z[:2], Z[2:4]) > 0.0).all()


def test_the_expected_mean_after_one_more_duel_is_the_mean_before():
    """The weights change by Bayes' rule, so the average over answers, by their probabilities, changes nothing."""
    model = fitted_model(QuasiMonteCarlo())
    Z, (x, y) = np.random.default_rng(1).random((4, 2)), np.random.default_rng(2).random((2, 2))
    wins = float(model.prob_choose(x[None], y[None])[0])
    first, second = model.posterior_after(x, y), model.posterior_after(y, x)
    assert isinstance(first, PosteriorMixture)
    np.testing.assert_allclose(wins * first.mean(Z) + (1 - wins) * second.mean(Z), model.posterior.mean(Z), atol=1e-9)
    np.testing.assert_allclose(wins * first.weights + (1 - wins) * second.weights, model.posterior.weights, atol=1e-12)
    assert np.abs(first.weights - second.weights).max() > 1e-3


def test_the_expected_gain_is_that_of_posteriors_after_each_answer():
    model = fitted_model(QuasiMonteCarlo())
    pair = np.random.default_rng(2).random((2, 2))
    designs = np.vstack([model.posterior.points, pair])
    wins = float(model.prob_choose(pair[:1], pair[1:])[0])
    after = wins * model.posterior_after(*pair).mean(designs).max()
    after += (1.0 - wins) * model.posterior_after(*pair[::-1]).mean(designs).max()
    gain = after - model.posterior.mean(designs).max()
    span = np.ptp(model.posterior.means)
    assert expected_gain(model, pair) == pytest.approx(gain / span, rel=1e-6, abs=1e-9)
    assert gain > 1e-4


def test_inducing_points_work_with_integration():
    model = fitted_model(SphericalSimplex(), n=20, inducing=6)
    assert isinstance(model.posterior, PosteriorMixture)
    assert model.approximation is not None
    assert model.approximation.designs == 6
    assert np.isfinite(model.posterior.variance(model.designs)).all()
    assert np.isfinite(model.average.variance)


def test_nothing_to_learn_leaves_one_node():
    assert len(fitted_model(QuasiMonteCarlo(), learn=None).components) == 1


def test_parameters_include_the_integration():
    rule = CentralComposite(5)
    model = ap.PreferenceGP(integration=rule)
    assert model.get_params()["integration"] is rule
    assert "integration=CentralComposite(nodes=5" in repr(model)
    assert model.set_params(integration="map").get_params()["integration"] == "map"
    assert "integration" not in repr(ap.PreferenceGP())


def test_unknown_rules_are_refused():
    with pytest.raises(UnknownNameError, match="integration must be one of"):
        ap.PreferenceGP(integration="grid")
    with pytest.raises(InputError, match="integration must be a name or an IntegrationRule; received 8"):
        ap.PreferenceGP(integration=8)
    with pytest.raises(InputError, match="nodes must be a whole number of at least 1; received 0"):
        QuasiMonteCarlo(0)
    assert QuasiMonteCarlo(1).count_nodes(5) == 1


def test_probabilities_of_answers_are_ratios_of_the_evidence_with_and_without_them():
    """Leave-one-out over nodes, whose weights follow the evidence, against the evidence itself."""
    rng = np.random.default_rng(5)
    points = rng.random((8, 2))
    winners, losers = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [2, 0], [5, 1], [3, 6]]).T
    nodes = [
        GenerativeModel(ap.RBF(size, scale), ap.NoiseMap.constant(1.0), ap.Probit())
        for size, scale in [(0.2, 3.0), (1.0, 12.0)]
    ]

    def evidences(rows):
        duels = ap.Duels(points, winners[rows], losers[rows])
        results = []
        for generative in nodes:
            latent = generative.latent(duels)
            results.append(ep_evidence(latent, ap.Probit(), EP().infer(latent, ap.Probit(), rng).sites))
        return np.array(results)

    every = evidences(np.arange(8))
    weights = np.exp(every - every.max())
    weights /= weights.sum()
    model = ap.PreferenceGP(likelihood="probit", inference="ep", learn=None).at_nodes(
        HyperparameterNode(weight, generative) for weight, generative in zip(weights, nodes, strict=True)
    )
    found = model.condition(ap.Duels(points, winners, losers)).prob_answers()
    for k in range(8):
        without = evidences(np.delete(np.arange(8), k))
        assert found[k] == pytest.approx(np.exp(every).sum() / np.exp(without).sum(), abs=0.02)
    alone = [
        model.at_nodes([HyperparameterNode(1.0, each)]).condition(ap.Duels(points, winners, losers)) for each in nodes
    ]
    assert np.abs(found - alone[0].prob_answers()).max() > 0.05, "the nodes differ"
