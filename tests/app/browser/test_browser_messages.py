"""Messages: where they are shown, and whether they speak as the page does."""

import pytest
from browsing import PHONE, choose, results_are_shown
from playwright.sync_api import expect

from anchorpbo.app.examples import EXAMPLES
from support.server_process import STUDY

COVERED = """() => {
  const box = (element) => element.getBoundingClientRect();
  const toast = box(document.getElementById("toast"));
  return [...document.querySelectorAll("main :is(button, a, input, select, textarea, summary), header a")]
    .filter((one) => one.checkVisibility())
    .filter((one) => box(one).left < toast.right && toast.left < box(one).right
      && box(one).top < toast.bottom && toast.top < box(one).bottom)
    .map((one) => one.id || one.textContent);
}"""
"""Names of the controls under a message."""


@pytest.fixture(params=[{}, PHONE], ids=["desktop", "phone"])
def someone(request, visitor):
    """A visitor with a large screen or a small one."""
    return visitor(**request.param)


def test_no_control_is_under_a_message(home, site, someone):
    study = site.post("/api/examples/poster")["id"]
    page = someone.open(f"{home}/studies/{study}/duel")
    choose(page, "first")
    page.locator("#undo").click()
    expect(page.locator("#toast")).to_have_text("Your last answer was taken back.")
    assert page.evaluate(COVERED) == []
    page.goto(f"{home}/studies/{study}/people")
    page.get_by_label("Name", exact=True).fill("Ana")
    page.get_by_role("button", name="Invite").click()
    expect(page.locator("#toast")).to_have_text("Ana takes part now. Send them their link.")
    expect(page.get_by_label("Link for Ana", exact=True)).to_be_visible()
    assert page.evaluate(COVERED) == []


def test_clicks_pass_a_message(home, site, visitor):
    study = site.post("/api/studies", STUDY)["id"]
    page = visitor(viewport={"width": 1280, "height": 300}).open(f"{home}/studies/{study}/people")
    page.get_by_label("Name", exact=True).fill("Ana")
    page.get_by_role("button", name="Invite").click()
    toast = page.locator("#toast")
    expect(toast).to_be_visible()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(toast).to_be_in_viewport(ratio=1)  # also where the page is scrolled
    found = "() => { const { x, y } = document.getElementById('toast').getBoundingClientRect();"
    found += " return document.elementFromPoint(x + 5, y + 5).id; }"
    assert page.evaluate(found) != "toast"


def test_the_new_page_numbers_its_rules_and_marks_what_is_wrong(home, visitor):
    someone = visitor()
    someone.allow(r"status of 422 .*/api/studies/check")
    page = someone.open(f"{home}/new")
    page.locator("#name").fill("Milk tea")
    for n, name in enumerate(("water", "low of")):
        for field, value in (("name", name), ("low", "0"), ("high", "300")):
            page.locator(".parameter").nth(n).locator(f"[data-field={field}]").fill(value)
    status, rules = page.locator("#status"), page.locator("#constraints")
    rules.fill("water ! 200")
    expect(status).to_contain_text(
        "Rule 1: A comparison must have a sum on each side; received 'water ! 200'; write it like"
    )
    expect(rules).to_have_attribute("aria-invalid", "true")
    rules.fill("water >= 900")
    expect(status).to_contain_text("At least one design must be allowed")
    rules.fill("")
    low = page.locator(".parameter").nth(1).locator("[data-field=low]")
    low.fill("400")
    # A name is left as it was typed.
    expect(status).to_contain_text("'low of': the lower end must be below the upper end; received 400 and 300")
    low.fill("100,5")
    problem = page.locator(".row-problem").nth(1)
    expect(problem).to_have_text("“From” must be a number, with a point for decimals: 100.5.")
    expect(status).to_contain_text("received '100,5'; write decimals with a point.")
    low.fill("0")
    page.locator("[data-field=name]").nth(1).fill("water")
    expect(status).to_contain_text("received 'water' twice; rename one of them.")


def test_both_designs_of_a_comparison_are_named_alike_in_the_history(home, site, visitor):
    units = {"temperature": "°C", "minutes": "min", "leaves": "g"}
    study = site.post("/api/studies", STUDY | {"display": {"units": units}})["id"]
    designs = {}
    for outcome in ("first", "tie"):
        duel = site.post(f"/api/studies/{study}/ask")
        site.post(f"/api/studies/{study}/answers", {"duel_id": duel["id"], "outcome": outcome})
        designs[outcome] = [duel[side] for side in ("first", "second")]
    page = visitor().open(f"{home}/studies/{study}/results")
    results_are_shown(page)
    for outcome, words in (("A preferred", "over "), ("equal", "and ")):
        one, other = designs["first" if outcome == "A preferred" else "tie"]
        line = page.locator("#history tr", has_text=outcome).locator(".design")
        differing = [name for name in units if one[name] != other[name]]
        for design, text in ((one, line.nth(0).inner_text()), (other, line.nth(1).inner_text().removeprefix(words))):
            named = [part.split() for part in text.split(" · ")]
            assert [(name, unit) for name, _, unit in named] == [(name, units[name]) for name in differing]
            values = [design[name] for name in differing]
            assert [float(value) for _, value, _ in named] == pytest.approx(values, rel=1e-3)


def test_the_note_about_anchors_of_an_example_goes_with_the_last_of_them(home, site, visitor):
    example = EXAMPLES["coffee"]
    anchors = [dict(design) for design in example.suggested_anchors]
    study = site.post("/api/studies", example.definition | {"anchors": anchors})["id"]
    page = visitor().open(f"{home}/studies/{study}/anchors")
    note = page.get_by_text("Marked for this example; remove what you do not know well.")
    expect(note).to_be_visible()
    for left in reversed(range(len(anchors))):
        page.get_by_role("button", name="Remove anchor 1:").click()
        expect(page.locator("#marked .card")).to_have_count(left)
        expect(note).to_be_visible(visible=left > 0)
