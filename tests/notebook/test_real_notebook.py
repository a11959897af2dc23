"""A notebook as people run it: a kernel, cells, and outputs that a front end can show."""

import os
from pathlib import Path

import nbclient
import nbformat
import pytest

import anchorpbo

CELLS = (
    "import anchorpbo as ap\n"
    "space = ap.Space(sugar=ap.Real(0, 10), milk=ap.Real(1, 50, log=True), cup=ap.Categorical(['big', '<i>s</i>']))\n"
    "study = ap.Optimizer(space, [{'sugar': 2.0, 'milk': 10.0, 'cup': 'big'}], inference='laplace', initial=2)\n"
    "space",
    "widget = ap.notebook.DuelWidget(study)\nwidget",
    "for outcome in ('first', 'second', 'tie', 'first'):\n    widget.answer(outcome)\nstudy.recommend()",
    "ap.plots.utility_map(study)",
    "ap.plots.utility_slices(study, backend='matplotlib')",
    "import matplotlib.pyplot\nap.plots.reliability_map(study, backend='matplotlib')",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell shows."""
    home = tmp_path_factory.mktemp("notebook")
    source = str(Path(anchorpbo.__file__).parents[1])
    settings = {"PYTHONPATH": source, "IPYTHONDIR": str(home / "ipython"), "JUPYTER_DATA_DIR": str(home / "jupyter")}
    # Not among the settings of whoever runs the tests.
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, os.pathsep.join([value, os.environ.get(name, "")]) if name == "PYTHONPATH" else value)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
        client = nbclient.NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": home}}
        )
        client.execute()
    return [cell.outputs for cell in notebook.cells], notebook


def shown(outputs, number):
    """The data of the one thing that a cell shows."""
    (output,) = (one for one in outputs[0][number] if one.output_type in ("execute_result", "display_data"))
    return output.data


def test_no_cell_complains(outputs):
    every = [one for cell in outputs[0] for one in cell]
    assert [one for one in every if one.output_type in ("error", "stream")] == []


def test_objects_are_tables(outputs):
    assert "&lt;i&gt;s&lt;/i&gt;" in shown(outputs, 0)["text/html"]
    assert "Recommended" in shown(outputs, 2)["text/html"]


def test_the_widget_is_one_that_front_ends_know(outputs):
    data = shown(outputs, 1)
    model = data["application/vnd.jupyter.widget-view+json"]["model_id"]
    state = outputs[1].metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"][model]
    assert state["model_module"] == "anywidget"
    assert state["state"]["view"]["answers"] == state["state"]["answers"] == 4
    assert len(state["state"]["view"]["duel"]["cards"]) == 2
    assert "export default" in state["state"]["_esm"]
    assert ".anchorpbo-duel" in state["state"]["_css"]


def test_figures_are_shown_by_either_library_with_and_without_pyplot(outputs):
    figure = shown(outputs, 3)["application/vnd.plotly.v1+json"]
    assert figure["layout"]["xaxis"]["title"]["text"] == "sugar"
    assert figure["layout"]["yaxis"]["type"] == "log"
    for number in (4, 5):
        assert len(shown(outputs, number)["image/png"]) > 10_000
