"""The files of the lectures, commands that read them, and what a command printed."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

LECTURES = Path(__file__).parents[2] / "examples" / "lectures"
FOURTEEN, GRADED, TEN = (f"{name}.qrels {name}.run" for name in ("fourteen", "graded", "ten"))
TWENTY = "classify ../scores.csv -a class -s score --positive P"
CANCER = "classify --counts TP=20 FP=180 FN=10 TN=1820"
EIGHT = "classify --counts TP=2 FP=2 FN=1 TN=3"
PEOPLE = "classify --counts people.csv --rows predicted"
JUDGES = "agree --counts 20 12 4 4 --resamples 0"


@pytest.fixture(autouse=True)
def at_the_lectures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LECTURES)


def document(capsys: Capture, command: str) -> dict[str, Any]:
    assert main([*shlex.split(command), "-f", "json", "--quiet"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rows(capsys: Capture, command: str) -> list[dict[str, str]]:
    assert main([*shlex.split(command), "-f", "csv", "--quiet"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def figures(capsys: Capture, command: str) -> dict[str, float]:
    """The value of each measure, of the only system."""
    found = document(capsys, command)
    if command.startswith("eval"):
        return {row["measure"]: row["value"] for row in found["results"]}
    (system,) = found["systems"].values()
    return {row["measure"]: row["value"] for row in system["measures"]}
