"""The posterior of the utility from Gaussian sites on the margins: sites, latent vectors, posterior.

::

    base                 Posterior: the interface that acquisition functions, searches and studies use
    gaussian_posterior   GaussianPosterior: one kernel
    posterior_mixture    PosteriorMixture: a weighted mixture, each component with its own kernel
"""

from collections.abc import Callable

from anchorpbo.duels import Rows
from anchorpbo.posterior.base import DifferenceMoments, Posterior, UtilityMoments
from anchorpbo.posterior.duel_latent import DuelLatent
from anchorpbo.posterior.functional import LinearFunctional
from anchorpbo.posterior.gaussian_posterior import GaussianPosterior, posterior_from_sites
from anchorpbo.posterior.inducing import InducingLatent, InducingPoints, choose_inducing_points
from anchorpbo.posterior.latent import ExactLatent, LatentGaussian, Solution
from anchorpbo.posterior.point_latent import PointLatent
from anchorpbo.posterior.posterior_mixture import PosteriorMixture, mix_posteriors
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
    "DifferenceMoments",
    "DuelLatent",
    "ExactLatent",
    "GaussianPosterior",
    "InducingLatent",
    "InducingPoints",
    "LatentGaussian",
    "LinearFunctional",
    "PointLatent",
    "Posterior",
    "PosteriorMixture",
    "Sites",
    "Solution",
    "UtilityMoments",
    "choose_inducing_points",
    "mix_posteriors",
    "posterior_from_sites",
]  # fmt: skip
