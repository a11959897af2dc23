"""Plot of the utility of the recommended design and its 90 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, INKS, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Optimizer, Recommendation


def recommendation_interval(
    study: Optimizer, risk_weight: float | None = None, *, backend: Backend = "plotly", theme: Theme = "auto"
) -> Any:
    """Draw the expected utility of the recommended design and its 90 % interval.

    Parameters
    ----------
    study
        A study with at least one answer.
    risk_weight
        See `Optimizer.recommend`.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer):
        raise InputError("a recommendation needs a study", type(study).__name__, "give an Optimizer")
    return draw(IntervalPlot(study.recommend(risk_weight)), backend, theme)


@dataclass(frozen=True)
class IntervalPlot(Plot):
    """Plot with one dot on a bar, and the origin of the utility."""

    found: Recommendation

    @property
    def description(self) -> str:
        """The utility and its interval."""
        utility, low, high = (format_fixed(value, 2) for value in (self.found.utility, *self.found.interval))
        return f"Utility {utility}, with 90 % probability from {low} to {high}; 0 is {self._origin}."

    @property
    def _origin(self) -> str:
        return "the origin" if self.found.relative_to == "origin" else "the average of the designs compared"

    @property
    def _reach(self) -> tuple[float, float]:
        """Range of the axis: the interval and the origin, with a margin."""
        low, high = min(self.found.interval[0], 0.0), max(self.found.interval[1], 0.0)
        room = 0.06 * ((high - low) or 1.0)
        return low - room, high + room

    @property
    def _title(self) -> str:
        # Short: phones show it on one line.
        return f"utility; 0 is the {'origin' if self.found.relative_to == 'origin' else 'average compared'}"

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure."""
        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=110)
        (low, high), utility = self.found.interval, self.found.utility
        hover = [style.lines([f"utility {utility:.2f}", f"90 % interval {low:.2f} to {high:.2f}"])]
        bar = style.line([low, high], [0, 0], "90 % interval", colour=style.fade(BLUE), width=14, hover=hover * 2)
        figure.add_trace(bar)
        figure.add_trace(style.dots([utility], [0], "expected utility", hover=hover, color=BLUE, size=13))
        figure.add_vline(0.0, line={"color": INKS[theme].line, "width": 1.5})
        figure.update_xaxes(range=self._reach, title_text=self._title)
        figure.update_yaxes(visible=False, range=(-1, 1))
        figure.update_layout(showlegend=False, margin={"l": 10, "r": 10, "t": 10, "b": 45})
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=3.6, height=0.75)
            axes.plot(self.found.interval, [0, 0], color=BLUE, alpha=0.3, linewidth=7, solid_capstyle="round")
            axes.plot([self.found.utility], [0], "o", color=BLUE, markersize=6)
            axes.axvline(0.0, color=style.ink().line, linewidth=0.8)
            axes.set(xlim=self._reach, ylim=(-1, 1), yticks=[], xlabel=self._title)
            axes.spines["left"].set_visible(False)
            axes.grid(visible=False, axis="y")
        return figure
