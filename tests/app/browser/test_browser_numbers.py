"""The page writes numbers as the report does, and quotes what was typed."""

from playwright.sync_api import expect

from anchorpbo.app.report.descriptions import format_noise, format_number, format_percent
from anchorpbo.formatting import format_value

VALUES = [12.625, -12.625, 0.125, -0.125, 2.5, 12.25, 1234.5, 99.95, 0.005, 1e-5, 250_000.0, 0.0625, 1.0]
SHARES = [0.0, 0.004, 0.125, 0.5, 0.995]
WORDS = """async ([values, shares]) => {
  const words = await import("/static/results-words.js");
  return [values.map((value) => words.number(value)), values.map((value) => words.number(value, 1)),
    values.slice(0, 6).map(words.shown),
    values.filter((value) => value > 1e-4).map(words.noise), shares.map(words.percent), words.shown(null)];
}"""


def test_the_page_rounds_as_the_report_does(home, visitor):
    page = visitor().open(home)
    ours = [
        [format_number(value) for value in VALUES],
        [format_number(value, 1) for value in VALUES],
        [format_value(value) for value in VALUES[:6]],
        [format_noise(value) for value in VALUES if value > 1e-4],
        [format_percent(share) for share in SHARES],
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
