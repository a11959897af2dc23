"""Print the extras to install: the given ones, plus those that need torch if pip finds a build without CUDA.

python scripts/choose_extras.py web,dev botorch,bench auto

On Linux the package index offers only torch with CUDA: several gigabytes of libraries that no test uses. `auto` asks
pip in a dry run which build it would install; `yes` and `no` decide without asking.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

_CUDA = re.compile("cuda|nvidia", re.IGNORECASE)
_LEFT_OUT = (
    "pip finds no torch without CUDA for this interpreter. The extras {extras} are left out, and the tests that need "
    "them are skipped. TORCH=yes installs them all the same."
)
_DRY_RUN = ("install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-", "torch")


def needs_cuda(report: str) -> bool:
    """Return whether a package in pip's installation report requires CUDA libraries on this machine."""
    from pip._vendor.packaging.requirements import Requirement

    lines = [line for package in json.loads(report)["install"] for line in package["metadata"].get("requires_dist", [])]
    return any(
        _CUDA.search(one.name) and (one.marker is None or one.marker.evaluate({"extra": ""}))
        for one in map(Requirement, lines)
    )


def main() -> None:
    """Parse the arguments, ask pip if needed, and print the extras separated by commas."""
    extras, with_torch, choice = sys.argv[1:]
    if choice == "auto":
        found = subprocess.run([sys.executable, "-m", "pip", *_DRY_RUN], stdout=subprocess.PIPE, text=True, check=True)
        if needs_cuda(found.stdout):
            print(_LEFT_OUT.format(extras=with_torch), file=sys.stderr)
            choice = "no"
    print(extras if choice == "no" else f"{extras},{with_torch}")


if __name__ == "__main__":
    main()
