"""Maps of utility, uncertainty, noise and reliability, over two parameters or over the items of a catalogue.

If only one parameter varies, the reliability is a curve along it, and slices show the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from anchorpbo.analysis import ModelView
from anchorpbo.analysis.grids import Grid, as_space, compute_plane, compute_slices, project_items
from anchorpbo.analysis.model_view import Source
from anchorpbo.errors import InputError
from anchorpbo.plots.colours import Theme
from anchorpbo.plots.items_map import ItemsMap
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plane_map import PlaneMap
from anchorpbo.plots.plot import Backend, Plot, draw
from anchorpbo.plots.reliability_curve import ReliabilityCurve
from anchorpbo.space import Catalogue
from anchorpbo.study.recommendation import check_answers

MAP_POINTS = 65
"""Number of points along a parameter."""

What = Literal["utility", "uncertainty", "noise", "reliability"]


def utility_map(
    source: Source,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw the expected utility over two parameters, with anchors, duels and the recommended design.

    A line joins the designs of each duel: a dark dot was preferred to the white one. Ties are white and joined by a
    dotted line. All of these designs may differ from the map in the other parameters; anchors that do are hollow. For a
    catalogue each item is a dot, and similar items lie close together.

    Parameters
    ----------
    source
        A study with at least one answer, or a fitted `PreferenceGP`.
    x, y
        Parameters; by default the first two. Not for a catalogue.
    at
        Design that sets the other parameters; by default the recommended one.
    labels, units, backend, theme
        See `anchorpbo.plots`.
    """
    return _map("utility", source, x, y, at, labels, units, backend, theme)


def uncertainty_map(
    source: Source,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw half the width of the 90 % interval of the utility; see `utility_map`."""
    return _map("uncertainty", source, x, y, at, labels, units, backend, theme)


def noise_map(
    source: Source,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw the noise of the user's judgement; see `utility_map`. `source` may be a `NoiseMap` or an empty study too."""
    return _map("noise", source, x, y, at, labels, units, backend, theme)


def reliability_map(
    source: Source,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    backend: Backend = "plotly",
    theme: Theme = "auto",
) -> Any:
    """Draw how well the user knows designs, given the anchors; see `utility_map` and `noise_map`.

    If only one parameter varies, the reliability is drawn as a curve.
    """
    return _map("reliability", source, x, y, at, labels, units, backend, theme)


def values(what: What, grid: Grid[Any]) -> Any:
    """Return the numbers of a grid that a map shows, as an array of its shape."""
    if what == "uncertainty":
        return (np.array(grid.high) - np.array(grid.low)) / 2
    return np.array({"utility": grid.utility, "noise": grid.noise, "reliability": grid.reliability}[what])


def _map(
    what: What,
    source: Source,
    x: str | None,
    y: str | None,
    at: Mapping[str, Any] | None,
    labels: Mapping[str, str] | None,
    units: Mapping[str, str] | None,
    backend: Backend,
    theme: Theme,
) -> Any:
    view = ModelView.of(source)
    if what in ("utility", "uncertainty"):
        check_answers(0 if view.model is None else 1)
    return draw(make_map_plot(what, view, ParameterLabels.of(view.space, labels, units), x, y, at), backend, theme)


def make_map_plot(
    what: What,
    view: ModelView,
    labels: ParameterLabels,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
    count: int = MAP_POINTS,
) -> Plot:
    """Return the plot of a map, with `count` points along a parameter."""
    best = view.recommend()
    if isinstance(view.space, Catalogue):
        if not (x is None and y is None and at is None):
            rule = "the map of a catalogue has axes of its own, the two directions its items differ most in"
            raise InputError(rule, repr((x, y, at)), "leave x, y and at out")
        found = project_items(view, view.space)
        return ItemsMap(
            what, found, values(what, found.grid), view.space.key, best, view.anchors, view.duels, labels,
            view.negative_anchors,
        )  # fmt: skip
    space = as_space(view.space)
    here = view.base_design if at is None else space.check(at)
    over = compute_plane(view, here, x, y, count)
    if over is None and what == "reliability":
        return ReliabilityCurve(compute_slices(view, here)[0], view.anchors, labels, view.negative_anchors)
    if over is None:
        raise InputError("a map needs two parameters that vary", f"only {space.names}", "use utility_slices")
    return PlaneMap(
        what, over, values(what, over.grid), here, best, view.anchors, view.duels, labels, view.negative_anchors
    )
