"""The items of a report on classification in a real browser: sorted, filtered and saved, with the keyboard alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser_pages import column, numbers, tab_to

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_the_surest_mistakes_stand_first(items_page: Path, opened: Any) -> None:
    seen = opened(items_page)
    assert column(seen.page, 0) == ["mail 3", "mail 4"]
    assert column(seen.page, 2) == ["✗ spam", "✗ ham"]
    assert numbers(column(seen.page, 4)) == [0.45, 0.3]
    assert seen.page.locator("#status").inner_text() == "2 of 12 items match"
    assert seen.complaints == []


def test_items_are_filtered_by_what_is_true_said_and_scored(items_page: Path, opened: Any) -> None:
    page = opened(items_page).page
    page.locator("#which").select_option("all")
    page.locator("#actual").select_option(label="spam")
    assert column(page, 1) == ["spam"] * 6
    page.locator("#predicted").select_option(label="ham")
    assert column(page, 0) == ["mail 4"]
    page.locator("#actual").select_option(label="any class")
    page.locator("#low").fill("0.3")
    page.locator("#high").fill("0.4")
    assert sorted(column(page, 0)) == ["mail 5", "mail 7"]
    page.locator("#text").fill("7")
    assert column(page, 0) == ["mail 7"]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("better", {"mail 2", "mail 7"}),
        ("worse", {"mail 3", "mail 4"}),
        ("both", set()),
        ("other", {"mail 2", "mail 7"}),
    ],
)
def test_two_systems_stand_side_by_side(which: str, expected: set[str], items_page: Path, opened: Any) -> None:
    page = opened(items_page).page
    page.locator("#which").select_option(which)
    assert set(column(page, 0)) == expected


def test_items_are_sorted_with_the_keyboard(items_page: Path, opened: Any) -> None:
    page = opened(items_page).page
    page.locator("#which").select_option("all")
    tab_to(page, "#values thead button")
    page.keyboard.press("Enter")
    assert column(page, 0)[1:4] == ["mail 0", "mail 1", "mail 2"]
    page.keyboard.press("Enter")
    assert column(page, 0)[0] == "mail 10"
    assert page.locator("#values th[aria-sort=descending]").inner_text() == "item"


def test_names_of_items_are_text_and_never_run(items_page: Path, opened: Any) -> None:
    seen = opened(items_page)
    seen.page.locator("#which").select_option("all")
    assert '"><img src=x onerror=window.ran=1>' in seen.page.locator("#values").inner_text()
    assert seen.page.evaluate("window.ran") is None
    assert seen.page.locator("main img").count() == 0


def test_the_items_can_be_saved(items_page: Path, opened: Any) -> None:
    page = opened(items_page).page
    with page.expect_download() as waiting:
        page.locator("#values-file").click()
    saved = Path(waiting.value.path()).read_text("utf-8").splitlines()
    assert saved[0] == "item,actual,first,first score,<script>window.ran=1</script>,<script>window.ran=1</script> score"
    assert saved[4] == "mail 3,ham,spam,0.95,ham,0.2"
    assert len(saved) == 13
