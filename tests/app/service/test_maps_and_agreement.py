"""Grids against the optimizer they are drawn from, and agreement against a count by hand."""

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from scipy.stats import rankdata

from anchorpbo.analysis import grids
from anchorpbo.app.report.report import render_report
from anchorpbo.app.service.agreement import ParticipantModel, _rank, compute_agreement, compute_rank_correlations
from anchorpbo.app.service.figures import FigureName, FigureOptions
from anchorpbo.errors import ConflictError, InputError, UnknownNameError
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, study

TWO = {
    "kind": "space",
    "parameters": [
        {"name": "a", "kind": "real", "low": 0.0, "high": 10.0},
        {"name": "b", "kind": "integer", "low": 0, "high": 4},
        {"name": "c", "kind": "constant", "value": "x"},
    ],
    "constraints": [{"coefficients": {"a": 1.0, "b": 1.0}, "upper": 8.0}],
}


def _check(estimates, utility, low, high):
    assert np.allclose([one.utility for one in estimates], np.ravel(utility))
    assert np.allclose([one.interval for one in estimates], np.stack([np.ravel(low), np.ravel(high)], axis=1))


def test_a_map_says_what_the_optimizer_says():
    studies, id = study(anchors=[GREEN])
    for outcome in ("first", "second", "tie", "first"):
        answer(studies, id, outcome)
    found, optimizer = studies.results.make_map(id), studies.sessions.session(id, "owner").optimizer
    assert found.at == optimizer.recommend().design
    assert (found.answers, found.anchors, len(found.duels)) == (4, [GREEN], 4)
    assert [one.axis.name for one in found.slices] == ["minutes", "leaf"]
    for one in found.slices:
        designs = [found.at | {one.axis.name: value} for value in one.axis.values]
        _check(optimizer.utilities(designs), one.grid.utility, one.grid.low, one.grid.high)
        points = np.array([optimizer.space.encode(design) for design in designs])
        assert np.allclose(optimizer.noise_map(points), one.grid.noise)
        assert np.allclose(optimizer.noise_map.reliability(points), one.grid.reliability)
    plane = found.plane
    designs = [found.at | {plane.x.name: x, plane.y.name: y} for y in plane.y.values for x in plane.x.values]
    _check(optimizer.utilities(designs), plane.grid.utility, plane.grid.low, plane.grid.high)
    assert np.shape(plane.grid.utility) == (len(plane.y.values), len(plane.x.values)) == (2, grids.PLANE_POINTS)


def test_before_the_first_answer_only_noise_is_known():
    studies, id = study(anchors=[GREEN])
    found = studies.results.make_map(id)
    assert found.answers == 0
    assert found.at == studies.definition(id).space.check(found.at)
    for grid in (found.plane.grid, *(one.grid for one in found.slices)):
        assert (grid.utility, grid.low, grid.high) == (None, None, None)
        assert np.all(np.array(grid.noise) > 0)
        assert np.all((np.array(grid.reliability) >= 0) & (np.array(grid.reliability) <= 1))


def test_the_strongest_plane_is_over_the_parameters_that_the_utility_depends_on_most():
    parameters = [{"name": name, "kind": "real", "low": 0.0, "high": 1.0} for name in ("idle", "first", "second")]
    studies, id = study(space={"kind": "space", "parameters": parameters})
    rng = np.random.default_rng(0)
    rows = []
    for pair in rng.random((40, 2, 3)):
        lost, won = pair[np.argsort(pair[:, 1] + 0.7 * pair[:, 2])]
        sides = {"winner": won, "loser": lost}
        rows.append({f"{side}.{each['name']}": float(value) for side, design in sides.items()
                     for each, value in zip(parameters, design, strict=True)})  # fmt: skip
    studies.duels.import_comparisons(id, rows)
    names = [
        (drawn.plane.x.name, drawn.plane.y.name)
        for drawn in (studies.results.make_map(id), studies.results.make_map(id, strongest=True))
    ]
    assert names == [("idle", "first"), ("first", "second")]


def test_a_map_goes_through_the_design_and_along_the_parameters_that_are_named():
    studies, id = study()
    answer(studies, id)
    found = studies.results.make_map(id, "owner", BLACK, "leaf", "minutes")
    assert (found.at, found.plane.x.name, found.plane.y.name) == (BLACK, "leaf", "minutes")
    assert studies.results.make_map(id, x="leaf").plane.y.name == "minutes"
    assert studies.results.make_map(id, y="minutes").plane.x.name == "leaf"
    with pytest.raises(UnknownNameError, match="a parameter must be one of"):
        studies.results.make_map(id, x="colour")
    with pytest.raises(InputError, match="two different parameters"):
        studies.results.make_map(id, x="leaf", y="leaf")


