"""Pictures that are sent with a study."""

import json
import re
import struct
from base64 import b64encode

import pytest

from anchorpbo.app.definition.definition import StudyDefinition
from anchorpbo.app.rendering.display import MAX_PICTURES_CHARACTERS
from anchorpbo.app.rendering.pictures import (
    MAX_PICTURE_BYTES,
    MAX_PIXELS,
    EmbeddedPicture,
    check_picture,
    decode_picture,
    read_size,
)
from anchorpbo.app.report import thumbnails as report_thumbnails
from anchorpbo.app.report.report import render_report
from anchorpbo.app.report.thumbnails import Thumbnails
from anchorpbo.app.scheduler.replicas import ReplicaUpdate
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.session_cache import MAX_PICTURE_STUDIES
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError


def png(width, height):
    return b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + struct.pack(">II", width, height) + bytes(range(40))


def webp(kind, content):
    return b"RIFF\x0a\0\0\0WEBP" + kind + bytes(4) + content


PNG = png(80, 60)
KINDS = {"png": PNG, "jpeg": b"\xff\xd8\xff\xe0abc", "gif": b"GIF89a...", "webp": b"RIFF\x0a\0\0\0WEBPVP8 "}
SPACE = {
    "kind": "catalogue",
    "columns": [
        {"name": "name", "values": ["Ash", "Birch", "Elm"]},
        {"name": "price", "values": [5.0, 12.5, 9.0]},
        {"name": "file", "values": ["ash.png", "birch.png", "elm.png"]},
    ],
    "features": ["price"],
    "key": "name",
}


def address(content=PNG, kind="png"):
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def study(pictures, **display):
    return {"name": "Trees", "space": SPACE, "display": {"image": "file", "pictures": pictures} | display}


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_the_bytes_that_were_sent(kind):
    picture = decode_picture("a", address(KINDS[kind], kind))
    assert (picture.kind, picture.content) == (kind, KINDS[kind])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (3, "must be data:image/png;base64"),
        ("ash.png", "must be data:image/png;base64"),
        ("https://elsewhere.example/a.png", "must be data:image/png;base64"),
        ("data:image/svg+xml;base64,PHN2Zy8+", "must be data:image/png;base64"),
        ("data:text/html;base64,PGI+", "must be data:image/png;base64"),
        (address() + "\n", "must be data:image/png;base64"),
        ("data:image/png;base64,AAAAA", "must be in base64"),
        (address(b"<svg onload='alert(1)'/>"), "must be a PNG file, as its data URL says"),
        (address(KINDS["gif"], "webp"), "must be a WEBP file, as its data URL says"),
        (address(PNG + bytes(MAX_PICTURE_BYTES)), "must have at most 1 MB"),
    ],
)
def test_nothing_else_is_a_picture(given, says):
    with pytest.raises(InputError, match=says):
        decode_picture("a", given)


@pytest.mark.parametrize(
    ("display", "says"),
    [
        ({"pictures": {"oak.png": address()}}, "the name of a picture must occur in the column 'file'"),
        ({"pictures": [address()]}, "must be an object and needs display.image"),
        ({"pictures": {"ash.png": address()}, "image": None}, "must be an object and needs display.image"),
        ({"pictures": {"ash.png": "rubbish"}}, "must be data:image"),
    ],
)
def test_pictures_belong_to_the_items_of_a_catalogue(display, says):
    with pytest.raises(InputError, match=says):
        StudyDefinition.from_request({"name": "Trees", "space": SPACE, "display": {"image": "file"} | display})


def test_all_of_them_together_are_not_too_large():
    names = [f"{n}.png" for n in range(9)]
    columns = [{"name": "n", "values": [float(n) for n in range(9)]}, {"name": "file", "values": names}]
    space = {"kind": "catalogue", "columns": columns, "features": ["n"]}
    large = address(PNG + bytes(MAX_PICTURE_BYTES - 100))
    fitting = MAX_PICTURES_CHARACTERS // len(large)
    for count in (fitting, fitting + 1):
        request = {
            "name": "x",
            "space": space,
            "display": {"image": "file", "pictures": dict.fromkeys(names[:count], large)},
        }
        if count == fitting:
            StudyDefinition.from_request(request)
        else:
            with pytest.raises(InputError, match="must have at most 8 MB in total"):
                StudyDefinition.from_request(request)


