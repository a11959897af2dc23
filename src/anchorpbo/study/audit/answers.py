"""The answers of a study as the checks of an audit need them: outcomes, sides, and leave-one-out probabilities.

Symbols: m informative answers in the order of the log. The first design of a row is the winner, or the one that was
shown first in a tie. p_k is the probability, given all other answers, that its first design wins, if there is a winner:
P(first wins) / (P(first wins) + P(second wins)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anchorpbo.duels import Rows
from anchorpbo.model import Learn, PreferenceGP
from anchorpbo.model.generative_model import GenerativeModel
from anchorpbo.numerics.row_index import find_distinct_rows
from anchorpbo.study.dataset import StudyData
from anchorpbo.study.events import Answered, Event, Preferred
from anchorpbo.typing import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Informative answers of a study, and what the model predicts for each from all others."""

    pairs: Array
    """Coordinates, (m, 2, d), the winner first."""
    tied: BoolArray
    """Whether each answer is a tie, (m,)."""
    sided: BoolArray
    """Whether each answer chooses one of two designs that the study showed side by side, (m,)."""
    chose_first: BoolArray
    """Whether each of those chooses the design that was shown first, (m,)."""
    outcomes: Array
    """Probabilities that the first design of the row wins, of a tie, and that the second wins, (m, 3)."""
    seconds: Array
    """Response times, (m,); NaN where unknown."""
    model: PreferenceGP | None
    """The model of all answers; ``None`` without any."""
    learn: Mapping[str, Learn | None]
    """Priors of the hyper-parameters that the study learns."""
    skips: int
    seed: int

    @classmethod
    def create(
        cls,
        model: PreferenceGP | None,
        learn: Mapping[str, Learn | None],
        data: StudyData,
        events: Sequence[Event],
        seconds: Sequence[float | None] | None,
        seed: int,
    ) -> AnswerTable:
        """Create the table of a log.

        Parameters
        ----------
        model
            The model behind recommendations; ``None`` without answers.
        learn
            Priors of the hyper-parameters that the study learns.
        data, events
            The log as arrays and as events.
        seconds
            Response time per event, ``None`` where unknown.
        seed
            Seed of the simulations.
        """
        informative = [number for number, event in enumerate(events) if is_informative(event)]
        outcomes = np.empty((len(informative), 3))
        if model is not None:
            # The rows of the model are the wins, then the ties.
            order = np.concatenate([np.flatnonzero(~data.tied), np.flatnonzero(data.tied)])
            outcomes[order] = model.prob_outcomes()
        told = [events[number] for number in informative]
        asked = [isinstance(event, Answered) and event.outcome in ("first", "second") for event in told]
        first = [isinstance(event, Answered) and event.outcome == "first" for event in told]
        times = [None if seconds is None else seconds[number] for number in informative]
        return cls(
            data.pairs,
            data.tied,
            np.array(asked, dtype=np.bool_),
            np.array(first, dtype=np.bool_),
            outcomes,
            np.array([np.nan if each is None else each for each in times], dtype=np.float64),
            model,
            learn,
            data.skips,
            seed,
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def chosen(self) -> BoolArray:
        """Whether each answer has a winner, (m,)."""
        return ~self.tied

    @cached_property
    def prob_first(self) -> Array:
        """p, (m,): of a choice, the probability of the answer given."""
        wins = self.outcomes[:, 0] + self.outcomes[:, 2]
        return np.asarray(self.outcomes[:, 0] / np.where(wins > 0.0, wins, 1.0))

    @cached_property
    def logits(self) -> Array:
        """Log-odds of p, (m,), of at most 30."""
        p = np.clip(self.prob_first, 1e-13, 1.0 - 1e-13)
        return np.asarray(np.log(p) - np.log1p(-p))

    @cached_property
    def designs(self) -> IntArray:
        """Index of each design among the distinct ones, (m, 2)."""
        flat = self.pairs.reshape(-1, self.pairs.shape[2])
        if not len(flat):
            return np.empty((0, 2), dtype=np.intp)
        return np.asarray(find_distinct_rows(np.ascontiguousarray(flat + 0.0))[1].reshape(-1, 2))

    def select_rows(self, generative: GenerativeModel, chosen: IntArray) -> tuple[Rows, Array]:
        """Return the rows of some answers and the prior covariance of their margins, (n, n), in the order of the log.

        Every row is the margin itself, so that the covariance can be changed answer by answer.
        """
        pairs, n = self.pairs[chosen], len(chosen)
        a, b = generative.coefficients(pairs[:, 0], pairs[:, 1])
        points, first, every = pairs.reshape(2 * n, -1), 2 * np.arange(n), np.arange(n)
        tied = self.tied[chosen]
        rows = Rows(first, first + 1, a, b, tied, 2 * n)
        covariance = rows.margin_covariance(generative.kernel(points, points))
        return Rows(every, every, np.ones(n), np.zeros(n), tied, n), covariance


def is_informative(event: Event) -> bool:
    """Return whether an event is an answer with a winner or a tie."""
    return isinstance(event, Preferred) or (isinstance(event, Answered) and event.outcome != "skip")
