"""Names for the arrays that travel through the library."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
"""Real numbers; the shape is in the docstring of whoever takes or returns one."""

IntArray: TypeAlias = npt.NDArray[np.intp]
"""Indices."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""Masks."""
