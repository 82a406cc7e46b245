"""What tests of pages ask of a browser."""

from __future__ import annotations

from typing import Any


def cells(table: Any, place: int) -> list[str]:
    """The texts of one column of a table."""
    return [row.locator("th, td").nth(place).inner_text().strip() for row in table.locator("tbody tr").all()]


def column(page: Any, place: int) -> list[str]:
    """The texts of one column of the table of queries, read at once."""
    script = "place => [...document.querySelectorAll('#values tbody tr')].map(row => row.cells[place].textContent)"
    return list(page.evaluate(script, place))


def numbers(texts: list[str]) -> list[float]:
    """The texts as numbers; what is undefined must stand last."""
    known = [float(text) for text in texts if text != "–"]
    assert all(text == "–" for text in texts[len(known) :])
    return known


def tab_to(page: Any, selector: str, most: int = 120) -> None:
    """Press Tab until something that fits the selector has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached with the keyboard")
