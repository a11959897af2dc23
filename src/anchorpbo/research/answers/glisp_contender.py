"""GLISp (Bemporad and Piga, Machine Learning 2021): radial basis functions fitted by a linear program.

GLISp compares the best design so far with a new one, and recommends the best so far. It starts with 2 d designs of its
own. It knows only boxes: categories are one-hot columns, and its designs are moved to the nearest design of the space,
in a catalogue to the nearest item that it has not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anchorpbo.research.answers.contenders import Contender
from anchorpbo.research.answers.one_hot import OneHotCoding
from anchorpbo.research.answers.seeding import seed_numpy
from anchorpbo.space import DesignSpace
from anchorpbo.typing import Array

EXPECTED_ANSWERS = 40
"""Number of answers that GLISp plans for: its recalibrations and the margin of a preference depend on it."""


class GLISpContender(Contender):
    """GLISp with its default settings."""

    def __init__(self, space: DesignSpace, anchors: Array | None, seed: int) -> None:
        super().__init__(space, anchors, seed)
        self._coding = OneHotCoding.of(space)
        self._seen = np.empty((0, space.dimension))
        with seed_numpy(seed, 0):
            from glis.solvers import GLISp

            bounds = (np.zeros(self._coding.width), np.ones(self._coding.width))
            self._solver: Any = GLISp(bounds=bounds, expected_max_evals=EXPECTED_ANSWERS + 1, display=0)
            self._solver.initialize()
        # `GLISp.solve` records the first design as feasible in this way.
        self._solver.UnknownFeasible.append(True)
        self._solver.UnknownSatisfactory.append(True)
        self._move_designs(range(self._solver.n_initial_random))
        self._solver.xbest, self._solver.xnext = self._solver.X[0], self._solver.X[1]
        self._answers = 0
        self._preference: int | None = None
        """The last answer, -1 if the new design won and 1 if not, until GLISp knows it."""

    def ask(self) -> Array:
        """Return the new design and the best so far."""
        self._update()
        self._pair = self._coding.decode(np.array([self._solver.xnext, self._solver.xbest]))
        return self._pair

    def tell(self, pair: Array, first_won: bool) -> None:
        """Record whether the new design is better; GLISp has no use for other pairs."""
        if pair is self._pair:
            self._preference = -1 if first_won else 1

    def recommend(self) -> Array:
        """Return the best design so far."""
        self._update()
        return np.asarray(self._coding.decode(self._solver.xbest[None])[0])

    def _update(self) -> None:
        """Pass the last answer to GLISp, which then finds the next design."""
        if self._preference is None:
            return
        preference, self._preference = self._preference, None
        self._answers += 1
        with seed_numpy(self.seed, self._answers):
            self._solver.update(preference)
        if len(self._solver.X) > len(self._seen):
            self._move_designs([len(self._solver.X) - 1])
            self._solver.xnext = self._solver.X[-1]

    def _move_designs(self, numbers: Any) -> None:
        """Move designs of the solver to designs of the space, and correct its radial basis functions."""
        solver = self._solver
        for number in numbers:
            x = self._find_design(solver.X[number])
            self._seen = np.vstack([self._seen, x])
            solver.X[number] = self._coding.encode(x[None])[0]
        # GLISp's own coordinates are in [-1, 1].
        scaled = (np.array(solver.X) - solver.d0) / solver.dd
        current = solver.MM[solver.itheta]
        for number in numbers:
            row = solver.rbf(scaled[: len(current)], scaled[number], solver.rbf_epsil * solver.theta)
            current[number, :] = current[:, number] = row

    def _find_design(self, z: Array) -> Array:
        items = self.space.candidates
        if items is None:
            return np.asarray(self._coding.decode(z[None])[0])
        distances = ((self._coding.encode(items) - z) ** 2).sum(axis=1)
        distances[(items[:, None] == self._seen).all(axis=2).any(axis=1)] = np.inf
        return np.asarray(items[int(distances.argmin())])
