"""From Gaussian sites on margins to the utility everywhere: sites, the spaces they are solved in, the posterior."""

from anchorpbo.posterior.build import posterior_from_sites
from anchorpbo.posterior.duel_space import DuelSpace
from anchorpbo.posterior.functional import LinearFunctional
from anchorpbo.posterior.inducing import InducingSpace
from anchorpbo.posterior.inducing_points import Inducing, choose_inducing
from anchorpbo.posterior.latent import LatentSpace, Solution
from anchorpbo.posterior.point_space import PointSpace
from anchorpbo.posterior.posterior import Posterior
from anchorpbo.posterior.sites import Sites
from anchorpbo.posterior.spaces import SPACES

__all__ = [
    "SPACES",
    "DuelSpace",
    "Inducing",
    "InducingSpace",
    "LatentSpace",
    "LinearFunctional",
    "PointSpace",
    "Posterior",
    "Sites",
    "Solution",
    "choose_inducing",
    "posterior_from_sites",
]  # fmt: skip
