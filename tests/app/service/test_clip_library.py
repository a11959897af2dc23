"""Clips of studies: upload, limits, copies and archives."""

import io
import json
import zipfile

import pytest

from anchorpbo.app.service import StudyService, archives
from anchorpbo.app.service.archives import import_archive, write_archive
from anchorpbo.app.service.clips import ClipLibrary, ClipView
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError, UnknownStudyError
from support.clips import CLIPS, wav

FILES = ["a.wav", "b.mp3", "Grüße 世界.webm"]
SPACE = {
    "kind": "catalogue",
    "columns": [
        {"name": "name", "values": ["one", "two", "three"]},
        {"name": "gain", "values": [1.0, 2.0, 3.0]},
        {"name": "file", "values": FILES},
    ],
    "features": ["gain"],
    "key": "name",
}
REQUEST = {"name": "Sounds", "space": SPACE, "display": {"clip": "file", "title": "name"}}
CONTENT = {"a.wav": wav(), "b.mp3": CLIPS["audio/mpeg"], "Grüße 世界.webm": CLIPS["video/webm"]}


@pytest.fixture
def studies():
    return StudyService(MemoryStorage())


def make(studies, content=CONTENT):
    id = studies.create(REQUEST).id
    for name, each in content.items():
        studies.clips.put(id, name, each)
    return id


def contents(studies, id):
    return {name: studies.clips.read(id, clip) for name, clip in studies.clips.infos(id).items()}


def archive_of(studies, id):
    return io.BytesIO(b"".join(write_archive(studies, id)))


def test_a_study_says_which_clips_are_missing(studies):
    id = make(studies, {})
    assert studies.clips.show(id).missing == FILES
    assert studies.clips.put(id, "b.mp3", CONTENT["b.mp3"]) == ClipView("b.mp3", "audio", "audio/mpeg", 834)
    view = studies.clips.show(id)
    assert ([clip.name for clip in view.clips], view.missing) == (["b.mp3"], ["a.wav", "Grüße 世界.webm"])


def test_an_upload_can_be_repeated_and_replaced(studies):
    id = make(studies)
    before = contents(studies, id)
    studies.clips.put(id, "a.wav", CONTENT["a.wav"])
    assert contents(studies, id) == before == CONTENT
    studies.clips.put(id, "a.wav", CLIPS["audio/ogg"])
    assert contents(studies, id)["a.wav"] == CLIPS["audio/ogg"]
    assert studies.clips.kinds(id) == {"a.wav": "audio", "b.mp3": "audio", "Grüße 世界.webm": "video"}


def test_only_clips_that_the_table_names_are_taken(studies):
    id = make(studies, {})
    with pytest.raises(InputError, match=r"must occur in the column 'file'; received 'c\.wav'; leave it out"):
        studies.clips.put(id, "c.wav", wav())
    plain = studies.create({**REQUEST, "display": {}}).id
    with pytest.raises(InputError, match="a study has clips only if its table names them"):
        studies.clips.put(plain, "a.wav", wav())
    with pytest.raises(InputError, match=r"the clip 'a\.wav' must be a WAV"):
        studies.clips.put(id, "a.wav", b"nothing to hear")
    with pytest.raises(UnknownStudyError):
        studies.clips.put("none", "a.wav", wav())
    assert studies.clips.show(id).clips == []


def test_the_clips_of_a_study_have_as_many_bytes_as_the_limit_and_no_more():
    storage = MemoryStorage()
    studies = StudyService(storage)
    size = len(CONTENT["a.wav"])
    id = make(studies, {})
    small = ClipLibrary(storage, studies.definition, max_total=2 * size)
    small.put(id, "a.wav", CONTENT["a.wav"])
    small.put(id, "b.mp3", CONTENT["a.wav"])
    small.put(id, "b.mp3", CONTENT["a.wav"])  # a repetition needs no more room
    with pytest.raises(
        InputError, match=r"the clips of a study must have at most .* MB together; received .* 'b\.mp3'"
    ):
        small.put(id, "b.mp3", CONTENT["a.wav"] + b"\0")


def test_cards_tell_what_kind_of_clip_there_is(studies):
    id = make(studies, {"b.mp3": CONTENT["b.mp3"]})
    cards = {card.clip: card for card in studies.cards.show(id, [{"name": name} for name in ("one", "two", "three")])}
    assert {name: card.clip_kind for name, card in cards.items()} == dict(
        zip(FILES, (None, "audio", None), strict=True)
    )
    assert {card.clip for card in studies.duels.ask(id).cards} <= set(FILES)


