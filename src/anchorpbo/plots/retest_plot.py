"""Plot of the agreement of answers to the same pair, by band of reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, ORANGE, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Optimizer, Retest, RetestBand

_AXIS_TITLE = "same answer when asked again (%)"
_OBSERVED, _EXPECTED = "observed, with 90 % interval", "expected by the model"
_ENDS = (-2.0, 102.0)


def retest_agreement(source: Optimizer | Retest, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw how often answers to the same pair agree, by band of reliability, and what the model expects.

    Parameters
    ----------
    source
        A study in which at least one pair was answered twice, or the result of its `retest`.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(source, Optimizer | Retest):
        raise InputError("retest agreement needs a study", type(source).__name__, "give an Optimizer")
    return draw(RetestPlot(source.retest() if isinstance(source, Optimizer) else source), backend, theme)


@dataclass(frozen=True)
class RetestPlot(Plot):
    """Plot with one row per band, the most reliable one at the top."""

    data: Retest

    def __post_init__(self) -> None:
        if not self.data.retests:
            rule = "retest agreement needs a pair that was answered twice"
            raise InputError(rule, "none", "create the study with repeat_rate=0.05, or use ask_again")

    @property
    def description(self) -> str:
        """The agreement in each band, with its interval and what is expected."""
        shares = [f"{band.name} {_describe_band(band)}" for band in reversed(self.rows)]
        return f"Same answer when a pair was asked again: {'; '.join(shares)}."

    @property
    def rows(self) -> list[RetestBand]:
        """The bands that have retests, from bottom to top."""
        return [band for band in reversed(self.data.bands) if band.retests]

    @property
    def ticks(self) -> list[str]:
        """Labels of the bands from bottom to top."""
        return [f"{band.name}: {band.agreed} of {band.retests}" for band in self.rows]

    @property
    def _observed(self) -> list[float]:
        return [100.0 * band.agreed / band.retests for band in self.rows]

    @property
    def _lengths(self) -> tuple[list[float], list[float]]:
        """Lengths of the intervals below and above the observed shares."""
        ends = list(zip(self.rows, self._observed, strict=True))
        return [x - 100.0 * band.interval[0] for band, x in ends], [100.0 * band.interval[1] - x for band, x in ends]

    @property
    def _expected(self) -> tuple[list[float], list[int]]:
        """Expected shares, and the rows that have one."""
        known = [(100.0 * band.expected, row) for row, band in enumerate(self.rows) if band.expected is not None]
        return [share for share, _ in known], [row for _, row in known]

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure; hover texts describe the bands."""
        from anchorpbo.plots import plotly_style as style

        figure = style.panels(theme, height=160 + 60 * len(self.rows))
        below, above = self._lengths
        hover = [style.lines([band.name, _describe_band(band)]) for band in self.rows]
        places = list(range(len(self.rows)))
        ends = {
            "type": "data", "symmetric": False, "color": BLUE, "thickness": 2, "width": 6,
            "array": above, "arrayminus": below,
        }  # fmt: skip
        observed = style.dots(self._observed, places, _OBSERVED, hover=hover, color=BLUE, size=11)
        figure.add_trace(observed.update(error_x=ends, cliponaxis=False))
        shares, rows = self._expected
        look: dict[str, Any] = {"symbol": "line-ns-open", "size": 22, "color": ORANGE, "line_width": 3}
        told = [hover[row] for row in rows]
        figure.add_trace(style.dots(shares, rows, _EXPECTED, hover=told, **look).update(cliponaxis=False))
        figure.update_xaxes(title_text=_AXIS_TITLE, range=_ENDS)
        names = [style.lines(tick.split(": ")) for tick in self.ticks]
        span = (-0.6, len(places) - 0.4)
        figure.update_yaxes(tickmode="array", tickvals=places, ticktext=names, range=span, showgrid=False)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        with style.use_style(theme):
            figure, ((axes,),) = style.figure(width=4.6, height=0.9 + 0.34 * len(self.rows))
            places = list(range(len(self.rows)))
            look: dict[str, Any] = {"fmt": "o", "color": BLUE, "markersize": 5.5, "elinewidth": 1.2, "capsize": 2.5}
            axes.errorbar(self._observed, places, xerr=self._lengths, label=_OBSERVED, clip_on=False, **look)
            mark: dict[str, Any] = {"color": ORANGE, "markersize": 12, "markeredgewidth": 1.8}
            axes.plot(*self._expected, "|", label=_EXPECTED, clip_on=False, **mark)
            axes.set_yticks(places, labels=list(map(style.text, self.ticks)))
            axes.grid(visible=False, axis="y")
            axes.set(xlabel=_AXIS_TITLE, xlim=_ENDS, ylim=(-0.6, len(places) - 0.4))
            style.legend_below(figure, axes.get_legend_handles_labels()[0])
        return figure


def _describe_band(band: RetestBand) -> str:
    low, high = (format_fixed(100 * value, 0) for value in band.interval)
    share = f"{band.agreed} of {band.retests} ({low} to {high} %)"
    return share if band.expected is None else f"{share}, expected {format_fixed(100 * band.expected, 0)} %"
