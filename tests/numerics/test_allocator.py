"""That freed blocks are kept, seen from outside: pages filled in while matrices come and go."""

import subprocess
import sys

import pytest

CODE = """
import resource, sys
import numpy as np
if sys.argv[1] == "kept":
    from anchorpbo.numerics.allocator import keep_freed_blocks
    keep_freed_blocks()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(300):
    several = [np.ones((150, 150)) for _ in range(5)]
    del several
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator of Linux")
def test_matrices_that_come_and_go_do_not_need_new_pages():
    faults = {
        how: int(subprocess.run([sys.executable, "-c", CODE, how], capture_output=True, check=True, text=True).stdout)
        for how in ("kept", "not")
    }
    assert faults["kept"] < 5000
    if faults["not"] < 5000:
        pytest.skip("this C library keeps blocks by itself")
    assert faults["kept"] < faults["not"] / 4


CODE_OF_A_SERVER = """
import sys
from anchorpbo.numerics.allocator import release_large_blocks, keep_freed_blocks

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

if sys.argv[1] == "back":
    release_large_blocks()
keep_freed_blocks()
before, kept = resident(), []
for _ in range(60):
    uploaded = [bytes([n]) * 1_000_000 for n in range(4)]  # then something small that stays
    kept.append(bytes(200_000))
    del uploaded[1:]
    kept.append(uploaded)
kept = [one for one in kept if isinstance(one, bytes)]
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator of Linux")
def test_a_server_gives_back_what_large_files_needed():
    left = {
        how: int(
            subprocess.run(
                [sys.executable, "-c", CODE_OF_A_SERVER, how], capture_output=True, check=True, text=True
            ).stdout
        )
        for how in ("back", "not")
    }
    assert left["back"] < 25_000  # kilobytes; 12,000 of them are what stays
    if left["not"] < 40_000:
        pytest.skip("this C library gives blocks back by itself")
