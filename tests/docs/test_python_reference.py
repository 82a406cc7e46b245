"""The page of the Python interface has every public name."""

from __future__ import annotations

from pathlib import Path

import cranfield

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def test_every_public_name_has_an_entry() -> None:
    headings = set(PAGE.read_text("utf-8").splitlines())
    plots = {f"plot.{name}" for name in cranfield.plot.__all__}
    for name in {*cranfield.__all__} - {"plot"} | plots:
        assert f"### cranfield.{name}" in headings
