"""Prior covariances of the utility.

A new stationary kernel implements one method, `Stationary.shape`; any other kernel implements `Kernel`.
"""

from anchorpbo.kernels.base import Kernel
from anchorpbo.kernels.composite import OnColumns, Product, Sum
from anchorpbo.kernels.finite import Hamming, Tanimoto
from anchorpbo.kernels.stationary import RBF, Matern32, Matern52, Stationary

__all__ = ["RBF", "Hamming", "Kernel", "Matern32", "Matern52", "OnColumns", "Product", "Stationary", "Sum", "Tanimoto"]
