"""Conversion of GPyTorch kernels to ours, at their current hyper-parameters.

::

    ScaleKernel(k)                s k                    RBFKernel                  RBF
    AdditiveKernel(k, ...)        k + ...                MaternKernel(nu=1.5)       Matern32
    ProductKernel(k, ...)         k ...                  MaternKernel(nu=2.5)       Matern52

with one length-scale or one per coordinate, on all coordinates or on `active_dims`. Priors and constraints are dropped.
"""

from __future__ import annotations

from functools import reduce
from operator import add, mul

from gpytorch.kernels import AdditiveKernel, MaternKernel, ProductKernel, RBFKernel, ScaleKernel
from gpytorch.kernels import Kernel as TorchKernel

from anchorpbo.errors import UnsupportedError
from anchorpbo.interop.botorch.tensors import to_array
from anchorpbo.kernels import RBF, Kernel, Matern32, Matern52, Stationary

_MATERN_FAMILIES: dict[float, type[Stationary]] = {1.5: Matern32, 2.5: Matern52}


def kernel_from_gpytorch(kernel: TorchKernel) -> Kernel:
    """Return a kernel of ours with the same covariance.

    Examples
    --------
    >>> kernel_from_gpytorch(MaternKernel(nu=2.5).initialize(lengthscale=0.5))
    Matern52(lengthscale=0.5, outputscale=1.0)
    """
    return _convert(kernel, 1.0)


def _convert(kernel: TorchKernel, scale: float) -> Kernel:
    """Return scale times the kernel, on its active dimensions."""
    ours = _convert_base(kernel, scale)
    columns = getattr(kernel, "active_dims", None)
    return ours if columns is None else ours.on(columns.tolist())


def _convert_base(kernel: TorchKernel, scale: float) -> Kernel:
    """Return scale times the kernel; active dimensions are handled by the caller."""
    if isinstance(kernel, ScaleKernel) and not kernel.batch_shape:
        # A ScaleKernel copies the active dimensions of its base kernel.
        return _convert_base(kernel.base_kernel, scale * kernel.outputscale.item())
    if isinstance(kernel, AdditiveKernel):
        return reduce(add, (_convert(part, scale) for part in kernel.kernels))
    if isinstance(kernel, ProductKernel):
        first, *others = kernel.kernels
        return reduce(mul, (_convert(part, 1.0) for part in others), _convert(first, scale))
    family: type[Stationary] | None = RBF if type(kernel) is RBFKernel else None
    if type(kernel) is MaternKernel:
        family = _MATERN_FAMILIES.get(kernel.nu)
    if family is None or kernel.batch_shape:
        rule = "only RBF and Matern kernels (nu 1.5 or 2.5), scaled, added and multiplied, can be converted"
        received = f"a batch of {type(kernel).__name__}" if getattr(kernel, "batch_shape", ()) else repr(kernel)
        raise UnsupportedError(rule, received, "use AnchoredPairwiseModel.fit with a kernel of anchorpbo")
    lengths = to_array(kernel.lengthscale).ravel()
    return family(lengths if kernel.ard_num_dims else float(lengths[0]), scale)
