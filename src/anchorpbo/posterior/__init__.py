"""From Gaussian sites on margins to the utility everywhere: sites, the two spaces they are solved in, the posterior."""

from anchorpbo.posterior.build import posterior_from_sites
from anchorpbo.posterior.posterior import Posterior
from anchorpbo.posterior.sites import Sites
from anchorpbo.posterior.spaces import DuelSpace, PointSpace, Solution, Space, choose_space

__all__ = [
    "DuelSpace", "PointSpace", "Posterior", "Sites", "Solution", "Space", "choose_space", "posterior_from_sites",
]  # fmt: skip
