"""The examples in the documentation run as printed, and its links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from cranfield.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_as_printed(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


COMMANDS = sorted(
    {
        line.partition("  #")[0].strip()
        for page in (ROOT / "docs").rglob("*.md")
        for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        for line in block.replace("\\\n", " ").splitlines()
        if re.match(r"cranfield .*examples/", line) and "worked-examples" not in page.name  # which runs its own
    }
)


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_commands_on_the_examples_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    words = [found for word in shlex.split(line)[1:] for found in _files(word)]
    assert main([*words, *["--quiet"] * (words[0] != "trec_eval")]) == 0


def _files(word: str) -> list[str]:
    """The files that a pattern such as examples/*.run stands for, as the shell would find them."""
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]
