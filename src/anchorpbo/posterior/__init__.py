"""The posterior of the utility from Gaussian sites on the margins: sites, latent vectors, posterior."""

from collections.abc import Callable

from anchorpbo.duels import Rows
from anchorpbo.posterior.duel_latent import DuelLatent
from anchorpbo.posterior.functional import LinearFunctional
from anchorpbo.posterior.inducing import InducingLatent, InducingPoints, choose_inducing_points
from anchorpbo.posterior.latent import ExactLatent, LatentGaussian, Solution
from anchorpbo.posterior.point_latent import PointLatent
from anchorpbo.posterior.posterior import Posterior, posterior_from_sites
from anchorpbo.posterior.sample_path import SamplePath
from anchorpbo.posterior.sites import Sites
from anchorpbo.typing import Array


def _choose_smaller(rows: Rows, kernel_matrix: Array) -> ExactLatent:
    return (DuelLatent if len(rows) <= rows.designs else PointLatent)(rows, kernel_matrix)


LATENTS: dict[str, Callable[[Rows, Array], ExactLatent]] = {
    "auto": _choose_smaller,
    "duel": DuelLatent,
    "point": PointLatent,
}
"""Exact latent vectors by name; ``auto`` selects the smaller one."""

__all__ = [
    "LATENTS",
    "DuelLatent",
    "ExactLatent",
    "InducingLatent",
    "InducingPoints",
    "LatentGaussian",
    "LinearFunctional",
    "PointLatent",
    "Posterior",
    "SamplePath",
    "Sites",
    "Solution",
    "choose_inducing_points",
    "posterior_from_sites",
]  # fmt: skip
