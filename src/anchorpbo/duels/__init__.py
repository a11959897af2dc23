"""Duels as given by the user (`Duels`) and as rows of the matrix D (`Rows`)."""

from anchorpbo.duels.duels import Duels
from anchorpbo.duels.rows import Rows

__all__ = ["Duels", "Rows"]