def test_a_map_crosses_what_constraints_forbid():
    studies, id = study(QUICK, space=TWO)
    assert studies.results.make_map(id).at["a"] + studies.results.make_map(id).at["b"] <= 8
    answer(studies, id)
    found = studies.results.make_map(id)
    assert [one.axis.name for one in found.slices] == ["a", "b"]
    assert found.at["c"] == "x"
    assert np.isfinite(np.array(found.plane.grid.utility)).all()
    assert found.slices[1].axis.values == [0, 1, 2, 3, 4]
    with pytest.raises(InputError):
        studies.results.make_map(id, at={"a": 9.0, "b": 4})


def test_one_parameter_has_no_plane():
    one = {"kind": "space", "parameters": [{"name": "dose", "kind": "real", "low": 0.1, "high": 10.0, "log": True}]}
    studies, id = study(QUICK, space=one)
    answer(studies, id)
    found = studies.results.make_map(id)
    assert found.plane is None
    assert found.slices[0].axis.log
    assert np.allclose(found.slices[0].axis.values, np.geomspace(0.1, 10, grids.SLICE_POINTS))
    with pytest.raises(UnknownNameError):
        studies.results.make_map(id, x="leaf")


def test_a_catalogue_has_items():
    studies, id = study(TREES)
    assert studies.results.make_map(id).items.grid.utility is None
    for outcome in ("first", "second"):
        answer(studies, id, outcome)
    found, optimizer = studies.results.make_map(id), studies.sessions.session(id, "owner").optimizer
    assert (found.at, found.slices, found.plane) == (None, [], None)
    assert (found.items.shown, found.items.total) == (6, 6)
    designs = [item.design for item in found.items.items]
    _check(optimizer.utilities(designs), found.items.grid.utility, found.items.grid.low, found.items.grid.high)


def test_of_a_long_catalogue_all_that_was_compared_or_marked_is_shown(monkeypatch):
    monkeypatch.setattr(grids, "MAX_ITEMS", 5)
    columns = [{"name": "n", "values": list(range(40))}, {"name": "x", "values": [(7 * n % 40) / 4 for n in range(40)]}]
    space = {"kind": "catalogue", "columns": columns, "features": ["x"], "key": "n"}
    studies, id = study(QUICK, space=space, anchors=[{"n": 37}])
    duel = answer(studies, id)
    found = studies.results.make_map(id).items
    shown = [item.design["n"] for item in found.items]
    assert (found.shown, found.total) == (5, 40)
    assert {37, duel.first["n"], duel.second["n"]} <= set(shown)
    assert shown == sorted(set(shown))


# -- agreement --------------------------------------------------------------------------------------------------------


def _by_hand(a, b):
    """Kendall's tau-b, pair by pair."""
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i, j in combinations(range(len(a)), 2)]
    norm = np.sqrt(sum(s != 0 for s, _ in signs) * sum(t != 0 for _, t in signs))
    return sum(s * t for s, t in signs) / norm if norm else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_is_that_of_a_count_by_hand(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, 12).astype(float), rng.integers(0, 6, 12).astype(float)
    found = compute_rank_correlations(np.array([a, b, -a, np.zeros(12)]))
    expected = [[_by_hand(one, other) for other in (a, b, -a, np.zeros(12))] for one in (a, b, -a, np.zeros(12))]
    np.testing.assert_allclose(found, expected)
    assert (found[0, 0], found[0, 2], found[0, 3]) == (1.0, -1.0, 0.0)


def test_equal_rankings_with_ties_agree_fully():
    ties = np.array([3.0, 1.0, 1.0, 2.0])
    assert compute_rank_correlations(np.array([ties, 10 * ties])).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_the_correlation_of_draws_is_that_of_the_means_computation(monkeypatch):
    """One definition of rank correlation for means and draws: draws that equal the means give their correlation."""
    studies, id = study()
    _answer_by(studies, id, Ana=lambda d: d["minutes"], Ben=lambda d: -((d["minutes"] - 5) ** 2))
    sides = [ParticipantModel.from_session(studies.sessions.session(id, name)) for name in ("Ana", "Ben")]
    monkeypatch.setattr(
        "anchorpbo.posterior.posterior_mixture.PosteriorMixture.sample",
        lambda self, designs, count, rng: np.tile(self.mean(designs), (count, 1)),
    )
    found = compute_agreement(sides, {})
    assert found.pairs[0].correlation == found.matrix[0][1] != 0.0


def _answer_by(studies, id, **likings):
    """Participants who answer the same comparisons, each by a liking of their own."""
    designs = [{"minutes": float(m), "leaf": "green"} for m in (1, 3, 5, 7, 9)]
    for name, liking in likings.items():
        studies.participants.invite(id, name)
        order = sorted(designs, key=liking, reverse=True)
        studies.duels.import_comparisons(id, [{"winner": a, "loser": b} for a, b in combinations(order, 2)], name)


