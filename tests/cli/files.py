"""Small files to evaluate, written as they would be by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

FILES = {
    "qrels.txt": """
        q1 0 d1 1
        q1 0 d2 0
        q1 0 d3 2
        q2 0 d1 0
        q2 0 d4 1
        """,
    "good.run": """
        q1 Q0 d3 1 0.9 good
        q1 Q0 d1 2 0.8 good
        q1 Q0 d2 3 0.7 good
        q2 Q0 d4 1 0.9 good
        """,
    "poor.run": """
        q1 Q0 d2 1 0.9 poor
        q1 Q0 d9 2 0.8 poor
        q1 Q0 d1 3 0.7 poor
        q2 Q0 d1 1 0.9 poor
        q2 Q0 d4 2 0.8 poor
        """,
    "tied.run": """
        q1 Q0 d2 1 0.5 tied
        q1 Q0 d3 2 0.5 tied
        """,
    "strangers.run": """
        x1 Q0 d1 1 0.9 strangers
        """,
    "broken.run": """
        q1 Q0 d1 1 high broken
        """,
    "empty.run": "",
}


def written(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    """The folder, with the files in it."""
    for name, lines in files.items():
        text = "".join(f"{line.strip()}\n" for line in lines.strip().splitlines())
        (folder / name).write_text(text)
    return folder


@pytest.fixture(autouse=True)
def at_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files, which commands run in."""
    monkeypatch.chdir(written(tmp_path))
    return tmp_path
