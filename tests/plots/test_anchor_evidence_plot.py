"""The plot of the evidence for anchors: the same numbers with both libraries."""

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.errors import InputError
from anchorpbo.plots.anchor_evidence_plot import AnchorEvidencePlot
from anchorpbo.study import AnchorValidation, Retest
from anchorpbo.study.anchor_validation import SUPPORTED_FACTOR

STRENGTHS = (0.8, 1.6, 3.0, 5.5, 10.8)


def validation(*factors):
    return AnchorValidation(float(np.mean(factors)), "open", "Not yet.", STRENGTHS, factors, Retest((), ""))


@pytest.mark.parametrize("factors", [(1.1, 1.2, 1.3, 1.6, 1.2), (0.7, 0.5, 0.3, 0.1, 0.01), (2.0, 9.0, 90.0, 3e3, 1e9)])
def test_both_figures_show_the_factors_and_the_limits_of_the_verdicts(factors):
    found = validation(*factors)
    screen, paper = (ap.plots.anchor_evidence(found, backend=b) for b in ("plotly", "matplotlib"))
    traces = {one.name: one for one in screen.data}
    lines = {one.get_label(): one for one in paper.axes[0].lines}
    assert tuple(traces["one strength"].x) == tuple(lines["one strength"].get_xdata()) == STRENGTHS
    assert tuple(traces["one strength"].y) == tuple(lines["one strength"].get_ydata()) == factors
    levels = {
        "supported from here up": SUPPORTED_FACTOR, "contradicted from here down": 1 / 3,
        "all strengths together": found.bayes_factor,
    }  # fmt: skip
    for name, level in levels.items():
        assert set(traces[name].y) == {level}
        assert set(lines[name].get_ydata()) == {level}
    low, high = paper.axes[0].get_ylim()
    assert low < min(*factors, 1 / 3) < max(*factors, SUPPORTED_FACTOR) < high
    assert screen.layout.yaxis.range == pytest.approx(np.log10([low, high]))
    assert paper.axes[0].get_yscale() == screen.layout.yaxis.type == "log"


def test_the_description_has_the_verdict_and_the_factors():
    text = AnchorEvidencePlot(validation(1.1, 1.2, 1.3, 1.6, 1.2)).description
    assert text == (
        "Not yet. Bayes factor by strength of the noise map: 1.1 at 0.80; 1.2 at 1.6; 1.3 at 3.0; 1.6 at 5.5; "
        "1.2 at 11."
    )


def test_a_study_with_anchors_and_four_answers_is_needed():
    study = ap.Optimizer(ap.Space(x=ap.Real(0, 1)), anchors=[{"x": 0.3}])
    with pytest.raises(InputError, match="at least four answers"):
        ap.plots.anchor_evidence(study)
    with pytest.raises(InputError, match="needs a study"):
        ap.plots.anchor_evidence("study")
    for k in range(4):
        study.tell(study.ask_pair({"x": 0.2 * k}, {"x": 1.0}), "first")
    figure = ap.plots.anchor_evidence(study, theme="dark")
    assert list(figure.data[-1].y) == list(study.validate_anchors().factors)
