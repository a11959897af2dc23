"""Contenders that need no other library: studies of ours with any options, random pairs, and a knock-out."""

from __future__ import annotations

from typing import Any

import numpy as np

from anchorpbo.duels import Duels
from anchorpbo.errors import IncompatibleError
from anchorpbo.kernels import RBF
from anchorpbo.model import PreferenceGP
from anchorpbo.research.answers.contenders import AnswerLog, Contender, list_initial_pairs
from anchorpbo.space import DesignSpace
from anchorpbo.study import Optimizer
from anchorpbo.typing import Array


class OptimizerContender(Contender):
    """A study of ours.

    Parameters
    ----------
    space, anchors, seed
        See `Contender`.
    evaluates_stop
        Whether the stopping rule is evaluated after each answer; its probability takes longer than the recommendation.
    **options
        Options of `Optimizer`.
    """

    def __init__(
        self,
        space: DesignSpace,
        anchors: Array | None,
        seed: int,
        *,
        evaluates_stop: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(space, anchors, seed)
        known = [] if anchors is None else [space.decode(x) for x in anchors]
        self.optimizer = Optimizer(space, known, seed=seed, **options)
        self._evaluates_stop = evaluates_stop

    def ask(self) -> Array:
        """Ask the study."""
        self._duel = self.optimizer.ask()
        self._pair = np.array([self.space.encode(self._duel.first), self.space.encode(self._duel.second)])
        return self._pair

    def tell(self, pair: Array, first_won: bool) -> None:
        """Answer the duel, or add a preference if the pair is another one."""
        if pair is self._pair:
            self.optimizer.tell(self._duel, "first" if first_won else "second")
            return
        first, second = (self.space.decode(x) for x in pair)
        self.optimizer.tell_preference(*((first, second) if first_won else (second, first)))

    def recommend(self) -> Array:
        """Return the study's recommendation."""
        return self.space.encode(self.optimizer.recommended)

    def stops(self) -> bool | None:
        """Return the study's verdict."""
        return self.optimizer.progress().stop if self._evaluates_stop else None


class RandomContender(Contender):
    """Pairs of random designs; the best mean, among the designs seen, of a model that learns no hyper-parameters.

    The model is a Gaussian process with an RBF kernel of length-scale 0.25 sqrt(d), output scale 8 and unit noise: the
    medians of the priors of version 1 of the default preset.
    """

    def __init__(self, space: DesignSpace, anchors: Array | None, seed: int) -> None:
        super().__init__(space, anchors, seed)
        self._rng = np.random.default_rng([seed, 108])
        self._initial = list_initial_pairs(space, seed)
        self._log = AnswerLog(space.dimension)
        self._kernel = RBF(0.25 * np.sqrt(space.dimension), 8.0, categorical=space.columns.categorical)

    def ask(self) -> Array:
        """Return an initial pair, then random ones."""
        if len(self._log) < len(self._initial):
            return np.asarray(self._initial[len(self._log)])
        while True:
            pair = np.array([self.space.nearest(x) for x in self.space.sample(2, self._rng)])
            if len(pair) == 2 and (pair[0] != pair[1]).any():
                return pair

    def tell(self, pair: Array, first_won: bool) -> None:
        """Record the answer."""
        self._log.add(pair, first_won)

    def recommend(self) -> Array:
        """Return the design with the best mean."""
        duels = Duels(self._log.points, self._log.winners, self._log.losers)
        model = PreferenceGP(kernel=self._kernel, likelihood="probit", inference="laplace").condition(duels)
        return np.asarray(duels.points[int(np.argmax(model.posterior.mean(duels.points)))])


class KnockoutContender(Contender):
    """The winner of a duel meets the next item of a catalogue; after the last item, the last duel repeats."""

    def __init__(self, space: DesignSpace, anchors: Array | None, seed: int) -> None:
        super().__init__(space, anchors, seed)
        if space.candidates is None:
            raise IncompatibleError("a knock-out needs a list of items", repr(space), "use a Catalogue")
        order = np.random.default_rng([seed, 1]).permutation(len(space.candidates))
        self._pair, *self._waiting = space.candidates[order[:2]], *space.candidates[order[2:]]

    def ask(self) -> Array:
        """Return the champion and the next item."""
        return self._pair

    def tell(self, pair: Array, first_won: bool) -> None:
        """Keep the winner."""
        self._champion, loser = pair if first_won else pair[::-1]
        self._pair = np.array([self._champion, self._waiting.pop(0) if self._waiting else loser])

    def recommend(self) -> Array:
        """Return the champion."""
        return np.asarray(self._champion)
