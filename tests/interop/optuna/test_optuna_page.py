"""What somebody clicks on the dashboard's own page reaches the sampler."""

import io
import json

import pytest
from optuna_dashboard import wsgi
from preferential_studies import ANCHORS, COFFEE, active, new_study, utility

from anchorpbo.interop.optuna import optimizer_from_study, recommend


class Page:
    """Sends what the page sends."""

    def __init__(self, storage, study):
        self._app, self._study = wsgi(storage), study

    def send(self, method, path, data=None):
        body, said = json.dumps(data or {}).encode(), []
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": f"/api/studies/{self._study._study._study_id}/{path}",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": "page",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
        }
        list(self._app(environ, lambda status, headers, error=None: said.append(status)))
        assert said == ["204 No Content"], said

    def click_worst(self):
        shown = active(self._study)
        worst = min(shown, key=lambda trial: utility(trial.params))
        clicked = {"mode": "ChooseWorst", "candidates": [trial.number for trial in shown], "clicked": worst.number}
        self.send("POST", "preference", clicked)


@pytest.fixture
def study(tmp_path):
    return new_study(n_generate=3, storage=f"sqlite:///{tmp_path / 'page.db'}", initial=2)


def test_clicks_skips_and_undone_clicks_count(study):
    page = Page(study._study._storage, study)
    for _ in range(3):
        while study.should_generate():
            study.ask(COFFEE)
        page.click_worst()
    assert len(optimizer_from_study(study, ANCHORS)) == 6  # two for every click
    storage, number = study._study._storage, study._study._study_id
    clicks = [name for name in storage.get_study_system_attrs(number) if name.startswith("preference:history")]
    page.send("DELETE", f"preference/{clicks[0].removeprefix('preference:history')}")
    assert len(optimizer_from_study(study, ANCHORS)) == 4
    page.send("POST", f"preference/{clicks[0].removeprefix('preference:history')}")
    assert len(optimizer_from_study(study, ANCHORS)) == 6
    best = recommend(study, ANCHORS).design
    (skipped,) = (trial for trial in study.trials if trial.params == best)
    page.send("POST", f"{skipped._trial_id}/skip")
    assert len(optimizer_from_study(study, ANCHORS)) == 6
    assert recommend(study, ANCHORS).design != best
    assert study.ask(COFFEE).params != best
