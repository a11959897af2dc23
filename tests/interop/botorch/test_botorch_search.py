"""`optimize_acqf` over the bridge and our own search find the same maximum."""

import numpy as np
import pytest
import torch
from botorch.acquisition.analytic import UpperConfidenceBound
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed
from interop_models import NOISE, conditioned, cube, designs, some_duels

import anchorpbo as ap
from anchorpbo.interop.botorch import ANPEI, RAEUBO, RAHBO, AnchoredPairwiseModel

SEARCHES = {
    "ucb": (lambda m: UpperConfidenceBound(m, beta=4.0), ap.acquisition.UCB(2.0), 1),
    "anpei": (lambda m: ANPEI(m, m.noise, m.best_f, 1.0), ap.acquisition.ANPEI(1.0), 1),
    "rahbo": (lambda m: RAHBO(m, m.noise, 2.0, 3.0), ap.acquisition.RAHBO(2.0, 3.0), 1),
    "eubo": (AnalyticExpectedUtilityOfBestOption, ap.acquisition.EUBO(), 2),
    "raeubo": (lambda m: RAEUBO(m, m.noise, 2.0), ap.acquisition.RAEUBO(2.0), 2),
}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", SEARCHES)
def test_both_searches_find_the_same_value(name, seed):
    build, ours, q = SEARCHES[name]
    model = conditioned("ep", seed=seed)
    torch.manual_seed(seed)
    candidate, value = optimize_acqf(build(AnchoredPairwiseModel(model)), cube(), q=q, num_restarts=8, raw_samples=256)
    bound = ours.bind(model.posterior, NOISE)
    found = ap.search.maximise(bound, 3, np.random.default_rng(seed))
    items = designs(500, q).numpy().reshape(500, *bound.item_shape)
    spread = float(np.ptp(bound(items)))
    assert abs(value.item() - found.value) < 1e-3 * spread
    # The value each reports is the value there.
    here = bound(candidate.numpy().reshape(1, *bound.item_shape))
    assert abs(here[0] - value.item()) < 1e-9 * spread


def test_a_list_is_searched_without_a_gradient():
    bits = np.random.default_rng(0).integers(0, 2, (30, 8)).astype(float)
    noise = ap.NoiseMap.bounded(bits[:3], 0.4, metric="tanimoto")
    duels = ap.Duels(bits, [0, 1, 2, 3], [4, 5, 6, 7])
    model = ap.PreferenceGP(ap.Tanimoto(4.0), noise=noise, learn=None).condition(duels)
    bridge = AnchoredPairwiseModel(model)
    acquisition = RAHBO(bridge, bridge.noise, 1.0, 2.0)
    candidate, value = optimize_acqf_discrete(acquisition, q=1, choices=torch.tensor(bits))
    bound = ap.acquisition.RAHBO(1.0, 2.0).bind(model.posterior, model.noise)
    best = ap.search.maximise_discrete(bound, bits)
    assert value.item() == pytest.approx(best.value, abs=1e-10)
    assert bound(candidate.numpy())[0] == pytest.approx(best.value, abs=1e-10)


def test_a_study_with_a_category_is_searched_a_category_at_a_time():
    space = ap.Space(x=ap.Real(0, 1), origin=ap.Categorical(["Kenya", "Brazil", "Peru"]))
    study = ap.Optimizer(space, anchors=[{"x": 0.5, "origin": "Peru"}])
    for i in range(8):
        study.tell_preference({"x": 0.1 * i, "origin": "Peru"}, {"x": 0.7, "origin": ["Kenya", "Brazil"][i % 2]})
    model = AnchoredPairwiseModel(study)
    codes = [float(space.encode({"x": 0.0, "origin": name})[1]) for name in ("Kenya", "Brazil", "Peru")]
    torch.manual_seed(0)
    candidate, _ = optimize_acqf_mixed(
        RAHBO(model, model.noise, 0.5, 1.0),
        bounds=cube(2),
        q=1,
        fixed_features_list=[{1: code} for code in codes],
        num_restarts=2,
        raw_samples=32,
    )
    assert space.decode(candidate[0].numpy())["origin"] == "Peru"


def test_a_loop_of_asking_and_conditioning_ends_near_the_optimum():
    target = np.array([0.7, 0.2, 0.4])
    bridge = AnchoredPairwiseModel.fit(*_tensors(), 0.1)
    for step in range(8):
        torch.manual_seed(step)
        pair, _ = optimize_acqf(
            AnalyticExpectedUtilityOfBestOption(bridge), cube(), q=2, num_restarts=4, raw_samples=64
        )
        distances = ((pair.numpy() - target) ** 2).sum(axis=1)
        winner = int(np.argmin(distances))
        bridge = bridge.condition_on_observations(pair, torch.tensor([[winner, 1 - winner]]))
    points = bridge.datapoints
    best = points[bridge.posterior(points).mean.argmax()].numpy()
    assert np.linalg.norm(best - target) < 0.25


def _tensors():
    duels = some_duels(10)
    target = np.array([0.7, 0.2, 0.4])
    first, second = duels.winners, duels.losers
    distance = ((duels.points - target) ** 2).sum(axis=1)
    swap = distance[first] > distance[second]
    pairs = np.stack([np.where(swap, second, first), np.where(swap, first, second)], axis=1)
    return torch.tensor(duels.points), torch.tensor(pairs)
