"""The BLAS limit belongs to the process: whoever leaves last restores it."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest
import threadpoolctl
from scipy import linalg

from anchorpbo.numerics.threads import MAX_SINGLE_THREAD_ROWS, one_blas_thread

np.linalg.inv(np.eye(2))
linalg.inv(np.eye(2))  # both BLAS libraries are loaded now
CONTROLLER = threadpoolctl.ThreadpoolController()


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in CONTROLLER.info() if library["user_api"] == "blas"}


def set_blas_threads(number: int) -> None:
    """Set the limit from any thread: since 3.8 threadpoolctl heeds only the thread that set one first."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", lambda force: None)
    clear(force=True)
    CONTROLLER.limit(limits=number, user_api="blas")
    clear(force=True)


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Two threads outside the block, whatever the machine, so that one inside it shows."""
    before = max(blas_threads())
    set_blas_threads(2)
    if blas_threads() != {2}:
        pytest.skip("this BLAS has one thread only")
    yield
    set_blas_threads(before)


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
    with one_blas_thread(MAX_SINGLE_THREAD_ROWS + 1):
        assert blas_threads() == {2}
    with one_blas_thread(MAX_SINGLE_THREAD_ROWS):
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
    inside, leave_first, leave_second, left_first, left_second = (threading.Event() for _ in range(5))
    seen: dict[str, set[int]] = {}

    def first() -> None:
        with one_blas_thread():
            inside.set()
            leave_first.wait(10)
        left_first.set()
        leave_second.wait(10)  # a thread of a pool lives on
        left_second.wait(10)

    def second() -> None:
        inside.wait(10)
        with one_blas_thread():
            leave_first.set()
            left_first.wait(10)
            seen["after the first left"] = blas_threads()
            leave_second.wait(10)
        seen["after the second left"] = blas_threads()
        left_second.set()

    workers = [threading.Thread(target=work) for work in (first, second)]
    for worker in workers:
        worker.start()
    left_first.wait(10)
    assert blas_threads() == {1}
    leave_second.set()
    for worker in workers:
        worker.join(10)
    assert seen == {"after the first left": {1}, "after the second left": {2}}


def test_many_threads_leave_the_limit_as_it_was() -> None:
    failures: list[set[int]] = []
    together = threading.Barrier(6)

    def work() -> None:
        together.wait(10)
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


def test_a_thread_is_limited_after_the_main_one_was() -> None:
    with one_blas_thread():
        pass
    seen: list[set[int]] = []

    def work() -> None:
        with one_blas_thread():
            seen.append(blas_threads())

    worker = threading.Thread(target=work)
    worker.start()
    worker.join(10)
    assert seen == [{1}]
    assert blas_threads() == {2}


def test_works_as_a_decorator_every_time() -> None:
    @one_blas_thread()
    def inside() -> set[int]:
        return blas_threads()

    assert inside() == inside() == {1}
    assert blas_threads() == {2}
