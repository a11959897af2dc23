"""Acquisition functions bound to a posterior and a noise map: functions of designs, with gradients.

The chain rule, with s the standard deviation at x and a_... the partial derivatives, is

    da/dx = a_mean dmean/dx + a_s / (2 s) ds^2/dx + a_noise dnoise/dx

At s = 0 the standard deviation has a kink and no gradient: it does not decrease in any direction. Its term is then set
to 0, which is a subgradient, so that a search follows the mean and the noise there.

If the posterior is a mixture, the chain rule applies to each component, and their values and gradients are averaged
(`averages`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from anchorpbo.acquisition.averages import average_slopes, average_values
from anchorpbo.errors import InputError, NumericalError, ShapeError
from anchorpbo.numerics.validation import as_floats
from anchorpbo.posterior import Posterior
from anchorpbo.posterior.moments import DesignMoments, PairMoments
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array, IntArray

if TYPE_CHECKING:
    from anchorpbo.acquisition.base import DesignAcquisition, PairAcquisition, PairPartials

_ITEM_WORDS = {
    1: ("single designs", "give one design per row"),
    2: ("pairs of designs", "give two designs per row"),
}
"""What an item is, and how to give it, by its number of designs."""


@dataclass(frozen=True, eq=False)
class BoundAcquisition(ABC):
    """A bound acquisition function: values and gradients of items, which are designs or pairs of designs."""

    posterior: Posterior
    noise: NoiseMap

    def __post_init__(self) -> None:
        self.check_parts(self.posterior, self.noise)

    @staticmethod
    def check_parts(posterior: Posterior, noise: NoiseMap) -> None:
        """Raise unless the two are a posterior and a noise map of the same space."""
        if not isinstance(posterior, Posterior):
            remedy = "pass model.posterior instead of the model"
            raise InputError("an acquisition must be bound to a Posterior", type(posterior).__name__, remedy)
        if not isinstance(noise, NoiseMap):
            remedy = "pass model.noise, or NoiseMap.constant(1.0)"
            raise InputError("an acquisition must be bound to a NoiseMap", repr(noise), remedy)
        anchors, dimension = noise.anchors, posterior.dimension
        if anchors is not None and anchors.shape[1] != dimension:
            rule = f"the noise map's anchors must have the {dimension} coordinates of the posterior's designs"
            raise ShapeError(rule, f"{anchors.shape[1]} of them", "build both from the same space")

    @property
    @abstractmethod
    def item_shape(self) -> tuple[int, ...]:
        """Shape of an item: (d,) for a design, (2, d) for a pair."""

    @final
    def __call__(self, X: npt.ArrayLike) -> Array:
        """Return the values, (n,), of items X, (n, *item_shape)."""
        return self.values(self._items(X))

    @final
    def value_and_gradient(self, X: npt.ArrayLike) -> tuple[Array, Array]:
        """Return values, (n,), and gradients, in the shape of X; raise `NumericalError` if a gradient is not finite."""
        values, gradient = self.slopes(self._items(X))
        if not np.isfinite(gradient).all():
            rule = "the gradient of an acquisition must be finite"
            remedy = "choose an output scale, length-scales and noise nearer to 1"
            raise NumericalError(rule, f"infinite or NaN slopes with {self.posterior!r}", remedy)
        return values, gradient

    @abstractmethod
    def values(self, X: Array) -> Array:
        """Return the values, (n,), of items X, without validating X."""

    @abstractmethod
    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and gradients of items X, without validating X."""

    def _items(self, X: npt.ArrayLike) -> Array:
        array, expected = as_floats("X", X), self.item_shape
        if array.shape[1:] != expected or array.ndim != 1 + len(expected):
            designs = expected[0] if len(expected) == 2 else 1
            kind, remedy = _ITEM_WORDS.get(designs, ("designs and choices", "for pairs of designs use score_pairs"))
            shape = f"(n, {', '.join(map(str, expected))})"
            raise ShapeError(f"this acquisition scores {kind}, so X must have shape {shape}", array.shape, remedy)
        return array


