"""What a user of the model sees: learning, predicting, one more duel, errors."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import IncompatibleError, InputError, NotFittedError, ShapeError, UnknownNameError

RNG = np.random.default_rng(0)


def utility(X):
    return -8.0 * ((np.asarray(X) - 0.3) ** 2).sum(axis=1)


def noisy_duels(n, d=2, noise=0.1, seed=0, pool=None):
    """Probit answers about `utility`; each duel between new designs, or between designs of a pool."""
    rng = np.random.default_rng(seed)
    points = rng.random((2 * n if pool is None else pool, d))
    first, second = np.arange(2 * n).reshape(2, n) if pool is None else rng.integers(pool, size=(2, n))
    f = utility(points)
    wins = f[first] - f[second] + np.sqrt(2 * noise) * rng.standard_normal(n) > 0
    return ap.Duels(points, np.where(wins, first, second), np.where(wins, second, first))


def test_fit_learns_the_utility():
    duels = noisy_duels(120, noise=0.02)
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3]), noise=0.02).fit(duels)
    X = np.random.default_rng(1).random((200, 2))
    assert np.corrcoef(model.posterior.mean(X), utility(X))[0, 1] > 0.97
    assert model.fit_info.converged
    assert model.fit_info.learnt == ("lengthscale[0]", "lengthscale[1]", "outputscale")
    assert model.info.converged


@pytest.mark.parametrize("inference", ["laplace", "ep", "hallucination"])
def test_every_inference_by_name_with_probit(inference):
    model = ap.PreferenceGP(inference=inference, noise=0.1).fit(noisy_duels(30))
    assert model.info.method == inference
    assert model.posterior.prob_prefer([[0.3, 0.3]], [[0.95, 0.95]])[0] > 0.9


@pytest.mark.parametrize("inference", ["laplace", "ep", "polya-gamma"])
def test_every_inference_by_name_with_logistic(inference):
    model = ap.PreferenceGP(likelihood="logistic", inference=inference, noise=0.1).fit(noisy_duels(30))
    assert model.posterior.prob_prefer([[0.3, 0.3]], [[0.95, 0.95]])[0] > 0.9


def test_fit_raises_the_evidence_and_respects_bounds():
    duels = noisy_duels(40)
    learn = {"lengthscale": ap.Learn((0.1, 1.0)), "outputscale": ap.Learn((0.5, 2.0))}
    model = ap.PreferenceGP(ap.RBF(0.11, 1.9), noise=0.1, learn=learn)
    before = model.condition(duels).log_evidence
    after = model.fit(duels).log_evidence
    assert after > before
    assert 0.1 <= model.kernel.lengthscale <= 1.0
    assert 0.5 <= model.kernel.outputscale <= 2.0 * (1 + 1e-12)
    assert after == pytest.approx(model.condition(duels).log_evidence, abs=1e-9)


def test_what_is_not_learnt_stays():
    model = ap.PreferenceGP(ap.RBF(0.3, 1.7), noise=0.1, learn=["lengthscale"]).fit(noisy_duels(40))
    assert model.kernel.outputscale == pytest.approx(1.7, rel=1e-12)
    assert model.kernel.lengthscale != pytest.approx(0.3, rel=1e-3)
    fixed = ap.PreferenceGP(ap.RBF(0.3, 1.7), noise=0.1, learn=None).fit(noisy_duels(40))
    assert fixed.kernel.lengthscale == 0.3
    assert fixed.fit_info.learnt == ()


def test_noise_scale_and_strength_can_be_learnt():
    noise = ap.NoiseMap.bounded([[0.2, 0.2], [0.3, 0.4]], scale=5.0, strength=0.3)
    model = ap.PreferenceGP(ap.RBF(0.4, 5.0), noise=noise, learn=["noise_scale", "noise_strength"])
    model.fit(noisy_duels(80))
    assert model.noise.scale < 5.0  # the judge is far quieter than we said
    assert model.noise.strength != 0.3
    assert model.noise.bandwidth == noise.bandwidth
    assert noise.scale == 5.0


def test_a_start_that_comes_to_a_known_optimum_is_not_followed_to_its_end(monkeypatch):
    model, duels = ap.PreferenceGP(ap.RBF([0.3, 0.3]), noise=0.1, starts=4), noisy_duels(40)
    stopped = model.fit(duels).fit_info
    monkeypatch.setattr("anchorpbo.model.fitting._SAME_OPTIMUM_DISTANCE", 0.0)
    followed = model.fit(duels).fit_info
    assert stopped.evaluations < followed.evaluations
    assert stopped.objective == pytest.approx(followed.objective, abs=1e-6)
    assert stopped.converged


def test_more_starts_are_never_worse():
    duels = noisy_duels(25, d=3)
    kernel = ap.RBF([5.0, 0.05, 5.0])
    one, many = (ap.PreferenceGP(kernel, noise=0.1, starts=n).fit(duels).fit_info for n in (1, 4))
    assert many.objective >= one.objective - 1e-9
    assert many.evaluations > one.evaluations


def test_priors_keep_a_fit_to_few_duels_sensible():
    duels = noisy_duels(3)
    free = {"lengthscale": ap.Learn((1e-3, 1e3)), "outputscale": ap.Learn((1e-6, 1e6))}
    wild = ap.PreferenceGP(noise=0.1, learn=free).fit(duels)
    tame = ap.PreferenceGP(noise=0.1).fit(duels)
    assert 0.1 < tame.kernel.lengthscale < 2.0
    assert not 0.1 < wild.kernel.outputscale < 1e3


def test_ties_are_data_and_their_threshold_is_learnt():
    rng = np.random.default_rng(3)
    points = rng.random((60, 2))
    first, second = np.arange(60).reshape(2, 30)
    f = utility(points)
    tied = np.abs(f[first] - f[second]) < 0.5
    wins = np.where((f[first] > f[second])[:, None], np.stack([first, second], 1), np.stack([second, first], 1))[~tied]
    duels = ap.Duels(points, wins[:, 0], wins[:, 1], np.stack([first, second], 1)[tied])
    for likelihood in ("probit", "logistic"):
        model = ap.PreferenceGP(likelihood=likelihood, noise=0.1).fit(duels)
        assert "tie_threshold" in model.fit_info.learnt
        assert model.likelihood.tau > 0
        given = ap.PreferenceGP(likelihood=type(model.likelihood)(tie_threshold=0.7), noise=0.1).fit(duels)
        assert given.likelihood.tau == 0.7
        # Designs judged equal are found more alike than they are by a model that never heard of the ties.
        without = ap.PreferenceGP(likelihood=likelihood, noise=0.1).fit(ap.Duels(points, wins[:, 0], wins[:, 1]))
        gap = [
            np.abs(np.subtract(*m.posterior.mean(points[list(p)])))
            for m in (model, without)
            for p in duels_pairs(first, second, tied)
        ]
        assert np.median(gap[: tied.sum()]) < np.median(gap[tied.sum() :]) + 0.2


def duels_pairs(first, second, tied):
    return list(zip(first[tied], second[tied], strict=True))


def test_a_threshold_chosen_for_ties_goes_with_them():
    with_ties = ap.Duels([[0.1], [0.5], [0.9]], [0], [1], [[1, 2]])
    without = ap.Duels([[0.1], [0.5], [0.9]], [0, 1], [1, 2])
    model = ap.PreferenceGP().fit(with_ties)
    assert model.likelihood.tau > 0
    fresh = ap.PreferenceGP().fit(without)
    assert model.fit(without).likelihood.tau == 0
    np.testing.assert_array_equal(model.posterior.beta, fresh.posterior.beta)


def test_prob_choose_is_the_predictive_probability():
    model = ap.PreferenceGP(noise=ap.NoiseMap.bounded([[0.2, 0.2]], scale=0.5)).fit(noisy_duels(30))
    X, Y = np.random.default_rng(5).random((2, 6, 2))
    draws = model.posterior.sample(np.vstack([X, Y]), 100_000, np.random.default_rng(6))
    noise = model.noise(X) + model.noise(Y)
    picks = draws[:, :6] - draws[:, 6:] + np.sqrt(noise) * np.random.default_rng(7).standard_normal((100_000, 6)) > 0
    np.testing.assert_allclose(model.prob_choose(X, Y), picks.mean(axis=0), atol=4 * 0.5 / np.sqrt(100_000))
    np.testing.assert_allclose(model.prob_choose(X, Y) + model.prob_choose(Y, X), 1.0, atol=1e-12)


def test_prob_choose_leaves_room_for_ties():
    model = ap.PreferenceGP(likelihood=ap.Logistic(tie_threshold=0.5), noise=0.1).fit(noisy_duels(20))
    X, Y = np.random.default_rng(5).random((2, 6, 2))
    assert np.all(model.prob_choose(X, Y) + model.prob_choose(Y, X) < 1.0 - 1e-3)


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("likelihood", [ap.Probit(0.3), ap.Logistic(0.3)], ids=["probit", "logistic"])
def test_one_duel_more_than_none_is_ep(likelihood, tie):
    pair = np.array([[0.2, 0.3], [0.6, 0.1]])
    model = ap.PreferenceGP(ap.RBF(0.4, 2.0), likelihood, "ep", noise=0.2, learn=None)
    empty = ap.Duels.empty(2)
    updated = model.condition(empty).posterior_after(*pair, tie=tie)
    full = model.condition(empty.with_tie(*pair) if tie else empty.with_win(*pair)).posterior
    X = np.random.default_rng(2).random((20, 2))
    np.testing.assert_allclose(updated.mean(X), full.mean(X), atol=1e-6)
    np.testing.assert_allclose(updated.covariance(X), full.covariance(X), atol=1e-6)


def test_one_more_duel_is_close_to_a_new_inference_and_leaves_the_model_alone():
    duels, pair = noisy_duels(40), np.array([[0.4, 0.6], [0.7, 0.2]])
    model = ap.PreferenceGP(ap.RBF(0.4, 3.0), inference="ep", noise=0.1, learn=None).condition(duels)
    X = np.random.default_rng(2).random((50, 2))
    before = model.posterior.mean(X)
    updated = model.posterior_after(*pair)
    np.testing.assert_array_equal(model.posterior.mean(X), before)
    again = ap.PreferenceGP(ap.RBF(0.4, 3.0), inference="ep", noise=0.1, learn=None).condition(duels.with_win(*pair))
    moved = np.abs(again.posterior.mean(X) - before).max()
    assert moved > 0.05
    assert np.abs(updated.mean(X) - again.posterior.mean(X)).max() < 0.1 * moved


def test_one_more_duel_keeps_the_moments_of_a_mixture():
    duels = noisy_duels(10)
    model = ap.PreferenceGP(ap.RBF(0.4), inference=ap.Hallucination(draws=200), noise=0.1, learn=None).condition(duels)
    far = model.posterior_after([0.99, 0.01], [0.99, 0.01])  # a design against itself says nothing
    X = np.random.default_rng(2).random((20, 2))
    np.testing.assert_allclose(far.mean(X), model.posterior.mean(X), atol=1e-12)
    np.testing.assert_allclose(far.variance(X), model.posterior.variance(X), atol=1e-10)


# -- the paper's reductions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_constant_reliability_is_the_homoscedastic_model_exactly(likelihood):
    duels, X = noisy_duels(20), np.random.default_rng(4).random((10, 2))
    anchored = ap.NoiseMap.bounded([[0.5, 0.5]], scale=0.4, strength=0.0)
    a, b = (ap.PreferenceGP(ap.RBF(0.3), likelihood, noise=n).fit(duels) for n in (anchored, 0.4))
    assert a.log_evidence == b.log_evidence
    np.testing.assert_array_equal(a.posterior.mean(X), b.posterior.mean(X))
    np.testing.assert_array_equal(a.posterior.variance(X), b.posterior.variance(X))


def test_noise_matters_where_it_is():
    """The same answer moves the utility more where the user is reliable."""
    noise = ap.NoiseMap.bounded([[0.1]], bandwidth=0.15, scale=2.0, strength=4.0)
    model = ap.PreferenceGP(ap.RBF(0.1), noise=noise, learn=None)
    quiet = model.condition(ap.Duels([[0.1], [0.15]], [0], [1])).posterior
    loud = model.condition(ap.Duels([[0.9], [0.95]], [0], [1])).posterior
    assert quiet.prob_prefer([[0.1]], [[0.15]])[0] > loud.prob_prefer([[0.9]], [[0.95]])[0] + 0.05


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"likelihood": "probbit"}, UnknownNameError, "likelihood must be one of logistic, probit; received 'probbit'"),
        ({"inference": "mcmc"}, UnknownNameError, "inference must be one of ep, hallucination, laplace, polya-gamma"),
        ({"likelihood": "logistic", "inference": "hallucination"}, IncompatibleError, "needs the probit likelihood"),
        ({"kernel": 0.3}, InputError, "kernel must be a Kernel; received 0.3"),
        ({"noise": -1.0}, InputError, "must be a finite number above 0; received -1.0"),
        ({"learn": ["lenghtscale"]}, UnknownNameError, "a hyper-parameter to learn must be one of .*lengthscale"),
        ({"seed": -1}, InputError, "seed must be a whole number of at least 0; received -1"),
        ({"seed": 0.5}, InputError, "seed must be a whole number"),
        ({"starts": 0}, InputError, "starts must be a whole number of at least 1"),
    ],
)
def test_a_bad_choice_is_refused_at_once(arguments, error, message):
    with pytest.raises(error, match=message):
        ap.PreferenceGP(**arguments)


@pytest.mark.parametrize("name", ["posterior", "info", "fit_info", "log_evidence"])
def test_results_before_duels_say_what_to_do(name):
    with pytest.raises(NotFittedError, match="call fit"):
        getattr(ap.PreferenceGP(), name)


def test_an_error_leaves_the_model_as_it_was():
    model = ap.PreferenceGP(ap.RBF([0.3, 0.3]), noise=ap.NoiseMap.bounded([[0.2, 0.2]])).fit(noisy_duels(10))
    posterior, kernel, evidence = model.posterior, model.kernel, model.log_evidence
    for learn in (model.fit, model.condition):
        with pytest.raises(ShapeError, match="lengthscale must be one number or 3"):
            learn(noisy_duels(5, d=3))
        with pytest.raises(InputError, match="duels must be a Duels object; received list"):
            learn([(0, 1)])
    with pytest.raises(ShapeError, match=r"X must have shape \(n, 2\); received \(1, 3\)"):
        model.posterior.mean([[0.1, 0.2, 0.3]])
    with pytest.raises(ShapeError, match="must have the same shape"):
        model.prob_choose([[0.1, 0.2]], [[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(ShapeError, match=r"a design must have shape \(2,\)"):
        model.posterior_after([0.1], [0.2, 0.3])
    with pytest.raises(InputError, match="X must be finite; received nan"):
        model.posterior.variance([[np.nan, 0.2]])
    assert model.posterior is posterior
    assert model.kernel is kernel
    assert model.log_evidence == evidence


def test_ties_and_a_threshold_of_zero_do_not_go_together():
    duels = ap.Duels([[0.1], [0.5]], [0], [1], [[0, 1]])
    with pytest.raises(IncompatibleError, match="tie_threshold 0 cannot explain ties; received 1 of them; give it"):
        ap.PreferenceGP(likelihood=ap.Probit(tie_threshold=0.0)).fit(duels)


# -- what must not be carried over, and what must ---------------------------------------------------------------------


def test_evidence_is_of_the_duels_last_seen():
    first, second = noisy_duels(10), noisy_duels(10, seed=5)
    model = ap.PreferenceGP(ap.RBF(0.3), noise=0.1, learn=None).fit(first)
    fresh = ap.PreferenceGP(ap.RBF(0.3), noise=0.1, learn=None).condition(second)
    assert model.condition(second).log_evidence == pytest.approx(fresh.log_evidence, abs=1e-9)


@pytest.mark.parametrize("tau", [0.0, 0.8])
@pytest.mark.parametrize("kind", ["hallucinations", "polya-gamma"])
def test_prob_choose_of_a_mixture_is_the_mean_over_its_parts(kind, tau):
    likelihood = ap.Probit(tau) if kind == "hallucinations" else ap.Logistic(tau, form="difference")
    sampler = ap.Hallucination(draws=7) if kind == "hallucinations" else ap.PolyaGamma(draws=7)
    model = ap.PreferenceGP(ap.RBF(0.3), likelihood, sampler, 0.2, learn=None).condition(noisy_duels(8))
    X, Y = np.random.default_rng(5).random((2, 1, 2))
    g = np.linspace(-60.0, 60.0, 40_001)
    win = np.exp(likelihood.log_prob(g, np.zeros(len(g), dtype=bool)).value)
    a, _ = likelihood.coefficients(model.noise(X), model.noise(Y))
    total = 0.0
    for mean, variance in model.posterior.margins(X, Y, a, a):
        weight = np.exp(-0.5 * (g - mean[0]) ** 2 / variance[0])
        total += (weight * win).sum() / weight.sum()
    assert model.prob_choose(X, Y)[0] == pytest.approx(total / 7, abs=1e-9)


def test_fit_starts_from_what_is_given():
    """One start, no step: the bounds leave no room to move, so only the given values can come out."""
    duels = noisy_duels(20)
    for given in (0.2, 0.7):
        learn = {"lengthscale": ap.Learn((given, given * (1 + 1e-9)))}
        model = ap.PreferenceGP(ap.RBF(given, 2.0), noise=0.1, learn=learn, starts=1).fit(duels)
        assert model.kernel.lengthscale == pytest.approx(given, rel=1e-6)
    near, far = (
        ap.PreferenceGP(ap.RBF(start, 2.0), noise=0.1, learn=["lengthscale"], starts=1).fit(duels).fit_info.evaluations
        for start in (
            ap.PreferenceGP(ap.RBF(0.3, 2.0), noise=0.1, learn=["lengthscale"]).fit(duels).kernel.lengthscale,
            9.0,
        )
    )
    assert near < far


def test_a_given_value_outside_the_bounds_it_is_learnt_in_is_refused():
    points = np.random.default_rng(0).uniform(0, 1000, size=(10, 2))
    duels = ap.Duels(points, np.arange(5), np.arange(5, 10), bounds=None)
    with pytest.raises(InputError, match=r"must lie within the bounds it is learnt in, 0\.03 to 10; received 300"):
        ap.PreferenceGP(ap.RBF(300.0)).fit(duels)
    learn = {"lengthscale": ap.Learn((10.0, 3000.0))}
    assert 10.0 <= ap.PreferenceGP(ap.RBF(300.0), learn=learn).fit(duels).kernel.lengthscale <= 3000.0


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_at_a_noise_ratio_of_a_million_reports_what_it_found(seed):
    rng = np.random.default_rng(seed)
    points = rng.random((80, 3))
    first, second = np.arange(80).reshape(2, 40)
    f = -((points - 0.3) ** 2).sum(axis=1)
    duels = ap.Duels(
        points, np.where(f[first] > f[second], first, second), np.where(f[first] > f[second], second, first)
    )
    noise = ap.NoiseMap.bounded(rng.random((2, 3)), bandwidth=0.25, strength=14.0)
    model = ap.PreferenceGP(ap.RBF([0.3] * 3), "logistic", noise=noise)
    info = model.fit(duels).fit_info
    assert info.log_evidence > 40 * np.log(0.5)  # better than tossing a coin
    assert info.objective == pytest.approx(info.log_evidence, abs=20.0)  # the priors are of this order, not of 1e4
    start = ap.PreferenceGP(ap.RBF([0.3] * 3), "logistic", noise=noise, learn=None).condition(duels).log_evidence
    assert info.log_evidence > start - 5.0
