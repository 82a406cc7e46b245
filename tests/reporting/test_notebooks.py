"""The example notebooks run, and results show themselves in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cranfield.classification.classify import classify
from cranfield.rankings.evaluate import evaluate
from time_limits import HANGS

EXAMPLES = Path(__file__).parents[2] / "examples"
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
GOOD = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}
POOR = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}}


def without_pictures(output: Any) -> dict[str, Any]:
    """What a reader sees of the output of a cell; of pictures only that there is one, for fonts differ."""
    data = output.get("data", {"text/plain": output.get("text")})
    if "image/svg+xml" in data:
        return {"image/svg+xml": True}
    return {"text/html": data["text/html"]} if "text/html" in data else {"text/plain": data["text/plain"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["rankings", "classification"])
def test_a_notebook_runs_and_gives_what_it_shows(name: str, request: pytest.FixtureRequest) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    shown = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    run = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(
        run, timeout=HANGS, startup_timeout=HANGS, resources={"metadata": {"path": str(EXAMPLES)}}
    ).execute()
    if request.config.getoption("--regenerate-golden"):
        for cell in run.cells:
            cell.metadata.pop("execution", None)  # times
        nbformat.write(run, EXAMPLES / f"{name}.ipynb")
        return
    for before, after in zip(shown.cells, run.cells, strict=True):
        if before.cell_type == "code":
            assert before.outputs, "the notebook is stored with its outputs"
            assert [*map(without_pictures, after.outputs)] == [*map(without_pictures, before.outputs)]


def test_results_show_themselves_as_tables() -> None:
    result = evaluate(QRELS, {"good": GOOD, "<poor>": POOR}, ["RR"])
    assert "<table>" in result._repr_html_()
    assert "&lt;poor&gt;" in result._repr_html_()
    assert "adjusted p-value" in result.compare()._repr_html_()
    assert "Accuracy" in classify([1, 0, 1, 0], [1, 0, 0, 0])._repr_html_()


@pytest.mark.filterwarnings("ignore")
def test_a_shell_of_ipython_shows_the_table() -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shown, _ = shell.display_formatter.format(evaluate(QRELS, {"good": GOOD}, ["RR"]))
    assert "<table>" in shown["text/html"]
