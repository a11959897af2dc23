"""BoTorch: our models as its models, our acquisitions as its acquisitions, duels as its comparisons.

::

    model            AnchoredPairwiseModel: any fitted `PreferenceGP` as a BoTorch `Model`
    noise            NoiseMap: the noise as a torch module
    acquisitions     NoisePenalised, ANPEI, RAHBO: of one design, less a penalty for noise; RAEUBO: of a duel
    duel_tensors     duels from BoTorch's tensors, and back
    kernels          kernels from GPyTorch's
    covariances      a kernel of ours as a function that autograd can go through
    reliability      reliabilities as torch modules

The acquisitions work on any BoTorch model. docs/botorch.md shows them in a script.
"""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# Before any module of the package, which could only say that there is no torch.
if any(find_spec(package) is None for package in ("torch", "botorch")):
    raise UnsupportedError(
        "the bridge to BoTorch needs packages that are not installed", remedy='pip install "anchorpbo[botorch]"'
    )

from anchorpbo.interop.botorch.acquisitions import ANPEI, RAEUBO, RAHBO, NoisePenalised
from anchorpbo.interop.botorch.duel_tensors import duels_from_tensors, duels_to_tensors
from anchorpbo.interop.botorch.kernels import kernel_from_gpytorch
from anchorpbo.interop.botorch.model import AnchoredPairwiseModel
from anchorpbo.interop.botorch.noise import NoiseMap

__all__ = [
    "ANPEI", "RAEUBO", "RAHBO", "AnchoredPairwiseModel", "NoiseMap", "NoisePenalised", "duels_from_tensors",
    "duels_to_tensors", "kernel_from_gpytorch",
]  # fmt: skip
