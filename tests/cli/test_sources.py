"""JSON says where figures came from, whatever the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
GIVEN = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
COMMANDS = {
    "compare": ["-m", "AP"],
    "plan": ["-m", "AP"],
    "reproduce": ["-m", "AP", "--resamples", "10"],
    "latent": ["-m", "AP"],
    "correlate": ["-m", "AP", "-m", "RR"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_json_names_every_file_with_its_digest(command: str, capsys: Capture) -> None:
    assert main([command, *GIVEN, *COMMANDS[command], "-f", "json", "--quiet"]) == 0
    provenance = json.loads(capsys.readouterr().out)["provenance"]
    sources = [(source["role"], source["name"]) for source in provenance["inputs"]]
    assert sources == [("qrels", GIVEN[0]), ("run", "bm25"), ("run", "dense")]
    assert all(source["digest"] for source in provenance["inputs"])
    assert provenance["versions"]["cranfield"]
    assert provenance["settings"]["ties"] == "trec"


def test_a_table_of_values_is_named_too(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "folds.csv").write_text("fold,tree,forest\n1,0.1,0.2\n2,0.3,0.3\n3,0.2,0.4\n")
    assert main(["compare", "--values", str(tmp_path / "folds.csv"), "-f", "json"]) == 0
    (source,) = json.loads(capsys.readouterr().out)["provenance"]["inputs"]
    assert (source["role"], source["name"]) == ("values", str(tmp_path / "folds.csv"))


def test_a_deviation_that_is_given_has_no_source(capsys: Capture) -> None:
    assert main(["plan", "--deviation", "0.1", "--queries", "50", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["inputs"] == []
