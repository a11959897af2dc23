"""Clips over REST: upload with limits, playback by ranges, and archives."""

import re
from urllib.parse import quote

import pytest
from servers import QUICK, TOKEN, bearer, check_problem, make, server, with_token

from anchorpbo.app.rendering.clips import MAX_CLIP_BYTES, MAX_STUDY_CLIP_BYTES
from anchorpbo.app.storage import open_storage
from anchorpbo.app.web import Settings
from anchorpbo.app.web.byte_ranges import UnsatisfiableRangeError, parse_range
from support.clips import CLIPS, wav

FILES = ["a.wav", "50 % & more?#.mp3", "Grüße 世界.webm"]
SOUNDS = {
    "name": "Sounds",
    "space": {
        "kind": "catalogue",
        "columns": [
            {"name": "name", "values": ["one", "two", "three"]},
            {"name": "gain", "values": [1.0, 2.0, 3.0]},
            {"name": "file", "values": FILES},
        ],
        "features": ["gain"],
        "key": "name",
    },
    "display": {"clip": "file", "title": "name"},
}
LONG = wav(seconds=60.0)
"""Clip of almost 1 MB, which is sent in several parts."""


@pytest.fixture(scope="module")
def client():
    return server()[1]


@pytest.fixture(scope="module")
def id(client):
    id = make(client, SOUNDS)
    assert put(client, id, "a.wav", LONG).status_code == 200
    return id


def put(client, id, name, content, **options):
    return client.put(f"/api/studies/{id}/clips/{quote(name, safe='')}", content=content, **options)


# -- upload -----------------------------------------------------------------------------------------------------------


def test_clips_are_uploaded_and_listed(client):
    id = make(client, SOUNDS)
    for name, type in zip(FILES, ("audio/wav", "audio/mpeg", "video/webm"), strict=True):
        found = put(client, id, name, CLIPS[type])
        assert found.status_code == 200, found.text
        assert found.json() == {"name": name, "kind": type[:5], "type": type, "size": len(CLIPS[type])}
        assert put(client, id, name, CLIPS[type]).json() == found.json()
    listed = client.get(f"/api/studies/{id}/clips").json()
    assert (sorted(one["name"] for one in listed["clips"]), listed["missing"]) == (sorted(FILES), [])
    limits = client.get("/api/limits").json()
    assert (limits["clip_bytes"], limits["study_clips_bytes"]) == (MAX_CLIP_BYTES, MAX_STUDY_CLIP_BYTES)
    assert limits["archive_bytes"] == Settings().max_archive_bytes
    for name, type in zip(FILES, ("audio/wav", "audio/mpeg", "video/webm"), strict=True):
        played = client.get(f"/studies/{id}/clips/{quote(name, safe='')}")
        assert (played.headers["content-type"], played.content) == (type, CLIPS[type])


def test_a_file_that_is_no_clip_is_refused_by_name(client, id):
    body = check_problem(put(client, id, "a.wav", b"fLaC" + bytes(40)), 422)
    assert body["rule"] == "the clip 'a.wav' must be a WAV, MP3, Ogg, MP4 or WebM file"
    assert (body["received"], "ffmpeg" in body["remedy"]) == ("a FLAC file", True)
    check_problem(put(client, id, "other.wav", wav()), 422)
    check_problem(put(client, "none", "a.wav", wav()), 404)
    check_problem(client.put(f"/api/studies/{id}/clips/a%2Fb.wav", content=wav()), 404)


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "in parts"])
def test_a_clip_of_the_limit_is_taken_and_one_byte_more_is_refused_by_name(client, declared):
    id = make(client, SOUNDS)
    full = wav() + bytes(MAX_CLIP_BYTES - len(wav()))

    def sent(content):
        return content if declared else iter([content[:-1], content[-1:]])

    assert put(client, id, "a.wav", sent(full)).json()["size"] == MAX_CLIP_BYTES
    body = check_problem(put(client, id, "a.wav", sent(full + b"\0")), 422)
    assert body["detail"].startswith("the clip 'a.wav' must have at most 10 MB; received 10,000,001 bytes; shorten it")


