"""The interface of acquisition functions: values and partial derivatives in the posterior moments and the noise.

Symbols: mean and std are the posterior mean and standard deviation of the utility f at a design, noise is the noise
map's n there (the paper's sigma^2_eps for probit, lambda for logistic), incumbent is the best posterior mean over the
queried designs.

An acquisition function of moments does not depend on x directly. `bind` combines it with a posterior and a noise map;
`bound_acquisition` implements the chain rule from the partial derivatives to x for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from anchorpbo.acquisition.bound_acquisition import BoundAcquisition, BoundDesigns, BoundPairs
from anchorpbo.posterior import Posterior
from anchorpbo.reliability import NoiseMap
from anchorpbo.typing import Array


@dataclass(frozen=True, eq=False)
class Partials:
    """Value of a `DesignAcquisition` and its partial derivatives, (n,) each."""

    value: Array
    by_mean: Array
    by_std: Array
    by_noise: Array


@dataclass(frozen=True, eq=False)
class PairPartials:
    """Value of a `PairAcquisition` and its partial derivatives, all of the same shape."""

    value: Array
    by_mean_first: Array
    by_mean_second: Array
    by_std: Array
    by_noise_first: Array
    by_noise_second: Array


class Acquisition(ABC):
    """Base class of acquisition functions; immutable."""

    @property
    def needs_probit(self) -> bool:
        """Whether the value models the answer itself, as a probit with the noise of both designs as variances."""
        return False

    def with_lapse(self, lapse: float) -> Acquisition:
        """Return this acquisition for answers with a lapse probability; itself if the value does not model answers."""
        return self

    @abstractmethod
    def bind(self, posterior: Posterior, noise: NoiseMap, incumbent: float | None = None) -> BoundAcquisition:
        """Return this acquisition as a function of items, which are designs or duels."""


class DesignAcquisition(Acquisition):
    """An acquisition function of single designs; immutable."""

    @property
    def needs_std(self) -> bool:
        """Whether the value depends on std; if not, `partials` receives zeros, which saves most of the work."""
        return True

    @property
    def log(self) -> bool:
        """Whether values are on a logarithmic scale; over a mixture, their exponentials are then averaged."""
        return False

    @abstractmethod
    def partials(self, mean: Array, std: Array, noise: Array, incumbent: float) -> Partials:
        """Return the value and partial derivatives for these moments, (n,) each; finite even if std is 0."""

    @final
    def bind(self, posterior: Posterior, noise: NoiseMap, incumbent: float | None = None) -> BoundDesigns:
        """Return this acquisition as a function of designs X, (n, d).

        Parameters
        ----------
        posterior, noise
            Posterior of the utility, and noise map.
        incumbent
            Best posterior mean over queried designs; by default `best_mean` of each component of the posterior.
        """
        return BoundDesigns(posterior, noise, self, incumbent)


class PairAcquisition(Acquisition):
    """An acquisition function of pairs of designs (duels), of their moments alone; immutable.

    The search relies on this contract:

    * the value does not change when the two designs are swapped;
    * `upper_bound` is at least the value. It does not fall when a mean or the standard deviation grows, and does not
      rise when a noise grows. By default it is the value, which must then be monotone in this way.
    """

    @abstractmethod
    def partials(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> PairPartials:
        """Return the value and partial derivatives for these moments; finite even if std is 0.

        std is the standard deviation of f(first) - f(second). The arguments may have any shapes that broadcast.
        """

    def upper_bound(
        self, mean_first: Array, mean_second: Array, std: Array, noise_first: Array, noise_second: Array
    ) -> Array:
        """Return an upper bound on the value for means and std at most, and noises at least, as large as these."""
        return self.partials(mean_first, mean_second, std, noise_first, noise_second).value

    @final
    def bind(self, posterior: Posterior, noise: NoiseMap, incumbent: float | None = None) -> BoundPairs:
        """Return this acquisition as a function of pairs X, (n, 2, d); the incumbent is not used."""
        return BoundPairs(posterior, noise, self)
