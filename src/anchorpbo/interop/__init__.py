"""Bridges to other libraries, one package per library.

::

    botorch      a model, a noise map and acquisition functions for BoTorch    pip install "anchorpbo[botorch]"
    optuna       a sampler for preferential studies of Optuna's dashboard      pip install "anchorpbo[optuna]"
    frames       data frames of pandas, polars and pyarrow                     any of the three

A library is imported only when its bridge is imported.
"""

from anchorpbo.interop import frames

__all__ = ["frames"]
