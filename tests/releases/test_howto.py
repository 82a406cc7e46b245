"""The page from a live engine to a gate: all its files and commands, against a Groonga with 10,000 documents."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from cranfield.releases.store import Store
from groonga_server import groonga
from time_limits import HANGS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "live-engine.md").read_text("utf-8")
_BLOCK = re.compile(r"^```(?P<language>toml|python|sh)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Groonga with 10,000 documents of random words, of which some are frequent."""
    chance = random.Random(0)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(4, 9))) for _ in range(3000)]
    weights = [1 / (rank + 20) for rank in range(len(words))]
    documents = (
        {
            "_key": f"doc-{n}",
            "title": " ".join(chance.choices(words, weights, k=5)),
            "body": " ".join(chance.choices(words, weights, k=60)),
        }
        for n in range(10_000)
    )
    with groonga(tmp_path_factory.mktemp("engine"), documents) as address:
        yield address


def test_the_page_leads_from_the_address_to_a_gated_release(tmp_path: Path, url: str) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name, module in (("cranfield", "-m cranfield"), ("python", "")):
        program = bin_folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        program.chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    printed = []
    for block in _BLOCK.finditer(PAGE.replace("http://127.0.0.1:10041", url)):
        content = block["content"]
        if block["language"] == "sh":
            done = subprocess.run(
                ["sh", "-ec", content], cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS,
                check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            printed.append(done.stdout)
        elif content.startswith("# "):
            (folder / content.split("\n")[0].removeprefix("# ")).write_text(content)
    assert "answered all 200 queries" in printed[1]
    assert "All gates passed" in printed[3]
    assert "since 1.0" in printed[4].splitlines()[0]
    assert [record.release for record in Store(folder / "quality").records()] == ["1.0", "1.1"]
    assert "<svg" in (folder / "history.html").read_text("utf-8")


def test_the_example_workflow_runs_the_commands_of_the_page() -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "search-quality.yml").read_text("utf-8"))
    commands = "\n".join(step.get("run", "") for step in workflow["jobs"]["quality"]["steps"])
    for command in (
        "cranfield fetch topics.tsv --config engine.toml",
        "cranfield check gates.toml",
        "cranfield report --history quality",
    ):
        assert command in commands
        assert command in PAGE
