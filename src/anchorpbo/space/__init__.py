"""Where designs come from: parameters of many kinds, or a list; and their coordinates in the unit cube."""

from anchorpbo.space.base import Columns, Design, DesignSpace
from anchorpbo.space.constraints import Linear
from anchorpbo.space.parameters import Boolean, Categorical, Constant, Integer, Ordinal, Parameter, Real
from anchorpbo.space.region import Region
from anchorpbo.space.space import Space

__all__ = [
    "Boolean",
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
]
