"""Contracts of acquisition functions: suites for those of designs, of pairs, and of duels under the whole posterior."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields
from typing import ClassVar

import numpy as np

from anchorpbo.acquisition import (
    Acquisition,
    BoundAcquisition,
    DesignAcquisition,
    PairAcquisition,
    PairPartials,
    Partials,
)
from anchorpbo.duels import Duels
from anchorpbo.errors import InputError, ShapeError
from anchorpbo.kernels import RBF
from anchorpbo.model import PreferenceGP
from anchorpbo.numerics.validation import freeze
from anchorpbo.posterior import GaussianPosterior, Posterior, PosteriorMixture
from anchorpbo.reliability import NoiseMap
from anchorpbo.testing.contract import (
    Contract,
    differentiate,
    differentiate_items,
    ensure,
    ensure_close,
    ensure_finite,
    ensure_immutable,
    ensure_raises,
    ensure_same_bits,
    ensure_shape,
    pickle_and_load,
)
from anchorpbo.typing import Array

_DIMENSION = 2
_ITEMS = 7
_INCUMBENT = 0.2
_KERNEL = RBF(0.5, 4.0)
_MOMENTS = {
    "mean": np.array([-3.0, -0.5, 0.0, 0.21, 1.0, 3.0]),
    "std": np.array([0.3, 1.0, 2.5]),
    "noise": np.array([0.02, 0.1, 1.0, 4.0]),
}
"""Moments at which partial derivatives are checked; all positive ones leave room for a step."""


class AcquisitionContract(Contract):
    """Base class of the suites: checks of a bound acquisition function."""

    item_shape: ClassVar[tuple[int, ...]]

    def __init__(self, acquisition: Acquisition) -> None:
        super().__init__(acquisition)
        rng = np.random.default_rng(11)
        points = rng.uniform(size=(6, _DIMENSION))
        duels = Duels(points, [0, 2, 4, 1, 0], [1, 3, 5, 2, 5])
        self.noise: NoiseMap = NoiseMap.bounded(rng.uniform(size=(3, _DIMENSION)), bandwidth=0.3)
        kernels = (_KERNEL, RBF(0.3, 7.0))
        models = [PreferenceGP(kernel, "probit", "laplace", noise=self.noise).condition(duels) for kernel in kernels]
        self.posterior: Posterior = models[0].posterior
        parts = tuple(part for model in models for _, part in model.posterior.components)
        self.mixture: PosteriorMixture = PosteriorMixture(np.array([0.7, 0.3]), parts)
        self.X = freeze(rng.uniform(size=(_ITEMS, *self.item_shape)))

    # -- to implement -------------------------------------------------------------------------------------------------

    @abstractmethod
    def bind(self, posterior: Posterior) -> BoundAcquisition:
        """Return the acquisition function bound to a posterior, as a function of items."""

    @abstractmethod
    def items_without_spread(self) -> tuple[Posterior, Array]:
        """Return a posterior and items with a standard deviation of 0 under it."""

    # -- checks -------------------------------------------------------------------------------------------------------

    def check_shapes(self) -> None:
        """Values are (n,) and gradients have the shape of the items, even for zero items and one item."""
        bound = self.bind(self.posterior)
        for n in (0, 1, _ITEMS):
            values, gradient = bound.value_and_gradient(self.X[:n])
            ensure_shape("values", values, (n,))
            ensure_shape("the gradient", gradient, self.X[:n].shape)
            ensure_shape("values of a plain call", bound(self.X[:n]), (n,))

    def check_values_agree(self) -> None:
        """A plain call and `value_and_gradient` return the same values, independent of the other items."""
        bound = self.bind(self.posterior)
        values = bound(self.X)
        ensure_close("values of value_and_gradient", bound.value_and_gradient(self.X)[0], values, 1e-12, 1e-12)
        alone = np.concatenate([bound(x[None]) for x in self.X])
        ensure_close("values of single items", alone, values, 1e-10, 1e-10)

    def check_gradient(self) -> None:
        """The gradient in the items agrees with finite differences."""
        for name, posterior in (("the gradient", self.posterior), ("the gradient over a mixture", self.mixture)):
            bound = self.bind(posterior)
            expected = differentiate_items(bound, self.X)
            largest = float(np.abs(expected).max())
            ensure_close(name, bound.value_and_gradient(self.X)[1], expected, 1e-5, 1e-6 * largest + 1e-10)

    def check_mixture(self) -> None:
        """Over a mixture of posteriors, the value is the average of the components' values, or log mean exp of logs."""
        values, weights = np.array([self.bind(part)(self.X) for part in self.mixture.posteriors]), self.mixture.weights
        log = isinstance(self.subject, DesignAcquisition) and self.subject.log
        expected = np.log(weights @ np.exp(values)) if log else weights @ values
        ensure_close("values over a mixture", self.bind(self.mixture)(self.X), expected, 1e-10, 1e-12)

    def check_finite_without_spread(self) -> None:
        """Values and gradients are finite if the standard deviation is 0."""
        posterior, items = self.items_without_spread()
        values, gradient = self.bind(posterior).value_and_gradient(items)
        ensure_finite("values at std 0", values)
        ensure_finite("the gradient at std 0", gradient)

    def check_wrong_shapes(self) -> None:
        """Items of a wrong shape raise `ShapeError`, and NaN raises `InputError`."""
        bound = self.bind(self.posterior)
        wrong = {
            "one item instead of a list": self.X[0],
            "items of one coordinate more": np.zeros((2, *self.item_shape[:-1], _DIMENSION + 1)),
            "items of the other kind": np.zeros((2, _DIMENSION) if len(self.item_shape) == 2 else (2, 2, _DIMENSION)),
        }
        for what, X in wrong.items():
            ensure_raises(ShapeError, f"a call with {what}", lambda X=X: bound(X))  # type: ignore[misc]
            ensure_raises(ShapeError, f"a gradient with {what}", lambda X=X: bound.value_and_gradient(X))  # type: ignore[misc]
        ensure_raises(InputError, "a NaN in the items", lambda: bound(np.full((1, *self.item_shape), np.nan)))

    def check_leaves_its_arguments_alone(self) -> None:
        """Calls do not change items, and a repeated call returns the same result."""
        bound, X = self.bind(self.posterior), self.X.copy()
        first = bound.value_and_gradient(X)
        ensure_same_bits("the items", X, self.X)
        again = bound.value_and_gradient(X)
        ensure_same_bits("values asked for again", again[0], first[0])
        ensure_same_bits("the gradient asked for again", again[1], first[1])

    def check_immutable(self) -> None:
        """Fields cannot be set."""
        ensure_immutable(self.subject)

    def check_pickles(self) -> None:
        """A pickled acquisition function returns the same values."""
        copy = type(self)(pickle_and_load(self.subject))  # type: ignore[arg-type]
        ensure_same_bits("a pickled acquisition", copy.bind(self.posterior)(self.X), self.bind(self.posterior)(self.X))


