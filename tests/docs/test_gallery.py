"""The gallery shows every kind of plot, and its pictures are those of the code above them."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from cranfield import plot

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "reference" / "plots.md").read_text("utf-8")
hook = pytest.importorskip("tools.docs.gallery", exc_type=ImportError)


def test_every_kind_of_plot_is_in_the_gallery() -> None:
    drawn = {*re.findall(r"^cranfield plot (\S+)", TEXT, re.MULTILINE), *re.findall(r"\.plot\.(\w+)\(", TEXT)}
    assert {name.replace("-", "_") for name in drawn} == {*plot.__all__} - {"Plot"}


def test_a_picture_is_below_the_code_that_draws_it() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/plots.md"))
    shown = hook.on_page_markdown(TEXT, page)
    before, _, after = shown.partition("--shade --ideal --break-even\n```\n\n")
    assert before.endswith("--form ranks --query 101 ")
    assert after.startswith("![The plot that this draws](../images/plots/01-light.svg#only-light)")
    other = SimpleNamespace(file=SimpleNamespace(src_uri="howto/plot.md"))
    assert hook.on_page_markdown(TEXT, other) == TEXT


@pytest.mark.parametrize(
    ("kind", "title"), [("kappas", "Kappa of every pair of raters"), ("summary", "Documents to judge")]
)
def test_pictures_are_drawn_from_the_examples(kind: str, title: str) -> None:
    ((language, code),) = [
        block for block in hook._BLOCK.findall(TEXT) if f"plot {kind} " in block[1] or f".{kind}(" in block[1]
    ]
    assert title in hook._drawn(language, code, "dark")
