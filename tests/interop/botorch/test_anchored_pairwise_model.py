"""The model does what BoTorch asks of models: conditioning, samplers, transforms, devices and types, saving."""

import copy
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption, qExpectedUtilityOfBestOption
from botorch.generation import MaxPosteriorSampling
from botorch.models import PairwiseGP
from botorch.models.model import Model, ModelList
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.posteriors import GPyTorchPosterior
from botorch.sampling import IIDNormalSampler, SobolQMCNormalSampler
from gpytorch.distributions import MultivariateNormal
from interop_models import ANCHORS, NOISE, SETTINGS, conditioned, cube, designs, some_duels

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, NotFittedError, ShapeError, UnsupportedError
from anchorpbo.interop.botorch import RAEUBO, AnchoredPairwiseModel, NoiseMap, duels_to_tensors

LOW, WIDE = torch.tensor([80.0, 10.0, -1.0], dtype=torch.float64), torch.tensor([16.0, 10.0, 2.0], dtype=torch.float64)


def normalize():
    return Normalize(3, bounds=torch.stack([LOW, LOW + WIDE]))


@pytest.fixture
def model():
    return AnchoredPairwiseModel(conditioned("ep"))


def test_it_is_a_model_of_one_output(model):
    assert isinstance(model, Model)
    assert model.num_outputs == 1
    assert model.batch_shape == torch.Size()
    posterior = model.posterior(designs(4))
    assert isinstance(posterior, GPyTorchPosterior)
    assert isinstance(posterior.distribution, MultivariateNormal)
    assert posterior.dtype == torch.float64
    assert model.subset_output([0]) is model
    assert torch.equal(model.posterior(designs(4), output_indices=[0]).mean, posterior.mean)
    with pytest.raises(InputError, match=r"the model has one output, 0; received \[1\]"):
        model.subset_output([1])
    with pytest.raises(InputError, match=r"the model has one output, 0; received \[0, 1\]"):
        model.posterior(designs(4), output_indices=[0, 1])


def test_it_has_the_data_of_a_pairwise_gp(model):
    points, comparisons = duels_to_tensors(some_duels())
    assert torch.equal(model.datapoints, points)
    assert torch.equal(model.comparisons, comparisons)
    PairwiseGP(model.datapoints, model.comparisons)
    assert model.best_f == pytest.approx(model.posterior(points).mean.max().item(), abs=1e-12)


# -- where models come from -------------------------------------------------------------------------------------------


def test_it_is_made_from_a_study_as_the_study_is_now():
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1)), anchors=[{"x": 0.5, "y": 0.5}])
    for i in range(6):
        study.tell_preference({"x": 0.1 * i, "y": 0.3}, {"x": 0.9, "y": 0.1 * i})
    bridge, X = AnchoredPairwiseModel(study), designs(5, d=2)
    before = bridge.posterior(X).mean
    np.testing.assert_allclose(before[:, 0], study.acquisition_model.posterior.mean(X.numpy()), atol=1e-12)
    np.testing.assert_allclose(bridge.noise(X), study.noise_map(X.numpy()), rtol=1e-12)
    study.tell_preference({"x": 0.3, "y": 0.9}, {"x": 0.8, "y": 0.8})
    assert torch.equal(bridge.posterior(X).mean, before)


def test_a_later_fit_of_the_numpy_model_does_not_show(model):
    theirs, X = conditioned("laplace"), designs(4)
    bridge = AnchoredPairwiseModel(theirs)
    before = bridge.posterior(X).mean
    theirs.condition(some_duels(seed=3))
    assert torch.equal(bridge.posterior(X).mean, before)
    assert len(bridge.comparisons) == 14


def test_fitting_from_tensors_is_fitting_the_numpy_model():
    points, comparisons = duels_to_tensors(some_duels())
    kernel = ap.RBF(np.full(3, 0.25 * np.sqrt(3)))
    for noise in (NOISE, NoiseMap(NOISE), 0.5):
        theirs = NOISE if not isinstance(noise, float) else noise
        expected = ap.PreferenceGP(kernel, noise=theirs, inference="ep", likelihood="logistic").fit(some_duels())
        here = AnchoredPairwiseModel.fit(points, comparisons, noise, inference="ep", likelihood="logistic")
        np.testing.assert_allclose(
            here.posterior(designs(4)).mean[:, 0], expected.posterior.mean(designs(4).numpy()), atol=1e-12
        )


