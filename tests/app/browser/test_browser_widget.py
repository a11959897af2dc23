"""The duel widget's module in Chromium, with a model that hands its messages to the real widget in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import Visitor, violations
from playwright.sync_api import Page, expect

import anchorpbo as ap
from anchorpbo.formatting import format_probability
from anchorpbo.notebook import DuelWidget
from anchorpbo.notebook.widget import ASSETS
from anchorpbo.study.explanations import name_sides

CHECKS = Path(__file__).with_name("page_checks.js").read_text("utf-8").partition("\n")[2]  # without the comment
SOURCES = [DuelWidget._esm, (ASSETS / "duel.css").read_text("utf-8")]
INHERITED = ("constructor", "toString", "__proto__", "hasOwnProperty")
"""Names that every plain object of JavaScript has."""

SPACE = ap.Space(
    heat=ap.Real(80, 96), origin=ap.Categorical(["Kenya", "<img src=x onerror=alert(1)>"]), stir=ap.Boolean()
)
# What Jupyter does around a widget: a model with get, on, off and send.
MODEL = """async ([source, style, view, slow]) => {
  const listeners = new Set();
  const model = {
    get: (name) => (name === "view" ? window.view : undefined),
    on: (name, heard) => { if (name === "change:view") listeners.add(heard); },
    off: (name, heard) => listeners.delete(heard),
    send: async (message) => {
      window.sent.push(message);
      if (slow) return;
      window.view = JSON.parse(await window.python(JSON.stringify(message)));
      for (const heard of listeners) heard();
    },
  };
  Object.assign(window, { view, sent: [], listeners });
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  window.leave = module.default.render({ model, el: document.body.appendChild(document.createElement("main")) });
}"""


def shown(
    visitor: Callable[..., Visitor], widget: DuelWidget, *, slow: bool = False, dark: bool = False, **options: Any
) -> Page:
    """A page with the widget in it."""
    page = visitor(color_scheme="dark" if dark else "light", **options).open("about:blank")
    ground = "background:#111;color:#ddd" if dark else "background:#fff;color:#111"
    page.set_content(
        f'<!doctype html><html lang="en"><title>A cell</title><body style="{ground}"><h1>Notes</h1></body></html>'
    )

    def python(message: str) -> str:
        widget._handle_custom_msg(json.loads(message), [])
        return json.dumps(widget.view)

    page.expose_function("python", python)
    page.evaluate(MODEL, [*SOURCES, widget.view, slow])
    return page


@pytest.fixture
def study() -> ap.Optimizer:
    return ap.Optimizer(SPACE, inference="laplace", initial=2)


def broken(*_: Any, **__: Any) -> None:
    raise ap.errors.InputError("paper must be there", "none", "buy some")


def settled(page: Page, answers: int) -> None:
    """Wait until so many answers are in and new cards take another."""
    expect(page.locator(".standing")).to_contain_text(f"{answers} comparison")
    page.wait_for_timeout(260)


def test_a_study_is_answered_by_pointer_and_by_keys(visitor, study):
    page = shown(visitor, DuelWidget(study, display={"units": {"heat": "°C"}}))
    settled(page, 0)
    page.locator(".choice.first").click()
    settled(page, 1)
    # The focus stayed where it was, so that keys do it from here.
    for key, count in (("ArrowRight", 2), ("ArrowDown", 3), ("a", 4), ("2", 5), ("t", 6)):
        page.keyboard.press(key)
        settled(page, count)
    page.keyboard.press("s")
    expect(page.locator(".why")).to_have_text(name_sides(study.ask().why, "A", "B"))
    page.wait_for_function("window.sent.length === 7")
    settled(page, 6)
    outcomes = [event["outcome"] for event in study.history]
    assert outcomes == ["first", "second", "tie", "first", "second", "tie", "skip"]
    page.keyboard.press("u")
    expect(page.locator(".spoken")).to_contain_text("The last answer was taken back.")
    page.keyboard.press("Control+z")
    settled(page, 5)
    page.locator("button.undo").click()
    settled(page, 4)
    page.locator("button.tie").click()
    settled(page, 5)
    page.locator("button.skip").click()
    page.wait_for_function("window.sent.length === 12")
    assert [event["outcome"] for event in study.history] == ["first", "second", "tie", "first", "tie", "skip"]


def test_cards_show_the_designs_and_mark_what_differs(visitor, study):
    widget = DuelWidget(study, display={"units": {"heat": "°C"}, "labels": {"stir": "stirred"}}, question="Which cup?")
    page = shown(visitor, widget)
    duel = study.ask()
    expect(page.locator(".question")).to_have_text("Which cup?")
    expect(page.locator(".why")).to_have_text(name_sides(duel.why, "A", "B"))
    for side, design in (("first", duel.first), ("second", duel.second)):
        rows = page.locator(f".choice.{side} dl > div")
        texts = [[*row.locator("dt, dd").all_inner_texts()] for row in rows.all()]
        assert [label for label, _ in texts] == ["heat", "origin", "stirred"]
        assert texts[0][1].endswith("\u00a0°C")
        assert texts[1][1].replace("\u00a0", " ") == design["origin"]
    differing = {name for name in SPACE.names if duel.first[name] != duel.second[name]}
    marked = page.locator(".choice.first .differs").count()
    assert marked == len(differing)
    expect(page.locator(".spoken")).to_contain_text("Comparison 1.")
    assert page.locator("img").count() == 0


def test_a_double_press_is_one_answer(visitor, study):
    page = shown(visitor, DuelWidget(study))
    settled(page, 0)
    page.locator(".choice.first").dblclick()
    settled(page, 1)
    assert len(study.history) == 1
    page.keyboard.press("a")
    page.keyboard.press("a")
    settled(page, 2)
    assert len(study.history) == 2


def test_what_is_best_so_far_can_be_seen(visitor, study):
    page = shown(visitor, DuelWidget(study))
    settled(page, 0)
    shows = page.locator("button.shows")
    shows.click()
    expect(page.locator(".best")).to_have_text("Nothing is known before the first answer.")
    expect(shows).to_have_attribute("aria-expanded", "true")
    page.locator(".choice.second").click()
    settled(page, 1)
    best = study.recommend()
    expect(page.locator(".best dd").nth(0)).to_have_text(f"{best.design['heat']:.4g}")
    expect(page.locator(".best")).to_contain_text(f"Utility {best.utility:.2f}".replace("-", "−"))
    expect(page.locator(".best")).to_contain_text(f"{format_probability(best.p_within_compared)} sure that nothing")
    expect(page.locator(".best")).to_contain_text(f"{format_probability(best.p_within)} probability")
    shows.click()
    expect(page.locator(".best")).to_be_hidden()


def test_a_study_without_ties_offers_none(visitor):
    study = ap.Optimizer(SPACE, likelihood=ap.Probit(tie_threshold=0.0), inference="laplace")
    page = shown(visitor, DuelWidget(study))
    settled(page, 0)
    expect(page.locator("button.tie")).to_be_hidden()
    page.locator(".choice.first").focus()
    page.keyboard.press("t")
    page.keyboard.press("a")
    settled(page, 1)
    assert [event["outcome"] for event in study.history] == ["first"]


def test_parameters_may_have_names_that_every_object_has(visitor):
    study = ap.Optimizer(ap.Space(**{name: ap.Real(0, 1) for name in INHERITED}), inference="laplace")
    page = shown(visitor, DuelWidget(study, display={"units": {"toString": "m"}}))
    for side in ("first", "second"):
        expect(page.locator(f".choice.{side} dt")).to_have_text(list(INHERITED))
    page.locator("button.shows").click()
    settled(page, 0)
    page.locator(".choice.first").click()
    settled(page, 1)
    expect(page.locator(".best dt")).to_have_text(list(INHERITED))


def test_trouble_is_told_and_nothing_left_is_said(visitor, study, monkeypatch):
    page = shown(visitor, DuelWidget(study))
    settled(page, 0)
    with monkeypatch.context() as patch:
        patch.setattr(ap.Optimizer, "tell", broken)
        page.locator("button.skip").click()
        expect(page.get_by_role("alert")).to_contain_text("paper must be there; received none")
    page.locator(".choice.first").click()
    settled(page, 1)
    expect(page.locator(".trouble")).to_be_hidden()

    monkeypatch.setattr(ap.Optimizer, "ask", broken)
    page.locator(".choice.first").click()
    expect(page.get_by_role("alert")).to_contain_text("paper must be there")
    expect(page.locator(".pair")).to_be_hidden()
    monkeypatch.undo()
    page.locator("button.undo").click()
    expect(page.locator(".pair")).to_be_visible()


def test_a_kernel_that_is_slow_or_gone_is_told(visitor, study):
    one = visitor()
    page = one.open("about:blank")
    page.clock.install()
    page.set_content("<!doctype html><html lang='en'><title>A cell</title><body></body></html>")
    page.evaluate(MODEL, [*SOURCES, DuelWidget(study).view, True])
    page.clock.run_for(300)
    page.locator(".choice.first").click()
    page.clock.run_for(450)
    expect(page.locator(".why")).to_have_text("Choosing the next pair …")
    expect(page.locator(".pair")).to_have_attribute("aria-busy", "true")
    page.locator(".choice.second").click()
    assert page.evaluate("window.sent.length") == 1
    page.clock.run_for(20_000)
    expect(page.get_by_role("alert")).to_contain_text("The kernel does not answer")
    page.locator(".choice.second").click()
    assert page.evaluate("window.sent.length") == 2


def test_it_can_be_used_with_keys_and_a_screen_reader_alone(visitor, study):
    page = shown(visitor, DuelWidget(study))
    settled(page, 0)
    group = page.get_by_role("group", name="Comparison of two designs")
    assert group.get_attribute("data-lm-suppress-shortcuts") == "true"
    for side, letter in (("first", "A"), ("second", "B")):
        expect(group.get_by_role("button", name=f"Choose {letter}: heat ")).to_have_class(f"choice {side}")
    names = [button.inner_text() for button in group.get_by_role("button").all()]
    assert [name.replace("\n", " ") for name in names[2:]] == [
        "About the same ↓",
        "Can’t say S",
        "Undo U",
        "Best so far",
    ]
    kbd = group.locator("kbd").all()
    assert [one.get_attribute("aria-hidden") for one in kbd] == ["true"] * 3
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    settled(page, 1)
    assert study.history[0]["outcome"] == "second"
    # Keys elsewhere in the notebook are not ours, and ours do not get out.
    page.evaluate("""() => {
      window.heard = [];
      document.addEventListener("keydown", (event) => window.heard.push(event.key));
    }""")
    page.keyboard.press("d")
    settled(page, 2)
    page.keyboard.press("x")
    assert page.evaluate("window.heard") == ["x"]
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("a")
    page.wait_for_timeout(300)
    assert len(study.history) == 2


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_names_contrast_and_outlines_are_right_in_light_and_dark(visitor, study, dark):
    page = shown(visitor, DuelWidget(study), dark=dark)
    settled(page, 0)
    page.locator("button.shows").click()
    page.wait_for_function("window.sent.length === 1")
    page.keyboard.press("Tab")
    assert page.evaluate(CHECKS) == []
    page.locator(".choice.first").click()
    settled(page, 1)
    page.keyboard.press("Tab")
    assert page.evaluate(CHECKS) == []
    assert violations(page, "main") == []


def test_a_narrow_cell_has_room_for_both_cards(visitor, study):
    page = shown(visitor, DuelWidget(study), viewport={"width": 340, "height": 700})
    settled(page, 0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    boxes = [page.locator(f".choice.{side}").bounding_box() for side in ("first", "second")]
    assert all(box["width"] > 120 for box in boxes)


def test_pictures_and_links_are_shown_and_nothing_runs(visitor):
    drawn = '<svg viewBox="0 0 4 4"><circle cx="2" cy="2" r="2" fill="teal"/></svg>'
    items = [{"name": f"<b>n{i}</b>", "x": float(i), "art": drawn, "page": "https://a.example/x"} for i in range(4)]
    shelf = ap.Catalogue.from_records(items, features=["x"])
    widget = DuelWidget(
        ap.Optimizer(shelf, inference="laplace"),
        display={"title": "name", "svg": "art", "link": "page", "hidden": ["x"]},
    )
    page = shown(visitor, widget)
    expect(page.locator(".choice svg")).to_have_count(2)
    expect(page.locator(".choice .title").first).to_have_text(widget.duel.first["name"])
    expect(page.locator("a.more").first).to_have_attribute("href", "https://a.example/x")
    page.evaluate("""() => {
      const bad = structuredClone(window.view);
      bad.turn += 1;
      const image = "https://elsewhere.example/a.png";
      bad.duel.cards.forEach((card) => Object.assign(card, { link: "javascript:alert(1)", svg: null, image }));
      window.view = bad;
      for (const heard of window.listeners) heard();
    }""")
    expect(page.locator("a.more").first).to_be_hidden()
    expect(page.locator(".choice img")).to_have_count(0)


def test_a_cell_that_is_cleared_listens_no_longer(visitor, study):
    page = shown(visitor, DuelWidget(study))
    assert page.evaluate(
        "() => { const before = window.listeners.size; window.leave(); return [before, window.listeners.size]; }"
    ) == [1, 0]
