"""Findings are drawn as they were before, and no name can break what they stand in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from cranfield import examine
from cranfield.evidence.cells import cells
from cranfield.present.findings import tables as findings
from cranfield.present.findings.rules import Finding

Golden = Callable[[str, str], None]

FOUND = examine(cells(tp=20, fp=180, fn=10, tn=1820))
RENDERERS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "txt": findings.plain,
    "md": findings.markdown,
    "tex": findings.latex,
    "html": findings.html,
}


@pytest.mark.parametrize("ending", RENDERERS)
def test_findings_are_drawn_as_before(ending: str, golden: Golden) -> None:
    golden(f"present/findings.{ending}", RENDERERS[ending](FOUND))


@pytest.mark.parametrize("ending", RENDERERS)
def test_that_there_are_none_is_said(ending: str) -> None:
    assert "none" in RENDERERS[ending](())


@pytest.mark.parametrize(
    ("ending", "literal"),
    [
        ("txt", r"\x1b[31m<b>*a*_&%"),
        ("md", r"\<b\>\*a\*"),
        ("tex", r"\textless{}b\textgreater{}"),
        ("html", "&lt;b&gt;*a*_&amp;%"),
    ],
)
def test_a_name_is_taken_literally(ending: str, literal: str) -> None:
    odd = replace(FOUND[0], sentence="\x1b[31m<b>*a*_&% is a name.")
    assert literal in RENDERERS[ending]([odd])


def test_no_line_is_wider_than_asked_for() -> None:
    assert max(map(len, findings.plain(FOUND, 60).splitlines())) <= 60


def test_a_rule_is_shown_with_its_limits() -> None:
    assert findings.rule_name(FOUND[0]) == "accuracy-below-constant(above=0)"


def test_findings_of_one_rule_are_explained_once() -> None:
    twice = [FOUND[0], replace(FOUND[0], sentence="Another one.")]
    for draw in RENDERERS.values():
        assert "Another one." in draw(twice)
        assert draw(twice).count(FOUND[0].why[:25]) == 1


def test_a_limit_is_written_out() -> None:
    assert findings.rule_name(replace(FOUND[0], settings={"most": 1_000_000})).endswith("(most=1000000)")
