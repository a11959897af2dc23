"""Names for the arrays that travel through the library."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
"""Array of floats; functions document the shapes they take and return."""

IntArray: TypeAlias = npt.NDArray[np.intp]
"""Indices."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""Masks."""