def test_fitting_takes_ties_and_a_kernel():
    duels = some_duels(ties=3)
    pairs = torch.tensor(np.stack([duels.winners, duels.losers], axis=1))
    kernel = ap.Matern52(0.5, 2.0)
    bridge = AnchoredPairwiseModel.fit(
        torch.tensor(duels.points), pairs, NOISE, ties=torch.tensor(duels.ties), kernel=kernel, learn=None
    )
    expected = ap.PreferenceGP(kernel, noise=NOISE, learn=None).condition(duels)
    assert bridge.preference_gp.likelihood.tau > 0
    np.testing.assert_allclose(
        bridge.posterior(designs(4)).mean[:, 0], expected.posterior.mean(designs(4).numpy()), atol=1e-12
    )


# -- new duels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SETTINGS)
def test_conditioning_is_inference_on_all_duels_at_the_same_hyper_parameters(kind):
    theirs = conditioned(kind)
    bridge, X = AnchoredPairwiseModel(theirs), designs(3, seed=11)
    # One of them is a design compared before.
    X = torch.cat([X, bridge.datapoints[:1]])
    more = bridge.condition_on_observations(X, torch.tensor([[0, 1], [3, 2]]))
    numbers = X.numpy()
    duels = some_duels().with_win(numbers[0], numbers[1]).with_win(numbers[3], numbers[2])
    expected = conditioned(kind).condition(duels)
    assert more.preference_gp.duels == duels
    assert len(more.datapoints) == len(bridge.datapoints) + 3
    at = designs(5)
    np.testing.assert_allclose(more.posterior(at).mean[:, 0], expected.posterior.mean(at.numpy()), atol=1e-12)
    assert len(bridge.comparisons) == 14


def test_conditioning_follows_the_convention_of_pairwise_gp(model):
    new, wins = designs(3, seed=11), torch.tensor([[0, 1], [1, 2]])
    theirs = PairwiseGP(model.datapoints, model.comparisons).condition_on_observations(new, wins)
    ours = model.condition_on_observations(new, wins)
    for side in (0, 1):
        np.testing.assert_allclose(
            ours.datapoints[ours.comparisons[:, side]], theirs.datapoints[theirs.comparisons[:, side]]
        )


def test_conditioning_takes_ties_and_keeps_the_threshold_open(model):
    new = designs(2, seed=11)
    more = model.condition_on_observations(new, torch.empty(0, 2, dtype=torch.long), ties=torch.tensor([[0, 1]]))
    assert len(more.preference_gp.duels.ties) == 1
    assert more.preference_gp.likelihood.tau > 0


def test_conditioning_on_anything_else_is_refused(model):
    X = designs(2)
    rule = "conditioned on comparisons Y, m x 2 row numbers, of designs X, n x d"
    with pytest.raises(InputError, match=f"{rule}.*torch.float64; condition once"):
        model.condition_on_observations(X, torch.zeros(2, 1, dtype=torch.float64))
    with pytest.raises(InputError, match=rf"{rule}; received X of \(4, 2, 3\)"):
        model.condition_on_observations(designs(4, 2), torch.tensor([[0, 1]]))
    with pytest.raises(ShapeError, match=r"comparisons must have shape m x 2; received \(1, 3\)"):
        model.condition_on_observations(X, torch.tensor([[0, 1, 1]]))
    with pytest.raises(InputError, match="winners must be row numbers of points, 0 to 1; received 2"):
        model.condition_on_observations(X, torch.tensor([[2, 1]]))


# -- noise, transforms, samplers --------------------------------------------------------------------------------------


def test_observation_noise_is_the_variance_of_a_judgement(model):
    X = designs(2, 3)
    plain, noisy = (model.posterior(X, observation_noise=wanted) for wanted in (False, True))
    added = noisy.distribution.covariance_matrix - plain.distribution.covariance_matrix
    np.testing.assert_allclose(added, torch.diag_embed(torch.tensor(NOISE(X.reshape(-1, 3)).reshape(2, 3))), atol=1e-13)
    # So a judged utility beats another as often as the model says.
    difference = torch.tensor([1.0, -1.0, 0.0], dtype=torch.float64)
    mean, std = noisy.mean[..., 0] @ difference, (difference @ noisy.distribution.covariance_matrix @ difference).sqrt()
    chosen = model.preference_gp.prob_choose(X[:, 0].numpy(), X[:, 1].numpy())
    np.testing.assert_allclose(torch.distributions.Normal(0.0, 1.0).cdf(mean / std), chosen, atol=1e-12)


def test_observation_noise_can_be_given(model):
    X, variances = designs(2, 3), torch.rand(2, 3, 1, dtype=torch.float64)
    plain = model.posterior(X).variance
    np.testing.assert_allclose(model.posterior(X, observation_noise=variances).variance, plain + variances)
    one = torch.full((1, 1), 0.3, dtype=torch.float64)
    np.testing.assert_allclose(model.posterior(X, observation_noise=one).variance, plain + 0.3)


