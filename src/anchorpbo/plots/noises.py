"""How noisy the pairs were that were asked, along the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import PairNoise
from anchorpbo.analysis import pair_noise as of_study
from anchorpbo.analysis.course import AVERAGED
from anchorpbo.errors import InputError
from anchorpbo.plots.colours import BLUE, GREY, INKS, ORANGE, RED, Theme
from anchorpbo.plots.drawing import Backend, Drawing, draw
from anchorpbo.study import Optimizer

_KINDS = (("chosen", ("first", "second"), BLUE, "circle", "o"), ("tie", ("tie",), ORANGE, "diamond", "D"),
          ("skipped", ("skip",), GREY, "x", "x"))  # fmt: skip
_MEAN = f"mean of the last {AVERAGED}"
_START = "to start with"
_TYPICAL = "average of the space"


def pair_noise(study: Optimizer, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """The noise of each pair that was asked, the mean of its two designs, under the noise map of today.

    A risk-averse strategy goes where the user can judge: the line falls below the average of the space.

    Parameters
    ----------
    study
        With at least one comparison.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer):
        raise InputError("the noise of pairs is that of a study", type(study).__name__, "give an Optimizer")
    return draw(Noises(of_study(study)), backend, theme)


@dataclass(frozen=True)
class Noises(Drawing):
    """One panel over the comparisons."""

    data: PairNoise

    def of(self, outcomes: tuple[str, ...]) -> tuple[list[int], list[float]]:
        """Numbers and noises of the duels with these outcomes."""
        told = zip(self.data.outcomes, self.data.noise, strict=True)
        some = [(n, noise) for n, (outcome, noise) in enumerate(told, 1) if outcome in outcomes]
        return [n for n, _ in some], [noise for _, noise in some]

    def plotly(self, theme: Theme) -> Any:
        """Dots by outcome and a running mean."""
        from anchorpbo.plots import screen

        data = self.data
        figure = screen.panels(theme, height=380)
        for name, outcomes, colour, symbol, _ in _KINDS:
            x, y = self.of(outcomes)
            if x:
                told = [f"comparison {n}: noise {noise:.3g}" for n, noise in zip(x, y, strict=True)]
                figure.add_trace(screen.dots(x, y, name, hover=told, color=colour, symbol=symbol, size=7, opacity=0.75))
        every = list(range(1, len(data.average) + 1))
        figure.add_trace(screen.line(every, data.average, _MEAN, colour=RED))
        small: dict[str, Any] = {"annotation_font_size": 11}
        dashed: dict[str, Any] = {"color": INKS[theme].line, "width": 1.2, "dash": "dash"}
        figure.add_hline(data.typical, line=dashed, annotation_text=_TYPICAL, annotation_position="top right", **small)
        if 0 < data.initial < len(data.noise):
            words: dict[str, Any] = {"annotation_text": _START, "annotation_position": "bottom left"}
            look: dict[str, Any] = {"fillcolor": GREY, "opacity": 0.12, "line_width": 0}
            figure.add_vrect(0.5, data.initial + 0.5, **look, **words, **small)
        figure.update_xaxes(title_text="comparison", range=(0.5, len(data.noise) + 0.5))
        figure.update_yaxes(title_text="noise of the pair", rangemode="tozero")
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """The same for a page."""
        from matplotlib.ticker import MaxNLocator

        from anchorpbo.plots import paper

        data = self.data
        with paper.styled(theme):
            figure, ((axes,),) = paper.figure(width=4.6, height=2.9)
            for name, outcomes, colour, _, marker in _KINDS:
                x, y = self.of(outcomes)
                if x:
                    axes.plot(x, y, marker, color=colour, alpha=0.75, markersize=3.5, label=name)
            axes.plot(range(1, len(data.average) + 1), data.average, color=RED, label=_MEAN)
            line = paper.ink().line
            axes.axhline(data.typical, color=line, linewidth=0.8, linestyle="--", label=_TYPICAL)
            if 0 < data.initial < len(data.noise):
                axes.axvspan(0.5, data.initial + 0.5, color=GREY, alpha=0.12, linewidth=0, label=_START)
            axes.set(xlabel="comparison", ylabel="noise of the pair", xlim=(0.5, len(data.noise) + 0.5))
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            paper.legend_below(figure, axes.get_legend_handles_labels()[0], columns=3)
        return figure
