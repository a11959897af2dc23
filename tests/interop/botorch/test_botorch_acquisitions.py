"""ANPEI, RAHBO and RAEUBO on any BoTorch model, held to BoTorch's own habits and to our numbers."""

import numpy as np
import pytest
import torch
from botorch.acquisition.analytic import (
    LogConstrainedExpectedImprovement,
    LogExpectedImprovement,
    PosteriorMean,
    UpperConfidenceBound,
)
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions.errors import UnsupportedError as BotorchUnsupportedError
from botorch.models import PairwiseGP, SingleTaskGP
from botorch.models.model import Model
from botorch.models.transforms.input import Normalize
from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from interop_models import ANCHORS, NOISE, SETTINGS, conditioned, designs, some_duels
from torch.autograd import gradcheck

import anchorpbo as ap
from anchorpbo.errors import InputError, ShapeError, UnknownNameError
from anchorpbo.interop.botorch import (
    ANPEI,
    RAEUBO,
    RAHBO,
    AnchoredPairwiseModel,
    NoiseMap,
    NoisePenalised,
    duels_to_tensors,
)

noise = NoiseMap(NOISE)
BEST = 0.4

ACQUISITIONS = {
    "anpei": (lambda m, **o: ANPEI(m, noise, BEST, 0.5, **o), ap.acquisition.ANPEI(0.5), 1),
    "anpei-variance": (
        lambda m, **o: ANPEI(m, noise, BEST, 2.0, "variance", **o),
        ap.acquisition.ANPEI(2.0, "variance"),
        1,
    ),
    "anpei-log": (lambda m, **o: ANPEI(m, noise, BEST, 0.5, log=True, **o), ap.acquisition.ANPEI(0.5, log=True), 1),
    "rahbo": (lambda m, **o: RAHBO(m, noise, 0.7, 3.0, **o), ap.acquisition.RAHBO(0.7, 3.0), 1),
    "raeubo": (lambda m, **o: RAEUBO(m, noise, 1.5, **o), ap.acquisition.RAEUBO(1.5), 2),
}
every_acquisition = pytest.mark.parametrize(("build", "ours", "q"), ACQUISITIONS.values(), ids=ACQUISITIONS)


def regression(d=3, outputs=1, batch=(), **options):
    X = designs(*batch, 8, d=d)
    Y = torch.stack([torch.sin(3.0 * X.sum(-1) + i) for i in range(outputs)], dim=-1)
    return SingleTaskGP(X, Y, **options).eval()


def pairwise():
    return PairwiseGP(*duels_to_tensors(some_duels())).eval()


@every_acquisition
@pytest.mark.parametrize("kind", SETTINGS)
def test_values_and_gradients_are_those_of_the_numpy_acquisition(kind, build, ours, q):
    model = conditioned(kind)
    X = designs(40, q, seed=6).requires_grad_()
    values = build(AnchoredPairwiseModel(model))(X)
    values.sum().backward()
    bound = ours.bind(model.posterior, NOISE, BEST)
    items = X.detach().numpy().reshape(40, *bound.item_shape)
    expected, gradient = bound.value_and_gradient(items)
    np.testing.assert_allclose(values.detach(), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(X.grad.reshape(gradient.shape), gradient, rtol=1e-8, atol=1e-8)


@every_acquisition
@pytest.mark.parametrize("model", [regression, pairwise, lambda: AnchoredPairwiseModel(conditioned("ep"))])
def test_gradients_are_those_of_finite_differences_on_any_model(build, ours, q, model):
    X = designs(3, q, seed=7).requires_grad_()
    assert gradcheck(build(model()), (X,))


@every_acquisition
def test_on_a_regression_the_value_is_the_formula_in_its_moments(build, ours, q):
    model, X = regression(), designs(5, q)
    with torch.no_grad():
        posterior = model.posterior(X)
        means, covariance = posterior.mean[..., 0].numpy(), posterior.distribution.covariance_matrix.numpy()
        values = build(model)(X).numpy()
    n = NOISE(X.reshape(-1, 3)).reshape(5, q)
    if q == 1:
        expected = ours.partials(means[:, 0], np.sqrt(covariance[:, 0, 0]), n[:, 0], BEST).value
    else:
        std = np.sqrt(covariance[:, 0, 0] + covariance[:, 1, 1] - 2.0 * covariance[:, 0, 1])
        expected = ours.partials(means[:, 0], means[:, 1], std, n[:, 0], n[:, 1]).value
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-10)


@every_acquisition
@pytest.mark.parametrize("model", [regression, lambda: AnchoredPairwiseModel(conditioned("ep"))])
def test_batches_of_any_shape_give_the_values_of_their_items(build, ours, q, model):
    acquisition, X = build(model()), designs(2, 3, q)
    with torch.no_grad():
        values = acquisition(X)
        assert values.shape == (2, 3)
        assert acquisition(X[0, 0]).shape == (1,)
        one_by_one = torch.stack([acquisition(x) for x in X.reshape(6, q, 3)]).reshape(2, 3)
    np.testing.assert_allclose(values, one_by_one, rtol=0, atol=1e-12)


