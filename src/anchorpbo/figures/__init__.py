"""Figures and tables of the experiments, in one style.

Data in, figure out: statistics are computed by the experiments. `style` has what all figures share.
"""

from importlib.util import find_spec

from anchorpbo.errors import UnsupportedError

# Here and nowhere else, for this runs before any module of the package.
if any(find_spec(package) is None for package in ("matplotlib", "polars")):
    raise UnsupportedError(
        "figures and tables need packages that are not installed", remedy='pip install "anchorpbo[reproduce]"'
    )
