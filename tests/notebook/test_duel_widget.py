"""The Python side of the widget: what it shows and what messages do, without a browser."""

import base64
import json
import re

import pytest
import traitlets

import anchorpbo as ap
from anchorpbo import notebook
from anchorpbo.errors import InputError, UnknownNameError, UnsupportedError
from anchorpbo.notebook import DuelWidget
from anchorpbo.notebook.widget import ASSETS
from anchorpbo.study import Optimizer
from anchorpbo.study.explanations import name_sides

SPACE = ap.Space(heat=ap.Real(80, 96), origin=ap.Categorical(["Kenya", "<script>"]), stir=ap.Boolean())
DRAWN = '<svg viewBox="0 0 2 2"><circle id="c" r="1"/></svg>'
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def study(space=SPACE, **options):
    return ap.Optimizer(space, **{"inference": "laplace", "initial": 2, **options})


def press(widget, **content):
    """A message as the browser sends it."""
    widget._handle_custom_msg(json.loads(json.dumps(content)), [])
    return widget.view


def choose(widget, outcome, duel=None):
    return press(widget, type="answer", duel=widget.view["duel"]["id"] if duel is None else duel, outcome=outcome)


def test_it_shows_the_next_duel_of_the_study():
    opt = study()
    widget = DuelWidget(opt, display={"units": {"heat": "°C"}, "labels": {"origin": "from"}, "hidden": ["stir"]})
    duel, view = opt.ask(), widget.view
    assert (view["duel"]["id"], view["duel"]["why"], widget.duel) == (duel.id, name_sides(duel.why, "A", "B"), duel)
    first = view["duel"]["cards"][0]["rows"]
    assert [(row["label"], row["unit"]) for row in first] == [("heat", "°C"), ("from", "")]
    assert first[1]["value"] == duel.first["origin"]
    assert (view["answers"], view["can_undo"], view["best"], view["trouble"]) == (0, False, None, "")
    assert view["progress"]["sentence"] == opt.progress().sentence
    assert view["question"] == "Which do you prefer?"
    assert json.loads(json.dumps(view)) == view


def test_answers_go_into_the_study_and_bring_the_next_duel():
    opt = study()
    widget = DuelWidget(opt, question="Which cup?")
    for number, outcome in enumerate(("first", "tie", "skip", "second")):
        asked = widget.duel
        view = choose(widget, outcome)
        last = opt.history[-1]
        assert (last["duel"], last["outcome"], len(opt.history)) == (asked.id, outcome, number + 1)
        assert view["duel"]["id"] == opt.ask().id == widget.duel.id
        assert view["answers"] == widget.answers == len(opt)
        assert view["turn"] > number
    assert len(opt) == 3
    assert widget.optimizer is opt
    assert widget.view["question"] == "Which cup?"


def test_an_answer_to_a_duel_that_is_no_longer_shown_does_nothing_but_refresh():
    opt = study()
    widget = DuelWidget(opt)
    old = widget.duel.id
    choose(widget, "first")
    turn = widget.view["turn"]
    view = choose(widget, "first", duel=old)
    assert len(opt.history) == 1
    assert view["turn"] == turn + 1
    assert view["duel"]["id"] == opt.ask().id
    assert press(widget, type="answer", outcome="first")["answers"] == 1


def test_undo_takes_back_the_last_event_and_says_which():
    opt = study(anchors=[{"heat": 90, "origin": "Kenya", "stir": True}])
    widget = DuelWidget(opt)
    asked = widget.duel.id
    assert choose(widget, "first")["can_undo"]
    view = press(widget, type="undo")
    assert (view["duel"]["id"], view["answers"], view["can_undo"]) == (asked, 0, False)
    assert view["said"] == "The last answer was taken back."
    opt.add_anchor({"heat": 85, "origin": "Kenya", "stir": True})
    assert press(widget, type="undo")["said"] == "The last change of anchors was taken back."
    assert len(opt.anchors) == 1
    assert "undo needs an event" in press(widget, type="undo")["trouble"]


