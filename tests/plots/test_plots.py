"""Figures: both twins show the numbers of the study, in its own units."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.analysis import (
    ExpectedGains,
    ModelView,
    calibration,
    compute_importance,
    convergence,
    expected_gains,
    pair_noise,
)
from anchorpbo.analysis.axes import make_axis
from anchorpbo.errors import InputError, NotFittedError, UnknownNameError, UnsupportedError
from anchorpbo.formatting import format_value
from anchorpbo.plots import maps, plot
from anchorpbo.plots.axis_positions import AxisPositions
from anchorpbo.plots.calibration_plot import CalibrationPlot
from anchorpbo.plots.colours import BLUE, GREY, INKS, ORANGE
from anchorpbo.plots.convergence_plot import ConvergencePlot
from anchorpbo.plots.gains_plot import GainsPlot
from anchorpbo.plots.importance_plot import ImportancePlot
from anchorpbo.plots.interval_plot import IntervalPlot
from anchorpbo.plots.maps import make_map_plot
from anchorpbo.plots.pair_noise_plot import PairNoisePlot
from anchorpbo.plots.parameter_labels import ParameterLabels
from anchorpbo.plots.plane_map import BESIDE_LABEL, MARK_COLOUR
from anchorpbo.plots.retest_plot import RetestPlot
from anchorpbo.plots.slices import make_slices
from anchorpbo.study import Retest, RetestBand
from support.drawn_studies import ANCHORS, SPACE, played, shelved, taste

UNITS, LABELS = {"heat": "°C", "dose": "g"}, {"grind": "<i>coarse</i>"}


@pytest.fixture(scope="module")
def study():
    return played()


@pytest.fixture(scope="module")
def shelf():
    return shelved()


@pytest.fixture(scope="module")
def model():
    points = np.random.default_rng(0).random((8, 2))
    duels = ap.Duels(points, [0, 2, 4, 6], [1, 3, 5, 7], [[0, 4]])
    return ap.PreferenceGP(noise=ap.NoiseMap.bounded(points[:2])).fit(duels)


def trace(figure, name, number=0):
    return [one for one in figure.data if one.name == name][number]


def mark(figure, label, panel=0):
    """A line of matplotlib by its label."""
    return next(one for one in figure.axes[panel].lines if one.get_label() == label)


def points(line):
    return np.transpose([np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)])


# -- slices -----------------------------------------------------------------------------------------------------------


def test_slices_show_utilities_and_intervals_along_each_parameter(study):
    screen, paper = (ap.plots.utility_slices(study, units=UNITS, backend=b) for b in ("plotly", "matplotlib"))
    best = study.recommend().design
    heat = np.linspace(80, 96, 61)
    told = study.utilities([best | {"heat": float(value)} for value in heat])
    mean, ends = [one.utility for one in told], np.array([one.interval for one in told])
    curve, band = trace(screen, "expected utility"), trace(screen, "90 % interval")
    assert np.allclose(curve.x, heat)
    assert np.allclose(curve.y, mean)
    assert np.allclose(band.y, [*ends[:, 1], *ends[::-1, 0]])
    assert np.allclose(points(mark(paper, "expected utility")), np.column_stack([heat, mean]))
    outline = paper.axes[0].collections[0].get_paths()[0].vertices
    assert np.isclose(outline[:, 1].min(), ends.min())
    assert np.isclose(outline[:, 1].max(), ends.max())
    assert [axis.get_xlabel() for axis in paper.axes[:3]] == ["heat (°C)", "dose (g)", "grind"]
    assert [screen.layout[f"xaxis{n}"].title.text for n in ("", 2, 3)] == ["heat (°C)", "dose (g)", "grind"]


def test_slices_have_the_scale_of_their_parameter(study):
    screen, paper = (ap.plots.utility_slices(study, backend=b) for b in ("plotly", "matplotlib"))
    assert screen.layout.xaxis2.type == "log"
    assert list(screen.layout.xaxis2.tickvals) == [5, 10, 20]
    assert [axes.get_xscale() for axes in paper.axes[:3]] == ["linear", "log", "linear"]
    assert list(screen.layout.xaxis4.ticktext) == ["Kenya", "Brazil", "&lt;b&gt;Java&lt;/b&gt;"]
    assert [text.get_text() for text in paper.axes[3].get_xticklabels()] == ["Kenya", "Brazil", "<b>Java</b>"]
    origins = study.utilities([study.recommend().design | {"origin": one} for one in SPACE.parameters["origin"].values])
    bars = trace(screen, "expected utility", 3)
    assert np.allclose(bars.y, [one.utility for one in origins])
    assert np.allclose(np.add(bars.y, bars.error_y.array), [one.interval[1] for one in origins])
    assert np.allclose(np.subtract(bars.y, bars.error_y.arrayminus), [one.interval[0] for one in origins])
    assert len(paper.axes) == 6 + 5  # five of the noise
    assert not paper.axes[5].get_visible()


def test_slices_mark_what_was_compared_and_what_is_known_well(study):
    screen, paper = (ap.plots.utility_slices(study, backend=b) for b in ("plotly", "matplotlib"))
    shown = sum(len(trace(screen, name).x) for name in ("preferred", "less preferred"))
    assert shown == len(study.model.designs)
    assert sorted(trace(screen, "anchor").x) == sorted(one["heat"] for one in study.anchors)
    for name in ("preferred", "less preferred", "anchor"):
        assert np.allclose(points(mark(paper, name)), np.transpose([trace(screen, name).x, trace(screen, name).y]))
    assert set(trace(screen, "through this design").x) == {study.recommend().design["heat"]}
    assert sum(one.showlegend is not False for one in screen.data) == 7


def test_slices_show_the_noise_on_an_axis_of_its_own(study):
    screen, paper = (ap.plots.utility_slices(study, backend=b) for b in ("plotly", "matplotlib"))
    best = study.recommend().design
    heat = np.array([SPACE.encode(best | {"heat": float(value)}) for value in np.linspace(80, 96, 61)])
    line = trace(screen, "noise")
    assert np.allclose(line.y, study.noise_map(heat))
    assert line.yaxis == "y2"
    assert screen.layout.yaxis6.title.text == "noise"
    assert np.allclose(mark(paper, "noise", 6).get_ydata(), line.y)
    assert paper.axes[8].get_ylabel() == "noise"
    top = screen.layout.yaxis2.range[1]
    assert top == pytest.approx(3 * max(max(one.y) for one in screen.data if one.name == "noise"))


def test_noise_that_is_the_same_everywhere_is_left_out():
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1)), inference="laplace", initial=1)
    study.tell(study.ask(), "first")
    assert "noise" not in [one.name for one in ap.plots.utility_slices(study).data]


@pytest.mark.parametrize(("columns", "grid"), [(1, (5, 1)), (2, (3, 2)), (5, (1, 5)), (9, (1, 5))])
def test_slices_have_as_many_columns_as_are_wished_for(study, columns, grid):
    figure = ap.plots.utility_slices(study, columns=columns, backend="matplotlib")
    assert figure.axes[0].get_subplotspec().get_gridspec().get_geometry() == grid
    assert len(ap.plots.utility_slices(study, columns=columns).data) == len(ap.plots.utility_slices(study).data)
    with pytest.raises(InputError, match="columns must"):
        ap.plots.utility_slices(study, columns=0)


def test_dollar_signs_are_no_formulas():
    space = ap.Space(x=ap.Real(0, 1), y=ap.Categorical(["$1$", "$2$"]))
    study = ap.Optimizer(space, inference="laplace", initial=1)
    study.tell(study.ask(), "first")
    figure = ap.plots.utility_slices(study, labels={"x": "$a_$ and $b^$"}, backend="matplotlib")
    assert figure._repr_png_()  # a formula like this cannot be parsed
    assert figure.axes[0].get_xlabel() == r"\$a_\$ and \$b^\$"


def test_slices_go_through_a_design_and_along_what_is_named(study):
    here = ANCHORS[1] | {"heat": 81}
    figure = ap.plots.utility_slices(study, here, ["grind"], labels=LABELS)
    assert figure.layout.xaxis.title.text == "&lt;i&gt;coarse&lt;/i&gt;"
    told = study.utilities([here | {"grind": value} for value in range(1, 7)])
    assert np.allclose(trace(figure, "expected utility").y, [one.utility for one in told])


def test_of_many_long_categories_some_are_written_and_all_are_drawn():
    space = ap.Space(x=ap.Real(0, 1), many=ap.Ordinal([f"{i} {'long' * 20}" for i in range(50)]))
    study = ap.Optimizer(space, inference="laplace", initial=2)
    study.tell(study.ask(), "first")
    for draw in (ap.plots.utility_slices, ap.plots.utility_map):
        screen, paper = (draw(study, backend=b) for b in ("plotly", "matplotlib"))
        axis = screen.layout.xaxis2 if draw is ap.plots.utility_slices else screen.layout.yaxis
        assert (len(axis.ticktext), max(map(len, axis.ticktext))) == (10, 16)
        assert list(axis.tickvals) == list(range(0, 50, 5))
        assert axis.ticktext[1].startswith("5 long")
        assert paper._repr_png_()
    assert len(trace(ap.plots.utility_slices(study), "expected utility", 1).x) == 50


# -- maps -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["utility", "uncertainty", "noise", "reliability"])
def test_maps_show_what_the_study_knows(study, what):
    draw = getattr(ap.plots, f"{what}_map")
    screen, paper = (draw(study, "dose", "grind", units=UNITS, backend=b) for b in ("plotly", "matplotlib"))
    best, heat = study.recommend().design, screen.data[0]
    dose = np.geomspace(5, 40, maps.MAP_POINTS)
    designs = [best | {"dose": float(a), "grind": b} for b in range(1, 7) for a in dose]
    places = np.array([SPACE.encode(design) for design in designs])
    told = study.utilities(designs)
    expected = {
        "utility": lambda: [one.utility for one in told],
        "uncertainty": lambda: [(one.interval[1] - one.interval[0]) / 2 for one in told],
        "noise": lambda: study.noise_map(places),
        "reliability": lambda: study.noise_map.reliability(places),
    }[what]()
    assert np.allclose(heat.z, np.reshape(expected, (6, maps.MAP_POINTS)))
    assert np.allclose(paper.axes[0].collections[0].get_array(), heat.z)
    assert (len(heat.x), len(heat.y)) == (maps.MAP_POINTS + 1, 7)
    assert np.allclose([heat.x[0], heat.x[-1]], [5, 40])
    assert np.all((dose > heat.x[:-1]) | np.isclose(dose, heat.x[:-1]))
    assert np.all((dose < heat.x[1:]) | np.isclose(dose, heat.x[1:]))
    assert (screen.layout.xaxis.type, paper.axes[0].get_xscale()) == ("log", "log")
    assert (screen.layout.xaxis.title.text, paper.axes[0].get_xlabel()) == ("dose (g)", "dose (g)")
    assert "heat: " in screen.layout.annotations[-1].text
    assert "°C" in paper.axes[0].get_title(loc="right")


def test_maps_mark_anchors_duels_and_what_is_recommended(study):
    screen, paper = (ap.plots.utility_map(study, backend=b) for b in ("plotly", "matplotlib"))
    best = study.recommend().design
    assert (trace(screen, "recommended").x[0], trace(screen, "recommended").y[0]) == (best["heat"], best["dose"])
    told = [event for event in study.history if event.get("outcome") != "skip"]
    wins = sum(event["type"] == "preferred" or event["outcome"] != "tie" for event in told)
    assert len(trace(screen, "preferred").x) == wins
    assert len(trace(screen, "less preferred").x) == 2 * len(told) - wins
    first = told[0]["first" if told[0]["outcome"] == "first" else "second"]
    assert (trace(screen, "preferred").x[0], trace(screen, "preferred").y[0]) == (first["heat"], first["dose"])
    # Full and hollow, as along the slices, in the app and in reports.
    assert (trace(screen, "preferred").marker.color, trace(screen, "less preferred").marker.color) == (
        MARK_COLOUR,
        "white",
    )
    assert mark(paper, "less preferred").get_markerfacecolor() == "white"
    for name in ("preferred", "less preferred", BESIDE_LABEL, "recommended"):
        assert np.allclose(points(mark(paper, name)), np.transpose([trace(screen, name).x, trace(screen, name).y]))


def test_maps_tell_anchors_in_the_plane_from_those_beside_it(study):
    first, second = study.anchors
    screen, paper = (ap.plots.reliability_map(study, at=first, backend=b) for b in ("plotly", "matplotlib"))
    for name, anchor, face in (("anchor", first, ORANGE), (BESIDE_LABEL, second, "white")):
        assert (list(trace(screen, name).x), list(trace(screen, name).y)) == ([anchor["heat"]], [anchor["dose"]])
        assert trace(screen, name).marker.color == mark(paper, name).get_markerfacecolor() == face
        assert trace(screen, name).hovertext[0].startswith("anchor<br>heat: ")


def test_every_mark_of_a_map_shows_its_design(study):
    screen = ap.plots.utility_map(study, units=UNITS)
    for name in ("preferred", "less preferred", BESIDE_LABEL, "recommended"):
        assert all(" °C" in text and " g" in text for text in trace(screen, name).hovertext)


def test_the_colours_of_reliability_are_always_from_0_to_1(study, shelf):
    screen, paper = (ap.plots.reliability_map(study, backend=b) for b in ("plotly", "matplotlib"))
    assert (screen.data[0].zmin, screen.data[0].zmax) == paper.axes[0].collections[0].get_clim() == (0, 1)
    screen, paper = (ap.plots.reliability_map(shelf, backend=b) for b in ("plotly", "matplotlib"))
    marks = trace(screen, "item").marker
    dots = next(one for one in paper.axes[0].collections if one.get_array() is not None)
    assert (marks.cmin, marks.cmax) == dots.get_clim() == (0, 1)
    assert marks.colorbar.title.text == "reliability"
    assert ap.plots.noise_map(study).data[0].zmin is None


@pytest.mark.parametrize("parameter", [ap.Real(80, 96), ap.Categorical(["Kenya", "Brazil"])])
def test_the_reliability_along_the_only_parameter_is_a_curve(parameter):
    space = ap.Space(heat=parameter, water=ap.Constant("soft"))
    anchor = {"heat": 92.0 if isinstance(parameter, ap.Real) else "Brazil"}
    study = ap.Optimizer(space, [anchor])
    units = {"heat": "°C"}
    screen, paper = (ap.plots.reliability_map(study, units=units, backend=b) for b in ("plotly", "matplotlib"))
    curve = trace(screen, "reliability")
    places = np.array([space.encode({"heat": value}) for value in curve.meta["axes"]["heat"]])
    assert np.allclose(curve.y, study.noise_map.reliability(places))
    assert np.allclose(points(mark(paper, "reliability")), np.transpose([curve.x, curve.y]))
    where = [92.0] if isinstance(parameter, ap.Real) else [1.0]
    assert list(trace(screen, "anchor").x) == list(mark(paper, "anchor").get_xdata()) == where
    assert "°C" in trace(screen, "anchor").hovertext[0]
    assert "°C" in curve.hovertext[0]
    assert (screen.layout.xaxis.title.text, screen.layout.yaxis.title.text) == ("heat (°C)", "reliability")
    assert (paper.axes[0].get_xlabel(), paper.axes[0].get_ylabel()) == ("heat (°C)", "reliability")
    plot = make_map_plot("reliability", ModelView.of(study), ParameterLabels.of(space, None, None))
    assert plot.description.endswith(", with 1 anchor.")
    with pytest.raises(InputError, match="a map needs two parameters that vary"):
        ap.plots.noise_map(study)


def test_a_map_over_categories_has_a_row_for_each(study):
    screen, paper = (ap.plots.noise_map(study, "heat", "origin", backend=b) for b in ("plotly", "matplotlib"))
    assert screen.data[0].z.shape == (3, maps.MAP_POINTS)
    assert list(screen.data[0].y) == [-0.5, 0.5, 1.5, 2.5]
    assert [text.get_text() for text in paper.axes[0].get_yticklabels()] == ["Kenya", "Brazil", "<b>Java</b>"]
    hover = screen.data[0].text[2][0]
    assert "&lt;b&gt;Java&lt;/b&gt;" in hover
    assert "<b>" not in hover


def test_a_catalogue_is_a_map_of_dots(shelf):
    screen, paper = (ap.plots.utility_map(shelf, backend=b) for b in ("plotly", "matplotlib"))
    items = trace(screen, "item")
    told = shelf.utilities(shelf.space.items)
    assert np.allclose(items.marker.color, [one.utility for one in told])
    dots = next(one for one in paper.axes[0].collections if one.get_array() is not None)
    assert np.allclose(dots.get_array(), items.marker.color)
    assert np.allclose(dots.get_offsets(), np.transpose([items.x, items.y]))
    row = [item["name"] for item in shelf.space.items].index("n3")
    assert (items.x[row], items.y[row]) in set(zip(trace(screen, "anchor").x, trace(screen, "anchor").y, strict=True))
    assert "name: n3" in items.hovertext[row]
    with pytest.raises(InputError, match="axes of its own"):
        ap.plots.utility_map(shelf, x="a")
    with pytest.raises(InputError, match="a space of parameters"):
        ap.plots.utility_slices(shelf)


def test_arrays_can_be_drawn_too(model):
    X = np.array([[x, y] for y in (0.0, 0.5, 1.0) for x in (0.0, 0.5, 1.0)])
    half = (maps.MAP_POINTS - 1) // 2
    figure = ap.plots.utility_map(model)
    z = figure.data[0].z[::half, ::half].ravel()
    assert np.allclose(z, model.posterior.mean(X) - model.posterior.mean(model.designs).mean())
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("x1", "x2")
    reliability = ap.plots.reliability_map(model.noise, labels={"x1": "sugar"}).data[0].z[::half, ::half].ravel()
    assert np.allclose(reliability, model.noise.reliability(X))
    assert len(ap.plots.utility_slices(model, parameters=["x2"]).data) == 7
    assert "all others" in ap.plots.calibration(model).layout.annotations[0].text


def test_a_study_of_one_tie_and_no_anchors_can_be_drawn():
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1)), inference="laplace")
    study.tell(study.ask(), "tie")
    for name in ("utility_slices", "utility_map", "noise_map", "reliability_map", "convergence", "pair_noise"):
        draw = getattr(ap.plots, name)
        assert draw(study).to_json()
        figure = draw(study, backend="matplotlib")
        figure.draw_without_rendering()
        # Panels fill the page: nothing invisible has asked for room.
        assert sum(axes.get_position().width for axes in figure.axes if axes.get_visible()) > 0.6, name


def test_the_legend_of_a_map_on_paper_is_within_the_figure():
    space = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1), z=ap.Real(0, 1))
    study = played(space, [{"x": 0.2, "y": 0.3, "z": z} for z in (0.4, 0.6)], liking=lambda one: one["x"] - one["z"])
    at = study.recommend().design | {"z": 0.4}
    figure = ap.plots.utility_map(study, x="x", y="y", at=at, backend="matplotlib")
    figure.draw_without_rendering()
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "less preferred", "preferred", BESIDE_LABEL, "anchor", "recommended"
    ]  # fmt: skip
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width


def test_before_the_first_answer_there_is_noise_and_no_utility(study):
    new = ap.Optimizer(SPACE, ANCHORS)
    assert np.isfinite(np.array(ap.plots.noise_map(new).data[0].z)).all()
    for draw in (ap.plots.utility_map, ap.plots.uncertainty_map, ap.plots.utility_slices, ap.plots.convergence):
        with pytest.raises(NotFittedError, match="at least one answer"):
            draw(new)


def test_every_trace_of_the_legend_shows_its_values(study, model):
    """All but the diagonal, and the bands of intervals, whose curves show them."""
    figures = [
        ap.plots.utility_slices(study), ap.plots.utility_map(study), ap.plots.convergence(study),
        ap.plots.expected_gains(study), ap.plots.recommendation_interval(study), ap.plots.calibration(model),
        ap.plots.pair_noise(study),
    ]  # fmt: skip
    silent = {
        one.name for figure in figures for one in figure.data
        if one.showlegend is not False and one.hoverinfo == "skip" and len(one.x)
    }  # fmt: skip
    assert silent == {"90 % interval", "ideal"}


# -- steps ------------------------------------------------------------------------------------------------------------

STEPPED = ap.Space(
    heat=ap.Real(1200.5, 1216.5, step=0.5), dose=ap.Real(0.2, 2.2, step=0.1, log=True), grind=ap.Integer(1, 3),
    milk=ap.Real(0, 1),
)  # fmt: skip


@pytest.fixture(scope="module")
def stepped():
    study = ap.Optimizer(STEPPED, [{"heat": 1208.5, "dose": 0.7, "grind": 2, "milk": 1 / 3}], inference="laplace")
    for _ in range(4):
        study.tell(study.ask(), "first")
    return study


def test_hover_texts_have_the_digits_of_steps_and_the_labels(stepped):
    texts = {"labels": {"heat": "Temperature", "dose": "Ground coffee"}, "units": UNITS}
    slices, over = ap.plots.utility_slices(stepped, **texts), ap.plots.utility_map(stepped, **texts)
    assert trace(slices, "expected utility").hovertext[1].startswith("Temperature: 1201 °C<br>utility ")
    assert trace(slices, "expected utility").hovertext[0].startswith("Temperature: 1200.5 °C<br>utility ")
    assert trace(slices, "noise", 1).hovertext[2].startswith("Ground coffee: 0.4 g<br>noise ")
    assert over.data[0].text[0][0].startswith("Temperature: 1200.5 °C<br>Ground coffee: 0.2 g<br>utility ")
    anchor = next(one for one in over.data if "anchor" in (one.name or ""))
    assert "Temperature: 1208.5 °C<br>Ground coffee: 0.7 g<br>grind: 2<br>milk: 0.3333" in anchor.hovertext[0]


def test_ticks_of_parameters_with_steps_are_values_with_the_digits_of_the_step(stepped):
    screen, paper = (ap.plots.utility_slices(stepped, backend=b) for b in ("plotly", "matplotlib"))
    expected = [["1205", "1210", "1215"], ["0.2", "0.5", "1", "2"], ["1", "2", "3"]]
    shown = [screen.layout[f"xaxis{n}"] for n in ("", 2, 3)]
    assert [list(axis.ticktext) for axis in shown] == expected
    assert [[text.get_text() for text in axes.get_xticklabels()] for axes in paper.axes[:3]] == expected
    assert [list(axis.tickvals) for axis in shown] == [[float(text) for text in texts] for texts in expected]
    assert screen.layout.xaxis4.ticktext is None  # a number without steps has the library's own ticks


@pytest.mark.parametrize("parameter", [
    ap.Real(0, 1, step=0.05), ap.Real(0.05, 0.35, step=0.1), ap.Real(-3, 3, step=1.5), ap.Real(0, 1000, step=0.001),
    ap.Real(1, 3, step=1, log=True), ap.Real(0.1, 1000, step=0.1, log=True), ap.Integer(0, 1), ap.Integer(-5, 100_000),
    ap.Integer(2, 7, log=True),
])  # fmt: skip
def test_ticks_are_a_few_values_of_the_parameter(parameter):
    places = AxisPositions(make_axis("x", parameter, 61), parameter)
    assert 2 <= len(places.ticks) <= 12
    assert places.ticks == sorted(set(places.ticks))
    assert [parameter.check("x", tick) for tick in places.ticks] == places.ticks
    assert [float(label) for label in places.labels] == places.ticks


@pytest.mark.parametrize(("parameter", "expected"), [
    (ap.Real(13, 18, step=0.25), ["13", "14", "15", "16", "17", "18"]),
    (ap.Real(84, 98, step=0.5), ["85", "87.5", "90", "92.5", "95", "97.5"]),
    (ap.Real(0, 3, step=0.3), ["0", "0.6", "1.2", "1.8", "2.4", "3"]),
])  # fmt: skip
def test_ticks_are_round_numbers_if_the_step_allows(parameter, expected):
    assert AxisPositions(make_axis("x", parameter, 61), parameter).labels == expected


# -- along the search -------------------------------------------------------------------------------------------------


def test_convergence_shows_what_was_recommended_and_what_was_promised(study):
    data = convergence(study)
    screen, paper = (ap.plots.convergence(study, backend=b) for b in ("plotly", "matplotlib"))
    line, bars = trace(screen, "recommended then"), trace(screen, "expected gain (%)")
    assert np.allclose([line.x, line.y], [data.answers, data.utility])
    assert np.allclose(trace(screen, "90 % interval").y, [*data.high, *data.low[::-1]])
    assert np.allclose(points(mark(paper, "recommended then")), np.transpose([data.answers, data.utility]))
    assert np.allclose([bars.x, bars.y], [data.expected.duels, np.multiply(data.expected.gains, 100)])
    assert np.allclose([one.get_height() for one in paper.axes[1].patches], bars.y)
    assert mark(paper, "negligible below", 1).get_ydata()[0] == pytest.approx(2.0)
    assert screen.layout.yaxis.title.text == paper.axes[0].get_ylabel() == "utility"


def test_gains_are_bars_and_negligible_ones_are_grey(study):
    data = expected_gains(study)
    screen, paper = (ap.plots.expected_gains(study, backend=b) for b in ("plotly", "matplotlib"))
    bars = trace(screen, "expected gain (%)")
    assert np.allclose([bars.x, bars.y], [data.duels, np.multiply(data.gains, 100)])
    assert [one.get_height() for one in paper.axes[0].patches] == pytest.approx(list(bars.y))
    some = GainsPlot(ExpectedGains(4, (2, 3, 4), (0.3, 0.02, 0.0199)))
    assert list(trace(some.plotly("light"), "expected gain (%)").marker.color) == [BLUE, BLUE, GREY]
    assert some.description == "Expected gain of 3 comparisons; the last is 2.0 %."


def test_gains_need_a_duel_that_the_model_selected():
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1)), inference="laplace", initial=3)
    study.tell(study.ask(), "first")
    with pytest.raises(InputError, match="expected gains need an answer to a duel that the model selected"):
        ap.plots.expected_gains(study)


def test_importance_is_drawn_from_the_most_important_parameter_down(study):
    found = {one.name: one for one in compute_importance(ModelView.of(study))}
    screen, paper = (ap.plots.parameter_importance(study, labels=LABELS, backend=b) for b in ("plotly", "matplotlib"))
    names = sorted(found, key=lambda name: found[name].index)
    assert list(screen.layout.yaxis.ticktext) == ["&lt;i&gt;coarse&lt;/i&gt;" if n == "grind" else n for n in names]
    bars = screen.data[0]
    assert np.allclose(bars.x, [100 * found[name].index for name in names])
    assert np.allclose(np.subtract(bars.x, bars.error_x.arrayminus), [100 * found[name].low for name in names])
    assert np.allclose(np.add(bars.x, bars.error_x.array), [100 * found[name].high for name in names])
    assert [one.get_width() for one in paper.axes[0].patches] == pytest.approx(list(bars.x))


@pytest.mark.parametrize("weight", [None, 5.0])
def test_the_interval_is_that_of_the_recommendation(study, weight):
    found = study.recommend(weight)
    screen, paper = (ap.plots.recommendation_interval(study, weight, backend=b) for b in ("plotly", "matplotlib"))
    assert tuple(trace(screen, "90 % interval").x) == found.interval
    assert list(trace(screen, "expected utility").x) == [found.utility]
    assert list(paper.axes[0].lines[0].get_xdata()) == list(found.interval)
    low, high = screen.layout.xaxis.range
    assert low < min(0.0, found.interval[0])
    assert high > max(0.0, found.interval[1])


def test_every_plot_describes_itself(study, shelf):
    view, labels = ModelView.of(study), ParameterLabels.of(SPACE, None, UNITS)
    best = study.recommend().design
    slices = make_slices(view, best, labels)
    heat = slices.slices[0]
    top = heat.axis.values[int(np.argmax(heat.grid.utility))]
    assert f"highest at {format_value(top)} °C." in slices.description.split("dose")[0]
    told = make_map_plot("noise", view, labels, "heat", "dose", best).description
    assert told.startswith("Noise over heat and dose, from 0.")
    assert told.endswith(f"with {len(ANCHORS)} anchors and the recommended design.")
    items = ModelView.of(shelf)
    shown = make_map_plot("utility", items, ParameterLabels.of(shelf.space, None, None)).description
    assert shown.startswith(f"Utility of {len(shelf.space)} items, from ")
    assert "answers" in ConvergencePlot(convergence(study), labels).description
    assert "as predicted" in CalibrationPlot(calibration(study)).description
    assert "a typical pair has" in PairNoisePlot(pair_noise(study)).description
    assert ImportancePlot(compute_importance(view), labels).description.count(" % (") == 5
    assert "0 is the average of the designs compared" in IntervalPlot(study.recommend()).description


def test_convergence_to_a_known_truth(study):
    data = convergence(study, taste)
    screen, paper = (ap.plots.convergence(study, taste, backend=b) for b in ("plotly", "matplotlib"))
    assert np.allclose(trace(screen, "recommended then").y, data.truth)
    assert np.allclose(mark(paper, "recommended then").get_ydata(), data.truth)
    assert screen.layout.yaxis.title.text == paper.axes[0].get_ylabel() == "true utility"
    assert "90 % interval" not in [one.name for one in screen.data]


def test_calibration_shows_bins_and_says_what_was_predicted_from_what(study):
    data = calibration(study)
    screen, paper = (ap.plots.calibration(study, backend=b) for b in ("plotly", "matplotlib"))
    dots = trace(screen, "favourite chosen")
    assert np.allclose(dots.x, [one.predicted for one in data.bins])
    assert np.allclose(dots.y, [one.observed for one in data.bins])
    assert np.allclose(np.add(dots.y, dots.error_y.array), [one.high for one in data.bins])
    assert np.allclose(trace(screen, "single answers").x, data.predicted)
    assert np.allclose(mark(paper, "single answers").get_xdata(), data.predicted)
    bars = paper.axes[0].containers[0]
    assert np.allclose(points(bars.lines[0]), np.transpose([dots.x, dots.y]))
    for words in (screen.layout.annotations[0].text, paper.axes[0].get_title(loc="left")):
        assert data.how in words
        assert f"log loss {data.log_loss:.2f}" in words


def test_pair_noise_shows_every_pair_by_its_outcome(study):
    data = pair_noise(study)
    screen, paper = (ap.plots.pair_noise(study, backend=b) for b in ("plotly", "matplotlib"))
    for name, outcomes in (("chosen", ("first", "second")), ("tie", ("tie",)), ("skipped", ("skip",))):
        some = [(i + 1, n) for i, (n, o) in enumerate(zip(data.noise, data.outcomes, strict=True)) if o in outcomes]
        assert np.allclose(np.transpose([trace(screen, name).x, trace(screen, name).y]), some)
        assert np.allclose(points(mark(paper, name)), some)
    assert np.allclose(trace(screen, "mean of the last 10").y, data.average)
    assert mark(paper, "average of the space").get_ydata()[0] == data.typical
    assert screen.layout.shapes[0].y0 == data.typical


# -- looks and errors -------------------------------------------------------------------------------------------------


def test_retest_agreement_shows_every_band_with_its_interval_and_what_is_expected():
    ends = {"near your anchors": (0.67, 0.98), "in between": (0.0, 1.0), "elsewhere": (0.3, 0.79)}
    given = {"near your anchors": (10, 9, 0.88), "in between": (0, 0, None), "elsewhere": (9, 5, 0.66)}
    bands = [
        RetestBand(name, retests, agreed, agreed / retests if retests else None, ends[name], expected)
        for name, (retests, agreed, expected) in given.items()
    ]
    retest = Retest(tuple(bands), "")
    screen, paper = (ap.plots.retest_agreement(retest, backend=b) for b in ("plotly", "matplotlib"))
    dots, strokes = trace(screen, "observed, with 90 % interval"), trace(screen, "expected by the model")
    assert np.allclose(dots.x, [500 / 9, 90])
    assert np.allclose(np.add(dots.x, dots.error_x.array), [79, 98])
    assert np.allclose(np.subtract(dots.x, dots.error_x.arrayminus), [30, 67])
    assert np.allclose(strokes.x, [66, 88])
    assert strokes.y == (0, 1)
    assert np.allclose(points(mark(paper, "expected by the model")), [(66, 0), (88, 1)])
    bars = paper.axes[0].containers[0]
    assert np.allclose(points(bars.lines[0]), np.transpose([dots.x, dots.y]))
    labels = ["elsewhere: 5 of 9", "near your anchors: 9 of 10"]
    assert list(screen.layout.yaxis.ticktext) == [label.replace(": ", "<br>") for label in labels]
    assert [label.get_text() for label in paper.axes[0].get_yticklabels()] == labels
    assert RetestPlot(retest).description == (
        "Same answer when a pair was asked again: near your anchors 9 of 10 (67 to 98 %), expected 88 %; "
        "elsewhere 5 of 9 (30 to 79 %), expected 66 %."
    )


def test_retest_agreement_needs_a_study_with_a_pair_answered_twice(model):
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1)))
    study.tell_preference({"x": 0.2}, {"x": 0.7})
    with pytest.raises(InputError, match="needs a pair that was answered twice"):
        ap.plots.retest_agreement(study)
    study.tell_preference({"x": 0.2}, {"x": 0.7})
    assert list(ap.plots.retest_agreement(study).layout.yaxis.ticktext) == ["all pairs<br>1 of 1"]
    assert RetestPlot(study.retest()).description.startswith(
        "Same answer when a pair was asked again: all pairs 1 of 1"
    )
    with pytest.raises(InputError, match="needs a study; received PreferenceGP"):
        ap.plots.retest_agreement(model)


def test_themes(study):
    auto, light, dark = (ap.plots.pair_noise(study, theme=theme).layout for theme in ("auto", "light", "dark"))
    assert auto.paper_bgcolor == "rgba(0,0,0,0)"
    assert (light.paper_bgcolor, light.font.color) == (INKS["light"].ground, INKS["light"].text)
    assert (dark.paper_bgcolor, dark.font.color) == (INKS["dark"].ground, INKS["dark"].text)
    paper, night = (ap.plots.pair_noise(study, backend="matplotlib", theme=theme) for theme in ("auto", "dark"))
    assert mpl.colors.to_hex(paper.get_facecolor()) == "#ffffff"
    assert mpl.colors.to_hex(night.get_facecolor()).upper() == INKS["dark"].ground
    assert mpl.colors.to_hex(night.axes[0].xaxis.label.get_color()).upper() == INKS["dark"].text
    # A figure that comes after a dark one is light again.
    after = ap.plots.pair_noise(study, backend="matplotlib")
    assert mpl.colors.to_hex(after.axes[0].get_facecolor()) == "#ffffff"


def _contrast(one, other):
    light = []
    for colour in (one, other):
        rgb = np.array(mpl.colors.to_rgb(colour))
        light.append(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])
    return (max(light) + 0.05) / (min(light) + 0.05)


def test_words_can_be_read_on_their_ground():
    assert _contrast(INKS["light"].text, INKS["light"].ground) > 7
    assert _contrast(INKS["dark"].text, INKS["dark"].ground) > 7
    # By WCAG 4.5 is enough for words; what is transparent has to do on white and on black.
    assert min(_contrast(INKS["auto"].text, ground) for ground in ("white", "black")) > 4.4


def test_figures_for_paper_show_themselves_and_leave_matplotlib_alone(study):
    before = dict(mpl.rcParams)
    figure = ap.plots.utility_map(study, backend="matplotlib", theme="dark")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_each_library_is_loaded_only_to_draw_and_pyplot_never():
    program = (
        "import sys, anchorpbo as ap\n"
        "loaded = lambda: print(*sorted({'plotly', 'matplotlib', 'matplotlib.pyplot'} & set(sys.modules)), sep=',')\n"
        "noise = ap.NoiseMap.bounded([[0.2, 0.3], [0.5, 0.5]])\n"
        "ap.plots; loaded()\n"
        "ap.plots.reliability_map(noise, backend='matplotlib'); loaded()\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["", "matplotlib"]


def test_wrong_choices_are_named(study, model, monkeypatch):
    with pytest.raises(UnknownNameError, match="backend must be one of matplotlib, plotly; received 'bokeh'"):
        ap.plots.pair_noise(study, backend="bokeh")
    with pytest.raises(UnknownNameError, match="theme must be one of auto, dark, light"):
        ap.plots.pair_noise(study, theme="blue")
    with pytest.raises(UnknownNameError, match="a parameter must be one of"):
        ap.plots.utility_map(study, "colour")
    with pytest.raises(UnknownNameError, match="a name in units must be one of"):
        ap.plots.utility_map(study, units={"colour": "nm"})
    with pytest.raises(InputError, match="labels must map parameters to texts"):
        ap.plots.utility_map(study, labels=["heat"])
    with pytest.raises(InputError, match="units must be texts"):
        ap.plots.utility_map(study, units={"heat": 3})
    with pytest.raises(InputError, match="a map needs two parameters"):
        ap.plots.noise_map(ap.Optimizer(ap.Space(x=ap.Real(0, 1)), [{"x": 0.5}]))
    with pytest.raises(InputError, match="needs a study; received PreferenceGP"):
        ap.plots.convergence(model)
    with pytest.raises(InputError, match="needs a study; received PreferenceGP"):
        ap.plots.pair_noise(model)
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r'needs plotly; .*pip install "anchorpbo\[plots\]"'):
        ap.plots.pair_noise(study)


PLAIN = ap.NoiseMap.bounded([[0.2, 0.2]], 0.2)
SIGNED = ap.NoiseMap.bounded([[0.2, 0.2]], 0.2, negative=[[0.8, 0.7]])


def test_reliability_below_zero_has_a_diverging_scale_from_minus_one_to_one():
    heat = ap.plots.reliability_map(SIGNED, backend="plotly").data[0]
    assert (heat.zmin, heat.zmax) == (-1.0, 1.0)
    assert np.min(heat.z) < -0.9
    assert np.max(heat.z) > 0.9
    assert heat.colorscale[0][1] != ap.plots.reliability_map(PLAIN, backend="plotly").data[0].colorscale[0][1]
    mesh = ap.plots.reliability_map(SIGNED, backend="matplotlib").axes[0].collections[0]
    assert (mesh.get_cmap().name, mesh.get_clim()) == ("RdBu", (-1.0, 1.0))
    plain = ap.plots.reliability_map(PLAIN, backend="matplotlib").axes[0].collections[0]
    assert (plain.get_cmap().name, plain.get_clim()) == ("cividis", (0.0, 1.0))


def test_negative_anchors_are_crosses_hollow_outside_the_plane():
    space = ap.Space(x=ap.Real(0, 1), y=ap.Real(0, 1), z=ap.Real(0, 1))
    opt = ap.Optimizer(space, [{"x": 0.2, "y": 0.2, "z": 0.5}])
    for x, z in ((0.8, 0.5), (0.6, 0.9)):
        opt.tell_anchor({"x": x, "y": 0.5, "z": z}, "no")
    opt.tell_anchor({"x": 0.4, "y": 0.4, "z": 0.5}, "unsure")
    at = {"x": 0.5, "y": 0.5, "z": 0.5}
    figure = ap.plots.reliability_map(opt, at=at, backend="plotly")
    traces = {trace.name: trace for trace in figure.data if trace.name}
    assert set(traces) == {"anchor", "hard to judge", "hard to judge, at other values"}
    assert {name: list(trace.x) for name, trace in traces.items()} == {
        "anchor": [0.2], "hard to judge": [0.8], "hard to judge, at other values": [0.6],
    }  # fmt: skip
    assert {trace.marker.symbol for name, trace in traces.items() if name != "anchor"} == {"x"}
    assert traces["hard to judge, at other values"].marker.color == "white"
    labels = ap.plots.reliability_map(opt, at=at, backend="matplotlib").axes[0].get_legend_handles_labels()[1]
    assert set(labels) == set(traces)


def test_negative_anchors_of_a_list_and_of_one_parameter_are_crosses():
    items = ap.Catalogue([{"name": f"{n}", "v": float(n)} for n in range(5)], features=["v"], key="name")
    opt = ap.Optimizer(items, [{"name": "0"}])
    opt.tell_anchor({"name": "4"}, "no")
    figure = ap.plots.reliability_map(opt, backend="plotly")
    (cross,) = [trace for trace in figure.data if trace.name == "hard to judge"]
    assert cross.marker.symbol == "x-thin"
    assert "hard to judge" in [text.split("<br>")[0] for text in figure.data[0].hovertext]
    curve = ap.plots.reliability_map(ap.NoiseMap.bounded([[0.2]], 0.1, negative=[[0.8]]), backend="plotly")
    (cross,) = [trace for trace in curve.data if trace.name == "hard to judge"]
    assert (list(cross.x), list(cross.y), cross.marker.symbol) == ([0.8], [-1.0], "x")


def test_reliability_curve_shows_values_below_zero():
    signed = ap.NoiseMap.bounded([[0.2]], 0.1, negative=[[0.8]])
    figure = ap.plots.reliability_map(signed, backend="plotly")
    assert figure.layout.yaxis.range[0] < min(figure.data[0].y) < -0.9
    plain = ap.plots.reliability_map(ap.NoiseMap.bounded([[0.2]], 0.1), backend="plotly")
    assert plain.layout.yaxis.range[0] == 0.0