@dataclass(frozen=True, eq=False)
class BoundDesigns(BoundAcquisition):
    """A `DesignAcquisition` as a function of designs X, (n, d)."""

    acquisition: DesignAcquisition
    incumbent: float | None
    """Best utility so far; ``None`` for the best posterior mean over queried designs, of each component."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.incumbent is None:
            return
        if np.ndim(self.incumbent):
            rule, remedy = "incumbent must be one number", "give the best posterior mean, not a design"
            raise InputError(rule, f"an array of shape {np.shape(self.incumbent)}", remedy)
        object.__setattr__(self, "incumbent", float(as_floats("incumbent", [self.incumbent])[0]))

    @cached_property
    def incumbents(self) -> tuple[float, ...]:
        """Incumbent of each component: utilities have no natural zero, so the components' means may be shifted."""
        components = self.posterior.components
        return tuple(best_mean(each) if self.incumbent is None else self.incumbent for _, each in components)

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of a design, (d,)."""
        return (self.posterior.dimension,)

    def values(self, X: Array) -> Array:
        """Return the values, (n,), of designs X, (n, d)."""
        noise = self.noise.values(X)
        parts = []
        for (weight, each), incumbent in zip(self.posterior.components, self.incumbents, strict=True):
            here = DesignMoments.of(each, X)
            parts.append((weight, self.acquisition.partials(here.mean, self._std(here), noise, incumbent).value))
        return average_values(parts, log=self.acquisition.log)

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and gradients, (n, d), of designs X, (n, d)."""
        noise, noise_slope = self.noise.slopes(X)
        parts = []
        for (weight, each), incumbent in zip(self.posterior.components, self.incumbents, strict=True):
            here = DesignMoments.of(each, X, slopes=True)
            std = self._std(here)
            partials = self.acquisition.partials(here.mean, std, noise, incumbent)
            by_spread = by_variance(partials.by_std, std) if self.acquisition.needs_std else None
            gradient = here.gradient(partials.by_mean, by_spread)
            parts.append((weight, partials.value, gradient + partials.by_noise[:, None] * noise_slope))
        return average_slopes(parts, log=self.acquisition.log)

    def _std(self, here: DesignMoments) -> Array:
        return np.sqrt(here.variance) if self.acquisition.needs_std else np.zeros(len(here.X))


@dataclass(frozen=True, eq=False)
class ScreenedDuels:
    """Duels of some of a list of designs."""

    items: Array
    """(k, *item_shape)."""
    values: Array
    """(k,)."""
    rows: IntArray
    """Row numbers of the two designs of each duel, (k, 2)."""


@dataclass(frozen=True, eq=False)
class BoundDuels(BoundAcquisition):
    """A bound acquisition function of duels: an item has the two designs of a duel, and perhaps more."""

    @abstractmethod
    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        """Return the best `count` duels of two of the designs, (n, d), in any order, or all if there are fewer."""

    @abstractmethod
    def get_duels(self, items: Array) -> Array:
        """Return the two designs of each item's duel, (n, 2, d)."""

    @abstractmethod
    def fix_first(self, champion: Array) -> BoundAcquisition:
        """Return the acquisition function with the first design of the duel fixed to `champion`, (d,)."""

    def complete(self, items: Array, designs: Array) -> Array:
        """Return the items with the designs outside of their duels replaced by the best of designs, (n, d)."""
        return items


