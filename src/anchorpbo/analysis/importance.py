"""Importance of parameters: the share of the variation of the utility that each of them explains.

Symbols: f the utility, x a random design of the space, x^(i) the same with another random value of parameter i. The
total-effect index of parameter i [Jansen1999] is

    T_i = E[(f(x) - f(x^(i)))^2] / (2 Var f(x))

It is 0 if the utility does not depend on the parameter and 1 if it depends on nothing else. The indices add up to more
than 1 if parameters interact. f is unknown, so T_i is computed for draws of the posterior: its mean and the ends of its
90 % interval say how sure the study is.

References
----------
[Jansen1999] M. J. W. Jansen. Analysis of variance designs for model output. Computer Physics Communications 117, 1999.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anchorpbo.analysis.grids import as_space, get_varying
from anchorpbo.analysis.model_view import ModelView
from anchorpbo.numerics.threads import one_blas_thread
from anchorpbo.study.recommendation import check_answers
from anchorpbo.typing import Array

POINTS, MIN_DESIGNS = 600, 40
"""Number of points at which the posterior is drawn jointly, and the smallest number of designs among them."""
DRAWS = 200
"""Number of draws of the posterior."""
_INTERVAL = (0.05, 0.95)


@dataclass(frozen=True)
class ParameterImportance:
    """Total-effect index of one parameter, with its 90 % interval."""

    name: str
    index: float
    low: float
    high: float


def compute_importance(view: ModelView) -> list[ParameterImportance]:
    """Return the importance of each parameter of a space, in the order of the space.

    Constraints are ignored when a parameter gets another value.
    """
    check_answers(0 if view.model is None else 1)
    assert view.model is not None
    space, rng = as_space(view.space), np.random.default_rng(0)
    names = list(get_varying(space))
    count = max(POINTS // (len(names) + 1), MIN_DESIGNS)
    designs, others = space.sample(count, rng), space.sample(count, rng)
    points = np.concatenate([designs, *_replace_each(designs, rng.permutation(others))])
    with one_blas_thread():
        draws = view.model.posterior.sample(points, DRAWS, rng)
    indices = compute_total_effects(draws.reshape(len(draws), len(names) + 1, len(designs)))
    low, high = np.quantile(indices, _INTERVAL, axis=0)
    rows = zip(names, indices.mean(axis=0).tolist(), low.tolist(), high.tolist(), strict=True)
    return [ParameterImportance(*row) for row in rows]


def compute_total_effects(utility: Array) -> Array:
    """Return the total-effect indices of each draw, (draws, d), between 0 and 1.

    Parameters
    ----------
    utility
        Utilities, (draws, d + 1, n): at n designs, and at the same designs with another value of parameter 1, ..., d.
    """
    base = utility[:, :1]
    variance = base.var(axis=2)
    effects = 0.5 * np.mean((utility[:, 1:] - base) ** 2, axis=2)
    shares: Array = np.divide(effects, variance, out=np.zeros_like(effects), where=variance > 0.0)
    return np.minimum(shares, 1.0)


def _replace_each(designs: Array, others: Array) -> list[Array]:
    """Return the designs with one coordinate taken from the others, for each coordinate."""
    replaced = []
    for i in range(designs.shape[1]):
        changed = designs.copy()
        changed[:, i] = others[: len(designs), i]
        replaced.append(changed)
    return replaced
