"""The presets: the paper's settings number by number, and those for real use."""

import json

import numpy as np
import pytest
from studies import SPACES, STRATEGIES, answer, duels_of, liking, play, unit

from anchorpbo import EP, RBF, Laplace, Learn, Logistic, LogNormal, Matern52, NoiseMap, Optimizer, PreferenceGP, Probit
from anchorpbo.acquisition import ANPEI, EI, EUBO, RAEUBO, RAHBO, UCB
from anchorpbo.inference import Hallucination
from anchorpbo.kernels import Tanimoto
from anchorpbo.model.priors import make_default_specs
from anchorpbo.study import BoundedNoise, ConstantNoise, PaperNoise

CUBE = unit(3)
ANCHORS = [{"x0": 0.1, "x1": 0.2, "x2": 0.3}, {"x0": 0.2, "x1": 0.1, "x2": 0.4}, {"x0": 0.15, "x1": 0.3, "x2": 0.2}]
POINTS = np.array([list(anchor.values()) for anchor in ANCHORS])
PAIRS = ("eubo", "raeubo")
BASELINES = ("ei", "ucb", "eubo")
OTHERS = ("ucb", "eubo", "anpei", "rahbo")


def paper(strategy, **options):
    return Optimizer(CUBE, ANCHORS, strategy, "paper", seed=1, **options)


# -- the paper --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "acquisition"),
    [
        ("ei", EI()), ("ucb", UCB(exploration=2.0)), ("eubo", EUBO()), ("anpei", ANPEI(risk_aversion=10.0)),
        ("rahbo", RAHBO(exploration=2.0, risk_aversion=10.0)), ("raeubo", RAEUBO(risk_aversion=10.0)),
    ],
)  # fmt: skip
def test_gamma_and_alpha_are_ten_and_eta_is_two(strategy, acquisition):
    assert paper(strategy).plan.acquisition == acquisition


def test_the_penalty_of_anpei_is_the_standard_deviation():
    assert paper("anpei").plan.acquisition.penalty == "std"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_kernel_is_an_isotropic_rbf_of_output_scale_one(strategy):
    kernel = paper(strategy).plan.kernel
    assert isinstance(kernel, RBF)
    assert kernel.parameter_names == ("lengthscale", "outputscale")
    assert kernel.outputscale == 1.0
    assert 0.1 <= kernel.lengthscale <= 1.0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_length_scale_is_learnt_between_a_tenth_and_one_and_nothing_else_is(strategy):
    opt = paper(strategy)
    assert opt.plan.learn == {"lengthscale": Learn((0.1, 1.0), prior=None)}
    play(opt, 8)
    kernel = opt.model.kernel
    assert isinstance(kernel, RBF)
    assert 0.1 <= kernel.lengthscale <= 1.0
    assert kernel.outputscale == 1.0
    assert opt.model.noise.scale == 1.0


@pytest.mark.parametrize("strategy", ["rahbo", "raeubo"])
def test_the_length_scale_is_that_of_the_laplace_evidence(strategy):
    opt = paper(strategy)
    play(opt, 8)
    duels, noise = duels_of(opt), NoiseMap.from_anchors(POINTS)

    def evidence(lengthscale):
        model = PreferenceGP(RBF(lengthscale), opt.plan.likelihood, "laplace", noise, learn=None)
        return model.condition(duels).log_evidence

    grid = np.geomspace(0.1, 1.0, 61)
    best = max(evidence(lengthscale) for lengthscale in grid)
    assert evidence(opt.model.kernel.lengthscale) >= best - 1e-6


@pytest.mark.parametrize("strategy", ["ei", "raeubo", *(pytest.param(s, marks=pytest.mark.slow) for s in OTHERS)])
def test_hyper_parameters_change_after_eight_duels_and_every_ten(strategy):
    opt = paper(strategy)
    utility, rng = liking(CUBE, 3), np.random.default_rng(0)
    lengths = {}
    for duels in range(1, 31):
        duel = opt.ask() if duels > 8 and duels % 5 == 0 else None
        if duel is None:
            # Comparisons from elsewhere count like those asked for, and cost no search.
            first, second = (CUBE.decode(x) for x in rng.random((2, 3)))
            better = utility(first) >= utility(second)
            opt.tell_preference(*((first, second) if better else (second, first)))
        else:
            opt.tell(duel, answer(duel, utility))
        lengths[duels] = opt.model.kernel.lengthscale
    changes = [duels for duels in range(9, 31) if lengths[duels] != lengths[duels - 1]]
    assert changes == [18, 28]
    assert lengths[8] != lengths[7]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_there_are_eight_duels_to_start_with(strategy):
    opt = paper(strategy)
    assert opt.plan.initial == 8
    gains = [opt.ask().gain]
    for _ in range(8):
        play(opt, 1)
        gains.append(opt.ask().gain)
    assert gains[:8] == [None] * 8
    assert gains[8] is not None


