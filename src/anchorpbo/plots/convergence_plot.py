"""Plot of convergence: the recommendation after each answer, and the expected gain of each duel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anchorpbo.analysis import Convergence
from anchorpbo.analysis import convergence as compute_convergence
from anchorpbo.errors import InputError
from anchorpbo.formatting import format_fixed
from anchorpbo.plots.colours import BLUE, GREEN, Theme
from anchorpbo.plots.gains_plot import add_gains, describe_gains, draw_gains
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.space import Design
from anchorpbo.study import Optimizer


def convergence(
    study: Optimizer,
    truth: Callable[[Design], float] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw the utility of the recommendation after each answer, given all answers, and the expected gain of each duel.

    The study is replayed, hyper-parameters included, so fifty answers take seconds. A bar below the dashed line
    promised a negligible gain.

    Parameters
    ----------
    study
        A study with at least one informative answer.
    truth
        The user's true utility, a function of a design, if it is known: drawn instead of the estimate.
    labels, units, backend, theme
        See `anchorpbo.plots`.
    """
    if not isinstance(study, Optimizer):
        raise InputError("convergence needs a study", type(study).__name__, "give an Optimizer")
    return draw(
        ConvergencePlot(compute_convergence(study, truth), ParameterLabels.of(study.space, labels, units)),
        backend,
        theme,
    )


@dataclass(frozen=True)
class ConvergencePlot(Plot):
    """Plot with two panels over the number of answers."""

    data: Convergence
    labels: ParameterLabels

    @property
    def description(self) -> str:
        """The utility of the first and the last recommendation, and the last expected gain."""
        utility = self.data.utility if self.data.truth is None else self.data.truth
        reach = f"from {format_fixed(utility[0], 2)} to {format_fixed(utility[-1], 2)}"
        count = f"{self.data.answers[-1]} answers"
        return f"Utility of the recommended design after 1 to {count}, {reach}. {describe_gains(self.data.expected)}"

    def plotly(self, theme: Theme) -> Any:
        """Return the plotly figure; hover texts describe the recommended designs."""
        from anchorpbo.plots import plotly_style as style

        data = self.data
        figure = style.panels(
            theme, 2, 1, height=480, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.62, 0.38]
        )
        x, y = list(data.answers), list(data.utility if data.truth is None else data.truth)
        hover = [
            style.lines([f"after {n} answer{'s'[: n != 1]}", *self.labels.design(design), f"utility {value:.2f}"])
            for n, design, value in zip(x, data.designs, y, strict=True)
        ]
        colour = BLUE if data.truth is None else GREEN
        if data.truth is None:
            figure.add_trace(style.area(x, data.low, data.high, "90 % interval", colour=BLUE), 1, 1)
        figure.add_trace(
            style.line(x, y, "recommended then", colour=colour, hover=hover).update(mode="lines+markers"), 1, 1
        )
        add_gains(figure, data.expected, row=2, col=1)
        figure.update_yaxes(title_text="utility" if data.truth is None else "true utility", row=1, col=1)
        return figure

    def matplotlib(self, theme: Theme) -> Any:
        """Return the matplotlib figure."""
        from anchorpbo.plots import matplotlib_style as style

        data = self.data
        with style.use_style(theme):
            figure, ((above,), (below,)) = style.figure(2, 1, width=4.6, height=3.9, sharex=True, height_ratios=[5, 3])
            if data.truth is None:
                look: dict[str, Any] = {"color": BLUE, "alpha": 0.18, "linewidth": 0}
                above.fill_between(data.answers, data.low, data.high, label="90 % interval", **look)
                above.plot(data.answers, data.utility, ".-", color=BLUE, label="recommended then")
            else:
                above.plot(data.answers, data.truth, ".-", color=GREEN, label="recommended then")
            draw_gains(below, data.expected)
            above.set(ylabel="utility" if data.truth is None else "true utility")
            handles = [*above.get_legend_handles_labels()[0], *below.get_legend_handles_labels()[0]]
            style.legend_below(figure, handles, columns=2)
        return figure
