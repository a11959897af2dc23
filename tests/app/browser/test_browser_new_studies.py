"""Studies made by hand on the New page: a space that is built there, and a table that is dropped on it."""

import re
import struct
import zlib

import pytest
from browsing import (
    cards_are_shown,
    choose,
    csv_table,
    drop_file,
    fill_parameter,
    see_results,
    start_comparing,
    text_of,
)
from playwright.sync_api import expect

HEADER = ["name", "price", "weight", "photo", "page", "note"]
TEAS = [
    ["Assam", 4.5, 120, "assam.png", "https://example.org/assam", "=1+1"],
    ["Ceylon", 5.25, 100, "ceylon.png", "https://example.org/ceylon", "@SUM(A1)"],
    ["Darjeeling", 9, 80, "darjeeling.png", "https://example.org/darjeeling", "<b>first flush</b>"],
    ["Keemun", 7.75, 95, "keemun.png", "https://example.org/keemun", "-2+3"],
    ["Lapsang", 6.5, 90, "lapsang.png", "https://example.org/lapsang", "smoky, strong"],
    ["Oolong", 11, 60, "oolong.png", "https://example.org/oolong", "+1"],
]


def test_a_space_that_is_built_by_hand(home, visitor):
    someone = visitor()
    someone.allow(r"status of 422 .*/api/studies/check")
    page = someone.open(f"{home}/new")
    create = page.get_by_role("button", name="Create study")
    expect(page.locator("#status")).to_contain_text("Still needed: a name for the study")
    expect(create).to_be_disabled()

    page.locator("#name").fill("Bread <i>& butter</i>")
    fill_parameter(page, 1, name="oven", low="180", high="250", unit="°C")
    fill_parameter(page, 2, name="hours", kind="Integer", low="9", high="4")
    expect(page.get_by_text("“To” must be above “From”.")).to_be_visible()
    fill_parameter(page, 2, high="24")
    page.get_by_role("button", name="Add a parameter").click()
    fill_parameter(page, 3, name="flour", kind="Category", values="wheat, rye, spelt")
    expect(page.locator("#status")).to_contain_text("Ready: 3 parameters vary")

    rules = page.get_by_role("textbox", name="Rules between parameters")
    rules.fill("oven + hours <= ten")
    expect(page.locator("#status")).to_have_attribute("data-kind", "bad")
    expect(rules).to_have_attribute("aria-invalid", "true")
    rules.fill("oven + 2*hours <= 270")
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")
    page.get_by_role("heading", name="Drawing").click()
    page.get_by_label("SVG template").fill(
        '<svg viewBox="0 0 100 40"><rect width="{{ hours * 4 }}" height="40" fill="tan"/></svg>'
    )
    expect(page.locator("#preview svg rect")).to_have_attribute("fill", "tan")
    expect(page.locator("#preview")).to_contain_text("°C")

    # What is written survives a reload.
    page.reload()
    expect(page.locator("[aria-label='Parameter 3']").locator("[data-field=values]")).to_have_value("wheat, rye, spelt")
    expect(create).to_be_enabled()
    create.click()
    page.wait_for_url("**/anchors")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bread <i>& butter</i>")
    start_comparing(page)
    expect(page.locator("#first svg rect")).to_be_visible()
    choose(page, "second")
    see_results(page)
    expect(page.locator("#best-sentence")).to_contain_text("It is early")


@pytest.mark.parametrize(("repeats", "rate"), [(True, 0.05), (False, 0.0)])
def test_repeats_can_be_turned_off_and_the_choice_survives_a_reload(home, visitor, repeats, rate):
    page = visitor().open(f"{home}/new")
    page.locator("#name").fill("Bread")
    fill_parameter(page, 1, name="oven", low="180", high="250")
    fill_parameter(page, 2, name="hours", low="1", high="4")
    page.get_by_role("heading", name="Advanced").click()
    box = page.get_by_role("checkbox", name="Repeat one question in twenty to check consistency")
    expect(box).to_be_checked()
    if not repeats:
        box.uncheck()
    expect(page.locator("#status")).to_contain_text("Ready: 2 parameters vary")
    page.reload()
    assert page.locator("#advanced").evaluate("each => each.open") == (not repeats)
    assert page.locator("#repeats").is_checked() == repeats
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")
    id = page.url.split("/studies/")[1].split("/")[0]
    assert page.request.get(f"{home}/api/studies/{id}").json()["options"]["repeat_rate"] == rate