def test_a_logistic_level_is_no_variance():
    model = AnchoredPairwiseModel(conditioned("laplace-logistic"))
    with pytest.raises(UnsupportedError, match="under the probit link only; received Logistic"):
        model.posterior(designs(3), observation_noise=True)


def test_a_posterior_transform_is_applied(model):
    transform = ScalarizedPosteriorTransform(torch.tensor([2.0], dtype=torch.float64), offset=1.0)
    X = designs(2, 3)
    plain, scaled = model.posterior(X), model.posterior(X, posterior_transform=transform)
    np.testing.assert_allclose(scaled.mean, 1.0 + 2.0 * plain.mean)
    np.testing.assert_allclose(scaled.variance, 4.0 * plain.variance)


@pytest.mark.parametrize("sampler", [SobolQMCNormalSampler, IIDNormalSampler])
def test_samplers_draw_from_the_joint_posterior(model, sampler):
    X = designs(2, 3).requires_grad_()
    posterior = model.posterior(X)
    draws = sampler(torch.Size([4096]), seed=0)(posterior)
    assert draws.shape == (4096, 2, 3, 1)
    flat = draws.detach()[:, 1, :, 0].numpy()
    np.testing.assert_allclose(flat.mean(axis=0), posterior.mean.detach()[1, :, 0], atol=0.1)
    np.testing.assert_allclose(np.cov(flat.T), posterior.distribution.covariance_matrix.detach()[1], atol=0.15)
    draws.sum().backward()
    assert torch.isfinite(X.grad).all()


def test_posterior_samples_choose_among_candidates(model):
    torch.manual_seed(0)
    chosen = MaxPosteriorSampling(model, replacement=False)(designs(50), num_samples=3)
    assert chosen.shape == (3, 3)
    assert all((designs(50) == design).all(dim=1).any() for design in chosen)


@pytest.mark.parametrize("shape", [(0, 2), (0,), (2, 0), (0, 3, 2)])
def test_no_designs_have_a_posterior_too(model, shape):
    X = designs(*shape).requires_grad_()
    posterior = model.posterior(X)
    assert posterior.mean.shape == (*shape, 1)
    assert posterior.distribution.covariance_matrix.shape == (*shape, shape[-1])
    posterior.mean.sum().backward()
    assert X.grad.shape == X.shape


def test_designs_need_not_be_contiguous(model):
    X = designs(4, 3).transpose(0, 1)
    assert torch.equal(model.posterior(X).mean, model.posterior(X.contiguous()).mean)
    expanded = designs(1, 4).expand(5, 4, 3)
    assert torch.equal(model.posterior(expanded).mean, model.posterior(expanded.clone()).mean)


def test_monte_carlo_eubo_comes_near_the_analytic_one(model):
    sampler = SobolQMCNormalSampler(torch.Size([8192]), seed=0)
    X = designs(10, 2)
    np.testing.assert_allclose(
        qExpectedUtilityOfBestOption(model, sampler=sampler)(X),
        AnalyticExpectedUtilityOfBestOption(model)(X),
        atol=0.01,
    )


def test_pending_pairs_go_with_monte_carlo_eubo(model):
    sampler = SobolQMCNormalSampler(torch.Size([64]), seed=0)
    pending = designs(2, seed=9)
    acquisition = qExpectedUtilityOfBestOption(model, sampler=sampler, X_pending=pending)
    together = qExpectedUtilityOfBestOption(model, sampler=sampler)(torch.cat([designs(2), pending]))
    np.testing.assert_allclose(acquisition(designs(2)), together, atol=1e-12)


# What linear_operator says of designs that nearly coincide, whatever the model.
@pytest.mark.filterwarnings("ignore:A not p.d.:linear_operator.utils.warnings.NumericalWarning")
def test_noisy_expected_improvement_can_be_maximised(model):
    torch.manual_seed(0)
    acquisition = qLogNoisyExpectedImprovement(
        model,
        X_baseline=model.datapoints,
        sampler=SobolQMCNormalSampler(torch.Size([32]), seed=0),
        prune_baseline=True,
        cache_root=False,
    )
    candidates, value = optimize_acqf(acquisition, cube(), q=2, num_restarts=2, raw_samples=16)
    assert candidates.shape == (2, 3)
    assert torch.isfinite(value)


def test_it_can_be_part_of_a_list_of_models(model):
    both = ModelList(model, model)
    assert both.posterior(designs(4)).mean.shape == (4, 2)
    assert both.subset_output([1]) is model


