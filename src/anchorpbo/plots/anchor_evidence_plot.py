"""Plot of the evidence for the anchors: the Bayes factor against the strength of the noise map."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.formatting import format_significant
from anchorpbo.plots.colours import BLUE, GREEN, ORANGE, RED, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import AnchorValidation, Optimizer
from anchorpbo.study.anchor_validation import CONTRADICTED_FACTOR, SUPPORTED_FACTOR

_X_TITLE, _Y_TITLE = "strength of the noise map", "Bayes factor"
_SINGLE, _TOGETHER = "one strength", "all strengths together"
_SUPPORTED, _CONTRADICTED = "supported from here up", "contradicted from here down"
_LIMITS = ((SUPPORTED_FACTOR, _SUPPORTED, GREEN), (CONTRADICTED_FACTOR, _CONTRADICTED, RED))
_WIDEST = 1e3
"""Ratio of the ends of an axis below which 2 and 5 are labelled as well as the powers of ten."""


def anchor_evidence(source: Optimizer | AnchorValidation, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw the Bayes factor of the anchored noise map against a constant one, by the strength of the map.

    Both axes are logarithmic. The dashed lines are the limits of the verdicts; the dotted one is the Bayes factor of
    all strengths together, which decides on the verdict.

    Parameters
    ----------
    source
        A study with anchors and at least four informative answers, or the result of its `validate_anchors`.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(source, Optimizer | AnchorValidation):
        raise InputError("evidence for anchors needs a study", type(source).__name__, "give an Optimizer")
    found = source.validate_anchors() if isinstance(source, Optimizer) else source
    return draw(AnchorEvidencePlot(found), backend, theme)


@dataclass(frozen=True)
class AnchorEvidencePlot(Plot):
    """Plot with one panel."""

    data: AnchorValidation

    def __post_init__(self) -> None:
        if not self.data.strengths:
            rule = "evidence for anchors needs anchors and at least four answers"
            raise InputError(rule, self.data.sentence, "mark anchors, and answer more")

    @property
    def description(self) -> str:
        """The verdict, and the Bayes factor of each strength."""
        pairs = zip(self.data.strengths, self.data.factors, strict=True)
        said = "; ".join(f"{format_significant(f, 2)} at {format_significant(s, 2)}" for s, f in pairs)
        return f"{self.data.sentence} Bayes factor by strength of the noise map: {said}."

    @property
    def reach(self) -> tuple[float, float]:
        """Ends of the axis of the Bayes factor; all factors and the limits are inside."""
        values = [*self.data.factors, self.data.bayes_factor, *(limit for limit, _, _ in _LIMITS)]
        return min(values) / 1.5, max(values) * 1.5

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis of the strength."""
        return min(self.data.strengths) / 1.15, max(self.data.strengths) * 1.15

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure; hover texts have the numbers."""
        from anchorpbo.plots import plotly_style as style

        data, ends = self.data, list(self.ends)
        figure = style.panels(theme, height=340)
        for value, name, colour, dash in self._lines:
            hover = [f"{name}: {format_significant(value, 2)}"] * 2
            figure.add_trace(style.line(ends, [value] * 2, name, colour=colour, width=1.5, dash=dash, hover=hover))
        hover = [
            style.lines([f"strength {format_significant(s, 2)}", f"Bayes factor {format_significant(f, 2)}"])
            for s, f in zip(data.strengths, data.factors, strict=True)
        ]
        curve = style.line(data.strengths, data.factors, _SINGLE, colour=BLUE, hover=hover)
        figure.add_trace(curve.update(mode="lines+markers", marker={"size": 8}))
        for title, (low, high), update in (
            (_X_TITLE, self.ends, figure.update_xaxes), (_Y_TITLE, self.reach, figure.update_yaxes),
        ):  # fmt: skip
            ticks = _list_ticks(low, high)
            labels = [f"{tick:g}" for tick in ticks]
            update(title_text=title, type="log", range=[log10(low), log10(high)], tickvals=ticks, ticktext=labels)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from matplotlib.ticker import LogLocator, StrMethodFormatter

        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=2.8)
            styles = {"dash": "--", "dot": ":"}
            for value, name, colour, dash in self._lines:
                axes.axhline(value, color=colour, linewidth=1.2, linestyle=styles[dash], label=name)
            axes.plot(self.data.strengths, self.data.factors, ".-", color=BLUE, label=_SINGLE)
            axes.set(xscale="log", yscale="log", xlim=self.ends, ylim=self.reach, xlabel=_X_TITLE, ylabel=_Y_TITLE)
            for side, (low, high) in ((axes.xaxis, self.ends), (axes.yaxis, self.reach)):
                if high / low < _WIDEST:
                    side.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                    side.set_major_formatter(StrMethodFormatter("{x:g}"))
                side.set_minor_formatter("")
            style.legend_below(figure, axes.get_legend_handles_labels()[0], columns=2)
        return figure

    @property
    def _lines(self) -> list[tuple[float, str, str, str]]:
        """Value, name, colour and dash of each horizontal line."""
        limits = [(limit, name, colour, "dash") for limit, name, colour in _LIMITS]
        return [*limits, (self.data.bayes_factor, _TOGETHER, ORANGE, "dot")]


def _list_ticks(low: float, high: float) -> list[float]:
    """Return the places of labels on a logarithmic axis: powers of ten, and 2 and 5 times these if it is short."""
    steps = (1.0, 2.0, 5.0) if high / low < _WIDEST else (1.0,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    return [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
