"""The People page: do they disagree, or is it not known yet?"""

import pytest
from browsing import COFFEE, try_example, violations
from playwright.sync_api import expect


@pytest.fixture
def party(home, visitor):
    """A page of an owner, a study with Ana, and a function that answers."""

    def begin(scheme="light"):
        page = visitor(color_scheme=scheme).open(home)
        study = f"{home}/api/studies/{try_example(page, COFFEE)}"
        page.request.post(f"{study}/participants", data={"name": "Ana"})

        def answer(name, count, outcome="first"):
            for _ in range(count):
                duel = page.request.post(f"{study}/ask", data={"participant": name}).json()
                given = {"duel_id": duel["id"], "outcome": outcome, "participant": name}
                assert page.request.post(f"{study}/answers", data=given).ok

        return page, study, answer

    return begin


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_after_few_answers_the_page_says_that_it_is_not_known_yet(party, scheme):
    page, study, answer = party(scheme)
    answer("owner", 5)
    answer("Ana", 5)
    page.goto(study.replace("/api", "") + "/people")
    expect(page.locator("#agreement-words")).to_contain_text("It is not known yet whether they agree")
    expect(page.locator("#matrix td.heat").first).to_contain_text("not known yet")
    expect(page.locator("#matrix td.heat small").first).to_contain_text(" to ")
    row = page.get_by_role("row", name="You (owner) and Ana")  # Ana's fifth question was one of the owner's
    expect(row).to_contain_text("not known yet")
    assert sum(int(text) for text in row.locator("td").all_inner_texts()[:3]) == 1
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_owner_sets_how_often_pairs_are_shared(party):
    page, study, _ = party()
    page.goto(study.replace("/api", "") + "/people")
    choice = page.get_by_label("Ask about pairs that somebody else has answered")
    expect(choice).to_have_value("0.2")
    choice.select_option("never")
    expect(page.locator("#toast")).to_contain_text("Saved.")
    assert page.request.get(study).json()["shared_pairs"] == 0.0
    page.request.patch(study, data={"shared_pairs": 0.25})
    page.reload()
    expect(choice).to_have_value("0.25")
    expect(choice.locator("option:checked")).to_have_text("25 %")
