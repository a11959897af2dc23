"""Selection of the next duel, as a function of the log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from anchorpbo.acquisition import BoundAcquisition
from anchorpbo.errors import InputError
from anchorpbo.model import PreferenceGP
from anchorpbo.space import DesignSpace
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.duel import Duel
from anchorpbo.study.duel_filter import DuelFilter
from anchorpbo.study.duel_search import DuelSearch
from anchorpbo.study.events import list_designs
from anchorpbo.study.expected_gain import expected_gain
from anchorpbo.study.explanations import INITIAL_DUEL, KNOCKOUT_DUEL, RETEST_DUEL, explain_duel
from anchorpbo.study.hyperparameters import ModelFitter
from anchorpbo.study.initial_duels import (
    generate_initial_pairs,
    has_initial_pairs,
    select_initial_challenger,
    select_initial_pair,
    select_knockout_challenger,
    select_knockout_pair,
)
from anchorpbo.study.repeats import find_champion, is_repeat_due, select_repeat
from anchorpbo.typing import Array


class DuelSelector:
    """Selection of duels by a plan: initial duels first, then those of highest acquisition value."""

    def __init__(self, study: str, space: DesignSpace, fitter: ModelFitter, seed: int) -> None:
        self.study: str = study
        self.space: DesignSpace = space
        self.fitter: ModelFitter = fitter
        self.seed: int = seed
        self.duel_search: DuelSearch = DuelSearch(space)
        if not has_initial_pairs(space, seed):
            raise InputError("a space must have two designs that look different", repr(space), "widen a range")

    @cached_property
    def initial_pairs(self) -> Array:
        """Initial pairs, (n, 2, d), generated on first use: a study with imported comparisons needs none."""
        return generate_initial_pairs(self.space, self.seed)

    def select(self, data: StudyData, pending: Sequence[Array] = ()) -> Duel:
        """Select the next duel; `pending` has others, (2, d) each, that have no answer yet."""
        answered = data.recently_answered if self.fitter.plan.avoids_repeats else ()
        duel_filter = DuelFilter.for_space(self.space).with_exclusions(pending, data.recently_skipped, answered)
        asked = len(data) + len(pending)
        # All randomness comes from the seed and the position in the log.
        rng = np.random.default_rng([self.seed, 1, data.events, len(pending)])
        flip = bool(rng.integers(2))
        # The knockout needs each answer before the next duel.
        if self.fitter.plan.start == "anchors" and len(data.anchors) and not pending:
            knockout = select_knockout_pair(self.initial_pairs, data, duel_filter)
            if knockout is not None:
                return self._make_duel(data, _order_sides(knockout, flip), KNOCKOUT_DUEL, None)
        if asked < self.fitter.plan.initial:
            pair = _order_sides(select_initial_pair(self.initial_pairs, asked + data.skips, duel_filter), flip)
            return self._make_duel(data, pair, INITIAL_DUEL, None)
        if self.is_repeat_due(data, len(pending)):
            noise_map = self.fitter.hyperparameters(data).noise if len(data) else None
            entry = None if noise_map is None else select_repeat(data, pending, noise_map, rng)
            if entry is not None:
                # The designs of the event, because coordinates may be rounded when they are decoded.
                first, second = list_designs(entry.event)
                return Duel.create(self.study, data.events, dict(second), dict(first), RETEST_DUEL, None)
        now = self.fitter.acquisition_model(data)
        model = self.fitter.acquisition_model(data, _fantasise(now, pending)) if pending else now
        champion = self._find_champion(model, data)
        bound = self._bind(model)
        pair = _order_sides(self.duel_search.find_pair(bound, champion, duel_filter, rng), flip)
        # The explanation uses the model without fantasies.
        return self._make_duel(
            data, pair, explain_duel(now, pair, data.last_winner, duel_filter), expected_gain(now, pair)
        )

    def is_repeat_due(self, data: StudyData, pending: int = 0) -> bool:
        """Return whether the next question is to repeat an earlier pair, see `anchorpbo.study.repeats`."""
        plan = self.fitter.plan
        return is_repeat_due(data, plan.initial, plan.repeat_rate, self.seed, pending)

    def select_against(self, data: StudyData, design: Array, pending: Array, avoid: Array) -> Duel:
        """Select the best challenger of a design, (d,).

        Parameters
        ----------
        data
            The log so far.
        design
            The design to compare with.
        pending
            Designs, (n, d), that await a comparison with it.
        avoid
            Designs, (n, d), to avoid, with others near them.
        """
        out, unwanted = ([np.array([design, x]) for x in X] for X in (pending, avoid))
        answered = data.recently_answered if self.fitter.plan.avoids_repeats else ()
        duel_filter = DuelFilter.for_space(self.space).with_exclusions(
            out, (*data.recently_skipped, *unwanted), answered
        )
        rng = np.random.default_rng([self.seed, 5, data.events, len(pending)])
        if self.fitter.plan.start == "anchors" and len(data.anchors):
            anchor = select_knockout_challenger(data, design, pending, duel_filter)
            if anchor is not None:
                return self._make_duel(data, np.array([design, anchor]), KNOCKOUT_DUEL, None)
        if len(data) + len(pending) < self.fitter.plan.initial:
            shown = np.concatenate([data.pairs.reshape(-1, len(design)), design[None], pending])
            pair = np.array([design, select_initial_challenger(self.initial_pairs, design, shown, duel_filter)])
            return self._make_duel(data, pair, INITIAL_DUEL, None)
        now = self.fitter.acquisition_model(data)
        out = [pair for pair in out if not np.array_equal(*pair)]
        model = self.fitter.acquisition_model(data, _fantasise(now, out)) if out else now
        bound = self._bind(model)
        pair = np.array([design, self.duel_search.find_challenger(bound, design, duel_filter, rng)])
        return self._make_duel(
            data, pair, explain_duel(now, pair, data.last_winner, duel_filter), expected_gain(now, pair)
        )

    def _bind(self, model: PreferenceGP) -> BoundAcquisition:
        """Bind the plan's acquisition function to a model."""
        acquisition = self.fitter.plan.acquisition.with_lapse(model.likelihood.lapse)
        return acquisition.bind(model.posterior, model.noise)

    def _find_champion(self, model: PreferenceGP, data: StudyData) -> Array:
        """Return the previous winner, (d,); without one, the design of best mean, or any before the first answer."""
        champion = find_champion(data)
        if champion is not None:
            return champion
        points = model.posterior.points
        return np.asarray(points[int(np.argmax(model.posterior.means))] if len(points) else self.initial_pairs[0, 0])

    def _make_duel(self, data: StudyData, pair: Array, reason: str, gain: float | None) -> Duel:
        first, second = (self.space.decode(x) for x in pair)
        return Duel.create(self.study, data.events, first, second, reason, gain)


def _fantasise(model: PreferenceGP, pending: Sequence[Array]) -> list[Array]:
    """Return pending pairs, each with its likelier winner first (kriging believer)."""
    return [_order_sides(pair, bool(model.prob_choose(pair[:1], pair[1:])[0] < 0.5)) for pair in pending]


def _order_sides(pair: Array, flip: bool) -> Array:
    return pair[::-1] if flip else pair
