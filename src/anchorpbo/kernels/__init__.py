"""Prior covariances of the utility.

A new stationary kernel is one method (`Stationary.shape`); anything else implements `Kernel`.
"""

from anchorpbo.kernels.base import Kernel
from anchorpbo.kernels.composite import OnColumns, Product, Sum
from anchorpbo.kernels.finite import Hamming, Tanimoto
from anchorpbo.kernels.stationary import RBF, Matern32, Matern52, Stationary

__all__ = ["RBF", "Hamming", "Kernel", "Matern32", "Matern52", "OnColumns", "Product", "Stationary", "Sum", "Tanimoto"]
