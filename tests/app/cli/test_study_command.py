"""``anchorpbo study``, and where studies are kept."""

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.app.cli.database import default_folder, hide_password
from anchorpbo.app.service import StudyService
from anchorpbo.app.storage import open_storage
from support.clips import wav

TEA = {
    "kind": "space",
    "parameters": [
        {"name": "minutes", "kind": "real", "low": 1.0, "high": 8.0},
        {"name": "sort", "kind": "categorical", "values": ["green", "black"]},
        {"name": "milk", "kind": "boolean"},
    ],
    "constraints": [],
}
BEANS = "bean,acidity,body,origin,photo\n" + "\n".join(
    f"{name},{acidity},{body},{origin},{name}.png"
    for name, acidity, body, origin in (
        ("Sidamo", 8, 3, "Africa"),
        ("Nyeri", 9, 4, "Africa"),
        ("Cerrado", 4, 7, "America"),
        ("Huila", 6, 5, "America"),
    )
)


@pytest.fixture
def db(tmp_path):
    return str(tmp_path / "studies.db")


@pytest.fixture
def call(db):
    def call(*arguments, **options):
        return CliRunner().invoke(app, [*map(str, arguments)], env={"ANCHORPBO_DB": db, "COLUMNS": "120"}, **options)

    return call


@pytest.fixture
def stored(db):
    """What storage holds."""

    def look(use):
        storage = open_storage(db)
        try:
            return use(StudyService(storage))
        finally:
            storage.close()

    return look


def made(result):
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()[0].rsplit(" ", 1)[-1]


