"""Figures and tables of the experiments, in one style.

Data in, figure out: statistics are computed by the experiments. `style` has what all figures share.
"""

import anchorpbo.research.experiments  # noqa: F401  (says what to install)
