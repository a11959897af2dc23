"""Studies to draw, shared with the tests of the data behind the plots."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "insight"))
