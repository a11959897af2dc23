"""The duel widget: a study in a notebook cell, for Jupyter, VS Code, Colab and other hosts of anywidget.

::

    widget    DuelWidget: the view, and the effect of its messages on the study; CardRenderer: designs as cards
    duel.js   the browser's half of the widget; duel.css, its style
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from anchorpbo.errors import UnsupportedError

if TYPE_CHECKING:
    from anchorpbo.notebook.widget import DuelWidget

__all__ = ["DuelWidget"]


def __getattr__(name: str) -> Any:
    """Load the widget on first use, because only the widget has dependencies beyond the core."""
    if name not in __all__:
        raise AttributeError(f"module 'anchorpbo.notebook' has no attribute {name!r}")
    if find_spec("anywidget") is None:
        raise UnsupportedError("the duel widget needs anywidget", "none installed", 'pip install "anchorpbo[notebook]"')
    return getattr(import_module("anchorpbo.notebook.widget"), name)
