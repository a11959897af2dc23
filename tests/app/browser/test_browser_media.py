"""Sounds, videos and pictures: playing and enlarging by key, mouse and finger, uploads, and values that are hidden."""

import re

import pytest
from browsing import PHONE, cards_are_shown, choose, see_results, shown_cards, violations
from media_studies import NAMES, record_video, study_of_clips, study_of_sounds
from playwright.sync_api import expect

from support.clips import wav

PLAYING = "() => [...document.querySelectorAll('audio, video')].map((one) => !one.paused)"
AT_START = "() => [...document.querySelectorAll('audio, video')].map((one) => one.currentTime === 0)"
SCHEMES = ("light", "dark")
TEMPLATE = '<svg viewBox="0 0 100 60"><rect id="bar" width="{{ 100 * a }}" height="60" fill="tan"/></svg>'


def drawn_study(site, **display):
    parameters = [{"name": name, "kind": "real", "low": 0.0, "high": 1.0} for name in ("a", "b")]
    space = {"kind": "space", "parameters": parameters, "constraints": []}
    return site.post("/api/studies", {"name": "Bars", "space": space, "display": {"template": TEMPLATE, **display}})[
        "id"
    ]


def is_playing(page, *states):
    page.wait_for_function(f"states => JSON.stringify(({PLAYING})()) === JSON.stringify(states)", arg=list(states))


def open_duel(home, study, visitor, **options):
    page = visitor(**options).open(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    return page


# -- sounds -----------------------------------------------------------------------------------------------------------


def test_sounds_are_played_by_key_one_at_a_time(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=20.0), visitor)
    is_playing(page, False, False)
    page.keyboard.press("q")
    is_playing(page, True, False)
    expect(page.get_by_role("button", name="Pause A")).to_be_visible()
    page.wait_for_function("() => document.querySelector('#first-clip audio').currentTime > 0.1")
    page.keyboard.press("w")
    is_playing(page, False, True)
    assert page.evaluate(AT_START)[0]  # the one that was stopped begins again
    page.wait_for_function("() => document.querySelector('#second-clip audio').currentTime > 0.1")
    page.keyboard.press("w")
    is_playing(page, False, False)
    assert not page.evaluate(AT_START)[1]  # a pause keeps the place
    assert shown_cards(page) == 1
    expect(page.locator("#progress")).to_contain_text("0 comparisons so far")


def test_both_sounds_of_a_pair_are_loaded_before_they_are_played(home, site, visitor):
    page = open_duel(home, study_of_sounds(site), visitor)
    page.wait_for_function("() => [...document.querySelectorAll('#pair audio')].every((one) => one.readyState === 4)")
    assert page.locator("#pair audio").count() == 2


def test_a_click_on_a_player_plays_and_does_not_answer(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=20.0), visitor)
    page.get_by_role("button", name="Play B").click()
    is_playing(page, False, True)
    page.get_by_role("slider", name="Position in B").click()
    page.wait_for_function("() => document.querySelector('#second-clip audio').currentTime > 5")
    page.keyboard.press("ArrowRight")  # moves along the clip, and does not choose B
    page.keyboard.press("q")
    is_playing(page, True, False)
    page.get_by_label("Repeat while playing").check()
    assert shown_cards(page) == 1
    expect(page.locator("#progress")).to_contain_text("0 comparisons so far")
    assert page.locator("button button, button input, button audio").count() == 0


def test_a_finger_plays_and_answers(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=20.0), visitor, **PHONE)
    page.get_by_role("button", name="Play A").tap()
    is_playing(page, True, False)
    page.get_by_role("button", name="Play B").tap()
    is_playing(page, False, True)
    for name in ("Play A", "Pause B"):
        assert page.get_by_role("button", name=name).bounding_box()["height"] >= 44
    choose(page, "first", touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


def test_an_answer_stops_what_plays(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=20.0), visitor)
    page.evaluate("window.sounds = [...document.querySelectorAll('audio')]")
    page.keyboard.press("q")
    is_playing(page, True, False)
    choose(page, key="ArrowLeft")
    assert page.evaluate("window.sounds.map((one) => one.paused)") == [True, True]
    is_playing(page, False, False)


