"""Problems of the benchmark: their sets, maxima and medians."""

from hashlib import sha256

import numpy as np
import pytest
from scipy import optimize

from anchorpbo.errors import UnknownNameError
from anchorpbo.research.answers.problems import CALIBRATION, SETS, GPDraw, get_judged_problem
from anchorpbo.space import Real

NAMES = [name for problems in (*SETS.values(), CALIBRATION) for name in problems]
DRAWN = [name for name in NAMES if name.startswith(("gp", "catalogue", "hills"))]


def in_chunks(function, X, size=5000):
    return np.concatenate([function(X[start : start + size]) for start in range(0, len(X), size)])


def test_no_problem_is_in_two_sets():
    assert len(set(NAMES)) == len(NAMES)
    assert all(get_judged_problem(name, 0).name == name for name in NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_design_of_a_hundred_thousand_is_better_than_the_maximum(name):
    problem = get_judged_problem(name, 0)
    X = problem.space.sample(100_000, np.random.default_rng(1))
    assert in_chunks(problem.utility, X).max() <= problem.maximum + 1e-9 * problem.range


def search_coordinates(utility, x):
    """Return the best design of a search along each coordinate."""
    for c in range(len(x)):
        line = np.tile(x, (101, 1))
        line[:, c] = np.linspace(0.0, 1.0, 101)
        x = line[utility(line).argmax()]
    return x


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("gp")])
def test_some_design_has_the_maximum(name):
    problem = get_judged_problem(name, 3)
    X = problem.space.sample(20_000, np.random.default_rng(2))
    values = problem.utility(X)
    best, tolerance = values.max(), 0.05
    if problem.space.candidates is not None:
        best, tolerance = problem.utility(problem.space.candidates).max(), 0.0
    elif all(isinstance(parameter, Real) for parameter in problem.space.parameters.values()):
        starts, bounds, tolerance = X[np.argsort(-values)[:10]], [(0.0, 1.0)] * X.shape[1], 1e-6
        starts = [search_coordinates(problem.utility, x) for x in starts]  # past the ripples
        best = max(
            -optimize.minimize(lambda x: -float(problem.utility(x[None])[0]), x, bounds=bounds).fun for x in starts
        )
    assert problem.maximum - tolerance * problem.range <= best <= problem.maximum + 1e-9 * problem.range


@pytest.mark.parametrize("name", NAMES)
def test_half_of_the_designs_have_a_negative_share_and_one_in_twenty_is_below_the_range(name):
    problem = get_judged_problem(name, 1)
    X = problem.space.sample(2000, np.random.default_rng(5))
    assert abs(np.mean(problem.share(X) < 0.0) - 0.5) < 0.05
    assert abs(np.mean(problem.utility(X) < problem.low) - 0.05) < 0.025
    assert 0.0 < problem.maximum - problem.median < problem.range


def test_the_share_is_0_at_the_median_and_1_at_the_maximum():
    problem = get_judged_problem("catalogue5", 0)
    values = problem.utility(problem.space.candidates)
    assert problem.share(problem.space.candidates[[values.argmax()]])[0] == 1.0
    assert abs(np.median(problem.share(problem.space.candidates))) < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_only_draws_depend_on_the_seed(name):
    one, other = (get_judged_problem(name, seed) for seed in (0, 1))
    X = one.space.sample(20, np.random.default_rng(0))
    Y = other.space.sample(20, np.random.default_rng(0))
    assert np.array_equal(one.utility(X), other.utility(Y)) == (name not in DRAWN)


