"""Reports in a real browser: they open from a file, ask for nothing, and work with the keyboard alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from browser_pages import cells, column, numbers, tab_to
from cranfield.rankings.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("page", ["rankings_page", "classification_page", "items_page", "hostile_page"])
def test_a_page_opens_from_a_file_and_asks_for_nothing(page: str, opened: Any, request: Any) -> None:
    path = request.getfixturevalue(page)
    seen = opened(path)
    seen.page.wait_for_load_state("networkidle")
    assert seen.requests == [path.as_uri()]
    assert seen.complaints == []


def test_names_from_data_are_text_and_never_run(hostile_page: Path, opened: Any) -> None:
    seen = opened(hostile_page)
    assert seen.page.locator("h1").inner_text() == "<script>window.ran=1</script>"
    for button in seen.page.locator("#values tbody button").all():
        button.click()
    assert "<script>window.ran=1</script>" in seen.page.locator("#side").inner_text()
    assert '"><img src=x onerror=window.ran=1>' in seen.page.locator("#values").inner_text()
    assert seen.page.evaluate("window.ran") is None
    assert seen.page.locator("main img").count() == 0
    assert seen.complaints == []


def test_queries_are_sorted_with_the_keyboard(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    assert column(page, 0)[:3] == ["q1", "q2", "q3"]  # as numbers, q10 after q2
    page.locator("#values thead button").nth(2).focus()
    page.keyboard.press("Enter")
    falling = numbers(column(page, 2))
    assert falling == sorted(falling, reverse=True)
    assert page.locator("#values th[aria-sort=descending]").inner_text().startswith("B: ")
    page.keyboard.press("Enter")  # focus stays on the button, though the table was drawn anew
    rising = numbers(column(page, 2))
    assert rising == sorted(falling)
    assert page.locator("#values th[aria-sort=ascending]").count() == 1


def test_the_leaderboard_is_sorted_with_the_keyboard(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    board = page.locator("#leaderboard table")
    assert cells(board, 0) == ["good", "middling", "poor"]
    board.locator("thead button").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    assert cells(board, 0) == ["poor", "middling", "good"]
    assert board.locator("th[aria-sort=descending]").count() == 1


def test_only_the_best_value_of_each_column_is_bold(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    weights = (
        "rows => rows.map(row => [...row.querySelectorAll('td.number')].map(cell => "
        "getComputedStyle(cell.querySelector('b') ?? cell).fontWeight))"
    )
    for row, weight in enumerate(page.locator("#leaderboard tbody tr").evaluate_all(weights)):
        assert {int(one) >= 600 for one in weight[:3]} == {row == 0}  # the first system is the best in all of them


def test_queries_are_filtered(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    assert page.locator("#status").inner_text() == "45 of 45 queries shown"
    page.locator("#text").fill("q4")
    assert column(page, 0) == ["q4", "q40", "q41", "q42", "q43", "q44", "q45"]
    assert page.locator("#status").inner_text() == "7 of 45 queries shown"
    page.locator("#text").fill("")
    page.locator("#other").select_option(label="poor")
    page.locator("#which").select_option("other")
    assert column(page, 0) == []  # the poor system is nowhere better
    page.locator("#which").select_option("one")
    page.locator("#least").fill("0.5")
    assert all(float(text) >= 0.5 for text in column(page, 3))


def test_two_ranked_lists_stand_side_by_side(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    tab_to(page, "#values tbody button")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "lists-title"
    assert page.locator("#lists-title").inner_text().startswith("Query q1: ")
    left, right = page.locator("#side table").all()
    assert left.locator("caption").inner_text() == "good"
    assert right.locator("caption").inner_text() == "middling"
    grades = cells(left, 2)
    judged = [int(grade) for grade in grades if grade != "?"]
    assert judged == sorted(judged, reverse=True)
    assert grades.count("?") == 2  # two documents were not judged
    there = cells(left, 3)
    assert cells(right, 1)[int(there[0]) - 1] == cells(left, 1)[0]
    tab_to(page, "#next")
    page.keyboard.press("Enter")
    assert page.locator("#lists-title").inner_text().startswith("Query q2: ")
    assert page.evaluate("document.activeElement.id") == "next"
    tab_to(page, "#back")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "q2"


def test_every_control_is_reached_with_the_keyboard_and_shows_it(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert shown != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
    assert {"measure", "one", "other", "text", "which", "least", "BUTTON", "SUMMARY", "A"} <= seen


def test_a_screen_reader_finds_landmarks_names_and_tables(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    assert page.locator("h1").count() == page.locator("main").count() == page.locator("nav[aria-label]").count() == 1
    named = page.evaluate(
        "[...document.querySelectorAll('main > section')].every(s => s.ariaLabelledByElements?.length"
        " || document.getElementById(s.getAttribute('aria-labelledby')))"
    )
    assert named
    assert page.evaluate("[...document.querySelectorAll('th')].every(cell => cell.scope)")
    assert page.evaluate("[...document.querySelectorAll('input, select')].every(c => c.labels.length === 1)")
    assert page.evaluate("[...document.querySelectorAll('[role=img]')].every(p => p.ariaLabel.length > 20)")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))")
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("#status[aria-live=polite]").count() == 1


def test_a_dark_page_is_dark_and_its_pictures_with_it(rankings_page: Path, opened: Any) -> None:
    script = "selector => getComputedStyle(document.querySelector(selector))"
    colours = {}
    for scheme in ("light", "dark"):
        page = opened(rankings_page, color_scheme=scheme).page
        paper = page.evaluate(f"({script})('body').backgroundColor")
        drawn = page.evaluate(f"({script})('#tiers svg rect').fill")
        assert drawn == paper
        colours[scheme] = paper
    assert colours["light"] == "rgb(255, 255, 255)"
    assert colours["dark"] != colours["light"]


def test_a_matrix_has_the_colours_of_each_scheme(classification_page: Path, opened: Any) -> None:
    fills = "[...document.querySelectorAll('#confusion-0 svg path')].map(cell => getComputedStyle(cell).fill)"
    colours = []
    for scheme in ("light", "dark"):
        page = opened(classification_page, color_scheme=scheme).page
        assert page.locator("#confusion-0 svg").is_visible()
        colours.append({fill for fill in page.evaluate(fills) if fill.startswith("rgb")})
    assert len(colours[0]) >= 2  # right and wrong cells
    assert colours[0] != colours[1]


def test_a_printed_page_is_white_without_controls_and_not_endless(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page, color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator("#choice").is_visible()
    assert page.locator("#values tbody tr:visible").count() == 40
    assert page.evaluate(
        "document.querySelector('.tall').clientHeight === document.querySelector('.tall').scrollHeight"
    )
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_what_is_folded_is_printed(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    folded = page.locator("details.finding")
    assert folded.count() > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.finding[open]").count() == folded.count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.finding[open]").count() == 0


@pytest.mark.parametrize("width", [1280, 400])
def test_letters_of_pictures_stay_readable(width: int, rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page, width=width, height=800).page
    shrunk = page.evaluate(
        "[...document.querySelectorAll('.picture svg')].filter((svg) => svg.clientWidth)"
        ".map((svg) => svg.clientWidth / Number(svg.getAttribute('width')))"
    )
    assert min(shrunk) >= 0.77  # of letters of 11 pixels


def test_a_table_that_goes_on_says_so(classification_page: Path, opened: Any) -> None:
    narrow = opened(classification_page, width=400, height=800).page
    assert narrow.locator("#leaderboard .wide.more").count() == 1
    first = narrow.locator("#leaderboard tbody td.number").first.bounding_box()
    assert first["x"] < 300


@pytest.mark.parametrize("page", ["rankings_page", "classification_page", "items_page"])
def test_a_narrow_page_does_not_scroll_sideways(page: str, opened: Any, request: Any) -> None:
    seen = opened(request.getfixturevalue(page), width=360, height=800).page
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_values_of_queries_can_be_saved(rankings_page: Path, opened: Any, graded_data: Any, tmp_path: Path) -> None:
    page = opened(rankings_page).page
    with page.expect_download() as waiting:
        page.locator("#values-file").click()
    saved = Path(waiting.value.path()).read_text("utf-8").splitlines()
    result = evaluate(*graded_data, ["nDCG@5", "AP", "RR"])
    expected = {(s, q, m): v for s, q, m, v in zip(*(c.to_pylist() for c in result.table(per_query=True).columns))}
    found = [line.split(",") for line in saved[1:]]
    assert saved[0] == "system,query,measure,value"
    assert {(s, q, m): float(v) if v else None for s, q, m, v in found} == expected


def test_files_that_links_hold_can_be_saved(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    for link in page.locator("#downloads a[href^='data:']").all():
        with page.expect_download() as waiting:
            link.click()
        assert waiting.value.suggested_filename == link.inner_text()
        assert Path(waiting.value.path()).stat().st_size > 0


def test_the_button_that_copies_a_table_stands_at_its_edge(classification_page: Path, opened: Any) -> None:
    page = opened(classification_page).page
    page.set_viewport_size({"width": 1280, "height": 900})
    frames = page.locator(".framed:visible").all()
    assert frames
    for frame in frames:
        boxes = [frame.locator(part).bounding_box() for part in ("button.copy", "table", ".wide")]
        button, table, region = (box["x"] + box["width"] for box in boxes)
        assert button == pytest.approx(min(table, region), abs=2)  # a table that is too wide is scrolled


def test_findings_of_every_severity_are_aligned(rankings_page: Path, opened: Any) -> None:
    page = opened(rankings_page).page
    finding = page.locator("details.finding:visible").first
    places = set()
    for severity in ("serious", "caution", "note"):
        finding.evaluate("(box, severity) => { box.className = `finding ${severity}`; }", severity)
        places.add(finding.locator(".kind").bounding_box()["x"])
    assert len(places) == 1