@pytest.mark.parametrize("strategy", ["ei", "ucb", "anpei", "rahbo"])
def test_single_designs_are_chosen_by_probit_and_one_hallucination_of_a_settled_chain(strategy):
    plan = paper(strategy).plan
    assert isinstance(plan.likelihood, Probit)
    assert plan.inference == Hallucination(sweeps=None, draws=1)
    assert not plan.chooses_pairs


@pytest.mark.parametrize("strategy", PAIRS)
def test_pairs_are_chosen_by_the_papers_logistic_form_and_laplace(strategy):
    plan = paper(strategy).plan
    assert plan.likelihood == Logistic(form="paper")
    assert plan.inference == Laplace()
    assert plan.chooses_pairs


def test_the_risk_weight_is_ten():
    assert paper("raeubo").plan.risk_weight == 10.0


@pytest.mark.parametrize("strategy", ["anpei", "rahbo", "raeubo"])
def test_the_map_of_risk_averse_strategies_is_the_papers(strategy):
    opt = paper(strategy)
    assert opt.plan.noise == PaperNoise(scale=1.0, bandwidth="loo", profile="gaussian")
    play(opt, 8)
    noise, expected = opt.model.noise, NoiseMap.from_anchors(POINTS, "loo", (1.0, 2.0), 1.0)
    assert 1.0 <= noise.bandwidth <= 2.0
    assert noise.bandwidth == expected.bandwidth
    X = np.random.default_rng(0).random((50, 3))
    assert np.array_equal(noise(X), expected(X))
    # a exp(-q), naively.
    h = noise.bandwidth
    q = np.mean([np.exp(-((X - anchor) ** 2).sum(axis=1) / (2 * h * h)) / h**3 for anchor in POINTS], axis=0)
    assert noise(X) == pytest.approx(np.exp(-q), rel=1e-12)


@pytest.mark.parametrize("strategy", BASELINES)
def test_baselines_see_a_constant_noise_unless_told_otherwise(strategy):
    constant, anchored = paper(strategy), paper(strategy, baseline="anchored")
    assert constant.plan.noise == ConstantNoise(1.0)
    assert anchored.plan.noise == PaperNoise()
    X = np.random.default_rng(0).random((20, 3))
    assert (constant.plan.noise_map(POINTS)(X) == 1.0).all()
    assert np.array_equal(anchored.plan.noise_map(POINTS)(X), NoiseMap.from_anchors(POINTS)(X))
    assert anchored.plan.noise_map(POINTS)(X).max() < 1.0


@pytest.mark.parametrize("strategy", ["anpei", "rahbo", "raeubo"])
def test_the_baseline_is_no_matter_to_the_others(strategy):
    assert paper(strategy, baseline="anchored").plan == paper(strategy).plan


def test_without_anchors_the_noise_is_constant():
    opt = Optimizer(CUBE, strategy="rahbo", preset="paper")
    play(opt, 8)
    assert opt.model.noise == NoiseMap.constant(1.0)


def test_the_paper_has_a_strategy_of_its_own():
    assert isinstance(Optimizer(CUBE, preset="paper").plan.acquisition, RAEUBO)


# -- for real use -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [None, *STRATEGIES])
def test_length_scales_and_output_scale_are_learnt_under_priors(strategy):
    opt = Optimizer(CUBE, ANCHORS, strategy)
    plan = opt.plan
    assert set(plan.learn) >= {"lengthscale", "outputscale"}
    for name in ("lengthscale", "outputscale"):
        spec = plan.learn[name] or make_default_specs(3, 1.0)[name]
        assert isinstance(spec.prior, LogNormal)
    assert plan.kernel.parameter_names == ("lengthscale[0]", "lengthscale[1]", "lengthscale[2]", "outputscale")


def test_each_dimension_has_a_length_scale_of_its_own():
    opt = Optimizer(CUBE, strategy="ei", initial=40)
    rng = np.random.default_rng(0)
    for _ in range(60):
        first, second = rng.random((2, 3)).round(3)
        better, worse = (first, second) if first[0] > second[0] else (second, first)
        opt.tell_preference(CUBE.decode(better), CUBE.decode(worse))
    lengths = opt.model.kernel.lengthscale
    # Only the first coordinate matters; the others are told to be flat.
    assert lengths[0] < 0.8 * min(lengths[1:])


