"""A damaged database over REST and at the command line: one clear sentence, and no traceback."""

import sqlite3
from contextlib import closing

import pytest
from servers import answer, check_problem, make, server
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app
from anchorpbo.app.storage import open_storage

CHANGES = {
    "UPDATE entries SET data = replace(data, 'minutes', 'minutos')": "/history",
    "UPDATE entries SET time = 'noon'": "/history",
    "UPDATE studies SET definition = replace(definition, 'green', 'greed')": "",
    "UPDATE heads SET answers = answers + 1": "",
    "UPDATE participants SET name = 'other'": "/participants",
}


@pytest.fixture
def path(tmp_path):
    """A file with a study of one answer."""
    with closing(open_storage(str(tmp_path / "studies.db"))) as storage:
        _, client = server(storage)
        with client:
            answer(client, make(client))
    return str(tmp_path / "studies.db")


def change(path, statement):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount
        return connection.execute("SELECT id FROM studies").fetchone()[0]


@pytest.mark.parametrize("statement", CHANGES)
def test_damage_is_a_problem_that_says_what_to_do(path, statement, caplog):
    id = change(path, statement)
    with closing(open_storage(path)) as storage:
        _, client = server(storage)
        with client:
            response = client.get(f"/api/studies/{id}{CHANGES[statement]}")
    check_problem(response, 503)
    assert "must not be damaged" in response.json()["rule"]
    assert "backup.md" in response.json()["remedy"]
    assert "unexpected error" not in caplog.text


def test_damage_is_a_sentence_at_the_command_line(path):
    id = change(path, "UPDATE entries SET response_ms = 1")
    with open(path, "r+b") as file:
        file.seek(0, 2)
        file.truncate(file.tell() - 4096)
    for arguments in (["study", "list"], ["study", "export", id]):
        result = CliRunner().invoke(app, arguments, env={"ANCHORPBO_DB": path})
        assert result.exit_code == 1
        assert "must not be damaged" in result.stderr
        assert "Traceback" not in result.output
