"""Duels as the user gives them (`Duels`) and as the mathematics sees them (`Rows`)."""

from anchorpbo.duels.duels import Duels
from anchorpbo.duels.rows import Rows

__all__ = ["Duels", "Rows"]
