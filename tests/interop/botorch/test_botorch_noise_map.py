"""The noise map as a torch module: the numbers of the numpy map, autograd, and what modules are expected to do."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch
from botorch.models.transforms.input import InputPerturbation, Normalize
from interop_models import ANCHORS, cube, designs
from torch.autograd import gradcheck, gradgradcheck

import anchorpbo as ap
from anchorpbo.errors import InputError, ShapeError, UnsupportedError
from anchorpbo.interop.botorch import NoiseMap
from anchorpbo.reliability import EuclideanMetric, NoiseCorrection, Reliability

TENSOR = torch.tensor(ANCHORS)
MAPS = {
    "paper": ap.NoiseMap.from_anchors(ANCHORS),
    "paper-narrow": ap.NoiseMap.from_anchors(ANCHORS, bandwidth=0.3, scale=2.0),
    "density": ap.NoiseMap.from_anchors(ANCHORS, normalised=True),
    "unit-gaussian": ap.NoiseMap.from_anchors(ANCHORS, bandwidth=0.5, profile="unit-gaussian"),
    "bounded": ap.NoiseMap.bounded(ANCHORS, scale=0.7, strength=4.0),
    "bounded-categorical": ap.NoiseMap.bounded(ANCHORS, 0.6, metric=EuclideanMetric(categorical=(1,))),
    "scaled": ap.NoiseMap.bounded(ANCHORS, 0.6, metric=EuclideanMetric((1,), (1.0, 2.5, 2.0))),
    "scaled-density": ap.NoiseMap.from_anchors(ANCHORS, 1.1, metric=EuclideanMetric((), (1.0, 2.5, 2.0))),
    "adaptive": ap.NoiseMap.bounded(ANCHORS, 0.4, adaptive=True),
    "per-dimension": ap.NoiseMap.bounded(ANCHORS, [0.2, 0.3, 0.5], metric=EuclideanMetric((1,))),
    "signed": ap.NoiseMap.bounded(ANCHORS[:1], 0.4, negative=ANCHORS[1:]),
    "negative": ap.NoiseMap.bounded([], 0.4, negative=ANCHORS),
    "constant": ap.NoiseMap.constant(0.4),
}


@pytest.mark.parametrize("numpy_map", MAPS.values(), ids=MAPS)
def test_values_and_gradients_are_those_of_the_numpy_map(numpy_map):
    # Far away, near by, and at an anchor.
    X = torch.cat([designs(50), TENSOR, TENSOR + 1e-6, 9.0 + TENSOR]).requires_grad_()
    noise = NoiseMap(numpy_map)
    values = noise(X)
    values.sum().backward()
    expected, gradient = numpy_map.value_and_gradient(X.detach().numpy())
    np.testing.assert_allclose(values.detach(), expected, rtol=1e-12)
    np.testing.assert_allclose(X.grad, gradient, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(noise.reliability(X).detach(), numpy_map.reliability(X.detach().numpy()), atol=1e-14)


@pytest.mark.parametrize("numpy_map", MAPS.values(), ids=MAPS)
def test_gradients_are_those_of_finite_differences_for_any_batch_shape(numpy_map):
    noise = NoiseMap(numpy_map)
    X = designs(2, 3, 2, seed=5).requires_grad_()
    assert noise(X).shape == (2, 3, 2)
    assert gradcheck(noise, (X,))
    assert gradgradcheck(noise, (X,))


def test_a_learnt_correction_is_refused_rather_than_ignored():
    learnt = MAPS["bounded"].with_correction(NoiseCorrection(ANCHORS, 0.3, factors=np.full(len(ANCHORS), 2.0)))
    with pytest.raises(UnsupportedError, match=r"no learnt correction; received .* centres.*with_correction\(None\)"):
        NoiseMap(learnt)
    assert NoiseMap(learnt.with_correction(None)).to_numpy() == MAPS["bounded"]


def test_the_constructors_are_those_of_the_numpy_map():
    for here, there in [
        (
            NoiseMap.from_anchors(TENSOR, bounds=(1.0, 3.0), scale=2.0),
            ap.NoiseMap.from_anchors(ANCHORS, "loo", (1, 3), 2),
        ),
        (NoiseMap.bounded(TENSOR, 0.2, strength=5.0), ap.NoiseMap.bounded(ANCHORS, 0.2, strength=5.0)),
        (
            NoiseMap.bounded(TENSOR[:1], 0.2, negative=TENSOR[1:]),
            ap.NoiseMap.bounded(ANCHORS[:1], 0.2, negative=ANCHORS[1:]),
        ),
        (NoiseMap.bounded(TENSOR, 0.4, adaptive=True), ap.NoiseMap.bounded(ANCHORS, 0.4, adaptive=True)),
        (NoiseMap.bounded(TENSOR, [0.2, 0.3, 0.5]), ap.NoiseMap.bounded(ANCHORS, [0.2, 0.3, 0.5])),
        (NoiseMap.constant(0.3), ap.NoiseMap.constant(0.3)),
    ]:
        assert here.to_numpy() == there


def test_the_floor_holds_and_has_no_slope():
    noise = NoiseMap.bounded(TENSOR, 0.2, strength=50.0)
    X = TENSOR.clone().requires_grad_()
    values = noise(X)
    values.sum().backward()
    np.testing.assert_allclose(values.detach(), 1e-6)
    assert (X.grad == 0).all()


def test_double_and_float_and_the_state_dict():
    noise = NoiseMap.bounded(TENSOR, 0.2)
    assert {tensor.dtype for tensor in noise.buffers()} == {torch.float64, torch.bool}
    single = copy.deepcopy(noise).float()
    assert single(designs(4).float()).dtype == torch.float32
    np.testing.assert_allclose(single(designs(4).float()), noise(designs(4)), rtol=1e-5)
    assert single.double()(designs(4)).dtype == torch.float64
    other = NoiseMap.bounded(1.0 - TENSOR, 0.9, scale=3.0, strength=1.0)
    assert set(noise.state_dict()) == {"scale", "strength", "score.anchors", "score.bandwidth", "score.categorical"}
    other.load_state_dict(noise.state_dict())
    assert torch.equal(other(designs(9)), noise(designs(9)))
    assert other.to_numpy() == noise.to_numpy()
    with pytest.raises(RuntimeError, match=r"size mismatch for score\.anchors"):
        NoiseMap.bounded(TENSOR[:2], 0.2).load_state_dict(noise.state_dict())


def test_it_can_be_saved():
    noise = NoiseMap.from_anchors(TENSOR, bandwidth=1.2)
    buffer = io.BytesIO()
    torch.save(noise, buffer)
    buffer.seek(0)
    again = torch.load(buffer, weights_only=False)
    assert torch.equal(again(designs(4)), noise(designs(4)))
    assert pickle.loads(pickle.dumps(noise)).to_numpy() == noise.to_numpy()


class Ridge(Reliability):
    """A score of a user's own: sure where the coordinates add up to one."""

    anchors = None
    bandwidth = None

    def value(self, X):
        return np.exp(-((X.sum(axis=1) - 1.0) ** 2))

    def value_and_gradient(self, X):
        q = self.value(X)
        return q, (-2.0 * q * (X.sum(axis=1) - 1.0))[:, None] * np.ones_like(X)


