"""Three studies from an empty database to the exported report, by the controls of the pages alone.

::

    roaster    describes parameters and a rule, and compares cups
    chemist    uploads a table of molecules
    team lead  invites two people, and looks how far they agree
"""

import math
import re

import pytest
from browsing import (
    TOKEN,
    answer_duels,
    card_texts,
    cards_are_shown,
    choose,
    csv_table,
    edit_study,
    fill_parameter,
    invite,
    save_download,
    see_results,
    start_comparing,
    text_of,
)
from playwright.sync_api import expect


def number(text):
    """Return the number that a value begins with: "4.25 min" is 4.25."""
    return float(text.split()[0])


def start_a_study(page):
    """Go from the empty list of studies to the form of a new one."""
    expect(page.get_by_role("heading", name="Find the design an expert likes best")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Edit"))).to_have_count(0)
    page.get_by_role("link", name="New study").click()
    expect(page.get_by_text("Still needed: a name for the study")).to_be_visible()


def name_field(page):
    return page.get_by_label("Name", exact=True).first


def create_the_study(page, ready):
    expect(page.get_by_role("status").filter(has_text="Ready")).to_have_text(ready)
    page.get_by_role("button", name="Create study").click()
    page.wait_for_url("**/anchors")


def figures_are_drawn(page, *names):
    for name in names:
        expect(page.locator(f"#{name} .main-svg").first).to_be_visible()


def progress_counts(page, answers):
    expect(page.locator("#progress")).to_contain_text(f"{answers} comparisons so far.")


def open_report(page, folder):
    """Save the report and open the file as its reader does; return its name and its page."""
    path = save_download(page, "Report (HTML)", folder)
    report = page.context.new_page()
    report.goto(path.as_uri())
    charts = report.locator("figure img")
    expect(charts.first).to_be_visible()
    assert charts.evaluate_all("all => all.every((one) => one.complete && one.naturalWidth > 0)")
    return path.name, report


def section(report, title):
    return report.locator("section").filter(has=report.get_by_role("heading", name=title, exact=True))


# -- a roaster --------------------------------------------------------------------------------------------------------

ROASTS = {
    "Drying time": {"low": "3", "high": "7", "unit": "min", "step": "0.25"},
    "Maillard time": {"low": "2", "high": "6", "unit": "min", "step": "0.25"},
    "Drop temperature": {"low": "200", "high": "220", "unit": "°C"},
}
ANCHORS = {"my usual": ("5", "4", "209"), "the old one": ("6.5", "2.5", "218")}
CUP = "Which cup would you rather serve?"


def likes_cup(cup):
    """Best at 4.5 min, 3.5 min and 212 °C."""
    drying, maillard, drop = (number(cup[name]) for name in ROASTS)
    return -math.hypot(drying - 4.5, maillard - 3.5, (drop - 212) / 4)


def set_values(page, values):
    for (name, fields), value in zip(ROASTS.items(), values, strict=True):
        page.get_by_label(f"{name}, exact, in {fields['unit']}").fill(value)


def mark_what_is_unknown(page):
    """Press the key of "I know A well", or of B if A is known already."""
    letter = (
        page.get_by_role("button", name=re.compile("I know [AB] well"), pressed=False).first.inner_text().split()[2]
    )
    page.keyboard.press({"A": "j", "B": "k"}[letter])
    expect(page.get_by_text(f"{letter} is marked as well known.")).to_be_visible()


def take_back(page, answers):
    """Answer in haste, take it back, and see the same pair again."""
    cards_are_shown(page)
    pair = text_of(page, ".choice")
    choose(page, "tie")
    progress_counts(page, answers + 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Your last answer was taken back.")).to_be_visible()
    progress_counts(page, answers)
    cards_are_shown(page)
    assert text_of(page, ".choice") == pair


def test_a_roaster_goes_from_parameters_and_a_rule_to_a_report(empty, visitor, tmp_path):
    someone = visitor()
    someone.allow(r"status of 422 .*/(check|cards)")
    page = someone.open(f"http://127.0.0.1:{empty.port}")
    start_a_study(page)
    name_field(page).fill("Kenya, washed")
    page.get_by_role("textbox", name="Question").fill(CUP)
    page.get_by_role("button", name="Add a parameter").click()
    for place, (name, fields) in enumerate(ROASTS.items(), 1):
        fill_parameter(page, place, name=name, **fields)
    drop = page.get_by_role("listitem", name="Parameter 3")
    drop.get_by_text("More options").click()
    drop.get_by_role("button", name="Use 1").click()  # the smallest difference that is noticed, as suggested
    rules = page.get_by_role("textbox", name="Rules between parameters")
    rules.fill("Drying time + Browning time <= 10")
    expect(page.get_by_role("status").filter(has_text="Rule 1")).to_contain_text("Browning time")
    rules.fill("Drying time + Maillard time ≤ 10")
    create_the_study(page, "Ready: 3 parameters vary.")

    set_values(page, ("6.5", "6", "210"))
    expect(page.get_by_role("alert").filter(has_text="Drying")).to_have_text(
        "Drying time + Maillard time may be at most 10 min; here it is 12.5."
    )
    know = page.get_by_role("button", name="I know this one well", exact=True)
    expect(know).to_be_disabled()
    for count, (name, values) in enumerate(ANCHORS.items(), 1):
        set_values(page, values)
        shown = [f"{value}\u00a0{fields['unit']}" for value, fields in zip(values, ROASTS.values(), strict=True)]
        expect(page.locator("#preview dd")).to_have_text(shown)
        page.get_by_label("Name (optional)", exact=True).fill(name)
        know.click()
        expect(page.locator("#marked .card")).to_have_count(count)
    expect(page.get_by_text("2 anchors.")).to_be_visible()
    figures_are_drawn(page, "map")

    start_comparing(page)
    expect(page.get_by_role("heading", name=CUP)).to_be_visible()
    answer_duels(page, likes_cup, 5)
    answer_duels(page, lambda cup: -likes_cup(cup), 1)  # a slip
    mark_what_is_unknown(page)
    answer_duels(page, likes_cup, 3)
    take_back(page, 9)
    answer_duels(page, likes_cup, 3)
    progress_counts(page, answers := 12)

    see_results(page)
    again = page.get_by_role("button", name="Compare again")
    if again.count():  # whether the slip is noticed depends on the pairs
        again.first.click()
        page.wait_for_url("**/duel*")
        cards_are_shown(page)
        expect(page.get_by_text("You compared these two before")).to_be_visible()
        answer_duels(page, likes_cup, 1)
        answers += 1
        see_results(page)
    expect(page.locator("#verdict-sentence")).to_have_text(
        re.compile(r"^(Keep going|Good enough)\. .*design is close to the best with \d+ % probability")
    )
    expect(page.locator("#verdict-evidence")).to_have_text(
        re.compile(r"^Your other answers predict \d+ of your last 12 choices\.$")
    )
    expect(page.locator("#best-facts")).to_contain_text(f"Comparisons {answers}", use_inner_text=True)
    figures_are_drawn(page, "map", "slices", "importance")
    best = card_texts(page.locator("#best-card"))
    assert list(best) == list(ROASTS)
    for text, unit, step in zip(best.values(), ("min", "min", "°C"), (0.25, 0.25, 1), strict=True):
        assert text == f"{number(text):g} {unit}"
        assert number(text) % step == 0
    assert number(best["Drying time"]) + number(best["Maillard time"]) <= 10

    name, report = open_report(page, tmp_path)
    assert name == "kenya-washed.html"
    expect(report.get_by_role("heading", level=1)).to_have_text("Kenya, washed")
    expect(report.get_by_text(f"Question: {CUP}")).to_be_visible()
    expect(report.get_by_text(f"{answers} comparisons.")).to_be_visible()
    assert card_texts(section(report, "Recommended").locator(".card")) == best
    anchors = section(report, "Anchors").get_by_role("listitem")
    expect(anchors).to_have_count(3)
    expect(anchors.nth(0)).to_have_text("“my usual”: Drying time 5 min · Maillard time 4 min · 209 °C")
    expect(anchors.nth(1)).to_contain_text("“the old one”")
    expect(section(report, "History").get_by_text("taken back")).to_have_count(1)
    expect(section(report, "Settings")).to_contain_text("Drying time + Maillard time ≤ 10 min")


# -- a chemist --------------------------------------------------------------------------------------------------------

MOLECULES = {
    "M-01": "CC(=O)Oc1ccccc1C(=O)O", "M-02": "CC(=O)Nc1ccc(O)cc1", "M-03": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "M-04": "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "M-05": "COc1cc(C=O)ccc1O", "M-06": "OC(=O)c1ccccc1O",
    "M-07": "COc1ccc2cc(ccc2c1)C(C)C(=O)O", "M-08": "CN1CCC[C@H]1c1cccnc1", "M-09": "OC(=O)c1cc(O)c(O)c(O)c1",
    "M-10": "CCOc1ccc(NC(C)=O)cc1",
}  # fmt: skip
TO_MAKE = "Which one would you rather make?"


def likes_molecule(card):
    """The more oxygen and the less nitrogen, the better."""
    smiles = MOLECULES[card["title"]].upper()
    return smiles.count("O") - smiles.count("N")


def upload_molecules(page, molecules):
    table = csv_table(["id", "smiles"], molecules)
    page.locator("#table-file").set_input_files({"name": "phenols.csv", "mimeType": "text/csv", "buffer": table})


def test_a_chemist_goes_from_a_table_of_molecules_to_a_report(empty, visitor, tmp_path):
    pytest.importorskip("rdkit")
    someone = visitor(color_scheme="dark")
    someone.allow(r"status of 422 .*/api/catalogue")
    page = someone.open(f"http://127.0.0.1:{empty.port}")
    start_a_study(page)
    page.get_by_role("tab", name="Use a table").click()
    rows = list(MOLECULES.items())
    upload_molecules(page, [*rows[:2], ("M-03", "CC(C)Cc1cc"), *rows[3:5], ("M-02", rows[5][1]), *rows[6:]])
    problem = page.get_by_role("alert").filter(has_text="phenols.csv")
    expect(problem).to_contain_text("the SMILES 'CC(C)Cc1cc' in line 4, the id 'M-02' of line 3 again in line 7")
    upload_molecules(page, rows)
    expect(problem).to_be_hidden()
    expect(name_field(page)).to_have_value("phenols")
    page.get_by_role("textbox", name="Question").fill(TO_MAKE)
    expect(page.locator("#columns")).to_contain_text("molecules are compared by it")
    expect(page.locator("#preview .picture svg")).to_be_visible()
    create_the_study(page, "Ready: 1 column tells designs apart, 10 different designs.")

    expect(page.locator("#items .picture svg")).to_have_count(10)
    page.get_by_role("button", name="I know this one well: M-01").click()
    page.get_by_role("searchbox", name="Search").fill("m-08")
    expect(page.get_by_text("1 item.")).to_be_visible()
    page.get_by_role("button", name="I know this one well: M-08").click()
    expect(page.get_by_text("2 anchors.")).to_be_visible()
    expect(page.locator("#marked .picture svg")).to_have_count(2)
    figures_are_drawn(page, "map")

    start_comparing(page)
    expect(page.get_by_role("heading", name=TO_MAKE)).to_be_visible()
    expect(page.locator("#pair .picture svg")).to_have_count(2)
    answer_duels(page, likes_molecule, 9)
    progress_counts(page, 9)

    see_results(page)
    best = card_texts(page.locator("#best-card"))["title"]
    assert likes_molecule({"title": best}) > 0
    expect(page.locator("#best-card .picture svg")).to_be_visible()
    items = page.get_by_role("region", name="Table of items").locator("tbody tr")
    expect(items).to_have_count(10)
    assert sorted(re.search(r"M-\d+", text)[0] for text in text_of(page, "#items tbody th")) == list(MOLECULES)
    expect(items.locator(".thumbnail svg")).to_have_count(10)
    expect(items.filter(has_text="recommended")).to_contain_text(best)
    expect(items.filter(has_text="anchor")).to_have_count(2)
    figures_are_drawn(page, "map")

    name, report = open_report(page, tmp_path)
    assert name == "phenols.html"
    expect(report.get_by_text(f"Question: {TO_MAKE}")).to_be_visible()
    recommended = section(report, "Recommended")
    expect(recommended.get_by_role("heading", name=best)).to_be_visible()
    expect(recommended.get_by_role("img", name=best).locator("svg")).to_be_visible()
    anchors = section(report, "Anchors").get_by_role("listitem")
    expect(anchors).to_have_text(["M-01", "M-08"])
    expect(anchors.locator("svg")).to_have_count(2)
    compared = section(report, "History").locator("tr").filter(has_text="preferred")
    expect(compared).to_have_count(9)
    expect(compared.locator("svg")).to_have_count(18)


# -- a team lead ------------------------------------------------------------------------------------------------------

WEEK = "Which week would you rather work in?"
PURPOSE = "We plan the meetings of the next quarter."


def likes_quiet(week):
    """Best with 2 meetings of 30 minutes."""
    return -math.hypot(number(week["Meetings"]) - 2, (number(week["Longest"]) - 30) / 15)


def likes_talk(week):
    """Best with 8 meetings of 75 minutes."""
    return -math.hypot(number(week["Meetings"]) - 8, (number(week["Longest"]) - 75) / 15)


def join(page, name):
    """Read the welcome of a participant, and start."""
    expect(page.get_by_role("heading", name=f"Welcome, {name}")).to_be_visible()
    for text in (PURPOSE, WEEK, "Expect 20 to 40 comparisons, which take most people 5 to 15 minutes."):
        expect(page.get_by_role("main")).to_contain_text(text)
    page.get_by_role("link", name="Start", exact=True).click()
    expect(page.get_by_text(f"for {name}", exact=True)).to_be_visible()
    assert text_of(page, "nav a") == ["Anchors", "Compare", "Results"]
    start_comparing(page)


def guests_are_listed(page):
    """Open the People page and see what Ana and Ben have done."""
    page.get_by_role("link", name="People").click()
    guests = page.get_by_role("listitem").filter(has=page.get_by_role("button", name=re.compile("Copy link")))
    expect(guests).to_have_text([re.compile(f"{name}.*10 answers, 0 anchors") for name in ("Ana", "Ben")])


def test_a_team_lead_goes_from_invitations_to_agreement_and_a_report(locked, visitor, tmp_path):
    home = f"http://127.0.0.1:{locked.port}"
    page = visitor().open(f"{home}/login#token={TOKEN}")
    start_a_study(page)
    name_field(page).fill("Meetings in spring")
    page.get_by_role("textbox", name="Question").fill(WEEK)
    page.get_by_label("What it is for").fill(PURPOSE)
    fill_parameter(page, 1, name="Meetings", kind="Integer", low="1", high="9")
    fill_parameter(page, 2, name="Longest", low="15", high="90", unit="min", step="15")
    create_the_study(page, "Ready: 2 parameters vary, 54 different designs.")

    page.get_by_role("link", name="People").click()
    links = {name: invite(page, name) for name in ("Ana", "Ben")}
    page.get_by_label("Ask about pairs that somebody else has answered").select_option("every second question")
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("link", name="Compare", exact=True).click()
    answer_duels(page, likes_quiet, 5)

    for name, taste in (("Ana", likes_quiet), ("Ben", likes_talk)):
        guest = visitor().open(links[name])
        join(guest, name)
        answer_duels(guest, taste, 1)
        expect(guest.get_by_text("Somebody else compared these two as well")).to_be_visible()
        answer_duels(guest, taste, 9)

    guests_are_listed(page)
    expect(page.get_by_text("Of 3 pairs of people, 1 agrees and 2 disagree.")).to_be_visible()
    shared = page.get_by_role("region", name="Answers to the same pairs")
    for row, words in (
        ("You (owner) and Ana", "5 0 0 100 % (55 % to 100 %) agree"),
        ("You (owner) and Ben", "disagree"),
        ("Ana and Ben", "disagree"),
    ):
        expect(shared.get_by_role("row", name=row)).to_contain_text(words, use_inner_text=True)
    for cell in page.get_by_role("region", name="Agreement of each two people").locator("td.heat").all():
        expect(cell).to_contain_text(re.compile(r"\d\.\d\d to −?\d\.\d\d"))
    choices = page.get_by_role("article")
    expect(choices.get_by_role("heading")).to_have_text(["All together", "You (owner)", "Ana", "Ben"])
    _, _, ana, ben = (card_texts(card) for card in choices.all())
    assert likes_quiet(ana) > likes_quiet(ben)
    assert likes_talk(ben) > likes_talk(ana)

    see_results(page)
    expect(page.locator("#best-facts")).to_contain_text("Comparisons 5", use_inner_text=True)
    name, report = open_report(page, tmp_path)
    assert name == "meetings-in-spring.html"
    for text in (PURPOSE, f"Question: {WEEK}", "5 comparisons."):
        expect(report.get_by_text(text)).to_be_visible()
    assert card_texts(section(report, "Recommended").locator(".card")) == card_texts(page.locator("#best-card"))
    exported = save_download(page, "Study (JSON)", tmp_path)
    assert exported.name == "meetings-in-spring.json"

    all_studies = page.get_by_role("link", name="anchorpbo, all studies")
    all_studies.click()
    dialog = edit_study(page, "Meetings in spring")
    dialog.get_by_label("Name").fill("Meetings, decided")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Meetings, decided", exact=True)).to_be_visible()
    page.get_by_label("Import").set_input_files(exported)
    page.wait_for_url("**/duel")
    expect(page.get_by_role("heading", level=1)).to_have_text("Meetings in spring")
    guests_are_listed(page)
    all_studies.click()
    edit_study(page, "Meetings, decided").get_by_role("button", name="Archive").click()
    page.get_by_text("Archived studies (1)").click()
    assert text_of(page, "#archived .study-name") == ["Meetings, decided"]
    assert text_of(page, "#studies .study-name") == ["Meetings in spring"]
    stored = {study["name"]: (study["answers"], study["archived"]) for study in locked.get("/api/studies")}
    assert stored == {"Meetings, decided": (25, True), "Meetings in spring": (25, False)}
