"""The tutorial of the app, followed step by step: docs/tutorials/first-study-app.md."""

import re
from pathlib import Path

from browsing import cards_are_shown
from playwright.sync_api import expect

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorials" / "first-study-app.md"
FIELDS = {"From": "low", "To": "high", "Unit": "unit", "Values (a, b, c)": "values"}


def step(number):
    """Return the text of a step of the tutorial."""
    return re.search(rf"^## Step {number}: .*?(?=^## )", TUTORIAL.read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]


def parameters():
    """Return the rows of the tutorial's table of parameters, by column."""
    lines = re.findall(r"^ +\|(.*)\|$", step(2), re.MULTILINE)
    rows = [[cell.strip(" *") for cell in line.split("|")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def anchors():
    """Return the designs that the tutorial marks: temperature, hours, flour."""
    return re.findall(r"(\d+) °C, (\d+) hours, (wheat|spelt|rye)", step(3))


def test_the_steps_of_the_tutorial_lead_to_a_recommendation_and_a_report(home, visitor):
    page = visitor().open(f"{home}/")

    def press(name):
        page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.click()

    # Step 2
    press("New study")
    expect(page.locator("#status")).to_contain_text("Still needed: a name for the study")
    page.get_by_label("Name").first.fill("Sourdough")
    question = re.search(r"`([^`]+\?)`", step(2))[1]
    page.get_by_role("textbox", name="Question").fill(question)
    press("Add a parameter")
    assert len(parameters()) == 3
    for number, columns in enumerate(parameters(), 1):
        row = page.locator(f"[aria-label='Parameter {number}']")
        row.get_by_label("Name", exact=True).fill(columns["Name"])
        row.get_by_label("Kind").select_option(label=columns["Kind"])
        for label in FIELDS:
            if columns[label]:
                row.get_by_label(label, exact=True).fill(columns[label])
    page.get_by_text("More options").first.click()
    page.get_by_label("In steps of").first.fill(re.search(r"write `(\d+)` under \*\*In steps of", step(2))[1])
    expect(page.locator("#status")).to_have_text(re.search(r'"(Ready: [^"]+)"', step(2))[1])
    press("Create study")

    # Step 3
    page.wait_for_url("**/anchors")
    assert len(anchors()) == 3
    for number, (temperature, hours, flour) in enumerate(anchors(), 1):
        page.get_by_role("spinbutton", name="Oven temperature").fill(temperature)
        page.get_by_role("spinbutton", name="Proofing").fill(hours)
        page.get_by_text(flour, exact=True).first.click()
        for value in (f"{temperature}\u00a0°C", f"{hours}\u00a0h", flour):
            expect(page.locator("#preview dd").get_by_text(value, exact=True)).to_be_visible()
        press("I know this one well")
        expect(page.locator("#marked .card")).to_have_count(number)
    press("Start comparing")

    # Step 4
    cards_are_shown(page)
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    page.locator("#first").click()
    for count, name in enumerate(("About the same", "Can’t say", "Undo"), 2):
        cards_are_shown(page, count)
        press(name)
    cards_are_shown(page, 5)
    expect(page.locator("#progress")).to_contain_text("2 comparisons so far.")
    press("Help")
    expect(page.get_by_label("Answer with these keys")).to_be_checked()
    press("Close")

    # Steps 5 and 6
    press("Results")
    expect(page.get_by_role("heading", name="Recommended")).to_be_visible()
    for heading in re.findall(r"^(?:\d\. )?\*\*([^*]+)\*\* (?:shows|has one|lists)", step(5), re.MULTILINE):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    for name in ("History (CSV)", "Study (JSON)", "Report (HTML)"):
        with page.expect_download() as download:
            press(name)
        assert Path(download.value.path()).stat().st_size > 100

    # Steps 7 and 8
    press("People")
    page.get_by_label("Name", exact=True).fill("Maria")
    press("Invite")
    expect(page.get_by_role("button", name="Copy link for Maria")).to_be_visible()
    press("anchorpbo")
    press("Go on")
    page.wait_for_url("**/duel")