def test_repetition_is_switched_by_key_and_remembered(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=0.3), visitor)
    loops = "() => [...document.querySelectorAll('audio')].map((one) => one.loop)"
    assert page.evaluate(loops) == [False, False]
    page.keyboard.press("l")
    expect(page.get_by_label("Repeat while playing")).to_be_checked()
    assert page.evaluate(loops) == [True, True]
    page.keyboard.press("q")
    page.wait_for_timeout(700)
    is_playing(page, True, False)
    choose(page, key="ArrowLeft")
    page.reload()
    cards_are_shown(page)
    assert page.evaluate(loops) == [True, True]
    page.keyboard.press("l")
    page.keyboard.press("w")
    is_playing(page, False, True)
    is_playing(page, False, False)


def test_the_help_names_the_keys_of_what_there_is(home, site, visitor):
    page = open_duel(home, study_of_sounds(site), visitor)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="How to compare")
    expect(dialog.get_by_role("row", name="Play or pause A Q")).to_be_visible()
    expect(dialog.get_by_role("row", name="Play or pause B W")).to_be_visible()
    expect(dialog.get_by_text("Enlarge A, B")).to_be_hidden()
    page.keyboard.press("q")
    is_playing(page, False, False)
    page.get_by_label("Answer with these keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    is_playing(page, False, False)
    expect(page.locator("#first-clip kbd")).to_be_hidden()


def test_a_missing_clip_is_named_and_can_be_uploaded_later(home, site, visitor):
    someone = visitor()
    someone.allow("status of 422 .*/clips/two.wav")
    study = study_of_clips(site, [wav()])
    page = someone.open(f"{home}/studies/{study}/duel")
    cards_are_shown(page)
    expect(page.locator("#pair")).to_contain_text(re.compile(r"\w+\.wav: this clip is missing"))
    page.goto(f"{home}/studies/{study}/anchors")
    expect(page.locator("#clips-words")).to_have_text("3 of 4 clips are missing: two.wav, three.wav, four.wav.")

    def files(*names, content):
        return [{"name": f"{name}.wav", "mimeType": "audio/wav", "buffer": content} for name in names]

    page.locator("#clips-files").set_input_files(files("two", content=b"fLaC") + files("three", content=wav()))
    expect(page.locator("#clips-words")).to_have_text("2 of 4 clips are missing: two.wav, four.wav.")
    expect(page.locator("#clips-trouble")).to_contain_text(
        "The clip 'two.wav' must be a WAV, MP3, Ogg, MP4 or WebM file"
    )
    page.locator("#clips-files").set_input_files(files("two", "four", content=wav()))
    expect(page.locator("#clips-words")).to_contain_text("All 4 clips are here.")
    page.reload()
    expect(page.get_by_role("button", name="Play two")).to_be_visible()
    expect(page.locator("#clips")).to_be_hidden()


def test_anchors_can_be_listened_to(home, site, visitor):
    study = study_of_sounds(site, seconds=20.0)
    page = visitor().open(f"{home}/studies/{study}/anchors")
    page.get_by_role("button", name="Play one").click()
    page.get_by_role("button", name="Play three").click()
    is_playing(page, False, False, True, False)
    page.get_by_role("button", name="I know this one well: three").click()
    expect(page.locator("#marked .clip")).to_be_visible()


# -- videos -----------------------------------------------------------------------------------------------------------


def test_videos_fill_their_side_and_are_played_by_key_and_click(home, site, visitor, browser):
    study = study_of_clips(site, [record_video(browser, hue) for hue in (0, 90, 180, 270)], "webm")
    page = open_duel(home, study, visitor)
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((one) => one.videoWidth === 320)")
    video, card = (page.locator(name).bounding_box() for name in ("#first-clip video", "#first"))
    assert video["width"] == pytest.approx(card["width"], abs=1)
    is_playing(page, False, False)  # nothing begins by itself
    page.keyboard.press("l")
    page.keyboard.press("q")
    is_playing(page, True, False)
    page.locator("#second-clip video").click()
    is_playing(page, False, True)
    assert shown_cards(page) == 1
    choose(page, "second")


# -- pictures ---------------------------------------------------------------------------------------------------------


def test_a_picture_is_enlarged_by_key_and_button_without_answering(home, site, visitor):
    page = open_duel(home, drawn_study(site), visitor)
    small = page.locator("#first .picture svg").bounding_box()
    assert small["width"] == pytest.approx(page.locator("#first").bounding_box()["width"], abs=5)
    page.keyboard.press("e")
    dialog = page.locator("dialog.zoom")
    expect(dialog).to_be_visible()
    large = dialog.locator("svg").last.bounding_box()
    assert large["width"] > 2 * small["width"]
    bar = dialog.locator("rect").get_attribute("width")
    page.keyboard.press("ArrowLeft")  # no answer while it is open
    page.keyboard.press("r")
    expect(dialog.get_by_role("heading")).to_have_text("B")
    assert dialog.locator("rect").get_attribute("width") != bar
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    button = page.get_by_role("button", name="Enlarge B")
    button.focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("heading")).to_have_text("B")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_be_focused()
    assert shown_cards(page) == 1
    expect(page.locator("#progress")).to_contain_text("0 comparisons so far")


