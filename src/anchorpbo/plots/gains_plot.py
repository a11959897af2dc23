"""Plot of the expected gain of each duel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anchorpbo.analysis import ExpectedGains
from anchorpbo.analysis import expected_gains as compute_expected_gains
from anchorpbo.errors import InputError
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, GREY, RED, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Optimizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXIS_TITLES = ("comparison", "expected gain (%)")
_THRESHOLD_LABEL = "negligible below"


def expected_gains(study: Optimizer, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw the expected gain of each duel that the model selected, as a share of the range of utilities seen.

    Bars below the dashed line are grey: these duels promised a negligible gain.

    Parameters
    ----------
    study
        A study with at least one answer to a duel that the model selected.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer):
        raise InputError("expected gains need a study", type(study).__name__, "give an Optimizer")
    found = compute_expected_gains(study)
    if not found.duels:
        raise InputError("expected gains need an answer to a duel that the model selected", "none", "answer more duels")
    return draw(GainsPlot(found), backend, theme)


@dataclass(frozen=True)
class GainsPlot(Plot):
    """Plot with one bar per duel."""

    data: ExpectedGains

    @property
    def description(self) -> str:
        """The number of bars and the last gain."""
        return describe_gains(self.data)

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure."""
        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=280)
        add_gains(figure, self.data)
        figure.update_xaxes(range=(0.4, self.data.answers + 0.6), showgrid=False)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=style.PAGE, height=2.2)
            draw_gains(axes, self.data)
            axes.set_xlim(0.4, self.data.answers + 0.6)
            style.legend_below(figure, axes.get_legend_handles_labels()[0])
        return figure


def describe_gains(data: ExpectedGains) -> str:
    """Return the number of known gains and the last one, in words."""
    if not data.gains:
        return "No expected gain is known yet."
    return f"Expected gain of {len(data.gains)} comparisons; the last is {format_fixed(100 * data.gains[-1], 1)} %."


def add_gains(figure: Any, data: ExpectedGains, row: int = 1, col: int = 1) -> None:
    """Add the bars, their threshold and the titles of both axes to a panel of a plotly figure."""
    import plotly.graph_objects as go

    from anchorpbo.plots import plotly_style as style

    bars = go.Bar(
        x=list(data.duels), y=_to_percent(data), marker={"color": _choose_colours(data)}, name=_AXIS_TITLES[1],
        hovertemplate="comparison %{x}: %{y:.1f} %<extra></extra>", showlegend=False,
    )  # fmt: skip
    figure.add_trace(bars, row, col)
    limit = 100 * data.negligible_gain
    ends = [0.4, data.answers + 0.6]
    hover = [f"{_THRESHOLD_LABEL} {limit:.3g} %"] * 2
    threshold = style.line(ends, [limit] * 2, _THRESHOLD_LABEL, colour=RED, width=1.5, dash="dash", hover=hover)
    figure.add_trace(threshold, row, col)
    figure.update_xaxes(title_text=_AXIS_TITLES[0], tickformat="d", row=row, col=col)
    figure.update_yaxes(title_text=_AXIS_TITLES[1], rangemode="tozero", row=row, col=col)


def draw_gains(axes: Axes, data: ExpectedGains) -> None:
    """Draw the bars and their threshold on axes of matplotlib, and set the titles of both axes."""
    from matplotlib.ticker import MaxNLocator

    axes.bar(data.duels, _to_percent(data), color=_choose_colours(data))
    axes.axhline(100 * data.negligible_gain, color=RED, linewidth=1, linestyle="--", label=_THRESHOLD_LABEL)
    axes.set(xlabel=_AXIS_TITLES[0], ylabel=_AXIS_TITLES[1])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _to_percent(data: ExpectedGains) -> list[float]:
    return [100 * gain for gain in data.gains]


def _choose_colours(data: ExpectedGains) -> list[str]:
    return [GREY if gain < data.negligible_gain else BLUE for gain in data.gains]
