"""The walks in CONTRIBUTING.md cost one file each, and lead where they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyarrow import csv, orc

ROOT = Path(__file__).parents[2]
_WALK = re.compile(r"^### (?P<title>.*?)\n(?P<text>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r"# (?P<how>new|at the end of|instead of the last line of): (?P<path>\S+)\n")


class Walk(NamedTuple):
    """What a section of the page has one write, and run."""

    how: str
    path: str
    code: str
    commands: list[tuple[list[str], list[str]]]  # the arguments, and the lines that the output contains


def _walk(text: str) -> Walk:
    blocks = _BLOCK.findall(text)
    (code,) = (content for language, content in blocks if language == "python")
    (console,) = (content for language, content in blocks if not language)
    place = _PLACE.match(code)
    assert place
    commands: list[tuple[list[str], list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ cranfield "):
            commands.append((line.split()[2:], []))
        else:
            commands[-1][1].append(line)
    return Walk(place["how"], place["path"], code[place.end() :], commands)


WALKS = {title: _walk(text) for title, text in _WALK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the source, compiled, and the examples, with a run in a format that is not read yet."""
    shutil.copytree(ROOT / "src", tmp_path / "src")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names = ["query", "q0", "document", "rank", "score", "system"]
    text = csv.ParseOptions(delimiter=" ")
    table: pa.Table = csv.read_csv(ROOT / "examples" / "bm25.run", csv.ReadOptions(column_names=names), text)
    orc.write_table(table.drop_columns(["q0", "rank", "system"]), tmp_path / "bm25.orc")
    return tmp_path


def _written(walk: Walk, root: Path) -> None:
    """Write the one file of a walk."""
    path = root / walk.path
    assert path.exists() == (walk.how != "new")
    before = "" if walk.how == "new" else path.read_text("utf-8")
    if walk.how.startswith("instead"):
        before = "".join(before.splitlines(keepends=True)[:-1])
    path.write_text(before + walk.code, "utf-8")


def _ran(arguments: list[str], root: Path) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    program = "import sys; from cranfield.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def test_there_is_a_walk_for_everything_in_the_table() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| to add |")[2].partition("\n\n")[0]
    kinds = re.findall(r"^\| (an? [^|]*?) \| \d \|", table, re.MULTILINE)
    assert [kind.capitalize() for kind in kinds] == list(WALKS)


@pytest.mark.parametrize("title", WALKS)
def test_one_file_is_enough(title: str, copy: Path) -> None:
    walk = WALKS[title]
    arguments, expected = walk.commands[0]
    status, output = _ran(arguments, copy)
    assert status or not all(line in output for line in expected), "it works before the walk"
    _written(walk, copy)
    for arguments, expected in walk.commands:
        status, output = _ran(arguments, copy)
        assert all(line in output for line in expected), output
        assert bool(status) == ("too large" in output), output  # the one command that is to be refused


def test_a_new_format_gives_the_same_values(copy: Path) -> None:
    _written(WALKS["A file format"], copy)
    arguments, _ = WALKS["A file format"].commands[0]
    other = ["examples/bm25.run" if argument == "bm25.orc" else argument for argument in arguments]
    status, output = _ran(arguments, copy)
    assert (status, output.replace("bm25.orc,", "bm25,")) == _ran(other, copy)


def test_a_new_measure_is_the_complement_of_recall(copy: Path) -> None:
    _written(WALKS["A measure"], copy)
    arguments, _ = WALKS["A measure"].commands[0]
    values = {}
    for name in ("MissedRelevant@5", "R@5"):
        _, output = _ran([name if argument == "MissedRelevant@5" else argument for argument in arguments], copy)
        header, row, *_ = (line.split(",") for line in output.splitlines())
        values[name] = float(row[header.index("value")])
    assert values["MissedRelevant@5"] + values["R@5"] == pytest.approx(1, abs=1e-12)
