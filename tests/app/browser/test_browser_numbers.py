"""The page writes numbers as the report does, and quotes what was typed."""

from playwright.sync_api import expect

from anchorpbo.app.report.descriptions import format_noise, format_number, format_percent
from anchorpbo.formatting import format_probability, format_value

MAX_ANSWERS = 60
VALUES = [12.625, -12.625, 0.125, -0.125, 2.5, 12.25, 1234.5, 99.95, 0.005, 1e-5, 250_000.0, 0.0625, 1.0]
SHARES = [0.0, 0.004, 0.125, 0.29, 0.5, 0.8999, 0.9, 0.995]
WORDS = """async ([values, shares]) => {
  const words = await import("/static/results-words.js");
  return [values.map((value) => words.number(value)), values.map((value) => words.number(value, 1)),
    values.slice(0, 6).map(words.shown),
    values.filter((value) => value > 1e-4).map(words.noise), shares.map(words.percent),
    shares.map(words.certainty), words.shown(null)];
}"""


def test_the_page_rounds_as_the_report_does(home, visitor):
    page = visitor().open(home)
    ours = [
        [format_number(value) for value in VALUES],
        [format_number(value, 1) for value in VALUES],
        [format_value(value) for value in VALUES[:6]],
        [format_noise(value) for value in VALUES if value > 1e-4],
        [format_percent(share) for share in SHARES],
        [format_probability(share) for share in SHARES],
        format_value(None),
    ]
    theirs = page.evaluate(WORDS, [VALUES, SHARES])
    theirs = [[text.replace("e+5", "e+05") for text in each] if isinstance(each, list) else each for each in theirs]
    assert theirs == ours


def test_a_value_that_is_there_twice_is_quoted_as_it_was_typed(home, visitor):
    page = visitor().open(f"{home}/new")
    one = page.locator("[aria-label='Parameter 1']")
    one.locator("[data-field=name]").fill("leaf")
    one.locator("[data-field=kind]").select_option("categorical")
    one.locator("[data-field=values]").fill("a, a, b")
    one.locator("[data-field=values]").blur()
    expect(one).to_contain_text("“a” is there twice")


def test_the_pages_say_the_same_about_stopping(home, site, visitor):
    parameters = [{"name": "cups", "kind": "integer", "low": 1, "high": 4}]
    space = {"kind": "space", "parameters": parameters, "constraints": []}
    study = site.post("/api/studies", {"name": "Cups", "space": space})["id"]
    for _ in range(MAX_ANSWERS):
        duel = site.post(f"/api/studies/{study}/ask")
        if duel["progress"]["stop"]:
            break
        better = "first" if duel["first"]["cups"] > duel["second"]["cups"] else "second"
        site.post(f"/api/studies/{study}/answers", {"duel_id": duel["id"], "outcome": better})
    assert duel["progress"]["stop"]
    page = visitor().open(f"{home}/studies/{study}/duel")
    expect(page.locator("#finished")).to_be_visible()
    expect(page.locator("#finished-words")).to_contain_text(duel["progress"]["sentence"])
    page.goto(f"{home}/studies/{study}/results")
    fact = f"Close to the best{format_probability(duel['progress']['p_within'])}"
    expect(page.locator("#best-facts")).to_contain_text(fact)
