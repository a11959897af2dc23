"""Plot of the noise of the pairs that were asked, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import PairNoise
from anchorpbo.analysis import pair_noise as compute_pair_noise
from anchorpbo.analysis.history import AVERAGED_DUELS
from anchorpbo.errors import InputError
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, GREY, INKS, ORANGE, RED, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Optimizer

_OUTCOME_STYLES = (("chosen", ("first", "second"), BLUE, "circle", "o"), ("tie", ("tie",), ORANGE, "diamond", "D"),
          ("skipped", ("skip",), GREY, "x", "x"))  # fmt: skip
_MEAN_LABEL = f"mean of the last {AVERAGED_DUELS}"
_INITIAL_LABEL = "to start with"
_TYPICAL_LABEL = "average of the space"


def pair_noise(study: Optimizer, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw the noise of each pair that was asked, the mean of its two designs, under the present noise map.

    A risk-averse strategy prefers designs that the user can judge: the line falls below the average of the space.

    Parameters
    ----------
    study
        A study with at least one comparison.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer):
        raise InputError("the noise of pairs needs a study", type(study).__name__, "give an Optimizer")
    return draw(PairNoisePlot(compute_pair_noise(study)), backend, theme)


@dataclass(frozen=True)
class PairNoisePlot(Plot):
    """Plot with one panel over the comparisons."""

    data: PairNoise

    def select(self, outcomes: tuple[str, ...]) -> tuple[list[int], list[float]]:
        """Return the numbers and noises of the duels with these outcomes."""
        duels = zip(self.data.outcomes, self.data.noise, strict=True)
        some = [(n, noise) for n, (outcome, noise) in enumerate(duels, 1) if outcome in outcomes]
        return [n for n, _ in some], [noise for _, noise in some]

    @property
    def description(self) -> str:
        """The range of the noise and its typical value."""
        low, high = (format_fixed(end(self.data.noise), 2) for end in (min, max))
        typical = format_fixed(self.data.typical, 2)
        return (
            f"Noise of the {len(self.data.noise)} pairs compared, from {low} to {high}; a typical pair has {typical}."
        )

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure: dots by outcome and a running mean."""
        from anchorpbo.plots import plotly_style as style

        data = self.data
        figure = style.panels(theme, height=380)
        for name, outcomes, colour, symbol, _ in _OUTCOME_STYLES:
            x, y = self.select(outcomes)
            if x:
                hover = [f"comparison {n}: noise {noise:.3g}" for n, noise in zip(x, y, strict=True)]
                figure.add_trace(style.dots(x, y, name, hover=hover, color=colour, symbol=symbol, size=7, opacity=0.75))
        every = list(range(1, len(data.average) + 1))
        means = [f"{_MEAN_LABEL}: noise {noise:.3g}" for noise in data.average]
        figure.add_trace(style.line(every, data.average, _MEAN_LABEL, colour=RED, hover=means))
        small: dict[str, Any] = {"annotation_font_size": 11}
        dashed: dict[str, Any] = {"color": INKS[theme].line, "width": 1.2, "dash": "dash"}
        figure.add_hline(
            data.typical, line=dashed, annotation_text=_TYPICAL_LABEL, annotation_position="top right", **small
        )
        if 0 < data.initial < len(data.noise):
            words: dict[str, Any] = {"annotation_text": _INITIAL_LABEL, "annotation_position": "bottom left"}
            look: dict[str, Any] = {"fillcolor": GREY, "opacity": 0.12, "line_width": 0}
            figure.add_vrect(0.5, data.initial + 0.5, **look, **words, **small)
        figure.update_xaxes(title_text="comparison", range=(0.5, len(data.noise) + 0.5))
        figure.update_yaxes(title_text="noise of the pair", rangemode="tozero")
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from matplotlib.ticker import MaxNLocator

        from anchorpbo.plots import matplotlib_style as style

        data = self.data
        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=2.9)
            for name, outcomes, colour, _, marker in _OUTCOME_STYLES:
                x, y = self.select(outcomes)
                if x:
                    axes.plot(x, y, marker, color=colour, alpha=0.75, markersize=3.5, label=name)
            axes.plot(range(1, len(data.average) + 1), data.average, color=RED, label=_MEAN_LABEL)
            line = style.ink().line
            axes.axhline(data.typical, color=line, linewidth=0.8, linestyle="--", label=_TYPICAL_LABEL)
            if 0 < data.initial < len(data.noise):
                axes.axvspan(0.5, data.initial + 0.5, color=GREY, alpha=0.12, linewidth=0, label=_INITIAL_LABEL)
            axes.set(xlabel="comparison", ylabel="noise of the pair", xlim=(0.5, len(data.noise) + 0.5))
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            style.legend_below(figure, axes.get_legend_handles_labels()[0], columns=3)
        return figure