class MomentAcquisitionContract(AcquisitionContract):
    """Base class of the suites of acquisition functions that are given by `partials`."""

    signs: ClassVar[dict[str, int]]
    """Required signs of partial derivatives, by name; of pairs, those of the upper bound."""
    partials_type: ClassVar[type[Partials | PairPartials]]
    """Type of the result of `partials`."""
    prerequisites: ClassVar[tuple[str, ...]] = ("check_returns_partials", "check_partials_have_one_shape")

    # -- to implement -------------------------------------------------------------------------------------------------

    @abstractmethod
    def partials(self, moments: Array) -> Partials | PairPartials:
        """Return value and partial derivatives at moments, one row per moment in the order of `signs`."""

    @abstractmethod
    def moments(self) -> Array:
        """Return the moments at which partial derivatives are checked, (rows of `signs`, n)."""

    # -- checks -------------------------------------------------------------------------------------------------------

    def check_returns_partials(self) -> None:
        """`partials` returns `Partials` for designs and `PairPartials` for pairs."""
        here, name = self.partials(self.moments()), self.partials_type.__name__
        rule = f"partials must return a {name}"
        ensure(isinstance(here, self.partials_type), f"{rule}; it returned a {type(here).__name__}")

    def check_partials_have_one_shape(self) -> None:
        """Value and partial derivatives have the shape of the moments."""
        moments = self.moments()
        here = self.partials(moments)
        for field in fields(here):
            ensure_shape(field.name, getattr(here, field.name), moments[0].shape)

    def check_partials(self) -> None:
        """Partial derivatives in the moments agree with finite differences."""
        moments = self.moments()
        here = self.partials(moments)
        at = dict(zip((name.removeprefix("by_") for name in self.signs), moments, strict=True))
        for row, name in enumerate(self.signs):
            # Steps are absolute for a mean, and relative for a standard deviation and a noise.
            size = 2e-4 * (np.ones_like(moments[row]) if "mean" in name else moments[row])

            def value(t: float, row: int = row, size: Array = size) -> Array:
                moved = moments.copy()
                moved[row] += t * size
                return self.partials(moved).value

            rounding = 1e-13 * (1.0 + np.abs(here.value)) / size
            ensure_close(name, getattr(here, name), differentiate(value, size), 1e-5, rounding + 1e-9, at)

    def check_partials_finite_without_spread(self) -> None:
        """Partial derivatives are finite if the standard deviation is 0."""
        moments = self.moments()
        moments[list(self.signs).index("by_std")] = 0.0
        here = self.partials(moments)
        for field in fields(here):
            ensure_finite(f"{field.name} at std 0", getattr(here, field.name))

    def check_leaves_moments_alone(self) -> None:
        """Calls do not change the moments."""
        moments = self.moments()
        self.partials(moments)
        ensure_same_bits("the moments", moments, self.moments())


