"""One thread, as everywhere in the tests. Without torch every module is skipped, with the reason."""

import pytest

from support.optional import HAS_TORCH, WITHOUT_TORCH


class _ModuleWithoutTorch(pytest.Module):
    def collect(self):
        pytest.skip(WITHOUT_TORCH, allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return None if HAS_TORCH else _ModuleWithoutTorch.from_parent(parent, path=module_path)


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)