def test_an_export_has_them_and_a_view_has_not():
    studies = StudyService(MemoryStorage())
    id = studies.create(study({"ash.png": address()})).id
    assert studies.show(id).display == {"image": "file"}
    again = studies.import_study(json.loads(json.dumps(studies.export(id)))).id
    assert studies.cards.picture(again, "ash.png").content == PNG
    assert studies.cards.picture(again, "elm.png") is None


def test_an_import_with_something_else_in_its_place_is_refused():
    studies = StudyService(MemoryStorage())
    layout = studies.export(studies.create(study({"ash.png": address()})).id)
    layout["study"]["display"]["pictures"]["ash.png"] = "data:text/html;base64,PGI+"
    with pytest.raises(InputError, match="must be data:image"):
        studies.import_study(layout)


def test_workers_get_none_of_them():
    update = ReplicaUpdate(("a", "owner"), 0, [], StudyDefinition.from_request(study({"ash.png": address()})))
    assert "base64" not in json.dumps(update.to_dict())


def test_a_report_shows_the_picture_of_what_it_recommends():
    studies = StudyService(MemoryStorage())
    pictures = {name: address(PNG + name.encode()) for name in ("ash.png", "birch.png", "elm.png")}
    id = studies.create(study(pictures)).id
    duel = studies.duels.ask(id)
    studies.duels.answer(id, duel.id, "first")
    best = studies.results.recommend(id).design
    assert f'<img src="{pictures[best["file"]]}" alt="{best["file"]}">' in render_report(studies, id)


# -- pixels -----------------------------------------------------------------------------------------------------------

HEADS = {
    "png": png(300, 200),
    "gif": b"GIF89a" + struct.pack("<HH", 300, 200) + b"...",
    # An application segment, padding, a table, then the frame.
    "jpeg": b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x03x\xff\xc2\0\x11\x08" + struct.pack(">HH", 200, 300) + b"rest",
    "lossy": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 300 | 0x4000, 200)),
    "lossless": webp(b"VP8L", b"\x2f" + struct.pack("<I", 299 | 199 << 14)),
    "extended": webp(b"VP8X", bytes(4) + (299).to_bytes(3, "little") + (199).to_bytes(3, "little")),
}


def kind_of(name):
    return name if name in KINDS else "webp"


@pytest.mark.parametrize("name", HEADS)
def test_the_head_of_a_picture_says_how_large_it_is(name):
    assert read_size(EmbeddedPicture(kind_of(name), HEADS[name])) == (300, 200)
    check_picture("a", address(HEADS[name], kind_of(name)))


@pytest.mark.parametrize("name", HEADS)
def test_a_picture_that_ends_before_it_says_so_is_refused(name):
    for length in range(12, len(HEADS[name]) - 44 if name == "png" else len(HEADS[name]) - 8):
        if read_size(EmbeddedPicture(kind_of(name), HEADS[name][:length])) is None:
            with pytest.raises(InputError, match="must have a header with its width and height"):
                check_picture("a", address(HEADS[name][:length], kind_of(name)))