RECORDED = {
    "gp2": (-37.40020617587, 0.873462236418, -0.407662048191, -2.318370738583),
    "gp4": (10.5713069889, 2.936815111963, 0.2365506041085, -1.793673380471),
    "gp6m": (37.97400864094, 4.373830679911, 0.4618171435772, -1.090157549722),
    "hartmann6": (18.55218936612, 3.322368011416, 0.1030153964235, 0.001870145141848),
    "hartmann4in10": (4.824796518663, 3.134494141222, -0.1536869862923, -1.216575360279),
    "styblinski5in8": (1304.441368772, 195.8308285189, 34.33572686101, -110.4534468227),
    "espresso": (-110.9816105812, 1, -1.523100030403, -4.69111513053),
    "catalogue5": (-6.366347131304, 2.017097392238, -0.2135593393985, -1.395667485344),
    "gp3": (-26.82152185856, 2.257797317403, -0.4236231356635, -1.725914839894),
    "gp6": (-14.42947016233, 2.32028420173, -0.2517180750036, -1.526306799893),
    "branin2in5": (-3479.658637216, -0.3978873577297, -34.69484360252, -162.0372812217),
    "cosine10": (-162.1358818029, 1, -2.477284927171, -4.021504780027),
    "coffee": (110.3872625652, 8.932752493372, 1.168773741173, 0.002860896676694),
    "catalogue8": (-15.54998646165, 1.969234488159, -0.0379119257143, -1.522173691328),
    "gp2m": (-37.65710759098, 1.379289439184, -0.5188886973136, -2.275267070934),
    "gp3a": (-26.86627448058, 0.8196879192655, -0.3769093536239, -1.300432375869),
    "gp3m": (24.11019188183, 3.507886295292, 0.3276507081443, -1.419419920104),
    "gp5a": (31.44088893237, 2.485980865105, 0.5264955162986, -0.6364068562597),
    "camel2in4": (-1310.123067113, 1.03162845349, -8.261578124703, -81.8245225112),
    "hartmann3": (59.96494965972, 3.862779787333, 0.5520070373921, 0.01256846086077),
    "levy4": (-2755.854189047, 0, -37.03250738927, -96.044481158),
    "hills": (11.34010975029, 1, 0.04676514698225, 3.585479931517e-05),
}
"""Sum over 64 designs, maximum, median and low of the problems with seed 0, when the first records were made."""
RECORDED_DRAWS = {
    ((0.25,) * 3, (0, 101, 3), "rbf"): "d9145757babfdfb5",
    ((0.35,) * 4, (0, 104, 4), "matern52"): "a644b78aca757c22",
}
"""Digests of the draws of ``gp3`` and ``catalogue8`` with seed 0."""


@pytest.mark.parametrize("name", NAMES)
def test_problems_are_those_of_earlier_records(name):
    problem = get_judged_problem(name, 0)
    X = problem.space.sample(64, np.random.default_rng(7))
    found = (problem.utility(X).sum(), problem.maximum, problem.median, problem.low)
    assert found == pytest.approx(RECORDED[name], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("settings", "digest"), RECORDED_DRAWS.items())
def test_draws_are_those_of_earlier_records_to_the_last_bit(settings, digest):
    lengthscales, seed, kernel = settings
    draw = GPDraw.of(np.array(lengthscales), list(seed), kernel)
    content = b"".join(part.tobytes() for part in (draw.frequencies, draw.phases, draw.weights))
    assert sha256(content).hexdigest()[:16] == digest


@pytest.mark.parametrize(("kernel", "covariance"), [
    ("rbf", lambda r: np.exp(-0.5 * r**2)),
    ("matern52", lambda r: (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)),
])  # fmt: skip
def test_draws_have_the_covariance_of_their_kernel(kernel, covariance):
    X = np.array([[0.2, 0.3], [0.2, 0.5], [0.6, 0.9]])
    values = np.array([GPDraw.of(np.array([0.4, 0.8]), [seed], kernel)(X) for seed in range(1500)])
    distances = np.linalg.norm((X[:, None] - X) / [0.4, 0.8], axis=2)
    assert np.abs(np.cov(values.T) - covariance(distances)).max() < 0.12


def test_the_gradient_of_a_draw_is_its_derivative():
    draw, x, step = GPDraw.of(np.array([0.3, 0.5, 0.7]), [4], "matern52"), np.array([0.3, 0.6, 0.9]), 1e-6
    slopes = [(draw((x + e)[None])[0] - draw((x - e)[None])[0]) / (2 * step) for e in step * np.eye(3)]
    assert np.allclose(draw.gradient(x), slopes, atol=1e-6)


def test_each_category_has_a_hill_and_one_of_them_is_the_best():
    problem = get_judged_problem("hills", 2)
    hills = problem.utility.utility.hills
    tops = {kind: problem.utility.utility({"kind": kind, "x": a, "y": b}) for kind, (_, a, b) in hills.items()}
    assert sorted(tops.values())[-1] == 1.0 == problem.maximum
    assert all(0.6 <= top < 0.95 for top in sorted(tops.values())[:-1])
    height, a, b = hills["a"]
    aside = problem.utility.utility({"kind": "a", "x": a + 0.1, "y": b - 0.2})
    assert aside == pytest.approx(height * np.exp(-(0.1**2 + 0.2**2) / 0.08))


def test_irrelevant_coordinates_change_nothing():
    problem = get_judged_problem("branin2in5", 0)
    X = problem.space.sample(10, np.random.default_rng(0))
    Y = X.copy()
    Y[:, 2:] = 0.5
    assert np.array_equal(problem.utility(X), problem.utility(Y))


def test_an_unknown_problem_is_an_error_that_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="gp3"):
        get_judged_problem("gp33", 0)
