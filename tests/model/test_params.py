"""What a model was made with stays apart from what it learnt, as scikit-learn's tools expect."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

import anchorpbo as ap
from anchorpbo import model as ap_model
from anchorpbo.errors import IncompatibleError, InputError, NotFittedError, UnknownNameError

RNG = np.random.default_rng(3)
POINTS = RNG.random((40, 2))
UTILITY = -8.0 * ((POINTS - 0.3) ** 2).sum(axis=1)
FIRST, SECOND = np.arange(40).reshape(2, 20)
WINS = UTILITY[FIRST] > UTILITY[SECOND]
DUELS = ap.Duels(POINTS, np.where(WINS, FIRST, SECOND), np.where(WINS, SECOND, FIRST))
NOISE = ap.NoiseMap.bounded([[0.2, 0.3], [0.4, 0.3]], scale=0.5)
GIVEN = {
    "kernel": ap.Matern52([0.3, 0.5]),
    "likelihood": ap.Probit(),
    "inference": ap.EP(),
    "noise": NOISE,
    "seed": 7,
    "learn": ["lengthscale"],
    "starts": 1,
    "inducing": None,
    "integration": ap_model.SphericalSimplex(4),
}


def bits(model):
    posterior = model.posterior
    return posterior.mean(POINTS).tobytes(), posterior.variance(POINTS).tobytes(), model.kernel.lengthscale.tobytes()


def test_parameters_are_the_very_objects_given_and_stay_so_when_fitted():
    model = ap.PreferenceGP(**GIVEN)
    for _ in range(2):
        params = model.get_params()
        assert list(params) == list(GIVEN)
        assert all(params[name] is GIVEN[name] for name in GIVEN)
        model.fit(DUELS)
    assert not np.array_equal(model.kernel.lengthscale, [0.3, 0.5])
    assert model.get_params(deep=False) == params


def test_names_stay_names_and_what_was_left_out_has_its_default():
    model = ap.PreferenceGP(likelihood="logistic").fit(DUELS)
    params = model.get_params()
    assert params["kernel"] is None
    assert params["likelihood"] == "logistic"
    assert params["noise"] == 1.0
    assert isinstance(model.kernel, ap.RBF)
    assert isinstance(model.likelihood, ap.Logistic)
    assert isinstance(model.noise, ap.NoiseMap)


@pytest.mark.parametrize("given", [{}, GIVEN, {"kernel": ap.Tanimoto(), "noise": 0.1}], ids=["default", "all", "bits"])
def test_clones_are_unfitted_and_equal(given):
    binary = {"kernel": ap.Tanimoto()}.items() <= given.items()
    duels = ap.Duels(np.round(POINTS), [0, 1], [2, 3]) if binary else DUELS
    model = ap.PreferenceGP(**given).fit(duels)
    twin = clone(model)
    assert twin.get_params().keys() == model.get_params().keys()
    assert repr(twin) == repr(ap.PreferenceGP(**given))
    with pytest.raises(NotFittedError, match="seen no duels yet"):
        _ = twin.posterior
    twin.fit(duels)
    X = duels.points
    assert twin.posterior.mean(X).tobytes() == model.posterior.mean(X).tobytes()
    np.testing.assert_array_equal(twin.kernel.log_parameters, model.kernel.log_parameters)


def test_names_that_can_be_read_only_once_are_kept():
    model = ap.PreferenceGP(learn=iter(["outputscale"]))
    assert model.get_params()["learn"] == ("outputscale",)
    assert clone(model).fit(DUELS).fit_info.learnt == ("outputscale",)


def test_changed_parameters_make_the_model_new():
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3]), noise=NOISE).fit(DUELS)
    assert model.set_params(inference="ep", noise=0.2) is model
    with pytest.raises(NotFittedError, match="seen no duels yet"):
        _ = model.posterior
    with pytest.raises(NotFittedError, match="have not been learnt yet"):
        _ = model.fit_info
    np.testing.assert_array_equal(model.kernel.lengthscale, [0.3, 0.3])
    assert model.noise([[0.5, 0.5]]) == 0.2
    assert bits(model.fit(DUELS)) == bits(ap.PreferenceGP(ap.RBF([0.3, 0.3]), inference="ep", noise=0.2).fit(DUELS))


def test_setting_nothing_changes_nothing():
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3])).fit(DUELS)
    before = bits(model)
    assert bits(model.set_params()) == before


@pytest.mark.parametrize(
    ("params", "kind", "message"),
    [
        ({"lengthscale": 0.2}, UnknownNameError, "a parameter of PreferenceGP must be one of inducing, inference"),
        ({"kernel__lengthscale": 0.2}, UnknownNameError, "received 'kernel__lengthscale'"),
        ({"seed": -1}, InputError, "seed"),
        ({"likelihood": "logistic"}, IncompatibleError, "Hallucination"),
        ({"kernel": ap.Tanimoto()}, IncompatibleError, "lengthscale can only be learnt if the model has one"),
    ],
)
def test_wrong_parameters_are_refused_and_leave_the_model_as_it_was(params, kind, message):
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3]), inference="hallucination", learn=["lengthscale"]).fit(DUELS)
    before, given = bits(model), model.get_params()
    with pytest.raises(kind, match=message):
        model.set_params(**params)
    assert bits(model) == before
    assert model.get_params() == given


def test_parameters_that_only_fit_together_are_checked_together():
    model = ap.PreferenceGP(inference="hallucination")
    model.set_params(inference="laplace", likelihood="logistic")
    assert model.get_params()["likelihood"] == "logistic"


def test_repr_shows_what_is_not_the_default():
    assert repr(ap.PreferenceGP()) == "PreferenceGP()"
    model = ap.PreferenceGP(ap.RBF(0.2), inference="ep", learn=("outputscale",))
    text = "PreferenceGP(kernel=RBF(lengthscale=0.2, outputscale=1.0), inference='ep', learn=('outputscale',))"
    assert repr(model) == text
    assert repr(model.fit(DUELS)) == f"{text}, after Duels(20 wins and 0 ties on 40 designs, d=2)"
    again = eval(text, {"PreferenceGP": ap.PreferenceGP, "RBF": ap.RBF})
    assert bits_of_means(again.fit(DUELS)) == bits_of_means(model)


def bits_of_means(model):
    return model.posterior.mean(POINTS).tobytes()


def test_pickles_keep_what_was_given_and_what_was_fitted():
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3]), inference="ep", noise=NOISE).fit(DUELS)
    again = pickle.loads(pickle.dumps(model))
    assert bits(again) == bits(model)
    assert again.log_evidence == model.log_evidence
    assert repr(again) == repr(model)
    assert bits(clone(again).fit(DUELS)) == bits(model)


def test_the_usual_names_stay_the_usual_ones_in_a_pickle():
    # A kernel without a length-scale is fine as long as nobody asked for one.
    again = pickle.loads(pickle.dumps(ap.PreferenceGP(ap.Tanimoto())))
    assert clone(again).get_params()["learn"] == ("lengthscale", "outputscale")
    assert again.set_params(kernel=ap.Hamming()).get_params()["kernel"] == ap.Hamming()


def test_a_grid_of_parameters_finds_the_kernel_that_explains_unseen_duels():
    seen = ap.Duels(DUELS.points, DUELS.winners[:14], DUELS.losers[:14])
    winners, losers = (DUELS.points[rows[14:]] for rows in (DUELS.winners, DUELS.losers))
    grid = ParameterGrid({"kernel": [ap.RBF(0.01), ap.RBF(0.5)], "inference": ["laplace", "ep"], "learn": [None]})
    model = ap.PreferenceGP(noise=0.1)
    scores = []
    for params in grid:
        fitted = clone(model).set_params(**params).fit(seen)
        scores.append((np.log(fitted.prob_choose(winners, losers)).mean(), params))
    assert len(scores) == 4
    assert max(scores, key=lambda scored: scored[0])[1]["kernel"] is grid.param_grid[0]["kernel"][1]