def test_pictures_of_anchors_and_results_are_enlarged_by_a_click(home, site, visitor):
    study = drawn_study(site)
    page = visitor().open(f"{home}/studies/{study}/anchors")
    page.locator("#preview .picture").click()
    expect(page.locator("dialog.zoom svg").last).to_be_visible()
    page.get_by_role("button", name="Close").click()
    page.goto(f"{home}/studies/{study}/duel")
    choose(page, "first")
    see_results(page)
    page.locator("#best-card").get_by_role("button", name="Enlarge").click()
    expect(page.locator("dialog.zoom svg").last).to_be_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tables_of_the_results_show_pictures_that_a_click_enlarges(home, site, visitor, scheme):
    pytest.importorskip("rdkit")
    study = site.post("/api/examples/molecules")["id"]
    page = open_duel(home, study, visitor, color_scheme=scheme)
    choose(page, "first")
    choose(page, "second")
    see_results(page)
    for table in ("#others", "#history", "#items"):
        expect(page.locator(f"{table} .thumbnail svg").first).to_be_visible()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(set(ids)) == len(ids)
    page.locator("#items .thumbnail button").first.click()
    dialog = page.locator("dialog.zoom")
    expect(dialog.locator(".picture svg")).to_be_visible()
    page.keyboard.press("Escape")
    thumbnail = page.locator("#history .thumbnail button").first
    thumbnail.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    assert violations(page, "#items") == violations(page, "#history") == []


def test_clips_are_played_from_the_tables_of_the_results(home, site, visitor):
    page = open_duel(home, study_of_sounds(site, seconds=20.0), visitor)
    choose(page, "first")
    see_results(page)
    page.locator("#items").get_by_role("button", name="Clip one").click()
    page.locator("dialog.zoom").get_by_role("button", name="Play one").click()
    page.wait_for_function("() => !document.querySelector('dialog audio').paused")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.zoom")).to_have_count(0)


def test_tables_of_a_study_without_pictures_have_none_and_ask_for_none(home, site, visitor):
    study = site.post("/api/examples/coffee")["id"]
    page = open_duel(home, study, visitor)
    choose(page, "first")
    see_results(page)
    assert page.locator(".thumbnail").count() == 0


# -- values -----------------------------------------------------------------------------------------------------------


def test_values_are_hidden_where_people_judge_and_shown_in_the_results(home, site, visitor):
    study = drawn_study(site, hide_values=True)
    page = open_duel(home, study, visitor)
    assert page.locator("#pair dl").count() == 0
    assert not re.search(r"\d\.\d", page.locator("#spoken").inner_text())
    tall = page.locator("#first .picture svg").bounding_box()["height"]
    page.goto(f"{home}/studies/{study}/anchors")
    expect(page.locator("#preview .picture svg")).to_be_visible()
    page.locator("#know-preview").click()
    expect(page.locator("#marked .card")).to_be_visible()
    assert page.locator(".card dl").count() == 0
    page.goto(f"{home}/studies/{study}/duel")
    choose(page, "first")
    see_results(page)
    expect(page.locator("#best-card dt")).to_have_text(["a", "b"])

    page.goto(f"{home}/studies/{drawn_study(site)}/duel")
    cards_are_shown(page)
    expect(page.locator("#first dt")).to_have_text(["a", "b"])
    assert tall >= page.locator("#first .picture svg").bounding_box()["height"]


