"""Which space to solve a posterior in, by name."""

from __future__ import annotations

from collections.abc import Callable

from anchorpbo.duels import Rows
from anchorpbo.posterior.duel_space import DuelSpace
from anchorpbo.posterior.latent import LatentSpace
from anchorpbo.posterior.point_space import PointSpace
from anchorpbo.typing import Array


def _smaller(rows: Rows, kernel_matrix: Array) -> LatentSpace:
    return (DuelSpace if len(rows) <= rows.designs else PointSpace)(rows, kernel_matrix)


SPACES: dict[str, Callable[[Rows, Array], LatentSpace]] = {"auto": _smaller, "duel": DuelSpace, "point": PointSpace}
"""The two spaces by name, and the smaller of them."""