def test_the_rest_of_a_body_that_is_too_large_is_not_read(client, id):
    sent = []

    def endless():
        for _ in range(1_000):
            sent.append(1)
            yield bytes(1_000_000)

    response = put(client, id, "a.wav", endless())
    assert response.status_code in (413, 422)
    assert client.get(f"/api/studies/{id}/clips").json()["clips"][0]["size"] == len(LONG)


def test_bodies_are_limited_by_who_sends_them():
    _, client = with_token()
    id = make(client, SOUNDS, headers=bearer())
    link = client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"]
    check_problem(put(client, id, "a.wav", wav()), 401)
    check_problem(put(client, id, "a.wav", wav(seconds=2.0)), 413)  # a stranger's body is not read
    check_problem(client.get(f"/studies/{id}/clips/a.wav"), 401)
    assert put(client, id, "a.wav", LONG, headers=bearer()).status_code == 200
    client.get(link)
    check_problem(put(client, id, "a.wav", wav()), 403)
    assert client.get(f"/studies/{id}/clips/a.wav").content == LONG
    assert client.get(f"/api/studies/{id}/clips").status_code == 200
    other = make(client, SOUNDS, headers=bearer())
    put(client, other, "a.wav", wav(), headers=bearer())
    check_problem(client.get(f"/studies/{other}/clips/a.wav"), 403)
    check_problem(client.get(f"/api/studies/{other}/clips"), 403)
    client.delete(f"/api/studies/{id}/participants?name=Ana", headers=bearer())
    check_problem(client.get(f"/studies/{id}/clips/a.wav"), 403)


def test_a_page_of_another_site_cannot_upload(client, id):
    check_problem(put(client, id, "a.wav", wav(), headers={"Origin": "https://elsewhere.example"}), 403)


# -- playback ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "size", "expected"),
    [
        (None, 10, None), ("", 10, None), ("bytes=0-", 10, range(10)), ("bytes=0-0", 10, range(1)),
        ("bytes=9-9", 10, range(9, 10)), ("bytes=3-99", 10, range(3, 10)), ("bytes=-3", 10, range(7, 10)),
        ("bytes=-99", 10, range(10)), ("bytes=5-2", 10, None), ("bytes=0-1,4-5", 10, None), ("items=0-1", 10, None),
        ("bytes=-", 10, None), ("bytes=a-b", 10, None), ("bytes=١-٢", 10, None), (f"bytes=0-{'9' * 19}", 10, None),
    ],
)  # fmt: skip
def test_a_range_header_selects_bytes_or_is_ignored(header, size, expected):
    assert parse_range(header, size) == expected


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0", f"bytes={'9' * 18}-"])
def test_a_range_behind_the_end_cannot_be_satisfied(header):
    with pytest.raises(UnsatisfiableRangeError):
        parse_range(header, 10)


@pytest.mark.parametrize("storage", ["memory", "sqlite"])
def test_any_part_of_a_clip_can_be_requested(tmp_path, storage):
    _, client = server(open_storage("memory" if storage == "memory" else str(tmp_path / "studies.db")))
    id = make(client, SOUNDS)
    put(client, id, "a.wav", LONG)
    url, size = f"/studies/{id}/clips/a.wav", len(LONG)
    whole = client.get(url)
    assert (whole.status_code, whole.content) == (200, LONG)
    assert whole.headers["content-length"] == str(size)
    assert whole.headers["accept-ranges"] == "bytes"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert whole.headers["content-type"] == "audio/wav"
    assert whole.headers["cache-control"] == "private, no-cache"
    for first, last in ((0, 0), (0, size - 1), (262_140, 262_150), (100_000, 700_000), (size - 1, size - 1)):
        part = client.get(url, headers={"Range": f"bytes={first}-{last}"})
        assert (part.status_code, part.content) == (206, LONG[first : last + 1])
        assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
        assert part.headers["content-length"] == str(last + 1 - first)
    refused = client.get(url, headers={"Range": f"bytes={size}-"})
    check_problem(refused, 416)
    assert refused.headers["content-range"] == f"bytes */{size}"
    several = client.get(url, headers={"Range": "bytes=0-1,5-6"})
    assert (several.status_code, several.content) == (200, LONG)


