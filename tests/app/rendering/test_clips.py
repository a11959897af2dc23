"""Formats of clips are recognised by content."""

from contextlib import suppress

import pytest

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.rendering.cards import make_card
from anchorpbo.app.rendering.clips import (
    MAX_CLIP_BYTES,
    MAX_CLIP_NAME_LENGTH,
    MAX_STUDY_CLIP_BYTES,
    check_clip_name,
    check_clip_size,
    detect_format,
)
from anchorpbo.app.service.catalogues import read_catalogue
from anchorpbo.errors import InputError
from support.clips import CLIPS, ID3, MP3_FRAME, mp4, wav, webm

SPACE = {
    "kind": "catalogue",
    "columns": [
        {"name": "name", "values": ["one", "two", "three"]},
        {"name": "gain", "values": [1.0, 2.0, 3.0]},
        {"name": "file", "values": ["a.wav", "b.mp3", None]},
    ],
    "features": ["gain"],
    "key": "name",
}


def define(space=SPACE, **display):
    return StudyDefinition.from_request({"name": "Sounds", "space": space, "display": display})


@pytest.mark.parametrize("type", CLIPS)
def test_the_type_of_a_clip_follows_from_its_content(type):
    found = detect_format("misnamed.txt", CLIPS[type])
    assert (found.type, found.kind) == (type, type.split("/")[0])


def test_an_mp3_file_may_begin_with_a_tag_and_padding():
    assert detect_format("a", ID3 + MP3_FRAME * 2).type == "audio/mpeg"
    assert detect_format("a", ID3 + bytes(1_000) + MP3_FRAME * 2).type == "audio/mpeg"
    assert detect_format("a", MP3_FRAME).type == "audio/mpeg"


@pytest.mark.parametrize(
    ("content", "received"),
    [
        (b"", "an empty file"),
        (b"fLaC" + bytes(50), "a FLAC file"),
        (b"FORM\0\0\0\0AIFF", "a AIFF file"),
        (b"\x89PNG\r\n\x1a\n", "a PNG file"),
        (mp4(brand=b"qt  "), "a QuickTime file"),
        (mp4(b"pict", brand=b"heic"), "a HEIC picture"),
        (webm(document=b"matroska"), "a Matroska file"),
        (b"RIFF\0\0\0\0AVI LIST", "a RIFF 'AVI ' file"),
        (b"<html>play me", r"a file that begins with b'<html>pl'"),
        (b"RIFF\0\0\0\0WAV", "a RIFF 'WAV' file"),
        (MP3_FRAME + b"not another frame", r"a file that begins with b'\\xff\\xfb"),
        (b"\xff\xfb\xf0\x00" + bytes(500), r"a file that begins with"),
        (b"\xff\xfd\x90\x00" + bytes(500), r"a file that begins with"),
        (ID3 + b"TTA1" + bytes(50), r"a file that begins with b'ID3"),
        (b"ID3\x04\x00\x00\xff\x00\x00\x00" + MP3_FRAME * 2, r"a file that begins with b'ID3"),
    ],
)
def test_anything_else_is_refused_by_name_with_what_it_is_and_what_to_do(content, received):
    rule = r"the clip 'strange\.wav' must be a WAV, MP3, Ogg, MP4 or WebM file"
    with pytest.raises(InputError, match=rf"{rule}; received {received}.*; convert it, for example with ffmpeg"):
        detect_format("strange.wav", content)


@pytest.mark.parametrize("type", CLIPS)
def test_a_clip_that_ends_within_its_head_is_refused_or_recognised(type):
    for length in range(60):
        with suppress(InputError):
            assert detect_format("a", CLIPS[type][:length]).type.split("/")[1] == type.split("/")[1]


def test_a_clip_has_ten_megabytes_and_no_byte_more():
    assert (MAX_CLIP_BYTES, MAX_STUDY_CLIP_BYTES) == (10_000_000, 200_000_000)
    check_clip_size("a.wav", MAX_CLIP_BYTES)
    with pytest.raises(InputError, match=r"the clip 'a\.wav' must have at most 10 MB; received 10,000,001 bytes"):
        check_clip_size("a.wav", MAX_CLIP_BYTES + 1)
    head = wav()
    assert detect_format("a.wav", head + bytes(MAX_CLIP_BYTES - len(head))).name == "WAV"
    with pytest.raises(InputError, match="must have at most 10 MB"):
        detect_format("a.wav", head + bytes(MAX_CLIP_BYTES + 1 - len(head)))


@pytest.mark.parametrize("name", ["", "a/b.wav", "a\\b.wav", "..", ".", "a\0", "x" * (MAX_CLIP_NAME_LENGTH + 1)])
def test_a_name_that_is_part_of_no_address_is_refused(name):
    with pytest.raises(InputError, match="must have 1 to 200 characters without"):
        check_clip_name(name)


def test_names_may_have_spaces_and_letters_of_all_languages():
    for name in ("Grüße 世界 🎻.wav", "50 % & more?#.mp3", "x" * MAX_CLIP_NAME_LENGTH):
        check_clip_name(name)


# -- the display ------------------------------------------------------------------------------------------------------


def test_the_clips_of_a_study_are_the_distinct_names_in_its_column():
    assert define(clip="file").clips == ["a.wav", "b.mp3"]
    assert define().clips == []


def test_a_card_names_its_clip_and_shows_no_row_of_it():
    display = define(clip="file").display
    card = make_card(display, {"name": "one", "gain": 1.0, "file": "a.wav"})
    assert (card.clip, card.clip_kind, [row.name for row in card.rows]) == ("a.wav", None, ["name", "gain"])
    assert make_card(display, {"name": "three", "gain": 3.0, "file": None}).clip is None


def test_a_clip_column_must_be_one_and_hold_names():
    with pytest.raises(InputError, match=r"display\.clip must be one of"):
        define(clip="nothing")
    bad = {**SPACE, "columns": [*SPACE["columns"][:2], {"name": "file", "values": ["a/b.wav", "b", "c"]}]}
    with pytest.raises(InputError, match=r"the name of a clip must have 1 to 200 characters.*received 'a/b.wav'"):
        define(bad, clip="file")
    lines = {"kind": "space", "parameters": [{"name": "a", "kind": "real", "low": 0.0, "high": 1.0}]}
    with pytest.raises(InputError, match=r"display\.clip needs a catalogue"):
        define(lines, clip="a")


def test_values_are_hidden_only_if_a_card_shows_something_else():
    assert define(clip="file", hide_values=True).display["hide_values"] is True
    assert "hide_values" not in define(clip="file", hide_values=False).display
    assert define(title="name", hide_values=True).display["hide_values"] is True
    with pytest.raises(
        InputError, match="values can be hidden only if designs have a drawing, a picture, a clip or a title"
    ):
        define(hide_values=True)
    with pytest.raises(InputError, match=r"display\.hide_values must be true or false; received 'yes'"):
        define(clip="file", hide_values="yes")


def test_a_column_of_clip_files_is_recognised():
    view = read_catalogue(b"name,gain,file\none,1,a.wav\ntwo,2,b.MP3\nthree,3,c.webm\n")
    assert [one.kind for one in view.columns] == ["text", "number", "clip"]
    assert view.display["clip"] == "file"
    assert "clip" not in read_catalogue(b"name,gain,file\none,1,a.wav\ntwo,2,b.flac\n").display
