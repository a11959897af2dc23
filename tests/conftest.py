"""Fixtures of all tests.

BLAS uses one thread, because two test workers with two threads each would wait for each other. Functions are compiled
eagerly, because most tests would otherwise run them only in the interpreter.
"""

import os

import pytest

from support.postgres_server import running_server

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


@pytest.fixture(scope="session", autouse=True)
def machine_code():
    """Compile every tiered function at its first call, in the thread of the tests."""
    from anchorpbo.numerics.tiering import compile_eagerly

    with compile_eagerly():
        yield


@pytest.fixture(scope="session")
def server():
    """Start a PostgreSQL server, one per test worker."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgresql_url(server):
    """Yield the address of an empty database."""
    with server.temporary_database() as url:
        yield url
