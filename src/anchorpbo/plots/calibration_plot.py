"""Plot of the model's calibration: predicted probabilities and observed shares of favourites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import Calibration
from anchorpbo.analysis import calibration as calibrate
from anchorpbo.model import PreferenceGP
from anchorpbo.plots.colours import BLUE, GREY, INKS, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Optimizer
from anchorpbo.study.calibration import Bin

_ENDS = (0.46, 1.04)


def calibration(source: Optimizer | PreferenceGP, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw the predicted probability of the favourite of each duel, and how often it was chosen; the diagonal is ideal.

    Each dot is a bin of about equally many answers, with the 90 % interval of its share; the strokes at the bottom are
    single predictions. For a study, each answer is predicted from those before it, hyper-parameters included; for a
    `PreferenceGP`, each duel is predicted from all others, at its hyper-parameters. Ties and skips are left out.

    Parameters
    ----------
    source
        A study or a fitted model, with at least two choices.
    backend, theme
        See `anchorpbo.plots`.
    """
    return draw(CalibrationPlot(calibrate(source)), backend, theme)


@dataclass(frozen=True)
class CalibrationPlot(Plot):
    """Plot with one panel, from probability 0.5 to 1."""

    data: Calibration

    @property
    def summary(self) -> str:
        """Accuracy and log loss in words."""
        data = self.data
        return (
            f"{len(data.predicted)} answers, {100 * data.accuracy:.0f} % as predicted; "
            f"log loss {data.log_loss:.2f} (a coin's is 0.69)"
        )

    @property
    def description(self) -> str:
        """Accuracy and log loss."""
        return f"Predicted probabilities of answers against observed ones: {self.summary}."

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure; hover texts describe the bins."""
        from anchorpbo.plots import plotly_style as style

        data, bins = self.data, self.data.bins
        figure = style.panels(theme, height=440)
        ideal: dict[str, Any] = {"colour": INKS[theme].line, "width": 1.5, "dash": "dash"}
        figure.add_trace(style.line([0.5, 1], [0.5, 1], "ideal", **ideal))
        ends = {
            "type": "data", "symmetric": False, "color": BLUE, "thickness": 1.5, "width": 4,
            "array": [one.high - one.observed for one in bins], "arrayminus": [one.observed - one.low for one in bins],
        }  # fmt: skip
        hover = [style.lines(_describe_bin(one)) for one in bins]
        x, y = [one.predicted for one in bins], [one.observed for one in bins]
        figure.add_trace(style.dots(x, y, "favourite chosen", hover=hover, ends=ends, color=BLUE, size=10))
        told, foot = [f"predicted {p:.0%}" for p in data.predicted], [0.0] * len(data.predicted)
        stroke: dict[str, Any] = {"symbol": "line-ns-open", "size": 9, "color": GREY}
        single = style.dots(data.predicted, foot, "single answers", hover=told, **stroke)
        figure.add_trace(single.update(cliponaxis=False))
        figure.update_xaxes(title_text="predicted probability of the favourite", range=_ENDS, tickformat=".0%")
        figure.update_yaxes(title_text="share of favourites chosen", range=(0.0, 1.04), tickformat=".0%")
        style.remark(figure, f"{self.summary}<br>{data.how}", y=0.06)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from matplotlib.ticker import PercentFormatter

        from anchorpbo.plots import matplotlib_style as style

        data, bins = self.data, self.data.bins
        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.2, height=3.6)
            line = style.ink().line
            axes.plot([0.5, 1], [0.5, 1], color=line, linestyle="--", linewidth=1, label="ideal")
            ends = [[one.observed - one.low for one in bins], [one.high - one.observed for one in bins]]
            x, y = [one.predicted for one in bins], [one.observed for one in bins]
            look: dict[str, Any] = {"fmt": "o", "color": BLUE, "markersize": 5, "elinewidth": 1, "capsize": 2.5}
            axes.errorbar(x, y, ends, label="favourite chosen", **look)
            stroke: dict[str, Any] = {"color": GREY, "markersize": 6, "markeredgewidth": 0.7}
            foot = [0.0] * len(data.predicted)
            axes.plot(data.predicted, foot, "|", label="single answers", clip_on=False, **stroke)
            axes.set(xlabel="predicted probability of the favourite", ylabel="share of favourites chosen")
            axes.set(xlim=_ENDS, ylim=(0, 1.04))
            for side in (axes.xaxis, axes.yaxis):
                side.set_major_formatter(PercentFormatter(1.0, decimals=0))
            axes.set_title(f"{self.summary}\n{data.how}", fontsize=7, loc="left")
            style.legend_below(figure, axes.get_legend_handles_labels()[0])
        return figure


def _describe_bin(one: Bin) -> list[str]:
    share = f"chosen {100 * one.observed:.0f} % ({100 * one.low:.0f} to {100 * one.high:.0f})"
    return [f"{one.count} answers", f"predicted {100 * one.predicted:.0f} %", share]
