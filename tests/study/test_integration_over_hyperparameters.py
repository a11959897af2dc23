"""Studies that integrate over the hyper-parameters: replay, saving and loading, and the digest of older studies."""

import json

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.model import MAP, CentralComposite, QuasiMonteCarlo, SphericalSimplex
from anchorpbo.posterior import PosteriorMixture
from anchorpbo.study import hyperparameters
from anchorpbo.study.replication import NextDuel, Replica, offer, snapshot

SPACE = {"x": ap.Real(0, 1), "y": ap.Real(0, 1), "kind": ap.Categorical(["a", "b"])}
ANCHORS = [{"x": 0.3, "y": 0.6, "kind": "a"}]


def judge(duel: ap.Duel) -> str:
    def utility(design):
        return -((design["x"] - 0.3) ** 2) - 0.3 * (design["y"] - 0.7) ** 2 + 0.1 * (design["kind"] == "b")

    return "first" if utility(duel.first) > utility(duel.second) else "second"


def study(integration=QuasiMonteCarlo(3), answers: int = 10, **options) -> ap.Optimizer:  # noqa: B008
    opt = ap.Optimizer(ap.Space(**SPACE), ANCHORS, seed=3, integration=integration, **options)
    for _ in range(answers):
        duel = opt.ask()
        opt.tell(duel, judge(duel))
    return opt


def describe(opt: ap.Optimizer) -> tuple:
    """All that a user sees, to the last bit."""
    best, duel = opt.recommend(), opt.ask()
    return best, duel, opt.progress(), [estimate.interval for estimate in opt.utilities()]


@pytest.mark.parametrize("integration", ["qmc", "ccd", "simplex", SphericalSimplex(4), CentralComposite(3)], ids=repr)
def test_a_saved_study_continues_bit_for_bit_without_a_fit(integration, monkeypatch):
    opt = study(integration)
    assert isinstance(opt.acquisition_model.posterior, PosteriorMixture)
    assert isinstance(opt.model.posterior, PosteriorMixture)
    text, expected = opt.to_json(), describe(opt)

    def refuse(*args):
        raise AssertionError("a loaded study fitted again")

    monkeypatch.setattr(hyperparameters.ModelFitter, "_fit", refuse)
    again = ap.Optimizer.from_json(text)
    assert describe(again) == expected
    assert again.to_json() == text


def test_a_replayed_study_is_the_same_bit_for_bit():
    opt = study()
    *_, last = opt.replay()
    assert describe(last) == describe(opt)


def test_all_nodes_and_weights_are_saved():
    opt = study(QuasiMonteCarlo(7))
    learnt = json.loads(opt.to_json())["learnt"]
    nodes = [learnt, *learnt["others"]]
    components = opt.model.components
    assert [node["weight"] for node in nodes] == [component.weight for component in components]
    for node, component in zip(nodes, components, strict=True):
        lengths = [np.exp(node["log_parameters"][f"lengthscale[{c}]"]) for c in range(3)]
        assert lengths == list(component.kernel.lengthscale)


def test_a_replica_hands_all_nodes_over():
    opt, other = study(), study(answers=0)
    replica = Replica(other)
    data = snapshot(opt)
    replica.update(0, json.loads(opt.to_json())["events"])
    result = NextDuel.from_dict(json.loads(json.dumps(replica.next_duel().to_dict())))
    assert result.digest == data.digest
    assert result.hyperparameters is not None
    assert len(result.hyperparameters["others"]) == 2
    fresh = ap.Optimizer.from_json(json.dumps(json.loads(opt.to_json()) | {"learnt": None}))
    assert offer(fresh, result)
    assert fresh.ask() == opt.ask()
    assert fresh.recommend() == opt.recommend()


def test_the_mode_leaves_the_digest_and_the_file_as_they_were():
    plain, named, other = (study(integration, answers=0, preset_version=1) for integration in (None, "map", "qmc"))
    ids = [opt.ask().id for opt in (plain, named, other)]
    assert ids[0] == ids[1] != ids[2]
    assert "integration" not in json.loads(plain.to_json())["study"]
    assert "integration" not in json.loads(named.to_json())["study"]
    assert json.loads(other.to_json())["study"]["integration"]["class"] == "QuasiMonteCarlo"
    learnt = json.loads(study("map").to_json())["learnt"]
    assert set(learnt) == {"log_parameters", "noise", "tie_threshold"}


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_file_without_the_option_has_the_mode_alone(preset):
    text = study(None, 6, preset=preset, preset_version=1).to_json()
    assert "integration" not in json.loads(text)["study"]
    opt = ap.Optimizer.from_json(text)
    assert opt.plan.integration == MAP()
    assert len(opt.model.components) == 1


def test_ties_and_pending_duels_work():
    opt = study("simplex", 6)
    duel = opt.ask()
    opt.tell(duel, "tie")
    first, second = opt.ask(2)
    assert first.id != second.id
    opt.tell(first, judge(first))
    opt.tell(second, "skip")
    assert len({component.likelihood.tau for component in opt.model.components}) > 1
    again = ap.Optimizer.from_json(opt.to_json())
    assert again.ask() == opt.ask()
    assert opt.ask_against(ANCHORS[0]).first == ANCHORS[0]


def test_a_catalogue_is_searched_exactly():
    rng = np.random.default_rng(0)
    items = [{"a": float(a), "b": float(b)} for a, b in rng.random((40, 2))]
    opt = ap.Optimizer(ap.Catalogue(items), seed=1, integration="simplex")
    for _ in range(8):
        duel = opt.ask()
        opt.tell(duel, "first" if duel.first["a"] > duel.second["a"] else "second")
    assert isinstance(opt.model.posterior, PosteriorMixture)
    assert opt.recommend().design["a"] > 0.5


@pytest.mark.parametrize(
    "change",
    [
        {"others": {}},
        {"others": [3]},
        {"weight": None},
        {"weight": 0.9},
        {"weight": -0.2},
        {"others": [{"weight": 0.5}]},
    ],
    ids=repr,
)
def test_nodes_that_are_no_distribution_are_refused(change):
    layout = json.loads(study().to_json())
    layout["learnt"] |= change
    with pytest.raises(InputError, match="learnt must have"):
        ap.Optimizer.from_json(json.dumps(layout))


def test_unknown_rules_are_refused():
    with pytest.raises(UnknownNameError, match="integration must be one of"):
        study("grid", 0)
    with pytest.raises(InputError, match="integration must be a name or an IntegrationRule"):
        study(3, 0)


def test_a_rule_of_ones_own_is_given_again():
    class Mine(SphericalSimplex):
        """A rule that the library does not know."""

    text = study(Mine(4), 6).to_json()
    with pytest.raises(InputError, match="a study with a integration of your own needs it again"):
        ap.Optimizer.from_json(text)
    assert ap.Optimizer.from_json(text, integration=Mine(4)).plan.integration == Mine(4)