def write(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_without_studies_the_list_says_how_to_make_one(call):
    result = call("study", "list")
    assert result.exit_code == 0
    assert "anchorpbo study new --example coffee" in result.stdout


def test_an_example_becomes_a_study_with_its_anchors(call, stored):
    id = made(call("study", "new", "--example", "coffee", "--seed", "4"))
    assert stored(lambda studies: len(studies.anchors.list_designs(id))) == 4
    assert stored(lambda studies: studies.show(id).options["seed"]) == 4
    listed = call("study", "list").stdout
    assert id in listed
    assert "Pour-over coffee" in listed
    text = call("study", "show", id[:5]).stdout
    assert "Water temperature" in text
    assert "84 to 98" in text
    assert "owner" in text


def test_a_space_becomes_a_study(call, tmp_path, stored):
    id = made(call("study", "new", "--name", "Tea", "--space", write(tmp_path, "tea.json", TEA)))
    assert stored(lambda studies: studies.show(id).space["parameters"][0]["name"]) == "minutes"


def test_a_whole_study_in_a_file_keeps_what_it_says(call, tmp_path, stored):
    anchor = {"minutes": 3.0, "sort": "green", "milk": False}
    whole = {"name": "Tea", "space": TEA, "anchors": [anchor], "options": {"seed": 3}}
    id = made(call("study", "new", "--space", write(tmp_path, "tea.json", whole), "--strategy", "eubo"))
    assert stored(lambda studies: studies.anchors.list_designs(id)) == [anchor]
    assert stored(lambda studies: studies.show(id).options["seed"]) == 3
    assert stored(lambda studies: studies.show(id).options["strategy"]["class"]) == "EUBO"


def test_the_share_of_repeats_can_be_chosen(call, tmp_path, stored):
    path = write(tmp_path, "tea.json", TEA)
    usual = made(call("study", "new", "--name", "Tea", "--space", path))
    often = made(call("study", "new", "--name", "Tea", "--space", path, "--repeat-rate", "0.2"))
    assert stored(lambda studies: studies.show(usual).options["repeat_rate"]) == 0.05
    assert stored(lambda studies: studies.show(often).options["repeat_rate"]) == 0.2


def test_the_columns_of_a_catalogue_are_guessed_or_given(call, tmp_path, stored):
    path = write(tmp_path, "beans.csv", BEANS)
    guessed = made(call("study", "new", "--name", "Beans", "--catalogue", path))
    assert stored(lambda studies: studies.show(guessed).space["features"]) == ["acidity", "body"]
    assert stored(lambda studies: studies.show(guessed).display["image"]) == "photo"
    given = call("study", "new", "--name", "Beans", "--catalogue", path, "--feature", "body", "--category", "origin",
                 "--key", "bean", "--title", "bean", "--image", "photo")  # fmt: skip
    id = made(given)
    view = stored(lambda studies: studies.show(id))
    assert view.space["features"] == ["body"]
    assert view.space["categories"] == ["origin"]
    assert view.display == {"title": "bean", "image": "photo"}


def test_images_are_looked_for_in_the_folder_of_the_file(call, tmp_path, stored):
    folder = tmp_path / "list"
    folder.mkdir()
    write(folder, "Sidamo.png", "not looked into")
    result = call("study", "new", "--name", "Beans", "--catalogue", write(folder, "beans.csv", BEANS))
    id = made(result)
    assert stored(lambda studies: studies.definition(id).folder) == str(folder.resolve())
    assert "3 images not found in" in result.stdout


def test_an_export_is_imported_again(call, tmp_path):
    id = made(call("study", "new", "--example", "coffee"))
    assert call("duel", id, input="1\n2\nq\n").exit_code == 0
    out = tmp_path / "coffee.json"
    assert call("study", "export", id, "--out", out).exit_code == 0
    assert json.loads(call("study", "export", id).stdout) == json.loads(out.read_text("utf-8"))
    again = call("study", "import", out)
    assert "with 2 answers" in again.stdout
    assert made(again) != id
    assert "with 2 answers" in call("study", "import", "-", input=out.read_text("utf-8")).stdout


def test_clips_are_read_from_the_folder_of_the_file_and_are_part_of_an_export_as_zip(call, tmp_path, stored):
    folder = tmp_path / "list"
    folder.mkdir()
    table = write(folder, "beans.csv", BEANS.replace(".png", ".wav"))
    (folder / "Sidamo.wav").write_bytes(wav())
    result = call("study", "new", "--name", "Beans", "--catalogue", table)
    assert "3 clips not found in" in result.stdout
    id = made(result)
    assert stored(lambda studies: [clip.name for clip in studies.clips.show(id).clips]) == ["Sidamo.wav"]
    out = tmp_path / "beans.zip"
    assert call("study", "export", id, "--out", out).exit_code == 0
    assert call("study", "export", id, "--format", "zip").stdout_bytes == out.read_bytes()
    again = made(call("study", "import", out))
    assert stored(lambda studies: studies.clips.read(again, studies.clips.infos(again)["Sidamo.wav"])) == wav()


def test_a_file_that_is_no_clip_is_named_and_leaves_no_study(call, tmp_path, stored):
    table = write(tmp_path, "beans.csv", BEANS.replace(".png", ".wav"))
    write(tmp_path, "Nyeri.wav", "nothing to hear")
    result = call("study", "new", "--name", "Beans", "--catalogue", table, "--clip", "photo")
    assert result.exit_code == 2
    assert "the clip 'Nyeri.wav' must be a WAV" in result.stderr
    assert stored(lambda studies: studies.list_studies()) == []


def test_an_export_has_the_format_that_its_file_is_named_after(call, tmp_path):
    id = made(call("study", "new", "--example", "coffee"))
    out = tmp_path / "trees.CSV"
    assert call("study", "export", id, "--out", out).exit_code == 0
    assert out.read_bytes() == call("study", "export", id, "--format", "csv").stdout_bytes
    assert call("study", "export", id, "--format", "json", "--out", out).exit_code == 0
    assert json.loads(out.read_text("utf-8"))["study"]


def test_hints_name_the_database_that_was_named(call, tmp_path):
    mine = tmp_path / "my studies.db"
    said = call("study", "new", "--example", "coffee", "--db", mine).stdout
    assert said.count(f"--db '{mine}'") == 2
    assert "--db" not in call("study", "new", "--example", "coffee").stdout


def test_an_export_as_a_table_has_a_row_an_event(call):
    id = made(call("study", "new", "--example", "coffee"))
    rows = call("study", "export", id, "--format", "csv").stdout.splitlines()
    assert rows[0].startswith("number,time,participant,type")
    assert len(rows) == 1 + 1 + 4


def test_a_file_that_cannot_be_written_is_told_of_and_nothing_is_left(call, tmp_path):
    id = made(call("study", "new", "--example", "poster"))
    result = call("study", "export", id, "--out", tmp_path / "nowhere" / "x.json")
    assert result.exit_code == 2
    assert "must be writable" in result.stderr
    assert not (tmp_path / "nowhere").exists()


def test_deleting_asks_first(call):
    id = made(call("study", "new", "--example", "poster"))
    assert "Nothing was deleted" in call("study", "delete", id, input="n\n").stdout
    assert call("study", "delete", id, input="").exit_code == 1  # nobody there to ask
    assert id in call("study", "list").stdout
    assert call("study", "delete", id, input="y\n").exit_code == 0
    again = made(call("study", "new", "--example", "poster"))
    assert "Deleted" in call("study", "delete", again, "--yes").stdout
    assert "no studies yet" in call("study", "list").stdout


def test_people_can_be_invited(call):
    made(call("study", "new", "--example", "poster"))
    assert "Ana was added" in call("study", "invite", "poster", "Ana").stdout
    assert "Ana" in call("study", "show", "poster").stdout


def test_a_study_goes_by_its_id_its_beginning_or_its_name(call):
    first = made(call("study", "new", "--example", "poster", "--name", "Blue"))
    made(call("study", "new", "--example", "poster", "--name", "Blue and red"))
    for named in (first, first[:6], "Blue", "blue"):
        assert f"id {first}" in call("study", "show", named).stdout
    assert "Blue and red" in call("study", "show", "RED").stdout


def test_a_name_that_fits_none_or_several_is_told_with_what_there_is(call):
    ids = [made(call("study", "new", "--example", "poster", "--name", name)) for name in ("Blue one", "Blue two")]
    for named, says in (("nope", "no study has this id or name"), ("Blue", "must be unambiguous")):
        result = call("study", "show", named)
        assert result.exit_code == 2
        assert says in result.stderr
        assert all(f"{id} (Blue" in result.stderr for id in ids)


def test_names_cannot_steer_the_terminal(call):
    made(call("study", "new", "--example", "poster", "--name", "[bold]x[/bold] \x1b[31mred"))
    text = call("study", "list").stdout
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--name", "x"], "one of them"),
        (["--example", "coffee", "--space", "tea.json"], "--space and --example"),
        (["--example", "tea"], "must be one of coffee, molecules, poster"),
        (["--space", "missing.json", "--name", "x"], "must be that of a text file"),
        (["--example", "coffee", "--feature", "body"], "give the file with --catalogue"),
        (["--example", "coffee", "--strategy", "best"], "check the spelling"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(call, arguments, says):
    result = call("study", "new", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("anchorpbo: ")
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_a_space_needs_a_name_and_json(call, tmp_path):
    assert "add --name" in call("study", "new", "--space", write(tmp_path, "tea.json", TEA)).stderr
    broken = call("study", "new", "--name", "x", "--space", write(tmp_path, "broken.json", "{"))
    assert "must be a JSON file" in broken.stderr
    assert "must be a JSON file" in call("study", "import", write(tmp_path, "b.json", "{")).stderr


def test_trouble_with_the_database_is_told_in_a_sentence(call, db, tmp_path):
    foreign = write(tmp_path, "foreign.db", "this is text and no database at all, whatever its name says")
    result = call("study", "list", "--db", foreign)
    assert result.exit_code == 1
    assert "must be a SQLite database" in result.stderr
    made(call("study", "new", "--example", "poster"))
    connection = sqlite3.connect(db)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    newer = call("study", "list")
    assert newer.exit_code == 1
    assert "newer release" in newer.stderr


def test_the_data_folder_follows_the_platform(tmp_path):
    here = str(tmp_path)
    assert default_folder({"ANCHORPBO_HOME": here, "XDG_DATA_HOME": "/x"}) == tmp_path
    assert default_folder({"XDG_DATA_HOME": here}, "linux") == tmp_path / "anchorpbo"
    assert default_folder({"XDG_DATA_HOME": "relative"}, "linux") == Path.home() / ".local" / "share" / "anchorpbo"
    assert default_folder({}, "darwin").parts[-3:] == ("Library", "Application Support", "anchorpbo")
    assert default_folder({"LOCALAPPDATA": here}, "win32") == tmp_path / "anchorpbo"


def test_by_default_studies_are_in_the_data_folder(tmp_path):
    environment = {"ANCHORPBO_HOME": str(tmp_path / "home"), "ANCHORPBO_DB": ""}
    made(CliRunner().invoke(app, ["study", "new", "--example", "poster"], env=environment))
    assert (tmp_path / "home" / "studies.db").is_file()


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("studies.db", "studies.db"),
        ("sqlite:///a/b.db", "sqlite:///a/b.db"),
        ("C:\\data\\x.db", "C:\\data\\x.db"),
        ("postgresql://me:sesame@host:5432/studies", "postgresql://me@host:5432/studies"),
        ("postgresql://me:sesame@host/studies?password=other", "postgresql://me@host/studies"),
    ],
)
def test_passwords_are_not_shown(address, seen):
    assert hide_password(address) == seen