def test_a_clip_that_is_kept_is_not_sent_again_until_it_is_replaced(client):
    id = make(client, SOUNDS)
    put(client, id, "a.wav", wav())
    url = f"/studies/{id}/clips/a.wav"
    tag = client.get(url).headers["etag"]
    kept = client.get(url, headers={"If-None-Match": tag})
    assert (kept.status_code, kept.content) == (304, b"")
    assert client.get(url, headers={"Range": "bytes=0-3", "If-Range": tag}).status_code == 206
    put(client, id, "a.wav", CLIPS["audio/ogg"])
    changed = client.get(url, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.content) == (200, CLIPS["audio/ogg"])
    whole = client.get(url, headers={"Range": "bytes=0-3", "If-Range": tag})
    assert (whole.status_code, whole.content) == (200, CLIPS["audio/ogg"])


def test_a_clip_that_is_not_there_is_a_404(client, id):
    check_problem(client.get(f"/studies/{id}/clips/{'Grüße 世界.webm'}"), 404)
    check_problem(client.get(f"/studies/{id}/clips/nothing.wav"), 404)
    check_problem(client.get("/studies/none/clips/a.wav"), 404)
    check_problem(client.get("/api/studies/none/clips"), 404)


def test_pages_may_play_clips_of_this_server_only(client, id):
    policy = client.get(f"/studies/{id}/duel").headers["content-security-policy"]
    assert re.search(r"media-src ([^;]+);", policy)[1] == "'self'"


# -- archives ---------------------------------------------------------------------------------------------------------


def test_an_export_as_zip_can_be_imported(client, id):
    saved = client.get(f"/api/studies/{id}/export?format=zip")
    assert saved.headers["content-type"] == "application/zip"
    assert saved.headers["content-disposition"] == 'attachment; filename="sounds.zip"'
    made = client.post("/api/studies/import/archive", content=saved.content)
    assert made.status_code == 201, made.text
    again = made.json()["id"]
    assert made.headers["location"] == f"/api/studies/{again}"
    assert client.get(f"/studies/{again}/clips/a.wav").content == LONG
    check_problem(client.post("/api/studies/import/archive", content=b"no zip"), 422)
    check_problem(client.get("/api/studies/none/export?format=zip"), 404)


def test_archives_may_be_larger_than_other_uploads_and_are_limited():
    _, client = server(settings=Settings(max_upload_bytes=1_000, max_archive_bytes=2_000))
    found = client.post("/api/studies/import/archive", content=bytes(2_000))
    assert found.status_code == 422
    check_problem(client.post("/api/studies/import/archive", content=bytes(2_001)), 413)
    check_problem(client.post("/api/studies/import/archive", content=iter([bytes(1_500), bytes(501)])), 413)
    check_problem(client.post("/api/studies/import", content=bytes(1_001)), 413)
    # Clips of the limit in total fit into one archive with the largest export.
    assert Settings().max_archive_bytes >= MAX_STUDY_CLIP_BYTES + Settings().max_upload_bytes


def test_a_duplicate_has_the_clips(client, id):
    copy = client.post(f"/api/studies/{id}/duplicate").json()["id"]
    assert client.get(f"/studies/{copy}/clips/a.wav").content == LONG


def test_only_the_owner_imports_archives():
    _, client = with_token()
    check_problem(client.post("/api/studies/import/archive", content=b"x"), 401)
    id = make(client, QUICK, headers=bearer(TOKEN))
    client.get(client.post(f"/api/studies/{id}/participants", json={"name": "Ana"}, headers=bearer()).json()["link"])
    check_problem(client.post("/api/studies/import/archive", content=b"x"), 403)
