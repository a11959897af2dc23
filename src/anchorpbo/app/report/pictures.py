"""Figures as pictures in a report: SVG by matplotlib, one for light and one for dark screens, embedded in the page."""

from __future__ import annotations

import warnings
from base64 import b64encode
from io import BytesIO
from threading import Lock
from typing import Any

from anchorpbo.html import Markup, escape, tag
from anchorpbo.plots.colours import Theme
from anchorpbo.plots.plot import Plot, draw

_LOCK = Lock()
"""Held while a figure is drawn: the settings of matplotlib are global."""
_METADATA: Any = {"Date": None, "Creator": None}
"""Nothing that changes from one rendering to the next."""
_SETTINGS: Any = {"svg.hashsalt": "anchorpbo", "svg.fonttype": "none"}
"""Same ids in every rendering; texts as texts, so that the reader's fonts supply the letters of all languages."""


def render_picture(plot: Plot) -> Markup:
    """Render a plot as a picture that follows the theme of the screen; prints are light."""
    dark = f'<source srcset="{_draw(plot, "dark")}" media="screen and (prefers-color-scheme: dark)">'
    light = f'<img src="{_draw(plot, "light")}" alt="{escape(plot.description)}">'
    return tag("picture", Markup(dark), Markup(light), class_="chart")


def _draw(plot: Plot, theme: Theme) -> str:
    """Return a data URL of the SVG of a plot."""
    with _LOCK, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        import matplotlib

        figure, file = draw(plot, "matplotlib", theme), BytesIO()
        with matplotlib.rc_context(_SETTINGS):
            figure.savefig(file, format="svg", transparent=True, metadata=_METADATA)
    text = file.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans', system-ui, sans-serif")
    return f"data:image/svg+xml;base64,{b64encode(text).decode()}"
