"""docs/reference/trec_eval.md speaks of every measure, nickname, option and version, and shows what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield.measures.trec_names import NICKNAMES, TABLE
from cranfield.trec_eval.conventions import VERSIONS
from cranfield.trec_eval.options import _LETTERS, _LONG
from trec_eval.running import run

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "trec_eval.md").read_text()
TABLES = TEXT.partition("## Measures")[2]


@pytest.mark.parametrize("name", [listed.name for listed in TABLE if not listed.name.startswith("prefs_")])
def test_a_measure_is_documented_with_what_it_is(name: str) -> None:
    declared = next(listed.declared for listed in TABLE if listed.name == name)
    row = next(
        line for line in TABLES.splitlines() if line.startswith("| ") and re.search(rf"`{re.escape(name)}`", line)
    )
    assert re.search(rf"`{declared}\b", row) or not declared


@pytest.mark.parametrize("word", [*NICKNAMES, *VERSIONS, *_LONG, *sorted(_LETTERS)])
def test_what_can_be_written_is_documented(word: str) -> None:
    assert re.search(rf"`-{{0,2}}{re.escape(word)}\b", TEXT)


def test_the_example_is_what_is_printed() -> None:
    shown = re.search(r"\$ trec-eval (.*)\n((?:.*\n)*?)```", TEXT)
    assert shown
    *options, qrels, ranked = shown[1].split()
    printed = run(*options, ROOT / qrels, ROOT / ranked).out.splitlines()
    start, end = (part.strip("\n").split("\n") for part in shown[2].split("…"))
    assert (printed[: len(start)], printed[-len(end) :]) == (start, end)
