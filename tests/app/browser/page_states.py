"""All pages of the app in their states, and studies that fill them, for tests that look at every page.

::

    STATES         name -> function that brings a page into a state
    make_studies   the studies that these states show, with names as short or as long as one wants
"""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from browsing import cards_are_shown, csv_table, results_are_shown
from playwright.sync_api import Page, expect

from support.clips import wav
from support.server_process import Server

LETTERS = 60
FILLER = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamte"
ART = '<svg viewBox="0 0 100 60"><circle cx="50" cy="30" r="{r}" fill="#447799"/></svg>'
TEMPLATE = '<svg viewBox="0 0 100 60"><rect width="{{ 90 * a + 10 }}" height="60" fill="tan"/></svg>'
SMILES = ("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1", "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "Cn1cnc2c1c(=O)n(C)c(=O)n2C")

Naming = Callable[[str], str]


def short(name: str) -> str:
    return name


def long(name: str) -> str:
    """A name of 60 letters without a space."""
    return f"{name.replace(' ', '')}{FILLER}"[:LETTERS]


# -- studies ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Studies:
    """Ids of the studies, and how their names are made."""

    name: Naming
    space: str
    """Parameters of every kind; two named anchors, and three people who have answered."""
    table: str
    """A catalogue with drawings and links, which its owner alone has answered."""
    drawn: str
    """Drawings by a template, without an answer."""
    sounds: str
    """Clips, of which half are missing."""
    contrary: str
    """Answers that contradict each other."""
    empty: str
    """Neither anchors nor answers."""


def make_studies(site: Server, name: Naming = short) -> Studies:
    return Studies(
        name, _make_space(site, name), _make_table(site, name), _make_drawn(site, name), _make_sounds(site, name),
        _make_contrary(site, name), _make_empty(site, name),
    )  # fmt: skip


def _real(name: str, low: float = 0.0, high: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": "real", "low": low, "high": high, **more}


def _post(
    site: Server, title: str, parameters: list[dict[str, Any]], constraints: Iterable[Any] = (), **more: Any
) -> str:
    space = {"kind": "space", "parameters": parameters, "constraints": list(constraints)}
    return str(site.post("/api/studies", {"name": title, "space": space, **more})["id"])


def _answer(site: Server, study: str, outcomes: Iterable[str], participant: str = "owner") -> None:
    for outcome in outcomes:
        duel = site.post(f"/api/studies/{study}/ask", {"participant": participant})
        given = {"duel_id": duel["id"], "outcome": outcome, "participant": participant, "response_ms": 2_500}
        site.post(f"/api/studies/{study}/answers", given)


def _mark(site: Server, study: str, *names: str) -> None:
    proposals = site.get(f"/api/studies/{study}/anchors/proposals?n={len(names)}")
    for proposal, name in zip(proposals, names, strict=True):
        site.post(f"/api/studies/{study}/anchors", {"design": proposal["design"], "name": name})


def _make_space(site: Server, name: Naming) -> str:
    heat, pours = name("Heat"), name("Pours")
    roasts = [name(one) for one in ("pale", "light", "medium", "dark", "black")]
    parameters = [
        _real(heat, 80.0, 96.0, step=0.5),
        {"name": pours, "kind": "integer", "low": 1, "high": 6},
        {"name": name("Origin"), "kind": "categorical", "values": [name(one) for one in ("Kenya", "Brazil", "Java")]},
        {"name": name("Roast"), "kind": "ordinal", "values": roasts},
        {"name": name("Stirred"), "kind": "boolean"},
        {"name": name("Water"), "kind": "constant", "value": name("soft")},
    ]  # fmt: skip
    study = _post(
        site, name("Pour over"), parameters, description=f"{name('A recipe')} for the menu.",
        question=f"{name('Which')}?", display={"units": {heat: "°C"}}, shared_pairs=0.5,
    )  # fmt: skip
    _mark(site, study, name("my usual"), name("at work"))
    for number, who in enumerate(("owner", name("Ana"), name("Ben"))):
        if who != "owner":
            site.post(f"/api/studies/{study}/participants", {"name": who})
        _answer(site, study, ("first", "second", "tie", "skip", "first", "second", "first")[number:], who)
    site.post(f"/api/studies/{study}/undo")
    answered = [one for one in site.get(f"/api/studies/{study}/history") if one["type"] == "answered"]
    site.post(
        f"/api/studies/{study}/comments", {"text": f"{name('bitter')}, and thin.", "event": answered[0]["number"]}
    )
    return study


def _make_table(site: Server, name: Naming) -> str:
    ids = [name(f"{one} id") for one in ("Elm", "Oak", "Pine", "Birch", "Larch", "Beech")]
    columns = [
        {"name": name("id"), "values": ids},
        {"name": name("price"), "values": [9.0, 19.0, 7.5, 12.5, 11.0, 15.0]},
        {"name": name("colour"), "values": [name(one) for one in ("brown", "dark", "pale", "pale", "brown", "dark")]},
        {"name": "art", "values": [ART.format(r=4 * n + 4) for n in range(6)]},
        {"name": "page", "values": ["https://example.org/wood"] * 6},
    ]
    space = {
        "kind": "catalogue",
        "columns": columns,
        "features": [name("price")],
        "categories": [name("colour")],
        "key": name("id"),
    }
    display = {"title": name("id"), "svg": "art", "link": "page", "units": {name("price"): "€"}}
    study = site.post("/api/studies", {"name": name("Table tops"), "space": space, "display": display})["id"]
    _mark(site, study, name("my desk"))
    _answer(site, study, ("first", "second", "first", "tie"))
    return str(study)


def _make_drawn(site: Server, name: Naming) -> str:
    display = {"template": TEMPLATE, "labels": {"a": name("Width"), "b": name("Angle")}}
    return _post(site, name("Bars"), [_real("a"), _real("b")], display=display)


def _make_sounds(site: Server, name: Naming) -> str:
    names = [name(one) for one in ("one", "two", "three", "four")]
    columns = [
        {"name": name("title"), "values": names},
        {"name": name("gain"), "values": [1.0, 2.0, 4.0, 8.0]},
        {"name": "file", "values": [f"{one}.wav" for one in names]},
    ]
    space = {"kind": "catalogue", "columns": columns, "features": [name("gain")], "key": name("title")}
    display = {"clip": "file", "title": name("title")}
    study = site.post("/api/studies", {"name": name("Sounds"), "space": space, "display": display})["id"]
    for one in names[:2]:
        site.put(f"/api/studies/{study}/clips/{urllib.request.quote(one)}.wav", wav(2.0, 220.0))
    return str(study)


def _make_contrary(site: Server, name: Naming) -> str:
    study = _post(site, name("Contrary"), [_real(name("heat"), 0.0, 100.0)])
    table = f"winner.{name('heat')},loser.{name('heat')}\n" + "90,20\n" * 6 + "20,90\n"
    address = f"http://127.0.0.1:{site.port}/api/studies/{study}/comparisons"
    with urllib.request.urlopen(
        urllib.request.Request(address, table.encode(), {"Content-Type": "text/csv"}), timeout=30
    ):
        return study


def _make_empty(site: Server, name: Naming) -> str:
    study = _post(site, name("Empty"), [_real(name("height")), _real(name("depth"))])
    archived = _post(site, name("Archived"), [_real("a")])
    request = urllib.request.Request(
        f"http://127.0.0.1:{site.port}/api/studies/{archived}", json.dumps({"archived": True}).encode(),
        {"Content-Type": "application/json"}, method="PATCH",
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=30):
        return study


# -- states -----------------------------------------------------------------------------------------------------------

State = Callable[[Page, str, Studies], None]
STATES: dict[str, State] = {}


def _state(function: State) -> State:
    STATES[function.__name__.strip("_").replace("_", " ")] = function
    return function


def _open(page: Page, home: str, study: str, name: str) -> None:
    page.goto(f"{home}/studies/{study}/{name}")


# -- home, sign-in and errors


@_state
def _home(page: Page, home: str, studies: Studies) -> None:
    page.goto(home)
    expect(page.locator(".example")).to_have_count(3)
    page.locator("#archived > summary").click()
    page.locator("#import-file").set_input_files({
        "name": f"{studies.name('notes')}.json", "mimeType": "application/json", "buffer": b"[]",
    })  # fmt: skip
    expect(page.locator("#import-message")).to_contain_text("not an export")


@_state
def _home_deleting(page: Page, home: str, studies: Studies) -> None:
    page.goto(home)
    page.locator(f"li[data-id='{studies.space}'] [data-delete]").click()
    expect(page.locator("#delete-dialog")).to_be_visible()


@_state
def _home_editing(page: Page, home: str, studies: Studies) -> None:
    page.goto(home)
    page.locator(f"li[data-id='{studies.space}'] [data-edit]").click()
    expect(page.locator("#edit-dialog")).to_be_visible()
    page.locator("#edit-name").fill("   ")
    page.locator("#edit-form .primary").click()
    expect(page.locator("#edit-problem")).to_be_visible()


@_state
def _login(page: Page, home: str, studies: Studies) -> None:
    page.goto(f"{home}/login")
    page.locator("#token").fill("something else")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


@_state
def _error(page: Page, home: str, studies: Studies) -> None:
    page.goto(f"{home}/studies/{studies.name('nothing')}/duel")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


# -- new


@_state
def _new(page: Page, home: str, studies: Studies) -> None:
    page.goto(f"{home}/new")
    page.locator("#name").fill(studies.name("Bread"))
    for number, (low, high) in enumerate((("9", "1"), ("0", "1"))):
        for field, text in (("name", studies.name(f"oven {number}")), ("low", low), ("high", high), ("unit", "°C")):
            page.locator(f"[data-field={field}]").nth(number).fill(text)
    for kind in ("categorical", "ordinal", "boolean", "constant"):
        page.locator("#add-parameter").click()
        last = page.locator(".parameter").last
        last.locator("[data-field=kind]").select_option(kind)
        last.locator("[data-field=name]").fill(studies.name(kind))
    page.locator(".parameter details summary").first.click()
    for title in ("Drawing", "Advanced"):
        page.get_by_role("heading", name=title).click()
    page.locator("#template").fill("<svg><script/></svg>")
    page.locator("#constraints").fill(f"{studies.name('oven 1')} ≤ ten")
    expect(page.get_by_text("“To” must be above “From”.")).to_be_visible()


def _upload(page: Page, home: str, name: str, table: bytes, *files: dict[str, Any]) -> None:
    page.goto(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    page.locator("#table-file").set_input_files([{"name": name, "mimeType": "text/csv", "buffer": table}, *files])
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")


@_state
def _new_table_of_clips(page: Page, home: str, studies: Studies) -> None:
    name = studies.name
    names = [name(one) for one in ("one", "two", "three")]
    header = [name("title"), name("gain"), name("file"), name("page"), name("nearly")]
    rows = [[one, n, f"{one}.wav", "https://example.org/a", n or name("none")] for n, one in enumerate(names)]
    clip = {"name": f"{names[0]}.wav", "mimeType": "audio/wav", "buffer": wav(1.0)}
    other = {"name": f"{name('notes')}.png", "mimeType": "image/png", "buffer": b"none"}
    _upload(page, home, f"{name('sounds')}.csv", csv_table(header, rows), clip, other)
    expect(page.locator("#columns")).to_contain_text("1 of 3 clips are here")
    expect(page.locator("#preview .play, #preview dl").first).to_be_visible()


@_state
def _new_table_of_molecules(page: Page, home: str, studies: Studies) -> None:
    rows = [[studies.name(f"M{n}"), smiles] for n, smiles in enumerate(SMILES)]
    _upload(page, home, "painkillers.csv", csv_table([studies.name("id"), "smiles"], rows))
    expect(page.locator("#preview dl, #preview .picture").first).to_be_visible()


@_state
def _new_examples(page: Page, home: str, studies: Studies) -> None:
    page.goto(f"{home}/new")
    page.get_by_role("tab", name="An example").click()
    expect(page.locator(".example")).to_have_count(3)


# -- anchors


def _map_is_drawn(page: Page) -> None:
    expect(page.locator("#map .main-svg").first).to_be_visible()


@_state
def _anchors_without_any(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.empty, "anchors")
    expect(page.locator("#preview dl")).to_be_visible()
    _map_is_drawn(page)


@_state
def _anchors(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, "anchors")
    expect(page.locator("#marked .card")).to_have_count(2)
    page.locator("#controls input[type=number]").first.fill("500")
    expect(page.locator("#preview-problem")).to_be_visible()
    _map_is_drawn(page)


@_state
def _anchors_suggested_to_a_participant(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, f"anchors?as={urllib.request.quote(studies.name('Ana'))}")
    page.locator("#tab-proposals").click()
    expect(page.locator("#proposals .card").first).to_be_visible()
    _map_is_drawn(page)


@_state
def _anchors_of_a_table(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.table, "anchors")
    expect(page.locator("#items .card")).to_have_count(6)
    expect(page.locator("#marked .card")).to_have_count(1)
    _map_is_drawn(page)


@_state
def _anchors_with_missing_clips(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.sounds, "anchors")
    expect(page.locator("#clips-words")).to_contain_text("2 of 4 clips are missing")
    expect(page.locator("#items .card")).to_have_count(4)


# -- compare


def _compare(page: Page, home: str, study: str) -> None:
    _open(page, home, study, "duel")
    cards_are_shown(page)


@_state
def _compare_values(page: Page, home: str, studies: Studies) -> None:
    _compare(page, home, studies.space)


@_state
def _compare_help(page: Page, home: str, studies: Studies) -> None:
    _compare(page, home, studies.space)
    page.locator("#help").click()
    expect(page.locator("#help-dialog")).to_be_visible()


@_state
def _compare_when_it_can_stop(page: Page, home: str, studies: Studies) -> None:
    def stop(route: Any) -> None:
        found = route.fetch().json()
        sentence = "You can stop now: the recommended design is close to the best with 93 % probability."
        found["progress"] |= {"stop": True, "remaining": 0, "sentence": sentence}
        route.fulfill(json=found)

    page.route("**/ask", stop)
    _compare(page, home, studies.table)
    expect(page.locator("#finished")).to_be_visible()


@_state
def _compare_without_a_server(page: Page, home: str, studies: Studies) -> None:
    page.route("**/answers", lambda route: route.abort())
    _compare(page, home, studies.drawn)
    page.locator("#first").click()
    expect(page.locator("#trouble")).to_be_visible()


@_state
def _compare_sounds(page: Page, home: str, studies: Studies) -> None:
    page.goto(f"{home}/studies/{studies.sounds}/duel")
    cards_are_shown(page)
    expect(page.locator("#pair .clip").first).to_be_visible()


@_state
def _compare_a_large_picture(page: Page, home: str, studies: Studies) -> None:
    _compare(page, home, studies.table)
    page.keyboard.press("e")
    expect(page.locator("dialog.zoom")).to_be_visible()


def _check_anchors(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, "duel?checks=yes")
    cards_are_shown(page)
    expect(page.locator("#stop-checks")).to_be_visible()


@_state
def _compare_to_check_the_anchors(page: Page, home: str, studies: Studies) -> None:
    _check_anchors(page, home, studies)


@_state
def _compare_verdict_of_the_checks(page: Page, home: str, studies: Studies) -> None:
    _check_anchors(page, home, studies)
    page.locator("#stop-checks").click()
    expect(page.locator("#check-title")).to_be_visible()


# -- results


@_state
def _results_without_any(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.empty, "results")
    expect(page.locator("#empty")).to_be_visible()


def _results(page: Page, home: str, study: str, *figures: str) -> None:
    _open(page, home, study, "results")
    results_are_shown(page)
    for figure in figures:
        expect(page.locator(f"#{figure} .main-svg").first).to_be_visible()


@_state
def _results_of_parameters(page: Page, home: str, studies: Studies) -> None:
    _results(page, home, studies.space, "slices", "importance", "map")
    expect(page.locator("#gain, #no-gain").locator("visible=true")).to_have_count(1)
    for more in ("#others-more", "#history-more"):
        if page.locator(more).is_visible():
            page.locator(more).click()
    page.get_by_role("button", name=re.compile("^Comment on entry")).first.click()


@_state
def _results_of_a_table(page: Page, home: str, studies: Studies) -> None:
    _results(page, home, studies.table, "map")
    expect(page.locator("#items tbody tr")).to_have_count(6)
    expect(page.locator("#history .thumbnail button").first).to_be_visible()


@_state
def _results_large_picture(page: Page, home: str, studies: Studies) -> None:
    _results(page, home, studies.table)
    page.locator("#items .thumbnail button").first.click()
    expect(page.locator("dialog.zoom")).to_be_visible()


@_state
def _results_that_contradict(page: Page, home: str, studies: Studies) -> None:
    _results(page, home, studies.contrary, "slices")
    expect(page.locator("#contradictions li").first).to_be_visible()


def _results_trust(page: Page, home: str, study: str) -> None:
    _results(page, home, study)
    expect(page.locator("#trust")).to_have_attribute("aria-busy", "false")
    figures = page.locator("#trust details")
    for number in range(figures.count()):
        figures.nth(number).locator("summary").click()
        expect(figures.nth(number).locator(".main-svg").first).to_be_visible()


@_state
def _results_whether_anchors_are_right(page: Page, home: str, studies: Studies) -> None:
    _results_trust(page, home, studies.space)


@_state
def _results_whether_answers_repeat(page: Page, home: str, studies: Studies) -> None:
    _results_trust(page, home, studies.contrary)


# -- people


@_state
def _people_one(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.table, "people")
    expect(page.locator("#opinions .card")).to_have_count(1)


@_state
def _people(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, "people")
    expect(page.locator("#opinions .card")).to_have_count(4)
    page.locator("#name").fill(studies.name("Ana"))
    page.get_by_role("button", name="Invite").click()
    expect(page.locator("#toast")).to_contain_text("takes part already")
    page.get_by_text("Which columns it needs").click()
    expect(page.locator("#paired")).to_contain_text("winner.")
    page.locator("#file").set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"})
    page.locator("#upload button").click()
    expect(page.locator("#upload-problem")).to_be_visible()


@_state
def _people_removing(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, "people")
    page.get_by_role("button", name=f"Remove {studies.name('Ana')}").click()
    expect(page.locator("#sure")).to_be_visible()


@_state
def _welcome(page: Page, home: str, studies: Studies) -> None:
    _open(page, home, studies.space, f"welcome?as={urllib.request.quote(studies.name('Ana'))}")
    expect(page.get_by_role("link", name="Start")).to_be_visible()


# -- the exported report


def _report(page: Page, home: str, study: str) -> None:
    # The server sends it as a download.
    text = page.request.get(f"{home}/api/studies/{study}/report").text()
    page.route("**/report.html", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
    page.goto(f"{home}/report.html")
    expect(page.get_by_role("heading", name="What this means")).to_be_visible()


@_state
def _report_of_parameters(page: Page, home: str, studies: Studies) -> None:
    _report(page, home, studies.space)


@_state
def _report_of_a_table(page: Page, home: str, studies: Studies) -> None:
    _report(page, home, studies.table)
