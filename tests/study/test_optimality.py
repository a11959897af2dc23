"""Probability of being within a margin of the best, against brute force: dense grids and many joint draws."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from studies import SPACES, play, small

import anchorpbo as ap
from anchorpbo import RBF, Catalogue, Matern32, Matern52, Optimizer, Probit, Real, Space
from anchorpbo.errors import InputError
from anchorpbo.kernels.fourier_features import FourierFeatures
from anchorpbo.posterior.paths import draw_paths
from anchorpbo.study import ConstantNoise
from anchorpbo.study.optimality import (
    MAX_LISTED_DESIGNS,
    StoppingCalibration,
    compute_p_within,
    compute_p_within_compared,
)
from anchorpbo.study.plan import DEFAULT_CALIBRATION

DRAWS = 4000


def brute_force(posterior, x, grid, margin, rng=0):
    """Estimate p_within from joint draws on a dense grid of the space."""
    draws = posterior.sample(np.vstack([grid, x]), DRAWS, np.random.default_rng(rng))
    best, median = draws.max(axis=1), np.median(draws[:, : len(grid)], axis=1)
    return (draws[:, -1] >= best - margin * (best - median)).mean()


def line(n=201):
    return np.linspace(0.0, 1.0, n)[:, None]


def square(n=30):
    side = np.linspace(0.0, 1.0, n)
    return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)


@pytest.fixture(scope="module")
def in_one_dimension():
    study = small("eubo", initial=3, noise=ConstantNoise(0.2))
    play(study, 9, lambda design: -abs(design["x0"] - 0.37))
    return study


@pytest.fixture(scope="module")
def in_two_dimensions():
    study = Optimizer(Space(a=Real(0, 1), b=Real(0, 1)), seed=4, kernel=RBF([0.35, 0.5], outputscale=25.0), learn={})
    play(study, 14, lambda design: -((design["a"] - 0.3) ** 2) - (design["b"] - 0.6) ** 2)
    return study


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.3, 1.0])
def test_p_within_is_that_of_draws_on_a_dense_grid(in_one_dimension, in_two_dimensions, margin):
    for study, grid in ((in_one_dimension, line()), (in_two_dimensions, square())):
        best = study.recommend(margin=margin)
        assert best.margin == margin
        x = study.space.encode(best.design)
        expected = brute_force(study.model.posterior, x, grid, margin)
        # The standard deviation of an estimate from 512 draws is at most 0.022.
        assert best.p_within == pytest.approx(expected, abs=0.07)


def test_p_within_is_about_the_recommended_design_itself(in_two_dimensions):
    study, corner = in_two_dimensions, np.array([1.0, 0.0])
    found = compute_p_within(study.model.posterior, study.space, corner, 0.3, 0)
    assert found == pytest.approx(brute_force(study.model.posterior, corner, square(), 0.3), abs=0.05)
    assert found < study.recommend(margin=0.3).p_within


def test_the_margin_goes_from_zero_to_one(in_one_dimension):
    values = [in_one_dimension.recommend(margin=margin).p_within for margin in (0, 0.02, 0.1, 0.5, 1)]
    assert values == sorted(values)
    assert values[-1] > 0.9


@pytest.mark.parametrize("margin", [-1e-9, 1.0000001, np.nan, np.inf, "0.1", None, True, [0.1]])
def test_other_margins_are_refused(in_one_dimension, margin):
    with pytest.raises(InputError, match=r"margin must be a number from 0 to 1.*0\.1"):
        in_one_dimension.recommend(margin=margin)


def test_the_same_log_gives_the_same_probability(in_two_dimensions):
    again = Optimizer.from_json(in_two_dimensions.to_json())
    assert again.recommend().p_within == in_two_dimensions.recommend().p_within
    assert again.progress() == in_two_dimensions.progress()
    assert again.recommend(margin=0.2).p_within != again.recommend(margin=0.1).p_within


def test_designs_much_alike_do_not_lower_it():
    """The point of p_within: p_best falls as nearly equal designs are compared."""
    study = Optimizer(Space(a=Real(0, 1)), kernel=RBF(0.5, outputscale=25.0), learn={}, noise=ConstantNoise(1.0))
    for loser in (0.05, 0.1, 0.2, 0.8, 0.9, 1.0):
        for _ in range(3):
            study.tell_preference({"a": 0.5}, {"a": loser})
    before = study.recommend(0.0)
    for step in range(1, 9):
        study.tell_preference({"a": 0.5}, {"a": 0.5 + 0.002 * step}, tie=True)
    after = study.recommend(0.0)
    assert after.p_best < before.p_best - 0.3
    assert after.p_within > before.p_within - 0.05
    assert after.p_within_compared > before.p_within_compared - 0.05


def test_among_the_designs_compared_it_is_the_share_of_draws_without_a_noticeably_better_one(in_two_dimensions):
    model, space = in_two_dimensions.model, in_two_dimensions.space
    compared, x = model.designs, model.designs[-1]
    designs = np.vstack([space.sample(500, np.random.default_rng(1)), compared])
    draws = model.posterior.sample(designs, 20_000, np.random.default_rng(2))
    gap = draws.max(axis=1) - np.median(draws[:, :500], axis=1)
    for margin in (0.0, 0.1, 0.4):
        expected = (draws[:, -1] >= draws[:, 500:].max(axis=1) - margin * gap).mean()
        found = compute_p_within_compared(model.posterior, space, compared, x[None], margin, 0)
        assert found == pytest.approx(expected, abs=0.04)


def test_among_the_designs_compared_it_is_at_least_that_of_all_designs(in_one_dimension):
    for margin in (0.0, 0.1, 0.5):
        found = in_one_dimension.recommend(margin=margin)
        assert found.p_within_compared >= max(found.p_within, found.p_best - 0.03)


def test_a_random_set_of_designs_would_be_too_sure():
    """In six dimensions the maximum of a draw lies far above that of a thousand designs."""
    space = Space({f"x{c}": Real(0, 1) for c in range(6)})
    study = Optimizer(space, seed=1, kernel=RBF(0.5, outputscale=25.0), learn={}, initial=4, preset_version=1)
    play(study, 40, lambda design: -sum((value - 0.4) ** 2 for value in design.values()))
    x = space.encode(study.recommend().design)
    posterior, spread = study.model.posterior, space.sample(1000, np.random.default_rng(0))
    finite = brute_force(posterior, x, spread, 0.3)
    assert study.recommend(margin=0.3).p_within < finite - 0.1


# -- lists ------------------------------------------------------------------------------------------------------------


def test_a_fine_grid_has_the_probability_of_a_continuous_space():
    """A million designs cannot be listed, and the spread ones are far from the maxima of the draws."""
    rng = np.random.default_rng(1)
    points = rng.integers(0, 17, (40, 5)) / 16.0
    better = ((points - 0.6) ** 2).sum(axis=1).reshape(20, 2).argmin(axis=1)
    duels = ap.Duels(points, 2 * np.arange(20) + better, 2 * np.arange(20) + 1 - better)
    posterior = ap.PreferenceGP(RBF([0.5] * 5, 30.0), inference="ep").condition(duels).posterior
    x = posterior.points[int(np.argmax(posterior.means))]
    whole = Space({f"x{c}": ap.Integer(0, 16) for c in range(5)})
    reals = Space({f"x{c}": Real(0, 16) for c in range(5)})
    found, continuous = (compute_p_within(posterior, space, x, 0.5, 0) for space in (whole, reals))
    assert 0.02 < continuous < 0.98
    # Without steps in the discrete coordinates it would be 0.42 instead of 0.33; the continuous space has 0.31.
    assert found == pytest.approx(continuous, abs=0.06)


def test_a_list_is_judged_over_all_its_designs():
    space = SPACES["numeric catalogue"]
    study = Optimizer(space, strategy="ei", initial=4, seed=1)
    play(study, 6)
    best = study.recommend()
    expected = brute_force(study.model.posterior, space.encode(best.design), space.candidates, 0.1)
    assert best.p_within == pytest.approx(expected, abs=0.03)


def test_excluded_designs_of_a_list_cannot_be_the_best():
    items = [{"name": f"item {i}", "size": float(i)} for i in range(12)]
    study = Optimizer(ap.Catalogue(items, features=["size"]), kernel=RBF(0.1, outputscale=9.0), learn={}, seed=2)
    for _ in range(4):
        study.tell_preference(items[9], items[2])
        study.tell_preference(items[2], items[5])
    exclude = [items[i] for i in range(12) if i not in (2, 5)]
    limited = study.recommend(0.0, exclude=exclude)
    assert limited.design == items[2]
    posterior, available = study.model.posterior, study.space.candidates[[2, 5]]
    assert limited.p_within == pytest.approx(brute_force(posterior, available[0], available, 0.1), abs=0.03)
    assert limited.p_within > study.recommend(0.0).p_within + 0.1


@pytest.mark.parametrize("more", [0, 1])
def test_a_long_list_is_represented_by_a_part_of_it(more):
    rng = np.random.default_rng(5)
    items = [{"a": float(a), "b": float(b)} for a, b in rng.random((MAX_LISTED_DESIGNS + more, 2))]
    study = Optimizer(ap.Catalogue(items, features=["a", "b"]), kernel=RBF(0.4, outputscale=16.0), learn={}, seed=2)
    play(study, 12, lambda design: -abs(design["a"] - 0.3) - abs(design["b"] - 0.6))
    best = study.recommend()
    expected = brute_force(study.model.posterior, study.space.encode(best.design), study.space.candidates, 0.1)
    assert best.p_within == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_every_space_and_preset_has_it(name, preset):
    study = Optimizer(SPACES[name], preset=preset, initial=3, seed=1)
    play(study, 5)
    best = study.recommend()
    assert 0.0 <= best.p_within <= 1.0
    assert study.progress().p_within == best.p_within


def test_a_kernel_without_fourier_features_has_it():
    study = Optimizer(
        Space(a=Real(0, 1), b=Real(0, 1)), kernel=RBF(0.4, 16.0).on([0]) * RBF(0.4).on([1]), learn={}, initial=3
    )
    twin = Optimizer(Space(a=Real(0, 1), b=Real(0, 1)), kernel=RBF(0.4, 16.0), learn={}, initial=3)
    for winner, loser in [((0.3, 0.6), (0.9, 0.1)), ((0.3, 0.6), (0.1, 0.1)), ((0.35, 0.5), (0.6, 0.9))]:
        for one in (study, twin):
            one.tell_preference(dict(zip("ab", winner, strict=True)), dict(zip("ab", loser, strict=True)))
    assert study.recommend(margin=0.5).p_within == pytest.approx(twin.recommend(margin=0.5).p_within, abs=0.06)


# -- functions drawn from a posterior ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [RBF, Matern32, Matern52])
def test_the_covariance_of_the_features_is_the_kernel(kernel):
    k = kernel([0.4, 0.7, 1.3], 2.5, categorical=[2])
    grid = np.array([0.0, 0.25, 0.5, 1.0])
    X = np.random.default_rng(0).random((12, 3))
    X[:, 2] = grid[np.arange(12) % 4]
    features = FourierFeatures.draw(k, {2: grid}, 3, 16_384, np.random.default_rng(1))(X)
    assert np.abs(features @ features.T - k(X, X)).max() < 0.1


def test_paths_have_the_moments_of_the_posterior(in_two_dimensions):
    posterior = in_two_dimensions.model.posterior
    X = np.vstack([square(3), posterior.points[:3]])
    (paths,) = draw_paths(posterior, 20_000, {}, np.random.default_rng(2))
    draws = paths(X)
    std = np.sqrt(posterior.variance(X))
    assert (np.abs(draws.mean(axis=0) - posterior.mean(X)) / std).max() < 0.06
    scale = np.outer(std, std)
    assert (np.abs(np.cov(draws.T) - posterior.covariance(X)) / scale).max() < 0.15


def test_the_slopes_of_a_path_are_its_derivatives(in_two_dimensions):
    (paths,) = draw_paths(in_two_dimensions.model.posterior, 4, {}, np.random.default_rng(3))
    X, rows = np.random.default_rng(4).uniform(0.1, 0.9, (4, 2)), np.arange(4)
    values, gradient = paths.slopes(rows, X)
    assert values == pytest.approx(np.diagonal(paths(X)), abs=1e-3)
    for c in range(2):
        step = np.zeros(2)
        step[c] = 1e-2  # features are of single precision
        difference = (paths.slopes(rows, X + step)[0] - paths.slopes(rows, X - step)[0]) / 2e-2
        assert gradient[:, c] == pytest.approx(difference, abs=0.05 * np.abs(gradient).max())


# -- calibration -------------------------------------------------------------------------------------------------------

CALIBRATION = StoppingCalibration(intercept=-0.5, margin_weight=0.6, signal_weight=0.4, answers_weight=0.3, slope=0.2)


def test_calibration_is_the_formula_of_its_docstring():
    p, answers, margin, ratio = 0.7, 45, 0.2, 12.0
    s, z = math.log(1 + ratio), stats.norm.ppf(p)
    expected = stats.norm.cdf(-0.5 + 0.6 * math.log(margin / 0.1) + s * (0.4 + 0.3 * math.log(answers / 30) + 0.2 * z))
    assert CALIBRATION(p, answers, margin, ratio) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 1.0, 30.0, 1e9])
@pytest.mark.parametrize("answers", [1, 30, 10_000])
def test_calibrated_probabilities_increase_with_the_posteriors_and_with_the_margin(answers, ratio):
    """Strictly, and finite at every limit: no draw or all draws within the margin, a margin of 0 or 1."""
    p, margins = np.linspace(0.0, 1.0, 11), np.array([0.0, 0.1, 1.0])[:, None]
    found = CALIBRATION(p, answers, margins, ratio)
    assert ((found > 0.0) & (found < 1.0)).all()
    assert (np.diff(found, axis=1) > 0.0).all()
    assert (np.diff(found, axis=0) > 0.0).all()


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ((0.6, 60, 0.1, 5.0), (0.6, 100_000, 0.1, 5.0)),
        ((0.6, 10, 0.1, 5.0), (0.6, 1, 0.1, 5.0)),
        ((0.6, 30, 0.03, 5.0), (0.6, 30, 0.0, 5.0)),
        ((0.6, 30, 0.1, 70.0), (0.6, 30, 0.1, 1e6)),
        ((0.6, 30, 0.1, 0.3), (0.6, 30, 0.1, 0.0)),
        ((1.0 - 0.5 / 512, 30, 0.1, 5.0), (1.0, 30, 0.1, 5.0)),
    ],
)
def test_a_calibration_is_not_extrapolated(inside, outside):
    assert CALIBRATION(*inside) == CALIBRATION(*outside)


def test_the_same_few_answers_repeated_many_times_do_not_end_a_study():
    """The number of answers alone must not make a study believe that nothing better exists."""
    study = Optimizer(Space({f"x{c}": Real(0, 1) for c in range(4)}), seed=0)
    points = np.random.default_rng(0).random((6, 4))
    designs = [study.space.decode(x) for x in points]
    for _ in range(20):
        for i in range(6):
            for j in range(i):
                study.tell_preference(designs[i], designs[j])
    assert not study.progress().stop


@pytest.fixture(scope="module")
def default_study():
    study = Optimizer(Space(a=Real(0, 1), b=Real(0, 1)), seed=1)
    play(study, 12, lambda design: -((design["a"] - 0.3) ** 2) - (design["b"] - 0.6) ** 2)
    return study


def test_the_default_preset_reports_calibrated_probabilities(default_study):
    best, model = default_study.recommend(margin=0.2), default_study.model
    x = default_study.space.encode(best.design)
    raw = compute_p_within(model.posterior, default_study.space, x, 0.2, 1)
    ratio = (
        float(model.kernel.outputscale) / 2.0
    )  # without anchors the noise of a duel is the sum of two unit variances
    assert best.p_within == pytest.approx(float(DEFAULT_CALIBRATION(raw, 12, 0.2, ratio)), rel=1e-12)
    assert best.p_within != pytest.approx(raw, abs=0.01)


def test_a_saved_study_keeps_its_calibration(default_study):
    again = Optimizer.from_json(default_study.to_json())
    assert again.plan.calibration == DEFAULT_CALIBRATION
    assert again.recommend().p_within == default_study.recommend().p_within


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "paper"},
        {"preset_version": 1},
        {"strategy": "eubo"},
        {"likelihood": "logistic"},
        {"inference": "laplace"},
        {"learn": {"lengthscale": None}},
        {"kernel": Matern52(0.3)},
        {"integration": "map"},
        {"likelihood": Probit(lapse=0.1)},
        {"noise": ConstantNoise(2.0)},
        {"initial": 10},
        {"risk_weight": 1.0},
    ],
    ids=str,
)
def test_other_plans_report_the_probability_of_their_own_posterior(options):
    """The calibration was measured with the default preset: it says nothing about other priors and searches."""
    assert Optimizer(Space(a=Real(0, 1)), **options).plan.calibration is None


def make_list_study(compared, length=4):
    """A study on a list of which only the first designs have been compared, in a chain."""
    items = [{"name": str(i), "a": i / length} for i in range(length)]
    study = Optimizer(Catalogue(items, features=["a"]), seed=0)
    for better, worse in pairwise(items[:compared]):
        study.tell_preference(better, worse)
    return study


@pytest.mark.parametrize(
    ("compared", "excluded", "is_calibrated"),
    [(4, [], False), (3, [], True), (3, [{"name": "3", "a": 0.75}], False), (4, [{"name": "3", "a": 0.75}], False)],
)
def test_a_list_whose_designs_have_all_been_compared_needs_no_calibration(compared, excluded, is_calibrated):
    study = make_list_study(compared)
    best, model = study.recommend(exclude=excluded), study.model
    x, out = study.space.encode(best.design), np.array([study.space.encode(each) for each in excluded]).reshape(-1, 1)
    raw = compute_p_within(model.posterior, study.space, x, 0.1, 0, out)
    assert (best.p_within != pytest.approx(raw, abs=1e-12)) == is_calibrated


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.4, 1.0])
def test_a_larger_margin_is_more_probable_after_calibration(default_study, margin):
    assert default_study.recommend(margin=margin).p_within >= default_study.recommend(margin=margin / 2).p_within
