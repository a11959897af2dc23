"""The paper's experiments: tasks, the runner that executes them, records, summaries and claims."""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# The only check for these packages: this file runs before any module of experiments or figures.
if any(find_spec(package) is None for package in ("matplotlib", "polars")):
    raise UnsupportedError(
        "experiments and their figures need packages that are not installed",
        remedy='pip install "anchorpbo[reproduce]"',
    )