# -- units, types, devices --------------------------------------------------------------------------------------------


def test_designs_in_other_units_go_through_the_transform():
    points, comparisons = duels_to_tensors(some_duels())
    anchors = torch.tensor(ANCHORS)
    plain = AnchoredPairwiseModel.fit(points, comparisons, NoiseMap.bounded(anchors))
    noise = NoiseMap.bounded(LOW + WIDE * anchors, input_transform=normalize())
    raw = AnchoredPairwiseModel.fit(LOW + WIDE * points, comparisons, noise, input_transform=normalize())
    X = designs(6, 2)
    np.testing.assert_allclose(raw.posterior(LOW + WIDE * X).mean, plain.posterior(X).mean, atol=1e-6)
    np.testing.assert_allclose(raw.datapoints, LOW + WIDE * points, rtol=1e-12)
    np.testing.assert_allclose(raw.noise(LOW + WIDE * X), plain.noise(X), rtol=1e-9)
    values = RAEUBO(raw, raw.noise, 1.0)(LOW + WIDE * X)
    np.testing.assert_allclose(values, RAEUBO(plain, plain.noise, 1.0)(X), atol=1e-6)
    more = raw.condition_on_observations(LOW + WIDE * designs(2), torch.tensor([[0, 1]]))
    np.testing.assert_allclose(more.datapoints[-2:], LOW + WIDE * designs(2), rtol=1e-12)
    raw.train()
    np.testing.assert_allclose(raw.posterior(LOW + WIDE * X).mean, plain.posterior(X).mean, atol=1e-6)


