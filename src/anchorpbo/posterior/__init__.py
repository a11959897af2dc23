"""From Gaussian sites on margins to the utility everywhere: sites, the two spaces they are solved in, the posterior."""

from anchorpbo.posterior.build import posterior_from_sites
from anchorpbo.posterior.posterior import Posterior
from anchorpbo.posterior.sites import Sites
from anchorpbo.posterior.spaces import SPACES, DuelSpace, PointSpace, Solution, Space

__all__ = [
    "SPACES", "DuelSpace", "PointSpace", "Posterior", "Sites", "Solution", "Space", "posterior_from_sites",
]  # fmt: skip