def test_the_recommendation_is_shown_on_demand_and_kept_up_to_date():
    opt = study()
    widget = DuelWidget(opt)
    view = press(widget, type="recommend", show=True)
    assert (view["best"], view["shows_best"]) == (None, True)
    for _ in range(3):
        view = choose(widget, "first")
    found = opt.recommend()
    best = view["best"]
    assert (best["utility"], best["interval"]) == (found.utility, list(found.interval))
    assert (best["p_within"], best["p_within_compared"]) == (found.p_within, found.p_within_compared)
    assert best["p_within"] == found.p_within
    assert best["others"] == len([design for design in found.credible_set if design != found.design])
    assert best["card"]["rows"][1]["value"] == found.design["origin"]
    assert press(widget, type="recommend", show=False)["best"] is None


def test_a_study_that_was_changed_elsewhere_is_read_again():
    opt = study()
    widget = DuelWidget(opt)
    opt.tell_preference({"heat": 90, "origin": "Kenya", "stir": True}, {"heat": 81, "origin": "Kenya", "stir": True})
    assert widget.answers == 0
    widget.refresh()
    assert (widget.answers, widget.duel) == (1, opt.ask())
    opt.undo()
    assert press(widget, type="refresh")["answers"] == 0
    opt.tell(opt.ask(), "first")
    assert press(widget)["answers"] == 1


def test_trouble_is_shown_and_leaves_the_study_as_it_was(monkeypatch, caplog):
    opt = study(likelihood=ap.Probit(tie_threshold=0.0))
    widget = DuelWidget(opt)
    view = choose(widget, "tie")
    assert "has no ties" in view["trouble"]
    assert view["duel"]["id"] == opt.ask().id
    assert "outcome must be one of" in choose(widget, "both")["trouble"]
    assert opt.history == []
    assert choose(widget, "first")["trouble"] == ""
    widget._handle_custom_msg("nonsense", [])
    assert widget.answers == 1

    def broken(self, *_):
        raise RuntimeError("out of paper")

    monkeypatch.setattr(Optimizer, "tell", broken)
    assert choose(widget, "first")["trouble"] == "RuntimeError: out of paper"
    assert "out of paper" in caplog.text


def test_where_nothing_is_left_to_compare_it_says_so(monkeypatch):
    widget = DuelWidget(study())

    def nothing(self, *_, **__):
        raise InputError("there must be something", "nothing", "add some")

    monkeypatch.setattr(Optimizer, "ask", nothing)
    choose(widget, "first")
    assert (widget.view["duel"], widget.view["progress"], widget.duel) == (None, None, None)
    assert "there must be something" in widget.view["trouble"]
    with pytest.raises(InputError, match="an answer needs a duel"):
        widget.answer("first")
    monkeypatch.undo()
    assert press(widget, type="undo")["duel"] is not None


def test_answers_can_be_observed():
    widget = DuelWidget(study())
    heard = []
    widget.observe(lambda change: heard.append(change["new"]), "answers")
    choose(widget, "first")
    choose(widget, "skip")
    choose(widget, "second")
    assert heard == [1, 2]
    with pytest.raises(traitlets.TraitError, match="read-only"):
        widget.answers = 7


