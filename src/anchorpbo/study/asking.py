"""The next duel, as a function of the log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from anchorpbo.errors import InputError
from anchorpbo.model import PreferenceGP
from anchorpbo.space import DesignSpace
from anchorpbo.study.beliefs import Beliefs
from anchorpbo.study.choosing import Chooser
from anchorpbo.study.distinct import Distinct
from anchorpbo.study.duel import Duel
from anchorpbo.study.gain import expected_gain
from anchorpbo.study.record import Record
from anchorpbo.study.starting import has_starting_pairs, starting_challenger, starting_pair, starting_pairs
from anchorpbo.study.why import FOR_A_START, why
from anchorpbo.typing import Array


class Questioner:
    """Asks by a plan: at first pairs spread over the space, then what the acquisition prefers."""

    def __init__(self, study: str, space: DesignSpace, beliefs: Beliefs, seed: int) -> None:
        self.study: str = study
        self.space: DesignSpace = space
        self.beliefs: Beliefs = beliefs
        self.seed: int = seed
        self.chooser: Chooser = Chooser(space)
        if not has_starting_pairs(space, seed):
            raise InputError("a space must have two designs that look different", repr(space), "widen a range")

    @cached_property
    def starts(self) -> Array:
        """Pairs to start with, (n, 2, d), when they are needed: a study whose duels come from elsewhere needs none."""
        return starting_pairs(self.space, self.seed)

    def next(self, record: Record, pending: Sequence[Array] = ()) -> Duel:
        """The duel to ask after a log, with others, (2, d) each, still out."""
        answered = record.answered_lately if self.beliefs.plan.avoids_repeats else ()
        distinct = Distinct.on(self.space).avoiding(pending, record.skipped, answered)
        asked = len(record) + len(pending)
        # Everything random comes from the seed and the place in the log.
        rng = np.random.default_rng([self.seed, 1, record.events, len(pending)])
        flip = bool(rng.integers(2))
        if asked < self.beliefs.plan.initial:
            pair = _sided(starting_pair(self.starts, asked + record.skips, distinct), flip)
            return self._duel(record, pair, FOR_A_START, None)
        now = self.beliefs.model(record)
        model = self.beliefs.model(record, _believed(now, pending)) if pending else now
        champion = self._champion(model, record)
        bound = self.beliefs.plan.acquisition.bind(model.posterior, model.noise)
        pair = _sided(self.chooser.pair(bound, champion, distinct, rng), flip)
        # What is said is about what was answered, not about what is believed of duels that are out.
        return self._duel(record, pair, why(now, pair, record.last_winner, distinct), expected_gain(now, pair))

    def against(self, record: Record, design: Array, pending: Array, avoid: Array) -> Duel:
        """The duel of a design, (d,), with the best challenger.

        Parameters
        ----------
        record
            What was said so far.
        design
            What it is to be compared with.
        pending
            Designs, (n, d), that are to be compared with it as well and have not been yet.
        avoid
            Designs, (n, d), that are not wanted, nor others near them.
        """
        out, unwanted = ([np.array([design, x]) for x in X] for X in (pending, avoid))
        answered = record.answered_lately if self.beliefs.plan.avoids_repeats else ()
        distinct = Distinct.on(self.space).avoiding(out, (*record.skipped, *unwanted), answered)
        rng = np.random.default_rng([self.seed, 5, record.events, len(pending)])
        if len(record) + len(pending) < self.beliefs.plan.initial:
            shown = np.concatenate([record.pairs.reshape(-1, len(design)), design[None], pending])
            pair = np.array([design, starting_challenger(self.starts, design, shown, distinct)])
            return self._duel(record, pair, FOR_A_START, None)
        now = self.beliefs.model(record)
        out = [pair for pair in out if not np.array_equal(*pair)]
        model = self.beliefs.model(record, _believed(now, out)) if out else now
        bound = self.beliefs.plan.acquisition.bind(model.posterior, model.noise)
        pair = np.array([design, self.chooser.challenger(bound, design, distinct, rng)])
        return self._duel(record, pair, why(now, pair, record.last_winner, distinct), expected_gain(now, pair))

    def _champion(self, model: PreferenceGP, record: Record) -> Array:
        """The previous winner, (d,); without one, the best mean, or any design before the first answer."""
        if record.champion is not None:
            return record.champion
        points = model.posterior.points
        return np.asarray(points[int(np.argmax(model.posterior.means))] if len(points) else self.starts[0, 0])

    def _duel(self, record: Record, pair: Array, reason: str, gain: float | None) -> Duel:
        first, second = (self.space.decode(x) for x in pair)
        return Duel.of(self.study, record.events, first, second, reason, gain)


def _believed(model: PreferenceGP, pending: Sequence[Array]) -> list[Array]:
    """Pairs that are out, each with the design that is likely to win it first."""
    return [_sided(pair, bool(model.prob_choose(pair[:1], pair[1:])[0] < 0.5)) for pair in pending]


def _sided(pair: Array, flip: bool) -> Array:
    return pair[::-1] if flip else pair