def test_a_table_that_is_dropped(home, visitor):
    page = visitor().open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    drop_file(page, "half_of_them.csv", csv_table(HEADER, TEAS[:3]))
    expect(page.locator("#name")).to_have_value("half of them")
    drop_file(page, "my_teas.csv", csv_table(HEADER, TEAS))
    expect(page.locator("#drop-words")).to_have_text("my_teas.csv")
    expect(page.locator("#name")).to_have_value("my teas")
    expect(page.get_by_label("page", exact=True)).to_have_value("link")
    expect(page.get_by_label("price", exact=True)).to_have_value("feature")
    for cell in ("=1+1", "@SUM(A1)", "<b>first flush</b>", "-2+3"):
        expect(page.locator("#first-rows")).to_contain_text(cell)
    page.get_by_label("photo", exact=True).select_option("image")
    expect(page.locator("#columns")).to_contain_text("Drop or choose the image files above, too")
    page.get_by_label("photo", exact=True).select_option("hidden")
    page.get_by_label("name", exact=True).select_option("title")
    page.get_by_label("note", exact=True).select_option("shown")
    expect(page.locator("#status")).to_contain_text("Ready: 2 columns tell designs apart, 6 different designs")
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")
    page.get_by_role("button", name="I know this one well: Assam").click()
    expect(page.locator("#marked-words")).to_have_text("1 anchor.")

    start_comparing(page)
    pages = {name: address for name, _, _, _, address, _ in TEAS}
    notes = {name: note for *_, note in TEAS for name in [next(row[0] for row in TEAS if row[-1] == note)]}
    for side in ("first", "second"):
        [name] = text_of(page, f"#{side} .card-title")
        expect(page.locator(f"#{side}-link")).to_have_attribute("href", pages[name])
        expect(page.locator(f"#{side}-link")).to_have_attribute("rel", re.compile("noopener"))
        expect(page.locator(f"#{side}")).to_contain_text(notes[name])
    choose(page, "first")
    choose(page, "second")
    see_results(page)
    expect(page.locator("#items")).to_contain_text("Darjeeling")


def test_the_name_of_a_table_gives_way_to_that_of_the_next_also_after_a_reload(home, visitor):
    page = visitor().open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    drop_file(page, "half_of_them.csv", csv_table(HEADER, TEAS[:3]))
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")
    page.reload()
    drop_file(page, "my_teas.csv", csv_table(HEADER, TEAS))
    expect(page.locator("#name")).to_have_value("my teas")
    # One that was written stays.
    page.locator("#name").fill("All I drink")
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")
    page.reload()
    drop_file(page, "half_of_them.csv", csv_table(HEADER, TEAS[:3]))
    expect(page.locator("#drop-words")).to_have_text("half_of_them.csv")
    expect(page.locator("#name")).to_have_value("All I drink")


def test_a_name_that_is_written_before_the_script_is_loaded_stays(home, visitor):
    page, held = visitor().context.new_page(), []

    def hold(route):
        held.append(route)

    page.route("**/static/new.js", hold)
    page.goto(f"{home}/new", wait_until="commit")
    page.locator("#name").fill("Early tea")
    page.locator("#question").fill("Which cup?")
    expect(page.locator("#parameters li")).to_have_count(0)
    held[0].continue_()
    expect(page.locator("#status")).to_contain_text("Still needed: a name, “From”, “To” for parameter 1")
    for field, text in (("#name", "Early tea"), ("#question", "Which cup?")):
        expect(page.locator(field)).to_have_value(text)


def test_a_bad_parameter_is_named_once_and_marks_nothing_else(home, visitor):
    someone = visitor()
    someone.allow(r"status of 422 .*/api/studies/check")
    page = someone.open(f"{home}/new")
    page.locator("#name").fill("Odd names")
    fill_parameter(page, 1, name="constraint", low="9", high="4")
    fill_parameter(page, 2, name="svg element", low="0", high="1")
    status = page.locator("#status")
    expect(status).to_contain_text("'constraint': the lower end must be below the upper end")
    assert status.inner_text().count("constraint") == 1
    for field in ("#constraints", "#template"):
        expect(page.locator(field)).to_have_attribute("aria-invalid", "false")


def test_pictures_of_an_uploaded_table_leave_no_broken_card(home, visitor):
    someone = visitor()
    someone.allow(r"status of 404 .*/images/")
    page = someone.open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    page.locator("#table-file").set_input_files(
        {"name": "teas.csv", "mimeType": "text/csv", "buffer": csv_table(HEADER, TEAS)}
    )
    page.get_by_label("photo", exact=True).select_option("image")
    expect(page.locator("#preview .no-picture")).to_contain_text(".png")
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")
    start_comparing(page)
    cards_are_shown(page)
    expect(page.locator("#first .picture")).to_contain_text(".png")
    choose(page, "first")