def test_a_catalogue_has_titles_links_pictures_and_drawings(tmp_path):
    (tmp_path / "a.png").write_bytes(PIXEL)
    (tmp_path / "secret.txt").write_text("no image")
    (tmp_path.parent / "outside.png").write_bytes(PIXEL)
    files = ("a.png", "../outside.png", "secret.txt", "missing.png")
    pages, art = ("https://a.example", "javascript:alert(1)", "x", "y"), (DRAWN, "<svg onload='x'/>", "", DRAWN)
    items = [
        {"name": f"n{i}", "x": float(i), "file": file, "page": page, "art": drawing}
        for i, (file, page, drawing) in enumerate(zip(files, pages, art, strict=True))
    ]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widget = DuelWidget(study(shelf), display={"title": "name", "image": "file", "link": "page"}, images=tmp_path)
    cards = [widget._cards.render(item) for item in items]
    assert [card["title"] for card in cards] == ["n0", "n1", "n2", "n3"]
    assert base64.b64decode(cards[0]["image"].removeprefix("data:image/png;base64,")) == PIXEL
    assert [card["image"] for card in cards[1:]] == [None, None, None]
    assert [card["link"] for card in cards] == ["https://a.example", None, None, None]
    assert [row["name"] for row in cards[0]["rows"]] == ["x", "art"]
    drawings = DuelWidget(study(shelf), display={"svg": "art"})
    assert "<circle" in drawings._cards.render(items[0], "p")["svg"]
    assert 'id="pc"' in drawings._cards.render(items[0], "p")["svg"]
    assert drawings._cards.render(items[1])["svg"] is None


def test_drawings_of_two_widgets_share_no_ids():
    items = [{"name": f"n{i}", "x": float(i), "art": DRAWN} for i in range(4)]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widgets = [DuelWidget(study(shelf), display={"svg": "art"}) for _ in range(2)]
    drawn = [card["svg"] for widget in widgets for card in widget.view["duel"]["cards"]]
    assert len(set(drawn)) == 4


def test_an_image_that_is_too_large_stays_out(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(PIXEL)
    monkeypatch.setattr("anchorpbo.notebook.widget.MAX_IMAGE_BYTES", len(PIXEL) - 1)
    items = [{"n": "a", "x": 0.0, "f": "a.png"}, {"n": "b", "x": 1.0, "f": "a.png"}]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widget = DuelWidget(study(shelf), display={"image": "f"}, images=str(tmp_path))
    assert widget.view["duel"]["cards"][0]["image"] is None


def test_molecules_are_drawn():
    pytest.importorskip("rdkit")
    items = [{"smiles": "CCO", "x": 0.0}, {"smiles": "no molecule", "x": 1.0}]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widget = DuelWidget(study(shelf), display={"smiles": "smiles"})
    drawn = {row: widget._cards.render(row_of)["svg"] for row, row_of in enumerate(shelf.items)}
    assert drawn[0].startswith("<svg")
    assert drawn[1] is None


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="a widget needs a study; received Space"):
        DuelWidget(SPACE)
    with pytest.raises(InputError, match="question must be a text"):
        DuelWidget(study(), question=3)
    with pytest.raises(UnknownNameError, match="a key of display must be one of"):
        DuelWidget(study(), display={"colour": "red"})
    with pytest.raises(InputError, match="display must map"):
        DuelWidget(study(), display="title")
    with pytest.raises(InputError, match="images need the column that names their files"):
        DuelWidget(study(), images=".")
    with pytest.raises(InputError, match=r"display\.title needs a catalogue"):
        DuelWidget(study(), display={"title": "heat"})


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r'needs anywidget; .*pip install "anchorpbo\[notebook\]"'):
        notebook.DuelWidget  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'Other'"):
        notebook.Other  # noqa: B018


def test_the_module_it_sends_loads_nothing_from_elsewhere():
    for source in (DuelWidget._esm, (ASSETS / "duel.css").read_text("utf-8")):
        assert len(source) > 1000
        assert not re.search(r"@import|\bimport\b|https?://|url\(|innerHTML|outerHTML|eval|Function\(", source)


def test_values_are_hidden_in_duels_and_shown_with_the_recommendation():
    items = [{"name": f"n{i}", "x": float(i)} for i in range(4)]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widget = DuelWidget(study(shelf), display={"title": "name", "hide_values": True})
    assert [card["rows"] for card in widget.view["duel"]["cards"]] == [[], []]
    assert all(card["title"] for card in widget.view["duel"]["cards"])
    widget.answer("first")
    assert [row["name"] for row in widget._best()["card"]["rows"]] == ["x"]