class DesignAcquisitionContract(MomentAcquisitionContract):
    """Checks of an acquisition function that scores single designs."""

    item_shape: ClassVar[tuple[int, ...]] = (_DIMENSION,)
    signs: ClassVar[dict[str, int]] = {"by_mean": 1, "by_std": 1, "by_noise": -1}
    partials_type = Partials

    def __init__(self, acquisition: DesignAcquisition) -> None:
        super().__init__(acquisition)
        self.acquisition = acquisition

    def bind(self, posterior: Posterior) -> BoundAcquisition:
        """Return the acquisition function bound to a posterior, as a function of designs."""
        return self.acquisition.bind(posterior, self.noise, _INCUMBENT)

    def partials(self, moments: Array) -> Partials:
        """Return value and partial derivatives at (mean, std, noise)."""
        return self.acquisition.partials(moments[0], moments[1], moments[2], _INCUMBENT)

    def moments(self) -> Array:
        """Return all combinations of moments."""
        grid = np.meshgrid(_MOMENTS["mean"], _MOMENTS["std"], _MOMENTS["noise"])
        return np.array([axis.ravel() for axis in grid])

    def items_without_spread(self) -> tuple[Posterior, Array]:
        """Return two designs with utilities observed without noise."""
        X = self.X[:2]
        root = np.linalg.inv(np.linalg.cholesky(_KERNEL(X, X)))
        return GaussianPosterior(_KERNEL, X, np.array([0.3, -0.2]), root), X

    def check_needs_std(self) -> None:
        """An acquisition function with ``needs_std=False`` does not depend on the standard deviation."""
        if not self.acquisition.needs_std:
            moments = self.moments()
            flat = moments.copy()
            flat[1] = 0.0
            here, there = self.partials(moments), self.partials(flat)
            for field in fields(here):
                ensure_same_bits(f"{field.name} at std 0", getattr(there, field.name), getattr(here, field.name))
            ensure(not here.by_std.any(), "by_std must be 0 if needs_std is False")

    def check_default_incumbent(self) -> None:
        """The default incumbent is the best posterior mean over the compared designs."""
        best = float(self.posterior.mean(self.posterior.points).max())
        given = self.acquisition.bind(self.posterior, self.noise, best)(self.X)
        ensure_same_bits("the default incumbent", self.acquisition.bind(self.posterior, self.noise)(self.X), given)
        best_means = tuple(float(part.mean(part.points).max()) for _, part in self.mixture.components)
        incumbents = self.acquisition.bind(self.mixture, self.noise).incumbents
        ensure(incumbents == best_means, f"the default incumbents over a mixture are {incumbents}, not {best_means}")


