"""The way of an answer through the app is the one that `docs/architecture.md` shows."""

import re
import sys
import threading
import time
from pathlib import Path

from servers import BASE, make
from starlette.testclient import TestClient

import anchorpbo
from anchorpbo.app.storage import open_storage
from anchorpbo.app.web.app import make_app
from anchorpbo.app.web.schemas import STUDY_EXAMPLE
from support.statements import count_statements

SOURCE = Path(anchorpbo.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"
MAX_FILES, MAX_FORMS = 25, 6


def read_section():
    text = PAGE.read_text("utf-8")
    return text.split("### From an answer to the next pair")[1].split("###")[0]


class Watch:
    """Notes the files of the app and of the study that run in threads which start after it, while it is on."""

    def __init__(self):
        self.on, self.files = False, set()

    def __call__(self, frame, event, argument):
        if self.on and event == "call" and not threading.current_thread().name.startswith("scheduler"):
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(SOURCE):
                self.files.add(path.relative_to(SOURCE).as_posix())


def follow_answer(tmp_path):
    """Answer once when the next duel is ready; return the files that ran, the response and the SQL statements."""
    storage, watch = open_storage(f"sqlite:///{tmp_path / 'studies.db'}"), Watch()
    previous = sys.getprofile()
    threading.setprofile(watch)
    try:
        app = make_app(storage)
        with TestClient(app, base_url=BASE) as client:
            id = make(client, STUDY_EXAMPLE)
            answers, jobs = f"/api/studies/{id}/answers", app.state.studies.duels._chooser._scheduler._jobs
            duel = client.post(f"/api/studies/{id}/ask", json={}).json()
            for turn in range(11):
                while not all(job.done.is_set() for job in list(jobs._jobs.values())):
                    time.sleep(0.01)
                with count_statements(storage) as statements:
                    watch.on = turn == 10
                    given = {"duel_id": duel["id"], "outcome": "first", "response_ms": 900, "ask": True}
                    view = client.post(answers, json=given).json()
                    watch.on = False
                duel = view["next"]
    finally:
        threading.setprofile(previous)
        storage.close()
    return watch.files, view, statements


def test_an_answer_runs_through_the_files_of_the_table_and_those_named_below_it(tmp_path):
    files, view, statements = follow_answer(tmp_path)
    section = read_section()
    table = set(re.findall(r"`((?:app|study)/[\w/-]+\.(?:py|js))`", section))
    others = set(re.findall(r"`(\w+\.py)`", section))
    ran = {name for name in files if name.startswith(("app/", "study/"))}
    # `schemas.py` has classes only, so no function of it runs.
    assert {name for name in table if name.endswith(".py")} - {"app/web/schemas.py"} <= ran
    assert {Path(name).name for name in ran - table} <= others
    assert all((SOURCE / name).is_file() for name in table)
    assert len(table) <= MAX_FILES
    assert view["next"] is not None
    assert sum(statement.startswith("BEGIN") for statement in statements) <= 2
    assert len([line for line in statements if line.startswith("INSERT INTO entries")]) == 1


def test_the_forms_of_an_answer_are_classes():
    forms = re.findall(r"`(\w+)`", read_section().split("six forms on this way:")[1].split("response).")[0])
    assert len(forms) == MAX_FORMS
    code = "\n".join(path.read_text("utf-8") for folder in ("app", "study") for path in (SOURCE / folder).rglob("*.py"))
    assert all(f"class {form}" in code for form in forms)