@every_acquisition
def test_a_batch_of_models_gives_a_value_each(build, ours, q):
    acquisition = build(regression(batch=(2,)))
    with torch.no_grad():
        assert acquisition(designs(q)).shape == (2,)
        assert acquisition(designs(5, 1, q)).shape == (5, 2)
        assert acquisition(designs(5, 2, q)).shape == (5, 2)


@pytest.mark.parametrize("name", ["anpei", "rahbo"])
def test_one_design_at_a_time(name):
    with pytest.raises(AssertionError, match="q=1"):
        ACQUISITIONS[name][0](regression())(designs(4, 2))


def test_raeubo_takes_pairs():
    with pytest.raises(ShapeError, match=r"scores pairs, so X must have shape b x 2 x d; received \(4, 1, 3\)"):
        RAEUBO(regression(), noise)(designs(4, 1))
    winner = RAEUBO(regression(), noise, previous_winner=designs(1))
    with pytest.raises(ShapeError, match=r"beside the previous winner, so X must have shape b x 1 x d"):
        winner(designs(4, 2))
    with pytest.raises(ShapeError, match=r"previous_winner must have shape 1 x d; received \(2, 3\)"):
        RAEUBO(regression(), noise, previous_winner=designs(2))


def test_the_previous_winner_is_the_second_of_each_pair():
    model, winner, X = AnchoredPairwiseModel(conditioned("ep")), designs(1, seed=9), designs(5, 1)
    values = RAEUBO(model, noise, 1.0, winner)(X)
    pairs = torch.cat([X, winner.expand(5, 1, 3)], dim=1)
    np.testing.assert_allclose(values, RAEUBO(model, noise, 1.0)(pairs), rtol=0, atol=1e-13)


@every_acquisition
def test_pending_designs_are_refused_as_by_other_analytic_acquisitions(build, ours, q):
    with pytest.raises(BotorchUnsupportedError, match="do not account for X_pending"):
        build(regression()).set_X_pending(designs(1))


@every_acquisition
def test_several_outputs_need_a_posterior_transform(build, ours, q):
    model, X = regression(outputs=2), designs(4, q)
    with pytest.raises(BotorchUnsupportedError, match="Must specify a posterior transform"):
        build(model)
    transform = ScalarizedPosteriorTransform(torch.tensor([1.0, 0.0], dtype=torch.float64))
    one = build(model.subset_output([0]))
    np.testing.assert_allclose(
        build(model, posterior_transform=transform)(X).detach(), one(X).detach(), rtol=0, atol=1e-10
    )


class Two(Model):
    """An ensemble of two Gaussians with a dimension of its own before q, as BoTorch's fully Bayesian models have."""

    _is_ensemble = True
    num_outputs = 1
    batch_shape = torch.Size([2])

    def posterior(self, X, **options):
        means = torch.stack([X.sum(-1), X.prod(-1)], dim=-2)
        root = torch.stack([X, X.flip(-1)], dim=-3)
        eye = 0.1 * torch.eye(X.shape[-2], dtype=X.dtype)
        return GPyTorchPosterior(MultivariateNormal(means, root @ root.mT + eye))


class Single(Two):
    _is_ensemble = False
    batch_shape = torch.Size()

    def __init__(self, index):
        super().__init__()
        self.index = index

    def posterior(self, X, **options):
        both = super().posterior(X).distribution
        here = both.mean[..., self.index, :], both.covariance_matrix[..., self.index, :, :]
        return GPyTorchPosterior(MultivariateNormal(*here))


@pytest.mark.parametrize("name", ["anpei", "rahbo", "raeubo"])
def test_an_ensemble_is_averaged_over(name):
    build, _, q = ACQUISITIONS[name]
    X = designs(4, 3, q)
    expected = (build(Single(0))(X) + build(Single(1))(X)) / 2
    np.testing.assert_allclose(build(Two())(X), expected, rtol=0, atol=1e-12)


def test_the_model_transforms_its_inputs_and_the_map_its_own():
    low, wide = torch.tensor([80.0, 10.0, -1.0], dtype=torch.float64), torch.tensor([16.0, 10.0, 2.0])
    X, Y = designs(8), torch.sin(3.0 * designs(8).sum(-1, keepdim=True))
    plain = SingleTaskGP(X, Y).eval()
    raw = SingleTaskGP(low + wide * X, Y, input_transform=Normalize(3, bounds=torch.stack([low, low + wide]))).eval()
    raw.load_state_dict(plain.state_dict(), strict=False)
    anchors = torch.tensor(ANCHORS)
    here = RAHBO(plain, NoiseMap.bounded(anchors))
    there = RAHBO(raw, NoiseMap.bounded(low + wide * anchors, input_transform=raw.input_transform))
    candidates = designs(6, 1, seed=8)
    np.testing.assert_allclose(there(low + wide * candidates).detach(), here(candidates).detach(), atol=1e-9)


