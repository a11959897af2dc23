"""Contract suites: checks of kernels, likelihoods, inferences, posteriors, acquisition functions and storages.

One line checks your own implementation::

    from anchorpbo.testing import KernelContract

    def test_my_kernel():
        KernelContract(MyKernel(), dimension=3).check_all()

`check_all` raises one error that names every failed check. Checks of types and shapes run first; if one of them fails,
the rest is not run. With pytest, one test per check is easier to read::

    @pytest.mark.parametrize("check", KernelContract.checks())
    def test_my_kernel(check):
        KernelContract(MyKernel(), dimension=3).check(check)

::

    KernelContract(kernel, dimension)           LikelihoodContract(likelihood)
    DesignAcquisitionContract(acquisition)      InferenceContract(inference)
    PairAcquisitionContract(acquisition)        PosteriorContract(posterior)
    DuelAcquisitionContract(acquisition)        OneShotAcquisitionContract(acquisition)
    StorageContract(open, kept)

The suites need no extra packages, not even pytest.
"""

from anchorpbo.testing.acquisitions import DesignAcquisitionContract, PairAcquisitionContract
from anchorpbo.testing.contract import Contract
from anchorpbo.testing.duel_acquisitions import DuelAcquisitionContract, OneShotAcquisitionContract
from anchorpbo.testing.inferences import InferenceContract
from anchorpbo.testing.kernels import KernelContract
from anchorpbo.testing.likelihoods import LikelihoodContract
from anchorpbo.testing.posteriors import PosteriorContract
from anchorpbo.testing.storages import StorageContract

__all__ = [
    "Contract",
    "DesignAcquisitionContract",
    "DuelAcquisitionContract",
    "InferenceContract",
    "KernelContract",
    "LikelihoodContract",
    "OneShotAcquisitionContract",
    "PairAcquisitionContract",
    "PosteriorContract",
    "StorageContract",
]
