"""Contract of acquisition functions of duels that depend on the whole posterior, not only on the moments of a pair."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from anchorpbo.acquisition import Acquisition, BoundDuels
from anchorpbo.posterior import Posterior
from anchorpbo.testing.acquisitions import AcquisitionContract
from anchorpbo.testing.contract import ensure, ensure_close, ensure_same_bits, ensure_shape
from anchorpbo.typing import Array

_DIMENSION = 2
_DESIGNS = 9


class DuelAcquisitionContract(AcquisitionContract):
    """Checks of an acquisition function whose `bind` returns a `BoundDuels`; items are pairs of designs."""

    item_shape: ClassVar[tuple[int, ...]] = (2, _DIMENSION)

    def __init__(self, acquisition: Acquisition) -> None:
        super().__init__(acquisition)
        self.acquisition = acquisition
        self.list = np.random.default_rng(12).uniform(size=(_DESIGNS, _DIMENSION))

    def bind(self, posterior: Posterior) -> BoundDuels:
        """Return the acquisition function bound to a posterior, as a function of duels."""
        bound = self.acquisition.bind(posterior, self.noise)
        ensure(isinstance(bound, BoundDuels), f"bind must return a BoundDuels; it returned a {type(bound).__name__}")
        assert isinstance(bound, BoundDuels)
        return bound

    def items_without_spread(self) -> tuple[Posterior, Array]:
        """Return items of equal designs, one of them a compared design."""
        x = np.vstack([self.posterior.points[:1], self.X[0, 0]])
        return self.posterior, np.repeat(x[:, None], self.item_shape[0], axis=1)

    def check_symmetric(self) -> None:
        """Swapping the two halves of the items swaps the gradient and changes nothing else."""
        bound, half = self.bind(self.posterior), self.item_shape[0] // 2
        values, gradient = bound.value_and_gradient(self.X)
        swapped_values, swapped_gradient = bound.value_and_gradient(np.roll(self.X, half, axis=1))
        ensure_close("values of swapped items", swapped_values, values, 1e-12, 1e-12)
        ensure_close("the gradient of swapped items", np.roll(swapped_gradient, half, axis=1), gradient, 1e-8, 1e-10)

    def check_duels(self) -> None:
        """The duel of an item has two of its designs."""
        duels = self.bind(self.posterior).get_duels(self.X)
        ensure_shape("duels", duels, (len(self.X), 2, _DIMENSION))
        own = (duels[:, :, None] == self.X[:, None]).all(axis=3).any(axis=2)
        ensure(bool(own.all()), "get_duels must return designs of the items")

    def check_screen(self) -> None:
        """`screen` scores every pair of designs once, and returns the best ones with their values."""
        bound, every = self.bind(self.posterior), _DESIGNS * (_DESIGNS - 1) // 2
        found = bound.screen(self.list, every)
        ensure_shape("items", found.items, (every, *self.item_shape))
        ensure(
            len({frozenset(pair) for pair in found.rows.tolist()}) == every, "screen must score every pair exactly once"
        )
        ensure_same_bits("duels of the items", bound.get_duels(found.items), self.list[found.rows])
        ensure_close("values of screened items", found.values, bound(found.items), 1e-10, 1e-10)
        few = bound.screen(self.list, 3)
        ensure_shape("the best three", few.values, (3,))
        ensure_close("the best three", np.sort(few.values), np.sort(found.values)[-3:], 1e-12, 1e-12)

    def check_complete(self) -> None:
        """`complete` keeps the duels and does not lower a value."""
        bound = self.bind(self.posterior)
        completed = bound.complete(self.X, self.list)
        ensure_same_bits("duels of completed items", bound.get_duels(completed), bound.get_duels(self.X))
        loss = bound(self.X) - bound(completed)
        ensure(bool((loss <= 1e-10 * (1.0 + np.abs(bound(self.X)))).all()), "complete must not lower a value")

    def check_fix_first(self) -> None:
        """With the first design fixed, values and gradients are those of the whole items."""
        bound = self.bind(self.posterior)
        facing, rest = bound.fix_first(self.X[0, 0]), self.X[:, 1:]
        whole = np.concatenate([np.broadcast_to(self.X[0, 0], (len(self.X), 1, _DIMENSION)), rest], axis=1)
        items = rest if self.item_shape[0] > 2 else rest[:, 0]
        values, gradient = facing.value_and_gradient(items)
        expected, slopes = bound.value_and_gradient(whole)
        ensure_close("values with the first design fixed", values, expected, 1e-12, 1e-12)
        expected_slopes = slopes[:, 1:] if self.item_shape[0] > 2 else slopes[:, 1]
        ensure_close("the gradient with the first design fixed", gradient, expected_slopes, 1e-12, 1e-12)


class OneShotAcquisitionContract(DuelAcquisitionContract):
    """Checks of an acquisition function of items (x, a, y, b), with a design to choose after either outcome."""

    item_shape: ClassVar[tuple[int, ...]] = (4, _DIMENSION)
