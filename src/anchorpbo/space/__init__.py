"""Design spaces, given by parameters or by a list of items, and the coordinates of designs in the unit cube."""

from anchorpbo.space.base import NOTICEABLE_DIFFERENCE, Columns, Design, DesignSpace
from anchorpbo.space.catalogue import Catalogue
from anchorpbo.space.constraints import Linear
from anchorpbo.space.parameters import Boolean, Categorical, Constant, Integer, Ordinal, Parameter, Real
from anchorpbo.space.region import Region
from anchorpbo.space.serialization import space_from_dict
from anchorpbo.space.space import Space
from anchorpbo.space.subset_selection import farthest_points, medoids

__all__ = [
    "NOTICEABLE_DIFFERENCE",
    "Boolean",
    "Catalogue",
    "Categorical",
    "Columns",
    "Constant",
    "Design",
    "DesignSpace",
    "Integer",
    "Linear",
    "Ordinal",
    "Parameter",
    "Real",
    "Region",
    "Space",
    "farthest_points",
    "medoids",
    "space_from_dict",
]