def test_priors_keep_a_few_duels_from_overfitting():
    opt = Optimizer(CUBE, strategy="ei")
    opt.tell_preference(CUBE.decode(np.zeros(3)), CUBE.decode(np.ones(3)))
    kernel = opt.model.kernel
    lengthscale, outputscale = (opt.plan.learn[name].prior for name in ("lengthscale", "outputscale"))
    assert (np.abs(np.log(kernel.lengthscale / lengthscale.median)) < lengthscale.spread).all()
    assert abs(np.log(kernel.outputscale / outputscale.median)) < outputscale.spread


@pytest.mark.parametrize("strategy", [None, *STRATEGIES])
def test_anchors_make_the_bounded_map(strategy):
    opt = Optimizer(CUBE, ANCHORS, strategy)
    assert isinstance(opt.plan.noise, BoundedNoise)
    play(opt, 1)
    noise = opt.model.noise
    expected = NoiseMap.bounded(POINTS, scale=noise.scale, strength=noise.strength)
    X = np.random.default_rng(0).random((50, 3))
    assert noise(X) == pytest.approx(expected(X), rel=1e-12)
    assert noise.reliability(POINTS) == pytest.approx(1.0)
    assert (noise.reliability(X) <= 1.0).all()


def test_many_coordinates_share_a_length_scale():
    assert Optimizer(unit(21)).plan.kernel.parameter_names == ("lengthscale", "outputscale")
    assert len(Optimizer(unit(20)).plan.kernel.parameter_names) == 21


def test_early_duels_are_fitted_every_time_and_later_ones_ever_more_seldom():
    plan = Optimizer(CUBE).plan
    fitted = [plan.last_fit(duels) for duels in range(301)]
    assert fitted[:21] == list(range(21))
    assert all(at <= duels for duels, at in enumerate(fitted))
    assert (np.diff(fitted) >= 0).all()
    assert len(set(fitted[150:])) < 20
    assert max((duels - at) / at for duels, at in enumerate(fitted) if at) <= 0.1


def test_a_number_of_duels_between_fits_can_be_given():
    plan = Optimizer(CUBE, initial=3, refit_every=4).plan
    assert [plan.last_fit(duels) for duels in range(3, 13)] == [3, 3, 3, 3, 7, 7, 7, 7, 11, 11]


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_spaces_get_the_kernel_and_the_distance_of_their_kind(preset):
    mixed = Optimizer(SPACES["mixed"], preset=preset).plan
    assert mixed.kernel.categorical == SPACES["mixed"].columns.categorical == (2,)
    prints = Optimizer(SPACES["fingerprints"], preset=preset).plan
    assert isinstance(prints.kernel, Tanimoto)
    both = Optimizer(SPACES["mixed catalogue"], preset=preset)
    space = both.space
    X = space.points
    t = Tanimoto()(X[:, 2:], X[:, 2:])
    lengths = both.plan.kernel.left.inner.lengths * np.ones(2)
    r2 = ((X[:, None, 0] - X[:, 0]) / lengths[0]) ** 2 + (X[:, None, 1] != X[:, 1]) / lengths[1] ** 2
    assert both.plan.kernel(X, X) == pytest.approx(np.exp(-0.5 * r2) * t, rel=1e-9)


def test_what_is_given_takes_the_place_of_the_presets():
    kernel, noise = Matern52(0.4), ConstantNoise(0.3)
    plan = Optimizer(
        CUBE, ANCHORS, EI(), "paper", kernel=kernel, likelihood="logistic", inference="ep", noise=noise, learn={},
        initial=2, refit_every=7, risk_weight=0.5,
    ).plan  # fmt: skip
    assert (plan.acquisition, plan.kernel, plan.noise) == (EI(), kernel, noise)
    assert isinstance(plan.likelihood, Logistic)
    assert plan.inference == EP()
    assert (plan.learn, plan.initial, plan.refit_every, plan.risk_weight) == ({}, 2, 7, 0.5)


def test_what_is_not_learnt_stays_as_given():
    opt = Optimizer(CUBE, strategy="ei", kernel=RBF(0.4, outputscale=3.0), learn={"lengthscale": None}, initial=2)
    play(opt, 3)
    assert opt.model.kernel.outputscale == pytest.approx(3.0, rel=1e-12)
    assert opt.model.kernel.lengthscale != 0.4
    fixed = Optimizer(CUBE, strategy="ei", kernel=RBF(0.4, outputscale=3.0), learn={}, initial=2)
    play(fixed, 3)
    assert fixed.model.kernel.lengthscale == pytest.approx(0.4, rel=1e-12)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_preset_is_saved_with_all_it_stands_for(preset):
    opt = Optimizer(CUBE, preset=preset)
    layout = json.loads(opt.to_json())
    assert layout["study"]["preset"] == preset
    assert layout["study"]["kernel"]["class"] == "RBF"
    assert Optimizer.from_json(opt.to_json()).plan == opt.plan