def test_a_transform_learns_from_the_datapoints():
    points, comparisons = duels_to_tensors(some_duels())
    model = AnchoredPairwiseModel.fit(LOW + WIDE * points, comparisons, input_transform=Normalize(3), learn=None)
    inside = model.preference_gp.designs
    np.testing.assert_allclose(inside.min(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(inside.max(axis=0), 1.0, atol=1e-12)
    before = model.posterior(LOW + WIDE * designs(4)).mean
    assert torch.equal(model.train().posterior(LOW + WIDE * designs(4)).mean, before)


def test_a_transform_that_learns_on_elsewhere_does_not_show():
    points, comparisons = duels_to_tensors(some_duels())
    transform = Normalize(3)
    model = AnchoredPairwiseModel.fit(LOW + WIDE * points, comparisons, input_transform=transform, learn=None)
    before = model.posterior(LOW + WIDE * designs(4)).mean
    transform.train()(1000.0 * points)
    assert torch.equal(model.posterior(LOW + WIDE * designs(4)).mean, before)
    assert transform.training


def test_designs_outside_the_cube_need_a_transform():
    points, comparisons = duels_to_tensors(some_duels())
    with pytest.raises(
        InputError, match=r"datapoints must be in the unit cube after the transform; received .*; pass input_trans"
    ):
        AnchoredPairwiseModel.fit(LOW + WIDE * points, comparisons)
    # One that learnt its range from the designs compared may be too narrow for those to come.
    model = AnchoredPairwiseModel.fit(LOW + WIDE * points, comparisons, input_transform=Normalize(3), learn=None)
    with pytest.raises(
        InputError, match=r"X must be in the unit cube after the transform; received 1\.\d+; .*all future designs"
    ):
        model.condition_on_observations(torch.stack([LOW + WIDE, LOW + WIDE / 2]), torch.tensor([[0, 1]]))


def other_bounds():
    return Normalize(3, bounds=torch.stack([LOW, LOW + 2.0 * WIDE]))


@pytest.mark.parametrize("transforms", [(None, normalize), (normalize, None), (other_bounds, normalize)])
def test_a_noise_map_that_sees_other_designs_than_the_model_is_refused(transforms):
    points, comparisons = duels_to_tensors(some_duels())
    for_map, for_model = (None if make is None else make() for make in transforms)
    noise = NoiseMap.bounded(LOW + WIDE * torch.tensor(ANCHORS), input_transform=for_map)
    given = points if for_model is None else LOW + WIDE * points
    with pytest.raises(
        IncompatibleError, match=r"same input_transform; received a design at \(.*\) for the model and at"
    ):
        AnchoredPairwiseModel.fit(given, comparisons, noise, input_transform=for_model)
    with pytest.raises(IncompatibleError, match="same input_transform"):
        AnchoredPairwiseModel.from_pairwise_gp(PairwiseGP(given, comparisons, input_transform=for_model), noise)


def test_a_noise_map_whose_transform_leads_to_the_same_place_is_taken_whatever_its_kind():
    points, comparisons = duels_to_tensors(some_duels())
    raw, learnt = LOW + WIDE * points, Normalize(3)
    learnt(raw)
    known = Normalize(3, bounds=torch.stack([raw.amin(0), raw.amax(0)]))
    noise = NoiseMap.bounded(raw[:3], input_transform=known)
    model = AnchoredPairwiseModel.fit(raw, comparisons, noise, input_transform=learnt, learn=None)
    np.testing.assert_allclose(model.noise(raw), noise(raw), rtol=1e-9)


def test_float32_is_taken_as_float64_and_never_rounds_the_model(model):
    X = designs(3)
    expected = model.posterior(X.float().double())
    posterior = model.posterior(X.float())
    assert posterior.dtype == torch.float64
    assert torch.equal(posterior.mean, expected.mean)
    single = X.float().requires_grad_()
    model.posterior(single).mean.sum().backward()
    assert single.grad.dtype == torch.float32
    model.float()
    assert model.components[0].beta.dtype == torch.float64
    assert torch.equal(model.posterior(X).variance, AnchoredPairwiseModel(conditioned("ep")).posterior(X).variance)


def test_a_float32_design_is_the_same_one_wherever_it_is_given():
    points, comparisons = duels_to_tensors(some_duels())
    raw = (LOW + WIDE * points).float()
    bounds = torch.stack([LOW, LOW + WIDE]).float()
    model = AnchoredPairwiseModel.fit(raw, comparisons, input_transform=Normalize(3, bounds=bounds), learn=None)
    more = model.condition_on_observations(raw[:2], torch.tensor([[0, 1]]))
    assert len(more.datapoints) == len(model.datapoints)


def test_devices_are_followed(model):
    moved = copy.deepcopy(model).to("meta")
    assert moved.components[0].root.device.type == moved.noise.scale.device.type == "meta"


def test_float32_search_works(model):
    torch.manual_seed(0)
    acquisition = AnalyticExpectedUtilityOfBestOption(model)
    candidate, value = optimize_acqf(acquisition, cube().float(), q=2, num_restarts=2, raw_samples=32)
    assert candidate.dtype == torch.float32
    assert torch.isfinite(value)


@pytest.mark.parametrize("kind", SETTINGS)
def test_it_can_be_copied_and_saved(kind):
    model, X = AnchoredPairwiseModel(conditioned(kind)), designs(2, 2)
    expected = model.posterior(X).distribution
    buffer = io.BytesIO()
    torch.save(model, buffer)
    buffer.seek(0)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(buffer, weights_only=False)]
    for other in copies:
        here = other.posterior(X).distribution
        assert torch.equal(here.mean, expected.mean)
        assert torch.equal(here.covariance_matrix, expected.covariance_matrix)
        assert torch.equal(other.condition_on_observations(X[0], torch.tensor([[0, 1]])).datapoints[-2:], X[0])
    assert not [name for name in model.state_dict() if not name.startswith("noise.")]


# -- mistakes ---------------------------------------------------------------------------------------------------------


def test_bad_input_is_refused(model):
    with pytest.raises(NotFittedError, match="has seen no duels yet; call fit or condition first"):
        AnchoredPairwiseModel(ap.PreferenceGP())
    with pytest.raises(NotFittedError):
        AnchoredPairwiseModel(ap.Optimizer(ap.Space(x=ap.Real(0, 1))))
    with pytest.raises(InputError, match="model must be a PreferenceGP or an Optimizer; received PairwiseGP"):
        AnchoredPairwiseModel(PairwiseGP(*duels_to_tensors(some_duels())))
    with pytest.raises(ShapeError, match=r"X must have shape \.\.\. x 3; received \(4, 2\); give one design per row"):
        model.posterior(torch.rand(4, 2))
    with pytest.raises(ShapeError, match=r"X must have shape \.\.\. x 3; received \(3,\)"):
        model.posterior(torch.rand(3))
    with pytest.raises(InputError, match="X must be finite; received nan"):
        model.posterior(torch.full((2, 3), torch.nan))
    with pytest.raises(InputError, match="X must be a tensor of floats; received ndarray"):
        model.posterior(np.zeros((2, 3)))


def test_a_second_derivative_is_refused(model):
    X = designs(2).requires_grad_()
    for value in (model.posterior(X).mean, model.posterior(X).variance):
        with pytest.raises(UnsupportedError, match="have only first derivatives; received create_graph=True"):
            torch.autograd.grad(value.sum(), X, create_graph=True)


def test_without_the_extra_it_says_what_to_install():
    program = "import sys; sys.modules['torch'] = None; import anchorpbo.interop.botorch"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert 'needs packages that are not installed; pip install "anchorpbo[botorch]".' in run.stderr