def test_a_score_of_ones_own_works_through_its_numpy_code():
    noise = NoiseMap(ap.NoiseMap(Ridge(), 2.0, 3.0))
    X = designs(2, 3).requires_grad_()
    np.testing.assert_allclose(noise(X).detach().ravel(), ap.NoiseMap(Ridge(), 2.0, 3.0)(X.detach().reshape(-1, 3)))
    assert gradcheck(noise, (X,))


def test_a_metric_without_a_gradient_has_values_only():
    theirs = ap.NoiseMap.bounded([[1, 0, 1], [1, 1, 0]], 0.4, metric="tanimoto")
    noise, X = NoiseMap(theirs), torch.tensor([[1.0, 0, 1], [0, 0, 1]], dtype=torch.float64)
    np.testing.assert_allclose(noise(X), theirs(X.numpy()))
    with pytest.raises(UnsupportedError, match="a gradient needs a SmoothMetric"):
        noise(X.requires_grad_())


def test_anchors_in_other_units_go_through_the_transform():
    low, high = torch.tensor([80.0, 10.0, -1.0]), torch.tensor([96.0, 20.0, 1.0])
    normalize = Normalize(3, bounds=torch.stack([low, high]).double())
    raw = low + (high - low) * TENSOR
    noise, plain = NoiseMap.bounded(raw, input_transform=normalize), NoiseMap.bounded(TENSOR)
    X = designs(6).requires_grad_()
    np.testing.assert_allclose(noise(low + (high - low) * X).detach(), plain(X).detach(), rtol=1e-12)
    assert gradcheck(lambda X: noise(low + (high - low) * X), (X,))


def test_a_transform_that_learns_has_learnt_what_it_will():
    normalize = Normalize(3)
    normalize(2.0 * cube())  # learns 0 to 2
    noise = NoiseMap.bounded(2.0 * TENSOR, input_transform=normalize).train()
    before = noise(designs(4))
    assert torch.equal(noise(designs(4)), before)
    np.testing.assert_allclose(noise(2.0 * designs(4)), NoiseMap.bounded(TENSOR)(designs(4)), rtol=1e-12)


def test_a_transform_that_has_learnt_nothing_is_refused():
    with pytest.raises(
        InputError, match=r"must have its range before it transforms anchors; received Normalize without a range"
    ):
        NoiseMap.bounded(80.0 + TENSOR, input_transform=Normalize(3))
    learnt = Normalize(3)
    learnt(cube())  # from 0 to 1, so that it has nothing to do
    np.testing.assert_allclose(
        NoiseMap.bounded(TENSOR, input_transform=learnt)(TENSOR), NoiseMap.bounded(TENSOR)(TENSOR)
    )


def test_bad_input_is_refused():
    noise = NoiseMap.bounded(TENSOR)
    with pytest.raises(ShapeError, match=r"X must have shape \.\.\. x 3; received \(4, 2\)"):
        noise(torch.rand(4, 2))
    with pytest.raises(InputError, match="X must be finite; received nan"):
        noise(torch.full((1, 3), torch.nan))
    with pytest.raises(InputError, match=r"X must be a tensor of floats; received a tensor of torch\.int64"):
        noise(torch.ones(4, 3, dtype=torch.long))
    with pytest.raises(InputError, match="X must be a tensor of floats; received list"):
        noise([[0.1, 0.2, 0.3]])
    with pytest.raises(InputError, match="anchors must be finite; received inf"):
        NoiseMap.bounded(torch.full((1, 3), torch.inf))
    with pytest.raises(InputError, match=r"noise must be an anchorpbo\.NoiseMap; received float"):
        NoiseMap(1.0)
    with pytest.raises(InputError, match="input_transform must be a BoTorch InputTransform"):
        NoiseMap.bounded(TENSOR, input_transform=lambda X: X)
    with pytest.raises(UnsupportedError, match="must map one design to one design"):
        NoiseMap.bounded(TENSOR, input_transform=InputPerturbation(torch.zeros(2, 3)))