@dataclass(frozen=True, eq=False)
class BoundPairs(BoundDuels):
    """A `PairAcquisition` as a function of pairs of designs X, (n, 2, d)."""

    acquisition: PairAcquisition

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of a pair, (2, d)."""
        return (2, self.posterior.dimension)

    def values(self, X: Array) -> Array:
        """Return the values, (n,), of pairs X, (n, 2, d)."""
        noise = self.noise.values(X.reshape(-1, X.shape[2]))
        parts = []
        for weight, each in self.posterior.components:
            here = PairMoments.of(each, X)
            parts.append((weight, self._partials(here.mean, np.sqrt(here.variance), noise).value))
        return average_values(parts)

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and gradients, (n, 2, d), of pairs X, (n, 2, d)."""
        noise, noise_slope = self.noise.slopes(X.reshape(-1, X.shape[2]))
        parts = []
        for weight, each in self.posterior.components:
            here = PairMoments.of(each, X, slopes=True)
            std = np.sqrt(here.variance)
            partials = self._partials(here.mean, std, noise)
            by_mean, by_noise = np.empty((2, len(X), 2))
            by_mean[:, 0], by_mean[:, 1] = partials.by_mean_first, partials.by_mean_second
            by_noise[:, 0], by_noise[:, 1] = partials.by_noise_first, partials.by_noise_second
            gradient = here.gradient(by_mean, by_variance(partials.by_std, std))
            parts.append((weight, partials.value, gradient + by_noise[:, :, None] * noise_slope.reshape(X.shape)))
        return average_slopes(parts)

    def screen(self, designs: Array, count: int) -> ScreenedDuels:
        """Return the best pairs of designs."""
        first, second = np.triu_indices(len(designs), 1)
        noise, parts = self.noise.values(designs), []
        for weight, each in self.posterior.components:
            here = DesignMoments.of(each, designs)
            variance = here.variance[first] + here.variance[second] - 2.0 * here.covariance[first, second]
            std = np.sqrt(np.maximum(variance, 0.0))
            means, noises = (here.mean[first], here.mean[second]), (noise[first], noise[second])
            parts.append((weight, self.acquisition.partials(*means, std, *noises).value))
        rows, values = select_largest(average_values(parts), count, first, second)
        return ScreenedDuels(designs[rows], values, rows)

    def get_duels(self, items: Array) -> Array:
        """Return the pairs themselves."""
        return items

    def fix_first(self, champion: Array) -> BoundChallengers:
        """Return this acquisition function with one of the two designs fixed to `champion`, (d,)."""
        return BoundChallengers.of(self, champion)

    def _partials(self, mean: Array, std: Array, noise: Array) -> PairPartials:
        """Return the partials for means, (n, 2), standard deviations, (n,), and noise, (2 n,)."""
        return self.acquisition.partials(mean[:, 0], mean[:, 1], std, noise[::2], noise[1::2])


@dataclass(frozen=True, eq=False)
class BoundChallengers(BoundAcquisition):
    """An acquisition function of pairs as a function of one design of a pair; the other design is fixed."""

    pairs: BoundDuels
    champion: Array
    """The fixed design, (d,)."""

    @classmethod
    def of(cls, pairs: BoundDuels, champion: Array) -> BoundChallengers:
        """Return an acquisition function of pairs with one of the two designs fixed to `champion`, (d,)."""
        return cls(pairs.posterior, pairs.noise, pairs, champion)

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Shape of a design, (d,)."""
        return (self.posterior.dimension,)

    def values(self, X: Array) -> Array:
        """Return the values, (n,), of pairs of the champion and each design of X, (n, d)."""
        return self.pairs.values(self._pair_with_opponent(X))

    def slopes(self, X: Array) -> tuple[Array, Array]:
        """Return the values, (n,), and their gradients in X, (n, d)."""
        values, gradient = self.pairs.slopes(self._pair_with_opponent(X))
        return values, np.ascontiguousarray(gradient[:, 1])

    def _pair_with_opponent(self, X: Array) -> Array:
        return np.stack([np.broadcast_to(self.champion, X.shape), X], axis=1)


def by_variance(by_std: Array, std: Array) -> Array:
    """Return the partial derivative in the variance, by_std / (2 std); 0 at the kink std = 0."""
    return np.asarray(0.5 * by_std / np.where(std > 0, std, np.inf))


def select_largest(values: Array, count: int, first: IntArray, second: IntArray) -> tuple[IntArray, Array]:
    """Return the two row numbers, (k, 2), and values, (k,), of the `count` pairs of largest values.

    All are returned if one is not finite, so that the search, which raises then, sees it.
    """
    some = count < len(values) and bool(np.isfinite(values).all())
    best = np.argpartition(-values, count)[:count] if some else np.arange(len(values))
    return np.stack([first[best], second[best]], axis=1), values[best]


def best_mean(posterior: Posterior) -> float:
    """Return the incumbent: the largest posterior mean over queried designs, or the prior mean 0 without any."""
    return float(posterior.means.max()) if len(posterior.means) else 0.0
