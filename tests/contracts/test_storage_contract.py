"""The storage contract takes a function that opens a storage; the storages' own tests run its checks."""

import pytest

from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError
from anchorpbo.testing import StorageContract


def test_a_storage_instead_of_a_function_is_refused() -> None:
    with pytest.raises(InputError) as failure:
        StorageContract(MemoryStorage())  # type: ignore[arg-type]
    message = str(failure.value)
    assert message.startswith("open must be a function that opens the storage; received a MemoryStorage; ")
    assert "StorageContract(lambda: MemoryStorage(path)).check_all()" in message
