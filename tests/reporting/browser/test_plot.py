"""The page of a plot, in a real browser and without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import plot
from cranfield.present.plots.theme import COLOURS
from plot.gallery import gallery, scorers
from reporting.browser.conftest import EVIL, IMAGE, Open


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "roc.html"
    gallery()["roc"].save(path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_draws_its_plot_in_the_colours_the_reader_likes(scheme: str, page: Path, opened: Open) -> None:
    seen = opened(page, color_scheme=scheme)
    seen.page.wait_for_selector("#plot svg.marks")
    assert "AUC 0.680" in seen.page.locator("#plot svg.marks").text_content()
    assert COLOURS[scheme].series[0] in seen.page.locator("#plot").inner_html()  # type: ignore[index]
    assert seen.page.get_by_label("ROC curves. threshold 0.54; thin: convex hull").count() == 1
    assert seen.complaints == []
    assert seen.requests == [page.as_uri()]


def test_the_data_can_be_opened_with_the_keyboard(page: Path, opened: Open) -> None:
    seen = opened(page)
    data = seen.page.locator("details", has_text="Data")
    data.locator("summary").focus()
    seen.page.keyboard.press("Enter")
    assert data.locator("tbody tr").count() == gallery()["roc"].data.num_rows
    assert data.locator("tbody tr").first.is_visible()


def test_names_are_never_taken_for_markup(tmp_path: Path, opened: Open) -> None:
    plot.roc({EVIL: scorers()["first"], IMAGE: scorers()["second"]}).save(tmp_path / "roc.html")
    seen = opened(tmp_path / "roc.html")
    seen.page.wait_for_selector("#plot svg.marks")
    assert seen.page.evaluate("window.ran") is None
    assert seen.complaints == []
