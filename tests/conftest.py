"""One BLAS thread: two test workers with two threads each would spend their time waiting for each other.

Machine code: without `compile_eagerly` most oracles would only see functions as the interpreter runs them.
"""

import os

import pytest

from support.postgres_server import running_server

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


@pytest.fixture(scope="session", autouse=True)
def machine_code():
    """Every tiered function compiled at its first call, in the thread of the tests."""
    from anchorpbo.numerics.tiering import compile_eagerly

    with compile_eagerly():
        yield


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server of its own for each worker."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgresql_url(server):
    """An empty database."""
    return server.new_database()