def test_those_who_think_alike_agree_and_those_who_do_not_disagree():
    studies, id = study()
    _answer_by(studies, id, Ana=lambda d: d["minutes"], Ben=lambda d: d["minutes"], Cleo=lambda d: -d["minutes"])
    studies.participants.invite(id, "Dan")
    found = studies.results.compute_agreement(id)
    assert found.participants == ["Ana", "Ben", "Cleo"]
    assert np.allclose(found.matrix, [[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    opinions = {one.participant: one for one in found.opinions}
    assert opinions["Ana"].design == opinions["Ben"].design == {"minutes": 9.0, "leaf": "green"}
    assert opinions["Cleo"].design == {"minutes": 1.0, "leaf": "green"}
    assert (opinions["owner"].design, opinions["Dan"].answers) == (None, 0)
    assert found.consensus == {"minutes": 9.0, "leaf": "green"}


def test_agreement_is_of_posterior_means_at_all_designs_compared():
    studies, id = study()
    _answer_by(studies, id, Ana=lambda d: -((d["minutes"] - 4) ** 2), Ben=lambda d: -((d["minutes"] - 6.5) ** 2))
    found = studies.results.compute_agreement(id)
    optimizers = [studies.sessions.session(id, name).optimizer for name in ("Ana", "Ben")]
    designs = [{"minutes": float(m), "leaf": "green"} for m in (1, 3, 5, 7, 9)]
    a, b = ([one.utility for one in optimizer.utilities(designs)] for optimizer in optimizers)
    assert found.matrix[0][1] == pytest.approx(_by_hand(a, b))
    ranks = [(-np.array(values)).argsort().argsort() for values in (a, b)]
    assert found.consensus in [
        designs[n] for n in np.flatnonzero(np.mean(ranks, axis=0) == np.mean(ranks, axis=0).min())
    ]


def test_someone_who_finds_all_alike_leaves_the_choice_to_the_others():
    studies, id = study()
    _answer_by(studies, id, Ana=lambda d: d["minutes"])
    designs = [{"minutes": float(m), "leaf": "green"} for m in (1, 3, 5, 7, 9)]
    for name in ("Ben", "Cleo"):
        studies.participants.invite(id, name)
        studies.duels.import_comparisons(
            id, [{"winner": a, "loser": b, "tie": True} for a, b in combinations(designs, 2)], name
        )
    found = studies.results.compute_agreement(id)
    assert found.consensus == {"minutes": 9.0, "leaf": "green"}
    assert np.allclose(found.matrix[0], [1, 0, 0])


@pytest.mark.parametrize("seed", range(3))
def test_equals_share_a_rank(seed):
    values = np.random.default_rng(seed).integers(0, 4, 9).astype(float)
    assert _rank(values).tolist() == (rankdata(-values) - 1).tolist()


def test_nobody_agrees_before_anyone_has_answered():
    studies, id = study()
    found = studies.results.compute_agreement(id)
    assert (found.participants, found.matrix, found.consensus) == ([], [], None)
    answer(studies, id, "skip")
    assert studies.results.compute_agreement(id).participants == []
    answer(studies, id, "first")
    found = studies.results.compute_agreement(id)
    assert (found.participants, found.matrix, found.consensus) == (["owner"], [[1.0]], None)


def test_of_many_designs_an_even_choice_is_compared(monkeypatch):
    monkeypatch.setattr("anchorpbo.app.service.agreement.MAX_DESIGNS", 3)
    studies, id = study()
    _answer_by(studies, id, Ana=lambda d: d["minutes"], Ben=lambda d: -d["minutes"])
    sides = [ParticipantModel.from_session(studies.sessions.session(id, name)) for name in ("Ana", "Ben")]
    assert compute_agreement(sides, {}).matrix[0][1] == pytest.approx(-1.0)


# -- figures ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answered():
    """A study with an anchor, enough answers for findings of the audit, and a pair that was answered twice."""
    studies, id = study(anchors=[GREEN])
    for outcome in ("first", "second", "tie", "first") * 3:
        answer(studies, id, outcome)
    again = studies.duels.ask(id, again=studies.sessions.session(id, "owner").last_number)
    studies.duels.answer(id, again.id, "second")
    return studies, id


@pytest.mark.parametrize("name", get_args(FigureName))
def test_every_figure_is_drawn_by_both_libraries(answered, name):
    studies, id = answered
    plot = studies.results.make_figure(id, name)
    assert plot.plotly("auto").data
    assert plot.matplotlib("dark").axes
    assert plot.description.endswith(".")


def test_a_figure_of_repeats_needs_a_repeated_pair():
    studies, id = study(anchors=[GREEN])
    answer(studies, id)
    with pytest.raises(InputError, match="a pair that was answered twice"):
        studies.results.make_figure(id, "retest")


def test_figures_use_the_labels_and_units_of_the_study():
    studies, id = study(display={"labels": {"minutes": "Steeping"}, "units": {"minutes": "min"}})
    answer(studies, id)
    layout = studies.results.make_figure(id, "slices", options=FigureOptions(columns=1)).plotly("auto").layout
    assert layout.xaxis.title.text == "Steeping (min)"


def test_a_map_has_the_recommended_design_of_the_risk_weight():
    studies, id = study(anchors=[GREEN])
    for outcome in ("first", "second", "first"):
        answer(studies, id, outcome)
    for weight in (0.0, 50.0):
        best = studies.results.recommend(id, risk_weight=weight).design
        assert studies.results.make_figure(id, "utility", options=FigureOptions(risk_weight=weight)).best == best


def test_the_items_of_a_catalogue_are_described_without_their_drawings():
    columns = [*TREES["space"]["columns"], {"name": "file", "values": [f"{n}.png" for n in range(6)]}]
    studies, id = study(TREES, space=TREES["space"] | {"columns": columns}, display={"image": "file"})
    answer(studies, id)
    text = studies.results.make_figure(id, "utility").plotly("auto").to_json()
    assert "Oak" in text
    assert ".png" not in text
    for name in ("slices", "importance"):
        with pytest.raises(InputError, match="needs a space of parameters"):
            studies.results.make_figure(id, name)


@pytest.mark.parametrize("name", ["utility", "slices"])
def test_the_hover_text_of_an_anchor_begins_with_its_name(name):
    studies, id = study(anchors=[BLACK])
    studies.anchors.add(id, GREEN, name="<my> usual")
    answer(studies, id)
    texts = [
        text for trace in studies.results.make_figure(id, name).plotly("auto").data if trace.name == "anchor"
        for text in trace.hovertext
    ]  # fmt: skip
    assert sorted({text.split("<br>")[0] for text in texts}) == ["&lt;my&gt; usual (anchor)", "anchor"]


def test_the_items_that_are_anchors_are_named_on_the_map_of_a_catalogue():
    studies, id = study(TREES)
    studies.anchors.add(id, answer(studies, id).first, name="the one in the garden")
    items = next(
        trace for trace in studies.results.make_figure(id, "utility").plotly("auto").data if trace.name == "item"
    )
    assert [text.split("<br>")[0] for text in items.hovertext].count("the one in the garden (anchor)") == 1


def test_the_figure_of_the_anchors_has_no_answers_and_goes_through_a_design():
    studies, id = study(anchors=[GREEN])
    studies.anchors.add(id, BLACK, name="my usual")
    answer(studies, id)
    optimizer = studies.sessions.session(id, "owner").optimizer
    for at in (None, BLACK):
        plot = studies.results.make_figure(id, "anchors", options=FigureOptions(at=at))
        found = plot.plotly("auto")
        assert {one.name for one in found.data if one.name} == {"anchor"}
        assert plot.at == (optimizer.recommended if at is None else BLACK)
        heat = found.data[0]
        axes = heat.meta["axes"]
        designs = [{"minutes": a, "leaf": b} for b in axes["leaf"] for a in axes["minutes"]]
        expected = optimizer.noise_map.reliability(np.array([optimizer.space.encode(one) for one in designs]))
        assert np.allclose(np.ravel(heat.z), expected)
    assert sorted(text.split("<br>")[0] for text in found.data[1].hovertext) == ["anchor", "my usual (anchor)"]


def test_the_figure_of_the_anchors_of_a_catalogue_tells_which_item_is_where():
    studies, id = study(TREES)
    items = next(one for one in studies.results.make_figure(id, "anchors").plotly("auto").data if one.name == "item")
    space = studies.sessions.session(id, "owner").optimizer.space
    assert list(items.customdata) == [item[space.key] for item in space.items]


def test_a_skip_has_no_expected_gain():
    studies, id = study()
    for outcome in ("first", "second", "skip"):
        answer(studies, id, outcome)
    assert studies.history(id)[-1]["outcome"] == "skip"
    assert studies.results.list_gains(id)[:2] == [None, None]
    assert "Expected gain" not in render_report(studies, id)


def test_before_the_first_answer_there_is_no_figure_but_that_of_the_anchors():
    studies, id = study()
    for name in {*get_args(FigureName)} - {"anchors"}:
        with pytest.raises(ConflictError, match="a figure needs an answer"):
            studies.results.make_figure(id, name)
    assert "with 0 anchors" in studies.results.make_figure(id, "anchors").description
    answer(studies, id)
    gains = studies.results.make_figure(id, "gains")
    assert gains.description == "No expected gain is known yet."
    assert list(gains.plotly("auto").data[0].x) == []
