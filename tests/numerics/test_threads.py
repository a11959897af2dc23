"""The BLAS limit belongs to the process: whoever leaves last restores it."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from anchorpbo.numerics.threads import SMALL, one_blas_thread

np.linalg.inv(np.eye(2))  # BLAS is loaded now
CONTROLLER = ThreadpoolController()


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in CONTROLLER.info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Two threads outside the block, whatever the machine, so that one inside it shows."""
    with CONTROLLER.limit(limits=2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS has one thread only")
        yield


def test_one_thread_inside_and_as_before_outside() -> None:
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_blocks_may_be_nested() -> None:
    with one_blas_thread():
        with one_blas_thread(10):
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_large_matrices_keep_their_threads() -> None:
    with one_blas_thread(SMALL + 1):
        assert blas_threads() == {2}
    with one_blas_thread(SMALL):
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_exception_restores_the_limit() -> None:
    with pytest.raises(RuntimeError, match="inside"), one_blas_thread():
        raise RuntimeError("inside")
    assert blas_threads() == {2}
    with pytest.raises(RuntimeError, match="deep"), one_blas_thread(), one_blas_thread():
        raise RuntimeError("deep")
    assert blas_threads() == {2}


def test_the_last_thread_to_leave_restores_the_limit() -> None:
    inside, leave_first, leave_second, left_first = (threading.Event() for _ in range(4))
    seen: dict[str, set[int]] = {}

    def first() -> None:
        with one_blas_thread():
            inside.set()
            leave_first.wait(10)
        left_first.set()

    def second() -> None:
        inside.wait(10)
        with one_blas_thread():
            leave_first.set()
            left_first.wait(10)
            seen["after the first left"] = blas_threads()
            leave_second.wait(10)

    workers = [threading.Thread(target=work) for work in (first, second)]
    for worker in workers:
        worker.start()
    left_first.wait(10)
    assert blas_threads() == {1}
    leave_second.set()
    for worker in workers:
        worker.join(10)
    assert seen["after the first left"] == {1}
    assert blas_threads() == {2}


def test_many_threads_leave_the_limit_as_it_was() -> None:
    failures: list[set[int]] = []

    def work() -> None:
        for _ in range(30):
            with one_blas_thread(), one_blas_thread():
                if blas_threads() != {1}:
                    failures.append(blas_threads())

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert not failures
    assert blas_threads() == {2}


def test_works_as_a_decorator_every_time() -> None:
    @one_blas_thread()
    def inside() -> set[int]:
        return blas_threads()

    assert inside() == inside() == {1}
    assert blas_threads() == {2}
