"""Figures and tables of the experiments, in one style.

Each function takes data and returns a figure; the experiments compute the statistics. `strategy_styles` holds the
styles that all figures share.
"""

import anchorpbo.research.experiments  # noqa: F401  (raises with install instructions)
