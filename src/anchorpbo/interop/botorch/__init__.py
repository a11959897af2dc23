"""BoTorch: models, acquisition functions and duels in BoTorch's form.

::

    model            AnchoredPairwiseModel: any fitted `PreferenceGP` as a BoTorch `Model`
    noise            NoiseMap: the noise as a torch module
    acquisitions     NoisePenalised, ANPEI, RAHBO: one design, minus a penalty for noise; RAEUBO: a duel
    duel_tensors     duels from BoTorch's tensors, and back
    kernels          kernels from GPyTorch kernels
    covariances      covariances of our kernels with autograd
    reliability      reliabilities as torch modules

The acquisition functions work on any BoTorch model. docs/botorch.md shows them in a script.
"""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# Checked before the package's modules are imported, whose errors would only name torch.
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