class PairAcquisitionContract(MomentAcquisitionContract):
    """Checks of an acquisition function that scores pairs of designs."""

    item_shape: ClassVar[tuple[int, ...]] = (2, _DIMENSION)
    signs: ClassVar[dict[str, int]] = {
        "by_mean_first": 1,
        "by_mean_second": 1,
        "by_std": 1,
        "by_noise_first": -1,
        "by_noise_second": -1,
    }
    partials_type = PairPartials

    def __init__(self, acquisition: PairAcquisition) -> None:
        super().__init__(acquisition)
        self.acquisition = acquisition

    def bind(self, posterior: Posterior) -> BoundAcquisition:
        """Return the acquisition function bound to a posterior, as a function of pairs."""
        return self.acquisition.bind(posterior, self.noise)

    def partials(self, moments: Array) -> PairPartials:
        """Return value and partial derivatives at (mean, mean, std, noise, noise)."""
        return self.acquisition.partials(*moments)

    def moments(self) -> Array:
        """Return all combinations of moments."""
        mean, std, noise = (_MOMENTS[name] for name in ("mean", "std", "noise"))
        return np.array([axis.ravel() for axis in np.meshgrid(mean, mean, std, noise, noise)])

    def items_without_spread(self) -> tuple[Posterior, Array]:
        """Return pairs of equal designs, one of them a compared design."""
        x = np.vstack([self.posterior.points[:1], self.X[0]])
        return self.posterior, np.stack([x, x], axis=1)

    def check_upper_bound(self) -> None:
        """The upper bound is at least the value, and monotone.

        It is non-decreasing in the means and the standard deviation and non-increasing in the noises: searches of long
        lists rely on it. By default it is the value. Acquisition functions of single designs need not be monotone: a
        lower confidence bound is valid.
        """
        moments = self.moments()
        for spread in (1.0, 0.0):
            flat = moments.copy()
            flat[list(self.signs).index("by_std")] *= spread
            value, upper = self.partials(flat).value, self.acquisition.upper_bound(*flat)
            rounding = 1e-13 * (1.0 + np.abs(value))
            worst = int(np.argmin(upper - value))
            ensure(
                bool((upper - value >= -rounding).all()),
                f"the upper bound must be at least the value; it is {upper[worst]} for a value of {value[worst]} "
                f"at moments {flat[:, worst].tolist()}",
            )
            for row, (name, sign) in enumerate(self.signs.items()):
                for step in (0.5, 1e-3):
                    more = flat.copy()
                    more[row] += step
                    rise = sign * (self.acquisition.upper_bound(*more) - upper)
                    kind, worst = "fall" if sign > 0 else "rise", int(np.argmin(rise))
                    ensure(
                        bool((rise >= -rounding).all()),
                        f"the upper bound must not {kind} in the direction of {name}; "
                        f"it does at moments {flat[:, worst].tolist()}",
                    )

    def check_symmetric(self) -> None:
        """Swapping the two designs swaps the gradient and changes nothing else."""
        bound = self.bind(self.posterior)
        values, gradient = bound.value_and_gradient(self.X)
        swapped_values, swapped_gradient = bound.value_and_gradient(self.X[:, ::-1])
        ensure_close("values of swapped pairs", swapped_values, values, 1e-12, 1e-12)
        ensure_close("the gradient of swapped pairs", swapped_gradient[:, ::-1], gradient, 1e-8, 1e-10)
        moments = self.moments()
        here, swapped = self.partials(moments), self.partials(moments[[1, 0, 2, 4, 3]])
        ensure_close("the value of swapped moments", swapped.value, here.value, 1e-14, 1e-14)
        ensure_close("by_mean_second of swapped moments", swapped.by_mean_second, here.by_mean_first, 1e-13, 1e-14)
        ensure_close("by_noise_second of swapped moments", swapped.by_noise_second, here.by_noise_first, 1e-13, 1e-14)

    def check_moments_broadcast(self) -> None:
        """Moments broadcast: rows against columns give the values of all pairs."""
        mean, noise = _MOMENTS["mean"][:4], _MOMENTS["noise"]
        std = np.abs(mean[:, None] - mean) + 0.2
        table = self.acquisition.partials(mean[:, None], mean, std, noise[:, None], noise)
        i, j = (axis.ravel() for axis in np.indices((4, 4)))
        one_by_one = self.acquisition.partials(mean[i], mean[j], std.ravel(), noise[i], noise[j])
        for field in fields(table):
            got = np.broadcast_to(getattr(table, field.name), (4, 4)).ravel()
            ensure_close(f"{field.name} of broadcast moments", got, getattr(one_by_one, field.name), 1e-13, 1e-13)
