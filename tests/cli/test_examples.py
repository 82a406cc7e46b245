"""What the first pages promise is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cranfield.cli.main import main

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def test_the_readme_shows_what_eval_prints(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(ROOT)
    readme = Path("README.md").read_text()
    command = re.search(r"^\$? ?cranfield (eval examples/.*)$", readme, re.MULTILINE)
    assert command is not None
    assert main(shlex.split(command[1])) == 0
    out, error = capsys.readouterr()
    assert error == ""
    assert out in readme


README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("line", re.findall(r"^cranfield (\S+ .*examples/.*)$", README, re.MULTILINE))
def test_the_commands_of_the_readme_run(line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(line), "--quiet"]) == 0
    assert capsys.readouterr().out


def test_the_readme_shows_every_kind_of_question() -> None:
    commands = {line.split()[0] for line in re.findall(r"^cranfield (.*examples/.*)$", README, re.MULTILINE)}
    assert commands == {"eval", "compare", "plan", "classify", "plot", "agree", "pool"}


def test_the_python_of_the_readme_gives_the_values_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    checked = 0
    for line in code.splitlines():
        statement, _, comment = line.partition("  # ")
        try:
            value = eval(statement, names)
        except SyntaxError:
            exec(statement, names)
            continue
        for number in re.findall(r"(\d\.\d+)…", comment):
            assert number in repr(value)
            checked += 1
    assert checked >= 5


@pytest.mark.parametrize("line", re.findall(r"^cranfield (eval .*)$", (ROOT / "examples/README.md").read_text(), re.M))
def test_the_commands_beside_the_examples_work(line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(ROOT / "examples")
    runs = " ".join(sorted(path.name for path in Path().glob("*.run")))
    assert main(shlex.split(line.replace("*.run", runs))) == 0
    assert "mean over 8 queries" in capsys.readouterr().out
