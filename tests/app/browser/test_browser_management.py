"""The list of studies: edit, archive, restore, duplicate; the question and the welcome that participants read."""

import pytest
from browsing import COFFEE, cards_are_shown, edit_study, start_comparing, text_of, try_example, violations
from playwright.sync_api import expect


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_study_is_renamed_duplicated_archived_and_restored(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(home)
    name = f"Espresso, {scheme}"
    try_example(page, COFFEE)
    page.goto(home)
    dialog = edit_study(page, COFFEE)
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Question").fill("Which cup would you order?")
    dialog.get_by_label("What it is for").fill("We look for the recipe of the new menu.")
    assert violations(page) == []
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()

    edit_study(page, name).get_by_role("button", name="Duplicate").click()
    expect(page.get_by_role("link", name=f"{name} (copy)", exact=True)).to_be_visible()

    edit_study(page, f"{name} (copy)").get_by_role("button", name="Archive").click()
    archived = page.get_by_role("list", name="Archived studies")
    page.get_by_text("Archived studies (1)").click()
    assert text_of(page, "#archived .study-name") == [f"{name} (copy)"]
    edit_study(page, f"{name} (copy)").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Archived studies")).to_be_hidden()
    expect(archived).to_be_hidden()

    page.get_by_role("button", name=f"Delete {name} (copy)", exact=True).click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("link", name=f"{name} (copy)", exact=True)).to_have_count(0)


def test_a_name_that_is_missing_is_told_in_the_dialog(home, visitor):
    owner = visitor()
    owner.allow("status of 422")
    page = owner.open(home)
    try_example(page, COFFEE)
    page.goto(home)
    dialog = edit_study(page, COFFEE)
    dialog.get_by_label("Name").fill("   ")
    with page.expect_response(lambda response: response.request.method == "PATCH") as refused:
        dialog.get_by_role("button", name="Save").click()
    assert refused.value.status == 422
    expect(dialog.get_by_role("alert")).to_contain_text("Name must be a text")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("link", name=COFFEE, exact=True).first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_participant_reads_what_it_is_for_and_compares_a_and_b(home, visitor, scheme):
    page = visitor(color_scheme=scheme).open(home)
    study = try_example(page, COFFEE)
    for path, method, body in (
        ("", "PATCH", {"question": "Which cup would you order?", "description": "We look for the recipe of the menu."}),
        ("/participants", "POST", {"name": "Ana"}),
    ):
        page.request.fetch(f"{home}/api/studies/{study}{path}", method=method, data=body)
    page.goto(f"{home}/studies/{study}/welcome?as=Ana")
    expect(page.get_by_text("We look for the recipe of the menu.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Start").click()
    start_comparing(page)
    cards_are_shown(page)
    expect(page.get_by_role("heading", name="Which cup would you order?")).to_be_visible()
    assert [text[0] for text in text_of(page, ".letter")] == ["A", "B"]
    assert violations(page) == []
    for key, side in (("b", "second"), ("a", "first")):
        with page.expect_request("**/answers") as sent:
            page.keyboard.press(key)
        assert sent.value.post_data_json["outcome"] == side
        cards_are_shown(page, 2 if key == "b" else 3)
