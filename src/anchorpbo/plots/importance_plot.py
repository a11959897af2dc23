"""Plot of the importance of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import ModelView, ParameterImportance, compute_importance
from anchorpbo.analysis.model_view import Source
from anchorpbo.formatting import format_fixed, truncate
from anchorpbo.plots.colours import BLUE, INKS, Theme
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plot import Backend, Plot, draw

_AXIS_TITLE = "share of the variation (%)"
_MAX_LABEL_LETTERS = 32


def parameter_importance(
    source: Source,
    *,
    labels: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw the share of the variation of the utility that each parameter explains, with its 90 % interval.

    Shares are total-effect indices, see `anchorpbo.analysis.importance`: they add up to more than 100 % if parameters
    interact.

    Parameters
    ----------
    source
        A study of a `Space` with at least one answer, or a fitted `PreferenceGP`.
    labels, backend, theme
        See `anchorpbo.plots`.
    """
    view = ModelView.of(source)
    words = ParameterLabels.of(view.space, labels, None)
    return draw(ImportancePlot(compute_importance(view), words), backend, theme)


@dataclass(frozen=True)
class ImportancePlot(Plot):
    """Plot with one bar per parameter, the most important one at the top."""

    data: Sequence[ParameterImportance]
    labels: ParameterLabels

    @property
    def description(self) -> str:
        """The share of each parameter, with its interval."""
        shares = [f"{self.labels.label(one.name)} {_describe_share(one)}" for one in reversed(self.rows)]
        return f"Share of the variation of the utility: {'; '.join(shares)}."

    @property
    def rows(self) -> list[ParameterImportance]:
        """The parameters from bottom to top."""
        return sorted(self.data, key=lambda one: one.index)

    @property
    def ticks(self) -> list[str]:
        """Labels of the parameters from bottom to top."""
        return [truncate(self.labels.label(one.name), _MAX_LABEL_LETTERS) for one in self.rows]

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure."""
        import plotly.graph_objects as go

        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=110 + 34 * len(self.data))
        ends = {
            "type": "data", "symmetric": False, "color": INKS[theme].text, "thickness": 1.5, "width": 4,
            "array": [100 * (one.high - one.index) for one in self.rows],
            "arrayminus": [100 * (one.index - one.low) for one in self.rows],
        }  # fmt: skip
        hover = [style.lines([self.labels.label(one.name), _describe_share(one)]) for one in self.rows]
        places = list(range(len(self.rows)))
        figure.add_trace(go.Bar(
            x=[100 * one.index for one in self.rows], y=places, orientation="h", marker={"color": BLUE}, error_x=ends,
            hovertext=hover, hoverinfo="text", showlegend=False,
        ))  # fmt: skip
        figure.update_xaxes(title_text=_AXIS_TITLE, range=(0, 102))
        names = list(map(style.text, self.ticks))
        figure.update_yaxes(title_text="parameter", tickmode="array", tickvals=places, ticktext=names, showgrid=False)
        figure.update_layout(margin={"b": 50, "t": 20})
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=0.6 + 0.24 * len(self.data))
            places, index = range(len(self.rows)), [100 * one.index for one in self.rows]
            ends = [
                [100 * (one.index - one.low) for one in self.rows],
                [100 * (one.high - one.index) for one in self.rows],
            ]
            look: dict[str, Any] = {"elinewidth": 1, "capsize": 2.5, "ecolor": style.ink().text}
            axes.barh(places, index, color=BLUE, height=0.6, xerr=ends, error_kw=look)
            axes.set_yticks(places, labels=list(map(style.text, self.ticks)))
            axes.grid(visible=False, axis="y")
            axes.set(xlabel=_AXIS_TITLE, ylabel="parameter", xlim=(0, 102))
        return figure


def _describe_share(one: ParameterImportance) -> str:
    share, low, high = (format_fixed(100 * value, 0) for value in (one.index, one.low, one.high))
    return f"{share} % ({low} to {high})"