def test_a_study_of_sounds_is_created_from_a_table_and_files(home, visitor):
    someone = visitor()
    someone.allow("status of 422 .*/clips/two.wav")
    page = someone.open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    rows = "".join(f"{name},{n},{name}.wav\n" for n, name in enumerate(NAMES))

    def file(name, content, kind="audio/wav"):
        return {"name": name, "mimeType": kind, "buffer": content}

    table = file("my_sounds.csv", f"name,gain,file\n{rows}".encode(), "text/csv")
    page.locator("#table-file").set_input_files(
        [table, file("one.wav", wav(1.0)), file("two.wav", b"RIFF????AVI LIST")]
    )
    expect(page.get_by_label("file", exact=True)).to_have_value("clip")
    expect(page.locator("#columns")).to_contain_text("2 of 4 clips are here")
    expect(page.locator("#preview")).to_contain_text("Clip: ")
    page.locator("#table-file").set_input_files([file(f"{name}.wav", wav(1.0)) for name in NAMES[2:]])
    expect(page.locator("#columns")).to_contain_text("All 4 clips are here")
    page.get_by_label("name", exact=True).select_option("title")
    page.get_by_label("Hide the values while comparing").check()
    expect(page.locator("#preview dl")).to_have_count(0)
    expect(page.locator("#status")).to_have_attribute("data-kind", "good")
    create = page.get_by_role("button", name="Create study")
    create.click()
    status = page.locator("#status")
    expect(status).to_contain_text("The clip 'two.wav' must be a WAV, MP3, Ogg, MP4 or WebM file")
    expect(status).to_contain_text("The study exists: replace the files")
    page.locator("#table-file").set_input_files(file("two.wav", wav(1.0)))
    expect(status).to_have_attribute("data-kind", "good")
    create.click()
    page.wait_for_url("**/anchors")
    expect(page.get_by_role("button", name="Play two")).to_be_visible()
    expect(page.locator("#clips")).to_be_hidden()
    assert page.locator(".card dl").count() == 0
    page.goto(home)
    expect(page.get_by_role("link", name="my sounds", exact=True)).to_have_count(1)  # not one per attempt


def test_files_that_are_too_large_are_refused_before_they_are_sent(home, visitor):
    page = visitor().open(f"{home}/new")
    page.get_by_role("tab", name="Use a table").click()
    page.evaluate("""() => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(10_000_000)], "fits.wav"));
      files.items.add(new File([new Uint8Array(10_000_001)], "large.wav"));
      document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
    }""")
    expect(page.locator("#table-message")).to_have_text(
        "large.wav has 10.0 MB; a clip may have at most 10 MB. Shorten it, or encode it with a lower bit rate."
    )
    expect(page.locator("#drop-more")).to_have_text("1 clip loaded")


def test_an_export_with_clips_is_imported_on_the_home_page(home, site, visitor, tmp_path):
    study = study_of_sounds(site)
    page = visitor().open(home)
    item = page.locator("li, tr, article").filter(has=page.locator(f'a[href*="{study}"]')).last
    with page.expect_download() as saved:
        item.get_by_role("link", name=re.compile("Export")).click()
    assert saved.value.suggested_filename == "clips.zip"
    saved.value.save_as(tmp_path / "clips.zip")
    page.locator("#import-file").set_input_files(tmp_path / "clips.zip")
    page.wait_for_url("**/anchors")
    assert study not in page.url
    expect(page.get_by_role("button", name="Play one")).to_be_visible()


# -- accessible -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_players_and_pictures_are_accessible(home, site, visitor, scheme):
    page = open_duel(home, study_of_sounds(site), visitor, color_scheme=scheme)
    assert violations(page) == []
    page.keyboard.press("q")
    page.keyboard.press("l")
    assert violations(page) == []
    page.goto(f"{home}/studies/{study_of_clips(site, [])}/anchors")
    expect(page.locator("#clips-words")).to_contain_text("4 of 4 clips are missing")
    assert violations(page, "#main") == []
    page.goto(f"{home}/studies/{drawn_study(site, hide_values=True)}/duel")
    cards_are_shown(page)
    assert violations(page) == []
    page.keyboard.press("e")
    expect(page.locator("dialog.zoom")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    choose(page, "first")
    see_results(page)
    assert violations(page, "#best-card") == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_videos_are_accessible(home, site, visitor, browser, scheme):
    study = study_of_clips(site, [record_video(browser, 200)] * 4, "webm")
    page = open_duel(home, study, visitor, color_scheme=scheme)
    assert violations(page) == []