def picture(shade):
    """A PNG, 1,200 pixels wide."""
    rows = b"".join(b"\0" + bytes([shade, 120, 90]) * 1200 for _ in range(300))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1200, 300, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_pictures_that_come_with_a_table_are_on_its_cards(home, visitor):
    page = visitor().open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    files = [{"name": row[3], "mimeType": "image/png", "buffer": picture(20 * n)} for n, row in enumerate(TEAS)]
    page.locator("#table-file").set_input_files(
        [{"name": "teas.csv", "mimeType": "text/csv", "buffer": csv_table(HEADER, TEAS)}, *files[:4]]
    )
    expect(page.get_by_label("photo", exact=True)).to_have_value("image")
    expect(page.locator("#columns")).to_contain_text("4 of 6 pictures are here")
    expect(page.locator("#preview img")).to_have_js_property("naturalWidth", 800)
    page.locator("#table-file").set_input_files(
        [*files[4:], {"name": "drawing.svg", "mimeType": "image/svg+xml", "buffer": b"<svg/>"}]
    )
    expect(page.locator("#columns")).to_contain_text("All 6 pictures are here")
    expect(page.locator("#table-message")).to_contain_text("drawing.svg cannot be shown. Use PNG, JPEG, GIF or WebP.")
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")
    start_comparing(page)
    cards_are_shown(page)
    # Made as small as a card needs it.
    for side in ("first", "second"):
        expect(page.locator(f"#{side} .picture img")).to_have_js_property("naturalWidth", 800)
    choose(page, "first")


MOLECULES = [
    ["M-1", "CC(=O)Oc1ccccc1C(=O)O"], ["M-2", "CC(=O)Nc1ccc(O)cc1"], ["M-3", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"],
    ["M-4", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"], ["M-5", "COc1cc(C=O)ccc1O"], ["M-6", "OC(=O)c1ccccc1O"],
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chemist_needs_no_more_than_ids_and_smiles(home, visitor, scheme):
    pytest.importorskip("rdkit")
    someone = visitor(color_scheme=scheme)
    someone.allow(r"status of 422 .*/api/catalogue")
    page = someone.open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    drop_file(page, "broken.csv", csv_table(["id", "smiles"], [*MOLECULES, ["M-7", "C1CC"]]))
    expect(page.locator("#table-message")).to_contain_text(
        "received the SMILES 'C1CC' in line 8; correct the row, or leave it out"
    )
    drop_file(page, "painkillers.csv", csv_table(["id", "smiles"], MOLECULES))
    expect(page.get_by_label("fingerprint", exact=True)).to_have_value("fingerprint")
    expect(page.locator("#columns")).to_contain_text("molecules are compared by it")
    expect(page.locator("#first-rows")).to_contain_text("of 1024 bits")
    expect(page.locator("#preview .picture svg")).to_be_visible()
    expect(page.locator("#status")).to_have_text("Ready: 1 column tells designs apart, 6 different designs.")
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")
    start_comparing(page)
    cards_are_shown(page)
    for side in ("first", "second"):
        expect(page.locator(f"#{side} .picture svg")).to_be_visible()
        expect(page.locator(f"#{side}")).to_contain_text("M-")
    choose(page, "first")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"name,price\nAssam,4\nCeylon\n", "line 3"),
        (b"name,name\nAssam,4\nCeylon,5\n", "name"),
        (b"name,price\nAss\x81m,4\nCeylon,5\n", "in Excel, choose 'CSV UTF-8'"),
        (b"name,price\n", "must have"),
    ],
    ids=["empty", "ragged", "twice", "another encoding", "no rows"],
)
def test_a_bad_table_is_told(home, visitor, content, words):
    someone = visitor()
    someone.allow(r"status of 422 .*/api/catalogue")
    page = someone.open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    drop_file(page, "bad.csv", content)
    message = page.locator("#table-message")
    expect(message).to_be_visible()
    expect(message).to_contain_text("bad.csv")
    expect(message).to_contain_text(words)
    expect(page.get_by_role("button", name="Create study")).to_be_disabled()
    # The next one replaces the message.
    drop_file(page, "teas.csv", csv_table(HEADER, TEAS))
    expect(message).to_be_hidden()
    expect(page.locator("#first-rows")).to_contain_text("Lapsang")
