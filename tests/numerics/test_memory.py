"""That freed blocks are kept, seen from outside: pages filled in while matrices come and go."""

import subprocess
import sys

import pytest

CODE = """
import resource, sys
import numpy as np
if sys.argv[1] == "kept":
    from anchorpbo.numerics.memory import keep_freed_blocks
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
