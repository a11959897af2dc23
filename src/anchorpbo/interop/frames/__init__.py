"""Duels, studies and posteriors as data frames of pandas, polars or pyarrow, and back.

::

    duel_frames        duels_to_frame, duels_from_frame: arrays in the unit cube
    study_frames       comparisons_to_frame, history_to_frame, history_from_frame: comparisons and events of a study
    posterior_frames   posterior_to_frame, utilities_to_frame: estimates of designs
    design_table       designs in the rows of a table
    frame_libraries    the interface to each library

One row is one comparison: the design in ``winner.dose`` beat the design in ``loser.dose``, unless `tie` is set. Each
library is imported only when a frame of it is needed.
"""

from anchorpbo.interop.frames.duel_frames import duels_from_frame, duels_to_frame
from anchorpbo.interop.frames.posterior_frames import posterior_to_frame, utilities_to_frame
from anchorpbo.interop.frames.study_frames import comparisons_to_frame, history_from_frame, history_to_frame

__all__ = [
    "comparisons_to_frame",
    "duels_from_frame",
    "duels_to_frame",
    "history_from_frame",
    "history_to_frame",
    "posterior_to_frame",
    "utilities_to_frame",
]