def test_a_picture_has_so_many_pixels_and_no_more():
    check_picture("a", address(png(MAX_PIXELS // 5_000, 5_000)))
    says = r"at most 40 million pixels; received 8,001 x 5,000; make it smaller; 800 pixels are enough"
    with pytest.raises(InputError, match=says):
        check_picture("a", address(png(MAX_PIXELS // 5_000 + 1, 5_000)))
    with pytest.raises(InputError, match=r"received 60,000 x 60,000"):  # 437 kB can hold 3.6 gigapixels
        StudyDefinition.from_request(study({"ash.png": address(png(60_000, 60_000))}))


def test_a_picture_that_was_kept_before_is_shown_whatever_its_size():
    assert decode_picture("a", address(png(60_000, 60_000))).kind == "png"


def test_pictures_of_a_few_studies_are_kept_in_memory_and_those_of_no_deleted_one():
    studies = StudyService(MemoryStorage())
    ids = [studies.create(study({"ash.png": address()})).id for _ in range(MAX_PICTURE_STUDIES + 2)]
    assert all("pictures" not in studies.definition(id).display for id in ids)
    assert all(studies.cards.picture(id, "ash.png").content == PNG for id in ids)
    assert list(studies.sessions._pictures) == ids[2:]
    studies.delete(ids[-1])
    assert list(studies.sessions._pictures) == ids[2:-1]


# -- thumbnails of a report -------------------------------------------------------------------------------------------


def test_a_picture_is_in_a_report_once_as_a_thumbnail_however_often_its_design_occurs():
    studies = StudyService(MemoryStorage())
    pictures = {name: address(PNG + name.encode()) for name in ("ash.png", "birch.png", "elm.png")}
    id = studies.create(study(pictures) | {"anchors": [{"name": "Ash"}]}).id
    for outcome in ("first", "second", "tie"):
        studies.duels.answer(id, studies.duels.ask(id).id, outcome)
    page = render_report(studies, id)
    for name, picture in pictures.items():
        best = f'<img src="{picture}" alt="{name}">'
        assert page.count(picture) - page.count(best) == 1
    assert page.count('href="#thumbnail') > 6
    defined = re.findall(r'<svg id="(thumbnail\d+)"', page)
    assert len(set(defined)) == len(defined) == 3
    assert set(re.findall(r'href="#(thumbnail\d+)"', page)) == set(defined)


def test_drawings_of_thumbnails_share_no_ids():
    template = (
        '<svg viewBox="0 0 9 9"><defs><linearGradient id="shade"><stop offset="0" '
        'stop-color="hsl({{ 300 * a }}, 50%, 50%)"/></linearGradient></defs>'
        '<rect width="9" height="9" fill="url(#shade)"/></svg>'
    )
    parameters = [{"name": name, "kind": "real", "low": 0.0, "high": 1.0} for name in "ab"]
    request = {"name": "x", "space": {"kind": "space", "parameters": parameters}, "display": {"template": template}}
    studies = StudyService(MemoryStorage())
    id = studies.create(request | {"anchors": [{"a": 0.1, "b": 0.2}, {"a": 0.7, "b": 0.9}]}).id
    thumbnails = Thumbnails(studies, id)
    assert thumbnails.render_definitions() == ""
    for design in studies.anchors.list_designs(id):
        assert thumbnails.render(design) == thumbnails.render(design)
    shared = re.findall(r' id="([^"]+)"', thumbnails.render_definitions())
    assert sorted(shared) == ["t0-shade", "t1-shade", "thumbnail0", "thumbnail1"]
    assert re.findall(r"url\(#([^)]+)\)", thumbnails.render_definitions()) == ["t0-shade", "t1-shade"]


def test_thumbnails_are_limited_in_number_and_size(monkeypatch):
    studies = StudyService(MemoryStorage())
    pictures = {name: address(PNG) for name in ("ash.png", "birch.png", "elm.png")}
    id = studies.create(study(pictures)).id
    designs = [{"name": name, "price": price, "file": f"{name.lower()}.png"} for name, price in
               (("Ash", 5.0), ("Birch", 12.5), ("Elm", 9.0))]  # fmt: skip

    def drawn():
        each = Thumbnails(studies, id)
        return [bool(each.render(design)) for design in designs]

    assert drawn() == [True, True, True]
    with monkeypatch.context() as patched:
        patched.setattr(report_thumbnails, "MAX_DESIGNS", 2)
        assert drawn() == [True, True, False]
    one = Thumbnails(studies, id)
    one.render(designs[0])
    size = len(one.render_definitions()) - len('<svg class="definitions" aria-hidden="true"><defs></defs></svg>')
    monkeypatch.setattr(report_thumbnails, "MAX_CHARACTERS", 2 * size)
    assert drawn() == [True, True, False]


def test_a_report_names_the_clip_of_what_it_recommends_and_does_not_contain_it():
    studies = StudyService(MemoryStorage())
    id = studies.create({"name": "Trees", "space": SPACE, "display": {"clip": "file"}}).id
    studies.duels.answer(id, studies.duels.ask(id).id, "first")
    best = studies.results.recommend(id).design
    assert f"Clip: {best['file']}, which is not in this file" in render_report(studies, id)
    assert "thumbnail0" not in render_report(studies, id)