def test_without_risk_aversion_they_are_what_botorch_has():
    model, X = AnchoredPairwiseModel(conditioned("ep")), designs(9, 1)
    best = torch.tensor(BEST, dtype=torch.float64)
    np.testing.assert_allclose(ANPEI(model, noise, BEST, 0.0)(X), LogExpectedImprovement(model, best)(X).exp())
    assert torch.equal(RAHBO(model, noise, 2.0, 0.0)(X), UpperConfidenceBound(model, beta=4.0)(X))
    pairs = designs(9, 2)
    np.testing.assert_allclose(
        RAEUBO(model, noise, 0.0)(pairs), AnalyticExpectedUtilityOfBestOption(model)(pairs), atol=1e-12
    )


def test_any_analytic_acquisition_can_be_penalised():
    model = conditioned("ep")
    X = designs(7, 1)
    values = NoisePenalised(PosteriorMean(AnchoredPairwiseModel(model)), NOISE, 10.0)(X)
    points = X[:, 0].numpy()
    np.testing.assert_allclose(values, model.posterior.mean(points) - 10.0 * NOISE(points), atol=1e-12)


def test_an_acquisition_with_constraints_on_further_outputs_can_be_penalised():
    base = LogConstrainedExpectedImprovement(regression(outputs=2), BEST, 0, {1: (None, 0.5)})
    X = designs(7, 1)
    with torch.no_grad():
        values = NoisePenalised(base, noise, 2.0, "std")(X)
        np.testing.assert_allclose(values, base(X) - 2.0 * noise(X)[:, 0].sqrt(), atol=1e-12)


def test_a_pair_of_one_design_has_its_own_value_and_a_finite_gradient():
    model = AnchoredPairwiseModel(conditioned("ep"))
    x = designs(1, seed=3)
    X = torch.cat([x, x]).requires_grad_()
    value = RAEUBO(model, noise, 1.0)(X)
    value.sum().backward()
    expected = model.posterior(x).mean.detach() - noise(x).unsqueeze(-1)
    np.testing.assert_allclose(value.detach(), expected.ravel(), atol=1e-6)
    assert torch.isfinite(X.grad).all()


def test_log_improvement_is_exact_far_below_the_best():
    model, X = conditioned("ep"), designs(9, 1).requires_grad_()
    best = torch.tensor([5.0, 50.0, 500.0], dtype=torch.float64)
    for target in best.tolist():
        values = ANPEI(AnchoredPairwiseModel(model), noise, target, 0.5, log=True)(X)
        bound = ap.acquisition.ANPEI(0.5, log=True).bind(model.posterior, NOISE, target)
        expected, gradient = bound.value_and_gradient(X.detach()[:, 0].numpy())
        np.testing.assert_allclose(values.detach(), expected, rtol=1e-9)
        (slope,) = torch.autograd.grad(values.sum(), X)
        np.testing.assert_allclose(slope[:, 0], gradient, rtol=1e-6)


def test_float32_designs_are_taken():
    model = AnchoredPairwiseModel(conditioned("ep"))
    before = model.posterior(designs(4)).mean
    for build, _, q in ACQUISITIONS.values():
        X = designs(3, q)
        np.testing.assert_allclose(build(model)(X.float()), build(model)(X), rtol=1e-4, atol=1e-4)
    # BoTorch casts the acquisition, and the model in it, to the type of X; ours keeps its digits.
    assert torch.equal(model.posterior(designs(4)).mean, before)
    assert noise.scale.dtype == torch.float64


def test_bad_parameters_are_refused():
    model = regression()
    with pytest.raises(InputError, match="risk_aversion must be a finite number of at least 0"):
        RAEUBO(model, noise, -1.0)
    with pytest.raises(InputError, match="risk_aversion must be a finite number of at least 0"):
        ANPEI(model, noise, 0.0, torch.nan)
    with pytest.raises(InputError, match="exploration must be a finite number of at least 0"):
        RAHBO(model, noise, -2.0)
    with pytest.raises(UnknownNameError, match="penalty must be one of std, variance; received 'mean'"):
        ANPEI(model, noise, 0.0, penalty="mean")
    with pytest.raises(InputError, match=r"noise must be a NoiseMap; received 1.0; use NoiseMap\.bounded"):
        RAHBO(model, 1.0)
    with pytest.raises(
        InputError, match="base must be an analytic acquisition function; received qLogExpectedImprovement"
    ):
        NoisePenalised(qLogExpectedImprovement(model, 0.0), noise)
    with pytest.raises(ShapeError, match=r"X must have shape \.\.\. x 3"):
        RAHBO(regression(d=2), noise)(designs(4, 1, d=2))