def test_a_copy_has_the_clips_and_a_deleted_study_leaves_none(studies):
    id = make(studies)
    copy = studies.duplicate(id).id
    studies.delete(id)
    assert contents(studies, copy) == CONTENT
    with pytest.raises(UnknownStudyError):
        studies.clips.show(id)


def test_a_copy_that_fails_leaves_no_study(studies, monkeypatch):
    id = make(studies)

    def fail(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(studies.storage, "put_clip", fail)
    with pytest.raises(OSError, match="full"):
        studies.duplicate(id)
    assert [one.id for one in studies.list_studies()] == [id]


# -- archives ---------------------------------------------------------------------------------------------------------


def test_an_archive_restores_the_whole_study(studies):
    id = make(studies)
    duel = studies.duels.ask(id)
    studies.duels.answer(id, duel.id, "first", 1200)
    studies.participants.invite(id, "Ana")
    elsewhere = StudyService(MemoryStorage())
    view = import_archive(elsewhere, archive_of(studies, id))
    assert contents(elsewhere, view.id) == CONTENT
    assert (view.answers, view.participants, view.display) == (1, ["owner", "Ana"], {"clip": "file", "title": "name"})
    events = [one["events"] for one in (studies.export(id), elsewhere.export(view.id))]
    assert events[0] == events[1]


def test_a_json_export_restores_the_study_without_clips_and_says_which_are_missing(studies):
    again = studies.import_study(json.loads(json.dumps(studies.export(make(studies))))).id
    assert studies.clips.show(again).missing == FILES


def test_an_archive_of_a_study_without_clips_can_be_imported(studies):
    plain = studies.create({**REQUEST, "display": {}}).id
    assert import_archive(studies, archive_of(studies, plain)).name == "Sounds"


def test_an_archive_can_be_repacked_with_compression_and_folders(studies):
    given = zipfile.ZipFile(archive_of(studies, make(studies)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as again:
        again.mkdir("clips")
        for name in reversed(given.namelist()):
            again.writestr(name, given.read(name))
    assert contents(studies, import_archive(studies, packed).id) == CONTENT


def spoilt(studies, change):
    """An archive whose files were changed."""
    given = zipfile.ZipFile(archive_of(studies, make(studies)))
    files = {name: given.read(name) for name in given.namelist()}
    change(files)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as again:
        for name, content in files.items():
            again.writestr(name, content)
    return packed


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda files: files.pop("study.json"), r"an archive must hold study\.json and files in the folder clips/"),
        (lambda files: files.update({"other.txt": b"x"}), r"an archive must hold study\.json .* received 'other\.txt'"),
        (lambda files: files.update({"study.json": b"{"}), r"study\.json must be JSON"),
        (lambda files: files.update({"study.json": b"\xff"}), r"study\.json must be JSON"),
        (lambda files: files.update({"study.json": b"[]"}), "an export must be an object"),
        (lambda files: files.update({"clips/../x.wav": wav()}), r"must occur in the column 'file'; received '\.\./x"),
        (lambda files: files.update({"clips/a.wav": b"text"}), r"the clip 'a\.wav' must be a WAV"),
        (
            lambda files: files.update({"clips/a.wav": wav() + bytes(10**7)}),
            r"the clip 'a\.wav' must have at most 10 MB",
        ),
    ],
)
def test_an_archive_that_is_wrong_is_refused_and_leaves_nothing(studies, change, says):
    packed = spoilt(studies, change)
    before = [one.id for one in studies.list_studies()]
    with pytest.raises(InputError, match=says):
        import_archive(studies, packed)
    assert [one.id for one in studies.list_studies()] == before


def test_a_damaged_archive_is_refused(studies):
    data = archive_of(studies, make(studies)).getvalue()
    for broken in (b"", b"PK", data[: len(data) // 2], data[:200] + b"????" + data[204:], b"text" * 100):
        with pytest.raises(InputError, match="an archive must be a ZIP file that is complete and not encrypted"):
            import_archive(studies, io.BytesIO(broken))


def test_the_export_in_an_archive_has_a_limit(studies, monkeypatch):
    archive = archive_of(studies, make(studies))
    size = zipfile.ZipFile(archive).getinfo("study.json").file_size
    monkeypatch.setattr(archives, "MAX_EXPORT_BYTES", size)
    import_archive(studies, archive)
    monkeypatch.setattr(archives, "MAX_EXPORT_BYTES", size - 1)
    with pytest.raises(InputError, match=r"study\.json must have at most"):
        import_archive(studies, archive)


def test_an_archive_is_written_clip_by_clip(studies):
    parts = list(write_archive(studies, make(studies)))
    assert len(parts) == 2 + len(CONTENT)
    assert max(map(len, parts)) < 3_000
