"""Cards however many, whatever their parameters are called, and however little room there is."""

import io
import re
from collections import Counter

import numpy as np
import pytest
from browsing import PHONE, cards_are_shown, choose, results_are_shown, see_results
from PIL import Image
from playwright.sync_api import expect

from anchorpbo.app.web.schemas import MAX_CARDS

INHERITED = ("constructor", "toString", "__proto__", "hasOwnProperty")
"""Names that every plain object of JavaScript has."""
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""A window of 1280 by 800 at 200 %."""


def real(name, **more):
    return {"name": name, "kind": "real", "low": 0.0, "high": 1.0, **more}


def study_of(site, *parameters, **more):
    space = {"kind": "space", "parameters": list(parameters), "constraints": []}
    return site.post("/api/studies", {"name": "Cards", "space": space, **more})["id"]


def answer(site, study, *outcomes):
    for outcome in outcomes:
        duel = site.post(f"/api/studies/{study}/ask")
        site.post(f"/api/studies/{study}/answers", {"duel_id": duel["id"], "outcome": outcome})


# -- many -------------------------------------------------------------------------------------------------------------


def requests_for_cards(page):
    """The number of designs in each request for cards from now on."""
    sizes = []

    def note(request):
        if request.url.endswith("/cards"):
            sizes.append(len(request.post_data_json["designs"]))

    page.on("request", note)
    return sizes


def designs(count):
    return [{"a": n / 64, "b": 0.5} for n in range(count)]


@pytest.mark.parametrize("count", [MAX_CARDS, MAX_CARDS + 1])
def test_any_number_of_anchors_is_shown_in_its_order(home, site, visitor, count):
    study = study_of(site, real("a", step=1 / 64), real("b"), anchors=designs(count))
    page = visitor().context.new_page()
    sizes = requests_for_cards(page)
    page.goto(f"{home}/studies/{study}/anchors")
    expect(page.locator("#marked .card")).to_have_count(count)
    sizes.remove(1)  # the preview's
    assert sizes == [MAX_CARDS] + [count - MAX_CARDS] * (count > MAX_CARDS)
    values = page.locator("#marked .card div:first-child > dd").all_inner_texts()
    assert [float(value) for value in values] == pytest.approx([n / 64 for n in range(count)], abs=1e-3)


@pytest.mark.parametrize("count", [MAX_CARDS, MAX_CARDS + 1])
def test_any_number_of_candidates_is_shown(home, site, visitor, count):
    study = study_of(site, real("a", step=1 / 64), real("b"))
    answer(site, study, "first", "second")
    page = visitor().context.new_page()
    sizes = requests_for_cards(page)

    def more(route):
        found = route.fetch().json()
        found["credible_set"] = designs(count)
        found["credible_probabilities"] = [1 / count] * count
        route.fulfill(json=found | {"design": {"a": 1.0, "b": 1.0}})

    page.route("**/recommendation*", more)
    page.goto(f"{home}/studies/{study}/results")
    results_are_shown(page)
    assert sizes == [6]
    page.get_by_role("button", name=f"Show all {count}").click()
    expect(page.locator("#others li")).to_have_count(count)
    assert sum(sizes) == count + 1
    page.get_by_role("button", name=f"Show all {count}").wait_for(state="hidden")


@pytest.mark.parametrize("count", [MAX_CARDS, MAX_CARDS + 1])
def test_the_choices_of_any_number_of_people_are_shown(home, site, visitor, count):
    study = study_of(site, real("a", step=1 / 64), real("b"))
    answer(site, study, "first", "second")
    page = visitor().context.new_page()
    sizes = requests_for_cards(page)

    def more(route):
        found = route.fetch().json()
        [one] = found["opinions"]
        found["opinions"] = [
            one | {"participant": f"P{n}", "design": each} for n, each in enumerate(designs(count - 1))
        ]
        route.fulfill(json=found | {"consensus": {"a": 1.0, "b": 1.0}})

    page.route("**/agreement", more)
    page.goto(f"{home}/studies/{study}/people")
    expect(page.locator("#opinions .card")).to_have_count(count)
    assert sizes == [MAX_CARDS] + [count - MAX_CARDS] * (count > MAX_CARDS)


# -- names that objects have ------------------------------------------------------------------------------------------


def test_parameters_may_have_names_that_every_object_has(home, site, visitor):
    study = study_of(site, *map(real, INHERITED), display={"units": {"toString": "m"}})
    page = visitor().open(f"{home}/studies/{study}/anchors")
    expect(page.locator("#controls .control > label")).to_have_text(list(INHERITED))
    page.locator("#know-preview").click()
    expect(page.locator("#marked dt")).to_have_text(list(INHERITED))
    expect(page.locator("#map .main-svg").first).to_be_visible()
    page.locator("#axis-x").select_option("__proto__")
    expect(page.locator("#map .xtitle")).to_have_text("__proto__")
    page.goto(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    expect(page.locator("#first dt")).to_have_text(list(INHERITED))
    for outcome in ("first", "second", "first"):
        choose(page, outcome)
    see_results(page)
    expect(page.locator("#best-card dt")).to_have_text(list(INHERITED))
    expect(page.locator("#slices .infolayer").first).to_contain_text("".join(INHERITED[:1]))
    for number, name in enumerate(INHERITED, 1):
        title = f"#slices .x{number if number > 1 else ''}title"
        expect(page.locator(title)).to_have_text(f"{name} (m)" if name == "toString" else name)
    expect(page.locator("#history tbody tr").first).to_contain_text("constructor")
    page.get_by_role("link", name="People").click()
    expect(page.locator("#opinions .card dt").first).to_have_text("constructor")
    page.get_by_text("Which columns it needs").click()
    expect(page.locator("#paired")).to_contain_text("winner.__proto__")


def test_such_names_can_be_given_on_the_new_page(home, visitor):
    page = visitor().open(f"{home}/new")
    page.locator("#name").fill("Odd names")
    page.get_by_role("button", name="Add a parameter").click()
    for at, name in enumerate(INHERITED[:3]):
        for field, text in (("name", name), ("low", "0"), ("high", "1"), ("unit", "m")):
            page.locator(f"[data-field={field}]").nth(at).fill(text)
    expect(page.locator("#status")).to_contain_text("Ready: 3 parameters vary")
    expect(page.locator("#preview dt")).to_have_text(list(INHERITED[:3]))
    expect(page.locator("#preview dd").last).to_contain_text("m")


# -- dark, long words, little room ------------------------------------------------------------------------------------

MOLECULES = {
    "kind": "catalogue",
    "columns": [
        {"name": "smiles", "values": ["CCO", "c1ccccc1", "CC(=O)O", "CCCCN"]},
        {"name": "weight", "values": [46.0, 78.0, 60.0, 73.0]},
    ],
    "features": ["weight"],
    "key": "smiles",
}


def luminance(colour):
    parts = [one / 255 for one in colour]
    return sum(
        weight * (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4)
        for weight, one in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


def visible_share(picture):
    """The share of pixels that stand out from the ground, at a contrast of 4.5 or more."""
    pixels = Counter(map(tuple, np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).reshape(-1, 3).tolist()))
    ground = luminance(pixels.most_common(1)[0][0])

    def contrast(one):
        low, high = sorted((luminance(one), ground))
        return (high + 0.05) / (low + 0.05)

    return sum(count for one, count in pixels.items() if contrast(one) >= 4.5) / pixels.total()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["molecule", "template"])
def test_drawings_are_seen_in_light_and_dark(home, site, visitor, kind, scheme):
    if kind == "molecule":
        pytest.importorskip("rdkit")
        study = site.post("/api/studies", {"name": "M", "space": MOLECULES, "display": {"smiles": "smiles"}})["id"]
    else:
        template = (
            '<svg viewBox="0 0 100 60"><path d="M5 5 L95 {{ 10 + 40 * a }}" stroke="black" stroke-width="3"/></svg>'
        )
        study = study_of(site, real("a"), real("b"), display={"template": template})
    page = visitor(color_scheme=scheme).open(f"{home}/studies/{study}/duel")
    for outcome in ("first", "second"):
        choose(page, outcome)
        assert visible_share(page.locator("#first .picture svg").screenshot()) > 0.002
    see_results(page)
    assert visible_share(page.locator("#best-card .picture svg").screenshot()) > 0.002
    page.goto(f"{home}/studies/{study}/anchors")
    assert visible_share(page.locator(".card .picture svg").first.screenshot()) > 0.002


OVERFLOWING = """() => [...document.querySelectorAll(".card, .card *, h1")]
  .filter((one) => one.checkVisibility() && !one.closest("svg") && getComputedStyle(one).clipPath === "none")
  .filter((one) => {
    const box = (one.closest(".card") || document.querySelector("main")).getBoundingClientRect();
    const { left, right } = one.getBoundingClientRect();
    return right > box.right + 1 || left < box.left - 1 || (one.clientWidth && one.scrollWidth > one.clientWidth + 1);
  }).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 20)}`)"""


def nothing_overflows(page):
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


@pytest.mark.parametrize("letters", [33, 61, 200])
@pytest.mark.parametrize("options", [{}, PHONE, ZOOMED], ids=["desktop", "phone", "zoomed"])
def test_long_words_stay_within_their_cards(home, site, visitor, options, letters):
    word, other = "W" * letters, "M" * letters
    choice = {"name": "b", "kind": "categorical", "values": [word, other]}
    columns = [
        {"name": "name", "values": [word, other, "Elm"]},
        {"name": "price", "values": [1.0, 2.0, 3.0]},
        {"name": "x" * letters, "values": [word, other, word]},
    ]
    listed = {"kind": "catalogue", "columns": columns, "features": ["price"], "key": "name"}
    for study in (
        study_of(
            site, real("a"), choice, name=word, display={"labels": {"a": word, "b": other}, "units": {"a": other}}
        ),
        site.post("/api/studies", {"name": word, "space": listed, "display": {"title": "name"}})["id"],
    ):
        page = visitor(**options).open(f"{home}/studies/{study}/duel")
        cards_are_shown(page)
        nothing_overflows(page)
        choose(page, "first")
        see_results(page)
        nothing_overflows(page)
        page.goto(f"{home}/studies/{study}/anchors")
        page.locator(".know").locator("visible=true").first.click()
        expect(page.locator("#marked .card")).to_have_count(1)
        nothing_overflows(page)
        page.goto(f"{home}/studies/{study}/people")
        expect(page.locator("#opinions .card").first).to_be_visible()
        nothing_overflows(page)
        page.context.close()


LINES = """ones => ones.map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
})"""
"""Number of lines of the text of each element."""


def test_a_small_probability_is_on_one_line(home, site, visitor):
    study = study_of(site, real("a"), real("b"))
    answer(site, study, "first", "second")
    page = visitor().context.new_page()

    def unlikely(route):
        found = route.fetch().json()
        route.fulfill(json=found | {"credible_set": designs(2), "credible_probabilities": [0.1, 0.004]})

    page.route("**/recommendation*", unlikely)
    page.goto(f"{home}/studies/{study}/results")
    results_are_shown(page)
    shares = page.locator("#others .other-share > span:first-child")
    expect(shares).to_have_text(["10\u00a0%", "under 1\u00a0%"])
    assert shares.evaluate_all(LINES) == [1, 1]


def test_a_value_and_its_unit_are_on_one_line_of_a_choice(home, site, visitor):
    weight = {"name": "Molecular weight", "kind": "real", "low": 222.2, "high": 333.3, "step": 0.1}
    donors = {"name": "Hydrogen-bond donors", "kind": "integer", "low": 0, "high": 3}
    study = study_of(site, weight, donors, display={"units": {"Molecular weight": "g/mol"}})
    answer(site, study, "first", "second")
    page = visitor().open(f"{home}/studies/{study}/people")
    values = page.locator("#opinions .card").first.locator("dd")
    expect(values.first).to_contain_text("g/mol")
    assert values.evaluate_all(LINES) == [1, 1]


SEEN = """name => {
  const card = document.getElementById(name), { bottom } = card.getBoundingClientRect();
  const { top } = card.closest(".side").getBoundingClientRect(); // the player of a clip is above the card
  const answers = document.querySelector(".answers");
  const floor = getComputedStyle(answers).position === "sticky" ? answers.getBoundingClientRect().top : innerHeight;
  return Math.min(bottom, floor, innerHeight) - Math.max(top, 0);
}"""


@pytest.mark.parametrize("key", ["coffee", "poster", "molecules"])
def test_cards_are_seen_at_200_percent(home, site, visitor, key):
    study = site.post(f"/api/examples/{key}")["id"]
    page = visitor(**ZOOMED).open(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    for name in ("first", "second"):
        assert page.evaluate(SEEN, name) > 0.35 * ZOOMED["viewport"]["height"]
    # The other answers are in reach, and all of a card can be scrolled into view above them.
    expect(page.get_by_role("button", name=re.compile("About the same"))).to_be_in_viewport()
    page.mouse.move(320, 250)
    page.mouse.wheel(0, 5_000)
    page.wait_for_timeout(200)
    card, tie = (page.locator(name).bounding_box() for name in ("#first", "#tie"))
    assert card["y"] + card["height"] <= tie["y"]
