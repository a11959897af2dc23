"""Contract suites: what every kernel, likelihood, inference, acquisition and storage must do.

Wrote one of your own? One line checks it::

    from anchorpbo.testing import KernelContract

    def test_my_kernel():
        KernelContract(MyKernel(), dimension=3).check_all()

`check_all` fails once and names every check that did not hold. With pytest, one test a check reads better::

    @pytest.mark.parametrize("check", KernelContract.checks())
    def test_my_kernel(check):
        KernelContract(MyKernel(), dimension=3).check(check)

::

    KernelContract(kernel, dimension)           LikelihoodContract(likelihood)
    DesignAcquisitionContract(acquisition)      InferenceContract(inference)
    PairAcquisitionContract(acquisition)        StorageContract(open, kept)

The suites need nothing but what the library needs: no pytest.
"""

from anchorpbo.testing.acquisitions import DesignAcquisitionContract, PairAcquisitionContract
from anchorpbo.testing.contract import Contract
from anchorpbo.testing.inferences import InferenceContract
from anchorpbo.testing.kernels import KernelContract
from anchorpbo.testing.likelihoods import LikelihoodContract
from anchorpbo.testing.storages import StorageContract

__all__ = [
    "Contract",
    "DesignAcquisitionContract",
    "InferenceContract",
    "KernelContract",
    "LikelihoodContract",
    "PairAcquisitionContract",
    "StorageContract",
]
