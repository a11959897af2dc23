"""The smallest noticeable difference of a number: suggested, explained, snapped to, and shown with its digits."""

import pytest
from browsing import cards_are_shown, violations
from playwright.sync_api import expect

SUGGESTED = [
    ((80, 96), 0.5), ((12, 22), 0.5), ((0, 100), 5), ((0, 1), 0.05), ((3, 7), 0.2), ((0, 11), 0.5), ((0, 8.3), 0.1),
    ((-5, 5), 0.5), ((0, 1e-6), 5e-8), ((0, 3e9), 1e8), ((0, 3.14159), None), ((5, 5), None), ((5, 1), None),
]  # fmt: skip
SNAPPED = [
    (5.1, {"low": 3, "high": 7, "step": 0.25}, 5), (5.13, {"low": 3, "high": 7, "step": 0.25}, 5.25),
    (6.99, {"low": 3, "high": 7, "step": 0.25}, 7), (0.31, {"low": 0, "high": 1, "step": 0.1}, 0.3),
    (7.01, {"low": 3, "high": 7, "step": 0.25}, 7.01), (5.13, {"low": 3, "high": 7}, 5.13),
    (4.6, {"low": 1, "high": 9, "kind": "integer"}, 5),
]  # fmt: skip
TEA = {
    "name": "Tea",
    "space": {"kind": "space", "parameters": [
        {"name": "drying", "kind": "real", "low": 3.0, "high": 7.0, "step": 0.25},
        {"name": "mass", "kind": "real", "low": 1000.0, "high": 2000.0, "step": 0.5},
    ]},
    "display": {"labels": {"drying": "Drying"}, "units": {"drying": "min"}},
}  # fmt: skip


@pytest.fixture
def page(home, visitor):
    return visitor().open(f"{home}/new")


def test_the_suggestion_is_a_round_number_that_divides_the_range(page):
    find = "ranges => import('/static/steps.js').then(m => ranges.map(([low, high]) => m.suggestStep(low, high)))"
    assert page.evaluate(find, [list(ends) for ends, _ in SUGGESTED]) == [step for _, step in SUGGESTED]


def test_a_number_is_snapped_to_the_nearest_value_of_its_range(page):
    snap = "cases => import('/static/steps.js').then(m => cases.map(([number, one]) => m.snap(number, one)))"
    assert page.evaluate(snap, [[number, one] for number, one, _ in SNAPPED]) == [near for *_, near in SNAPPED]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_step_is_suggested_explained_and_taken_over(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(f"{home}/new")
    row = page.locator(".parameter").first
    row.get_by_label("Name").fill("drying")
    row.get_by_label("From").fill("3")
    row.get_by_label("To", exact=True).fill("7")
    row.get_by_text("More options").click()
    step = row.get_by_label("In steps of")
    expect(step).to_have_attribute("placeholder", "any, or 0.2")
    expect(step).to_have_accessible_description("The smallest difference that you would notice: designs are rounded to "
        "it, and two that differ by no more than it in every parameter count as one in the results.")  # fmt: skip
    assert violations(page) == []
    row.get_by_role("button", name="Use 0.2").click()
    expect(step).to_have_value("0.2")
    expect(row.get_by_role("button", name="Use 0.2")).to_be_hidden()
    step.fill("")
    row.get_by_label("To", exact=True).fill("13")
    expect(row.get_by_role("button", name="Use 0.5")).to_be_visible()
    row.get_by_label("Ratios matter").check()
    expect(step).to_have_attribute("placeholder", "any")


def test_a_value_between_steps_is_snapped_and_the_page_says_so(home, visitor):
    page = visitor().open(home)
    study = page.request.post(f"{home}/api/studies", data=TEA).json()["id"]
    page.goto(f"{home}/studies/{study}/anchors")
    exact = page.get_by_label("Drying, exact, in min")
    exact.fill("5.1")
    exact.press("Enter")
    expect(page.locator("#toast")).to_have_text("Drying set to 5 min, the nearest step.")
    expect(exact).to_have_value("5")
    expect(page.locator("#preview-problem")).to_be_hidden()
    expect(page.locator("#preview")).to_contain_text("5\xa0min")
    mass = page.get_by_label("mass, exact")
    mass.fill("1234.4")
    mass.blur()
    expect(mass).to_have_value("1234.5")
    expect(page.locator("#preview")).to_contain_text("1234.5")  # four digits would say 1235
    page.locator("#know-preview").click()
    expect(page.locator("#marked-words")).to_have_text("1 anchor.")
    # Over REST such a value is an error as before.
    wrong = {"design": {"drying": 5.1, "mass": 1234.5}}
    assert page.request.post(f"{home}/api/studies/{study}/anchors", data=wrong).status == 422
    page.goto(f"{home}/studies/{study}/duel")
    cards_are_shown(page)


def test_a_violated_constraint_is_told_in_labels_and_units(home, visitor):
    ranges = [{"name": name, "kind": "real", "low": 3, "high": 7, "step": 0.25} for name in ("drying", "maillard")]
    display = {"labels": {"drying": "Drying time", "maillard": "Maillard time"},
               "units": {"drying": "min", "maillard": "min"}}  # fmt: skip
    space = {"kind": "space", "parameters": ranges, "constraints": ["drying + maillard <= 10"]}
    someone = visitor()
    someone.allow(r"status of 422 .*/cards")
    page = someone.open(home)
    study = page.request.post(f"{home}/api/studies", data={"name": "R", "space": space, "display": display}).json()[
        "id"
    ]
    page.goto(f"{home}/studies/{study}/anchors")
    page.get_by_label("Maillard time, exact, in min").fill("6.5")
    page.get_by_label("Drying time, exact, in min").fill("6")
    problem = page.locator("#preview-problem")
    expect(problem).to_have_text("Drying time + Maillard time may be at most 10 min; here it is 12.5.")
    expect(page.locator("#know-preview")).to_be_disabled()
