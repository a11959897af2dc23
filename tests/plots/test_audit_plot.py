"""The plot of an audit: one panel per finding, the same numbers with both libraries."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError
from anchorpbo.plots.audit_plot import AuditPlot
from anchorpbo.research.anchors.audit_power import AuditTask, simulate_study


@pytest.fixture(scope="module")
def audit():
    study = simulate_study(AuditTask("none", 3, 30))
    return study.audit(seconds=[2.0 + k % 5 for k in range(30)])


def panel(audit, name):
    (plot,) = (AuditPlot((one,)) for one in audit if one.name == name)
    return audit[name], plot.plotly("light"), plot.matplotlib("light")


def trace(figure, name):
    return next(one for one in figure.data if one.name == name)


def test_every_finding_with_data_has_a_panel(audit):
    shown = [one.title for one in audit if one.data is not None]
    screen, paper = (ap.plots.audit(audit, backend=backend) for backend in ("plotly", "matplotlib"))
    assert [note.text for note in screen.layout.annotations] == shown
    assert [axes.get_title("left") for axes in paper.axes if axes.get_visible()] == shown
    assert AuditPlot(tuple(audit)).description == " ".join(one.sentence for one in audit)


@pytest.mark.parametrize("name", ["side_bias", "drift", "lapses"])
def test_a_density_has_its_interval_below_it(audit, name):
    finding, screen, paper = panel(audit, name)
    assert tuple(trace(screen, "90 % interval").x) == finding.interval
    bar = next(line for line in paper.axes[0].lines if line.get_label() == "90 % interval")
    assert tuple(bar.get_xdata()) == finding.interval
    area = trace(screen, "posterior")
    assert max(area.y) == pytest.approx(max(finding.data.y))
    assert "90 % interval" in trace(screen, finding.title).hovertext[0]
    assert paper.axes[0].get_xlabel() == screen.layout.xaxis.title.text == finding.data.label


def test_the_course_of_answers_has_what_is_expected_beside_it(audit):
    finding, screen, paper = panel(audit, "fatigue")
    for name, values in (("observed", finding.data.observed), ("expected", finding.data.expected)):
        assert tuple(trace(screen, name).y) == values
        line = next(line for line in paper.axes[0].lines if line.get_label() == name)
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_response_times_are_in_seconds(audit):
    _, screen, paper = panel(audit, "response_time")
    assert [one.name for one in screen.data] == ["observed"]
    assert paper.axes[0].get_ylabel() == screen.layout.yaxis.title.text == "seconds for an answer"
    assert not screen.layout.yaxis.tickformat


def test_the_calibration_shows_the_bins(audit):
    finding, screen, _ = panel(audit, "calibration")
    assert tuple(trace(screen, "observed").y) == tuple(one.observed for one in finding.data.bins)


def test_simulated_users_are_bars_beside_the_observed_number(audit):
    finding, screen, paper = panel(audit, "cycles")
    counts = [y for y in trace(screen, "simulated").y if y]
    assert sum(counts) == len(finding.data.values) == 100
    assert set(trace(screen, "observed").x) == {finding.data.observed}
    assert paper.axes[0].get_ylabel() == "simulated users"


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("backend", ["plotly", "matplotlib"])
def test_an_audit_without_answers_has_an_empty_figure(backend, theme):
    assert ap.plots.audit(ap.Optimizer(ap.Space(x=ap.Real(0, 1))), backend=backend, theme=theme) is not None


def test_an_audit_needs_a_study():
    with pytest.raises(InputError, match="an audit needs a study"):
        ap.plots.audit("study")
