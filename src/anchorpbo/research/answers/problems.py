"""Problems of the benchmark: a tuning set, on which defaults are chosen, and a confirmation set, which judges them.

A third set is not part of the benchmark: the stopping rule is calibrated on it and on the tuning set. No problem of one
set is in another. Problems whose name begins with ``gp`` are draws of a Gaussian process with known length-scales, a
new draw for each seed; ``catalogue`` problems are lists of 500 designs with such a draw as utility.

A utility is measured by the share of the way from a median design to the best,

    share(x) = (f(x) - median) / (maximum - median)

where the median is over designs spread evenly over the space. The share of a bad design is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from scipy import optimize

from anchorpbo.errors import UnknownNameError
from anchorpbo.numerics.sobol import sobol
from anchorpbo.problems import (
    BRANIN,
    HARTMANN3,
    HARTMANN4,
    HARTMANN6,
    LEVY4,
    SIX_HUMP_CAMEL,
    STYBLINSKI_TANG5,
    Problem,
    mixed,
)
from anchorpbo.space import Catalogue, Categorical, DesignSpace, Integer, Real, Space
from anchorpbo.typing import Array

CATALOGUE_SIZE = 500
FEATURES = 2000
"""Number of random Fourier features of a draw of a Gaussian process."""
SPREAD_DESIGNS = 4096
"""Number of spread designs whose median utility is the median of a problem."""
CLIMBS = 24
"""Number of local searches that find the maximum of a draw."""
LOW_QUANTILE = 0.05
"""Share of the spread designs that lie below the range of a utility."""

Utility = Callable[[Array], Array]
"""Function from coordinates of designs, (n, d), to utilities, (n,)."""


@dataclass(frozen=True, eq=False)
class JudgedProblem:
    """A utility on a design space, for designs given by their coordinates in the unit cube."""

    name: str
    space: DesignSpace
    utility: Utility
    maximum: float
    median: float
    """Median utility of designs spread over the space."""
    low: float
    """Utility that one spread design in twenty falls below."""

    @classmethod
    def of(cls, name: str, space: DesignSpace, utility: Utility, maximum: float, spread: Array) -> JudgedProblem:
        """Return a problem whose median and low utility are those of spread designs, (n, d)."""
        low, median = np.quantile(utility(spread), [LOW_QUANTILE, 0.5]).tolist()
        return cls(name, space, utility, maximum, median, low)

    def share(self, X: Array) -> Array:
        """Return the share of the way from a median design to the best, (n,), at designs X, (n, d)."""
        return (self.utility(np.atleast_2d(X)) - self.median) / (self.maximum - self.median)

    @property
    def range(self) -> float:
        """Range of the utility, without the worst designs: one deep corner would make all noise large."""
        return self.maximum - self.low


# -- draws of Gaussian processes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GPDraw:
    """A draw of a stationary Gaussian process of variance 1 by random Fourier features.

    f(x) = sqrt(2 / F) sum_i w_i cos(omega_i' x + b_i), with w_i ~ N(0, 1), b_i uniform, and omega_i from the kernel's
    spectral density: Gaussian for RBF, Student's t with 2 nu = 5 degrees of freedom for Matern 5/2.
    """

    frequencies: Array
    """omega, (F, d)."""
    phases: Array
    weights: Array

    @classmethod
    def of(cls, lengthscales: Array, seed: list[int], kernel: Literal["rbf", "matern52"] = "rbf") -> GPDraw:
        """Draw a function with these length-scales, (d,)."""
        rng = np.random.default_rng(seed)
        normals = rng.standard_normal((FEATURES, len(lengthscales)))
        if kernel == "matern52":
            normals /= np.sqrt(rng.chisquare(5.0, FEATURES) / 5.0)[:, None]
        return cls(
            normals / lengthscales,
            rng.uniform(0.0, 2.0 * np.pi, FEATURES),
            np.sqrt(2.0 / FEATURES) * rng.standard_normal(FEATURES),
        )

    def __call__(self, X: Array) -> Array:
        """Return the values, (n,), at X, (n, d)."""
        return np.asarray(np.cos(X @ self.frequencies.T + self.phases) @ self.weights)

    def gradient(self, x: Array) -> Array:
        """Return the gradient, (d,), at x, (d,)."""
        return np.asarray(-(np.sin(self.frequencies @ x + self.phases) * self.weights) @ self.frequencies)

    def find_maximum(self, spread: Array) -> float:
        """Return the largest value on the cube, by local searches from the best of spread designs, (n, d)."""
        starts = spread[np.argsort(-self(spread), kind="stable")[:CLIMBS]]
        bounds = [(0.0, 1.0)] * spread.shape[1]
        return max(-float(optimize.fmin_l_bfgs_b(self._negative, x, bounds=bounds)[1]) for x in starts)

    def _negative(self, x: Array) -> tuple[float, Array]:
        return -float(self(x[None])[0]), -self.gradient(x)


def draw_problem(
    name: str, lengthscales: tuple[float, ...], seed: int, kernel: Literal["rbf", "matern52"] = "rbf"
) -> JudgedProblem:
    """Draw the problem of a seed from a Gaussian process on the unit cube."""
    draw = GPDraw.of(np.array(lengthscales), [seed, 101, len(lengthscales)], kernel)
    spread = sobol(SPREAD_DESIGNS, len(lengthscales))
    return JudgedProblem.of(name, _cube(len(lengthscales)), draw, draw.find_maximum(spread), spread)


# -- test functions, mixed spaces, catalogues --------------------------------------------------------------------------


def add_irrelevant(name: str, problem: Problem, irrelevant: int) -> JudgedProblem:
    """Return a test function on a cube with further coordinates that do not matter."""
    dimension = problem.dimension + irrelevant
    utility = partial(_evaluate_first, problem.utility, problem.dimension)
    return JudgedProblem.of(name, _cube(dimension), utility, problem.maximum, sobol(SPREAD_DESIGNS, dimension))


def _evaluate_first(utility: Utility, relevant: int, X: Array) -> Array:
    return utility(X[:, :relevant])


def _cosine(X: Array) -> Array:
    return np.asarray(0.1 * np.cos(5.0 * np.pi * X).sum(axis=1) - (X**2).sum(axis=1))


# f(x) = sum_c cos(5 pi x_c) / 10 - x_c^2 for x in [-1, 0.6]^10: a bowl with ripples, best at 0 and worst where all
# coordinates are -1.
_COSINE10 = Problem.on_box("cosine10", _cosine, [[-1.0, 0.6]] * 10, optimum=np.zeros(10), maximum=1.0, minimum=-11.0)


@dataclass(frozen=True, eq=False)
class _OfDesigns:
    """Utility of designs given as dicts, as a function of coordinates."""

    space: DesignSpace
    utility: Callable[[Mapping[str, Any]], float]

    def __call__(self, X: Array) -> Array:
        return np.array([self.utility(self.space.decode(x)) for x in X])


def _mixed_problem(
    name: str, space: Space, utility: Callable[[Mapping[str, Any]], float], maximum: float
) -> JudgedProblem:
    spread = space.sample(SPREAD_DESIGNS, np.random.default_rng(0))
    return JudgedProblem.of(name, space, _OfDesigns(space, utility), maximum, spread)


def _espresso() -> JudgedProblem:
    space = Space(
        temperature=Real(86, 96), ratio=Real(1.2, 3.6, log=True), grind=Integer(1, 20),
        basket=Categorical(["single", "double", "triple"]),
    )  # fmt: skip
    return _mixed_problem("espresso", space, mixed.espresso, mixed.ESPRESSO_MAXIMUM)


def _coffee() -> JudgedProblem:
    space = Space(
        temperature=Real(80, 96), dose=Real(10, 20, log=True), grind=Integer(1, 10),
        origin=Categorical(["Kenya", "Brazil", "Ethiopia"]),
    )  # fmt: skip
    return _mixed_problem("coffee", space, mixed.coffee, mixed.COFFEE_MAXIMUM)


@dataclass(frozen=True, eq=False)
class Hills:
    """Utility of `x`, `y` and a category `kind`, with one hill per category.

    u = h exp(-((x - a)^2 + (y - b)^2) / 0.08), with the height h and the place (a, b) of the category's hill.
    """

    hills: Mapping[str, tuple[float, float, float]]
    """h, a and b by category."""

    def __call__(self, design: Mapping[str, Any]) -> float:
        """Return the utility of a design."""
        height, a, b = self.hills[design["kind"]]
        return height * float(np.exp(-((design["x"] - a) ** 2 + (design["y"] - b) ** 2) / 0.08))


def _draw_hills(seed: int) -> JudgedProblem:
    """Draw four hills: one of height 1, the others of heights between 0.6 and 0.95."""
    rng = np.random.default_rng([seed, 109])
    heights, places = np.append(rng.uniform(0.6, 0.95, 3), 1.0), rng.random((4, 2))
    rows = zip("abcd", heights.tolist(), places.tolist(), strict=True)
    hills: dict[str, tuple[float, float, float]] = {kind: (h, a, b) for kind, h, (a, b) in rows}
    space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0), kind=Categorical(list(hills)))
    return _mixed_problem("hills", space, Hills(hills), 1.0)


def _catalogue(
    name: str, lengthscales: tuple[float, ...], irrelevant: int, seed: int, kernel: Literal["rbf", "matern52"]
) -> JudgedProblem:
    """Draw a list of designs with random features, some of which do not matter."""
    relevant = len(lengthscales)
    features = np.random.default_rng([seed, 103]).random((CATALOGUE_SIZE, relevant + irrelevant))
    names = [f"x{c + 1}" for c in range(features.shape[1])]
    items = [{"name": str(i), **dict(zip(names, row, strict=True))} for i, row in enumerate(features.tolist())]
    catalogue = Catalogue(items, features=names)
    draw = GPDraw.of(np.array(lengthscales), [seed, 104, relevant], kernel)
    assert catalogue.candidates is not None
    values = draw(features[:, :relevant])
    utility = ItemUtility(catalogue.candidates, values)
    return JudgedProblem.of(name, catalogue, utility, float(values.max()), catalogue.candidates)


@dataclass(frozen=True, eq=False)
class ItemUtility:
    """Utility of the items of a catalogue, found by their coordinates."""

    candidates: Array
    values: Array

    def __call__(self, X: Array) -> Array:
        """Return the values, (n,), of the items nearest to X, (n, d)."""
        return self.values[[int(np.abs(self.candidates - x).sum(axis=1).argmin()) for x in X]]


def _cube(dimension: int) -> Space:
    return Space({f"x{c + 1}": Real(0.0, 1.0) for c in range(dimension)})


# -- the sets ----------------------------------------------------------------------------------------------------------

TUNING: dict[str, Callable[[int], JudgedProblem]] = {
    "gp2": lambda seed: draw_problem("gp2", (0.2,) * 2, seed),
    "gp4": lambda seed: draw_problem("gp4", (0.35,) * 4, seed),
    "gp6m": lambda seed: draw_problem("gp6m", (0.7,) * 6, seed, "matern52"),
    "hartmann6": lambda _: add_irrelevant("hartmann6", HARTMANN6, 0),
    "hartmann4in10": lambda _: add_irrelevant("hartmann4in10", HARTMANN4, 6),
    "styblinski5in8": lambda _: add_irrelevant("styblinski5in8", STYBLINSKI_TANG5, 3),
    "espresso": lambda _: _espresso(),
    "catalogue5": lambda seed: _catalogue("catalogue5", (0.4,) * 5, 0, seed, "rbf"),
}
"""Problems on which defaults are chosen, by name: functions of the seed."""

CONFIRMATION: dict[str, Callable[[int], JudgedProblem]] = {
    "gp3": lambda seed: draw_problem("gp3", (0.25,) * 3, seed),
    "gp6": lambda seed: draw_problem("gp6", (0.3, 0.3, 0.6, 0.6, 1.2, 1.2), seed),
    "branin2in5": lambda _: add_irrelevant("branin2in5", BRANIN, 3),
    "cosine10": lambda _: add_irrelevant("cosine10", _COSINE10, 0),
    "coffee": lambda _: _coffee(),
    "catalogue8": lambda seed: _catalogue("catalogue8", (0.35,) * 4, 4, seed, "matern52"),
}
"""Problems on which the choices are confirmed, by name: functions of the seed."""

CALIBRATION: dict[str, Callable[[int], JudgedProblem]] = {
    "gp2m": lambda seed: draw_problem("gp2m", (0.3,) * 2, seed, "matern52"),
    "gp3a": lambda seed: draw_problem("gp3a", (0.2, 0.4, 0.8), seed),
    "gp3m": lambda seed: draw_problem("gp3m", (0.4,) * 3, seed, "matern52"),
    "gp5a": lambda seed: draw_problem("gp5a", (0.25, 0.5, 0.5, 1.0, 1.0), seed),
    "camel2in4": lambda _: add_irrelevant("camel2in4", SIX_HUMP_CAMEL, 2),
    "hartmann3": lambda _: add_irrelevant("hartmann3", HARTMANN3, 0),
    "levy4": lambda _: add_irrelevant("levy4", LEVY4, 0),
    "hills": _draw_hills,
}
"""Further problems to which the stopping rule is calibrated, by name: functions of the seed."""

SETS: dict[str, dict[str, Callable[[int], JudgedProblem]]] = {"tuning": TUNING, "confirmation": CONFIRMATION}


def find_set(problem: str) -> tuple[str, ...]:
    """Return the names of all problems of the set that a problem belongs to."""
    return next(tuple(problems) for problems in SETS.values() if problem in problems)


@cache
def get_judged_problem(name: str, seed: int) -> JudgedProblem:
    """Return the problem of a name and a seed; only draws depend on the seed."""
    known = {**TUNING, **CONFIRMATION, **CALIBRATION}
    if name not in known:
        raise UnknownNameError.of("a problem", name, known)
    return known[name](seed)
