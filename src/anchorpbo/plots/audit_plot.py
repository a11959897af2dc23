"""Plot of an audit: one small panel per finding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from anchorpbo.errors import InputError
from anchorpbo.plots.colours import BLUE, GREY, INKS, ORANGE, Theme
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.study import Audit, Finding, Optimizer
from anchorpbo.study.audit.finding import Course, Density, Simulated
from anchorpbo.study.calibration import Calibration

MAX_COLUMNS = 3
_SHARE_TICKS = ".0%"


def audit(study: Optimizer | Audit, *, backend: Backend = "plotly", theme: Theme = "auto") -> Any:
    """Draw the findings of an audit, one panel each.

    A curve is the posterior of a finding's value. The thick line below it is the 90 % interval, and the dashed line is
    the value that the model expects, or that of a study without the fault. Grey bars count simulated users who answer
    as the model expects. A line over the answers is a moving average.

    Parameters
    ----------
    study
        A study, or the result of its `audit`.
    backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer | Audit):
        raise InputError("an audit needs a study", type(study).__name__, "give an Optimizer, or the result of .audit()")
    found = study.audit() if isinstance(study, Optimizer) else study
    return draw(AuditPlot(tuple(found)), backend, theme)


@dataclass(frozen=True)
class AuditPlot(Plot):
    """Plot with one panel per finding that has data."""

    findings: tuple[Finding, ...]

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Findings that have a panel."""
        return tuple(one for one in self.findings if one.data is not None)

    @property
    def description(self) -> str:
        """The sentences of the findings."""
        return " ".join(one.sentence for one in self.findings)

    @property
    def _grid(self) -> tuple[int, int]:
        """Numbers of rows and columns; one of each without a panel."""
        count = max(len(self.shown), 1)
        columns = min(count, MAX_COLUMNS)
        return -(-count // columns), columns

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure."""
        from anchorpbo.plots import plotly_style as style

        rows, columns = self._grid
        single = len(self.shown) == 1
        titles = None if single else [one.title for one in self.shown]
        figure = style.panels(
            theme, rows, columns, height=280 if single else 60 + 250 * rows, subplot_titles=titles,
            vertical_spacing=0.34 / rows, horizontal_spacing=0.22 / columns,
        )  # fmt: skip
        for number, one in enumerate(self.shown):
            cell = {"row": number // columns + 1, "col": number % columns + 1}
            for trace in _make_traces(one, theme):
                figure.add_trace(trace.update(showlegend=False), **cell)
            xaxis, yaxis = _describe_axes(one)
            figure.update_xaxes(title_font_size=12, **xaxis, **cell)
            figure.update_yaxes(title_font_size=12, **yaxis, **cell)
        figure.update_layout(showlegend=False, margin={"t": 20 if single else 40, "b": 60})
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from matplotlib.ticker import PercentFormatter

        from anchorpbo.plots import matplotlib_style as style

        rows, columns = self._grid
        single = len(self.shown) == 1
        with style.use_style(theme):
            figure, panels = style.figure(rows, columns, width=3.6 if single else 7.0, height=0.3 + 1.8 * rows)
            for axes in panels.flat[len(self.shown) :]:
                axes.set_visible(False)
            for one, axes in zip(self.shown, panels.flat, strict=False):
                _draw_panel(axes, one, style.ink().line)
                xaxis, yaxis = _describe_axes(one)
                axes.set(xlabel=xaxis["title_text"], ylabel=yaxis.get("title_text", ""))
                if not single:
                    axes.set_title(one.title, loc="left")
                for side, settings in ((axes.xaxis, xaxis), (axes.yaxis, yaxis)):
                    if settings.get("tickformat") == _SHARE_TICKS:
                        side.set_major_formatter(PercentFormatter(1.0, decimals=0))
                if yaxis.get("visible") is False:
                    axes.set_yticks([])
                    axes.spines["left"].set_visible(False)
        return figure


def _is_share(finding: Finding) -> bool:
    """Return whether the value is a share, which is shown in percent."""
    return finding.name not in ("calibration", "drift", "response_time")


def _describe_axes(finding: Finding) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plotly's settings of the two axes."""
    data = finding.data
    share: dict[str, Any] = {"tickformat": _SHARE_TICKS} if _is_share(finding) else {}
    if isinstance(data, Course):
        return {"title_text": "answer"}, {"title_text": data.label, "rangemode": "tozero", **share}
    if isinstance(data, Calibration):
        ticks = {"tickformat": _SHARE_TICKS}
        return {"title_text": "predicted probability", **ticks}, {"title_text": "observed share", **ticks}
    if isinstance(data, Simulated):
        # Room for half a bar on both sides.
        span = max(data.observed, *data.values) or 0.1
        ends = [-0.04 * span, 1.04 * span]
        return {"title_text": data.label, "range": ends, **share}, {"title_text": "simulated users"}
    assert isinstance(data, Density)
    return {"title_text": data.label, **share}, {"visible": False}


def _make_traces(finding: Finding, theme: Theme) -> list[Any]:
    """Return the traces of one panel."""
    from anchorpbo.plots import plotly_style as style

    data, line = finding.data, INKS[theme].line
    if isinstance(data, Course):
        count = list(range(1, len(data.observed) + 1))
        hover = [f"around answer {at}: {_format(finding, y)}" for at, y in zip(count, data.observed, strict=True)]
        observed = style.line(count, list(data.observed), "observed", colour=BLUE, hover=hover)
        dashed = style.line(count[: len(data.expected)], list(data.expected), "expected", colour=line, dash="dash")
        return [observed, dashed] if data.expected else [observed]
    if isinstance(data, Calibration):
        ends = {
            "type": "data", "symmetric": False, "color": BLUE, "thickness": 1.5, "width": 4,
            "array": [one.high - one.observed for one in data.bins],
            "arrayminus": [one.observed - one.low for one in data.bins],
        }  # fmt: skip
        hover = [
            f"{one.count} answers: predicted {one.predicted:.0%}, observed {one.observed:.0%}" for one in data.bins
        ]
        x, y = [one.predicted for one in data.bins], [one.observed for one in data.bins]
        ideal = style.line([0.5, 1], [0.5, 1], "ideal", colour=line, width=1.5, dash="dash")
        return [ideal, style.dots(x, y, "observed", hover=hover, ends=ends, color=BLUE, size=9)]
    if isinstance(data, Simulated):
        bars = Counter(data.values)
        words = [f"{count} of {len(data.values)}: {_format(finding, x)}" for x, count in bars.items()]
        hover = [each for each in words for _ in range(3)]
        places = [at for at in bars for _ in range(3)]
        heights: list[Any] = [end for count in bars.values() for end in (0, count, None)]
        seen = [f"observed: {_format(finding, data.observed)}"] * 2
        return [
            style.line(places, heights, "simulated", colour=GREY, width=7, hover=hover),
            style.line([data.observed] * 2, [0, max(bars.values())], "observed", colour=ORANGE, width=3, hover=seen),
        ]
    assert isinstance(data, Density)
    top = max(data.y)
    traces = [style.area(data.x, [0.0] * len(data.x), list(data.y), "posterior", colour=BLUE)]
    if data.reference is not None:
        told = [f"expected: {_format(finding, data.reference)}"] * 2
        here = [data.reference] * 2
        traces.append(style.line(here, [0, top], "expected", colour=line, width=1.5, dash="dash", hover=told))
    if finding.value is not None:
        low, high = (_format(finding, end) for end in finding.interval)
        words = [f"{_format(finding, finding.value)}, 90 % interval {low} to {high}"]
        traces.append(
            style.line(list(finding.interval), [0, 0], "90 % interval", colour=BLUE, width=5, hover=words * 2)
        )
        traces.append(style.dots([finding.value], [0], finding.title, hover=words, color=BLUE, size=10))
    return traces


def _draw_panel(axes: Any, finding: Finding, line: str) -> None:
    """Draw one panel with matplotlib."""
    data = finding.data
    dashed = {"color": line, "linestyle": "--", "linewidth": 0.9}
    if isinstance(data, Course):
        count = range(1, len(data.observed) + 1)
        axes.plot(count, data.observed, color=BLUE, label="observed")
        if data.expected:
            axes.plot(count, data.expected, label="expected", **dashed)
        axes.set_ylim(bottom=0)
    elif isinstance(data, Calibration):
        axes.plot([0.5, 1], [0.5, 1], label="ideal", **dashed)
        bins = data.bins
        ends = [[one.observed - one.low for one in bins], [one.high - one.observed for one in bins]]
        x, y = [one.predicted for one in bins], [one.observed for one in bins]
        axes.errorbar(x, y, ends, fmt="o", color=BLUE, markersize=4, elinewidth=1, capsize=2, label="observed")
    elif isinstance(data, Simulated):
        bars = Counter(data.values)
        axes.vlines(list(bars), 0, list(bars.values()), color=GREY, linewidth=4, label="simulated")
        axes.axvline(data.observed, color=ORANGE, linewidth=1.8, label="observed")
        axes.set_ylim(bottom=0)
    elif isinstance(data, Density):
        axes.fill_between(data.x, data.y, color=BLUE, alpha=0.22, linewidth=0, label="posterior")
        if data.reference is not None:
            axes.axvline(data.reference, label="expected", **dashed)
        if finding.value is not None:
            axes.plot(finding.interval, [0, 0], color=BLUE, linewidth=3, clip_on=False, label="90 % interval")
            axes.plot([finding.value], [0], "o", color=BLUE, markersize=5, clip_on=False, label=finding.title)
        axes.set_ylim(bottom=0)


def _format(finding: Finding, value: float) -> str:
    """Format a value for a hover text."""
    return f"{value:.0%}" if _is_share(finding) else f"{value:.2f}"
