"""Duels, studies and posteriors as data frames of pandas, polars or pyarrow, and back.

::

    duels        duels_to_frame, duels_from_frame: arrays in the unit cube
    studies      comparisons_to_frame, history_to_frame, history_from_frame: what was said in a study
    posteriors   posterior_to_frame, utilities_to_frame: what is known of designs
    designs      designs in the rows of a table
    libraries    what there is to know about each library

One row is one comparison, the winner before the loser: ``winner.dose`` beat ``loser.dose``, unless `tie` is set. None
of the libraries is needed before a frame of its kind is.
"""

from anchorpbo.interop.frames.duels import duels_from_frame, duels_to_frame
from anchorpbo.interop.frames.posteriors import posterior_to_frame, utilities_to_frame
from anchorpbo.interop.frames.studies import comparisons_to_frame, history_from_frame, history_to_frame

__all__ = [
    "comparisons_to_frame",
    "duels_from_frame",
    "duels_to_frame",
    "history_from_frame",
    "history_to_frame",
    "posterior_to_frame",
    "utilities_to_frame",
]
