"""The paper's experiments: tasks, the runner that does them, their records, summaries and claims."""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# Here and nowhere else, for this runs before any module of the package, or of the figures, which stand on it.
if any(find_spec(package) is None for package in ("matplotlib", "polars")):
    raise UnsupportedError(
        "experiments and their figures need packages that are not installed",
        remedy='pip install "anchorpbo[reproduce]"',
    )
