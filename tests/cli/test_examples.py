"""What the first pages promise is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cranfield.cli.main import main

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def test_the_readme_shows_what_make_run_prints(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(ROOT)
    command = re.search(r"cranfield (eval .*)", Path("Makefile").read_text())
    assert command is not None
    assert main(shlex.split(command[1])) == 0
    out, error = capsys.readouterr()
    assert error == ""
    assert out in Path("README.md").read_text()


@pytest.mark.parametrize("line", re.findall(r"^cranfield (eval .*)$", (ROOT / "examples/README.md").read_text(), re.M))
def test_the_commands_beside_the_examples_work(line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(ROOT / "examples")
    runs = " ".join(sorted(path.name for path in Path().glob("*.run")))
    assert main(shlex.split(line.replace("*.run", runs))) == 0
    assert "mean over 8 queries" in capsys.readouterr().out
